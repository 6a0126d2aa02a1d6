"""What counts say of probabilities and means, with the intervals in which these lie 95 times of 100."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

# So many standard deviations to both sides hold 95 % of a normal distribution.
DEVIATIONS = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability or a mean as sampled, and the ends of its interval of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counted:
    """How often each value came, in order, with the probability of each; the mean over the runs that came to an end."""

    counts: Mapping[Any, int]
    chances: Mapping[Any, Estimate]
    mean: Estimate | None


@dataclass(frozen=True, slots=True)
class Sampled:
    """What came of many runs. Nothing of it is exact; `sampled` says so to whoever holds odds of either kind.

    `unfinished` are runs that were given up because they took too long.
    """

    runs: int
    seed: str
    choices: str
    outcomes: Mapping[str, Estimate]
    grades: Mapping[str, Estimate] = field(default_factory=dict)
    flags: Mapping[str, Estimate] = field(default_factory=dict)
    values: Mapping[str, Counted] = field(default_factory=dict)
    gauges: Mapping[str, Counted] = field(default_factory=dict)
    joints: Mapping[tuple[str, ...], Counted] = field(default_factory=dict)
    refused: Mapping[str, Estimate] = field(default_factory=dict)
    unfinished: Estimate | None = None
    sampled: ClassVar[bool] = True


def proportion(count: int, runs: int) -> Estimate:
    """Wilson's interval, which stays between 0 and 1 and says something also of what never came."""
    share, z2 = count / runs, DEVIATIONS**2
    middle = (share + z2 / (2 * runs)) / (1 + z2 / runs)
    half = DEVIATIONS / (1 + z2 / runs) * math.sqrt(share * (1 - share) / runs + z2 / (4 * runs * runs))
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == runs else min(1.0, middle + half)
    return Estimate(share, low, high)


def average(counts: Mapping[Any, int]) -> Estimate | None:
    """The mean of numbers with the normal interval; None where they are no numbers."""
    runs = sum(counts.values())
    if not runs or not all(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in counts):
        return None
    mean = sum((Fraction(value) * count for value, count in counts.items()), Fraction(0)) / runs
    squares = sum(((Fraction(value) - mean) ** 2 * count for value, count in counts.items()), Fraction(0))
    half = DEVIATIONS * math.sqrt(float(squares) / max(1, runs - 1) / runs)
    return Estimate(float(mean), float(mean) - half, float(mean) + half)


def counted(counts: Mapping[Any, int], runs: int) -> Counted:
    """The counts in order, of so many runs in all."""
    ordered = dict(sorted(counts.items(), key=lambda item: _place(item[0])))
    chances = {value: proportion(count, runs) for value, count in ordered.items()}
    return Counted(ordered, chances, average(ordered))


def _place(value: Any) -> tuple[Any, ...]:
    """Numbers by size, then the rest by name; of several values together the first counts first."""
    if isinstance(value, tuple):
        return tuple(_place(item) for item in value)
    return (0, value, "") if isinstance(value, int | Fraction) else (1, 0, str(value))
