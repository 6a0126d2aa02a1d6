"""Readable rules: every shipped system in every language, as Markdown and as one page that needs nothing else."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter

import pytest

from interpreter.documentation import english, french, page, to_html, to_markdown
from interpreter.documentation.blocks import Page, Term, every_section, plain
from interpreter.documentation.numbers import percent
from interpreter.documentation.phrases import say
from interpreter.documentation.rolls import _OPERATIONS
from interpreter.documentation.scopes import self_scope
from interpreter.documentation.senses import Lexicon
from interpreter.documentation.steps import _TELLERS
from interpreter.documentation.wording import Wording
from interpreter.files import shipped
from interpreter.loader import load
from interpreter.model import OPERATION_KINDS, STEP_KINDS, Code
from interpreter.render.names import Names
from interpreter.rules import Rules

ROOT = Path(__file__).parent.parent
RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.yaml"))
EVERY = [*shipped().values(), *RECIPES]
GAMES = [folder for folder in shipped().values() if folder.is_dir()]


@cache
def rules_of(path: Path) -> Rules:
    return load(path)


@cache
def page_of(path: Path, language: str) -> Page:
    return page(rules_of(path), language)


def pages_of(path: Path) -> list[Page]:
    system = rules_of(path).system
    assert system is not None
    return [page_of(path, language) for language in system.languages]


class Outline(HTMLParser):
    """Checks nesting, and gathers what leads where."""

    VOID = ("meta", "input", "rect", "br", "hr", "img", "link")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [str(values["id"])] if "id" in values else []
        self.links += [str(values["href"])] if "href" in values else []
        if "src" in values:
            self.faults.append(f"{tag} has a src")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_pages_are_whole(path: Path) -> None:
    for made in pages_of(path):
        html = to_html(made)
        needs_nothing_else(html)
        assert f'<html lang="{made.language}">' in html
        assert re.findall(r"<code>.*?</code>", html) == [], "code shows through only where an expression has no words"
        has_every_section(made, to_markdown(made))


def needs_nothing_else(html: str) -> None:
    outline = Outline()
    outline.feed(html)
    assert outline.faults == []
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    assert [link for link in outline.links if link[:1] != "#" or link[1:] not in outline.ids] == []
    assert not re.search(r"https?://|url\(|@import|<script|<link", html)


def has_every_section(made: Page, text: str) -> None:
    for section in every_section(made.sections):
        assert f'<a id="{section.anchor}"></a>' in text
    places = set(re.findall(r'<a id="([^"]+)"', text))
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= places


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_game_tells_all_that_it_declares(path: Path) -> None:
    system = rules_of(path).system
    assert system is not None
    for made in pages_of(path):
        anchors = {section.anchor for section in every_section(made.sections)}
        html = to_html(made)
        assert {f"action-{name}" for name in system.actions} <= anchors
        assert {f"sheet-{name}" for name in system.sheets} <= anchors
        assert {f"table-{name}" for name in system.tables} <= anchors
        assert {f"trigger-{name}" for name in system.triggers} <= anchors
        for name in system.assumptions:
            assert f'id="assumption-{name}"' in html
            assert html.count(f'href="#assumption-{name}"') >= 1, f"the assumption {name} is marked nowhere"
        for number in system.narrative:
            assert number in html


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_game_shows_the_odds_of_its_examples(path: Path) -> None:
    system = rules_of(path).system
    assert system is not None
    with_odds = [name for name, example in system.examples.items() if example.odds and "/" in str(example.odds)]
    html = to_html(page_of(path, "fr"))
    assert html.count('class="outcomes">') >= len(with_odds)
    for name in with_odds:
        for chance in system.examples[name].odds.values():
            if "/" in str(chance) and len(str(chance)) < 16:
                assert f"<small>{chance}</small>" in html


def test_every_kind_of_step_and_operation_is_told() -> None:
    assert set(_TELLERS) == set(STEP_KINDS.values())
    assert set(_OPERATIONS) == set(OPERATION_KINDS.values())


def test_both_languages_say_the_same_things() -> None:
    assert french.PHRASES.keys() == english.PHRASES.keys()
    for name, text in english.PHRASES.items():
        assert _places(french.PHRASES[name]) == _places(text), name


def _places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize(
    ("chance", "english_text", "french_text"),
    [
        (0, "0%", "0\u202f%"),
        (1, "100%", "100\u202f%"),
        (0.375, "37.5%", "37,5\u202f%"),
        (0.00123, "0.12%", "0,12\u202f%"),
        (0.9999999, "> 99.9%", "> 99,9\u202f%"),
        (1e-9, "< 0.0001%", "< 0,0001\u202f%"),
    ],
)
def test_percentages(chance: float, english_text: str, french_text: str) -> None:
    assert percent(chance, "en") == english_text
    assert percent(chance, "fr") == french_text


def test_french_spaces_and_elision() -> None:
    assert plain(say("fr", "else_say", text="Non !")) == "sinon\u00a0: «\u00a0Non !\u00a0»"
    assert plain(say("fr", "only_when", test=("il y a du vent",))) == "s’il y a du vent"


WORDS = """
format: 1
system: {id: words, title: Words, languages: [en, fr]}
tables:
  moods: {columns: {label: label, penalty: number}, rows: {calm: [Calm, 0], wild: [Wild, 2]}, ordered: true}
  harm: {label: Harm, columns: {calm: number, wild: number}, rows: {club: [1, 2], bow: [3, 1]}}
  fall: {label: Fall, columns: {calm: number, wild: number}, rows: {..3: [1, 2], 4+: [3, 1]}}
