"""Dice that lie on the table, read and thrown again: quickly where every die counts for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from interpreter import dice

Numbers = tuple[int, ...]
Weights = dict[Numbers, int]


class Hand:
    """Dice on the table; compared by identity, which costs less than looking at every die."""

    __slots__ = ("table",)

    def __init__(self, table: dice.Table) -> None:
        self.table = table


def fresh(group: dice.Group) -> list[tuple[dice.Thrown, int]]:
    """The faces of a group's die just thrown, with their weights."""
    found = []
    for face, weight in group.die.weights:
        if isinstance(face, dice.Symbols):
            found.append((dice.Thrown(group.name, group.die, 0, 0, 0, face.bag), weight))
        else:
            found.append((dice.Thrown(group.name, group.die, face, face, face), weight))
    return found


class Counter:
    """Readings that add up die by die, of dice on the table and of dice thrown again once."""

    def __init__(self, pool: dice.Pool, names: Sequence[str], again: dice.Reroll | None) -> None:
        self.reads = [_reading(pool.reading(name)) for name in names]
        self.again = again
        self.known: dict[int, tuple[dice.Thrown, Numbers, bool]] = {}
        self.zero: Numbers = (0,) * len(names)
        self.single: list[Weights] = []
        self.sides: list[int] = []
        for group in pool.groups:
            weights: Weights = {}
            for thrown, weight in fresh(group) if again is not None else ():
                numbers = self._numbers(thrown)
                weights[numbers] = weights.get(numbers, 0) + weight
            self.single.append(weights)
            self.sides.append(sum(weights.values()))
        self.powers: dict[tuple[int, int], Weights] = {}
        self.thrown: dict[tuple[int, ...], tuple[Weights, int]] = {}

    def _numbers(self, thrown: dice.Thrown) -> Numbers:
        return tuple([int(read(thrown)) for read in self.reads])

    def _look(self, thrown: dice.Thrown) -> tuple[dice.Thrown, Numbers, bool]:
        known = self.known.get(id(thrown))
        if known is None:
            again = self.again is not None and self.again.where(thrown)
            known = self.known[id(thrown)] = thrown, self._numbers(thrown), again
        return known

    def read(self, table: dice.Table) -> Numbers:
        """The readings of the dice as they lie."""
        return self._read(table)[0]

    def _read(self, table: dice.Table) -> tuple[Numbers, tuple[int, ...]]:
        """The readings of the dice that stay, and how many of each group are thrown again."""
        total = [0] * len(self.reads)
        counts = []
        for group in table.dice:
            count = 0
            for thrown in group:
                _, numbers, again = self._look(thrown)
                if again:
                    count += 1
                else:
                    for place, number in enumerate(numbers):
                        total[place] += number
            counts.append(count)
        return tuple(total), tuple(counts)

    def thrown_again(self, table: dice.Table) -> tuple[Weights, int]:
        """The readings once the dice that are to be thrown again are, and the total of their weights."""
        stays, counts = self._read(table)
        if counts not in self.thrown:
            self.thrown[counts] = self._throw(counts)
        weights, total = self.thrown[counts]
        return {_plus(stays, numbers): weight for numbers, weight in weights.items()}, total

    def _throw(self, counts: tuple[int, ...]) -> tuple[Weights, int]:
        weights: Weights = {self.zero: 1}
        total = 1
        for place, count in enumerate(counts):
            weights = _convolved(weights, self._power(place, count))
            total *= self.sides[place] ** count
        return weights, total

    def _power(self, place: int, count: int) -> Weights:
        if count == 0:
            return {self.zero: 1}
        if (place, count) not in self.powers:
            self.powers[place, count] = _convolved(self._power(place, count - 1), self.single[place])
        return self.powers[place, count]


def _plus(one: Numbers, other: Numbers) -> Numbers:
    return tuple([a + b for a, b in zip(one, other, strict=True)])


def _convolved(one: Weights, other: Weights) -> Weights:
    found: Weights = {}
    for numbers, weight in one.items():
        for more, times in other.items():
            key = _plus(numbers, more)
            found[key] = found.get(key, 0) + weight * times
    return found


def adds_up(pool: dice.Pool, names: Sequence[str], again: dice.Reroll | None) -> bool:
    """Whether readings count each die for itself, and each die is thrown again or not for itself, once."""
    plain = all(isinstance(pool.reading(name), dice.Count | dice.Sum) for name in names)
    return plain and (again is None or (again.how_many is None and again.how_often == 1))


def _reading(reading: dice.Reading) -> Callable[[dice.Thrown], Any]:
    if isinstance(reading, dice.Count):
        return reading.where
    assert isinstance(reading, dice.Sum)
    return reading.of
