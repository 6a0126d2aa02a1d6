"""Dice that are to be ranked, as a mixture of independent ones: explosions into new dice make their number random."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from .chains import endless_fault, faces_of, grow
from .chance import power, scaled
from .faults import Budget, DiceError
from .model import Explode, Group, Operation, Replace, Reroll, Thrown, applies
from .question import Question

Spread: TypeAlias = tuple[tuple[Thrown, Fraction], ...]
Members: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """Independent dice alike: each state with its weight."""

    states: tuple[tuple[Thrown, int], ...]
    total: int


@dataclass(frozen=True, slots=True)
class Mixture:
    """How many dice of each kind there are, with weights that count the dice's own too: over `total` once these are drawn."""

    kinds: tuple[Kind, ...]
    entries: dict[Members, int]
    total: int


@dataclass(frozen=True, slots=True)
class Folding:
    """What later matters of a die, if chains without end may be folded by it, and the states that stand for folded ones."""

    signature: Callable[[Thrown], Hashable] | None
    folded: set[Thrown]


class Mixing:
    """Unfolds what one die of each group becomes: for each way, the kinds of the independent dice there are then."""

    def __init__(self, question: Question, operations: Sequence[Operation], folding: Folding) -> None:
        self.operations = operations
        self.folding = folding
        self.tail = question.tail
        self.budget = question.budget
        self.spreads: list[Spread] = []
        self._numbers: dict[Spread, int] = {}

    def number(self, spread: dict[Thrown, Fraction]) -> int:
        """The number of the kind with these chances, brought to 1."""
        whole = sum(spread.values())
        key = tuple((thrown, chance / whole) for thrown, chance in spread.items() if chance)
        if key not in self._numbers:
            self._numbers[key] = len(self.spreads)
            self.spreads.append(key)
        return self._numbers[key]

    def ways(self, group: Group) -> dict[Members, Fraction]:
        """The kinds of dice that one die of the group becomes, sorted, and the chances."""
        ways: dict[Members, Fraction] = {(self.number(dict(faces_of(group.name, group.die))),): Fraction(1)}
        for operation in self.operations:
            if applies(operation, group.name):
                ways = self._step(operation, ways)
        return ways

    def _step(self, operation: Operation, ways: dict[Members, Fraction]) -> dict[Members, Fraction]:
        after: dict[Members, Fraction] = {}
        for members, chance in ways.items():
            partial: dict[Members, Fraction] = {(): chance}
            for member in members:
                partial = _product(partial, _BECOMES[_role(operation)](self, operation, dict(self.spreads[member])))
                self.budget.check("states", len(partial))
            for result, share in partial.items():
                after[result] = after.get(result, Fraction(0)) + share
        self.budget.check("states", len(after))
        return after

    def _one(self, spread: dict[Thrown, Fraction]) -> dict[Members, Fraction]:
        return {(self.number(spread),): Fraction(sum(spread.values()))}

    def _exploded(self, operation: Explode, spread: dict[Thrown, Fraction]) -> dict[Members, Fraction]:
        """Into new dice: the dice of a chain that explode, and the one that does not, are of one kind each."""
        staying, going = _split(operation.when, spread)
        if not going or operation.at_most == 0:
            return self._one(spread)
        thrown = next(iter(going))
        anew = dict(faces_of(thrown.group, thrown.die))
        last, more = _split(operation.when, anew)
        if operation.at_most is None and not last:
            raise DiceError(endless_fault(thrown))
        ways: dict[Members, Fraction] = {(self.number(staying),): sum(staying.values(), Fraction(0))} if staying else {}
        chain: Members = (self.number(going),)
        chance, goes_on = sum(going.values(), Fraction(0)), sum(more.values(), Fraction(0))
        while chance >= self.tail if operation.at_most is None else len(chain) < operation.at_most:
            if last:
                ways[tuple(sorted((*chain, self.number(last))))] = chance * (1 - goes_on)
            if not more:
                return ways
            chance *= goes_on
            chain = (*chain, self.number(more))
            self.budget.check("throws", len(chain))
        if operation.at_most is not None and chance:
            ways[tuple(sorted((*chain, self.number(anew))))] = chance
        return ways

    def _grown(self, operation: Explode, spread: dict[Thrown, Fraction]) -> dict[Members, Fraction]:
        result: dict[Thrown, Fraction] = {}
        for thrown, chance in spread.items():
            if operation.at_most == 0 or not operation.when(thrown):
                result[thrown] = result.get(thrown, Fraction(0)) + chance
                continue
            for end in grow(operation, thrown, self.folding.signature, self.tail, self.budget):
                result[end.thrown] = result.get(end.thrown, Fraction(0)) + chance * end.chance
                if end.folded:
                    self.folding.folded.add(end.thrown)
        return self._one(result)

    def _rerolled(self, operation: Reroll, spread: dict[Thrown, Fraction]) -> dict[Members, Fraction]:
        staying, going = _split(operation.where, spread)
        if not going or operation.how_often == 0:
            return self._one(spread)
        thrown = next(iter(going))
        good, bad = _split(operation.where, dict(faces_of(thrown.group, thrown.die)))
        share, wrong = sum(going.values(), Fraction(0)), sum(bad.values(), Fraction(0))
        if operation.how_often is None and not good:
            raise DiceError(endless_fault(thrown))
        last_wrong = Fraction(0) if operation.how_often is None else wrong ** (operation.how_often - 1)
        times = (1 - wrong * last_wrong) / (1 - wrong) if good else Fraction(operation.how_often or 0)
        for state, chance in good.items():
            staying[state] = staying.get(state, Fraction(0)) + share * times * chance
        for state, chance in bad.items():
            staying[state] = staying.get(state, Fraction(0)) + share * last_wrong * chance
        return self._one({state: chance for state, chance in staying.items() if chance})

    def _replaced(self, operation: Replace, spread: dict[Thrown, Fraction]) -> dict[Members, Fraction]:
        result: dict[Thrown, Fraction] = {}
        for thrown, chance in spread.items():
            turned = operation.turned(thrown) if operation.where(thrown) else thrown
            result[turned] = result.get(turned, Fraction(0)) + chance
        return self._one(result)


