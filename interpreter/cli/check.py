"""`osselet check`: every problem of every rule file, in its place."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from interpreter.cli.common import (
    FINE,
    PROBLEMS,
    USAGE,
    Parser,
    UsageError,
    add_format,
    line_finder,
    make_parser,
    use_color,
)
from interpreter.loader import Rules, find, load, rule_files
from interpreter.problems import Severity
from interpreter.render.problems import FORMATS, render_problems

EXAMPLES = """  osselet check my_game              a folder: its YAML files are one rule set
  osselet check systems/             a folder of rule sets: each is checked
  osselet check --format github .    for a workflow on GitHub
  osselet check --assumptions meute  what the rules decide where the book is silent

exit status: 0 fine, 1 problems, 2 nothing was checked or wrong usage"""


def parser() -> Parser:
    new = make_parser(
        "check", "Reads rule files and reports every problem with its place and how to mend it.", EXAMPLES
    )
    new.add_argument(
        "paths", nargs="+", metavar="PATH", help="a rule file, a folder of one rule set, or a folder of such folders"
    )
    new.add_argument("--strict", action="store_true", help="warnings count as problems")
    new.add_argument("--assumptions", action="store_true", help="list what the rules assume where the book is silent")
    add_format(new, tuple(FORMATS))
    return new


def run(options: argparse.Namespace) -> int:
    checked = [load(target) for path in options.paths for target in targets(path)]
    problems = [problem for rules in checked for problem in rules.problems]
    files = sum(len(rules.documents) for rules in checked)
    lines = line_finder(*checked)
    if problems or options.format != "text":
        print(render_problems(problems, options.format, lines, use_color()))
    if options.assumptions:
        _assumptions(checked)
    errors = sum(problem.severity == Severity.ERROR for problem in problems)
    warnings = len(problems) - errors
    print(_summary(len(checked), files, errors, warnings), file=sys.stdout if options.format == "text" else sys.stderr)
    if not files:
        return USAGE
    return PROBLEMS if errors or (options.strict and warnings) else FINE


def targets(path: str) -> list[str | Path]:
    """The rule sets that a path stands for: itself, or each folder within that holds rule files."""
    found = find(path)
    if not found.exists():
        return [path]
    if found.is_file() or rule_files(found):
        return [found]
    inner = sorted(
        folder for folder in found.rglob("*") if folder.is_dir() and rule_files(folder) and folder.name != "lang"
    )
    if not inner:
        raise UsageError(f"there is no rule file in {path}")
    return list(inner)


def _assumptions(checked: list[Rules]) -> None:
    for rules in checked:
        if rules.system is None:
            continue
        for name, assumption in rules.system.assumptions.items():
            reason = next(iter(assumption.reason.texts.values()), "") if assumption.reason else ""
            what = f" = {assumption.value.text}" if assumption.value else f" ({assumption.at})"
            print(
                f"{rules.system.id}: {name}{what}: {reason}" + (f" [{assumption.source}]" if assumption.source else "")
            )


def _summary(systems: int, files: int, errors: int, warnings: int) -> str:
    def counted(number: int, word: str) -> str:
        return f"{number} {word}{'' if number == 1 else 's'}"

    what = f"{counted(systems, 'rule set')}, {counted(files, 'file')}"
    if not errors and not warnings:
        return f"{what}: no problems"
    return f"{what}: {counted(errors, 'error')}, {counted(warnings, 'warning')}"
