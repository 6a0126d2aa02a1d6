"""Odds by brute force: every face and every answer through the machine that plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from interpreter import dice
from interpreter.machine import Done, NeedChoice, NeedRoll, Refused, Run, advance

Chances = dict[Any, Fraction]


class _Wanted(Exception):
    """The throw asks for one more face than there are."""

    def __init__(self, die: dice.Die) -> None:
        super().__init__()
        self.die = die


def every_throw(need: NeedRoll) -> Iterator[tuple[Fraction, dice.Result]]:
    """Every way in which the dice can fall."""
    waiting: list[tuple[Fraction, list[dice.Face]]] = [(Fraction(1), [])]
    while waiting:
        chance, faces = waiting.pop()
        left = iter(faces)

        def source(die: dice.Die, group: str, index: int, /, left: Iterator[dice.Face] = left) -> dice.Face:
            for face in left:
                return face
            raise _Wanted(die)

        try:
            yield chance, need.throw(source)
        except _Wanted as wanted:
            share = chance / len(wanted.die.faces)
            waiting += [(share, [*faces, face]) for face in wanted.die.faces]


def answers(need: NeedChoice) -> list[Any]:
    if need.kind == "number":
        assert need.low is not None
        assert need.high is not None
        return list(range(need.low, need.high + 1))
    return [option.id for option in need.options if option.open]


Look = Callable[[Run], Any]


def first(run: Run, look: Look) -> Chances:
    """The distribution of what `look` sees at the end when the first open answer is always given."""
    return _follow(run, None, look)


def best(run: Run, look: Look, sign: int = 1) -> Fraction:
    """The highest (or lowest) probability that `look` sees True at the end."""
    run, need = advance(run)
    return _best(run, need, look, sign)


def _best(run: Run, need: Any, look: Look, sign: int) -> Fraction:
    if isinstance(need, Done):
        return Fraction(look(run) is True)
    if isinstance(need, Refused):
        return Fraction(0)
    if isinstance(need, NeedRoll):
        chances = [(chance, advance(run, result)) for chance, result in every_throw(need)]
        return sum((chance * _best(*after, look, sign) for chance, after in chances), Fraction(0))
    worths = [_best(*advance(run, answer), look, sign) for answer in answers(need)]
    return max(worths) if sign > 0 else min(worths)


def _follow(run: Run, answer: Any, look: Look) -> Chances:
    run, need = advance(run, answer)
    if isinstance(need, Done):
        return {look(run): Fraction(1)}
    if isinstance(need, Refused):
        return {"refused": Fraction(1)}
    found: Chances = {}
    ways = every_throw(need) if isinstance(need, NeedRoll) else [(Fraction(1), answers(need)[0])]
    for chance, given in ways:
        for seen, share in _follow(run, given, look).items():
            found[seen] = found.get(seen, Fraction(0)) + chance * share
    return found
