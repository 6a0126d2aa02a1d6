"""Rolls: how many dice of which kind, what is done to them, and what their readings can come to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from interpreter import dice
from interpreter.checks.dice import Faces
from interpreter.checks.finding import Check
from interpreter.checks.scopes import FLAG, NUMBER, WHOLE, Place, space
from interpreter.compiler.throws import dice_text
from interpreter.checks.reader import parsed
from interpreter.expressions import Expression, Key, Number, Type, Typed, canonical, evaluate, intervals
from interpreter.expressions.nodes import Register, register
from interpreter.model import Code, Drop, Explode, Group, Keep, Operation, Path, Replace, Reroll, RerollDice, RollSpec

if TYPE_CHECKING:
    from interpreter.checks.context import Context

NO_DIE = Check(
    "E0424",
    "a roll without a die",
    "A roll says which die is thrown: `dice: 2d6`, or a number of dice beside `die: d6`.",
    failing="""
actions:
  tirer:
    inputs: {adresse: {int: 1..5}}
    steps:
      - roll: {jet: {dice: adresse}}
      - say: "{jet}"
""",
    passing="""
actions:
  tirer:
    inputs: {adresse: {int: 1..5}}
    steps:
      - roll: {jet: {dice: adresse, die: d6}}
      - say: "{jet}"
""",
)
NEGATIVE = Check(
    "E0422",
    "a number of dice that may be below zero",
    "What a pool of less than zero dice does is a rule of the game: the number has a least value, or the roll says `empty`.",
    failing="""
actions:
  forcer:
    inputs: {malus: {int: 0..3}}
    steps:
      - roll: {jet: {dice: 2 - malus, die: d6}}
      - say: "{jet}"
""",
    passing="""
actions:
  forcer:
    inputs: {malus: {int: 0..3}}
    steps:
      - roll: {jet: {dice: 2 - malus, die: d6, empty: {dice: 2, do: [{keep: {lowest: 1}}]}}}
      - say: "{jet}"
""",
)
ENDLESS = Check(
    "E0421",
    "dice that are thrown again for ever",
    "A die that explodes or is thrown again must have a face that stops it, or a bound: `at_most`, `how_often`.",
    failing="""
actions:
  brule:
    steps:
      - roll: {jet: {dice: 1, die: d6, do: [{explode: face >= 1, into: new_die}]}}
      - say: "{jet}"
""",
    passing="""
actions:
  brule:
    steps:
      - roll: {jet: {dice: 1, die: d6, do: [{explode: face == 6, into: new_die}]}}
      - say: "{jet}"
""",
)
TWICE = Check(
    "E0426",
    "two readings of one name",
    "Each reading of a roll has a name of its own.",
    failing="""
actions:
  viser:
    steps:
      - roll: {jet: {dice: 3, die: d6, count: {bon: face >= 5}, highest: {bon: face}}}
      - say: "{jet.bon}"
""",
    passing="""
actions:
  viser:
    steps:
      - roll: {jet: {dice: 3, die: d6, count: {bons: face >= 5}, highest: {haut: face}}}
      - say: "{jet.bons}, {jet.haut}"
""",
)
BAD_FACE = Check(
    "E0425",
    "a face that the die does not have, or faces that overlap",
    "A reading that gives faces their numbers names faces of its dice or symbols, each once.",
    failing="""
actions:
  viser:
    steps:
      - roll: {jet: {dice: 3, die: d6, sum: {points: {5..6: 1, 6: 2}}}}
      - say: "{jet.points}"
""",
    passing="""
actions:
  viser:
    steps:
      - roll: {jet: {dice: 3, die: d6, sum: {points: {5: 1, 6: 2}}}}
      - say: "{jet.points}"
""",
)
BAD_NUMBER = Check(
    "E0434",
    "an operation on fewer than no dice",
    "How many dice, how often and at most: such numbers are never below zero.",
    failing="""
actions:
  viser:
    inputs: {chance: {int: -1..2}}
    steps:
      - roll: {jet: {dice: 3, die: d6, do: [{reroll: face == 1, how_many: chance}]}}
      - say: "{jet}"
""",
    passing="""
actions:
  viser:
    inputs: {chance: {int: 0..2}}
    steps:
      - roll: {jet: {dice: 3, die: d6, do: [{reroll: face == 1, how_many: chance}]}}
      - say: "{jet}"
