"""The stretch of a flow that is worked out as one, from a point to the places where a new situation begins.

It ends at choices, at the end, where it would come back to itself, and where no local value written since its start is
looked at any more; from there it still goes on as long as that asks for no more gauges than it has read. What it can
read and what it can write are known before it runs, so that its results are remembered by what it reads.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from interpreter.odds.constants import writes
from interpreter.odds.flow import Point
from interpreter.odds.liveness import Liveness
from interpreter.program import Pick


@dataclass(frozen=True, slots=True)
class Stretch:
    """`inner` goes from the start, each point after those that lead to it.

    `reads` are the registers that it may read as they were at the start, `asked` the same by point; those in `coarse`
    only through looks that `coarse` names; `written` those that it may write.
    """

    inner: tuple[int, ...]
    exits: tuple[int, ...]
    reads: tuple[int, ...]
    asked: dict[int, dict[int, int]]
    coarse: dict[int, int]
    written: frozenset[int]


def find_stretch(liveness: Liveness, start: int, local: frozenset[int]) -> Stretch:
    """The stretch from a point on; `local` are the registers that no sheet keeps."""
    finder = _Finder(liveness, start, local)
    while not finder.grow():
        pass
    return finder.stretch()


def waits(point: Point) -> bool:
    """Whether a run surely stops at a point to make a choice."""
    pick = point.op.source
    if not point.is_open:
        return False
    assert isinstance(pick, Pick)
    return pick.kind != "options" or sum(option.guard is None for option in pick.options) > 1


class _Finder:
    def __init__(self, liveness: Liveness, start: int, local: frozenset[int]) -> None:
        self.liveness = liveness
        self.points = liveness.flow.points
        self.start = start
        self.local = local
        self.forced: set[int] = set()
        self.inner: dict[int, None] = {}
        self.written: set[int] = set()
        self.exact: set[int] = set()
        self.order: list[int] = []
        self.private: set[int] = set()
        self.choice = self.points[start].is_open

    # ------------------------------------------------------------------ growing

    def grow(self) -> bool:
        """Takes in all points that belong to it; False when a circle was found, which is then cut."""
        self.inner, self.written, self.exact, self.private = {}, set(), set(), set()
        self._take(self.start)
        while self._spread(self._is_needed) or self._spread(self._is_cheap):
            pass
        return self._sorted()

    def _spread(self, test: object) -> bool:
        """Takes in neighbours that pass a test; whether there were any."""
        assert callable(test)
        waiting, grown = list(self.inner), False
        while waiting:
            place = waiting.pop()
            for target in self.points[place].targets:
                if target not in self.inner and self._may(target) and test(target):
                    self._take(target)
                    waiting.append(target)
                    grown = True
        return grown

    def _is_private(self, place: int) -> bool:
        """Whether every way to a point comes from the start, and from nowhere but there."""
        return all(source in self.private for source in self.liveness.sources[place])

    def _take(self, place: int) -> None:
        self.inner[place] = None
        if place == self.start or self._is_private(place):
            self.private.add(place)
        self.written |= set(made(self.liveness, place))
        looks = self.liveness.looks
        mask = self.liveness.asks[place]
        self.exact |= {slot for slot in looks.slots(mask) if looks.is_fine(slot, mask) and slot not in self.written}
        self.exact |= writes(self.points[place].op)

    def _may(self, place: int) -> bool:
        point = self.points[place]
        return (
            place != self.start
            and place not in self.forced
            and point.op.kind not in ("stop", "jump")
            and not waits(point)
        )

    def _is_needed(self, place: int) -> bool:
        """Whether a local value written since the start is still looked at; what only leads to the end can as well
        wait.
        """
        if place in self.liveness.ending:
            return False
        mask, of = self.liveness.before[place], self.liveness.looks.of
        return any(slot in self.local and mask & of.get(slot, 0) for slot in self.written)

    def _is_cheap(self, place: int) -> bool:
        """Whether it asks for no more than is known and writes nothing for later dice; or is a throw that only this
        choice leads to.
        """
        if self.liveness.rolls(place):
            return self.choice and self._is_private(place)
        if place not in self.liveness.ending and any(slot in self.local for slot in made(self.liveness, place)):
            return False
        looks, mask = self.liveness.looks, self.liveness.asks[place]
        return all(slot in self.exact or not looks.is_fine(slot, mask) for slot in looks.slots(mask))

    # ------------------------------------------------------------------ order

    def _targets(self, place: int) -> Iterator[int]:
        return (target for target in self.points[place].targets if target in self.inner and target != self.start)

    def _sorted(self) -> bool:
        """Puts points in order, those that come first in the rules first; False, with a cut made, when there is a
        circle.
        """
        left: dict[int, int] = {}
        for place in self.inner:
            for target in self._targets(place):
                left[target] = left.get(target, 0) + 1
        ready = [(self.points[self.start].place, self.start)]
        self.order = []
        while ready:
            _, place = heapq.heappop(ready)
            self.order.append(place)
            for target in self._targets(place):
                left[target] -= 1
                if not left[target]:
                    heapq.heappush(ready, (self.points[target].place, target))
        if len(self.order) == len(self.inner):
            return True
        self.forced.add(self._on_a_circle())
        return False

    def _on_a_circle(self) -> int:
        """A point that the stretch comes back to."""
        state = {self.start: 1}
        stack = [(self.start, self._targets(self.start))]
        while stack:
            place, targets = stack[-1]
            for target in targets:
                if target not in state:
                    state[target] = 1
                    stack.append((target, self._targets(target)))
                    break
                if state[target] == 1:
                    return target
            else:
                state[place] = 2
                stack.pop()
        return self.start

    # ------------------------------------------------------------------ what it reads

    def stretch(self) -> Stretch:
        inside = set(self.order)
        exits = dict.fromkeys(
            target
            for place in self.order
            for target in self.points[place].targets
            if target not in inside or target == self.start
        )
        exits.update(dict.fromkeys(place for place in self.order if place != self.start and self.points[place].is_open))
        by_point: dict[int, dict[int, int]] = {}
        asked = self._asked_at_start(by_point)
        written = frozenset(slot for place in self.order for slot in made(self.liveness, place))
        coarse = {slot: mask for slot, mask in asked.items() if slot not in written}
        reads = tuple(sorted(asked))
        return Stretch(tuple(self.order), tuple(exits), reads, by_point, coarse, written)

    def _asked_at_start(self, by_point: dict[int, dict[int, int]]) -> dict[int, int]:
        """The registers that may be read before they are written, with the looks at them, and by point."""
        looks = self.liveness.looks
        sure: dict[int, frozenset[int]] = {self.start: frozenset()}
        asked: dict[int, int] = {}
        for place in self.order:
            here = by_point[place] = {}
            for bit, slot, _ in looks.each(self.liveness.asks[place]):
                if slot not in sure[place]:
                    here[slot] = here.get(slot, 0) | bit
                    asked[slot] = asked.get(slot, 0) | bit
            after = sure[place] | writes(self.points[place].op)
            for target in self._targets(place):
                sure[target] = sure[target] & after if target in sure else after
        return asked


def made(liveness: Liveness, place: int) -> Iterator[int]:
    """Registers that are looked at after a point and get a value there, or become worth keeping because they are no
    longer known.
    """
    point = liveness.flow.points[place]
    written = writes(point.op)
    here = set(liveness.layouts[place])
    for target in point.targets:
        for slot in liveness.layouts[target]:
            if slot in written or slot not in here:
                yield slot
