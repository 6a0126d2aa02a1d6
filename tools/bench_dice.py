"""Pools of dice for tools/bench.py: the same questions to rule files and to icepool."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bench import Line

from interpreter.layout import State
from interpreter.loader import load
from interpreter.model import System
from interpreter.odds import Odds, odds
from interpreter.start import Request

POOLS = str(Path(__file__).parent / "bench_systems" / "pools.yaml")
PUSH = "gallery/push.yaml"
_NUMBERS = itertools.count(1)


@cache
def system(where: str) -> System:
    path = Path(__file__).parent.parent / "systems" / where
    found = load(str(path) if path.exists() else where).system
    assert found is not None
    return found


def asks(
    where: str,
    action: str,
    inputs: Mapping[str, Any],
    sheets: Mapping[str, Mapping[str, Any]] | None = None,
    roles: Mapping[str, tuple[str, ...]] | None = None,
    new: bool = False,
    **how: Any,
) -> Callable[[], Odds]:
    """A question, asked again of the same table; or, with `new=True`, of one never seen each time."""
    rules, request, known = system(where), Request(action, roles or {}, inputs), State(sheets or {})

    def ask() -> Odds:
        found = odds(rules, State(sheets or {}) if new else known, request, **how)
        assert isinstance(found, Odds), found
        return found

    return ask


def lines() -> Iterator[Line]:
    yield from _additive()
    yield from _kept()
    yield from _pushed()
    yield from _growth()


# ---------------------------------------------------------------------- dice that icepool has not seen


def fresh(sides: int) -> tuple[Any, int]:
    """A die with faces of its own, so many times 1, 2, 3 …: icepool keeps what it did for equal dice."""
    import icepool  # type: ignore[import-untyped]

    times = next(_NUMBERS)
    return icepool.Die(range(times, times * (sides + 1), times)), times


def _vectors(sides: int, tell: Callable[[int], tuple[int, ...]]) -> Any:
    import icepool

    die, times = fresh(sides)
    return die.map(lambda face: icepool.vectorize(*tell(face // times)))


# ---------------------------------------------------------------------- additive pools


def _additive() -> Iterator[Line]:
    group, bar = "additive pools", 0.25
    hunter: dict[str, Any] = {"sheet": "neuri", "attributs": {"corps": 10}, "main": 10}
    pack: dict[str, Any] = {"meute": {"sheet": "meute"}, "self": hunter}
    joint = asks(
        "meute", "test", {"attribut": "corps"}, pack, {"self": ("self",)}, values=[], joint=[("jet.succes", "jet.uns")]
    )
    yield Line(group, "Meute, 20d6: successes and ones together", joint, _meute, bar=bar)
    yield Line(group, "as Vermine, 8 white dice and 3 of equipment: 3 hits", _white(), _three_hits, bar=bar)
    every = _white(values=["hand.hits"])
    yield Line(group, "the same: every number of hits", every, lambda: _every_hit(8), bar=bar)
    yield Line(group, "Vermine itself, 6 white dice and 3: every number", _survivor(), _every_hit, bar=bar)
    agents = {name: _agent() for name in ("a", "b")}
    test = {"competence": "combat", "situation": 2}
    roles = {"initiateur": ("a",), "adversaire": ("b",)}
    opposed = asks("mir", "oppose", {"initiateur": test, "adversaire": test}, agents, roles, values=[])
    yield Line(group, "MIR, 14 against 14 with the rule of two 12s", opposed, _icepool_mir, bar=bar)
    hundred = asks(POOLS, "successes", {"dice": 100})
    yield Line(group, "100d6: successes", hundred, lambda: _successes(100), bar=bar)
    group = "of a table never seen"
    yield Line(group, "as Vermine, 8 white dice and 3 of equipment: 3 hits", _white(new=True), _three_hits)
    yield Line(group, "Vermine itself, 6 white dice and 3: every number", _survivor(new=True), _every_hit)


def _white(**how: Any) -> Callable[[], Odds]:
    return asks(POOLS, "white_and_equipment", {"white": 8, "equipment": 3, "wanted": 3}, **how)


def _survivor(new: bool = False) -> Callable[[], Odds]:
    sheet = {"sheet": "personnage", "caracteristiques": {"force": 5}, "specialites": [{"nom": "x", "degre": "expert"}]}
    inputs = {"caracteristique": "force", "specialite": ["x"], "reserve": 2, "objets": 3}
    return asks("vermine", "test", inputs, {"self": sheet}, {"self": ("self",)}, new=new, values=["jet.succes"])


def _agent() -> dict[str, Any]:
    return {"sheet": "agent", "competences": {"combat": 6}, "voies": {"peur": 6}}


def _meute(dice: int = 20) -> Any:
    return dice @ _vectors(6, lambda face: (int(face >= 5), int(face == 1)))


def _three_hits() -> Any:
    return _vermine(8, 3, 3) >= 3


def _every_hit(whites: int = 6) -> Any:
    """Chains to the length at which ours ends too: what lies beyond is less likely than one in 10 ** 15."""
    return _vermine(whites, 3, 15)


def _vermine(whites: int, equipment: int, links: int) -> Any:
    import icepool

    die, times = fresh(10)
    white = die.map(lambda face: 1 + icepool.Again if face == 10 * times else int(face >= 4 * times), again_depth=links)
    return whites @ white + equipment @ die.map(lambda face: 2 * int(face >= 4 * times))


def _icepool_mir() -> Any:
    import icepool

    sides = [14 @ _vectors(12, lambda face: (2 if face == 12 else int(face >= 7), int(face == 12))) for _ in range(2)]
    return icepool.map(_verdict, *sides)


def _verdict(one: Any, other: Any) -> str:
    """Who wins, and in which shade."""
    critical, answered = one[1] >= 2, other[1] >= 2
    if critical != answered:
        return "first, critical" if critical else "second, critical"
    if one[0] == other[0]:
        return "first, tied"
    return "first" if one[0] > other[0] else "second"


def _successes(dice: int) -> Any:
    die, times = fresh(6)
    return dice @ (die >= 5 * times)


# ---------------------------------------------------------------------- kept dice and sets


def _kept() -> Iterator[Line]:
    group, bar = "kept dice and sets", 1.0
    for dice in (4, 20):
        ours = asks(POOLS, "keep", {"dice": dice, "kept": 3})
        yield Line(group, f"{dice}d6, keep 3", ours, lambda dice=dice: _keep(dice), bar=bar)  # type: ignore[misc]
    sets = asks(POOLS, "sets", {"dice": 10})
    yield Line(group, "10d10, largest set", sets, lambda: fresh(10)[0].pool(10).largest_count(), bar=bar)
    exploding = asks(POOLS, "exploding", {"dice": 6})
    yield Line(group, "6d10 exploding once, keep 3", exploding, _exploding, bar=bar)
    yield Line(group, "5d6 + 4d8 + 3d10, keep 3", asks(POOLS, "mixed", {}), _mixed, bar=bar)


def _keep(dice: int) -> Any:
    return fresh(6)[0].pool(dice).highest(3).sum()


def _exploding() -> Any:
    return fresh(10)[0].explode(depth=1).pool(6).highest(3).sum()


def _mixed() -> Any:
    import icepool

    times = next(_NUMBERS)
    small, middle, large = (icepool.Die(range(times, times * (sides + 1), times)) for sides in (6, 8, 10))
    return icepool.Pool([small] * 5 + [middle] * 4 + [large] * 3).highest(3).sum()


# ---------------------------------------------------------------------- a roll that may be pushed


def _pushed() -> Iterator[Line]:
    group, bar = "a push of 3 + 2 + 1 dice", 0.5
    hero = {"sheet": "hero", "skills": {"fight": 2}}
    inputs, roles = {"attribute": "strength", "skill": "fight"}, {"self": ("self",)}
    best = asks(PUSH, "test", inputs, {"self": hero}, roles)
    yield Line(group, "with its best choice; icepool without one, by states", best, _states, bar=bar)
    yield Line(group, "with its best choice; icepool always pushing, by dice", best, _by_dice)


def _groups(face: int, group: int) -> tuple[int, int, int]:
    """Hits, strain and wear of a die of one of the three groups."""
    return int(face == 6), int(face == 1 and group == 0), int(face == 1 and group == 2)


def _states() -> Any:
    """The first throw as a state, then what it leads to: what a choice in between would hang on."""
    import icepool

    counts = (3, 2, 1)
    first = [counts[g] @ _vectors(6, lambda face, g=g: _groups(face, g)) for g in range(3)]  # type: ignore[misc]

    def pushed(*thrown: Any) -> Any:
        total = sum((hand for hand in thrown[1:]), thrown[0])
        for group, hand in enumerate(thrown):
            left = counts[group] - sum(hand)
            if left:
                total = total + left @ _vectors(6, lambda face, g=group: _groups(face, g))  # type: ignore[misc]
        return total

    return icepool.map(pushed, *first)


def _by_dice() -> Any:
    """Each die for itself, which always pushing allows and a choice does not."""
    import icepool

    die, times = fresh(6)

    def one(group: int) -> Any:
        last = die.map(lambda face: told(face, group))
        return die.map(lambda face: told(face, group) if any(_groups(face // times, group)) else last)

    def told(face: int, group: int) -> Any:
        return icepool.vectorize(*_groups(face // times, group))

    return 3 @ one(0) + 2 @ one(1) + 1 @ one(2)


# ---------------------------------------------------------------------- as pools double


def _growth() -> Iterator[Line]:
    group = "as pools double"
    for dice in (25, 50, 100, 200, 400):
        ours = asks(POOLS, "successes", {"dice": dice})
        yield Line(group, f"{dice}d6: successes", ours, lambda dice=dice: _successes(dice))  # type: ignore[misc]
    for dice in (5, 10, 20, 40, 80):
        ours = asks(POOLS, "keep", {"dice": dice, "kept": 3})
        yield Line(group, f"{dice}d6, keep 3", ours, lambda dice=dice: _keep(dice))  # type: ignore[misc]
    for dice in (5, 10, 20, 40):
        ours = asks(POOLS, "sets", {"dice": dice})
        yield Line(
            group,
            f"{dice}d10, largest set",
            ours,
            lambda dice=dice: fresh(10)[0].pool(dice).largest_count(),  # type: ignore[misc]
        )
