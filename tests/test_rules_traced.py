"""Every rule of a shipped game stands in its YAML by number, and every test case of its book is a worked example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from interpreter.loader import load

# Rules run from letter + 01, test cases from T + letter + 01.
BOOKS = {"meute": ("M", 74, 21), "vermine": ("V", 72, 21), "df46": ("D", 54, 20), "mir": ("R", 56, 21)}
NUMBER = re.compile(r"(?<![A-Z-])([A-Z]+)(\d{2})(?:\s*[-\u2013]\s*\1(\d{2}))?(?!\d)")


@dataclass(frozen=True)
class Trace:
    """What a rule set says of where its rules come from."""

    rules: frozenset[str]
    narrative: frozenset[str]
    cases: frozenset[str]


def numbers(text: str) -> Iterator[str]:
    """The rule numbers in a text; `D18-D21` is four of them, and `A-D2` is none: it is an assumption's."""
    for letters, first, last in NUMBER.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{letters}{number:02}"


def texts(data: Any, key: str) -> Iterator[str]:
    """Every text, or item of a list of texts, under a key, however deep."""
    if isinstance(data, Mapping):
        for name, part in data.items():
            if name == key:
                yield from [part] if isinstance(part, str) else part if isinstance(part, list) else ()
            yield from texts(part, key)
    elif isinstance(data, list):
        for part in data:
            yield from texts(part, key)


@cache
def trace(system: str) -> Trace:
    rules = load(system)
    assert not [problem for problem in rules.problems if problem.severity == "error"]
    said = [number for key in ("source", "rules") for text in texts(rules.data, key) for number in numbers(text)]
    examples = rules.data.get("examples", {})
    return Trace(
        frozenset(said),
        frozenset(rules.data.get("narrative", {})),
        frozenset(number for one in examples.values() for number in numbers(one.get("source", ""))),
    )


def wanted(letter: str, count: int) -> set[str]:
    return {f"{letter}{number:02}" for number in range(1, count + 1)}


@pytest.mark.parametrize("system", BOOKS)
def test_every_rule_is_in_the_yaml(system: str) -> None:
    letter, count, _ = BOOKS[system]
    found = trace(system)
    assert sorted(wanted(letter, count) - found.rules - found.narrative) == []


@pytest.mark.parametrize("system", BOOKS)
def test_every_test_case_is_an_example(system: str) -> None:
    letter, _, count = BOOKS[system]
    assert sorted(wanted(f"T{letter}", count) - trace(system).cases) == []


@pytest.mark.parametrize("system", BOOKS)
def test_no_number_is_made_up(system: str) -> None:
    letter, rules, cases = BOOKS[system]
    found = trace(system)
    known = wanted(letter, rules) | wanted(f"T{letter}", cases)
    assert sorted((found.rules | found.narrative | found.cases) - known) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Chance, l.45-47; D18-D21", ["D18", "D19", "D20", "D21"]),
        ("TD08", ["TD08"]),
        ("U-R1, A-R1", []),
        ("A-D12; R05, R56", ["R05", "R56"]),
        ("D18-R21", ["D18"]),
        ("D123", []),
    ],
)
def test_numbers_are_read_from_sources(text: str, found: list[str]) -> None:
    assert list(numbers(text)) == found


def test_texts_are_found_however_deep() -> None:
    data = {"a": [{"source": "M01"}, {"b": {"rules": ["M02", "M03"], "source": "M04"}}], "source": {"c": 1}}
    assert sorted([*texts(data, "source"), *texts(data, "rules")]) == ["M01", "M02", "M03", "M04"]
