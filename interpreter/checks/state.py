"""What is known between two steps: the names that have values, the conditions that hold, whether dice have fallen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from interpreter.checks.kinds import joined
from interpreter.checks.scopes import Place, is_space
from interpreter.expressions import Expression, Many, Optional, Scope, Type, names_used
from interpreter.expressions.types import Thing
from interpreter.model import Path

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Local:
    """A name: what it is (`let`, `roll` …), where it comes from, and whether every way that leads here gave it a value.
    `carried`: only an earlier pass of a loop gave it one, so that it is written further down."""

    type: Type | None
    what: str
    path: Path
    sure: bool = True
    carried: bool = False

    @property
    def known(self) -> Type | None:
        """The type with which it can be read: a choice that was not offered on every way may be absent, and of
        several none are chosen."""
        if self.sure or self.type is None:
            return self.type
        inner = self.type.type if isinstance(self.type, Optional) else self.type
        if self.what != "choice" or self.carried or is_space(inner):
            return None
        return Many(inner.item, 0, inner.high) if isinstance(inner, Many) else Optional(inner)

    @property
    def is_unset(self) -> bool:
        """Whether on some way here it has no value; what only a pass before gave it may have no type for that very
        reason."""
        return self.known is None and (self.type is not None or (self.carried and not self.sure))


class Picked(Mapping[str, T]):
    """Something of each name that has it, looked at when it is asked for."""

    def __init__(self, names: Mapping[str, Local], pick: Callable[[Local], T | None]) -> None:
        self._names = names
        self._pick = pick

    def __getitem__(self, name: str) -> T:
        found = self._pick(self._names[name])
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name, one in self._names.items() if self._pick(one) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@lru_cache(maxsize=8192)
def names_of(condition: Expression) -> frozenset[str]:
    return frozenset(names_used(condition.tree))


@dataclass(slots=True)
class State:
    """Names and facts at one point.

    `rolled`: on some way here dice were thrown or a choice was made. `over`: no way leads here."""

    names: dict[str, Local] = field(default_factory=dict)
    facts: tuple[Expression, ...] = ()
    rolled: bool = False
    over: bool = False

    def copy(self) -> State:
        return State(dict(self.names), self.facts, self.rolled, self.over)

    def become(self, other: State) -> None:
        self.names, self.facts, self.rolled, self.over = dict(other.names), other.facts, other.rolled, other.over

    def place(self, around: Scope) -> Place:
        """The names as they are now, for an expression that is read at once."""
        return Place(
            Picked(self.names, lambda one: one.known),
            around,
            Picked(self.names, lambda one: one.path if one.is_unset else None),
            Picked(self.names, lambda one: True if one.type is None and not one.is_unset else None),
        )

    def learn(self, *conditions: Expression | None) -> None:
        self.facts = (*self.facts, *(one for one in conditions if one is not None and one not in self.facts))

    def forget(self, names: Iterable[str]) -> None:
        """Some names have new values: nothing is known of them any more."""
        gone = set(names)
        self.facts = tuple(fact for fact in self.facts if gone.isdisjoint(names_of(fact)))

    def forget_sheets(self, steady: frozenset[str]) -> None:
        """Sheets may have changed: what is known of plain local values, and of `steady` parts, still holds."""
        self.facts = tuple(fact for fact in self.facts if not self._may_change(fact.tree, steady))

    def _may_change(self, tree: ast.expr, steady: frozenset[str]) -> bool:
        """Whether a condition looks at a part of a thing that is not steady; a thing itself stays what it is."""
        parts = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        return any(part.attr not in steady and not self._is_plain(_root(part)) for part in parts)

    def _is_plain(self, name: str) -> bool:
        local = self.names.get(name)
        if local is None:
            return False
        if isinstance(local.type, Thing):
            return local.type.nature in ("roll", "result")
        return not _holds_things(local.type)

    def unsure(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self.names:
                self.names[name] = replace(self.names[name], sure=False)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _holds_things(type_: object) -> bool:
    inner = getattr(type_, "item", None) or getattr(type_, "type", None) or getattr(type_, "value", None)
    return isinstance(inner, Thing) or (inner is not None and _holds_things(inner))


def met(one: State, other: State) -> State:
    """What is known where two ways come together."""
    if one.over or other.over:
        kept, lost = (other, one) if one.over else (one, other)
        result = kept.copy()
        result.rolled = one.rolled or other.rolled if not (one.over and other.over) else result.rolled
        for name, local in lost.names.items():
            if name not in result.names:
                result.names[name] = replace(local, sure=False)
        return result
    names: dict[str, Local] = {}
    for name in dict.fromkeys([*one.names, *other.names]):
        first, second = one.names.get(name), other.names.get(name)
        if first is not None and second is not None:
            sure, carried = first.sure and second.sure, first.carried and second.carried
            names[name] = replace(first, type=_either(first.type, second.type), sure=sure, carried=carried)
        elif (only := first or second) is not None:
            names[name] = replace(only, sure=False)
    facts = tuple(fact for fact in one.facts if fact in other.facts)
    return State(names, facts, one.rolled or other.rolled)


def _either(one: Type | None, other: Type | None) -> Type | None:
    if one is None or other is None:
        return None
    return one if one == other and not hasattr(one, "low") else joined(one, other)


def same(one: State, other: State) -> bool:
    """Whether another pass through a loop would teach nothing new."""
    if one.rolled != other.rolled or one.names.keys() != other.names.keys():
        return False
    pairs = [(one.names[name], other.names[name]) for name in one.names]
    return all(first.type == second.type and first.sure == second.sure for first, second in pairs)
