"""Tables: rows that cover every result exactly once, and cells that hold what their columns say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.kinds import is_ranged
from interpreter.checks.reader import Coverage
from interpreter.compiler.throws import dice_text
from interpreter.fields import whole
from interpreter.model import Keys, Path, Table
from interpreter.problems import some_of
from interpreter.table_rows import table_range

if TYPE_CHECKING:
    from interpreter.checks.context import Context

GAP = Check(
    "E0413",
    "results that no row of the table stands for",
    "The rows of a table with `dice` stand for every result of those dice.",
    failing="""
tables:
  encounters:
    dice: d100
    columns: [what]
    rows: {01-40: [A wolf], 41-97: [Nothing], 99-00: [A dragon]}
actions:
  walk:
    steps:
      - roll: {throw: d100}
      - say: "{table.encounters[throw].what}"
""",
    passing="""
tables:
  encounters:
    dice: d100
    columns: [what]
    rows: {01-40: [A wolf], 41-98: [Nothing], 99-00: [A dragon]}
actions:
  walk:
    steps:
      - roll: {throw: d100}
      - say: "{table.encounters[throw].what}"
""",
)
OVERLAP = Check(
    "E0414",
    "a result with two rows",
    "Each result belongs to one row of a table.",
    failing="""
tables:
  encounters:
    dice: d6
    columns: [what]
    rows: {1-3: [A wolf], 3-5: [Nothing], 6: [A dragon]}
actions:
  walk:
    steps:
      - roll: {throw: d6}
      - say: "{table.encounters[throw].what}"
""",
    passing="""
tables:
  encounters:
    dice: d6
    columns: [what]
    rows: {1-3: [A wolf], 4-5: [Nothing], 6: [A dragon]}
actions:
  walk:
    steps:
      - roll: {throw: d6}
      - say: "{table.encounters[throw].what}"
""",
)
BAD_ROW = Check(
    "E0415",
    "a row that stands for no result",
    "The rows of a table with `dice` are numbers and ranges with the lower end first, among the results of those dice.",
    failing="""
tables:
  encounters:
    dice: d6
    columns: [what]
    rows: {1-3: [A wolf], 6-4: [Nothing]}
actions:
  walk:
    steps:
      - roll: {throw: d6}
      - say: "{table.encounters[throw].what}"
""",
    passing="""
tables:
  encounters:
    dice: d6
    columns: [what]
    rows: {1-3: [A wolf], 4-6: [Nothing]}
actions:
  walk:
    steps:
      - roll: {throw: d6}
      - say: "{table.encounters[throw].what}"
""",
)
BAD_CELL = Check(
    "E0430",
    "a cell that does not suit its column",
    "A row has a cell for each column at most, and each cell holds what its column says: a number, a yes "
    "or no, one of its ids.",
    failing="""
tables:
  weapons:
    columns: {label: label, damage: number}
    rows:
      sword: [Sword, 3]
      bow: [Bow, two]
actions:
  strike:
    inputs: {weapon: {key: table.weapons}}
    steps: [{say: "{weapon.damage}"}]
""",
    passing="""
tables:
  weapons:
    columns: {label: label, damage: number}
    rows:
      sword: [Sword, 3]
      bow: [Bow, 2]
actions:
  strike:
    inputs: {weapon: {key: table.weapons}}
    steps: [{say: "{weapon.damage}"}]