""",
)
CHECKS = (NO_DIE, NEGATIVE, ENDLESS, TWICE, BAD_FACE, BAD_NUMBER)

ON_A_DIE = ("face", "first", "value", "sides", "group", "symbol")
KEPT_READINGS = ("count", "sum", "highest", "lowest")


class Hand(NamedTuple):
    """What lies on the table: how many dice, and the value of each."""

    count: Number
    value: Number


class Rolls:
    def __init__(self, context: Context) -> None:
        self.context = context

    def roll(self, name: str, spec: RollSpec, scope: Place, knowing: list[Expression]) -> Type | None:
        """What the roll's name stands for afterwards."""
        self.context.roll_specs[spec.path] = spec
        groups = self._groups(spec, scope, knowing)
        if groups is None:
            self._quietly(spec, scope)
            return None
        faces = Faces(tuple(die for _, one in groups.values() for die in one.dice))
        on_die = self.die_scope(scope, faces, tuple(spec.groups))
        hand = self._hand(spec, groups, faces, on_die, scope, knowing)
        if spec.empty is not None:
            hand = self._empty(spec, hand, faces, on_die, scope, knowing)
        readings = dict(self._readings(spec, hand, faces, on_die, knowing))
        flat = dice_text(spec.dice.text) if spec.dice is not None and spec.die is None else None
        if not readings:
            total = intervals.multiply(hand.value, hand.count)
            return intervals.add(total, intervals.constant(flat[2] if flat else 0))
        broken = [reading for reading, type_ in readings.items() if type_ is None]
        self.context.reader.broken.update(broken)
        asked = intervals.add(intervals.constant(0), self._asked(groups))
        known = {reading: type_ for reading, type_ in readings.items() if type_ is not None}
        return space(name, {"dice": asked, **known}, "roll")

    def _quietly(self, spec: RollSpec, scope: Place) -> None:
        self.context.reader.broken.update(name for kind in (*KEPT_READINGS, "sets") for name in getattr(spec, kind))

    def _asked(self, groups: Mapping[str, tuple[Number, Faces]]) -> Number:
        total = intervals.constant(0)
        for count, _ in groups.values():
            total = intervals.add(total, intervals.greatest([intervals.constant(0), count]))
        return total

    # ------------------------------------------------------------------ dice

    def _groups(self, spec: RollSpec, scope: Place, knowing: list[Expression]) -> dict[str, tuple[Number, Faces]] | None:
        if not spec.groups:
            found = self._single_group(spec, scope, knowing)
            return None if found is None else {"": found}
        groups: dict[str, tuple[Number, Faces]] = {}
        for name, group in spec.groups.items():
            count = self._count(group.dice, scope, knowing, allowed=False)
            faces = self.context.dice.of(group.die, scope) if group.die is not None else None
            if count is not None and faces is not None:
                groups[name] = (count, faces)
        return groups if len(groups) == len(spec.groups) else None

    def _single_group(self, spec: RollSpec, scope: Place, knowing: list[Expression]) -> tuple[Number, Faces] | None:
        written = self.context.dice.written(spec.dice, spec.die)
        if written is not None:
            return written if written[1].dice else None
        if spec.die is None:
            shown = f"`{spec.dice.text}`" if spec.dice is not None else "this roll"
            self.context.report.add(NO_DIE, spec.path, f"Which die is thrown? {shown} only says how many.", "Add `die: d6`, or write `2d6`.", on="key")
            return None
        count = intervals.constant(1)
        if spec.dice is not None:
            found = self._count(spec.dice, scope, knowing, allowed=spec.empty is not None)
            if found is None:
                self.context.dice.of(spec.die, scope)
                return None
            count = found
        faces = self.context.dice.of(spec.die, scope)
        return (count, faces) if faces is not None else None

    def _count(self, code: Code, scope: Place, knowing: list[Expression], *, allowed: bool) -> Number | None:
        found = self.context.reader.type_of(code, scope, WHOLE, knowing)
        if not isinstance(found, Number):
            return None
        if found.low is not None and found.low > dice.LIMITS.dice:
            self.context.dice.too_large(code, int(found.low), 1)
            return None
        if not allowed and (found.low is None or found.low < 0) and not never_below_zero(code, knowing):
            least = "any number" if found.low is None else str(found.low)
            hint = "Write max(0, …), a `min:` in the value, or an `empty:` rule in the roll."
            self.context.report.add(NEGATIVE, code.path, f"This number of dice may be below zero: it goes down to {least}.", hint)
        return Number(True, max(0, found.low or 0), None if found.high is None else max(0, found.high))

    def die_scope(self, scope: Place, faces: Faces, groups: tuple[str, ...], exploded: bool = True) -> Place:
        """The names that an expression on a die can use."""
        face = faces.number
        symbols = {name: self._unbounded(faces.symbol(name)) for name in self.context.system.symbols}
        names: dict[str, Type] = {
            "face": face,
            "first": face,
            "value": self._unbounded(face),
            "sides": faces.sides,
            "symbol": space("symbol", symbols),
        }
        if groups:
            names["group"] = Key(groups)
        return scope.within(names)

    def _unbounded(self, number: Number) -> Number:
        """A die that adds up its explosions has no most, and no least if a face is below zero."""
        low = number.low if number.low is not None and number.low >= 0 else None
        return Number(True, low, 0 if number.low == number.high == 0 else None)

    def again(self, step: Reroll, spec: RollSpec, scope: Place, knowing: list[Expression]) -> None:
        """Dice that lie on the table thrown again: which of them, and how many."""
        with self.context.report.muted():
            groups = self._groups(spec, scope, knowing)
        dice_ = tuple(die for _, one in groups.values() for die in one.dice) if groups else ()
        if step.where is not None and dice_:
            self.context.reader.read(step.where, self.die_scope(scope, Faces(dice_), tuple(spec.groups)), FLAG, knowing)
        self._number(step.how_many, scope, knowing)

    # ------------------------------------------------------------------ operations

    def _hand(
        self,
        spec: RollSpec,
        groups: Mapping[str, tuple[Number, Faces]],
        faces: Faces,
        on_die: Place,
        scope: Place,
        knowing: list[Expression],
    ) -> Hand:
        hands = []
        for name, (count, own) in groups.items():
            hand = Hand(count, own.number)
            group: Group | None = spec.groups.get(name)
            for operation in group.do if group is not None else ():
                hand = self._operate(operation, hand, own, self.die_scope(scope, own, tuple(groups)), scope, knowing)
            hands.append(hand)
        total = intervals.constant(0)
        for hand in hands:
            total = intervals.add(total, hand.count)
        joined = Hand(total, intervals.hull([hand.value for hand in hands]))
        for operation in spec.do:
            joined = self._operate(operation, joined, faces, on_die, scope, knowing)
        return joined

    def _empty(
        self, spec: RollSpec, hand: Hand, faces: Faces, on_die: Place, scope: Place, knowing: list[Expression]
    ) -> Hand:
        assert spec.empty is not None
        count = self._count(spec.empty.dice, scope, knowing, allowed=False) or intervals.constant(0)
        instead = Hand(count, faces.number)
        for operation in spec.empty.do:
            instead = self._operate(operation, instead, faces, on_die, scope, knowing)
        return Hand(intervals.hull([hand.count, instead.count]), intervals.hull([hand.value, instead.value]))

    def _operate(
        self, operation: Operation, hand: Hand, faces: Faces, on_die: Place, scope: Place, knowing: list[Expression]
    ) -> Hand:
        match operation:
            case Explode():
                typed = self.context.reader.read(operation.explode, on_die, FLAG, knowing)
                most = self._number(operation.at_most, scope, knowing)
                self._endless(operation, typed, faces)
                return _exploded(hand, faces.number, operation, most)
            case RerollDice():
                typed = self.context.reader.read(operation.reroll, on_die, FLAG, knowing)
                self._number(operation.how_many, scope, knowing)
                if operation.how_often is not None and operation.how_often.text != "until":
                    self._number(operation.how_often, scope, knowing)
                self._endless(operation, typed, faces)
                return Hand(hand.count, intervals.hull([hand.value, faces.number]))
            case Replace():
                self.context.reader.read(operation.replace, on_die, FLAG, knowing)
                by = self.context.reader.type_of(operation.by, scope, WHOLE, knowing)
                return Hand(hand.count, intervals.hull([hand.value, by]) if isinstance(by, Number) else hand.value)
            case Keep(keep=ranked) | Drop(drop=ranked):
                taken = self._number(ranked.highest or ranked.lowest, scope, knowing) or Number(True, 0)
                if isinstance(operation, Keep):
                    return Hand(intervals.least([hand.count, taken]), hand.value)
                left = intervals.subtract(hand.count, taken)
                return Hand(intervals.greatest([intervals.constant(0), left]), hand.value)
        return hand

    def _number(self, code: Code | None, scope: Place, knowing: list[Expression]) -> Number | None:
        """A number of dice or times of an operation; it is never below zero."""
        if code is None:
            return None
        found = self.context.reader.type_of(code, scope, WHOLE, knowing)
        if not isinstance(found, Number):
            return None
        if found.low is None or found.low < 0:
            self.context.report.add(BAD_NUMBER, code.path, "This number may be below zero.", f"Write max(0, {code.text}).")
            return Number(True, 0, found.high if found.high is None else max(0, found.high))
        return found

    def _endless(self, operation: Explode | RerollDice, typed: Typed | None, faces: Faces) -> None:
        """Tells of a chain that no face ever stops, where only the die decides."""
        if typed is None or typed.faults or any(name not in ON_A_DIE for name in typed.names) or "group" in typed.names:
            return
        slots = {"face": 0, "first": 1, "value": 2, "sides": 3}
        symbols = {name: 4 + place for place, name in enumerate(self.context.system.symbols)}
        tree = _OnDie(slots, symbols).visit(typed.tree)

        def test(thrown: dice.Thrown) -> bool:
            values = [thrown.face, thrown.first, thrown.value, thrown.sides, *(thrown.symbol(name) for name in symbols)]
            return bool(evaluate(tree, values))

        code = operation.explode if isinstance(operation, Explode) else operation.reroll
        for die in dict.fromkeys(faces.dice):
            made = _made(operation, test)
            fault = dice.endless(dice.Pool((dice.Group("", 1, die),), (made,))) if made is not None else None
            if fault is not None:
                what = "explodes" if isinstance(operation, Explode) else "is thrown again"
                message = f"This never ends: a {die.name} {what} whatever it shows."
                if fault.code != "endless":
                    message = f"This nearly never ends: {fault.message} for a {die.name}."
                self.context.report.add(ENDLESS, code.path, message, "Leave a face that stops it, or bound it with `at_most`.")
                return

    # ------------------------------------------------------------------ readings

    def _readings(
        self, spec: RollSpec, hand: Hand, faces: Faces, on_die: Place, knowing: list[Expression]
    ) -> Iterable[tuple[str, Type | None]]:
        seen: dict[str, Path] = {}
        for kind in (*KEPT_READINGS, "sets"):
            for name, item in getattr(spec, kind).items():
                path: Path = (*spec.path, kind, name)
                if name in seen:
                    self.context.report.add(TWICE, path, f"`{name}` is the name of two readings.", on="key", related=(("the first", seen[name]),))
                seen[name] = path
                yield name, self._reading(kind, item, path, hand, faces, on_die, knowing)

    def _reading(
        self, kind: str, item: object, path: Path, hand: Hand, faces: Faces, on_die: Place, knowing: list[Expression]
    ) -> Number | None:
        none = intervals.constant(0)
        if kind == "sets":
            return intervals.hull([none, faces.number]) if item == "height" else Number(True, 0, hand.count.high)
        within = on_die.within({"value": hand.value})
        if kind == "count" and isinstance(item, Code):
            typed = self.context.reader.read(item, within, FLAG, knowing)
            return Number(True, 0, hand.count.high) if typed is not None and not typed.faults else None
        each = self._by_face(item, path, faces, within, knowing) if isinstance(item, Mapping) else None
        if isinstance(item, Code):
            found = self.context.reader.type_of(item, within, WHOLE, knowing)
            each = found if isinstance(found, Number) else None
        if each is None:
            return None
        return intervals.multiply(each, hand.count) if kind == "sum" else intervals.hull([none, each])

    def _by_face(
        self, cases: Mapping[str, Code], path: Path, faces: Faces, scope: Place, knowing: list[Expression]
    ) -> Number | None:
        total: list[Number] = [intervals.constant(0)]
        taken: dict[int, str] = {}
        for text, code in cases.items():
            found = self.context.reader.type_of(code, scope, WHOLE, knowing)
            if isinstance(found, Number):
                count = faces.symbol(text) if text in self.context.system.symbols else Number(True, 0, 1)
                total.append(intervals.multiply(found, count))
            self._face_range(text, (*path, text), faces, taken)
        if any(text in self.context.system.symbols for text in cases):
            low, high = zip(*(intervals.ends(one) for one in total), strict=True)
            return intervals.between(sum(min(0, one) for one in low), sum(max(0, one) for one in high), True)
        return intervals.hull(total)

    def _face_range(self, text: str, path: Path, faces: Faces, taken: dict[int, str]) -> None:
        """Tells of a face that is not on the dice, or that an earlier line has taken."""
        symbols = self.context.system.symbols
        if text in symbols:
            return
        low, dots, high = text.partition("..")
        if text[:1].isalpha():
            self.context.unknown(BAD_FACE, path, "face or symbol", text, symbols, on="key")
            return
        numbers = sorted({face for die in faces.dice for face in die.faces if isinstance(face, int)})
        least = int(low) if low else None
        most = int(high) if high else None if dots else least
        inside = [face for face in numbers if (least is None or face >= least) and (most is None or face <= most)]
        if not inside:
            names = ", ".join(sorted({die.name for die in faces.dice}))
            self.context.report.add(BAD_FACE, path, f"No face of {names} is {text}.", on="key")
        for face in inside:
            if face in taken:
                self.context.report.add(BAD_FACE, path, f"The face {face} stands in `{taken[face]}` already.", on="key")
                return
            taken[face] = text


