"""Odds as drawings: bars for probabilities, lines for what changes with one number, a map of shades for two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interpreter.render.plots import (
    FAINT,
    INK,
    Drawing,
    Line,
    Rectangle,
    Shape,
    Words,
    described,
    shortened,
    text_width,
)

WIDTH, MARGIN, ROW, LABELS, BARS = 640.0, 16.0, 22.0, 190.0, 300.0
GRID = "#d9d9d9"
# Colours that people with any colour vision tell apart; dashes do the same in grey print.
STROKES: Sequence[tuple[str, tuple[float, ...]]] = (
    ("#0072b2", ()),
    ("#d55e00", (7, 3)),
    ("#009e73", (2, 2)),
    ("#8a4a7d", (9, 3, 2, 3)),
    ("#6b5900", (4, 4)),
    ("#1a1a1a", (1, 3)),
)
BAR = STROKES[0][0]
LIGHT, DARK = (247, 251, 255), (8, 48, 107)


@dataclass(frozen=True, slots=True)
class Bar:
    """One probability; `told` is how it is written at the bar's end."""

    label: str
    chance: float
    told: str


@dataclass(frozen=True, slots=True)
class Group:
    """Bars under a heading. They are as long as their part of `most`, or of the longest."""

    heading: str
    bars: tuple[Bar, ...]
    most: float | None = None


def bar_chart(title: str, groups: Sequence[Group]) -> Drawing:
    """Groups of bars one below the other."""
    shapes: list[Shape] = [Words(MARGIN, 26, shortened(title, 16, WIDTH - 2 * MARGIN), 16, bold=True)]
    y = 44.0
    for group in groups:
        if group.heading:
            shapes.append(Words(MARGIN, y + 15, shortened(group.heading, 13, WIDTH - 2 * MARGIN), 13, fill=INK))
            y += ROW
        most = group.most or max((bar.chance for bar in group.bars), default=0) or 1
        for bar in group.bars:
            shapes += _bar(bar, y, bar.chance / most)
            y += ROW
        y += 10
    told = described((bar.label, bar.told) for group in groups for bar in group.bars)
    return Drawing(WIDTH, y + 6, title, told, tuple(shapes))


def _bar(bar: Bar, y: float, part: float) -> list[Shape]:
    start = MARGIN + LABELS + 10
    length = BARS * min(1.0, part)
    label = shortened(bar.label, 12, LABELS)
    return [
        Words(MARGIN + LABELS, y + 15, label, 12, "end"),
        Line(((start, y + 1), (start, y + ROW - 1)), GRID),
        Rectangle(start, y + 4, max(length, 0.75 if bar.chance else 0), ROW - 8, BAR, f"{bar.label}: {bar.told}"),
        Words(start + length + 6, y + 15, bar.told, 11, fill=INK),
    ]


