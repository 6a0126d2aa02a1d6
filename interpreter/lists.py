"""The functions over lists, written out item by item."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from interpreter.bound import Bound, Entity, Missing, Reference, Scalar, tree_of
from interpreter.trees import FALSE, add, all_of, any_of, both, call, when

# An item: the condition under which it belongs to the list (None: always), itself, and what the predicate says of it.
Judged = tuple[ast.expr | None, Bound, ast.expr | None]


def _one_if(guard: ast.expr) -> ast.expr:
    return when(guard, ast.Constant(1), ast.Constant(0))


def _sum(items: list[Judged]) -> Bound:
    return Scalar(add([when(both(guard, test), tree_of(item), ast.Constant(0)) for guard, item, test in items]))


def _count(items: list[Judged]) -> Bound:
    return Scalar(add([_one_if(both(guard, test)) for guard, _, test in items]))


def _any(items: list[Judged]) -> Bound:
    return Scalar(any_of([both(guard, test if test is not None else tree_of(item)) for guard, item, test in items]))


def _all(items: list[Judged]) -> Bound:
    def holds(guard: ast.expr | None, tree: ast.expr) -> ast.expr:
        return tree if guard is None else ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), guard), tree])

    return Scalar(all_of([holds(guard, test if test is not None else tree_of(item)) for guard, item, test in items]))


def _first(items: list[Judged]) -> Bound:
    tree: ast.expr = ast.Constant(None)
    for guard, item, test in reversed(items):
        tree = when(both(guard, test), tree_of(item), tree)
    things = tuple(dict.fromkeys(thing for _, item, _ in items for thing in things_of(item)))
    if isinstance(tree, ast.Constant):
        return next((thing for thing in things if thing.id == tree.value), Missing())
    return Reference(tree, things) if things else Scalar(tree)


def _extreme(function: str) -> Callable[[list[Judged]], Bound]:
    """The highest or lowest of a list; 0 when nothing is in it."""

    def give(items: list[Judged]) -> Bound:
        best: ast.expr | None = None
        inside: ast.expr = FALSE
        for guard, item, test in items:
            here, tree = both(guard, test), tree_of(item)
            best = tree if best is None else when(inside, when(here, call(function, best, tree), best), tree)
            inside = any_of([inside, here])
        return Scalar(ast.Constant(0) if best is None else when(inside, best, ast.Constant(0)))

    return give


LIST_FUNCTIONS: Mapping[str, Callable[[list[Judged]], Bound]] = {
    "sum": _sum,
    "count": _count,
    "any": _any,
    "all": _all,
    "first": _first,
    "highest": _extreme("max"),
    "lowest": _extreme("min"),
}


def things_of(bound: Bound) -> tuple[Entity, ...]:
    if isinstance(bound, Entity):
        return (bound,)
    return bound.candidates if isinstance(bound, Reference) else ()
