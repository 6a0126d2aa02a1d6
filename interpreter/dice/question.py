"""What is asked of a part of a pool: the same for every method."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .faults import Budget
from .model import Compared, Group, Operation, Reading

Vector: TypeAlias = tuple[int, ...]
Weighed: TypeAlias = tuple[dict[Vector, int], int]
"""Weights of readings together, and their total, which is more where something was cut off."""


class BelowNothing(Exception):
    """Some die brings less than nothing to the reading at this place, which cannot be cut at its cap before the end."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


@dataclass(frozen=True, slots=True)
class Question:
    """Groups that have dice, the operations that touch them, and readings with caps at which they may be cut on the
    way.

    `tail`: how unlikely the rest of one die's chain must be to be left out; and, where such a rest is, that of the sums
    of all dice, for each die.
    """

    groups: tuple[Group, ...]
    operations: tuple[Operation, ...]
    readings: tuple[Reading, ...]
    caps: tuple[int | None, ...]
    tail: Fraction
    budget: Budget

    @property
    def dice(self) -> int:
        return sum(group.count for group in self.groups)

    @property
    def compares(self) -> bool:
        """Whether a reading looks at dice beside each other, so that it does not add up."""
        return any(isinstance(reading, Compared) for reading in self.readings)
