"""Labels of other languages, from `lang/<code>.yaml` beside the rules: a mapping from dotted paths to texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def put_label(data: Any, names: list[str], text: str, language: str, first: str) -> bool:
    """Adds a language to the text at a path; a cell of a row written as a list is found by its column."""
    *parents, last = names
    holder = data
    for name in parents:
        holder = _part(holder, name)
    if isinstance(holder, list):
        columns = _columns_above(data, parents)
        if last not in columns or columns.index(last) >= len(holder):
            return False
        last = columns.index(last)  # type: ignore[assignment]
    elif not isinstance(holder, Mapping) or last not in holder:
        return False
    known = holder[last]
    texts = known if isinstance(known, dict) else {first: known}
    holder[last] = {**texts, language: text}
    return True


def _part(holder: Any, name: str) -> Any:
    """A part by its name; in a list by its number, or by the name of a choice or roll of its steps."""
    if isinstance(holder, Mapping):
        return holder.get(name)
    if not isinstance(holder, list):
        return None
    if name.isdigit():
        return holder[int(name)] if int(name) < len(holder) else None
    for step in _mappings(holder):
        if step.get("choose") == name:
            return step
        if isinstance(rolls := step.get("roll"), Mapping) and name in rolls:
            return rolls[name]
    return None


def _mappings(data: Any) -> Iterator[Mapping[str, Any]]:
    """Every mapping within, each before those that it holds."""
    if isinstance(data, Mapping):
        yield data
    for item in data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ():
        yield from _mappings(item)


def _columns_above(data: Any, parents: list[str]) -> list[str]:
    if len(parents) >= 4 and parents[0] == "tables":
        columns = data["tables"][parents[1]]["columns"]
        return list(columns)
    return []
