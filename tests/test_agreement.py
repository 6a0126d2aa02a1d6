"""Play, odds and simulation of the shipped actions are the same rules: with the same inputs they agree.

Tables and requests are drawn at random from what the rules allow. What is too large for exact odds is passed over.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interpreter import dice
from interpreter.loader import load
from interpreter.machine import Done, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.odds import Limits, NoOdds, Odds, odds
from interpreter.play import drive
from interpreter.simulate import Sampled, simulate
from interpreter.simulate.answers import first_answer
from interpreter.start import Request, begin
from tests.odds.brute import every_throw
from tools.playing import Player

ROOT = Path(__file__).parent.parent
GAMES = sorted(path for path in (ROOT / "systems").iterdir() if (path / "system.yaml").is_file())
GALLERY = sorted((ROOT / "systems" / "gallery").glob("*.yaml"))
SYSTEMS = [*GAMES, *GALLERY]
SMALL = Limits(nodes=3_000, passing=30_000, dice=60, faces=400, terms=200_000, options=60)
RUNS, PLAYED = 250, 25
# An interval of 95 % made so many times as wide holds but once in some hundred million.
WIDER = 3.0
# Every face of every die is thrown where that takes at most so many ends.
MOST_ENDS = 1_500


@cache
def shipped(path: Path) -> System:
    system = load(path).system
    assert system is not None
    return system


def requests(system: System, seed: int) -> Iterator[tuple[Any, Request, Run]]:
    """For each action a table and a request that the rules take, if a few draws find one."""
    player = Player(system, random.Random(f"{system.id} {seed}"))
    state = player.table()
    for action in system.actions:
        for _ in range(4):
            request = player.request(action, state)
            run = None if request is None else begin(system, state, request)
            if isinstance(run, Run):
                yield state, request, run
                break


def compare(path: Path, seed: int) -> Counter[str]:
    """Every action of a system once; what was done."""
    system, done = shipped(path), Counter[str]()
    for state, request, run in requests(system, seed):
        found = odds(system, state, request, choices="first", limits=SMALL, gauges=True)
        if isinstance(found, NoOdds):
            assert found.limit or isinstance(advance(run)[1], Refused), (request, found)
            done["passed over" if found.limit else "refused"] += 1
            continue
        total = sum([*found.outcomes.values(), *found.refused.values(), found.never_ends, found.cut_off])
        assert total == 1, request
        _compare_played(run, found, seed)
        _compare_sampled(found, simulate(system, state, request, runs=RUNS, seed=seed, gauges=True, workers=1), request)
        ends = every_end(run)
        if ends is not None:
            done["every face"] += 1
            assert ends == {name: chance for name, chance in found.outcomes.items() if chance}, request
        done["compared"] += 1
    return done


def _compare_played(run: Run, found: Odds, seed: int) -> None:
    """Whatever happens in play has a probability."""
    source = dice.seeded(seed)
    for _ in range(PLAYED):
        _, need = drive(run, source, first_answer)
        if isinstance(need, Done):
            assert need.outcome is None or found.outcomes[need.outcome] > 0
            assert need.grade is None or found.grades[need.grade] > 0
        else:
            assert isinstance(need, Refused)
            assert sum(found.refused.values()) > 0, need


def _compare_sampled(found: Odds, sample: Sampled | NoOdds, request: Request) -> None:
    """Counts lie where probabilities say, and nothing else is counted."""
    assert isinstance(sample, Sampled), request
    exact = {**found.outcomes, **found.grades, **found.flags}
    for name, estimate in {**sample.outcomes, **sample.grades, **sample.flags}.items():
        half = (estimate.high - estimate.low) * WIDER / 2
        assert abs(estimate.value - float(exact[name])) <= half + 1e-9, (request, name)
    for name, counted in {**sample.values, **sample.gauges}.items():
        spread = found.values.get(name) or found.gauges.get(name)
        if spread is None:  # a value of a sheet that this run cannot move after all
            assert len(counted.counts) == 1, (request, name)
            continue
        assert set(map(repr, counted.counts)) <= set(map(repr, spread)), (request, name)


def every_end(run: Run) -> dict[str | None, Fraction] | None:
    """The outcomes when the dice fall in every way, by brute force; None where that takes too long, or is refused."""
    ends: dict[str | None, Fraction] = {}
    waiting, met = [(Fraction(1), *advance(run))], 0
    while waiting:
        chance, here, need = waiting.pop()
        met += 1
        if met + len(waiting) > MOST_ENDS or isinstance(need, Refused):
            return None
        if isinstance(need, Done):
            ends[need.outcome] = ends.get(need.outcome, Fraction(0)) + chance
        elif isinstance(need, NeedRoll):
            for share, result in every_throw(need):
                waiting.append((chance * share, *advance(here, result)))
                if len(waiting) > MOST_ENDS:
                    return None
        else:
            waiting.append((chance, *advance(here, first_answer(need))))
    ends.pop(None, None)
    return ends


@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: path.stem)
def test_play_odds_and_simulation_agree(path: Path) -> None:
    done = compare(path, 1)
    assert done["compared"] + done["refused"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: path.stem)
def test_play_odds_and_simulation_agree_again(path: Path, seed: int) -> None:
    compare(path, seed)


def test_every_face_is_thrown_somewhere() -> None:
    """The comparison by brute force is not passed over everywhere."""
    assert sum(compare(path, 3)["every face"] for path in GALLERY[:3]) > 0
