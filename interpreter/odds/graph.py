"""Situations and what follows from them: the graph that odds are read from, built as far as it is walked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from interpreter.odds.limits import BETWEEN_LOOKS, Budget
from interpreter.odds.liveness import Classifier, Liveness
from interpreter.odds.picks import Answers
from interpreter.odds.regions import find_stretch, is_open, waits
from interpreter.odds.steps import Frame, Picker, Step, StepMaker, Way, Weights, picker
from interpreter.odds.throws import DiceBag, Key, Roller

# A run that goes on so long without dice, choice or end goes on for ever.
MOST_HOPS = 100_000


class _Kept:
    """Stands for a register that a stretch may write and did not."""


KEPT = _Kept()

Exit = tuple[Any, "Region", Picker, Key]
"""A weight (a float, or a whole number in exact odds), where it leads, and which of the values here and of those written go on."""
Edge = tuple[Any, "Region", Key]
Link = tuple[Any, dict[Key, Any], Key]
"""A weight, the table in which a follower is known, and the follower."""
Unknown = tuple["Region", Key, None]


class Circle(Exception):
    """The graph leads back to a situation that is still open."""


class _Open:
    """Marks a situation whose followers are not all known yet."""


OPEN = _Open()


@dataclass(frozen=True, slots=True)
class Option:
    """What can follow once an answer is given. `total` is what the weights and what was cut off, `lost`, add up to."""

    name: str
    total: Any
    exits: tuple[Exit, ...]
    lost: Any


@dataclass(frozen=True, slots=True)
class Segment:
    """What can follow from a situation, for each answer. `hop` is set when there is one answer and one way on, for sure."""

    options: tuple[Option, ...]
    hop: tuple[Region, Picker, Key] | None


@dataclass(slots=True, eq=False)
class Region:
    """The stretch that begins at a point, and its segments by what it reads. `hops`: some of them surely lead on one way."""

    number: int
    place: int
    layout: tuple[int, ...]
    passes: bool
    end: bool
    hops: bool = False
    read: Picker = picker(())
    direct: dict[Key, Segment] = field(default_factory=dict)
    find: Callable[[Key], Segment] = lambda key: Segment((), None)


class Graph:
    """All regions of a flow. `registers` are the run's as they stood; `local` those that no sheet keeps."""

    def __init__(
        self,
        liveness: Liveness,
        registers: Sequence[object],
        local: frozenset[int],
        bag: DiceBag,
        budget: Budget,
        exact: bool,
    ) -> None:
        self.liveness = liveness
        self.registers = registers
        self.local = local
        self.bag = bag
        self.budget = budget
        self.exact = exact
        self.lossy = False
        self.hopping = 0
        self.regions: list[Region] = []
        self.tables: list[list[dict[Key, Any]]] = []
        self.by_place: dict[int, Region] = {}
        self.refusals = self._new(-1, (), False, True)
        self.endless = self._new(-2, (), False, True)

    def _new(self, place: int, layout: tuple[int, ...], passes: bool, end: bool) -> Region:
        region = Region(len(self.regions), place, layout, passes, end)
        self.regions.append(region)
        for tables in self.tables:
            tables.append({})
        return region

    def new_tables(self) -> list[dict[Key, Any]]:
        """A table of situations for each region, by its number, that grows as regions are found."""
        tables: list[dict[Key, Any]] = [{} for _ in self.regions]
        self.tables.append(tables)
        return tables

    def forget(self) -> None:
        """Empties all tables; what follows from what is still known."""
        for tables in self.tables:
            for known in tables:
                known.clear()

    def region(self, place: int) -> Region:
        """The region that begins at a point."""
        if place not in self.by_place:
            point = self.liveness.flow.points[place]
            end, loops = point.op.kind == "stop", point.op.kind == "jump"
            passes = not (end or self.liveness.rolls(place) or waits(point))
            region = self.endless if loops else self._new(place, self.liveness.layouts[place], passes, end)
            self.by_place[place] = region
            if not end and not loops:
                maker = _SegmentMaker(self, region)
                region.read, region.find = picker(maker.read), maker.find
        return self.by_place[place]

    def start(self, values: Sequence[object]) -> tuple[Region, Key]:
        """The situation in which a run with these registers stands."""
        region = self.region(self.liveness.flow.start)
        return self.landed(region, tuple([values[slot] for slot in region.layout]))

    def landed(self, region: Region, key: Key) -> tuple[Region, Key]:
        """Where a run stops next that surely goes one way for now."""
        for _ in range(MOST_HOPS):
            if not region.passes:
                return region, key
            read = region.read(key)
            segment = region.direct.get(read) or region.find(key)
            if segment.hop is None:
                return region, key
            region, take, written = segment.hop
            key = take(key + written)
        return self.endless, ()

    def expand(self, region: Region, key: Key) -> list[tuple[Any, list[Edge]]]:
        """By answer: the weight that does not come back at once to this same situation, and what else follows."""
        self.budget.node()
        segment = region.direct.get(region.read(key)) or region.find(key)
        found = []
        for option in segment.options:
            edges: list[Edge] = []
            left = option.total
            for weight, target, take, written in option.exits:
                child = take(key + written)
                if target.passes:
                    target, child = self.landed(target, child)
                if target is region and child == key:
                    left -= weight
                else:
                    edges.append((weight, target, child))
            found.append((left, edges))
        return found

    def follow(
        self, region: Region, key: Key, tables: list[dict[Key, Any]]
    ) -> tuple[list[tuple[Any, list[Link]]], list[Unknown]]:
        """The same with each follower's table in the place of its region, and the followers that no table knows.

        This is where the time goes: the loop does nothing twice. Raises Circle on meeting an open situation. Regions are taken
        not to hop until one of their segments does; who walks begins anew when a circle comes of that.
        """
        budget = self.budget
        budget.nodes = count = budget.nodes + 1
        if not count & BETWEEN_LOOKS:
            budget.check()
        found: list[tuple[Any, list[Link]]] = []
        unknown: list[Unknown] = []
        for option in (region.direct.get(region.read(key)) or region.find(key)).options:
            links: list[Link] = []
            left = option.total
            for weight, target, take, written in option.exits:
                child = take(key + written)
                known = tables[target.number]
                value = known.get(child)
                if value is None:
                    if target.hops:
                        target, child = self.landed(target, child)
                        known = tables[target.number]
                        value = known.get(child)
                    if value is None:
                        if target is region and child == key:
                            left -= weight
                            continue
                        unknown.append((target, child, None))
                if value is OPEN:
                    raise Circle
                links.append((weight, known, child))
            found.append((left, links))
        return found, unknown

    def lost(self, region: Region, key: Key, place: int) -> Any:
        """The weight that was cut off after an answer."""
        return (region.direct.get(region.read(key)) or region.find(key)).options[place].lost

    def answers(self, region: Region, key: Key) -> tuple[str, ...]:
        """What the answers are called, in the order of `expand`."""
        segment = region.direct.get(region.read(key)) or region.find(key)
        return tuple(option.name for option in segment.options)


