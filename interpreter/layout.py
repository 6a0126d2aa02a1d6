"""The flat layout of one run: which things are in play, and a numbered register for every value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

from interpreter.fields import FieldInfo, Kind, ListInfo, Scalar, SheetData, kind_of, read_value
from interpreter.model import System
from interpreter.problems import ended, nearest
from interpreter.snapshot import fixed

RECORD_MARK = "/"
Path = tuple[str | int, ...]
Fault = tuple[Path, str]


@dataclass(frozen=True, slots=True)
class State:
    """What a table keeps between actions: sheets by id, and the flags that hold.

    A flag is `period.open`, `period.member.sheet`, `effect.name.sheet` or `spent.period.rule.sheet`. The data handed in
    is copied and fixed, so that a state never changes. `memo` keeps what was worked out from it.
    """

    sheets: Mapping[str, SheetData] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    memo: dict[object, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sheets", fixed(self.sheets))

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (dict(self.sheets), self.flags)


@dataclass(frozen=True, slots=True)
class Entity:
    """A sheet, or a record that a sheet holds: `id` is the sheet's id, or `sheet/list/number`."""

    id: str
    kind: Kind = field(compare=False)
    owner: Entity | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Register:
    """One value of a run. `kept` says that it is saved with a sheet or the table when the run is over."""

    name: str
    kept: bool
    entity: str = ""
    info: FieldInfo | None = None
    part: str = "now"


