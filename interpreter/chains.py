"""Long chains of derived values: put in order beforehand, and computed link by link."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interpreter.expressions import Chain, Register, Select, depth
from interpreter.layout import Layout
from interpreter.model import Value

# A tree deeper than this becomes a link of a chain.
DEEP = 24


def in_order(derived: Mapping[str, Value], wanted: str, syntax: Callable[[Value], ast.expr | None]) -> list[str]:
    """`wanted` and the derived values of the same sheet that it is computed from, each after those that it reads."""
    order: list[str] = []
    waiting = [(wanted, False)]
    seen: set[str] = set()
    while waiting:
        name, done = waiting.pop()
        if done:
            order.append(name)
        elif name not in seen:
            seen.add(name)
            waiting.append((name, True))
            waiting += [(read, False) for read in _reads(syntax(derived[name]), derived)]
    return order


def _reads(node: ast.expr | None, derived: Mapping[str, Value]) -> Iterator[str]:
    for inner in ast.walk(node) if node is not None else ():
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in derived:
                yield name


def linked(tree: ast.expr, layout: Layout, name: str) -> ast.expr:
    """A deep tree as a chain: its own value is one more link after those that it reads."""
    if depth(tree) <= DEEP:
        return tree
    links: dict[int, ast.expr] = {}
    flat = _without_chains(tree, links)
    slot = layout.local(f"link.{name}")
    return Chain((*links.items(), (slot, flat)))


def _without_chains(node: ast.expr, links: dict[int, ast.expr]) -> ast.expr:
    """A copy of the tree with each chain replaced by the register of its last link; the links are gathered in order."""
    if isinstance(node, Chain):
        for slot, tree in node.links:
            links.setdefault(slot, tree)
        return Register(node.result)
    if isinstance(node, Register | ast.Constant):
        return node
    if isinstance(node, Select):
        cases = {key: _without_chains(case, links) for key, case in node.cases.items()}
        return Select(_without_chains(node.subject, links), cases)
    parts = {name: _part(part, links) for name, part in ast.iter_fields(node)}
    return type(node)(**parts)


def _part(part: Any, links: dict[int, ast.expr]) -> Any:
    if isinstance(part, list):
        return [_part(each, links) for each in part]
    is_function = isinstance(part, ast.Name)
    return _without_chains(part, links) if isinstance(part, ast.expr) and not is_function else part
