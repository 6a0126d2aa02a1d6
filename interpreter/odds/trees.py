"""What odds ask of resolved trees: a text for each, the parts that read one register, when a value no longer
changes.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from interpreter.expressions import (
    Chain,
    EvaluationError,
    Register,
    Select,
    children,
    evaluate,
    prepare,
    reads,
    substitute,
)

LARGEST_COMPOSED = 80
NEVER_CHANGES = -(10**9)
FARTHEST = 10**7

_ARITHMETIC = (ast.Add, ast.Sub)


def filled(tree: ast.expr, values: Mapping[int, object]) -> ast.expr:
    """The tree with the given registers as constants; itself when it reads none of them, so that what is remembered of
    it is not lost.
    """
    same = values.keys().isdisjoint(reads(tree)) and (reads(tree) or isinstance(tree, ast.Constant))
    return tree if same else substitute(tree, values)


def text_of(tree: ast.expr) -> str:
    """The same text for trees that are the same; the tree keeps it."""
    known: str | None = tree.__dict__.get("text")
    if known is None:
        known = _text_of(tree)
        tree.text = known  # type: ignore[attr-defined]
    return known


def _text_of(tree: ast.expr) -> str:
    if isinstance(tree, Register):
        return f"#{tree.slot}"
    if isinstance(tree, ast.Constant):
        return f"{type(tree.value).__name__}:{tree.value!r}"
    inner = ",".join(map(text_of, children(tree)))
    if isinstance(tree, Chain):
        return f"chain({','.join(f'{slot}={text_of(link)}' for slot, link in tree.links)})"
    if isinstance(tree, Select):
        return f"select({inner};{','.join(f'{type(key).__name__}:{key!r}' for key in tree.cases)})"
    return f"{_operator(tree)}({inner})"


def _operator(tree: ast.expr) -> str:
    match tree:
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.BoolOp(op=op):
            return type(op).__name__
        case ast.Compare(ops=ops):
            return ".".join(type(op).__name__ for op in ops)
        case ast.Call(func=ast.Name(id=name)):
            return name
    return type(tree).__name__


def size(tree: ast.expr) -> int:
    return 1 + sum(map(size, children(tree)))


def rebuilt(
    tree: ast.expr, leaf: Callable[[int], ast.expr], fresh: Callable[[int], int] = lambda slot: slot
) -> ast.expr:
    """The tree with another one in the place of each register; `fresh` gives the registers that a chain
    fills itself.
    """

    def again(each: ast.expr) -> ast.expr:
        return rebuilt(each, leaf, fresh)

    match tree:
        case Register(slot=slot):
            return leaf(slot)
        case ast.Constant():
            return tree
        case Select(subject=subject, cases=cases):
            return Select(again(subject), {key: again(case) for key, case in cases.items()})
        case ast.Call(func=func, args=args):
            return ast.Call(func, list(map(again, args)), [])
        case ast.BinOp(left=left, op=op, right=right):
            return ast.BinOp(again(left), op, again(right))
        case ast.BoolOp(op=operator, values=values):
            return ast.BoolOp(operator, list(map(again, values)))
        case ast.Compare(left=left, ops=ops, comparators=others):
            return ast.Compare(again(left), ops, list(map(again, others)))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(again(test), again(body), again(orelse))
        case ast.UnaryOp(op=unary, operand=operand):
            return ast.UnaryOp(unary, again(operand))
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return ast.List(list(map(again, elements)), ast.Load())
        case Chain(links=links):
            return _chain(links, leaf, fresh)
    raise TypeError(type(tree).__name__)


def _chain(
    links: tuple[tuple[int, ast.expr], ...], leaf: Callable[[int], ast.expr], fresh: Callable[[int], int]
) -> ast.expr:
    own = {slot: fresh(slot) for slot, _ in links}

    def inner(slot: int) -> ast.expr:
        return Register(own[slot]) if slot in own else leaf(slot)

    return Chain(tuple((own[slot], rebuilt(tree, inner, fresh)) for slot, tree in links))


def moved(tree: ast.expr, places: Mapping[int, int]) -> ast.expr:
    """The tree with registers numbered anew."""
    after = itertools.count(1 + max(places.values(), default=-1))
    return rebuilt(tree, lambda slot: Register(places[slot]), lambda slot: next(after))


def composed(tree: ast.expr, slot: int, definition: ast.expr) -> ast.expr:
    """The tree with a register's definition in its place."""
    return substitute(rebuilt(tree, lambda other: definition if other == slot else Register(other)), {})


