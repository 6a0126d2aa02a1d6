"""Text for people: where numbers come from, bars, columns, expressions in words, names, the program's own words."""

from __future__ import annotations

import string
from fractions import Fraction
from typing import Any

import pytest
from cli.helpers import ARENA

from interpreter.loader import load
from interpreter.model import Code, Label, System
from interpreter.render.names import Names, preferred
from interpreter.render.numbers import parts_text
from interpreter.render.offers import action_offer
from interpreter.render.phrases import PHRASES, phrase
from interpreter.render.sheets import bar
from interpreter.render.style import in_rows, pad, painter, width
from interpreter.render.words import Words


@pytest.fixture(scope="module")
def system() -> System:
    found = load(ARENA).system
    assert found is not None
    return found


@pytest.fixture
def names(system: System) -> Names:
    return Names(system, "en")


# ---------------------------------------------------------------------- where a number comes from


def part(operation: str, amount: object, name: str = "x", label: str = "", terms: Any = ()) -> tuple[Any, ...]:
    return name, Label({"en": label}) if label else None, operation, amount, terms


BODY = part("base", 6, terms=(("key", "climb", 4), ("thing", "Grand sportif", 2)))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([BODY], "Climb 4 + Grand sportif 2"),
        ([part("base", 5)], "5"),
        ([part("base", 0, terms=(("field", "hero.luck", 0),))], "Luck 0"),
        ([part("base", 5), part("add", -1, label="Speciality")], "5 - Speciality 1"),
        ([part("base", 5), part("add", 0, label="Nothing")], "5"),
        ([part("base", -2), part("add", 3, "long_id")], "- 2 + Long id 3"),
        (
            [part("base", 5), part("add", 2, label="Tools", terms=(("thing", "Axe", 2), ("thing", "Rope", 0)))],
            "5 + Axe 2",
        ),
        ([part("base", 5), part("add", 2, label="Luck", terms=(("field", "hero.luck", 2),))], "5 + Luck 2"),
        # bounds are told only when they did something
        ([part("base", 6), part("min", 1), part("max", 9)], "6"),
        ([part("base", -1), part("min", 1)], "- 1, at least 1"),
        ([part("base", 12), part("max", 9)], "12, at most 9"),
        ([part("base", 1), part("min", 1)], "1"),
        # what is rounded lies between two numbers, so that a bound that may have done something is not told
        ([part("base", 7), part("multiply", Fraction(1, 2)), part("min", 4)], "7 × 1/2 (rounded)"),
        ([part("base", 7), part("multiply", Fraction(1, 2)), part("min", 5)], "7 × 1/2 (rounded), at least 5"),
        ([part("base", 8), part("divide", 2, label="Half")], "8 ÷ 2 (Half)"),
        ([part("base", 7), part("divide", 2)], "7 ÷ 2 (rounded)"),
        ([part("base", 7), part("divide", 0)], "7 ÷ 0"),
        ([part("base", 7), part("set", 3, label="Cursed")], "7 → 3 (Cursed)"),
        # of a group only the best bonus and the worst penalty count
        (
            [
                *(part("base", 1), part("candidate", 1, label="Old"), part("candidate", 2, label="New")),
                *(part("candidate", -1, label="Mud"), part("best_of", 1), part("add", 1, label="More")),
            ],
            "1 + New 2 - Mud 1 + More 1",
        ),
        ([part("base", 1), part("candidate", 0, label="Old"), part("best_of", 0)], "1"),
    ],
)
def test_where_a_number_comes_from(names: Names, parts: list[Any], text: str) -> None:
    assert parts_text(names, parts) == text


def test_where_a_number_comes_from_in_french(system: System) -> None:
    detail = [part("base", 7), part("divide", 2), part("min", 9)]
    assert parts_text(Names(system, "fr"), detail) == "7 ÷ 2 (arrondi), au moins 9"


# ---------------------------------------------------------------------- bars and columns


@pytest.mark.parametrize(
    ("now", "low", "high", "shown"),
    [
        (0, 0, 5, "░░░░░     "),
        (3, 0, 5, "███░░     "),
        (5, 0, 5, "█████     "),
        (-6, -6, 4, "░" * 10),
        (4, -6, 4, "█" * 10),
        (1, 0, 100, "█" + "░" * 9),  # something is never nothing,
        (99, 0, 100, "█" * 9 + "░"),  # and not all is never all
        (100, 0, 100, "█" * 10),
        (7, 0, 5, "█████     "),
        (3, 0, None, " " * 10),
        (3, None, 5, "███░░     "),
        (3, 3, 3, " " * 10),
        (1, 0, 1, "█         "),
    ],
)
def test_bar(now: int, low: int | None, high: int | None, shown: str) -> None:
    assert bar(now, low, high, 10) == shown


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("é", 1), ("e\u0301", 1), ("広い", 4), ("🎲", 2), ("", 0), ("Monte-en-l’air", 14)]
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(pad(text, 20)) == 20


