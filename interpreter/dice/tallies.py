"""What one die brings to readings that add up, with all that comes of it: explosions, rerolls, extra dice."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from .chains import endless_fault, grow
from .faults import DiceError
from .model import Count, Die, Explode, Operation, Replace, Reroll, Sum, Thrown, Throws, applies, fresh
from .question import BelowNothing, Question, Vector
from .readings import whole

Chances: TypeAlias = dict[Vector, Fraction]


class Tallies:
    """What one die of a group brings to each reading, whatever it becomes.

    A capped reading is cut at its cap on the way. That is right as long as no die brings less than nothing to it.
    """

    def __init__(self, question: Question, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.readings = question.readings
        self.caps = question.caps
        self.tail = question.tail
        self.budget = question.budget
        self.nothing: Vector = (0,) * len(self.readings)
        self.throw: Vector = tuple(int(isinstance(reading, Throws)) for reading in self.readings)
        self._known: dict[tuple[Thrown, int], Chances] = {}
        self._thrown_again: dict[tuple[str, int, int | None], Chances] = {}

    def vector(self, thrown: Thrown) -> Vector:
        numbers = [_READ[type(reading)](reading, thrown) if type(reading) in _READ else 0 for reading in self.readings]
        for place, (number, cap) in enumerate(zip(numbers, self.caps, strict=True)):
            if cap is not None:
                if number < 0:
                    raise BelowNothing(place)
                numbers[place] = min(number, cap)
        return tuple(numbers)

    def add(self, one: Vector, other: Vector) -> Vector:
        return tuple(
            [a + b if cap is None else min(a + b, cap) for a, b, cap in zip(one, other, self.caps, strict=True)]
        )

    def times(self, one: Mapping[Vector, Fraction], other: Mapping[Vector, Fraction]) -> Chances:
        self.budget.spend(_COSTLY * len(one) * len(other))
        result: Chances = {}
        for vector, chance in one.items():
            for more, times in other.items():
                total = self.add(vector, more)
                result[total] = result.get(total, _NONE) + chance * times
        return result

    def born(self, group: str, die: Die) -> Chances:
        """A die thrown for the first time."""
        result, _ = self._split(lambda thrown: False, group, die, 0)
        return result

    def after(self, thrown: Thrown, stage: int) -> Chances:
        """What comes of a die from the operation number `stage` on."""
        key = thrown, stage
        if key not in self._known:
            if stage == len(self.operations):
                self._known[key] = {self.vector(thrown): _ONE}
            elif not applies(self.operations[stage], thrown.group):
                self._known[key] = self.after(thrown, stage + 1)
            else:
                operation = self.operations[stage]
                self._known[key] = _AFTER[type(operation)](self, operation, thrown, stage)
        return self._known[key]

    def _exploded(self, operation: Explode, thrown: Thrown, stage: int) -> Chances:
        if operation.at_most == 0 or not operation.when(thrown):
            return self.after(thrown, stage + 1)
        if operation.into == "new_die":
            return self.times(self.after(thrown, stage + 1), self._children(operation, thrown, stage))
        signature = None if any(self.throw) else lambda end: frozenset(self.after(end, stage + 1).items())
        result: Chances = {}
        for end in grow(operation, thrown, signature, self.tail, self.budget):
            extra = {tuple(end.throws * one for one in self.throw): end.chance}
            _mix(result, self.times(extra, self.after(end.thrown, stage + 1)), _ONE)
        return result

    def _children(self, operation: Explode, parent: Thrown, stage: int) -> Chances:
        """The extra die of an explosion and all that come of it."""
        key = parent.group, stage, operation.at_most
        if key not in self._thrown_again:
            last, more = self._split(operation.when, parent.group, parent.die, stage + 1)
            if operation.at_most is None:
                self._thrown_again[key] = self.geometric(last, more, parent)
            else:
                children = _mix(dict(last), more, _ONE)
                for _ in range(operation.at_most - 1):
                    children = _mix(self.times(more, children), last, _ONE)
                self._thrown_again[key] = children
        return self._thrown_again[key]

    def _split(self, test: Callable[[Thrown], bool], group: str, die: Die, stage: int) -> tuple[Chances, Chances]:
        """A die thrown, by whether it fails or passes the test: what it brings from the stage on, throw included."""
        alike: dict[tuple[bool, frozenset[tuple[Vector, Fraction]]], int] = {}
        for face, weight in die.weights:
            thrown = fresh(group, die, face)
            key = bool(test(thrown)), frozenset(self.after(thrown, stage).items())
            alike[key] = alike.get(key, 0) + weight
        results: tuple[Chances, Chances] = {}, {}
        for (passes, chances), weight in alike.items():
            _mix(results[passes], dict(chances), Fraction(weight, len(die.faces)))
        if not any(self.throw):
            return results
        unit = {self.throw: _ONE}
        return self.times(unit, results[0]), self.times(unit, results[1])

    def _rerolled(self, operation: Reroll, thrown: Thrown, stage: int) -> Chances:
        if operation.how_often == 0 or not operation.where(thrown):
            return self.after(thrown, stage + 1)
        key = thrown.group, stage, operation.how_often
        if key not in self._thrown_again:
            done, wrong = self._split(operation.where, thrown.group, thrown.die, stage + 1)
            chance = sum(wrong.values(), _NONE)
            again = {self.throw: chance}
            if operation.how_often is None:
                result = self.geometric(done, again, thrown)
            else:
                result = _mix(dict(done), wrong, _ONE)
                for _ in range(operation.how_often - 1):
                    result = _mix(self.times(again, result), done, _ONE)
            self._thrown_again[key] = result
        return self._thrown_again[key]

    def _replaced(self, operation: Replace, thrown: Thrown, stage: int) -> Chances:
        return self.after(operation.turned(thrown) if operation.where(thrown) else thrown, stage + 1)

    def geometric(self, last: Chances, more: Chances, thrown: Thrown) -> Chances:
        """The sum over k of more**k * last: a chain that goes on with `more` and ends with `last`.

        Totals only grow when nothing negative is added, so that each is done once, smallest first, its own return to
        itself summed as a series; otherwise link by link. What is less likely than the tail is left out.
        """
        if not last:
            raise DiceError(endless_fault(thrown))
        if any(number < 0 for vector in more for number in vector):
            return self._link_by_link(last, more)
        result: Chances = {}
        arrived: Chances = {self.nothing: _ONE}
        queue = [(0, self.nothing)]
        pending = _ONE
        while queue and pending >= self.tail:
            _, vector = heapq.heappop(queue)
            here = arrived.pop(vector)
            self.budget.spend(_cost(here) * (len(more) + len(last)))
            moves = [(self.add(vector, step), chance) for step, chance in more.items()]
            visits = here / (1 - sum((chance for place, chance in moves if place == vector), _NONE))
            pending -= here
            for place, chance in moves:
                if place != vector:
                    if place not in arrived:
                        heapq.heappush(queue, (sum(place), place))
                    arrived[place] = arrived.get(place, _NONE) + visits * chance
                    pending += visits * chance
            for step, chance in last.items():
                place = self.add(vector, step)
                result[place] = result.get(place, _NONE) + visits * chance
        return result

    def _link_by_link(self, last: Chances, more: Chances) -> Chances:
        result: Chances = {}
        alive: Chances = {self.nothing: _ONE}
        while (rest := sum(alive.values(), _NONE)) >= self.tail:
            self.budget.spend(_cost(rest) * len(alive) * (len(more) + len(last)))
            _mix(result, self.times(alive, last), _ONE)
            alive = self.times(alive, more)
        return result


_COSTLY = 32
"""A step with fractions takes as long as so many with whole numbers, and one more for so many bits."""
_NONE = Fraction(0)
_ONE = Fraction(1)
_READ: dict[type, Callable[[Any, Thrown], int]] = {
    Count: lambda reading, thrown: whole(reading.where, thrown, reading.name),
    Sum: lambda reading, thrown: whole(reading.of, thrown, reading.name),
}
_AFTER: dict[type, Callable[[Tallies, Any, Thrown, int], Chances]] = {
    Explode: Tallies._exploded,
    Reroll: Tallies._rerolled,
    Replace: Tallies._replaced,
}


def _cost(chance: Fraction) -> int:
    return _COSTLY + chance.denominator.bit_length() // _COSTLY


def _mix(into: Chances, chances: Mapping[Vector, Fraction], share: Fraction) -> Chances:
    for vector, chance in chances.items():
        into[vector] = into.get(vector, _NONE) + chance * share
    return into
