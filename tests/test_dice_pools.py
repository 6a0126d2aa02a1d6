"""Pools worked out by an independent programme, as fractions: see dice/pools.json."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from interpreter.dice import Count, Distribution, Explode, Group, Pool, Sum, distribution, standard

ORACLE: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "dice" / "pools.json").read_text(encoding="utf-8")
)


def cases(section: str) -> list[Any]:
    return [pytest.param(name, expected, id=name) for name, expected in ORACLE[section].items()]


def numbers(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


def at_least(found: Distribution[tuple[int, ...]], most: int) -> list[str]:
    chances = [found.probability(lambda outcome, least=least: outcome[0] >= least) for least in range(1, most + 1)]  # type: ignore[misc]
    return [f"{chance.numerator}/{chance.denominator}" for chance in chances]


def successes(dice: int, sides: int, threshold: int) -> Distribution[tuple[int, ...]]:
    readings = (Count("hits", lambda die: die.face >= threshold), Count("ones", lambda die: die.face == 1))
    return distribution(Pool((Group("dice", dice, standard(sides)),), (), readings), ("hits",))


def graded(dice: int, *names: str) -> Distribution[tuple[int, ...]]:
    readings = (
        Sum("hits", lambda die: 2 if die.face == 12 else int(die.face >= 7)),
        Count("twelves", lambda die: die.face == 12),
    )
    return distribution(Pool((Group("dice", dice, standard(12)),), (), readings), names)


@pytest.mark.parametrize(("name", "expected"), cases("successes"))
def test_successes(name: str, expected: list[str]) -> None:
    assert at_least(successes(*numbers(name)), 9) == expected


@pytest.mark.parametrize(("name", "expected"), cases("all ones"))
def test_all_ones(name: str, expected: str) -> None:
    dice = int(name)
    pool = Pool((Group("dice", dice, standard(6)),), (), (Count("ones", lambda die: die.face == 1),))
    assert distribution(pool, ("ones", "dice")).probability(lambda outcome: outcome[0] == outcome[1]) == Fraction(
        expected
    )


@pytest.mark.parametrize(("name", "expected"), cases("two hands, ties to the larger"))
def test_two_hands(name: str, expected: list[str]) -> None:
    first_dice, sides, first_threshold, second_dice, _, second_threshold = numbers(name)
    first, second = successes(first_dice, sides, first_threshold), successes(second_dice, sides, second_threshold)
    wins = [0, 0, 0]
    for (one,), weight in first.outcomes.items():
        for (other,), times in second.outcomes.items():
            margin = one - other or first_dice - second_dice
            wins[0 if margin > 0 else 1 if margin < 0 else 2] += weight * times
    assert [Fraction(win, first.total * second.total) for win in wins] == [Fraction(text) for text in expected]


@pytest.mark.parametrize(("name", "expected"), cases("graded successes"))
def test_graded(name: str, expected: list[str]) -> None:
    assert at_least(graded(numbers(name)[0], "hits"), 8) == expected


@pytest.mark.parametrize(("name", "expected"), cases("two graded hands, ties to the first, two twelves win"))
def test_two_graded_hands(name: str, expected: str) -> None:
    first_dice, _, second_dice, _ = numbers(name)
    first, second = graded(first_dice, "hits", "twelves"), graded(second_dice, "hits", "twelves")
    wins = 0
    for (hits, twelves), weight in first.outcomes.items():
        for (against, theirs), times in second.outcomes.items():
            ahead = hits >= against if (twelves >= 2) == (theirs >= 2) else twelves >= 2
            wins += weight * times * ahead
    assert Fraction(wins, first.total * second.total) == Fraction(expected)


@pytest.mark.parametrize(("name", "expected"), cases("two twelves"))
def test_two_twelves(name: str, expected: str) -> None:
    assert graded(int(name), "twelves").probability(lambda outcome: outcome[0] >= 2) == Fraction(expected)


@pytest.mark.parametrize(("name", "expected"), cases("series of throws"))
def test_series(name: str, expected: list[str]) -> None:
    dice, _, wanted, *most = numbers(name)
    throw = graded(dice, "hits")
    running, succeeded, failed, tests = {0: Fraction(1)}, Fraction(0), Fraction(0), 0
    while running and [tests] != most:
        tests += 1
        after: dict[int, Fraction] = {}
        for so_far, chance in running.items():
            for (hits,), weight in throw.outcomes.items():
                share = chance * Fraction(weight, throw.total)
                if not hits:
                    failed += share
                elif so_far + hits >= wanted:
                    succeeded += share
                else:
                    after[so_far + hits] = after.get(so_far + hits, Fraction(0)) + share
        running = after
    assert [succeeded, failed, sum(running.values())] == [Fraction(text) for text in expected]


@pytest.mark.parametrize(("name", "expected"), cases("exploding and doubled"))
def test_exploding_and_doubled(name: str, expected: list[str]) -> None:
    plain, doubled, threshold = numbers(name)
    pool = Pool(
        (Group("plain", plain, standard(10)), Group("doubled", doubled, standard(10))),
        (Explode(lambda die: die.face == 10, "new_die", groups=("plain",)),),
        (Sum("hits", lambda die: (2 if die.group == "doubled" else 1) * (die.face >= threshold)),),
    )
    found = distribution(pool, ("hits",), {"hits": 6})
    assert at_least(found, 6) == expected
    assert found.cut_off == 0
