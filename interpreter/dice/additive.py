"""Pools whose dice do not meet: the joint distribution of readings that add up, by powers of what one die brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .chance import Weights, convolve, power, scaled
from .faults import Limits
from .model import Group, Operation, Reading, applies, fresh
from .tallies import Tallies, Vector


@dataclass(frozen=True, slots=True)
class Packing:
    """Several whole numbers as one, so that adding the one adds each (Kronecker's substitution). Each has a range for its total."""

    lows: Vector
    sizes: Vector

    @classmethod
    def of(cls, ranges: Sequence[tuple[int, int]]) -> Packing:
        return cls(tuple(low for low, _ in ranges), tuple(high - low + 1 for low, high in ranges))

    def pack(self, vector: Vector) -> int:
        packed = 0
        for number, size in zip(reversed(vector), reversed(self.sizes), strict=True):
            packed = packed * size + number
        return packed

    def unpack(self, packed: int) -> Vector:
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


def additive(
    groups: Sequence[Group], operations: Sequence[Operation], readings: Sequence[Reading], caps: Sequence[int | None], limits: Limits
) -> tuple[dict[Vector, int], int]:
    """The weights of all readings together, and their total. Readings that do not add up stay 0."""
    parts = _parts(groups, operations, readings, caps, limits)
    places = range(len(readings))
    lows = [sum(part.count * min(vector[place] for vector, _ in part.vectors) for part in parts) for place in places]
    highs = [sum(part.count * max(vector[place] for vector, _ in part.vectors) for part in parts) for place in places]
    packing = Packing.of(list(zip(lows, highs, strict=True)))
    cap = caps[0] if len(readings) == 1 else None
    sums: Weights = {0: 1}
    total = 1
    for part in parts:
        one = {packing.pack(vector): weight for vector, weight in part.vectors}
        sums = convolve(sums, power(one, part.count, cap, limits), cap, limits)
        total *= part.total**part.count
    return {packing.unpack(packed): weight for packed, weight in sums.items()}, total


def _parts(
    groups: Sequence[Group],
    operations: Sequence[Operation],
    readings: Sequence[Reading],
    caps: Sequence[int | None],
    limits: Limits,
) -> list[_Alike]:
    """The dice by what they bring."""
    tallies = Tallies(operations, readings, caps, limits.tail / sum(group.count for group in groups), limits)
    counts: Counter[tuple[tuple[tuple[Vector, int], ...], int]] = Counter()
    for group in groups:
        vectors, total = _one_die(tallies, group)
        counts[tuple(sorted(vectors.items())), total] += group.count
    return [_Alike(vectors, total, count) for (vectors, total), count in counts.items()]


def _one_die(tallies: Tallies, group: Group) -> tuple[dict[Vector, int], int]:
    if any(applies(operation, group.name) for operation in tallies.operations):
        return scaled(tallies.born(group.name, group.die))
    vectors: dict[Vector, int] = {}
    for face, weight in group.die.weights:
        vector = tallies.add(tallies.throw, tallies.vector(fresh(group.name, group.die, face)))
        vectors[vector] = vectors.get(vector, 0) + weight
    return vectors, len(group.die.faces)
