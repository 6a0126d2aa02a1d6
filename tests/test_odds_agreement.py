"""Odds and play are the same rules: random systems, every face and every answer."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from interpreter import loader
from interpreter.layout import State
from interpreter.machine import NeedChoice, NeedRoll, Run, advance
from interpreter.model import System
from interpreter.odds import Odds, odds, odds_of_run
from interpreter.odds.kept import Hand
from interpreter.odds.study import study_of
from interpreter.start import Request, begin
from tests.odds import brute
from tests.odds.cases import system
from tests.odds.random_rules import systems

SHEETS = {"one": {"sheet": "one"}}
# What a random condition can be: always false, or never reached.
REFUSED = ("E0402", "E0403", "E0404")
LOOKED_AT = ("outcome", "self.a", "self.b", "self.flag")


def loaded(text: str, folder: Path) -> System:
    path = folder / "random.yaml"
    path.write_text(text, encoding="utf-8")
    rules = loader.load(str(path))
    errors = [problem for problem in rules.problems if problem.severity == "error"]
    assume(not errors or any(problem.code not in REFUSED for problem in errors))
    assert rules.system is not None, text
    assert not errors, f"{errors}\n{text}"
    return rules.system


def seen(run: Run) -> tuple[Any, ...]:
    slots = run.program.layout.slots
    return tuple(run.registers[slots[name]] for name in (":outcome", "one.a", "one.b", "one.flag"))


CALM = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=20, deadline=None, suppress_health_check=CALM)
@given(text=systems())
def test_odds_are_what_play_gives(text: str, tmp_path: Path) -> None:
    compare(loaded(text, tmp_path))


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=CALM)
@given(text=systems())
def test_odds_are_what_play_gives_many_times(text: str, tmp_path: Path) -> None:
    compare(loaded(text, tmp_path))


def compare(rules: System) -> None:
    """The same action by both ways: the first answers, then the best and the worst."""
    request, state = Request("play", {"self": ("one",)}, {}), State(SHEETS)
    run = begin(rules, state, request)
    assert isinstance(run, Run)
    wanted = brute.first(run, seen)
    found = odds(rules, state, request, choices="first", joint=[LOOKED_AT])
    assert isinstance(found, Odds), found
    assert found.joints[LOOKED_AT] == wanted
    assert found.outcomes["good"] == sum((chance for key, chance in wanted.items() if key[0] == "good"), Fraction(0))
    for choices, sign in (("best", 1), ("worst", -1)):
        chosen = odds(rules, state, request, choices=choices, goal="good", gauges=True)
        assert isinstance(chosen, Odds), chosen
        assert chosen.worth == chosen.outcomes["good"] == brute.best(run, lambda end: seen(end)[0] == "good", sign)
        assert all(sum(spread.values()) == 1 for spread in chosen.gauges.values())
        rough = odds(rules, state, request, choices=choices, goal="good", exact=False)
        assert isinstance(rough, Odds)
        assert rough.outcomes["good"] == pytest.approx(float(chosen.outcomes["good"]), abs=1e-12)


HOW: list[dict[str, Any]] = [
    {"choices": "first"},
    {"choices": "first", "joint": [LOOKED_AT], "gauges": True},
    {"choices": "first", "exact": False, "values": ["self.a"]},
    {"choices": "best", "goal": "good"},
]
TABLES = st.tuples(
    st.integers(0, 4),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 2),
    st.integers(1, 3),
    st.sampled_from(HOW),
    st.lists(st.integers(0, 2), max_size=3),
)


@settings(max_examples=20, deadline=None, suppress_health_check=CALM)
@given(text=systems(), asked=st.lists(TABLES, min_size=2, max_size=8))
def test_no_answer_hangs_on_what_was_asked_before(text: str, asked: list[Any], tmp_path: Path) -> None:
    same_answers(loaded(text, tmp_path), asked)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=CALM)
@given(text=systems(), asked=st.lists(TABLES, min_size=2, max_size=8))
def test_no_answer_hangs_on_what_was_asked_before_many_times(text: str, asked: list[Any], tmp_path: Path) -> None:
    same_answers(loaded(text, tmp_path), asked)


def same_answers(rules: System, asked: list[Any]) -> None:
    """What is kept from one question to the next is right for tables that differ, and for runs that are under way, down
    to the situations counted."""
    questions = []
    for a, b, flag, count, need, how, answers in asked:
        gauges = {"a": {"start": 4, "now": a}, "b": {"start": 3, "now": b}}
        sheet = {"sheet": "one", **gauges, "flag": flag, "dice": count, "need": need}
        run = begin(rules, State({"one": sheet}), Request("play", {"self": ("one",)}, {}))
        assert isinstance(run, Run)
        questions.append(partial(odds_of_run, rules, under_way(run, answers), **how))
    warm = [ask() for ask in questions * 2]
    cold = []
    for ask in questions:
        study_of.cache_clear()
        cold.append(ask())
    assert warm == cold * 2
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda ask: ask(), questions * 2)) == warm


def under_way(run: Run, answers: list[int]) -> Run:
    """The run once so many rolls and choices are answered, by these faces and options."""
    run, need = advance(run)
    for number in answers:
        if isinstance(need, NeedRoll):
            answer: Any = need.throw(lambda die, _group, _index, number=number: die.faces[number % len(die.faces)])
        elif isinstance(need, NeedChoice):
            opened = brute.answers(need)
            answer = opened[number % len(opened)]
        else:
            break
        run, need = advance(run, answer)
    return run


def alike(action: str, dice: int, plus: int) -> Odds:
    sheets = {"one": {"sheet": "one", "dice": dice, "plus": plus}}
    found = odds(system("alike"), State(sheets), Request(action, {"self": ("one",)}, {}), choices="first")
    assert isinstance(found, Odds)
    return found


def test_values_that_stand_for_others_stand_for_none_in_the_next_question() -> None:
    tables = list(product(range(4), range(3)))
    cold = {}
    for table in tables:
        study_of.cache_clear()
        cold[table] = alike("meet", *table)
    for before, table in product(tables, tables):
        study_of.cache_clear()
        alike("meet", *before)
        assert alike("meet", *table) == cold[table]


def test_a_throw_that_is_looked_at_in_several_ways() -> None:
    assert alike("part", 0, 0).outcomes["good"] == Fraction(1, 2) * Fraction(5, 16) + Fraction(1, 2) * Fraction(15, 16)


def test_hands_of_a_question_are_gone_with_it() -> None:
    def hands() -> int:
        gc.collect()
        return sum(type(one) is Hand for one in gc.get_objects())

    study_of.cache_clear()
    alike("stay", 2, 0)
    few = hands()
    for _ in range(5):
        alike("stay", 2, 0)
    assert 0 < hands() <= few


@pytest.mark.parametrize(("strength", "fight", "gear"), [(1, 1, 0), (1, 0, 1), (2, 0, 0)])
def test_a_push_is_what_play_gives(strength: int, fight: int, gear: int) -> None:
    rules = system("push")
    sheets = {"one": {"sheet": "hero", "attributes": {"strength": strength}, "skills": {"fight": fight}, "gear": gear}}
    request, state = Request("test", {"self": ("one",)}, {"attribute": "strength", "skill": "fight"}), State(sheets)
    run = begin(rules, state, request)
    assert isinstance(run, Run)
    found = odds(rules, state, request)
    assert isinstance(found, Odds)
    outcome = run.program.outcome
    assert found.worth == brute.best(run, lambda end: end.registers[outcome] == "success")
    slots = run.program.layout.slots
    strained = brute.best(run, lambda end: end.registers[slots["one.attributes.strength"]] < strength)
    most = odds(rules, state, request, goal=f"self.attributes.strength < {strength}")
    assert isinstance(most, Odds)
    assert most.worth == strained
