"""The static checks: each check's own two files, the broken files of `bad`, and the sound ones of `checks`.

`bad/CODE-what.yaml` is a broken file with `bad/CODE-what.expected` beside it. There each line is a problem,
`line:column CODE words`, where `words` must be found in the message or its hint. `checks/*.yaml` have no problem.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from interpreter import checks
from interpreter.checks.table import BY_CODE, CHECKS
from interpreter.model import Label
from interpreter.problems import Problem, Severity
from interpreter.reading import read
from interpreter.resources import systems_folder

HERE = Path(__file__).parent
BAD = sorted((HERE / "bad").glob("*.yaml"))
SOUND = sorted((HERE / "checks").glob("*.yaml"))
SHIPPED = sorted(
    path
    for folder in systems_folder().iterdir()
    for path in ([folder] if (folder / "system.yaml").exists() else folder.glob("*.yaml"))
)
PACKAGE = Path(checks.__file__).parents[1]
# What no single file can show: several files, a folder, another encoding, a run.
WITHOUT_EXAMPLE = {
    *("E0001", "E0002", "E0003", "E0010", "E0029", "E0205", "E0206", "E0208", "E0209", "E0510", "E0511"),
    *("E0340", "E0341", "E0342", "E0343", "E0438"),
}


def problems_in(path: Path) -> list[Problem]:
    """Everything that is wrong with the rules at a path, in order."""
    rules = read(path)
    found = {*rules.problems, *checks.problems(rules)}
    return sorted(found, key=lambda one: (one.location, one.code, one.message))


def problems_of(text: str, folder: Path) -> list[Problem]:
    file = folder / "rules.yaml"
    file.write_text(text.lstrip("\n"), encoding="utf-8")
    return problems_in(file)


def told(problems: list[Problem]) -> str:
    return "\n".join(
        f"{one.location.line}:{one.location.column} {one.code} {one.message} {one.hint}" for one in problems
    )


# ---------------------------------------------------------------------- each check


@pytest.mark.parametrize("check", [one for one in CHECKS if one.failing], ids=lambda one: one.code)
def test_the_failing_example_breaks_that_rule_and_no_other(check: checks.Check, tmp_path: Path) -> None:
    problems = problems_of(check.failing, tmp_path)
    assert {one.code for one in problems} == {check.code}, told(problems)
    assert all(one.severity == check.severity for one in problems)


@pytest.mark.parametrize("check", [one for one in CHECKS if one.passing], ids=lambda one: one.code)
def test_the_passing_example_has_no_problem(check: checks.Check, tmp_path: Path) -> None:
    problems = problems_of(check.passing, tmp_path)
    assert not problems, told(problems)


def test_every_check_is_explained_and_shown() -> None:
    for check in CHECKS:
        assert check.title, check.code
        assert not check.title.endswith("."), check.code
        assert check.rule.endswith("."), check.code
        assert bool(check.failing) == bool(check.passing) == (check.code not in WITHOUT_EXAMPLE), check.code
    assert len(BY_CODE) == len(CHECKS)


def test_every_code_that_the_program_can_print_is_in_the_table() -> None:
    literal = re.compile(r"[\"'`]([EW]\d{4})[\"'`]")
    found = {code for file in PACKAGE.rglob("*.py") for code in literal.findall(file.read_text(encoding="utf-8"))}
    assert found - BY_CODE.keys() == set()
    assert len(found) > 100


def test_explain_takes_a_code_in_any_case() -> None:
    assert checks.explain(" e0221 ") is BY_CODE["E0221"]
    assert checks.explain("E9999") is None


# ---------------------------------------------------------------------- whole files


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_a_broken_file_is_told_of_in_its_places(file: Path) -> None:
    wanted = [line for line in file.with_suffix(".expected").read_text(encoding="utf-8").splitlines() if line.strip()]
    problems = problems_in(file)
    assert len(problems) == len(wanted), told(problems)
    for problem, line in zip(problems, wanted, strict=True):
        place, code, *words = line.split(maxsplit=2)
        assert (f"{problem.location.line}:{problem.location.column}", problem.code) == (place, code), told(problems)
        assert not words or words[0] in f"{problem.message} {problem.hint}", told(problems)


def test_every_broken_file_has_its_expectations() -> None:
    assert {file.stem for file in BAD} == {file.stem for file in (HERE / "bad").glob("*.expected")}
    assert len(BAD) > 30


def test_there_is_a_broken_file_for_every_check_of_the_whole_system() -> None:
    shown = {code for file in BAD for code in re.findall(r"[EW]\d{4}", file.with_suffix(".expected").read_text())}
    missing = {one.code for one in CHECKS if one.failing and one.code[1:3] in ("02", "04", "05")} - shown
    assert missing == set()


@pytest.mark.parametrize("file", [*SOUND, *SHIPPED], ids=lambda file: file.stem)
def test_a_sound_system_has_no_problem(file: Path) -> None:
    problems = problems_in(file)
    assert not problems, told(problems)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_problems_come_in_order_and_once(file: Path) -> None:
    found = [one for one in problems_in(file) if one.code[:3] in ("E02", "E04", "W04")]
    assert len({(one.location, one.code, one.message) for one in found}) == len(found)
    assert [one.location for one in found] == sorted(one.location for one in found)


# ---------------------------------------------------------------------- size


def chain(length: int) -> str:
    lines = [f"      d{n}: self.d{n - 1} + 1" for n in range(length, 0, -1)]
    return "\n".join(["sheets:", "  heros:", "    stats: {d0: 0..6}", "    derived:", *lines, ""])


def test_a_long_chain_of_derived_values_is_legal(tmp_path: Path) -> None:
    problems = problems_of(chain(200), tmp_path)
    assert not problems, told(problems)


def test_a_long_circle_is_told_of_with_its_chain(tmp_path: Path) -> None:
    problems = problems_of(chain(200).replace("d1: self.d0", "d1: self.d200"), tmp_path)
    assert [one.code for one in problems] == ["E0404"]
    assert "`heros.d200` → `heros.d199`" in problems[0].message


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_checks_are_quick(folder: Path) -> None:
    rules = read(folder)
    started = time.process_time()
    checks.problems(rules)
    assert time.process_time() - started < 1.0


def test_warnings_are_no_errors() -> None:
    assert {one.severity for one in CHECKS if one.code.startswith("W")} == {Severity.WARNING}
    assert {one.severity for one in CHECKS if one.code.startswith("E")} == {Severity.ERROR}


# ---------------------------------------------------------------------- codes


def test_every_code_has_a_rule_in_one_sentence() -> None:
    rules = checks.codes()
    assert rules["E0101"] == BY_CODE["E0101"].rule
    assert rules.keys() == BY_CODE.keys()


def test_house_rules_are_written_in_the_language_of_the_table(tmp_path: Path) -> None:
    base = tmp_path / "mare.yaml"
    base.write_text(
        "system: {id: mare, title: {fr: La mare, en: The pond}, languages: [fr, en]}\n"
        "actions: {courir: {label: {fr: Courir, en: Run}, steps: [{say: {fr: On court., en: We run.}}]}}\n"
    )
    text = "extends: mare.yaml\nactions: {nager: {label: Nager, steps: [{say: On nage.}]}}\n"
    assert not problems_of(text, tmp_path)
    told_of = problems_of(text + "system: {languages: [fr, en]}\n", tmp_path)
    assert [(one.code, one.location.line) for one in told_of] == [("W0407", 2)]


TRANSLATED = """
system: {id: mare, title: La mare, languages: [fr, en]}
tables:
  nages: {columns: {label: label, vite: number, ton: text}, rows: {crawl: [Crawl, 3, vif], dos: {label: Dos, vite: 1}}}