""",
)
CHECKS = (GAP, OVERLAP, BAD_ROW, BAD_CELL)

# A row that is a range: its lowest and highest number, its place among the rows, its key.
Row = tuple[float, float, int, str]


def check_tables(context: Context) -> None:
    for name, table in context.system.tables.items():
        _cells(context, name, table)
        if is_ranged(table):
            _ranges(context, name, table)
        elif table.dice:
            _not_numbers(context, table)


# ---------------------------------------------------------------------- rows by number


def results(dice: str) -> tuple[int, int] | None:
    """The lowest and highest result of dice such as `2d6 + 1`."""
    found = dice_text(dice)
    if found is None:
        return None
    count, sides, flat = found
    return count + flat, count * sides + flat


def _not_numbers(context: Context, table: Table) -> None:
    first = next(iter(table.rows))
    message = f"`{first}` is no number, and this table is looked up by the result of {table.dice}."
    context.report.add(BAD_ROW, (*table.path, "rows", first), message, on="key")


def _ranges(context: Context, name: str, table: Table) -> None:
    span = results(table.dice) if table.dice else None
    rows: list[Row] = []
    sound = True
    for key in table.rows:
        path: Path = (*table.path, "rows", key)
        low, high = table_range(key, table)
        if low is None and high is None:
            message = f"`{key}` is neither a number nor a range, as the other rows are."
            context.report.add(BAD_ROW, path, message, on="key")
            sound = False
        elif low is not None and high is not None and low > high:
            message = f"This range is the wrong way round: {low} is more than {high}."
            context.report.add(BAD_ROW, path, message, "Write the lower end first.", on="key")
            sound = False
        else:
            rows.append((-math.inf if low is None else low, math.inf if high is None else high, len(rows), key))
    _overlaps(context, table, rows)
    if span is not None:
        _beyond(context, table, rows, span)
        sound = sound and _gaps(context, table, span)
    if not sound:
        context.bad_tables.add(name)


def _beyond(context: Context, table: Table, rows: list[Row], span: tuple[int, int]) -> None:
    for low, high, _, key in rows:
        if low > span[1] or high < span[0]:
            message = f"No result of {table.dice} is {key}: they go from {span[0]} to {span[1]}."
            context.report.add(BAD_ROW, (*table.path, "rows", key), message, on="key")


def _overlaps(context: Context, table: Table, rows: list[Row]) -> None:
    """Tells of rows that stand for the same number: from the lowest on, each beside the one that reaches highest."""
    highest: Row | None = None
    for row in sorted(rows):
        if highest is not None and row[0] <= highest[1]:
            first, later = sorted((highest, row), key=lambda one: one[2])
            shared = row[0] if row[0] > -math.inf else min(row[1], highest[1])
            message = (
                f"`{later[3]}` and `{first[3]}` both stand for {shared if abs(shared) < math.inf else 'any number'}."
            )
            related = (("the other row", (*table.path, "rows", first[3])),)
            context.report.add(OVERLAP, (*table.path, "rows", later[3]), message, on="key", related=related)
        highest = row if highest is None or row[1] > highest[1] else highest


def _gaps(context: Context, table: Table, span: tuple[int, int]) -> bool:
    """Whether every result has a row; tells which have none."""
    missing = Coverage(table_range(key, table) for key in table.rows).gaps(*span)
    if not missing:
        return True
    shown = ", ".join(some_of(low if low == high else f"{low}-{high}" for low, high in missing))
    message = f"No row stands for {shown}, and {table.dice} can give it."
    context.report.add(GAP, (*table.path, "rows"), message, "Add a row, or widen one.", on="key")
    return False


# ---------------------------------------------------------------------- cells


def _cells(context: Context, name: str, table: Table) -> None:
    columns = tuple(table.columns)
    rows = context.value_at((*table.path, "rows"))
    for key, row in rows.items() if isinstance(rows, Mapping) else ():
        path: Path = (*table.path, "rows", key)
        if isinstance(row, list) and len(row) > len(columns):
            shown = ", ".join(some_of(columns))
            message = f"This row has {len(row)} cells, and `{name}` has {len(columns)}: {shown}."
            hint = "A comma in a text makes two cells of it: put the text in quotes."
            context.report.add(BAD_CELL, (*path, len(columns)), message, hint)
        for column in row if isinstance(row, Mapping) else ():
            if column not in columns:
                context.unknown(BAD_CELL, (*path, column), f"column of `{name}`", str(column), columns, on="key")
        for place, column in enumerate(columns):
            cell: Path = (
                (*path, column) if isinstance(row, Mapping) else (*path, place) if isinstance(row, list) else path
            )
            _cell(context, table, key, column, cell)


def _cell(context: Context, table: Table, key: str, column: str, path: Path) -> None:
    value, declared = table.rows[key].get(column), table.columns[column]
    if value is None:
        return
    if isinstance(declared, Keys):
        if declared.ids and value not in declared.ids:
            context.unknown(BAD_CELL, path, "id for this column", str(value), declared.ids)
    elif declared == "number" and not isinstance(value, int):
        message = f"`{value}` is no whole number, and `{column}` holds numbers."
        context.report.add(BAD_CELL, path, message)
    elif declared == "flag":
        written = context.raw(path)
        if written is not None and written.lower() not in ("true", "false", "yes", "no"):
            message = f"`{written}` is neither true nor false, and `{column}` holds a yes or no."
            context.report.add(BAD_CELL, path, message)


__all__ = ["CHECKS", "check_tables", "results", "whole"]
