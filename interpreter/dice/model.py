"""What a pool of dice is: dice, groups, ordered operations and readings, as frozen data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

from .faults import LIMITS, DiceError, Fault, Limits


@dataclass(frozen=True, slots=True, order=True)
class Symbols:
    """A face that bears symbols instead of a number. `Symbols.of("S", "A", "S")`; `Symbols()` is the blank face."""

    bag: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, *names: str) -> Symbols:
        return cls(tuple(sorted(Counter(names).items())))


Face: TypeAlias = int | Symbols


@dataclass(frozen=True, slots=True)
class Die:
    """A face listed twice is twice as likely. `sides` is the highest number on the die."""

    name: str
    faces: tuple[Face, ...]
    sides: int = field(init=False, repr=False, compare=False)
    weights: tuple[tuple[Face, int], ...] = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.faces:
            raise DiceError(Fault("no_faces", f"the die {self.name} has no faces"))
        object.__setattr__(self, "sides", max((face for face in self.faces if isinstance(face, int)), default=0))
        object.__setattr__(self, "weights", tuple(Counter(self.faces).items()))
        object.__setattr__(self, "_hash", hash((self.name, self.faces)))

    def __hash__(self) -> int:
        return self._hash


def standard(sides: int, limits: Limits = LIMITS) -> Die:
    """The die numbered from 1 to `sides`."""
    limits.check("faces", sides)
    return Die(f"d{sides}", tuple(range(1, sides + 1)))


@dataclass(frozen=True, slots=True)
class Thrown:
    """A die lying on the table, as every callable handed in sees it.

    `face` is what it shows now (0 for symbols), `first` what its latest throw began with, `value` the total of the
    chain when it exploded onto itself. A die thrown again begins anew; a die replaced keeps `first`.
    """

    group: str
    die: Die
    face: int
    first: int
    value: int
    symbols: tuple[tuple[str, int], ...] = ()

    def __hash__(self) -> int:
        return hash((self.group, self.face, self.value, self.symbols))  # dice of one group are mostly alike in the rest

    @property
    def sides(self) -> int:
        return self.die.sides

    def symbol(self, name: str) -> int:
        return next((count for symbol, count in self.symbols if symbol == name), 0)


def fresh(group: str, die: Die, face: Face) -> Thrown:
    """A die just thrown."""
    if isinstance(face, Symbols):
        return Thrown(group, die, 0, 0, 0, face.bag)
    return Thrown(group, die, face, face, face)


@lru_cache(maxsize=1024)
def lying(group: str, die: Die) -> tuple[tuple[Thrown, int], ...]:
    """A die just thrown, for each of its faces, with the weight of the face."""
    return tuple((fresh(group, die, face), weight) for face, weight in die.weights)


def grown(thrown: Thrown, face: Face) -> Thrown:
    """The same die after one more throw that adds to it."""
    if isinstance(face, Symbols):
        bag = Counter(dict(thrown.symbols))
        bag.update(dict(face.bag))
        return Thrown(thrown.group, thrown.die, 0, thrown.first, thrown.value, tuple(sorted(bag.items())))
    return Thrown(thrown.group, thrown.die, face, thrown.first, thrown.value + face, thrown.symbols)


def replaced(thrown: Thrown, face: Face) -> Thrown:
    """The same die turned by hand to a face."""
    if isinstance(face, Symbols):
        return Thrown(thrown.group, thrown.die, 0, thrown.first, 0, face.bag)
    return Thrown(thrown.group, thrown.die, face, thrown.first, face)


Test: TypeAlias = Callable[[Thrown], bool]
Number: TypeAlias = Callable[[Thrown], int]
Groups: TypeAlias = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Explode:
    """Throw more while `when` holds: extra dice, or the same die adding up. `at_most` extra throws a chain, None: no
    bound."""

    when: Test
    into: Literal["new_die", "same_die"]
    at_most: int | None = None
    groups: Groups = None


@dataclass(frozen=True, slots=True)
class Reroll:
    """Throw again the dice where `where` holds: `how_many` of them, lowest first (None: all of them), each up to
    `how_often` times as long as it holds (None: until it holds no more)."""

    where: Test
    how_many: int | None = None
    how_often: int | None = 1
    groups: Groups = None


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep that many dice by `value`, all when there are fewer; the others leave the table."""

    which: Literal["highest", "lowest", "middle"]
    dice: int
    groups: Groups = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Take that many dice off the table by `value`."""

    which: Literal["highest", "lowest"]
    dice: int
    groups: Groups = None


@dataclass(frozen=True, slots=True)
class Replace:
    """Turn the dice where `where` holds to another face: a face, or a function of the die giving one."""

    where: Test
    by: Face | Callable[[Thrown], Face]
    groups: Groups = None

    def turned(self, thrown: Thrown) -> Thrown:
        return replaced(thrown, self.by(thrown) if callable(self.by) else self.by)


Operation: TypeAlias = Explode | Reroll | Keep | Drop | Replace


@dataclass(frozen=True, slots=True)
class Count:
    """How many dice pass a test."""

    name: str
    where: Test


@dataclass(frozen=True, slots=True)
class Sum:
    """The total of a number read on each die."""

    name: str
    of: Number


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest of a number read on each die; `empty` when no die is left."""

    name: str
    of: Number
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Lowest:
    """The lowest of a number read on each die; `empty` when no die is left."""

    name: str
    of: Number
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Extremes:
    """The sum of so many of the highest (or lowest) numbers read on each die: of all when there are fewer dice."""

    name: str
    which: Literal["highest", "lowest"]
    dice: int
    of: Number