# ---------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class Series:
    """What one line shows, by the values varied; None where there is nothing."""

    label: str
    numbers: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the axes stand, and what their ends are worth."""

    left: float
    top: float
    width: float
    height: float
    low: float
    high: float

    def y(self, number: float) -> float:
        return self.top + self.height * (1 - (number - self.low) / (self.high - self.low))


def line_chart(title: str, name: str, values: Sequence[object], series: Sequence[Series], percent: bool) -> Drawing:
    """A line for each series, over the values of one thing that varies; `percent` when numbers are probabilities."""
    numbers = [number for one in series for number in one.numbers if number is not None]
    ticks = nice_ticks(0.0 if percent else min(numbers, default=0.0), 1.0 if percent else max(numbers, default=1.0))
    room = min(190.0, max((text_width(one.label, 12) for one in series), default=0) + 12)
    frame = _Frame(62, 44, WIDTH - 62 - room - MARGIN, 300, min(ticks), max(ticks))
    across = _across(frame, values)
    shapes: list[Shape] = [Words(MARGIN, 26, shortened(title, 16, WIDTH - 2 * MARGIN), 16, bold=True)]
    for tick in ticks:
        y = frame.y(tick)
        shapes.append(Line(((frame.left, y), (frame.left + frame.width, y)), GRID))
        shapes.append(Words(frame.left - 6, y + 4, _told(tick, percent), 11, "end"))
    shapes += _bottom(frame, name, values, across)
    for place, one in enumerate(series):
        shapes += _line(one, across, frame, *STROKES[place % len(STROKES)])
    shapes += _ends(series, across, frame, room)
    told = described((one.label, _range_told(one, values, percent)) for one in series)
    return Drawing(WIDTH, frame.top + frame.height + 56, title, f"{name}. {told}", tuple(shapes))


def _across(frame: _Frame, values: Sequence[object]) -> list[float]:
    """Where each value stands: numbers by their size, anything else in equal steps."""
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == len(values) and max(numbers, default=0) > min(numbers, default=0):
        low, high = min(numbers), max(numbers)
        return [frame.left + frame.width * (number - low) / (high - low) for number in numbers]
    step = frame.width / max(1, len(values) - 1)
    return [frame.left + step * place for place in range(len(values))]


def _bottom(frame: _Frame, name: str, values: Sequence[object], across: Sequence[float]) -> list[Shape]:
    """The lower axis: as many values as there is room for."""
    base = frame.top + frame.height
    shapes: list[Shape] = [Line(((frame.left, base), (frame.left + frame.width, base)), INK)]
    free = -math.inf
    for x, value in sorted(zip(across, map(str, values), strict=True)):
        half = text_width(value, 11) / 2
        if x - half > free:
            shapes += [Line(((x, base), (x, base + 4)), INK), Words(x, base + 17, value, 11, "middle")]
            free = x + half + 4
    return [*shapes, Words(frame.left + frame.width / 2, base + 38, name, 12, "middle")]


def _line(one: Series, across: Sequence[float], frame: _Frame, stroke: str, dash: tuple[float, ...]) -> list[Shape]:
    """The line, broken where there is nothing, and a small square at each value while these are few."""
    shapes: list[Shape] = []
    piece: list[tuple[float, float]] = []
    points = sorted(zip(across, one.numbers, strict=True), key=lambda point: point[0])
    for x, number in [*points, (0.0, None)]:
        if number is not None:
            piece.append((x, frame.y(number)))
            continue
        if len(piece) > 1:
            shapes.append(Line(tuple(piece), stroke, 2, dash))
        piece = []
    if len(points) <= 40:
        known = [(x, frame.y(number)) for x, number in points if number is not None]
        shapes += [Rectangle(x - 2, y - 2, 4, 4, stroke, one.label) for x, y in known]
    return shapes


def _ends(series: Sequence[Series], across: Sequence[float], frame: _Frame, room: float) -> list[Shape]:
    """The names of the lines at their right ends, none on top of another."""
    last = max(range(len(across)), key=across.__getitem__, default=0)
    wanted = []
    for place, one in enumerate(series):
        known = one.numbers[last] if one.numbers else None
        wanted.append((frame.y(known if known is not None else frame.low) + 4, place, one.label))
    shapes: list[Shape] = []
    free = frame.top - 20.0
    for y, place, label in _spaced(sorted(wanted), free, frame.top + frame.height + 14):
        stroke = STROKES[place % len(STROKES)][0]
        shapes.append(Words(frame.left + frame.width + 8, y, shortened(label, 12, room - 8), 12, fill=stroke))
    return shapes


def _spaced(wanted: Sequence[tuple[float, int, str]], top: float, bottom: float) -> list[tuple[float, int, str]]:
    """Heights pushed apart, downwards first, then up again from the bottom."""
    found: list[tuple[float, int, str]] = []
    for y, place, label in wanted:
        found.append((max(y, found[-1][0] + 14 if found else top), place, label))
    free = bottom
    for number in range(len(found) - 1, -1, -1):
        y, place, label = found[number]
        found[number] = (min(y, free), place, label)
        free = found[number][0] - 14
    return found


def nice_ticks(low: float, high: float) -> list[float]:
    """Some four to six round numbers that reach from one end to the other."""
    if high <= low:
        high = low + 1
    rough = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def _told(number: float, percent: bool) -> str:
    return f"{round(number * 100)}%" if percent else f"{number:g}"


def _range_told(one: Series, values: Sequence[object], percent: bool) -> str:
    known = [(n, value) for n, value in zip(one.numbers, values, strict=True) if n is not None]
    if not known:
        return "–"
    shown = [f"{n:.1%}" if percent else f"{n:.4g}" for n, _ in (known[0], known[-1])]
    return f"{shown[0]} ({known[0][1]}) … {shown[1]} ({known[-1][1]})"


# ---------------------------------------------------------------------- shades


def heat_map(
    title: str,
    names: tuple[str, str],
    columns: tuple[Sequence[object], Sequence[object]],
    cells: Mapping[tuple[object, object], float | None],
    percent: bool,
) -> Drawing:
    """A field for each pair: the first varies downwards, the second across. Darker is more."""
    down, over = columns
    room = min(150.0, max((text_width(str(value), 11) for value in down), default=0) + 8)
    left, top = MARGIN + 22 + room, 66.0
    size = max(3.0, min(36.0, (WIDTH - left - MARGIN) / max(1, len(over))))
    high = max(12.0, min(24.0, size)) if len(down) <= 40 else max(3.0, min(12.0, 480 / len(down)))
    known = [number for number in cells.values() if number is not None]
    low, most = (0.0, 1.0) if percent else (min(known, default=0.0), max(known, default=1.0))
    shapes: list[Shape] = [Words(MARGIN, 26, shortened(title, 16, WIDTH - 2 * MARGIN), 16, bold=True)]
    shapes.append(Words(left + size * len(over) / 2, 46, names[1], 12, "middle"))
    shapes.append(Words(MARGIN + 10, top + high * len(down) / 2, names[0], 12, "middle", turned=True))
    shapes += _heads(over, [left + size * (place + 0.5) for place in range(len(over))], top - 5)
    free = -math.inf
    for row, value in enumerate(down):
        y = top + high * row
        if y + high / 2 > free:
            shapes.append(Words(left - 6, y + high / 2 + 4, str(value), 11, "end"))
            free = y + high / 2 + 11
        for column, other in enumerate(over):
            shapes += _cell(left + size * column, y, (size, high), cells.get((value, other)), (low, most), percent)
    bottom = top + high * len(down)
    shapes += _scale(left, bottom + 14, (low, most), percent)
    told = [_told(end, percent) for end in (min(known, default=0.0), max(known, default=0.0))]
    return Drawing(WIDTH, bottom + 54, title, f"{names[0]} × {names[1]}: {told[0]} … {told[1]}.", tuple(shapes))


def _heads(values: Sequence[object], across: Sequence[float], y: float) -> list[Shape]:
    shapes: list[Shape] = []
    free = -math.inf
    for x, value in zip(across, map(str, values), strict=True):
        half = text_width(value, 11) / 2
        if x - half > free:
            shapes.append(Words(x, y, value, 11, "middle"))
            free = x + half + 4
    return shapes


def _cell(
    x: float, y: float, size: tuple[float, float], number: float | None, ends: tuple[float, float], percent: bool
) -> list[Shape]:
    if number is None:
        return [Line(((x, y + size[1]), (x + size[0], y)), FAINT)]
    part = (number - ends[0]) / ((ends[1] - ends[0]) or 1)
    told = f"{number * 100:.0f}" if percent else f"{number:.3g}"
    shapes: list[Shape] = [Rectangle(x, y, size[0], size[1], shade(part), f"{number:.4%}" if percent else told)]
    if text_width(told, 10) <= size[0] - 2 and size[1] >= 12:
        ink = "#ffffff" if part > 0.5 else INK
        shapes.append(Words(x + size[0] / 2, y + size[1] / 2 + 3.5, told, 10, "middle", ink))
    return shapes


def shade(part: float) -> str:
    """From light to dark, also in grey."""
    part = min(1.0, max(0.0, part))
    return "#" + "".join(f"{round(light + (dark - light) * part):02x}" for light, dark in zip(LIGHT, DARK, strict=True))


def _scale(x: float, y: float, ends: tuple[float, float], percent: bool) -> list[Shape]:
    """What the shades mean."""
    steps, width = 20, 8.0
    shapes: list[Shape] = [
        Rectangle(x + place * width, y, width, 10, shade(place / (steps - 1))) for place in range(steps)
    ]
    middle = (ends[0] + ends[1]) / 2
    for part, number in ((0.0, ends[0]), (0.5, middle), (1.0, ends[1])):
        shapes.append(Words(x + part * steps * width, y + 24, _told(number, percent), 10, "middle"))
    return shapes
