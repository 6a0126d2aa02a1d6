"""The exact distribution of a pool's readings: which method for which part of the pool, and the parts together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from .additive import additive
from .chance import Distribution, distribute
from .faults import LIMITS, Budget, Limits
from .hands import Hands
from .looks import NO_DIE, looks_of
from .model import (
    Asked,
    Compared,
    Count,
    Extremes,
    Group,
    Highest,
    Lowest,
    Pool,
    Reading,
    Sets,
    Sum,
    Thrown,
    Throws,
    applies,
    check_size,
)
from .question import BelowNothing, Question, Vector, Weighed
from .ranked import alone, ranked
from .tallies import Tallies
from .top import top


def distribution(
    pool: Pool, wanted: Sequence[str], saturate: Mapping[str, int] | None = None, limits: Limits = LIMITS
) -> Distribution[Vector]:
    """The weights of the wanted readings together, in the order asked.

    A reading named in `saturate` is cut at its cap: all numbers from the cap on are given as the cap. That makes
    endless chains exact: a chain is folded once its links read alike down to the tail of the limits, and only cut
    there if they do not.
    """
    check_size(pool, limits)
    readings = tuple(pool.reading(name) for name in wanted)
    caps = tuple((saturate or {}).get(name) for name in wanted)
    early = [
        None if cap is None or cap < 0 or isinstance(reading, Sets) else cap
        for reading, cap in zip(readings, caps, strict=True)
    ]
    budget = Budget(limits)
    while True:
        try:
            outcomes, total = _together(pool, readings, tuple(early), budget)
            break
        except BelowNothing as below:
            early[below.place] = None
    if set(caps) != {None} or not _ADDED.issuperset(map(type, readings)):
        outcomes = _finals(pool, readings, caps, outcomes)
    found = distribute(dict(sorted(outcomes.items())), total)
    return replace(found, beyond=_least(budget.left_out)) if found.cut_off and len(wanted) == 1 else found


def folded(found: Distribution[Vector], cap: int) -> Distribution[Vector] | None:
    """The distribution of a single reading with all numbers from a cap on given as the cap; None where what was cut
    off may lie below."""
    if found.cut_off and (found.beyond is None or found.beyond < cap):
        return None
    below = {vector: weight for vector, weight in found.outcomes.items() if vector[0] < cap}
    rest = found.total - sum(below.values())
    return distribute({**below, (cap,): rest}, found.total)


def _least(left_out: Sequence[int | None]) -> int | None:
    known = [least for least in left_out if least is not None]
    return min(known) if known and len(known) == len(left_out) else None


def _finals(
    pool: Pool, readings: Sequence[Reading], caps: Sequence[int | None], outcomes: Mapping[Vector, int]
) -> dict[Vector, int]:
    result: dict[Vector, int] = {}
    for vector, weight in outcomes.items():
        final = tuple([_final(pool, *read) for read in zip(readings, vector, caps, strict=True)])
        result[final] = result.get(final, 0) + weight
    return result


def _final(pool: Pool, reading: Reading, number: int, cap: int | None) -> int:
    if isinstance(reading, Asked):
        number = pool.dice
    elif isinstance(reading, Highest | Lowest) and abs(number) == NO_DIE:
        number = reading.empty
    return number if cap is None else min(number, cap)


def _together(pool: Pool, readings: tuple[Reading, ...], caps: tuple[int | None, ...], budget: Budget) -> Weighed:
    """Parts of the pool whose dice never meet are worked out apart."""
    outcomes: dict[Vector, int] = {}
    total = 1
    tail = budget.limits.tail / max(1, 2 * pool.dice)  # half for the chains, half for the sums of the dice
    for groups in _parts(pool, readings):
        operations = tuple(one for one in pool.operations if any(applies(one, group.name) for group in groups))
        part, scale = _answer(Question(tuple(groups), operations, readings, caps, tail, budget))
        outcomes = _joined(outcomes, part, readings, caps, budget) if outcomes else part
        total *= scale
    return outcomes or {tuple([_NO_DICE.get(type(reading), 0) for reading in readings]): 1}, total


def _answer(question: Question) -> Weighed:
    if not question.compares and all(alone(operation) for operation in question.operations):
        return additive(question)
    question.budget.left_out.append(None)  # if anything is
    return top(question) or ranked(question) or by_hands(question)


def _parts(pool: Pool, readings: Sequence[Reading]) -> list[list[Group]]:
    """The groups that have dice: together those whose dice are ranked or compared together, and those that only add
    up."""
    groups = [group for group in pool.groups if group.count]
    comparing = any(isinstance(reading, Compared) for reading in readings)
    if not groups or any(isinstance(reading, Extremes | Sets) for reading in readings):
        return [groups] if groups else []
    ranking = [operation for operation in pool.operations if not alone(operation)]
    if not ranking and not comparing:
        return [groups]
    parts = [[group] for group in groups]
    for operation in ranking:
        meeting = [part for part in parts if any(applies(operation, group.name) for group in part)]
        parts = [part for part in parts if part not in meeting]
        parts.append([group for part in meeting for group in part])
    if not comparing:
        free = [group for group in groups if not any(applies(operation, group.name) for operation in ranking)]
        parts = [part for part in parts if not set(part) & set(free)] + [free]
    order = {group.name: place for place, group in enumerate(groups)}
    return [sorted(part, key=lambda group: order[group.name]) for part in parts if part]


def _joined(
    one: dict[Vector, int],
    other: dict[Vector, int],
    readings: Sequence[Reading],
    caps: Sequence[int | None],
    budget: Budget,
) -> dict[Vector, int]:
    budget.spend(len(one) * len(other))
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


_ADDED = frozenset((Count, Sum, Sets, Throws))
_NO_DICE: dict[type, int] = {Highest: -NO_DIE, Lowest: NO_DIE}
_JOIN: dict[type, Callable[[int, int], int]] = {Highest: max, Lowest: min}


def by_hands(question: Question) -> Weighed:
    """The way for all that has no other: hand by hand."""
    tallies = Tallies(question, ())
    looks = looks_of(question.readings, question.caps)

    def signature(thrown: Thrown) -> tuple[Vector, Vector]:
        return tallies.vector(thrown), tuple([look.datum(thrown) if look else 0 for look in looks])

    hands = Hands(question, signature, any(tallies.throw))
    signs: dict[int, tuple[Vector, Vector]] = {}
    outcomes: dict[Vector, int] = {}
    weights, total = hands.thrown()
    for (throws, groups), weight in weights.items():
        ids = [number for group in groups for number in group]
        for number in ids:
            if number not in signs:
                signs[number] = signature(hands.states[number])
        vector = tuple([throws * one for one in tallies.throw])
        for number in ids:
            vector = tallies.add(vector, signs[number][0])
        numbers = tuple(
            [
                look.over([signs[number][1][place] for number in ids]) if look else vector[place]
                for place, look in enumerate(looks)
            ]
        )
        outcomes[numbers] = outcomes.get(numbers, 0) + weight
    return outcomes, total
