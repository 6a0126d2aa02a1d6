"""Arithmetic on ranges of numbers: where a result must lie, given where its operands lie."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from .types import Bound, Number

# A bound, or a float infinity where there is none.
End = int | Fraction | float


def ends(number: Number) -> tuple[End, End]:
    return (
        -math.inf if number.low is None else number.low,
        math.inf if number.high is None else number.high,
    )


def between(low: End, high: End, whole: bool) -> Number:
    """The number from `low` to `high`; an empty range, which only unreachable code has, becomes its lower end."""
    if whole:
        low, high = _step(math.ceil)(low), _step(math.floor)(high)
    return Number(whole, _bound(low), _bound(max(low, high)))


def constant(value: int | Fraction) -> Number:
    return Number(value == int(value), value, value)


def add(one: Number, other: Number) -> Number:
    (a, b), (c, d) = ends(one), ends(other)
    return between(a + c, b + d, one.whole and other.whole)


def negate(one: Number) -> Number:
    low, high = ends(one)
    return between(-high, -low, one.whole)


def subtract(one: Number, other: Number) -> Number:
    return add(one, negate(other))


def multiply(one: Number, other: Number) -> Number:
    products = [_times(x, y) for x in ends(one) for y in ends(other)]
    return between(min(products), max(products), one.whole and other.whole)


def divide(one: Number, other: Number) -> Number:
    """The quotient; `other` is not zero, though its range may hold zero."""
    low, high = ends(other)
    if low < 0 < high:
        return hull([divide(one, between(low, 0, other.whole)), divide(one, between(0, high, other.whole))])
    if other.whole:
        low, high = low or 1, high or -1
    side = -1 if high <= 0 else 1
    inverses = [_inverse(end, side) for end in (low, high)]
    products = [_times(x, y) for x in ends(one) for y in inverses]
    return between(min(products), max(products), False)


def floor_divide(one: Number, other: Number) -> Number:
    return rounded(_step(math.floor))(divide(one, other))


def modulo(one: Number, other: Number) -> Number:
    """What is left of a division rounded down: it has the sign of the divisor and is nearer to zero than it."""
    whole = one.whole and other.whole
    (low, high), (least, most) = ends(one), ends(other)
    if low >= 0 and least > high:
        return one
    top = max(most - 1 if whole else most, 0) if most > 0 else 0
    bottom = min(least + 1 if whole else least, 0) if least < 0 else 0
    if least >= 0 and low >= 0:
        top = min(top, high)
    return between(bottom, top, whole)


def absolute(one: Number) -> Number:
    low, high = ends(one)
    if low >= 0:
        return between(low, high, one.whole)
    return between(max(0, -high), max(-low, high), one.whole)


def least(numbers: list[Number]) -> Number:
    pairs = [ends(number) for number in numbers]
    return between(min(a for a, _ in pairs), min(b for _, b in pairs), all(number.whole for number in numbers))


def greatest(numbers: list[Number]) -> Number:
    pairs = [ends(number) for number in numbers]
    return between(max(a for a, _ in pairs), max(b for _, b in pairs), all(number.whole for number in numbers))


def clamped(numbers: list[Number]) -> Number:
    value, low, high = numbers
    return greatest([low, least([value, high])])


def rounded(function: Callable[[End], End]) -> Callable[[Number], Number]:
    """The range of a rounding: it never turns a smaller number into a larger one, so its ends are enough."""

    def of(one: Number) -> Number:
        low, high = ends(one)
        return between(function(low), function(high), True)

    return of


def rounding(function: Callable[[int | Fraction], int]) -> Callable[[Number], Number]:
    return rounded(_step(function))


def total(each: Number, low: int, high: int | None) -> Number:
    """The sum of `low` to `high` numbers of one range."""
    return multiply(each, Number(True, low, high))


def hull(numbers: list[Number]) -> Number:
    """Where a number lies that is one of several."""
    pairs = [ends(number) for number in numbers]
    return between(min(a for a, _ in pairs), max(b for _, b in pairs), all(number.whole for number in numbers))


def _step(function: Callable[[int | Fraction], int]) -> Callable[[End], End]:
    return lambda end: end if isinstance(end, float) else function(end)


def _bound(end: End) -> Bound:
    return None if isinstance(end, float) else end


def _times(one: End, other: End) -> End:
    return 0 if one == 0 or other == 0 else one * other


def _inverse(end: End, side: int) -> End:
    if isinstance(end, float):
        return 0
    return side * math.inf if end == 0 else Fraction(1) / end
