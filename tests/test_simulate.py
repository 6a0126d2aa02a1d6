"""Simulation: as the exact odds have it, the same for any number of workers, and always told as sampled."""

from __future__ import annotations

import math
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from cli.helpers import HERE, Shell
from hypothesis import given
from hypothesis import strategies as st

from interpreter.layout import State
from interpreter.loader import load
from interpreter.model import System
from interpreter.odds import Limits, NoOdds, Odds, odds
from interpreter.request import read_words
from interpreter.simulate import BATCH, Estimate, Sampled, simulate
from interpreter.simulate.estimates import average, proportion
from interpreter.start import Request

LUCK = str(HERE / "luck.yaml")
DUEL = ["self=mia", "foe=leo", "foe.body=4"]


@pytest.fixture(scope="module")
def luck() -> System:
    system = load(LUCK).system
    assert system is not None
    return system


def asked(system: System, action: str, words: list[str]) -> tuple[System, State, Request]:
    state, request, made = read_words(system, action, words)
    assert not made
    return system, state, request


def sampled(question: tuple[System, State, Request], **how: Any) -> Sampled:
    found = simulate(*question, **how)
    assert isinstance(found, Sampled)
    return found


def within(estimate: Estimate, chance: float, widening: float = 2.0) -> bool:
    """Whether a chance lies in the interval made this much wider: 95 times of 100 becomes 9999 times of 10000."""
    half = (estimate.high - estimate.low) / 2 * widening + 1e-12
    return abs(estimate.value - chance) <= half + 1e-12


# ---------------------------------------------------------------------- as exact odds have it


@pytest.mark.parametrize(
    ("action", "words", "how"),
    [
        ("throw", ["self=mia", "bonus=1"], {}),
        ("fight", DUEL, {}),
        ("fight", DUEL, {"choices": "bold"}),
        ("fight", DUEL, {"choices": "best"}),
        ("fight", DUEL, {"choices": "worst"}),
        ("fight", DUEL, {"choices": "best", "goal": "self.luck"}),
        ("fight", DUEL, {"policy": {"dodge": ["leap when self.luck >= 2 and self.life <= 2", "stand"]}}),
        ("topple", ["self=mia", "foes.a.life=4", "foes.b.life=6"], {}),
    ],
)
def test_simulation_agrees_with_exact_odds(luck: System, action: str, words: list[str], how: dict[str, Any]) -> None:
    question = asked(luck, action, words)
    found = sampled(question, runs=2000, seed=7, gauges=True, workers=1, **how)
    exact = odds(*question, choices=how.pop("choices", "first"), gauges=True, **how)
    assert isinstance(exact, Odds)
    for name, chance in {**exact.outcomes, **exact.grades, **exact.flags}.items():
        estimate = {**found.outcomes, **found.grades, **found.flags}[name]
        assert within(estimate, float(chance)), name
    for name, spread in {**exact.values, **exact.gauges}.items():
        counted = {**found.values, **found.gauges}[name]
        assert set(counted.counts) <= set(spread)
        for value, chance in spread.items():
            assert within(counted.chances.get(value, proportion(0, found.runs)), float(chance)), (name, value)


def test_best_choices_beat_others(luck: System) -> None:
    question = asked(luck, "fight", DUEL)
    chances = [sampled(question, runs=2000, seed=1, choices=how).outcomes["victory"] for how in ("worst", "best")]
    assert chances[0].high < chances[1].low


# ---------------------------------------------------------------------- the same for everyone


def test_the_same_for_any_number_of_workers(luck: System) -> None:
    question = asked(luck, "fight", DUEL)
    how: dict[str, Any] = {"runs": 3 * BATCH + 17, "seed": "x", "gauges": True}
    one = sampled(question, workers=1, **how)
    assert one.runs == 3 * BATCH + 17
    with ThreadPoolExecutor(3) as threads:
        assert sampled(question, executor=threads, **how) == one
    assert sampled(question, workers=2, **how) == one
    assert sampled(question, workers=1, **{**how, "seed": "y"}) != one


@pytest.mark.slow
def test_the_same_for_still_more_workers(luck: System) -> None:
    question = asked(luck, "fight", DUEL)
    how: dict[str, Any] = {"runs": 6 * BATCH, "seed": "x", "choices": "best"}
    one = sampled(question, workers=1, **how)
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        assert sampled(question, executor=processes, **how) == one
    assert sampled(question, workers=4, **how) == one


def test_best_choices_in_threads(luck: System) -> None:
    question = asked(luck, "fight", DUEL)
    how: dict[str, Any] = {"runs": 2 * BATCH, "seed": 5, "choices": "best"}
    with ThreadPoolExecutor(2) as threads:
        assert sampled(question, executor=threads, **how) == sampled(question, workers=1, **how)


def test_a_longer_sample_begins_like_a_shorter_one(luck: System) -> None:
    question = asked(luck, "throw", ["self=mia"])
    short, long = (sampled(question, runs=runs, seed=3, workers=1) for runs in (BATCH, 2 * BATCH))
    counts = {one.runs: one.values["margin"].counts for one in (short, long)}
    assert all(counts[2 * BATCH][value] >= count for value, count in counts[BATCH].items())


