"""The stretch that a run goes by itself, from where it stands to what it needs next, remembered by what it reads."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import Any

from interpreter.acts import Act, Refusal, Trace, Values, act_of, following, reads_of
from interpreter.asked import Entry, Refused
from interpreter.expressions import EvaluationError
from interpreter.program import Program
from interpreter.sayings import refusal

MOST_STEPS = 1_000_000
# A stretch that reads more registers than this is not remembered: the same values would hardly ever come again.
MOST_READ = 40
MOST_REMEMBERED = 4096

# What a stretch told: one and the same object each time that it goes the same way.
Told = tuple[Entry, ...] | None
Go = Callable[[Values, Trace], tuple[int, Told]]
Went = tuple[int, tuple[tuple[int, Any], ...], tuple[Entry, ...]]


class _Noting(list[Any]):
    """Registers that note which of them are written."""

    def __init__(self, values: Values) -> None:
        super().__init__(values)
        self.written: dict[int, None] = {}

    def __setitem__(self, slot: Any, value: Any) -> None:
        self.written[slot] = None
        super().__setitem__(slot, value)


class Way:
    """A program made ready to run."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.acts: tuple[Act | None, ...] = tuple(act_of(program, i) for i in range(len(program.instructions)))
        self.stretches: dict[int, Go] = {}

    def go(self, values: Values, trace: Trace, position: int) -> tuple[int, Told]:
        """Runs on to the next instruction that waits or ends the run; gives its position, and what was told on the way
        where that is remembered."""
        if self.acts[position] is None:
            return position, None
        known = self.stretches.get(position)
        if known is None:
            known = self.stretches[position] = self._stretch(position)
        return known(values, trace)

    def _stretch(self, start: int) -> Go:
        slots = sorted(self._reads(start))
        if len(slots) > MOST_READ:
            return lambda values, trace: (self._run(values, trace, start), None)
        read: Callable[[Values], Any] = itemgetter(*slots) if slots else lambda values: ()
        remembered: dict[Any, Went] = {}

        def go(values: Values, trace: Trace) -> tuple[int, Told]:
            key = read(values)
            went = remembered.get(key)
            if went is None:
                went = self._noted(values, start)
                if len(remembered) >= MOST_REMEMBERED:
                    remembered.clear()
                remembered[key] = went
            position, written, told = went
            for slot, value in written:
                values[slot] = value
            trace += told
            return position, told

        return go

    def _reads(self, start: int) -> set[int]:
        """All that can be looked at on any way from here to the next instruction that waits."""
        seen, waiting, found = set(), [start], set()
        while waiting:
            position = waiting.pop()
            if position in seen:
                continue
            seen.add(position)
            item = self.program.instructions[position]
            found |= reads_of(item)
            waiting += following(item, position)
        return found

    def _noted(self, values: Values, start: int) -> Went:
        noting = _Noting(values)
        told: Trace = []
        position = self._run(noting, told, start)
        return position, tuple((slot, noting[slot]) for slot in noting.written), tuple(told)

    def _run(self, values: Values, trace: Trace, position: int) -> int:
        acts = self.acts
        try:
            for _ in range(MOST_STEPS):
                act = acts[position]
                if act is None:
                    return position
                position = act(values, trace)
        except EvaluationError as error:
            raise Refusal(Refused("arithmetic", error.message, None, self._path(position))) from error
        raise Refusal(refusal("limit", "endless_steps", self._path(position), number=MOST_STEPS))

    def _path(self, position: int) -> tuple[str | int, ...]:
        return self.program.instructions[position].path


@lru_cache(maxsize=512)
def way_of(program: Program) -> Way:
    """The program made ready to run, once."""
    return Way(program)
