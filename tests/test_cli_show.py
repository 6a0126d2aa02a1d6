"""`osselet show`: what a rule set offers, what one action asks, what house rules change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli.helpers import ARENA, CACHE, HERE, Shell

from interpreter.render.changes import changes, short


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("OSSELET_CACHE", CACHE)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.chdir(HERE)
    return Shell(capsys)


def test_a_system(osselet: Shell) -> None:
    answer = osselet("show", "arena.yaml")
    assert (answer.status, answer.err) == (0, "")
    for line in (
        "Arena  (arena; en, fr)",
        "  The book, p. 1",
        "  test   Test (Hero) — p. 2",
        "  fight  Fight (Hero, Beast…)",
        "  hero   Hero: Skills, Life, Luck, Mood, Brave, Creed, Gifts, Weapons, Motto, Friend, Strong",
        "  leo   Leo (Hero)",
        "`osselet show arena.yaml test` tells more of an action; `osselet play arena.yaml` plays.",
    ):
        assert line in answer.out.splitlines()


def test_an_action(osselet: Shell) -> None:
    answer = osselet("show", "arena.yaml", "test")
    for line in (
        "Test  (arena test)",
        "  self  Hero",
        "  skill  Skill: climb, swim, sing",
        "  foe    Foe: rat, ogre; rat unless said; answered by Referee; hidden from the players",
        "  help   Help: 0..2; 0 unless said",
        "  Life > 0 — “The dead do nothing.”",
        "  pool (Pool) = Skills [Skill]",
        "      + Help (Help)",
        "      + 1; when Brave; only the best of heart (Bravery)",
        "      + 2; when Mood = Merry; only the best of heart (Cheer)",
        "      at least 1",
        "      at most 6",
        "  secret (Secret) = Target of Foe (hidden from the players)",
        "  push  Push your luck? stop (Leave it), go (Push)",
        "  success   Success, when Total of Throw ≥ Target of Foe",
        "    bright  Bright, when Sixes of Throw > 0",
        "  failure   Failure, otherwise",
        "Try: osselet roll arena.yaml test skill=climb",
    ):
        assert line in answer.out.splitlines()


def test_colons_and_names_in_french(osselet: Shell, tmp_path: Path) -> None:
    """A choice that both sides have is told once; what is reported bears its own name in conditions too."""
    file = tmp_path / "duel.yaml"
    file.write_text(
        """
format: 1
system: {id: duel, title: Duel, languages: [fr]}
sheets: {hero: {label: Héros, stats: {force: {label: Force, range: 1..6}}}}
blocks:
  bout:
    who: {self: hero}
    inputs: {aide: {label: Aide, int: 0..2}}
    steps:
      - roll: {d: {groups: {gros: {dice: aide, die: d8}, petit: {dice: 1, die: d6}}, sum: {t: face}}}
      - {choose: encore, label: Encore ?, options: {non: , oui: }}
actions:
  duel:
    sides: {un: {begins_with: bout}, deux: {begins_with: bout}}
    steps: [{let: {gap: un.d.t - deux.d.t}}]
    report: {gap: gap}
    labels: {gap: Écart}
    outcomes: {touche: {when: gap > 0}, rate: }
