"""Orders and cycles of things that depend on one another, without recursion, so that long chains are fine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
Edges = Callable[[Node], Iterable[Node]]


def in_order(nodes: Iterable[Node], edges: Edges[Node]) -> list[Node]:
    """Every node after those that it depends on, wherever there is no cycle."""
    done: dict[Node, None] = {}
    entered: set[Node] = set()
    for start in nodes:
        waiting: list[tuple[Node, Iterator[Node]]] = []
        _enter(start, edges, entered, waiting)
        while waiting:
            node, rest = waiting[-1]
            following = next(rest, None)
            if following is None:
                done[node] = None
                waiting.pop()
            else:
                _enter(following, edges, entered, waiting)
    return list(done)


def _enter(node: Node, edges: Edges[Node], entered: set[Node], waiting: list[tuple[Node, Iterator[Node]]]) -> None:
    if node not in entered:
        entered.add(node)
        waiting.append((node, iter(edges(node))))


def cycles(nodes: Iterable[Node], edges: Edges[Node]) -> list[tuple[Node, ...]]:
    """One cycle through each group of nodes that depend on one another: the shortest through its first node."""
    every = list(dict.fromkeys(nodes))
    order = in_order(every, edges)
    rank = {node: place for place, node in enumerate(dict.fromkeys([*every, *order]))}
    found = []
    for group in _groups(order, edges):
        cycle = _back_to(min(group, key=rank.__getitem__), group, edges)
        if cycle:
            found.append(cycle)
    return sorted(found, key=lambda cycle: rank[cycle[0]])


def _groups(order: list[Node], edges: Edges[Node]) -> list[set[Node]]:
    """The strongly connected groups, found by following the edges forwards (`order`) and then backwards."""
    backwards: dict[Node, list[Node]] = {node: [] for node in order}
    for node in order:
        for other in edges(node):
            backwards[other].append(node)
    groups: list[set[Node]] = []
    seen: set[Node] = set()
    for start in reversed(order):
        if start in seen:
            continue
        group, waiting = set[Node](), [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                group.add(node)
                waiting += backwards[node]
        groups.append(group)
    return groups


def _back_to(start: Node, group: set[Node], edges: Edges[Node]) -> tuple[Node, ...]:
    """The shortest way from a node back to itself within its group; empty when there is none."""
    came_from: dict[Node, Node | None] = {}
    layer: list[Node] = [start]
    while layer:
        following: list[Node] = []
        for node in layer:
            for other in edges(node):
                if other == start:
                    return _way(node, start, came_from)
                if other in group and other not in came_from:
                    came_from[other] = node
                    following.append(other)
        layer = following
    return ()


def _way(node: Node, start: Node, came_from: dict[Node, Node | None]) -> tuple[Node, ...]:
    way = [start]
    back: Node | None = node
    while back is not None and back != start:
        way.insert(1, back)
        back = came_from.get(back)
    return (*way, start)
