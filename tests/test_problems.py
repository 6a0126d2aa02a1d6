"""Problems as values: how they read, and the spelling help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.problems import Location, Problem, RulesError, Severity, nearest

KEYS = ["when", "where", "add", "base", "énergie", "difficulte", "sang_froid"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("wehn", "when"),
        ("WHEN", "when"),
        ("adds", "add"),
        ("Difficulté", "difficulte"),
        ("energie", "énergie"),
        ("e\u0301nergie", "énergie"),
        ("sangfroid", "sang_froid"),
        ("sang-froid", "sang_froid"),
        ("xyzzy", None),
        ("", None),
        ("w" * 100_000, None),
    ],
)
def test_nearest(word: str, expected: str | None) -> None:
    assert nearest(word, KEYS) == expected


def test_nearest_of_equals_is_the_first_in_the_alphabet() -> None:
    assert nearest("abc", ["abz", "aby"]) == "aby"
    assert nearest("abc", ["aby", "abz"]) == "aby"


def test_nearest_prefers_the_same_accents_and_case() -> None:
    assert nearest("été", ["ete", "été"]) == "été"
    assert nearest("Ete", ["ete", "Ete"]) == "Ete"


def test_nearest_of_nothing() -> None:
    assert nearest("when", []) is None


@given(st.text(max_size=12), st.lists(st.text(max_size=12)))
def test_nearest_is_one_of_the_candidates_in_any_order(word: str, candidates: list[str]) -> None:
    found = nearest(word, candidates)
    assert found is None or found in candidates
    assert nearest(word, reversed(candidates)) == found


def test_problems_read_as_compilers_write_them() -> None:
    problem = Problem("E0014", "a stands twice", Location("system.yaml", 3, 5))
    assert str(problem) == "system.yaml:3:5: error E0014: a stands twice"
    warning = Problem("W0001", "lost", Location("b.yaml", 1, 1), Severity.WARNING)
    error = RulesError([problem, warning])
    assert error.problems == (problem, warning)
    assert str(error) == f"{problem}\nb.yaml:1:1: warning W0001: lost"


def test_locations_sort_by_file_then_line_then_column() -> None:
    places = [Location("b", 1, 1), Location("a", 2, 1), Location("a", 1, 9), Location("a", 1, 10)]
    assert sorted(places) == [places[2], places[3], places[1], places[0]]
