"""Exact odds where there is no end, where dice stay on the table, where the methods meet, and where the work has a
limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from dice.brute import enumerate_all, every_throw

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
    LimitReached,
    Limits,
    Lowest,
    Pool,
    Reading,
    Replace,
    Reroll,
    Rerolls,
    Sets,
    Sum,
    Table,
    Thrown,
    distribution,
    endless,
    folded,
    kept_distribution,
    read,
    reroll_distribution,
    seeded,
    standard,
    throw,
)

D4, D6, D10 = standard(4), standard(6), standard(10)
TAIL = Fraction(1, 10**15)


def top(die: Thrown) -> bool:
    return die.face == die.sides


def value(die: Thrown) -> int:
    return die.value


def shows(*faces: int) -> Callable[[Thrown], bool]:
    return lambda die: die.face in faces


def pool(*dice: tuple[int, Die], do: tuple[Any, ...] = (), read: tuple[Reading, ...] = ()) -> Pool:
    return Pool(tuple(Group("abc"[place], count, die) for place, (count, die) in enumerate(dice)), do, read)


def chances(found: Distribution[Any]) -> dict[Any, Fraction]:
    return {outcome: Fraction(weight, found.total) for outcome, weight in found.outcomes.items()}


# Chains without end

EXTRA, SAME = Explode(top, "new_die"), Explode(top, "same_die")
UNTIL = Reroll(shows(1, 2), None, None)
HIGH = Highest("high", value)
TOPS = Count("tops", top)
EXACT: list[tuple[str, Pool, str, dict[str, int], dict[int, str]]] = [
    ("nothing read on what explodes", pool((2, D6), do=(EXTRA,), read=(Count("r", shows(1)),)), "r", {}, {2: "1/25"}),
    ("a cap", pool((1, D10), do=(EXTRA,), read=(TOPS,)), "tops", {"tops": 2}, {0: "9/10", 1: "9/100", 2: "1/100"}),
    ("reroll until", pool((2, D6), do=(UNTIL,)), "sum", {}, {6: "1/16", 12: "1/16", 9: "1/4"}),
    ("one die added up, capped", pool((1, D6), do=(SAME,)), "sum", {"sum": 13}, {5: "1/6", 6: "0", 13: "1/36"}),
    ("last faces of chains", pool((1, D6), do=(SAME,), read=(Count("r", shows(5)),)), "r", {}, {1: "1/5"}),
    ("first faces of chains", pool((1, D6), do=(SAME,), read=(Sum("r", lambda d: d.first),)), "r", {}, {6: "1/6"}),
    ("best of added up, capped", pool((2, D4), do=(SAME,), read=(HIGH,)), "high", {"high": 4}, {4: "7/16"}),
    ("keep, chains beyond are alike", pool((2, D6), do=(EXTRA, Keep("highest", 2))), "sum", {}, {12: "2/27"}),
    (
        "three highest, chains beyond are alike",
        pool((2, D6), do=(EXTRA,), read=(Extremes("high", "highest", 3, value),)),
        "high",
        {},
        {2: "1/36", 18: "7/432"},
    ),
    ("highest, chains beyond are alike", pool((2, D6), do=(EXTRA,), read=(HIGH,)), "high", {}, {6: "11/36"}),
    ("keep of added up, capped", pool((2, D4), do=(SAME, Keep("highest", 1))), "sum", {"sum": 8}, {3: "5/16"}),
]


@pytest.mark.parametrize(("asked", "name", "caps", "expected"), [pytest.param(*case, id=name) for name, *case in EXACT])
def test_endless_chains_that_are_exact(asked: Pool, name: str, caps: dict[str, int], expected: dict[int, str]) -> None:
    found = distribution(asked, (name,), caps)
    assert found.cut_off == 0
    assert sum(found.outcomes.values()) == found.total
    assert {number: chances(found).get((number,), 0) for number in expected} == {
        number: Fraction(chance) for number, chance in expected.items()
    }


CUT: list[tuple[str, Pool, str, Fraction]] = [
    ("sum of extra dice", pool((3, D6), do=(EXTRA,)), "sum", Fraction(63, 5)),
    ("sum of chains", pool((3, D6), do=(SAME,)), "sum", Fraction(63, 5)),
    ("throws", pool((2, D4), do=(EXTRA,)), "thrown", Fraction(8, 3)),
    ("throws of rerolls", pool((2, D6), do=(UNTIL,)), "thrown", Fraction(3)),
    ("losses on extra dice", pool((1, D6), do=(EXTRA,), read=(Sum("r", lambda d: -top(d)),)), "r", Fraction(-1, 5)),
    ("two ends", pool((2, D10), do=(Explode(shows(1, 10), "new_die"), Keep("highest", 99))), "sum", Fraction(55, 4)),
    ("after a drop", pool((3, D6), do=(Drop("lowest", 1), EXTRA)), "sum", Fraction(1897, 180)),
    (
        "hand by hand",
        pool((2, D4), do=(EXTRA, Keep("highest", 99), Replace(top, 0), Keep("lowest", 99))),
        "sum",
        Fraction(4),
    ),
]


@pytest.mark.parametrize(("asked", "name", "mean"), [pytest.param(*case, id=name) for name, *case in CUT])
def test_what_is_cut_off_is_told(asked: Pool, name: str, mean: Fraction) -> None:
    found = distribution(asked, (name,))
    assert 0 < found.cut_off < TAIL
    assert found.cut_off == 1 - sum(chances(found).values())
    assert abs(sum(number * chance for (number,), chance in chances(found).items()) - mean) < Fraction(1, 10**12)
    rough = distribution(asked, (name,), limits=Limits(tail=Fraction(1, 1000)))
    assert found.cut_off < rough.cut_off < Fraction(1, 1000)


def test_a_cap_beyond_the_tail_gets_nothing_that_was_not_followed_there() -> None:
    asked = pool((1, standard(2)), do=(EXTRA,), read=(TOPS,))
    found = distribution(asked, ("tops",), {"tops": 60}, Limits(tail=Fraction(1, 100)))
    followed = len(found.outcomes)
    assert chances(found) == {(tops,): Fraction(1, 2 ** (tops + 1)) for tops in range(followed)}
    assert found.cut_off == Fraction(1, 2**followed)
    assert folded(distribution(asked, ("tops",), limits=Limits(tail=Fraction(1, 100))), 60) is None


def test_nothing_is_cut_off_dice_that_are_thrown_again_anyhow() -> None:
    asked = pool((1, D4), do=(UNTIL, Explode(shows(2, 4), "new_die")), read=(Count("r", shows(2, 4)),))
    found = distribution(asked, ("r",), limits=Limits(tail=Fraction(1, 100)))
    assert found.cut_off > 0
    assert chances(found)[0,] == Fraction(1, 2)
    assert chances(found)[1,] == Fraction(1, 4)


def sure(die: Thrown) -> bool:
    return True


ENDLESS: list[tuple[str, Pool, bool]] = [
    ("d1", pool((1, standard(1)), do=(EXTRA,)), True),
    ("d1 added up", pool((1, standard(1)), do=(SAME,)), True),
    ("every face", pool((1, D6), do=(Explode(shows(1, 2, 3, 4, 5, 6), "new_die"),)), True),
    ("every face added up", pool((1, D6), do=(Explode(sure, "same_die"),)), True),
    ("every reroll", pool((1, D6), do=(Reroll(lambda die: die.face <= 6, None, None),)), True),
    ("once in a six, for ever", pool((1, D6), do=(Explode(lambda die: die.first == 6, "same_die"),)), True),
    (
        "from twelve on, for ever",
        pool((1, D6), do=(Explode(lambda die: top(die) or die.value >= 12, "same_die"),)),
        True,
    ),
    ("two blank faces", pool((1, Die("blank", (0, 0))), do=(Explode(sure, "new_die"),)), True),
    ("once", pool((1, standard(1)), do=(Explode(top, "new_die", 1),)), False),
    ("up to a total", pool((1, D6), do=(Explode(lambda die: die.value < 20, "same_die"),)), False),
    ("nearly always", pool((1, standard(1000)), do=(Explode(lambda die: die.face > 1, "new_die"),)), False),
    ("another group", pool((1, standard(1)), (1, D6), do=(Explode(top, "new_die", groups=("b",)),)), False),
    ("rerolls that end", pool((1, D6), do=(UNTIL, Reroll(shows(6), 1, 3))), False),
]


@pytest.mark.parametrize(("asked", "ever"), [pytest.param(*case, id=name) for name, *case in ENDLESS])
def test_what_never_ends_is_refused(asked: Pool, ever: bool) -> None:
    fault = endless(asked)
    assert (fault is not None) == ever
    if fault:
        assert fault.code == "endless"
        with pytest.raises(DiceError) as caught:
            distribution(asked, ("sum",))
        assert caught.value.code == "endless"


def either(die: Thrown) -> bool:
    return die.face >= die.sides - 1


SUM = Sum("r", value)
BEST_TWO = Extremes("r", "highest", 2, value)
LONG: list[tuple[str, Explode, tuple[Any, ...], Reading, int | None]] = [
    ("keep", Explode(either, "new_die"), (Keep("highest", 2),), SUM, None),
    ("keep, capped", Explode(either, "same_die"), (Keep("highest", 1),), SUM, 9),
    ("drop the highest", Explode(either, "same_die"), (Drop("highest", 1),), SUM, 9),
    ("drop the lowest", Explode(either, "new_die"), (Drop("lowest", 1),), Count("r", top), None),
    (
        "keep some below the top",
        Explode(either, "new_die"),
        (Keep("highest", 3), Drop("highest", 2)),
        Count("r", top),
        1,
    ),
    (
        "another operation after",
        Explode(either, "same_die"),
        (Replace(lambda d: d.value >= 12, 0), Keep("highest", 1)),
        SUM,
        9,
    ),
    (
        "a limited reroll after",
        Explode(top, "same_die"),
        (Reroll(lambda d: 6 < d.value < 12, 1), Keep("highest", 2)),
        SUM,
        9,
    ),
    ("only added up", Explode(either, "same_die"), (Replace(lambda d: d.value % 5 == 0, 1),), SUM, 4),
    ("sets", Explode(either, "new_die"), (), Sets("r", "largest"), 3),
    ("lowest", Explode(either, "new_die"), (), Lowest("r", value), None),
    ("three lowest", Explode(either, "new_die"), (), Extremes("r", "lowest", 3, value), None),
    ("three highest of chains", Explode(either, "same_die"), (), Extremes("r", "highest", 3, value), 20),
    ("two highest of kept ones", Explode(either, "new_die"), (Keep("highest", 3),), BEST_TWO, None),
    ("highest of chains", Explode(either, "same_die"), (), HIGH, 20),
]


@pytest.mark.parametrize(("explode", "then", "reading", "cap"), [pytest.param(*case, id=name) for name, *case in LONG])
def test_no_end_is_like_a_very_late_one(
    explode: Explode, then: tuple[Any, ...], reading: Reading, cap: int | None
) -> None:
    caps = {} if cap is None else {reading.name: cap}
    dice = Die("d8", (1, 2, 2, 3, 4, 5, 5, 6))
    ever, late = (
        distribution(
            pool((2, dice), do=(replace(explode, at_most=at_most), *then), read=(reading,)), (reading.name,), caps
        )
        for at_most in (None, 32)
    )
    assert late.cut_off == 0
    apart = [abs(chances(ever).get(outcome, 0) - chance) for outcome, chance in chances(late).items()]
    assert max(apart) < Fraction(1, 10**12)
    assert ever.cut_off < TAIL


# Limits

FEW = Limits(terms=500_000)
HUGE: list[tuple[str, Callable[[], object], str]] = [
    ("9999999d6", lambda: distribution(pool((9_999_999, D6)), ("sum",)), "dice"),
    ("9999999d6 thrown", lambda: throw(pool((9_999_999, D6)), seeded(1)), "dice"),
    ("9999999d6 kept", lambda: kept_distribution(pool((9_999_999, D6)), (value,)), "dice"),
    ("1d2147483648", lambda: standard(2_147_483_648), "faces"),
    ("9999d9999", lambda: distribution(pool((9999, standard(9999))), ("sum",)), "terms"),
    ("two tallies of 9999d6", lambda: distribution(pool((9999, D6), read=(TOPS,)), ("tops", "sum")), "terms"),
    ("largest set of 9999d10", lambda: distribution(pool((9999, D10), read=(Sets("r", "largest"),)), ("r",)), "terms"),
    (
        "keep 100 of 200d20",
        lambda: distribution(pool((200, standard(20)), do=(Keep("highest", 100),)), ("sum",), limits=FEW),
        "terms",
    ),
    ("30d10 on the table", lambda: kept_distribution(pool((30, D10)), (value,)), "states"),
    (
        "d10000 exploding nearly always",
        lambda: distribution(
            pool((1, standard(10_000)), do=(Explode(lambda d: d.face > 1, "new_die"),)), ("sum",), limits=FEW
        ),
        "terms",
    ),
    ("a small limit", lambda: distribution(pool((11, D6)), ("sum",), limits=Limits(dice=10)), "dice"),
    ("small dice", lambda: throw(pool((1, D6)), seeded(1), Limits(faces=5)), "faces"),
]


@pytest.mark.parametrize(("ask", "limit"), [pytest.param(*case, id=name) for name, *case in HUGE])
def test_limits_are_named(ask: Callable[[], object], limit: str) -> None:
    with pytest.raises(LimitReached) as caught:
        ask()
    assert (caught.value.limit, caught.value.code) == (limit, f"limit_{limit}")
    assert caught.value.asked > caught.value.allowed
    assert str(caught.value.allowed) in str(caught.value)


def test_many_dice_within_the_limits() -> None:
    found = distribution(pool((1002, D4)), ("sum",))
    assert len(found.outcomes) == 3007
    assert found.outcomes[1002,] == 1
    assert found.total == 4**1002
    kept = distribution(pool((9999, D6), do=(Keep("highest", 3),)), ("sum",))
    assert kept.outcomes[3,] * 6**9999 == kept.total


def test_negative_numbers_are_not_cut_on_the_way() -> None:
    swing = Sum("r", lambda die: 3 if top(die) else -die.face)
    asked = pool((2, D4), (2, D4), do=(Keep("highest", 1, ("a",)),), read=(swing,))
    at_least = sum(chance for (total,), chance in enumerate_all(asked, ("r",)).items() if total >= 1)
    assert distribution(asked, ("r",), {"r": 1}).probability(lambda outcome: outcome[0] == 1) == at_least


# Methods against each other, on pools too large for brute force

ODD = Keep("lowest", 99)
BEST_LOW = BEST_TWO, Extremes("low", "lowest", 2, value), TOPS
BY_SETS = Extremes("r", "highest", 2, lambda die: die.face % 3), Sets("s", "parts", 2, lambda die: die.face // 2)
SAME_ODDS: list[tuple[str, Pool, Pool, str]] = [
    (
        "added up, and walked",
        pool((12, D6), read=(TOPS,)),
        pool((12, D6), do=(Keep("highest", 12),), read=(TOPS,)),
        "tops",
    ),
    (
        "walked down, and up",
        pool((6, D6), (4, D10), do=(Keep("highest", 3),)),
        pool((6, D6), (4, D10), do=(Drop("lowest", 7),)),
        "sum",
    ),
    (
        "kinds that become alike",
        pool((3, D6), (2, D10), do=(Keep("highest", 3),)),
        pool((3, D6), (2, D10), do=(Keep("highest", 3), Replace(shows(0), 0), ODD)),
        "sum",
    ),
    (
        "extra dice as a mixture, and by hands",
        pool((4, D6), do=(Explode(top, "new_die", 2), Keep("highest", 3))),
        pool((4, D6), do=(Explode(top, "new_die", 2), Keep("highest", 3), Reroll(shows(9), 1), ODD)),
        "sum",
    ),
    (
        "limited rerolls as a mixture, and by hands",
        pool((6, D6), do=(Reroll(shows(1, 2, 5), 2), Keep("highest", 3))),
        pool((6, D6), do=(ODD, Reroll(shows(1, 2, 5), 2), Keep("highest", 3))),
        "sum",
    ),
    (
        "sets walked, and by hands",
        pool((6, D6), read=(Sets("r", "parts"),)),
        pool((6, D6), do=(ODD, Reroll(shows(9), 1)), read=(Sets("r", "parts"),)),
        "r",
    ),
    (
        "three highest, and kept ones",
        pool((9, D6), read=(Extremes("r", "highest", 3, value),)),
        pool((9, D6), do=(Keep("highest", 3),)),
        "r/sum",
    ),
    (
        "seven lowest, and kept ones",
        pool((9, D6), read=(Extremes("r", "lowest", 7, value),)),
        pool((9, D6), do=(Drop("highest", 2),)),
        "r/sum",
    ),
    (
        "three highest of two groups, and kept ones",
        pool((6, D6), (4, D10), read=(Extremes("r", "highest", 3, value),)),
        pool((6, D6), (4, D10), do=(Keep("highest", 3),)),
        "r/sum",
    ),
    (
        "two highest with two lowest and sixes, and by hands",
        pool((6, D6), read=BEST_LOW),
        pool((6, D6), do=(ODD, Reroll(shows(9), 1)), read=BEST_LOW),
        "r,low,tops",
    ),
    (
        "two highest with sets, and by hands",
        pool((6, D6), read=(BEST_TWO, Sets("s", "largest"))),
        pool((6, D6), do=(ODD, Reroll(shows(9), 1)), read=(BEST_TWO, Sets("s", "largest"))),
        "r,s",
    ),
    (
        "sets that are not in the order of what is added up, and by hands",
        pool((6, D6), read=BY_SETS),
        pool((6, D6), do=(ODD, Reroll(shows(9), 1)), read=BY_SETS),
        "r,s",
    ),
    (
        "two highest of kept ones, and both",
        pool((7, D10), do=(Keep("highest", 4),), read=(BEST_TWO,)),
        pool((7, D10), do=(Keep("highest", 2),)),
        "r/sum",
    ),
    (
        "two lowest of the highest kept, and the middle ones",
        pool((7, D10), do=(Keep("highest", 4),), read=(Extremes("r", "lowest", 2, value),)),
        pool((7, D10), do=(Keep("highest", 4), Keep("lowest", 2))),
        "r/sum",
    ),
    (
        "two highest after extra dice, and kept ones",
        pool((4, D6), do=(Explode(top, "new_die", 2),), read=(BEST_TWO,)),
        pool((4, D6), do=(Explode(top, "new_die", 2), Keep("highest", 2))),
        "r/sum",
    ),
    (
        "the lowest of kept ones",
        pool((7, D10), do=(Keep("highest", 3),), read=(Lowest("r", value),)),
        pool((7, D10), do=(Keep("highest", 3), Keep("lowest", 1))),
        "r/sum",
    ),
]


@pytest.mark.parametrize(("one", "other", "names"), [pytest.param(*case, id=name) for name, *case in SAME_ODDS])
def test_methods_agree(one: Pool, other: Pool, names: str) -> None:
    first, *rest = names.split("/")
    asked = tuple(first.split(","))
    assert chances(distribution(one, asked)) == chances(distribution(other, tuple(rest) or asked))


def test_readings_of_groups_that_never_meet_are_joined() -> None:
    best = Keep("highest", 1, ("a",)), Keep("lowest", 1, ("b",))
    asked = pool((3, D6), (3, D6), (2, D4), do=best, read=(TOPS, HIGH))
    together = distribution(asked, ("sum", "tops", "high"))
    assert sum(together.outcomes.values()) == together.total == 6**6 * 4**2
    apart: dict[int, Fraction] = {0: Fraction(1)}
    for part in (
        pool((3, D6), do=(Keep("highest", 1),)),
        pool((3, D6), do=(Keep("lowest", 1),)),
        pool((2, D4)),
    ):
        after: dict[int, Fraction] = {}
        for so_far, chance in apart.items():
            for (number,), share in chances(distribution(part, ("sum",))).items():
                after[so_far + number] = after.get(so_far + number, Fraction(0)) + chance * share
        apart = after
    assert {total: together.probability(lambda o, total=total: o[0] == total) for total in apart} == apart  # type: ignore[misc]


def test_floats() -> None:
    found = distribution(pool((1, D4)), ("sum",))
    assert found.floats() == {(face,): 0.25 for face in D4.faces}


# Dice on the table

HITS = Count("hits", shows(6))
STRAIN = Count("strain", lambda die: die.face == 1 and die.group == "a")
WEAR = Count("wear", lambda die: die.face == 1 and die.group == "c")
HAND = pool((3, D6), (2, D6), (1, D6), read=(HITS, STRAIN, WEAR))
CLASSES = (HITS.where, STRAIN.where, WEAR.where)
PUSH = Reroll(lambda die: die.face < 6 and not (die.face == 1 and die.group in "ac"))


def pushed(hand: Pool) -> dict[tuple[int, ...], Fraction]:
    rerolls = Rerolls(hand, PUSH, CLASSES)
    result: dict[tuple[int, ...], Fraction] = {}
    for table, chance in chances(kept_distribution(hand, CLASSES)).items():
        for after, share in chances(rerolls.of(table)).items():
            key = read(hand, after, ("hits", "strain", "wear"))
            result[key] = result.get(key, Fraction(0)) + chance * share
    return result


def test_a_push() -> None:
    found = pushed(HAND)
    assert sum(chance for (hits, *_), chance in found.items() if hits) == Fraction(118198271, 136048896)
    assert sum(chance for (_, strain, _), chance in found.items() if strain) == Fraction(3635, 5832)
    assert len(kept_distribution(HAND, CLASSES).outcomes) == 10 * 3 * 3


def test_a_push_is_every_throw() -> None:
    hand = pool((1, D6), (1, D4), (1, D4), read=HAND.readings)
    brute: dict[tuple[int, ...], Fraction] = {}
    for first, chance in every_throw(hand):
        for second, share in every_throw(hand, first.table, PUSH):
            key = second["hits"], second["strain"], second["wear"]
            brute[key] = brute.get(key, Fraction(0)) + chance * share
    assert pushed(hand) == brute


@pytest.mark.parametrize(
    ("do", "again"),
    [
        ((Explode(top, "new_die", 1),), Reroll(shows(1, 2), 1)),
        ((Explode(top, "same_die", 1), Keep("highest", 2)), Reroll(lambda die: die.value < 4, None, 2)),
        ((Drop("highest", 1),), Reroll(shows(3), 1, 3)),
    ],
    ids=["extra dice", "chains", "limited"],
)
def test_tables_are_every_throw(do: tuple[Any, ...], again: Reroll) -> None:
    hand = pool((2, D4), (1, standard(3)), do=do)
    everything = (value, lambda die: die.face, lambda die: die.first)
    brute: dict[Table, Fraction] = {}
    firsts: dict[Table, Fraction] = {}
    for first, chance in every_throw(hand):
        firsts[first.table] = firsts.get(first.table, Fraction(0)) + chance
    found = kept_distribution(hand, everything, count_throws=True)
    assert chances(found) == firsts
    table = max(firsts, key=lambda one: (len(one.dice[0]), one.thrown))
    for second, share in every_throw(hand, table, again):
        brute[second.table] = brute.get(second.table, Fraction(0)) + share
    assert chances(reroll_distribution(hand, table, again, everything)) == brute


def test_throws_must_be_counted_to_be_read() -> None:
    (table, *_) = kept_distribution(HAND, CLASSES).outcomes
    assert table.thrown is None
    with pytest.raises(DiceError) as caught:
        read(HAND, table, ("thrown",))
    assert caught.value.code == "throws_uncounted"


def test_the_common_pools_are_quick() -> None:
    """A loose bound, for the kind of work and not for the machine: each takes some milliseconds."""
    asked = [
        (pool((20, D6), read=(TOPS, Count("ones", shows(1)))), ("tops", "ones")),
        (pool((5, D6), (4, standard(8)), (3, D10), do=(Keep("highest", 3),)), ("sum",)),
        (pool((10, D10), read=(Sets("r", "largest"),)), ("r",)),
        (pool((6, D10), do=(Explode(top, "new_die", 1), Keep("highest", 3))), ("sum",)),
        (pool((5, D6), (4, standard(8)), (3, D10), do=(Explode(top, "new_die", 2), Keep("highest", 3))), ("sum",)),
    ]
    start = time.process_time()
    for each, names in asked:
        distribution(each, names)
    assert time.process_time() - start < 2
