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


def extreme(function: str, items: list[tuple[ast.expr | None, Bound]], otherwise: ast.expr) -> Bound:
    """The highest or lowest of a list: `function` is max or min; `otherwise` is what counts when nothing is in it."""
    best: ast.expr | None = None
    inside: ast.expr = FALSE
    for guard, item in items:
        here, tree = both(guard, None), tree_of(item)
        best = tree if best is None else when(inside, when(here, call(function, best, tree), best), tree)
        inside = any_of([inside, here])
    return Scalar(otherwise if best is None else when(inside, best, otherwise))


EXTREMES: Mapping[str, str] = {"highest": "max", "lowest": "min"}
LIST_FUNCTIONS: Mapping[str, Callable[[list[Judged]], Bound]] = {
    "sum": _sum,
    "count": _count,
    "any": _any,
    "all": _all,
    "first": _first,
}


def things_of(bound: Bound) -> tuple[Entity, ...]:
    if isinstance(bound, Entity):
        return (bound,)
    return bound.candidates if isinstance(bound, Reference) else ()
