"""Equal dice of which the highest or the lowest stay and are added up: the commonest ranked pool, without the rest."""

from __future__ import annotations

from .chance import LARGE, Weights
from .model import Count, Drop, Keep, Sum, applies, fresh, span
from .question import Question, Weighed
from .tallies import Tallies

_COSTLY = 16
"""Going over to other sums takes as long as so many steps of arithmetic."""


def top(question: Question) -> Weighed | None:
    """The answer to a question, or None if it asks for anything else."""
    if len(question.groups) != 1 or len(question.operations) != 1 or len(question.readings) != 1:
        return None
    (group,), (operation,), (reading,) = question.groups, question.operations, question.readings
    if not isinstance(operation, Keep | Drop) or not isinstance(reading, Count | Sum) or question.caps != (None,):
        return None
    start, end = span(operation, group.count)
    if not applies(operation, group.name) or (start and end < group.count):
        return None
    tallies = Tallies(question, ())
    states = [(fresh(group.name, group.die, face), weight) for face, weight in group.die.weights]
    states.sort(key=lambda state: state[0].value, reverse=not start)
    numbers = [(tallies.vector(thrown)[0], weight) for thrown, weight in states]
    stay, total = end - start, len(group.die.faces) ** group.count
    sums_at_most = _COSTLY + stay * len(numbers)
    question.budget.spend(len(numbers) * (stay + 1) ** 2 // 2 * sums_at_most * (1 + total.bit_length() // LARGE))
    sums = _added(numbers, group.count, stay)
    return {(number,): weight for number, weight in sums.items()}, total


def _added(states: list[tuple[int, int]], count: int, stay: int) -> Weights:
    """What the first dice that stay add up to, states going from the first to the last; they come with weights."""
    found: Weights = {}
    rest = sum(weight for _, weight in states)
    shown_before: dict[int, Weights] = {0: {0: 1}}
    for number, weight in states:
        rest -= weight
        after: dict[int, Weights] = {}
        for before, sums in shown_before.items():
            left, lacking = count - before, stay - before
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
