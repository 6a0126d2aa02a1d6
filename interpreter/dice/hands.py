"""Hands of dice, one by one: the odds of any operations in any order, for pools small enough.

A hand is how many dice of each group lie in each state. States that nothing later can tell apart are one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from .chains import endless_fault, faces_of, grow
from .chance import scaled, showing
from .faults import Budget, DiceError
from .model import Drop, Explode, Keep, Operation, Replace, Reroll, Thrown, applies, lying, rank, span
from .question import Question

Ids: TypeAlias = tuple[int, ...]
Piece: TypeAlias = tuple[int, Ids]
"""Throws made and dice got, by number."""
Hand: TypeAlias = tuple[int, tuple[Ids, ...]]
"""Throws made and the dice of each group, by number, in the order of numbers."""
Weighted: TypeAlias = dict[Hand, int]


class Hands:
    """All hands that the operations can lead to. `signature` tells what matters of a die in the end."""

    def __init__(self, question: Question, signature: Callable[[Thrown], Hashable], count_throws: bool) -> None:
        self.groups = question.groups
        self.operations = question.operations
        self.budget = question.budget
        self.tail = question.tail
        self.states: list[Thrown] = []
        self._signature = signature
        self._throw = int(count_throws)
        self._positions = {group.name: place for place, group in enumerate(self.groups)}
        self._signs: dict[tuple[Thrown, int], Hashable] = {}
        self._ranks: dict[int, tuple[Any, ...]] = {}
        self._ids: dict[tuple[int, Hashable], int] = {}
        self._became: dict[tuple[int, int], tuple[dict[Piece, int], int]] = {}
        self._several: dict[tuple[int, int, int], dict[Piece, int]] = {}
        for group in self.groups:
            for thrown, _ in lying(group.name, group.die):
                self.id(thrown, len(self.operations))

    def sign(self, thrown: Thrown, stage: int) -> Hashable:
        """What matters of a die from the operation number `stage` on."""
        key = thrown, stage
        if key not in self._signs:
            if stage == len(self.operations):
                self._signs[key] = thrown.group, self._signature(thrown)
            elif not applies(self.operations[stage], thrown.group):
                self._signs[key] = self.sign(thrown, stage + 1)
            else:
                operation = self.operations[stage]
                self._signs[key] = _SIGN[type(operation)](self, operation, thrown, stage)
        return self._signs[key]

    def _sign_explode(self, operation: Explode, thrown: Thrown, stage: int) -> Hashable:
        explodes = operation.when(thrown)
        if explodes and operation.into == "same_die":
            return thrown
        return explodes, self.sign(thrown, stage + 1)

    def _sign_reroll(self, operation: Reroll, thrown: Thrown, stage: int) -> Hashable:
        if operation.how_many is not None:
            return thrown
        if operation.how_often != 0 and operation.where(thrown):
            return thrown.group
        return thrown.group, self.sign(thrown, stage + 1)

    def _sign_replace(self, operation: Replace, thrown: Thrown, stage: int) -> Hashable:
        return self.sign(operation.turned(thrown) if operation.where(thrown) else thrown, stage + 1)

    def id(self, thrown: Thrown, stage: int) -> int:
        """The number of the state that stands for this one at the stage."""
        key = stage, self.sign(thrown, stage)
        if key not in self._ids:
            self._ids[key] = len(self.states)
            self.states.append(thrown)
        return self._ids[key]

    def thrown(self) -> tuple[Weighted, int]:
        """The hands after a throw and all operations."""
        faces = []
        hands_at_most = 1
        for group in self.groups:
            weights: dict[Piece, int] = {}
            for thrown, weight in lying(group.name, group.die) if group.count else ():
                piece = self._throw, (self.id(thrown, 0),)
                weights[piece] = weights.get(piece, 0) + weight
            faces.append(weights)
            hands_at_most *= math.comb(group.count + len(weights) - 1, group.count) if group.count else 1
        self.budget.check("states", hands_at_most)
        hands: Weighted = {(0, ()): 1}
        total = 1
        for group, weights in zip(self.groups, faces, strict=True):
            hands = _with_group(hands, several(weights, group.count, self.budget), self.budget)
            total *= len(group.die.faces) ** group.count
        return self.after(hands, total)

    def after(self, hands: Weighted, total: int) -> tuple[Weighted, int]:
        """The hands after all operations, from hands of the first stage."""
        for stage, operation in enumerate(self.operations):
            result: Weighted = {}
            scale = 1
            for hand, weight in hands.items():
                after, own = _DO[type(operation)](self, operation, hand, stage)
                if scale % own:
                    more = math.lcm(scale, own) // scale
                    result = {into: share * more for into, share in result.items()}
                    scale *= more
                factor = weight * (scale // own)
                for into, share in after.items():
                    result[into] = result.get(into, 0) + share * factor
                self.budget.check("states", len(result))
            hands = result
            total *= scale
        return hands, total

    def _each(self, operation: Operation, hand: Hand, stage: int) -> tuple[Weighted, int]:
        return self._become(hand, [Counter(ids) for ids in hand[1]], stage)

    def _become(self, hand: Hand, chosen: Sequence[Mapping[int, int]], stage: int) -> tuple[Weighted, int]:
        """The chosen dice, counted by number, undergo the operation; the others stay as they are."""
        hands: Weighted = {(hand[0], ()): 1}
        total = 1
        for ids, taken in zip(hand[1], chosen, strict=True):
            pieces: dict[Piece, int] = {(0, ()): 1}
            for number, count in Counter(ids).items():
                some = taken.get(number, 0)
                kept = (self.id(self.states[number], stage + 1),) * (count - some)
                pieces = _joined(pieces, self._many(number, some, stage), kept, self.budget)
                total *= self._becomes(number, stage)[1] ** some if some else 1
            hands = _with_group(hands, pieces, self.budget)
        return hands, total

    def _many(self, number: int, count: int, stage: int) -> dict[Piece, int]:
        key = number, count, stage
        if key not in self._several:
            one = self._becomes(number, stage)[0] if count else {}
            self._several[key] = several(one, count, self.budget)
        return self._several[key]

    def _becomes(self, number: int, stage: int) -> tuple[dict[Piece, int], int]:
        """What one die becomes by an operation that looks at each die alone."""
        key = number, stage
        if key not in self._became:
            thrown, operation = self.states[number], self.operations[stage]
            if not applies(operation, thrown.group):
                self._became[key] = {(0, (self.id(thrown, stage + 1),)): 1}, 1
            else:
                self._became[key] = scaled(_BECOME[type(operation)](self, operation, thrown, stage))
        return self._became[key]

    def _exploded(self, operation: Explode, thrown: Thrown, stage: int) -> dict[Piece, Fraction]:
        own = self.id(thrown, stage + 1)
        if operation.at_most == 0 or not operation.when(thrown):
            return {(0, (own,)): _ONE}
        if operation.into == "same_die":
            signature = None if self._throw else lambda end: self.sign(end, stage + 1)
            ends = grow(operation, thrown, signature, self.tail, self.budget)
            return _gathered(
                ((end.throws * self._throw, (self.id(end.thrown, stage + 1),)), end.chance) for end in ends
            )
        result: dict[Piece, Fraction] = {}
        alive: dict[Piece, Fraction] = {(0, (own,)): _ONE}
        links = 0
        while alive and (sum(alive.values()) >= self.tail if operation.at_most is None else links < operation.at_most):
            links += 1
            self.budget.check("throws", links)
            going: dict[Piece, Fraction] = {}
            for (throws, ids), chance in alive.items():
                for child, share in faces_of(thrown.group, thrown.die):
                    goes_on = links != operation.at_most and operation.when(child)
                    piece = throws + self._throw, tuple(sorted((*ids, self.id(child, stage + 1))))
                    into = going if goes_on else result
                    into[piece] = into.get(piece, _NONE) + chance * share
            self.budget.spend(_COSTLY * (len(going) + len(result)))
            if operation.at_most is None and not result:
                raise DiceError(endless_fault(thrown))
            alive = going
        return result

    def _rerolled(self, operation: Reroll, thrown: Thrown, stage: int) -> dict[Piece, Fraction]:
        if operation.how_often == 0 or not operation.where(thrown):
            return {(0, (self.id(thrown, stage + 1),)): _ONE}
        faces = faces_of(thrown.group, thrown.die)
        wrong = sum((chance for face, chance in faces if operation.where(face)), _NONE)
        if operation.how_often is None and wrong == 1:
            raise DiceError(endless_fault(thrown))
        result: dict[Piece, Fraction] = {}
        reached, times = _ONE, 0
        while reached and (reached >= self.tail if operation.how_often is None else times < operation.how_often):
            times += 1
            self.budget.check("throws", times)
            self.budget.spend(_COSTLY * len(faces))
            share = reached / (1 - wrong) if operation.how_often is None and not self._throw else reached
            for face, chance in faces:
                if times == operation.how_often or not operation.where(face):
                    piece = times * self._throw, (self.id(face, stage + 1),)
                    result[piece] = result.get(piece, _NONE) + share * chance
            reached = _NONE if operation.how_often is None and not self._throw else reached * wrong
        return result

    def _replaced(self, operation: Replace, thrown: Thrown, stage: int) -> dict[Piece, Fraction]:
        turned = operation.turned(thrown) if operation.where(thrown) else thrown
        return {(0, (self.id(turned, stage + 1),)): _ONE}

    def ordered(self, ids: Iterable[int]) -> list[int]:
        """Dice from the best to the worst."""
        return sorted(ids, key=self.rank)

    def rank(self, number: int) -> tuple[Any, ...]:
        if number not in self._ranks:
            thrown = self.states[number]
            self._ranks[number] = rank(thrown, self._positions[thrown.group])
        return self._ranks[number]

    def _chosen(self, operation: Reroll, hand: Hand, stage: int) -> tuple[Weighted, int]:
        if operation.how_many is None:
            return self._each(operation, hand, stage)
        fitting = self._fitting(operation, hand, lambda number: operation.where(self.states[number]))
        lowest = fitting[::-1][: operation.how_many]
        chosen = [
            Counter(number for number in lowest if self.states[number].group == group.name) for group in self.groups
        ]
        return self._become(hand, chosen, stage)

    def _ranked(self, operation: Keep | Drop, hand: Hand, stage: int) -> tuple[Weighted, int]:
        fitting = self._fitting(operation, hand, lambda number: True)
        start, end = span(operation, len(fitting))
        gone = Counter((*fitting[:start], *fitting[end:]))
        groups = [sorted((Counter(ids) - gone).elements()) for ids in hand[1]]
        after = tuple(tuple(sorted([self.id(self.states[n], stage + 1) for n in ids])) for ids in groups)
        return {(hand[0], after): 1}, 1

    def _fitting(self, operation: Operation, hand: Hand, test: Callable[[int], bool]) -> list[int]:
        return self.ordered(
            number
            for ids in hand[1]
            for number in ids
            if applies(operation, self.states[number].group) and test(number)
        )


_COSTLY = 8
"""A step with hands takes as long as so many with numbers."""
_NONE = Fraction(0)
_ONE = Fraction(1)

_SIGN: dict[type, Callable[[Hands, Any, Thrown, int], Hashable]] = {
    Explode: Hands._sign_explode,
    Reroll: Hands._sign_reroll,
    Replace: Hands._sign_replace,
    Keep: lambda hands, operation, thrown, stage: thrown,
    Drop: lambda hands, operation, thrown, stage: thrown,
}
_BECOME: dict[type, Callable[[Hands, Any, Thrown, int], dict[Piece, Fraction]]] = {
    Explode: Hands._exploded,
    Reroll: Hands._rerolled,
    Replace: Hands._replaced,
}
_DO: dict[type, Callable[[Hands, Any, Hand, int], tuple[Weighted, int]]] = {
    Explode: Hands._each,
    Reroll: Hands._chosen,
    Replace: Hands._each,
    Keep: Hands._ranked,
    Drop: Hands._ranked,
}


def _gathered(items: Iterable[tuple[Piece, Fraction]]) -> dict[Piece, Fraction]:
    result: dict[Piece, Fraction] = {}
    for piece, chance in items:
        result[piece] = result.get(piece, _NONE) + chance
    return result


def several(one: Mapping[Piece, int], count: int, budget: Budget) -> dict[Piece, int]:
    """What so many dice alike become together."""
    if count == 0:
        return {(0, ()): 1}
    left_with: dict[int, dict[Piece, int]] = {count: {(0, ()): 1}}
    result: dict[Piece, int] = {}
    last = len(one) - 1
    for place, ((throws, ids), weight) in enumerate(one.items()):
        after: dict[int, dict[Piece, int]] = {}
        for left, pieces in left_with.items():
            budget.spend(_COSTLY * len(pieces) * (left + 1))
            for shown, ways in enumerate(showing(left, weight)) if place < last else ((left, weight**left),):
                into = after.setdefault(left - shown, {}) if shown < left else result
                for (made, got), share in pieces.items():
                    piece = made + throws * shown, tuple(sorted(got + ids * shown))
                    into[piece] = into.get(piece, 0) + share * ways
        budget.check("states", len(result))
        left_with = after
    return result


def _joined(pieces: dict[Piece, int], more: dict[Piece, int], kept: Ids, budget: Budget) -> dict[Piece, int]:
    budget.spend(_COSTLY * len(pieces) * len(more))
    result: dict[Piece, int] = {}
    for (throws, ids), weight in pieces.items():
        for (made, got), share in more.items():
            piece = throws + made, tuple(sorted((*ids, *got, *kept)))
            result[piece] = result.get(piece, 0) + weight * share
    return result


def _with_group(hands: Weighted, pieces: dict[Piece, int], budget: Budget) -> Weighted:
    budget.check("states", len(hands) * len(pieces))
    budget.spend(_COSTLY * len(hands) * len(pieces))
    result: Weighted = {}
    for (throws, groups), weight in hands.items():
        for (made, ids), share in pieces.items():
            hand = throws + made, (*groups, ids)
            result[hand] = result.get(hand, 0) + weight * share
    return result
