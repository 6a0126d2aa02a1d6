"""One value of a sheet, asked as its kind wants: a number within its range, one of several, some of several, a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from interpreter.cli.desk import Desk
from interpreter.defaults import start_code, start_dice
from interpreter.fields import FieldInfo, Scalar, constant_range, count_range, whole
from interpreter.model import Code, Field, Gauge, Stat


@dataclass(frozen=True, slots=True)
class Asked:
    """A value to ask for. `default` is what nothing typed gives; None leaves it to the rules, if they say it."""

    info: FieldInfo
    default: object = None
    low: int | None = None
    high: int | None = None

    @property
    def must_be_said(self) -> bool:
        """Whether the rules have no value of their own for it."""
        spec = self.info.spec
        if not isinstance(spec, Field) or spec.default is not None:
            return False
        return self.info.sort == "key" or (self.info.sort == "set" and count_range(spec.count, (0, None))[0] > 0)

    def ends(self) -> tuple[int | None, int | None]:
        low, high = constant_range(self.info.spec)
        return low if self.low is None else self.low, high if self.high is None else self.high


def asks(info: FieldInfo) -> bool:
    """Whether a person can say it: not what lives for one action only."""
    return not getattr(info.spec, "temporary", False)


def is_computed(info: FieldInfo) -> bool:
    """Whether a gauge starts at what the other values make of it."""
    return start_code(info) is not None and start_dice(info) is None and constant_default(info) is None


def constant_default(info: FieldInfo) -> Scalar:
    """What a value is when nothing is said, where that is known without the rest of the sheet."""
    spec = info.spec
    code = start_code(info) if isinstance(spec, Gauge) else spec.default
    if code is not None:
        return _constant(info, code)
    if info.sort in ("die", "key") and info.ids is not None and isinstance(spec, Gauge | Stat):
        return info.ids.ids[0]
    if info.sort == "number":
        return constant_range(spec)[0] or 0
    declared = getattr(spec, info.sort, None)
    return declared if isinstance(declared, bool | str) else None


def _constant(info: FieldInfo, code: Code) -> Scalar:
    if info.sort == "number":
        return whole(code.text)
    if info.sort == "flag":
        return code.text.lower() in ("true", "yes")
    if info.sort in ("key", "die"):
        return code.text if info.ids is not None and code.text in info.ids.ids else None
    return code.text if info.sort == "text" else None


def ask_value(desk: Desk, asked: Asked) -> Any:
    """The value, as the data of a sheet holds it; None to leave it as the rules say."""
    return _ASKERS[asked.info.sort](desk, asked)


def _number(desk: Desk, asked: Asked) -> Any:
    default = asked.default if isinstance(asked.default, int) else None
    return desk.console.number(desk.names.field(asked.info), *asked.ends(), default, default is None)


def _flag(desk: Desk, asked: Asked) -> Any:
    return desk.console.flag(desk.names.field(asked.info), bool(asked.default))


def _text(desk: Desk, asked: Asked) -> Any:
    return desk.console.text(desk.names.field(asked.info), str(asked.default or "")) or None


def _ids(asked: Asked) -> tuple[str, ...]:
    return asked.info.ids.ids if asked.info.ids else ()


def _labels(desk: Desk, asked: Asked) -> list[str]:
    return [desk.names.field_value(asked.info, one) for one in _ids(asked)]


def _key(desk: Desk, asked: Asked) -> Any:
    ids = _ids(asked)
    default = ids.index(str(asked.default)) if asked.default in ids else None
    if default is None and asked.must_be_said:
        return ids[desk.console.choose_one(desk.names.field(asked.info), _labels(desk, asked))]
    found = desk.console.choose(desk.names.field(asked.info), _labels(desk, asked), default, none=True)
    return None if found is None else ids[found]


def _set(desk: Desk, asked: Asked) -> Any:
    spec = asked.info.spec
    low, high = count_range(spec.count if isinstance(spec, Field) else None, (0, None))
    chosen = desk.console.choose_several(desk.names.field(asked.info), _labels(desk, asked), low, high)
    return [_ids(asked)[i] for i in chosen]


def _one(desk: Desk, asked: Asked) -> Any:
    """A sheet at the table, or none."""
    kinds = getattr(asked.info.spec, "one", ())
    ids = [i for i, data in desk.sheets.items() if data.get("sheet") in kinds]
    if not ids:
        return None
    question = f"{desk.names.field(asked.info)} {desk.names.say('none_allowed')}"
    found = desk.console.choose(question, [desk.sheet_name(i) for i in ids], none=True)
    return None if found is None else ids[found]


_ASKERS: Mapping[str, Callable[[Desk, Asked], Any]] = {
    "number": _number,
    "flag": _flag,
    "text": _text,
    "key": _key,
    "die": _key,
    "set": _set,
    "one": _one,
}
