"""The exact distribution of a pool's readings: which method for which part of the pool, and the parts together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from .additive import additive
from .chance import Distribution, distribute, scaled
from .faults import LIMITS, Limits
from .hands import Hands
from .model import Asked, Group, Highest, Lowest, Operation, Pool, Reading, Sets, Thrown, applies, check_size
from .ranked import alone, ranked
from .tallies import BelowNothing, Tallies, Vector
from .looks import NO_DIE, look_of

Weighed: TypeAlias = tuple[dict[Vector, int], int]


def distribution(
    pool: Pool, wanted: Sequence[str], saturate: Mapping[str, int] | None = None, limits: Limits = LIMITS
) -> Distribution[Vector]:
    """The weights of the wanted readings together, in the order asked.

    A reading named in `saturate` is cut at its cap: numbers from the cap on are all given as the cap. That makes endless chains exact:
    a chain counts as settled once its links read alike, up to the tail of the limits, where it is also cut if they do not.
    """
    check_size(pool, limits)
    readings = [pool.reading(name) for name in wanted]
    caps = [(saturate or {}).get(name) for name in wanted]
    early = [None if cap is None or cap < 0 or isinstance(reading, Sets) else cap for reading, cap in zip(readings, caps, strict=True)]
    while True:
        try:
            outcomes, total = _together(pool, readings, early, limits)
            break
        except BelowNothing as below:
            early[below.place] = None
    result: dict[Vector, int] = {}
    for vector, weight in outcomes.items():
        final = tuple([_final(pool, *reading) for reading in zip(readings, vector, caps, strict=True)])
        result[final] = result.get(final, 0) + weight
    return distribute(dict(sorted(result.items())), total)


def _final(pool: Pool, reading: Reading, number: int, cap: int | None) -> int:
    if isinstance(reading, Asked):
        number = pool.dice
    elif isinstance(reading, Highest | Lowest) and abs(number) == NO_DIE:
        number = reading.empty
    return number if cap is None else min(number, cap)


def _together(pool: Pool, readings: Sequence[Reading], caps: Sequence[int | None], limits: Limits) -> Weighed:
    """Parts of the pool whose dice never meet are worked out apart."""
    outcomes: dict[Vector, int] = {tuple(_NEUTRAL.get(type(reading), 0) for reading in readings): 1}
    total = 1
    for groups in _parts(pool, readings):
        operations = [operation for operation in pool.operations if any(applies(operation, group.name) for group in groups)]
        part, scale = _one(groups, operations, readings, caps, limits)
        limits.check("terms", len(outcomes) * len(part))
        outcomes = _joined(outcomes, part, readings, caps)
        total *= scale
    return outcomes, total


_NEUTRAL: dict[type, int] = {Highest: -NO_DIE, Lowest: NO_DIE}


def _joined(
    one: dict[Vector, int], other: dict[Vector, int], readings: Sequence[Reading], caps: Sequence[int | None]
) -> dict[Vector, int]:
    ways = [_JOIN.get(type(reading), _add) for reading in readings]
    result: dict[Vector, int] = {}
    for vector, weight in one.items():
        for more, times in other.items():
            numbers = [way(a, b) for way, a, b in zip(ways, vector, more, strict=True)]
            key = tuple([_cut(number, cap) for number, cap in zip(numbers, caps, strict=True)])
            result[key] = result.get(key, 0) + weight * times
    return result


def _cut(number: int, cap: int | None) -> int:
    return number if cap is None or abs(number) == NO_DIE else min(number, cap)


def _add(one: int, other: int) -> int:
    return one + other


_JOIN: dict[type, Callable[[int, int], int]] = {Highest: max, Lowest: min}


def _parts(pool: Pool, readings: Sequence[Reading]) -> list[list[Group]]:
    """The groups that have dice, those together whose dice are ranked or compared together; dice that only add up too."""
    groups = [group for group in pool.groups if group.count]
    if not groups or any(isinstance(reading, Sets) for reading in readings):
        return [groups] if groups else []
    parts = [[group] for group in groups]
    apart = [operation for operation in pool.operations if not alone(operation)]
    for operation in apart:
        meeting = [part for part in parts if any(applies(operation, group.name) for group in part)]
        parts = [part for part in parts if part not in meeting] + [[group for part in meeting for group in part]]
    if not _comparing(readings):
        free = [group for group in groups if not any(applies(operation, group.name) for operation in apart)]
        parts = [part for part in parts if not set(part) & set(free)] + [free]
    parts = [part for part in parts if part]
    order = {group.name: place for place, group in enumerate(groups)}
    return [sorted(part, key=lambda group: order[group.name]) for part in parts]


def _comparing(readings: Sequence[Reading]) -> bool:
    return any(isinstance(reading, Highest | Lowest | Sets) for reading in readings)


def _one(
    groups: Sequence[Group],
    operations: Sequence[Operation],
    readings: Sequence[Reading],
    caps: Sequence[int | None],
    limits: Limits,
) -> Weighed:
    if not _comparing(readings) and all(alone(operation) for operation in operations):
        return additive(groups, operations, readings, caps, limits)
    answer = ranked(groups, operations, readings, caps, limits)
    return answer or by_hands(groups, operations, readings, caps, limits)


def by_hands(
    groups: Sequence[Group],
    operations: Sequence[Operation],
    readings: Sequence[Reading],
    caps: Sequence[int | None],
    limits: Limits,
) -> Weighed:
    """The way for all that has no other: hand by hand."""
    tallies = Tallies((), readings, caps, limits.tail, limits)
    looks = [look_of(reading, cap) for reading, cap in zip(readings, caps, strict=True)]

    def signature(thrown: Thrown) -> tuple[Vector, Vector]:
        return tallies.vector(thrown), tuple([look.datum(thrown) if look else 0 for look in looks])

    hands = Hands(groups, operations, signature, any(tallies.throw), limits)
    signs: dict[int, tuple[Vector, Vector]] = {}
    outcomes: dict[Vector, Fraction] = {}
    for (throws, ids_of_groups), chance in hands.thrown().items():
        ids = [number for group_ids in ids_of_groups for number in group_ids]
        for number in ids:
            if number not in signs:
                signs[number] = signature(hands.states[number])
        vector = tuple([throws * one for one in tallies.throw])
        for number in ids:
            vector = tallies.add(vector, signs[number][0])
        numbers = [
            look.over([signs[number][1][place] for number in ids]) if look else vector[place]
            for place, look in enumerate(looks)
        ]
        outcomes[tuple(numbers)] = outcomes.get(tuple(numbers), Fraction(0)) + chance
    return scaled(outcomes)
