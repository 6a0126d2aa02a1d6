"""Exact distributions: whole-number weights over one total."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Generic, TypeVar

from .faults import Budget

Outcome = TypeVar("Outcome", bound=Hashable)


LARGE = 4096
"""Bits of a number from which on it slows the work down."""

NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class Distribution(Generic[Outcome]):
    """The probability of an outcome is its weight over `total`; `cut_off` is the probability that belongs to no
    outcome. `beyond`: the least number that what was cut off can be, where outcomes are single numbers and it is
    known."""

    outcomes: dict[Outcome, int]
    total: int
    cut_off: Fraction
    beyond: int | None = None

    def probability(self, holds: Callable[[Outcome], bool]) -> Fraction:
        return Fraction(sum(weight for outcome, weight in self.outcomes.items() if holds(outcome)), self.total)

    def floats(self) -> dict[Outcome, float]:
        return {outcome: weight / self.total for outcome, weight in self.outcomes.items()}


def distribute(outcomes: Mapping[Outcome, int], total: int) -> Distribution[Outcome]:
    """In the order of outcomes as they come; in lowest terms unless the numbers are very large."""
    weights = {outcome: weight for outcome, weight in outcomes.items() if weight}
    lost = total - sum(weights.values())
    left = Fraction(lost, total) if lost else NOTHING
    common = math.gcd(total, *weights.values()) if total.bit_length() < LARGE else 1
    if common > 1:
        weights = {outcome: weight // common for outcome, weight in weights.items()}
    return Distribution(weights, total // common, left)


def scaled(chances: Mapping[Outcome, Fraction]) -> tuple[dict[Outcome, int], int]:
    """Fractions as whole-number weights over one total; what they lack to 1, the weights lack to the total."""
    total = math.lcm(*(chance.denominator for chance in chances.values()))
    return {outcome: chance.numerator * (total // chance.denominator) for outcome, chance in chances.items()}, total


Weights = dict[int, int]


def convolve(one: Weights, other: Weights, cap: int | None, budget: Budget) -> Weights:
    """The sum of two independent numbers; from `cap` on they are all counted as `cap`."""
    budget.spend(len(one) * len(other))
    result: Weights = {}
    for number, weight in one.items():
        for more, times in other.items():
            total = number + more
            if cap is not None and total > cap:
                total = cap
            result[total] = result.get(total, 0) + weight * times
    return result


def power(one: Weights, count: int, cap: int | None, budget: Budget, rest: Fraction = NOTHING) -> Weights:
    """The sum of `count` independent numbers alike. With a cap no number may be negative. The highest sums may be left
    out that are no more likely than `rest` together.

    Two methods, by the cheaper estimate: the recurrence of J. C. P. Miller for the power of a polynomial, which costs
    the length of the result times the number of different values; and going value by value over how many show it,
    which costs the number of multisets.
    """
    if count == 0:
        return {0: 1}
    if len(one) == 1:
        ((number, weight),) = one.items()
        return {number * count if cap is None else min(cap, number * count): weight**count}
    low = min(one)
    if cap is not None and low * count >= cap:
        return {cap: sum(one.values()) ** count}
    step = math.gcd(*(number - low for number in one))
    length = (max(one) - low) * count // step + 1
    if cap is not None:
        length = min(length, (cap - low * count + step - 1) // step)
    by_recurrence = length * len(one)
    by_value = math.comb(count + len(one) - 1, count)
    budget.spend(min(by_recurrence, by_value) * (1 + count * sum(one.values()).bit_length() // LARGE))
    if by_value < by_recurrence:
        return _by_value(list(one.items()), count, cap)
    return _by_recurrence(one, count, low, step, length, cap, rest)


def showing(left: int, weight: int) -> Iterator[int]:
    """For 0, 1, … `left` dice of so many showing something of that weight: in how many ways."""
    ways = 1
    for dice in range(left + 1):
        yield ways
        ways = ways * (left - dice) * weight // (dice + 1)


def _by_value(values: list[tuple[int, int]], count: int, cap: int | None) -> Weights:
    left_with: dict[int, Weights] = {count: {0: 1}}
    result: Weights = {}
    for number, weight in values[:-1]:
        after: dict[int, Weights] = {}
        for left, sums in left_with.items():
            for shown, ways in enumerate(showing(left, weight)):
                into = after.setdefault(left - shown, {}) if shown < left else result
                _add_shifted(into, sums, number * shown, ways, cap)
        left_with = after
    number, weight = values[-1]
    for left, sums in left_with.items():
        _add_shifted(result, sums, number * left, weight**left, cap)
    return result


def _add_shifted(into: Weights, sums: Weights, shift: int, ways: int, cap: int | None) -> None:
    for number, weight in sums.items():
        total = number + shift
        if cap is not None and total > cap:
            total = cap
        into[total] = into.get(total, 0) + weight * ways


def _by_recurrence(
    one: Weights, count: int, low: int, step: int, length: int, cap: int | None, rest: Fraction
) -> Weights:
    weights = {(number - low) // step: weight for number, weight in one.items()}
    whole = sum(one.values()) ** count
    first = weights.pop(0)
    coefficients = [first**count]
    small = count * sum(one.values()).bit_length() < LARGE
    follow = _dense if small and max(weights) <= 2 * len(weights) else _sparse
    left, spared = whole - coefficients[0], whole * rest.numerator // rest.denominator
    for weight in follow(coefficients, first, sorted(weights.items()), count, length):
        left -= weight
        if left <= spared:
            break
    result = {low * count + step * place: weight for place, weight in enumerate(coefficients) if weight}
    if cap is not None:
        result = {number: weight for number, weight in result.items() if number < cap}
        if left:
            result[cap] = left
    return result


def _sparse(
    coefficients: list[int], first: int, others: list[tuple[int, int]], count: int, length: int
) -> Iterator[int]:
    """Finds the next coefficients."""
    for place in range(1, length):
        total = 0
        for offset, weight in others:
            if offset > place:
                break
            total += ((count + 1) * offset - place) * weight * coefficients[place - offset]
        coefficients.append(total // (place * first))
        yield coefficients[-1]


def _dense(
    coefficients: list[int], first: int, others: list[tuple[int, int]], count: int, length: int
) -> Iterator[int]:
    """The same with whole rows of products: more of them, but quicker when few offsets are missing."""
    size = others[-1][0]
    weights = [0] * size
    for offset, weight in others:
        weights[offset - 1] = weight
    moments = [offset * weight for offset, weight in enumerate(weights, 1)]
    for place in range(1, length):
        window = coefficients[max(0, place - size) : place][::-1]
        total = (count + 1) * sum(map(mul, moments, window)) - place * sum(map(mul, weights, window))
        coefficients.append(total // (place * first))
        yield coefficients[-1]
