"""Dice to be ranked, as a mixture of independent ones: extra dice and limited rerolls make their numbers random."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from .chains import endless_fault, faces_of, grow
from .chance import power, scaled
from .faults import Budget, DiceError
from .model import Explode, Operation, Replace, Reroll, Thrown, applies, lying, rank
from .question import Question

Spread: TypeAlias = tuple[tuple[Thrown, Fraction], ...]
Members: TypeAlias = tuple[int, ...]
Ways: TypeAlias = dict[Members, Fraction]
"""The kinds of dice that one die becomes, and the chances."""
Counts: TypeAlias = tuple[tuple[int, int], ...]
"""How many dice of each kind, by the number of the kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Independent dice alike: each state with its weight."""

    states: tuple[tuple[Thrown, int], ...]
    total: int


@dataclass(frozen=True, slots=True)
class Mixture:
    """How many dice of each kind there are, with weights that count the dice's own too: over `total` once these are
    drawn."""

    kinds: tuple[Kind, ...]
    entries: dict[Members, int]
    total: int


@dataclass(slots=True)
class Folding:
    """How chains without end may be folded. `signature`: what later matters of a die that adds up, None if they may
    not; `folded`: the states that stand for folded ones. `enough`: so many exploding dice are as good as any more."""

    signature: Callable[[Thrown], Hashable] | None
    folded: set[Thrown]
    enough: int | None = None


class Mixing:
    """Unfolds what dice become: for each way, the kinds of the independent dice there are then."""

    def __init__(self, question: Question, folding: Folding) -> None:
        self.folding = folding
        self.tail = question.tail
        self.budget = question.budget
        self.spreads: list[Spread] = []
        self._signature: Callable[[Thrown], Hashable] | None = None
        self._positions = {group.name: place for place, group in enumerate(question.groups)}
        self._numbers: dict[Spread, int] = {}

    def number(self, spread: dict[Thrown, Fraction]) -> int:
        """The number of the kind with these chances, brought to 1."""
        whole = sum(spread.values())
        key = tuple((thrown, chance / whole) for thrown, chance in spread.items() if chance)
        if key not in self._numbers:
            self._numbers[key] = len(self.spreads)
            self.spreads.append(key)
        return self._numbers[key]

    def group_of(self, kind: int) -> str:
        return self.spreads[kind][0][0].group

    def do(self, operation: Operation, entries: dict[Counts, Fraction], last: bool) -> dict[Counts, Fraction]:
        """The dice after an operation; only after the last is known what matters of them."""
        self._signature = self.folding.signature if last else None
        if isinstance(operation, Reroll) and operation.how_many is not None:
            return self._limited(operation, entries)
        become = _BECOMES[_role(operation)]
        return self._each(entries, operation, lambda spread: become(self, operation, spread))

    def _each(
        self, entries: dict[Counts, Fraction], operation: Operation, become: Callable[[dict[Thrown, Fraction]], Ways]
    ) -> dict[Counts, Fraction]:
        """Every die becomes something by itself."""
        known: dict[tuple[int, int], dict[Counts, Fraction]] = {}
        result: dict[Counts, Fraction] = {}
        for entry, chance in entries.items():
            partial: dict[Counts, Fraction] = {(): chance}
            for kind, count in entry:
                if (kind, count) not in known:
                    touched = applies(operation, self.group_of(kind))
                    alone: Ways = {(kind,): Fraction(1)}
                    ways = become(dict(self.spreads[kind])) if touched else alone
                    known[kind, count] = _power(ways, count, self.budget)
                partial = _joined(partial, known[kind, count], self.budget)
            for counts, share in partial.items():
                result[counts] = result.get(counts, Fraction(0)) + share
        self.budget.check("states", len(result))
        return result

    def _limited(self, operation: Reroll, entries: dict[Counts, Fraction]) -> dict[Counts, Fraction]:
        """Each state that may be thrown again becomes a kind of its own; then the lowest of them are."""
        if operation.how_often == 0:
            return entries
        result: dict[Counts, Fraction] = {}
        for entry, chance in self._each(entries, operation, lambda spread: self._apart(operation, spread)).items():
            counts = Counter(dict(entry))
            fitting = [kind for kind in counts if self._fits(operation, kind)]
            left = operation.how_many or 0
            for kind in sorted(fitting, key=self._rank, reverse=True):
                taken = min(left, counts[kind])
                ((again,),) = self._rerolled(operation, dict(self.spreads[kind]))
                counts[kind] -= taken
                counts[again] += taken
                left -= taken
            key = tuple(sorted((+counts).items()))
            result[key] = result.get(key, Fraction(0)) + chance
        return result

    def _apart(self, operation: Reroll, spread: dict[Thrown, Fraction]) -> Ways:
        others, fitting = _split(operation.where, spread)
        ways: Ways = {(self.number({thrown: chance}),): chance for thrown, chance in fitting.items()}
        if others:
            ways[(self.number(others),)] = sum(others.values(), Fraction(0))
        return ways

    def _fits(self, operation: Reroll, kind: int) -> bool:
        """Whether the dice of a kind, set apart, may be thrown again."""
        return applies(operation, self.group_of(kind)) and operation.where(self.spreads[kind][0][0])

    def _rank(self, kind: int) -> tuple[Any, ...]:
        thrown = self.spreads[kind][0][0]
        return rank(thrown, self._positions[thrown.group])

    def _one(self, spread: dict[Thrown, Fraction]) -> Ways:
        return {(self.number(spread),): Fraction(sum(spread.values()))}

    def _exploded(self, operation: Explode, spread: dict[Thrown, Fraction]) -> Ways:
        """Into new dice: the dice of a chain that explode, and the one that does not, are of one kind each."""
        staying, going = _split(operation.when, spread)
        if not going or operation.at_most == 0:
            return self._one(spread)
        thrown = next(iter(going))
        anew = dict(faces_of(thrown.group, thrown.die))
        last, more = _split(operation.when, anew)
        if operation.at_most is None and not last:
            raise DiceError(endless_fault(thrown))
        ways: Ways = {(self.number(staying),): sum(staying.values(), Fraction(0))} if staying else {}
        chain: Members = (self.number(going),)
        chance, goes_on = sum(going.values(), Fraction(0)), sum(more.values(), Fraction(0))
        enough = self.folding.enough if operation.at_most is None else None
        while chance >= self.tail if operation.at_most is None else len(chain) < operation.at_most:
            if last:
                ended = chance if len(chain) == enough else chance * (1 - goes_on)
                ways[tuple(sorted((*chain, self.number(last))))] = ended
            if not more or len(chain) == enough:
                return ways
            chance *= goes_on
            chain = (*chain, self.number(more))
            self.budget.check("throws", len(chain))
        if operation.at_most is not None and chance:
            ways[tuple(sorted((*chain, self.number(anew))))] = chance
        return ways

    def _grown(self, operation: Explode, spread: dict[Thrown, Fraction]) -> Ways:
        result: dict[Thrown, Fraction] = {}
        for thrown, chance in spread.items():
            if operation.at_most == 0 or not operation.when(thrown):
                result[thrown] = result.get(thrown, Fraction(0)) + chance
                continue
            for end in grow(operation, thrown, self._signature, self.tail, self.budget):
                result[end.thrown] = result.get(end.thrown, Fraction(0)) + chance * end.chance
                if end.folded:
                    self.folding.folded.add(end.thrown)
        return self._one(result)

    def _rerolled(self, operation: Reroll, spread: dict[Thrown, Fraction]) -> Ways:
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

    def _replaced(self, operation: Replace, spread: dict[Thrown, Fraction]) -> Ways:
        result: dict[Thrown, Fraction] = {}
        for thrown, chance in spread.items():
            turned = operation.turned(thrown) if operation.where(thrown) else thrown
            result[turned] = result.get(turned, Fraction(0)) + chance
        return self._one(result)


_BECOMES: dict[str, Callable[[Mixing, Any, dict[Thrown, Fraction]], Ways]] = {
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


def mix(question: Question, operations: Sequence[Operation], folding: Folding) -> Mixture:
    """All dice of a question after operations that do not rank."""
    if not operations:
        return _as_thrown(question)
    mixing = Mixing(question, folding)
    start = [(mixing.number(dict(faces_of(group.name, group.die))), group.count) for group in question.groups]
    chances: dict[Counts, Fraction] = {tuple(start): Fraction(1)}
    for place, operation in enumerate(operations, 1):
        chances = mixing.do(operation, chances, place == len(operations))
    used = sorted({kind for entry in chances for kind, _ in entry})
    kinds = []
    for kind in used:
        states, total = scaled(dict(mixing.spreads[kind]))
        kinds.append(Kind(tuple(states.items()), total))
    shares = {}
    for entry, chance in chances.items():
        counts = dict(entry)
        each = tuple([counts.get(kind, 0) for kind in used])
        shares[each] = chance / math.prod(kind.total**count for kind, count in zip(kinds, each, strict=True))
    entries, total = scaled(shares)
    return Mixture(tuple(kinds), entries, total)


def _as_thrown(question: Question) -> Mixture:
    kinds, total = [], 1
    for group in question.groups:
        states: dict[Thrown, int] = {}
        for thrown, weight in lying(group.name, group.die):
            states[thrown] = states.get(thrown, 0) + weight
        kinds.append(Kind(tuple(states.items()), len(group.die.faces)))
        total *= len(group.die.faces) ** group.count
    return Mixture(tuple(kinds), {tuple([group.count for group in question.groups]): 1}, total)


def _power(ways: Ways, count: int, budget: Budget) -> dict[Counts, Fraction]:
    """How many dice of each kind `count` dice become."""
    if len(ways) == 1:
        ((members, chance),) = ways.items()
        kinds = Counter(members)
        return {tuple(sorted((kind, times * count) for kind, times in kinds.items())): chance**count}
    if all(len(members) == 1 for members in ways):
        budget.check("states", math.comb(len(ways) + count - 1, count))
    weights, total = scaled(ways)
    order = sorted({member for members in ways for member in members})
    size = 1 + count * max(members.count(member) for members in ways for member in members)
    packed: dict[int, int] = {}
    for members, weight in weights.items():
        key = sum(size ** order.index(member) for member in members)
        packed[key] = packed.get(key, 0) + weight
    powers = power(packed, count, None, budget)
    budget.check("states", len(powers))
    return {
        tuple(
            (kind, number) for kind, number in zip(order, _digits(key, size, len(order)), strict=True) if number
        ): Fraction(weight, total**count)
        for key, weight in powers.items()
    }


def _digits(number: int, base: int, places: int) -> list[int]:
    digits = []
    for _ in range(places):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits


def _joined(one: dict[Counts, Fraction], other: dict[Counts, Fraction], budget: Budget) -> dict[Counts, Fraction]:
    budget.check("states", len(one) * len(other))
    result: dict[Counts, Fraction] = {}
    for counts, chance in one.items():
        for more, times in other.items():
            together = Counter(dict(counts))
            together.update(dict(more))
            key = tuple(sorted(together.items()))
            result[key] = result.get(key, Fraction(0)) + chance * times
    return result
