"""The types of what rules declare: key sets with their rows, sheets and records with their parts, shared names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast

from interpreter.checks.reader import Coverage, parsed
from interpreter.checks.scopes import FLAG, TEXT, WHOLE, Lazy, Place, space
from interpreter.expressions import Family, Flag, Key, Many, Number, Optional, Thing, Type, join
from interpreter.expressions.intervals import ends, hull
from interpreter.fields import FieldInfo, Kind, constant_range, kind_of, whole
from interpreter.model import Code, Field, Gauge, Keys, Label, Names, Range, Stat, System, Table
from interpreter.table_rows import table_range

if TYPE_CHECKING:
    from interpreter.checks.context import Context

# Derived values are typed after those that they read, so that only a circle, told of elsewhere, gets this deep.
DEEPEST = 40
OWN_PARTS = ("name", "nom")
RANGED = ("..", "-", "+")


class Kinds:
    """Types of a system's declarations, each worked out once, when first asked for."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.system: System = context.system
        self._members: dict[tuple[str, str], Type | None] = {}
        self._open: set[tuple[str, str]] = set()
        self._keys: dict[Keys, Key] = {}
        self._names: dict[str, Names] = {}
        self.owners = self._owners()

    def _owners(self) -> dict[str, Names]:
        """The kinds that hold lists of each kind of record."""
        found: dict[str, list[str]] = {}
        for section in (self.system.sheets, self.system.records):
            for name, sheet in section.items():
                for spec in sheet.fields.values():
                    if spec.many in self.system.records:
                        found.setdefault(str(spec.many), []).append(name)
        return {kind: tuple(dict.fromkeys(names)) for kind, names in found.items()}

    # ------------------------------------------------------------------ keys and tables

    def key(self, keys: Keys) -> Key:
        known = self._keys.get(keys)
        if known is None:
            known = self._keys[keys] = self._key(keys)
        return known

    def _key(self, keys: Keys) -> Key:
        table = self.system.tables.get(keys.table or "")
        if table is None:
            return Key(keys.ids, ordered=keys.ordered)
        row = Lazy(table.columns, lambda name: self.column(table, name))
        return Key(keys.ids, row, keys.ordered, f"table.{keys.table}")

    def dice_key(self, keys: Keys) -> Key:
        """A stat that is a die: its number of sides can be read."""
        sides = [self.context.dice.sides(name) for name in keys.ids]
        row = {"sides": Number(True, min(sides, default=0), max(sides, default=0))}
        return Key(keys.ids, row, True)

    def column(self, table: Table, name: str) -> Type | None:
        """What a column holds; a cell that is missing may be absent."""
        declared = table.columns[name]
        cells = [row.get(name) for row in table.rows.values()]
        present = [cell for cell in cells if cell is not None]
        type_ = self._cell_type(declared, present)
        return Optional(type_) if type_ is not None and len(present) < len(cells) else type_

    def _cell_type(self, declared: str | Keys, cells: list[object]) -> Type | None:
        if isinstance(declared, Keys):
            return self.key(declared) if declared.ids else None
        if declared == "number":
            numbers = [cell for cell in cells if isinstance(cell, int)]
            return Number(True, min(numbers, default=0), max(numbers, default=0))
        return FLAG if declared == "flag" else TEXT

    def table(self, name: str) -> Type:
        """`table.x`: each row by its key, or by a number where the rows are numbers."""
        table = self.system.tables[name]
        row = self.key(Keys(tuple(table.rows), name, table.ordered))
        if self.coverage(name) is None:
            return Family(row, row)
        return Family(cast(Key, Number(True)), row)

    def coverage(self, name: str) -> Coverage | None:
        """The numbers that a table's rows stand for, when they are numbers."""
        table = self.system.tables.get(name)
        if table is None or not is_ranged(table):
            return None
        return Coverage(table_range(key, table) for key in table.rows)

    # ------------------------------------------------------------------ things

    def thing(self, kinds: Iterable[str]) -> Thing | None:
        """A sheet or record of one of these kinds; what it has is what all of them have."""
        known = tuple(
            name for name in dict.fromkeys(kinds) if name in self.system.sheets or name in self.system.records
        )
        if not known:
            return None
        nature = "sheet" if known[0] in self.system.sheets else "record"
        names = self.names(known[0])
        for other in known[1:]:
            names = tuple(name for name in names if name in self.names(other))
        return Thing(known[0], Lazy(names, lambda name: self._common(known, name)), nature, known[1:])

    def names(self, kind: str) -> Names:
        """Everything that a sheet or record of a kind has."""
        if kind not in self._names:
            self._names[kind] = self._names_of(kind)
        return self._names[kind]

    def _names_of(self, kind: str) -> Names:
        laid = kind_of(self.system, kind)
        own = [info.name for info in laid.fields] + [listed.name for listed in laid.lists]
        effects = [name for name, effect in self.system.effects.items() if effect.on == kind]
        owner = ["owner"] if laid.nature == "record" else []
        return tuple(dict.fromkeys([*owner, *own, *laid.sheet.derived, *effects, *OWN_PARTS]))

    def _common(self, kinds: Names, name: str) -> Type | None:
        found = [self.member(kind, name) for kind in kinds]
        result = found[0]
        for other in found[1:]:
            result = joined(result, other) if result is not None and other is not None else None
        return result

    def member(self, kind: str, name: str) -> Type | None:
        """What a part of a kind is, in the order in which names are looked for in play."""
        place = (kind, name)
        if place in self._members:
            return self._members[place]
        if place in self._open or len(self._open) > DEEPEST:
            return WHOLE
        self._open.add(place)
        try:
            found = self._member(kind_of(self.system, kind), name)
        finally:
            self._open.discard(place)
        self._members[place] = found
        if found is None:
            self.context.reader.broken.add(name)
        return found

    def _member(self, kind: Kind, name: str) -> Type | None:
        if name == "owner" and kind.nature == "record":
            return self.thing(self.owners.get(kind.name, ()))
        infos = kind.find(name)
        if infos:
            return self._field(kind, infos)
        for listed in kind.lists:
            if listed.name == name:
                item = self.thing((listed.kind,))
                return item and Many(item)
        if name in kind.sheet.derived:
            return self.context.values.derived(kind, name)
        return FLAG if name in self.system.effects else TEXT

    def _field(self, kind: Kind, infos: tuple[FieldInfo, ...]) -> Type | None:
        info = infos[0]
        if info.key is None:
            return self.value_of(kind, info)
        keys = getattr(info.spec, "keys", None)
        values = [self.value_of(kind, one) for one in infos]
        value = values[0]
        for other in values[1:]:
            value = joined(value, other) if value is not None and other is not None else None
        return Family(self.key(keys), value) if keys is not None and value is not None else None

    # ------------------------------------------------------------------ single values

    def value_of(self, kind: Kind, info: FieldInfo) -> Type | None:
        """The type of one value of a sheet."""
        if info.sort == "die":
            return self.dice_key(info.ids or Keys())
        if isinstance(info.spec, Gauge) and info.ids is not None:
            return self.key(info.ids)
        if info.sort == "number":
            return self.number(kind, info)
        return self.plain(info.spec) if isinstance(info.spec, Field) else None

    def plain(self, spec: Field) -> Type | None:
        if spec.flag is not None:
            return FLAG
        if spec.key is not None:
            return self.key(spec.key) if spec.key.ids else None
        if spec.set_of is not None:
            return Many(self.key(spec.set_of)) if spec.set_of.ids else None
        if spec.one:
            thing = self.thing(spec.one)
            return thing and Optional(thing)
        return TEXT

    def number(self, kind: Kind, info: FieldInfo) -> Number:
        """A number with the bounds that its sheet declares; a gauge also has a start, a least and a most."""
        low, high = self.bound_types(kind, info)
        least, most = (None if low is None else low.low), (None if high is None else high.high)
        if most is not None and low is not None:  # where the bounds cross, the lower one wins
            most = None if low.high is None else max(most, low.high)
        plain = Number(True, least, most)
        if not isinstance(info.spec, Gauge):
            return plain
        constant = constant_range(info.spec)
        parts: dict[str, Type] = {"start": Number(True, least, constant[1])}
        if low is not None:
            parts["min"] = low
        if high is not None:
            parts["max"] = high
        return Number(True, plain.low, plain.high, parts)

    def bound_types(self, kind: Kind, info: FieldInfo) -> tuple[Number | None, Number | None]:
        """Where the lowest and the highest value of a number lie."""
        low, high = bound_codes(info)
        return self._bound(kind, info, low), self._bound(kind, info, high)

    def _bound(self, kind: Kind, info: FieldInfo, code: Code | None) -> Number | None:
        if code is None:
            return None
        constant = whole(code.text)
        if constant is not None:
            return Number(True, constant, constant)
        if code.text == "start":
            return Number(True, *constant_range(info.spec))
        place = (kind.name, f"{info.name}#bounds")
        if place in self._open:
            return WHOLE
        self._open.add(place)
        try:
            with self.context.report.muted():
                found = self.context.reader.type_of(code, self.own_scope(kind.name, info), WHOLE)
        finally:
            self._open.discard(place)
        return found if isinstance(found, Number) else WHOLE

    def own_scope(self, kind: str, info: FieldInfo | None = None, keys: Keys | None = None) -> Place:
        """The names of a formula on a sheet: self, and each for one of several keys."""
        thing = self.thing((kind,))
        names: dict[str, Type] = {"self": thing} if thing else {}
        keys = keys or (getattr(info.spec, "keys", None) if info is not None and info.key is not None else None)
        if keys is not None:
            names["each"] = self.key(keys)
        return self.place(names)

    def place(self, names: Mapping[str, Type]) -> Place:
        return Place(names, self.context.world)


