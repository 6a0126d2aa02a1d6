"""What one die brings to readings that add up, with all that comes of it: explosions, rerolls, extra dice."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .chains import endless_fault, grow
from .chance import scaled
from .faults import DiceError
from .model import Count, Die, Explode, Operation, Replace, Reroll, Sum, Thrown, Throws, applies, lying
from .question import BelowNothing, Question, Vector, Weighed
from .readings import whole

Weights = dict[Vector, int]
Test = Callable[[Thrown], bool]


class Tallies:
    """What one die of a group brings to each reading, whatever it becomes: weights over a total, which is more where
    something was cut off.

    A capped reading is cut at its cap on the way. That is right as long as no die brings less than nothing to it.
    """

    def __init__(self, question: Question, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.readings = question.readings
        self.caps = question.caps
        self._capped = [(place, cap) for place, cap in enumerate(question.caps) if cap is not None]
        self.tail = question.tail
        self.budget = question.budget
        self.nothing: Vector = (0,) * len(self.readings)
        self.throw: Vector = tuple(int(isinstance(reading, Throws)) for reading in self.readings)
        self.throws = any(self.throw)
        self._reads = [_READ.get(type(reading), _reads_nothing)(reading) for reading in self.readings]
        self._known: dict[tuple[Thrown, int], Weighed] = {}
        self._chains: dict[tuple[str, int, int | None], Weighed] = {}
        self._faces: dict[tuple[str, Die], Sequence[tuple[Thrown, int]]] = {}

    def vector(self, thrown: Thrown) -> Vector:
        numbers = [read(thrown) for read in self._reads]
        for place, cap in self._capped:
            if numbers[place] < 0:
                raise BelowNothing(place)
            if numbers[place] > cap:
                numbers[place] = cap
        return tuple(numbers)

    def add(self, one: Vector, other: Vector) -> Vector:
        each = zip(one, other, self.caps)  # noqa: B905 - costs
        return tuple([a + b if cap is None or a + b < cap else cap for a, b, cap in each])

    def times(self, one: Mapping[Vector, int], other: Mapping[Vector, int]) -> Weights:
        """The weights of two that add up."""
        self.budget.spend(_COSTLY * len(one) * len(other))
        result: Weights = {}
        for vector, weight in one.items():
            for more, times in other.items():
                total = self.add(vector, more)
                result[total] = result.get(total, 0) + weight * times
        return result

    def born(self, group: str, die: Die) -> Weighed:
        """A die thrown for the first time. Where it may be followed by others it is the first of their chain."""
        for stage, operation in enumerate(self.operations):
            if applies(operation, group):
                link = _LINKS.get(type(operation), _no_link)(operation)
                if link is None:
                    break
                most = None if link.most is None else link.most + 1
                return self._chain(_Link(link.test, most, link.stays), group, die, stage)
        result, _, total = self._split(_never, group, die, 0)
        return result, total

    def after(self, thrown: Thrown, stage: int) -> Weighed:
        """What comes of a die from the operation number `stage` on, in lowest terms."""
        key = thrown, stage
        if key not in self._known:
            if stage == len(self.operations):
                self._known[key] = {self.vector(thrown): 1}, 1
            elif not applies(self.operations[stage], thrown.group):
                self._known[key] = self.after(thrown, stage + 1)
            else:
                operation = self.operations[stage]
                self._known[key] = _lowest(*_AFTER[type(operation)](self, operation, thrown, stage))
        return self._known[key]

    def _exploded(self, operation: Explode, thrown: Thrown, stage: int) -> Weighed:
        if operation.at_most == 0 or not operation.when(thrown):
            return self.after(thrown, stage + 1)
        link = _exploding(operation)
        if link is not None:
            own, own_total = self.after(thrown, stage + 1)
            more, total = self._chain(link, thrown.group, thrown.die, stage)
            return self.times(own, more), own_total * total
        signature = None if self.throws else lambda end: _signature(self.after(end, stage + 1))
        ends = dict(enumerate(grow(operation, thrown, signature, self.tail, self.budget)))
        shares, total = scaled({place: end.chance for place, end in ends.items()})
        if sum(shares.values()) < total:
            self.budget.left_out.append(None)
        parts = []
        for place, share in shares.items():
            extra = {tuple([ends[place].throws * one for one in self.throw]): 1}
            weights, own_total = self.after(ends[place].thrown, stage + 1)
            parts.append((share, (self.times(extra, weights), own_total)))
        return _mixed(parts, total)

    def _rerolled(self, operation: Reroll, thrown: Thrown, stage: int) -> Weighed:
        if operation.how_often == 0 or not operation.where(thrown):
            return self.after(thrown, stage + 1)
        return self._chain(_rerolling(operation), thrown.group, thrown.die, stage)

    def _chain(self, link: _Link, group: str, die: Die, stage: int) -> Weighed:
        """A die thrown, and others after it as long as the last one passes the test."""
        key = group, stage, link.most
        if key not in self._chains:
            done, passing, total = self._split(link.test, group, die, stage + 1)
            again = sum([weight for thrown, weight in self._told_apart(group, die) if link.test(thrown)])
            more = passing if link.stays else {self.throw: again * (total // len(die.faces))}
            if link.most is None:
                if not done:
                    raise DiceError(endless_fault(lying(group, die)[0][0]))
                self._chains[key] = self.geometric(done, more, total)
            else:
                result: Weighed = _mix(dict(done), passing, 1), total
                for _ in range(link.most - 1):
                    weights, scale = result
                    result = _lowest(_mix(self.times(more, weights), done, scale), scale * total)
                self._chains[key] = result
        return self._chains[key]

    def _split(self, test: Test, group: str, die: Die, stage: int) -> tuple[Weights, Weights, int]:
        """A die thrown, by whether it fails or passes the test: what it brings from the stage on, throw included; and
        the total of both together."""
        faces = self._told_apart(group, die)
        parts: tuple[list[tuple[int, Weighed]], list[tuple[int, Weighed]]] = [], []
        for thrown, weight in faces:
            parts[bool(test(thrown))].append((weight, self.after(thrown, stage)))
        common = math.lcm(*[total for part in parts for _, (_, total) in part])
        fails, passes = (_weights(part, common) for part in parts)
        if self.throws:
            unit = {self.throw: 1}
            fails, passes = self.times(unit, fails), self.times(unit, passes)
        return fails, passes, common * len(die.faces)

    def _told_apart(self, group: str, die: Die) -> Sequence[tuple[Thrown, int]]:
        """The faces of a die that anything can tell apart, one standing for all alike, with their weights.

        What is thrown anew has nothing of the face before, so that a reading and the tests tell all; any other
        operation looks at the face itself.
        """
        key = group, die
        if key not in self._faces:
            links = [_LINKS.get(type(one), _no_link)(one) for one in self.operations if applies(one, group)]
            if None in links:
                self._faces[key] = lying(group, die)
            else:
                tests = [link.test for link in links if link is not None]
                first: dict[object, Thrown] = {}
                weights: dict[object, int] = {}
                for thrown, weight in lying(group, die):
                    sign = self.vector(thrown), *[bool(test(thrown)) for test in tests]
                    if sign in first:
                        weights[sign] += weight
                    else:
                        first[sign], weights[sign] = thrown, weight
                self._faces[key] = tuple([(first[sign], weight) for sign, weight in weights.items()])
        return self._faces[key]

    def _replaced(self, operation: Replace, thrown: Thrown, stage: int) -> Weighed:
        return self.after(operation.turned(thrown) if operation.where(thrown) else thrown, stage + 1)

    def geometric(self, last: Weights, more: Weights, total: int) -> Weighed:
        """The sum over k of more**k * last, both of them over `total`: a chain that goes on with `more` and ends with
        `last`.

        Totals only grow when nothing negative is added, so that each is done once, smallest first, its own return to
        itself summed as a series; otherwise link by link. What is less likely than the tail is left out.
        """
        if any(number < 0 for vector in more for number in vector):
            return self._link_by_link(last, more, total)
        if len(self.nothing) == 1 and all(0 <= number <= NARROW for (number,) in (*last, *more)):
            return self._series(last, more, total)
        result: dict[Vector, list[Ratio]] = {}
        arrived: dict[Vector, list[Ratio]] = {self.nothing: [(1, 1)]}
        queue = [(0, self.nothing)]
        pending, below, ending = 1, 1, total - sum(more.values())
        while queue and pending * self.tail.denominator >= self.tail.numerator * below:
            _, vector = heapq.heappop(queue)
            number, scale = _sum(arrived.pop(vector))
            self.budget.spend((_COSTLY + scale.bit_length() // _COSTLY) * (len(more) + len(last)))
            moves = [(self.add(vector, step), weight) for step, weight in more.items()]
            scale *= total - sum([weight for place, weight in moves if place == vector])
            common = math.lcm(below, scale)
            pending = pending * (common // below) - number * ending * (common // scale)
            below = common
            for place, weight in moves:
                if place != vector:
                    if place not in arrived:
                        heapq.heappush(queue, (sum(place), place))
                    arrived.setdefault(place, []).append((number * weight, scale))
            for step, weight in last.items():
                result.setdefault(self.add(vector, step), []).append((number * weight, scale))
        if arrived:
            self.budget.left_out.append(min(arrived)[0] if len(self.nothing) == 1 else None)
        return _over_one({place: _sum(ratios) for place, ratios in result.items()})

    def _series(self, last: Weights, more: Weights, total: int) -> Weighed:
        """The same for a single reading: the quotient of two power series, number by number. The chance of a number is
        its part over `once`, the weight that goes on for sure, to the power of one more than the number."""
        (cap,) = self.caps
        ends = {number: weight for (number,), weight in last.items()}
        goes = {number: weight for (number,), weight in more.items()}
        ending = total - sum(goes.values())
        once = total - goes.pop(0, 0)
        parts: list[int] = []
        powers = [1]
        left = sum(ends.values())  # over `ending` times the last power: all that still is to come
        while left and len(parts) != cap and left * self.tail.denominator >= self.tail.numerator * ending * powers[-1]:
            number = len(parts)
            self.budget.spend((_COSTLY + powers[-1].bit_length() // _COSTLY) * (len(goes) + 1))
            part = ends.get(number, 0) * powers[-1]
            for step, weight in goes.items():
                if step <= number:
                    part += weight * parts[number - step] * powers[step - 1]
            parts.append(part)
            powers.append(powers[-1] * once)
            left = left * once - part * ending
        result: Weights = {(number,): part * powers[-2 - number] for number, part in enumerate(parts) if part}
        if len(parts) != cap:
            if left:
                self.budget.left_out.append(len(parts))
            return _lowest(result, powers[-1])
        result = {vector: weight * ending for vector, weight in result.items()}
        return _lowest({**result, (cap,): left} if left else result, powers[-1] * ending)

    def _link_by_link(self, last: Weights, more: Weights, total: int) -> Weighed:
        self.budget.left_out.append(None)
        result: Weights = {}
        alive: Weights = {self.nothing: 1}
        scale = 1
        while (rest := sum(alive.values())) >= self.tail * scale:
            self.budget.spend((_COSTLY + rest.bit_length() // _COSTLY) * len(alive) * (len(more) + len(last)))
            scale *= total
            result = {vector: weight * total for vector, weight in result.items()}
            _mix(result, self.times(alive, last), 1)
            alive = self.times(alive, more)
        return result, scale


NARROW = 100
"""Numbers up to so many are gone through one by one."""

_COSTLY = 32
"""A step with weights of several readings takes as long as so many with whole numbers, and one more for so many
bits."""
Ratio = tuple[int, int]


def _never(thrown: Thrown) -> bool:
    return False


def _reads_nothing(reading: Any) -> Callable[[Thrown], int]:
    return lambda thrown: 0


def _reads(read: Callable[[Thrown], int], name: str) -> Callable[[Thrown], int]:
    def number(thrown: Thrown) -> int:
        found = read(thrown)
        return found if found.__class__ is int else whole(read, thrown, name)

    return number


_READ: dict[type, Callable[[Any], Callable[[Thrown], int]]] = {
    Count: lambda reading: _reads(reading.where, reading.name),
    Sum: lambda reading: _reads(reading.of, reading.name),
}
_AFTER: dict[type, Callable[[Tallies, Any, Thrown, int], Weighed]] = {
    Explode: Tallies._exploded,
    Reroll: Tallies._rerolled,
    Replace: Tallies._replaced,
}


@dataclass(frozen=True, slots=True)
class _Link:
    """A die that passes the test is followed by another, `most` in all; it stays itself, or leaves but its throw."""

    test: Test
    most: int | None
    stays: bool


def _exploding(operation: Explode) -> _Link | None:
    return _Link(operation.when, operation.at_most, True) if operation.into == "new_die" else None


def _rerolling(operation: Reroll) -> _Link:
    return _Link(operation.where, operation.how_often, False)


def _no_link(operation: Any) -> _Link | None:
    return None


_LINKS: dict[type, Callable[[Any], _Link | None]] = {Explode: _exploding, Reroll: _rerolling}


def _signature(found: Weighed) -> object:
    return frozenset(found[0].items()), found[1]


def _mix(into: Weights, weights: Mapping[Vector, int], share: int) -> Weights:
    for vector, weight in weights.items():
        into[vector] = into.get(vector, 0) + weight * share
    return into


def _weights(parts: Iterable[tuple[int, Weighed]], common: int) -> Weights:
    """Parts with their shares, brought to one total."""
    result: Weights = {}
    for share, (weights, total) in parts:
        _mix(result, weights, share * (common // total))
    return result


def _mixed(parts: Sequence[tuple[int, Weighed]], shares: int) -> Weighed:
    """Parts with their shares, of `shares` in all."""
    common = math.lcm(*[total for _, (_, total) in parts])
    return _weights(parts, common), common * shares


def _lowest(weights: Weights, total: int) -> Weighed:
    common = math.gcd(total, *weights.values())
    return (weights if common == 1 else {vector: weight // common for vector, weight in weights.items()}), (
        total // common
    )


def _sum(ratios: list[Ratio]) -> Ratio:
    if len(ratios) == 1:
        return ratios[0]
    scale = math.lcm(*[below for _, below in ratios])
    return sum([above * (scale // below) for above, below in ratios]), scale


def _over_one(ratios: Mapping[Vector, Ratio]) -> Weighed:
    scale = math.lcm(*[below for _, below in ratios.values()])
    return _lowest({vector: above * (scale // below) for vector, (above, below) in ratios.items()}, scale)
