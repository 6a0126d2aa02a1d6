"""House rules: the data of one rule set changed by another's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.problems import Problem, nearest
from interpreter.rules import Rules


def joined(base: Any, change: Any) -> Any:
    """Mappings joined part by part; anything else is replaced. The parts that the change lists stand in its order."""
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    parts = {**base, **{key: joined(base[key], part) if key in base else part for key, part in change.items()}}
    return {key: parts[key] for key in _in_order(list(base), list(change))}


def _in_order(base: list[Any], change: list[Any]) -> list[Any]:
    """The keys of both: each one of the change after the one before it, all others where they were.

    So a change that restates every step of a scale sets their order, and one that lists a new outcome before the last
    one puts it there.
    """
    order, place = list(base), 0
    for number, key in enumerate(change):
        if key not in order and number == 0:
            place = next((order.index(later) for later in change if later in order), len(order))
        if key not in order or order.index(key) < place:
            place -= key in order
            order = [other for other in order if other != key]
            order.insert(place, key)
        place = order.index(key) + 1
    return order


def as_written(data: Any) -> Any:
    """Typed data as its files would write it, for a change to be joined to it and the whole to be checked again."""
    if isinstance(data, Mapping):
        return {key: as_written(part) for key, part in data.items()}
    if isinstance(data, list):
        return [as_written(item) for item in data]
    if isinstance(data, bool):
        return "true" if data else "false"
    return str(data) if isinstance(data, int) else data


def name_cells(tables: Any, changes: Any) -> None:
    """Rows written as lists become mappings where a change names the cells that it means."""
    for name, change in changes.items() if isinstance(changes, Mapping) else ():
        rows = (tables or {}).get(name, {}).get("rows")
        changed = change.get("rows") if isinstance(change, Mapping) else None
        for key, row in changed.items() if isinstance(changed, Mapping) and rows else ():
            if isinstance(row, Mapping) and isinstance(rows.get(key), list):
                rows[key] = dict(zip(tables[name]["columns"], rows[key], strict=False))


def remove_parts(data: dict[str, Any], paths: Iterable[str], rules: Rules) -> list[Problem]:
    problems = []
    for number, dotted in enumerate(paths):
        *parents, last = dotted.split(".")
        holder: Any = data
        hint = ""
        for depth, name in enumerate(parents):
            holder = holder.get(name) if isinstance(holder, Mapping) else None
            if isinstance(holder, list):
                whole = ".".join(parents[: depth + 1])
                hint = f"`{whole}` is a list, whose parts have no names: write all of it anew."
        if not isinstance(holder, dict) or last not in holder:
            names = list(holder) if isinstance(holder, Mapping) else []
            close = nearest(last, names)
            hint = f"Did you mean `{'.'.join([*parents, close])}`?" if close else hint
            problems.append(
                Problem("E0208", f"There is no `{dotted}` to remove.", rules.locate(("remove", number)), hint=hint)
            )
        else:
            del holder[last]
    return problems
