"""Stats, gauges and fields: bounds that do not cross, starts and defaults that lie within them, keys that exist."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.kinds import bound_codes
from interpreter.checks.scopes import WHOLE
from interpreter.defaults import is_dice, start_code, start_dice
from interpreter.expressions import Flag, Many, Number, Text, Type
from interpreter.expressions.intervals import ends
from interpreter.fields import FieldInfo, Kind, count_range, kind_of, show_range, whole
from interpreter.model import Code, Field, Gauge, Keys, Path, Sheet, Stat
from interpreter.problems import some_of

if TYPE_CHECKING:
    from interpreter.checks.context import Context

CROSSED = Check(
    "E0410",
    "bounds that cross, or may cross",
    "The lowest value of a gauge, stat or field is never above its highest.",
    failing="""
sheets:
  hero:
    stats: {body: 1..6}
    gauges: {life: {min: 2, max: self.body, start: max}}
""",
    passing="""
sheets:
  hero:
    stats: {body: 1..6}
    gauges: {life: {min: 0, max: self.body, start: max}}
""",
)
START_OUTSIDE = Check(
    "E0411",
    "a first value outside the bounds",
    "What a gauge starts with, and what a stat or field is by default, lies within its bounds and is of its sort.",
    failing="""
sheets:
  hero:
    gauges: {life: {range: 0..10, start: 12}}
""",
    passing="""
sheets:
  hero:
    gauges: {life: {range: 0..10, start: 10}}
""",
)
REVERSED = Check(
    "E0412",
    "a range the wrong way round",
    "A range is written with its lower end first.",
    failing="""
actions:
  aim:
    inputs: {distance: {int: 5..1}}
    steps: [{say: "{distance}"}]
""",
    passing="""
actions:
  aim:
    inputs: {distance: {int: 1..5}}
    steps: [{say: "{distance}"}]
""",
)
BAD_KEYS = Check(
    "E0431",
    "values by key for keys that are not there",
    "`max` and `start` by key name keys of the gauge, and a `start` or `max` by key names each of them.",
    failing="""
sheets:
  hero:
    gauges:
      stores: {keys: [bread, water], min: 0, max: {bread: 3, wine: 4}}
""",
    passing="""
sheets:
  hero:
    gauges:
      stores: {keys: [bread, water], min: 0, max: {bread: 3, water: 4}}
