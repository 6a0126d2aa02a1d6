"""What follows from a situation up to the next one, worked out once for all situations that read alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interpreter.odds.constants import writes
from interpreter.odds.graph import Graph, Option, Region, Renew, Segment
from interpreter.odds.liveness import Classifier, Looks
from interpreter.odds.lookup import Later
from interpreter.odds.picks import Answers
from interpreter.odds.steps import Frame, Picker, Places, Step, StepMaker, Way, Weights, picker
from interpreter.odds.throws import Key, Roller

Followed = tuple[Any, tuple[Any, ...], Any, Any]
"""The total, the exits, what was cut off, and what was counted."""


class _Kept:
    """Stands for a register that a stretch may write and did not."""


KEPT = _Kept()


class _Classes(dict[Any, Any]):
    """The value that stands for each value: for itself, where all are told apart."""

    def __init__(self, classify: Classifier | None) -> None:
        super().__init__()
        self.classify = classify

    def __missing__(self, value: Any) -> Any:
        found = self[value] = value if self.classify is None else self.classify(value)
        return found


def make_segments(graph: Graph, region: Region) -> tuple[Picker, Callable[[Key], Segment], Renew]:
    """What a region reads of a situation, what finds its segments, and what makes it forget them."""
    maker = SegmentMaker(graph, region)
    return picker(maker.read), maker.find, maker.renew


class SegmentMaker:
    """Works out the segments of a region.

    A frame has a place for each point of the stretch, in order, then one for each exit. An answer's part of the work is
    shared by all situations that it reads alike, and the throw at its beginning by all that differ only in what is read
    after it.
    """

    def __init__(self, graph: Graph, region: Region) -> None:
        self.graph = graph
        self.region = region
        liveness = graph.liveness
        stretch = self.stretch = graph.stretch(region.place)
        self.inner = {place: index for index, place in enumerate(stretch.inner)}
        self.exits = {place: index for index, place in enumerate(stretch.exits, len(self.inner))}
        touched = {*stretch.reads, *stretch.written}
        self.layouts = {p: tuple(slot for slot in liveness.layouts[p] if slot in touched) for p in self.inner}
        places = {slot: index for index, slot in enumerate(region.layout)}
        self.reads = [slot for slot in stretch.reads if slot in places]
        self.read = [places[slot] for slot in self.reads]
        coarse = stretch.coarse
        self.classes = [_Classes(liveness.looks.classifier(s, coarse[s]) if s in coarse else None) for s in self.reads]
        self.steps: list[Step | None] = []
        self.picked: Callable[[Key], list[tuple[str, Way, Key]]] | None = None
        self.shared: dict[Key, Segment] = {}
        self.exit_layouts: dict[int, tuple[int, ...]] = {}
        self.takes: dict[tuple[int, tuple[bool, ...]], Picker] = {}
        self.parts: dict[tuple[int, Key], Followed] = {}
        self.begun: dict[tuple[int, int, Key], Frame] = {}
        self.plans: dict[int, _Plan] = {}
        self.rollers: list[Roller] = []
        self.ways: list[Way] = []
        self.renewed = True

    def renew(self) -> None:
        """Forgets all that came of a question; how its steps are taken stays."""
        self.shared.clear()
        self.parts.clear()
        self.begun.clear()
        for classes in self.classes:
            classes.clear()
        self.renewed = False
        for roller in self.rollers:
            roller.renew(self.graph.registers, self.graph.bag)

    # ------------------------------------------------------------------ the steps, made when first needed

    def _make(self) -> None:
        maker = StepMaker(
            self.graph.liveness,
            self.layouts.__getitem__,
            self._target,
            self._way_out,
            self._is_idle,
            self._roller,
            self.ways,
            Answers(lambda: self.graph.budget),
        )
        start = self.region.place
        points = self.graph.liveness.flow.points
        self.steps = [None if points[place].is_open and place == start else maker.step(place) for place in self.inner]
        if points[start].is_open:
            self.picked = maker.picked(start)

    def _target(self, place: int) -> tuple[int, tuple[int, ...]]:
        """Where a point that is gone to stands in the frame, and the registers that count there."""
        if place in self.inner and place != self.region.place:
            return self.inner[place], self.layouts[place]
        return self._way_out(place)

    def _is_idle(self, place: int) -> bool:
        return place in self.inner and place != self.region.place and self.graph.liveness.is_idle(place)

    def _way_out(self, place: int) -> tuple[int, tuple[int, ...]]:
        return self.exits[place], self._exit_layout(place)

    def _exit_layout(self, place: int) -> tuple[int, ...]:
        if place not in self.exit_layouts:
            written = self.stretch.written
            self.exit_layouts[place] = tuple(slot for slot in self.graph.liveness.layouts[place] if slot in written)
        return self.exit_layouts[place]

    def _roller(self, place: int, layout: tuple[int, ...]) -> Roller:
        roller = Roller(self.graph.liveness, place, layout)
        roller.renew(self.graph.registers, self.graph.bag)
        self.rollers.append(roller)
        return roller

    # ------------------------------------------------------------------ segments

    def find(self, key: Key) -> Segment:
        """The segment of a situation, worked out unless one alike is known."""
        raw = self.region.read(key)
        alike = tuple([classes[value] for classes, value in zip(self.classes, raw)])  # noqa: B905 - strict costs here
        segment = self.shared.get(alike)
        if segment is None:
            self.graph.budget.look()
            if not self.steps:
                self._make()
            elif not self.renewed:
                for way in self.ways:
                    way.renew()
            self.renewed = True
            segment = self.shared[alike] = self._segment(alike)
        self.region.direct[raw] = segment
        return segment

    def _segment(self, alike: Key) -> Segment:
        given = dict(zip(self.reads, alike, strict=True))
        start = tuple([given.get(slot, KEPT) for slot in self.layouts[self.region.place]])
        if self.picked is None:
            options: tuple[Option, ...] = (Option("", *self._answered(0, start)),)
        else:
            answers = [
                (name, way.place, way.take(start + values + way.added)) for name, way, values in self.picked(start)
            ]
            options = tuple(Option(name, *self._answered(place, key)) for name, place, key in answers)
        hop = self._hop(options)
        if hop is not None and self.region.passes and not self.region.hops:
            self.region.hops = True
            self.graph.hopping += 1
        return Segment(options, hop)

    def _hop(self, options: tuple[Option, ...]) -> tuple[Region, Picker, Key] | None:
        if len(options) != 1 or len(options[0].exits) != 1 or options[0].lost or options[0].gain:
            return None
        return options[0].exits[0][1:]

    # ------------------------------------------------------------------ one answer

    def _answered(self, place: int, key: Key) -> Followed:
        """What follows an answer; situations that differ only in what it never reads have it in common."""
        if place not in self.plans:
            self.plans[place] = _Plan(self, place)
        plan = self.plans[place]
        alike = place, tuple([value if keep else KEPT for value, keep in zip(key, plan.keeps, strict=True)])
        if alike not in self.parts:
            self.parts[alike] = self._run(*alike, plan)
        return self.parts[alike]

    def _run(self, place: int, key: Key, plan: _Plan) -> Followed:
        if not plan.cuts:
            return self._option(self._follow(self._begin(place, key), 0, len(self.steps)))
        frame = self._until(place, key, plan, len(plan.cuts) - 1)
        filled = _filled(frame, dict(zip(plan.slots, key, strict=True)))
        return self._option(self._follow(filled, plan.cuts[-1].step, len(self.steps)))

    def _until(self, place: int, key: Key, plan: _Plan, level: int) -> Frame:
        """The frame before a cut, shared by all situations that differ only in what is read after it."""
        cut = plan.cuts[level]
        shown = tuple([value if show is None else show(value) for value, show in zip(key, cut.shows, strict=True)])
        if (place, level, shown) not in self.begun:
            if level:
                before, first = self._until(place, key, plan, level - 1), plan.cuts[level - 1].step
            else:
                before, first = self._begin(place, tuple([Later(slot, None) for slot in plan.slots])), 0
            filled = _filled(before, dict(zip(plan.slots, shown, strict=True)))
            self.begun[place, level, shown] = self._follow(filled, first, cut.step)
        return self.begun[place, level, shown]

    def _begin(self, place: int, key: Key) -> Frame:
        return Frame(Places({place: {key: 1}}))

    def _follow(self, frame: Frame, first: int, last: int) -> Frame:
        """Takes the steps in order, lowest place first, so that equal situations meet."""
        places = frame.places
        for index in range(first, last):
            weights = places.pop(index, None)
            if weights:
                self.graph.budget.situations(len(weights))
                step = self.steps[index]
                assert step is not None
                step(weights, frame)
        return frame

    def _option(self, frame: Frame) -> Followed:
        graph = self.graph
        exits: list[tuple[int, Region, Picker, Key]] = []
        for place, index in self.exits.items():
            if frame.places.get(index):
                exits += self._exits(place, frame.places[index])
        for (code, message), weight in frame.refused.items():
            exits.append((weight, graph.refusals, _last_two, (code, message)))
        total = frame.total
        lost = total - sum([weight for weight, *_ in exits])
        graph.lossy |= bool(lost)
        if graph.exact:
            return total, tuple(exits), lost, frame.gain
        return (
            1.0,
            tuple([(weight / total, target, take, written) for weight, target, take, written in exits]),
            lost / total,
            float(frame.gain / total),
        )

    def _exits(self, place: int, weights: Weights) -> list[tuple[int, Region, Picker, Key]]:
        region = self.graph.region(place)
        self.graph.link(self.region, region)
        layout = self._exit_layout(place)
        found = []
        all_new = (False,) * len(layout)
        for key, weight in weights.items():
            kept, written = all_new, key
            if KEPT in key:
                kept = tuple([value is KEPT for value in key])
                written = tuple([value for value in key if value is not KEPT])
            take = self.takes.get((place, kept)) or self._take(place, region, layout, kept)
            found.append((weight, region, take, written))
        return found

    def _take(self, place: int, region: Region, layout: tuple[int, ...], kept: tuple[bool, ...]) -> Picker:
        """Which values make up the situation at an exit: those written come behind those at the start."""
        here = {slot: index for index, slot in enumerate(self.region.layout)}
        new = [slot for slot, is_kept in zip(layout, kept, strict=True) if not is_kept]
        behind = {slot: len(here) + index for index, slot in enumerate(new)}
        take = picker([behind[slot] if slot in behind else here[slot] for slot in region.layout])
        self.takes[place, kept] = take
        return take


@dataclass(frozen=True, slots=True)
class _Cut:
    """A step after a throw that reads something new.

    `shows` gives what is told until then of each slot's value; None: all of it.
    """

    step: int
    shows: list[Callable[[Any], Any] | None]


class _Plan:
    """For an answer, by where it leads.

    `slots` of the situation there; `keeps`, whether each is read or was just written; `cuts`.
    """

    def __init__(self, maker: SegmentMaker, place: int) -> None:
        inner, stretch = maker.stretch.inner, maker.stretch
        liveness = maker.graph.liveness
        self.cuts: list[_Cut] = []
        if place >= len(inner):
            self.slots: Sequence[int] = maker._exit_layout(maker.stretch.exits[place - len(inner)])
            self.keeps: Sequence[bool] = [True] * len(self.slots)
            return
        self.slots = maker.layouts[inner[place]]
        new: set[int] = set()
        if place:  # at the start nothing is written yet
            new |= writes(liveness.flow.points[maker.region.place].op)
            new |= {slot for slot in self.slots if slot not in maker.region.layout}
        ahead = _ahead(maker, place)
        wanted = {slot for index in ahead for slot in stretch.asked[inner[index]]}
        self.keeps = [slot in wanted or slot in new for slot in self.slots]
        known = {slot for slot, mask in stretch.coarse.items() if not liveness.looks.is_fine(slot, mask)}
        thrown, exact = False, {*new, *known, *(slot for slot in self.slots if slot not in wanted)}
        looked: dict[int, int] = {}
        for index in ahead:
            asked = stretch.asked[inner[index]]
            fresh = {slot for slot, mask in asked.items() if liveness.looks.is_fine(slot, mask)} - exact
            if fresh and thrown:
                self.cuts.append(_Cut(index, [_shows(liveness.looks, slot, exact, looked) for slot in self.slots]))
            exact |= fresh
            for slot, mask in asked.items():
                looked[slot] = looked.get(slot, 0) | mask
            thrown |= liveness.rolls(inner[index])


def _shows(looks: Looks, slot: int, exact: set[int], looked: dict[int, int]) -> Callable[[Any], Any] | None:
    """What is told of a slot's value where only some looks at it were taken."""
    if slot in exact:
        return None
    classify = looks.classifier(slot, looked[slot]) if slot in looked else None
    known: dict[Any, Later] = {}

    def show(value: Any) -> Later:
        stands = None if classify is None else classify(value)
        if stands not in known:
            known[stands] = Later(slot, stands)
        return known[stands]

    return show


def _ahead(maker: SegmentMaker, place: int) -> list[int]:
    """The places of the frame that can be come to from one, in order."""
    points, inner = maker.graph.liveness.flow.points, maker.stretch.inner
    found = {place}
    for index in range(place, len(inner)):
        if index in found:
            targets = [
                maker.inner[t] for t in points[inner[index]].targets if t in maker.inner and t != maker.region.place
            ]
            found.update(targets)
    return sorted(found)


def _filled(frame: Frame, values: Mapping[int, Any]) -> Frame:
    """A copy of a frame with values that were left open."""
    places = Places()
    for place, weights in frame.places.items():
        filled = places[place]
        for key, weight in weights.items():
            new = tuple([values[v.slot] if v.__class__ is Later else v for v in key])
            filled[new] = filled.get(new, 0) + weight
    return Frame(places, frame.total, dict(frame.refused), frame.gain)


def _last_two(key: Key) -> Key:
    return key[-2:]
