"""NAME=VALUE words to the table and the request that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.defaults import start_dice
from interpreter.fields import FieldInfo, kind_of, whole
from interpreter.layout import Layout, State, given_value, sheet_faults
from interpreter.model import Input, System
from interpreter.problems import nearest
from interpreter.ready import character
from interpreter.start import Request, wanted_roles

Roles = Mapping[str, tuple[tuple[str, ...], bool]]
Data = Mapping[str, Any]
PERIODS = "during"


class WordError(Exception):
    """A word that says nothing the action knows."""


def read_words(system: System, action: str, words: Iterable[str]) -> tuple[State, Request, list[str]]:
    """The table, the request, and the ids of the sheets that start with dice still to be thrown; raises WordError."""
    if action not in system.actions:
        raise WordError(f"there is no action `{action}`.{suggest(action, system.actions)}")
    found = Words(system, action, wanted_roles(system, action))
    for word in words:
        found.take(word)
    table = _Table(system, found)
    table.lay()
    roles = {role: tuple(ids) for role, ids in table.played.items()}
    flags = frozenset(_flags(system, found.periods, [i for ids in roles.values() for i in ids], table.sheets))
    state = State(table.sheets, flags)
    return state, Request(action, roles, found.inputs), _unmade(system, state, roles)


def _unmade(system: System, state: State, roles: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The sheets in play that do not say what was thrown when they were made."""
    layout = Layout(system)
    layout.include(tuple(i for ids in roles.values() for i in ids), state)
    sheets = [entity for entity in layout.entities.values() if entity.owner is None]
    return [one.id for one in sheets if any(_is_unmade(state.sheets[one.id], info) for info in one.kind.fields)]


def _is_unmade(data: Data, info: FieldInfo) -> bool:
    return start_dice(info) is not None and not given_value(data, info, "now")[1]


def suggest(word: str, known: Iterable[str]) -> str:
    """Help with a name that is none: the nearest, or all of them."""
    names = list(known)
    close = nearest(word, names)
    if close:
        return f" Did you mean `{close}`?"
    return f" There is {', '.join(f'`{name}`' for name in names)}." if names else ""


# ---------------------------------------------------------------------- words


class Words:
    """What the words of a command line say, sorted by what they name."""

    def __init__(self, system: System, action: str, roles: Roles) -> None:
        self.system = system
        self.action = action
        self.roles = roles
        self.fields: dict[str, dict[str, Any]] = {}
        self.played: dict[str, list[str]] = {}
        self.inputs: dict[str, Any] = {}
        self.periods: list[str] = []
        self.said: set[str] = set()

    def take(self, word: str) -> None:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise WordError(f"`{word}` is not of the form NAME=VALUE.")
        if name in self.said:
            raise WordError(f"`{name}` is said twice.")
        self.said.add(name)
        head, _, rest = name.partition(".")
        role = self._role_of(name)
        if name in self.roles:
            self.played[name] = _listed(value)
        elif name == PERIODS:
            self.periods += _listed(value)
        elif role and not self._is_side_input(head, rest):
            _put(self.fields.setdefault(role, {}), name.removeprefix(f"{role}.").split("."), value, name)
        elif rest and self._is_sheet(head):
            _put(self.fields.setdefault(head, {}), rest.split("."), value, name)
        else:
            self._input(name, value)

    def _role_of(self, name: str) -> str:
        """The role whose sheet a dotted name goes into; a role of a side has a dot itself."""
        heads = [role for role in self.roles if name.startswith(f"{role}.")]
        return max(heads, key=len, default="")

    def _is_sheet(self, name: str) -> bool:
        sheet = self.system.sheets.get(name)
        return name in self.system.characters or (sheet is not None and sheet.only_one)

    def _is_side_input(self, side: str, rest: str) -> bool:
        sides = self.system.actions[self.action].sides
        return side in sides and rest.partition(".")[0] in sides[side].inputs

    def _input(self, name: str, value: str) -> None:
        """An input of the action or of a side, or one of those that it asks for each sheet of a role."""
        action = self.system.actions[self.action]
        head, _, rest = name.partition(".")
        inputs, path = (action.sides[head].inputs, [head]) if head in action.sides and rest else (action.inputs, [])
        wanted, _, key = (rest if path else name).partition(".")
        spec = inputs.get(wanted)
        if spec is None or (key and spec.for_each is None):
            raise WordError(f"`{self.action}` has no input or role `{name}`.{self._suggest(name)}")
        holder = self.inputs
        for part in [*path, *([wanted] if key else [])]:
            holder = holder.setdefault(part, {})
        holder[key or wanted] = _answer(spec, value)

    def _suggest(self, name: str) -> str:
        action = self.system.actions[self.action]
        known = [*action.inputs, *self.roles]
        known += [f"{side}.{one}" for side, phases in action.sides.items() for one in phases.inputs]
        return suggest(name, known)


