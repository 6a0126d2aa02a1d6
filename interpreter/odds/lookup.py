"""Trees as tables: the value for the registers that a tree reads, worked out when first asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from interpreter.expressions import Register, evaluate, reads
from interpreter.odds.trees import is_condition, moved
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


class Joint(dict[Any, Any]):
    """What `and` or `or` makes of conditions, by the values of all their registers together; each condition is looked
    up by its own, which have far fewer.
    """

    def __init__(self, tree: ast.BoolOp, slots: Sequence[int]) -> None:
        super().__init__()
        self.decisive = isinstance(tree.op, ast.Or)
        self.parts = [lookup(part, slots) for part in tree.values]

    def __missing__(self, key: Any) -> Any:
        value = not self.decisive
        for read, memo in self.parts:
            if memo[read(key)] is self.decisive:
                value = self.decisive
                break
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        self[key] = value
        return value


def lookup(tree: Tree, layout: Sequence[int]) -> tuple[Read, dict[Any, Any]]:
    """What to read of a situation whose values stand for the registers of `layout`, and where to look that up."""
    if isinstance(tree, ast.Constant):
        return _nothing, {(): tree.value}
    slots = reads(tree)
    places = [layout.index(slot) for slot in slots]
    joint = len(slots) > 1 and isinstance(tree, ast.BoolOp) and _all_conditions(tree)
    memo = Joint(tree, slots) if joint and isinstance(tree, ast.BoolOp) else Memo(tree, slots)
    return itemgetter(*places) if places else _nothing, memo


def _all_conditions(tree: ast.BoolOp) -> bool:
    """Whether each part surely is a yes or no; a register is, as it stands where one is wanted."""
    return all(isinstance(part, Register) or is_condition(part) for part in tree.values)


def _nothing(key: Key) -> Key:
    return ()


def compiled(tree: Tree, layout: Sequence[int]) -> Callable[[Key], Any]:
    """A tree as a function of the situation."""
    if isinstance(tree, Register):
        return itemgetter(layout.index(tree.slot))
    read, memo = lookup(tree, layout)
    return lambda key: memo[read(key)]
