"""The gallery: twelve published mechanics as short rule files, each with the exact numbers that it is known for."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from interpreter.files import find, rule_sets, shipped
from interpreter.loader import load
from interpreter.model import System
from interpreter.odds import example_odds
from interpreter.resources import systems_folder

GALLERY = systems_folder() / "gallery"
# What each file must say in its `odds`; every number was worked out by enumeration, elsewhere.
PUBLISHED = {
    "advantage": "39/400 553/40 287/40 1/8000 29/4000",
    "highest-of-pool": "2/27 25/72 49/108 1/8 1/36 2/9 3/4",
    "two-d6-bands": "5/18 4/9",
    "fudge": "5/27 19/81",
    "push": "118198271/136048896 3635/5832",
    "hits-and-glitches": "1/36 2/27 7/432 7741/1679616 11/36 19/144 5/108",
    "wild-die": "13/16 71/288 1/48",
    "symbol-dice": "7997/12288 1/12 975/16384 0",
    "percentile-bonus": "3/4 1/4 1/1000 19/1000",
    "momentum": "139/600 131/300 199/600 31/150 29/75 61/150",
    "roll-and-keep": "93183/100000 35897/50000 416697/1000000",
    "progress-clock": "8744/2187 365/864",
}
FILES = [GALLERY / f"{name}.yaml" for name in PUBLISHED]
LONGEST_DESCRIPTION = 110


@cache
def system_of(path: Path) -> System:
    system = load(path).system
    assert system is not None
    return system


EXAMPLES = [(path, name) for path in FILES for name, one in system_of(path).examples.items() if one.odds or one.like]


def test_every_mechanic_has_its_file() -> None:
    assert sorted(GALLERY.iterdir()) == sorted(FILES)


def test_the_files_are_short() -> None:
    assert median(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) < 60


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_sound_and_tells_what_it_is(path: Path) -> None:
    rules = load(path)
    assert rules.problems == ()  # no warning either
    system = system_of(path)
    assert system.id == path.stem.replace("-", "_")
    assert system.description is not None
    (told,) = system.description.texts.values()
    assert "\n" not in told
    assert len(told) <= LONGEST_DESCRIPTION


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_published_numbers_are_written_down(path: Path) -> None:
    said = {Fraction(str(value)) for one in system_of(path).examples.values() for value in one.odds.values()}
    assert {Fraction(number) for number in PUBLISHED[path.stem].split()} <= said


@pytest.mark.parametrize(("path", "name"), EXAMPLES, ids=lambda value: getattr(value, "stem", value))
def test_the_odds_of_an_example_hold(path: Path, name: str) -> None:
    assert example_odds(system_of(path), name) == []


# ---------------------------------------------------------------------- a folder of many rule sets


@pytest.mark.parametrize("where", ["two_d6_bands", "two-d6-bands", "gallery/two_d6_bands", "gallery/two-d6-bands"])
def test_a_gallery_file_is_found_by_its_id(where: str) -> None:
    assert find(where) == GALLERY / "two-d6-bands.yaml"


@pytest.mark.parametrize("where", ["gallery/mir", "system", "other/push", "../push", "nothing"])
def test_what_is_no_rule_set_is_not_found(where: str) -> None:
    assert not find(where).exists()


def test_each_file_of_the_gallery_is_shipped() -> None:
    assert {path.stem.replace("-", "_"): path for path in FILES}.items() <= shipped().items()
    assert "gallery" not in shipped()


def test_the_gallery_is_no_single_rule_set() -> None:
    (problem,) = load(GALLERY).problems
    assert problem.code == "E0205"
    assert "push.yaml" in problem.hint


def test_a_folder_with_one_head_is_one_rule_set(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("system: {id: a, title: A}\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("actions: {}\n# system: not here\n", encoding="utf-8")
    assert rule_sets(tmp_path) == [tmp_path]
    (tmp_path / "c.yaml").write_text("format: 1\nextends: a\n", encoding="utf-8")
    assert rule_sets(tmp_path) == sorted(tmp_path.iterdir())
