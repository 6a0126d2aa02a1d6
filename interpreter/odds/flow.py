"""The points that a run can pass, with conditions already settled on the way there left out.

`if e.alive: roll` … `if e.alive: use it`: where the first condition failed, so does the second. A point stands for an
operation and what is known of such conditions, so that nothing is kept for a place that cannot come. Knowledge ends
where a loop begins.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from interpreter.expressions import reads
from interpreter.odds.constants import (
    Constants,
    Known,
    edges,
    find_constants,
    learned,
    reads_of,
    sure_answer,
    without,
    writes,
)
from interpreter.odds.lowered import Op
from interpreter.odds.trees import conditions, decided, filled, leaves, text_of
from interpreter.program import Pick, Tree

# Beyond so many points for each operation, nothing is remembered of conditions.
MOST_POINTS = 12
Facts = tuple[int, int]
"""The conditions known to hold and those known not to, a bit for each."""
NOTHING: Facts = (0, 0)


@dataclass(slots=True, eq=False)
class Point:
    """`place` is that of its operation; `known` holds registers known before it.

    `edges` go as the operation's targets: (point, what is known there), or None. `filled`: trees of its throw or pick
    with what is known, by the tree's id.
    """

    op: Op
    place: int
    known: Known
    edges: list[tuple[int, Known] | None] = field(default_factory=list)
    filled: dict[int, Tree] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether it is a choice that no policy answers."""
        return self.op.kind == "pick" and self.op.rules is None

    @property
    def targets(self) -> list[int]:
        return list(dict.fromkeys(edge[0] for edge in self.edges if edge is not None))


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """`start` is a point; `fixed` the registers that nothing writes, with their values; `thrown` more of them, whose
    values are left to the throws that alone read them; `looked_at` all of both that are read. `choices`: whether any is
    left open.
    """

    points: Sequence[Point]
    start: int
    fixed: Known
    thrown: frozenset[int] = frozenset()
    looked_at: frozenset[int] = frozenset()
    loops: bool = False
    choices: bool = False


def find_flow(
    ops: Sequence[Op],
    start: int,
    values: Sequence[object],
    free: frozenset[int],
    told: frozenset[int],
    thrown: frozenset[int],
) -> Flow:
    """The points that can be passed from an operation on, with the registers as they stand.

    Those in `free` are not known. Of those that nothing writes, the values in `told` are known, and those in `thrown`
    are left to throws.
    """
    constants = find_constants(ops, start, values, free, told)
    for tracked in (True, False):
        builder = _Builder(constants, tracked)
        first = builder.point(*builder.landed(start, NOTHING, constants.known[start]))
        if builder.build() or not tracked:
            break
    read = {slot for place in constants.known for slot in reads_of(ops[place])}
    looked_at = frozenset(read & (constants.fixed.keys() | thrown))
    choices = any(point.is_open for point in builder.points)
    return Flow(builder.points, first, dict(constants.fixed), thrown, looked_at, bool(builder.heads), choices)


