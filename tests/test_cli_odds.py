"""`osselet odds`: what it tells, what it refuses and how, grids, and what it gives programs."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.helpers import HERE, Answer, Shell

from interpreter.cli.progress import Progress

LUCK = str(HERE / "luck.yaml")
NAMES = {"throw": ("self=mia",), "fight": ("self=mia", "foe=leo")}


class OddsShell(Shell):
    """`odds(action, ...)` asks of the small game."""

    def odds(self, action: str, *words: str) -> Answer:
        return self("odds", LUCK, action, *NAMES[action], *words)


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> OddsShell:
    monkeypatch.setenv("OSSELET_CACHE", "off")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("COLUMNS", "100")
    return OddsShell(capsys)


# ---------------------------------------------------------------------- text


def test_text(osselet: OddsShell) -> None:
    answer = osselet.odds("throw")
    assert answer.status == 0
    assert answer.err == ""
    assert answer.out.splitlines()[:8] == [
        "Throw: Mia",
        "  Success    27.78%   5/18  █████▌",
        "    Bright   19.44%   7/36  ███▉",
        "  Failure    72.22%  13/18  ██████████████▌",
        "  Two sixes   2.78%   1/36  ▌",
        "",
        "Margin: mean -2",
        "  -7   2.78%  1/36  ███▍",
    ]
    assert answer.out.splitlines()[-1] == "exact; situations looked at: 1"


def test_text_in_another_language(osselet: OddsShell) -> None:
    lines = osselet.odds("throw", "--lang", "fr").out.splitlines()
    assert lines[1] == "  Réussite     27,78\u00a0%   5/18  █████▌"
    assert "Marge : -2 en moyenne" in lines


def test_advice_in_few_lines(osselet: OddsShell) -> None:
    answer = osselet.odds("fight")
    end = answer.out.split("What to choose for Victory:\n")[1].splitlines()
    assert end[:3] == ["  Dodge?", "    Leap   when Mia, Life ≤ 2", "    Stand  when Mia, Life ≥ 3"]
    assert "Victory  87.30%  447/512" in answer.out


def test_worst_choices_are_no_better(osselet: OddsShell) -> None:
    chances = [
        Fraction(osselet.odds("fight", "--choices", how, "--format", "json").json["outcomes"]["victory"]["probability"])
        for how in ("worst", "first", "bold", "best")
    ]
    assert chances[0] < min(chances[1:3])
    assert chances[3] == max(chances) == Fraction(447, 512)


def test_a_policy_from_the_command_line(osselet: OddsShell) -> None:
    rule = "dodge=leap when self.luck >= 3"
    answer = osselet.odds("fight", "--policy", rule, "--choices", "first", "--format", "json").json
    assert answer["policy"] == {"dodge": ["leap when self.luck >= 3"]}
    assert answer["outcomes"]["victory"]["probability"] == "23/32"
    always = osselet.odds("fight", "--policy", "dodge=leap", "--format", "json").json
    assert always["outcomes"] == osselet.odds("fight", "--choices", "bold", "--format", "json").json["outcomes"]


def test_a_goal_that_is_a_number(osselet: OddsShell) -> None:
    answer = osselet.odds("fight", "--for", "self.life", "--format", "json").json
    assert answer["goal"] == "self.life"
    assert Fraction(answer["worth"]["exact"]) == Fraction(answer["values"]["self.life"]["mean"]["exact"])
    assert "What to choose for self.life:" in osselet.odds("fight", "--for", "self.life").out


def test_a_condition(osselet: OddsShell) -> None:
    assert "  pair.sixes >= 1  30.56%  11/36" in osselet.odds("throw", "--for", "pair.sixes >= 1").out


def test_gauges(osselet: OddsShell) -> None:
    answer = osselet.odds("fight", "--choices", "bold", "--gauges")
    assert "Afterwards:" in answer.out
    assert "Mia, Luck: mean" in answer.out


def test_joint(osselet: OddsShell) -> None:
    answer = osselet.odds(
        "throw", "--joint", "pair.total,pair.sixes", "--joint", "min(pair.total, 4)", "--format", "json"
    )
    (joint,) = answer.json["joint"]
    assert joint["names"] == ["pair.total", "pair.sixes"]
    assert {"values": [12, 2], "probability": "1/36", "float": 1 / 36} in joint["distribution"]
    assert [row["value"] for row in answer.json["values"]["min(pair.total, 4)"]["distribution"]] == [2, 3, 4]


def test_floats(osselet: OddsShell) -> None:
    answer = osselet.odds("throw", "--float", "--format", "json").json
    assert answer["exact"] is False
    assert answer["outcomes"]["success"]["probability"] is None
    assert answer["outcomes"]["success"]["float"] == pytest.approx(5 / 18, abs=1e-12)
    assert "computed with floats" in osselet.odds("throw", "--float").out


# ---------------------------------------------------------------------- programs


def test_json(osselet: OddsShell) -> None:
    answer = osselet.odds("throw", "bonus=1", "--format", "json").json
    assert answer["outcomes"]["success"] == {"probability": "5/12", "float": 5 / 12}
    assert answer["grades"] == {"bright": {"probability": "1/4", "float": 0.25}}
    assert answer["flags"] == {"twins": {"probability": "1/36", "float": 1 / 36}}
    assert (answer["cut_off"], answer["sampled"], answer["exact"], answer["refused"]) == (0, False, True, None)
    assert answer["roles"] == {"self": ["mia"]}
    assert answer["inputs"] == {"bonus": 1, "target": "hard"}
    spread = answer["values"]["margin"]["distribution"]
    assert sum(Fraction(row["probability"]) for row in spread) == 1
    assert [row["value"] for row in spread] == list(range(-6, 5))


def test_json_of_advice(osselet: OddsShell) -> None:
    (advice,) = osselet.odds("fight", "--format", "json").json["choices"]
    assert advice["choice"] == "dodge"
    assert [line["answer"] for line in advice["lines"]] == ["leap", "stand"]
    assert sum(line["situations"] for line in advice["lines"]) == len(advice["situations"])


def test_csv(osselet: OddsShell) -> None:
    rows = list(csv.DictReader(io.StringIO(osselet.odds("throw", "--format", "csv").out)))
    assert rows[0] == {"kind": "outcome", "name": "success", "value": "", "probability": "5/18", "float": str(5 / 18)}
    assert {row["kind"] for row in rows} == {"outcome", "grade", "flag", "mean", "value"}


# ---------------------------------------------------------------------- grids


def test_a_grid_over_an_input(osselet: OddsShell) -> None:
    lines = osselet.odds("throw", "--vary", "bonus=-2..5").out.splitlines()
    assert lines[0] == "Throw: Mia"
    assert lines[2].split() == ["Bonus", "Success", "Failure"]
    assert lines[3].split() == ["-2", "8.33%", "91.67%", "█"]
    assert len(lines) == 11


def test_a_grid_over_two_things(osselet: OddsShell) -> None:
    lines = osselet.odds("throw", "--vary", "bonus=0..2", "--vary", "target=easy,hard").out.splitlines()
    assert lines[2] == "Success, in %  (Bonus ↓  Target →)"
    assert [line.split() for line in lines[3:]] == [
        ["Easy", "Hard"],
        ["0", "83.3", "27.8"],
        ["1", "91.7", "41.7"],
        ["2", "97.2", "58.3"],
    ]


@pytest.mark.parametrize("name", ["self.luck", "self.life", "self.body", "foe.life"])
def test_a_grid_says_what_each_cell_says_alone(osselet: OddsShell, name: str) -> None:
    said = ("odds", LUCK, "fight", "self.brave=true", "foe.body=2", "--format", "json")
    rows = osselet(*said, "--vary", f"{name}=1..3").json["rows"]
    alone = [osselet(*said, f"{name}={number}").json["outcomes"]["victory"]["probability"] for number in (1, 2, 3)]
    assert [row["cell"] for row in rows] == [[1], [2], [3]]
    assert [row["chances"][1]["exact"] for row in rows] == alone


def test_a_grid_over_who_takes_part(osselet: OddsShell) -> None:
    answer = osselet("odds", LUCK, "fight", "self=mia", "--vary", "foe=leo,mia")
    assert [line.split()[0] for line in answer.out.splitlines()[2:]] == ["Foe", "Leo", "Mia"]


def test_a_refused_cell_says_why_once(osselet: OddsShell) -> None:
    answer = osselet.odds("fight", "--vary", "foe.life=0,1,2")
    assert answer.status == 0
    assert answer.out.count("The dead do not fight.") == 1


def test_a_grid_for_a_number_as_csv(osselet: OddsShell) -> None:
    words = ("--vary", "bonus=0,1", "--for", "pair.sixes >= 1", "--for", "margin", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(osselet.odds("throw", *words).out)))
    assert [row["margin"] for row in rows] == ["-2.0", "-1.0"]
    assert float(rows[0]["pair.sixes >= 1"]) == pytest.approx(11 / 36)


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<svg "), ("png", b"\x89PNG")])
@pytest.mark.parametrize("words", [(), ("bonus=0..3",), ("bonus=0..3", "target=easy,hard")])
def test_drawings(osselet: OddsShell, tmp_path: Path, ending: str, start: bytes, words: tuple[str, ...]) -> None:
    file = tmp_path / f"odds.{ending}"
    varied = [word for name in words for word in ("--vary", name)]
    assert osselet.odds("throw", "--plot", str(file), *varied).status == 0
    assert file.read_bytes().startswith(start)


# ---------------------------------------------------------------------- refusals


def test_a_refusal_of_the_rules(osselet: OddsShell) -> None:
    answer = osselet.odds("throw", "self.life=0", "--lang", "fr")
    assert (answer.status, answer.out) == (1, "✗ Les morts ne font rien.\n")


def test_a_refusal_for_programs(osselet: OddsShell) -> None:
    answer = osselet.odds("throw", "self.life=0", "--format", "json")
    assert answer.status == 1
    assert answer.json["refused"]["code"] == "require"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--limit", "nodes=3"), "4 situations reached, at most 3 allowed (limit `nodes`)."),
        (("--seconds", "0"), "(limit `seconds`)"),
        (("--limit", "dice=0"), "at most 0 allowed (limit `dice`). Raise the limit, ask for less, or simulate."),
    ],
)
def test_limits_say_what_was_reached(osselet: OddsShell, words: tuple[str, ...], said: str) -> None:
    answer = osselet.odds("fight", *words)
    assert answer.status == 1
    assert said in answer.out
    assert "simulate" in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--choices", "brave"), "There is no policy `brave`; there are: bold."),
        (("--for", "victori"), "Nothing is called `victori` here."),
        (("--policy", "dodge"), "--policy wants CHOICE=OPTION"),
        (("--policy", "duck=leap"), "`duck` is no choice of this action"),
        (("--policy", "dodge=jump"), "`jump` is no answer to `dodge`; it has: stand, leap."),
        (("--limit", "node=3"), "there is no limit `node`. Did you mean `nodes`?"),
        (("--limit", "nodes=few"), "--limit nodes wants a whole number, not `few`."),
        (("--seconds", "soon"), "`soon` is no number of seconds"),
        (("--joint", "life,"), "--joint wants names with commas between them"),
        (("--plot", "odds.gif"), "--plot writes .svg or .png files, not `odds.gif`."),
        (("--vary", "self.luck"), "--vary wants NAME=1..20 or NAME=a,b,c"),
        (("--vary", "self.luck=3..1"), "`3..1` is no range"),
        (("--vary", "self.luck=1,1"), "says `1` twice"),
        (("--vary", "self.luck=1..9"), "self.luck: 7 is outside 0..6"),
        (("--vary", "self.wit=1..9"), "has no `wit`"),
        (("--vary", "self.luck=0..6", "self.luck=2"), "`self.luck` is said and varies"),
        (("--vary", "self.luck=0..6", "--gauges"), "--joint and --gauges go without it"),
        (("--vary", "foe.body=1..99999", "--vary", "self.luck=0..6", "--vary", "self.body=1..5"), "too many"),
    ],
)
def test_wrong_questions(osselet: OddsShell, words: tuple[str, ...], said: str) -> None:
    answer = osselet.odds("fight", *words)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_sheets_that_begin_with_dice(osselet: OddsShell) -> None:
    answer = osselet("odds", LUCK, "topple", "foes.big.sheet=giant")
    assert answer.status == 2
    assert "`foes.big` begins with dice, and odds need definite values: say foes.big.life=…" in answer.err
    assert osselet("odds", LUCK, "topple", "foes.big.life=4").status == 0


def test_hidden_things_need_a_policy(osselet: OddsShell) -> None:
    answer = osselet("odds", str(HERE / "arena.yaml"), "test", "skill=climb", "self=mia")
    assert answer.status == 2
    assert "hidden" in answer.err
    words = ("odds", str(HERE / "arena.yaml"), "test", "skill=climb", "self=mia", "--choices", "first")
    assert osselet(*words).status == 0


# ---------------------------------------------------------------------- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_told_on_a_terminal_only() -> None:
    times = iter(range(100))

    def clock() -> Any:
        return next(times)

    silent, told = io.StringIO(), Terminal()
    for stream in (silent, told):
        with Progress(stream, clock) as progress:
            progress.part(1, 4)
            progress.tick()
    assert silent.getvalue() == ""
    assert "1 / 4 (25%)" in told.getvalue()
    assert told.getvalue().endswith("\r\x1b[K")


def test_long_advice_is_told_by_what_differs(osselet: OddsShell) -> None:
    words = ("odds", "df46", "combat", "self=maelle", "ennemis=gargouille", "--lang", "en", "--float")
    told = osselet(*words).out.split("Test your luck to make the wound worse?\n")[1].split("\n\n")[0].splitlines()
    assert told[-1] == "    Leave it at that, otherwise"
    assert told[-2].strip().startswith("… and ")
    assert all(line.startswith("    Test your luck  when ") for line in told[:-2])
    assert len(told) == 18


def test_flags_and_keys_that_vary_are_told_as_what_they_are(osselet: OddsShell) -> None:
    words = ("odds", LUCK, "fight", "self.body=3", "foe=leo", "--vary", "self.brave=true,no", "--format", "json")
    assert [row["cell"] for row in osselet(*words).json["rows"]] == [[True], [False]]
    assert osselet("odds", LUCK, "throw", "self=mia", "--vary", "bonus=1,01").status == 2


def test_readings_of_two_rolls_that_are_called_alike_are_told_with_their_roll(
    osselet: OddsShell, tmp_path: Path
) -> None:
    rules = tmp_path / "two.yaml"
    rules.write_text(
        """
format: 1
system: {id: two, title: Two}
actions:
  go:
    steps:
      - roll:
          red: {dice: 2, die: d6, count: {hits: face >= 5}}
          blue: {dice: 2, die: d6, count: {hits: face >= 3}}
      - choose: take
        options: {reds: {do: [{let: {total: red.hits * 3}}]}, blues: {do: [{let: {total: blue.hits * 2}}]}}
    report: [total]
    outcomes: {good: {when: total >= 3}, bad: }
    best: total
""",
        encoding="utf-8",
    )
    answer = osselet("odds", str(rules), "go")
    assert "    Blues  when Hits (Red) = 1 and Hits (Blue) ≥ 2" in answer.out.splitlines()
