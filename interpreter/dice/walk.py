"""The walk over the states of dice in order, counting how many dice show each: what ranked odds are made of.

The dice left, how many were seen by each interval of ranks and what cannot be added up make a place of the walk; at each place the
readings that add up are packed into one number with its weight. Three things keep it short: it stops where no die that is left could
stay, kinds of dice that have become alike are counted together (a d10 below 7 is a d6), and states that read alike are one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .chance import Weights, power
from .faults import Limits
from .intervals import Interval
from .looks import Look

@dataclass(frozen=True, slots=True)
class Bucket:
    """States that follow each other and read alike: what such a die brings, packed, with weights; what it feeds to the extras;
    the intervals in which it takes part."""

    brings: tuple[tuple[int, int], ...]
    data: tuple[int, ...]
    takes_part: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """Some dice of a slot show the bucket, the others show what comes later. `others`: the weights of all that each other slot
    can still show; `ahead`: the intervals in which dice still to come take part."""

    slot: int
    weight: int
    rest: int
    bucket: Bucket
    others: tuple[tuple[int, int], ...]
    ahead: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """The old slots that each new slot is made of; those of none are done with."""

    sources: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Close:
    """No more dice with this number come for an extra."""

    extra: int
    datum: int


Step: TypeAlias = Show | Merge | Close
Place: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[Hashable, ...]]
Places: TypeAlias = dict[Place, Weights]


@dataclass(frozen=True, slots=True)
class _Suffix:
    """All that a kind of dice can still show; equal ones have equal numbers, and 0 is nothing."""

    number: int
    total: int


def plan(kinds: Sequence[Mapping[int, int]], buckets: Sequence[Bucket], closing: Sequence[int]) -> list[Step]:
    """The steps for kinds of dice given by their weight in each bucket; `closing`: the extras that want to be closed."""
    takes_part = [buckets[next(iter(kind))].takes_part for kind in kinds]
    suffixes = _suffixes(kinds, len(buckets))
    last = {(extra, bucket.data[extra]): place for place, bucket in enumerate(buckets) for extra in closing}
    steps: list[Step] = []
    slots = list(range(len(kinds)))
    for place, bucket in enumerate(buckets):
        slots = _merge(steps, slots, [suffixes[slot][place].number for slot in slots])
        totals = [suffixes[slot][place].total for slot in slots]
        for position, slot in enumerate(slots):
            weight = kinds[slot].get(place, 0)
            if weight:
                totals[position] -= weight
                others = tuple((other, total) for other, total in enumerate(totals) if other != position)
                ahead = {takes_part[other] for other, total in zip(slots, totals, strict=True) if total}
                steps.append(Show(position, weight, totals[position], bucket, others, tuple(sorted(ahead))))
        steps += [Close(extra, bucket.data[extra]) for extra in closing if last[extra, bucket.data[extra]] == place]
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


class Walk:
    """Takes the steps, gathering what comes out wherever no die left can matter."""

    def __init__(self, intervals: Sequence[Interval], extras: Sequence[Look], limits: Limits) -> None:
        self._intervals = intervals
        self._extras = extras
        self._limits = limits
        self._powers: dict[tuple[tuple[tuple[int, int], ...], int], Weights] = {}
        self._passed: dict[tuple[tuple[int, ...], tuple[int, ...], int], tuple[int, tuple[int, ...]]] = {}
        self.outcomes: dict[tuple[int, ...], Weights] = {}

    def run(self, entries: Mapping[tuple[int, ...], int], steps: Sequence[Step]) -> None:
        start = (0,) * len(self._intervals), tuple([extra.start for extra in self._extras])
        places: Places = {(counts, *start): {0: weight} for counts, weight in entries.items()}
        for step in steps:
            places = _TAKE[type(step)](self, step, places)
        for (_, _, states), sums in places.items():
            self._come_out(states, sums, {0: 1}, 1)

    def _show(self, step: Show, places: Places) -> Places:
        shown = sum((place[0][step.slot] + 1 if step.rest else 1) * len(sums) for place, sums in places.items())
        self._limits.check("terms", shown)
        self._limits.check("states", len(places))
        after: Places = {}
        for place, sums in places.items():
            self._show_at(step, place, sums, after)
        return after

    def _show_at(self, step: Show, place: Place, sums: Weights, after: Places) -> None:
        lefts, seen, states = place
        left = lefts[step.slot]
        unused = (step.weight + step.rest) ** left
        for dice in range(left + 1) if step.rest else (left,):
            stay, now_seen = self._pass(step.bucket.takes_part, seen, dice)
            brings = self._power(step.bucket.brings, stay)
            now = states
            if stay and states:
                data = step.bucket.data
                now = tuple([x.feed(state, datum, stay) for x, state, datum in zip(self._extras, states, data, strict=True)])
            if self._blocked(now_seen, step.ahead):
                for other, total in step.others:
                    unused *= total ** lefts[other]
                closed = [x.close(state, datum) for x, state, datum in zip(self._extras, now, step.bucket.data, strict=True)]
                self._come_out(tuple(closed), sums, brings, unused)
                return
            ways = math.comb(left, dice) * step.weight**dice
            unused -= ways * step.rest ** (left - dice)
            key = (*lefts[: step.slot], left - dice, *lefts[step.slot + 1 :]), now_seen, now
            _spread(after.setdefault(key, {}), sums, brings, ways)

    def _pass(self, takes_part: tuple[int, ...], seen: tuple[int, ...], dice: int) -> tuple[int, tuple[int, ...]]:
        """How many of the dice stay after all intervals, and how many each interval has then seen."""
        if not takes_part or not dice:
            return dice, seen
        key = takes_part, seen, dice
        if key not in self._passed:
            now, stay = list(seen), dice
            for place in takes_part:
                interval = self._intervals[place]
                before, now[place] = now[place], min(now[place] + stay, interval.end)
                stay = max(0, now[place] - max(before, interval.start))
            self._passed[key] = stay, tuple(now)
        return self._passed[key]

    def _blocked(self, seen: tuple[int, ...], ahead: tuple[tuple[int, ...], ...]) -> bool:
        return all(any(seen[place] >= self._intervals[place].end for place in places) for places in ahead)

    def _power(self, brings: tuple[tuple[int, int], ...], dice: int) -> Weights:
        if len(brings) == 1:
            return {brings[0][0] * dice: brings[0][1] ** dice}
        key = brings, dice
        if key not in self._powers:
            self._powers[key] = power(dict(brings), dice, None, self._limits)
        return self._powers[key]

    def _come_out(self, states: tuple[Hashable, ...], sums: Weights, brings: Weights, ways: int) -> None:
        finished = tuple([extra.finish(state) for extra, state in zip(self._extras, states, strict=True)])
        _spread(self.outcomes.setdefault(finished, {}), sums, brings, ways)

    def _merge(self, step: Merge, places: Places) -> Places:
        after: Places = {}
        for (lefts, seen, states), sums in places.items():
            key = tuple([sum([lefts[slot] for slot in slots]) for slots in step.sources]), seen, states
            _spread(after.setdefault(key, {}), sums, {0: 1}, 1)
        return after

    def _close(self, step: Close, places: Places) -> Places:
        after: Places = {}
        for (lefts, seen, states), sums in places.items():
            closed = self._extras[step.extra].close(states[step.extra], step.datum)
            key = lefts, seen, (*states[: step.extra], closed, *states[step.extra + 1 :])
            _spread(after.setdefault(key, {}), sums, {0: 1}, 1)
        return after


_TAKE: dict[type, Callable[[Walk, Any, Places], Places]] = {Show: Walk._show, Merge: Walk._merge, Close: Walk._close}


def _spread(into: Weights, sums: Weights, brings: Weights, ways: int) -> None:
    for shift, times in brings.items():
        factor = times * ways
        for number, weight in sums.items():
            into[number + shift] = into.get(number + shift, 0) + weight * factor
