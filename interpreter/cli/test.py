"""`osselet test`: the worked examples of rule files, played and compared."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from interpreter.cli.common import (
    FINE,
    PROBLEMS,
    USAGE,
    Parser,
    add_format,
    counted,
    make_parser,
    seconds,
    source_lines,
    use_color,
)
from interpreter.cli.targets import targets
from interpreter.examples import Report, play_examples
from interpreter.loader import load
from interpreter.model import System
from interpreter.problems import Problem, Severity
from interpreter.render.junit import Case, Suite, junit_report
from interpreter.render.problems import render_problems, to_json
from interpreter.rules import Rules, placed

EPILOG = """examples:
  osselet test my_game
  osselet test systems/ -v                    every example by name
  osselet test my_game -k lantern             only those whose name, source or rules hold a text
  osselet test --format junit . > report.xml  for a build server; github for a workflow there

exit status: 0 all hold, 1 some do not, 2 nothing was tested or wrong usage"""

_NUMBER = re.compile(r"(.*?)(\d+)$")


def parser() -> Parser:
    new = make_parser("test", "Plays the worked examples of rule files and compares what they expect.", EPILOG)
    what = "a rule file, a folder of one rule set, or a folder of such folders"
    new.add_argument("paths", nargs="+", metavar="PATH", help=what)
    new.add_argument("-v", "--verbose", action="store_true", help="name every example")
    new.add_argument("-k", metavar="TEXT", default="", help="only examples whose name, source or rules hold the text")
    new.add_argument(
        "--seconds", type=seconds, metavar="N", help="give up on the odds of an example after so many seconds"
    )
    add_format(new, ("text", "json", "junit", "github"))
    return new


@dataclass(frozen=True, slots=True)
class Tested:
    """One rule set: why it cannot be played, or its examples."""

    rules: Rules
    broken: tuple[Problem, ...]
    reports: tuple[Report, ...]

    @property
    def name(self) -> str:
        return self.rules.system.id if self.rules.system is not None else self.broken[0].location.file

    @property
    def failed(self) -> list[Report]:
        return [report for report in self.reports if report.findings]

    def problems(self, report: Report) -> list[Problem]:
        return [placed(self.rules, finding) for finding in report.findings]


def run(options: argparse.Namespace) -> int:
    tested = []
    for target in targets(options.paths):
        one = _tested(load(target), options.k, options.seconds)
        tested.append(one)
        if options.format == "text":
            _show(one, options.verbose)
    if options.format == "json":
        print(json.dumps([_as_json(one) for one in tested], ensure_ascii=False, indent=2))
    elif options.format == "junit":
        print(junit_report([_as_suite(one) for one in tested]))
    elif options.format == "github":
        print("\n".join(line for one in tested for line in _as_annotations(one)))
    if any(one.broken or one.failed for one in tested):
        return PROBLEMS
    if not any(one.reports for one in tested):
        print("osselet: there is no example to test.", file=sys.stderr)
        return USAGE
    return FINE


def _tested(rules: Rules, wanted: str, most: float | None) -> Tested:
    broken = tuple(problem for problem in rules.problems if problem.severity == Severity.ERROR)
    if rules.system is None or broken:
        return Tested(rules, broken, ())
    system = rules.system
    reports = (report for report in play_examples(system) if _wanted(report, wanted))
    return Tested(rules, (), tuple(_with_odds(system, report, most) for report in reports))


def _with_odds(system: System, report: Report, most: float | None) -> Report:
    """The report with what is wrong with the odds that the example writes down."""
    if not report.example.odds:
        return report
    # Only examples with odds need what computes them.
    from interpreter.odds import LIMITS, example_odds

    found = example_odds(system, report.name, replace(LIMITS, seconds=most))
    return replace(report, findings=(*report.findings, *found))


def _wanted(report: Report, text: str) -> bool:
    return any(text.casefold() in one.casefold() for one in (report.name, report.example.source, *report.example.rules))


# ---------------------------------------------------------------------- text


def _show(one: Tested, verbose: bool) -> None:
    lines, color = source_lines(), use_color()
    if one.broken:
        print(render_problems(one.broken, "text", lines, color), file=sys.stderr)
        return
    for report in one.reports:
        source = f"  ({report.example.source})" if report.example.source else ""
        if report.findings:
            print(f"FAIL  {report.name}{source}")
            print(render_problems(one.problems(report), "text", lines, color))
        elif verbose:
            print(f"  ok  {report.name}{source}")
    print(_summary(one))


def _summary(one: Tested) -> str:
    assert one.rules.system is not None
    held, every = len(one.reports) - len(one.failed), len(one.reports)
    shown = compact(covered(one.reports))
    told = compact(one.rules.system.narrative)
    return (
        f"{one.name}: {held} of {counted(every, 'example')} {'holds' if every == 1 else 'hold'}"
        + (f"; rules shown: {shown}" if shown else "")
        + (f"; only told: {told}" if told else "")
    )


def covered(reports: Iterable[Report]) -> set[str]:
    """The numbers of the rules that examples which hold show."""
    return {number for report in reports if not report.findings for number in report.example.rules}


def compact(numbers: Iterable[str]) -> str:
    """Numbers with the runs among them joined: `M01–M04, M06`."""
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(run) for run in _runs(numbers))


def _runs(numbers: Iterable[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for number in sorted(numbers, key=_sorting):
        if run and not _follows(run[-1], number):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _sorting(number: str) -> tuple[str, int, str]:
    found = _NUMBER.match(number)
    return (found[1], int(found[2]), number) if found else (number, 0, number)


def _follows(one: str, other: str) -> bool:
    first, second = _sorting(one), _sorting(other)
    return first[0] == second[0] and second[1] == first[1] + 1 and len(one) == len(other)


# ---------------------------------------------------------------------- for programs


def _as_json(one: Tested) -> dict[str, object]:
    return {
        "system": one.name,
        "problems": [to_json(problem) for problem in one.broken],
        "rules_shown": sorted(covered(one.reports), key=_sorting),
        "rules_only_told": sorted(one.rules.system.narrative, key=_sorting) if one.rules.system is not None else [],
        "examples": [
            {
                "name": report.name,
                "source": report.example.source,
                "rules": list(report.example.rules),
                "holds": not report.findings,
                "problems": [to_json(problem) for problem in one.problems(report)],
            }
            for report in one.reports
        ],
    }


def _as_annotations(one: Tested) -> Iterator[str]:
    """What GitHub shows beside the lines, then what its log tells."""
    failed = [problem for report in one.failed for problem in one.problems(report)]
    if one.broken or failed:
        yield render_problems((*one.broken, *failed), "github", source_lines())
    if not one.broken:
        yield _summary(one)


def _as_suite(one: Tested) -> Suite:
    return Suite(one.name, [_as_case(one, report) for report in one.reports], _text(one.broken))


def _as_case(one: Tested, report: Report) -> Case:
    where = one.rules.locate(("examples", report.name), "key")
    return Case(report.name, where.file, where.line, _text(one.problems(report)))


def _text(problems: Sequence[Problem]) -> str:
    return render_problems(problems, "text", source_lines())
