"""How likely each end is when choices are answered as a chooser says: one pass from the start on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from interpreter.odds.graph import Circle, Edge, Graph, Option, Region
from interpreter.odds.linear import Row, solve
from interpreter.odds.throws import Key
from interpreter.odds.walk import Node, Options, components, walk

Chooser = Callable[[Node, Options], int]


Arrived = Any
"""What comes to a situation: a float, or in exact odds whole numbers by their denominator, to be brought down once."""


@dataclass(slots=True)
class Ends:
    """What comes to each end, the probability of what was cut off, and of never coming to an end; `chosen` are the
    answers given, by node. `gained`: the mean of what is counted on the way; `again`: in a circle, so that it may come
    to any number.
    """

    arrived: Mapping[Node, Arrived]
    cut_off: Any
    never_ends: Any
    gained: Any
    again: bool = False
    chosen: dict[Node, int] = field(default_factory=dict)


def joined(arrivals: Sequence[Arrived]) -> Any:
    """The probability that several arrivals come to."""
    together: dict[int, int] = {}
    for arrived in arrivals:
        if isinstance(arrived, float):
            return sum(arrivals)
        for denominator, numerator in arrived.items():
            together[denominator] = together.get(denominator, 0) + numerator
    above, below = 0, 1
    for denominator, numerator in together.items():
        above, below = above * denominator + numerator * below, below * denominator
    return Fraction(above, below)


NOTHING = Fraction(0)
Visit = tuple[Node, Any, list[Edge]]
"""A situation, the weight that does not stay in it (None at an end), and what follows."""


class _Pass:
    def __init__(self, graph: Graph, chooser: Chooser | None) -> None:
        self.graph = graph
        self.chooser = chooser
        self.chosen: dict[Node, int] = {}
        self.zero: Any = NOTHING if graph.exact else 0.0
        self.flow: dict[Node, Arrived] = {}
        self.ends = Ends(self.flow, self.zero, self.zero, self.zero, chosen=self.chosen)

    def expand(self, region: Region, key: Key) -> Options:
        """What follows from the answer that is given."""
        options = self.graph.expand(region, key)
        if len(options) == 1 or self.chooser is None:
            return options[:1]
        place = self.chosen[region, key] = self.chooser((region, key), options)
        return [options[place]]

    def groups(self, start: Node) -> list[list[Visit]]:
        """The situations met that are no ends, each group before those that it leads to."""
        found: list[list[Visit]] = []
        tables = self.graph.new_tables()
        try:
            for known, region, key, options in walk(self.expand, start, tables):
                known[key] = True
                found.append([((region, key), *(options[0] if options else (None, [])))])
        except Circle:
            found = [
                [((region, key), *(options[0] if options else (None, []))) for region, key, options in group]
                for group in components(self.expand, start, lambda node: node[0].end)
            ]
        return found[::-1]

    def run(self, start: Node) -> Ends:
        self.flow[start] = {1: 1} if self.graph.exact else 1.0
        for group in self.groups(start):
            if len(group) > 1:
                self._ring(group)
                continue
            node, left, edges = group[0]
            if left is None:
                continue
            amount = self.amount(node)
            if not left:
                self.ends.never_ends += amount
            else:
                self._hand_on(node, amount, left, edges)
        if (self.graph.endless, ()) in self.flow:
            self.ends.never_ends += self.amount((self.graph.endless, ()))
        return self.ends

    def share(self, weight: Any, left: Any) -> Any:
        return Fraction(weight, left) if self.graph.exact else weight / left

    def amount(self, node: Node) -> Any:
        """All that has come to a situation, which is left."""
        arrived = self.flow.pop(node, None)
        return self.zero if arrived is None else joined([arrived])

    def _hand_on(self, node: Node, amount: Any, left: Any, edges: list[Edge], circling: bool = False) -> None:
        """Hands on what has come to a situation: in fractions, whole numbers by their denominator, brought
        down once.
        """
        flow = self.flow
        if self.graph.exact:
            numerator, denominator = amount.numerator, amount.denominator * left
            for weight, target, child in edges:
                arrived = flow.setdefault((target, child), {})
                arrived[denominator] = arrived.get(denominator, 0) + weight * numerator
        else:
            for weight, target, child in edges:
                follower = target, child
                flow[follower] = flow.get(follower, 0.0) + amount * weight / left
        if self.graph.counts or self.graph.lossy:
            option = self.option(node)
            self.ends.cut_off += amount * self.share(option.lost, left)
            self.ends.gained += amount * self.share(option.gain, left)
            self.ends.again |= bool(option.gain) and (circling or option.total != left)

    def option(self, node: Node) -> Option:
        """What the answer that is given leads to."""
        return self.graph.options(*node)[self.chosen.get(node, 0)]

    def _ring(self, group: list[Visit]) -> None:
        """The same for situations that lead to one another: how often each is come to, then what goes out."""
        places = {node: place for place, (node, _, _) in enumerate(group)}
        inflow = [self.amount(node) for node, _, _ in group]
        out = [[edge for edge in edges if edge[1:] not in places] for _, _, edges in group]
        lossy = self.graph.lossy and any(self.option(node).lost for node, _, _ in group)
        if not any(out) and not lossy:
            self.ends.never_ends += sum(inflow)
            return
        rows: list[Row] = [{} for _ in group]
        for place, (_, left, edges) in enumerate(group):
            for weight, target, child in edges:
                inside = places.get((target, child))
                if inside is not None:
                    rows[inside][place] = rows[inside].get(place, 0) + self.share(weight, left)
        visits = solve(rows, inflow, self.graph.budget.terms)
        for place, (node, left, _) in enumerate(group):
            if visits[place]:
                self._hand_on(node, visits[place], left, out[place], circling=True)


def run_forward(graph: Graph, start: Node, chooser: Chooser | None) -> Ends:
    """The ends that a run from `start` can come to."""
    return _Pass(graph, chooser).run(start)