class Layout:
    """Registers by name. A sheet's value is `sheet.field.key`, a gauge's start adds `#start`, a local is `:name`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.registers: list[Register] = []
        self.slots: dict[str, int] = {}
        self.entities: dict[str, Entity] = {}
        self.items: dict[tuple[str, str], tuple[str, ...]] = {}
        self._lock = Lock()

    def slot(self, name: str) -> int:
        return self.slots[name]

    def add(self, register: Register) -> int:
        found = self.slots.get(register.name)
        if found is None:
            # Runs in other threads may share this layout: the register is there before its name can be found.
            with self._lock:
                found = self.slots.get(register.name)
                if found is None:
                    found = len(self.registers)
                    self.registers.append(register)
                    self.slots[register.name] = found
        return found

    def _add_all(self, registers: Iterable[Register]) -> None:
        with self._lock:
            for register in registers:
                if register.name not in self.slots:
                    self.registers.append(register)
                    self.slots[register.name] = len(self.registers) - 1

    def local(self, name: str) -> int:
        """The register of a local value; made when first asked for."""
        return self.add(Register(f":{name}", False))

    def world(self, name: str) -> int:
        """The register of something that the table keeps beside its sheets: an open period, a spent use, an effect."""
        return self.add(Register(f"#{name}", True))

    def value_slot(self, entity: Entity, info: FieldInfo) -> int:
        return self.slots[value_name(entity.id, info)]

    def name_slot(self, entity: Entity) -> int:
        """The register of the name that a sheet bears."""
        return self.slots[f"{entity.id}#name"]

    def start_slot(self, entity: Entity, info: FieldInfo) -> int:
        return self.slots[value_name(entity.id, info) + "#start"]

    # ------------------------------------------------------------------ what is in play

    def include(self, ids: Iterator[str] | tuple[str, ...], state: State) -> None:
        """Brings sheets into play, and every sheet that they refer to, and every sheet shared by all; BadValue for one
        with an id that cannot be one, or for a second of a kind that all share."""
        waiting = list(ids) + [i for i, data in state.sheets.items() if self._shared(data)]
        while waiting:
            sheet_id = waiting.pop(0)
            if sheet_id in self.entities or sheet_id not in state.sheets:
                continue
            data = state.sheets[sheet_id]
            if str(data.get("sheet")) not in self.system.sheets:
                continue
            wrong = id_fault(sheet_id)
            if wrong:
                raise BadValue(wrong)
            entity = Entity(sheet_id, kind_of(self.system, str(data["sheet"])))
            waiting += self.place(entity, data)
        for kind, spec in self.system.sheets.items():
            shared = [entity.id for entity in self.of_kind(kind)] if spec.only_one else []
            if len(shared) > 1:
                raise BadValue(f"There is one `{kind}` for all, and these are several: {', '.join(shared)}.")
        self.add_flags(state)

    def add_flags(self, state: State) -> None:
        """What the table keeps of the things in play, and whatever else holds: known before any rule asks for it."""
        for name, period in self.system.periods.items():
            self.world(f"{name}.open")
            for entity in self.of_kind(period.members or ""):
                self.world(f"{name}.member.{entity.id}")
        for name, effect in self.system.effects.items():
            for entity in self.of_kind(effect.on):
                self.world(f"effect.{name}.{entity.id}")
        for flag in sorted(state.flags):
            self.world(flag)

    def add_effects(self, entity: Entity) -> None:
        """What the table keeps of a thing that has just come into play."""
        for name, effect in self.system.effects.items():
            if effect.on == entity.kind.name:
                self.world(f"effect.{name}.{entity.id}")

    def copy(self) -> Layout:
        """The same layout, to be changed by itself."""
        other = Layout(self.system)
        with self._lock:
            other.registers, other.slots = [*self.registers], {**self.slots}
        other.entities, other.items = {**self.entities}, {**self.items}
        return other

    def shape(self) -> tuple[object, ...]:
        """Two layouts of one shape have the same registers in the same order, of things of the same kinds."""
        kinds = tuple([entity.kind.name for entity in self.entities.values()])
        return (self.system, tuple(self.slots), tuple(self.items.items()), kinds)

    def _shared(self, data: SheetData) -> bool:
        kind = self.system.sheets.get(str(data.get("sheet")))
        return kind is not None and kind.only_one

    def place(self, entity: Entity, data: SheetData) -> list[str]:
        """Lays out an entity; gives the ids of the sheets that it refers to."""
        self.entities[entity.id] = entity
        if entity.owner is None:
            self.add(Register(f"{entity.id}#name", False))
        self._add_all(values_of(entity.id, entity.kind))
        found = [
            str(data[info.name])
            for info in entity.kind.fields
            if info.sort == "one" and isinstance(data.get(info.name), str)
        ]
        for listed in entity.kind.lists:
            found += self._place_list(entity, listed, data.get(listed.name) or ())
        return found

    def _place_list(self, entity: Entity, listed: ListInfo, data: object) -> list[str]:
        items = list(data) if isinstance(data, list | tuple) else []
        if not listed.owned:
            self.items[entity.id, listed.name] = tuple(str(item) for item in items)
            return [str(item) for item in items]
        records = [self.record(entity, listed, number) for number in range(len(items))]
        self.items[entity.id, listed.name] = tuple(record.id for record in records)
        return [i for record, item in zip(records, items, strict=True) for i in self.place(record, item)]

    def record(self, owner: Entity, listed: ListInfo, number: int) -> Entity:
        """A record of a list, which bears its number there."""
        return Entity(f"{listed_name(owner, listed)}{RECORD_MARK}{number}", kind_of(self.system, listed.kind), owner)

    def of_kind(self, kind: str) -> tuple[Entity, ...]:
        return tuple(entity for entity in self.entities.values() if entity.kind.name == kind)


def listed_name(owner: Entity, listed: ListInfo) -> str:
    """What a list is called; its records add their number."""
    return f"{owner.id}{RECORD_MARK}{listed.name}"


@lru_cache(maxsize=1024)
def values_of(entity_id: str, kind: Kind) -> tuple[Register, ...]:
    """One for each value of a thing, and for a gauge one more: that of its start."""
    found: list[Register] = []
    for info in kind.fields:
        kept = not getattr(info.spec, "temporary", False)
        found.append(Register(value_name(entity_id, info), kept, entity_id, info))
        if info.section == "gauges":
            found.append(Register(value_name(entity_id, info) + "#start", kept, entity_id, info, "start"))
    return tuple(found)


def value_name(entity_id: str, info: FieldInfo) -> str:
    return f"{entity_id}.{info.dotted}"


def id_fault(sheet_id: str) -> str:
    """What is wrong with the id of a sheet, in one sentence: `.`, `/` and `#` have a meaning beside it elsewhere."""
    if sheet_id.isprintable() and sheet_id.strip() == sheet_id != "" and not set(sheet_id) & set("./#"):
        return ""
    shown = sheet_id.encode("unicode_escape").decode()
    return f"`{shown}` cannot be the id of a sheet: it is a text without `.`, `/`, `#`, line ends and spaces around it."


# ---------------------------------------------------------------------- data in and out


class BadValue(Exception):
    """A sheet holds a value that its kind does not allow."""


def given_value(data: SheetData, info: FieldInfo, part: str) -> tuple[Scalar, bool]:
    """What the data says of a value, as a register holds it: (value, True), or (None, False) when it says nothing."""
    raw = data.get(info.name)
    if info.key is not None:
        raw = raw.get(info.key) if isinstance(raw, Mapping) else None
    if raw is None:
        return None, False
    if not isinstance(raw, int | str) and isinstance(raw, Mapping):  # the second test costs
        raw = raw.get(part, raw.get("start"))
        if raw is None:
            return None, False
    value, wrong = read_value(info, raw)
    if wrong:
        raise BadValue(f"`{info.dotted}`: {ended(wrong)}")
    return to_register(info, value), True


def to_register(info: FieldInfo, value: Scalar) -> Scalar:
    """A named step is held as its rank, so that it moves like any gauge."""
    if info.section == "gauges" and info.ids is not None and isinstance(value, str):
        return info.ids.ids.index(value)
    return value


def from_register(info: FieldInfo, value: Scalar) -> Scalar:
    if info.section == "gauges" and info.ids is not None and isinstance(value, int):
        return info.ids.ids[value]
    return value


def save(layout: Layout, values: list[Scalar], state: State) -> dict[str, SheetData]:
    """The sheets as they are after a run, by id; sheets that were not in play and fields that are unknown stay as
    they were."""
    sheets: dict[str, SheetData] = dict(state.sheets)
    for entity in layout.entities.values():
        if entity.owner is None:
            sheets[entity.id] = _save_entity(layout, values, entity, state.sheets[entity.id])
    return sheets


def _save_entity(layout: Layout, values: list[Scalar], entity: Entity, before: SheetData) -> SheetData:
    data = dict(before)
    for info in entity.kind.fields:
        if getattr(info.spec, "temporary", False):
            data.pop(info.name, None)
            continue
        value = _shown(layout, values, entity, info)
        if info.key is None:
            data[info.name] = value
        else:
            family = data.get(info.name)
            data[info.name] = {**(family if isinstance(family, Mapping) else {}), info.key: value}
    for listed in entity.kind.lists:
        ids = layout.items[entity.id, listed.name]
        if listed.owned:
            old = before.get(listed.name) or ()
            items = dict(enumerate(old)) if isinstance(old, list | tuple) else {}
            numbers = [int(i.rpartition(RECORD_MARK)[2]) for i in ids]
            data[listed.name] = [
                _save_entity(layout, values, layout.entities[i], items.get(number, {}))
                for i, number in zip(ids, numbers, strict=True)
            ]
        else:
            data[listed.name] = list(ids)
    return data


def _shown(layout: Layout, values: list[Scalar], entity: Entity, info: FieldInfo) -> object:
    now = from_register(info, values[layout.value_slot(entity, info)])
    if info.section != "gauges":
        return list(now) if isinstance(now, tuple) else now
    start = from_register(info, values[layout.start_slot(entity, info)])
    return now if now == start else {"start": start, "now": now}


# ---------------------------------------------------------------------- checking a sheet's data


def sheet_faults(system: System, data: SheetData, where: Path = ()) -> Iterator[Fault]:
    """What is wrong with a sheet's data: (path, sentence) for each fault."""
    name = str(data.get("sheet"))
    if name not in system.sheets:
        close = nearest(name, list(system.sheets))
        yield (*where, "sheet"), f"There is no kind of sheet `{name}`." + (f" Did you mean `{close}`?" if close else "")
        return
    yield from _data_faults(system, kind_of(system, name), data, where)


