"""What a throw can give, as whole-number weights, for each situation it is made in."""

from __future__ import annotations

import typing
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from interpreter import dice
from interpreter.expressions import reads
from interpreter.odds.constants import die_registers, read_by, same, writes
from interpreter.odds.kept import Counter, Hand, Numbers, adds_up
from interpreter.odds.limits import NoOdds, OddsError
from interpreter.odds.liveness import Classifier, Liveness
from interpreter.odds.lookup import told
from interpreter.odds.some import MOST, Any, with_any
from interpreter.pools import pool_of, reroll_of
from interpreter.program import Rethrow, Throw

Key = tuple[typing.Any, ...]
Whole = tuple[dice.Pool, str]


@dataclass(frozen=True, slots=True)
class Weighed:
    """Values with their weights; what the weights lack to the total belongs to no values."""

    items: tuple[tuple[Key, int], ...]
    total: int


@dataclass(slots=True)
class DiceBag:
    """Remembers distributions for as long as one question lasts.

    Hands, and what single readings are without a cap (`whole`), may be shared with another bag.
    """

    limits: dice.Limits
    hands: dict[dice.Table, Hand] = field(default_factory=dict)
    whole: dict[Whole, dice.Distribution[Numbers]] = field(default_factory=dict)
    known: dict[Hashable, dict[Key, Weighed]] = field(default_factory=dict)

    def distribution(
        self, pool: dice.Pool, names: Sequence[str], caps: Mapping[str, int]
    ) -> dice.Distribution[Numbers]:
        """As dice.distribution. What a single reading is without a cap tells mostly what it is with one."""
        key = (pool, names[0]) if len(names) == 1 else None
        if key in self.whole and names[0] in caps:
            found = dice.folded(self.whole[key], caps[names[0]])
            if found is not None:
                return found
        found = dice.distribution(pool, names, caps, self.limits)
        if key is not None and not caps:
            self.whole[key] = found
        return found

    def hand(self, table: dice.Table) -> Hand:
        return self.hands.setdefault(table, Hand(table))


def _case(table: dice.Table, again: dice.Reroll) -> Hashable:
    """All that throwing again depends on: the dice that stay, and how many of each group do not."""
    if again.how_many is not None:
        return table
    staying = [tuple([thrown for thrown in group if not again.where(thrown)]) for group in table.dice]
    return table.thrown, tuple([(dice_left, len(group)) for dice_left, group in zip(staying, table.dice, strict=True)])


def written_by(liveness: Liveness, place: int) -> tuple[int, ...]:
    """The registers that a throw writes and something later looks at; none: it need not be thrown."""
    after = liveness.after[place]
    looks = liveness.looks
    return tuple(sorted(slot for slot in writes(liveness.flow.points[place].op) if after & looks.of.get(slot, 0)))


class Shown(dict[Numbers, Key]):
    """By the numbers read, what is written: in the order of `slots`, each as coarsely as it is looked at later.

    `asked` are the registers of the numbers; any other is that of the number of dice.
    """

    def __init__(
        self, slots: Sequence[int], classify: Sequence[Classifier | None], asked: Sequence[int], count: int, flat: int
    ) -> None:
        super().__init__()
        places = {slot: place for place, slot in enumerate(asked)}
        self.parts = [(places.get(slot), one) for slot, one in zip(slots, classify, strict=True)]
        self.count, self.flat = count, flat

    def __missing__(self, numbers: Numbers) -> Key:
        found: list[object] = []
        for place, classify in self.parts:
            number = self.count if place is None else numbers[place] + self.flat
            found.append(number if classify is None else classify(number))
        key = self[numbers] = tuple(found)
        return key


def _weighed(ways: Iterable[tuple[Numbers, int]], total: int, shown: Shown) -> Weighed:
    """Numbers that nothing later can tell apart are one."""
    items: dict[Key, int] = {}
    for numbers, weight in ways:
        key = shown[numbers]
        items[key] = items.get(key, 0) + weight
    return Weighed(tuple(items.items()), total)


