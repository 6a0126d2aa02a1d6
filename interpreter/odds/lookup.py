"""Trees as tables: the value for the registers that a tree reads, worked out when first asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from interpreter.expressions import Register, evaluate, reads
from interpreter.odds.trees import moved
from interpreter.program import Tree

Key = tuple[Any, ...]
Read = Callable[[Key], Any]
MOST_REMEMBERED = 200_000


class Later:
    """Stands for a register that was not read yet, where work is shared by situations that differ in it.

    If it was read through some looks, `value` is one that these cannot tell from its own.
    """

    __slots__ = ("slot", "value")

    def __init__(self, slot: int, value: Any) -> None:
        self.slot = slot
        self.value = value


def told(value: Any) -> Any:
    """The value itself, or the one that stands for it."""
    return value.value if value.__class__ is Later else value


class Memo(dict[Any, Any]):
    """A tree's values by those of its registers, one alone or several together.

    A register holds values of one sort, so that `1` and `true` never meet here.
    """

    def __init__(self, tree: Tree, slots: Sequence[int]) -> None:
        super().__init__()
        self.tree = moved(tree, {slot: place for place, slot in enumerate(slots)})
        self.plain = isinstance(tree, Register)
        self.single = len(slots) == 1

    def __missing__(self, key: Any) -> Any:
        if self.plain:
            return key
        value = evaluate(self.tree, (told(key),) if self.single else tuple(map(told, key)))
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        self[key] = value
        return value


def lookup(tree: Tree, layout: Sequence[int]) -> tuple[Read, Memo]:
    """What to read of a situation whose values stand for the registers of `layout`, and where to look that up."""
    if isinstance(tree, ast.Constant):
        memo = Memo(tree, ())
        memo[()] = tree.value
        return _nothing, memo
    slots = reads(tree)
    places = [layout.index(slot) for slot in slots]
    return itemgetter(*places) if places else _nothing, Memo(tree, slots)


def _nothing(key: Key) -> Key:
    return ()


def compiled(tree: Tree, layout: Sequence[int]) -> Callable[[Key], Any]:
    """A tree as a function of the situation."""
    read, memo = lookup(tree, layout)
    return lambda key: memo[read(key)]
