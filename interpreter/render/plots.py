"""Drawings of rectangles, lines and words, written as SVG or PNG from one geometry."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

INK = "#1a1a1a"
FAINT = "#767676"
PAPER = "#ffffff"
FAMILY = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

# XML 1.0 has no way to write these.
_UNWRITABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")
Place: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A filled rectangle; `told` is shown where a pointer rests on it."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    told: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through some places; `dash` alternates lengths drawn and left out."""

    places: tuple[Place, ...]
    stroke: str = INK
    width: float = 1
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `anchor` (start, middle or end) says which part of it stands at the place, on its base line.

    `turned` text is read from below."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: str = "start"
    fill: str = INK
    bold: bool = False
    turned: bool = False


Shape: TypeAlias = Rectangle | Line | Words


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on paper, later ones over earlier ones. `description` says in words what the drawing shows."""

    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...] = ()


def moved(shape: Shape, x: float, y: float) -> Shape:
    """The same shape elsewhere."""
    if isinstance(shape, Line):
        return replace(shape, places=tuple((px + x, py + y) for px, py in shape.places))
    return replace(shape, x=shape.x + x, y=shape.y + y)


def stacked(title: str, drawings: Sequence[Drawing]) -> Drawing:
    """Drawings one below the other as one."""
    shapes: list[Shape] = []
    height = 0.0
    for drawing in drawings:
        shapes += [moved(shape, 0, height) for shape in drawing.shapes]
        height += drawing.height
    described = " ".join(drawing.description for drawing in drawings)
    return Drawing(max((drawing.width for drawing in drawings), default=0), height, title, described, tuple(shapes))


# ---------------------------------------------------------------------- room that words take

_NARROW, _WIDE = frozenset("iljftrI.,:;'’|!()[] "), frozenset("mwMW@%—…œŒ")


def text_width(text: str, size: float) -> float:
    """About the room that a text takes; rather more than less."""
    return sum(0.36 if c in _NARROW else 0.92 if c in _WIDE else 0.7 if c.isupper() else 0.58 for c in text) * size


def shortened(text: str, size: float, room: float) -> str:
    """The text as far as there is room, with a mark where it is cut."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1].rstrip()
    return text + "…"


# ---------------------------------------------------------------------- SVG


def to_svg(drawing: Drawing) -> str:
    """The drawing as an SVG document, which may stand inside HTML as it is."""
    mark = hashlib.sha256(repr(drawing).encode()).hexdigest()[:8]
    size = f'width="{_n(drawing.width)}" height="{_n(drawing.height)}"'
    box = f'viewBox="0 0 {_n(drawing.width)} {_n(drawing.height)}"'
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" aria-labelledby="t{mark} d{mark}">',
        f'<title id="t{mark}">{_content(drawing.title)}</title>',
        f'<desc id="d{mark}">{_content(drawing.description)}</desc>',
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        f'<g font-family="{FAMILY}">',
        *(_SVG[type(shape)](shape) for shape in drawing.shapes),
        "</g>",
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _content(text: str) -> str:
    return escape(text.translate(_UNWRITABLE))


def _svg_rectangle(shape: Rectangle) -> str:
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
    head = f"<rect {place} fill={quoteattr(shape.fill)}"
    return f"{head}><title>{_content(shape.told)}</title></rect>" if shape.told else f"{head}/>"


def _svg_line(shape: Line) -> str:
    places = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.places)
    dash = f' stroke-dasharray="{" ".join(map(_n, shape.dash))}"' if shape.dash else ""
    stroke = f'stroke={quoteattr(shape.stroke)} stroke-width="{_n(shape.width)}"'
    return f'<polyline points="{places}" fill="none" {stroke}{dash}/>'


def _svg_words(shape: Words) -> str:
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}" fill={quoteattr(shape.fill)}'
    more = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    more += ' font-weight="bold"' if shape.bold else ""
    more += f' transform="rotate(-90 {_n(shape.x)} {_n(shape.y)})"' if shape.turned else ""
    return f"<text {place}{more}>{_content(shape.text)}</text>"


_SVG: Mapping[type[Shape], Callable[..., str]] = {Rectangle: _svg_rectangle, Line: _svg_line, Words: _svg_words}


# ---------------------------------------------------------------------- PNG


def to_png(drawing: Drawing, scale: float = 2) -> bytes:
    """The drawing as a PNG picture, `scale` pixels for each unit; title and description go along as texts."""
    from interpreter.render.pixels import Canvas

    canvas = Canvas(drawing.width, drawing.height, scale, PAPER)
    for shape in drawing.shapes:
        if isinstance(shape, Rectangle):
            canvas.rectangle(shape.x, shape.y, shape.width, shape.height, shape.fill)
        elif isinstance(shape, Line):
            for piece in dashed(shape.places, shape.dash):
                canvas.line(piece, shape.stroke, shape.width)
        else:
            canvas.words(shape.x, shape.y, shape.text, shape.size, shape.anchor, shape.fill, shape.bold, shape.turned)
    stream = io.BytesIO()
    canvas.save(stream, {"Title": drawing.title, "Description": drawing.description})
    return stream.getvalue()


def dashed(places: Sequence[Place], dash: Sequence[float]) -> Iterator[tuple[Place, ...]]:
    """The pieces of a line that are drawn."""
    if not dash or sum(dash) <= 0:
        yield tuple(places)
        return
    lengths = [*dash, *dash] if len(dash) % 2 else list(dash)
    turn, left, piece = 0, lengths[0], [places[0]]
    for start, end in pairwise(places):
        for here, ends_dash in _cuts(start, end, left, lengths, turn):
            piece.append(here)
            if ends_dash:
                if turn % 2 == 0:
                    yield tuple(piece)
                turn, piece = turn + 1, [here]
                left = lengths[turn % len(lengths)]
            else:
                left -= _distance(piece[-2], here)
    if turn % 2 == 0 and len(piece) > 1:
        yield tuple(piece)


def _cuts(start: Place, end: Place, left: float, lengths: Sequence[float], turn: int) -> Iterator[tuple[Place, bool]]:
    """The places between two where a dash ends, then the second; with each whether a dash ends there."""
    whole = _distance(start, end)
    gone = left
    while gone < whole:
        part = gone / whole
        yield (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part), True
        turn += 1
        gone += lengths[turn % len(lengths)]
    yield end, False


def _distance(one: Place, other: Place) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


def described(parts: Iterable[tuple[str, str]]) -> str:
    """Names with what is told of each, as a sentence."""
    told = "; ".join(f"{name}: {what}" for name, what in parts)
    return f"{told}." if told else ""
