"""What a page of rules is made of, whatever it is written as: sections, lists, tables, bars, and the text in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A name of the game."""

    text: str


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of the rule file as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Text that stands out."""

    spans: Inline


@dataclass(frozen=True, slots=True)
class Link:
    """Text that leads to a section of the page."""

    spans: Inline
    target: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign that leads to a note; `title` says in short what it says."""

    target: str
    title: str
    sign: str = "†"


# After these a sentence needs no full stop.
ENDS = (".", "!", "?", ":", "»", "”", "…")

Span = str | Term | Snippet | Strong | Link | Mark
Inline = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; `style` is empty, or lead, source, note, quote."""

    spans: Inline
    style: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list, with what hangs below it."""

    spans: Inline
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `style` is empty, or steps for what is done in order, or parts for what adds up."""

    items: tuple[Item, ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is said of each of several names."""

    rows: tuple[tuple[Inline, tuple[Block, ...]], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; `numbers` are the columns that hold numbers, `anchors` the places of its rows on the page."""

    head: tuple[Inline, ...]
    rows: tuple[tuple[Inline, ...], ...]
    numbers: frozenset[int] = frozenset()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """One probability: what of, how much from 0 to 1, and how it is written exactly."""

    label: str
    chance: float
    exact: str


@dataclass(frozen=True, slots=True)
class Bars:
    """Probabilities side by side; `style` is outcomes for long labels, numbers for a distribution."""

    title: str
    bars: tuple[Bar, ...]
    style: str = "outcomes"


@dataclass(frozen=True, slots=True)
class Part:
    """A small titled part of a section that no table of contents lists."""

    title: Inline
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the page; `anchor` is unique in it."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    note: str = ""


Block = Paragraph | Items | Facts | Grid | Bars | Part


@dataclass(frozen=True, slots=True)
class Page:
    """The rules of one system in one language."""

    title: str
    language: str
    contents: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]


def plain(spans: Inline) -> str:
    """The text alone."""
    return "".join(_plain(span) for span in spans)


def _plain(span: Span) -> str:
    if isinstance(span, str):
        return span
    if isinstance(span, Term | Snippet):
        return span.text
    return "" if isinstance(span, Mark) else plain(span.spans)


def sentence(spans: Inline) -> Inline:
    """The same with a capital in front and a full stop at the end."""
    spans = capital(merged(spans))
    return merged((*spans, *(() if plain(spans)[-1:] in ENDS else (".",))))


def capital(spans: Inline) -> Inline:
    """The same with a capital in front, unless a name of the game stands there."""
    if spans and isinstance(spans[0], str):
        return (spans[0][:1].upper() + spans[0][1:], *spans[1:])
    return spans


def lowered(spans: Inline) -> Inline:
    """The same without a capital of the page's own in front."""
    if spans and isinstance(spans[0], str):
        return (spans[0][:1].lower() + spans[0][1:], *spans[1:])
    return spans


def joined(parts: Iterable[Inline], between: Inline) -> Inline:
    """Parts with the same spans between any two."""
    found: list[Span] = []
    for number, part in enumerate(parts):
        found += [*(between if number else ()), *part]
    return tuple(found)


def merged(spans: Iterable[Span]) -> Inline:
    """The same with neighbouring texts as one."""
    return tuple(_merge(spans))


def _merge(spans: Iterable[Span]) -> Iterator[Span]:
    text = ""
    for span in spans:
        if isinstance(span, str):
            text += span
            continue
        if text:
            yield text
        text = ""
        yield span
    if text:
        yield text


def every_section(sections: Iterable[Section]) -> Iterator[Section]:
    """Sections with all within them, in the order of the page."""
    for section in sections:
        yield section
        yield from every_section(section.sections)
