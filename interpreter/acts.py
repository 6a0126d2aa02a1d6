"""Instructions that run by themselves, each as a function of the registers, and what each can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from interpreter.asked import Entry, Refused
from interpreter.expressions import prepare, reads
from interpreter.hidden import note_hidden_from
from interpreter.model import Label
from interpreter.modified import Part
from interpreter.program import (
    Branch,
    Count,
    Demand,
    Instruction,
    Jump,
    Let,
    ListChange,
    Note,
    Pick,
    Program,
    Throw,
    Tree,
    Write,
)
from interpreter.sayings import demand


class Refusal(Exception):
    """Carries a refusal out of the middle of a run; `advance` returns it as a value."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


Values = list[Any]
Trace = list[Entry]
Act = Callable[[Values, Trace], int]


def act_of(program: Program, position: int) -> Act | None:
    """An instruction as a function of the registers that gives the next position; None for one that waits or ends."""
    item = program.instructions[position]
    make = _COMPILERS.get(type(item))
    return None if make is None else make(program, item, position)


def following(item: Instruction, position: int) -> tuple[int, ...]:
    """Where a run can be after an instruction; nowhere when it waits or ends."""
    if isinstance(item, Jump):
        return (item.to,)
    if isinstance(item, Branch):
        return position + 1, item.otherwise
    return (position + 1,) if type(item) in _COMPILERS else ()


def reads_of(item: Instruction) -> set[int]:
    """The registers that an instruction can look at."""
    trees = _TREES.get(type(item), lambda item: ())(item)
    found = {slot for tree in trees if tree is not None for slot in reads(tree)}
    if isinstance(item, Write):
        found |= {slot for slot, _ in item.items} | {clamp.slot for clamp in item.clamps}
    return found


def writes_of(item: Instruction) -> set[int]:
    """The registers that an instruction, or the answer to it, can write."""
    if isinstance(item, Write):
        return {slot for slot, _ in item.items} | {clamp.slot for clamp in item.clamps}
    if isinstance(item, Throw):
        return {item.dice_slot, *(reading.slot for reading in item.readings)}
    return {item.slot} if isinstance(item, Let | Count | Pick) else set()


def _count_trees(item: Count) -> Iterable[Tree | None]:
    yield item.tree
    for part in item.parts:
        yield from (part.amount, part.guard)
        yield from (tree for term in part.terms for tree in (term.name, term.amount))


def _write_trees(item: Write) -> Iterable[Tree | None]:
    yield from (tree for _, tree in item.items)
    yield from (tree for clamp in item.clamps for tree in (clamp.low, clamp.high))


def _list_trees(item: ListChange) -> Iterable[Tree | None]:
    return (item.guard, *(tree for _, tree in item.fields))


def _note_trees(item: Note) -> Iterable[Tree | None]:
    return (piece for pieces in item.pieces.values() for piece in pieces if not isinstance(piece, str))


_TREES: Mapping[type[Instruction], Callable[[Any], Iterable[Tree | None]]] = {
    Let: lambda item: (item.tree,),
    Count: _count_trees,
    Write: _write_trees,
    Branch: lambda item: (item.tree,),
    Demand: lambda item: (item.tree,),
    ListChange: _list_trees,
    Note: _note_trees,
}


# ---------------------------------------------------------------------- instructions


def _let(program: Program, item: Let, position: int) -> Act:
    slot, compute, following = item.slot, prepare(item.tree), position + 1

    def act(values: Values, trace: Trace) -> int:
        values[slot] = compute(values)
        return following

    return act


def _count(program: Program, item: Count, position: int) -> Act:
    slot, compute, following = item.slot, prepare(item.tree), position + 1
    parts = [_part(part) for part in item.parts]

    def act(values: Values, trace: Trace) -> int:
        total = values[slot] = compute(values)
        detail = tuple(found for part in parts if (found := part(values)) is not None)
        trace.append(Entry("value", item.name, total, item.label, detail, item.hidden_from))
        return following

    return act


