"""What a name can mean in a run: a value in a register, a thing, a list of things, a family, a namespace."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from interpreter.expressions import Select
from interpreter.fields import FieldInfo
from interpreter.layout import Entity
from interpreter.model import Keys


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, flag, id, set or text. `rank` gives an ordered id's place; `gauge` says which gauge it is, for its
    parts;
    `many` that it is a set of ids, `flag` that it is a field of yes or no."""

    tree: ast.expr
    keys: Keys | None = None
    rank: ast.expr | None = None
    gauge: tuple[Entity, FieldInfo] | None = None
    many: bool = False
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A bare id; what it means depends on what stands beside it."""

    id: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A thing known only in play: `tree` gives its id, `candidates` all that it can be."""

    tree: ast.expr
    candidates: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """An optional thing that was not chosen in this run."""


@dataclass(frozen=True, slots=True)
class Many:
    """A list: each item with the condition under which it belongs, or None when it always does."""

    items: tuple[tuple[ast.expr | None, Bound], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Values by key."""

    items: Mapping[str, Bound]
    keys: Keys | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """Names under a name; members may be computed when asked for."""

    name: str
    find: Callable[[str], Bound | None]


Bound = Scalar | Literal | Reference | Missing | Many | Family | Space | Entity
Scope = Mapping[str, Bound]


class ResolutionError(Exception):
    """A name that the rules' check should have refused."""


__all__ = [
    "Bound",
    "Entity",
    "Family",
    "Literal",
    "Many",
    "Missing",
    "Reference",
    "ResolutionError",
    "Scalar",
    "Scope",
    "Space",
    "constant",
    "rank_of",
    "select",
    "space",
    "tree_of",
]


def constant(value: object, keys: Keys | None = None) -> Scalar:
    tree = ast.Constant(value)  # type: ignore[arg-type]
    rank = ast.Constant(keys.ids.index(value)) if keys and keys.ordered and value in keys.ids else None
    return Scalar(tree, keys, rank)


def space(name: str, members: Mapping[str, Bound]) -> Space:
    return Space(name, members.get)


def tree_of(bound: Bound) -> ast.expr:
    """The expression that gives the value: a thing's id stands for the thing, a bare id for itself."""
    match bound:
        case Scalar(tree=tree) | Reference(tree=tree):
            return tree
        case Literal(id=name):
            return ast.Constant(name)
        case Entity(id=name):
            return ast.Constant(name)
        case Missing():
            return ast.Constant(None)
    raise ResolutionError(f"{type(bound).__name__.lower()} where a single value is wanted")


def rank_of(bound: Bound, keys: Keys) -> ast.expr:
    """The place of an ordered id among its keys; nothing for a cell or a value that is not there."""
    if isinstance(bound, Scalar):
        if bound.rank is not None:
            return bound.rank
        if isinstance(bound.tree, ast.Constant):
            return ast.Constant(None if bound.tree.value is None else keys.ids.index(str(bound.tree.value)))
        return Select(bound.tree, {key: ast.Constant(i) for i, key in enumerate(keys.ids)})
    if isinstance(bound, Literal):
        return ast.Constant(keys.ids.index(bound.id))
    if isinstance(bound, Missing):
        return ast.Constant(None)
    raise ResolutionError("an id is wanted")


def select(subject: ast.expr, cases: Mapping[object, Bound]) -> Bound:
    """What stands under the case that `subject` gives in play; at once when the subject is already known."""
    if isinstance(subject, ast.Constant):
        return cases.get(subject.value, Missing())
    bounds = list(cases.values())
    if not bounds:
        return Missing()
    first = bounds[0]
    if isinstance(first, Many):
        return Many(tuple(_guarded(subject, case, item) for case, bound in cases.items() for item in _items(bound)))
    if isinstance(first, Family):
        return _select_family(subject, cases, first)
    if all(isinstance(bound, Entity | Reference | Missing) for bound in bounds):
        things = dict.fromkeys(thing for bound in bounds for thing in _candidates(bound))
        return Reference(_select_tree(subject, cases, tree_of), tuple(things))
    return _select_scalar(subject, cases, first)


def _select_scalar(subject: ast.expr, cases: Mapping[object, Bound], first: Bound) -> Scalar:
    keys = first.keys if isinstance(first, Scalar) else None
    rank = None
    if keys and keys.ordered:
        rank = _select_tree(subject, cases, lambda bound: rank_of(bound, keys))
    many, flag = (first.many, first.flag) if isinstance(first, Scalar) else (False, False)
    return Scalar(_select_tree(subject, cases, tree_of), keys, rank, None, many, flag)


def _select_family(subject: ast.expr, cases: Mapping[object, Bound], first: Family) -> Family:
    families = {case: bound.items for case, bound in cases.items() if isinstance(bound, Family)}
    return Family(
        {
            key: select(subject, {case: items[key] for case, items in families.items() if key in items})
            for key in first.items
        },
        first.keys,
    )


def _select_tree(subject: ast.expr, cases: Mapping[object, Bound], give: Callable[[Bound], ast.expr]) -> ast.expr:
    return Select(subject, {case: give(bound) for case, bound in cases.items()})


def _items(bound: Bound) -> tuple[tuple[ast.expr | None, Bound], ...]:
    return bound.items if isinstance(bound, Many) else ()


def _guarded(subject: ast.expr, case: object, item: tuple[ast.expr | None, Bound]) -> tuple[ast.expr, Bound]:
    here: ast.expr = ast.Compare(subject, [ast.Eq()], [ast.Constant(case)])  # type: ignore[arg-type]
    guard, bound = item
    return (here if guard is None else ast.BoolOp(ast.And(), [here, guard])), bound


def _candidates(bound: Bound) -> tuple[Entity, ...]:
    if isinstance(bound, Entity):
        return (bound,)
    return bound.candidates if isinstance(bound, Reference) else ()
