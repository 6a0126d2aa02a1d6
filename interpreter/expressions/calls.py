"""Type the call of a function: its name, how many arguments it has, and what its own typing asks of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ..problems import nearest
from .agreement import hint_towards
from .faults import quoted
from .functions import FUNCTIONS, Function, Listing, listing_of
from .types import Many, Number, Type, describe


class Reader(Protocol):
    """What typing a call asks of the checker that met it."""

    def source(self, node: ast.expr) -> str: ...
    def fault(self, node: ast.expr, code: str, message: str, hint: str = "") -> None: ...
    def type_of(self, node: ast.expr) -> Type | None: ...
    def value_of(self, node: ast.expr) -> Type | None: ...
    def flag(self, node: ast.expr) -> None: ...
    def within(self, names: Mapping[str, Type]) -> AbstractContextManager[None]: ...


class Arguments:
    """The arguments of one call; see functions.Site."""

    def __init__(self, reader: Reader, node: ast.Call, function: Function) -> None:
        self.reader = reader
        self.function = function
        self.arguments: Sequence[ast.expr] = node.args

    def raw(self, place: int) -> Type | None:
        return self.reader.type_of(self.arguments[place])

    def number(self, place: int) -> Number | None:
        type_ = self.reader.value_of(self.arguments[place])
        if type_ is None or isinstance(type_, Number):
            return type_
        hint = hint_towards(type_, Number())
        if isinstance(type_, Many) and self.function.name in _OF_LISTS:
            hint = f"For a list, write {_OF_LISTS[self.function.name]}."
        self.fault(place, f"`{self.function.name}` works on numbers, and this is {describe(type_)}.", hint)
        return None

    def listing(self, place: int) -> Listing | None:
        type_ = self.reader.value_of(self.arguments[place])
        listing = listing_of(type_) if type_ is not None else None
        if type_ is not None and not listing:
            hint = "For single numbers, write +, min or max." if isinstance(type_, Number) else ""
            self.fault(place, f"`{self.function.name}` works on a list, and this is {describe(type_)}.", hint)
        return listing

    def flag(self, place: int, listing: Listing) -> None:
        names: dict[str, Type] = {"item": listing.item}
        if listing.key is not None:
            names["key"] = listing.key
        with self.reader.within(names):
            self.reader.flag(self.arguments[place])

    def fault(self, place: int, message: str, hint: str = "") -> None:
        self.reader.fault(self.arguments[place], "E0328", message, hint)


_MEANT = {
    "len": "count",
    "length": "count",
    "size": "count",
    "int": "floor",
    "trunc": "floor",
    "round": "round_half_up",
}
_OF_LISTS = {"max": "highest(list, otherwise)", "min": "lowest(list, otherwise)"}


def type_call(reader: Reader, node: ast.Call) -> Type | None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    function = FUNCTIONS.get(name)
    if not function:
        near = nearest(name, FUNCTIONS)
        near = near or _MEANT.get(name)
        hint = f"Did you mean `{near}`?" if near else f"There are {', '.join(FUNCTIONS)}."
        reader.fault(node.func, "E0327", f"There is no function {quoted(name)}.", hint)
        return None
    least, most = function.arity
    if not least <= len(node.args) or (most is not None and len(node.args) > most):
        values = {0: "nothing", 1: "one value"}.get(len(node.args), f"{len(node.args)} values")
        reader.fault(node, "E0328", f"`{name}` is given {values}.", f"Write {function.signature}.")
        return None
    return function.typing(Arguments(reader, node, function))
