"""The language's settled questions: every file of tests/language is a rule set without problems whose examples hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.examples import play_example
from interpreter.loader import load
from interpreter.problems import Severity
from interpreter.resources import systems_folder

FILES = sorted((Path(__file__).parent / "language").glob("*.yaml")) + sorted(
    f for f in systems_folder().iterdir() if f.is_dir()
)
RULES = {path: load(path) for path in FILES}
EXAMPLES = [(path, name) for path, rules in RULES.items() if rules.system for name in rules.system.examples]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_rule_set_has_no_problems(path: Path) -> None:
    rules = RULES[path]
    assert [p for p in rules.problems if p.severity == Severity.ERROR] == []
    assert rules.system is not None


@pytest.mark.parametrize(("path", "name"), EXAMPLES, ids=lambda value: value.stem if isinstance(value, Path) else value)
def test_an_example_holds(path: Path, name: str) -> None:
    system = RULES[path].system
    assert system is not None
    report = play_example(system, name)
    assert [(finding.path, finding.message) for finding in report.findings] == []
