"""How a number came about, part by part: « Poignée 6 = Corps 4 + Grand sportif 2 »."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from interpreter.model import Label
from interpreter.render.names import Names

Part = Sequence[Any]


def parts_text(names: Names, detail: Sequence[Part]) -> str:
    """The sum behind a number; empty when there is nothing to tell."""
    shown = _Sum(names)
    for part in detail:
        shown.add(part)
    return "".join(shown.pieces).strip().removeprefix("+ ")


class _Sum:
    """The parts told so far, and between which two numbers the total lies: rounding is not told how."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.pieces: list[str] = []
        self.low = self.high = Fraction(0)
        self.candidates: list[Part] = []

    def add(self, part: Part) -> None:
        operation, amount = part[2], part[3]
        number = amount if isinstance(amount, int | Fraction) and not isinstance(amount, bool) else None
        self.pieces += _TELLERS[operation](self, part)
        if number is not None:
            ends = sorted(_changed(operation, end, Fraction(number)) for end in (self.low, self.high))
            self.low, self.high = Fraction(math.floor(ends[0])), Fraction(math.ceil(ends[1]))

    # ------------------------------------------------------------------ what a part says

    def base(self, part: Part) -> Iterator[str]:
        terms = part[4]
        if not terms:
            yield _signed("", part[3])
        for term in terms:
            yield _signed(self._term(term), term[2])

    def more(self, part: Part) -> Iterator[str]:
        terms = part[4]
        if part[1] is not None and all(term[0] == "field" for term in terms):
            terms = ()
        if terms:
            yield from (_signed(self._term(term), term[2]) for term in terms if term[2])
        elif part[3]:
            yield _signed(self._name(part), part[3])

    def candidate(self, part: Part) -> Iterator[str]:
        """One of a group of which only the best counts: kept until the group is told."""
        self.candidates.append(part)
        yield from ()

    def best_of(self, part: Part) -> Iterator[str]:
        """The best bonus and the worst penalty of the group."""
        amounts = [0, *(one[3] for one in self.candidates)]
        for chosen in (max(amounts), min(amounts)):
            if chosen:
                yield from self.more(next(one for one in self.candidates if one[3] == chosen))
        self.candidates.clear()

    def multiply(self, part: Part) -> Iterator[str]:
        yield f" × {part[3]}{self._aside(part)}{self._rounded(self.low * _number(part[3]))}"

    def divide(self, part: Part) -> Iterator[str]:
        divisor = _number(part[3])
        yield f" ÷ {part[3]}{self._aside(part)}{self._rounded(self.low / divisor if divisor else self.low)}"

    def replace(self, part: Part) -> Iterator[str]:
        yield f" → {self.names.value(part[3])}{self._aside(part)}"

    def round(self, part: Part) -> Iterator[str]:
        yield ""

    def at_least(self, part: Part) -> Iterator[str]:
        if self.high < _number(part[3]):
            yield self.names.say("at_least", number=part[3])

    def at_most(self, part: Part) -> Iterator[str]:
        if self.low > _number(part[3]):
            yield self.names.say("at_most", number=part[3])

    # ------------------------------------------------------------------ words

    def _name(self, part: Part) -> str:
        label: Label | None = part[1]
        return self.names.label(label, str(part[0]).rpartition(".")[2])

    def _aside(self, part: Part) -> str:
        return f" ({self._name(part)})" if part[1] is not None else ""

    def _rounded(self, exact: Fraction) -> str:
        return "" if exact.denominator == 1 else self.names.say("rounded")

    def _term(self, term: Sequence[Any]) -> str:
        kind, name, _ = term
        if kind == "field":
            return self.names.dotted(str(name))
        return self.names.key(name) if kind == "key" else str(name)


_TELLERS: Mapping[str, Callable[[_Sum, Part], Iterator[str]]] = {
    "base": _Sum.base,
    "add": _Sum.more,
    "candidate": _Sum.candidate,
    "best_of": _Sum.best_of,
    "multiply": _Sum.multiply,
    "divide": _Sum.divide,
    "set": _Sum.replace,
    "round": _Sum.round,
    "min": _Sum.at_least,
    "max": _Sum.at_most,
}

_STEPS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "base": lambda total, number: number,
    "add": lambda total, number: total + number,
    "best_of": lambda total, number: total + number,
    "multiply": lambda total, number: total * number,
    "divide": lambda total, number: total / number if number else total,
    "set": lambda total, number: number,
    "min": max,
    "max": min,
}


def _changed(operation: str, total: Fraction, number: Fraction) -> Fraction:
    step = _STEPS.get(operation)
    return total if step is None else step(total, number)


def _number(amount: object) -> Fraction:
    return Fraction(amount) if isinstance(amount, int | Fraction) else Fraction(0)


def _signed(name: str, amount: Any) -> str:
    is_number = isinstance(amount, int | Fraction) and not isinstance(amount, bool)
    sign = "-" if is_number and amount < 0 else "+"
    return f" {sign} {name} {abs(amount) if is_number else amount}".replace("  ", " ")
