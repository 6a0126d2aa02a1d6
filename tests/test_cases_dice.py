"""Cases met by people who write rules for dice and bonuses, by their numbers: examples, and files that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from interpreter.examples import play_example
from interpreter.files import shipped
from interpreter.layout import State
from interpreter.loader import load
from interpreter.model import System
from interpreter.odds import NoOdds, example_odds, odds
from interpreter.start import Request

HERE = Path(__file__).parent
CASES = ("C01", "C02", "C04", "C06", "C11", "C13", "C15", "C17", "C18", "C20", "C27", "C29")
FILES = [*sorted((HERE / "cases").glob("*.yaml")), *sorted((HERE / "language").glob("*.yaml")), *shipped().values()]


@cache
def system_of(path: Path) -> System:
    system = load(path).system
    assert system is not None
    return system


def examples_of(case: str) -> Iterator[tuple[System, str]]:
    for system in map(system_of, FILES):
        yield from ((system, name) for name, example in system.examples.items() if example.source == case)


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_played(case: str) -> None:
    played = [play_example(system, name) for system, name in examples_of(case)]
    assert played
    assert {report.name: report.findings for report in played if report.findings} == {}


@pytest.mark.parametrize("case", CASES)
def test_the_odds_of_a_case_hold(case: str) -> None:
    wrong = {name: found for system, name in examples_of(case) if (found := example_odds(system, name))}
    assert wrong == {}


def written(folder: Path, text: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(f"format: 1\nsystem: {{id: tried, title: Tried}}\n{text}", encoding="utf-8")
    return path


# ---------------------------------------------------------------------- what has no default is refused

REFUSED = {
    "C01 which die an explosion adds to": (
        "E0102",
        "actions: {a: {steps: [{roll: {p: {dice: 3, die: d2, do: [{explode: face == 2}]}}}], outcomes: {done: }}}",
        "into",
    ),
    "C11 fewer dice than none": (
        "E0422",
        "actions: {a: {inputs: {n: {int: -3..3}}, steps: [{roll: {p: {dice: n, die: d6}}}], outcomes: {done: }}}",
        "below zero",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_rule_that_the_game_must_state_is_asked_for(case: str, tmp_path: Path) -> None:
    code, text, words = REFUSED[case]
    found = [problem for problem in load(written(tmp_path, text)).problems if problem.severity == "error"]
    assert [problem.code for problem in found] == [code]
    assert words in f"{found[0].message} {found[0].hint}"


# ---------------------------------------------------------------------- what one file cannot show


def test_c02_throwing_all_again_while_their_sum_is_highest_comes_to_four() -> None:
    rules = system_of(HERE / "cases" / "c02_order_of_operations.yaml")
    found = odds(rules, State({}), Request("whole_sum", {}, {}))
    assert not isinstance(found, NoOdds)
    assert found.mean("total") == 4


@pytest.mark.parametrize("order", list(permutations(("base", "conditions", "bonus"))), ids=" ".join)
def test_c13_the_order_of_modifiers_does_not_count(order: tuple[str, ...], tmp_path: Path) -> None:
    parts = {"base": "1", "conditions": "-hurt", "bonus": "help"}
    modifiers = ", ".join(f"{name}: {{add: {parts[name]}}}" for name in order)
    path = written(
        tmp_path,
        f"""
actions:
  test:
    inputs: {{hurt: {{int: 0..5}}, help: {{int: 0..5}}}}
    values: {{pool: {{base: 0, modifiers: {{{modifiers}}}, min: 1}}}}
    report: [pool]
    outcomes: {{done: }}
examples:
  meant: {{action: test, inputs: {{hurt: 2, help: 2}}, expect: {{pool: 1}}}}
  low: {{action: test, inputs: {{hurt: 5, help: 2}}, expect: {{pool: 1}}}}
  high: {{action: test, inputs: {{hurt: 2, help: 4}}, expect: {{pool: 3}}}}
""",
    )
    system = system_of(path)
    assert [finding for name in system.examples for finding in play_example(system, name).findings] == []


def test_c20_what_is_told_is_what_counts() -> None:
    report = play_example(system_of(shipped()["momentum"]), "cancelled")
    assert report.run is not None
    told = [entry.label.texts["en"] for entry in report.run.trace if entry.kind == "say" and entry.label is not None]
    assert told == ["Negative momentum cancels the action die."]
    challenge = next(entry for entry in report.run.trace if entry.name == "challenge")
    assert dict(challenge.detail)["beaten"] == 1
