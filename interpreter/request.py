"""NAME=VALUE words to the table and the request that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from interpreter.examples import character
from interpreter.fields import whole
from interpreter.layout import State, sheet_faults
from interpreter.model import Input, System
from interpreter.problems import nearest
from interpreter.start import Request, wanted_roles

Roles = Mapping[str, tuple[tuple[str, ...], bool]]


class WordError(Exception):
    """A word that says nothing the action knows."""


@dataclass(slots=True)
class Words:
    """What the words of a command line say, sorted by what they name."""

    system: System
    action: str
    roles: Roles
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    played: dict[str, list[str]] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    periods: list[str] = field(default_factory=list)

    def take(self, word: str) -> None:
        name, equals, value = word.partition("=")
        name, value = name.strip(), value.strip()
        if not equals:
            raise WordError(f"`{word}` is no NAME=VALUE.")
        head, _, rest = name.partition(".")
        if name in self.roles:
            self.played[name] = [part.strip() for part in value.split(",") if part.strip()]
        elif name == "during":
            self.periods += [part.strip() for part in value.split(",")]
        elif rest and (head in self.roles or self._is_sheet(head)) and not self._is_side_input(head, rest):
            _put(self.fields.setdefault(head, {}), rest.split("."), _read(value))
        else:
            self._input(name, value)

    def _is_sheet(self, name: str) -> bool:
        sheet = self.system.sheets.get(name)
        return name in self.system.characters or (sheet is not None and sheet.only_one)

    def _is_side_input(self, side: str, rest: str) -> bool:
        sides = self.system.actions[self.action].sides
        return side in sides and rest.partition(".")[0] in sides[side].inputs

    def _input(self, name: str, value: str) -> None:
        action = self.system.actions[self.action]
        side, _, rest = name.partition(".")
        if side in action.sides and rest:
            self.inputs.setdefault(side, {})[rest] = _answer(action.sides[side].inputs.get(rest), value)
            return
        if side in action.inputs and rest:
            self.inputs.setdefault(side, {})[rest] = _answer(action.inputs.get(side), value)
            return
        if name not in action.inputs:
            raise WordError(self._unknown(name))
        self.inputs[name] = _answer(action.inputs[name], value)

    def _unknown(self, name: str) -> str:
        action = self.system.actions[self.action]
        known = [*action.inputs, *self.roles]
        known += [f"{side}.{one}" for side, phases in action.sides.items() for one in phases.inputs]
        close = nearest(name, known)
        hint = f" Did you mean `{close}`?" if close else f" It has {', '.join(known)}." if known else ""
        return f"`{self.action}` has no input or role `{name}`.{hint}"


def _put(data: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names[:-1]:
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            inner = data[name] = {"now": inner}
        data = inner
    data[names[-1]] = value


def _read(value: str) -> Any:
    """A value of a sheet: a whole number, a yes or no, a list with commas, else a text."""
    number = whole(value)
    if number is not None:
        return number
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    if value.startswith("[") and value.endswith("]"):
        return [part.strip() for part in value[1:-1].split(",") if part.strip()]
    return [part.strip() for part in value.split(",")] if "," in value else value


def _answer(spec: Input | None, value: str) -> Any:
    if spec is not None and (spec.pick is not None or spec.set_of is not None):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def read_words(system: System, action: str, words: Iterable[str]) -> tuple[State, Request, list[str]]:
    """The table, the request, and the ids of the sheets that were made from nothing; raises WordError."""
    if action not in system.actions:
        close = nearest(action, list(system.actions))
        raise WordError(f"There is no action `{action}`." + (f" Did you mean `{close}`?" if close else f" There is {', '.join(system.actions)}."))
    found = Words(system, action, wanted_roles(system, action))
    for word in words:
        found.take(word)
    table = _Table(system, found)
    table.lay()
    flags = frozenset(_flags(system, found.periods, table.sheets))
    roles = {role: tuple(ids) for role, ids in table.played.items()}
    return State(table.sheets, flags), Request(action, roles, found.inputs), table.made


@dataclass(slots=True)
class _Table:
    """Lays out the sheets: characters as they are or changed, new sheets where fields are said, shared sheets."""

    system: System
    words: Words
    sheets: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    played: dict[str, list[str]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    def lay(self) -> None:
        self.sheets |= {name: character(self.system, name) for name in self.system.characters}
        for kind, spec in self.system.sheets.items():
            if spec.only_one:
                self.sheets[kind] = {"sheet": kind, **self.words.fields.get(kind, {})}
        for role, (kinds, several) in self.words.roles.items():
            said = self.words.fields.get(role, {})
            if several:
                self._several(role, kinds, said)
            else:
                self._single(role, kinds, said)
        for name, said in self.words.fields.items():
            if name not in self.words.roles and name in self.system.characters:
                self.sheets[name] = _merged(self.sheets[name], said)
        self._check()

    def _single(self, role: str, kinds: tuple[str, ...], said: Mapping[str, Any]) -> None:
        named = self.words.played.get(role)
        if named is not None:
            if len(named) != 1:
                raise WordError(f"`{role}` is one sheet; write its character's id.")
            base = self._character(role, named[0], kinds)
            self._play(role, named[0] if not said else role, _merged(base, said))
        elif said:
            self._make(role, role, {"sheet": kinds[0], **said})
        else:
            ready = [name for name, data in self.sheets.items() if data.get("sheet") in kinds and name in self.system.characters]
            taken = {i for ids in self.played.values() for i in ids}
            free = [name for name in ready if name not in taken]
            if free:
                self._play(role, free[0], self.sheets[free[0]])
            else:
                self._make(role, role, {"sheet": kinds[0]})

    def _several(self, role: str, kinds: tuple[str, ...], said: Mapping[str, Any]) -> None:
        self.played[role] = []
        for name in self.words.played.get(role, ()):
            base = self._character(role, name, kinds)
            sheet_id, number = name, 2
            while sheet_id in self.played[role]:
                sheet_id, number = f"{name}_{number}", number + 1
            self._play(role, sheet_id, _merged(base, said.get(sheet_id, {})))
        for name, fields in said.items():
            if name in self.played[role]:
                continue
            if not isinstance(fields, Mapping):
                raise WordError(f"`{role}` is several sheets: write `{role}.NAME.{name}=…`, or `{role}=` and characters' ids.")
            self._make(role, name, {"sheet": kinds[0], **fields})
        if not self.played[role]:
            ready = [name for name, data in self.sheets.items() if data.get("sheet") in kinds]
            if not ready:
                raise WordError(f"Who is `{role}`? Write `{role}.NAME.FIELD=VALUE`.")
            self._play(role, ready[0], self.sheets[ready[0]])

    def _character(self, role: str, name: str, kinds: tuple[str, ...]) -> Mapping[str, Any]:
        if name not in self.system.characters:
            ready = [one for one in self.system.characters if self.sheets[one].get("sheet") in kinds]
            close = nearest(name, ready)
            hint = f" Did you mean `{close}`?" if close else f" There is {', '.join(ready) or 'none'}."
            raise WordError(f"There is no character `{name}` for `{role}`.{hint}")
        return self.sheets[name]

    def _play(self, role: str, sheet_id: str, data: Mapping[str, Any]) -> None:
        self.sheets[sheet_id] = data
        self.played.setdefault(role, []).append(sheet_id)

    def _make(self, role: str, sheet_id: str, data: Mapping[str, Any]) -> None:
        self._play(role, sheet_id, data)
        self.made.append(sheet_id)

    def _check(self) -> None:
        touched = {i for ids in self.played.values() for i in ids} | set(self.words.fields)
        for name in touched & set(self.sheets):
            for path, message in sheet_faults(self.system, self.sheets[name]):
                raise WordError(f"{'.'.join([name, *map(str, path[:1])])}: {message}")


def _merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> Mapping[str, Any]:
    result = dict(base)
    for name, value in change.items():
        old = result.get(name)
        result[name] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def _flags(system: System, periods: Iterable[str], sheets: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    for period in periods:
        if period not in system.periods:
            raise WordError(f"There is no period `{period}`." + (f" There is {', '.join(system.periods)}." if system.periods else ""))
        yield f"{period}.open"
        kind = system.periods[period].members
        yield from (f"{period}.member.{name}" for name, data in sheets.items() if data.get("sheet") == kind)
