"""Sheets brought over to rules that have changed since they were saved: renamed, brought within bounds, or reported."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from interpreter.defaults import NoDefault
from interpreter.expressions import EvaluationError, prepare
from interpreter.fields import FieldInfo, constant_range, kind_of, whole
from interpreter.layout import BadValue, Entity, Layout, State, is_unknown, sheet_faults
from interpreter.model import Gauge, Sheet, System
from interpreter.registers import grow, initial
from interpreter.resolve import Resolver

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a sheet. `kind`: renamed, clamped, unknown (kept as it is), or misfit (to be mended by hand)."""

    kind: str
    sheet: str
    path: tuple[str | int, ...]
    message: str


def renames(system: System) -> tuple[str, ...]:
    """Every rename that the rules declare, as `kind.new<old`; a save tells which of them it has behind it."""
    return tuple(f"{kind}.{new}<{old}" for kind, new, old in _renames(system))


def _renames(system: System) -> Iterator[tuple[str, str, str]]:
    for kind, sheet in (*system.sheets.items(), *system.records.items()):
        for section in (sheet.stats, sheet.gauges, sheet.fields):
            yield from ((kind, name, spec.was) for name, spec in section.items() if spec.was)


def migrate(system: System, state: State, behind: Collection[str] = ()) -> tuple[State, tuple[Note, ...]]:
    """The table as these rules have it, and what was done and found. `behind`: the renames that it went through before.

    Doing it again with `renames(system)` behind changes nothing.
    """
    ahead = {(kind, old): new for kind, new, old in _renames(system) if f"{kind}.{new}<{old}" not in behind}
    notes: list[Note] = []
    sheets = {}
    for sheet_id, data in state.sheets.items():
        kind = system.sheets.get(str(data.get("sheet")))
        moved = _Mover(system, sheet_id, ahead, notes)
        sheets[sheet_id] = moved.sheet(str(data.get("sheet")), kind, data, ()) if kind is not None else dict(data)
    brought = _within_bounds(system, State(sheets, state.flags), notes)
    notes += _misfits(system, brought)
    return (state if brought == state else brought), tuple(notes)


# ---------------------------------------------------------------------- names and constant bounds


@dataclass(frozen=True, slots=True)
class _Mover:
    """Renames and clamps the values of one sheet, and of the records in its lists."""

    system: System
    id: str
    ahead: Mapping[tuple[str, str], str]
    notes: list[Note]

    def sheet(self, name: str, spec: Sheet, data: Mapping[str, Any], where: tuple[str | int, ...]) -> Data:
        moved = self._renamed(name, data, where)
        kind = kind_of(self.system, name)
        for info in kind.fields:
            self._clamp(info, moved, where)
        for listed in kind.lists:
            items = moved.get(listed.name)
            if listed.owned and isinstance(items, list | tuple):
                record = self.system.records[listed.kind]
                moved[listed.name] = [
                    self.sheet(listed.kind, record, item, (*where, listed.name, n))
                    if isinstance(item, Mapping)
                    else item
                    for n, item in enumerate(items)
                ]
        return moved

    def _renamed(self, kind: str, data: Mapping[str, Any], where: tuple[str | int, ...]) -> Data:
        """All renames at once, so that two names can change places; a value that has its new name already stays."""
        new_names = {old: new for (of, old), new in self.ahead.items() if of == kind and old in data}
        leaving = set(new_names)
        moves = {old: new for old, new in new_names.items() if new not in data or new in leaving}
        for old, new in moves.items():
            self.notes.append(Note("renamed", self.id, (*where, new), f"`{old}` is called `{new}` now."))
        return {moves.get(name, name): value for name, value in data.items()}

    def _clamp(self, info: FieldInfo, data: Data, where: tuple[str | int, ...]) -> None:
        if info.sort != "number" or info.name not in data:
            return
        low, high = constant_range(info.spec)
        path = (*where, info.name) if info.key is None else (*where, info.name, info.key)
        holder, name = (data, info.name) if info.key is None else (data[info.name], info.key)
        if not isinstance(holder, Mapping) or name not in holder:
            return
        kept = self._inside(holder[name], low, high, path)
        if kept != holder[name]:
            if info.key is None:
                data[info.name] = kept
            else:
                data[info.name] = {**holder, info.key: kept}

    def _inside(self, raw: Any, low: int | None, high: int | None, path: tuple[str | int, ...]) -> Any:
        if isinstance(raw, Mapping):
            return {part: self._inside(value, low, high, (*path, part)) for part, value in raw.items()}
        value = whole(raw)
        if value is None:
            return raw
        kept = value if low is None else max(low, value)
        kept = kept if high is None else min(high, kept)
        if kept == value:
            return raw
        self.notes.append(_clamped(self.id, path, value, kept))
        return kept


