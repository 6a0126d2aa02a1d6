"""The benchmark compares like with like: both sides of a line have the same probabilities."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from interpreter.odds import Odds

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
pytest.importorskip("icepool")

import bench
import bench_dice
import bench_duels

LINES = [line for line in bench_dice.lines() if not line.group.startswith("as pools double")]

RARE = Fraction(1, 10**9)


def chances(found: Any) -> list[Fraction]:
    """The probabilities of whatever is told, without what they are of: peers have faces of their own."""
    if not isinstance(found, Odds):
        return sorted(Fraction(int(weight), int(found.denominator())) for weight in found.quantities() if weight)
    spreads: list[Any] = [*found.joints.values(), *found.values.values()] or [found.outcomes]
    return sorted(chance for chance in spreads[0].values() if chance)


@pytest.mark.parametrize("line", [line for line in LINES if "push" not in line.group], ids=lambda line: line.name)
def test_both_sides_tell_the_same(line: bench.Line) -> None:
    assert line.peer is not None
    ours, peer = line.ours(), line.peer()
    assert isinstance(ours, Odds)
    if ours.cut_off:  # chains without an end: the rarest ends are cut in different places
        mine, others = ([chance for chance in chances(one) if chance > RARE] for one in (ours, peer))
        assert [float(chance) for chance in mine] == pytest.approx([float(chance) for chance in others], abs=1e-12)
        return
    if "MIR" not in line.name:
        assert chances(ours) == chances(peer)
        return
    shades = {name: Fraction(int(n), int(peer.denominator())) for name, n in peer.items()}  # type: ignore[attr-defined]
    assert ours.outcomes["initiateur_vainqueur"] == sum(c for name, c in shades.items() if name.startswith("first"))
    assert ours.grades["egalite"] == shades["first, tied"]
    assert ours.grades["critique_adversaire"] == shades["second, critical"]


def test_both_ways_of_pushing_tell_the_same() -> None:
    assert chances(bench_dice._states()) == chances(bench_dice._by_dice())


def test_duels_tell_the_same() -> None:
    ours = bench_duels.duel(1, 6, 8, 5, exact=True)()
    assert ours.outcomes["victoire"] == bench_duels.bench_reference.duel_exactly(1, 6, 8, 5)
    floats = bench_duels.duel(1, 6, 8, 5, exact=False)()
    assert float(floats.outcomes["victoire"]) == pytest.approx(bench_duels.bench_reference.duel(1, 6, 8, 5), abs=1e-12)
