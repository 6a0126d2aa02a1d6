"""Dice thrown: given faces, what is wrong with them, operations in their order, sources."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from dice.brute import every_throw
from hypothesis import given
from hypothesis import strategies as st

from interpreter.dice import (
    Count,
    DiceError,
    Die,
    Drop,
    Explode,
    Faces,
    Fault,
    Group,
    Highest,
    Keep,
    LimitReached,
    Limits,
    Lowest,
    Pool,
    Replace,
    Reroll,
    Sets,
    Source,
    Sum,
    Symbols,
    Thrown,
    face_text,
    from_random,
    sample,
    seeded,
    standard,
    system,
    throw,
    throw_again,
    throw_again_given,
    throw_given,
)

D2, D6, D10, D20 = standard(2), standard(6), standard(10), standard(20)


def top(die: Thrown) -> bool:
    return die.face == die.sides


def one(count: int, die: Die, *operations: Any, readings: tuple[Any, ...] = ()) -> Pool:
    return Pool((Group("dice", count, die),), operations, readings)


HITS = Count("hits", lambda die: die.face >= 8)
ALMOST = Count("almost", lambda die: die.face >= 7)
TENS = Explode(lambda die: die.face == 10, "new_die")
TWELVE: Faces = [[10, 4], [10, 3], [10, 9], [10, 7], 4, 6, 4, 7, 5, 4, [10, 3], 8]
ONCE: Faces = [[2, 2], [2, 2], [2, 2], [2, 1], [2, 1], 1, 1, 1, 1, 1]
LONG: Faces = [[2, 2, 1], [2, 1], [2, 1], [2, 1], [2, 1], 1, 1, 1, 1, 1]
GLITCH = one(2, D6, Explode(top, "new_die"), readings=(Count("ones", lambda die: die.face == 1),))
CRITS = one(3, D10, readings=(Sets("pairs", "parts", 2, lambda die: die.face), Count("tens", top)))

GIVEN = [
    ("sum", one(2, D6), [3, 4], {"sum": 7, "dice": 2, "thrown": 2}),
    ("no dice", one(0, D6, readings=(Highest("high", lambda die: die.face),)), [], {"sum": 0, "high": 0, "thrown": 0}),
    (
        "no dice, a stated value",
        one(0, D6, readings=(Highest("high", lambda d: d.face, -1), Lowest("low", lambda d: d.face, 99))),
        [],
        {"high": -1, "low": 99},
    ),
    ("extra dice count by their faces", one(12, D10, TENS, readings=(HITS, ALMOST)), TWELVE, {"hits": 7, "almost": 9}),
    ("an extra die that fails", one(2, D10, TENS, readings=(HITS,)), [8, [10, 5]], {"hits": 2, "thrown": 3, "dice": 2}),
    ("chains seen as one die", one(10, D2, Explode(top, "same_die", 1), Keep("highest", 3)), ONCE, {"sum": 12}),
    ("chains as separate dice", one(10, D2, Explode(top, "new_die", 1), Keep("highest", 3)), ONCE, {"sum": 6}),
    ("long chains seen as one die", one(10, D2, Explode(top, "same_die"), Keep("highest", 3)), LONG, {"sum": 11}),
    ("drop, then explode", one(3, D6, Drop("lowest", 1), Explode(top, "new_die")), [[6, 5], [6, 1], 2], {"sum": 18}),
    ("explode, then drop", one(3, D6, Explode(top, "new_die"), Drop("lowest", 1)), [[6, 5], [6, 1], 2], {"sum": 19}),
    ("dice and throws", GLITCH, [[6, 6, 6, 1], [6, 1]], {"ones": 2, "dice": 2, "thrown": 6}),
    ("at most so many", one(1, D6, Explode(top, "new_die", 1)), [[6, 6]], {"sum": 12}),
    ("none at all", one(1, D6, Explode(top, "new_die", 0)), [6], {"sum": 6}),
    ("reroll only one", one(2, D20, Reroll(lambda d: d.face == 1, 1), Keep("highest", 1)), [[1, 1], 1], {"sum": 1}),
    ("reroll the lowest", one(3, D6, Reroll(lambda d: d.face < 4, 1)), [3, [2, 6], 3], {"sum": 12}),
    ("reroll twice", one(1, D6, Reroll(lambda d: d.face < 3, None, 2)), [[1, 2, 1]], {"sum": 1, "thrown": 3}),
    ("reroll until", one(1, D6, Reroll(lambda d: d.face < 6, None, None)), [[1, 2, 3, 6]], {"sum": 6}),
    ("replace", one(2, D20, Replace(lambda d: d.face < 10, 10)), [3, 17], {"sum": 27}),
    ("replace by a function", one(2, D6, Replace(lambda d: d.face < 6, lambda d: d.face + 1)), [3, 6], {"sum": 10}),
    ("keep the middle", one(4, D6, Keep("middle", 2)), [1, 6, 3, 4], {"sum": 7}),
    ("keep the middle of an odd rest", one(4, D6, Keep("middle", 1)), [1, 6, 3, 4], {"sum": 4}),
    ("keep more than there are", one(2, D6, Keep("highest", 5)), [2, 3], {"sum": 5}),
    ("drop more than there are", one(2, D6, Drop("highest", 5)), [2, 3], {"sum": 0}),
    ("drop both ends", one(3, D6, Drop("highest", 1), Drop("lowest", 1)), [6, 2, 3], {"sum": 3}),
    ("two tens are one pair", CRITS, [10, 10, 10], {"tens": 3, "pairs": 1}),
]


@pytest.mark.parametrize(("pool", "faces", "expected"), [pytest.param(*case, id=name) for name, *case in GIVEN])
def test_given_faces(pool: Pool, faces: Faces, expected: dict[str, int]) -> None:
    result = throw_given(pool, faces)
    assert {name: result[name] for name in expected} == expected
    assert throw_given(pool, dict(result.log)) == result


CRITICALS = [(0, 0), (1, 1), (2, 4), (3, 5), (4, 8), (5, 9)]


@pytest.mark.parametrize(("tens", "successes"), CRITICALS)
def test_pairs_of_tens(tens: int, successes: int) -> None:
    pool = one(5, D10, readings=(Count("hits", lambda die: die.face >= 6), Count("tens", top)))
    result = throw_given(pool, [10] * tens + [1] * (5 - tens))
    assert result["hits"] + 2 * (result["tens"] // 2) == successes


SETS = one(
    7,
    D10,
    readings=(
        Sets("largest", "largest"),
        Sets("height", "height"),
        Sets("count", "count"),
        Sets("parts", "parts"),
        Sets("threes", "count", 3),
        Sets("halves", "largest", of=lambda die: die.face // 2),
    ),
)


def test_sets() -> None:
    result = throw_given(SETS, [3, 3, 3, 3, 9, 9, 2])
    expected = {"largest": 4, "height": 3, "count": 2, "parts": 3, "threes": 1, "halves": 5}
    assert {name: result[name] for name in expected} == expected


TWO = Pool((Group("a", 2, D6), Group("b", 1, standard(4))), (Explode(top, "new_die", groups=("b",)),))
FAULTS: list[tuple[str, Pool, Any, list[Fault]]] = [
    ("too few dice", one(3, D6), [1, 2], [Fault("faces_missing", "", "dice", 3)]),
    ("a throw missing", TWO, {"a": [1, 6], "b": [4]}, [Fault("faces_missing", "", "b", 1)]),
    (
        "too many dice",
        one(2, D6),
        [1, 2, 3, 4],
        [Fault("faces_left", "", "dice", 3), Fault("faces_left", "", "dice", 4)],
    ),
    ("a throw too many", TWO, {"a": [[6, 1], 2], "b": [3]}, [Fault("faces_left", "", "a", 1)]),
    (
        "no such faces",
        TWO,
        [7, 0, 5],
        [*(Fault("no_such_face", "", "a", n) for n in (1, 2)), Fault("no_such_face", "", "b", 1)],
    ),
    ("no such group", TWO, {"c": [1]}, [Fault("unknown_group", "", "c")]),
    ("yes is not 1", one(1, D6), [True], [Fault("no_such_face", "", "dice", 1)]),
]


@pytest.mark.parametrize(("pool", "faces", "expected"), [pytest.param(*case, id=name) for name, *case in FAULTS])
def test_faults_of_faces(pool: Pool, faces: Faces, expected: list[Fault]) -> None:
    with pytest.raises(DiceError) as caught:
        throw_given(pool, faces)
    found = [(fault.code, fault.group, fault.die) for fault in caught.value.faults]
    assert found == [(fault.code, fault.group, fault.die) for fault in expected]
    assert all(fault.message for fault in caught.value.faults)


HALF: Any = lambda die: die.face / 2  # noqa: E731
BROKEN: list[tuple[str, Callable[[], object], str]] = [
    ("negative count", lambda: Group("dice", -3, D6), "negative_count"),
    ("negative keep", lambda: one(1, D6, Keep("highest", -1)), "negative_count"),
    ("no faces", lambda: Die("empty", ()), "no_faces"),
    ("d0", lambda: standard(0), "no_faces"),
    ("two groups alike", lambda: Pool((Group("a", 1, D6), Group("a", 1, D6))), "group_twice"),
    ("two readings alike", lambda: one(1, D6, readings=(HITS, HITS)), "reading_twice"),
    ("operation on no group", lambda: one(1, D6, Keep("highest", 1, ("other",))), "unknown_group"),
    ("no such reading", lambda: throw_given(one(1, D6), [1])["hits"], "unknown_reading"),
    (
        "a reading that is no number",
        lambda: throw_given(one(1, D6, readings=(Sum("half", HALF),)), [1]),
        "not_whole",
    ),
]


@pytest.mark.parametrize(("make", "code"), [pytest.param(*case, id=name) for name, *case in BROKEN])
def test_broken_pools(make: Callable[[], object], code: str) -> None:
    with pytest.raises(DiceError) as caught:
        make()
    assert caught.value.code == code


def test_symbols() -> None:
    faces = (Symbols(), Symbols.of("S"), Symbols.of("S", "A", "S"))
    pool = one(3, Die("symbols", faces), readings=(Sum("net", lambda die: die.symbol("S") - die.symbol("A")),))
    result = throw_given(pool, faces)
    assert (result["net"], result["sum"]) == (2, 0)
    assert [face_text(face) for face in faces] == ["_", "S", "A S S"]
    grown = one(1, pool.groups[0].die, Explode(lambda die: die.symbol("A") == 0, "same_die"), readings=pool.readings)
    assert throw_given(grown, [[faces[1], faces[0], faces[2]]])["net"] == 2


def test_equal_dice_of_an_earlier_group_rank_higher() -> None:
    count = Count("a", lambda die: die.group == "a")
    pools = {
        which: Pool((Group("a", 1, D6), Group("b", 1, D6)), (Keep(which, 1),), (count,))
        for which in ("highest", "lowest")
    }
    assert [throw_given(pools[which], [3, 3])["a"] for which in ("highest", "lowest")] == [1, 0]


PUSH = Pool(
    (Group("a", 2, D6), Group("b", 2, D6)),
    (),
    (Count("sixes", top), Count("ones", lambda die: die.face == 1)),
)
FREE = Reroll(lambda die: not top(die) and not (die.face == 1 and die.group == "a"))


def test_dice_on_the_table_thrown_again() -> None:
    first = throw_given(PUSH, {"a": [1, 4], "b": [2, 6]})
    second = throw_again_given(PUSH, first.table, FREE, {"a": [6], "b": [1]})
    assert (second["sixes"], second["ones"], second["thrown"], second["dice"]) == (2, 2, 6, 4)
    assert second.log == (("a", ((6,),)), ("b", ((1,),)))
    third = throw_again_given(PUSH, second.table, FREE, {"b": [6]})
    assert (third["sixes"], third["thrown"]) == (3, 7)
    with pytest.raises(DiceError, match="left over"):
        throw_again_given(PUSH, third.table, FREE, {"b": [6]})


def test_faces_of_dice_thrown_again_are_numbered_from_the_best() -> None:
    first = throw_given(PUSH, {"a": [2, 5], "b": [6, 6]})
    asked: list[tuple[str, int]] = []

    def source(die: Die, group: str, index: int) -> int:
        asked.append((group, index))
        return 3

    assert [die.face for die in first.table.dice[0]] == [5, 2]
    throw_again(PUSH, first.table, Reroll(lambda die: die.face < 6), source)
    assert asked == [("a", 0), ("a", 1)]


def test_the_promised_faces_of_a_seed() -> None:
    source = seeded("Meute")
    assert [source(D6, "", 0) for _ in range(12)] == [6, 4, 3, 1, 3, 6, 5, 1, 1, 2, 5, 5]
    assert [source(D20, "", 0) for _ in range(4)] == [18, 5, 8, 7]
    assert source.position == 16
    resumed = seeded("Meute", 12)
    assert [resumed(D20, "", 0) for _ in range(4)] == [18, 5, 8, 7]
    assert [seeded(7)(D6, "", 0), seeded(8)(D6, "", 0)] == [6, 1]


@pytest.mark.parametrize(
    "source", [seeded(1), from_random(random.Random(1)), system()], ids=["seed", "random", "system"]
)
def test_sources_are_fair(source: Source) -> None:
    shown = Counter(source(D6, "", 0) for _ in range(6000))
    assert set(shown) == set(D6.faces)
    assert all(800 < count < 1200 for count in shown.values())


@given(st.integers(), st.integers(1, 4))
def test_a_seed_throws_as_its_log_says(seed: int, count: int) -> None:
    pool = one(
        count, D6, Explode(top, "new_die"), Reroll(lambda die: die.face == 1, 2), Keep("highest", 3), readings=(HITS,)
    )
    result = throw(pool, seeded(seed))
    assert throw_given(pool, dict(result.log)) == result
    assert result["thrown"] == sum(len(chain) for _, chains in result.log for chain in chains)


def test_samples_fall_as_brute_force_says() -> None:
    pool = one(2, D6, Explode(top, "new_die", 1), Keep("highest", 2))
    generator = random.Random(5)
    shown = Counter(sample(pool, generator)["sum"] for _ in range(4000))
    chances: Counter[int] = Counter()
    for result, chance in every_throw(pool):
        chances[result["sum"]] += chance  # type: ignore[assignment]
    assert all(abs(shown[total] / 4000 - chance) < 0.04 for total, chance in chances.items())


def test_a_chain_that_hardly_ends_hits_the_limit() -> None:
    pool = one(1, standard(10_000), Explode(lambda die: die.face >= 2, "same_die"))
    with pytest.raises(LimitReached) as caught:
        throw(pool, seeded(1), Limits(throws=500))
    assert (caught.value.limit, caught.value.asked, caught.value.allowed) == ("throws", 501, 500)
