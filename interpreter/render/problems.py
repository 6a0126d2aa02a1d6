"""Problems as text with the source line and a caret, and in the formats that programs read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from interpreter.problems import Problem, Severity

Lines = Callable[[str, int], str]


def render_problems(problems: Sequence[Problem], form: str, lines: Lines, color: bool = False) -> str:
    """The problems in one of FORMATS; `lines(file, number)` gives a line of a source file."""
    return FORMATS[form](problems, lines, color)


def _text(problems: Sequence[Problem], lines: Lines, color: bool) -> str:
    return "\n".join(_one(problem, lines, color) for problem in problems)


def _one(problem: Problem, lines: Lines, color: bool) -> str:
    paint = _paint if color else _plain
    place = problem.location
    head = f"{place.file}:{place.line}:{place.column}: {paint(problem.severity.value, problem.severity)} {problem.code}: {problem.message}"
    parts = [head, *_quoted(problem, lines, paint)]
    if problem.hint:
        parts.append(f"    {paint('hint', 'hint')}: {problem.hint}")
    parts += [f"    {said}: {where.file}:{where.line}:{where.column}" for said, where in problem.related]
    return "\n".join(parts)


def _quoted(problem: Problem, lines: Lines, paint: Callable[[str, str], str]) -> Iterable[str]:
    place = problem.location
    line = lines(place.file, place.line)
    if not line.strip():
        return
    shown = line.replace("\t", " ").rstrip()
    number = str(place.line)
    start = place.column - 1
    length = max(1, min(place.length, len(shown) - start))
    yield f"    {number} | {shown}"
    yield f"    {' ' * len(number)} | {' ' * _width(shown[:start])}{paint('^' * max(1, _width(shown[start : start + length])), 'caret')}"


def _width(text: str) -> int:
    """Columns that a text takes in a terminal: marks over a letter take none, wide letters two."""
    import unicodedata

    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


_COLORS = {"error": "31", "warning": "33", "hint": "36", "caret": "32"}


def _paint(text: str, kind: str) -> str:
    return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m"


def _plain(text: str, kind: str) -> str:
    return text


def to_json(problem: Problem) -> dict[str, object]:
    """A problem as plain data; lines and columns count from 1, columns in characters."""
    place = problem.location
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "hint": problem.hint,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "length": place.length,
        "path": list(problem.path),
        "related": [{"message": said, "file": at.file, "line": at.line, "column": at.column} for said, at in problem.related],
    }


def _json(problems: Sequence[Problem], lines: Lines, color: bool) -> str:
    return json.dumps([to_json(problem) for problem in problems], ensure_ascii=False, indent=2)


def _github(problems: Sequence[Problem], lines: Lines, color: bool) -> str:
    """Workflow commands, which GitHub shows beside the lines of a change."""
    rows = []
    for problem in problems:
        place = problem.location
        kind = "error" if problem.severity == Severity.ERROR else "warning"
        end = place.column + place.length
        where = f"file={_escaped(place.file, True)},line={place.line},col={place.column},endColumn={end},title={problem.code}"
        message = problem.message + (f" ({problem.hint})" if problem.hint else "")
        rows.append(f"::{kind} {where}::{_escaped(message, False)}")
    return "\n".join(rows)


def _escaped(text: str, in_property: bool) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


FORMATS: Mapping[str, Callable[[Sequence[Problem], Lines, bool], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
}
