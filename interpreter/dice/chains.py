"""What one die can become by throwing again: the chains of explosions and rerolls, and whether they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from .faults import LIMITS, Budget, DiceError, Fault, Limits
from .model import Die, Explode, Group, Pool, Reroll, Thrown, applies, grown, lying

CERTAIN_LINKS = 200
"""A chain that goes on for certain is taken to do so for ever if it also does so many times with the same face."""

STEADY_LINKS = 3
"""A chain whose links have looked alike so many times, up to the tail, is taken to look so in the tail. One that could
not end so many times is tried further."""

_COSTLY = 8
"""Looking at a die takes as long as so many steps of arithmetic."""


@dataclass(frozen=True, slots=True)
class End:
    """One way a chain that adds up on one die ends. `folded` stands for all longer chains that look the same."""

    thrown: Thrown
    chance: Fraction
    throws: int
    folded: bool = False


def faces_of(group: str, die: Die) -> tuple[tuple[Thrown, Fraction], ...]:
    """A fresh die and the chance of each face."""
    total = len(die.faces)
    return tuple((thrown, Fraction(weight, total)) for thrown, weight in lying(group, die))


def endless(pool: Pool, limits: Limits = LIMITS) -> Fault | None:
    """Why a roll of the pool might never end, if so."""
    budget = Budget(limits)
    for operation in pool.operations:
        for group in pool.groups:
            if applies(operation, group.name):
                fault = _ENDLESS[type(operation)](operation, group, budget) if type(operation) in _ENDLESS else None
                if fault:
                    return fault
    return None


def _endless_explosion(operation: Explode, group: Group, budget: Budget) -> Fault | None:
    if operation.at_most is not None:
        return None
    start = [thrown for thrown, _ in faces_of(group.name, group.die) if operation.when(thrown)]
    if operation.into == "new_die":
        return _ever("explodes", group) if len(start) == len(group.die.weights) else None
    try:
        for thrown in start:
            for number, link in enumerate(_links(operation, thrown, budget)):
                if number > CERTAIN_LINKS or link.going_on < link.scale * budget.limits.tail:
                    break
    except DiceError as error:
        return error.faults[0]
    return None


def _endless_reroll(operation: Reroll, group: Group, budget: Budget) -> Fault | None:
    if operation.how_often is None and all(operation.where(thrown) for thrown, _ in faces_of(group.name, group.die)):
        return _ever("is thrown again", group)
    return None


_ENDLESS: dict[type, Callable[..., Fault | None]] = {Explode: _endless_explosion, Reroll: _endless_reroll}


def endless_fault(thrown: Thrown) -> Fault:
    return _ever("goes on", Group(thrown.group, 1, thrown.die))


def _ever(what: str, group: Group) -> Fault:
    return Fault(
        "endless",
        f"every face of the die {group.die.name} of the group {group.name} {what}: this never ends",
        group.name,
    )


@dataclass(frozen=True, slots=True)
class _Link:
    """The chains that end at one more throw, and how many go on, of `came` that made it; weights are over `scale`."""

    ended: Counter[Thrown]
    came: int
    going_on: int
    scale: int


def _links(operation: Explode, start: Thrown, budget: Budget) -> Iterator[_Link]:
    faces, sides = start.die.weights, len(start.die.faces)
    alive: Counter[Thrown] = Counter({start: 1})
    came, scale, number, certain = 1, 1, 0, 0
    while alive and number != operation.at_most:
        number += 1
        scale *= sides
        budget.check("throws", number)
        budget.spend(_COSTLY * len(alive) * len(faces))
        ended: Counter[Thrown] = Counter()
        going: Counter[Thrown] = Counter()
        for thrown, weight in alive.items():
            for face, times in faces:
                after = grown(thrown, face)
                (going if number != operation.at_most and operation.when(after) else ended)[after] += weight * times
        certain = 0 if ended else certain + 1
        if certain == STEADY_LINKS and operation.at_most is None and all(_certain(operation, one) for one in alive):
            raise DiceError(endless_fault(start))
        total = going.total()
        yield _Link(ended, came * sides, total, scale)
        alive, came = going, total


def _certain(operation: Explode, thrown: Thrown) -> bool:
    """Whether a chain goes on with nothing but the first face of the die, and with nothing but the last."""
    for face in (thrown.die.faces[0], thrown.die.faces[-1]):
        last = thrown
        for _ in range(CERTAIN_LINKS):
            last = grown(last, face)
            if not operation.when(last):
                return False
    return True


def grow(
    operation: Explode, start: Thrown, signature: Callable[[Thrown], Hashable] | None, tail: Fraction, budget: Budget
) -> list[End]:
    """How a chain that adds up on one die ends, from a face that explodes.

    Without a bound it is followed down to the tail. If its links then look alike to the end, by the signature that
    tells what later matters of a die, all that is left is folded into the first of them and nothing is lost.
    """
    links: list[_Link] = []
    for link in _links(operation, start, budget):
        links.append(link)
        if operation.at_most is None and link.going_on < tail * link.scale:
            break
    steady = _steady(links, signature) if signature and links[-1].going_on else len(links)
    ends = [
        End(thrown, Fraction(weight, link.scale), number)
        for number, link in enumerate(links[:steady], 1)
        for thrown, weight in link.ended.items()
    ]
    if steady == len(links) or signature is None:
        return ends
    first = links[steady]
    lowest: dict[Hashable, Thrown] = {}
    for link in links[steady:]:
        for thrown in link.ended:
            known = lowest.setdefault(signature(thrown), thrown)
            if thrown.value < known.value:
                lowest[signature(thrown)] = thrown
    share = Fraction(first.came, first.scale * (first.came - first.going_on))
    return ends + [
        End(lowest[sign], weight * share, steady + 1, folded=True) for sign, weight in _signed(first, signature).items()
    ]


def _signed(link: _Link, signature: Callable[[Thrown], Hashable]) -> Counter[Hashable]:
    signs: Counter[Hashable] = Counter()
    for thrown, weight in link.ended.items():
        signs[signature(thrown)] += weight
    return signs


def _steady(links: list[_Link], signature: Callable[[Thrown], Hashable]) -> int:
    """The place of the first link from which all look alike, or the number of links."""
    look = _look(links[-1], signature)
    place = len(links) - 1
    while place and _look(links[place - 1], signature) == look:
        place -= 1
    return place if len(links) - place >= STEADY_LINKS else len(links)


def _look(link: _Link, signature: Callable[[Thrown], Hashable]) -> dict[Hashable, Fraction]:
    return {sign: Fraction(weight, link.came) for sign, weight in _signed(link, signature).items()}
