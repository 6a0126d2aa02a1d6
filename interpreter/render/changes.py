"""What house rules change in the rules that they extend."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]

LANGUAGE = re.compile(r"[a-z]{2}(-[A-Za-z]+)?")
# Where the order of the parts says something.
ORDERED = ("triggers", "rows", "outcomes", "grades", "options", "stages")


@dataclass(frozen=True, slots=True)
class Change:
    """A part that was added, removed, changed, or put in another order; `old` and `new` are what it says."""

    kind: str
    path: Path
    old: Any = None
    new: Any = None

    @property
    def dotted(self) -> str:
        return ".".join(self.path)


def changes(old: Any, new: Any, path: Path = ()) -> Iterator[Change]:
    """The differences between two rule sets as plain data, part by part."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _in_mapping(old, new, path)
    elif old != new:
        yield Change("changed", path, old, new)


def _in_mapping(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    old, new = _named_cells(old, path), _named_cells(new, path)
    for name in old:
        if name not in new:
            yield Change("removed", (*path, name), old[name])
    for name, part in new.items():
        if name not in old:
            yield Change("added", (*path, name), None, part)
        else:
            yield from changes(old[name], part, (*path, name))
    kept = [name for name in old if name in new]
    now = [name for name in new if name in old]
    if kept != now and path and path[-1] in ORDERED:
        yield Change("order", path, kept, now)


def _named_cells(data: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """A table with each row as a mapping, so that a row written as a list is compared cell by cell."""
    if len(path) != 2 or path[0] != "tables" or "columns" not in data or not isinstance(data.get("rows"), Mapping):
        return data
    columns, rows = list(data["columns"]), data["rows"].items()
    named = {key: dict(zip(columns, row, strict=False)) if isinstance(row, list) else row for key, row in rows}
    return {**data, "rows": named}


def short(value: Any) -> str:
    """What a part says, when that is little."""
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "nothing"}[value]
    if isinstance(value, Mapping):
        if value and all(LANGUAGE.fullmatch(str(key)) for key in value):
            return short(next(iter(value.values())))
        plain = all(not isinstance(part, Mapping | list) for part in value.values())
        parts = [f"{key}: {short(part)}" for key, part in value.items()] if plain else list(map(str, value))
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(short, value))}]"
    return str(value)
