"""`osselet test`: examples played, counted and reported to people, programs and build servers."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.helpers import ARENA, CACHE, HERE, Shell

from interpreter.cli.test import compact
from interpreter.render.junit import Case, Suite, junit_report

RECIPES = HERE.parent.parent / "docs" / "recipes"


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("OSSELET_CACHE", CACHE)
    monkeypatch.chdir(HERE)
    return Shell(capsys)


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """The arena with an example that does not hold."""
    text = Path(ARENA).read_text(encoding="utf-8").replace("expect: {outcome: failure}", "expect: {outcome: success}")
    file = tmp_path / "failing.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_examples_that_hold(osselet: Shell) -> None:
    answer = osselet("test", "arena.yaml")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == "arena: 2 of 2 examples hold; rules shown: A01–A03, A05; only told: A04\n"


def test_verbose_names_every_example(osselet: Shell) -> None:
    assert osselet("test", "-v", "arena.yaml").out.splitlines()[:2] == ["  ok  climb  (T1)", "  ok  swim  (T2)"]


@pytest.mark.parametrize(("text", "number"), [("climb", 1), ("T2", 1), ("a05", 1), ("A0", 2), ("t", 2)])
def test_only_some(osselet: Shell, text: str, number: int) -> None:
    assert osselet("test", "-k", text, "arena.yaml").out.startswith(f"arena: {number} of {number} example")


def test_an_example_that_does_not_hold(osselet: Shell, failing: str) -> None:
    answer = osselet("test", failing)
    assert answer.status == 1
    assert "FAIL  swim  (T2)" in answer.out
    assert "expect: {outcome: success}" in answer.out
    assert "`outcome` is failure, not success." in answer.out
    assert answer.out.splitlines()[-1] == "arena: 1 of 2 examples hold; rules shown: A01–A03; only told: A04"


def test_one_example(osselet: Shell) -> None:
    assert osselet("test", "-k", "climb", "arena.yaml").out.startswith("arena: 1 of 1 example holds")


def test_nothing_to_test(osselet: Shell) -> None:
    answer = osselet("test", "-k", "no such example", "arena.yaml")
    assert (answer.status, answer.err) == (2, "osselet: there is no example to test.\n")


def test_broken_rules(osselet: Shell, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nsystem: {id: x, title: [}\n", encoding="utf-8")
    answer = osselet("test", str(broken), "arena.yaml")
    assert answer.status == 1
    assert "broken.yaml:2:" in answer.err
    assert "arena: 2 of 2 examples hold" in answer.out


def test_json(osselet: Shell, failing: str) -> None:
    answer = osselet("test", "--format", "json", failing)
    assert answer.status == 1
    (found,) = answer.json
    assert found["system"] == "arena"
    assert found["rules_shown"] == ["A01", "A02", "A03"]
    assert found["rules_only_told"] == ["A04"]
    climb, swim = found["examples"]
    assert climb == {
        "name": "climb",
        "source": "T1",
        "rules": ["A01", "A02", "A03"],
        "holds": True,
        "problems": [],
    }
    assert swim["holds"] is False
    assert swim["problems"][0]["message"] == "`outcome` is failure, not success."


def test_github(osselet: Shell, failing: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nsystem: {id: x, title: [}\n", encoding="utf-8")
    answer = osselet("test", "--format", "github", failing, str(broken), "arena.yaml")
    assert answer.status == 1
    wrong, first, syntax, second = answer.out.splitlines()
    assert wrong.startswith(f"::error file={failing},line=")
    assert wrong.endswith("::`outcome` is failure, not success.")
    assert first.startswith("arena: 1 of 2 examples hold")
    assert syntax.startswith(f"::error file={broken},line=2,")
    assert second.startswith("arena: 2 of 2 examples hold")


def test_no_more_time_than_given(osselet: Shell) -> None:
    answer = osselet("test", "--seconds", "0", "-k", "best", str(RECIPES / "keep-and-throw-again.yaml"))
    assert answer.status == 1
    assert "(limit `seconds`)" in answer.out


def test_junit(osselet: Shell, failing: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nsystem: {id: x, title: [}\n", encoding="utf-8")
    answer = osselet("test", "--format", "junit", failing, str(broken))
    assert answer.status == 1
    report = ElementTree.fromstring(answer.out)
    assert report.tag == "testsuites"
    assert (report.get("tests"), report.get("failures"), report.get("errors")) == ("3", "1", "1")
    suites = report.findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["arena", str(broken)]
    cases = suites[0].findall("testcase")
    assert [case.get("name") for case in cases] == ["climb", "swim"]
    assert int(cases[1].get("line") or 0) > int(cases[0].get("line") or 0) > 100
    failure = cases[1].find("failure")
    assert failure is not None
    assert "`outcome` is failure, not success." in (failure.get("message") or "")
    assert suites[1].find("testcase/error") is not None


@pytest.mark.parametrize("text", ['a < b & "c"', "]]>", "line\nbreak\ttab", "nul \0 bell \a", "half \ud800", "é 広 🎲"])
def test_junit_is_well_formed_whatever_the_text(text: str) -> None:
    report = junit_report([Suite(text, [Case(text, text, 1, text), Case(text, text, 2)], text)])
    root = ElementTree.fromstring(report.encode())
    name = root.findall("testsuite")[0].get("name") or ""
    assert len(name) == len(text)
    assert root.findtext("testsuite/testcase/failure", "").strip() != ""


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ([], ""),
        (["M01"], "M01"),
        (["M02", "M01"], "M01, M02"),
        (["M03", "M01", "M02"], "M01–M03"),
        (["M09", "M10", "M11", "M13"], "M09–M11, M13"),
        (["M9", "M10", "M11"], "M9, M10, M11"),
        (["D01", "M01", "D02", "D03"], "D01–D03, M01"),
        (["A-D1", "A-D2", "A-D3", "D04"], "A-D1–A-D3, D04"),
        (["M01", "M01b", "M02"], "M01, M02, M01b"),
    ],
)
def test_numbers_in_few_words(numbers: list[str], shown: str) -> None:
    assert compact(numbers) == shown
