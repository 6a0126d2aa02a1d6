"""The registers of the things in play, filled: from their data, else by the declared defaults."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.defaults import NoDefault, default_tree, start_dice
from interpreter.expressions import Compiled, prepare, reads
from interpreter.fields import FieldInfo, sheet_name
from interpreter.layout import Entity, Layout, State, given_value, values_of
from interpreter.model import System
from interpreter.recent import Recent
from interpreter.resolve import Resolver
from interpreter.within import check_values

# The defaults of a layout by register: what computes each, and what that reads.
Defaults = dict[int, tuple[Compiled, tuple[int, ...]]]

_DEFAULTS: Recent[Defaults] = Recent(256)


def initial(system: System, layout: Layout, state: State, thrown: bool = False) -> list[object]:
    """Every kept value of the things in play: from their data, else the declared default. `thrown`: dice are still
    to come."""
    resolver = Resolver(system, layout)
    values: list[object] = []
    grow(layout, state, values)
    defaults = _DEFAULTS.of(layout.shape(), dict)
    waiting: dict[int, tuple[Entity, FieldInfo]] = {}
    for entity in layout.entities.values():
        data = _data(layout, state, entity.id)
        if entity.owner is None:
            values[layout.name_slot(entity)] = sheet_name(entity.id, data)
        for register in values_of(entity.id, entity.kind):
            slot, info = layout.slots[register.name], register.info
            assert info is not None
            value, given = given_value(data, info, register.part)
            if given:
                values[slot] = value
            else:
                waiting[slot] = (entity, info)
    settle(resolver, values, waiting, defaults, thrown)
    if not thrown:
        check_values(resolver, layout, values)
    return values


def settle(
    resolver: Resolver,
    values: list[object],
    waiting: dict[int, tuple[Entity, FieldInfo]],
    defaults: Defaults,
    thrown: bool = False,
) -> None:
    """Gives defaults, each after those that it reads; `defaults` keeps them for the next table of this shape."""

    def give(slot: int) -> None:
        entity, info = waiting.pop(slot)
        if slot not in defaults:
            try:
                tree = default_tree(resolver, entity, info)
            except NoDefault:
                if not thrown or not start_dice(info):
                    raise
                values[slot] = 0
                return
            defaults[slot] = prepare(tree), reads(tree)
        compute, needed = defaults[slot]
        for read in needed:
            if read in waiting:
                give(read)
        values[slot] = compute(values)

    while waiting:
        give(next(iter(waiting)))


def _data(layout: Layout, state: State, entity_id: str) -> Mapping[str, object]:
    """The data of a sheet, or of a record in one of its lists: `sheet/list/number`."""
    sheet_id, *rest = entity_id.split("/")
    data: object = state.sheets[sheet_id]
    for name, number in zip(rest[::2], rest[1::2], strict=True):
        assert isinstance(data, Mapping)
        data = data[name][int(number)]
    assert isinstance(data, Mapping)
    return data


def grow(layout: Layout, state: State, registers: list[object]) -> None:
    """Registers made since: flags of the table as they stand, locals empty."""
    registers += [
        register.name[1:] in state.flags if register.name.startswith("#") else None
        for register in layout.registers[len(registers) :]
    ]