def never_below_zero(code: Code, knowing: Iterable[Expression]) -> bool:
    """Whether `a - b` stays at zero at least because it is known that b <= a."""
    expression = parsed(code.text)
    tree = expression.tree if isinstance(expression, Expression) else None
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Sub):
        return False
    more, less = canonical(tree.left), canonical(tree.right)
    pairs = [pair for fact in knowing for pair in _compared(fact.tree)]
    return any(
        (isinstance(op, ast.LtE | ast.Lt) and (left, right) == (less, more))
        or (isinstance(op, ast.GtE | ast.Gt) and (left, right) == (more, less))
        for left, op, right in pairs
    )


def _compared(tree: ast.expr) -> Iterable[tuple[str, ast.cmpop, str]]:
    """The comparisons that a condition that holds makes certain."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        for part in tree.values:
            yield from _compared(part)
    elif isinstance(tree, ast.Compare):
        operands = [tree.left, *tree.comparators]
        for left, op, right in zip(operands, tree.ops, operands[1:], strict=False):
            yield canonical(left), op, canonical(right)


def _exploded(hand: Hand, face: Number, operation: Explode, most: Number | None) -> Hand:
    """One die more for each explosion, or a die that adds up."""
    high = None if most is None else most.high
    if operation.into == "new_die":
        count = None if high is None or hand.count.high is None else hand.count.high * (1 + high)
        return Hand(Number(True, hand.count.low, count), intervals.hull([hand.value, face]))
    more = intervals.multiply(intervals.hull([intervals.constant(0), face]), Number(True, 0, high))
    return Hand(hand.count, intervals.add(hand.value, more))


def _made(operation: Explode | RerollDice, test: dice.Test) -> dice.Operation | None:  # type: ignore[name-defined]
    if isinstance(operation, Explode):
        into = "new_die" if operation.into == "new_die" else "same_die"
        return None if operation.at_most is not None else dice.Explode(test, into)  # type: ignore[arg-type]
    until = operation.how_often is not None and operation.how_often.text == "until"
    return dice.Reroll(test, None, None) if until else None


class _OnDie(ast.NodeTransformer):
    """Registers for the names of a die, so that the expression can be computed for each face."""

    def __init__(self, slots: Mapping[str, int], symbols: Mapping[str, int]) -> None:
        self.slots = slots
        self.symbols = symbols

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 - the name is Python's
        return register(self.slots[node.id], node) if node.id in self.slots else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802 - the name is Python's
        return register(self.symbols[node.attr], node) if node.attr in self.symbols else node


__all__ = ["CHECKS", "NUMBER", "Register", "Rolls"]
