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
from .faults import Budget, DiceError
from .model import Drop, Explode, Keep, Operation, Replace, Reroll, Thrown, applies, fresh, rank, span
from .question import Question

Ids: TypeAlias = tuple[int, ...]
Piece: TypeAlias = tuple[int, Ids]
"""Throws made and dice got, by number."""
Hand: TypeAlias = tuple[int, tuple[Ids, ...]]
"""Throws made and the dice of each group, by number, in the order of numbers."""


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
        self._ids: dict[tuple[int, Hashable], int] = {}
        self._became: dict[tuple[int, int], dict[Piece, Fraction]] = {}
        self._several: dict[tuple[int, int, int], dict[Piece, Fraction]] = {}
        for group in self.groups:
            for face, _ in group.die.weights:
                self.id(fresh(group.name, group.die, face), len(self.operations))

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

    def thrown(self) -> dict[Hand, Fraction]:
        """The hands after a throw and all operations."""
        faces = []
        hands_at_most = 1
        for group in self.groups:
            chances: dict[Piece, Fraction] = {}
            for thrown, chance in faces_of(group.name, group.die) if group.count else ():
                piece = self._throw, (self.id(thrown, 0),)
                chances[piece] = chances.get(piece, _NONE) + chance
            faces.append(chances)
            hands_at_most *= math.comb(group.count + len(chances) - 1, group.count) if group.count else 1
        self.budget.check("states", hands_at_most)
        hands: dict[Hand, Fraction] = {(0, ()): _ONE}
        for group, chances in zip(self.groups, faces, strict=True):
            hands = _with_group(hands, several(chances, group.count, self.budget), self.budget)
        return self.after(hands)

    def after(self, hands: dict[Hand, Fraction]) -> dict[Hand, Fraction]:
        """The hands after all operations, from hands of the first stage."""
        for stage, operation in enumerate(self.operations):
            result: dict[Hand, Fraction] = {}
            for hand, chance in hands.items():
                for into, share in _DO[type(operation)](self, operation, hand, stage).items():
                    result[into] = result.get(into, _NONE) + chance * share
                self.budget.check("states", len(result))
            hands = result
        return hands

    def _each(self, operation: Operation, hand: Hand, stage: int) -> dict[Hand, Fraction]:
        return self._become(hand, [Counter(ids) for ids in hand[1]], stage)

    def _become(self, hand: Hand, chosen: Sequence[Mapping[int, int]], stage: int) -> dict[Hand, Fraction]:
        """The chosen dice, counted by number, undergo the operation; the others stay as they are."""
        hands: dict[Hand, Fraction] = {(hand[0], ()): _ONE}
        for ids, taken in zip(hand[1], chosen, strict=True):
            pieces: dict[Piece, Fraction] = {(0, ()): _ONE}
            for number, count in Counter(ids).items():
                some = taken.get(number, 0)
                kept = (self.id(self.states[number], stage + 1),) * (count - some)
                pieces = _joined(pieces, self._many(number, some, stage), kept, self.budget)
            hands = _with_group(hands, pieces, self.budget)
        return hands

    def _many(self, number: int, count: int, stage: int) -> dict[Piece, Fraction]:
        key = number, count, stage
        if key not in self._several:
            self._several[key] = several(self._becomes(number, stage), count, self.budget)
        return self._several[key]

    def _becomes(self, number: int, stage: int) -> dict[Piece, Fraction]:
        """What one die becomes by an operation that looks at each die alone."""
        key = number, stage
        if key not in self._became:
            thrown, operation = self.states[number], self.operations[stage]
            if not applies(operation, thrown.group):
                self._became[key] = {(0, (self.id(thrown, stage + 1),)): _ONE}
            else:
                self._became[key] = _BECOME[type(operation)](self, operation, thrown, stage)
        return self._became[key]

    def _exploded(self, operation: Explode, thrown: Thrown, stage: int) -> dict[Piece, Fraction]:
        own = self.id(thrown, stage + 1)
        if operation.at_most == 0 or not operation.when(thrown):
            return {(0, (own,)): _ONE}
        if operation.into == "same_die":
            signature = None if self._throw else lambda end: self.sign(end, stage + 1)
            ends = grow(operation, thrown, signature, self.tail, self.budget)
            return _summed(((end.throws * self._throw, (self.id(end.thrown, stage + 1),)), end.chance) for end in ends)
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
        return sorted(ids, key=lambda number: rank(self.states[number], self._positions[self.states[number].group]))

    def _chosen(self, operation: Reroll, hand: Hand, stage: int) -> dict[Hand, Fraction]:
        if operation.how_many is None:
            return self._each(operation, hand, stage)
        fitting = self._fitting(operation, hand, lambda number: operation.where(self.states[number]))
        lowest = fitting[::-1][: operation.how_many]
        chosen = [
            Counter(number for number in lowest if self.states[number].group == group.name) for group in self.groups
        ]
        return self._become(hand, chosen, stage)

    def _ranked(self, operation: Keep | Drop, hand: Hand, stage: int) -> dict[Hand, Fraction]:
        fitting = self._fitting(operation, hand, lambda number: True)
        start, end = span(operation, len(fitting))
        gone = Counter((*fitting[:start], *fitting[end:]))
        groups = [sorted((Counter(ids) - gone).elements()) for ids in hand[1]]
        return {
            (hand[0], tuple(tuple(sorted(self.id(self.states[n], stage + 1) for n in ids)) for ids in groups)): _ONE
        }

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
_DO: dict[type, Callable[[Hands, Any, Hand, int], dict[Hand, Fraction]]] = {
    Explode: Hands._each,
    Reroll: Hands._chosen,
    Replace: Hands._each,
    Keep: Hands._ranked,
    Drop: Hands._ranked,
}


