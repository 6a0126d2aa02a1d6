"""Every sequence of faces of a throw, one after the other: what exact odds are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from interpreter.dice import Die, Face, Pool, Reroll, Result, Table, throw, throw_again


class TooMany(Exception):
    """More throws than brute force should be asked for."""


class _More(Exception):
    """The throw wants one more face, of this die."""

    def __init__(self, die: Die) -> None:
        super().__init__(die.name)
        self.die = die


class _Prefix:
    def __init__(self, faces: Sequence[Face]) -> None:
        self._faces = iter(faces)

    def __call__(self, die: Die, group: str, index: int) -> Face:
        for face in self._faces:
            return face
        raise _More(die)


def every_throw(
    pool: Pool, table: Table | None = None, again: Reroll | None = None, at_most: int = 20_000
) -> Iterator[tuple[Result, Fraction]]:
    """All results of a throw, or of throwing dice of a table again, with their chances; only for throws that end."""
    waiting: list[tuple[tuple[Face, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        at_most -= 1
        if at_most < 0:
            raise TooMany
        faces, chance = waiting.pop()
        source = _Prefix(faces)
        try:
            if table is not None and again is not None:
                yield throw_again(pool, table, again, source), chance
            else:
                yield throw(pool, source), chance
        except _More as more:
            for face, weight in more.die.weights:
                waiting.append(((*faces, face), chance * Fraction(weight, len(more.die.faces))))


def enumerate_all(pool: Pool, names: Sequence[str], at_most: int = 20_000) -> dict[tuple[int, ...], Fraction]:
    """The joint distribution of readings by brute force."""
    outcomes: dict[tuple[int, ...], Fraction] = {}
    for result, chance in every_throw(pool, at_most=at_most):
        outcome = tuple(result[name] for name in names)
        outcomes[outcome] = outcomes.get(outcome, Fraction(0)) + chance
    return outcomes