_BECOMES: dict[str, Callable[[Mixing, Any, dict[Thrown, Fraction]], dict[Members, Fraction]]] = {
    "new_die": Mixing._exploded,
    "same_die": Mixing._grown,
    "Reroll": Mixing._rerolled,
    "Replace": Mixing._replaced,
}


def _role(operation: Operation) -> str:
    return operation.into if isinstance(operation, Explode) else type(operation).__name__


def _split(
    test: Callable[[Thrown], bool], spread: dict[Thrown, Fraction]
) -> tuple[dict[Thrown, Fraction], dict[Thrown, Fraction]]:
    fails: dict[Thrown, Fraction] = {}
    passes: dict[Thrown, Fraction] = {}
    for thrown, chance in spread.items():
        (passes if test(thrown) else fails)[thrown] = chance
    return fails, passes


def _product(one: dict[Members, Fraction], other: dict[Members, Fraction]) -> dict[Members, Fraction]:
    result: dict[Members, Fraction] = {}
    for members, chance in one.items():
        for more, times in other.items():
            key = tuple(sorted((*members, *more)))
            result[key] = result.get(key, Fraction(0)) + chance * times
    return result


def mix(question: Question, operations: Sequence[Operation], folding: Folding) -> Mixture:
    """All dice of a question after operations that look at each die alone."""
    budget = question.budget
    mixing = Mixing(question, operations, folding)
    ways = [mixing.ways(group) for group in question.groups]
    kinds = []
    for spread in mixing.spreads:
        states, total = scaled(dict(spread))
        kinds.append(Kind(tuple(states.items()), total))
    counts: dict[Members, int] = {(0,) * len(kinds): 1}
    total = 1
    for group, group_ways in zip(question.groups, ways, strict=True):
        weights, scale = scaled(group_ways)
        counts = _joined(counts, _power(weights, group.count, len(kinds), budget), budget)
        total *= scale**group.count
    used = [place for place in range(len(kinds)) if any(entry[place] for entry in counts)]
    kinds = [kinds[place] for place in used]
    counts = {tuple([entry[place] for place in used]): weight for entry, weight in counts.items()}
    most = [max(entry[place] for entry in counts) for place in range(len(kinds))]
    entries = {
        entry: weight
        * math.prod(kind.total ** (high - here) for kind, high, here in zip(kinds, most, entry, strict=True))
        for entry, weight in counts.items()
    }
    return Mixture(
        tuple(kinds), entries, total * math.prod(kind.total**high for kind, high in zip(kinds, most, strict=True))
    )


def _power(weights: dict[Members, int], count: int, kinds: int, budget: Budget) -> dict[Members, int]:
    """How many dice of each kind `count` dice become."""
    size = 1 + count * max(members.count(member) for members in weights for member in members)
    packed: dict[int, int] = {}
    for members, weight in weights.items():
        key = sum(size**member for member in members)
        packed[key] = packed.get(key, 0) + weight
    result: dict[Members, int] = {}
    for key, weight in power(packed, count, None, budget).items():
        numbers = []
        for _ in range(kinds):
            key, number = divmod(key, size)
            numbers.append(number)
        result[tuple(numbers)] = weight
    return result


def _joined(one: dict[Members, int], other: dict[Members, int], budget: Budget) -> dict[Members, int]:
    budget.check("states", len(one) * len(other))
    result: dict[Members, int] = {}
    for counts, weight in one.items():
        for more, times in other.items():
            key = tuple([a + b for a, b in zip(counts, more, strict=True)])
            result[key] = result.get(key, 0) + weight * times
    return result
