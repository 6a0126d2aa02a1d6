"""The promise of `check`: rules are refused in a place near what is wrong, or play and weigh without a fault."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interpreter import checks
from interpreter.language import Rules, language
from interpreter.model import System
from interpreter.problems import Severity
from interpreter.reading import read
from interpreter.source import parse
from tests.strategies import make, systems

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

from mutate import Judged, judged, pages, sources
from mutations import KINDS, mutate
from playing import Player, faults_of


def told(found: list[Judged]) -> str:
    return "\n".join(f"{one.number} {one.file} [{one.kind}] {one.lines}: {one.told}" for one in found)


def check_promise(found: list[Judged], most_elsewhere: float) -> None:
    """Nothing crashes, and few problems stand elsewhere than at what was spoilt or where it is used."""
    statuses = Counter(one.status for one in found)
    assert statuses.keys() <= {"refused", "survived"}, told([one for one in found if one.status in ("crashed", "hung")])
    elsewhere = [one for one in found if one.placed == "elsewhere"]
    assert len(elsewhere) <= most_elsewhere * statuses["refused"], told(elsewhere)
    assert statuses["survived"] > 0


def test_mutants_of_the_shipped_systems_are_refused_or_play() -> None:
    check_promise(list(judged(12, 11, sources())), 0.1)


def test_mutants_of_every_page_are_refused_or_play(tmp_path: Path) -> None:
    check_promise(list(judged(200, 12, pages(tmp_path))), 0.03)


@pytest.mark.slow
def test_many_mutants_of_the_shipped_systems_are_refused_or_play() -> None:
    check_promise(list(judged(400, 13, sources())), 0.02)


@pytest.mark.slow
def test_many_mutants_of_every_page_are_refused_or_play(tmp_path: Path) -> None:
    check_promise(list(judged(4000, 14, pages(tmp_path))), 0.02)


def test_mutants_are_the_same_for_a_seed_and_of_every_kind() -> None:
    text = sources()[0].joinpath("system.yaml").read_text(encoding="utf-8")
    mutants = [mutate(text, random.Random(f"{number}")) for number in range(400)]
    assert mutants == [mutate(text, random.Random(f"{number}")) for number in range(400)]
    assert {one.kind for one in mutants} >= KINDS.keys() - {"other dice", "drop quote"}
    assert all(one.text != text and one.lines for one in mutants)


# ---------------------------------------------------------------------- whole systems made at random

# What only people read, what needs other files, and what only later versions of a rule set have.
NOT_MADE = {"label", "labels", "source", "description", "was", "extends", "remove", "narrative"}
NOT_MADE_IN_EXAMPLES = {"dice", "choices", "refused", "at"}


def built(text: str, folder: Path) -> System:
    """The system of a rule file in which nothing is wrong."""
    file = folder / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    rules = read(file)
    found = {*rules.problems, *checks.problems(rules)}
    assert not [one for one in found if one.severity == Severity.ERROR], "\n".join(map(str, found))
    assert rules.system is not None
    return rules.system


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(text=systems(), seed=st.integers(0, 10**6))
def test_a_whole_system_made_at_random_is_sound(text: str, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    system = built(text, tmp_path_factory.mktemp("made"))
    played = faults_of(system, str(seed), 1)
    assert not played.faults, "\n".join(played.faults)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(text=systems(), seed=st.integers(0, 10**6))
def test_saves_and_undo_change_nothing(text: str, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    system = built(text, tmp_path_factory.mktemp("made"))
    played = Player(system, random.Random(seed)).campaign()
    assert not played.faults, "\n".join(played.faults)


@pytest.mark.parametrize("name", ["df46", "meute", "mir", "vermine"])
def test_saves_and_undo_change_nothing_in_the_shipped_systems(name: str) -> None:
    system = read(sources()[0].parent / name).system
    assert system is not None
    played = Player(system, random.Random(name)).campaign(6)
    assert not played.faults, "\n".join(played.faults)
    assert played.ends["done"] > 0


@pytest.mark.slow
def test_many_systems_made_at_random_are_sound(tmp_path: Path) -> None:
    ends: Counter[str] = Counter()
    for number in range(300):
        system = built(make(random.Random(number)), tmp_path)
        for played in (faults_of(system, str(number)), Player(system, random.Random(number)).campaign()):
            assert not played.faults, f"{number}: " + "\n".join(played.faults)
            ends.update(played.ends)
    assert ends["done"] > 500
    assert ends["odds"] > 200
    assert ends["simulated"] > 200


@pytest.mark.slow
def test_mutants_of_systems_made_at_random_are_refused_or_play(tmp_path: Path) -> None:
    files = [tmp_path / f"made_{number}.yaml" for number in range(40)]
    for number, file in enumerate(files):
        file.write_text(make(random.Random(number)), encoding="utf-8")
    check_promise(list(judged(600, 15, files)), 0.04)


def used(rules: Rules, value: object) -> Iterator[tuple[str, str]]:
    """Every key of an entry of the schemas that stands in data."""
    if isinstance(value, list):
        inner = rules.get("schema")
        for item in value if isinstance(inner, dict) else ():
            yield from used(inner, item)  # type: ignore[arg-type]
    elif isinstance(value, Mapping):
        entry: Any = None
        if "variants" in rules:
            entry = language().families[rules["variants"]][language().kinds(rules["variants"], value)[0]]
        elif isinstance(schema := rules.get("schema"), str):
            entry = language().entries[schema]
        for key, item in value.items():
            if entry is not None and key in entry.keys:
                yield entry.name, key
                yield from used(entry.keys[key], item)
            elif entry is None and "valuesrules" in rules:
                yield from used(rules["valuesrules"], item)


def test_systems_made_at_random_use_the_whole_language() -> None:
    entries = [entry for name, entry in language().entries.items() if name not in language().families]
    missing = {
        (entry.name, key) for entry in entries for key in entry.keys if key not in NOT_MADE | NOT_MADE_IN_EXAMPLES
    }
    for number in range(80):
        if not missing:
            break
        document, problems = parse(make(random.Random(number)).encode(), "made.yaml")
        assert document is not None
        assert not problems
        missing -= set(used({"type": ["dict"], "schema": "system_file"}, document.data))
    assert missing == set()
