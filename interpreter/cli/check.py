"""`osselet check`: every problem of every rule file, in its place."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from interpreter.cli.checking import Checked, check_all
from interpreter.cli.common import FINE, PROBLEMS, USAGE, Parser, add_format, counted, make_parser, use_color
from interpreter.cli.targets import targets
from interpreter.problems import Severity
from interpreter.render.problems import FORMATS, render_problems, to_json

EPILOG = """examples:
  osselet check my_game              a folder: its YAML files are one rule set
  osselet check systems/             a folder of rule sets: each is checked
  osselet check --watch my_game      again whenever a file is saved
  osselet check --format github .    for a workflow on GitHub; sarif for its code scanning
  osselet check --assumptions .      what the rules decide where the book is silent
  osselet explain E0203              what a code means, with an example

exit status: 0 fine, 1 problems, 2 nothing was checked or wrong usage"""


def parser() -> Parser:
    new = make_parser("check", "Reads rule files and reports every problem with its place and how to mend it.", EPILOG)
    what = "a rule file, a folder of one rule set, or a folder of such folders"
    new.add_argument("paths", nargs="+", metavar="PATH", help=what)
    new.add_argument("--strict", action="store_true", help="warnings count as problems")
    new.add_argument("--assumptions", action="store_true", help="list what the rules assume where the book is silent")
    new.add_argument("--watch", action="store_true", help="check again whenever a file is saved, until Ctrl-C")
    add_format(new, tuple(FORMATS))
    return new


def run(options: argparse.Namespace) -> int:
    if options.watch:
        from interpreter.cli.watch import watch

        return watch(options.paths, lambda: _check(options))
    return _check(options)[0]


def _check(options: argparse.Namespace) -> tuple[int, list[str]]:
    """Checks once: the exit status, and the files that were read."""
    checked = check_all(targets(options.paths))
    problems = [problem for one in checked for problem in one.problems]
    lines = {place: line for one in checked for place, line in one.lines}
    if options.assumptions and options.format == "json":
        print(json.dumps(_as_json(checked), ensure_ascii=False, indent=2))
    elif problems or options.format != "text":
        print(render_problems(problems, options.format, lambda *place: lines.get(place, ""), use_color()))
    if options.assumptions and options.format == "text":
        for one in checked:
            for each in one.assumptions:
                print(f"{one.system}: {_assumption(each)}")
    errors = sum(problem.severity == Severity.ERROR for problem in problems)
    warnings = len(problems) - errors
    files = [file for one in checked for file in one.files]
    print(_summary(checked, errors, warnings), file=sys.stdout if options.format == "text" else sys.stderr)
    if not files:
        return USAGE, files
    return PROBLEMS if errors or (options.strict and warnings) else FINE, files


def _as_json(checked: Sequence[Checked]) -> dict[str, object]:
    return {
        "problems": [to_json(problem) for one in checked for problem in one.problems],
        "assumptions": [{"system": one.system, **each} for one in checked for each in one.assumptions],
    }


def _assumption(each: dict[str, str]) -> str:
    what = f" = {each['value']}" if each["value"] else f" ({each['at']})" if each["at"] else ""
    source = f" [{each['source']}]" if each["source"] else ""
    return f"{each['id']}{what}: {each['reason']}{source}"


def _summary(checked: Sequence[Checked], errors: int, warnings: int) -> str:
    what = f"{counted(len(checked), 'rule set')}, {counted(sum(len(one.files) for one in checked), 'file')}"
    if not errors and not warnings:
        return f"{what}: no problems"
    return f"{what}: {counted(errors, 'error')}, {counted(warnings, 'warning')}"
