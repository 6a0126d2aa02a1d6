"""Examples that were played as a JUnit report, which build servers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

# XML 1.0 has no way to write these.
_UNWRITABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")


@dataclass(frozen=True, slots=True)
class Case:
    """One example: `failure` is empty when it holds."""

    name: str
    file: str
    line: int
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """The examples of one rule set; `error` says why none could be played."""

    name: str
    cases: Sequence[Case]
    error: str = ""


def junit_report(suites: Sequence[Suite]) -> str:
    """The report as XML."""
    rows = ['<?xml version="1.0" encoding="UTF-8"?>']
    tests = sum(len(suite.cases) + bool(suite.error) for suite in suites)
    failures = sum(bool(case.failure) for suite in suites for case in suite.cases)
    errors = sum(bool(suite.error) for suite in suites)
    rows.append(f'<testsuites name="osselet" tests="{tests}" failures="{failures}" errors="{errors}">')
    for suite in suites:
        rows += _suite(suite)
    return "\n".join([*rows, "</testsuites>"])


def _suite(suite: Suite) -> list[str]:
    failures = sum(bool(case.failure) for case in suite.cases)
    counts = f'tests="{len(suite.cases) + bool(suite.error)}" failures="{failures}" errors="{int(bool(suite.error))}"'
    rows = [f'  <testsuite name={_attribute(suite.name)} {counts} skipped="0">']
    for case in suite.cases:
        rows += _case(suite.name, case)
    if suite.error:
        rows.append(f'    <testcase classname={_attribute(suite.name)} name="check">')
        rows.append(f'      <error message="The rules have errors.">{_content(suite.error)}</error>')
        rows.append("    </testcase>")
    return [*rows, "  </testsuite>"]


def _case(suite: str, case: Case) -> list[str]:
    names = f"classname={_attribute(suite)} name={_attribute(case.name)}"
    head = f'    <testcase {names} file={_attribute(case.file)} line="{case.line}"'
    if not case.failure:
        return [f"{head}/>"]
    first = case.failure.splitlines()[0]
    return [
        f"{head}>",
        f"      <failure message={_attribute(first)}>{_content(case.failure)}</failure>",
        "    </testcase>",
    ]


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_UNWRITABLE), {"\n": "&#10;", "\t": "&#9;"})


def _content(text: str) -> str:
    return escape(text.translate(_UNWRITABLE))
