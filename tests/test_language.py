"""The language's settled questions and every shipped rule set: each is without problems, and its examples hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.examples import play_example
from interpreter.files import shipped
from interpreter.loader import load
from interpreter.problems import Severity

HERE = Path(__file__).parent
FILES = [*sorted((HERE / "language").glob("*.yaml")), *sorted((HERE / "cases").glob("*.yaml")), *shipped().values()]
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
