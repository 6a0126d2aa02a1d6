"""Rolls: how many dice of which kind, what is done to them, and what their name stands for afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter import dice
from interpreter.checks.amounts import never_below_zero
from interpreter.checks.dice import Faces
from interpreter.checks.endless import tell_endless
from interpreter.checks.finding import Check
from interpreter.checks.readings import KINDS, Hand, Throw, amount, readings
from interpreter.checks.scopes import FLAG, WHOLE, Place, space
from interpreter.compiler.throws import dice_text
from interpreter.expressions import Expression, Key, Number, Type, intervals
from interpreter.model import Code, Drop, Explode, Group, Keep, Operation, Replace, Reroll, RerollDice, RollSpec

if TYPE_CHECKING:
    from interpreter.checks.context import Context

NO_DIE = Check(
    "E0424",
    "a roll without a die",
    "A roll says which die is thrown: `dice: 2d6`, or a number of dice beside `die: d6`.",
    failing="""
actions:
  shoot:
    inputs: {skill: {int: 1..5}}
    steps:
      - roll: {throw: {dice: skill}}
      - say: "{throw}"
""",
    passing="""
actions:
  shoot:
    inputs: {skill: {int: 1..5}}
    steps:
      - roll: {throw: {dice: skill, die: d6}}
      - say: "{throw}"
""",
)
NEGATIVE = Check(
    "E0422",
    "a number of dice that may be below zero",
    "What a pool of less than zero dice does is a rule of the game: the number has a least value, or the "
    "roll says `empty`.",
    failing="""
actions:
  press:
    inputs: {penalty: {int: 0..3}}
    steps:
      - roll: {throw: {dice: 2 - penalty, die: d6}}
      - say: "{throw}"
""",
    passing="""
actions:
  press:
    inputs: {penalty: {int: 0..3}}
    steps:
      - roll: {throw: {dice: 2 - penalty, die: d6, empty: {dice: 2, do: [{keep: {lowest: 1}}]}}}
      - say: "{throw}"
