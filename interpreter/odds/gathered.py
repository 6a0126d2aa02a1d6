"""What is asked for, gathered from passes over the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from interpreter.odds.answer import Odds
from interpreter.odds.features import name_of
from interpreter.odds.forward import Arrived, Chooser, Ends, joined
from interpreter.odds.graph import Graph, Region
from interpreter.odds.solve import Solver
from interpreter.odds.steps import Picker, picker
from interpreter.odds.walk import Node, Options
from interpreter.program import Program, Tree

NUMBERS = (int, Fraction)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something whose distribution is asked: where it goes in the answer, its names, and their trees."""

    kind: str
    names: tuple[str, ...]
    trees: tuple[Tree, ...]


@dataclass(slots=True)
class Found:
    """What the passes have found so far: `told` is an answer without advice, `chosen` the answers given to choices.

    `base` are the trees of the outcome and its grade.
    """

    program: Program
    exact: bool
    base: Sequence[Tree]
    told: Odds = field(default_factory=lambda: Odds({}))
    code: str = ""
    chosen: tuple[Graph, Ends] | None = None
    begun: bool = False

    def take(self, graph: Graph, ends: Ends, group: Sequence[Wanted], own: Graph | None) -> None:
        if not self.begun:
            self.begun = True
            self.told = self._outcomes(graph, ends)
        if ends.chosen and (self.chosen is None or graph is own):
            self.chosen = graph, ends
        if group:
            spreads: dict[str, dict[Any, Any]] = {
                kind: dict(getattr(self.told, kind)) for kind in ("flags", "values", "gauges", "joints")
            }
            for one in group:
                _enter(spreads, one, spread(graph, ends, one.trees))
            cut_off = max(self.told.cut_off, ends.cut_off)
            values, gauges, joints, flags = (spreads[kind] for kind in ("values", "gauges", "joints", "flags"))
            self.told = replace(self.told, values=values, gauges=gauges, joints=joints, flags=flags, cut_off=cut_off)

    def _outcomes(self, graph: Graph, ends: Ends) -> Odds:
        rules, zero = self.program.rules, Fraction(0) if self.exact else 0.0
        outcomes: dict[str, Any] = dict.fromkeys(rules.outcomes, zero)
        grades: dict[str, Any] = {name: zero for outcome in rules.outcomes.values() for name in outcome.grades}
        refused: dict[str, Any] = {}
        for (outcome, grade), chance in spread(graph, ends, self.base).items():
            for chances, name in ((outcomes, outcome), (grades, grade)):
                if name is not None:
                    chances[name] = chances[name] + chance if chances[name] else chance
        for (region, key), arrived in ends.arrived.items():
            if region is graph.refusals:
                self.code = key[0]
                refused[key[1]] = refused.get(key[1], zero) + joined([arrived])
        return Odds(
            outcomes, grades, refused=refused, cut_off=ends.cut_off, never_ends=ends.never_ends, exact=self.exact
        )


def _enter(found: dict[str, dict[Any, Any]], wanted: Wanted, chances: Mapping[tuple[Any, ...], Any]) -> None:
    if wanted.kind == "joints":
        found["joints"][wanted.names] = dict(sorted(chances.items(), key=_in_order))
    elif wanted.kind == "flags":
        found["flags"][wanted.names[0]] = chances.get((True,), 0)
    else:
        plain = {values[0]: chance for values, chance in sorted(chances.items(), key=_in_order)}
        found[wanted.kind][wanted.names[0]] = plain


def _in_order(item: tuple[tuple[Any, ...], Any]) -> tuple[Any, ...]:
    """Numbers by size, then the rest by name."""
    return tuple([(0, value, "") if isinstance(value, NUMBERS) else (1, 0, str(value)) for value in item[0]])


def mean_at_end(graph: Graph, ends: Ends, tree: Tree) -> Any:
    """What a tree comes to at the ends on the average; those that are refused or never come are left out."""
    return sum(value * chance for (value,), chance in spread(graph, ends, [tree]).items())


def spread(graph: Graph, ends: Ends, trees: Sequence[Tree]) -> dict[tuple[Any, ...], Any]:
    """The distribution of some trees together at the ends."""
    found: dict[tuple[Any, ...], list[Arrived]] = {}
    compiled: dict[int, list[Any]] = {}
    for (region, key), arrived in ends.arrived.items():
        if region.place < 0:
            continue
        if region.number not in compiled:
            compiled[region.number] = [graph.at_end(region, tree) for tree in trees]
        values = tuple([compute(key) for compute in compiled[region.number]])
        found.setdefault(values, []).append(arrived)
    return {values: joined(arrivals) for values, arrivals in found.items()}


def describe(graph: Graph, program: Program) -> str:
    """What the situations met so far differ in most."""
    values: dict[int, set[Any]] = {}
    for tables in graph.tables:
        for region, known in zip(graph.regions, tables, strict=True):
            for key in known:
                for slot, value in zip(region.layout, key, strict=False):
                    values.setdefault(slot, set()).add(value)
    widest = sorted(values.items(), key=lambda item: -len(item[1]))[:3]
    shown = [f"`{name_of(program, slot)}` ({len(found)} values)" for slot, found in widest if len(found) > 1]
    return f"They differ most in {', '.join(shown)}." if shown else ""


class Guide:
    """Answers choices as the solver does, in its own graph and in graphs where more is looked at."""

    def __init__(self, graph: Graph | None, solver: Solver | None) -> None:
        self.graph = graph
        self.solver = solver

    def of(self, other: Graph) -> Chooser | None:
        """Who chooses in a graph of the same flow: what its situations hold besides does not count."""
        solver, graph = self.solver, self.graph
        if solver is None or graph is None:
            return None
        if other is graph:
            return solver.choice
        takes: dict[Region, tuple[Region, Picker]] = {}
        chosen: dict[Node, int] = {}

        def choose(node: Node, options: Options) -> int:
            region, key = node
            if region not in takes:
                own = graph.region(region.place)
                places = {slot: index for index, slot in enumerate(region.layout)}
                takes[region] = own, picker([places[slot] for slot in own.layout])
            own, take = takes[region]
            same = own, take(key)
            if same not in chosen:
                chosen[same] = solver.choice(same)
            return chosen[same]

        return choose
