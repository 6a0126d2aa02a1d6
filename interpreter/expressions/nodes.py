"""The nodes that stand in a resolved tree for what names meant, and how to walk such a tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

Node = TypeVar("Node", bound=ast.expr)


class Register(ast.expr):
    """The value that the register `slot` holds."""

    _fields = ("slot",)
    slot: int

    def __init__(self, slot: int) -> None:
        super().__init__()
        self.slot = slot


class Select(ast.expr):
    """The case for the subject's value; only that case is computed, and a value without a case is an error."""

    _fields = ("subject",)
    subject: ast.expr
    cases: Mapping[object, ast.expr]

    def __init__(self, subject: ast.expr, cases: Mapping[object, ast.expr]) -> None:
        super().__init__()
        self.subject = subject
        self.cases = cases


class Chain(ast.expr):
    """A value computed in steps, each into a register of its own, so that a long chain of values needs no deep tree.

    `links` are (slot, tree); a link may read the slots of those before it, and `result` is the slot of the last.
    """

    _fields = ()
    links: tuple[tuple[int, ast.expr], ...]

    def __init__(self, links: tuple[tuple[int, ast.expr], ...]) -> None:
        super().__init__()
        self.links = links

    @property
    def result(self) -> int:
        return self.links[-1][0]


def at(node: Node, place: ast.AST | None) -> Node:
    """`node`, standing where `place` stood in the expression's text."""
    start, end = position(place)
    node.lineno = node.end_lineno = 1
    node.col_offset, node.end_col_offset = start, end
    return node


def position(node: ast.AST | None) -> tuple[int, int]:
    """The characters of the expression's text that a node came from."""
    start = getattr(node, "col_offset", 0)
    return start, getattr(node, "end_col_offset", None) or start


def constant(value: object, place: ast.AST | None = None) -> ast.Constant:
    return at(ast.Constant(cast(Any, value)), place)


def register(slot: int, place: ast.AST | None = None) -> Register:
    return at(Register(slot), place)


def select(subject: ast.expr, cases: Mapping[object, ast.expr], place: ast.AST | None = None) -> Select:
    return at(Select(subject, cases), place or subject)


def rank(subject: ast.expr, ids: Sequence[str]) -> Select:
    """The place of an ordered id among its set, so that < and > compare numbers."""
    return select(subject, {id_: constant(place, subject) for place, id_ in enumerate(ids)})


def call(name: str, arguments: Sequence[ast.expr], place: ast.AST | None = None) -> ast.Call:
    return at(ast.Call(at(ast.Name(name, ast.Load()), place), list(arguments), []), place)


def children(node: ast.expr) -> Sequence[ast.expr]:
    """The expressions right below a node; a function's name is none."""
    below = _BELOW.get(type(node))
    if below is not None:
        return below(node)
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


# Trees are walked very often: the commonest nodes are spelled out.
_BELOW: Mapping[type, Callable[[Any], Sequence[ast.expr]]] = {
    ast.Constant: lambda node: (),
    Register: lambda node: (),
    Select: lambda node: (node.subject, *node.cases.values()),
    Chain: lambda node: [tree for _, tree in node.links],
    ast.Call: lambda node: node.args,
    ast.BinOp: lambda node: (node.left, node.right),
    ast.BoolOp: lambda node: node.values,
    ast.Compare: lambda node: (node.left, *node.comparators),
    ast.UnaryOp: lambda node: (node.operand,),
    ast.IfExp: lambda node: (node.test, node.body, node.orelse),
}


def reads(tree: ast.expr) -> tuple[int, ...]:
    """The slots of the registers that a tree can read, in order, but those it fills itself; the tree keeps them."""
    known: tuple[int, ...] | None = tree.__dict__.get("slots_read")
    if known is not None:
        return known
    found: set[int] = set()
    own: set[int] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Register):
            found.add(node.slot)
        elif isinstance(node, Chain):
            own.update(slot for slot, _ in node.links)
        waiting.extend(children(node))
    known = tuple(sorted(found - own))
    tree.slots_read = known  # type: ignore[attr-defined]
    return known


def depth(tree: ast.expr) -> int:
    """How many nodes stand below one another at most."""
    deepest, level = 0, [tree]
    while level:
        deepest += 1
        level = [child for node in level for child in children(node)]
    return deepest
