"""What a throw can give, as whole-number weights, for each situation it is made in."""

from __future__ import annotations

import typing
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from interpreter import dice
from interpreter.expressions import reads
from interpreter.odds.constants import die_registers, read_by, same, writes
from interpreter.odds.kept import Counter, Hand, adds_up
from interpreter.odds.limits import NoOdds, OddsError
from interpreter.odds.liveness import Liveness
from interpreter.odds.lookup import told
from interpreter.odds.some import MOST, Any, with_any
from interpreter.pools import pool_of, reroll_of
from interpreter.program import Rethrow, Throw

Key = tuple[typing.Any, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """Values with their weights; what the weights lack to the total belongs to no values."""

    items: tuple[tuple[Key, int], ...]
    total: int


@dataclass(slots=True)
class DiceBag:
    """Remembers distributions for as long as one question lasts. Hands may be shared with another bag."""

    limits: dice.Limits
    hands: dict[dice.Table, Hand] = field(default_factory=dict)
    known: dict[Hashable, Weighed] = field(default_factory=dict)

    def hand(self, table: dice.Table) -> Hand:
        return self.hands.setdefault(table, Hand(table))


def written_by(liveness: Liveness, place: int) -> tuple[int, ...]:
    """The registers that a throw writes and something later looks at; none: it need not be thrown."""
    after = liveness.after[place]
    looks = liveness.looks
    return tuple(sorted(slot for slot in writes(liveness.flow.points[place].op) if after & looks.of.get(slot, 0)))


class Roller:
    """A throw at one point: a function from its situation, with registers in the order of `layout`, to what it can
    give.
    """

    def __init__(
        self, liveness: Liveness, place: int, layout: Sequence[int], registers: Sequence[object], bag: DiceBag
    ) -> None:
        point = liveness.flow.points[place]
        assert isinstance(point.op.source, Throw | Rethrow)
        self.source = point.op.source
        self.plan = self.source if isinstance(self.source, Throw) else self.source.throw
        self.bag = bag
        self.liveness = liveness
        self.slots = written_by(liveness, place)
        self.base = list(registers)
        for slot, value in point.known.items():
            if slot >= 0:
                self.base[slot] = value
        needed = read_by(self.source)
        self.read = tuple(sorted(needed))
        self.given = [(index, slot) for index, slot in enumerate(layout) if slot in needed]
        self.known = point.known
        after = self.after = liveness.after[place]
        self.classify = [liveness.looks.classifier(slot, after) for slot in self.slots]
        self.names = {reading.slot: reading.name or "total" for reading in self.plan.readings}
        self.counters: dict[Hashable, tuple[dice.Pool, dice.Reroll, Counter | None]] = {}
        self.caps = {slot: liveness.looks.settled(slot, after) for slot in self.slots if slot in self.names}

    def __call__(self, key: Key) -> Weighed:
        values = self.base.copy()
        for place, slot in self.given:
            values[slot] = told(key[place])
        asked = (self.source, self.slots, tuple([(values[slot], type(values[slot])) for slot in self.read]))
        if asked not in self.bag.known:
            self.bag.known[asked] = self._merged(self._thrown(values))
        return self.bag.known[asked]

    def _merged(self, thrown: Weighed) -> Weighed:
        """Values that nothing later can tell apart are one."""
        if not any(self.classify):
            return thrown
        items: dict[Key, int] = {}
        for values, weight in thrown.items:
            key = tuple([v if one is None else one(v) for v, one in zip(values, self.classify, strict=True)])
            items[key] = items.get(key, 0) + weight
        return Weighed(tuple(items.items()), thrown.total)

    def _thrown(self, values: list[object]) -> Weighed:
        plain = [hand.table if isinstance(hand, Hand) else hand for hand in values]
        if isinstance(self.source, Rethrow):
            return self._thrown_again(self.source, plain)
        pool = pool_of(self.plan, plain)
        if self.plan.faces not in self.slots:
            return self._readings(pool)
        tables = dice.kept_distribution(pool, self._classes(pool, plain), limits=self.bag.limits)
        return self._of_tables(pool, tables)

    def _thrown_again(self, again: Rethrow, plain: list[object]) -> Weighed:
        table = plain[self.plan.faces] if self.plan.faces is not None else None
        if not isinstance(table, dice.Table):
            raise OddsError(NoOdds("dice", f"`{self.plan.name}` is thrown again before it was thrown."))
        asked = [slot for slot in self.slots if slot in self.names]
        others = tuple([(plain[slot], type(plain[slot])) for slot in self.read if slot != self.plan.faces])
        if others not in self.counters:
            pool, reroll = pool_of(self.plan, plain), reroll_of(again, plain)
            names = [self.names[slot] for slot in asked]
            quick = self.plan.faces not in self.slots and adds_up(pool, names, reroll)
            self.counters[others] = pool, reroll, Counter(pool, names, reroll) if quick else None
        pool, reroll, counter = self.counters[others]
        if counter is None:
            found = dice.reroll_distribution(pool, table, reroll, self._classes(pool, plain), self.bag.limits)
            return self._of_tables(pool, found)
        weights, total = counter.thrown_again(table)
        flat, count = self.plan.flat, pool.dice
        items = [
            (self._ordered(asked, [n + flat for n in numbers], count), weight) for numbers, weight in weights.items()
        ]
        return Weighed(tuple(items), total)

    def _of_tables(self, pool: dice.Pool, tables: dice.Distribution[dice.Table]) -> Weighed:
        """The readings and the dice themselves."""
        asked = [slot for slot in self.slots if slot in self.names]
        names = [self.names[slot] for slot in asked]
        counter = Counter(pool, names, None) if adds_up(pool, names, None) else None
        items: dict[Key, int] = {}
        for table, weight in tables.outcomes.items():
            numbers = dice.read(pool, table, names) if counter is None else counter.read(table)
            given: dict[int, object] = {slot: n + self.plan.flat for slot, n in zip(asked, numbers, strict=True)}
            if self.plan.faces is not None:
                given[self.plan.faces] = self.bag.hand(table)
            key = tuple([given.get(slot, pool.dice) for slot in self.slots])
            items[key] = items.get(key, 0) + weight
        return Weighed(tuple(items.items()), tables.total)

    def _readings(self, pool: dice.Pool) -> Weighed:
        """Without dice to keep: the readings that are looked at, cut where looks no longer tell numbers apart."""
        any_of = self._any_of(pool)
        asked = [slot for slot in self.slots if slot in self.names and slot not in any_of]
        names = [self.names[slot] for slot in asked]
        flat, count = self.plan.flat, pool.dice
        caps = {self.names[slot]: cap - flat for slot in asked if (cap := self.caps[slot]) is not None}
        if any_of:
            ways, total = with_any(pool, names, caps, list(any_of.values()), self.bag.limits)
            order = [*asked, *any_of]
            items = [
                (self._ordered(order, [n + flat for n in one + other], count), w) for (one, other), w in ways.items()
            ]
            return Weighed(tuple(items), total)
        found = dice.distribution(pool, names, caps, self.bag.limits)
        items = [(self._ordered(asked, [n + flat for n in numbers], count), w) for numbers, w in found.outcomes.items()]
        return Weighed(tuple(items), found.total)

    def _any_of(self, pool: dice.Pool) -> dict[int, Any]:
        """The counts of which it only matters whether any die counts, or whether all do."""
        if pool.operations or len(self.slots) < 2:
            return {}
        found: dict[int, Any] = {}
        for slot in self.slots:
            reading = pool.reading(self.names[slot]) if slot in self.names else None
            if isinstance(reading, dice.Count) and len(found) < MOST:
                one = self._any(slot, reading, pool.dice)
                if one is not None:
                    found[slot] = one
        return found

    def _any(self, slot: int, reading: dice.Count, count: int) -> Any | None:
        flat, cap = self.plan.flat, self.caps[slot]
        if cap is not None and cap - flat <= 1:
            return Any(reading.where, False, 0, 1)
        classify = self.liveness.looks.classifier(slot, self.after)
        if classify is None or count == 0:
            return None
        below = {classify(number + flat) for number in range(count)}
        return Any(reading.where, True, count, count - 1) if len(below) == 1 else None

    def _ordered(self, asked: Sequence[int], numbers: Sequence[int], count: int) -> Key:
        given = dict(zip(asked, numbers, strict=True))
        return tuple([given.get(slot, count) for slot in self.slots])

    # ------------------------------------------------------------------ dice that stay on the table

    def _classes(self, pool: dice.Pool, values: Sequence[object]) -> list[Callable[[dice.Thrown], Hashable]]:
        """All that later readings and rerolls can ask of a die."""
        if self._asks_anew():
            return [everything]
        classes: list[Callable[[dice.Thrown], Hashable]] = []
        for reading, plan in zip(pool.readings, self.plan.readings, strict=True):
            if self.liveness.looks.of.get(plan.slot):
                classes.append(_of_reading(reading))
        for again in self._rerolls() if self.plan.faces in self.slots else ():
            reroll = reroll_of(again, values)
            classes.append(everything if reroll.how_many is not None else reroll.where)
        return classes

    def _rerolls(self) -> list[Rethrow]:
        return list(dict.fromkeys(again for again, _ in self._later()))

    def _later(self) -> Iterator[tuple[Rethrow, Mapping[int, object]]]:
        """The steps that throw these dice again, with what is known there."""
        for point in self.liveness.flow.points:
            again = point.op.source
            if isinstance(again, Rethrow) and again.throw.faces == self.plan.faces:
                yield again, point.known

    def _asks_anew(self) -> bool:
        """Whether a reading or a reroll asks something of a die that may have changed by then."""
        trees = [reading.tree for reading in self.plan.readings] + [again.where for again, _ in self._later()]
        asked = {slot for tree in trees if tree is not None for slot in reads(tree)} - die_registers(self.plan)
        changing = asked - self.liveness.flow.fixed.keys()
        return any(
            slot not in known or not same(known[slot], self.known.get(slot))
            for slot in changing
            for known in (self.known, *(known for _, known in self._later()))
        )


def everything(thrown: dice.Thrown) -> Hashable:
    return thrown.face, thrown.first, thrown.value, thrown.symbols


_OF_READING: Mapping[type, Callable[[typing.Any], Callable[[dice.Thrown], Hashable]]] = {
    dice.Count: lambda reading: reading.where,
    dice.Sum: lambda reading: reading.of,
    dice.Highest: lambda reading: reading.of,
    dice.Lowest: lambda reading: reading.of,
    dice.Sets: lambda reading: reading.of,
}


def _of_reading(reading: dice.Reading) -> Callable[[dice.Thrown], Hashable]:
    found: Callable[[dice.Thrown], Hashable] = _OF_READING.get(type(reading), lambda _: everything)(reading)
    return found
