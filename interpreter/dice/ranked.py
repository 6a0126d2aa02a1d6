"""Pools whose dice are ranked or compared: keep, drop, highest, lowest and sets, with what adds up beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .additive import Packing
from .chance import Weights
from .intervals import NO_END, Interval, Order, Ranking, order
from .looks import Extreme, Several, Sizes, looks_of
from .mixture import Folding, Members, Mixture, mix
from .model import (
    Drop,
    Explode,
    Keep,
    Operation,
    Reroll,
    Thrown,
    Throws,
    applies,
    rank,
)
from .question import Question, Vector, Weighed
from .tallies import Tallies
from .walk import Bucket, Walk, plan


@dataclass(frozen=True, slots=True)
class _Phases:
    """Operations before any ranking, then those that rank, then operations that look at each die alone."""

    first: tuple[Operation, ...]
    ranking: tuple[Ranking, ...]
    last: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class _Payload:
    """All that matters of a die that is looked at: what it brings if it stays, as weights of a total, what it feeds to
    the looks, its group's part."""

    brings: tuple[tuple[Vector, int], ...]
    total: int
    data: tuple[int, ...]
    takes_part: tuple[int, ...]


_Looks: TypeAlias = list[tuple[_Payload, str]]


def ranked(question: Question) -> Weighed | None:
    """The answer to a question, or None if the operations are none that this way can follow."""
    phases = _phases(question.operations)
    if phases is None or not _can_read(phases, question):
        return None
    return _Ranking(question, phases).answer(folding=True)


def alone(operation: Operation) -> bool:
    """Whether an operation looks at each die alone."""
    return not isinstance(operation, Keep | Drop) and not (
        isinstance(operation, Reroll) and operation.how_many is not None
    )


def _phases(operations: Sequence[Operation]) -> _Phases | None:
    ranks = [place for place, operation in enumerate(operations) if isinstance(operation, Keep | Drop)]
    start, end = (ranks[0], ranks[-1] + 1) if ranks else (len(operations), len(operations))
    ranking = tuple(operation for operation in operations[start:end] if isinstance(operation, Keep | Drop))
    if len(ranking) < end - start or not all(alone(operation) for operation in operations[end:]):
        return None
    return _Phases(tuple(operations[:start]), ranking, tuple(operations[end:]))


def _goes_on(operation: Explode) -> bool:
    return operation.into == "new_die" and operation.at_most is None


def _explodes(operation: Explode, thrown: Thrown) -> bool:
    return applies(operation, thrown.group) and operation.when(thrown)


def _can_read(phases: _Phases, question: Question) -> bool:
    throwing = any(isinstance(operation, Explode | Reroll) for operation in (*phases.first, *phases.last))
    counting = any(isinstance(reading, Throws) for reading in question.readings)
    return not (throwing and counting) and not (phases.last and question.compares)


