"""Keeping and dropping as intervals of ranks, counted from the end at which the dice are looked at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .model import Drop, Keep, span

Ranking: TypeAlias = Keep | Drop
NO_END = 1 << 62


@dataclass(frozen=True, slots=True)
class Interval:
    """Of the dice of these groups that are still there, those stay whose place is from `start` to before `end`."""

    groups: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Order:
    """The intervals of all operations in their order, for a look from the best down or from the worst up; how many
    dice stay in the end, where that is known."""

    descending: bool
    intervals: tuple[Interval, ...]
    staying: int | None


def order(operations: Sequence[Ranking], sizes: Mapping[str, int] | None, names: frozenset[str]) -> Order | None:
    """How to look at the dice; `sizes` of the groups, None if they vary. None if the intervals would vary with the
    dice."""
    if sizes is None:
        for descending, end in ((True, "highest"), (False, "lowest")):
            if all(operation.which == end for operation in operations):
                return Order(descending, _merged([_from_end(operation, names) for operation in operations]), None)
        return None
    found = _spans(operations, sizes, names)
    if found is None:
        return None
    spans, staying = found
    down = _merged([Interval(groups, start, end) for groups, start, end, _ in spans])
    up = _merged([Interval(groups, size - end, size - start) for groups, start, end, size in spans])
    descending = sum(interval.end for interval in down) <= sum(interval.end for interval in up)
    return Order(descending, down if descending else up, staying)


def _taking_part(operation: Ranking, names: frozenset[str]) -> frozenset[str]:
    return names if operation.groups is None else names & frozenset(operation.groups)


def _from_end(operation: Ranking, names: frozenset[str]) -> Interval:
    groups = _taking_part(operation, names)
    return (
        Interval(groups, 0, operation.dice) if isinstance(operation, Keep) else Interval(groups, operation.dice, NO_END)
    )


def _spans(
    operations: Sequence[Ranking], sizes: Mapping[str, int], names: frozenset[str]
) -> tuple[list[tuple[frozenset[str], int, int, int]], int] | None:
    """Ranks from the best, and of how many dice, and how many stay in the end; None where an operation takes only
    some of the groups that an earlier one joined."""
    blocks = {frozenset({name}): sizes[name] for name in names}
    spans = []
    for operation in operations:
        groups = _taking_part(operation, names)
        inside = [block for block in blocks if block <= groups]
        if frozenset().union(*inside) != groups:
            return None
        size = sum(blocks.pop(block) for block in inside)
        start, end = span(operation, size)
        if groups:
            blocks[groups] = end - start
        spans.append((groups, start, end, size))
    return spans, sum(blocks.values())


def _merged(intervals: list[Interval]) -> tuple[Interval, ...]:
    """Successive intervals of the same dice as one."""
    result: list[Interval] = []
    for interval in intervals:
        if result and result[-1].groups == interval.groups:
            last = result.pop()
            start = last.start + interval.start
            result.append(Interval(interval.groups, start, max(start, min(last.end, last.start + interval.end))))
        else:
            result.append(interval)
    return tuple(result)
