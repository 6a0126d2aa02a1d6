"""Solves x = A x + b by elimination, sparse, for floats and for fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Row = dict[int, Any]


class Singular(Exception):
    """The equations hold a part that nothing leaves."""


def solve(rows: Sequence[Row], constants: Sequence[Any], spend: Callable[[int], None]) -> list[Any]:
    """The unknowns; `rows[i][j]` is how much of x[j] is in x[i]. `spend` is told the steps made so far."""
    left = [dict(row) for row in rows]
    known = list(constants)
    users: list[set[int]] = [set() for _ in left]
    for place, row in enumerate(left):
        for other in row:
            users[other].add(place)
    order, steps = _order(left, users), 0
    done: list[int] = []
    for place in order:
        row = left[place]
        stay = row.pop(place, 0)
        users[place].discard(place)
        if stay == 1:
            raise Singular
        if stay:
            for other in row:
                row[other] = row[other] / (1 - stay)
            known[place] = known[place] / (1 - stay)
        for user in users[place]:
            share = left[user].pop(place)
            target = left[user]
            steps += len(row) + 1
            for other, amount in row.items():
                target[other] = target.get(other, 0) + share * amount
                users[other].add(user)
            known[user] = known[user] + share * known[place]
        for other in row:
            users[other].discard(place)
        users[place] = set()
        spend(steps)
        done.append(place)
    for place in reversed(done):
        for other, amount in left[place].items():
            known[place] = known[place] + amount * known[other]
    return known


def _order(rows: Sequence[Row], users: Sequence[set[int]]) -> list[int]:
    """Unknowns that few others are tied to come first."""
    return sorted(range(len(rows)), key=lambda place: (len(rows[place]) * len(users[place]), place))
