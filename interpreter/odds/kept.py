"""Dice that lie on the table, read and thrown again: quickly where every die counts for itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interpreter import dice

Numbers = tuple[int, ...]
Weights = dict[Numbers, int]


class Hand:
    """Dice on the table; compared by identity, which costs less than looking at every die."""

    __slots__ = ("table",)

    def __init__(self, table: dice.Table) -> None:
        self.table = table


def hand_text(hand: Hand) -> str:
    """The faces that lie there, group by group."""
    return " ".join(shown_face(thrown) for dice_left in hand.table.dice for thrown in dice_left)


def shown_face(thrown: dice.Thrown) -> str:
    """The face as people write it."""
    has_symbols = any(isinstance(face, dice.Symbols) for face in thrown.die.faces)
    return dice.face_text(dice.Symbols(thrown.symbols) if has_symbols else thrown.face)


class Counter:
    """Readings that add up die by die, of dice on the table and of dice thrown again once."""

    def __init__(self, pool: dice.Pool, names: Sequence[str], again: dice.Reroll | None) -> None:
        self.reads = [_reading(pool.reading(name)) for name in names]
        self.again = again
        self.known: dict[int, tuple[tuple[dice.Thrown, ...], Numbers, int]] = {}
        self.dice: dict[dice.Thrown, Numbers | None] = {}
        self.zero: Numbers = (0,) * len(names)
        self.plus = _PLUS.get(len(names), _plus)
        self.single: list[Weights] = []
        self.sides: list[int] = []
        for group in pool.groups:
            weights: Weights = {}
            for thrown, weight in dice.lying(group.name, group.die) if again is not None else ():
                numbers = self._numbers(thrown)
                weights[numbers] = weights.get(numbers, 0) + weight
            self.single.append(weights)
            self.sides.append(sum(weights.values()))
        self.powers: dict[tuple[int, int], Weights] = {}
        self.thrown: dict[tuple[int, ...], tuple[Weights, int]] = {}

    def _numbers(self, thrown: dice.Thrown) -> Numbers:
        return tuple([int(read(thrown)) for read in self.reads])

    def _look(self, group: tuple[dice.Thrown, ...]) -> tuple[tuple[dice.Thrown, ...], Numbers, int]:
        """The readings of the dice of a group that stay, and how many are thrown again."""
        known = self.known.get(id(group))
        if known is None:
            total, again = self.zero, 0
            for thrown in group:
                if thrown not in self.dice:
                    stays = self.again is None or not self.again.where(thrown)
                    self.dice[thrown] = self._numbers(thrown) if stays else None
                numbers = self.dice[thrown]
                if numbers is None:
                    again += 1
                else:
                    total = self.plus(total, numbers)
            known = self.known[id(group)] = group, total, again  # what is kept with it keeps its id
        return known

    def read(self, table: dice.Table) -> Numbers:
        """The readings of the dice as they lie."""
        return self._read(table)[0]

    def _read(self, table: dice.Table) -> tuple[Numbers, tuple[int, ...]]:
        """The readings of the dice that stay, and how many of each group are thrown again."""
        total, counts = self.zero, []
        for group in table.dice:
            _, numbers, again = self._look(group)
            total = self.plus(total, numbers)
            counts.append(again)
        return total, tuple(counts)

    def thrown_again(self, table: dice.Table) -> tuple[list[tuple[Numbers, int]], int]:
        """The readings once the dice that are to be thrown again are, with their weights, and the total of these."""
        stays, counts = self._read(table)
        weights, total = self._throw(counts)
        plus = self.plus
        return [(plus(stays, numbers), weight) for numbers, weight in weights.items()], total

    def _throw(self, counts: tuple[int, ...]) -> tuple[Weights, int]:
        if not counts:
            return {self.zero: 1}, 1
        if counts not in self.thrown:
            *before, count = counts
            place = len(before)
            weights, total = self._throw(tuple(before))
            found = self._convolved(weights, self._power(place, count)) if count else weights
            self.thrown[counts] = found, total * self.sides[place] ** count
        return self.thrown[counts]

    def _power(self, place: int, count: int) -> Weights:
        if count < 2:
            return self.single[place] if count else {self.zero: 1}
        if (place, count) not in self.powers:
            self.powers[place, count] = self._convolved(self._power(place, count - 1), self.single[place])
        return self.powers[place, count]

    def _convolved(self, one: Weights, other: Weights) -> Weights:
        found: Weights = {}
        plus = self.plus
        for numbers, weight in one.items():
            for more, times in other.items():
                key = plus(numbers, more)
                found[key] = found.get(key, 0) + weight * times
        return found


def _plus(one: Numbers, other: Numbers) -> Numbers:
    return tuple([a + b for a, b in zip(one, other, strict=True)])


# The commonest shapes are spelled out, as this is done for every pair of results.
_PLUS: Mapping[int, Callable[[Numbers, Numbers], Numbers]] = {
    1: lambda one, other: (one[0] + other[0],),
    2: lambda one, other: (one[0] + other[0], one[1] + other[1]),
    3: lambda one, other: (one[0] + other[0], one[1] + other[1], one[2] + other[2]),
}


def adds_up(pool: dice.Pool, names: Sequence[str], again: dice.Reroll | None) -> bool:
    """Whether readings count each die for itself, and each die is thrown again or not for itself, once."""
    plain = all(isinstance(pool.reading(name), dice.Count | dice.Sum) for name in names)
    return plain and (again is None or (again.how_many is None and again.how_often == 1))


def _reading(reading: dice.Reading) -> Callable[[dice.Thrown], Any]:
    if isinstance(reading, dice.Count):
        return reading.where
    assert isinstance(reading, dice.Sum)
    return reading.of
