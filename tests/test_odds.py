"""Exact odds against numbers that independent programs worked out."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

from interpreter.layout import State
from interpreter.loader import load
from interpreter.odds import NoOdds, Odds, example_odds, odds
from interpreter.odds.advice import Advice
from interpreter.start import Request
from tests.odds.cases import DUEL_ROLES, POLICIES, SYSTEMS, ask, data, duel, duel_grid, duelists, system, told

RECIPES = Path(__file__).parent.parent / "docs" / "recipes"
DUEL = data("duel")
POOLS = data("pools")


# ---------------------------------------------------------------------- the duel


@pytest.mark.parametrize("row", DUEL["exact"], ids=lambda row: "/".join(map(str, row[:4])))
def test_duel_exactly(row: list) -> None:
    difference, stamina, enemy, luck, *wanted = row
    for policy, chance in zip(DUEL["policies"], wanted, strict=True):
        found = duel(difference, stamina, enemy, luck, policy)
        assert found.outcomes["victoire"] == Fraction(chance), policy
        assert found.outcomes["mort"] == 1 - Fraction(chance)


@pytest.mark.parametrize("policy", DUEL["policies"])
def test_duel_in_floats_as_a_grid(policy: str) -> None:
    rows = [row for row in DUEL["floats"] if row[0] <= 12]
    place = 5 + DUEL["policies"].index(policy)
    cells = {}
    for row in duel_grid(
        {
            "foe.habilete": sorted({10 - (row[0] - row[1]) for row in rows}),
            "self.endurance": sorted({row[2] for row in rows}),
            "foe.endurance": sorted({row[3] for row in rows}),
            "self.chance": sorted({row[4] for row in rows}),
        },
        policy,
        exact=False,
    ).rows:
        cells[row.cell] = row.chances
    for row in rows:
        mine, its, stamina, enemy, luck = row[:5]
        lost, won = cells[10 - (mine - its), stamina, enemy, luck]
        assert won == pytest.approx(row[place], abs=1e-9)
        assert lost == pytest.approx(1 - row[place], abs=1e-9)


@pytest.mark.parametrize("row", DUEL["mistakes"], ids=lambda row: "/".join(map(str, row[:5])))
def test_duel_makes_none_of_the_usual_mistakes(row: list) -> None:
    difference, stamina, enemy, luck, policy, right, wrong = row
    found = float(duel(difference, stamina, enemy, luck, policy).outcomes["victoire"])
    assert found == pytest.approx(right, abs=1e-12)
    assert all(abs(found - mistake) > 1e-6 for mistake in wrong if abs(mistake - right) > 1e-6)


def test_duel_advice_says_when_to_try_ones_luck() -> None:
    found = duel(0, 12, 12, 12, "optimal")
    advice = {one.choice: one for one in found.advice}
    assert set(advice) == {"recevoir.parer", "blesser.achever"}
    for one in advice.values():
        assert {"hero.endurance", "hero.chance", "foe.endurance"} == set(one.names)
        covered = sum(line.situations for line in one.lines)
        assert covered == len(one.situations)
        assert "tenter_sa_chance" in one.situations.values()
        for situation, answer in one.situations.items():
            if situation[one.names.index("hero.chance")] < 2:
                assert answer != "tenter_sa_chance"


def test_duel_lines_cover_each_situation_rightly() -> None:
    for advice in duel(-2, 9, 8, 9, "optimal").advice:
        lines_cover_each_situation_rightly(advice)


def lines_cover_each_situation_rightly(advice: Advice) -> None:
    """Their tests are all bounds of numbers."""
    lines = advice.lines
    for situation, answer in advice.situations.items():
        given = dict(zip(advice.names, situation, strict=True))
        fitting = [
            line for line in lines if all((given[t.name] <= t.value) is (t.relation == "<=") for t in line.tests)
        ]
        assert [line.answer for line in fitting] == [answer]


def test_advice_about_dice_that_lie_there_speaks_of_what_they_show() -> None:
    rules = load(RECIPES / "keep-and-throw-again.yaml").system
    assert rules is not None
    found = odds(rules, State({}), Request("throw", {}, {"throws": 1}))
    assert isinstance(found, Odds)
    (advice,) = found.advice
    names = ("hand.faces", "passes.1", "hand.most", "hand.face", *(f"hand.faces.{face}" for face in range(1, 7)))
    assert advice.names == names
    assert len(advice.situations) == 252
    assert len(advice.lines) < 30
    lines_cover_each_situation_rightly(advice)
    for (text, _, most, face, *counts), answer in advice.situations.items():
        assert counts == [text.split().count(str(number)) for number in range(1, 7)]
        assert most == max(counts)
        assert face == max(number for number in range(1, 7) if counts[number - 1] == most)
        assert answer == "0" or most == 1 or counts[int(answer) - 1] == most


def test_advice_tells_apart_dice_of_several_groups_and_with_symbols(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(
        """
