"""Situations and what follows from them: the graph that odds are read from, built as far as it is walked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from interpreter.odds.limits import Budget
from interpreter.odds.liveness import Liveness
from interpreter.odds.lookup import compiled
from interpreter.odds.regions import Stretch, find_stretch, waits
from interpreter.odds.steps import Picker
from interpreter.odds.throws import DiceBag, Key
from interpreter.odds.trees import filled
from interpreter.program import Tree

Renew = Callable[[], None]

# A run that goes on so long without dice, choice or end goes on for ever.
MOST_HOPS = 100_000


Exit = tuple[Any, "Region", Picker, Key]
"""A weight (a float, or a whole number in exact odds), where it leads, and which of the values here and of those
written go on.
"""
Edge = tuple[Any, "Region", Key]


class Circle(Exception):
    """The graph leads back to a situation that is still open."""


class _Open:
    """Marks a situation whose followers are not all known yet."""


OPEN = _Open()


@dataclass(frozen=True, slots=True)
class Option:
    """What can follow once an answer is given. `total` is what the weights and what was cut off, `lost`, add up to;
    `gain` is what is counted on the way, weighed alike.
    """

    name: str
    total: Any
    exits: tuple[Exit, ...]
    lost: Any
    gain: Any


@dataclass(frozen=True, slots=True)
class Segment:
    """What can follow from a situation, for each answer.

    `hop` is set when there is one answer and one way on, for sure.
    """

    options: tuple[Option, ...]
    hop: tuple[Region, Picker, Key] | None


@dataclass(slots=True, eq=False)
class Region:
    """The stretch that begins at a point, and its segments by what it reads.

    `passes`: its segments may surely lead on one way; `hops`: some do. `private`: a choice that is come to from a
    single other region, at most once from each of that one's situations.
    """

    number: int
    place: int
    layout: tuple[int, ...]
    passes: bool
    end: bool
    waits: bool = False
    hops: bool = False
    private: bool = False
    sources: set[Region] = field(default_factory=set)
    read: Picker = lambda key: ()
    direct: dict[Key, Segment] = field(default_factory=dict)
    find: Callable[[Key], Segment] = lambda key: Segment((), None)
    renew: Renew = lambda: None


class Graph:
    """All regions of a flow.

    `local` are the registers that no sheet keeps. `stretches` are those known already, by where they begin.
    `make_segments` gives what a region reads of a situation, what finds its segments, and what makes it forget them. A
    graph is begun for a question, and can be begun again for another one; `worked` is what all of them came to.
    """

    def __init__(
        self,
        liveness: Liveness,
        local: frozenset[int],
        stretches: dict[int, Stretch],
        exact: bool,
        make_segments: Callable[[Graph, Region], tuple[Picker, Callable[[Key], Segment], Renew]],
    ) -> None:
        self.shared = liveness
        self.liveness = liveness.anew()
        self.local = local
        self.stretches = stretches
        self.exact = exact
        self.make_segments = make_segments
        self.counts = bool(liveness.gains)
        self.regions: list[Region] = []
        self.tables: list[list[dict[Key, Any]]] = []
        self.by_place: dict[int, Region] = {}
        self.ends: dict[tuple[int, Tree], Callable[[Key], Any]] = {}
        self.worked = 0
        self.refusals = self._new(-1, (), False, True)
        self.endless = self._new(-2, (), False, True)

    def begin(self, registers: Sequence[object], bag: DiceBag, budget: Budget) -> None:
        """Makes it ready for a question; `registers` are the run's as they stand."""
        self.registers = registers
        self.bag = bag
        self.budget = budget
        self.lossy = False
        self.hopping = 0
        self.tables.clear()
        self.liveness.looks.forget()
        for region in self.regions:
            region.direct.clear()
            region.sources.clear()
            region.hops = region.private = False
            region.renew()

    def _new(self, place: int, layout: tuple[int, ...], passes: bool, end: bool) -> Region:
        region = Region(len(self.regions), place, layout, passes, end)
        self.regions.append(region)
        for tables in self.tables:
            tables.append({})
        return region

    def link(self, source: Region, target: Region) -> None:
        """Notes that segments of one region lead to another."""
        if not target.sources:
            injective = set(source.layout) <= set(target.layout)
            alone = source is not target and not source.private  # one in another at most
            target.private = target.waits and injective and alone
        elif source not in target.sources:
            target.private = False
        target.sources.add(source)

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
            region.waits = waits(point)
            self.by_place[place] = region
            if not end and not loops:
                region.read, region.find, region.renew = self.make_segments(self, region)
        return self.by_place[place]

    def stretch(self, place: int) -> Stretch:
        """The stretch that begins at a point."""
        if place not in self.stretches:
            self.stretches[place] = find_stretch(self.liveness, place, self.local)
        return self.stretches[place]

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

    def at_end(self, region: Region, tree: Tree) -> Callable[[Key], Any]:
        """A tree as a function of the situations at an end."""
        asked = region.number, tree
        if asked not in self.ends:
            flow = self.liveness.flow
            known = filled(filled(tree, flow.points[region.place].known), flow.fixed)
            self.ends[asked] = compiled(known, region.layout)
        return self.ends[asked]

    def expand(self, region: Region, key: Key) -> list[tuple[Any, list[Edge]]]:
        """By answer: the weight that does not come back at once to this same situation, and what else follows."""
        self.budget.node()
        segment = region.direct.get(region.read(key)) or region.find(key)
        found = []
        for option in segment.options:
            edges: list[Edge] = []
            left = option.total
            for weight, next_region, take, written in option.exits:
                target, child = next_region, take(key + written)
                if target.passes:
                    target, child = self.landed(target, child)
                if target is region and child == key:
                    left -= weight
                else:
                    edges.append((weight, target, child))
            found.append((left, edges))
        return found

    def options(self, region: Region, key: Key) -> tuple[Option, ...]:
        """What can follow by answer, in the order of `expand`."""
        return (region.direct.get(region.read(key)) or region.find(key)).options

    def answers(self, region: Region, key: Key) -> tuple[str, ...]:
        """What the answers are called."""
        return tuple(option.name for option in self.options(region, key))
