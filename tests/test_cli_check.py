"""`osselet check`: what it looks at, how it tells problems, on many files at once and again and again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from cli.helpers import CACHE, HERE, Shell
from ruamel.yaml import YAML

from interpreter.cli import checking
from interpreter.cli.checking import check_all
from interpreter.cli.targets import targets
from interpreter.cli.watch import watch
from interpreter.problems import Location, Problem, Severity
from interpreter.render.problems import FORMATS, render_problems
from interpreter.render.sarif import sarif_log

GOOD = (
    "format: 1\nsystem: {{id: {0}, title: {0}, languages: [en]}}\nactions:\n  go: {{steps: [{{roll: {{die: 1d6}}}}]}}\n"
)
BAD = "format: 1\nsystem: {id: bad, title: Bad, languages: [en]}\nactions:\n  go: {stps: []}\n"


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    monkeypatch.setenv("OSSELET_CACHE", CACHE)
    monkeypatch.chdir(tmp_path)
    return Shell(capsys)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# ---------------------------------------------------------------------- what is looked at


def test_no_problems(osselet: Shell) -> None:
    write(Path("game/system.yaml"), GOOD.format("one"))
    answer = osselet("check", "game")
    assert (answer.status, answer.out, answer.err) == (0, "1 rule set, 1 file: no problems\n", "")


def test_problems_stand_in_their_places(osselet: Shell) -> None:
    write(Path("game/system.yaml"), BAD)
    answer = osselet("check", "game")
    assert answer.status == 1
    assert answer.out.splitlines()[:3] == [
        "game/system.yaml:4:8: error E0101: unknown key `stps` — did you mean `steps`?",
        "    4 |   go: {stps: []}",
        "      |        ^^^^",
    ]
    assert answer.out.splitlines()[-1] == "1 rule set, 1 file: 1 error, 0 warnings"


def test_the_source_line_of_a_file_that_is_no_yaml(osselet: Shell) -> None:
    write(Path("broken.yaml"), "format: 1\nsystem: {id: é, title: [}\n")
    answer = osselet("check", "broken.yaml")
    assert answer.status == 1
    assert "    2 | system: {id: é, title: [}\n" in answer.out


@pytest.mark.parametrize("path", ["nothing/here.yaml", "empty"])
def test_exit_2_when_nothing_was_checked(osselet: Shell, path: str) -> None:
    Path("empty").mkdir()
    assert osselet("check", path).status == 2


def test_a_folder_of_rule_sets(osselet: Shell) -> None:
    for name in ("b", "a/c", ".hidden", "node_modules/x"):
        write(Path(f"games/{name}/system.yaml"), GOOD.format("one"))
    write(Path("games/b/lang/fr.yaml"), "system.title: Une\n")
    assert [str(target) for target in targets(["games"])] == ["games/a/c", "games/b"]
    assert [str(target) for target in targets(["games", "games/b", "games/a/../b"])] == ["games/a/c", "games/b"]


def test_a_folder_in_which_each_file_is_a_rule_set(osselet: Shell) -> None:
    for name in ("one", "two"):
        write(Path(f"gallery/{name}.yaml"), GOOD.format(name))
    assert [str(target) for target in targets(["gallery"])] == ["gallery/one.yaml", "gallery/two.yaml"]
    assert osselet("check", "gallery").out == "2 rule sets, 2 files: no problems\n"


def test_links_that_lead_around_in_a_circle(osselet: Shell) -> None:
    write(Path("games/a/system.yaml"), GOOD.format("one"))
    Path("games/a/around").symlink_to(Path("games").resolve(), target_is_directory=True)
    Path("games/self").symlink_to("self")
    assert [str(target) for target in targets(["games"])] == ["games/a"]
    answer = osselet("check", "games/self")
    assert answer.status == 2
    assert "games/self" in answer.out


def test_strict_counts_warnings(osselet: Shell) -> None:
    unused = "tables:\n  t: {columns: [label], rows: {a: [A]}}\n"
    write(Path("game.yaml"), GOOD.format("one") + unused)
    assert osselet("check", "game.yaml").status == 0
    assert osselet("check", "--strict", "game.yaml").status == 1


def test_assumptions(osselet: Shell) -> None:
    more = "assumptions:\n  sides: {value: 6, reason: The book says nothing., source: U-1}\n"
    text = GOOD.format("one").replace("die: 1d6", "pool: {dice: assume.sides, die: d6}") + more
    write(Path("game.yaml"), text)
    assert "one: sides = 6: The book says nothing. [U-1]\n" in osselet("check", "--assumptions", "game.yaml").out
    found = osselet("check", "--assumptions", "--format", "json", "game.yaml").json["assumptions"]
    assert found == [
        {"system": "one", "id": "sides", "value": "6", "at": "", "reason": "The book says nothing.", "source": "U-1"}
    ]


# ---------------------------------------------------------------------- formats

PROBLEMS = [
    Problem("E0101", "one, two: 50 %", Location("a b.yaml", 3, 4, 5), hint="try\nagain", path=("x", 0)),
    Problem("W0402", "é", Location("c.yaml", 1, 1), Severity.WARNING, related=(("there", Location("/d.yaml", 2, 7)),)),
]


def lines(file: str, number: int) -> str:
    return {"a b.yaml": ["", "", "\taé: wide 広い text"], "c.yaml": ["x: 1"]}[file][number - 1]


def test_format_text() -> None:
    assert render_problems(PROBLEMS, "text", lines).splitlines() == [
        "a b.yaml:3:4: error E0101: one, two: 50 %",
        "    3 |  aé: wide 広い text",
        "      |    ^^^^^",
        "    hint: try",
        "again",
        "c.yaml:1:1: warning W0402: é",
        "    1 | x: 1",
        "      | ^",
        "    there: /d.yaml:2:7",
    ]


def test_carets_stand_under_wide_letters() -> None:
    problem = Problem("E1", "x", Location("a b.yaml", 3, 11, 2))
    quoted = render_problems([problem], "text", lines).splitlines()
    assert quoted[2] == "      |           ^^^^"


def test_colors_only_when_asked() -> None:
    assert "\x1b" not in render_problems(PROBLEMS, "text", lines)
    assert "\x1b[31merror\x1b[0m" in render_problems(PROBLEMS, "text", lines, color=True)
    for form in ("json", "github", "sarif"):
        assert "\x1b" not in render_problems(PROBLEMS, form, lines, color=True)


def test_format_json() -> None:
    first, second = json.loads(render_problems(PROBLEMS, "json", lines))
    assert first == {
        "code": "E0101",
        "severity": "error",
        "message": "one, two: 50 %",
        "hint": "try\nagain",
        "file": "a b.yaml",
        "line": 3,
        "column": 4,
        "length": 5,
        "path": ["x", 0],
        "related": [],
    }
    assert second["related"] == [{"message": "there", "file": "/d.yaml", "line": 2, "column": 7}]


def test_format_github() -> None:
    assert render_problems(PROBLEMS, "github", lines).splitlines() == [
        "::error file=a b.yaml,line=3,col=4,endColumn=9,title=E0101::one, two: 50 %25 (try%0Aagain)",
        "::warning file=c.yaml,line=1,col=1,endColumn=2,title=W0402::é",
    ]
    odd = Problem("E1", "m", Location("a,b:c.yaml", 1, 1))
    assert "file=a%2Cb%3Ac.yaml," in render_problems([odd], "github", lines)


def sarif_schema() -> dict[str, object]:
    found: dict[str, object] = YAML(typ="safe").load(HERE / "sarif.yaml")
    return found


@pytest.mark.parametrize("problems", [PROBLEMS, []], ids=["two", "none"])
def test_format_sarif(problems: list[Problem]) -> None:
    log = json.loads(render_problems(problems, "sarif", lines))
    jsonschema.Draft7Validator(sarif_schema()).validate(log)
    run = log["runs"][0]
    assert [result["level"] for result in run["results"]] == [problem.severity.value for problem in problems]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_places() -> None:
    found = sarif_log(PROBLEMS, {"E0101": "an unknown key"})["runs"][0]
    place = found["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b.yaml"
    assert place["region"] == {"startLine": 3, "startColumn": 4, "endColumn": 9}
    related = found["results"][1]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert related == "file:///d.yaml"
    assert found["tool"]["driver"]["rules"][0]["shortDescription"] == {"text": "an unknown key"}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_from_the_command_line(osselet: Shell, form: str) -> None:
    write(Path("game.yaml"), BAD)
    answer = osselet("check", "--format", form, "game.yaml")
    assert answer.status == 1
    assert "stps" in answer.out
    summary = "1 rule set, 1 file: 1 error, 0 warnings"
    assert (summary in answer.out, summary in answer.err) == ((form == "text"), (form != "text"))


def test_a_format_that_is_none(osselet: Shell) -> None:
    answer = osselet("check", "--format", "xml", "game.yaml")
    assert (answer.status, len(answer.err.splitlines())) == (2, 1)


# ---------------------------------------------------------------------- many at once


def many(folder: Path, number: int) -> list[str | Path]:
    for i in range(number):
        write(folder / f"game{i:03}" / "system.yaml", BAD if i % 5 == 3 else GOOD.format(f"g{i}"))
    return targets([str(folder)])


def test_few_rule_sets_stay_in_this_process(osselet: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checking, "_in_processes", lambda *_: pytest.fail("no process is worth its start"))
    assert len(check_all(many(tmp_path, 3))) == 3


def test_many_rule_sets_on_every_processor_in_their_order(
    osselet: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = many(tmp_path, 6)
    alone = check_all(found)
    monkeypatch.setattr(checking, "processors", lambda: 2)
    assert check_all(found, many=4) == alone
    assert [one.files[0] for one in alone] == [str(Path(target) / "system.yaml") for target in found]
    assert [len(one.problems) for one in alone] == [0, 0, 0, 1, 0, 0]
    assert dict(alone[3].lines) == {(alone[3].files[0], 4): "  go: {stps: []}"}


def test_a_machine_without_processes(osselet: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(*_: object) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr(checking, "processors", lambda: 2)
    monkeypatch.setattr(checking, "_in_processes", refused)
    assert len(check_all(many(tmp_path, 4), many=4)) == 4


# ---------------------------------------------------------------------- again and again


def test_watch_checks_again_after_each_change(osselet: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(Path("game.yaml"), GOOD.format("one"))
    base = write(Path("base.yaml"), GOOD.format("base"))
    checks: list[str] = []

    def check() -> tuple[int, list[str]]:
        checks.append(file.read_text(encoding="utf-8") if file.exists() else "gone")
        return len(checks), [str(file), str(base)]

    def changes() -> Iterator[None]:
        yield  # nothing has changed
        write(file, BAD)
        yield
        write(base, GOOD.format("other"))
        yield
        file.unlink()
        yield
        raise KeyboardInterrupt

    steps = changes()
    assert watch([str(file)], check, lambda _: next(steps)) == 4
    assert checks == [GOOD.format("one"), BAD, BAD, "gone"]
    assert capsys.readouterr().out.count("Watching; Ctrl-C ends.") == 4


def test_watch_from_the_command_line(osselet: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    write(Path("game.yaml"), BAD)
    monkeypatch.setattr("interpreter.cli.watch.time.sleep", stop)
    monkeypatch.setattr("interpreter.cli.watch.watch.__defaults__", (stop,))
    answer = osselet("check", "--watch", "game.yaml")
    assert answer.status == 1
    assert re.search(r"unknown key `stps`[\s\S]*Watching", answer.out)