""",
)
CHECKS = (CROSSED, START_OUTSIDE, REVERSED, BAD_KEYS)


def check_gauges(context: Context) -> None:
    for section in (context.system.sheets, context.system.records):
        for name, sheet in section.items():
            kind = kind_of(context.system, name)
            _by_key(context, sheet)
            for info in kind.fields:
                if info.sort == "number":
                    _bounds(context, kind, info)
                _first_value(context, kind, info)
    _ranges(context)


def _by_key(context: Context, sheet: Sheet) -> None:
    for gauge in sheet.gauges.values():
        for part in ("max", "start"):
            declared = getattr(gauge, part)
            if not isinstance(declared, Mapping):
                continue
            keys = gauge.keys.ids if gauge.keys is not None else ()
            path: Path = (*gauge.path, part)
            for key in declared:
                if key not in keys:
                    context.unknown(BAD_KEYS, (*path, key), "key", str(key), keys, on="key")
            missing = [key for key in keys if key not in declared]
            if missing and all(key in keys for key in declared):
                context.report.add(BAD_KEYS, path, f"`{part}` is missing for {', '.join(some_of(missing))}.", on="key")


# ---------------------------------------------------------------------- bounds


def _bounds(context: Context, kind: Kind, info: FieldInfo) -> None:
    """Types both ends, and tells when the lower may be above the higher."""
    scope = context.kinds.own_scope(kind.name, info)
    codes = bound_codes(info)
    for code in codes:
        if code is not None and code.text != "start" and whole(code.text) is None:
            context.reader.read(code, scope, WHOLE)
    low, high = context.kinds.bound_types(kind, info)
    if low is None or high is None or any(code is not None and code.text == "start" for code in codes):
        return
    lowest, highest = ends(low), ends(high)
    both_known = all(code is None or whole(code.text) is not None for code in codes)
    if lowest[0] > highest[1] and both_known:
        message = (
            f"`{info.dotted}` goes from {show_range(whole_end(low.low), whole_end(high.high))}, the wrong way round."
        )
        context.report.add(REVERSED, _place(info, codes), message, "Write the lower end first.")
    elif lowest[1] > highest[0] and lowest[1] < math.inf and highest[0] > -math.inf:
        message = f"The lowest value of `{info.dotted}` may be above the highest: {_shown(low)} against {_shown(high)}."
        hint = f"Write the highest as max({codes[0].text if codes[0] is not None else 0}, …)."
        context.report.add(CROSSED, _place(info, codes), message, hint)


def whole_end(end: object) -> int | None:
    return end if isinstance(end, int) else None


def _shown(number: Number) -> str:
    if number.low == number.high and number.low is not None:
        return str(number.low)
    return show_range(whole_end(number.low), whole_end(number.high))


def _place(info: FieldInfo, codes: tuple[Code | None, Code | None]) -> Path:
    code = codes[1] or codes[0]
    return code.path if code is not None else info.spec.path


# ---------------------------------------------------------------------- first values


def _first_value(context: Context, kind: Kind, info: FieldInfo) -> None:
    spec = info.spec
    if isinstance(spec, Gauge):
        code = start_code(info)
        dice = start_dice(info)
        if code is not None and code.text != "max" and dice is None:
            _suits(context, kind, info, code)
        elif code is not None and code.text == "max" and info.ids is None and bound_codes(info)[1] is None:
            message = f"`{info.name}` starts at its most, and it has none."
            context.report.add(START_OUTSIDE, code.path, message, "Give it a `range` or a `max`.")
        elif dice is not None:
            _thrown(context, kind, info, dice)
        elif (
            code is None
            and info.ids is None
            and bound_codes(info)[1] is not None
            and _text(bound_codes(info)[1]) == "start"
        ):
            message = f"The most of `{info.name}` is what it starts with, and it says no start."
            context.report.add(START_OUTSIDE, spec.path, message, "Give it a `start`.", on="key")
    elif isinstance(spec, Stat | Field) and spec.default is not None:
        _default(context, kind, info, spec.default)


def _text(code: Code | None) -> str:
    return code.text if code is not None else ""


def _thrown(context: Context, kind: Kind, info: FieldInfo, code: Code) -> None:
    """Dice that a gauge starts with stay within its bounds."""
    from interpreter.checks.tables import results

    span = results(code.text)
    if info.ids is not None or span is None:
        message = f"`{info.name}` cannot start with {code.text}."
        hint = "Named steps start with one of them." if info.ids is not None else "Dice are written as `2d6 + 12`."
        context.report.add(START_OUTSIDE, code.path, message, hint)
        return
    _inside(context, kind, info, code, Number(True, *span))


def _default(context: Context, kind: Kind, info: FieldInfo, code: Code) -> None:
    report = context.report
    if info.sort in ("key", "die") and info.ids is not None and info.ids.ids:
        if code.text not in info.ids.ids:
            context.unknown(START_OUTSIDE, code.path, f"id for `{info.name}`", code.text, info.ids.ids)
    elif info.sort == "set" and info.ids is not None:
        _default_set(context, info, code)
    elif info.sort == "flag" and code.text.lower() not in ("true", "false", "yes", "no"):
        report.add(START_OUTSIDE, code.path, f"`{code.text}` is neither true nor false.")
    elif info.sort == "one":
        report.add(
            START_OUTSIDE,
            code.path,
            "A reference has no default: it is empty until a sheet says whom it means.",
            on="key",
        )
    elif info.sort == "number":
        _suits(context, kind, info, code)


def _default_set(context: Context, info: FieldInfo, code: Code) -> None:
    given = [part.strip() for part in code.text.split(",") if part.strip()]
    ids = info.ids.ids if info.ids is not None else ()
    for one in given:
        if one not in ids:
            context.unknown(START_OUTSIDE, code.path, f"id for `{info.name}`", one, ids)
            return
    low, high = count_range(info.spec.count if isinstance(info.spec, Field) else None, (0, None))
    if len(given) < low or (high is not None and len(given) > high) or len(set(given)) < len(given):
        most = "" if high is None else f" and at most {high}"
        context.report.add(START_OUTSIDE, code.path, f"`{info.name}` holds at least {low}{most} different ids.")


def _suits(context: Context, kind: Kind, info: FieldInfo, code: Code) -> None:
    """A first value of the right sort, within the bounds as far as both are known."""
    want: Type | None = WHOLE if info.ids is None else context.kinds.value_of(kind, info)
    if want is None:
        return
    found = context.reader.type_of(code, context.kinds.own_scope(kind.name, info), want)
    if isinstance(found, Number):
        _inside(context, kind, info, code, found)


def _inside(context: Context, kind: Kind, info: FieldInfo, code: Code, found: Number) -> None:
    low, high = context.kinds.bound_types(kind, info)
    codes = bound_codes(info)
    (least, most) = ends(found)
    below = low is not None and least < ends(low)[0]
    above = high is not None and most > ends(high)[1] and _text(codes[1]) != "start"
    never = (low is not None and most < ends(low)[0]) or (high is not None and least > ends(high)[1] and above)
    certain = whole(code.text) is not None or is_dice(code.text)
    if never or (certain and (below or above)):
        message = f"`{info.dotted}` starts with {code.text}, and goes from {_end(low, 0)} to {_end(high, 1)}."
        context.report.add(START_OUTSIDE, code.path, message)


def _end(bound: Number | None, side: int) -> str:
    end = None if bound is None else (bound.low, bound.high)[side]
    return "no end" if end is None else str(end)


# ---------------------------------------------------------------------- ranges of inputs and choices


def _ranges(context: Context) -> None:
    """Ranges of plain numbers that are the wrong way round, wherever they stand."""
    from interpreter.checks.walk import ranges

    for range_ in ranges(context.system):
        low = whole(range_.low.text) if range_.low is not None else None
        high = whole(range_.high.text) if range_.high is not None else None
        if low is not None and high is not None and low > high and range_.low is not None:
            message = f"This range is the wrong way round: {low} is more than {high}."
            context.report.add(REVERSED, range_.low.path, message, f"Write {high}..{low}.")


__all__ = ["CHECKS", "Flag", "Keys", "Many", "Text", "check_gauges"]
