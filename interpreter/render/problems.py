"""Problems as text with the source line and a caret, and in the formats that programs read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from interpreter.problems import Problem, Severity
from interpreter.render.style import Paint, painter, width

# Gives a line of a source file by its number; empty when there is none.
Lines = Callable[[str, int], str]


def render_problems(problems: Sequence[Problem], form: str, lines: Lines, color: bool = False) -> str:
    """The problems in one of FORMATS."""
    return FORMATS[form](problems, lines, painter(color))


# ---------------------------------------------------------------------- text


def _text(problems: Sequence[Problem], lines: Lines, paint: Paint) -> str:
    return "\n".join(line for problem in problems for line in _one(problem, lines, paint))


def _one(problem: Problem, lines: Lines, paint: Paint) -> Iterable[str]:
    severity = paint(problem.severity.value, problem.severity.value)
    yield f"{problem.location}: {severity} {problem.code}: {problem.message}"
    yield from _quoted(problem, lines, paint)
    if problem.hint:
        yield f"    {paint('hint', 'hint')}: {problem.hint}"
    yield from (f"    {said}: {where}" for said, where in problem.related)


def _quoted(problem: Problem, lines: Lines, paint: Paint) -> Iterable[str]:
    """The source line, and a caret under each column of what is meant."""
    place = problem.location
    line = lines(place.file, place.line)
    if not line.strip():
        return
    shown = line.replace("\t", " ").rstrip()
    number, start = str(place.line), place.column - 1
    length = max(1, min(place.length, len(shown) - start))
    carets = "^" * max(1, width(shown[start : start + length]))
    yield f"    {number} | {shown}"
    yield f"    {' ' * len(number)} | {' ' * width(shown[:start])}{paint(carets, 'caret')}"


# ---------------------------------------------------------------------- JSON


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
        "related": [
            {"message": said, "file": at.file, "line": at.line, "column": at.column} for said, at in problem.related
        ],
    }


def _json(problems: Sequence[Problem], lines: Lines, paint: Paint) -> str:
    return json.dumps([to_json(problem) for problem in problems], ensure_ascii=False, indent=2)


# ---------------------------------------------------------------------- GitHub


def _github(problems: Sequence[Problem], lines: Lines, paint: Paint) -> str:
    """Workflow commands, which GitHub shows beside the lines of a change."""
    return "\n".join(map(_annotation, problems))


def _annotation(problem: Problem) -> str:
    place = problem.location
    parts = {
        "file": place.file,
        "line": place.line,
        "col": place.column,
        "endColumn": place.column + place.length,
        "title": problem.code,
    }
    where = ",".join(f"{key}={_escaped(str(part), ':,')}" for key, part in parts.items())
    hint = f" ({problem.hint})" if problem.hint else ""
    kind = "error" if problem.severity == Severity.ERROR else "warning"
    return f"::{kind} {where}::{_escaped(problem.message + hint)}"


def _escaped(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _sarif(problems: Sequence[Problem], lines: Lines, paint: Paint) -> str:
    from interpreter.checks import codes
    from interpreter.render.sarif import sarif_log

    return json.dumps(sarif_log(problems, codes()), ensure_ascii=False, indent=2)


FORMATS: Mapping[str, Callable[[Sequence[Problem], Lines, Paint], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
}
