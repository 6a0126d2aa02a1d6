"""What a situation is worth by what follows from it: where odds spend their time, in floats and in fractions.

Nothing is done twice here: what is known of followers is added up at once, and only the others are kept for later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from interpreter.odds.graph import OPEN, Circle, Graph, Region
from interpreter.odds.limits import BETWEEN_LOOKS
from interpreter.odds.throws import Key

Table = dict[Key, Any]
Link = tuple[Any, Table, Key]
"""A weight, the table in which a follower will be known, and the follower."""
Answer = tuple[Any, Any, Sequence[Link]]
"""The weight that does not stay in the situation, what known followers add up to, and the links to the others."""
Unknown = tuple[Region, Key, "list[Answer] | None"]
"""A follower to be looked at first, with its answers if these are known already."""
Followed = tuple[list[Answer], list[Unknown]]
Judge = Callable[[Region, Key, Sequence[Answer]], Any]
"""The worth of a situation whose followers are all known."""
Follow = Callable[[Graph, Region, Key, list[Table], Judge], Followed]
Finish = Callable[[Answer], Any]


def follow_roughly(graph: Graph, region: Region, key: Key, tables: list[Table], judge: Judge) -> Followed:
    """In floats. The situation is open already; raises Circle on meeting another one that is.

    Regions are taken not to hop until one of their segments does; who walks begins anew when a circle comes of that. A
    choice that belongs to one situation alone is worked out on the spot.
    """
    budget = graph.budget
    budget.nodes = count = budget.nodes + 1
    if not count & BETWEEN_LOOKS:
        budget.check()
    answers: list[Answer] = []
    unknown: list[Unknown] = []
    for option in (region.direct.get(region.read(key)) or region.find(key)).options:
        links: list[Link] = []
        left, total = 1.0, option.gain
        for weight, target, take, written in option.exits:
            child = take(key + written)
            value = tables[target.number].get(child)
            if value is None:
                if target.hops:
                    target, child = graph.landed(target, child)  # noqa: PLW2901
                    value = tables[target.number].get(child)
                elif target.private:
                    inner, more = follow_roughly(graph, target, child, tables, judge)
                    if not more:
                        total += weight * judge(target, child, inner)
                        continue
                    unknown.append((target, child, inner))
                    unknown += more
                    links.append((weight, tables[target.number], child))
                    continue
            if value is None:
                unknown.append((target, child, None))
                links.append((weight, tables[target.number], child))
            elif value is not OPEN:
                total += weight * value
            elif target is region and child == key:
                left -= weight
            else:
                raise Circle
        answers.append((left, total, links))
    return answers, unknown


def finish_roughly(answer: Answer) -> Any:
    """The worth of an answer, once all that follows is known."""
    left, total, links = answer
    for weight, known, child in links:
        total += weight * known[child]
    return total / left


def follow_exactly(graph: Graph, region: Region, key: Key, tables: list[Table], judge: Judge) -> Followed:
    """In fractions; nothing is added up before all is known, so that it is brought to lowest terms once."""
    graph.budget.node()
    answers: list[Answer] = []
    unknown: list[Unknown] = []
    for option in (region.direct.get(region.read(key)) or region.find(key)).options:
        links: list[Link] = []
        left = option.total
        for weight, target, take, written in option.exits:
            child = take(key + written)
            value = tables[target.number].get(child)
            if value is None and target.hops:
                target, child = graph.landed(target, child)  # noqa: PLW2901
                value = tables[target.number].get(child)
            if value is OPEN:
                if target is not region or child != key:
                    raise Circle
                left -= weight
                continue
            if value is None and target.private:
                inner, more = follow_exactly(graph, target, child, tables, judge)
                if more:
                    unknown.append((target, child, inner))
                    unknown += more
                else:
                    tables[target.number][child] = judge(target, child, inner)
            elif value is None:
                unknown.append((target, child, None))
            links.append((weight, tables[target.number], child))
        answers.append((left, option.gain, links))
    return answers, unknown


def finish_exactly(answer: Answer) -> Any:
    """Whole numbers over one denominator, brought down once."""
    left, above, links = answer
    below = 1
    for weight, known, child in links:
        found = known[child]
        numerator, denominator = found.numerator, found.denominator
        if denominator == below:
            above += weight * numerator
        else:
            above = above * denominator + weight * numerator * below
            below *= denominator
    return Fraction(above, below * left)