def _listed(value: str) -> list[str]:
    return [part.strip() for part in value.removeprefix("[").removesuffix("]").split(",") if part.strip()]


def _answer(spec: Input, value: str) -> Any:
    return _listed(value) if spec.pick is not None or spec.set_of is not None else value


def _put(data: dict[str, Any], names: list[str], value: str, word: str) -> None:
    """A value at its place in nested mappings; one that stands there already is what its gauge is now."""
    for name in names[:-1]:
        inner = data.setdefault(name, {})
        data[name] = data = dict(inner) if isinstance(inner, Mapping) else {"now": inner}
    if not all(names):
        raise WordError(f"`{word}` names nothing: a part between its dots is missing.")
    if isinstance(data.get(names[-1]), Mapping):
        data[names[-1]]["now"] = value
    else:
        data[names[-1]] = value


# ---------------------------------------------------------------------- the table


class _Table:
    """Lays out the sheets: characters as they are or changed, new sheets where fields are said, shared sheets."""

    def __init__(self, system: System, words: Words) -> None:
        self.system = system
        self.words = words
        self.sheets: dict[str, Data] = {}
        self.played: dict[str, list[str]] = {}

    def lay(self) -> None:
        self.sheets |= {name: character(self.system, name) for name in self.system.characters}
        self._shared()
        for role, (kinds, several) in self.words.roles.items():
            said = self.words.fields.get(role, {})
            if several:
                self._several(role, kinds, said)
            else:
                self._single(role, kinds, said)
        for name, said in self.words.fields.items():
            if name not in self.words.roles and name in self.sheets:
                self.sheets[name] = self._changed(self.sheets[name], said)
        self._check()

    def _shared(self) -> None:
        """Sheets shared by all: a ready one if there is one, else one with nothing said."""
        ready = {str(data.get("sheet")) for data in self.sheets.values()}
        for kind, spec in self.system.sheets.items():
            if spec.only_one and kind not in ready:
                self.sheets[kind] = {"sheet": kind}

    def _single(self, role: str, kinds: tuple[str, ...], said: Data) -> None:
        named = self.words.played.get(role)
        if named is not None:
            if len(named) != 1:
                raise WordError(f"`{role}` is one sheet: write the id of one character.")
            self._play(role, named[0], self._changed(self._character(role, named[0], kinds), said))
        elif said or not (free := self._free(kinds)):
            self._make(role, role, kinds, said)
        else:
            self._play(role, free[0], self.sheets[free[0]])

    def _free(self, kinds: tuple[str, ...]) -> list[str]:
        """Ready characters of these kinds that play no role yet."""
        taken = {i for ids in self.played.values() for i in ids}
        taken |= {i for ids in self.words.played.values() for i in ids}
        return [i for i in self.system.characters if self.sheets[i].get("sheet") in kinds and i not in taken]

    def _several(self, role: str, kinds: tuple[str, ...], said: Data) -> None:
        self.played[role] = []
        for name in self.words.played.get(role, ()):
            base = self._character(role, name, kinds)
            sheet_id = free_id(name, self.played[role])
            self._play(role, sheet_id, self._changed(base, said.get(sheet_id, {})))
        for name, fields in said.items():
            if name in self.played[role]:
                continue
            if not isinstance(fields, Mapping):
                raise WordError(f"`{role}` is several sheets: write `{role}.NAME.{name}=VALUE`, or `{role}=ID,ID`.")
            self._make(role, name, kinds, fields)
        if not self.played[role] and role not in self.words.played:
            ready = self._free(kinds)
            if not ready:
                raise WordError(f"who is `{role}`? Write `{role}.NAME.FIELD=VALUE`.")
            self._play(role, ready[0], self.sheets[ready[0]])

    def _character(self, role: str, name: str, kinds: tuple[str, ...]) -> Data:
        if name not in self.system.characters or self.sheets[name].get("sheet") not in kinds:
            ready = [one for one in self.system.characters if self.sheets[one].get("sheet") in kinds]
            raise WordError(f"there is no character `{name}` for `{role}`.{suggest(name, ready)}")
        return self.sheets[name]

    def _play(self, role: str, sheet_id: str, data: Data) -> None:
        self.sheets[sheet_id] = data
        self.played.setdefault(role, []).append(sheet_id)

    def _make(self, role: str, sheet_id: str, kinds: tuple[str, ...], said: Data) -> None:
        kind = str(said.get("sheet", kinds[0]))
        if kind not in kinds:
            raise WordError(f"`{role}` is a sheet of kind {' or '.join(kinds)}, not `{kind}`.")
        self._play(role, sheet_id, self._changed({"sheet": kind}, said))

    def _changed(self, base: Data, said: Data) -> Data:
        return _said(self.system, str(base.get("sheet")), base, said)

    def _check(self) -> None:
        touched = [*(i for ids in self.played.values() for i in ids), *self.words.fields]
        for name in [one for one in dict.fromkeys(touched) if one in self.sheets]:
            for path, message in sheet_faults(self.system, self.sheets[name]):
                raise WordError(f"{'.'.join([name, *map(str, path)])}: {message}")