def _clamped(sheet: str, path: tuple[str | int, ...], value: object, kept: object) -> Note:
    return Note("clamped", sheet, path, f"`{'.'.join(map(str, path))}` was {value}; its bounds make it {kept}.")


# ---------------------------------------------------------------------- computed bounds


def _within_bounds(system: System, state: State, notes: list[Note]) -> State:
    """Gauges whose bounds are computed, once every other value is there."""
    playable = [i for i, data in state.sheets.items() if not _faulty(system, data)]
    layout = Layout(system)
    try:
        layout.include(tuple(playable), state)
        resolver, values = Resolver(system, layout), initial(system, layout, state, thrown=True)
        found = [
            (entity, info, kept)
            for entity in list(layout.entities.values())
            for info in entity.kind.fields
            if (kept := _bounded(resolver, layout, state, values, entity, info)) is not None
        ]
    except (NoDefault, BadValue, EvaluationError):
        return state  # a sheet in play is a misfit, which is reported on its own
    sheets: dict[str, Any] = dict(state.sheets)
    for entity, info, kept in found:
        sheet_id, *rest = entity.id.split("/")
        path = (*(int(part) if part.isdigit() else part for part in rest), *info.dotted.split(".", 1))
        value = values[layout.value_slot(entity, info)]
        notes.append(_clamped(sheet_id, path, value, kept))
        sheets[sheet_id] = _put(sheets[sheet_id], path, kept)
    return State(sheets, state.flags) if found else state


def _bounded(
    resolver: Resolver, layout: Layout, state: State, values: list[Any], entity: Entity, info: FieldInfo
) -> int | None:
    """What a gauge becomes within its bounds; None when it is within them, or is no gauge of numbers."""
    if not isinstance(info.spec, Gauge) or info.ids is not None:
        return None
    low, high = resolver.bounds(entity, info)
    grow(layout, state, values)
    value = values[layout.value_slot(entity, info)]
    if not isinstance(value, int):
        return None
    kept = value
    if high is not None and not info.spec.keeps:
        kept = min(kept, prepare(high)(values))
    if low is not None:
        kept = max(kept, prepare(low)(values))
    return kept if kept != value else None


def _put(data: Any, path: tuple[str | int, ...], value: int) -> Any:
    """The data with another value at a place: what a gauge is now, while its start stays as it was."""
    if not path:
        return {**(data if isinstance(data, Mapping) else {"start": data}), "now": value}
    head, *rest = path
    if isinstance(data, list | tuple):
        return [_put(item, tuple(rest), value) if n == head else item for n, item in enumerate(data)]
    return {**data, head: _put(data.get(head), tuple(rest), value)}


# ---------------------------------------------------------------------- what is left


def _faulty(system: System, data: Mapping[str, Any]) -> bool:
    return any(not is_unknown(system, data, path) for path, _ in sheet_faults(system, data))


def _misfits(system: System, state: State) -> Iterator[Note]:
    for sheet_id, data in state.sheets.items():
        for path, message in sheet_faults(system, data):
            kind = "unknown" if is_unknown(system, data, path) else "misfit"
            yield Note(kind, sheet_id, path, f"{message} It is kept." if kind == "unknown" else message)
    for flag in sorted(state.flags):
        head, _, rest = flag.partition(".")
        known = system.effects if head == "effect" else system.periods
        if head != "spent" and (rest.partition(".")[0] if head == "effect" else head) not in known:
            yield Note("unknown", rest.rpartition(".")[2], (flag,), f"The rules no longer know `{flag}`. It is kept.")