class _Classes(dict[Any, Any]):
    """The value that stands for each value: for itself, where all are told apart."""

    def __init__(self, classify: Classifier | None) -> None:
        super().__init__()
        self.classify = classify

    def __missing__(self, value: Any) -> Any:
        found = self[value] = value if self.classify is None else self.classify(value)
        return found


class _SegmentMaker:
    """Works out the segments of a region."""

    def __init__(self, graph: Graph, region: Region) -> None:
        self.graph = graph
        self.region = region
        liveness = graph.liveness
        self.stretch = find_stretch(liveness, region.place, graph.local)
        self.inner = {place: index for index, place in enumerate(self.stretch.inner)}
        self.exits = {place: index for index, place in enumerate(self.stretch.exits, len(self.inner))}
        self.layouts: dict[int, tuple[int, ...]] = {}
        touched = {*self.stretch.reads, *self.stretch.written}
        for place in self.inner:
            self.layouts[place] = tuple(slot for slot in liveness.layouts[place] if slot in touched)
        places = {slot: index for index, slot in enumerate(region.layout)}
        self.reads = [slot for slot in self.stretch.reads if slot in places]
        self.read = [places[slot] for slot in self.reads]
        coarse = self.stretch.coarse
        self.classes = [_Classes(liveness.looks.classifier(slot, coarse[slot]) if slot in coarse else None) for slot in self.reads]
        self.steps: list[Step | None] = []
        self.picked: Callable[[Key], list[tuple[str, Way, Key]]] | None = None
        self.shared: dict[Key, Segment] = {}
        self.takes: dict[tuple[int, tuple[bool, ...]], Picker] = {}

    # ------------------------------------------------------------------ the steps, made when first needed

    def _make(self) -> None:
        maker = StepMaker(
            self.graph.liveness,
            self.layouts.__getitem__,
            self._target,
            self._way_out,
            self._roller,
            Answers(self.graph.budget),
        )
        start = self.region.place
        points = self.graph.liveness.flow.points
        self.steps = [None if is_open(points[place]) and place == start else maker.step(place) for place in self.inner]
        if is_open(points[start]):
            self.picked = maker.picked(start)

    def _target(self, place: int) -> tuple[int, tuple[int, ...]]:
        """Where a point that is gone to stands in the frame, and the registers that count there."""
        if place in self.inner and place != self.region.place:
            return self.inner[place], self.layouts[place]
        return self._way_out(place)

    def _way_out(self, place: int) -> tuple[int, tuple[int, ...]]:
        return self.exits[place], self._exit_layout(place)

    def _exit_layout(self, place: int) -> tuple[int, ...]:
        return tuple(slot for slot in self.graph.liveness.layouts[place] if slot in self.stretch.written)

    def _roller(self, place: int, layout: tuple[int, ...]) -> Roller:
        return Roller(self.graph.liveness, place, layout, self.graph.registers, self.graph.bag)

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
            segment = self.shared[alike] = self._segment(alike)
        self.region.direct[raw] = segment
        return segment

    def _segment(self, alike: Key) -> Segment:
        given = dict(zip(self.reads, alike, strict=True))
        start = tuple([given.get(slot, KEPT) for slot in self.layouts[self.region.place]])
        if self.picked is None:
            options: tuple[Option, ...] = (self._run("", 0, start),)
        else:
            options = tuple(self._run(name, *self._answered(way, start + values)) for name, way, values in self.picked(start))
        hop = self._hop(options)
        if hop is not None and self.region.passes and not self.region.hops:
            self.region.hops = True
            self.graph.hopping += 1
        return Segment(options, hop)

    def _answered(self, way: Way, key: Key) -> tuple[int, Key]:
        return way.place, way.take(key + way.added)

    def _hop(self, options: tuple[Option, ...]) -> tuple[Region, Picker, Key] | None:
        if len(options) != 1 or len(options[0].exits) != 1 or options[0].lost:
            return None
        return options[0].exits[0][1:]

    def _run(self, name: str, place: int, key: Key) -> Option:
        """Follows all ways from a place of the frame, lowest place first, so that equal situations meet."""
        frame = Frame([{} for _ in range(len(self.inner) + len(self.exits))])
        frame.places[place][key] = 1
        for index, step in enumerate(self.steps):
            weights = frame.places[index]
            if weights:
                frame.places[index] = {}
                assert step is not None
                step(weights, frame)
        return self._option(name, frame)

    def _option(self, name: str, frame: Frame) -> Option:
        graph = self.graph
        exits: list[tuple[int, Region, Picker, Key]] = []
        for place, index in self.exits.items():
            exits += self._exits(place, frame.places[index])
        for (code, message), weight in frame.refused.items():
            exits.append((weight, graph.refusals, lambda key: key[-2:], (code, message)))
        total = frame.total
        lost = total - sum(weight for weight, *_ in exits)
        graph.lossy |= bool(lost)
        if graph.exact:
            return Option(name, total, tuple(exits), lost)
        shares = tuple((weight / total, target, take, written) for weight, target, take, written in exits)
        return Option(name, 1.0, shares, lost / total)

    def _exits(self, place: int, weights: Weights) -> list[tuple[int, Region, Picker, Key]]:
        if not weights:
            return []
        region = self.graph.region(place)
        layout = self._exit_layout(place)
        found = []
        for key, weight in weights.items():
            kept = tuple([value is KEPT for value in key])
            written = tuple([value for value in key if value is not KEPT])
            found.append((weight, region, self._take(place, region, layout, kept), written))
        return found

    def _take(self, place: int, region: Region, layout: tuple[int, ...], kept: tuple[bool, ...]) -> Picker:
        """Which values make up the situation at an exit: those written come behind those at the start."""
        if (place, kept) not in self.takes:
            here = {slot: index for index, slot in enumerate(self.region.layout)}
            new = [slot for slot, is_kept in zip(layout, kept, strict=True) if not is_kept]
            behind = {slot: len(here) + index for index, slot in enumerate(new)}
            self.takes[place, kept] = picker([behind.get(slot, here.get(slot, -1)) for slot in region.layout])
        return self.takes[place, kept]
