"""A number with named modifiers, as one tree and as the parts that its trace shows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter.bound import Scope, tree_of
from interpreter.expressions import Register, substitute
from interpreter.layout import Entity
from interpreter.model import Code, Label, Modifier, OutsideModifier, Value
from interpreter.terms import Term, terms

if TYPE_CHECKING:
    from interpreter.resolve import Resolver

DEFAULT_STAGES = ("set", "add", "multiply")
ROUNDING = {"down": "floor", "up": "ceil"}


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a trace: `id`, its label, what it does, by how much, whether it counts now (None: always), and its
    terms."""

    id: str
    label: Label | None
    operation: str
    amount: ast.expr
    guard: ast.expr | None
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class _Active:
    id: str
    spec: Modifier
    scope: Scope
    guard: ast.expr | None


def compose(
    resolver: Resolver, spec: Value, scope: Scope, owner: Entity | None, targets: frozenset[str]
) -> tuple[ast.expr, tuple[Part, ...]]:
    """The value of `spec`: base, modifiers by stage, then the bounds, once.

    `targets` are the names that outside modifiers use for it.
    """
    outside = list(_outside(resolver, owner, targets)) if owner is not None else []
    cancelled = [(_cancelled(active.spec), active.guard) for active in outside]
    own = [_Active(name, item, scope, _guard(resolver, item, scope)) for name, item in spec.modifiers.items()]
    own = [_uncancelled(active, cancelled) for active in own]
    active = [*own, *(item for item in outside if not _cancelled(item.spec))]
    base = resolver.tree(spec.base, scope)
    parts = [Part("base", None, "base", base, None, _terms(resolver, spec.base, scope))]
    total = base
    for stage in _stages(spec, active):
        total, new = _apply(resolver, total, [item for item in active if _in_stage(item, stage, spec)], stage)
        parts += new
    for name, function, code in (("min", "max", spec.min), ("max", "min", spec.max)):
        if code is not None:
            bound = resolver.tree(code, scope)
            parts.append(Part(name, None, name, bound, None))
            total = _call(function, total, bound)
    return substitute(total, {}), tuple(parts)


def _cancelled(spec: Modifier) -> str | None:
    """The modifier of the number that this one makes of no effect."""
    return spec.cancel if isinstance(spec, OutsideModifier) else None


def _uncancelled(active: _Active, cancelled: list[tuple[str | None, ast.expr | None]]) -> _Active:
    """The modifier with the further condition that nothing cancels it."""
    for name, guard in cancelled:
        if name == active.id:
            stands = ast.Constant(False) if guard is None else ast.UnaryOp(ast.Not(), guard)
            active = _Active(active.id, active.spec, active.scope, _both(active.guard, stands))
    return active


def _outside(resolver: Resolver, owner: Entity, targets: frozenset[str]) -> Iterator[_Active]:
    """Modifiers that the owner's effects and records bring to a number of one of these names."""
    for name, effect in resolver.system.effects.items():
        if effect.on != owner.kind.name:
            continue
        on = Register(resolver.layout.world(f"effect.{name}.{owner.id}"))
        scope: Scope = {"self": owner}
        for key, spec in effect.modifiers.items():
            if spec.to in targets:
                yield _Active(f"{name}.{key}", spec, scope, _both(on, _guard(resolver, spec, scope)))
    for listed in owner.kind.lists:
        if not listed.owned:
            continue
        for item_id in resolver.layout.items[owner.id, listed.name]:
            item = resolver.layout.entities[item_id]
            scope = {"self": owner, "item": item, "owner": owner}
            for key, spec in item.kind.sheet.modifiers.items():
                if spec.to in targets:
                    yield _Active(f"{item_id.rpartition('.')[2]}.{key}", spec, scope, _guard(resolver, spec, scope))


def _guard(resolver: Resolver, spec: Modifier, scope: Scope) -> ast.expr | None:
    if spec.when is None:
        return None
    tree = substitute(resolver.tree(spec.when, scope), {})
    return None if isinstance(tree, ast.Constant) and tree.value is True else tree


def _stages(spec: Value, active: list[_Active]) -> tuple[str, ...]:
    if not spec.stages:
        return DEFAULT_STAGES
    named = set(spec.stages)
    rest = tuple(stage for stage in DEFAULT_STAGES if stage not in named)
    return (*spec.stages, *rest)


def _operation(spec: Modifier) -> str:
    return next((name for name in ("add", "multiply", "set", "divide") if getattr(spec, name) is not None), "round")


def _in_stage(active: _Active, stage: str, spec: Value) -> bool:
    """A modifier belongs to the stage of its own id, if there is one, else to that of its kind; dividing is
    multiplying."""
    if active.id in spec.stages:
        return stage == active.id
    operation = _operation(active.spec)
    return stage == ("multiply" if operation in ("divide", "round") else operation)


def _apply(resolver: Resolver, total: ast.expr, items: list[_Active], stage: str) -> tuple[ast.expr, list[Part]]:
    parts: list[Part] = []
    groups: dict[str, list[ast.expr]] = {}
    for item in items:
        operation = _operation(item.spec)
        code: Code | None = getattr(item.spec, operation) if operation != "round" else None
        never = code is None or _never(item.guard)
        amount = ast.Constant(0) if code is None or never else tree_of(resolver.bound(code, item.scope))
        grouped = item.spec.best_of is not None and operation == "add"
        if item.spec.best_of is not None and grouped:
            counted = amount if item.guard is None else ast.IfExp(item.guard, amount, ast.Constant(0))
            groups.setdefault(item.spec.best_of, []).append(counted)
        else:
            total = _step(total, operation, amount, item)
        if not _never(item.guard):
            named = _terms(resolver, code, item.scope) if operation == "add" and not never else ()
            shown = "candidate" if grouped else operation
            parts.append(Part(item.id, item.spec.label, shown, amount, item.guard, named))
    for name, amounts in groups.items():
        best = _call("max", ast.Constant(0), *amounts)
        worst = _call("min", ast.Constant(0), *amounts)
        total = _sum(_sum(total, best), worst)
        parts.append(Part(name, None, "best_of", _sum(best, worst), None))
    return total, parts


def _step(total: ast.expr, operation: str, amount: ast.expr, item: _Active) -> ast.expr:
    if _never(item.guard):
        return total
    if operation == "add":
        return _sum(total, amount if item.guard is None else ast.IfExp(item.guard, amount, ast.Constant(0)))
    changed = _CHANGES[operation](total, amount)
    if item.spec.round is not None:
        changed = _call(ROUNDING.get(item.spec.round, f"round_{item.spec.round}"), changed)
    return changed if item.guard is None else ast.IfExp(item.guard, changed, total)


_CHANGES: Mapping[str, Callable[[ast.expr, ast.expr], ast.expr]] = {
    "multiply": lambda total, amount: ast.BinOp(total, ast.Mult(), amount),
    "divide": lambda total, amount: ast.BinOp(total, ast.Div(), amount),
    "set": lambda total, amount: amount,
    "round": lambda total, amount: total,
}


def _terms(resolver: Resolver, code: Code | None, scope: Scope) -> tuple[Term, ...]:
    return () if code is None else terms(resolver, resolver.syntax(code), scope)


def _never(guard: ast.expr | None) -> bool:
    return isinstance(guard, ast.Constant) and guard.value is False


def _both(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    parts = [part for part in (left, right) if part is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    return substitute(ast.BoolOp(ast.And(), parts), {})


def _sum(left: ast.expr, right: ast.expr) -> ast.expr:
    return substitute(ast.BinOp(left, ast.Add(), right), {})


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
