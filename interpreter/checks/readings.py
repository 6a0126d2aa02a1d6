"""What is read from dice: how many, their sum, the highest, sets; and where each reading can lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter.checks.dice import Faces
from interpreter.checks.finding import Check
from interpreter.checks.scopes import FLAG, WHOLE, Place
from interpreter.expressions import Expression, Number, Type, intervals
from interpreter.model import Code, Extremes, Path, RollSpec
from interpreter.problems import some_of

if TYPE_CHECKING:
    from interpreter.checks.context import Context

TWICE = Check(
    "E0426",
    "two readings of one name",
    "Each reading of a roll has a name of its own, which is not `dice`.",
    failing="""
actions:
  aim:
    steps:
      - roll: {throw: {dice: 3, die: d6, count: {hits: face >= 5}, highest: {hits: face}}}
      - say: "{throw.hits}"
""",
    passing="""
actions:
  aim:
    steps:
      - roll: {throw: {dice: 3, die: d6, count: {hits: face >= 5}, highest: {top: face}}}
      - say: "{throw.hits}, {throw.top}"
""",
)
BAD_FACE = Check(
    "E0425",
    "a face that the die does not have, or faces that overlap",
    "A reading that gives faces their numbers names faces of its dice or symbols, each once.",
    failing="""
actions:
  aim:
    steps:
      - roll: {throw: {dice: 3, die: d6, sum: {points: {5..6: 1, 6: 2}}}}
      - say: "{throw.points}"
""",
    passing="""
actions:
  aim:
    steps:
      - roll: {throw: {dice: 3, die: d6, sum: {points: {5: 1, 6: 2}}}}
      - say: "{throw.points}"
""",
)
BAD_NUMBER = Check(
    "E0434",
    "an operation on fewer than no dice, or a reading of them",
    "How many dice, how often and at most: such numbers are never below zero.",
    failing="""
actions:
  aim:
    inputs: {luck: {int: -1..2}}
    steps:
      - roll: {throw: {dice: 3, die: d6, do: [{reroll: face == 1, how_many: luck}]}}
      - say: "{throw}"
""",
    passing="""
actions:
  aim:
    inputs: {luck: {int: 0..2}}
    steps:
      - roll: {throw: {dice: 3, die: d6, do: [{reroll: face == 1, how_many: luck}]}}
      - say: "{throw}"
