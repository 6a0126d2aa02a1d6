"""Where a name is declared that was probably meant: shown beside a misspelt use when nothing else uses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from interpreter.checks.finding import Finding, part_of
from interpreter.model import Path

_MEANT = re.compile(r"[Dd]id you mean `(?:\w+\.)*(\w+)`\?\Z")
_UNKNOWN = re.compile(r"`(\w+)` is no name here")
_READ = ("count", "sum", "highest", "lowest", "sets")
_WORD = re.compile(r"[A-Za-z_]\w*")


def with_declarations(findings: Iterable[Finding], data: object) -> tuple[Finding, ...]:
    """The findings; one that guesses a name which stands nowhere but where it is declared also shows that place, since
    the slip may be there."""
    found = [_with_naming(one, data) for one in findings]
    meant = {number: match[1] for number, one in enumerate(found) if (match := _MEANT.search(one.hint))}
    if not meant:
        return tuple(found)
    places = _places(data, frozenset(meant.values()))
    for number, name in meant.items():
        if len(places[name]) == 1:
            words = f"`{name}` stands here, and nowhere else"
            found[number] = replace(found[number], related=(*found[number].related, (words, places[name][0])))
    return tuple(found)


def _with_naming(one: Finding, data: object) -> Finding:
    """A name that is unknown where it is read, with the place in the same construct where something is called so."""
    match = _UNKNOWN.match(one.message) if one.code == "E0311" and not one.hint and len(one.path) > 1 else None
    if match is None:
        return one
    name, inside = match[1], part_of(part_of(data, one.path[0]), one.path[1])
    named = next((path for path, _ in _texts(inside, one.path[:2]) if path[-1] == name), None)
    if named is None:
        return one
    if named[-2] in _READ:
        hint = f"It is read of a roll: `{named[-3]}.{name}`."
    else:
        hint = "It is known only from there on, within the same steps."
    return replace(one, hint=hint, related=((f"`{name}` is named here", named),))


def _places(data: object, names: frozenset[str]) -> Mapping[str, list[Path]]:
    """Every place where one of some names stands, be it as a key or within a text."""
    places: dict[str, list[Path]] = {name: [] for name in names}
    for path, text in _texts(data, ()):
        for word in names.intersection(_WORD.findall(text)):
            places[word].append(path)
    return places


def _texts(data: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(data, Mapping):
        for key, item in data.items():
            yield (*path, key), str(key)
            yield from _texts(item, (*path, key))
    elif isinstance(data, list):
        for place, item in enumerate(data):
            yield from _texts(item, (*path, place))
    elif isinstance(data, str):
        yield path, data