class _Builder:
    def __init__(self, constants: Constants, tracked: bool) -> None:
        self.constants = constants
        self.ops = {place: _folded(constants.ops[place], known) for place, known in constants.known.items()}
        self.heads = _loop_heads(constants, next(iter(constants.known)))
        self.bits: dict[str, int] = {}
        self.readers: dict[int, frozenset[int]] = {}
        if tracked:
            self._track()
        self.live = self._live_conditions() if self.bits else {}
        self.points: list[Point] = []
        self.places: list[tuple[int, Facts]] = []
        self.numbers: dict[tuple[int, Facts], int] = {}

    # ------------------------------------------------------------------ conditions worth remembering

    def _track(self) -> None:
        """Those that two branches look at."""
        found: Counter[str] = Counter()
        trees: dict[str, Tree] = {}
        for op in self.ops.values():
            if op.kind == "branch":
                here = {text_of(tree): tree for tree in conditions(op.tree)}
                found.update(here.keys())
                trees |= here
        for text, times in found.items():
            if times > 1:
                self.bits[text] = 1 << len(self.bits)
                self.readers[self.bits[text]] = frozenset(reads(trees[text]))

    def _killed(self, op: Op) -> int:
        gone = writes(op)
        return sum(bit for bit, slots in self.readers.items() if slots & gone)

    def _asked(self, op: Op) -> int:
        """The condition that decides a branch by itself; one among several is not worth remembering for it."""
        found = list(conditions(op.tree)) if op.kind == "branch" else []
        return self.bits.get(text_of(found[0]), 0) if len(found) == 1 else 0

    def _live_conditions(self) -> dict[int, int]:
        """At each operation, the conditions that a later branch may look at before they can change."""
        live = dict.fromkeys(self.ops, 0)
        before: dict[int, list[int]] = {place: [] for place in self.ops}
        for place, op in self.ops.items():
            for target in op.targets:
                if target in before:
                    before[target].append(place)
        waiting = list(self.ops)
        killed = {place: self._killed(op) for place, op in self.ops.items()}
        asked = {place: self._asked(op) for place, op in self.ops.items()}
        while waiting:
            place = waiting.pop()
            after = _either(live[target] for target in self.ops[place].targets if target in live)
            new = asked[place] | (after & ~killed[place])
            if new != live[place]:
                live[place] = new
                waiting += before[place]
        return live

    # ------------------------------------------------------------------ points

    def point(self, place: int, facts: Facts) -> int:
        key = place, facts
        if key not in self.numbers:
            self.numbers[key] = len(self.points)
            op = self.ops[place]
            if op.kind == "branch" and facts != NOTHING:
                op = Op(op.kind, op.targets, op.items, self._decide(op.tree, facts), op.source, op.rules)
            self.points.append(Point(op, place, self.constants.known[place]))
            self.places.append(key)
        return self.numbers[key]

    def build(self) -> bool:
        """Builds all points; False when there are too many."""
        done = 0
        most = max(500, MOST_POINTS * len(self.ops))
        while done < len(self.points):
            if len(self.points) > most and self.bits:
                return False
            (place, facts), point = self.places[done], self.points[done]
            done += 1
            point.edges = [
                None if edge is None else (self.point(*self.landed(edge[0], edge[2], edge[1])), edge[1])
                for edge in self._edges(point, place, facts)
            ]
        return True

    def _edges(self, point: Point, place: int, facts: Facts) -> Iterator[tuple[int, Known, Facts] | None]:
        """By target: where it goes, what is known there of registers, and of conditions."""
        op, known = point.op, point.known
        if op.kind in ("branch", "demand"):
            for holds in (True, False)[: len(op.targets)]:
                target = op.targets[0 if holds else 1]
                known_there = learned(op.tree, holds, known), self._learn(op.tree, holds, facts)
                yield (target, *known_there) if target in self.ops else None
        elif op.kind == "pick":
            yield from self._picked(op, place, known, facts)
        else:
            kept = self._keep(facts, op)
            yield from ((target, after, kept) for target, after in edges(op, place, known))

    def _picked(self, op: Op, place: int, known: Known, facts: Facts) -> Iterator[tuple[int, Known, Facts] | None]:
        pick = op.source
        assert isinstance(pick, Pick)
        after = without(known, (pick.slot,))
        kept = self._keep(facts, op)
        options = pick.options if pick.kind == "options" else (None,) * (len(op.targets) - 1)
        sure = sure_answer(op)
        for place_of_option, (option, target) in enumerate(zip(options, op.targets, strict=False)):
            if sure is not None and place_of_option != sure:
                yield None
                continue
            if option is None:
                yield target, after, kept
                continue
            guard = (
                ast.Constant(True) if option.guard is None else filled(option.guard, {**self.constants.fixed, **known})
            )
            closed = isinstance(guard, ast.Constant) and not guard.value
            told = {**learned(guard, True, after), pick.slot: option.value}
            yield None if closed else (target, told, kept)
        if pick.kind == "number":
            yield op.targets[-1], after, kept
        elif pick.kind == "several" or any(option.guard is None for option in pick.options):
            yield None
        else:
            yield op.targets[-1], {**after, pick.slot: None}, kept

    def landed(self, place: int, facts: Facts, known: Known) -> tuple[int, Facts]:
        """Where a way leads once the branches that are already decided on it are gone through."""
        for _ in range(len(self.ops)):
            if place in self.heads:
                facts = NOTHING
            op = self.ops[place]
            if op.kind != "branch":
                break
            tree = filled(self._decide(op.tree, facts), {slot: known[slot] for slot in reads(op.tree) if slot in known})
            if not isinstance(tree, ast.Constant):
                break
            place = op.targets[0 if tree.value else 1]
        live = self.live.get(place, 0)
        return place, (facts[0] & live, facts[1] & live)

    def _decide(self, tree: Tree, facts: Facts) -> Tree:
        if facts == NOTHING:
            return tree

        def known(condition: Tree) -> bool | None:
            bit = self.bits.get(text_of(condition), 0)
            return True if bit & facts[0] else False if bit & facts[1] else None

        return decided(tree, known)

    def _learn(self, tree: Tree, holds: bool, facts: Facts) -> Facts:
        yes, no = facts
        for leaf, truth in leaves(tree, holds) if self.bits else ():
            bit = self.bits.get(text_of(leaf), 0)
            yes, no = (yes | bit, no) if truth else (yes, no | bit)
        return yes, no

    def _keep(self, facts: Facts, op: Op) -> Facts:
        if facts == NOTHING:
            return facts
        gone = self._killed(op)
        return facts[0] & ~gone, facts[1] & ~gone


def _either(masks: Iterator[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result


def _folded(op: Op, known: Known) -> Op:
    """The operation with what is known before it filled in; a throw and a pick keep their own trees."""
    items = tuple((slot, filled(tree, known)) for slot, tree in op.items)
    tree = filled(op.tree, known)
    if op.rules is None:
        return Op(op.kind, op.targets, items, tree, op.source)
    rules = tuple(
        (
            answer if isinstance(answer, tuple) else filled(answer, known),
            None if test is None else filled(test, known),
        )
        for answer, test in op.rules
    )
    return Op(op.kind, op.targets, items, tree, op.source, rules)


def _loop_heads(constants: Constants, start: int) -> frozenset[int]:
    """Operations to which the program goes back."""
    heads: set[int] = set()
    state: dict[int, int] = {}
    stack = [(start, iter(constants.ops[start].targets))]
    state[start] = 1
    while stack:
        place, targets = stack[-1]
        for target in targets:
            if target not in constants.known:
                continue
            if target not in state:
                state[target] = 1
                stack.append((target, iter(constants.ops[target].targets)))
                break
            if state[target] == 1:
                heads.add(target)
        else:
            state[place] = 2
            stack.pop()
    return frozenset(heads)