def test_a_text_that_is_too_long_is_cut_with_a_mark() -> None:
    assert pad("Habileté au combat", 10) == "Habileté… "
    assert width(pad("広い広い広い", 5)) == 5


def test_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "21")
    assert list(in_rows(["one", "two", "three", "four", "x" * 30], ", ", "    ")) == [
        "    one, two, three,",
        "    four,",
        "    " + "x" * 30,
    ]
    assert list(in_rows([], ", ", "  ")) == []


def test_painter() -> None:
    assert painter(True)("x", "title") == "\x1b[1mx\x1b[0m"
    assert painter(True)("", "title") == ""
    assert painter(False)("x", "title") == "x"


# ---------------------------------------------------------------------- expressions in words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("self.luck + 2", "Luck + 2"),
        ("self.skills[skill] - 1", "Skills [Skill] - 1"),
        ("2 * (self.luck + 1)", "2 × (Luck + 1)"),
        ("2 - (1 - self.luck)", "2 - (1 - Luck)"),
        ("self.luck // 2", "Luck ÷ 2 (rounded)"),
        ("-self.luck", "-Luck"),
        ("foe.target", "Target of Foe"),
        ("throw.total >= foe.target", "Total of Throw ≥ Target of Foe"),
        ("0 < self.luck <= 6", "0 < Luck ≤ 6"),
        ("self.creed is moon", "Creed = Moon"),
        ("self.mood is merry", "Mood = Merry"),
        ("not self.brave and (self.strong or during.bout)", "not Brave and (Strong or during Bout)"),
        ("fire in self.gifts", "Fire in Gifts"),
        ("1 if self.brave else 2", "1 if Brave, else 2"),
        ("max(0, self.luck)", "max(0, Luck)"),
        ("given(help)", "Help is given"),
        ("count(self.weapons, item.magic)", "count(Weapons, Magic)"),
        ("2d6", "2d6"),
        ("((", "(("),
    ],
)
def test_expressions_in_words(names: Names, system: System, text: str, words: str) -> None:
    action = system.actions["test"]
    rolls = {"throw": next(step for step in action.steps if hasattr(step, "roll")).roll["throw"]}
    told = Words(names, {**action.inputs, **action.values, **rolls}, {"self": "hero"})
    assert told.code(Code(text)) == words


def test_an_action_in_french(system: System) -> None:
    offer = action_offer(Names(system, "fr"), "test")
    assert offer["label"] == "Épreuve"
    assert offer["outcomes"][0]["label"] == "Réussite"
    assert offer["require"][0] == {"in_words": "Vie > 0", "say": "Les morts ne font rien."}


# ---------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("asked", "environment", "language"),
    [
        ("fr", {}, "fr"),
        (None, {"LANG": "fr_FR.UTF-8"}, "fr"),
        (None, {"LANG": "fr_FR.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        (None, {"LC_MESSAGES": "fr_CA"}, "fr"),
        (None, {"LANG": "C"}, "en"),
        (None, {}, "en"),
        (None, {"LANG": "de_DE"}, "en"),
        ("en", {"LANG": "fr_FR"}, "en"),
    ],
)
def test_preferred_language(system: System, asked: str | None, environment: dict[str, str], language: str) -> None:
    assert preferred(system, asked, environment) == language


def test_names(names: Names) -> None:
    assert names.action("test") == "Test"
    assert names.outcome("test", "success", "bright") == "Success (Bright)"
    assert names.outcome("duel", "first") == "First"
    assert names.role("duel", "a") == "First"
    assert names.role("fight", "foes") == "Foes"
    assert names.value(True) == "yes"
    assert names.value(("sight", "voice")) == "Sight, Voice"
    assert names.value(None) == "–"
    assert names.sheet("self", {"sheet": "hero"}) == "Hero"
    assert names.sheet("big_rat", {"sheet": "beast"}) == "Big rat"


def test_a_record_is_called_by_its_text(names: Names) -> None:
    sheets: Any = {"ann": {"sheet": "hero", "weapons": [{"name": "Axe"}, {"magic": True}]}}
    assert names.thing("ann/weapons/0", sheets) == "Axe"
    assert names.thing("ann/weapons/1", sheets) == "Weapon 2"
    assert names.thing("ann", sheets) == "Ann"
    assert names.thing("climb", sheets) == "Climb"


# ---------------------------------------------------------------------- the program's own words


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", PHRASES)
def test_every_phrase_is_there_in_every_language(language: str) -> None:
    assert list(PHRASES[language]) == list(PHRASES["en"])
    for name, text in PHRASES[language].items():
        assert fields(text) == fields(PHRASES["en"][name]), name


def test_a_language_that_the_program_does_not_speak() -> None:
    assert phrase("de", "yes") == "yes"
    assert phrase("fr-CA", "yes") == "oui"