class Deferred(Executor):
    """Does its work at once, and here."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **named))
        return future


def test_any_executor_will_do_and_progress_is_told(luck: System) -> None:
    question = asked(luck, "throw", ["self=mia"])
    told: list[tuple[int, int]] = []
    found = sampled(
        question, runs=70 * BATCH, seed=1, executor=Deferred(), progress=lambda done, whole: told.append((done, whole))
    )
    assert told[-1] == (70 * BATCH, 70 * BATCH)
    assert len(told) <= 64
    assert within(found.outcomes["success"], 10 / 36)


@pytest.mark.slow
def test_a_cluster(luck: System) -> None:
    distributed = pytest.importorskip("distributed")
    question = asked(luck, "fight", DUEL)
    how: dict[str, Any] = {"runs": 4 * BATCH, "seed": 9}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        assert sampled(question, executor=executor, **how) == sampled(question, workers=1, **how)


# ---------------------------------------------------------------------- what cannot be done


def test_refusals_and_limits(luck: System) -> None:
    dead = asked(luck, "throw", ["self=mia", "self.life=0"])
    found = simulate(*dead, runs=10)
    assert isinstance(found, NoOdds)
    assert (found.code, found.message) == ("require", "The dead do nothing.")
    question = asked(luck, "fight", DUEL)
    limited = simulate(*question, runs=10, choices="best", limits=Limits(nodes=5))
    assert isinstance(limited, NoOdds)
    assert limited.limit == "nodes"
    assert limited.message.endswith("say first, or a policy.")
    assert isinstance(simulate(*question, runs=0), NoOdds)
    unknown = simulate(*question, runs=10, choices="brave")
    assert isinstance(unknown, NoOdds)
    assert unknown.code == "policy"


def test_runs_that_take_too_long_are_told(luck: System) -> None:
    found = sampled(asked(luck, "fight", DUEL), runs=200, answers=3)
    assert found.unfinished is not None
    assert found.unfinished.value > 0
    assert sum(one.value for one in found.outcomes.values()) == pytest.approx(1 - found.unfinished.value)


# ---------------------------------------------------------------------- intervals


def test_wilson_interval() -> None:
    """Numbers of a published table: 81 of 263, and 0 of 20."""
    found = proportion(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)
    none = proportion(0, 20)
    assert (none.low, round(none.high, 4)) == (0.0, 0.1611)


@given(st.integers(1, 500), st.data())
def test_intervals_hold_what_they_are_of(runs: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, runs))
    found, other = proportion(count, runs), proportion(runs - count, runs)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert math.isclose(found.low, 1 - other.high, abs_tol=1e-9)


def test_means() -> None:
    found = average({1: 50, 3: 50})
    assert found is not None
    assert found.value == 2
    assert found.high - found.value == pytest.approx(1.959963984540054 * math.sqrt(100 / 99 / 100))
    assert average({"a": 3}) is None


# ---------------------------------------------------------------------- the command


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("OSSELET_CACHE", "off")
    return Shell(capsys)


def test_the_command_says_that_it_samples(osselet: Shell) -> None:
    words = ("simulate", LUCK, "fight", *DUEL, "--runs", "500", "--seed", "a", "--gauges")
    answer = osselet(*words)
    assert answer.status == 0
    assert answer.out.splitlines()[:3] == [
        "Fight: Mia, Leo",
        "SAMPLED, not exact: 500 runs, seed a; intervals of 95%",
        "choices take their first open option",
    ]
    assert answer == osselet(*words)
    assert osselet(*words[:-3], "--seed", "b").out != answer.out


def test_the_command_for_programs(osselet: Shell) -> None:
    words = ("simulate", LUCK, "fight", *DUEL, "--runs", "500", "--seed", "a", "--choices", "bold", "--format", "json")
    answer = osselet(*words, "--joint", "self.life,self.luck").json
    assert (answer["sampled"], answer["runs"], answer["seed"], answer["answered"]) == (True, 500, "a", "bold")
    assert set(answer["outcomes"]["victory"]) == {"float", "low", "high"}
    assert sum(row["count"] for row in answer["values"]["life"]["distribution"]) == 500
    assert answer["joint"][0]["names"] == ["self.life", "self.luck"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--runs", "0"), "--runs wants a number from 1, not 0."),
        (("--workers", "0"), "--workers wants a number from 1, not 0."),
        (("--choices", "brave"), "There is no policy `brave`"),
        (("--policy", "dodge"), "--policy wants CHOICE=OPTION"),
    ],
)
def test_wrong_usage(osselet: Shell, words: tuple[str, ...], said: str) -> None:
    answer = osselet("simulate", LUCK, "fight", *DUEL, *words)
    assert answer.status == 2
    assert said in answer.err


def test_a_seed_is_told_when_none_is_given(osselet: Shell) -> None:
    answer = osselet("simulate", LUCK, "throw", "self=mia", "--runs", "50", "--format", "json").json
    again = osselet("simulate", LUCK, "throw", "self=mia", "--runs", "50", "--format", "json", "--seed", answer["seed"])
    assert again.json == answer
