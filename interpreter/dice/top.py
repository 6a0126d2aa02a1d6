"""Equal dice of which the highest or the lowest are added up: the commonest pool that is ranked, without the rest."""

from __future__ import annotations

from typing import TypeAlias

from .chance import LARGE, Weights
from .model import Count, Drop, Extremes, Group, Keep, Sum, applies, lying, span
from .question import Question, Weighed
from .readings import whole
from .tallies import Tallies

_COSTLY = 16
"""Going over to other sums takes as long as so many steps of arithmetic."""


def top(question: Question) -> Weighed | None:
    """The answer to a question, or None if it asks for anything else."""
    if len(question.groups) != 1 or len(question.readings) != 1 or question.caps != (None,):
        return None
    (group,) = question.groups
    found = _read(question, group) if not question.operations else _staying(question, group)
    if found is None:
        return None
    numbers, most = found
    total = len(group.die.faces) ** group.count
    sums_at_most = _COSTLY + most * len(numbers)
    question.budget.spend(len(numbers) * (most + 1) ** 2 // 2 * sums_at_most * (1 + total.bit_length() // LARGE))
    sums = _added(numbers, group.count, most)
    return {(number,): weight for number, weight in sums.items()}, total


_Found: TypeAlias = tuple[list[tuple[int, int]], int]
"""What a die brings, the first ones first, with weights; how many are added up."""


def _read(question: Question, group: Group) -> _Found | None:
    (reading,) = question.readings
    if not isinstance(reading, Extremes):
        return None
    numbers = [(whole(reading.of, thrown, reading.name), weight) for thrown, weight in lying(group.name, group.die)]
    return sorted(numbers, reverse=reading.which == "highest"), min(reading.dice, group.count)


def _staying(question: Question, group: Group) -> _Found | None:
    (operation, *others), (reading,) = question.operations, question.readings
    if others or not isinstance(operation, Keep | Drop) or not isinstance(reading, Count | Sum):
        return None
    start, end = span(operation, group.count)
    if not applies(operation, group.name) or (start and end < group.count):
        return None
    tallies = Tallies(question, ())
    states = sorted(lying(group.name, group.die), key=lambda state: state[0].value, reverse=not start)
    return [(tallies.vector(thrown)[0], weight) for thrown, weight in states], end - start


def _added(states: list[tuple[int, int]], count: int, most: int) -> Weights:
    """What so many of the first dice add up to, states going from the first to the last; they come with weights."""
    found: Weights = {}
    rest = sum(weight for _, weight in states)
    shown_before: dict[int, Weights] = {0: {0: 1}}
    for number, weight in states:
        rest -= weight
        after: dict[int, Weights] = {}
        for before, sums in shown_before.items():
            left, lacking = count - before, most - before
            ways, fewer = 1, 0  # in which so many of the dice left show this, and in which fewer than that do
            for dice in range(lacking):
                if rest:
                    _add(after.setdefault(before + dice, {}), sums, number * dice, ways)
                fewer += ways * rest ** (left - dice)
                ways = ways * (left - dice) * weight // (dice + 1)
            _add(found, sums, number * lacking, (weight + rest) ** left - fewer)
        shown_before = after
    return found


def _add(into: Weights, sums: Weights, shift: int, ways: int) -> None:
    for number, weight in sums.items():
        into[number + shift] = into.get(number + shift, 0) + weight * ways
