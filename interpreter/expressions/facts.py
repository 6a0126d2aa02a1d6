"""What a condition teaches about the values it looks at, for the places that it guards.

A fact is kept under the canonical text of a formula (`self.reserves.effort`, `count(allies)`), so that the same formula
written again, in the branch that the condition guards, is known to be in the narrower range, not zero, or there.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .intervals import End, between, ends
from .types import Many, Number, Optional, Type


@dataclass(frozen=True, slots=True)
class Fact:
    """A number's range, whether it is certainly not zero, whether an optional value is there, a list's least length."""

    low: End = -math.inf
    high: End = math.inf
    nonzero: bool = False
    given: bool = False


Facts = Mapping[str, Fact]
Types = Mapping[ast.AST, Type | None]
NOTHING = Fact()


def canonical(node: ast.AST) -> str:
    """One text for each formula, whichever way it is written: `x['a']`, `x[a]` and `x.a` are the same."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{canonical(node.value)}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return f"{canonical(node.value)}.{node.slice.value}"
    if isinstance(node, ast.Constant):
        return repr(node.value)
    parts = ",".join(canonical(child) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.Load))
    return f"{type(node).__name__}({parts})"


def both(one: Facts, other: Facts) -> Facts:
    """What is known when both are."""
    return {**one, **{text: _meet(one.get(text, NOTHING), fact) for text, fact in other.items()}}


def either(one: Facts, other: Facts) -> Facts:
    """What is known when at least one is."""
    return {text: _widest(one[text], other[text]) for text in one if text in other}


def without_items(facts: Facts) -> Facts:
    """What stays known inside a predicate, where `item` and `key` mean something new."""
    return {text: fact for text, fact in facts.items() if not re.search(r"\b(item|key)\b", text)}


def refined(type_: Type, fact: Fact) -> Type:
    """The type of a formula of which `fact` is known."""
    if isinstance(type_, Optional):
        return refined(type_.type, fact) if fact.given else type_
    if isinstance(type_, Many):
        least = fact.low if isinstance(fact.low, int) else 0
        return Many(type_.item, max(type_.low, least), type_.high)
    if not isinstance(type_, Number):
        return type_
    low, high = ends(type_)
    low, high = max(low, fact.low), min(high, fact.high)
    if low > high:  # never reached; what the guard says is then the better answer
        low, high = fact.low, fact.high
    if type_.whole and fact.nonzero and low < high:
        low, high = (1 if low == 0 else low), (-1 if high == 0 else high)
    narrowed = between(low, high, type_.whole)
    return Number(narrowed.whole, narrowed.low, narrowed.high, type_.parts)


def learned(node: ast.expr, holds: bool, types: Types) -> Facts:
    """What is known once the condition `node` is known to hold, or not to; `types` are those of its parts."""
    handler = _LEARNED.get(type(node))
    return handler(node, holds, types) if handler else {}


