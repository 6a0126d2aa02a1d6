"""Dice that stay on the table, for a later reroll or a choice: their odds, and what is read on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

from .chance import Distribution, distribute
from .faults import LIMITS, Budget, Limits
from .hands import Hands, Ids, Weighted
from .model import Operation, Pool, Reroll, Thrown, check_size
from .question import Question
from .readings import read_one
from .throw import Table

Classes: TypeAlias = Sequence[Callable[[Thrown], Hashable]]


def kept_distribution(
    pool: Pool, classes: Classes, count_throws: bool = False, limits: Limits = LIMITS
) -> Distribution[Table]:
    """The tables that a throw of the pool can leave. Dice that no callable of `classes` can tell apart are one: name
    here all that later readings, rerolls and choices ask of a die. If a later reroll is limited in number, `value`
    belongs to it."""
    check_size(pool, limits)
    hands = _hands(pool, pool.operations, classes, count_throws, limits)
    return _tables(hands, *hands.thrown(), count_throws)


class Rerolls:
    """One way of throwing dice of a pool again, from any table that its throw can leave, in the same classes."""

    def __init__(
        self, pool: Pool, operation: Reroll, classes: Classes, count_throws: bool = False, limits: Limits = LIMITS
    ) -> None:
        self._hands = _hands(pool, (operation,), classes, count_throws, limits)
        self._count_throws = count_throws

    def of(self, table: Table) -> Distribution[Table]:
        """The tables that it can leave."""
        hands = self._hands
        start = tuple(tuple(sorted([hands.id(thrown, 0) for thrown in dice])) for dice in table.dice)
        return _tables(hands, *hands.after({(table.thrown or 0, start): 1}, 1), self._count_throws)


def reroll_distribution(
    pool: Pool, table: Table, operation: Reroll, classes: Classes, limits: Limits = LIMITS
) -> Distribution[Table]:
    """The tables that throwing dice of a table again can leave, in the same classes."""
    return Rerolls(pool, operation, classes, table.thrown is not None, limits).of(table)


def read(pool: Pool, table: Table, names: Sequence[str]) -> tuple[int, ...]:
    """Readings of the dice on a table."""
    dice = [thrown for group in table.dice for thrown in group]
    return tuple(read_one(pool, pool.reading(name), dice, table.thrown) for name in names)


def _hands(
    pool: Pool, operations: tuple[Operation, ...], classes: Classes, count_throws: bool, limits: Limits
) -> Hands:
    tail = limits.tail / max(1, pool.dice)
    question = Question(pool.groups, operations, (), (), tail, Budget(limits))
    return Hands(question, lambda thrown: tuple([tell(thrown) for tell in classes]), count_throws)


def _tables(hands: Hands, weights: Weighted, total: int, count_throws: bool) -> Distribution[Table]:
    tables: dict[Table, int] = {}
    laid: dict[Ids, tuple[Thrown, ...]] = {}
    for (throws, groups), weight in weights.items():
        for ids in groups:
            if ids not in laid:
                laid[ids] = tuple([hands.states[number] for number in hands.ordered(ids)])
        table = Table(tuple([laid[ids] for ids in groups]), throws if count_throws else None)
        tables[table] = weight
    return distribute(tables, total)