class Roller:
    """A throw at one point: a function from its situation, with registers in the order of `layout`, to what it can
    give.
    """

    def __init__(self, liveness: Liveness, place: int, layout: Sequence[int]) -> None:
        point = liveness.flow.points[place]
        assert isinstance(point.op.source, Throw | Rethrow)
        self.source = point.op.source
        self.plan = self.source if isinstance(self.source, Throw) else self.source.throw
        self.liveness = liveness
        self.slots = written_by(liveness, place)
        self.read = tuple(sorted(read_by(self.source)))
        self.given = [(index, slot) for index, slot in enumerate(layout) if slot in self.read]
        self.known = point.known
        after = self.after = liveness.after[place]
        self.classify = [liveness.looks.classifier(slot, after) for slot in self.slots]
        of = liveness.looks.of
        looked = tuple([(slot, after & of.get(slot, 0)) for slot in self.slots])
        self.seen = looked, self.plan.faces in self.slots and self._asks_anew()
        self.names = {reading.slot: reading.name or "total" for reading in self.plan.readings}
        self.counters: dict[Hashable, tuple[dice.Pool, dice.Reroll, Counter | None, Shown]] = {}
        self.cases: dict[Hashable, Weighed] = {}
        self.caps = {slot: liveness.looks.settled(slot, after) for slot in self.slots if slot in self.names}

    def renew(self, registers: Sequence[object], bag: DiceBag) -> None:
        """Makes it ready for a question, with the registers as they stand when it is asked."""
        self.bag = bag
        self.base = list(registers)
        for slot, value in self.known.items():
            if slot >= 0:
                self.base[slot] = value
        given = tuple([slot for _, slot in self.given])
        stand = tuple([(self.base[slot], type(self.base[slot])) for slot in self.read if slot not in given])
        self.remembered = bag.known.setdefault((self.source, self.seen, given, stand), {})
        self.counters.clear()
        self.cases.clear()

    def __call__(self, key: Key) -> Weighed:
        given = [told(key[place]) for place, _ in self.given]
        asked = (*given, *map(type, given))
        found = self.remembered.get(asked)
        if found is None:
            found = self.remembered[asked] = self._thrown(given)
        return found

    def _values(self, given: Sequence[object]) -> list[object]:
        values = self.base.copy()
        for (_, slot), value in zip(self.given, given, strict=True):
            values[slot] = value
        return [value.table if isinstance(value, Hand) else value for value in values]

    def _thrown(self, given: Sequence[object]) -> Weighed:
        if isinstance(self.source, Rethrow):
            return self._thrown_again(self.source, given)
        plain = self._values(given)
        pool = pool_of(self.plan, plain)
        if self.plan.faces not in self.slots:
            return self._readings(pool)
        tables = dice.kept_distribution(pool, self._classes(pool, plain), limits=self.bag.limits)
        return self._of_tables(pool, tables)

    def _thrown_again(self, again: Rethrow, given: Sequence[object]) -> Weighed:
        hand, others = None if self.plan.faces is None else self.base[self.plan.faces], list[object]()
        for (_, slot), value in zip(self.given, given, strict=True):
            if slot == self.plan.faces:
                hand = value
            else:
                others += [value, type(value)]
        if not isinstance(hand, Hand):
            raise OddsError(NoOdds("dice", f"`{self.plan.name}` is thrown again before it was thrown."))
        asked = tuple(others)
        if asked not in self.counters:
            self.counters[asked] = self._counter(again, given)
        pool, reroll, counter, shown = self.counters[asked]
        if counter is None:
            case = asked, _case(hand.table, reroll)
            if case not in self.cases:
                classes = self._classes(pool, self._values(given))
                tables = dice.reroll_distribution(pool, hand.table, reroll, classes, self.bag.limits)
                self.cases[case] = self._of_tables(pool, tables)
            return self.cases[case]
        return _weighed(*counter.thrown_again(hand.table), shown)

    def _counter(self, again: Rethrow, given: Sequence[object]) -> tuple[dice.Pool, dice.Reroll, Counter | None, Shown]:
        plain = self._values(given)
        pool, reroll = pool_of(self.plan, plain), reroll_of(again, plain)
        asked = [slot for slot in self.slots if slot in self.names]
        names = [self.names[slot] for slot in asked]
        quick = self.plan.faces not in self.slots and adds_up(pool, names, reroll)
        return pool, reroll, Counter(pool, names, reroll) if quick else None, self._shown(asked, pool.dice)

    def _shown(self, asked: Sequence[int], count: int) -> Shown:
        return Shown(self.slots, self.classify, asked, count, self.plan.flat)

    def _of_tables(self, pool: dice.Pool, tables: dice.Distribution[dice.Table]) -> Weighed:
        """The readings and the dice themselves."""
        asked = [slot for slot in self.slots if slot in self.names]
        names = [self.names[slot] for slot in asked]
        counter = Counter(pool, names, None) if adds_up(pool, names, None) else None
        shown = self._shown(asked, pool.dice)
        place = self.slots.index(self.plan.faces) if self.plan.faces in self.slots else None
        items: dict[Key, int] = {}
        for table, weight in tables.outcomes.items():
            key = shown[dice.read(pool, table, names) if counter is None else counter.read(table)]
            if place is not None:
                key = (*key[:place], self.bag.hand(table), *key[place + 1 :])
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
            return _weighed(ways.items(), total, self._shown([*asked, *any_of], count))
        found = self.bag.distribution(pool, names, caps)
        return _weighed(found.outcomes.items(), found.total, self._shown(asked, count))

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
        changing = asked - self.liveness.flow.fixed.keys() - self.liveness.flow.thrown
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
    dice.Extremes: lambda reading: reading.of,
    dice.Sets: lambda reading: reading.of,
}


def _of_reading(reading: dice.Reading) -> Callable[[dice.Thrown], Hashable]:
    found: Callable[[dice.Thrown], Hashable] = _OF_READING.get(type(reading), lambda _: everything)(reading)
    return found