class _Ranking:
    """One question on its way to the answer."""

    def __init__(self, question: Question, phases: _Phases) -> None:
        self.question = question
        self.phases = phases
        self.tallies = Tallies(question, phases.last)
        looks = looks_of(question.readings, question.caps)
        self.looks = {place: look for place, look in enumerate(looks) if look}
        self.varying = False
        self._payloads: dict[Thrown, _Payload] = {}

    def payload(self, thrown: Thrown) -> _Payload:
        """As far as it does not hang on the order: the part of the group is that in the operations."""
        if thrown not in self._payloads:
            brings, total = self.tallies.after(thrown, 0)
            data = tuple([look.datum(thrown) for look in self.looks.values()])
            part = tuple(n for n, operation in enumerate(self.phases.ranking) if applies(operation, thrown.group))
            self._payloads[thrown] = _Payload(tuple(sorted(brings.items())), total, data, part)
        return self._payloads[thrown]

    def answer(self, folding: bool) -> Weighed | None:
        fold = Folding(self.payload if folding else None, set())
        mixture = mix(self.question, self.phases.first, fold)
        if fold.folded and self.phases.ranking and not self._folds(mixture, fold.folded):
            return self.answer(folding=False)
        fold.enough = self._enough(mixture)
        self.varying = fold.enough is not None
        if self.varying:
            mixture = mix(self.question, self.phases.first, fold)
        extremes = [look for look in self.looks.values() if isinstance(look, Extreme)]
        if len(extremes) == len(self.question.readings) == 1 and not self.phases.ranking:
            return _extreme(mixture, extremes[0]), mixture.total
        return self._walked(mixture)

    def _enough(self, mixture: Mixture) -> int | None:
        """How many dice that explode without end into new ones are as good as any more: those that can stay, if they
        all rank above the others and read the same; those that count, if only the highest or lowest are read."""
        without_end = [one for one in self.phases.first if isinstance(one, Explode) and _goes_on(one)]
        if len(without_end) != 1 or without_end[0] is not self.phases.first[-1]:
            return None
        exploding = [t for kind in mixture.kinds for t, _ in kind.states if _explodes(without_end[0], t)]
        looks = {self.payload(thrown) for thrown in exploding}
        if len(looks) != 1:
            return None
        if not self.phases.ranking:
            enough = [look.enough for look in self.looks.values() if not isinstance(look, Sizes)]
            return max(1, *enough) if len(self.question.readings) == len(enough) else None
        names = frozenset(group.name for group in self.question.groups)
        direction = order(self.phases.ranking, None, names)
        if direction is None or not direction.descending or len(direction.intervals) != 1:
            return None
        lowest = min(thrown.value for thrown in exploding)
        others = [
            t for kind in mixture.kinds for t, _ in kind.states if t.value >= lowest and self.payload(t) not in looks
        ]
        (interval,) = direction.intervals
        return interval.end if interval.groups == names and not others and 0 < interval.end < NO_END else None

    def _closing(self) -> list[int]:
        """The places of the looks at sets."""
        return [place for place, look in enumerate(self.looks.values()) if look.closes]

    def _folds(self, mixture: Mixture, folded: set[Thrown]) -> bool:
        """Whether all that folded chains stand for rank above all other dice that do not read the same."""
        looks = {self.payload(thrown) for thrown in folded}
        lowest = min(thrown.value for thrown in folded)
        others = (thrown for kind in mixture.kinds for thrown, _ in kind.states if thrown not in folded)
        return len(looks) == 1 and all(thrown.value < lowest or self.payload(thrown) in looks for thrown in others)

    def _walked(self, mixture: Mixture) -> Weighed | None:
        looks = [self.payload(thrown) for kind in mixture.kinds for thrown, _ in kind.states]
        scale = math.lcm(*{look.total for look in looks})
        runs = self._runs(mixture)
        if runs is None or (scale > 1 and (len(runs) > 1 or runs[0][0].staying is None)):
            return None
        packing = self._packing(looks, max(sum(entry) for entry in mixture.entries))
        outcomes: dict[Vector, int] = {}
        for direction, entries in runs:
            walked = self._walk(mixture, direction, entries, packing, scale)
            if walked is None:
                return None
            for vector, weight in walked:
                outcomes[vector] = outcomes.get(vector, 0) + weight
        return self._with_throws(outcomes), mixture.total * scale ** (runs[0][0].staying or 0)

    def _with_throws(self, outcomes: dict[Vector, int]) -> dict[Vector, int]:
        throws = [self.question.dice * one for one in self.tallies.throw]
        if not any(throws):
            return outcomes
        return {
            tuple([a + b for a, b in zip(vector, throws, strict=True)]): weight for vector, weight in outcomes.items()
        }

    def _runs(self, mixture: Mixture) -> list[tuple[Order, dict[Members, int]]] | None:
        """In which order to look at the dice: in one for all entries, or in one for each number of dice in the
        groups."""
        names = [group.name for group in self.question.groups]
        if not self.phases.ranking:
            return [(Order(True, (), None), mixture.entries)]
        owners = [kind.states[0][0].group for kind in mixture.kinds]
        by_sizes: dict[Members, dict[Members, int]] = {}
        for entry, weight in mixture.entries.items():
            sizes = tuple([sum(n for n, owner in zip(entry, owners, strict=True) if owner == name) for name in names])
            by_sizes.setdefault(sizes, {})[entry] = weight
        any_sizes = order(self.phases.ranking, None, frozenset(names))
        if any_sizes and (self.varying or len(by_sizes) > 1):
            return [(any_sizes, mixture.entries)]
        runs = []
        for sizes, entries in by_sizes.items():
            direction = order(self.phases.ranking, dict(zip(names, sizes, strict=True)), frozenset(names)) or any_sizes
            if direction is None:
                return None
            runs.append((direction, entries))
        return runs

    def _walk(
        self,
        mixture: Mixture,
        direction: Order,
        entries: Mapping[Members, int],
        packing: Packing,
        scale: int,
    ) -> Iterator[tuple[Vector, int]] | None:
        """All readings with their weights, some of them perhaps several times."""
        arranged = self._arranged(mixture, direction)
        if arranged is None:
            return None
        looks, kinds = arranged
        first = self._first(looks)
        fed = [number for number in range(len(self.looks)) if number not in first]
        intervals = direction.intervals or self._beyond(first, looks)
        every = list(self.looks.items())
        units = [tuple([int(place == every[number][0]) for place in range(len(packing.sizes))]) for number in first]
        buckets = [
            Bucket(
                tuple((packing.pack(vector), weight * (scale // look.total)) for vector, weight in look.brings),
                tuple([look.data[number] for number in fed]),
                tuple(place for place, interval in enumerate(intervals) if group in interval.groups),
                tuple([look.data[number] * packing.pack(unit) for number, unit in zip(first, units, strict=True)]),
            )
            for look, group in looks
        ]
        walk = Walk(intervals, [every[number][1] for number in fed], list(first.values()), self.question.budget)
        closing = [place for place, number in enumerate(fed) if every[number][1].closes]
        walk.run(entries, plan(kinds, buckets, closing))
        return _unpacked(walk.outcomes, packing, [every[number][0] for number in fed])

    def _first(self, looks: _Looks) -> dict[int, int]:
        """The looks that add up the dice which come first in this order, with how many they count."""
        return {
            number: look.enough
            for number, look in enumerate(self.looks.values())
            if isinstance(look, Several) and look.in_line([payload.data[number] for payload, _ in looks])
        }

    def _beyond(self, first: Mapping[int, int], looks: _Looks) -> tuple[Interval, ...]:
        """If nothing else is read: the dice that count, beyond which no die matters."""
        if len(first) < len(self.looks) or any(any(vector) for look, _ in looks for vector, _ in look.brings):
            return ()
        names = frozenset(group.name for group in self.question.groups)
        return (Interval(names, 0, max(first.values())),) if first else ()

    def _arranged(self, mixture: Mixture, direction: Order) -> tuple[_Looks, list[dict[int, int]]] | None:
        """What dice look like in the order they are looked at, the same sets together; without ranking preferably in
        one that has the dice first that readings count."""
        closing = self._closing()
        for first_ones in (True, False):
            looks, kinds = self._in_order(mixture, direction, first_ones)
            if not any(_scattered([look.data[place] for look, _ in looks]) for place in closing):
                return looks, kinds
        return None

    def _in_order(self, mixture: Mixture, direction: Order, first_ones: bool) -> tuple[_Looks, list[dict[int, int]]]:
        """What dice look like in the order they are looked at, with a group of them; the weight of each look for each
        kind."""
        states = [(thrown, weight, place) for place, kind in enumerate(mixture.kinds) for thrown, weight in kind.states]
        if direction.intervals:
            positions = {group.name: place for place, group in enumerate(self.question.groups)}
            states.sort(key=lambda state: rank(state[0], positions[state[0].group]), reverse=not direction.descending)
        else:
            numbers: dict[_Payload, int] = {}
            for thrown, _, _ in states:
                numbers.setdefault(self.payload(thrown), len(numbers))
            states.sort(key=lambda state: self._free_key(self.payload(state[0]), numbers, first_ones))
        looks: _Looks = []
        kinds: list[dict[int, int]] = [{} for _ in mixture.kinds]
        for thrown, weight, place in states:
            look = self.payload(thrown)
            if not looks or looks[-1][0] != look:
                looks.append((look, thrown.group))
            kinds[place][len(looks) - 1] = kinds[place].get(len(looks) - 1, 0) + weight
        return looks, kinds

    def _free_key(
        self, payload: _Payload, numbers: Mapping[_Payload, int], first_ones: bool
    ) -> tuple[list[int], list[int], int]:
        counted = [
            -number if look.descending else number
            for look, number in zip(self.looks.values(), payload.data, strict=True)
            if first_ones and isinstance(look, Several)
        ]
        return counted, [payload.data[place] for place in self._closing()], numbers[payload]

    def _packing(self, looks: Sequence[_Payload], most: int) -> Packing:
        columns = zip(*(vector for look in looks for vector, _ in look.brings), strict=True)
        ranges = [(min(0, *column) * most, max(0, *column) * most) for column in columns]
        for number, (place, look) in enumerate(self.looks.items()):
            if isinstance(look, Several):
                data, times = [one.data[number] for one in looks], min(look.enough, most)
                ranges[place] = min(0, *data) * times, max(0, *data) * times
        return Packing.of(ranges)


def _unpacked(
    outcomes: Mapping[tuple[int, ...], Weights], packing: Packing, fed: Sequence[int]
) -> Iterator[tuple[Vector, int]]:
    """What the walk packed, with what it looked at in its places."""
    for finished, sums in outcomes.items():
        for packed, weight in sums.items():
            vector = list(packing.unpack(packed))
            for place, number in zip(fed, finished, strict=True):
                vector[place] = number
            yield tuple(vector), weight


def _scattered(data: Sequence[int]) -> bool:
    """Whether some number comes back after another."""
    runs = [number for place, number in enumerate(data) if not place or data[place - 1] != number]
    return len(runs) != len(set(runs))


def _extreme(mixture: Mixture, look: Extreme) -> dict[Vector, int]:
    """One highest (or lowest) reading alone: from the weights of all dice being at most (or at least) each number."""
    reached: dict[int, list[tuple[int, int]]] = {}
    for place, kind in enumerate(mixture.kinds):
        for thrown, weight in kind.states:
            reached.setdefault(look.datum(thrown), []).append((place, weight))
    inside = [0] * len(mixture.kinds)
    before = 0
    outcomes: dict[Vector, int] = {}
    for bound in sorted(reached, reverse=look.start > 0):
        for place, weight in reached[bound]:
            inside[place] += weight
        within = sum(
            weight * math.prod(total**count for total, count in zip(inside, entry, strict=True))
            for entry, weight in mixture.entries.items()
        )
        if within > before:
            outcomes[(bound,)] = within - before
        before = within
    return outcomes