sheets: {heros: {fields: {nage: {key: table.nages, default: crawl}}}}
actions:
  nager:
    label: Nager
    who: {self: heros}
    steps:
      - if: self.nage.vite > 2
        then: [{choose: fin, options: {plonger: {label: Plonger}, sortir: {label: Sortir}}}]
      - say: "{self.nage.label}"
"""
ENGLISH = {
    "system.title": "The pond",
    "tables.nages.rows.crawl.label": "Crawl",
    "tables.nages.rows.dos.label": "Backstroke",
    "actions.nager.label": "Swim",
    "actions.nager.steps.fin.options.plonger.label": "Dive",
    "actions.nager.steps.fin.options.sortir.label": "Leave",
    "actions.nager.steps.1.say": "{self.nage.label}",
}


def translated(folder: Path, texts: dict[str, str]) -> list[Problem]:
    (folder / "lang").mkdir(exist_ok=True)
    (folder / "mare.yaml").write_text(TRANSLATED, encoding="utf-8")
    lines = "".join(f"{path}: {json.dumps(text)}\n" for path, text in texts.items())
    (folder / "lang" / "en.yaml").write_text(lines, encoding="utf-8")
    return problems_in(folder)


def test_texts_of_every_kind_are_translated(tmp_path: Path) -> None:
    assert not translated(tmp_path, ENGLISH)
    system = read(tmp_path).system
    assert system is not None
    assert system.actions["nager"].label == Label({"fr": "Nager", "en": "Swim"})
    assert system.tables["nages"].rows["crawl"]["label"] == Label({"fr": "Crawl", "en": "Crawl"})


@pytest.mark.parametrize(
    "path",
    [
        *("actions", "actions.nager", "actions.nager.label.en", "actions.nager.steps", "actions.nager.steps.7.say"),
        *("actions.nager.steps.fin", "actions.nager.steps.rien.label", "sheets.heros.fields.nage.default"),
        *("tables.nages.rows.crawl.vite", "tables.nages.rows.crawl.ton", "tables.nages.rows.dos", "tables.nages.rows"),
        *("tables.brasses.rows.crawl.label", "tables.nages.rows.brasse.label", "system.languages", "sistem.title"),
    ],
)
def test_what_is_no_text_for_people_is_not_translated(path: str, tmp_path: Path) -> None:
    found = translated(tmp_path, {**ENGLISH, path: "Words"})
    assert [(one.code, Path(one.location.file).name) for one in found] == [("E0209", "en.yaml")], told(found)
    assert found[0].location.line == len(ENGLISH) + 1


def test_only_rule_files_are_extended(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret\n", encoding="utf-8")
    found = problems_of("extends: secret.txt\n", tmp_path)
    assert [(one.code, one.location.line, one.location.column) for one in found] == [("E0207", 1, 10)]
    assert "is no rule file" in found[0].message


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("actions.tst", "Did you mean `actions.test`?"),
        ("actions.test.steps.0", "`actions.test.steps` is a list, whose parts have no names: write all of it anew."),
        ("actions.nothing.of.it", ""),
    ],
)
def test_nothing_to_remove(path: str, hint: str, tmp_path: Path) -> None:
    found = problems_of(f"extends: meute\nremove: [{path}]\n", tmp_path)
    assert [(one.code, one.hint) for one in found] == [("E0208", hint)]
