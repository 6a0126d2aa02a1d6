"""What can be wrong with a pool or with given faces, and how much work a pool may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

_UNPRINTED = 10**30


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong. `die` counts from 1 inside its group."""

    code: str
    message: str
    group: str = ""
    die: int | None = None


class DiceError(Exception):
    """Everything wrong with one request, together."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = faults

    @property
    def code(self) -> str:
        return self.faults[0].code


class LimitReached(DiceError):
    """A request larger than a named limit: refused whole, never cut down."""

    def __init__(self, limit: str, asked: int, allowed: int) -> None:
        shown = str(asked) if asked < _UNPRINTED else "over 10**30"
        super().__init__(Fault(f"limit_{limit}", f"{shown} {_MEANINGS[limit]} asked, at most {allowed} allowed"))
        self.limit = limit
        self.asked = asked
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets, spent before the work.

    `dice`: dice of a pool; `faces`: faces of one die; `throws`: faces thrown in one roll, extra dice included, and
    links of one chain in odds; `states`: different hands of dice held at once; `terms`: steps of arithmetic. `tail`
    is no budget: endless chains are followed until what is left of them is less likely than that in the whole pool,
    and what is left is reported.
    """

    dice: int = 10_000
    faces: int = 10_000
    throws: int = 20_000
    states: int = 200_000
    terms: int = 5_000_000
    tail: Fraction = Fraction(1, 10**15)

    def check(self, limit: str, asked: int) -> None:
        allowed: int = getattr(self, limit)
        if asked > allowed:
            raise LimitReached(limit, asked, allowed)


class Budget:
    """What is left of the limits during one request: steps of arithmetic add up over all its parts.

    `left_out`: of each thing left out for the tail's sake, the least that it can bring to the only reading, or None
    where that is not known.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.terms = 0
        self.left_out: list[int | None] = []

    def spend(self, terms: int) -> None:
        """Before the work."""
        self.terms += terms
        self.limits.check("terms", self.terms)

    def check(self, limit: str, asked: int) -> None:
        self.limits.check(limit, asked)


_MEANINGS = {
    "dice": "dice",
    "faces": "faces on one die",
    "throws": "throws",
    "states": "different hands of dice",
    "terms": "steps of arithmetic",
}

LIMITS = Limits()
