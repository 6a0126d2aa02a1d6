"""What later instructions can still tell of each register, at every point of a flow.

A register is looked at through the largest parts of trees that read it alone: `hits >= 3` looks at `hits` through one
yes or no. Values alike through every part that is still to be looked at are the same to the rest of the run, and one
stands for all. A part counts only if what it helps to write counts (strong liveness), and it is followed through plain
assignments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from interpreter.expressions import EvaluationError, Register, evaluate, reads
from interpreter.odds.constants import assigned, dice_trees, die_registers, writes
from interpreter.odds.flow import Flow, Point
from interpreter.odds.trees import (
    LARGEST_COMPOSED,
    composed,
    filled,
    is_condition,
    moved,
    parts,
    settled_from,
    size,
    text_of,
)
from interpreter.program import Pick, Rethrow, Throw, Tree

Classifier = Callable[[object], object]
Teller = Callable[[object], Hashable]
MOST_STEPS_DOWN = 100
MOST_REMEMBERED = 20_000


@dataclass(slots=True)
class Looks:
    """Every part through which a register is looked at, a bit for each."""

    bits: dict[tuple[int, str], int] = field(default_factory=dict)
    trees: list[tuple[int, Tree]] = field(default_factory=list)
    of: dict[int, int] = field(default_factory=dict)
    _whole: int = 0
    _fine: int = 0
    _tellers: dict[tuple[int, int], Teller] = field(default_factory=dict)
    _settled: dict[tuple[int, int], int | None] = field(default_factory=dict)
    _classifiers: dict[tuple[int, int], Classifier | None] = field(default_factory=dict)
    _met: list[dict[Any, Any]] = field(default_factory=list)

    def anew(self) -> Looks:
        """The same, with no value met yet."""
        return replace(self, _classifiers={}, _met=[])

    def forget(self) -> None:
        """Forgets all values met; classifiers that were handed out stay in use."""
        for known in self._met:
            known.clear()

    def bit(self, slot: int, part: Tree) -> int:
        key = slot, text_of(part)
        if key not in self.bits:
            self.bits[key] = bit = 1 << len(self.trees)
            self.trees.append((slot, part))
            self.of[slot] = self.of.get(slot, 0) | bit
            if isinstance(part, Register):
                self._whole |= bit
            if not is_condition(part):
                self._fine |= bit
        return self.bits[key]

    def at(self, tree: Tree, hidden: frozenset[int] = frozenset()) -> int:
        """How a tree looks at its registers."""
        mask = 0
        for slot, part in parts(tree):
            if slot not in hidden:
                mask |= self.bit(slot, part)
        return mask

    def whole(self, slot: int) -> int:
        return self.bit(slot, Register(slot))

    def each(self, mask: int) -> Iterator[tuple[int, int, Tree]]:
        """(bit, register, part) for each look of a mask."""
        while mask:
            bit = mask & -mask
            mask ^= bit
            slot, tree = self.trees[bit.bit_length() - 1]
            yield bit, slot, tree

    def slots(self, mask: int) -> set[int]:
        return {slot for _, slot, _ in self.each(mask)}

    def is_whole(self, slot: int, mask: int) -> bool:
        """Whether the looks of a mask tell all values apart."""
        return bool(mask & self.of.get(slot, 0) & self._whole)

    def is_fine(self, slot: int, mask: int) -> bool:
        """Whether the looks of a mask may tell many values apart: some is no condition."""
        return bool(mask & self.of.get(slot, 0) & self._fine)

    def classifier(self, slot: int, mask: int) -> Classifier | None:
        """Gives one value for all that the looks of a mask cannot tell apart; None when they tell all apart."""
        mask &= self.of.get(slot, 0)
        key = slot, mask
        if key not in self._classifiers:
            self._classifiers[key] = None if mask & self._whole else representative(self._teller(key), self._met)
        return self._classifiers[key]

    def _teller(self, key: tuple[int, int]) -> Teller:
        if key not in self._tellers:
            self._tellers[key] = vector([tree for _, _, tree in self.each(key[1])])
        return self._tellers[key]

    def settled(self, slot: int, mask: int) -> int | None:
        """The least number from which on the looks of a mask tell nothing apart, if there is one."""
        key = slot, mask & self.of.get(slot, 0)
        if key not in self._settled:
            self._settled[key] = self._settled_from(key)
        return self._settled[key]

    def _settled_from(self, key: tuple[int, int]) -> int | None:
        ends = [settled_from(tree) for _, _, tree in self.each(key[1])]
        if not ends or any(end is None for end in ends):
            return None
        last = max(end for end in ends if end is not None)
        tell = self._teller(key)
        for _ in range(MOST_STEPS_DOWN):
            if tell(last - 1) != tell(last):
                break
            last -= 1
        return last


def vector(trees: Sequence[Tree]) -> Teller:
    """What trees, of a single register, say of a value, each answer with its class; a tree that fails says so."""
    known: dict[object, Hashable] = {}
    single = [moved(tree, dict.fromkeys(reads(tree), 0)) for tree in trees]

    def tell(value: object) -> Hashable:
        told = known.get(value)
        if told is None:
            if len(known) >= MOST_REMEMBERED:
                known.clear()
            told = known[value] = say(value)
        return told

    def say(value: object) -> Hashable:
        found: list[object] = []
        for tree in single:
            try:
                answer = evaluate(tree, (value,))
            except EvaluationError as error:
                answer = error.code, error.message
            found += [answer, type(answer)]
        return tuple(found)

    return tell


def representative(tell: Teller, met: list[dict[Any, Any]]) -> Classifier:
    """The first value met stands for all that are told alike; `met` gets what is remembered of them."""
    first: dict[Hashable, object] = {}
    known: dict[object, object] = {}
    met += [first, known]

    def classify(value: object) -> object:
        if value not in known:
            known[value] = first.setdefault(tell(value), value)
        return known[value]

    return classify


@dataclass(frozen=True, slots=True, eq=False)
class Liveness:
    """`before` and `after`: the looks still to come, by point; `asks` those of the point itself; `sources` the points
    that lead to it; `ending` those after which neither dice nor choices come. `layouts`: the registers that make up
    a situation there, in order. `gains`: what is counted at points, by place.
    """

    flow: Flow
    asked: Sequence[Tree]
    gains: Mapping[int, Tree]
    looks: Looks
    before: Sequence[int]
    after: Sequence[int]
    asks: Sequence[int]
    sources: Sequence[Sequence[int]]
    ending: frozenset[int]
    layouts: Sequence[tuple[int, ...]]

    def anew(self) -> Liveness:
        """The same for another graph: of values that are alike to the rest of a run, the first met stands for all, and
        which one that is must not hang on what was asked before."""
        return replace(self, looks=self.looks.anew())

    def looks_at(self, asked: Sequence[Tree]) -> bool:
        """Whether these trees are among those looked at in the end."""
        return all(any(tree is other for other in self.asked) for tree in asked)

    def asks_no_more(self, other: Liveness) -> bool:
        """Whether the situations on the way hold no more than those of another liveness of the same flow, as finely."""
        for place in range(len(self.layouts)):
            if place not in self.ending and self._held(place) != other._held(place):
                return False
        return True

    def _held(self, place: int) -> list[tuple[int, bool]]:
        return [(slot, self.looks.is_whole(slot, self.before[place])) for slot in self.layouts[place]]

    def is_idle(self, place: int) -> bool:
        """Whether a point only writes what nothing looks at later."""
        op = self.flow.points[place].op
        if op.kind != "assign" or place in self.gains:
            return False
        return not any(self.after[place] & self.looks.of.get(slot, 0) for slot, _ in op.items)

    def rolls(self, place: int) -> bool:
        """Whether dice are thrown at a point and matter."""
        op = self.flow.points[place].op
        return op.kind == "roll" and any(self.after[place] & self.looks.of.get(slot, 0) for slot in writes(op))


def find_liveness(flow: Flow, asked: Sequence[Tree], gains: Mapping[int, Tree] = MappingProxyType({})) -> Liveness:
    """`asked` are the trees that are looked at in the end, `gains` those that are added up on the way."""
    finder = _Finder(flow, asked, gains)
    finder.run()
    layouts = [
        tuple(sorted(finder.looks.slots(mask) - dict(assigned(point.known)).keys() - flow.fixed.keys()))
        for mask, point in zip(finder.before, flow.points, strict=True)
    ]
    asks = [finder.asks(place, point) for place, point in enumerate(flow.points)]
    return Liveness(
        flow, asked, gains, finder.looks, finder.before, finder.after, asks, finder.sources, finder.ending(), layouts
    )


class _Finder:
    def __init__(self, flow: Flow, asked: Sequence[Tree], gains: Mapping[int, Tree]) -> None:
        self.flow = flow
        self.gains = {place: filled(tree, flow.fixed) for place, tree in gains.items()}
        self.looks = Looks()
        self.asked = [filled(tree, flow.fixed) for tree in asked]
        self.before = [0] * len(flow.points)
        self.after = [0] * len(flow.points)
        self.sources: list[list[int]] = [[] for _ in flow.points]
        self.entangled = _entangled(flow.points)
        self._gen: dict[tuple[int, int], int] = {}
        self._followed: dict[tuple[int, int, str], int] = {}

    def run(self) -> None:
        for place, point in enumerate(self.flow.points):
            for target in point.targets:
                self.sources[target].append(place)
        waiting = dict.fromkeys(range(len(self.flow.points)))
        while waiting:
            place, _ = waiting.popitem()
            point = self.flow.points[place]
            after = 0
            for target in point.targets:
                after |= self.before[target]
            new = self._before(place, point, after)
            self.after[place] = after
            if new != self.before[place]:
                self.before[place] = new
                waiting.update(dict.fromkeys(self.sources[place]))

    def _before(self, place: int, point: Point, after: int) -> int:
        written = 0
        for slot in writes(point.op):
            written |= self.looks.of.get(slot, 0)
        key = place, after & written
        if key not in self._gen:
            self._gen[key] = _LOOKS[point.op.kind](self, point, after) | self._counted(place)
        for slot in writes(point.op):  # what is made here may be looked at in ways first met just now
            written |= self.looks.of.get(slot, 0)
        return self._gen[key] | (after & ~written)

    def ending(self) -> frozenset[int]:
        """The points that surely lead to the end by themselves."""
        waiting = [place for place, point in enumerate(self.flow.points) if point.op.kind == "stop"]
        left = [len(point.targets) for point in self.flow.points]
        found = set(waiting)
        while waiting:
            for source in self.sources[waiting.pop()]:
                left[source] -= 1
                if not left[source] and self.flow.points[source].op.kind not in ("roll", "pick"):
                    found.add(source)
                    waiting.append(source)
        return frozenset(found)

    def asks(self, place: int, point: Point) -> int:
        """The looks that the operation itself takes; what writes nothing that matters takes none."""
        if point.op.kind != "assign":
            return _LOOKS[point.op.kind](self, point, self.after[place])
        after, mask = self.after[place], self._counted(place)
        for slot, tree in point.op.items:
            if after & self.looks.of.get(slot, 0):
                mask |= self.looks.at(tree)
        return mask

    def _counted(self, place: int) -> int:
        return self.looks.at(self.gains[place]) if place in self.gains else 0

    # ------------------------------------------------------------------ what each kind of operation looks at

    def _assign(self, point: Point, after: int) -> int:
        mask = 0
        for slot, tree in point.op.items:
            for _, _, part in self.looks.each(after & self.looks.of.get(slot, 0)):
                mask |= self._through(slot, part, tree)
        return mask

    def _through(self, slot: int, part: Tree, tree: Tree) -> int:
        """How a later look at what is written here looks at what it is made of."""
        if isinstance(part, Register) or slot in self.entangled or isinstance(tree, ast.Constant):
            return self.looks.at(tree)
        whole = composed(part, slot, tree)
        return self.looks.at(whole if size(whole) <= LARGEST_COMPOSED else tree)

    def _branch(self, point: Point, after: int) -> int:
        return self.looks.at(point.op.tree)

    def _roll(self, point: Point, after: int) -> int:
        source = point.op.source
        assert isinstance(source, Throw | Rethrow)
        wanted = frozenset(slot for slot in writes(point.op) if after & self.looks.of.get(slot, 0))
        if not wanted:
            return 0
        kept = (source if isinstance(source, Throw) else source.throw).faces
        hidden, mask = die_registers(source) | self.flow.thrown, 0
        for tree in dice_trees(source, None if kept in wanted else wanted):
            mask |= self.looks.at(self._filled(point, tree, hidden), hidden)
        if isinstance(source, Rethrow):
            assert kept is not None
            mask |= self.looks.whole(kept)
        return mask

    def _pick(self, point: Point, after: int) -> int:
        pick = point.op.source
        assert isinstance(pick, Pick)
        trees = [option.guard for option in pick.options] + [pick.low, pick.high]
        for answer, test in point.op.rules or ():
            trees += [None if isinstance(answer, tuple) else answer, test]
        mask = 0
        for tree in trees:
            mask |= 0 if tree is None else self.looks.at(self._filled(point, tree, frozenset()))
        return mask

    def _stop(self, point: Point, after: int) -> int:
        mask = 0
        for tree in self.asked:
            mask |= self.looks.at(filled(tree, point.known))
        return mask

    def _nothing(self, point: Point, after: int) -> int:
        return 0

    def _filled(self, point: Point, tree: Tree, hidden: frozenset[int]) -> Tree:
        """A tree of a throw or a pick with what is known there; the point keeps it."""
        found = point.filled.get(id(tree))
        if found is None:
            known = {slot: self.flow.fixed[slot] for slot in reads(tree) if slot in self.flow.fixed}
            known |= {slot: point.known[slot] for slot in reads(tree) if slot in point.known}
            found = filled(tree, {slot: value for slot, value in known.items() if slot not in hidden})
            point.filled[id(tree)] = found
        return found


_LOOKS: dict[str, Callable[[_Finder, Point, int], int]] = {
    "assign": _Finder._assign,
    "branch": _Finder._branch,
    "demand": _Finder._branch,
    "roll": _Finder._roll,
    "pick": _Finder._pick,
    "stop": _Finder._stop,
    "jump": _Finder._nothing,
}


def _entangled(points: Iterable[Point]) -> frozenset[int]:
    """Registers that are made, maybe by way of others, from themselves: looks are not followed through these
    for ever.
    """
    made_of: dict[int, set[int]] = {}
    for point in points:
        for slot, tree in point.op.items:
            made_of.setdefault(slot, set()).update(reads(tree))
    return frozenset(slot for slot in made_of if slot in _reached(slot, made_of))


def _reached(slot: int, made_of: Mapping[int, set[int]]) -> set[int]:
    seen: set[int] = set()
    waiting = list(made_of.get(slot, ()))
    while waiting:
        other = waiting.pop()
        if other not in seen:
            seen.add(other)
            waiting += made_of.get(other, ())
    return seen