format: 1
symbols: {S: Star, M: Moon}
dice: {sky: {faces: [S, M, S M, _]}}
actions:
  throw:
    steps:
      - roll:
          hand: {groups: {small: {dice: 1, die: d4}, sky: {dice: 1, die: sky}}, sum: {total: face}}
      - choose: again
        options: {small: , sky: , neither: }
      - reroll: hand
        where: group is again
    outcomes: {good: {when: hand.total == 4}, bad: }
    best: good
"""
    )
    rules = load(file).system
    assert rules is not None
    found = odds(rules, State({}), Request("throw", {}, {}))
    assert isinstance(found, Odds)
    (advice,) = found.advice
    assert [str(line) for line in advice.lines] == ["small when hand.total <= 3", "sky when hand.total > 3"]


def test_duel_worst_and_first() -> None:
    sheets = duelists(0, 8, 8, 6)
    best, worst, first = (
        told("duel", "combat", {}, sheets, DUEL_ROLES, choices=choices).outcomes["victoire"]
        for choices in ("best", "worst", "first")
    )
    never = told("duel", "combat", {}, sheets, DUEL_ROLES, **POLICIES["never"]).outcomes["victoire"]
    assert worst < first < best
    assert first == never
    named = told("duel", "combat", {}, sheets, DUEL_ROLES, choices="jamais").outcomes["victoire"]
    assert named == never


def test_duel_gauges_afterwards() -> None:
    found = duel(0, 6, 6, 7, "never", gauges=True)
    left = found.gauges["hero.endurance"]
    assert left[0] == found.outcomes["mort"]
    assert sum(left.values()) == 1
    assert "hero.chance" not in found.gauges  # nobody tests luck under this policy, so nothing can move it
    assert found.gauges["foe.endurance"][0] == found.outcomes["victoire"]
    assert found.mean("hero.endurance") == sum(value * chance for value, chance in left.items())


def test_duel_against_two_is_harder_and_asks_whom_to_strike() -> None:
    sheets = {**duelists(1, 10, 4, 6), "other": {"sheet": "creature", "habilete": 8, "endurance": 2}}
    roles = {"self": ("hero",), "ennemis": ("foe", "other")}
    both = told("duel", "combat", {}, sheets, roles)
    alone = told("duel", "combat", {}, sheets, DUEL_ROLES)
    assert both.outcomes["victoire"] < alone.outcomes["victoire"]
    assert "cible" in [advice.choice for advice in both.advice]
    assert sum(both.outcomes.values()) == 1


# ---------------------------------------------------------------------- pools


def at_least(values: dict, number: int) -> Fraction:
    return sum((chance for value, chance in values.items() if value >= number), Fraction(0))


@pytest.mark.parametrize("name", POOLS["meute_pool"])
def test_successes_on_six_sided_dice(name: str) -> None:
    dice, threshold = name.removesuffix("+").split("d6@")
    found = told("pools", "successes", {"dice": int(dice), "threshold": int(threshold)})
    for number, wanted in enumerate(POOLS["meute_pool"][name], 1):
        assert at_least(found.values["hits"], number) == Fraction(wanted)


@pytest.mark.parametrize("dice", POOLS["meute_all_ones"])
def test_nothing_but_ones(dice: str) -> None:
    found = told("pools", "successes", {"dice": int(dice), "threshold": 4})
    assert found.outcomes["disaster"] == Fraction(POOLS["meute_all_ones"][dice])


@pytest.mark.parametrize("name", POOLS["meute_opposition"])
def test_opposition(name: str) -> None:
    sides = [side.removesuffix("+").split("d6@") for side in name.split(" v ")]
    first, second = ({"dice": int(dice), "threshold": int(threshold)} for dice, threshold in sides)
    found = told("pools", "opposition", {"first": first, "second": second}).outcomes
    wanted = {key: Fraction(value) for key, value in POOLS["meute_opposition"][name].items()}
    assert found == {
        "first_wins": wanted["first"],
        "second_wins": wanted["second"],
        "unresolved": wanted["unresolved_equal_pools"],
    }


@pytest.mark.parametrize("name", POOLS["mir_pool"])
def test_successes_on_twelve_sided_dice(name: str) -> None:
    found = told("pools", "twelves", {"dice": int(name.removesuffix("d12"))})
    for number, wanted in enumerate(POOLS["mir_pool"][name], 1):
        assert at_least(found.values["hits"], number) == Fraction(wanted)


@pytest.mark.parametrize("dice", POOLS["mir_two_twelves"])
def test_two_twelves(dice: str) -> None:
    assert told("pools", "twelves", {"dice": int(dice)}).outcomes["critical"] == Fraction(
        POOLS["mir_two_twelves"][dice]
    )


@pytest.mark.parametrize("name", POOLS["mir_opposed"])
def test_opposed_with_a_critical_rule(name: str) -> None:
    mine, other = (int(side.removesuffix("d12")) for side in name.split(" v "))
    found = told("pools", "duel_of_twelves", {"initiator": {"dice": mine}, "other": {"dice": other}}).outcomes
    assert found["critical_initiator"] + found["initiator_wins"] == Fraction(POOLS["mir_opposed"][name])


@pytest.mark.parametrize("name", POOLS["mir_extended"])
def test_extended(name: str) -> None:
    dice, needed, most = (part.split()[-1] if "max" in part else part.split()[0] for part in name.split(", "))
    inputs = {"dice": int(dice.removesuffix("d12")), "needed": int(needed), "most": 0 if most == "None" else int(most)}
    found = told("pools", "extended", inputs, joint=[("outcome", "tests")])
    wanted = POOLS["mir_extended"][name]
    assert found.outcomes["succeeds"] == Fraction(wanted["succeeds"])
    assert found.outcomes["no_success"] == Fraction(wanted["a test with no success"])
    assert found.outcomes["out_of_tests"] == Fraction(wanted["out of tests"])
    together = found.joints["outcome", "tests"]
    for tests, chance in enumerate(wanted["succeeds_at_test"], 1):
        assert float(together.get(("succeeds", tests), 0)) == pytest.approx(chance, abs=1e-15)


@pytest.mark.parametrize("name", POOLS["vermine_pool"])
def test_dice_that_explode_without_end_are_exact_where_a_threshold_is_asked(name: str) -> None:
    pool, _, threshold = name.removesuffix("+").partition(" @")
    white, gear = (int(part.split()[0]) for part in pool.split(" + "))
    for number, wanted in enumerate(POOLS["vermine_pool"][name], 1):
        inputs = {"whites": white, "gears": gear, "threshold": int(threshold), "wanted": number}
        found = told("pools", "exploding", inputs)
        assert found.outcomes["enough"] == Fraction(wanted)
        assert found.cut_off == 0


def test_a_hundred_dice() -> None:
    found = told("pools", "successes", {"dice": 100, "threshold": 5}).values["hits"]
    assert found == {hits: Fraction(comb(100, hits) * 4 ** (100 - hits) * 2**hits, 6**100) for hits in range(101)}


# ---------------------------------------------------------------------- examples of published mechanics


@pytest.mark.parametrize("path", sorted(SYSTEMS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_odds_of_examples(path) -> None:  # type: ignore[no-untyped-def]
    rules = system(path.stem)
    for name in rules.examples:
        assert example_odds(rules, name) == []


def test_floats_agree_with_fractions() -> None:
    exact, rough = (duel(-1, 11, 9, 8, "optimal", exact=exact) for exact in (True, False))
    for name, chance in exact.outcomes.items():
        assert isinstance(rough.outcomes[name], float)
        assert rough.outcomes[name] == pytest.approx(float(chance), abs=1e-12)
    assert rough.advice == exact.advice


def test_a_push_with_its_choice() -> None:
    sheets = {"one": {"sheet": "hero", "attributes": {"strength": 3}, "skills": {"fight": 2}, "gear": 1}}
    inputs = {"attribute": "strength", "skill": "fight"}
    found = told("push", "test", inputs, sheets, {"self": ("one",)}, gauges=True)
    assert found.outcomes["success"] == Fraction(118198271, 136048896)
    assert [str(line) for line in found.advice[0].lines] == ["push when hand.hits <= 0", "keep when hand.hits > 0"]
    kept = told("push", "test", inputs, sheets, {"self": ("one",)}, choices="first")
    assert kept.outcomes["success"] == 1 - Fraction(5, 6) ** 6
    worn = found.gauges["one.attributes.strength"]
    assert sum(worn.values()) == 1
    assert set(worn) == {0, 1, 2, 3}


def test_the_best_of_an_order_of_outcomes() -> None:
    sheets = {"one": {"sheet": "hero", "traits": {"iron": 2}, "momentum": 8}}
    roles = {"self": ("one",)}
    best = told("momentum", "move", {"trait": "iron"}, sheets, roles)
    only = told("momentum", "move", {"trait": "iron"}, sheets, roles, goal="miss", choices="worst")
    assert (
        best.outcomes["strong_hit"]
        > told("momentum", "move", {"trait": "iron"}, sheets, roles, choices="first").outcomes["strong_hit"]
    )
    assert best.outcomes["miss"] == only.outcomes["miss"]
    assert best.flags == {"twist": Fraction(1, 10)}


def test_wild_dice_explode_on_themselves() -> None:
    sheets = {"one": {"sheet": "hero", "traits": {"shooting": "d8", "fighting": "d6"}}}
    found = told("wild", "trait_test", {"trait": "shooting", "target": 4}, sheets, {"self": ("one",)})
    failed = Fraction(3, 8) * Fraction(3, 6)
    assert found.outcomes["failure"] + found.outcomes["critical_failure"] == failed
    assert found.outcomes["critical_failure"] == Fraction(1, 48)


def test_no_such_name_is_said() -> None:
    found = ask("pools", "twelves", {"dice": 3}, values=["hits", "misses"])
    assert isinstance(found, NoOdds)
    assert "misses" in found.message


def test_what_is_told_under_the_name_of_an_outcome(tmp_path: Path) -> None:
    """A number and a yes or no keep their own odds; what is aimed at is the outcome."""
    file = tmp_path / "names.yaml"
    file.write_text(
        """
format: 1
actions:
  throw:
    steps: [{roll: {die: 1d6}}]
    report: {high: die}
    flags: {low: die > 3, fine: die == 6}
    outcomes: {high: {when: die > 2, grades: {fine: {when: die > 4}}}, low: }
    best: high
"""
    )
    rules = load(file).system
    assert rules is not None
    found = odds(rules, State({}), Request("throw", {}, {}), goal="high")
    assert isinstance(found, Odds)
    assert found.outcomes == {"high": Fraction(2, 3), "low": Fraction(1, 3)}
    assert found.grades == {"fine": Fraction(1, 3)}
    assert found.flags == {"low": Fraction(1, 2), "fine": Fraction(1, 6)}
    assert found.values == {"high": {face: Fraction(1, 6) for face in range(1, 7)}}
    assert found.worth == Fraction(2, 3)
