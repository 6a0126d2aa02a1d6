"""The value that a field has when the sheet says nothing of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter.bound import tree_of
from interpreter.fields import FieldInfo, constant_range, count_range, show_count
from interpreter.layout import Entity
from interpreter.model import Code, Field, Gauge, Stat

if TYPE_CHECKING:
    from interpreter.resolve import Resolver


class NoDefault(Exception):
    """The sheet must say this value: it is thrown with dice, or nothing is declared."""

    def __init__(self, entity: Entity, info: FieldInfo, reason: str) -> None:
        super().__init__(f"`{entity.id}.{info.dotted}` has no value: {reason}.")


def is_dice(text: str) -> bool:
    """Whether a start is thrown: `2d6 + 12`."""
    head, found, tail = text.partition("d")
    return bool(found) and (head.strip().isdigit() or not head.strip()) and tail[:1].isdigit()


def start_code(info: FieldInfo) -> Code | None:
    """What a gauge starts at, as declared for its key."""
    start = info.spec.start if isinstance(info.spec, Gauge) else None
    return start.get(info.key or "") if isinstance(start, Mapping) else start


def start_dice(info: FieldInfo) -> Code | None:
    """The dice that a gauge starts with, thrown when the sheet is made. A named step may be called `d8`: it is none."""
    code = start_code(info)
    return code if code is not None and info.ids is None and is_dice(code.text) else None


def default_tree(resolver: Resolver, entity: Entity, info: FieldInfo) -> ast.expr:
    """The default as a tree over the other registers of the sheet; raises NoDefault when there is none."""
    if isinstance(info.spec, Gauge):
        return _gauge(resolver, entity, info)
    if isinstance(info.spec, Stat):
        return _stat(resolver, entity, info, info.spec)
    return _field(resolver, entity, info, info.spec)


def _gauge(resolver: Resolver, entity: Entity, info: FieldInfo) -> ast.expr:
    low, high = resolver.bounds(entity, info)
    code = start_code(info)
    if code is None:
        return low if low is not None else ast.Constant(0)
    if code.text == "max" and high is not None:
        return high
    if start_dice(info):
        raise NoDefault(entity, info, f"it starts with {code.text}, thrown when the sheet is made")
    scope = resolver.keyed({"self": entity}, info)
    return resolver.rank(code, scope, info.ids) if info.ids else resolver.tree(code, scope)


def _stat(resolver: Resolver, entity: Entity, info: FieldInfo, spec: Stat) -> ast.expr:
    if spec.default is not None:
        return resolver.tree(spec.default, resolver.keyed({"self": entity}, info))
    if info.sort == "die" and info.ids is not None:
        return ast.Constant(info.ids.ids[0])
    return ast.Constant(constant_range(spec)[0] or 0)


def _field(resolver: Resolver, entity: Entity, info: FieldInfo, spec: Field) -> ast.expr:
    if spec.default is not None:
        return _declared(resolver, entity, info, spec.default)
    if spec.flag is not None:
        return ast.Constant(spec.flag)
    if spec.text is not None:
        return ast.Constant(spec.text)
    if spec.int is not None:
        return ast.Constant(constant_range(spec)[0] or 0)
    if spec.one:
        return ast.Constant(None)
    if spec.set_of is not None and count_range(spec.count, (0, None))[0] == 0:
        return ast.Constant(())  # type: ignore[arg-type]
    raise NoDefault(entity, info, _wanted(info, spec))


def _wanted(info: FieldInfo, spec: Field) -> str:
    """What a sheet must say of a field that has no default."""
    ids = ", ".join(info.ids.ids) if info.ids else ""
    if spec.set_of is not None:
        return f"it holds {show_count(*count_range(spec.count, (0, None)))} of {ids}"
    return f"it is one of {ids}" if ids else "nothing is declared for it"


def _declared(resolver: Resolver, entity: Entity, info: FieldInfo, code: Code) -> ast.expr:
    if info.sort == "set":
        ids = tuple(part.strip() for part in code.text.split(",") if part.strip())
        return ast.Constant(ids)  # type: ignore[arg-type]
    if info.sort == "flag":
        return ast.Constant(code.text.lower() in ("true", "yes"))
    if info.sort in ("text", "key"):
        return ast.Constant(code.text)
    return tree_of(resolver.bound(code, resolver.keyed({"self": entity}, info)))