def _summed(items: Iterable[tuple[Piece, Fraction]]) -> dict[Piece, Fraction]:
    result: dict[Piece, Fraction] = {}
    for piece, chance in items:
        result[piece] = result.get(piece, _NONE) + chance
    return result


def several(one: Mapping[Piece, Fraction], count: int, budget: Budget) -> dict[Piece, Fraction]:
    """What so many dice alike become together."""
    left_with: dict[int, dict[Piece, Fraction]] = {count: {(0, ()): _ONE}}
    for (throws, ids), chance in one.items():
        after: dict[int, dict[Piece, Fraction]] = {}
        for left, pieces in left_with.items():
            for shown in range(left + 1):
                ways = math.comb(left, shown) * chance**shown
                into = after.setdefault(left - shown, {})
                for (made, got), share in pieces.items():
                    piece = made + throws * shown, got + ids * shown
                    into[piece] = into.get(piece, _NONE) + share * ways
        pieces_now = sum(map(len, after.values()))
        budget.check("states", pieces_now)
        budget.spend(_COSTLY * pieces_now)
        left_with = after
    return _summed(((made, tuple(sorted(got))), share) for (made, got), share in left_with.get(0, {}).items())


def _joined(
    pieces: dict[Piece, Fraction], more: dict[Piece, Fraction], kept: Ids, budget: Budget
) -> dict[Piece, Fraction]:
    budget.spend(_COSTLY * len(pieces) * len(more))
    return _summed(
        ((throws + made, tuple(sorted((*ids, *got, *kept)))), chance * share)
        for (throws, ids), chance in pieces.items()
        for (made, got), share in more.items()
    )


def _with_group(hands: dict[Hand, Fraction], pieces: dict[Piece, Fraction], budget: Budget) -> dict[Hand, Fraction]:
    budget.check("states", len(hands) * len(pieces))
    budget.spend(_COSTLY * len(hands) * len(pieces))
    result: dict[Hand, Fraction] = {}
    for (throws, groups), chance in hands.items():
        for (made, ids), share in pieces.items():
            hand = throws + made, (*groups, ids)
            result[hand] = result.get(hand, _NONE) + chance * share
    return result
