"""What an action adds to lists and takes from them: told in its trace, done once it is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from interpreter.asked import Entry
from interpreter.expressions import prepare
from interpreter.fields import FieldInfo, Kind, ListInfo, SheetData, count_range, kind_of
from interpreter.layout import RECORD_MARK, Entity, Layout, State, listed_name
from interpreter.model import System
from interpreter.registers import grow, settle
from interpreter.resolve import Resolver

ADD, REMOVE = "add", "remove"
Values = list[Any]


def changed(layout: Layout, values: Sequence[Any], state: State, trace: Sequence[Entry]) -> tuple[Layout, Values]:
    """The layout and the registers with every list as it is at the end. What has left a list keeps its registers, but
    no reference names it any more."""
    found = [entry for entry in trace if entry.kind in (ADD, REMOVE)]
    registers = list(values)
    layout = layout.copy() if found else layout
    grow(layout, state, registers)
    for entry in found:
        owner_id, _, name = entry.name.rpartition(RECORD_MARK)
        owner = layout.entities[owner_id]
        ids = layout.items[owner_id, name]
        if entry.kind == REMOVE:
            layout.items[owner_id, name] = tuple(i for i in ids if i != entry.value)
            continue
        listed = next(one for one in owner.kind.lists if one.name == name)
        most = count_range(listed.spec.count, (0, None))[1]
        if entry.value not in ids and (most is None or len(ids) < most):
            taken = str(entry.value) if not listed.owned else _record(layout, registers, state, owner, listed, entry)
            layout.items[owner_id, name] = (*ids, taken)
    gone = {old for old, new in _renumbered(layout).items() if new is None} if found else set()
    for slot, register in enumerate(layout.registers if gone else ()):
        if register.info is not None and register.info.sort == "one" and registers[slot] in gone:
            registers[slot] = None
    return layout, registers


def _record(layout: Layout, values: Values, state: State, owner: Entity, listed: ListInfo, entry: Entry) -> str:
    """A new record with what it was given, else its defaults, within its bounds; its id is one that none has had."""
    prefix = listed_name(owner, listed)
    numbers = count(len(layout.items[owner.id, listed.name]))
    number = next(n for n in numbers if f"{prefix}{RECORD_MARK}{n}" not in layout.entities)
    record = layout.record(owner, listed, number)
    layout.place(record, {})
    layout.add_effects(record)
    grow(layout, state, values)
    given, waiting = dict(entry.detail), {}
    for info in record.kind.fields:
        slot = layout.value_slot(record, info)
        if info.dotted in given:
            values[slot] = given[info.dotted]
        else:
            waiting[slot] = record, info
    resolver = Resolver(layout.system, layout)
    settle(resolver, values, waiting, {})
    for info in record.kind.fields:
        if info.sort == "number":
            _keep_within(resolver, layout, values, record, info)
    return record.id


def _keep_within(resolver: Resolver, layout: Layout, values: Values, record: Entity, info: FieldInfo) -> None:
    slot, (low, high) = layout.value_slot(record, info), resolver.bounds(record, info)
    if high is not None:
        values[slot] = min(values[slot], prepare(high)(values))
    if low is not None:
        values[slot] = max(values[slot], prepare(low)(values))


# ---------------------------------------------------------------------- records that get another number


def closed_up(layout: Layout, state: State) -> State:
    """The table of a layout once the gaps in its lists are closed: whatever names a record names it as it is called
    now."""
    names = _renumbered(layout)
    if not names:
        return state
    sheets = {i: _sheet_renamed(layout.system, data, names) for i, data in state.sheets.items()}
    return State(sheets, frozenset(_flags(state.flags, names)))


def _renumbered(layout: Layout) -> dict[str, str | None]:
    """Records that get another number, and those that are gone, for which there is None."""
    names: dict[str, str | None] = {}
    for entity in layout.entities.values():  # whoever holds a list comes before what is in it
        own = entity.id if entity.owner is None else names.setdefault(entity.id, None)
        for listed in entity.kind.lists if own is not None else ():
            for number, item in enumerate(layout.items[entity.id, listed.name] if listed.owned else ()):
                names[item] = RECORD_MARK.join((str(own), listed.name, str(number)))
    return {old: new for old, new in names.items() if new != old}


def _sheet_renamed(system: System, data: SheetData, names: Mapping[str, str | None]) -> Any:
    kind = str(data.get("sheet"))
    return _renamed(system, kind_of(system, kind), data, names) if kind in system.sheets else data


def _renamed(system: System, kind: Kind, data: Any, names: Mapping[str, str | None]) -> Any:
    if not isinstance(data, Mapping):  # a misfit that is not in play
        return data
    found = dict(data)
    for name in {info.name for info in kind.fields if info.sort == "one"} & data.keys():
        found[name] = _reference_renamed(data[name], names)
    for listed in kind.lists:
        items = data.get(listed.name)
        if listed.owned and isinstance(items, list | tuple):
            inner = kind_of(system, listed.kind)
            found[listed.name] = [_renamed(system, inner, item, names) for item in items]
    return found


def _reference_renamed(held: Any, names: Mapping[str, str | None]) -> Any:
    """A reference, or one for each key."""
    if isinstance(held, Mapping):
        return {key: _reference_renamed(one, names) for key, one in held.items()}
    return names.get(held, held) if isinstance(held, str) else held


def _flags(flags: frozenset[str], names: Mapping[str, str | None]) -> Iterator[str]:
    """What the table keeps of a thing ends with its id."""
    for flag in flags:
        head, _, thing = flag.rpartition(".")
        new = names.get(thing, thing)
        if new is not None:
            yield f"{head}.{new}"