def _data_faults(system: System, kind: Kind, data: SheetData, where: Path) -> Iterator[Fault]:
    known = {info.name for info in kind.fields} | {listed.name for listed in kind.lists}
    lists = {listed.name: listed for listed in kind.lists}
    for name, raw in data.items():
        if name in ("sheet", "name", "nom", "like") and name not in known:
            continue
        if name not in known:
            close = nearest(name, sorted(known))
            guess = f" Did you mean `{close}`?" if close else ""
            if name in ("stats", "gauges", "fields"):
                guess = " Its values stand side by side, as in {strength: 3, life: 10}."
            yield (*where, name), f"`{kind.name}` has no `{name}`.{guess}"
        elif name in lists:
            yield from _list_faults(system, lists[name], raw, (*where, name))
        else:
            yield from _value_faults(kind, name, raw, (*where, name))


def _list_faults(system: System, listed: ListInfo, raw: object, where: Path) -> Iterator[Fault]:
    if not isinstance(raw, list | tuple):
        yield where, f"`{listed.name}` is a list."
        return
    for number, item in enumerate(raw):
        if listed.owned and not isinstance(item, Mapping):
            yield (*where, number), f"Each of `{listed.name}` is a {listed.kind}: write its fields."
        elif listed.owned:
            yield from _data_faults(system, kind_of(system, listed.kind), item, (*where, number))