# ---------------------------------------------------------------------- parts that read one register


def parts(tree: ast.expr) -> Sequence[tuple[int, ast.expr]]:
    """The largest parts of a tree that read a single register, each with it; the tree keeps them.

    Two values of the register for which all of these are equal are the same for the tree.
    """
    known: Sequence[tuple[int, ast.expr]] | None = tree.__dict__.get("parts")
    if known is None:
        known = tuple(_parts(tree))
        tree.parts = known  # type: ignore[attr-defined]
    return known


def _parts(tree: ast.expr) -> Iterator[tuple[int, ast.expr]]:
    slots = reads(tree)
    if len(slots) == 1:
        yield slots[0], _core(tree)
    elif slots:
        own = {slot for slot, _ in tree.links} if isinstance(tree, Chain) else ()
        for child in children(tree):
            yield from (each for each in parts(child) if each[0] not in own)


def _core(tree: ast.expr) -> ast.expr:
    """The part of a tree that its value tells: `x` of `x + 2`."""
    match tree:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant()):
            return _core(left)
        case ast.BinOp(left=ast.Constant(), op=ast.Add() | ast.Sub(), right=right):
            return _core(right)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return _core(operand)
    return tree


def leaves(tree: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Conditions that are settled once the tree is known to hold, or not to."""
    match tree:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from leaves(operand, not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is holds:
            for value in values:
                yield from leaves(value, holds)
        case ast.BoolOp() | ast.Constant():
            return
        case _:
            yield tree, holds


def conditions(tree: ast.expr) -> Iterator[ast.expr]:
    """The conditions that and, or and not combine into the tree."""
    match tree:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from conditions(operand)
        case ast.BoolOp(values=values):
            for value in values:
                yield from conditions(value)
        case ast.Constant():
            return
        case _:
            yield tree


def is_condition(tree: ast.expr) -> bool:
    """Whether a tree can only be true or false, or one of a few constants."""
    match tree:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return all(isinstance(each, ast.Constant) or is_condition(each) for each in (body, orelse))
        case Select(cases=cases):
            return all(isinstance(each, ast.Constant) or is_condition(each) for each in cases.values())
    return False


def decided(tree: ast.expr, known: Callable[[ast.expr], bool | None]) -> ast.expr:
    """The tree with every condition that is known in its value's place."""
    match tree:
        case ast.UnaryOp(op=ast.Not() as op, operand=operand):
            return substitute(ast.UnaryOp(op, decided(operand, known)), {})
        case ast.BoolOp(op=op, values=values):
            return substitute(ast.BoolOp(op, [decided(value, known) for value in values]), {})
    value = known(tree)
    return tree if value is None else ast.Constant(value)


# ---------------------------------------------------------------------- from where on a value no longer changes

Shape = tuple[str, int]


def settled_from(tree: ast.expr) -> int | None:
    """A number from which on the only register of the tree leaves its value as it is, or None when there may
    be none.
    """
    shape = _shape(tree)
    return shape[1] if shape is not None and shape[0] == "settled" else None


def _shape(tree: ast.expr) -> Shape | None:
    """How a tree goes as its register grows: settled, rising or falling (without end, never turning), and from where
    on.
    """
    match tree:
        case ast.Constant():
            return "settled", NEVER_CHANGES
        case Register():
            return "rising", NEVER_CHANGES
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            shape = _shape(operand)
            return shape if shape and shape[0] == "settled" else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _turned(_shape(operand))
        case ast.BinOp():
            return _of_arithmetic(tree)
        case ast.Compare(left=left, comparators=[right]):
            return _of_comparison(tree, left, right)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _of_call(tree, name, args)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _of_case(test, lambda value: body if value else orelse)
        case Select(subject=subject, cases=cases):
            return _of_case(subject, cases.get)
        case Chain():
            return None
    return _all_settled(list(children(tree)))


def _turned(shape: Shape | None) -> Shape | None:
    return shape and ({"rising": "falling", "falling": "rising"}.get(shape[0], shape[0]), shape[1])


def _all_settled(trees: list[ast.expr]) -> Shape | None:
    shapes = [_shape(tree) for tree in trees]
    ends = [shape[1] for shape in shapes if shape is not None and shape[0] == "settled"]
    return ("settled", max(ends, default=NEVER_CHANGES)) if len(ends) == len(shapes) else None


def _of_arithmetic(tree: ast.BinOp) -> Shape | None:
    one, other = _shape(tree.left), _shape(tree.right)
    if one is None or other is None:
        return None
    since = max(one[1], other[1])
    if one[0] == other[0] == "settled":
        return "settled", since
    if isinstance(tree.op, ast.Sub):
        other = _turned(other)
        assert other is not None
    if isinstance(tree.op, _ARITHMETIC):
        ways = {one[0], other[0]} - {"settled"}
        return (ways.pop(), since) if len(ways) == 1 else None
    constant = tree.right if isinstance(tree.right, ast.Constant) else tree.left
    factor = constant.value if isinstance(constant, ast.Constant) else None
    divided = isinstance(tree.op, ast.Div | ast.FloorDiv) and constant is tree.right
    if isinstance(factor, int | Fraction) and factor > 0 and (divided or isinstance(tree.op, ast.Mult)):
        return (one if constant is tree.right else other)[0], since
    return None


def _of_comparison(tree: ast.expr, left: ast.expr, right: ast.expr) -> Shape | None:
    one, other = _shape(left), _shape(right)
    if one is None or other is None:
        return None
    if one[0] == other[0] == "settled":
        return "settled", max(one[1], other[1])
    if one[0] == other[0]:
        return None
    since = _passed(left, right, max(one[1], other[1]))
    return None if since is None else ("settled", since)


def _of_call(tree: ast.expr, name: str, args: list[ast.expr]) -> Shape | None:
    shapes = [_shape(each) for each in args]
    if name in ("floor", "ceil", "round_half_up", "round_half_down", "round_half_even"):
        return shapes[0]
    if name in ("min", "max") and len(args) > 1:
        grows = "rising" if name == "max" else "falling"
        last, rest = args[-1], args[0] if len(args) == 2 else ast.Call(ast.Name(name, ast.Load()), args[:-1], [])
        return _of_extreme(_shape(rest), shapes[-1], rest, last, grows)
    if name == "clamp":
        inner = ast.Call(ast.Name("min", ast.Load()), [args[0], args[2]], [])
        return _shape(ast.Call(ast.Name("max", ast.Load()), [args[1], inner], []))
    if name == "sum":
        ways = {shape[0] for shape in shapes if shape} - {"settled"}
        since = max((shape[1] for shape in shapes if shape), default=NEVER_CHANGES)
        known = all(shape is not None for shape in shapes) and len(ways) <= 1
        return (ways.pop() if ways else "settled", since) if known else None
    return _all_settled(args)


def _of_extreme(one: Shape | None, other: Shape | None, left: ast.expr, right: ast.expr, grows: str) -> Shape | None:
    """The higher of two (grows: rising) or the lower of two (falling)."""
    if one is None or other is None:
        return None
    since = max(one[1], other[1])
    ways = {one[0], other[0]}
    if ways == {grows} or ways == {grows, "settled"}:
        return grows, since
    if len(ways) == 1:
        return ways.pop(), since
    if "settled" not in ways:
        return None
    passed = _passed(left, right, since)
    return None if passed is None else ("settled", passed)


def _of_case(test: ast.expr, case: Callable[[object], ast.expr | None]) -> Shape | None:
    shape = _shape(test)
    if shape is None or shape[0] != "settled":
        return None
    chosen = case(_at(test, max(shape[1], 0)))
    inner = _shape(chosen) if chosen is not None else None
    return None if inner is None else (inner[0], max(inner[1], shape[1]))


def _passed(left: ast.expr, right: ast.expr, since: int) -> int | None:
    """The least number from which on the two, that go apart from some place on, are in their last order for good."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Register) and isinstance(other, ast.Constant) and isinstance(other.value, int | Fraction):
            return max(since, math.floor(other.value) + 1)
    first, second = (prepare(moved(tree, dict.fromkeys(reads(tree), 0))) for tree in (left, right))

    def difference(number: int) -> Fraction:
        return Fraction(first((number,))) - Fraction(second((number,)))

    try:
        return _last_turn(difference, max(since, -FARTHEST))
    except (EvaluationError, TypeError):
        return None


def _last_turn(difference: Callable[[int], Fraction], low: int) -> int | None:
    """From where on a difference that only grows, or only falls, has its last sign."""
    high = FARTHEST
    final = difference(high)
    if not final:
        return None

    def settled(number: int) -> bool:
        gap = difference(number)
        return gap != 0 and (gap > 0) is (final > 0)

    if settled(low):
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return high


def _at(tree: ast.expr, number: int) -> Any:
    return evaluate(substitute(tree, dict.fromkeys(reads(tree), number)), ())
