"""Rows of tables that stand for numbers."""

from __future__ import annotations

from interpreter.fields import whole
from interpreter.model import Table


def table_range(key: str, table: Table) -> tuple[int | None, int | None]:
    """The numbers that a row stands for: `7`, `01-40`, `10+`, `7..9`, `..6`; `00` is 100 on a d100."""
    for mark in ("..", "-"):
        low, found, high = key.partition(mark)
        if found and (low or mark == ".."):  # `-1` is a number
            return _row_number(low, table), _row_number(high, table)
    if key.endswith("+"):
        return _row_number(key[:-1], table), None
    number = _row_number(key, table)
    return number, number


def _row_number(text: str, table: Table) -> int | None:
    text = text.strip()
    if not text:
        return None
    return 100 if text == "00" and table.dice.endswith("d100") else whole(text)
