"""What a sum is made of, for the trace: each term with the name that people know it by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter.bound import Bound, Entity, Family, Many, ResolutionError, Scalar, Scope, tree_of
from interpreter.expressions import Register
from interpreter.layout import Layout

if TYPE_CHECKING:
    from interpreter.resolve import Resolver


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a sum. `kind` says what `name` gives: the id of a key, a text of a thing, or the name of a field."""

    kind: str
    name: ast.expr
    amount: ast.expr


def terms(resolver: Resolver, node: ast.expr, scope: Scope) -> tuple[Term, ...]:
    """The terms of a sum whose names are known; none when the expression is no sum of named things."""
    found = list(_terms(resolver, node, scope))
    return tuple(term for term in found if term is not None) if None not in found else ()


def _terms(resolver: Resolver, node: ast.expr, scope: Scope) -> Iterator[Term | None]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _terms(resolver, node.left, scope)
        yield from _terms(resolver, node.right, scope)
    elif isinstance(node, ast.Subscript):
        index = tree_of(resolver.visit(node.slice, scope))
        yield Term("key", index, tree_of(resolver.visit(node, scope)))
    elif isinstance(node, ast.Attribute):
        yield _field(resolver, node, scope)
    elif _is_sum_of_things(node):
        yield from _things(resolver, node, scope)
    else:
        yield None


def _field(resolver: Resolver, node: ast.Attribute, scope: Scope) -> Term | None:
    bound = resolver.visit(node, scope)
    base = resolver.visit(node.value, scope)
    if not isinstance(bound, Scalar):
        return None
    if isinstance(base, Family):
        return Term("key", ast.Constant(node.attr), bound.tree)
    if isinstance(base, Entity):
        if base.owner is not None:
            return Term("thing", _text_of(resolver.layout, base), bound.tree)
        return Term("field", ast.Constant(f"{base.kind.name}.{node.attr}"), bound.tree)
    return None


def _is_sum_of_things(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sum" and isinstance(node.args[0], ast.Attribute)
    )


def _things(resolver: Resolver, node: ast.expr, scope: Scope) -> Iterator[Term | None]:
    """`sum(list.number)`: one term for each thing of the list."""
    assert isinstance(node, ast.Call)
    assert isinstance(node.args[0], ast.Attribute)
    things = resolver.visit(node.args[0].value, scope)
    if len(node.args) > 1 or not isinstance(things, Many) or any(guard is not None for guard, _ in things.items):
        yield None
        return
    for _, thing in things.items:
        if isinstance(thing, Entity):
            amount: Bound = resolver.member(thing, node.args[0].attr)
            yield Term("thing", _text_of(resolver.layout, thing), tree_of(amount))
        else:
            yield None


def _text_of(layout: Layout, thing: Entity) -> ast.expr:
    """The first text of a thing, by which people call it."""
    for info in thing.kind.fields:
        if info.sort == "text":
            return Register(layout.value_slot(thing, info))
    return ast.Constant(thing.id)


__all__ = ["ResolutionError", "Term", "terms"]
