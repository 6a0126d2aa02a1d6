"""The promise of the dice: what a throw does with every sequence of faces is what the exact distribution says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from dice.brute import TooMany, enumerate_all
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interpreter.dice import (
    Count,
    DiceError,
    Die,
    Distribution,
    Drop,
    Explode,
    Extremes,
    Group,
    Highest,
    Keep,
    Limits,
    Lowest,
    Operation,
    Pool,
    Reading,
    Replace,
    Reroll,
    Sets,
    Sum,
    Symbols,
    Thrown,
    distribution,
    folded,
    standard,
)
from interpreter.dice.chance import distribute

TESTS: dict[str, Callable[[Thrown], bool]] = {
    "top": lambda die: die.face == die.sides,
    "one": lambda die: die.face == 1,
    "low": lambda die: die.face <= 2,
    "total": lambda die: die.value >= 3,
    "first": lambda die: die.first == 2,
    "group a": lambda die: die.group == "a",
    "symbol": lambda die: die.symbol("S") > 0,
    "never": lambda die: False,
}
NUMBERS: dict[str, Callable[[Thrown], int]] = {
    "face": lambda die: die.face,
    "value": lambda die: die.value,
    "signed": lambda die: 1 if die.face >= 3 else -(die.face == 1),
    "weighted": lambda die: (2 if die.group == "b" else 1) * (die.face > 1),
    "half": lambda die: die.face // 2,
    "symbols": lambda die: die.symbol("S") - 2 * die.symbol("F"),
}
DICE = [
    standard(2),
    standard(3),
    standard(4),
    Die("ten", (0, 1, 2)),
    Die("weighted", (1, 1, 3)),
    Die("signed", (-1, 0, 1)),
    Die("symbols", (Symbols(), Symbols.of("S"), Symbols.of("S", "F"))),
]


def chosen(table: Mapping[str, Callable[[Thrown], int]]) -> st.SearchStrategy[Callable[[Thrown], int]]:
    return st.sampled_from(sorted(table)).map(table.__getitem__)


groups_of = st.sampled_from([None, None, ("a",), ("b",)])
operations = st.one_of(
    st.builds(Explode, chosen(TESTS), st.sampled_from(["new_die", "same_die"]), st.integers(0, 2), groups_of),
    st.builds(Reroll, chosen(TESTS), st.sampled_from([None, 1, 2]), st.integers(0, 2), groups_of),
    st.builds(Keep, st.sampled_from(["highest", "lowest", "middle"]), st.integers(0, 3), groups_of),
    st.builds(Drop, st.sampled_from(["highest", "lowest"]), st.integers(0, 2), groups_of),
    st.builds(Replace, chosen(TESTS), st.sampled_from([0, 1, 3, lambda die: die.face + 1]), groups_of),
)
kinds_of_reading: list[Callable[[str], st.SearchStrategy[Reading]]] = [
    lambda name: st.builds(Count, st.just(name), chosen(TESTS)),
    lambda name: st.builds(Sum, st.just(name), chosen(NUMBERS)),
    lambda name: st.builds(Highest, st.just(name), chosen(NUMBERS), st.sampled_from([0, 7])),
    lambda name: st.builds(Lowest, st.just(name), chosen(NUMBERS), st.sampled_from([0, 7])),
    lambda name: st.builds(
        Extremes, st.just(name), st.sampled_from(["highest", "lowest"]), st.integers(0, 4), chosen(NUMBERS)
    ),
    lambda name: st.builds(
        Sets,
        st.just(name),
        st.sampled_from(["largest", "height", "count", "parts"]),
        st.integers(1, 3),
        chosen(NUMBERS),
    ),
]


@st.composite
def pools(draw: st.DrawFn, done: st.SearchStrategy[Operation] = operations) -> Pool:
    """At most three dice, so that brute force is quick."""
    counts = draw(st.sampled_from([(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2), (0, 0), (0, 2)]))
    groups = tuple(Group(name, count, draw(st.sampled_from(DICE))) for name, count in zip("ab", counts, strict=True))
    names = draw(st.integers(1, 3))
    readings = tuple(draw(draw(st.sampled_from(kinds_of_reading))(f"r{place}")) for place in range(names))
    return Pool(groups, tuple(draw(st.lists(done, max_size=3))), readings)


def same(found: Distribution[tuple[int, ...]], brute: dict[tuple[int, ...], Fraction]) -> None:
    assert {outcome: Fraction(weight, found.total) for outcome, weight in found.outcomes.items()} == brute
    assert found.cut_off == 0


@settings(max_examples=200, deadline=None)
@given(pools(), st.booleans(), st.data())
def test_distribution_is_every_throw(pool: Pool, with_throws: bool, data: st.DataObject) -> None:
    names = [reading.name for reading in pool.readings] + ["thrown"] * with_throws
    try:
        brute = enumerate_all(pool, names, at_most=3000)
    except TooMany:
        assume(False)
    same(distribution(pool, names), brute)
    caps = {name: data.draw(st.integers(-1, 4), label=f"cap of {name}") for name in names[:2]}
    cut: dict[tuple[int, ...], Fraction] = {}
    for outcome, chance in brute.items():
        key = tuple(min(number, caps.get(name, number)) for name, number in zip(names, outcome, strict=True))
        cut[key] = cut.get(key, Fraction(0)) + chance
    same(distribution(pool, names, caps), cut)


endless_operations = st.one_of(
    operations,
    st.builds(Explode, chosen(TESTS), st.just("new_die"), st.none(), groups_of),
    st.builds(Explode, chosen(TESTS), st.just("same_die"), st.none(), groups_of),
    st.builds(Reroll, chosen(TESTS), st.none(), st.none(), groups_of),
)
COARSE, FINE = (Limits(terms=200_000, states=2_000, tail=Fraction(1, tail)) for tail in (100, 10**15))


@settings(max_examples=200, deadline=None)
@given(pools(endless_operations), st.integers(-2, 70), st.sampled_from([COARSE, FINE]))
def test_what_is_cut_off_is_no_more_than_told(pool: Pool, cap: int, limits: Limits) -> None:
    """A coarse answer, a fine one, a capped one and one folded at the cap all leave room for one and the same."""
    name = pool.readings[0].name
    try:
        fine, found = distribution(pool, (name,), limits=FINE), distribution(pool, (name,), limits=limits)
        capped = distribution(pool, (name,), {name: cap}, limits)
    except DiceError:
        assume(False)
    agree(found, fine)
    cut: dict[tuple[int, ...], int] = {}
    for (number,), weight in fine.outcomes.items():
        cut[min(number, cap),] = cut.get((min(number, cap),), 0) + weight
    agree(capped, distribute(cut, fine.total))
    short = folded(found, cap)
    if short is not None:
        assert short.cut_off == 0
        agree(short, capped)


def agree(one: Distribution[tuple[int, ...]], other: Distribution[tuple[int, ...]]) -> None:
    for outcome in {*one.outcomes, *other.outcomes}:
        here, there = (Fraction(found.outcomes.get(outcome, 0), found.total) for found in (one, other))
        assert -one.cut_off <= here - there <= other.cut_off