class World:
    """The names that every expression may use: shared sheets, periods, `during`, `assume`, `table`."""

    def __init__(self, context: Context) -> None:
        self.context = context
        system = context.system
        self._makers: dict[str, Callable[[], Type | None]] = {
            "during": lambda: space("during", dict.fromkeys(system.periods, FLAG)),
            "assume": lambda: space("assume", Lazy(self._assumed(), self.assumed)),
            "table": lambda: space("table", Lazy(system.tables, context.kinds.table)),
        }
        self._makers |= {name: self._period(name) for name, period in system.periods.items() if period.members}
        shared = [name for name, sheet in system.sheets.items() if sheet.only_one]
        self._makers |= {name: self._sheet(name) for name in shared}
        self._types: dict[str, Type | None] = {}

    def lookup(self, name: str) -> Type | None:
        if name not in self._makers:
            return None
        if name not in self._types:
            self._types[name] = self._makers[name]()
        return self._types[name]

    def names(self) -> Iterable[str]:
        return tuple(self._makers)

    def _sheet(self, name: str) -> Callable[[], Type | None]:
        return lambda: self.context.kinds.thing((name,))

    def _period(self, name: str) -> Callable[[], Type | None]:
        def make() -> Type:
            members = self.context.system.periods[name].members
            thing = self.context.kinds.thing((members,)) if members else None
            return space(name, {"members": Many(thing)} if thing else {}, "period")

        return make

    def _assumed(self) -> Names:
        return tuple(name for name, one in self.context.system.assumptions.items() if one.value is not None)

    def assumed(self, name: str) -> Type | None:
        """An assumption's value: a number, a flag, or an id, which suits every set that has it."""
        code = self.context.system.assumptions[name].value
        if code is None:
            return None
        expression = parsed(code.text)
        if code.text.isidentifier() and code.text not in ("true", "false"):
            return Key((code.text,))
        if isinstance(expression, tuple):
            return TEXT
        return self.context.reader.type_of(code, Place({}, None))