periods: {fight: {label: Fight, members: hero}}
assumptions: {cost: {value: 2, reason: Nobody knows.}}
records: {bond: {fields: {name: {text: ""}, level: {label: Level, int: 1..5}}}}
sheets:
  hero:
    label: Hero
    stats: {skills: {label: Skills, keys: [climb, swim], labels: {climb: Climbing, swim: Swimming}, range: 0..5}}
    gauges:
      health: {label: Health, range: 0..9, start: max}
      mood: {label: Mood, steps: table.moods, start: calm}
    fields:
      bonds: {label: Bonds, many: bond}
      hurt: {label: Hurt, flag: false}
      arm: {label: Arm, key: table.harm}
      friend: {label: Friend, one: hero}
"""
CASES = [
    ("self.health < 5", "Health is below 5", "Health est sous 5"),
    ("self.health >= self.skills.climb", "Health ≥ Climbing", "Health ≥ Climbing"),
    ("self.mood is wild", "Mood is Wild", "Mood est Wild"),
    ("self.mood.penalty", "Penalty of Mood", "Penalty de Mood"),
    ("not self.hurt and self.health > 0", "not Hurt and Health is above 0", "non Hurt et Health est au-dessus de 0"),
    ("sum(self.bonds.level)", "sum of Level (Bonds)", "somme de Level (Bonds)"),
    (
        "count(self.bonds, item.level > 2)",
        "number of Bonds for which Level is above 2",
        "nombre de Bonds où Level est au-dessus de 2",
    ),
    ("max(0, self.health - 3)", "Health − 3, at least 0", "Health − 3, au moins 0"),
    ("floor(self.health / 2)", "Health ÷ 2, rounded down", "Health ÷ 2, arrondi vers le bas"),
    ("(self.health + 1) * 2", "(Health + 1) × 2", "(Health + 1) × 2"),
    ("2 if during.fight else 1", "2 if during Fight, else 1", "2 si pendant Fight, sinon 1"),
    ("not during.fight", "outside Fight", "hors de Fight"),
    ("self in fight.members", "Hero is among those in Fight", "Hero est parmi ceux qui sont dans Fight"),
    ("given(self.friend)", "Friend is chosen", "on choisit Friend"),
    ("self.health.max - self.health", "highest Health − Health", "maximum de Health − Health"),
    ("assume.cost", "2", "2"),
    ("self.mood in [calm, wild]", "Mood is Calm or Wild", "Mood est Calm ou Wild"),
    (
        "any(self.bonds, item.level == 1)",
        "for at least one of Bonds, Level = 1",
        "pour au moins un de Bonds, Level = 1",
    ),
    ("-self.health", "−Health", "−Health"),
    ("self.friend.skills.swim", "Swimming (Friend)", "Swimming (Friend)"),
    (
        "table.moods.wild if self.hurt else table.moods[calm]",
        "Wild if Hurt, else Calm",
        "Wild si Hurt, sinon Calm",
    ),
    ("self.arm[self.mood] + 1", "Harm for Arm and Mood + 1", "Harm pour Arm et Mood + 1"),
    ("table.harm.bow[self.mood]", "Harm for Bow and Mood", "Harm pour Bow et Mood"),
    ("table.fall[self.health][self.mood]", "Fall for Health and Mood", "Fall pour Health et Mood"),
    ("self.arm[wild]", "Wild of Arm", "Wild de Arm"),
    (
        "self.arm[wild if self.hurt else calm]",
        "Harm for Arm and (Wild if Hurt, else Calm)",
        "Harm pour Arm et (Wild si Hurt, sinon Calm)",
    ),
    ("self.arm['wild'] is 2", "Wild of Arm = 2", "Wild de Arm = 2"),
]


@pytest.mark.parametrize(("code", "in_english", "in_french"), CASES)
def test_expressions_in_words(code: str, in_english: str, in_french: str, tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    system = load(file).system
    assert system is not None
    for language, wanted in (("en", in_english), ("fr", in_french)):
        lexicon = Lexicon(Names(system, language))
        told = Wording(lexicon, self_scope(lexicon, "hero")).code(Code(code))
        assert plain(told).replace("\u202f", " ").replace("\u00a0", " ") == wanted


TOLD = """
format: 1
system: {id: told, title: Told}
tables:
  winds: {columns: [label], rows: {..-1: [None], 0..5: [Some], 6+: [Much]}}