def _part(part: Part) -> Callable[[Values], tuple[Any, ...] | None]:
    """A part of a number as its trace shows it: (id, label, operation, amount, terms), or None when it does not
    count."""
    amount, guard = prepare(part.amount), None if part.guard is None else prepare(part.guard)
    terms = [(term.kind, prepare(term.name), prepare(term.amount)) for term in part.terms]

    def look(values: Values) -> tuple[Any, ...] | None:
        if guard is not None and not guard(values):
            return None
        named = tuple((kind, name(values), number(values)) for kind, name, number in terms)
        return part.id, part.label, part.operation, amount(values), named

    return look


def _write(program: Program, item: Write, position: int) -> Act:
    items = [(slot, prepare(tree)) for slot, tree in item.items]
    clamps = [
        (
            clamp.slot,
            prepare(clamp.low) if clamp.low is not None else None,
            prepare(clamp.high) if clamp.high is not None else None,
        )
        for clamp in item.clamps
    ]
    slots = list(dict.fromkeys([slot for slot, _ in items] + [slot for slot, _, _ in clamps]))
    names = [program.registers[slot].name for slot in slots]
    following = position + 1

    def act(values: Values, trace: Trace) -> int:
        before = [values[slot] for slot in slots]
        new = [compute(values) for _, compute in items]
        for (slot, _), value in zip(items, new, strict=True):
            values[slot] = value
        for slot, low, high in clamps:
            if high is not None and values[slot] > (most := high(values)):
                values[slot] = most
            if low is not None and values[slot] < (least := low(values)):
                values[slot] = least
        for slot, name, old in zip(slots, names, before, strict=True):
            if values[slot] != old:
                trace.append(Entry("change", name, values[slot], None, (old, item.kind)))
        return following

    return act


def _branch(program: Program, item: Branch, position: int) -> Act:
    test, following, otherwise = prepare(item.tree), position + 1, item.otherwise
    return lambda values, trace: following if test(values) else otherwise


def _jump(program: Program, item: Jump, position: int) -> Act:
    to = item.to
    return lambda values, trace: to


def _demand(program: Program, item: Demand, position: int) -> Act:
    test, following = prepare(item.tree), position + 1

    def act(values: Values, trace: Trace) -> int:
        if not test(values):
            raise Refusal(demand(item.code, item.say, item.path))
        return following

    return act


def _list_change(program: Program, item: ListChange, position: int) -> Act:
    """The trace alone keeps it."""
    following = position + 1
    guard, fields = prepare(item.guard), [(name, prepare(tree)) for name, tree in item.fields]

    def act(values: Values, trace: Trace) -> int:
        if guard(values):
            held = tuple((name, compute(values)) for name, compute in fields)
            trace.append(Entry(item.kind, item.where, item.thing, None, held))
        return following

    return act


def _note(program: Program, item: Note, position: int) -> Act:
    following = position + 1
    pieces = {
        language: [piece if isinstance(piece, str) else prepare(piece) for piece in parts]
        for language, parts in item.pieces.items()
    }
    hidden_from = note_hidden_from(program, item)
    if not pieces:
        entry = Entry(item.kind, item.name, None, None, (), hidden_from)
        return lambda values, trace: trace.append(entry) or following  # type: ignore[func-returns-value]

    def act(values: Values, trace: Trace) -> int:
        texts = {
            language: "".join(piece if isinstance(piece, str) else str(piece(values)) for piece in parts)
            for language, parts in pieces.items()
        }
        trace.append(Entry(item.kind, item.name, None, Label(texts), (), hidden_from))
        return following

    return act


_COMPILERS: Mapping[type[Instruction], Callable[[Program, Any, int], Act]] = {
    Let: _let,
    Count: _count,
    Write: _write,
    Branch: _branch,
    Jump: _jump,
    Demand: _demand,
    ListChange: _list_change,
    Note: _note,
}
