"""What commands share: options, exit statuses, systems loaded or refused, colours only on a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from interpreter.model import System
    from interpreter.problems import Problem
    from interpreter.render.names import Names
    from interpreter.render.problems import Lines
    from interpreter.rules import Rules

FINE, PROBLEMS, USAGE, OWN_FAULT, INTERRUPTED = 0, 1, 2, 70, 130
LARGEST_QUOTED = 1_000_000  # bytes of a file in which a source line is looked for


class UsageError(Exception):
    """Wrong usage, said in one sentence."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence and where to read more."""

    # Options whose value may begin with a dash, as faces of dice do.
    dashed: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. `{self.prog} --help` tells more.")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Options and other words in any order."""
        joined: list[str] = []
        for word in words:
            if joined and joined[-1] in self.dashed:
                joined[-1] += f"={word}"
            else:
                joined.append(word)
        return self.parse_intermixed_args(joined)


def make_parser(command: str, summary: str, epilog: str) -> Parser:
    return Parser(
        prog=f"osselet {command}",
        description=summary,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_system(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    told = "a shipped game's id, or the path of a rule file or folder"
    parser.add_argument("system", metavar="SYSTEM", nargs="?" if optional else None, help=told)


def add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", metavar="CODE", help="language of the labels; the locale's, else the system's first")


def seconds(text: str) -> float:
    """An option's number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"`{text}` is no number of seconds")
    return number


def add_format(parser: argparse.ArgumentParser, forms: Sequence[str] = ("text", "json")) -> None:
    told = f"text, or for programs {', '.join(forms[1:])}"
    parser.add_argument("--format", choices=forms, default="text", metavar="FORM", help=told)


def use_color(stream: object = None) -> bool:
    """Whether to paint: a terminal that can, and nobody asked for none (https://no-color.org)."""
    target = sys.stdout if stream is None else stream
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and bool(getattr(target, "isatty", lambda: False)())


def counted(number: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------------- systems


def usable(where: str) -> Rules:
    """The rules, or a usage error that shows what is wrong with them."""
    from interpreter.loader import load

    rules = load(where)
    errors = [problem for problem in rules.problems if problem.severity == "error"]
    if errors or rules.system is None:
        raise UsageError(_refused(where, errors))
    return rules


def _refused(where: str, errors: Sequence[Problem]) -> str:
    """One sentence for a system that is not there, else the problems with their places."""
    from interpreter.render.problems import render_problems

    if len(errors) == 1 and errors[0].code == "E0001":
        hint = f" ({errors[0].hint})" if errors[0].hint else ""
        return f"{_lowered(errors[0].message).rstrip('.')}{hint}."
    shown = render_problems(errors, "text", source_lines(), use_color(sys.stderr))
    return f"{where} cannot be used:\n{shown}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def playable(where: str) -> System:
    """The system, or a usage error that shows its problems."""
    system = usable(where).system
    assert system is not None
    return system


def names_of(system: System, language: str | None) -> Names:
    from interpreter.render.names import Names, preferred

    if language is not None and language not in system.languages:
        raise UsageError(f"`{system.id}` has no labels in `{language}`; it has {', '.join(system.languages)}.")
    return Names(system, preferred(system, language))


def source_lines() -> Lines:
    """Gives a line of a source file by its number; empty when there is none."""
    texts: dict[str, list[str]] = {}

    def line(file: str, number: int) -> str:
        if file not in texts:
            texts[file] = _lines_of(Path(file))
        lines = texts[file]
        return lines[number - 1] if 0 < number <= len(lines) else ""

    return line


def _lines_of(path: Path) -> list[str]:
    """The lines of a file as problems count them, also where it is no proper text."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_QUOTED)
    except (OSError, ValueError):
        return []
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return ["".join(char if char.isprintable() else " " for char in line) for line in text.split("\n")]
