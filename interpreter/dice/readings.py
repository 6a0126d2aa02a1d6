"""What is read on dice lying on the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .faults import DiceError, Fault
from .model import Asked, Count, Extremes, Highest, Lowest, Number, Pool, Reading, Sets, Sum, Thrown, Throws


def whole(read: Callable[[Thrown], int], thrown: Thrown, name: str) -> int:
    """What a callable says of a die, which must be a whole number or yes or no."""
    number = read(thrown)
    if not isinstance(number, int):
        raise DiceError(Fault("not_whole", f"the reading {name} gives {number!r} on a die, not a whole number"))
    return int(number)


def _each(dice: Iterable[Thrown], of: Number, name: str) -> list[int]:
    return [whole(of, thrown, name) for thrown in dice]


def _sets(reading: Sets, dice: Sequence[Thrown]) -> int:
    return measure(reading, Counter(_each(dice, reading.of, reading.name)))


def measure(reading: Sets, sizes: Mapping[int, int]) -> int:
    """The measure of sets whose sizes are known by their number."""
    return _MEASURES[reading.measure](sizes, reading.at_least)


def several(reading: Extremes, numbers: Iterable[int]) -> int:
    """The sum of the highest or lowest of some numbers."""
    return sum(sorted(numbers, reverse=reading.which == "highest")[: reading.dice])


def _height(sizes: Mapping[int, int], at_least: int) -> int:
    return max(((size, number) for number, size in sizes.items()), default=(0, 0))[1]


_MEASURES: dict[str, Callable[[Mapping[int, int], int], int]] = {
    "largest": lambda sizes, at_least: max(sizes.values(), default=0),
    "height": _height,
    "count": lambda sizes, at_least: sum(size >= at_least for size in sizes.values()),
    "parts": lambda sizes, at_least: sum(size // at_least for size in sizes.values()),
}

_READ: dict[type, Callable[[Any, Sequence[Thrown]], int]] = {
    Count: lambda reading, dice: sum(_each(dice, reading.where, reading.name)),
    Sum: lambda reading, dice: sum(_each(dice, reading.of, reading.name)),
    Highest: lambda reading, dice: max(_each(dice, reading.of, reading.name), default=reading.empty),
    Lowest: lambda reading, dice: min(_each(dice, reading.of, reading.name), default=reading.empty),
    Extremes: lambda reading, dice: several(reading, _each(dice, reading.of, reading.name)),
    Sets: _sets,
}


def read_one(pool: Pool, reading: Reading, dice: Sequence[Thrown], thrown: int | None) -> int:
    """One reading of the dice left on the table."""
    if isinstance(reading, Asked):
        return pool.dice
    if isinstance(reading, Throws):
        if thrown is None:
            raise DiceError(
                Fault("throws_uncounted", f"the reading {reading.name} needs the throws, which were not counted")
            )
        return thrown
    return _READ[type(reading)](reading, dice)


def read_dice(pool: Pool, dice: Sequence[Thrown], thrown: int) -> tuple[tuple[str, int], ...]:
    """All readings by name."""
    return tuple((name, read_one(pool, pool.reading(name), dice, thrown)) for name in pool.names())
