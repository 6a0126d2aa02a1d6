"""`osselet test`: the worked examples of rule files, played and compared."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable

from interpreter.cli.check import targets
from interpreter.cli.common import FINE, PROBLEMS, USAGE, Parser, add_format, line_finder, make_parser, use_color
from interpreter.examples import Report, play_examples
from interpreter.loader import Rules, load, placed
from interpreter.problems import Problem, Severity
from interpreter.render.problems import render_problems, to_json

EXAMPLES = """  osselet test my_game
  osselet test systems/ -v           every example by name
  osselet test --format json mir

exit status: 0 all hold, 1 some do not, 2 nothing was tested or wrong usage"""


def parser() -> Parser:
    new = make_parser("test", "Plays the worked examples of rule files and compares what they expect.", EXAMPLES)
    new.add_argument(
        "paths", nargs="+", metavar="PATH", help="a rule file, a folder of one rule set, or a folder of such folders"
    )
    new.add_argument("-v", "--verbose", action="store_true", help="name every example")
    new.add_argument("-k", metavar="TEXT", default="", help="only examples whose name or source contains the text")
    add_format(new, ("text", "json"))
    return new


def run(options: argparse.Namespace) -> int:
    status, tested, answer = FINE, 0, []
    for path in options.paths:
        for target in targets(path):
            rules = load(target)
            broken = [problem for problem in rules.problems if problem.severity == Severity.ERROR]
            if rules.system is None or broken:
                print(render_problems(broken, "text", line_finder(rules), use_color()), file=sys.stderr)
                status = PROBLEMS
                continue
            reports = [report for report in play_examples(rules.system) if _wanted(report, options.k)]
            tested += len(reports)
            if any(report.findings for report in reports):
                status = PROBLEMS
            if options.format == "json":
                answer.append(_as_json(rules, reports))
            else:
                _show(rules, reports, options.verbose)
    if options.format == "json":
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    if not tested and status == FINE:
        print("osselet: there is no example to test", file=sys.stderr)
        return USAGE
    return status


def _wanted(report: Report, text: str) -> bool:
    return text in report.name or text in report.example.source


def problems_of(rules: Rules, report: Report) -> list[Problem]:
    return [placed(rules, finding) for finding in report.findings]


def _show(rules: Rules, reports: list[Report], verbose: bool) -> None:
    assert rules.system is not None
    failed = [report for report in reports if report.findings]
    for report in reports:
        if verbose and not report.findings:
            print(f"  ok  {report.name}" + (f"  ({report.example.source})" if report.example.source else ""))
        elif report.findings:
            print(f"FAIL  {report.name}" + (f"  ({report.example.source})" if report.example.source else ""))
            print(render_problems(problems_of(rules, report), "text", line_finder(rules), use_color()))
    numbers = sorted(covered(report.example.rules for report in reports if not report.findings))
    print(
        f"{rules.system.id}: {len(reports) - len(failed)} of {len(reports)} examples hold"
        + (f"; rules shown: {', '.join(numbers)}" if numbers else "")
    )


def covered(rules: Iterable[tuple[str, ...]]) -> set[str]:
    return {number.strip() for several in rules for one in several for number in one.split(",")}


def _as_json(rules: Rules, reports: list[Report]) -> dict[str, object]:
    assert rules.system is not None
    return {
        "system": rules.system.id,
        "examples": [
            {
                "name": report.name,
                "source": report.example.source,
                "rules": list(report.example.rules),
                "holds": not report.findings,
                "problems": [to_json(problem) for problem in problems_of(rules, report)],
            }
            for report in reports
        ],
    }
