"""Runs played in batches, each with dice of its own, so that it does not matter who plays which batch, or when."""

from __future__ import annotations

import hashlib
import pickle
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from interpreter import dice
from interpreter.expressions import Compiled, prepare
from interpreter.layout import State
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.odds import Asking, NoOdds
from interpreter.odds.limits import OddsError
from interpreter.odds.question import Inquiry
from interpreter.program import Program, Write
from interpreter.recent import Recent
from interpreter.registers import grow
from interpreter.simulate.answers import Answers
from interpreter.start import Request, begin

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """All that a worker needs, and nothing that cannot be sent to it: the rules, the table, what is asked.

    `answers`: at most so many rolls and choices in a run.
    """

    system: System
    state: State
    request: Request
    asking: Asking
    answers: int

    def packed(self) -> bytes:
        """The job as bytes. The clock stays at home."""
        return pickle.dumps(replace(self, asking=replace(self.asking, clock=_NO_CLOCK)), pickle.HIGHEST_PROTOCOL)


def _no_clock() -> float:
    return 0.0


_NO_CLOCK = _no_clock


@dataclass(slots=True)
class Tally:
    """What came how often."""

    runs: int = 0
    unfinished: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    grades: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    wanted: dict[tuple[str, tuple[str, ...]], Counter[Any]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        self.runs += other.runs
        self.unfinished += other.unfinished
        self.outcomes += other.outcomes
        self.grades += other.grades
        self.refused += other.refused
        for key, counts in other.wanted.items():
            self.wanted.setdefault(key, Counter()).update(counts)


# ---------------------------------------------------------------------- one run after another


class Player:
    """Plays the runs of a job."""

    def __init__(self, job: Job) -> None:
        run = begin(job.system, job.state, job.request)
        if isinstance(run, Refused):
            raise OddsError(NoOdds(run.code, run.message, run.label))
        self.job = job
        self.run = run
        self.inquiry = Inquiry(job.system, run, job.asking)
        self.answers = Answers(self.inquiry, self.registers)
        self.watched = list(self._watched())
        self.begun = advance(run)
        layout, more = run.program.layout, list(run.registers)
        grow(layout, run.state, more)
        self.more = tuple(more[len(run.registers) :])

    def registers(self, run: Run) -> Sequence[Any]:
        """The registers of a run with those that questions have made since."""
        return (*run.registers, *self.more) if self.more else run.registers

    def _watched(self) -> list[tuple[tuple[str, tuple[str, ...]], list[Compiled]]]:
        """What is looked at when a run is over: a key for its counts, and the trees."""
        found = [((one.kind, one.names), [prepare(tree) for tree in one.trees]) for one in self.inquiry.wanted]
        if self.job.asking.gauges:
            found += [(("gauges", (name,)), [_reads(slot)]) for name, slot in moved_gauges(self.run.program)]
        return found

    def play(self, source: dice.Source, tally: Tally) -> None:
        """One run to its end, counted."""
        tally.runs += 1
        run, need = self.begun
        for _ in range(self.job.answers):
            if isinstance(need, Done | Refused):
                break
            answer = self._thrown(need, source) if isinstance(need, NeedRoll) else self.answers(run, need)
            if isinstance(answer, Refused):
                need = answer
                break
            run, need = advance(run, answer)
        self._count(run, need, tally)

    def _thrown(self, need: NeedRoll, source: dice.Source) -> Any:
        try:
            return need.throw(source)
        except dice.DiceError as error:
            return Refused("dice", f"{error}.")

    def _count(self, run: Run, need: Need, tally: Tally) -> None:
        if isinstance(need, Refused):
            tally.refused[need.code, need.said] += 1
            return
        if isinstance(need, NeedRoll | NeedChoice):
            tally.unfinished += 1
            return
        if need.outcome is not None:
            tally.outcomes[need.outcome] += 1
        if need.grade is not None:
            tally.grades[need.grade] += 1
        values, wanted = self.registers(run), tally.wanted
        for key, trees in self.watched:
            found = trees[0](values) if len(trees) == 1 else tuple([tree(values) for tree in trees])
            counts = wanted[key]
            counts[found] = counts.get(found, 0) + 1

    def batch(self, seed: str, number: int, runs: int) -> Tally:
        """The runs of one batch: its dice hang on nothing but the seed and its number."""
        key = hashlib.sha256(f"osselet sample 1:{seed}:{number}".encode()).digest()
        source = dice.from_random(random.Random(int.from_bytes(key, "big")))
        tally = Tally(wanted={key: Counter() for key, _ in self.watched})
        for _ in range(min(BATCH, runs - number * BATCH)):
            self.play(source, tally)
        return tally


def moved_gauges(program: Program) -> list[tuple[str, int]]:
    """The values of sheets that a run may write, by name."""
    written = {slot for item in program.instructions if isinstance(item, Write) for slot, _ in item.items}
    found = []
    for slot in sorted(written):
        register = program.registers[slot]
        lasting = register.info is not None and not getattr(register.info.spec, "temporary", False)
        if lasting and register.part == "now":
            found.append((register.name, slot))
    return found


def _reads(slot: int) -> Callable[[Sequence[Any]], Any]:
    return lambda values: values[slot]


# ---------------------------------------------------------------------- in a worker

_PLAYERS: Recent[Player] = Recent(4)


def play_batches(packed: bytes, seed: str, first: int, last: int, runs: int) -> Tally | NoOdds:
    """The batches from `first` to before `last` of a job, in a worker that keeps the job for the next time."""
    key = hashlib.sha256(packed).digest()
    try:
        player = _PLAYERS.of(key, lambda: Player(pickle.loads(packed)))
        return played(player, seed, first, last, runs)
    except OddsError as error:
        return error.answer


def played(player: Player, seed: str, first: int, last: int, runs: int) -> Tally:
    tally = Tally()
    for number in range(first, last):
        tally.add(player.batch(seed, number, runs))
    return tally