def _value_faults(kind: Kind, name: str, raw: object, where: Path) -> Iterator[Fault]:
    infos = kind.find(name)
    if infos[0].key is not None:
        if not isinstance(raw, Mapping):
            yield where, f"`{name}` has a value for each of {', '.join(str(i.key) for i in infos)}."
            return
        by_key = {str(info.key): info for info in infos}
        for key, value in raw.items():
            if key not in by_key:
                yield (*where, key), f"`{name}` has no `{key}`; it has {', '.join(by_key)}."
            else:
                yield from _single_faults(by_key[key], value, (*where, key))
    else:
        yield from _single_faults(infos[0], raw, where)


def _single_faults(info: FieldInfo, raw: object, where: Path) -> Iterator[Fault]:
    parts = raw.items() if isinstance(raw, Mapping) else [("now", raw)]
    for part, value in parts:
        place = (*where, part) if isinstance(raw, Mapping) else where
        if part not in ("start", "now") or (isinstance(raw, Mapping) and info.section != "gauges"):
            yield place, f"`{info.dotted}` has no part `{part}`."
            continue
        wrong = read_value(info, value)[1]
        if wrong:
            yield place, f"`{info.dotted}`: {ended(wrong)}"


def is_unknown(system: System, data: SheetData, path: Path) -> bool:
    """Whether a place in a sheet is one that its kind does not have."""
    name = str(data.get("sheet"))
    if name not in system.sheets or path == ("sheet",):
        return False
    kind, rest = kind_of(system, name), list(path)
    while rest:
        head = str(rest.pop(0))
        listed = next((one for one in kind.lists if one.name == head), None)
        if listed is None:
            infos = kind.find(head)
            return not infos or (bool(rest) and infos[0].key is not None and rest[0] not in [i.key for i in infos])
        if len(rest) < 2 or not listed.owned:
            return False
        rest.pop(0)
        kind = kind_of(system, listed.kind)
    return False
