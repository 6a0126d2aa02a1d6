"""What each situation is worth for a goal, and the answers that make the most, or the least, of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from interpreter.odds.following import (
    Answer,
    Finish,
    Follow,
    Unknown,
    finish_exactly,
    finish_roughly,
    follow_exactly,
    follow_roughly,
)
from interpreter.odds.graph import OPEN, Circle, Edge, Graph, Region
from interpreter.odds.linear import Row, Singular, solve
from interpreter.odds.throws import Key
from interpreter.odds.walk import Node, Options, components
from interpreter.program import Tree

# Floats that differ by less are equal, so that of two answers as good the first declared wins.
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Goal:
    """A condition whose probability counts, or a number whose mean counts.

    `sign` is 1 for the most of it, -1 for the least.
    """

    text: str
    tree: Tree
    sign: int = 1


class Solver:
    """The worth of situations for one goal.

    `before` has settled a goal that comes first: only its best answers are open. With a `guide` nothing is open: its
    answers are given. `sure` until a run was met that does not come to an outcome; `numbers` once the goal was no yes
    or no.
    """

    def __init__(self, graph: Graph, goal: Goal, before: Solver | None = None, guide: Solver | None = None) -> None:
        self.graph = graph
        self.goal = goal
        self.before = before
        self.guide = guide
        self.sure = True
        self.numbers = False
        self.tables = graph.new_tables()
        self.fixed: dict[Node, int] = {}
        self.tolerance: Any = 0 if graph.exact else TOLERANCE
        self.zero: Any = Fraction(0) if graph.exact else 0.0
        self.follow: Follow = follow_exactly if graph.exact else follow_roughly
        self.finish: Finish = finish_exactly if graph.exact else finish_roughly
        self.free = before is None and guide is None
        self._ends: dict[int, Callable[[Key], Any]] = {}

    # ------------------------------------------------------------------ worth

    def value(self, node: Node) -> Any:
        """The worth of a situation."""
        tables = self.tables
        region, key = node
        if key in tables[region.number]:
            return tables[region.number][key]
        self.fill([node])
        return tables[region.number][key]

    def fill(self, nodes: Sequence[Node]) -> None:
        """Finds the worth of some situations, the first of them first."""
        while True:
            stack: list[Unknown] = [(region, key, None) for region, key in reversed(nodes)]
            hopping = self.graph.hopping
            try:
                self._walk(stack)
                return
            except Circle:
                for region, key, answers in stack:
                    if answers is not None:
                        self.tables[region.number].pop(key, None)
            if self.graph.hopping == hopping:
                for node in nodes:
                    self._in_circles(node)
                return

    def _walk(self, stack: list[Unknown]) -> None:
        """Depth first: a situation comes again, with what follows, once all that follows is known."""
        tables, follow, judge, graph = self.tables, self.follow, self.judge, self.graph
        while stack:
            region, key, answers = stack.pop()
            known = tables[region.number]
            if answers is None:
                if key in known:
                    continue
                if region.end:
                    known[key] = self._end(region, key)
                    continue
                known[key] = OPEN
                try:
                    answers, unknown = follow(graph, region, key, tables, judge)
                except Circle:
                    del known[key]
                    raise
                if unknown:
                    stack.append((region, key, answers))
                    stack += unknown
                    continue
            known[key] = judge(region, key, answers)

    def judge(self, region: Region, key: Key, answers: Sequence[Answer]) -> Any:
        """The worth of a situation once all that follows is known."""
        if len(answers) == 1:
            return self.finish(answers[0]) if answers[0][0] else self._never()
        return self._most(answers) if self.free else self._best((region, key), answers)[0]

    def _most(self, answers: Sequence[Answer]) -> Any:
        """The worth of the best answer, when all are open."""
        worths = [self.finish(answer) for answer in answers if answer[0]]
        if not worths:
            return self._never()
        return max(worths) if self.goal.sign > 0 else min(worths)

    def _never(self) -> Any:
        """The worth of what never comes to an end."""
        self.sure = False
        return self.zero

    def _end(self, region: Region, key: Key) -> Any:
        if region.place < 0:
            return self._never()
        if region.number not in self._ends:
            self._ends[region.number] = self.graph.at_end(region, self.goal.tree)
        found = self._ends[region.number](key)
        self.numbers |= not isinstance(found, bool)
        return Fraction(found) if self.graph.exact else float(found)

    def choice(self, node: Node, options: Options | None = None) -> int:
        """The answer to give, by its place; `options` are what the graph gives for the situation, if that is known."""
        if node in self.fixed:
            return self.fixed[node]
        answers = self._followed(node, options or self.graph.expand(*node))
        if node in self.fixed:  # it lies in a circle with what follows
            return self.fixed[node]
        worth, place = self._best(node, answers)
        if self.graph.exact:
            self.tables[node[0].number][node[1]] = worth
        return place

    def _followed(self, node: Node, options: Options) -> list[Answer]:
        """Answers once all that follows is known: the worth of a private choice need not have been kept."""
        tables = self.tables
        unknown = [
            (target, child) for _, edges in options for _, target, child in edges if child not in tables[target.number]
        ]
        if unknown:
            self.fill(unknown)
        return self.linked(node, options)

    def linked(self, node: Node, options: Options) -> list[Answer]:
        """Answers with the tables of what follows, in which all of it is known."""
        tables = self.tables
        gains = [option.gain for option in self.graph.options(*node)] if self.graph.counts else [0] * len(options)
        return [
            (left, gain, [(weight, tables[target.number], child) for weight, target, child in edges])
            for (left, edges), gain in zip(options, gains, strict=True)
        ]

    def _best(self, node: Node, answers: Sequence[Answer]) -> tuple[Any, int]:
        """The worth and the place of the best answer; of several as good the first.

        One that never ends is the last resort.
        """
        best, chosen = None, 0
        open_places = self._open(node, len(answers))
        for place in open_places:
            if not answers[place][0]:
                continue
            found = self.finish(answers[place])
            if best is None or (found - best) * self.goal.sign > self.tolerance:
                best, chosen = found, place
        return (self._never(), open_places[0]) if best is None else (best, chosen)

    def _open(self, node: Node, answers: int) -> Sequence[int]:
        if self.guide is not None:
            return [self.guide.choice(node)]
        return range(answers) if self.before is None else self.before.best_places(node)

    def best_places(self, node: Node) -> list[int]:
        """All answers as good as the best."""
        best = self.value(node)
        options = self.graph.expand(*node)
        linked = self._followed(node, options)
        found = [
            place
            for place in self._open(node, len(linked))
            if linked[place][0] and (best - self.finish(linked[place])) * self.goal.sign <= self.tolerance
        ]
        return found or [self.choice(node, options)]

    # ------------------------------------------------------------------ circles

    def _in_circles(self, start: Node) -> None:
        def known(node: Node) -> bool:
            return node[1] in self.tables[node[0].number]

        for group in components(self.graph.expand, start, known):
            for (region, key), worth in self._group(group):
                self.tables[region.number][key] = worth

    def _group(self, group: list[tuple[Region, Key, Options]]) -> Iterator[tuple[Node, Any]]:
        if len(group) == 1:
            region, key, options = group[0]
            node = region, key
            yield node, self._best(node, self.linked(node, options))[0] if options else self._end(region, key)
            return
        self.sure = False
        ring = _Ring(self, group)
        worth = ring.settled()
        for node, place in ring.places.items():
            if len(ring.options[place]) > 1:
                self.fixed[node] = ring.policy[place]
            yield node, worth[place]


class _Ring:
    """Situations that lead to one another: linear equations for a policy, bettered until no answer is better."""

    def __init__(self, solver: Solver, group: list[tuple[Region, Key, Options]]) -> None:
        self.solver = solver
        self.places = {(region, key): place for place, (region, key, _) in enumerate(group)}
        self.options = [options for _, _, options in group]
        self.nodes = list(self.places)
        self.open = [list(range(len(options))) for options in self.options]
        self.policy = self._leaving()
        if solver.before is not None:
            self.open = [solver.before.best_places(node) for node in self.nodes]
            self.policy = [
                solver.before.choice(node, o) if len(o) > 1 else 0
                for node, o in zip(self.nodes, self.options, strict=True)
            ]
        if solver.guide is not None:
            self.policy = [
                solver.guide.choice(node, o) if len(o) > 1 else 0
                for node, o in zip(self.nodes, self.options, strict=True)
            ]
            self.open = [[place] for place in self.policy]
        self.leaves = self._leaving_under(self.policy)

    def _inside(self, edge: Edge) -> int | None:
        return self.places.get((edge[1], edge[2]))

    def _leaving(self) -> list[int]:
        """A policy under which every situation that can leave the ring does, found backwards from the ways out."""
        policy: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            for place, options in enumerate(self.options):
                for number, (left, edges) in enumerate(options if place not in policy else ()):
                    if self._goes_out(left, edges, policy):
                        policy[place] = number
                        changed = True
                        break
        return [policy.get(place, 0) for place in range(len(self.options))]

    def _goes_out(self, left: Any, edges: Sequence[Edge], outside: dict[int, int]) -> bool:
        inside = [self._inside(edge) for edge in edges]
        if any(place is None or place in outside for place in inside):
            return True
        return bool(left) and not edges

    def _leaving_under(self, policy: Sequence[int]) -> set[int]:
        out: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            for place, number in enumerate(policy):
                if place not in out and self._goes_out(*self.options[place][number], out):
                    out[place] = number
                    changed = True
        return set(out)

    def settled(self) -> list[Any]:
        """The worth of each situation, once no other answer is better."""
        worth = self._worth()
        while True:
            before = list(self.policy)
            if not self._bettered(worth):
                return worth
            leaves = self._leaving_under(self.policy)
            if leaves < self.leaves:  # what is better only because it never ends is no answer
                self.policy = before
                return worth
            worth = self._worth()

    def _worth(self) -> list[Any]:
        solver = self.solver
        rows: list[Row] = []
        constants: list[Any] = []
        for place, number in enumerate(self.policy):
            row: Row = {}
            out: list[Edge] = []
            left, edges = self.options[place][number]
            for edge in edges if place in self.leaves else ():
                inside = self._inside(edge)
                if inside is None:
                    out.append(edge)
                else:
                    row[inside] = row.get(inside, 0) + (
                        Fraction(edge[0], left) if solver.graph.exact else edge[0] / left
                    )
            rows.append(row)
            gain = solver.graph.options(*self.nodes[place])[number].gain if place in self.leaves else 0
            links = [(weight, solver.tables[target.number], child) for weight, target, child in out]
            constants.append(solver.finish((left, gain, links)) if out or gain else solver.zero)
        try:
            return solve(rows, constants, solver.graph.budget.terms)
        except Singular as error:
            raise AssertionError("a situation that leaves its ring") from error

    def _bettered(self, worth: Sequence[Any]) -> bool:
        """Takes better answers where there are any."""
        solver, changed = self.solver, False
        for node, place in self.places.items():
            solver.tables[node[0].number][node[1]] = worth[place]
        for place, options in enumerate(self.options):
            best, linked = worth[place], solver.linked(self.nodes[place], options)
            for number in self.open[place] if len(options) > 1 else ():
                left = linked[number][0]
                found = solver.finish(linked[number]) if left else solver.zero
                if left and (found - best) * solver.goal.sign > solver.tolerance:
                    best, self.policy[place], changed = found, number, True
        for node in self.places:
            del solver.tables[node[0].number][node[1]]
        return changed
