"""Throwing a pool: what the operations do to dice on the table, one throw at a time. This is the meaning of a pool."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from .faults import LIMITS, DiceError, Fault, Limits
from .model import (
    Die,
    Drop,
    Explode,
    Face,
    Keep,
    Pool,
    Replace,
    Reroll,
    Thrown,
    applies,
    check_size,
    fresh,
    grown,
    rank,
    span,
)
from .readings import read_dice
from .sources import Faces, Given, Source, from_random, system

Readings: TypeAlias = tuple[tuple[str, int], ...]
Log: TypeAlias = tuple[tuple[str, tuple[tuple[Face, ...], ...]], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Dice that stay on the table: for each group of the pool its dice, best first. `thrown`: faces thrown so far,
    None when nobody counts them."""

    dice: tuple[tuple[Thrown, ...], ...]
    thrown: int | None = None


Laid: TypeAlias = tuple[tuple[Thrown, ...], Table]


class Later(Protocol):
    """Works out, from the faces of a throw, what is seldom asked of its result."""

    def rest(self, faces: Any) -> Readings:
        """The readings beside those that were worked out at once."""
        ...

    def laid(self, faces: Any) -> Laid:
        """The dice as they lie, and the table."""
        ...


class Result:
    """One throw: all readings by name, the dice left in the order they lie, and every face thrown, group by group: the
    chain of a die holds its first face and then, in the order thrown, what its explosions and rerolls brought, extra
    dice included.

    `asked` are the readings that the pool declares, in its order, and how many dice and throws there were."""

    __slots__ = ("_faces", "_laid", "_later", "asked", "log")

    def __init__(
        self, asked: Readings, log: Log, laid: Laid | None, later: Later | None = None, faces: Any = None
    ) -> None:
        self.asked = asked
        self.log = log
        self._laid = laid
        self._later = later
        self._faces = faces

    @property
    def readings(self) -> Readings:
        return self.asked if self._later is None else (*self.asked, *self._later.rest(self._faces))

    @property
    def dice(self) -> tuple[Thrown, ...]:
        return self._lying()[0]

    @property
    def table(self) -> Table:
        return self._lying()[1]

    def _lying(self) -> Laid:
        if self._laid is None:
            assert self._later is not None
            self._laid = self._later.laid(self._faces)
        return self._laid

    def __getitem__(self, name: str) -> int:
        for reading, number in self.asked:
            if reading == name:
                return number
        for reading, number in self.readings:
            if reading == name:
                return number
        raise DiceError(Fault("unknown_reading", f"the pool has no reading {name}"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return (self.readings, self.log, self.dice, self.table) == (other.readings, other.log, other.dice, other.table)

    def __hash__(self) -> int:
        return hash((self.readings, self.log))

    def __repr__(self) -> str:
        return f"Result(readings={self.readings!r}, dice={self.dice!r}, log={self.log!r}, table={self.table!r})"


class _Lying:
    """A die during the throw. `index` is that of the die of the pool that it is or comes from."""

    __slots__ = ("index", "thrown")

    def __init__(self, thrown: Thrown, index: int) -> None:
        self.thrown = thrown
        self.index = index


class _Hand:
    """The dice of one throw, and what it takes to throw more of them."""

    def __init__(self, pool: Pool, source: Source, limits: Limits) -> None:
        self.positions = {group.name: place for place, group in enumerate(pool.groups)}
        self.source = source
        self.limits = limits
        self.thrown = 0
        self.log: dict[str, list[list[Face]]] = {group.name: [] for group in pool.groups}
        self.dice: list[_Lying] = []

    def throw(self, die: Die, group: str, index: int) -> Face:
        self.thrown += 1
        self.limits.check("throws", self.thrown)
        face = self.source(die, group, index)
        chains = self.log[group]
        while len(chains) <= index:
            chains.append([])
        chains[index].append(face)
        return face

    def again(self, lying: _Lying) -> Face:
        return self.throw(lying.thrown.die, lying.thrown.group, lying.index)

    def ranked(self, dice: list[_Lying], lowest_first: bool = False) -> list[_Lying]:
        """In order of rank; of dice that are alike in everything the earlier comes first."""
        positions = self.positions
        return sorted(dice, key=lambda one: rank(one.thrown, positions[one.thrown.group]), reverse=lowest_first)

    def result(self, pool: Pool) -> Result:
        dice = tuple(lying.thrown for lying in self.dice)
        ordered = [lying.thrown for lying in self.ranked(self.dice)]
        table = Table(
            tuple(tuple(thrown for thrown in ordered if thrown.group == group.name) for group in pool.groups),
            self.thrown,
        )
        log = tuple((name, tuple(tuple(chain) for chain in chains)) for name, chains in self.log.items())
        return Result(read_dice(pool, dice, self.thrown), log, (dice, table))


def _explode(hand: _Hand, operation: Explode) -> None:
    after: list[_Lying] = []
    for lying in hand.dice:
        after.append(lying)
        last, extra = lying, 0
        while applies(operation, lying.thrown.group) and operation.at_most != extra and operation.when(last.thrown):
            new_face = hand.again(last)
            extra += 1
            if operation.into == "same_die":
                last.thrown = grown(last.thrown, new_face)
            else:
                last = _Lying(fresh(lying.thrown.group, lying.thrown.die, new_face), lying.index)
                after.append(last)
    hand.dice = after


def _chosen(hand: _Hand, operation: Reroll) -> list[_Lying]:
    chosen = [lying for lying in hand.dice if applies(operation, lying.thrown.group) and operation.where(lying.thrown)]
    if operation.how_many is None:
        return chosen
    return hand.ranked(chosen, lowest_first=True)[: operation.how_many]


def _reroll(hand: _Hand, operation: Reroll) -> None:
    for lying in _chosen(hand, operation):
        times = 0
        while times != operation.how_often and (times == 0 or operation.where(lying.thrown)):
            lying.thrown = fresh(lying.thrown.group, lying.thrown.die, hand.again(lying))
            times += 1


def _rank(hand: _Hand, operation: Keep | Drop) -> None:
    taking_part = hand.ranked([lying for lying in hand.dice if applies(operation, lying.thrown.group)])
    start, end = span(operation, len(taking_part))
    gone = {id(lying) for lying in (*taking_part[:start], *taking_part[end:])}
    hand.dice = [lying for lying in hand.dice if id(lying) not in gone]


def _replace(hand: _Hand, operation: Replace) -> None:
    for lying in hand.dice:
        if applies(operation, lying.thrown.group) and operation.where(lying.thrown):
            lying.thrown = operation.turned(lying.thrown)


_DO: dict[type, Callable[[_Hand, Any], None]] = {
    Explode: _explode,
    Reroll: _reroll,
    Keep: _rank,
    Drop: _rank,
    Replace: _replace,
}


def throw(pool: Pool, source: Source, limits: Limits = LIMITS) -> Result:
    """Throw a pool. All dice are thrown first, group by group; then each operation goes over the dice in the order
    they lie. An extra die lies right after the one it comes from, and its own extra dice after it."""
    check_size(pool, limits)
    hand = _Hand(pool, source, limits)
    for group in pool.groups:
        for index in range(group.count):
            hand.dice.append(_Lying(fresh(group.name, group.die, hand.throw(group.die, group.name, index)), index))
    for operation in pool.operations:
        _DO[type(operation)](hand, operation)
    return hand.result(pool)


def throw_given(pool: Pool, faces: Faces, limits: Limits = LIMITS) -> Result:
    """The throw that people made with their own dice; a DiceError says what faces are missing, left over or not on
    the die."""
    given = Given(faces, {group.name: group.count for group in pool.groups})
    given.check({group.name: group.die for group in pool.groups})
    result = throw(pool, given, limits)
    given.finish()
    return result


def sample(pool: Pool, generator: random.Random, limits: Limits = LIMITS) -> Result:
    """One throw of many, for simulations."""
    return throw(pool, from_random(generator), limits)


def throw_again(pool: Pool, table: Table, operation: Reroll, source: Source, limits: Limits = LIMITS) -> Result:
    """Throw dice on the table again; readings follow the new faces. For the source, and in the log, only those dice
    count: the first of a group is its best die thrown again."""
    hand, _ = _laid(pool, table, operation, source, limits)
    _reroll(hand, operation)
    return hand.result(pool)


def throw_again_given(pool: Pool, table: Table, operation: Reroll, faces: Faces, limits: Limits = LIMITS) -> Result:
    """The same with people's own dice: the faces are those of the dice thrown again, and of no others."""
    _, counts = _laid(pool, table, operation, system(), limits)
    given = Given(faces, counts)
    given.check({group.name: group.die for group in pool.groups})
    result = throw_again(pool, table, operation, given, limits)
    given.finish()
    return result


def _laid(pool: Pool, table: Table, operation: Reroll, source: Source, limits: Limits) -> tuple[_Hand, dict[str, int]]:
    """The dice of a table in a hand, those to be thrown again numbered in each group."""
    hand = _Hand(pool, source, limits)
    hand.thrown = table.thrown or 0
    hand.dice = [_Lying(thrown, 0) for dice in table.dice for thrown in dice]
    chosen = {id(lying) for lying in _chosen(hand, operation)}
    counts = dict.fromkeys(hand.positions, 0)
    for lying in hand.dice:
        if id(lying) in chosen:
            lying.index = counts[lying.thrown.group]
            counts[lying.thrown.group] += 1
    return hand, counts
