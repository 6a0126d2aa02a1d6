"""The points of a stretch as functions on weighed situations."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from interpreter import dice
from interpreter.expressions import EvaluationError
from interpreter.odds.constants import Known, writes
from interpreter.odds.liveness import Classifier, Liveness
from interpreter.odds.lookup import Read, lookup
from interpreter.odds.picks import Answers, read_pick
from interpreter.odds.throws import Key, Roller, written_by
from interpreter.odds.trees import filled
from interpreter.program import Demand, Tree
from interpreter.sayings import demand

Weights = dict[Key, int]
Compiled = Callable[[Key], Any]
Memo = dict[Any, Any]
Picker = Callable[[Key], Key]


def picker(indices: Sequence[int]) -> Picker:
    """Takes the values at some places out of a situation."""
    if not indices:
        return lambda key: ()
    if len(indices) == 1:
        (index,) = indices
        return lambda key: (key[index],)
    return itemgetter(*indices)


class Places(dict[int, Weights]):
    """The weighed situations by place; places where there are none yet take no room."""

    def __missing__(self, place: int) -> Weights:
        found = self[place] = {}
        return found


@dataclass(slots=True)
class Frame:
    """The weighed situations at each place of a stretch while it is worked out; all weights are parts of one `total`.
    `gain`: what was counted so far, weighed alike.
    """

    places: Places
    total: int = 1
    refused: dict[tuple[str, str], int] = field(default_factory=dict)
    gain: Any = 0

    def scale(self, factor: int) -> None:
        """Makes the total so many times as large."""
        if factor != 1:
            self.total *= factor
            self.gain *= factor
            every: list[dict[Any, int]] = [*self.places.values(), self.refused]
            for weights in every:
                for key in weights:
                    weights[key] *= factor

    def refuse(self, code: str, message: str, weight: int) -> None:
        self.refused[code, message] = self.refused.get((code, message), 0) + weight


Step = Callable[[Weights, Frame], None]


@dataclass(slots=True)
class Way:
    """How a situation goes on: to which place of the frame, and which of its values and of those added make it up
    there. `known` gives each value added and what finds the one that stands for it.
    """

    place: int
    take: Picker
    known: Sequence[tuple[object, Classifier | None]]
    added: Key = ()

    def renew(self) -> None:
        """Finds what is added, with the values met in this question."""
        self.added = tuple([value if classify is None else classify(value) for value, classify in self.known])

    def go(self, frame: Frame, key: Key, weight: int) -> None:
        new = self.take(key + self.added)
        into = frame.places[self.place]
        into[new] = into.get(new, 0) + weight


class StepMaker:
    """Makes the steps of one stretch.

    `layout` gives the registers that make up a situation at a point; `target` a point's place in the frame and the
    registers that count there, `way_out` the same for a point where the stretch is left;
    `is_idle` whether a point of the stretch can be gone over.
    """

    def __init__(
        self,
        liveness: Liveness,
        layout: Callable[[int], tuple[int, ...]],
        target: Callable[[int], tuple[int, tuple[int, ...]]],
        way_out: Callable[[int], tuple[int, tuple[int, ...]]],
        is_idle: Callable[[int], bool],
        roller: Callable[[int, tuple[int, ...]], Roller],
        ways: list[Way],
        answers: Answers,
    ) -> None:
        self.liveness = liveness
        self.layout = layout
        self.target = target
        self.way_out = way_out
        self.is_idle = is_idle
        self.roller = roller
        self.ways = ways
        self.answers = answers

    def step(self, place: int) -> Step:
        return _STEPS[self.liveness.flow.points[place].op.kind](self, place)

    # ------------------------------------------------------------------ pieces

    def lookup(self, tree: Tree, place: int) -> tuple[Read, Memo]:
        """What a tree reads of the situation at a point, and its values by that."""
        point = self.liveness.flow.points[place]
        return lookup(filled(filled(tree, point.known), self.liveness.flow.fixed), self.layout(place))

    def compiled(self, tree: Tree, place: int) -> Compiled:
        """A tree as a function of the situation at a point."""
        read, memo = self.lookup(tree, place)
        return lambda key: memo[read(key)]

    def way(self, place: int, edge: tuple[int, Known], written: Sequence[int] = ()) -> Way:
        """From a point along an edge; the values of `written` come behind those of the situation, then what is known
        besides.
        """
        target, known = self._past_idle(edge)
        where, wanted = self.target(target)
        here, gone = self.layout(place), writes(self.liveness.flow.points[place].op)
        behind = {slot: len(here) + index for index, slot in enumerate(written)}
        indices: list[int] = []
        added: list[tuple[object, Classifier | None]] = []
        for slot in wanted:
            if slot in behind:
                indices.append(behind[slot])
            elif slot in here and slot not in gone:
                indices.append(here.index(slot))
            else:
                indices.append(len(here) + len(written) + len(added))
                classify = self.liveness.looks.classifier(slot, self.liveness.before[target])
                added.append((known[slot], classify))
        way = Way(where, picker(indices), added)
        way.renew()
        self.ways.append(way)
        return way

    def _past_idle(self, edge: tuple[int, Known]) -> tuple[int, Known]:
        """Where an edge leads once steps of the stretch that write nothing that matters are gone over."""
        target, known = edge
        while self.is_idle(target):
            over = self.liveness.flow.points[target].edges[0]
            assert over is not None
            target, known = over[0], {**known, **over[1]}
        return target, known

    # ------------------------------------------------------------------ kinds

    def assign(self, place: int) -> Step:
        point, looks, after = self.liveness.flow.points[place], self.liveness.looks, self.liveness.after[place]
        assert point.edges[0] is not None
        items = [
            (slot, tree)
            for slot, tree in point.op.items
            if after & looks.of.get(slot, 0) and not isinstance(tree, ast.Constant)
        ]
        way = self.way(place, point.edges[0], [slot for slot, _ in items])
        computes = [self.lookup(tree, place) for _, tree in items]
        classify = [looks.classifier(slot, after) for slot, _ in items]
        step = _assigning(computes, classify, way) if items else _passing(way)
        gain = self.liveness.gains.get(place)
        return step if gain is None else _counting(self.compiled(gain, place), step)

    def branch(self, place: int) -> Step:
        point = self.liveness.flow.points[place]
        yes, no = point.edges
        if yes is None or no is None:  # decided, and still come to: it leads back to itself
            (edge,) = (edge for edge in point.edges if edge is not None)
            return _passing(self.way(place, edge))
        return _branching(self.lookup(point.op.tree, place), self.way(place, yes), self.way(place, no))

    def demand(self, place: int) -> Step:
        point = self.liveness.flow.points[place]
        source, edge = point.op.source, point.edges[0]
        assert isinstance(source, Demand)
        said = demand(source.code, source.say).said
        way = None if edge is None else self.way(place, edge)
        return _demanding(self.compiled(point.op.tree, place), way, (source.code, said))

    def roll(self, place: int) -> Step:
        point = self.liveness.flow.points[place]
        written = written_by(self.liveness, place)
        assert point.edges[0] is not None
        way = self.way(place, point.edges[0], written)
        return _rolling(self.roller(place, self.layout(place)), way) if written else _passing(way)

    def pick(self, place: int) -> Step:
        """A choice that a policy answers, or that is none because a single option is open; else it is left
        where it is.
        """
        answer = self.picked(place)

        def step(weights: Weights, frame: Frame) -> None:
            for key, weight in weights.items():
                ways = answer(key)
                if len(ways) == 1:
                    ((_, way, values),) = ways
                    way.go(frame, key + values, weight)
                else:
                    self._stay(place, frame, key, weight)

        return step

    def _stay(self, place: int, frame: Frame, key: Key, weight: int) -> None:
        where, wanted = self.way_out(place)
        here = self.layout(place)
        new = tuple([key[here.index(slot)] for slot in wanted])
        into = frame.places[where]
        into[new] = into.get(new, 0) + weight

    def picked(self, place: int) -> Callable[[Key], list[tuple[str, Way, Key]]]:
        """The answers that can be given in a situation: what each is called, where it leads, and the values written."""
        point = self.liveness.flow.points[place]
        pick = read_pick(point, lambda tree: self.compiled(tree, place), self.answers)
        written = pick.written if self.liveness.after[place] & self.liveness.looks.of.get(pick.slot, 0) else ()
        ways = [None if edge is None else self.way(place, edge, written) for edge in point.edges]

        def answers(key: Key) -> list[tuple[str, Way, Key]]:
            found = []
            for name, target, value in pick.answers(key):
                way = ways[target]
                assert way is not None
                found.append((name, way, (value,) if written else ()))
            return found

        return answers


def _passing(way: Way) -> Step:
    def step(weights: Weights, frame: Frame) -> None:
        take, added, into = way.take, way.added, frame.places[way.place]
        for key, weight in weights.items():
            new = take(key + added)
            into[new] = into.get(new, 0) + weight

    return step


def _counting(gain: Compiled, step: Step) -> Step:
    """Adds to what is counted, then takes the step."""

    def counted(weights: Weights, frame: Frame) -> None:
        going: Weights = {}
        for key, weight in weights.items():
            try:
                frame.gain += weight * gain(key)
            except EvaluationError as error:
                frame.refuse("arithmetic", error.message, weight)
            else:
                going[key] = weight
        step(going, frame)

    return counted


def _assigning(computes: Sequence[tuple[Read, Memo]], classify: Sequence[Classifier | None], way: Way) -> Step:
    if len(computes) == 1 and classify[0] is None:
        return _assigning_one(*computes[0], way)

    def values_of(key: Key) -> Key:
        found = [memo[read(key)] for read, memo in computes]
        return tuple([v if one is None else one(v) for v, one in zip(found, classify, strict=True)])

    def step(weights: Weights, frame: Frame) -> None:
        take, added, into = way.take, way.added, frame.places[way.place]
        for key, weight in weights.items():
            try:
                new = take(key + values_of(key) + added)
            except EvaluationError as error:
                frame.refuse("arithmetic", error.message, weight)
                continue
            into[new] = into.get(new, 0) + weight

    return step


def _assigning_one(read: Read, memo: Memo, way: Way) -> Step:
    def step(weights: Weights, frame: Frame) -> None:
        take, added, into = way.take, way.added, frame.places[way.place]
        for key, weight in weights.items():
            try:
                new = take((*key, memo[read(key)], *added))
            except EvaluationError as error:
                frame.refuse("arithmetic", error.message, weight)
                continue
            into[new] = into.get(new, 0) + weight

    return step


def _branching(test: tuple[Read, Memo], yes: Way, no: Way) -> Step:
    read, memo = test

    def step(weights: Weights, frame: Frame) -> None:
        ways = {True: (yes.place, yes.take, yes.added), False: (no.place, no.take, no.added)}
        for key, weight in weights.items():
            try:
                place, take, added = ways[memo[read(key)]]
            except EvaluationError as error:
                frame.refuse("arithmetic", error.message, weight)
                continue
            into, new = frame.places[place], take(key + added)
            into[new] = into.get(new, 0) + weight

    return step


def _demanding(test: Compiled, way: Way | None, said: tuple[str, str]) -> Step:
    """Without a way on, it never holds."""

    def step(weights: Weights, frame: Frame) -> None:
        for key, weight in weights.items():
            try:
                holds = test(key)
            except EvaluationError as error:
                frame.refuse("arithmetic", error.message, weight)
                continue
            if holds and way is not None:
                way.go(frame, key, weight)
            else:
                frame.refuse(*said, weight)

    return step


def _rolling(roller: Roller, way: Way) -> Step:
    def rolled(weights: Weights, frame: Frame) -> Iterator[tuple[Key, int, Any]]:
        for key, weight in weights.items():
            try:
                yield key, weight, roller(key)
            except EvaluationError as error:
                frame.refuse("arithmetic", error.message, weight)
            except dice.LimitReached:
                raise
            except dice.DiceError as error:
                frame.refuse("dice", str(error), weight)

    def step(weights: Weights, frame: Frame) -> None:
        thrown = list(rolled(weights, frame))
        total = math.lcm(*(odds.total for _, _, odds in thrown))
        frame.scale(total)
        take, added, into = way.take, way.added, frame.places[way.place]
        for key, weight, odds in thrown:
            factor = weight * (total // odds.total)
            for values, times in odds.items:
                new = take(key + values + added)
                into[new] = into.get(new, 0) + factor * times

    return step


_STEPS: Mapping[str, Callable[[StepMaker, int], Step]] = {
    "assign": StepMaker.assign,
    "branch": StepMaker.branch,
    "demand": StepMaker.demand,
    "roll": StepMaker.roll,
    "pick": StepMaker.pick,
}