# ---------------------------------------------------------------------- helpers


def is_ranged(table: Table) -> bool:
    """Whether the rows of a table are numbers and ranges."""
    return bool(table.dice) or all(key[:1].isdigit() or key.startswith(("-", "..")) for key in table.rows)


def bound_codes(info: FieldInfo) -> tuple[Code | None, Code | None]:
    """The expressions of the lowest and highest value of a number."""
    spec = info.spec
    declared: Range | None = spec.int if isinstance(spec, Field) else spec.range
    low, high = (declared.low, declared.high) if declared else (None, None)
    if isinstance(spec, Gauge):
        low = spec.min or low
        most = spec.max.get(info.key or "") if isinstance(spec.max, Mapping) else spec.max
        high = most or high
    return low, high


def joined(one: Type, other: Type) -> Type | None:
    """What a value of either type is; numbers keep the parts that both have."""
    if isinstance(one, Number) and isinstance(other, Number):
        both = hull([one, other])
        parts = (
            {name: part for name in one.parts if (part := joined(one.parts[name], other.parts[name])) is not None}
            if (one.parts.keys() == other.parts.keys())
            else {}
        )
        return Number(both.whole, both.low, both.high, parts)
    return join(one, other)


def label_texts(value: object) -> Mapping[str, str]:
    return value.texts if isinstance(value, Label) else {}


__all__ = ["Flag", "Kinds", "Stat", "World", "bound_codes", "ends", "is_ranged", "joined"]
