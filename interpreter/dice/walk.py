"""The walk over the states of dice in order, counting how many dice show each: what ranked odds are made of.

The dice left, how many were seen by each interval of ranks and what cannot be added up make a place of the walk; at
each place the readings that add up are packed into one number with its weight, and so are those that add up the first
dice of the walk, whatever comes after. Three things keep it short: it stops
where no die that is left could stay, kinds of dice that have become alike are counted together (a d10 below 7 is a
d6), and states that read alike are one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .chance import LARGE, Weights, power
from .faults import Budget
from .intervals import NO_END, Interval
from .looks import Look

_COSTLY = 16
"""Going to a place of the walk takes as long as so many steps of arithmetic."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """States that follow each other and read alike: what such a die brings, packed, with weights; what it feeds to
    the looks; the intervals in which it takes part; what it brings on top, packed, to each reading of the first dice
    if it is one of these."""

    brings: tuple[tuple[int, int], ...]
    data: tuple[int, ...]
    takes_part: tuple[int, ...]
    first: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """Some dice of a slot show the bucket, the others show what comes later. `others`: the weights of all that each
    other slot can still show; `ahead`: the intervals in which dice still to come take part; `closes`: the looks whose
    number no later die has."""

    slot: int
    weight: int
    rest: int
    bucket: Bucket
    others: tuple[tuple[int, int], ...]
    ahead: tuple[tuple[int, ...], ...]
    closes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """The old slots that each new slot is made of; those of none are done with."""

    sources: tuple[tuple[int, ...], ...]


Step: TypeAlias = Show | Merge
States: TypeAlias = tuple[Hashable, ...]
Place: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], States]
Places: TypeAlias = dict[Place, Weights]
_Passed: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Suffix:
    """All that a kind of dice can still show; equal ones have equal numbers, and 0 is nothing."""

    number: int
    total: int


def plan(kinds: Sequence[Mapping[int, int]], buckets: Sequence[Bucket], closing: Sequence[int]) -> list[Step]:
    """The steps for kinds of dice given by their weight in each bucket; `closing`: the looks that want to be closed."""
    takes_part = [buckets[next(iter(kind))].takes_part for kind in kinds]
    suffixes = _suffixes(kinds, len(buckets))
    last = {(look, bucket.data[look]): place for place, bucket in enumerate(buckets) for look in closing}
    steps: list[Step] = []
    slots = list(range(len(kinds)))
    for place, bucket in enumerate(buckets):
        slots = _merge(steps, slots, [suffixes[slot][place].number for slot in slots])
        totals = [suffixes[slot][place].total for slot in slots]
        showing = [position for position, slot in enumerate(slots) if place in kinds[slot]]
        for position in showing:
            weight = kinds[slots[position]][place]
            totals[position] -= weight
            others = tuple((other, total) for other, total in enumerate(totals) if other != position)
            ahead = {takes_part[other] for other, total in zip(slots, totals, strict=True) if total}
            closes = [look for look in closing if position == showing[-1] and last[look, bucket.data[look]] == place]
            steps.append(Show(position, weight, totals[position], bucket, others, tuple(sorted(ahead)), tuple(closes)))
    return steps


def _suffixes(kinds: Sequence[Mapping[int, int]], buckets: int) -> list[list[_Suffix]]:
    numbers: dict[tuple[int, int, int], int] = {}
    result = []
    for kind in kinds:
        suffix = _Suffix(0, 0)
        backwards = []
        for place in reversed(range(buckets)):
            if place in kind:
                key = place, kind[place], suffix.number
                suffix = _Suffix(numbers.setdefault(key, len(numbers) + 1), suffix.total + kind[place])
            backwards.append(suffix)
        result.append(backwards[::-1])
    return result


def _merge(steps: list[Step], slots: list[int], numbers: Sequence[int]) -> list[int]:
    """Count together the slots that can show the same from now on, and forget those that can show nothing."""
    sources: dict[int, list[int]] = {}
    for position, number in enumerate(numbers):
        if number:
            sources.setdefault(number, []).append(position)
    if len(sources) == len(slots):
        return slots
    steps.append(Merge(tuple(tuple(positions) for positions in sources.values())))
    return [slots[positions[0]] for positions in sources.values()]


class _Row:
    """So many dice of which some show a weight and the others the rest: in how many ways."""

    __slots__ = ("_left", "_rest", "_ways", "_weight", "size")

    def __init__(self, left: int, weight: int, rest: int) -> None:
        self._left = left
        self._weight = weight
        self._rest = rest
        self._ways = [1]
        self.size = 1 + left * (weight + rest).bit_length() // LARGE

    def ways(self, dice: int) -> int:
        """For exactly so many dice to show it, without the ways of the others."""
        if not self._rest:
            ways: int = self._weight**dice
            return ways
        while len(self._ways) <= dice:
            shown = len(self._ways)
            self._ways.append(self._ways[-1] * (self._left - shown + 1) * self._weight // shown)
        return self._ways[dice]

    def at_least(self, dice: int) -> int:
        """For at least so many dice to show it, with all the ways of the others."""
        ways: int = (self._weight + self._rest) ** self._left
        for fewer in range(dice) if self._rest else ():
            ways -= self.ways(fewer) * self._rest ** (self._left - fewer)
        return ways


class Walk:
    """Takes the steps, gathering what comes out wherever no die left can matter. `firsts`: of the dice that stay, how
    many first ones each reading of the first dice counts."""

    def __init__(
        self, intervals: Sequence[Interval], looks: Sequence[Look], firsts: Sequence[int], budget: Budget
    ) -> None:
        self._intervals = intervals
        self._looks = looks
        self._firsts = firsts
        self._budget = budget
        self._most = 1 + sum(interval.end for interval in intervals) if intervals else NO_END
        self._powers: dict[tuple[tuple[tuple[int, int], ...], int], Weights] = {}
        self._passed: dict[tuple[tuple[int, ...], tuple[int, ...], int], _Passed] = {}
        self._fed: dict[tuple[States, int], States] = {}
        self.outcomes: dict[tuple[int, ...], Weights] = {}

    def run(self, entries: Mapping[tuple[int, ...], int], steps: Sequence[Step]) -> None:
        start = (0,) * (len(self._intervals) + len(self._firsts)), tuple([look.start for look in self._looks])
        places: Places = {(counts, *start): {0: weight} for counts, weight in entries.items()}
        for step in steps:
            places = self._merge(step, places) if isinstance(step, Merge) else self._show(step, places)
        for (_, _, states), sums in places.items():
            self._come_out(states, sums, {0: 1}, 1)

    def _show(self, step: Show, places: Places) -> Places:
        self._budget.check("states", len(places))
        self._fed = {}
        rows: dict[int, _Row] = {}
        after: Places = {}
        for place, sums in places.items():
            left = place[0][step.slot]
            row = rows.get(left)
            if row is None:
                row = rows[left] = _Row(left, step.weight, step.rest)
            self._show_at(step, place, sums, row, after)
        return after

    def _show_at(self, step: Show, place: Place, sums: Weights, row: _Row, after: Places) -> None:
        lefts, seen, states = place
        before, left, behind = lefts[: step.slot], lefts[step.slot], lefts[step.slot + 1 :]
        self._budget.spend(row.size * (_COSTLY + len(sums)) * (min(left + 1, self._most) if step.rest else 1))
        for dice in range(left + 1) if step.rest else (left,):
            stay, now_seen, first = self._pass(step.bucket.takes_part, seen, dice)
            now = self._feed(step, states, stay) if states else states
            brings = self._power(step.bucket.brings, stay)
            if first:
                on_top = sum([times * one for times, one in zip(first, step.bucket.first, strict=True)])
                brings = {number + on_top: weight for number, weight in brings.items()}
            if self._blocked(now_seen, step.ahead):
                ways = row.at_least(dice)
                for other, total in step.others:
                    ways *= total ** lefts[other]
                self._come_out(self._closed(step, now), sums, brings, ways)
                return
            key = (*before, left - dice, *behind), now_seen, now
            into = after.get(key)
            if into is None:
                into = after[key] = {}
            _spread(into, sums, brings, row.ways(dice))

    def _pass(self, takes_part: tuple[int, ...], seen: tuple[int, ...], dice: int) -> _Passed:
        """How many of the dice stay after all intervals, how many each interval and each reading of the first dice has
        then seen, and how many of these dice the latter count."""
        if not dice or not (takes_part or self._firsts):
            return dice, seen, ()
        key = takes_part, seen, dice
        if key not in self._passed:
            now, stay = list(seen), dice
            for place in takes_part:
                interval = self._intervals[place]
                before, now[place] = now[place], min(now[place] + stay, interval.end)
                stay = max(0, now[place] - max(before, interval.start))
            first: tuple[int, ...] = ()
            if self._firsts:
                before_all = seen[len(self._intervals) :]
                first = tuple([min(stay, most - was) for was, most in zip(before_all, self._firsts, strict=True)])
                now[len(self._intervals) :] = [was + more for was, more in zip(before_all, first, strict=True)]
            self._passed[key] = stay, tuple(now), first
        return self._passed[key]

    def _feed(self, step: Show, states: States, dice: int) -> States:
        """What is looked at after so many more dice of the bucket."""
        key = states, dice
        if key not in self._fed:
            now = list(states)
            for place, look in enumerate(self._looks):
                if dice:
                    now[place] = look.feed(now[place], step.bucket.data[place], dice)
                if place in step.closes:
                    now[place] = look.close(now[place], step.bucket.data[place])
            self._fed[key] = tuple(now)
        return self._fed[key]

    def _closed(self, step: Show, states: States) -> States:
        looks = zip(self._looks, states, step.bucket.data, strict=True)
        return tuple([look.close(state, datum) for look, state, datum in looks])

    def _blocked(self, seen: tuple[int, ...], ahead: tuple[tuple[int, ...], ...]) -> bool:
        """Whether no die still to come can stay."""
        for places in ahead:
            for place in places:
                if seen[place] >= self._intervals[place].end:
                    break
            else:
                return False
        return True

    def _power(self, brings: tuple[tuple[int, int], ...], dice: int) -> Weights:
        key = brings, dice
        if key not in self._powers:
            self._powers[key] = power(dict(brings), dice, None, self._budget)
        return self._powers[key]

    def _come_out(self, states: States, sums: Weights, brings: Weights, ways: int) -> None:
        finished = tuple([look.finish(state) for look, state in zip(self._looks, states, strict=True)])
        _spread(self.outcomes.setdefault(finished, {}), sums, brings, ways)

    def _merge(self, step: Merge, places: Places) -> Places:
        after: Places = {}
        for (lefts, seen, states), sums in places.items():
            key = tuple([sum([lefts[slot] for slot in slots]) for slots in step.sources]), seen, states
            _spread(after.setdefault(key, {}), sums, {0: 1}, 1)
        return after


def _spread(into: Weights, sums: Weights, brings: Weights, ways: int) -> None:
    for shift, times in brings.items():
        factor = times * ways
        for number, weight in sums.items():
            into[number + shift] = into.get(number + shift, 0) + weight * factor