def face(thrown: Thrown) -> int:
    return thrown.face


def value(thrown: Thrown) -> int:
    return thrown.value


@dataclass(frozen=True, slots=True)
class Sets:
    """Dice that show the same number `of`, over all groups.

    `largest`: the size of the largest set; `height`: its number (the highest of several as large; 0 without dice);
    `count`: how many numbers are shown by at least `at_least` dice; `parts`: how many disjoint sets of `at_least`
    dice there are (pairs for 2, so that four of a kind are two pairs).
    """

    name: str
    measure: Literal["largest", "height", "count", "parts"]
    at_least: int = 2
    of: Number = face


@dataclass(frozen=True, slots=True)
class Asked:
    """How many dice the pool has, as asked, before any operation."""

    name: str


@dataclass(frozen=True, slots=True)
class Throws:
    """How many faces were thrown: first throws, explosions of either kind and rerolls."""

    name: str


Compared: TypeAlias = Highest | Lowest | Extremes | Sets
"""Readings that look at dice beside each other, so that they do not add up."""
Reading: TypeAlias = Count | Sum | Compared | Asked | Throws

BUILT_IN: tuple[Reading, ...] = (Asked("dice"), Throws("thrown"), Sum("sum", value))


@dataclass(frozen=True, slots=True)
class Group:
    """So many equal dice of a pool; none at all is not an error."""

    name: str
    count: int
    die: Die

    def __post_init__(self) -> None:
        if self.count < 0:
            raise DiceError(Fault("negative_count", f"the group {self.name} would have {self.count} dice", self.name))


@dataclass(frozen=True, slots=True)
class Pool:
    """Groups thrown together, operations in the order in which they are done, then readings of the dice left.

    By rank, dice go by `value`, highest first; of two equal ones the one of the earlier group ranks higher, then the
    one with the higher face, then the higher first face. Where the die lies in its group never matters.
    """

    groups: tuple[Group, ...]
    operations: tuple[Operation, ...] = ()
    readings: tuple[Reading, ...] = ()

    def __post_init__(self) -> None:
        names = [group.name for group in self.groups]
        faults = _twice("group", names) + _twice("reading", [reading.name for reading in self.readings])
        for operation in self.operations:
            for name in operation.groups or ():
                if name not in names:
                    faults.append(
                        Fault("unknown_group", f"an operation names the group {name}, which the pool lacks", name)
                    )
            count = getattr(operation, "dice", 0)
            if count < 0:
                faults.append(Fault("negative_count", f"an operation would take {count} dice"))
        for reading in self.readings:
            if isinstance(reading, Extremes) and reading.dice < 0:
                faults.append(Fault("negative_count", f"the reading {reading.name} would take {reading.dice} dice"))
        if faults:
            raise DiceError(*faults)

    @property
    def dice(self) -> int:
        return sum(group.count for group in self.groups)

    def reading(self, name: str) -> Reading:
        for reading in (*self.readings, *BUILT_IN):
            if reading.name == name:
                return reading
        raise DiceError(Fault("unknown_reading", f"the pool has no reading {name}"))

    def names(self) -> tuple[str, ...]:
        """All readings: the declared ones, then the built-in ones that they do not hide."""
        return tuple(dict.fromkeys(reading.name for reading in (*self.readings, *BUILT_IN)))


def _twice(what: str, names: list[str]) -> list[Fault]:
    return [
        Fault(f"{what}_twice", f"two {what}s are named {name}") for name, times in Counter(names).items() if times > 1
    ]


def applies(operation: Operation, group: str) -> bool:
    return operation.groups is None or group in operation.groups


def rank(thrown: Thrown, position: int) -> tuple[int, int, int, int, tuple[tuple[str, int], ...]]:
    """The key by which dice go, best first, `position` being that of the group in its pool."""
    return -thrown.value, position, -thrown.face, -thrown.first, thrown.symbols


def span(operation: Keep | Drop, dice: int) -> tuple[int, int]:
    """The ranks that stay, from the first to before the second, when `dice` dice take part. An odd middle leans to
    the high side."""
    taken = min(operation.dice, dice)
    if isinstance(operation, Drop):
        return (taken, dice) if operation.which == "highest" else (0, dice - taken)
    start = {"highest": 0, "middle": (dice - taken) // 2, "lowest": dice - taken}[operation.which]
    return start, start + taken


def check_size(pool: Pool, limits: Limits) -> None:
    """Refuse a pool that is too large before anything is done with it."""
    limits.check("dice", pool.dice)
    for group in pool.groups:
        limits.check("faces", len(group.die.faces))
