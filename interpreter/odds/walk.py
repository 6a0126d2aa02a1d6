"""Walks a graph depth first, so that every situation comes after all that can follow from it; and parts it where it
runs in circles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from interpreter.odds.graph import OPEN, Circle, Edge, Region
from interpreter.odds.throws import Key

Options = list[tuple[Any, list[Edge]]]
Expand = Callable[[Region, Key], Options]
Node = tuple[Region, Key]


def walk(
    expand: Expand, start: Node, tables: list[dict[Key, Any]]
) -> Iterator[tuple[dict[Key, Any], Region, Key, Options]]:
    """Every situation not known in `tables` yet, but the ends behind it, with its table; whoever walks enters what is
    found before going on.

    Raises Circle, with nothing left open, when the graph runs in a circle of more than one situation.
    """
    stack: list[tuple[Region, Key, Options | None]] = [(*start, None)]
    while stack:
        region, key, options = stack.pop()
        known = tables[region.number]
        if options is None:
            if key in known:
                continue
            options = [] if region.end else expand(region, key)
            missing: list[tuple[Region, Key, Options | None]] = []
            for _, edges in options:
                for _, target, child in edges:
                    if target.end:
                        continue
                    found = tables[target.number].get(child)
                    if found is None:
                        missing.append((target, child, None))
                    elif found is OPEN:
                        _close(stack, tables)
                        raise Circle
            if missing:
                known[key] = OPEN
                stack.append((region, key, options))
                stack += missing
                continue
        yield known, region, key, options


def _close(stack: list[tuple[Region, Key, Options | None]], tables: list[dict[Key, Any]]) -> None:
    for region, key, options in stack:
        if options is not None:
            del tables[region.number][key]


def components(
    expand: Expand, start: Node, known: Callable[[Node], bool]
) -> Iterator[list[tuple[Region, Key, Options]]]:
    """The situations not known yet, in groups that lead to one another, each group after those that it leads to."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    opened: dict[Node, Options] = {}
    path: list[Node] = []
    stack: list[tuple[Node, Iterator[Node]]] = []

    def enter(node: Node) -> None:
        index[node] = low[node] = len(index)
        opened[node] = [] if node[0].end else expand(*node)
        path.append(node)
        stack.append((node, iter([(target, child) for _, edges in opened[node] for _, target, child in edges])))

    if known(start):
        return
    enter(start)
    while stack:
        node, followers = stack[-1]
        for child in followers:
            if child not in index:
                if not known(child):
                    enter(child)
                    break
            elif child in opened:
                low[node] = min(low[node], index[child])
        else:
            stack.pop()
            if stack:
                above = stack[-1][0]
                low[above] = min(low[above], low[node])
            if low[node] == index[node]:
                yield [(*member, opened.pop(member)) for member in _cut(path, node)]


def _cut(path: list[Node], node: Node) -> list[Node]:
    """Takes off the end of the path from a node on, in the order of the path."""
    place = len(path) - 1
    while path[place] != node:
        place -= 1
    members = path[place:]
    del path[place:]
    return members
