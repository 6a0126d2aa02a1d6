"""The quick way to throw the commonest pools: faces looked up in tables, with the result that throw would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .faults import LIMITS, DiceError
from .model import (
    BUILT_IN,
    Asked,
    Count,
    Extremes,
    Group,
    Highest,
    Lowest,
    Pool,
    Reading,
    Sets,
    Sum,
    Thrown,
    Throws,
    check_size,
    fresh,
)
from .readings import measure, several, whole
from .sources import Source
from .throw import Result, Table


class _Column(dict[int, int]):
    """What a reading says of each face of a die, found when it is first asked."""

    def __init__(self, read: Callable[[Thrown], int], look: Callable[[int], Thrown], name: str) -> None:
        self._read, self._look, self._name = read, look, name

    def __missing__(self, face: int) -> int:
        value = self[face] = whole(self._read, self._look(face), self._name)
        return value


class _Lying(dict[int, Thrown]):
    """A die that shows each face."""

    def __init__(self, group: Group) -> None:
        self._group = group

    def __missing__(self, face: int) -> Thrown:
        value = self[face] = fresh(self._group.name, self._group.die, face)
        return value


class Quick:
    """Throws one pool, any number of times. It never changes, but for what it remembers of faces."""

    def __init__(self, pool: Pool) -> None:
        self._count = pool.dice
        self._lying = [_Lying(group) for group in pool.groups]
        self._groups = tuple((group.name, group.die, group.count) for group in pool.groups)
        own = {reading.name for reading in pool.readings}
        built_in = tuple(reading for reading in BUILT_IN if reading.name not in own)
        self._constant = tuple((one.name, self._count) for one in built_in if isinstance(one, Asked | Throws))
        self._own = self._named(pool.readings)
        self._rest = self._named(one for one in built_in if not isinstance(one, Asked | Throws))

    def _named(self, readings: Iterable[Reading]) -> tuple[tuple[str, Callable[[list[list[int]]], int]], ...]:
        return tuple((reading.name, self._reader(reading)) for reading in readings)

    def _reader(self, reading: Reading) -> Callable[[list[list[int]]], int]:
        if isinstance(reading, Asked | Throws):
            return lambda faces: self._count
        of = reading.where if isinstance(reading, Count) else reading.of
        columns = [_Column(of, one.__getitem__, reading.name).__getitem__ for one in self._lying]
        return _reader(reading, columns)

    def throw(self, source: Source) -> Result:
        """The dice thrown by a source of faces."""
        faces: list[list[Any]] = []
        log = []
        several = getattr(source, "several", None)
        for name, die, count in self._groups:
            shown = several(die, count) if several else [source(die, name, place) for place in range(count)]
            faces.append(shown)
            log.append((name, tuple([(face,) for face in shown])))
        asked = [(name, read(faces)) for name, read in self._own]
        return Result((*asked, *self._constant), tuple(log), None, self, faces)

    def rest(self, faces: list[list[int]]) -> tuple[tuple[str, int], ...]:
        """The readings that nobody declared."""
        return tuple((name, read(faces)) for name, read in self._rest)

    def laid(self, faces: list[list[int]]) -> tuple[tuple[Thrown, ...], Table]:
        """The dice as they lie, and the table."""
        dice = tuple(look[face] for look, shown in zip(self._lying, faces, strict=True) for face in shown)
        table = tuple(
            tuple(look[face] for face in sorted(shown, reverse=True))
            for look, shown in zip(self._lying, faces, strict=True)
        )
        return dice, Table(table, self._count)


def _reader(reading: Reading, columns: list[Callable[[int], int]]) -> Callable[[list[list[int]]], int]:
    """A reading as a function of the faces, group by group."""
    if len(columns) == 1 and isinstance(reading, Count | Sum):
        column = columns[0]
        return lambda faces: sum(map(column, faces[0]))

    def each(faces: list[list[int]]) -> Iterable[int]:
        return [number for column, shown in zip(columns, faces, strict=True) for number in map(column, shown)]

    if isinstance(reading, Highest | Lowest):
        best, empty = (max if isinstance(reading, Highest) else min), reading.empty
        return lambda faces: best(each(faces), default=empty)
    if isinstance(reading, Extremes):
        return lambda faces: several(reading, each(faces))
    if isinstance(reading, Sets):
        return lambda faces: measure(reading, Counter(each(faces)))
    return lambda faces: sum(each(faces))


def quick(pool: Pool) -> Quick | None:
    """A quick way for dice with numbers that are thrown once and read; None for any other pool."""
    if pool.operations or not all(isinstance(face, int) for group in pool.groups for face in group.die.faces):
        return None
    try:
        check_size(pool, LIMITS)
    except DiceError:  # whoever throws it is told
        return None
    return Quick(pool)
