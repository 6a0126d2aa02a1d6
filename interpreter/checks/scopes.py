"""The names that an expression can use at one place, and what is known there of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from interpreter.expressions import Flag, Number, Scope, Text, Thing, Type
from interpreter.model import Path

NUMBER, WHOLE, FLAG, TEXT = Number(False), Number(True), Flag(), Text()
NOTHING: Mapping[str, Path] = {}


class Lazy(Mapping[str, Type]):
    """Parts whose types are worked out when they are asked for, since kinds refer to one another."""

    def __init__(self, names: Iterable[str], find: Callable[[str], Type | None]) -> None:
        self._names = tuple(dict.fromkeys(names))
        self._find = find

    def __getitem__(self, name: str) -> Type:
        found = self._find(name) if name in self._names else None
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, slots=True)
class Place:
    """A scope with what is wrong about some of its names: `unset` have a value on some ways only, the fault of `broken`
    ones is already told."""

    types: Mapping[str, Type]
    around: Scope | None = None
    unset: Mapping[str, Path] = field(default_factory=dict)
    broken: Collection[str] = ()

    def lookup(self, name: str) -> Type | None:
        found = self.types.get(name)
        if found is not None or name in self.unset or name in self.broken:
            return found
        return self.around.lookup(name) if self.around else None

    def names(self) -> Iterable[str]:
        return [*self.types, *(self.around.names() if self.around else ())]

    def within(self, types: Mapping[str, Type]) -> Place:
        """The same place with a few more names, which go before the others."""
        return Place(
            {**self.types, **types},
            self.around,
            {name: path for name, path in self.unset.items() if name not in types},
            frozenset(name for name in self.broken if name not in types),
        )


def space(name: str, members: Mapping[str, Type], nature: str = "namespace") -> Thing:
    """Names under a name; it is no value by itself."""
    return Thing(name, members, nature)


SPACES = frozenset(("namespace", "roll", "period", "side", "result"))


def is_space(type_: Type) -> bool:
    return isinstance(type_, Thing) and type_.nature in SPACES
