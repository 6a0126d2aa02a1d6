"""Readings that cannot be added up, as they go from die to die: the highest, the lowest, some of these, and sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .model import Extremes, Highest, Lowest, Reading, Sets, Thrown
from .question import BelowNothing
from .readings import measure, several, whole

NO_DIE = 1 << 200
"""Stands for the lowest of no dice; its opposite for the highest."""


class Extreme:
    """The highest (or lowest) number, as it goes."""

    closes = False
    enough = 1

    def __init__(self, reading: Highest | Lowest, cap: int | None) -> None:
        self._reading = reading
        self._cap = cap
        self.best: Callable[[int, int], int] = max if isinstance(reading, Highest) else min
        self.start = -NO_DIE if isinstance(reading, Highest) else NO_DIE

    def datum(self, thrown: Thrown) -> int:
        number = whole(self._reading.of, thrown, self._reading.name)
        return number if self._cap is None else min(number, self._cap)

    def feed(self, state: Any, datum: int, dice: int) -> Any:
        return self.best(state, datum)

    def close(self, state: Any, datum: int) -> Any:
        return state

    def finish(self, state: Any) -> int:
        return int(state)

    def over(self, data: Sequence[int]) -> int:
        number = self.start
        for datum in data:
            number = self.best(number, datum)
        return number


class Several:
    """The sum of so many of the highest (or lowest) numbers: those that count so far.

    It is cut at its cap in the end; a number at the cap is as good as any above, if none is below nothing.
    """

    closes = False
    start: tuple[int, ...] = ()

    def __init__(self, reading: Extremes, cap: int | None, place: int) -> None:
        self._reading = reading
        self._cap = cap
        self._place = place
        self.descending = reading.which == "highest"
        self.enough = reading.dice

    def datum(self, thrown: Thrown) -> int:
        number = whole(self._reading.of, thrown, self._reading.name)
        if self._cap is None:
            return number
        if number < 0:
            raise BelowNothing(self._place)
        return min(number, self._cap)

    def feed(self, state: Any, datum: int, dice: int) -> Any:
        more = [datum] * min(dice, self.enough)
        return tuple(sorted((*state, *more), reverse=self.descending)[: self.enough])

    def close(self, state: Any, datum: int) -> Any:
        return state

    def finish(self, state: Any) -> int:
        return sum(state)

    def over(self, data: Sequence[int]) -> int:
        return several(self._reading, data)

    def in_line(self, data: Sequence[int]) -> bool:
        """Whether dice looked at in an order that gives these numbers come with those that count first."""
        return list(data) == sorted(data, reverse=self.descending)


class Sizes:
    """The measure of sets, as it goes: the dice so far of the number looked at, then what the closed sets gave."""

    closes = True

    def __init__(self, reading: Sets) -> None:
        self._reading = reading
        self._add = _CLOSE[reading.measure]
        self.start = (0, (0, 0))

    def datum(self, thrown: Thrown) -> int:
        return whole(self._reading.of, thrown, self._reading.name)

    def feed(self, state: Any, datum: int, dice: int) -> Any:
        return state[0] + dice, state[1]

    def close(self, state: Any, datum: int) -> Any:
        size, known = state
        return (0, self._add(known, size, datum, self._reading.at_least)) if size else state

    def finish(self, state: Any) -> int:
        """Of a state whose last number is closed."""
        return int(state[1][1])

    def over(self, data: Sequence[int]) -> int:
        return measure(self._reading, Counter(data))


_CLOSE: dict[str, Callable[[tuple[int, int], int, int, int], tuple[int, int]]] = {
    "largest": lambda known, size, number, at_least: (0, max(known[1], size)),
    "height": lambda known, size, number, at_least: max(known, (size, number)) if known[0] else (size, number),
    "count": lambda known, size, number, at_least: (0, known[1] + (size >= at_least)),
    "parts": lambda known, size, number, at_least: (0, known[1] + size // at_least),
}

Look: TypeAlias = Extreme | Several | Sizes


def looks_of(readings: Sequence[Reading], caps: Sequence[int | None]) -> list[Look | None]:
    """None for a reading that adds up."""
    return [_look_of(reading, cap, place) for place, (reading, cap) in enumerate(zip(readings, caps, strict=True))]


def _look_of(reading: Reading, cap: int | None, place: int) -> Look | None:
    if isinstance(reading, Highest | Lowest):
        return Extreme(reading, cap)
    if isinstance(reading, Extremes):
        return Several(reading, cap, place)
    return Sizes(reading) if isinstance(reading, Sets) else None