actions:
  sail:
    steps:
      - roll: {sea: {dice: 2, die: d6, count: {hits: face > 3}}, sky: {dice: 2, die: d6, count: {hits: face > 4}}}
      - roll: {way: d100, gust: {dice: 1, die: d4, count: {squalls: face == 1}}}
      - let: {hits: sea.hits + sky.hits, squalls_met: gust.squalls}
      - let: {wind: "table.winds[way - 1]"}
      - say: "{wind.label} {hits} {squalls_met}"
    report: [way]
    outcomes: {there: }
examples:
  far: {action: sail, odds: {way: 101/2}}
"""


def test_what_is_called_alike_is_told_apart_and_long_lists_are_short(tmp_path: Path) -> None:
    file = tmp_path / "told.yaml"
    file.write_text(TOLD, encoding="utf-8")
    told = to_markdown(page(load(file), "en"))
    assert "Hits is Hits (Sea) + Hits (Sky)." in told
    assert "Squalls met is Squalls." in told
    assert [line for line in told.splitlines() if line.startswith(("| ≤", "| 0–5", "| ≥"))] == [
        "| ≤ −1 | None |",
        "| 0–5 | Some |",
        "| ≥ 6 | Much |",
    ]
    assert "| 96–100 | 5.0% (1/20) | █ |" in told
    assert "| 96 |" not in told


def test_names_of_the_game_are_marked_as_such(tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    system = load(file).system
    assert system is not None
    lexicon = Lexicon(Names(system, "en"))
    assert Term("Health") in Wording(lexicon, self_scope(lexicon, "hero")).code(Code("self.health < 5"))


def test_labels_cannot_break_the_page(tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(
        "format: 1\nsystem: {id: odd, title: '<script>&\"*_`|'}\n"
        "actions: {x: {label: 'a|b <b>', steps: [{say: '<i> *not bold*'}], outcomes: {done: {label: '</li>'}}}}\n",
        encoding="utf-8",
    )
    made = page(load(file), "en")
    html = to_html(made)
    outline = Outline()
    outline.feed(html)
    assert (outline.faults, outline.open) == ([], [])
    assert "<script" not in html
    assert r"\*not bold\*" in to_markdown(made)


def test_the_command_writes_what_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from interpreter.cli import main

    recipe = str(RECIPES[0])
    out = tmp_path / "rules.html"
    assert main(["doc", recipe, "--output", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(["doc", recipe]) == 0
    assert "# " in capsys.readouterr().out
    assert main(["doc", recipe, "--format", "html"]) == 0
    assert "<!doctype html>" in capsys.readouterr().out
    assert main(["doc", recipe, "--lang", "xx"]) == 2
    assert "no labels in `xx`" in capsys.readouterr().err
