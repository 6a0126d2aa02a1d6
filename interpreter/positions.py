"""Keep a file's plain data together with the place of every part of it, down to one character of a text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from interpreter.problems import Location

Path = tuple[str | int, ...]

_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}
_FIRST_TEXT = re.compile(r"^( *)[^ \n]", re.MULTILINE)


class Lines:
    """The lines of a file, and the place of any character index in it."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, number: int) -> str:
        """Line `number`, counted from 1, without its line break; empty where there is no such line."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        return self.text[start : self._end_of_line(start)]

    def location(self, index: int, end: int | None = None) -> Location:
        """The place of the characters from `index` to `end`, cut at the end of the line."""
        index = max(0, min(index, len(self.text)))
        number = bisect_right(self._starts, index)
        stop = min(index + 1 if end is None else end, self._end_of_line(index))
        return Location(self.file, number, index - self._starts[number - 1] + 1, max(1, stop - index))

    def _end_of_line(self, index: int) -> int:
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end


@dataclass(slots=True)
class Node:
    """Where one value was written: its span, its style and text if it is a scalar, its key, what it contains."""

    start: int
    end: int
    style: str | None = None
    text: str | None = None
    children: dict[str, Node] | list[Node] | None = None
    key: Node | None = None


@dataclass(frozen=True)
class Document:
    """A file as plain data (every scalar is text, or None where nothing is written) and the places of its parts."""

    file: str
    text: str
    data: dict[str, Any]
    root: Node = field(repr=False, compare=False)

    def key(self, path: Path) -> Location:
        """The place of the key at `path`; of the value where it has none, as in a list."""
        node, found = self._nearest(path)
        if node.key is None:
            return self._first_token(node) if found else self.value(path)
        return self._lines.location(node.key.start, node.key.end)

    def value(self, path: Path, offset: int = 0, length: int | None = None) -> Location:
        """The place of the character `offset` of the text at `path`, or of the first token of a mapping or list.

        Without `offset` and `length` it is the whole text, as far as its line goes. A path that leads nowhere
        gives the place of the key, or else of the value, where it leaves the document.
        """
        node, found = self._nearest(path)
        if not found and node.key is not None:
            return self._lines.location(node.key.start, node.key.end)
        if node.text is None:
            return self._first_token(node)
        places = indexes(self.text, node.start, node.end, node.style, node.text)
        last = len(places) - 1
        if last == 0:  # nothing written, or an empty pair of quotes
            return self._lines.location(node.start, node.end)
        first = max(0, min(offset, last))
        if length is None:
            length = last if first == 0 else 1
        stop = min(first + max(1, length), last)
        return self._lines.location(places[first], places[stop] if first < last else None)

    def line(self, number: int) -> str:
        """Line `number` of the file, counted from 1, without its line break."""
        return self._lines.line(number)

    @cached_property
    def _lines(self) -> Lines:
        return Lines(self.file, self.text)

    def _nearest(self, path: Path) -> tuple[Node, bool]:
        """The node at `path`, or the last one on the way to it, and whether the whole path was found."""
        node = self.root
        for step in path:
            child = _child(node, step)
            if child is None:
                return node, False
            node = child
        return node, True

    def _first_token(self, node: Node) -> Location:
        if isinstance(node.children, dict):
            first = next((child.key for child in node.children.values()), None)
            if first is not None and first.start == node.start:  # a block mapping has no bracket of its own
                return self._lines.location(first.start, first.end)
        return self._lines.location(node.start)


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(node.children, dict):
        return node.children.get(step) if isinstance(step, str) else None
    if isinstance(node.children, list) and isinstance(step, int) and 0 <= step < len(node.children):
        return node.children[step]
    return None


def indexes(text: str, start: int, end: int, style: str | None, value: str) -> list[int]:
    """For each character of `value` after NFC, its index in `text`; then the index where the value ends.

    `text[start:end]` is the scalar as written, `style` its YAML style, `value` what YAML made of it.
    """
    found = _by_style(text, start, end, style, value)
    if len(found) < len(value):  # a shape not foreseen here: the start is still a true answer
        found = [start] * len(value)
    found = found[: len(value)]
    stop = end - 1 if style in ("'", '"') else (found[-1] + 1 if style in ("|", ">") and found else end)
    return [*(found[offset] for offset in _composed(value)), stop]


def _by_style(text: str, start: int, end: int, style: str | None, value: str) -> list[int]:
    if style in ("|", ">"):
        return _block(text, start, end, style == ">", value)
    if style in ("'", '"'):
        return _flow(text, start + 1, end - 1, style)
    return _flow(text, start, end, style)


def _flow(text: str, start: int, end: int, style: str | None) -> list[int]:
    """A plain or quoted scalar: line breaks fold, and quotes have their escapes."""
    places: list[int] = []
    index = start
    while index < end:
        char = text[index]
        if char in " \t\n":
            stop = _end_of_blank(text, index, end)
            places += _folded(text, index, stop)
            index = stop
        elif char == "\\" and style == '"':
            index = _escape(text, index, end, places)
        else:
            places.append(index)
            index += 2 if char == "'" and style == "'" else 1
    return places


def _end_of_blank(text: str, index: int, end: int) -> int:
    while index < end and text[index] in " \t\n":
        index += 1
    return index


def _folded(text: str, start: int, end: int) -> list[int]:
    """Blank characters between words: kept in a line; one line break is a space, of several the first is dropped."""
    breaks = _breaks(text, start, end)
    if not breaks:
        return list(range(start, end))
    return breaks if len(breaks) == 1 else breaks[1:]


def _breaks(text: str, start: int, end: int) -> list[int]:
    return [index for index in range(start, end) if text[index] == "\n"]


def _escape(text: str, index: int, end: int, places: list[int]) -> int:
    """Note the place of one escape sequence, and give back the index after it."""
    code = text[index + 1 : index + 2]
    if code == "\n":  # an escaped line break joins two lines and gives no character of its own
        stop = _end_of_blank(text, index + 2, end)
        places += _breaks(text, index + 2, stop)
        return stop
    places.append(index)
    return index + _ESCAPE_LENGTHS.get(code, 2)


def _block(text: str, start: int, end: int, folded: bool, value: str) -> list[int]:
    """A literal or folded block: its lines without their indentation."""
    body = text.find("\n", start, end) + 1
    written = _FIRST_TEXT.search(text[body:end])
    read = _FIRST_TEXT.search(value)
    if not body or written is None or read is None:
        return []
    indent = len(written.group(1)) - len(read.group(1))
    places: list[int] = []
    before = ""  # the first character of the last line that holds text
    gap: list[int] = []  # the line breaks since then
    while body < end:
        stop = text.find("\n", body, end)
        stop = end if stop < 0 else stop
        first = text[body + indent : stop][:1]
        if first:
            folds = folded and before not in ("", " ", "\t") and first not in " \t"
            places += gap[1:] if folds and len(gap) > 1 else gap
            places += range(body + indent, stop)
            before, gap = first, []
        gap.append(stop)
        body = stop + 1
    return places + gap


def _composed(value: str) -> list[int]:
    """For each character of `value` after NFC, the offset before NFC of the letter it came from."""
    if unicodedata.is_normalized("NFC", value):
        return list(range(len(value)))
    offsets: list[int] = []
    start = 0
    for offset in range(1, len(value) + 1):
        if offset == len(value) or _stands_alone(value, start, offset):
            length = len(unicodedata.normalize("NFC", value[start:offset]))
            offsets += [min(start + number, offset - 1) for number in range(length)]
            start = offset
    return offsets


def _stands_alone(value: str, start: int, offset: int) -> bool:
    """Whether NFC keeps the character at `offset` apart from those since `start`."""
    if unicodedata.combining(value[offset]):
        return False
    before, char = value[start:offset], value[offset]
    apart = unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", char)
    return unicodedata.normalize("NFC", before + char) == apart
