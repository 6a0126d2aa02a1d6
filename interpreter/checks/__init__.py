"""Static checks of a whole system: what passes never raises a name, type or arithmetic error in play.

problems(rules)   every problem of rules that were read; of broken ones, those of their sound part
explain(code)     the check behind a code: its rule, and a file that breaks it beside one that keeps it
codes()           every code that can be told, with its rule in one sentence
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from interpreter.checks.declared import with_declarations
from interpreter.checks.finding import Check, Finding, Report, problem_of, says
from interpreter.checks.partial import sound_part
from interpreter.checks.passes import check_system
from interpreter.model import Path, System
from interpreter.problems import Problem, Severity

if TYPE_CHECKING:
    from interpreter.rules import Rules

__all__ = ["Check", "Finding", "Problem", "codes", "explain", "findings", "problems"]


def findings(
    system: System, data: object, *, sound: bool = True, translated: Callable[[Path], bool] | None = None
) -> tuple[Finding, ...]:
    """Every finding of a system and the data that it was built from.

    `sound`: nothing was found before; `translated`: whether the text at a path is wanted in every language."""
    report = Report()
    check_system(system, data, report, sound=sound, translated=translated)
    return with_declarations(report.findings, data)


def explain(code: str) -> Check | None:
    """The check of a code such as `E0221`, written in any case; None when there is no such code."""
    from interpreter.checks.table import BY_CODE

    return BY_CODE.get(code.strip().upper())


def codes() -> Mapping[str, str]:
    """Every code that can be told, with its rule in one sentence."""
    from interpreter.checks.table import CHECKS

    return {check.code: check.rule for check in CHECKS}


def problems(rules: Rules) -> list[Problem]:
    """Every problem that the checks find in rules, each in its place, by file, line and column."""
    if rules.system is None:
        return _of_part(rules)
    sound = not any(problem.severity == Severity.ERROR for problem in rules.problems)
    found = findings(rules.system, rules.data, sound=sound, translated=_translated(rules))
    return _in_order(problem_of(rules, finding) for finding in found)


def _translated(rules: Rules) -> Callable[[Path], bool] | None:
    """A table's own house rules speak the language of the table, unless they say which languages they offer."""
    own = [document.data for document in rules.documents]
    if rules.base is None or any(says(data, ("system", "languages")) for data in own):
        return None
    return lambda path: not any(says(data, path) for data in own)


def _of_part(rules: Rules) -> list[Problem]:
    """The problems of what is left of broken rules, without those that only follow from what is broken."""
    part = sound_part(rules)
    if part is None:
        return []
    found = [*part.built, *findings(part.system, part.data, sound=False)]
    placed = (problem_of(part, finding) for finding in part.own(found))
    return _in_order(one for one in placed if (one.location.file, one.location.line) not in part.loss.lines)


def _in_order(found: Iterable[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.location, problem.code, problem.message))
