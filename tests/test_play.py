"""`osselet play` with answers from a pipe: sheets, actions, dice typed by hand, undo, and a game that is never lost."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.helpers import ARENA, CACHE, Answer, Shell

from interpreter.cli.console import Console
from interpreter.loader import load
from interpreter.render.names import Names

Play = Callable[..., Answer]


@pytest.fixture
def play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Play:
    """Plays with lines of answers; the game is kept in `game.json`."""
    monkeypatch.setenv("OSSELET_CACHE", CACHE)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    osselet = Shell(capsys)

    def run(*answers: str, rules: str = ARENA, words: tuple[str, ...] = ("--seed", "1")) -> Answer:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in answers)))
        return osselet("play", rules, "--save", "game.json", *words)

    return run


def saved() -> Any:
    return json.loads(Path("game.json").read_text(encoding="utf-8"))


def sheets() -> Any:
    return saved()["state"]["sheets"]


# ---------------------------------------------------------------------- sheets


def test_a_new_game_says_how_to_begin(play: Play) -> None:
    answer = play()
    assert answer.status == 0
    assert "Nobody is at the table yet: make a sheet (c) or take a ready character (p)." in answer.out
    assert "Waiting for Hero and Beast: Fight." in answer.out
    assert answer.out.endswith("The game is kept in game.json.\n")


def test_a_sheet_is_asked_value_by_value(play: Play) -> None:
    answer = play(
        *("c", "hero", "Ann", "3", "", "9", "1"),  # skills: 3, the default, one out of range
        *("", "merry"),  # luck, mood; life is thrown
        *(
            "n",
            "moon",
            "1",
            "sight, grace",
            "",
            "Up!",
        ),  # brave, creed, gifts (one is too few), motto
        *("y", "Axe", "y", "", "n"),  # weapons
    )
    assert "Life: 1d6 + 4, thrown at the end" in answer.out
    assert "Skills (Climb) (0..5) [0]: 3" in answer.out
    assert "9 is outside 0..5." in answer.out
    assert "1 chosen; it takes 2." in answer.out
    ann = sheets()["ann"]
    assert ann["skills"] == {"climb": 3, "swim": 0, "sing": 1}
    assert (ann["mood"], ann["brave"], ann["creed"], ann["gifts"]) == ("merry", False, "moon", ["sight", "grace"])
    assert ann["weapons"] == [{"name": "Axe", "magic": True, "weight": 1}]
    assert 5 <= ann["life"] <= 10
    assert "Ann (Hero)" in answer.out


def test_a_full_stop_takes_the_rest_but_not_what_must_be_said(play: Play) -> None:
    answer = play("c", "1", "Ann", ".", "fire, sight")
    assert "Gifts (2 numbers or names, with commas)" in answer.out
    assert sheets()["ann"]["gifts"] == ["sight", "fire"]


def test_a_sheet_that_is_given_up(play: Play) -> None:
    answer = play("c", "1", "Ann", "3", "<")
    assert "Given up; nothing has changed." in answer.out
    assert sheets() == {}


def test_a_gauge_that_the_rules_leave_open_is_asked(play: Play) -> None:
    play("c", "beast", "Rat", "7")
    assert sheets()["rat"]["life"] == 7


def test_one_character_twice_is_two_sheets(play: Play) -> None:
    answer = play("p", "wolf", "p", "wolf")
    assert sheets().keys() == {"wolf", "wolf_2"}
    assert "At the table: Wolf, Wolf 2" in answer.out


def test_a_ready_character_comes_with_its_friends_and_throws_its_dice(play: Play) -> None:
    answer = play("p", "leo")
    assert sheets().keys() == {"leo", "mia"}
    assert "Mia comes along." in answer.out
    assert "Life (1d6): [" in answer.out
    assert 5 <= sheets()["leo"]["life"] <= 10


def test_two_sheets_of_one_name(play: Play) -> None:
    play("c", "1", "Zoë!", ".", "1,2", "c", "1", "Zoë!", ".", "1,2", "c", "1", "广", ".", "1,2")
    assert sheets().keys() == {"zoe", "zoe_2", "x"}


def test_a_value_is_mended_within_its_bounds(play: Play) -> None:
    answer = play("p", "mia", "m", "luck", "9", "6")
    assert "9 is outside 0..6." in answer.out
    assert sheets()["mia"]["luck"] == {"start": 3, "now": 6}
    play("m", "climb", "5")
    assert sheets()["mia"]["skills"]["climb"] == 5


def test_a_sheet_leaves_the_table_and_comes_back(play: Play) -> None:
    answer = play("p", "wolf", "p", "mia", "x", "wolf")
    assert "Wolf has left the table." in answer.out
    assert sheets().keys() == {"mia"}
    play("u")
    assert sheets().keys() == {"wolf", "mia"}


def test_the_sheets_at_the_table(play: Play) -> None:
    answer = play("p", "mia", "s")
    shown = answer.out.split("> s\n")[1]
    assert "Mia (Hero)\n  Life                          ████████             8/8\n" in shown
    assert "  Skills                        Climb 3, Swim 1\n" in shown
    assert "  Gifts                         Sight, Voice\n" in shown
    assert "  Strong                        yes\n" in shown
    assert "  Motto                         Up, always\n" in shown


# ---------------------------------------------------------------------- actions


def test_an_action_from_its_first_question_to_its_end(play: Play) -> None:
    answer = play("p", "mia", "test", "climb", "", "", "push", words=("--seed", "1", "--lang", "en"))
    told = answer.out.split("Skill\n")[1].split("\n\n")[0]
    assert told.splitlines()[:8] == [
        "   1  Climb",
        "   2  Swim",
        "   3  Sing",
        "> climb",
        "Foe [Referee]",
        " * 1  Rat",
        "   2  Ogre",
        "> ",
    ]
    assert "Help (0..2) [0]: " in told
    assert "  Pool 4 = Climb 3 + Bravery 1\n" in told
    assert "  Mia: Luck 3/6\nMia, Push your luck?\n   1  Leave it\n   2  Push\n> push\n" in told
    assert "  Mia, Luck: 3 → 2\n" in told
    assert "→ Success" in told
    assert "  Luck                          ██░░░░               2/6 (-1)" in told
    assert sheets()["mia"]["luck"] == {"start": 3, "now": 2}


def test_labels_in_another_language(play: Play) -> None:
    answer = play("p", "mia", "epreuve", "escalade", "", "", "1", words=("--seed", "1", "--lang", "fr"))
    assert "À table : Mia" in answer.out
    assert "→ Réussite" in answer.out
    assert "La partie est gardée dans game.json." in answer.out


def test_an_option_that_is_closed_says_why(play: Play) -> None:
    more = "          wait: {label: Wait}\n"
    rules = Path("arena.yaml")
    stop = "          stop: {label: Leave it}\n"
    text = Path(ARENA).read_text(encoding="utf-8").replace(stop, stop + more)
    rules.write_text(text, encoding="utf-8")
    answer = play("p", "mia", "m", "luck", "0", "test", "1", "", "", "wait", rules="arena.yaml")
    assert "   –  Push: No luck is left.\n" in answer.out
    assert "> wait\n" in answer.out


def test_an_action_that_is_refused_changes_nothing(play: Play) -> None:
    answer = play("p", "mia", "m", "life", "0", "test", "climb", "", "")
    assert "✗ The dead do nothing." in answer.out
    assert len(saved()["log"]) == 2


def test_who_acts_is_asked_when_there_are_several(play: Play) -> None:
    answer = play("p", "leo", "fight", "p", "wolf", "p", "wolf", "fight", "mia", "1,2", "wolf 2", *["1"] * 30)
    assert "> fight\n   Waiting for Beast: Fight.\n> p\n" in answer.out
    assert "Who acts\n * 1  Mia\n   2  Leo\n> mia" in answer.out
    assert "Foes (1 to 2 numbers or names, with commas)" in answer.out
    assert "Mia, Whom?\n   1  Wolf\n   2  Wolf 2\n> wolf 2" in answer.out
    assert "▶ Bout" in answer.out
    assert "■ Bout" in answer.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("swmi", "“swmi” is not among them: type a number from 1 to 3, or the beginning of a name."),
        ("9", "“9” is not among them: type a number from 1 to 3, or the beginning of a name."),
        ("s", "That could be: Swim, Sing."),
    ],
)
def test_an_answer_that_means_nothing(play: Play, typed: str, said: str) -> None:
    answer = play("p", "mia", "test", typed, "climb", "", "", "1")
    assert said in answer.out
    assert "→ " in answer.out


def test_a_menu_entry_that_is_none(play: Play) -> None:
    answer = play("zz", "99", "é", "<")
    assert answer.out.count("Type a number or a letter of the menu, or the beginning of a name.") == 3
    assert answer.out.count("Nobody is at the table yet") == 2


def test_a_long_family_is_filled_in_by_name(play: Play) -> None:
    keys = ", ".join(f"k{i}" for i in range(12))
    text = Path(ARENA).read_text(encoding="utf-8")
    more = f"    stats:\n      many: {{label: Many, keys: [{keys}], range: 0..5}}\n"
    Path("arena.yaml").write_text(
        text.replace(
            "    gauges:\n      life: {label: {en: Life, fr: Vie}, min: 0, start: 4",
            more + "    gauges:\n      life: {label: {en: Life, fr: Vie}, min: 0, start: 4",
        ),
        encoding="utf-8",
    )
    answer = play("c", "beast", "Rat", "k3 2, k11 9, k5, zz", "4", "1", "", "", "", rules="arena.yaml")
    assert "9 is outside 0..5." in answer.out
    assert "“zz” is not among them" in answer.out
    many = sheets()["rat"]["many"]
    assert {key: value for key, value in many.items() if value} == {"k3": 2, "k11": 4, "k5": 1}


def test_undo_and_redo_of_whole_actions(play: Play) -> None:
    answer = play("p", "mia", "test", "climb", "", "", "push", "u", "u", "u", "r", "r")
    assert "u undo “Test”" in answer.out
    assert "Undone: Test." in answer.out
    assert "Undone: Mia." in answer.out
    assert "Redone: Test." in answer.out
    assert sheets()["mia"]["luck"] == {"start": 3, "now": 2}


def test_what_has_happened(play: Play) -> None:
    answer = play("p", "mia", "test", "climb", "", "", "1", "l")
    assert "    1  Mia\n    2  Test (Mia) → Success" in answer.out


def test_the_story_told_again(play: Play) -> None:
    answer = play("p", "mia", "test", "climb", "", "", "push", "v")
    told = answer.out.split("> v\n")[1]
    assert told.startswith("1. Mia\n2. Test (Mia)\n  Pool 4 = Climb 3 + Bravery 1\n")
    assert "→ Success" in told
    assert "Done again from the log, everything comes out the same." in told


def test_a_story_that_comes_out_otherwise_under_other_rules(play: Play) -> None:
    Path("arena.yaml").write_text(Path(ARENA).read_text(encoding="utf-8"), encoding="utf-8")
    play("p", "mia", "test", "climb", "", "", "1", rules="arena.yaml")
    text = Path(ARENA).read_text(encoding="utf-8").replace("when: throw.total >= foe.target", "when: throw.total >= 99")
    Path("arena.yaml").write_text(text, encoding="utf-8")
    told = play("v", rules="arena.yaml").out
    assert "Done again, entry 2 comes out otherwise: outcome was success, is failure." in told


def test_the_story_in_a_file(play: Play) -> None:
    answer = play(
        "p", "mia", "test", "climb", "", "", "push", "e", "tale.md", "e", "tale.json", "e", "x.doc", "e", "tale.md"
    )
    assert "tale.md is written." in answer.out
    assert "x.doc is neither .md nor .json; nothing was written." in answer.out
    assert "tale.md was not written: file exists." in answer.out
    text = Path("tale.md").read_text(encoding="utf-8")
    assert text.startswith("# Arena\n\n## 1. Mia\n\n\n## 2. Test (Mia)\n\n- Pool 4 = Climb 3 + Bravery 1\n")
    assert "\n**Success" in text
    assert "## Mia (Hero)\n\n```text\n  Life " in text
    assert json.loads(Path("tale.json").read_text(encoding="utf-8")) == saved()


# ---------------------------------------------------------------------- nothing is lost


def test_an_action_goes_on_in_another_process_where_it_was_left(play: Play) -> None:
    play("p", "mia", "test", "climb", "", "", "q")
    assert saved()["run"] is not None
    answer = play("push")
    assert "The game goes on; steps so far: 1." in answer.out
    assert "  Pool 4 = Climb 3 + Bravery 1\n" in answer.out
    assert "Mia, Push your luck?\n" in answer.out
    assert "→ Success" in answer.out
    assert saved()["run"] is None
    assert sheets()["mia"]["luck"] == {"start": 3, "now": 2}


def test_a_seeded_game_that_was_left_sees_the_faces_that_it_would_have_seen(play: Play) -> None:
    parts = [("p", "mia", "p", "wolf"), ("fight",), ("test", "climb", "", ""), ("1",), ("test", "swim", "", ""), ("1",)]
    play(*(answer for part in parts for answer in part))
    at_once = sheets(), saved()["log"]
    Path("game.json").unlink()
    for part in parts:
        play(*part)
    assert (sheets(), saved()["log"]) == at_once
    again = play("u", "test", "swim", "", "", "1")
    assert (sheets(), saved()["log"]) == at_once
    assert "Undone: Test." in again.out


def test_an_action_that_is_given_up_leaves_the_table_as_it_was(play: Play) -> None:
    answer = play("p", "mia", "test", "climb", "", "", "<")
    assert "Given up; nothing has changed." in answer.out
    assert saved()["run"] is None
    assert len(saved()["log"]) == 1


@pytest.mark.parametrize("stops", range(1, 8))
def test_ctrl_c_at_any_question(play: Play, monkeypatch: pytest.MonkeyPatch, stops: int) -> None:
    answers = iter(["p", "mia", "test", "climb", "", "", "push"][:stops])

    def read(prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("interpreter.cli.console.Console.ask", lambda self, prompt: read(prompt).strip())
    answer = play()
    assert answer.status == 0
    assert "Traceback" not in answer.err
    assert sheets().keys() == ({"mia"} if stops > 1 else set())
    assert (saved()["run"] is not None) == (stops == 6)


def test_rules_changed_under_a_suspended_action(play: Play) -> None:
    rules = Path("arena.yaml")
    text = Path(ARENA).read_text(encoding="utf-8")
    rules.write_text(text, encoding="utf-8")
    play("p", "mia", "test", "climb", "", "", "q", rules="arena.yaml")
    rules.write_text(text.replace("range: 0..6, start: 3", "range: 0..7, start: 3"), encoding="utf-8")
    answer = play(rules="arena.yaml")
    assert "✗ The rules have changed since this run was suspended; begin the action again." in answer.out
    assert sheets().keys() == {"mia"}
    assert saved()["run"] is None


def changed_rules(play: Play, *changes: tuple[str, str]) -> bytes:
    """A game with Mia in it, saved before the rules were changed; gives the save."""
    text = Path(ARENA).read_text(encoding="utf-8")
    Path("arena.yaml").write_text(text, encoding="utf-8")
    play("p", "mia", rules="arena.yaml")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    Path("arena.yaml").write_text(text, encoding="utf-8")
    return Path("game.json").read_bytes()


def test_sheets_brought_within_changed_rules(play: Play) -> None:
    before = changed_rules(play, ("range: 0..5", "range: 0..2"), ("climb: 3", "climb: 2"))
    answer = play("s", rules="arena.yaml")
    assert answer.status == 0
    assert "! Mia: `skills.climb` was 3; its bounds make it 2." in answer.out
    assert "Skills                        Climb 2, Swim 1" in answer.out
    assert sheets()["mia"]["skills"]["climb"] == 2
    assert Path("game.old1.json").read_bytes() == before


def test_sheets_that_no_longer_fit_the_rules(play: Play) -> None:
    changed_rules(
        play, ("[sight, voice, grace, fire]", "[view, voice, grace, fire]"), ("gifts: [sight,", "gifts: [view,")
    )
    answer = play("s", "m", "mia", "test", "climb", "", "", "x", "mia", "p", "mia", rules="arena.yaml")
    assert answer.status == 0
    assert answer.out.count("! Mia: `gifts`: `sight` is none of view, voice, grace, fire") >= 2
    assert "✗ " in answer.out
    assert sheets()["mia"]["gifts"] == ["view", "voice"]


def test_a_kind_of_sheet_that_is_gone(play: Play) -> None:
    changed_rules(play)
    data = saved()
    data["state"]["sheets"]["ghost"] = {"sheet": "spirit", "name": "Ghost"}
    data["rules"] = "other"
    Path("game.json").write_text(json.dumps(data), encoding="utf-8")
    answer = play("s", "test", "climb", "", "", "1", "x", "ghost", rules="arena.yaml")
    assert answer.status == 0
    assert "! Ghost: There is no kind of sheet `spirit`." in answer.out
    assert "→ " in answer.out
    assert sheets().keys() == {"mia"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"{}",
        b'{"format": 1}',
        b"\xff\xfe",
        b'{"format": 9, "system": "arena"}',
        b'{"format": 1, "system": "x"}',
    ],
)
def test_a_save_that_cannot_be_read_is_kept(play: Play, content: bytes) -> None:
    Path("game.json").write_bytes(content)
    answer = play()
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("osselet: game.json cannot be read as a saved game: ")
    assert len(answer.err.splitlines()) == 1
    assert Path("game.json").read_bytes() == content


def test_a_new_game_keeps_the_old_file(play: Play) -> None:
    play("p", "mia")
    before = Path("game.json").read_bytes()
    for number in (1, 2):
        assert "Nobody is at the table yet" in play(words=("--new",)).out
        assert Path(f"game.old{number}.json").exists()
    assert Path("game.old1.json").read_bytes() == before


def test_another_game_in_the_same_file_is_not_overwritten(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Console.ask

    def meddle(self: Console, prompt: str) -> str:
        Path("game.json").write_text("of another", encoding="utf-8")
        return asked(self, prompt)

    monkeypatch.setattr(Console, "ask", meddle)
    answer = play("p", "mia")
    assert answer.status == 2
    assert "was changed by another game meanwhile" in answer.err
    assert Path("game.json").read_text(encoding="utf-8") == "of another"


def test_each_rule_set_has_a_file_of_its_own(play: Play, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(Path.cwd() / "state"))
    osselet = Shell(capsys)
    for rules in ("df46", ARENA):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        assert osselet("play", rules).status == 0
    names = sorted(path.name for path in Path("state/osselet").iterdir())
    assert names[1] == "df46.json"
    assert names[0].startswith("arena-")


def test_a_place_that_cannot_be_written(play: Play, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("p\nmia\n"))
    answer = Shell(capsys)("play", ARENA, "--save", "file/game.json")
    assert answer.status == 2
    assert len(answer.err.splitlines()) == 1


# ---------------------------------------------------------------------- dice typed by hand


def test_dice_are_typed_as_they_fall(play: Play) -> None:
    answer = play("p", "mia", "test", "climb", "", "", "6 1", "7", "x", "2,3 5", "1", words=("--hand",))
    assert "Throw: 4d6\n  4d6: 6 1\n  2d6: 7\n  7 is no face of the d6 (1..6).\n  2d6: x\n" in answer.out
    assert "  Not needed: 5.\n" in answer.out
    assert "Throw (4d6): [6] [1] [2] [3] = 12" in answer.out


def test_dice_with_symbols_are_typed(play: Play) -> None:
    answer = play("read", "S S, _", "2", "1", words=("--hand",))
    assert "Signs (2omen): [S S] [_]  → Luck 2" in answer.out


def test_a_throw_that_is_left_is_asked_again(play: Play) -> None:
    play("p", "mia", "test", "climb", "", "", "6 1", "q", words=("--hand",))
    answer = play("1 1 1 1", "1", words=("--hand",))
    assert "Throw (4d6): [1] [1] [1] [1] = 4" in answer.out


def test_dice_by_hand_and_a_seed(play: Play) -> None:
    answer = play(words=("--hand", "--seed", "1"))
    assert (answer.status, answer.out) == (2, "")


# ---------------------------------------------------------------------- questions


@pytest.fixture
def console() -> Callable[..., tuple[Console, list[str]]]:
    system = load(ARENA).system
    assert system is not None

    def make(*answers: str) -> tuple[Console, list[str]]:
        typed, told = iter(answers), list[str]()
        return Console(Names(system, "en"), read=lambda _: next(typed), write=told.append), told

    return make


@pytest.mark.parametrize(
    ("typed", "number"),
    [(["4"], 4), ([""], 2), (["\u22121"], -1), (["+3"], 3), (["x", "1.5", "99", "0"], 0), (["  5 "], 5)],
)
def test_numbers(console: Any, typed: list[str], number: int) -> None:
    talk, _ = console(*typed)
    assert talk.number("How many", -1, 9, 2) == number


@pytest.mark.parametrize(
    ("typed", "value"), [("y", True), ("YES", True), ("n", False), ("false", False), ("", True), ("t", True)]
)
def test_yes_or_no(console: Any, typed: str, value: bool) -> None:
    talk, _ = console(typed)
    assert talk.flag("Well", True) is value


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [("1 3", [0, 2]), ("3,1", [0, 2]), ("pas de loup, é", [1, 2]), ("L'", [0]), ("", [])],
)
def test_several_of_a_list(console: Any, typed: str, chosen: list[int]) -> None:
    talk, _ = console(typed)
    assert talk.choose_several("Which", ["L’un", "Pas-de-loup", "Étoile"], 0, None) == chosen


def test_the_same_one_twice(console: Any) -> None:
    talk, told = console("1,1", "1,2")
    assert talk.choose_several("Which", ["a", "b", "c"], 2, 2) == [0, 1]
    assert "One of them is said twice." in told


def test_a_whole_name_is_meant_rather_than_the_beginning_of_others(console: Any) -> None:
    talk, _ = console("art")
    assert talk.choose_one("Which", ["artisan", "art", "party"]) == 1


# ---------------------------------------------------------------------- words instead of letters


@pytest.mark.parametrize("words", [("u", "l", "q"), ("undo", "log", "leave"), ("und", "WHAT has happened", "lea")])
def test_words_and_beginnings_stand_for_letters(play: Play, words: tuple[str, ...]) -> None:
    lines = [line for line in play("p", "Mia", *words).out.splitlines() if not line.startswith("> ")]
    assert "Undone: Mia." in lines
    assert lines[-1].startswith("The game is kept in")
    assert not any("number or letter" in line for line in lines)
