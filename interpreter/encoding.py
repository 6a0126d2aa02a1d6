"""Turn the bytes of a rule file into clean text, or say why they are none."""

from __future__ import annotations

import re

from interpreter.characters import FORBIDDEN, describe
from interpreter.positions import Lines
from interpreter.problems import Location, Problem

LARGEST_FILE = 500_000  # bytes; a rule file written by hand has some ten thousand
MOST_PROBLEMS = 100  # of one kind in one file; more would only be noise

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BEFORE_DOCUMENT = re.compile(r"((?:%.*\n?|[ \t]*(?:#.*)?\n)*)(---)?")
_DIRECTIVE = re.compile(r"^%.*", re.MULTILINE)


def decode(raw: bytes, file: str) -> tuple[str | None, list[Problem]]:
    """The text in `raw` with plain line breaks, without what no rule file may hold; or the problems it has."""
    if len(raw) > LARGEST_FILE:
        hint = "Split the rules into several files."
        return None, [at_start(file, "E0029", f"The file is larger than {LARGEST_FILE} bytes.", hint)]
    if raw.startswith(_UTF16_MARKS):
        return None, [at_start(file, "E0003", "The file is UTF-16, not UTF-8.", "Save the file as UTF-8 text.")]
    try:
        lines = Lines(file, _plain_breaks(raw.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        return None, [_not_utf8(error, file)]
    problems = _check_characters(lines) or _check_directives(lines)
    return (None if problems else lines.text), problems


def at_start(file: str, code: str, message: str, hint: str = "") -> Problem:
    """A problem of a whole file."""
    return Problem(code, message, Location(file, 1, 1), hint=hint)


def _plain_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_utf8(error: UnicodeDecodeError, file: str) -> Problem:
    # The error counts from behind a byte order mark, in bytes of its own that lack it.
    good = _plain_breaks(error.object[: error.start].decode("utf-8"))
    byte = error.object[error.start : error.start + 1]
    likely = byte.decode("cp1252", "replace")
    guess = f"; in Windows-1252 it would be `{likely}`" if likely.isprintable() and likely != "\ufffd" else ""
    message = f"The byte {byte.hex().upper()} is not UTF-8{guess}."
    return Problem("E0003", message, Lines(file, good).location(len(good)), hint="Save the file as UTF-8 text.")


def _check_characters(lines: Lines) -> list[Problem]:
    if "\0" in lines.text:
        place = lines.location(lines.text.index("\0"))
        return [Problem("E0004", "The file holds a NUL character, so it is no UTF-8 text.", place)]
    problems: list[Problem] = []
    for match in FORBIDDEN.finditer(lines.text):
        message = f"The character {describe(match.group())} may not stand in a rule file."
        problems.append(Problem("E0004", message, lines.location(match.start()), hint="Remove it."))
        if len(problems) == MOST_PROBLEMS:
            break
    return problems


def _check_directives(lines: Lines) -> list[Problem]:
    """The problems of lines that begin with % before the document: only one `%YAML 1.2` with a `---` is accepted."""
    before = _BEFORE_DOCUMENT.match(lines.text)
    found = list(_DIRECTIVE.finditer(lines.text, 0, before.end(1) if before else 0))
    problems = []
    for number, match in enumerate(found):
        order = match.group().partition("#")[0].split()
        if order != ["%YAML", "1.2"] or number > 0 or not (before and before.group(2)):
            message = f"`{match.group().strip()}` cannot stand here: rule files are YAML 1.2 without directives."
            problems.append(Problem("E0008", message, lines.location(*match.span()), hint="Take the line out."))
    return problems[:MOST_PROBLEMS]
