"""Static checks of a whole system: what passes never raises a name, type or arithmetic error in play.

problems(rules)   every problem of rules that were read and built, in the order of their places
explain(code)     the check behind a code: its rule, and a file that breaks it beside one that keeps it
"""

from __future__ import annotations

from interpreter.checks.finding import Check, Finding, Placed, Report, problem_of
from interpreter.checks.passes import check_system
from interpreter.model import System
from interpreter.problems import Problem, Severity

__all__ = ["Check", "Finding", "Problem", "explain", "findings", "problems"]


def findings(system: System, data: object, *, sound: bool = True) -> tuple[Finding, ...]:
    """Every finding of a system and the data that it was built from; `sound`: nothing was found before."""
    report = Report()
    check_system(system, data, report, sound=sound)
    return report.findings


def explain(code: str) -> Check | None:
    """The check of a code such as `E0221`, written in any case; None when there is no such code."""
    from interpreter.checks.table import BY_CODE

    return BY_CODE.get(code.strip().upper())


def problems(rules: Placed) -> list[Problem]:
    """Every problem that the checks find in rules, each in its place, by file, line and column."""
    system = getattr(rules, "system", None)
    if not isinstance(system, System):
        return []
    sound = not any(problem.severity == Severity.ERROR for problem in getattr(rules, "problems", ()))
    found = [problem_of(rules, finding) for finding in findings(system, rules.data, sound=sound)]
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.location, problem.code, problem.message))
