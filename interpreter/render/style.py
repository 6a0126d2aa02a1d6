"""Colours and columns of a terminal."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator

Paint = Callable[[str, str], str]

_CODES = {
    "error": "31",
    "warning": "33",
    "hint": "36",
    "caret": "32",
    "title": "1",
    "dim": "2",
    "bar": "36",
    "good": "32",
    "bad": "31",
    "dice": "1",
}


def painter(color: bool) -> Paint:
    """Paints a text by what it is, or leaves it as it is."""
    return _paint if color else plain


def _paint(text: str, kind: str) -> str:
    return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if text else text


def plain(text: str, kind: str) -> str:
    return text


def width(text: str) -> int:
    """Columns that a text takes in a terminal: marks over a letter take none, wide letters two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def pad(text: str, columns: int) -> str:
    """The text with spaces up to a column; a longer one is cut, with a mark that says so."""
    while width(text) > columns:
        text = text[:-2].rstrip() + "…"
    return text + " " * (columns - width(text))


def terminal_columns() -> int:
    """How wide the terminal is: as COLUMNS says, else as it says itself, else 80."""
    said = os.environ.get("COLUMNS", "")
    if said.isdigit() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or 80
    except (OSError, ValueError):
        return 80


def in_rows(words: Iterable[str], between: str, before: str) -> Iterator[str]:
    """Words on as few rows as the terminal has room for."""
    columns, row = terminal_columns() - 1, ""
    for word in words:
        longer = f"{row}{between}{word}" if row else before + word
        if row and width(longer) > columns:
            yield row + between.rstrip(" ·")
            longer = before + word
        row = longer
    if row:
        yield row
