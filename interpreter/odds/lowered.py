"""A program's instructions in the few forms that odds follow: assign, branch, demand, roll, pick, stop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from interpreter.expressions import Register, reads
from interpreter.odds.trees import composed
from interpreter.program import (
    Branch,
    Clamp,
    Count,
    Demand,
    Instruction,
    Jump,
    Let,
    ListChange,
    Note,
    Pick,
    Program,
    Rethrow,
    Stop,
    Throw,
    Tree,
    Write,
)

TRUE = ast.Constant(True)
Items = tuple[tuple[int, Tree], ...]
# What a policy says of a choice: the answer to give when the tree holds. An answer is option ids, or a tree for a
# number.
Rule = tuple["tuple[str, ...] | Tree", Tree | None]


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operation.

    `targets` are where it can go on: a branch first when it holds, a pick by option, then without any.
    """

    kind: str
    targets: tuple[int, ...] = ()
    items: Items = ()
    tree: Tree = TRUE
    source: Instruction | None = None
    rules: tuple[Rule, ...] | None = None


Lowering = tuple[tuple[Op, ...], Callable[[int], int]]


def lower(program: Program, rules: Callable[[Pick], tuple[Rule, ...] | None]) -> Lowering:
    """The operations, and for a position the operation that stands there; jumps and notes are gone over.

    `rules` answers the choices that a policy settles.
    """
    ops: list[Op] = []
    places: list[int] = []
    for position, instruction in enumerate(program.instructions):
        places.append(len(ops))
        ops.extend(_LOWER[type(instruction)](instruction, position, rules))

    def landed(position: int) -> int:
        """Where a position leads once plain jumps are followed; a jump that leads back to itself stays one."""
        place, seen = places[position], set[int]()
        while ops[place].kind == "jump" and place not in seen:
            seen.add(place)
            place = places[ops[place].targets[0]]
        return place

    return tuple(replace(op, targets=_targets(op, place, landed)) for place, op in enumerate(ops)), landed


def _targets(op: Op, place: int, landed: Callable[[int], int]) -> tuple[int, ...]:
    """Targets by place: -1 stands for the operation right after this one."""
    return tuple(place + 1 if target == -1 else landed(target) for target in op.targets)


Lowered = Iterator[Op]


def _assign(item: Let | Count, position: int, rules: object) -> Lowered:
    yield Op("assign", (position + 1,), ((item.slot, item.tree),), source=item)


def _write(item: Write, position: int, rules: object) -> Lowered:
    """All at once where no bound reads what is written, else the bounds one after the other."""
    written = {slot for slot, _ in item.items}
    bounds = [tree for clamp in item.clamps for tree in (clamp.low, clamp.high) if tree is not None]
    clamped = [clamp.slot for clamp in item.clamps]
    plain = len(set(clamped)) == len(clamped) and set(clamped) <= written and len(written) == len(item.items)
    single = len(item.items) == 1 and clamped == [item.items[0][0]]
    if single or (plain and not written & {slot for tree in bounds for slot in reads(tree)}):
        clamps = {clamp.slot: clamp for clamp in item.clamps}
        yield Op(
            "assign", (position + 1,), tuple(_within(slot, tree, clamps) for slot, tree in item.items), source=item
        )
        return
    steps: list[Items] = [tuple(_last_of_each(item.items))]
    steps += [((clamp.slot, clamp_of(clamp, Register(clamp.slot))),) for clamp in item.clamps]
    for step in steps[:-1]:
        yield Op("assign", (-1,), step, source=item)
    yield Op("assign", (position + 1,), steps[-1], source=item)


def _last_of_each(items: Items) -> Iterator[tuple[int, Tree]]:
    yield from dict(items).items()


def _within(slot: int, tree: Tree, clamps: Mapping[int, Clamp]) -> tuple[int, Tree]:
    clamp = clamps.get(slot)
    if clamp is None:
        return slot, tree
    low, high = (None if end is None else composed(end, slot, tree) for end in (clamp.low, clamp.high))
    return slot, clamp_of(Clamp(slot, low, high), tree)


def clamp_of(clamp: Clamp, tree: Tree) -> Tree:
    """At most `high`, then at least `low`: where they cross, low wins."""
    for name, end in (("min", clamp.high), ("max", clamp.low)):
        if end is not None:
            tree = ast.Call(ast.Name(name, ast.Load()), [tree, end], [])
    return tree


def _branch(item: Branch, position: int, rules: object) -> Lowered:
    yield Op("branch", (position + 1, item.otherwise), tree=item.tree, source=item)


def _demand(item: Demand, position: int, rules: object) -> Lowered:
    yield Op("demand", (position + 1,), tree=item.tree, source=item)


def _roll(item: Throw | Rethrow, position: int, rules: object) -> Lowered:
    yield Op("roll", (position + 1,), source=item)


def _pick(item: Pick, position: int, rules: Callable[[Pick], tuple[Rule, ...] | None]) -> Lowered:
    if item.kind == "text":
        yield Op("jump", (position + 1,))
        return
    targets = [option.target for option in item.options] if item.kind == "options" else []
    if item.kind == "several":
        targets = [item.options[0].target if item.options else position + 1]
    yield Op("pick", (*targets, position + 1), source=item, rules=rules(item))


def _skip(item: Jump | Note | ListChange, position: int, rules: object) -> Lowered:
    yield Op("jump", (item.to if isinstance(item, Jump) else position + 1,))


def _stop(item: Stop, position: int, rules: object) -> Lowered:
    yield Op("stop", source=item)


_LOWER: dict[type[Instruction], Callable[..., Lowered]] = {
    Let: _assign,
    Count: _assign,
    Write: _write,
    Branch: _branch,
    Jump: _skip,
    Demand: _demand,
    Note: _skip,
    ListChange: _skip,
    Throw: _roll,
    Rethrow: _roll,
    Pick: _pick,
    Stop: _stop,
}
