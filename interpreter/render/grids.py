"""A grid of odds for people: a table, a line for each outcome, or a map of shades."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from interpreter.render.chances import Chance, bar, decimal, percent
from interpreter.render.charts import Series, heat_map, line_chart
from interpreter.render.odds_phrases import tell
from interpreter.render.plots import Drawing, stacked
from interpreter.render.style import Paint, pad, width

BAR_WIDTH = 12
BETWEEN = "  "
REFUSED = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """Something that varies: its name for people, the values as they count, and how each is shown."""

    name: str
    values: tuple[object, ...]
    shown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that is asked of every cell: a probability, or else a mean."""

    name: str
    probability: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """The places of its values among those of each column, and what was asked; or why there is nothing."""

    places: tuple[int, ...]
    chances: tuple[Chance, ...]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole grid. `drawn` is the place of what a bar is drawn of."""

    title: str
    columns: tuple[Column, ...]
    asked: tuple[Asked, ...]
    cells: tuple[Cell, ...]
    language: str
    drawn: int = 0

    def told(self, place: int, cell: Cell, digits: int = 2) -> str:
        """What was asked of a cell, as a percentage or a mean."""
        if not cell.chances:
            return REFUSED
        number = cell.chances[place]
        asked = self.asked[place]
        return percent(number, self.language, digits) if asked.probability else decimal(number, self.language, digits)


def sheet_text(sheet: Sheet, paint: Paint) -> Iterator[str]:
    """One row for each cell; for two columns, a square for each thing asked, where it fits."""
    yield paint(sheet.title, "title")
    if len(sheet.columns) == 2 and len(sheet.columns[0].values) > 1:
        squares = [_square(sheet, place) for place in range(len(sheet.asked))]
        columns = shutil.get_terminal_size().columns
        if all(width(line) < columns for square in squares for line in square):
            for place, square in enumerate(squares):
                yield ""
                yield _above(sheet, place)
                yield from square
            yield from _refusals(sheet)
            return
    yield from _list(sheet, paint)
    yield from _refusals(sheet)


def _above(sheet: Sheet, place: int) -> str:
    asked = sheet.asked[place]
    what = tell(sheet.language, "in_percent", what=asked.name) if asked.probability else asked.name
    return f"{what}  ({sheet.columns[0].name} ↓  {sheet.columns[1].name} →)"


def _square(sheet: Sheet, place: int) -> list[str]:
    """The first column downwards, the second across."""
    down, over = sheet.columns
    digits, sign = (1 if sheet.asked[place].probability else 2), tell(sheet.language, "percent")
    told = {cell.places: sheet.told(place, cell, digits).removesuffix(sign) for cell in sheet.cells}
    room = max(map(width, [*over.shown, *told.values()]))
    left = max(map(width, down.shown))
    rows = [f"  {'':>{left}}  {BETWEEN.join(f'{name:>{room}}' for name in over.shown)}"]
    for number, name in enumerate(down.shown):
        numbers = [f"{told.get((number, other), ''):>{room}}" for other in range(len(over.shown))]
        rows.append(f"  {name:>{left}}  {BETWEEN.join(numbers)}")
    return rows


def _list(sheet: Sheet, paint: Paint) -> Iterator[str]:
    """A row for each cell, with a bar for one of the things asked."""
    heads = [*(column.name for column in sheet.columns), *(asked.name for asked in sheet.asked)]
    lines = [[*_shown(sheet, cell), *(sheet.told(i, cell) for i in range(len(sheet.asked)))] for cell in sheet.cells]
    rooms = [max(map(width, column)) for column in zip(heads, *lines, strict=True)]
    yield ""
    yield "  " + BETWEEN.join(_right(head, room) for head, room in zip(heads, rooms, strict=True)).rstrip()
    draws = bool(sheet.asked) and sheet.asked[sheet.drawn].probability
    for cell, line in zip(sheet.cells, lines, strict=True):
        row = BETWEEN.join(_right(text, room) for text, room in zip(line, rooms, strict=True))
        drawn = bar(float(cell.chances[sheet.drawn]), BAR_WIDTH) if draws and cell.chances else ""
        yield f"  {row}{BETWEEN}{paint(drawn, 'bar')}".rstrip()


def _right(text: str, room: int) -> str:
    return pad("", room - width(text)) + text


def _shown(sheet: Sheet, cell: Cell) -> list[str]:
    return [column.shown[place] for column, place in zip(sheet.columns, cell.places, strict=True)]


def _refusals(sheet: Sheet) -> Iterator[str]:
    """Why some cells are empty, each reason once."""
    reasons = dict.fromkeys(cell.refused for cell in sheet.cells if cell.refused)
    if reasons:
        yield ""
    yield from (f"  {REFUSED}  {reason}" for reason in reasons)


# ---------------------------------------------------------------------- drawings


def sheet_drawing(sheet: Sheet) -> Drawing:
    """Lines over one column, a map of shades over two; there are no drawings of more."""
    return _lines(sheet) if len(sheet.columns) == 1 else _maps(sheet)


def _axis(column: Column) -> Sequence[object]:
    numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in column.values)
    return column.values if numbers else column.shown


def _lines(sheet: Sheet) -> Drawing:
    (column,) = sheet.columns
    series = []
    for place, asked in enumerate(sheet.asked):
        numbers = {cell.places[0]: float(cell.chances[place]) for cell in sheet.cells if cell.chances}
        series.append(Series(asked.name, tuple(numbers.get(i) for i in range(len(column.values)))))
    percents = all(asked.probability for asked in sheet.asked)
    return line_chart(sheet.title, column.name, _axis(column), series, percents)


def _maps(sheet: Sheet) -> Drawing:
    """One map for each thing asked; the last outcome is what the others leave, but stands too."""
    down, over = sheet.columns
    ways = (list(_axis(down)), list(_axis(over)))
    drawn = []
    for place, asked in enumerate(sheet.asked):
        cells: dict[tuple[object, object], float | None] = {}
        for cell in sheet.cells:
            key = ways[0][cell.places[0]], ways[1][cell.places[1]]
            cells[key] = float(cell.chances[place]) if cell.chances else None
        title = f"{sheet.title}{tell(sheet.language, 'colon')}{asked.name}"
        drawn.append(heat_map(title, (down.name, over.name), ways, cells, asked.probability))
    return drawn[0] if len(drawn) == 1 else stacked(sheet.title, drawn)
