"""What a sheet or record of a kind holds, one entry for each single value, and its values read from data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from interpreter.model import Field, Gauge, Keys, Range, Sheet, Stat, System
from interpreter.problems import nearest

Scalar = int | bool | str | tuple[str, ...] | None
SheetData = Mapping[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class FieldInfo:
    """One value of a sheet. `sort` is number, flag, key, set, text, one or die; a gauge of named steps is a key."""

    name: str
    key: str | None
    section: str
    sort: str
    spec: Stat | Gauge | Field
    ids: Keys | None = None

    @property
    def dotted(self) -> str:
        return self.name if self.key is None else f"{self.name}.{self.key}"


@dataclass(frozen=True, slots=True)
class ListInfo:
    """A list of a sheet: of records that it owns, or of references to sheets."""

    name: str
    kind: str
    owned: bool
    spec: Field


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of sheet or record, laid out flat."""

    name: str
    nature: str
    sheet: Sheet
    fields: tuple[FieldInfo, ...]
    lists: tuple[ListInfo, ...]

    def find(self, name: str) -> tuple[FieldInfo, ...]:
        return tuple(info for info in self.fields if info.name == name)


@lru_cache(maxsize=256)
def kind_of(system: System, name: str) -> Kind:
    """The flat layout of a kind of sheet or record of the system."""
    nature = "sheet" if name in system.sheets else "record"
    sheet = system.sheets[name] if nature == "sheet" else system.records[name]
    fields = tuple(_stats(sheet, system)) + tuple(_gauges(sheet)) + tuple(_plain(sheet))
    lists = tuple(
        ListInfo(field_name, spec.many, spec.many in system.records, spec)
        for field_name, spec in sheet.fields.items()
        if spec.many
    )
    return Kind(name, nature, sheet, fields, lists)


def _each(keys: Keys | None) -> tuple[str | None, ...]:
    return keys.ids if keys else (None,)


def _stats(sheet: Sheet, system: System) -> Iterator[FieldInfo]:
    for name, stat in sheet.stats.items():
        for key in _each(stat.keys):
            if stat.die:
                yield FieldInfo(name, key, "stats", "die", stat, dice_of(stat, system))
            else:
                yield FieldInfo(name, key, "stats", "number", stat)


def dice_of(stat: Stat, system: System) -> Keys:
    """The dice that a stat can be: its own list, or the ladder that it names."""
    if len(stat.die) == 1 and stat.die[0] in system.ladders:
        return Keys(system.ladders[stat.die[0]], None, True)
    return Keys(stat.die, None, True)


def _gauges(sheet: Sheet) -> Iterator[FieldInfo]:
    for name, gauge in sheet.gauges.items():
        for key in _each(gauge.keys):
            sort = "key" if gauge.steps else "number"
            yield FieldInfo(name, key, "gauges", sort, gauge, gauge.steps)


def _plain(sheet: Sheet) -> Iterator[FieldInfo]:
    for name, spec in sheet.fields.items():
        if spec.many:
            continue
        for key in _each(spec.keys):
            yield FieldInfo(name, key, "fields", _sort(spec), spec, spec.key or spec.set_of)


def _sort(spec: Field) -> str:
    if spec.flag is not None:
        return "flag"
    if spec.int is not None:
        return "number"
    if spec.key is not None:
        return "key"
    if spec.set_of is not None:
        return "set"
    return "one" if spec.one else "text"


NAMES = ("name", "nom")


def sheet_name(sheet_id: str, data: SheetData) -> str:
    """The name that a sheet bears, or its id made readable."""
    named = next((str(data[name]) for name in NAMES if data.get(name)), sheet_id.replace("_", " "))
    return named[:1].upper() + named[1:]


# --------------------------------------------------------------------- reading data


def read_value(info: FieldInfo, raw: object) -> tuple[Scalar, str]:
    """A value of a sheet from data: the value and "", or None and what is wrong with it."""
    if raw is None:
        return (None, "") if info.sort == "one" else (None, "a value is missing")
    return _READERS[info.sort](info, raw)


def _number(info: FieldInfo, raw: object) -> tuple[Scalar, str]:
    value = whole(raw)
    if value is None:
        return None, f"`{raw}` is not a whole number"
    low, high = constant_range(info.spec)
    if (low is not None and value < low) or (high is not None and value > high):
        return None, f"{value} is outside {show_range(low, high)}"
    return value, ""


def _flag(info: FieldInfo, raw: object) -> tuple[Scalar, str]:
    if isinstance(raw, bool):
        return raw, ""
    text = str(raw).lower()
    if text in ("true", "yes"):
        return True, ""
    return (False, "") if text in ("false", "no") else (None, f"`{raw}` is neither true nor false")


def _key(info: FieldInfo, raw: object) -> tuple[Scalar, str]:
    ids = info.ids.ids if info.ids else ()
    if raw in ids:
        return str(raw), ""
    close = nearest(str(raw), list(ids))
    return None, f"`{raw}` is none of {', '.join(ids)}" + (f"; did you mean `{close}`?" if close else "")


def _set(info: FieldInfo, raw: object) -> tuple[Scalar, str]:
    items = [str(item) for item in raw] if isinstance(raw, list | tuple) else [str(raw)]
    for item in items:
        if _key(info, item)[1]:
            return None, _key(info, item)[1]
    if len(set(items)) < len(items):
        twice = next(item for item in items if items.count(item) > 1)
        return None, f"`{twice}` stands there twice"
    low, high = count_range(info.spec.count if isinstance(info.spec, Field) else None, (0, None))
    if len(items) < low or (high is not None and len(items) > high):
        return None, f"{len(items)} chosen, {show_count(low, high)} wanted"
    order = info.ids.ids if info.ids else ()
    return tuple(sorted(items, key=order.index)), ""


def _text(info: FieldInfo, raw: object) -> tuple[Scalar, str]:
    return (str(raw), "") if isinstance(raw, str | int) else (None, "a text is wanted")


_READERS = {"number": _number, "flag": _flag, "key": _key, "die": _key, "set": _set, "one": _text, "text": _text}


def whole(raw: object) -> int | None:
    """A whole number from data, where YAML gives text and programs give int; None for anything else."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    text = raw if isinstance(raw, str) else ""
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 12 else None


def constant_range(spec: object) -> tuple[int | None, int | None]:
    """The ends of a value's range where they are plain numbers; None where open or computed."""
    declared = getattr(spec, "range", None) or getattr(spec, "int", None)
    low = high = None
    if isinstance(declared, Range):
        low = whole(declared.low.text) if declared.low else None
        high = whole(declared.high.text) if declared.high else None
    if isinstance(spec, Gauge):
        low = whole(spec.min.text) if spec.min else low
    return low, high


def count_range(declared: Range | None, default: tuple[int, int | None]) -> tuple[int, int | None]:
    """How many of `count: 0..2`; an open end is None."""
    if declared is None:
        return default
    low = whole(declared.low.text) if declared.low else 0
    return low or 0, whole(declared.high.text) if declared.high else None


def show_range(low: int | None, high: int | None) -> str:
    return f"{'' if low is None else low}..{'' if high is None else high}"


def show_count(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    return f"{low} or more" if high is None else f"{low} to {high}"