""",
)
CHECKS = (NO_DIE, NEGATIVE)
# No dice, one die, and a number of dice of which nothing is known because its fault is told already.
NONE, ONE, ANY = intervals.constant(0), intervals.constant(1), Number(True, 0)
Groups = Mapping[str, tuple[Number, Faces]]


class Rolls:
    def __init__(self, context: Context) -> None:
        self.context = context

    def roll(self, name: str, spec: RollSpec, scope: Place, knowing: list[Expression]) -> Type | None:
        """What the roll's name stands for afterwards."""
        self.context.roll_specs[spec.path] = spec
        groups = self._groups(spec, scope, knowing)
        if groups is None:
            self.context.reader.broken.update(name for kind in KINDS for name in getattr(spec, kind))
            return None
        faces = Faces(tuple(die for _, one in groups.values() for die in one.dice))
        self.context.roll_faces[spec.path] = {key: one for key, (_, one) in groups.items()}
        self._thrown(spec, groups)
        throw = Throw(faces, self.die_scope(scope, faces, tuple(spec.groups)), scope, knowing)
        hand = self._hand(spec, groups, throw)
        if spec.empty is not None:
            hand = self._empty(spec, hand, throw)
        known = dict(readings(self.context, spec, hand, throw))
        if not known:
            flat = dice_text(spec.dice.text) if spec.dice is not None and spec.die is None else None
            total = intervals.multiply(hand.value, hand.size)
            return intervals.add(total, intervals.constant(flat[2] if flat else 0))
        self.context.reader.broken.update(reading for reading, type_ in known.items() if type_ is None)
        parts = {reading: type_ for reading, type_ in known.items() if type_ is not None}
        return space(name, {"dice": _asked(groups), **parts}, "roll")

    def again(self, step: Reroll, spec: RollSpec, scope: Place, knowing: list[Expression]) -> None:
        """Dice that lie on the table thrown again: which of them, and how many."""
        with self.context.report.muted():
            groups = self._groups(spec, scope, knowing)
        faces = Faces(tuple(die for _, one in groups.values() for die in one.dice)) if groups else Faces(())
        if step.where is not None and faces.dice:
            on_die = self.die_scope(scope, faces, tuple(spec.groups))
            self.context.reader.read(step.where, on_die, FLAG, knowing)
        amount(self.context, step.how_many, scope, knowing)

    def _thrown(self, spec: RollSpec, groups: Groups) -> None:
        """Remembers how many dice can fall: a roll of a block or a procedure may be looked at several times."""
        known = self.context.roll_counts.get(spec.path, {})
        counts = {key: count for key, (count, _) in groups.items()}
        self.context.roll_counts[spec.path] = {
            key: intervals.hull([known[key], count]) if key in known else count for key, count in counts.items()
        }

    # ------------------------------------------------------------------ dice

    def _groups(self, spec: RollSpec, scope: Place, knowing: list[Expression]) -> Groups | None:
        if not spec.groups:
            found = self._single_group(spec, scope, knowing)
            return None if found is None else {"": found}
        groups: dict[str, tuple[Number, Faces]] = {}
        for name, group in spec.groups.items():
            count = self._count(group.dice, scope, knowing, allowed=False)
            faces = self.context.dice.of(group.die, scope) if group.die is not None else None
            if faces is not None:
                groups[name] = (count or ANY, faces)
        return groups if len(groups) == len(spec.groups) else None

    def _single_group(self, spec: RollSpec, scope: Place, knowing: list[Expression]) -> tuple[Number, Faces] | None:
        written = self.context.dice.written(spec.dice, spec.die)
        if written is not None:
            return written if written[1].dice else None
        if spec.die is None:
            shown = f"`{spec.dice.text}`" if spec.dice is not None else "this roll"
            message = f"Which die is thrown? {shown} only says how many."
            hint = "Add `die: d6`, or write `2d6`."
            if spec.dice is None:
                self.context.report.add(NO_DIE, spec.path, message, hint, on="key")
            else:
                self.context.report.add(NO_DIE, spec.dice.path, message, hint)
            return None
        count: Number | None = ONE
        if spec.dice is not None:
            count = self._count(spec.dice, scope, knowing, allowed=spec.empty is not None)
        faces = self.context.dice.of(spec.die, scope)
        return (count or ANY, faces) if faces is not None else None

    def _count(self, code: Code, scope: Place, knowing: list[Expression], *, allowed: bool) -> Number | None:
        """How many dice an expression asks for; below zero only where that is `allowed`."""
        found = self.context.reader.type_of(code, scope, WHOLE, knowing)
        if not isinstance(found, Number):
            return None
        if found.low is not None and found.low > dice.LIMITS.dice:
            self.context.dice.too_large(code, int(found.low), 1)
            return None
        below = found.low is None or found.low < 0
        if below and not allowed and not never_below_zero(code, knowing):
            least = "any number" if found.low is None else str(found.low)
            message = f"This number of dice may be below zero: it goes down to {least}."
            hint = "Write max(0, …), a `min:` in the value, or an `empty:` rule in the roll."
            self.context.report.add(NEGATIVE, code.path, message, hint)
        return Number(True, max(0, found.low or 0), None if found.high is None else max(0, found.high))

    def die_scope(self, scope: Place, faces: Faces, groups: tuple[str, ...]) -> Place:
        """The names that an expression on a die can use."""
        symbols = {name: _open(faces.symbol(name)) for name in self.context.system.symbols}
        names: dict[str, Type] = {
            "face": faces.number,
            "first": faces.number,
            "value": _open(faces.number),
            "sides": faces.sides,
            "symbol": space("symbol", symbols),
        }
        if groups:
            names["group"] = Key(groups)
        return scope.within(names)

    # ------------------------------------------------------------------ operations

    def _hand(self, spec: RollSpec, groups: Groups, throw: Throw) -> Hand:
        """The dice of every group after its own operations, then all of them after those of the roll."""
        hands = []
        for name, (count, own) in groups.items():
            hand = Hand(count, own.number)
            group: Group | None = spec.groups.get(name)
            on_die = self.die_scope(throw.scope, own, tuple(groups))
            for operation in group.do if group is not None else ():
                hand = self._operate(operation, hand, Throw(own, on_die, throw.scope, throw.knowing))
            hands.append(hand)
        total = NONE
        for hand in hands:
            total = intervals.add(total, hand.size)
        joined = Hand(total, intervals.hull([hand.value for hand in hands]))
        for operation in spec.do:
            joined = self._operate(operation, joined, throw)
        return joined

    def _empty(self, spec: RollSpec, hand: Hand, throw: Throw) -> Hand:
        """What lies there when the rule for an empty pool may have stepped in."""
        assert spec.empty is not None
        count = self._count(spec.empty.dice, throw.scope, throw.knowing, allowed=False) or NONE
        instead = Hand(count, throw.faces.number)
        for operation in spec.empty.do:
            instead = self._operate(operation, instead, throw)
        return Hand(intervals.hull([hand.size, instead.size]), intervals.hull([hand.value, instead.value]))

    def _operate(self, operation: Operation, hand: Hand, throw: Throw) -> Hand:
        read, faces = self.context.reader, throw.faces
        match operation:
            case Explode():
                typed = read.read(operation.explode, throw.on_die, FLAG, throw.knowing)
                most = amount(self.context, operation.at_most, throw.scope, throw.knowing)
                tell_endless(self.context, operation, typed, faces)
                return _exploded(hand, faces.number, operation, most)
            case RerollDice():
                typed = read.read(operation.reroll, throw.on_die, FLAG, throw.knowing)
                amount(self.context, operation.how_many, throw.scope, throw.knowing)
                if operation.how_often is not None and operation.how_often.text != "until":
                    amount(self.context, operation.how_often, throw.scope, throw.knowing)
                tell_endless(self.context, operation, typed, faces)
                return Hand(hand.size, intervals.hull([hand.value, faces.number]))
            case Replace():
                read.read(operation.replace, throw.on_die, FLAG, throw.knowing)
                by = read.type_of(operation.by, throw.scope, WHOLE, throw.knowing)
                return Hand(hand.size, intervals.hull([hand.value, by]) if isinstance(by, Number) else hand.value)
            case Keep(keep=ranked) | Drop(drop=ranked):
                taken = amount(self.context, ranked.highest or ranked.lowest, throw.scope, throw.knowing) or Number(
                    True, 0
                )
                if isinstance(operation, Keep):
                    return Hand(intervals.least([hand.size, taken]), hand.value)
                return Hand(intervals.greatest([NONE, intervals.subtract(hand.size, taken)]), hand.value)
        return hand


def _asked(groups: Groups) -> Number:
    """How many dice a roll asks for, before any operation."""
    total = NONE
    for count, _ in groups.values():
        total = intervals.add(total, count)
    return total


def _open(number: Number) -> Number:
    """A die that adds up its explosions has no most, and no least if a face is below zero."""
    low = number.low if number.low is not None and number.low >= 0 else None
    return Number(True, low, 0 if number.low == number.high == 0 else None)


def _exploded(hand: Hand, face: Number, operation: Explode, most: Number | None) -> Hand:
    """One die more for each explosion, or a die that adds up."""
    high = None if most is None else most.high
    if operation.into == "new_die":
        count = None if high is None or hand.size.high is None else hand.size.high * (1 + high)
        return Hand(Number(True, hand.size.low, count), intervals.hull([hand.value, face]))
    more = intervals.multiply(intervals.hull([NONE, face]), Number(True, 0, high))
    return Hand(hand.size, intervals.add(hand.value, more))
