"""Probabilities and numbers as people write them: percentages, short fractions, bars."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from interpreter.render.odds_phrases import tell
from interpreter.render.style import Paint, pad, width

Chance = Fraction | float
# Longer fractions say less than the percentage beside them.
LONGEST_FRACTION = 15
BAR_WIDTH = 20
LONGEST_LABEL = 34
MOST_ROWS = 14
# The rarest values at both ends, up to so much each, are told together.
RARE = Fraction(1, 1000)
# Short distributions are told in full.
FEW_ROWS = 7
EIGHTHS = " ▏▎▍▌▋▊▉"
_NUMBER = re.compile(r"[≤≥]? ?-?\d+(–-?\d+)?")


@dataclass(frozen=True, slots=True)
class Row:
    """A name with its probability; `depth` is how far it stands in. Sampled ones lie between `ends`, most likely."""

    label: str
    chance: Chance
    depth: int = 0
    ends: tuple[float, float] | None = None


def percent(chance: Chance, language: str, digits: int = 2) -> str:
    """What is not quite nothing, or not quite sure, never looks as if it were."""
    least = Fraction(1, 2 * 10 ** (digits + 2))
    if 0 < chance < least:
        return f"<{_percentage(Fraction(1, 10 ** (digits + 2)), language, digits)}"
    if 1 - least < chance < 1:
        return f">{_percentage(1 - Fraction(1, 10 ** (digits + 2)), language, digits)}"
    return _percentage(chance, language, digits)


def _percentage(chance: Chance, language: str, digits: int) -> str:
    whole = chance in (0, 1)
    return f"{decimal(chance * 100, language, 0 if whole else digits, False)}{tell(language, 'percent')}"


def decimal(number: Chance, language: str, digits: int = 2, short: bool = True) -> str:
    """A number with a few digits; whole ones without, if `short`."""
    if short and number == int(number):
        return str(int(number))
    unit = 10**digits
    rounded = math.floor(Fraction(number) * unit + Fraction(1, 2))
    if short and not rounded:
        return f"{'<' if number > 0 else '>-'}{decimal(Fraction(1, unit), language, digits, False)}"
    sign, (above, below) = "-" if rounded < 0 else "", divmod(abs(rounded), unit)
    return f"{sign}{above}{tell(language, 'point')}{below:0{digits}}" if digits else f"{sign}{above}"


def fraction(chance: Chance) -> str:
    """The fraction, while it is short; empty where the percentage says all."""
    if not isinstance(chance, Fraction) or chance in (0, 1) or chance.denominator > 10**LONGEST_FRACTION:
        return ""
    text = str(chance)
    return text if len(text) <= LONGEST_FRACTION else ""


def bar(part: float, columns: int = BAR_WIDTH) -> str:
    """A bar of so many columns for 1, in eighths of a column."""
    eighths = round(min(1.0, max(0.0, part)) * columns * 8)
    if part > 0 and not eighths:
        eighths = 1
    return "█" * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")


def rows_text(rows: Sequence[Row], language: str, paint: Paint, most: float | None = None) -> Iterator[str]:
    """Rows as a table: name, percentage, fraction where one is short, bar."""
    room = min(LONGEST_LABEL, _widest(rows))
    numbers = all(_NUMBER.fullmatch(row.label) for row in rows)
    labels = [f"{row.label:>{room}}" if numbers else pad("  " * row.depth + row.label, room) for row in rows]
    percents = [percent(row.chance, language) for row in rows]
    seconds = [_ends(row.ends, language) if row.ends else fraction(row.chance) for row in rows]
    wide, second = max(map(len, percents), default=0), max(map(len, seconds), default=0)
    longest = most or max((float(row.chance) for row in rows), default=0) or 1
    for row, label, told, more in zip(rows, labels, percents, seconds, strict=True):
        shown = paint(bar(float(row.chance) / longest), "bar")
        yield f"  {label}  {told:>{wide}}  {f'{more:>{second}}  ' if second else ''}{shown}".rstrip()


def _widest(rows: Sequence[Row]) -> int:
    return max((2 * row.depth + width(row.label) for row in rows), default=0)


def _ends(ends: tuple[float, float], language: str) -> str:
    low, high = (decimal(end * 100, language, 2, False) for end in ends)
    return tell(language, "between", low=low, high=high)


# ---------------------------------------------------------------------- distributions


def mean(spread: Mapping[Any, Chance]) -> Chance | None:
    """The mean of numbers; None where they are none."""
    total = sum(spread.values())
    if not spread or not total or not all(_is_number(value) for value in spread):
        return None
    found: Chance = sum(value * chance for value, chance in spread.items()) / total
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def gathered(spread: Mapping[Any, Chance], most: int = MOST_ROWS) -> list[tuple[tuple[Any, Any], Chance]]:
    """A distribution in few rows, each with the first and the last value that it stands for; an open end is None."""
    if len(spread) <= FEW_ROWS or not all(_is_number(value) for value in spread):
        return [((value, value), chance) for value, chance in spread.items()]
    items = sorted(spread.items())
    low, high = _rare(items), len(items) - _rare(items[::-1])
    found: list[tuple[tuple[Any, Any], Chance]] = []
    if low > 1:
        found.append(((None, items[low - 1][0]), sum(chance for _, chance in items[:low])))
    first, last = (low if low > 1 else 0), (high if len(items) - high > 1 else len(items))
    size = max(1, -(-(last - first) // most))
    for start in range(first, last, size):
        part = items[start : min(start + size, last)]
        found.append(((part[0][0], part[-1][0]), sum(chance for _, chance in part)))
    if last < len(items):
        found.append(((items[last][0], None), sum(chance for _, chance in items[last:])))
    return found


def _rare(items: Sequence[tuple[Any, Chance]]) -> int:
    """How many items at the beginning come to so little together."""
    total: Chance = 0
    for count, (_, chance) in enumerate(items):
        total += chance
        if total > RARE:
            return count
    return 0
