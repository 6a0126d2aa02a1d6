"""Published mechanics and cases met at tables: one number each, exact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from interpreter.dice import (
    Count,
    Die,
    Drop,
    Explode,
    Face,
    Group,
    Highest,
    Keep,
    Lowest,
    Operation,
    Pool,
    Reading,
    Reroll,
    Sets,
    Sum,
    Symbols,
    Thrown,
    distribution,
    standard,
)

D6, D10, D20 = standard(6), standard(10), standard(20)
TEN = Die("ten", tuple(range(10)))
FUDGE = Die("fudge", (-1, 0, 1))
LOW_FUMBLE, HIGH_FUMBLE = 96, 100


def value(die: Thrown) -> int:
    return die.value


def face(die: Thrown) -> int:
    return die.face


def top(die: Thrown) -> bool:
    return die.face == die.sides


def shows(*numbers: int) -> Callable[[Thrown], bool]:
    return lambda die: die.face in numbers


def pool(dice: Mapping[str, tuple[int, Die]], *readings: Reading, do: Sequence[Operation] = ()) -> Pool:
    return Pool(tuple(Group(name, count, die) for name, (count, die) in dice.items()), tuple(do), readings)


def symbols(text: str) -> tuple[Face, ...]:
    return tuple(Symbols.of(*name.replace("_", "").split()) for name in text.split(","))


ABILITY = Die("ability", symbols("_,S,S,S S,A,A,S A,A A"))
PROFICIENCY = Die("proficiency", symbols("_,S,S,S S,S S,A,S A,S A,S A,A A,A A,X"))
DIFFICULTY = Die("difficulty", symbols("_,F,F F,T,T,T,T T,F T"))
PLUS = {"S": 1, "X": 1, "F": -1}


def genesys(ability: int, proficiency: int, difficulty: int) -> Pool:
    return pool(
        {"low": (ability, ABILITY), "high": (proficiency, PROFICIENCY), "against": (difficulty, DIFFICULTY)},
        Sum("net", lambda die: sum(PLUS.get(name, 0) * count for name, count in die.symbols)),
        Sum("triumph", lambda die: die.symbol("X")),
    )


def hands(dice: int) -> Pool:
    return pool({"hand": (dice, D6)}, Highest("best", face), Count("sixes", shows(6)))


def tens(dice: int, unit: int) -> Pool:
    def percent(die: Thrown) -> int:
        return 10 * die.face + unit or 100

    return pool({"tens": (dice, TEN)}, Lowest("low", percent), Highest("high", percent))


def savage(sides: int) -> Pool:
    return pool(
        {"trait": (1, standard(sides)), "wild": (1, D6)},
        Highest("total", value),
        Count("ones", lambda die: die.first == 1),
        do=[Explode(top, "same_die")],
    )


def roll_and_keep(rolled: int, kept: int) -> Pool:
    return pool({"dice": (rolled, D10)}, do=[Explode(shows(10), "same_die"), Keep("highest", kept)])


def momentum(score: int) -> Pool:
    return pool({"challenge": (2, D10)}, Count("beaten", lambda die: die.face < score))


def glitch(dice: int) -> Pool:
    return pool({"dice": (dice, D6)}, Count("ones", shows(1)), Count("hits", shows(5, 6)))


VAMPIRE = pool(
    {"normal": (3, D10), "hunger": (2, D10)},
    Count("tens", shows(10)),
    Count("hungry", lambda die: die.group == "hunger" and die.face == 10),
)


def advantage(which: str) -> Pool:
    reroll = Reroll(shows(1), how_many=1)
    return pool({"d20": (2, D20)}, do=[reroll, Keep("highest" if which == "high" else "lowest", 1)])


@dataclass(frozen=True)
class Case:
    name: str
    pool: Pool
    names: tuple[str, ...]
    holds: Callable[[tuple[int, ...]], bool]
    chance: str
    caps: Mapping[str, int] = field(default_factory=dict)


CASES = [
    Case(
        "natural 20 with advantage", pool({"d20": (2, D20)}, Highest("r", face)), ("r",), lambda o: o[0] == 20, "39/400"
    ),
    Case("one reroll, high", advantage("high"), ("sum",), lambda o: o[0] == 1, "1/8000"),
    Case("one reroll, low", advantage("low"), ("sum",), lambda o: o[0] == 1, "29/4000"),
    Case("critical of 3", hands(3), ("best", "sixes"), lambda o: o[1] >= 2, "2/27"),
    Case("six of 3", hands(3), ("best", "sixes"), lambda o: o[0] == 6 and o[1] < 2, "25/72"),
    Case("four or five of 3", hands(3), ("best",), lambda o: o[0] in (4, 5), "49/108"),
    Case("at most three of 3", hands(3), ("best",), lambda o: o[0] <= 3, "1/8"),
    Case("no dice, six", pool({"d": (2, D6)}, Lowest("r", face)), ("r",), lambda o: o[0] == 6, "1/36"),
    Case("no dice, four or five", pool({"d": (2, D6)}, Lowest("r", face)), ("r",), lambda o: o[0] in (4, 5), "2/9"),
    Case("no dice, at most three", pool({"d": (2, D6)}, Lowest("r", face)), ("r",), lambda o: o[0] <= 3, "3/4"),
    Case("2d6 and 1, full", pool({"d": (2, D6)}), ("sum",), lambda o: o[0] + 1 >= 10, "5/18"),
    Case("2d6 and 1, partial", pool({"d": (2, D6)}), ("sum",), lambda o: 7 <= o[0] + 1 <= 9, "4/9"),
    Case("four fudge dice, 2 or more", pool({"d": (4, FUDGE)}), ("sum",), lambda o: o[0] >= 2, "5/27"),
    Case("four fudge dice, 0", pool({"d": (4, FUDGE)}), ("sum",), lambda o: o[0] == 0, "19/81"),
    *(
        Case(f"more than half ones of {n}", glitch(n), ("ones", "dice"), lambda o: 2 * o[0] > o[1], chance)
        for n, chance in ((2, "1/36"), (3, "2/27"), (4, "7/432"), (8, "7741/1679616"))
    ),
    *(
        Case(f"half ones of {n}", glitch(n), ("ones", "dice"), lambda o: 2 * o[0] >= o[1], chance)
        for n, chance in ((2, "11/36"), (4, "19/144"))
    ),
    Case("more than half ones and no hit", glitch(3), ("ones", "hits"), lambda o: o[0] >= 2 and not o[1], "5/108"),
    Case("d8 and wild, 4", savage(8), ("total",), lambda o: o[0] >= 4, "13/16", {"total": 4}),
    Case("d8 and wild, 8", savage(8), ("total",), lambda o: o[0] >= 8, "71/288", {"total": 8}),
    Case("d8 and wild, two ones", savage(8), ("ones",), lambda o: o[0] == 2, "1/48"),
    Case("symbols, success", genesys(2, 1, 2), ("net",), lambda o: o[0] >= 1, "7997/12288"),
    Case("symbols, triumph", genesys(2, 1, 2), ("triumph",), lambda o: o[0] >= 1, "1/12"),
    Case("symbols, both", genesys(2, 1, 2), ("net", "triumph"), lambda o: o[0] >= 1 <= o[1], "975/16384"),
    Case("no symbols", genesys(0, 0, 0), ("net",), lambda o: o[0] >= 1, "0"),
    Case("5 keep 3, 15", roll_and_keep(5, 3), ("sum",), lambda o: o[0] >= 15, "93183/100000", {"sum": 15}),
    Case("5 keep 3, 20", roll_and_keep(5, 3), ("sum",), lambda o: o[0] >= 20, "35897/50000", {"sum": 20}),
    Case("5 keep 3, 25", roll_and_keep(5, 3), ("sum",), lambda o: o[0] >= 25, "416697/1000000", {"sum": 25}),
    Case("pair of tens", VAMPIRE, ("tens",), lambda o: o[0] >= 2, "4073/50000"),
    Case("pair of tens, a hungry one", VAMPIRE, ("tens", "hungry"), lambda o: o[0] >= 2 and o[1] >= 1, "2939/50000"),
    Case("both sixes", pool({"d": (2, D6)}, Count("sixes", shows(6))), ("sixes",), lambda o: o[0] == 2, "1/36"),
    Case(
        "two challenge dice alike", pool({"d": (2, D10)}, Sets("sets", "count")), ("sets",), lambda o: o[0] > 0, "1/10"
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_chance(case: Case) -> None:
    found = distribution(case.pool, case.names, case.caps)
    assert found.probability(case.holds) == Fraction(case.chance)
    assert found.cut_off == 0


def mean(asked: Pool, name: str) -> Fraction:
    found = distribution(asked, (name,))
    return sum((number * Fraction(weight, found.total) for (number,), weight in found.outcomes.items()), Fraction(0))


BEST_TWO = (Drop("lowest", 1), Explode(top, "new_die"))
MEANS = [
    ("higher of two d20", pool({"d": (2, D20)}, Highest("r", face)), "r", Fraction(553, 40)),
    ("lower of two d20", pool({"d": (2, D20)}, Lowest("r", face)), "r", Fraction(287, 40)),
    (
        "d4, d6, d8 without the high and the low",
        pool({"a": (1, standard(4)), "b": (1, D6), "c": (1, standard(8))}, do=[Drop("highest", 1), Drop("lowest", 1)]),
        "sum",
        Fraction(79, 24),
    ),
    ("two d2 exploding once each", pool({"d": (2, standard(2))}, do=[Explode(top, "new_die")]), "sum", Fraction(6)),
    ("3d6, drop the lowest, explode", pool({"d": (3, D6)}, do=BEST_TWO), "sum", Fraction(1897, 180)),
]


@pytest.mark.parametrize(("asked", "name", "expected"), [pytest.param(*case, id=label) for label, *case in MEANS])
def test_mean(asked: Pool, name: str, expected: Fraction) -> None:
    assert abs(mean(asked, name) - expected) < Fraction(1, 10**12)


def test_the_order_of_operations_counts() -> None:
    explode, drop = Explode(top, "same_die"), Drop("lowest", 1)
    first_drop = mean(pool({"d": (3, D6)}, do=[drop, explode]), "sum")
    first_explode = mean(pool({"d": (3, D6)}, do=[explode, drop]), "sum")
    assert first_drop < first_explode


def percentile(dice: int, reading: str) -> Callable[[Callable[[int], bool]], Fraction]:
    """A unit die, then tens dice read with it."""

    def chance(holds: Callable[[int], bool]) -> Fraction:
        return (
            sum(
                (distribution(tens(dice, unit), (reading,)).probability(lambda o: holds(o[0])) for unit in range(10)),
                Fraction(0),
            )
            / 10
        )

    return chance


def test_percentile_dice() -> None:
    bonus, penalty = percentile(2, "low"), percentile(2, "high")
    assert (bonus(lambda number: number <= 50), penalty(lambda number: number <= 50)) == (
        Fraction(3, 4),
        Fraction(1, 4),
    )
    assert (bonus(lambda number: number == 100), penalty(lambda number: number == 100)) == (
        Fraction(1, 1000),
        Fraction(19, 1000),
    )


@pytest.mark.parametrize(
    ("cancelled", "expected"),
    [(None, ("139/600", "262/600", "199/600")), (3, ("31/150", "29/75", "61/150"))],
)
def test_momentum(cancelled: int | None, expected: tuple[str, str, str]) -> None:
    chances = [Fraction(0)] * 3
    for action in range(1, 7):
        score = min(10, (0 if action == cancelled else action) + 2)
        found = distribution(momentum(score), ("beaten",))
        for (beaten,), weight in found.outcomes.items():
            chances[2 - beaten] += Fraction(weight, found.total * 6)
    assert chances == [Fraction(text) for text in expected]


def test_a_clock_of_six_segments() -> None:
    found = distribution(hands(2), ("best", "sixes"))
    ticks = {0: Fraction(0), 2: Fraction(0), 3: Fraction(0)}
    for (best, sixes), weight in found.outcomes.items():
        ticks[3 if sixes == 2 else 2 if best >= 4 else 0] += Fraction(weight, found.total)
    rolls: dict[int, Fraction] = {}

    def expected(filled: int) -> Fraction:
        if filled >= 6:
            return Fraction(0)
        if filled not in rolls:
            ahead = sum((chance * expected(filled + tick) for tick, chance in ticks.items() if tick), Fraction(0))
            rolls[filled] = (1 + ahead) / (1 - ticks[0])
        return rolls[filled]

    assert expected(0) == Fraction(8744, 2187)
    filled = {0: Fraction(1)}
    for _ in range(3):
        after: dict[int, Fraction] = {}
        for place, chance in filled.items():
            for tick, share in ticks.items():
                after[min(6, place + tick)] = after.get(min(6, place + tick), Fraction(0)) + chance * share
        filled = after
    assert filled[6] == Fraction(365, 864)
