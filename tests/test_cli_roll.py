"""`osselet roll`: what it understands, what it refuses and how, and what it tells programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.helpers import ARENA, CACHE, Shell


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("OSSELET_CACHE", CACHE)
    monkeypatch.setenv("LC_ALL", "C")
    return Shell(capsys)


def test_text(osselet: Shell) -> None:
    answer = osselet.roll("test", "skill=climb", "--dice", "6,1,2,3")
    assert answer.status == 0
    assert answer.err == ""
    assert answer.out.splitlines()[:7] == [
        "Test: Mia",
        "  Pool 4 = Climb 3 + Bravery 1",
        "  Secret 5",
        "  Throw (4d6): [6] [1] [2] [3] = 12  → Sixes 1",
        "  Push your luck? Leave it",
        "→ Success (Bright)",
        "  Margin: 7",
    ]
    assert "Life                          ████████             8/8" in answer.out


def test_labels_in_another_language(osselet: Shell) -> None:
    answer = osselet.roll("test", "skill=climb", "--seed", "1", "--lang", "fr")
    assert answer.out.startswith("Épreuve : Mia\n  Pool 4 = Escalade 3 + Bravery 1\n")
    assert "→ Réussite" in answer.out


def test_same_seed_same_faces(osselet: Shell) -> None:
    one, other, third = (osselet.roll("test", "skill=climb", "--seed", seed) for seed in ("x", "x", "y"))
    assert one == other
    assert one != third


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("skill=swim", "self.brave=false", "--seed", "1"), "Pool 1 = Swim 1"),  # a bound that does nothing is not told
        (("skill=sing", "self=leo", "--seed", "1"), "Pool 1 = Sing 0, at least 1"),
        (("skill=climb", "self=mia", "self.skills.climb=5", "help=2", "--seed", "1"), "at most 6"),
        (("skill=climb", "self=mia", "self.mood=merry", "--seed", "1"), "Pool 5 = Climb 3 + Cheer 2"),  # the best only
    ],
)
def test_where_a_number_comes_from(osselet: Shell, words: tuple[str, ...], line: str) -> None:
    if words[0] == "skill=swim":
        words = (*words, "self=mia")
    assert line in osselet.roll("test", *words).out


def test_json(osselet: Shell) -> None:
    answer = osselet.roll(
        "test", "skill=climb", "foe=ogre", "--dice", "6,1,2,3,4", "--choose", "push=go", "--format", "json"
    )
    found = answer.json
    assert (answer.status, answer.err) == (0, "")
    assert found["outcome"] == "success"
    assert found["grade"] == "bright"
    numbers = {"throw": 12, "throw.total": 12, "throw.sixes": 1, "more": 4, "more.total": 4}
    assert found["values"] == {"pool": 4, "secret": 9, "margin": 3, **numbers}
    assert found["rolls"][0] == {
        "name": "throw",
        "kind": "roll",
        "faces": [6, 1, 2, 3],
        "readings": {"sixes": 1, "total": 12},
    }
    assert found["choices"] == [{"name": "push", "value": "go"}]
    assert found["inputs"] == {"skill": "climb", "foe": "ogre", "help": 0}
    assert found["roles"] == {"self": ["mia"]}
    assert found["sheets"]["mia"]["luck"] == {"start": 3, "now": 2}
    assert found["hidden_from"] == {"foe": "players", "secret": "players", "margin": "players"}
    assert found["refused"] is None
    assert found["trace"][0]["text"] == "Pool 4 = Climb 3 + Bravery 1"
    assert found["trace"][1]["hidden_from"] == "players"


def test_json_of_a_refusal_has_the_same_shape(osselet: Shell) -> None:
    done = osselet.roll("test", "skill=climb", "--seed", "1", "--format", "json")
    refused = osselet.roll("test", "skill=climb", "self=mia", "self.life.now=0", "--format", "json")
    assert refused.status == 1
    assert refused.json.keys() == done.json.keys()
    assert refused.json["outcome"] is None
    assert refused.json["refused"] == {
        "code": "require",
        "message": "The dead do nothing.",
        "label": {"en": "The dead do nothing.", "fr": "Les morts ne font rien."},
    }


def test_a_period_and_its_events(osselet: Shell) -> None:
    found = osselet.roll("fight", "--seed", "2", "--format", "json").json
    assert [(event["kind"], event["name"]) for event in found["events"]] == [("begins", "bout"), ("ends", "bout")]
    assert found["outcome"] == "victory"
    assert found["sheets"]["wolf"]["life"] == {"start": 4, "now": 0}


def test_words_change_a_sheet(osselet: Shell) -> None:
    words = ("self.skills.sing=2", "self.gifts=voice,fire", "self.weapons.1.name=Axe", "self.weapons.1.magic=yes")
    words = (
        *words,
        "self.weapons.2.weight=3",
        "self.life.start=9",
        "self.life.now=7",
        "self.motto=a, b",
        "self.friend=leo",
    )
    sheet = osselet.roll("test", "skill=sing", *words, "--seed", "1", "--format", "json").json["sheets"]["self"]
    assert sheet["skills"] == {"climb": 0, "swim": 0, "sing": 2}
    assert sheet["gifts"] == ["voice", "fire"]
    assert sheet["weapons"] == [
        {"name": "Axe", "magic": True, "weight": 1},
        {"name": "", "magic": False, "weight": 3},
    ]
    assert sheet["life"] == {"start": 9, "now": 7}
    assert (sheet["motto"], sheet["friend"]) == ("a, b", "leo")


def test_several_of_one_character(osselet: Shell) -> None:
    found = osselet.roll("fight", "foes=wolf,wolf", "foes.wolf_2.life=2", "--seed", "1", "--format", "json").json
    assert found["roles"]["foes"] == ["wolf", "wolf_2"]
    assert found["sheets"]["wolf_2"]["life"] == {"start": 2, "now": 0}


def test_sheets_made_from_nothing_throw_their_dice_first(osselet: Shell) -> None:
    answer = osselet.roll("fight", "self.gifts=sight,voice", "foes.rat.life=1", "--dice", "6,5")
    assert answer.out.splitlines()[:3] == ["Fight: Hero, Rat", "  Life (1d6): [6] = 10", "  ▶ Bout"]


def test_a_ready_character_throws_what_its_sheet_does_not_say(osselet: Shell) -> None:
    found = osselet.roll("test", "self=leo", "skill=sing", "--dice", "4,2", "--format", "json").json
    assert found["sheets"]["leo"]["life"] == 8


def test_sides_and_who_is_whose(osselet: Shell) -> None:
    answer = osselet.roll("duel", "a=mia", "b=leo", "b.bonus=3", "--dice", "1,4,2")
    assert "Second, Die (1d6): [2] = 2" in answer.out
    assert "→ Second" in answer.out


@pytest.mark.parametrize("dice", ["S S,_", " S S , _", "S S, _ "])
def test_symbol_dice(osselet: Shell, dice: str) -> None:
    found = osselet.roll(
        "omen", "--dice", dice, "--choose", "how=3", "--choose", "gods=moon,sea", "--format", "json"
    ).json
    assert found["rolls"][0]["faces"] == ["S S", "_"]
    assert found["values"]["signs.luck"] == 2
    assert found["choices"] == [{"name": "how", "value": 3}, {"name": "gods", "value": ["moon", "sea"]}]


def test_options_and_words_in_any_order(osselet: Shell) -> None:
    words = ("--dice", "6,1,2,3", "test", "--lang", "en", "skill=climb")
    assert osselet("roll", ARENA, *words).status == 0


# ---------------------------------------------------------------------- choices


def test_a_choice_said_once_stands_for_all(osselet: Shell) -> None:
    found = osselet.roll("fight", "foes=wolf,wolf", "--choose", "target=wolf_2", "--seed", "1", "--format", "json").json
    whom = [choice["value"] for choice in found["choices"] if choice["name"] == "target"]
    assert whom[0] == "wolf_2"
    assert set(whom[whom.index("wolf") :]) == {"wolf"}  # once it is closed, the first that is open


def test_a_choice_said_twice_is_taken_in_order(osselet: Shell) -> None:
    said = ("--choose", "target=wolf_2", "--choose", "target=wolf")
    found = osselet.roll("fight", "foes=wolf,wolf", *said, "--dice", "3,3,3,3", "--format", "json").json
    assert [choice["value"] for choice in found["choices"]] == ["wolf_2", "wolf", "wolf", "wolf_2"]


def test_a_closed_option_is_refused(osselet: Shell) -> None:
    answer = osselet.roll("test", "self=mia", "self.luck=0", "skill=climb", "--choose", "push=go", "--seed", "1")
    assert answer.status == 2
    assert "--choose push=go was not used: the choice never came, or had one open option." in answer.err


# ---------------------------------------------------------------------- wrong usage: one sentence, and exit status 2

WRONG = [
    ("tst skill=climb", "there is no action `tst`. Did you mean `test`?"),
    ("test skil=climb", "`test` has no input or role `skil`. Did you mean `skill`?"),
    ("test climb", "`climb` is not of the form NAME=VALUE."),
    ("test =climb", "`=climb` is not of the form NAME=VALUE."),
    ("test skill=climb skill=swim", "`skill` is said twice."),
    ("test skill=climb self.lif=3", "self.lif: `hero` has no `lif`. Did you mean `life`?"),
    ("test skill=climb self.skills.clim=3", "self.skills.clim: `skills` has no `clim`; it has climb, swim, sing."),
    ("test skill=climb self.skills.climb=9", "self.skills.climb: `skills.climb`: 9 is outside 0..5."),
    ("test skill=climb self.brave=perhaps", "self.brave: `brave`: `perhaps` is neither true nor false."),
    ("test skill=climb self.gifts=sight", "self.gifts: `gifts`: 1 chosen, exactly 2 wanted."),
    ("test skill=climb self.gifts=sight,sigt", "did you mean `sight`?"),
    ("test skill=climb self.weapons.2.name=Axe", "each weapon of a list has a number from 1"),
    ("test skill=climb self..life=2", "a part between its dots is missing"),
    ("test skill=climb self=mio", "there is no character `mio` for `self`. Did you mean `mia`?"),
    ("test skill=climb self=wolf", "there is no character `wolf` for `self`."),
    ("test skill=climb self=mia,leo", "`self` is one sheet: write the id of one character."),
    ("test skill=climb self.sheet=beast", "`self` is a sheet of kind hero, not `beast`."),
    ("test skill=climb during=bot", "there is no period `bot`. Did you mean `bout`?"),
    ("fight foes.life=3", "`foes` is several sheets: write `foes.NAME.life=VALUE`, or `foes=ID,ID`."),
    ("test skill=climb --choose puh=go", "`test` has no choice `puh`. Did you mean `push`?"),
    ("test skill=climb --choose push=goo", "`push` has no option `goo`. Did you mean `go`?"),
    ("test skill=climb --choose push", "--choose wants CHOICE=OPTION, not `push`."),
    ("test skill=climb --choose push=go --choose push=stop --seed 1", "the choice came only 1 time."),
    ("test skill=climb --dice 1,2", "--dice gives 2 faces, and one more d6 is thrown (Throw)."),
    ("test skill=climb --dice 1,2,3,4,5", "--dice gives more faces than were thrown; left over: 5."),
    ("test skill=climb --dice 1,2,7,4", "face 3 of --dice, `7`, is not on the d6 thrown (Throw), which has 1..6."),
    ("test skill=climb --dice 1,x,3,4", "face 2 of --dice, `x`, is not on the d6"),
    ("test skill=climb --dice -1,2,3,4", "face 1 of --dice, `-1`, is not on the d6"),
    ("omen --dice S,X", "face 2 of --dice, `X`, is not on the omen thrown (Signs), which has _, S, S S, F, F S."),
    ("test skill=climb --dice 1 --seed 2", "--dice and --seed exclude each other"),
    ("test skill=climb --lang de", "`arena` has no labels in `de`; it has en, fr."),
    ("test skill=climb --format yaml", "invalid choice: 'yaml'"),
    ("test skill=climb --frmat json", "unrecognized arguments: --frmat"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[words for words, _ in WRONG])
def test_wrong_usage(osselet: Shell, words: str, sentence: str) -> None:
    answer = osselet.roll(*words.split())
    assert sentence in answer.err
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("osselet: ")
    assert len(answer.err.splitlines()) == 1


REFUSED = [
    ("test", "`skill`: an answer is wanted."),
    ("test skill=clim", "Did you mean `climb`?"),
    ("test skill=climb help=3", "`help`: 3 is outside 0..2."),
    ("test skill=climb help=x", "`help`: `x` is not a whole number."),
    ("test skill=climb self=mia self.life.now=0", "The dead do nothing."),
    ("test skill=climb self.life=3", "`self.gifts` has no value"),
]


@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=[words for words, _ in REFUSED])
def test_refused_by_the_rules(osselet: Shell, words: str, sentence: str) -> None:
    answer = osselet.roll(*words.split())
    assert answer.status == 1
    assert answer.out.startswith("✗ ")
    assert sentence in answer.out
    assert len(answer.out.splitlines()) == 1


def test_a_system_that_is_not_there(osselet: Shell) -> None:
    answer = osselet("roll", "no/such/place", "test")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("osselet: there is no file or folder no/such/place")


def test_broken_rules_are_shown_with_their_places(osselet: Shell, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nsystem: {id: x, title: X}\nactions: {go: {stps: []}}\n", encoding="utf-8")
    answer = osselet("roll", str(broken), "go")
    assert (answer.status, answer.out) == (2, "")
    assert "broken.yaml:3:16: error E0101" in answer.err
    assert "3 | actions: {go: {stps: []}}" in answer.err