def decided(node: ast.expr, types: Types) -> bool | None:
    """Whether a condition holds always or never, as far as the ranges of numbers tell; None when they do not."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = decided(node.operand, types)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        parts = [decided(value, types) for value in node.values]
        settles = isinstance(node.op, ast.Or)
        return settles if settles in parts else None if None in parts else not settles
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        pairs = zip(operands, node.ops, operands[1:], strict=False)
        found = [_compared(types.get(left), op, types.get(right)) for left, op, right in pairs]
        return False if False in found else None if None in found else True
    return None


def _compared(left: Type | None, op: ast.cmpop, right: Type | None) -> bool | None:
    sure = _SURE.get(type(op))
    if sure is None or not isinstance(left, Number) or not isinstance(right, Number):
        return None
    (a, b), (c, d) = ends(left), ends(right)
    always, never = sure(a, b, c, d)
    return True if always else False if never else None


# For numbers from a to b and from c to d: whether the relation always holds, and whether it never does.
_SURE: dict[type[ast.cmpop], Callable[[End, End, End, End], tuple[bool, bool]]] = {
    ast.Lt: lambda a, b, c, d: (b < c, a >= d),
    ast.LtE: lambda a, b, c, d: (b <= c, a > d),
    ast.Gt: lambda a, b, c, d: (a > d, b <= c),
    ast.GtE: lambda a, b, c, d: (a >= d, b < c),
    ast.Eq: lambda a, b, c, d: (a == b == c == d, b < c or a > d),
    ast.NotEq: lambda a, b, c, d: (b < c or a > d, a == b == c == d),
}


def _from_not(node: ast.UnaryOp, holds: bool, types: Types) -> Facts:
    return learned(node.operand, not holds, types) if isinstance(node.op, ast.Not) else {}


def _from_and_or(node: ast.BoolOp, holds: bool, types: Types) -> Facts:
    """`a and b` that holds, and `a or b` that does not, decide every part; otherwise one of the parts decides."""
    parts = [learned(value, holds, types) for value in node.values]
    combine = both if isinstance(node.op, ast.And) == holds else either
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return result


def _from_call(node: ast.Call, holds: bool, types: Types) -> Facts:
    fact = _TAUGHT_BY.get(canonical(node.func)) if holds and node.args else None
    return {canonical(node.args[0]): fact} if fact else {}


# What a call that is true says of its first argument.
_TAUGHT_BY = {"given": Fact(given=True), "any": Fact(low=1)}


def _from_comparison(node: ast.Compare, holds: bool, types: Types) -> Facts:
    operands = [node.left, *node.comparators]
    pairs = list(zip(operands, node.ops, operands[1:], strict=False))
    if not holds and len(pairs) > 1:
        return {}
    result: Facts = {}
    for left, op, right in pairs:
        relation = type(op) if holds else _CONTRARY.get(type(op), type(op))
        for subject, sign, other in ((left, relation, right), (right, _MIRRORED.get(relation), left)):
            if sign:
                result = both(result, _from_relation(subject, sign, other, types))
    return result


def _from_relation(subject: ast.expr, sign: type[ast.cmpop], other: ast.expr, types: Types) -> Facts:
    one, two = types.get(subject), types.get(other)
    narrow = _RELATIONS.get(sign)
    if not narrow or not isinstance(one, Number) or not isinstance(two, Number) or isinstance(subject, ast.Constant):
        return {}
    low, high = ends(two)
    fact = narrow(low, high, one, 1 if one.whole and two.whole else 0)
    if isinstance(subject, ast.Call) and canonical(subject.func) == "count" and fact.low > 0:
        return {canonical(subject): fact, canonical(subject.args[0]): Fact(low=1)}
    return {canonical(subject): fact}


def _not_equal(low: End, high: End, one: Number, step: int) -> Fact:
    """Only a single value can be ruled out: at an end of a whole number's range, or zero anywhere."""
    if low != high:
        return NOTHING
    if low == 0:
        return Fact(nonzero=True)
    least, most = ends(one)
    return Fact(low + step if low == least else -math.inf, high - step if high == most else math.inf)


_RELATIONS: dict[type[ast.cmpop], Callable[[End, End, Number, int], Fact]] = {
    ast.Eq: lambda low, high, one, step: Fact(low, high, low > 0 or high < 0),
    ast.NotEq: _not_equal,
    ast.Lt: lambda low, high, one, step: Fact(high=high - step, nonzero=high <= 0),
    ast.LtE: lambda low, high, one, step: Fact(high=high, nonzero=high < 0),
    ast.Gt: lambda low, high, one, step: Fact(low=low + step, nonzero=low >= 0),
    ast.GtE: lambda low, high, one, step: Fact(low=low, nonzero=low > 0),
}
_CONTRARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    one: other
    for pair in ((ast.Eq, ast.NotEq), (ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.In, ast.NotIn))
    for one, other in (pair, pair[::-1])
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    one: other
    for pair in ((ast.Eq, ast.Eq), (ast.NotEq, ast.NotEq), (ast.Lt, ast.Gt), (ast.LtE, ast.GtE))
    for one, other in (pair, pair[::-1])
}
_LEARNED: dict[type[ast.expr], Callable[..., Facts]] = {
    ast.UnaryOp: _from_not,
    ast.BoolOp: _from_and_or,
    ast.Call: _from_call,
    ast.Compare: _from_comparison,
}


def _meet(one: Fact, other: Fact) -> Fact:
    return Fact(
        max(one.low, other.low),
        min(one.high, other.high),
        one.nonzero or other.nonzero,
        one.given or other.given,
    )


def _widest(one: Fact, other: Fact) -> Fact:
    return Fact(
        min(one.low, other.low),
        max(one.high, other.high),
        one.nonzero and other.nonzero,
        one.given and other.given,
    )
