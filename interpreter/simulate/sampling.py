"""`simulate`: the runs of an action shared out among workers, and what they found added up."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from interpreter import dice
from interpreter.expressions import EvaluationError
from interpreter.layout import State
from interpreter.model import System
from interpreter.odds import LIMITS, Asking, Limits, NoOdds
from interpreter.odds.limits import OddsError
from interpreter.simulate.answers import SOLVED
from interpreter.simulate.batches import BATCH, Job, Player, Tally, play_batches
from interpreter.simulate.estimates import Counted, Sampled, counted, proportion
from interpreter.start import Request

MOST_RUNS = 1_000_000_000
# A run that asks for more rolls and choices is given up.
MOST_ANSWERS = 100_000
# At most so many pieces of work, each of whole batches.
MOST_PIECES = 64
# Processes take about so long to start; less work than that is done here.
WORTH_PROCESSES = 1.5

Progress = Callable[[int, int], None]


def simulate(
    system: System,
    state: State,
    request: Request,
    *,
    runs: int = 10_000,
    seed: int | str = 0,
    choices: str = "first",
    policy: Mapping[str, str | int | Sequence[str]] | None = None,
    goal: str | Sequence[str] | None = None,
    values: Sequence[str] | None = None,
    joint: Sequence[Sequence[str]] = (),
    gauges: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits = LIMITS,
    answers: int = MOST_ANSWERS,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Sampled | NoOdds:
    """An action played `runs` times. `choices`, `policy`, `goal`, `values`, `joint` and `gauges` are as for odds; with
    best or worst choices the exact odds are worked out first, within `limits`, and followed.

    The same seed gives the same counts, whoever plays. `executor` is any of concurrent.futures, or one that behaves
    alike, as a cluster's does; without one the work is done here: in `workers` processes, or, unless said, in one for
    each processor where it is long. `progress(done, all)` is told how far it is.
    """
    if not 1 <= runs <= MOST_RUNS:
        return NoOdds("runs", f"{runs} runs were asked for; it takes 1 to {MOST_RUNS}.")
    asking = Asking(choices, policy, goal, values, gauges, joint, False, limits, clock)
    job = Job(system, state, request, asking, answers)
    try:
        player = Player(job)
        if choices in SOLVED:
            _solve(player)
        tally = Tally()
        for piece in _pieces(player, str(seed), runs, executor, workers, clock):
            if isinstance(piece, NoOdds):
                return piece
            tally.add(piece)
            if progress is not None:
                progress(tally.runs, runs)
    except OddsError as error:
        return _told(error.answer, choices)
    except (dice.DiceError, EvaluationError) as error:
        return NoOdds("dice" if isinstance(error, dice.DiceError) else "arithmetic", f"{error}.")
    if len(tally.refused) == 1 and tally.refused.total() == tally.runs:
        return NoOdds(*next(iter(tally.refused)))
    return _sampled(player, tally, str(seed), choices)


def _solve(player: Player) -> None:
    """Works the exact odds out before anything is thrown; raises what stands in the way."""
    inquiry = player.inquiry
    goals = [goal.tree for goal in inquiry.goals]
    flow = inquiry.flow(goals)
    graph = inquiry.graph(flow, [*goals, *inquiry.study.base])
    solver = inquiry.solver(flow, graph)
    if solver is not None:
        solver.value(graph.start(inquiry.registers))


def _told(why: NoOdds, choices: str) -> NoOdds:
    if choices not in SOLVED or not why.limit:
        return why
    hint = f" The {choices} choices are those of the exact odds, which are too large: say first, or a policy."
    return NoOdds(
        why.code,
        why.message.replace(" Raise the limit, ask for less, or simulate.", hint),
        None,
        why.limit,
        why.reached,
    )


# ---------------------------------------------------------------------- sharing out


def _pieces(
    player: Player, seed: str, runs: int, executor: Executor | None, workers: int | None, clock: Callable[[], float]
) -> Iterator[Tally | NoOdds]:
    """The tallies of all batches, in order."""
    batches = math.ceil(runs / BATCH)
    if executor is not None:
        yield from _sent(player.job, seed, 0, batches, runs, executor)
        return
    count = _processors() if workers is None else max(1, workers)
    done = 0
    started = clock()
    while done < batches and (count == 1 or done == 0 or workers is None):
        if done and count > 1 and (batches - done) * (clock() - started) / done > WORTH_PROCESSES * count:
            break
        yield player.batch(seed, done, runs)
        done += 1
    if done < batches:
        with ProcessPoolExecutor(min(count, batches - done), get_context("spawn")) as pool:
            yield from _sent(player.job, seed, done, batches, runs, pool)


def _sent(job: Job, seed: str, first: int, batches: int, runs: int, executor: Executor) -> Iterator[Tally | NoOdds]:
    """The tallies of batches played by others, in order."""
    packed = job.packed()
    size = math.ceil((batches - first) / MOST_PIECES)
    starts = range(first, batches, size)
    futures = [executor.submit(play_batches, packed, seed, n, min(n + size, batches), runs) for n in starts]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


# ---------------------------------------------------------------------- the answer


def _sampled(player: Player, tally: Tally, seed: str, choices: str) -> Sampled:
    rules, runs = player.run.program.rules, tally.runs
    grades = [grade for outcome in rules.outcomes.values() for grade in outcome.grades]
    found: dict[str, dict[Any, Counted]] = {"values": {}, "gauges": {}, "joints": {}}
    flags = {}
    for (kind, names), _ in player.watched:
        counts = tally.wanted.get((kind, names), Counter())
        if kind == "flags":
            flags[names[0]] = proportion(counts[True], runs)
        else:
            found[kind][names if kind == "joints" else names[0]] = counted(counts, runs)
    return Sampled(
        runs,
        seed,
        choices,
        {name: proportion(tally.outcomes[name], runs) for name in rules.outcomes},
        {name: proportion(tally.grades[name], runs) for name in grades},
        flags,
        refused={said: proportion(count, runs) for (_, said), count in sorted(tally.refused.items())},
        unfinished=proportion(tally.unfinished, runs) if tally.unfinished else None,
        **found,
    )