""",
)
CHECKS = (TWICE, BAD_FACE, BAD_NUMBER)
EXTREMES = ("highest", "lowest")
KINDS = ("count", "sum", *EXTREMES, "sets")
# What every roll has beside its readings.
ASKED = "dice"


@dataclass(frozen=True, slots=True)
class Hand:
    """What lies on the table: how many dice, and the value of each."""

    size: Number
    value: Number


@dataclass(frozen=True, slots=True)
class Throw:
    """What is known of one roll: its dice, the names on a die and beside it, and the conditions that hold."""

    faces: Faces
    on_die: Place
    scope: Place
    knowing: list[Expression]


def readings(context: Context, spec: RollSpec, hand: Hand, throw: Throw) -> Iterator[tuple[str, Type | None]]:
    """Each reading of a roll with its type, None where its fault is told."""
    seen: dict[str, Path] = {}
    for kind in KINDS:
        for name, item in getattr(spec, kind).items():
            path: Path = (*spec.path, kind, name)
            if name in seen:
                related = (("the first", seen[name]),)
                context.report.add(TWICE, path, f"`{name}` is the name of two readings.", on="key", related=related)
            if name == ASKED:
                message = f"`{ASKED}` is no name for a reading: it is how many dice were asked for."
                hint = "Write {best: {dice: …, of: …}}, with a name for the reading." if kind in EXTREMES else ""
                context.report.add(TWICE, path, message, hint, on="key")
            seen[name] = path
            yield name, _reading(context, kind, item, path, hand, throw)


def _reading(context: Context, kind: str, item: object, path: Path, hand: Hand, throw: Throw) -> Number | None:
    none, on_die = intervals.constant(0), throw.on_die.within({"value": hand.value})
    if kind == "sets":
        return intervals.hull([none, throw.faces.number]) if item == "height" else Number(True, 0, hand.size.high)
    if isinstance(item, Extremes):
        return _extremes(context, item, hand, throw)
    if kind == "count" and isinstance(item, Code):
        typed = context.reader.read(item, on_die, FLAG, throw.knowing)
        return Number(True, 0, hand.size.high) if typed is not None and not typed.faults else None
    each: Type | None = None
    if isinstance(item, Mapping):
        each = _by_face(context, item, path, throw)
    elif isinstance(item, Code):
        each = context.reader.type_of(item, on_die, WHOLE, throw.knowing)
    return intervals.multiply(each, hand.size) if isinstance(each, Number) else None


def _extremes(context: Context, item: Extremes, hand: Hand, throw: Throw) -> Number | None:
    """The highest or lowest number, nothing without dice; or the sum of several."""
    on_die = throw.on_die.within({"value": hand.value})
    each = context.reader.type_of(item.of, on_die, WHOLE, throw.knowing)
    taken = intervals.constant(1) if item.dice is None else amount(context, item.dice, throw.scope, throw.knowing)
    if not isinstance(each, Number):
        return None
    return intervals.multiply(each, intervals.least([hand.size, taken or Number(True, 0)]))


def amount(context: Context, code: Code | None, scope: Place, knowing: list[Expression]) -> Number | None:
    """A number of dice or times of an operation or a reading; it is never below zero."""
    found = context.reader.type_of(code, scope, WHOLE, knowing) if code is not None else None
    if code is None or not isinstance(found, Number):
        return None
    if found.low is None or found.low < 0:
        hint = f"Write max(0, {code.text})."
        context.report.add(BAD_NUMBER, code.path, "This number may be below zero.", hint)
        return Number(True, 0, found.high if found.high is None else max(0, found.high))
    return found


def _by_face(context: Context, cases: Mapping[str, Code], path: Path, throw: Throw) -> Number:
    """`{7..11: 1, 12: 2}`: a number for each face, or for each time that a symbol stands on it."""
    total: list[Number] = [intervals.constant(0)]
    taken: dict[int, str] = {}
    for text, code in cases.items():
        found = context.reader.type_of(code, throw.on_die, WHOLE, throw.knowing)
        if isinstance(found, Number):
            times = throw.faces.symbol(text) if text in context.system.symbols else Number(True, 0, 1)
            total.append(intervals.multiply(found, times))
        _face_range(context, text, (*path, text), throw.faces, taken)
    if any(text in context.system.symbols for text in cases):
        low, high = zip(*(intervals.ends(one) for one in total), strict=True)
        return intervals.between(sum(min(0, one) for one in low), sum(max(0, one) for one in high), True)
    return intervals.hull(total)


def _face_range(context: Context, text: str, path: Path, faces: Faces, taken: dict[int, str]) -> None:
    """Tells of a face that is not on the dice, or that an earlier line has taken."""
    symbols = context.system.symbols
    if text in symbols:
        return
    if text[:1].isalpha():
        context.unknown(BAD_FACE, path, "face or symbol", text, symbols, on="key")
        return
    low, dots, high = text.partition("..")
    least = int(low) if low else None
    most = int(high) if high else None if dots else least
    numbers = sorted({face for die in faces.dice for face in die.faces if isinstance(face, int)})
    inside = [face for face in numbers if (least is None or face >= least) and (most is None or face <= most)]
    if not inside:
        names = ", ".join(some_of(sorted({die.name for die in faces.dice})))
        context.report.add(BAD_FACE, path, f"No face of {names} is {text}.", on="key")
    for face in inside:
        if face in taken:
            context.report.add(BAD_FACE, path, f"The face {face} stands in `{taken[face]}` already.", on="key")
            return
        taken[face] = text
