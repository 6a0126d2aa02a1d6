"""Pools whose dice do not meet: the joint distribution of readings that add up, by powers of what one die brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .chance import NOTHING, Weights, convolve, power
from .model import Group, applies, lying
from .question import Question, Vector, Weighed
from .tallies import Tallies


@dataclass(frozen=True, slots=True)
class Packing:
    """Several whole numbers as one, so that adding the one adds each (Kronecker's substitution).

    Each number has a range that its total never leaves.
    """

    lows: Vector
    sizes: Vector

    @classmethod
    def of(cls, ranges: Sequence[tuple[int, int]]) -> Packing:
        return cls(tuple(low for low, _ in ranges), tuple(high - low + 1 for low, high in ranges))

    def pack(self, vector: Vector) -> int:
        if len(vector) == 1:
            return vector[0]
        packed = 0
        for number, size in zip(reversed(vector), reversed(self.sizes), strict=True):
            packed = packed * size + number
        return packed

    def unpack(self, packed: int) -> Vector:
        if len(self.sizes) == 1:
            return (packed,)
        packed -= self.pack(self.lows)
        numbers = []
        for low, size in zip(self.lows, self.sizes, strict=True):
            packed, number = divmod(packed, size)
            numbers.append(number + low)
        return tuple(numbers)


@dataclass(frozen=True, slots=True)
class _Alike:
    """So many dice, each bringing the same vectors with the same weights."""

    vectors: tuple[tuple[Vector, int], ...]
    total: int
    count: int


def additive(question: Question) -> Weighed:
    """The answer to a question about readings that add up, without operations that rank."""
    parts = _parts(question)
    return (_single if len(question.readings) == 1 else _several)(question, parts)


def _single(question: Question, parts: Sequence[_Alike]) -> Weighed:
    """One reading. What brings more and more without end may be left out where that is next to never."""
    (cap,), budget = question.caps, question.budget
    sums: Weights = {}
    total = 1
    for part in parts:
        one = {number: weight for (number,), weight in part.vectors}
        endless = cap is None and part.total > sum(one.values())
        several = power(one, part.count, cap, budget, question.tail * part.count if endless else NOTHING)
        if endless:
            budget.left_out.append(max(several) + 1)
        if min(one) < 0:
            budget.left_out.append(None)
        sums = convolve(sums, several, cap, budget) if sums else several
        total *= part.total**part.count
    return {(number,): weight for number, weight in sums.items()}, total


def _several(question: Question, parts: Sequence[_Alike]) -> Weighed:
    """Several readings, packed into one number."""
    ranges = [
        (
            sum(part.count * min(vector[place] for vector, _ in part.vectors) for part in parts),
            sum(part.count * max(vector[place] for vector, _ in part.vectors) for part in parts),
        )
        for place in range(len(question.readings))
    ]
    packing = Packing.of(ranges)
    sums: Weights = {}
    total = 1
    for part in parts:
        one = {packing.pack(vector): weight for vector, weight in part.vectors}
        several = power(one, part.count, None, question.budget)
        sums = convolve(sums, several, None, question.budget) if sums else several
        total *= part.total**part.count
    return {packing.unpack(packed): weight for packed, weight in sums.items()}, total


def _parts(question: Question) -> list[_Alike]:
    """The dice by what they bring."""
    tallies = Tallies(question, question.operations)
    counts: Counter[tuple[tuple[tuple[Vector, int], ...], int]] = Counter()
    for group in question.groups:
        vectors, total = _one_die(tallies, group)
        counts[tuple(sorted(vectors.items())), total] += group.count
    return [_Alike(vectors, total, count) for (vectors, total), count in counts.items()]


def _one_die(tallies: Tallies, group: Group) -> Weighed:
    if any(applies(operation, group.name) for operation in tallies.operations):
        return tallies.born(group.name, group.die)
    vectors: dict[Vector, int] = {}
    for thrown, weight in lying(group.name, group.die):
        vector = tallies.vector(thrown)
        if tallies.throws:
            vector = tallies.add(tallies.throw, vector)
        vectors[vector] = vectors.get(vector, 0) + weight
    return vectors, len(group.die.faces)
