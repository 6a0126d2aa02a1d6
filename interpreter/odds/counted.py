"""Numbers that are only counted on the way: what each stretch adds to them can be summed up, and no situation need
remember them.

`rolls: rolls + 1` in a loop that may go on for long would make every pass a situation of its own. Where nothing looks
at `rolls` before the end, and the end looks at it in proportion, its mean is what is added on the way, weighed by how
often the run comes past.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from interpreter.expressions import Register, call, constant, reads, substitute
from interpreter.odds.constants import reads_of, writes
from interpreter.odds.flow import Flow, Point
from interpreter.odds.trees import composed, filled
from interpreter.program import Tree

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Counted:
    """A number as the end asks for it: `rest` is left when all that is counted is nothing, `gains` are added at points
    on the way, `start` stood when the run began.
    """

    rest: Tree
    gains: Mapping[int, Tree]
    start: Number


def find_counted(flow: Flow, tree: Tree, values: Sequence[object]) -> Counted | None:
    """How a number asked for at the end is counted, or None if it is not, or not for any number of times."""
    tree = filled(tree, flow.fixed)
    copies: set[int] = set()
    for slot in reads(tree):
        made_of = _made_at_the_end(flow, slot)
        if made_of is not None:
            tree = composed(tree, slot, made_of)
            copies.add(slot)
    factors = _factors(tree)
    if not factors or any(not _only_counts(flow, slot, copies) for slot in factors):
        return None
    gains = {place: gain for place, point in enumerate(flow.points) if (gain := _gain(point, factors)) is not None}
    if not any(_comes_back(flow, place) for place in gains):
        return None
    start = sum(factor * _number(values[slot]) for slot, factor in factors.items())
    return Counted(substitute(tree, dict.fromkeys(factors, 0)), gains, start)


def _factors(tree: Tree) -> dict[int, Number] | None:
    """How often each register goes into a sum; None where the tree is none, or reads one in another way."""
    match tree:
        case Register(slot=slot):
            return {slot: 1}
        case ast.Constant():
            return {}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _scaled(_factors(operand), -1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            return _together([_factors(left), _scaled(_factors(right), -1 if isinstance(op, ast.Sub) else 1)])
        case ast.BinOp(left=ast.Constant(value=int() | Fraction() as number), op=ast.Mult(), right=right):
            return _scaled(_factors(right), number)
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant(value=int() | Fraction() as number)):
            return _scaled(_factors(left), number)
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() | Fraction() as number)) if number:
            return _scaled(_factors(left), Fraction(1, number))
        case ast.Call(func=ast.Name(id="sum"), args=args):
            return _together(list(map(_factors, args)))
    return None


def _scaled(factors: dict[int, Number] | None, by: Number) -> dict[int, Number] | None:
    return None if factors is None else {slot: factor * by for slot, factor in factors.items()}


def _together(several: Sequence[dict[int, Number] | None]) -> dict[int, Number] | None:
    found: dict[int, Number] = {}
    for factors in several:
        if factors is None:
            return None
        for slot, factor in factors.items():
            found[slot] = found.get(slot, 0) + factor
    return found


def _made_at_the_end(flow: Flow, slot: int) -> Tree | None:
    """What a register is made of, if that is done once, on every way to an end, from what no longer changes."""
    places = [place for place, point in enumerate(flow.points) if slot in writes(point.op)]
    if len(places) != 1 or flow.points[places[0]].op.kind != "assign":
        return None
    (place,) = places
    tree = dict(flow.points[place].op.items)[slot]
    later = _reached(flow, flow.points[place].targets)
    changing = {other for after in later for other in writes(flow.points[after].op)}
    around = _reached(flow, [flow.start], without=place)
    missed = any(flow.points[other].op.kind == "stop" for other in around)
    return None if missed or place in later or changing & {slot, *reads(tree)} else tree


def _only_counts(flow: Flow, slot: int, copies: set[int]) -> bool:
    """Whether nothing but `copies` looks at a register on the way, and every step that writes it adds to it, or finds
    it known.
    """
    for point in flow.points:
        op = point.op
        if op.kind != "assign":
            if slot in writes(op) or slot in reads_of(op):
                return False
            continue
        for other, tree in op.items:
            if other in copies:
                continue
            if (slot in reads(tree)) if other != slot else (_added(point, slot, tree) is None):
                return False
    return True


def _added(point: Point, slot: int, tree: Tree) -> Tree | None:
    """What a step adds to a register, if it does that and nothing else."""
    if isinstance(tree, ast.Constant):
        known = point.known.get(slot, "unknown")
        fits = _is_number(tree.value) and (known is None or _is_number(known))
        return constant(_number(tree.value) - _number(known)) if fits else None
    match tree:
        case Register() if tree.slot == slot:
            return ast.Constant(0)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            inner = [each for each in (left, right) if slot in reads(each)]
            rest = left if inner == [right] else right
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            inner = [left] if slot not in reads(right) else []
            rest = ast.UnaryOp(ast.USub(), right)
        case _:
            return None
    added = _added(point, slot, inner[0]) if len(inner) == 1 and not isinstance(inner[0], ast.Constant) else None
    return None if added is None else substitute(ast.BinOp(added, ast.Add(), rest), {})


def _gain(point: Point, factors: Mapping[int, Number]) -> Tree | None:
    """What a point adds to all that is counted."""
    parts = [
        ast.BinOp(constant(factors[slot]), ast.Mult(), added)
        for slot, tree in point.op.items
        if slot in factors and (added := _added(point, slot, tree)) is not None
    ]
    if not parts:
        return None
    whole = substitute(call("sum", parts) if len(parts) > 1 else parts[0], {})
    return None if isinstance(whole, ast.Constant) and not whole.value else whole


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def _number(value: object) -> Number:
    return value if isinstance(value, int | Fraction) else 0


def _comes_back(flow: Flow, place: int) -> bool:
    """Whether the flow can come back to a point."""
    return place in _reached(flow, flow.points[place].targets)


def _reached(flow: Flow, places: Sequence[int], without: int = -1) -> set[int]:
    """These points and all that can come after them, where one is not gone through."""
    seen: set[int] = set()
    waiting = [place for place in places if place != without]
    while waiting:
        place = waiting.pop()
        if place not in seen:
            seen.add(place)
            waiting += [target for target in flow.points[place].targets if target != without]
    return seen
