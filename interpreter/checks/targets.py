"""What a step writes: gauges and fields, named as `self.gauge`, `thing.family[key]` or `sheet.gauge`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.scopes import Place
from interpreter.expressions import Expression, Family, Many, Optional, Thing, Type, Typed, describe
from interpreter.fields import FieldInfo, ListInfo, kind_of
from interpreter.model import Code, Path

if TYPE_CHECKING:
    from interpreter.checks.context import Context

UNWRITABLE = Check(
    "E0226",
    "something that no step can write",
    "Steps write gauges, fields and stats of sheets and records; derived values follow by themselves, "
    "and effects are applied.",
    failing="""
sheets:
  hero:
    stats: {body: 1..6}
    derived: {strength: self.body * 2}
actions:
  grow:
    who: {self: hero}
    steps: [{change: {self.strength: 1}}]
""",
    passing="""
sheets:
  hero:
    stats: {body: 1..6}
    derived: {strength: self.body * 2}
actions:
  grow:
    who: {self: hero}
    steps: [{change: {self.body: 1}}]
""",
)
WRONG_TARGET = Check(
    "E0233",
    "a step on something that it does not suit",
    "change, pay and move work on numbers, fill on gauges with a most, ask on texts; pay, move and `as` "
    "on one value at a time.",
    failing="""
sheets:
  hero:
    fields: {nickname: {text: ""}}
actions:
  grow:
    who: {self: hero}
    steps: [{change: {self.nickname: 1}}]
""",
    passing="""
sheets:
  hero:
    fields: {nickname: {text: ""}}
actions:
  grow:
    who: {self: hero}
    steps: [{ask: self.nickname, label: Which nickname?}]
""",
)
CHECKS = (UNWRITABLE, WRONG_TARGET)


@dataclass(frozen=True, slots=True)
class Target:
    """The fields that a target can mean, their type, and whether it can be several at once."""

    places: tuple[tuple[str, FieldInfo], ...]
    type: Type
    several: bool

    @property
    def infos(self) -> tuple[FieldInfo, ...]:
        return tuple(info for _, info in self.places)


class Targets:
    def __init__(self, context: Context) -> None:
        self.context = context

    def find(
        self, text: str, path: Path, scope: Place, knowing: list[Expression], *, on_key: bool = True
    ) -> Target | None:
        """What a target means; None when its fault is told."""
        typed = self.context.reader.read(Code(text, path), scope, None, knowing, base=0, on_key=on_key)
        if typed is None or typed.faults or typed.type is None:
            return None
        tree = typed.tree
        while isinstance(tree, ast.Subscript) or (
            isinstance(tree, ast.Attribute) and self._things(typed, tree.value) is None
        ):
            tree = tree.value
        things = self._things(typed, tree.value) if isinstance(tree, ast.Attribute) else None
        if things is None or not isinstance(tree, ast.Attribute):
            self._unwritable(text, path, "it is no part of a sheet or record", on_key)
            return None
        kinds = sorted(things.kinds)
        places = [(kind, info) for kind in kinds for info in kind_of(self.context.system, kind).find(tree.attr)]
        infos = tuple(info for _, info in places)
        if not infos:
            self._unwritable(text, path, self._why(things, tree.attr), on_key)
            return None
        inside = typed.tree.value if isinstance(typed.tree, ast.Subscript | ast.Attribute) else None
        if tree is not typed.tree and (inside is not tree or infos[0].key is None):  # more than a key of a family
            self._unwritable(text, path, f"it is read of `{ast.unparse(tree)}`, which can be written itself", on_key)
            return None
        return Target(
            tuple(self._keyed(typed.tree, tree, places)),
            _one(typed.type),
            isinstance(typed.type, Many | Family) and not self._is_set(infos, typed),
        )

    def lists(self, code: Code, scope: Place, knowing: list[Expression]) -> tuple[ListInfo, ...] | None:
        """The lists that `self.list` can mean, one for each kind of its owner; None when a fault is told already."""
        typed = self.context.reader.read(code, scope, None, knowing, base=0)
        if typed is None or typed.faults or typed.type is None:
            return None
        tree = typed.tree
        things = self._things(typed, tree.value) if isinstance(tree, ast.Attribute) else None
        if things is None or not isinstance(tree, ast.Attribute):
            return ()
        kinds = [kind_of(self.context.system, kind) for kind in sorted(things.kinds)]
        return tuple(listed for kind in kinds for listed in kind.lists if listed.name == tree.attr)

    def _keyed(
        self, whole: ast.expr, part: ast.Attribute, places: list[tuple[str, FieldInfo]]
    ) -> list[tuple[str, FieldInfo]]:
        """Of a family, only the key that is named, where it is."""
        key: object = None
        if isinstance(whole, ast.Attribute) and whole.value is part:
            key = whole.attr
        elif isinstance(whole, ast.Subscript) and whole.value is part and isinstance(whole.slice, ast.Constant):
            key = whole.slice.value
        return [(kind, info) for kind, info in places if key is None or info.key == key] or places

    def _is_set(self, infos: tuple[FieldInfo, ...], typed: Typed) -> bool:
        return infos[0].sort == "set" and isinstance(typed.type, Many) and not isinstance(typed.type.item, Many)

    def _things(self, typed: Typed, node: ast.expr) -> Thing | None:
        """The thing, or kind of things, that a part of the target stands for."""
        type_ = typed.types.get(node)
        while isinstance(type_, Many | Optional):
            type_ = type_.item if isinstance(type_, Many) else type_.type
        return type_ if isinstance(type_, Thing) and type_.nature in ("sheet", "record") else None

    def _why(self, things: Thing, name: str) -> str:
        kind = kind_of(self.context.system, things.kind)
        if name in kind.sheet.derived:
            return "it is derived, and follows what it is computed from"
        if name in self.context.system.effects:
            return "it is an effect: use `apply` and `lift`"
        if any(listed.name == name for listed in kind.lists):
            return "it is a list: use `add` and `remove`"
        return f"nothing of that name can be written in {describe(things)}"

    def _unwritable(self, text: str, path: Path, why: str, on_key: bool) -> None:
        self.context.report.add(
            UNWRITABLE, path, f"`{text}` cannot be written: {why}.", on="key" if on_key else "value", length=len(text)
        )


def _one(type_: Type) -> Type:
    """The type of one of the values."""
    while isinstance(type_, Family):
        type_ = type_.value
    return type_