""",
        encoding="utf-8",
    )
    assert "  hero  Héros : Force" in osselet("show", str(file)).out.splitlines()
    lines = osselet("show", str(file), "duel").out.splitlines()
    for line, times in (
        ("  aide  Aide : 0..2", 2),
        ("  d  gros : Aide × D8 + petit : 1 × D6 → t", 2),
        ("  encore  Encore ? non (Non), oui (Oui)", 1),
        ("  touche  Touche, si Écart > 0", 1),
        ("  gap  Écart", 1),
    ):
        assert lines.count(line) == times, (line, lines)


def test_what_is_tried_works(osselet: Shell) -> None:
    for action in ("test", "fight", "duel", "omen"):
        words = osselet("show", "arena.yaml", action).out.splitlines()[-1].removeprefix("Try: osselet ")
        assert osselet(*words.split(), "--seed", "1").status == 0


def test_rules_without_a_name_are_called_like_their_file(osselet: Shell, tmp_path: Path) -> None:
    file = tmp_path / "Jeu de dés-2.yaml"
    file.write_text("format: 1\nactions: {throw: {steps: [{roll: {hand: {dice: 2, die: d6, sum: {total: face}}}}]}}\n")
    assert osselet("check", str(file)).status == 0
    first, *_, last = osselet("show", str(file)).out.splitlines()
    assert first == "Jeu de dés 2  (jeu_de_des_2; en)"
    assert last.startswith(f"`osselet show '{file}' throw`")
    folder = tmp_path / "my_game"
    folder.mkdir()
    file.rename(folder / "one.yaml")
    assert osselet("show", str(folder)).out.startswith("My game  (my_game; en)")


def test_sides(osselet: Shell) -> None:
    found = osselet("show", "arena.yaml", "duel", "--format", "json").json
    assert [role["id"] for role in found["roles"]] == ["a", "b"]
    assert [(side["label"], side["inputs"][0]["id"]) for side in found["sides"]] == [
        ("First", "bonus"),
        ("Second", "bonus"),
    ]


def test_json_is_enough_to_draw_a_form(osselet: Shell) -> None:
    found = osselet("show", "arena.yaml", "test", "--format", "json", "--lang", "fr").json
    assert found["label"] == "Épreuve"
    skill, foe, helping = found["inputs"]
    assert skill["ids"][0] == {"id": "climb", "label": "Escalade"}
    assert (foe["default"], foe["asked"], foe["hidden_from"]) == ("rat", "referee", "players")
    assert (helping["kind"], helping["range"], helping["default"]) == ("int", "0..2", "0")
    assert found["rolls"][0]["readings"] == ["sixes", "total"]


def test_json_of_a_system(osselet: Shell) -> None:
    found = osselet("show", "arena.yaml", "--format", "json").json
    assert [action["id"] for action in found["actions"]] == ["test", "fight", "duel", "omen"]
    assert {"id": "mia", "label": "Mia", "sheet": "hero"} in found["characters"]
    hero = found["sheets"][0]
    assert hero["stats"][0] == {"id": "skills", "label": "Skills", "keys": ["climb", "swim", "sing"], "range": "0..5"}
    assert found["changes"] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("arena.yaml", "tst"), "`arena` has no action `tst`. Did you mean `test`?"),
        (("arene",), "there is no file or folder arene"),
        (("arena.yaml", "--lang", "de"), "`arena` has no labels in `de`; it has en, fr."),
    ],
)
def test_wrong_usage(osselet: Shell, words: tuple[str, ...], sentence: str) -> None:
    answer = osselet("show", *words)
    assert (answer.status, answer.out) == (2, "")
    assert sentence in answer.err


# ---------------------------------------------------------------------- house rules


@pytest.fixture
def house(tmp_path: Path) -> str:
    file = tmp_path / "house.yaml"
    file.write_text(
        f"""extends: {ARENA}
tables:
  foes:
    rows:
      ogre: {{target: 7}}
      cat: [Cat, 3]
remove: [actions.omen]
actions:
  test:
    values:
      pool:
        max: 8
""",
        encoding="utf-8",
    )
    return str(file)


def test_what_house_rules_change(osselet: Shell, house: str) -> None:
    lines = osselet("show", house).out.splitlines()
    start = lines.index("Changed from the rules that these extend")
    assert lines[start + 1 : start + 8] == [
        "  changed  tables.foes.rows.ogre.target",
        "      9 → 7",
        "  added  tables.foes.rows.cat",
        "      {label: Cat, target: 3}",
        "  removed  actions.omen",
        "  changed  actions.test.values.pool.max",
        "      6 → 8",
    ]


def test_what_house_rules_change_as_json(osselet: Shell, house: str) -> None:
    found = osselet("show", house, "--format", "json").json["changes"]
    assert {"kind": "changed", "path": "actions.test.values.pool.max", "old": "6", "new": "8"} in found
    assert {"removed", "added", "changed"} == {change["kind"] for change in found}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, [("removed", "a"), ("changed", "b"), ("added", "c")]),
        ({"x": {"y": {"z": [1]}}}, {"x": {"y": {"z": [2]}}}, [("changed", "x.y.z")]),
        ({"rows": {"a": 1, "b": 2}}, {"rows": {"b": 2, "a": 1}}, [("order", "rows")]),
        ({"actions": {"a": 1, "b": 2}}, {"actions": {"b": 2, "a": 1}}, []),
        ({"x": "text"}, {"x": {"fr": "texte"}}, [("changed", "x")]),
        (
            {"tables": {"t": {"columns": ["label", "n"], "rows": {"a": ["A", 1]}}}},
            {"tables": {"t": {"columns": ["label", "n"], "rows": {"a": {"label": "A", "n": 2}}}}},
            [("changed", "tables.t.rows.a.n")],
        ),
    ],
)
def test_changes(old: Any, new: Any, found: list[tuple[str, str]]) -> None:
    assert [(change.kind, change.dotted) for change in changes(old, new)] == found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (None, "nothing"),
        (3, "3"),
        ({"fr": "un"}, "un"),
        ({"a": {}, "b": 1}, "{a, b}"),
        ({"a": 2, "b": True}, "{a: 2, b: true}"),
        ([1, "x"], "[1, x]"),
    ],
)
def test_short(value: Any, text: str) -> None:
    assert short(value) == text