def free_id(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with the first number that is not taken: a second sheet of one character is `name_2`."""
    known, found, number = set(taken), name, 2
    while found in known:
        found, number = f"{name}_{number}", number + 1
    return found


def _flags(system: System, periods: Iterable[str], played: Iterable[str], sheets: Mapping[str, Data]) -> Iterable[str]:
    """The open periods, with those who play a role as their members."""
    for period in periods:
        if period not in system.periods:
            raise WordError(f"there is no period `{period}`.{suggest(period, system.periods)}")
        yield f"{period}.open"
        kind = system.periods[period].members
        yield from (f"{period}.member.{name}" for name in played if sheets[name].get("sheet") == kind)


# ---------------------------------------------------------------------- what words say of a sheet


def _said(system: System, kind_name: str, base: Data, said: Data) -> Data:
    """A sheet's or record's data with what words say of it, each value read as its field wants it."""
    if kind_name not in system.sheets and kind_name not in system.records:
        return {**base, **said}
    kind, result = kind_of(system, kind_name), dict(base)
    lists = {listed.name: listed for listed in kind.lists}
    for name, raw in said.items():
        infos = {info.key: info for info in kind.find(name)}
        if name in lists:
            result[name] = _said_list(system, lists[name].kind, lists[name].owned, base.get(name), raw)
        elif None in infos or not infos:
            result[name] = _value(infos.get(None), base.get(name), raw)
        elif isinstance(raw, Mapping):
            old = base.get(name)
            family: Data = old if isinstance(old, Mapping) else {}
            result[name] = {**family, **{key: _value(infos.get(key), family.get(key), one) for key, one in raw.items()}}
        else:
            result[name] = raw
    return result


def _said_list(system: System, kind: str, owned: bool, old: object, raw: Any) -> Any:
    """A list: ids with commas, or records by their number from 1 (`weapons.1.name=Axe`)."""
    if not isinstance(raw, Mapping) or not owned:
        return raw if isinstance(raw, Mapping) else _listed(raw)
    items: dict[int, Data] = dict(enumerate(old if isinstance(old, list | tuple) else (), 1))
    for number, fields in raw.items():
        place = whole(number)
        if place is None or place < 1 or place > len(items) + 1 or not isinstance(fields, Mapping):
            following = f"`…{len(items) + 1}.FIELD=VALUE` for the next one"
            raise WordError(f"each {kind} of a list has a number from 1: write {following}.")
        items[place] = _said(system, kind, items.get(place, {}), fields)
    return list(items.values())


def _value(info: FieldInfo | None, old: object, raw: Any) -> Any:
    """One value; for a gauge it may be its start and what it is now."""
    if isinstance(raw, Mapping):
        start: Data = old if isinstance(old, Mapping) else {} if old is None else {"start": old}
        return {**start, **{part: _value(info, None, one) for part, one in raw.items()}}
    reader = _READERS.get(info.sort) if info is not None else None
    return raw if reader is None else reader(raw)


def _number(raw: str) -> Any:
    value = whole(raw)
    return raw if value is None else value


def _flag(raw: str) -> Any:
    return {"true": True, "yes": True, "false": False, "no": False}.get(raw.lower(), raw)


_READERS: Mapping[str, Any] = {"number": _number, "flag": _flag, "set": _listed}
