"""What odds come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from interpreter.odds.advice import Advice

Chance = Fraction | float
Distribution = Mapping[Any, Chance]


@dataclass(frozen=True, slots=True)
class Odds:
    """The answer. Everything is a probability: a fraction in exact odds, else a float.

    `values`, `gauges` and `joints` hold whole distributions; `endless` the means of values that may come to any number,
    of which there is none. `refused` holds the refusals met on the way, by message. `worth` is what the goal comes to,
    and `worth_is` says whether that is a probability or a mean. `cut_off` is the most that any of these lacks: endless
    explosions are followed until next to nothing is left. `nodes` counts the situations looked at.
    """

    outcomes: Mapping[str, Chance]
    grades: Mapping[str, Chance] = field(default_factory=dict)
    flags: Mapping[str, Chance] = field(default_factory=dict)
    values: Mapping[str, Distribution] = field(default_factory=dict)
    gauges: Mapping[str, Distribution] = field(default_factory=dict)
    joints: Mapping[tuple[str, ...], Distribution] = field(default_factory=dict)
    endless: Mapping[str, Chance] = field(default_factory=dict)
    refused: Mapping[str, Chance] = field(default_factory=dict)
    cut_off: Chance = 0
    never_ends: Chance = 0
    goal: str = ""
    worth: Chance | None = None
    worth_is: Literal["probability", "mean"] = "probability"
    advice: tuple[Advice, ...] = ()
    exact: bool = True
    nodes: int = 0

    def mean(self, name: str) -> Chance:
        """The mean of a value or a gauge, over the runs that come to an end."""
        if name in self.endless:
            return self.endless[name]
        spread: Mapping[Any, Any] = self.values.get(name) or self.gauges[name]
        total: Chance = sum(number * chance for number, chance in spread.items()) / sum(spread.values())
        return total
