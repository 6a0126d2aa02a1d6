"""The functions that expressions can call: one table of what each is for, what it takes and gives, and how it works."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from . import intervals
from .types import Family, Flag, Key, Many, Number, Optional, Thing, Type

Value = int | Fraction


@dataclass(frozen=True, slots=True)
class Listing:
    """What a function runs over: the items of a list, or the values of a family with their keys."""

    item: Type
    key: Key | Thing | None
    low: int
    high: int | None


class Site(Protocol):
    """The place where a function is called, as its typing sees it; each question reports its own faults."""

    arguments: Sequence[ast.expr]

    def raw(self, place: int) -> Type | None:
        """The type of an argument, which may be absent."""

    def number(self, place: int) -> Number | None:
        """The argument as a number."""

    def flag(self, place: int, listing: Listing) -> None:
        """The argument as a yes or no about each `item`."""

    def listing(self, place: int) -> Listing | None:
        """The argument as a list."""

    def fault(self, place: int, message: str, hint: str = "") -> None:
        """The argument does not suit the function."""


Typing = Callable[[Site], Type | None]
Compute = TypeVar("Compute", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Function:
    """One function: for people (signature, sentence, example and its value), for checking, for running.

    When rules run, lists are already written out: `compute` takes the values of a list one by one (sum, count, any,
    all), or a yes or no and a value in turn for each (first, highest, lowest; a last odd one is what counts otherwise).
    """

    name: str
    signature: str
    about: str
    example: str
    value: str
    arity: tuple[int, int | None]
    typing: Typing
    compute: Callable[..., object]


FUNCTIONS: dict[str, Function] = {}


def _function(
    signature: str, example: str, value: str, arity: tuple[int, int | None], typing: Typing
) -> Callable[[Compute], Compute]:
    """Puts a function into the table; its docstring is what the manual says about it."""

    def enter(compute: Compute) -> Compute:
        name = signature.partition("(")[0]
        FUNCTIONS[name] = Function(name, signature, compute.__doc__ or "", example, value, arity, typing, compute)
        return compute

    return enter


def _numbers(combine: Callable[[list[Number]], Number]) -> Typing:
    """Every argument is a number."""

    def typing(site: Site) -> Type | None:
        found = [site.number(place) for place in range(len(site.arguments))]
        known = [number for number in found if number is not None]
        return combine(known) if len(known) == len(found) else None

    return typing


def _one(function: Callable[[Number], Number]) -> Typing:
    return _numbers(lambda numbers: function(numbers[0]))


def _filtered(site: Site) -> Listing | None:
    """The list that a function runs over, once its condition, if it has one, has chosen among its items."""
    listing = site.listing(0)
    if listing and len(site.arguments) > 1:
        site.flag(1, listing)
        return Listing(listing.item, listing.key, 0, listing.high)
    return listing


def _type_count(site: Site) -> Type:
    listing = _filtered(site)
    return Number(True, listing.low if listing else 0, listing.high if listing else None)


def _type_sum(site: Site) -> Type | None:
    listing = _filtered(site)
    if listing and isinstance(listing.item, Number):
        return intervals.total(listing.item, listing.low, listing.high)
    if listing:
        site.fault(0, "Only a list of numbers can be added up.", "Name the number to add: sum(list.level).")
    return None


def _type_condition(site: Site) -> Type:
    """any, all: of a condition on each item, or of a list of yes and no."""
    listing = _filtered(site)
    if listing and len(site.arguments) == 1 and not isinstance(listing.item, Flag):
        site.fault(0, "A condition on each item is missing.", "For instance any(list, item.level > 1).")
    return Flag()


def _type_first(site: Site) -> Type | None:
    listing = _filtered(site)
    if not listing:
        return None
    return listing.item if listing.low > 0 else Optional(listing.item)


def _type_extreme(site: Site) -> Type | None:
    """highest, lowest: a list that may be empty needs a second argument, what counts then."""
    listing = site.listing(0)
    otherwise = site.number(1) if len(site.arguments) > 1 else None
    if not listing:
        return None
    if not isinstance(listing.item, Number):
        site.fault(0, "Only a list of numbers has a highest and a lowest.", "Name the number: highest(list.level, 0).")
        return None
    if otherwise:
        return intervals.hull([listing.item, otherwise])
    if listing.low == 0 and len(site.arguments) == 1:
        site.fault(0, "This list may be empty.", "Say what counts then, for instance: highest(list, 0).")
    return Number(listing.item.whole, listing.item.low, listing.item.high)


def _type_given(site: Site) -> Type:
    site.raw(0)
    return Flag()


def listing_of(type_: Type) -> Listing | None:
    """A type as something to run over."""
    if isinstance(type_, Many):
        return Listing(type_.item, None, type_.low, type_.high)
    if isinstance(type_, Family):
        size = len(type_.keys.ids) if isinstance(type_.keys, Key) else None
        return Listing(type_.value, type_.keys, size or 0, size)
    return None


def _pairs(values: Sequence[object]) -> list[Any]:
    """The values whose yes or no, just before them, is yes; with a last odd one when there are none."""
    chosen = [values[place + 1] for place in range(0, len(values) - 1, 2) if values[place] is True]
    return chosen or list(values[len(values) - 1 :] if len(values) % 2 else ())


@_function("min(a, b, …)", "min(3, 5)", "3", (2, None), _numbers(intervals.least))
def _min(*values: Value) -> Value:
    """The lowest of the numbers."""
    return min(values)


@_function("max(a, b, …)", "max(0, 2 - 3)", "0", (2, None), _numbers(intervals.greatest))
def _max(*values: Value) -> Value:
    """The highest of the numbers."""
    return max(values)


@_function("clamp(x, low, high)", "clamp(9, 0, 6)", "6", (3, 3), _numbers(intervals.clamped))
def _clamp(value: Value, low: Value, high: Value) -> Value:
    """x, but at most high and at least low; where they cross, low wins."""
    return max(low, min(value, high))


@_function("abs(x)", "abs(2 - 5)", "3", (1, 1), _one(intervals.absolute))
def _abs(value: Value) -> Value:
    """x without its sign."""
    return max(value, -value)


@_function("floor(x)", "floor(7 / 2)", "3", (1, 1), _one(intervals.rounding(math.floor)))
def _floor(value: Value) -> int:
    """x rounded down."""
    return math.floor(value)


@_function("ceil(x)", "ceil(7 / 2)", "4", (1, 1), _one(intervals.rounding(math.ceil)))
def _ceil(value: Value) -> int:
    """x rounded up."""
    return math.ceil(value)


def _to_half_up(value: Value) -> int:
    return math.floor(value + Fraction(1, 2))


def _to_half_down(value: Value) -> int:
    return math.ceil(value - Fraction(1, 2))


@_function("round_half_up(x)", "round_half_up(5 / 2)", "3", (1, 1), _one(intervals.rounding(_to_half_up)))
def _round_half_up(value: Value) -> int:
    """x rounded to the nearest whole number; a half goes up."""
    return _to_half_up(value)


@_function("round_half_down(x)", "round_half_down(5 / 2)", "2", (1, 1), _one(intervals.rounding(_to_half_down)))
def _round_half_down(value: Value) -> int:
    """x rounded to the nearest whole number; a half goes down."""
    return _to_half_down(value)


@_function("round_half_even(x)", "round_half_even(5 / 2)", "2", (1, 1), _one(intervals.rounding(round)))
def _round_half_even(value: Value) -> int:
    """x rounded to the nearest whole number; a half goes to the even one."""
    return round(value)


@_function("sum(list, condition)", "sum(talents.level)", "5, for levels 2 and 3", (1, 2), _type_sum)
def _sum(*values: Value) -> Value:
    """The numbers of a list added up; with a condition, those for which it holds."""
    return sum(values)


@_function("count(list, condition)", "count(allies, item.present)", "2, when two are present", (1, 2), _type_count)
def _count(*flags: bool) -> int:
    """How many are in a list; with a condition, for how many it holds."""
    return flags.count(True)


@_function("any(list, condition)", "any(allies, item.wounds > 3)", "yes, when one has four", (1, 2), _type_condition)
def _any(*flags: bool) -> bool:
    """Whether the condition holds for at least one; no for an empty list."""
    return any(flags)


@_function("all(list, condition)", "all(allies, item.wounds == 0)", "no, when one is wounded", (1, 2), _type_condition)
def _all(*flags: bool) -> bool:
    """Whether the condition holds for every one; yes for an empty list."""
    return all(flags)


@_function("first(list, condition)", "first(allies, item.present)", "the first who is present", (1, 2), _type_first)
def _first(*values: object) -> object:
    """The first for which the condition holds; given(first(…)) asks whether there is one."""
    chosen = _pairs(values)
    return chosen[0] if chosen else None


@_function("highest(list, otherwise)", "highest(allies.rank, 0)", "4, for ranks 1, 4 and 2", (1, 2), _type_extreme)
def _highest(*values: object) -> object:
    """The highest number of a list; when the list is empty, the second number."""
    return max(_pairs(values))


@_function("lowest(list, otherwise)", "lowest(allies.rank, 0)", "1, for ranks 1, 4 and 2", (1, 2), _type_extreme)
def _lowest(*values: object) -> object:
    """The lowest number of a list; when the list is empty, the second number."""
    return min(_pairs(values))


@_function("given(x)", "given(ally)", "yes, when an ally was chosen", (1, 1), _type_given)
def _given(value: object) -> bool:
    """Whether something that may be absent is there."""
    return value is not None
