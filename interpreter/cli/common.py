"""What commands share: options, exit statuses, systems loaded or refused, colours only on a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from interpreter.loader import Rules, load
from interpreter.model import System
from interpreter.problems import Severity
from interpreter.render.names import Names, preferred
from interpreter.render.problems import render_problems

FINE, PROBLEMS, USAGE = 0, 1, 2


class UsageError(Exception):
    """Wrong usage, said in one sentence."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence and where to read more."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}. `{self.prog} --help` tells more.")


def parser(command: str, summary: str, examples: str = "") -> Parser:
    epilog = f"examples:\n{examples}" if examples else None
    return Parser(
        prog=f"osselet {command}",
        description=summary,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", metavar="CODE", help="language of the labels; the locale's, else the system's first")


def add_format(parser: argparse.ArgumentParser, forms: Sequence[str] = ("text", "json")) -> None:
    parser.add_argument("--format", choices=forms, default="text", help="how the answer is written (text)")


def use_color(stream: object = None) -> bool:
    """Whether to paint: a terminal, and nobody asked for none."""
    target = sys.stdout if stream is None else stream
    return bool(getattr(target, "isatty", lambda: False)()) and "NO_COLOR" not in os.environ


def lines_of(rules: Rules) -> dict[str, list[str]]:
    return {document.file: document.text.splitlines() for document in rules.every_document()}


def line_finder(*all_rules: Rules):  # type: ignore[no-untyped-def]
    """Gives a line of a source file by number; empty when there is none."""
    texts: dict[str, list[str]] = {}
    for rules in all_rules:
        texts |= lines_of(rules)

    def line(file: str, number: int) -> str:
        lines = texts.get(file, [])
        return lines[number - 1] if 0 < number <= len(lines) else ""

    return line


def playable(where: str) -> System:
    """The system, or a usage error that shows its problems."""
    rules = load(where)
    errors = [problem for problem in rules.problems if problem.severity == Severity.ERROR]
    if errors or rules.system is None:
        shown = render_problems(errors, "text", line_finder(rules), use_color(sys.stderr))
        raise UsageError(f"{where} cannot be used:\n{shown}")
    return rules.system


def names_of(system: System, language: str | None) -> Names:
    if language is not None and language not in system.languages:
        raise UsageError(f"`{system.id}` has no labels in `{language}`; it has {', '.join(system.languages)}.")
    return Names(system, preferred(system, language))
