"""Which registers hold one known value wherever the run comes past, and the trees of the operations with these filled
in.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from interpreter.expressions import Register, reads
from interpreter.odds.lowered import Op
from interpreter.odds.trees import filled, leaves
from interpreter.program import GroupPlan, OperationPlan, Pick, Rethrow, Throw, Tree

Known = dict[int, object]
"""Registers known, with their values.

Beside one that is only known since a condition told, stands its complement (~slot).
"""
Edge = tuple[int, Known]


@dataclass(frozen=True, slots=True)
class Constants:
    """`known[place]`: the registers known before each operation that can be reached; `fixed`: those that nothing
    writes.
    """

    ops: Sequence[Op]
    fixed: Mapping[int, object]
    known: Mapping[int, Known]
    values: Mapping[int, object]

    def tree(self, tree: Tree, known: Mapping[int, object]) -> Tree:
        return filled(tree, known)


def same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def find_constants(
    ops: Sequence[Op], start: int, values: Sequence[object], free: frozenset[int], told: frozenset[int]
) -> Constants:
    """Follows the program from `start` with the registers as they stand, those in `free` unknown. Of those that
    nothing writes only the ones in `told` are known.
    """
    written = free.union(*(writes(op) for op in ops))
    fixed = {slot: values[slot] for slot in told - written if slot < len(values)}
    ops = [_filled(op, fixed) for op in ops]
    before: dict[int, Known] = {
        start: {slot: values[slot] for slot in written if slot not in free and slot < len(values)}
    }
    waiting = [start]
    while waiting:
        place = waiting.pop()
        for target, known in edges(ops[place], place, before[place]):
            if target not in before:
                before[target] = known
                waiting.append(target)
            else:
                kept = {slot: v for slot, v in before[target].items() if slot in known and same(v, known[slot])}
                if len(kept) < len(before[target]):
                    before[target] = kept
                    waiting.append(target)
    return Constants(ops, fixed, before, dict(enumerate(values)))


def _filled(op: Op, fixed: Mapping[int, object]) -> Op:
    """The operation with what never changes filled in."""
    items = tuple((slot, filled(tree, fixed)) for slot, tree in op.items)
    rules = (
        None if op.rules is None else tuple((_answer(answer, fixed), _guard(tree, fixed)) for answer, tree in op.rules)
    )
    return Op(op.kind, op.targets, items, filled(op.tree, fixed), op.source, rules)


def _answer(answer: tuple[str, ...] | Tree, fixed: Mapping[int, object]) -> tuple[str, ...] | Tree:
    return answer if isinstance(answer, tuple) else filled(answer, fixed)


def _guard(tree: Tree | None, fixed: Mapping[int, object]) -> Tree | None:
    return None if tree is None else filled(tree, fixed)


# ---------------------------------------------------------------------- what an operation does to what is known


def edges(op: Op, place: int, known: Known) -> Iterator[Edge]:
    """Where the operation can lead, with what is known there."""
    yield from _EDGES[op.kind](op, place, known)


def _assign(op: Op, place: int, known: Known) -> Iterator[Edge]:
    after = dict(known)
    for slot, tree in op.items:
        value = filled(tree, known)
        after.pop(~slot, None)
        if isinstance(value, ast.Constant):
            after[slot] = value.value
        else:
            after.pop(slot, None)
    yield op.targets[0], after


def _branch(op: Op, place: int, known: Known) -> Iterator[Edge]:
    tree = filled(op.tree, known)
    if isinstance(tree, ast.Constant):
        yield op.targets[0 if tree.value else 1], known
        return
    yield op.targets[0], learned(tree, True, known)
    yield op.targets[1], learned(tree, False, known)


def learned(tree: Tree, holds: bool, known: Known) -> Known:
    """What is known besides once a condition is known to hold, or not to."""
    after = known
    for leaf, truth in leaves(tree, holds):
        match leaf:
            case ast.Compare(left=Register(slot=slot), ops=[ast.Eq()], comparators=[ast.Constant(value=value)]) if (
                truth
            ):
                after = _told(after, slot, value)
            case Register(slot=slot):
                after = _told(after, slot, truth)
    return after


def _told(known: Known, slot: int, value: object) -> Known:
    return known if slot in known else {**known, slot: value, ~slot: True}


def without(known: Known, gone: Collection[int]) -> Known:
    """What is left to know when registers get new values."""
    return {slot: value for slot, value in known.items() if slot not in gone and ~slot not in gone}


def assigned(known: Known) -> Iterator[tuple[int, object]]:
    """The registers that hold a value because it was written, wherever the run comes from: they need not be
    remembered.
    """
    return ((slot, value) for slot, value in known.items() if slot >= 0 and ~slot not in known)


def _demand(op: Op, place: int, known: Known) -> Iterator[Edge]:
    tree = filled(op.tree, known)
    if not isinstance(tree, ast.Constant) or tree.value:
        yield op.targets[0], learned(tree, True, known)


def _roll(op: Op, place: int, known: Known) -> Iterator[Edge]:
    gone = writes(op)
    after = without(known, gone)
    if isinstance(op.source, Throw):
        dice = _number_of_dice(op.source, known)
        if dice is not None:
            after[op.source.dice_slot] = dice
    yield op.targets[0], after


def _number_of_dice(throw: Throw, known: Known) -> int | None:
    counts = [filled(group.count, known) for group in throw.groups]
    numbers = [tree.value for tree in counts if isinstance(tree, ast.Constant) and isinstance(tree.value, int)]
    if len(numbers) < len(counts) or (throw.empty is not None and sum(numbers) <= 0):
        return None
    return sum(numbers)


def _pick(op: Op, place: int, known: Known) -> Iterator[Edge]:
    pick = op.source
    assert isinstance(pick, Pick)
    after = without(known, (pick.slot,))
    if pick.kind == "options":
        sure = sure_answer(op)
        for index, (option, target) in enumerate(zip(pick.options, op.targets, strict=False)):
            if sure is not None and index != sure:
                continue
            tree = ast.Constant(True) if option.guard is None else filled(option.guard, known)
            if not isinstance(tree, ast.Constant) or tree.value:
                yield target, {**learned(tree, True, after), pick.slot: option.value}
        if all(option.guard is not None for option in pick.options):
            yield op.targets[-1], {**after, pick.slot: None}
    else:
        yield op.targets[0], after


def sure_answer(op: Op) -> int | None:
    """The option that a policy takes whatever the situation, by its place."""
    pick = op.source
    if op.rules is None or not isinstance(pick, Pick) or pick.kind != "options" or not pick.options:
        return None
    ids = [option.id for option in pick.options]
    place = 0
    if op.rules:
        answer, test = op.rules[0]
        if test is not None or not isinstance(answer, tuple):
            return None
        place = ids.index(answer[0])
    return place if pick.options[place].guard is None else None


def _stop(op: Op, place: int, known: Known) -> Iterator[Edge]:
    return iter(())


def _jump(op: Op, place: int, known: Known) -> Iterator[Edge]:
    yield op.targets[0], known


_EDGES: dict[str, Callable[[Op, int, Known], Iterator[Edge]]] = {
    "assign": _assign,
    "branch": _branch,
    "demand": _demand,
    "roll": _roll,
    "pick": _pick,
    "stop": _stop,
    "jump": _jump,
}


# ---------------------------------------------------------------------- what an operation writes and reads


def writes(op: Op) -> frozenset[int]:
    """The registers that an operation can change."""
    source = op.source
    if op.kind == "assign":
        return frozenset(slot for slot, _ in op.items)
    if op.kind == "pick":
        assert isinstance(source, Pick)
        return frozenset((source.slot,))
    if op.kind == "roll":
        assert isinstance(source, Throw | Rethrow)
        throw = source if isinstance(source, Throw) else source.throw
        slots = {reading.slot for reading in throw.readings}
        slots |= {throw.dice_slot} if isinstance(source, Throw) else set()
        return frozenset(slots if throw.faces is None else slots | {throw.faces})
    return frozenset()


def dice_trees(source: Throw | Rethrow, wanted: frozenset[int] | None = None) -> Iterator[Tree]:
    """The trees that a throw depends on; of its readings only those that go to `wanted` registers."""
    throw = source if isinstance(source, Throw) else source.throw
    for group in throw.groups:
        yield from (group.count, group.die)
        yield from _operation_trees(group)
    yield from _of_operations(throw.operations)
    if throw.empty is not None:
        yield throw.empty[0]
        yield from _of_operations(throw.empty[1])
    for reading in throw.readings:
        if wanted is None or reading.slot in wanted:
            yield from reading.trees
    if isinstance(source, Rethrow):
        yield from (tree for tree in (source.where, source.how_many) if tree is not None)


def _operation_trees(group: GroupPlan) -> Iterator[Tree]:
    yield from _of_operations(group.operations)


def _of_operations(operations: tuple[OperationPlan, ...]) -> Iterator[Tree]:
    for operation in operations:
        if operation.test is not None:
            yield operation.test
        yield from operation.numbers.values()


def die_registers(source: Throw | Rethrow) -> frozenset[int]:
    """The registers in which trees on a die find it."""
    slots = (source if isinstance(source, Throw) else source.throw).die_slots
    return frozenset((slots.face, slots.first, slots.value, slots.sides, slots.group, *slots.symbols.values()))


def read_by(source: Throw | Rethrow) -> frozenset[int]:
    """The registers that a throw reads besides its dice."""
    found = {slot for tree in dice_trees(source) for slot in reads(tree)}
    if isinstance(source, Rethrow) and source.throw.faces is not None:
        found.add(source.throw.faces)
    return frozenset(found) - die_registers(source)


def reads_of(op: Op) -> frozenset[int]:
    """The registers that an operation reads."""
    trees = [tree for _, tree in op.items] + [op.tree]
    if isinstance(op.source, Pick):
        trees += [tree for option in op.source.options if (tree := option.guard) is not None]
        trees += [tree for tree in (op.source.low, op.source.high) if tree is not None]
    for answer, test in op.rules or ():
        trees += [tree for tree in (answer, test) if isinstance(tree, ast.expr)]
    found = {slot for tree in trees for slot in reads(tree)}
    return frozenset(found | (read_by(op.source) if isinstance(op.source, Throw | Rethrow) else set()))
