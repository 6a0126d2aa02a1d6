"""Odds of what may go on for ever, of choices of every kind, and what is said when there are none."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from interpreter.odds import Limits, NoOdds, Odds
from tests.odds.cases import ask, duel, told

SHEETS = {"x": {"sheet": "one"}, "y": {"sheet": "one"}}
SELF = {"self": ("x",)}


def loop(action: str, inputs: Any = None, sheet: Any = None, **how: Any) -> Odds:
    return told("loops", action, inputs or {}, {**SHEETS, "x": {"sheet": "one", **(sheet or {})}}, SELF, **how)


def refused(action: str, **how: Any) -> NoOdds:
    roles = {**SELF, "other": ("y",)} if action == "duel" else SELF
    found = ask("loops", action, {}, SHEETS, roles, **how)
    assert isinstance(found, NoOdds), found
    return found


# ---------------------------------------------------------------------- for ever


def test_who_throws_the_first_six() -> None:
    found = loop("first_six")
    assert found.outcomes == {"first": Fraction(6, 11), "second": Fraction(5, 11)}
    assert found.never_ends == found.cut_off == 0


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("one_in", [2, 3, 6])
@pytest.mark.parametrize(("place", "goal"), [(1, 2), (2, 4), (3, 8), (7, 8)])
def test_the_gamblers_ruin(exact: bool, one_in: int, place: int, goal: int) -> None:
    found = loop("ruin", {"one_in": one_in, "goal": goal}, {"place": place}, exact=exact).outcomes["won"]
    ratio = Fraction(one_in - 1)
    wanted = Fraction(place, goal) if ratio == 1 else (1 - ratio**place) / (1 - ratio**goal)
    assert found == (wanted if exact else pytest.approx(float(wanted), abs=1e-13))


def test_the_best_answer_in_a_loop_is_no_answer_that_only_waits() -> None:
    best = loop("stay_or_go")
    assert best.worth == best.outcomes["good"] == Fraction(1, 2)
    assert [str(line) for line in best.advice[0].lines] == ["peek"]
    worst = loop("stay_or_go", choices="worst")
    assert worst.worth == worst.outcomes["good"] == Fraction(1, 6)
    assert worst.never_ends == 0
    waiting = loop("stay_or_go", policy={"what": "wait"})
    assert waiting.never_ends == 1
    assert set(waiting.outcomes.values()) == {0}


@pytest.mark.parametrize("action", ["trap", "dicing_trap", "idle_trap"])
@pytest.mark.parametrize("exact", [True, False])
def test_what_never_ends_has_its_own_share(action: str, exact: bool) -> None:
    found = loop(action, exact=exact)
    assert found.outcomes == {"out": Fraction(1, 2), "held": 0}
    assert found.never_ends == Fraction(1, 2)


def test_a_counter_that_nobody_reads_costs_nothing() -> None:
    assert loop("counting").outcomes["over"] == 1
    assert loop("counting").nodes < 5


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("one_in", [2, 3, 6])
@pytest.mark.parametrize(("place", "goal"), [(1, 2), (2, 4), (3, 8), (7, 8)])
def test_how_long_the_gamblers_ruin_takes(exact: bool, one_in: int, place: int, goal: int) -> None:
    """The number of rounds has no bound, and its mean is known."""
    ratio, drift = Fraction(one_in - 1), Fraction(one_in - 2, one_in)
    wanted = (
        Fraction(place * (goal - place))
        if one_in == 2
        else (place - goal * (1 - ratio**place) / (1 - ratio**goal)) / drift
    )
    sheet = {"place": place}
    found = loop("ruin", {"one_in": one_in, "goal": goal}, sheet, exact=exact, values=["rounds"], goal="rounds")
    near = wanted if exact else pytest.approx(float(wanted), abs=1e-10)
    assert found.mean("rounds") == near
    assert ("rounds" in found.values) is (goal == 2)  # then a single round decides
    assert (found.worth, found.worth_is) == (near, "mean")


def test_a_count_that_a_limit_bounds_has_its_distribution() -> None:
    found = loop("ruin", {"goal": 2}, {"place": 1}, values=["rounds"])
    assert (found.values, found.endless) == ({"rounds": {1: 1}}, {})


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("choices", "each"), [("best", 8), ("worst", 3), ("first", 3)])
@pytest.mark.parametrize("rounds", [1, 3])
def test_choices_for_the_mean_of_a_count_without_a_bound(exact: bool, choices: str, each: int, rounds: int) -> None:
    """Slow costs 1 or 2 for half a chance to be done, fast always 2 for a quarter."""
    sheet = {"coins": 4}
    found = loop("pace", {"rounds": rounds}, sheet, choices=choices, goal="twice", values=["twice"], exact=exact)
    wanted = 2 * (4 + each * rounds) - 1
    assert found.worth == pytest.approx(wanted, abs=1e-11)
    assert found.mean("twice") == pytest.approx(wanted, abs=1e-11)
    assert not exact or found.worth == found.endless["twice"] == wanted
    answers = {answer for advice in found.advice for answer in advice.situations.values()}
    assert answers == {"best": {"fast"}, "worst": {"slow"}, "first": set()}[choices]


def test_a_count_in_a_run_that_may_never_end_has_no_mean() -> None:
    found = ask("loops", "trap", {}, SHEETS, SELF, values=["self.coins * 2"])
    assert isinstance(found, Odds)
    assert found.never_ends == Fraction(1, 2)
    assert not found.endless


def test_an_explosion_without_end_is_exact_for_a_threshold_and_told_for_the_whole() -> None:
    found = loop("endless")
    assert found.outcomes["big"] == Fraction(1, 12)
    assert 0 < found.cut_off < Fraction(1, 10**15)
    assert sum(found.values["total"].values()) == 1 - found.cut_off
    plain = loop("endless", values=[])
    assert plain.cut_off == 0


# ---------------------------------------------------------------------- choices


@pytest.mark.parametrize(("choices", "chance"), [("best", 1), ("worst", 0)])
@pytest.mark.parametrize("exact", [True, False])
def test_a_choice_that_only_another_leads_to(choices: str, chance: int, exact: bool) -> None:
    found = loop("twice", choices=choices, goal="good", exact=exact)
    assert (found.worth, found.worth_is, found.outcomes["good"]) == (chance, "probability", chance)
    assert len(found.advice) == 2


def test_a_number_is_chosen() -> None:
    best = loop("bet", sheet={"coins": 3})
    assert best.worth == Fraction(1, 2)
    assert best.advice[0].situations == {(): "2"}
    assert loop("bet", sheet={"coins": 3}, policy={"stake": "1"}).outcomes["rich"] == 0
    assert loop("bet", sheet={"coins": 5}, policy={"stake": "self.coins - 2"}).outcomes["rich"] == Fraction(1, 2)
    assert loop("bet", sheet={"coins": 6}).worth == 1


def test_several_are_chosen() -> None:
    assert loop("pack").advice[0].situations == {(): "rope, lamp"}
    rich = loop("pack", sheet={"coins": 4})
    assert rich.advice[0].situations == {(): "rope, book"}
    assert rich.worth == Fraction(4, 6)
    assert loop("pack", sheet={"coins": 4}, policy={"things": "book"}).outcomes["reached"] == Fraction(2, 6)


def test_the_mean_of_a_value_is_a_goal() -> None:
    found = loop("pack", sheet={"coins": 4}, goal="total")
    assert found.goal == "total"
    assert found.worth == Fraction(7, 2) + 5 == found.mean("total")
    least = loop("pack", sheet={"coins": 4}, goal="total", choices="worst")
    assert least.worth == Fraction(7, 2) + 1


def test_a_policy_that_does_not_fit_is_refused() -> None:
    assert "`stakes` is no choice" in refused("bet", policy={"stakes": "2"}).message
    assert "no answer to `way`" in refused("guess", policy={"way": "fly"}).message
    assert "no policy `bold`" in refused("bet", choices="bold").message
    assert "cannot be looked at" in refused("guess", policy={"way": "climb when self.wings > 1"}).message
    assert "there is no `slef` here" in refused("guess", policy={"way": "climb when slef.coins > 1"}).message


def test_a_hidden_input_asks_for_a_policy() -> None:
    found = refused("guess")
    assert (found.code, "`wall` is hidden" in found.message) == ("policy", True)
    assert loop("guess", {"wall": 3}, policy={"way": "climb"}).outcomes["over"] == Fraction(5, 6)


def test_two_who_choose_ask_for_a_policy() -> None:
    assert "More than one chooses" in refused("duel").message
    found = ask("loops", "duel", {}, SHEETS, {**SELF, "other": ("y",)}, policy={"mine": "low"})
    assert isinstance(found, Odds)
    assert found.outcomes["same"] == 1
    assert [advice.choice for advice in found.advice] == ["yours"]


def test_no_goal_is_said() -> None:
    assert refused("guess", goal=[]).code == "goal"


def test_yes_and_no_are_not_taken_for_one_and_nothing() -> None:
    """In situations that hold numbers and conditions side by side."""
    names = ("one", "other", "first", "second", "d")
    found = loop("marks", joint=[names])
    wanted: dict[tuple[Any, ...], Fraction] = {}
    good = Fraction(0)
    for a, b, c, d in product((1, 2), repeat=4):
        one, first, second = (a - 1, b == 2, c == 2) if c != 1 else (b - 1, c == 2, c == 2)
        key = (one, b - 1, first, second, d)
        wanted[key] = wanted.get(key, Fraction(0)) + Fraction(1, 16)
        good += Fraction(1, 16) if (one == 1 and second) or (first and d == 1) else 0
    assert found.outcomes["good"] == good
    told = {tuple(map(repr, key)): chance for key, chance in found.joints[names].items()}
    assert told == {tuple(map(repr, key)): chance for key, chance in wanted.items()}


# ---------------------------------------------------------------------- refusals and limits


def test_a_refused_action_has_no_odds() -> None:
    assert refused("poor").message == "Come back with money."
    assert loop("poor", sheet={"coins": 6}).outcomes["fine"] == Fraction(1, 2)
    assert refused("nothing_like_it").code == "action"


def test_the_limit_of_situations_names_what_grows() -> None:
    found = refused("growing", limits=Limits(nodes=500))
    assert (found.code, found.limit, found.reached) == ("limit", "nodes", 501)
    assert "`x.free`" in found.message


def ticking() -> Iterator[float]:
    now = 0.0
    while True:
        now += 1
        yield now


def test_the_limit_of_time_goes_by_the_clock_given() -> None:
    clock = ticking()
    found = refused("growing", limits=Limits(seconds=20), clock=lambda: next(clock))
    assert (found.code, found.limit, found.reached) == ("limit", "seconds", 21)


def test_the_limits_of_dice_and_answers() -> None:
    many = ask("pools", "successes", {"dice": 150, "threshold": 4}, limits=Limits(dice=100))
    assert isinstance(many, NoOdds)
    assert (many.limit, many.reached) == ("dice", 150)
    assert refused("bet", limits=Limits(options=3)).limit == "options"


def test_the_equations_of_a_circle_have_a_limit() -> None:
    found = ask("loops", "ruin", {"goal": 8}, SHEETS, SELF, limits=Limits(terms=5))
    assert isinstance(found, NoOdds)
    assert found.limit == "terms"


def test_a_run_can_be_asked_about_where_it_stands() -> None:
    from interpreter.layout import State
    from interpreter.machine import NeedChoice, NeedRoll, Run, advance
    from interpreter.odds import odds_of_run
    from interpreter.start import Request, begin
    from tests.odds.cases import DUEL_ROLES, duelists, system

    run = begin(system("duel"), State(duelists(0, 6, 4, 8)), Request("combat", DUEL_ROLES, {}))
    assert isinstance(run, Run)
    run, need = advance(run)
    assert isinstance(need, NeedRoll)
    before = odds_of_run(system("duel"), run)
    assert isinstance(before, Odds)
    assert before.outcomes == duel(0, 6, 4, 8, "optimal").outcomes
    run, need = advance(run, {"": [6, 6]})
    run, need = advance(run, {"": [1, 1]})
    assert isinstance(need, NeedChoice)
    after = odds_of_run(system("duel"), run)
    assert isinstance(after, Odds)
    assert after.outcomes["victoire"] > before.outcomes["victoire"]
