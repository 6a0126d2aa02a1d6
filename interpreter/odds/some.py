"""Pools of which some readings are only asked whether any die counts: by leaving out the faces that do.

The ways in which no die counts are those of dice without these faces, so that `any six?` beside the sum of a hundred
dice costs two sums, and not the joint distribution of sums and sixes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from interpreter import dice
from interpreter.odds.kept import Numbers

MOST = 3
"""More readings of this kind than that are worked out together with the others."""


@dataclass(frozen=True, slots=True)
class Any:
    """A reading of which only `none` (the number when no die counts) and everything else, `some`, are told apart.

    `counts` tests a die; `against` turns it round.
    """

    counts: Callable[[dice.Thrown], bool]
    against: bool
    none: int
    some: int

    def passes(self, thrown: dice.Thrown) -> bool:
        return bool(self.counts(thrown)) is not self.against


def with_any(
    pool: dice.Pool, names: Sequence[str], caps: dict[str, int], any_of: Sequence[Any], limits: dice.Limits
) -> tuple[dict[Numbers, int], int]:
    """The weights of the plain readings, with the numbers of the others behind them, and their total."""
    total = 1
    for group in pool.groups:
        total *= len(group.die.faces) ** group.count
    without: dict[tuple[bool, ...], dict[Numbers, int]] = {}
    for barred in product((False, True), repeat=len(any_of)):
        without[barred] = _without(
            pool, names, caps, [one for one, bar in zip(any_of, barred, strict=True) if bar], limits
        )
    found: dict[Numbers, int] = {}
    for none in product((False, True), repeat=len(any_of)):
        told = tuple([one.none if is_none else one.some for one, is_none in zip(any_of, none, strict=True)])
        weights = _exactly(without, none)
        for numbers, weight in weights.items():
            if weight:
                found[numbers + told] = found.get(numbers + told, 0) + weight
    return found, total


def _without(
    pool: dice.Pool, names: Sequence[str], caps: dict[str, int], barred: Sequence[Any], limits: dice.Limits
) -> dict[Numbers, int]:
    """The ways in which no die counts for the barred readings."""
    groups = []
    ways = 1
    for group in pool.groups:
        faces: list[dice.Face] = []
        for (thrown, weight), (face, _) in zip(dice.lying(group.name, group.die), group.die.weights, strict=True):
            if not any(one.passes(thrown) for one in barred):
                faces += [face] * weight
        if not faces and group.count:
            return {}
        die = dice.Die(group.die.name, tuple(faces)) if faces else group.die
        groups.append(dice.Group(group.name, group.count, die))
        ways *= len(faces) ** group.count
    found = dice.distribution(dice.Pool(tuple(groups), (), pool.readings), names, caps, limits)
    return {numbers: weight * ways // found.total for numbers, weight in found.outcomes.items()}


def _exactly(without: dict[tuple[bool, ...], dict[Numbers, int]], none: tuple[bool, ...]) -> dict[Numbers, int]:
    """The ways in which exactly these readings have no die that counts, from those in which at least some have none."""
    result: dict[Numbers, int] = {}
    for barred, weights in without.items():
        if all(bar or not is_none for bar, is_none in zip(barred, none, strict=True)):
            sign = -1 if (sum(barred) - sum(none)) % 2 else 1
            for numbers, weight in weights.items():
                result[numbers] = result.get(numbers, 0) + sign * weight
    return result
