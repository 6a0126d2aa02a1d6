"""How a simulated run answers its choices: by a policy, by the exact odds, or with what is open first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from threading import RLock
from typing import Any

from interpreter import dice
from interpreter.expressions import Compiled, prepare
from interpreter.machine import NeedChoice, Run
from interpreter.odds.graph import Graph, Region
from interpreter.odds.kept import Hand
from interpreter.odds.limits import Budget
from interpreter.odds.policies import Ruler, policy_named
from interpreter.odds.question import Inquiry
from interpreter.odds.solve import Solver
from interpreter.program import Pick

SOLVED = ("best", "worst")
Test = Compiled | None
Lines = Sequence[tuple["tuple[str, ...] | Compiled", Test]]


class Answers:
    """Answers the choices of one action as odds do that are asked in the same way."""

    def __init__(self, inquiry: Inquiry, registers: Callable[[Run], Sequence[Any]]) -> None:
        asking = inquiry.asking
        written = dict(asking.policy or {})
        solved = asking.choices in SOLVED
        if not solved and asking.choices != "first":
            written = {**policy_named(inquiry.system, asking.choices), **written}
        self.registers = registers
        self.best = Best(inquiry) if solved else None
        ruler = Ruler(inquiry.program, lambda: inquiry.questions, written, not solved)
        self.lines: dict[int, Lines | None] = {}
        for position, item in enumerate(inquiry.program.instructions):
            if isinstance(item, Pick):
                rules = ruler(item)
                self.lines[position] = (
                    None if rules is None else [(_ready(answer), _test(test)) for answer, test in rules]
                )

    def __call__(self, run: Run, need: NeedChoice) -> Any:
        lines = self.lines[run.position]
        if lines is None and self.best is not None and need.kind != "text":
            return self.best(run, need)
        if lines:
            values = self.registers(run)
            for answer, test in lines:
                if test is None or test(values):
                    found = _FITS[need.kind](need, answer if isinstance(answer, tuple) else answer(values))
                    if found is not None:
                        return found
        return first_answer(need)


def _ready(answer: Any) -> tuple[str, ...] | Compiled:
    return answer if isinstance(answer, tuple) else prepare(answer)


def _test(tree: Any) -> Test:
    return None if tree is None else prepare(tree)


def _open(need: NeedChoice) -> list[str]:
    return [option.id for option in need.options if option.open]


def first_answer(need: NeedChoice) -> Any:
    """The first option that is open, the lowest number, the fewest of several."""
    if need.kind == "several":
        return tuple(_open(need)[: need.low or 0])
    if need.kind == "number":
        return need.low
    return "" if need.kind == "text" else _open(need)[0]


# What a policy answers, if it can be answered now.


def _fits_options(need: NeedChoice, wanted: Any) -> Any:
    return wanted[0] if len(wanted) == 1 and wanted[0] in _open(need) else None


def _fits_several(need: NeedChoice, wanted: Any) -> Any:
    opened = _open(need)
    most = len(opened) if need.high is None else need.high
    fits = set(wanted) <= set(opened) and (need.low or 0) <= len(set(wanted)) <= most
    return tuple(one for one in opened if one in wanted) if fits else None


def _fits_number(need: NeedChoice, wanted: Any) -> Any:
    low, high = need.low, need.high
    fits = isinstance(wanted, int) and not isinstance(wanted, bool) and (low is None or low <= wanted)
    return wanted if fits and (high is None or wanted <= high) else None


def _fits_text(need: NeedChoice, wanted: Any) -> Any:
    return None


_FITS: Mapping[str, Callable[[NeedChoice, Any], Any]] = {
    "options": _fits_options,
    "several": _fits_several,
    "number": _fits_number,
    "text": _fits_text,
}


# ---------------------------------------------------------------------- the best answers


class Best:
    """Answers a choice as exact odds from there on find best. What was found out once is kept.

    Several threads may ask; they take turns.
    """

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.solvers: dict[int, tuple[Solver | None, Graph, Region]] = {}
        self.known: dict[tuple[int, tuple[Any, ...]], str] = {}
        self.lock = RLock()

    def __call__(self, run: Run, need: NeedChoice) -> Any:
        with self.lock:
            solver, graph, region = self._at(run.position)
            key = tuple([self._held(run.registers[slot]) for slot in region.layout])
            name = self.known.get((run.position, key))
            if name is None:
                place = solver.choice((region, key)) if solver is not None else 0
                name = self.known[run.position, key] = graph.answers(region, key)[place]
        return _READERS[need.kind](need, name)

    def _held(self, value: Any) -> Any:
        return self.inquiry.hands.setdefault(value, Hand(value)) if isinstance(value, dice.Table) else value

    def _at(self, position: int) -> tuple[Solver | None, Graph, Region]:
        """The graph of all that can follow a choice, whatever has come before it."""
        if position not in self.solvers:
            inquiry = self.inquiry
            goals = [goal.tree for goal in inquiry.goals]
            here = copy(inquiry)
            here.run = inquiry.run._replace(position=position, need=None)
            flow = here.flow(goals, inquiry.study.written)
            budget = Budget(inquiry.asking.limits, inquiry.asking.clock)
            graph = inquiry.graph(flow, [*goals, *inquiry.study.base], budget)
            self.solvers[position] = inquiry.solver(flow, graph), graph, graph.region(flow.start)
        return self.solvers[position]


_READERS: Mapping[str, Callable[[NeedChoice, str], Any]] = {
    "options": lambda need, name: name,
    "several": lambda need, name: tuple(part for part in name.split(", ") if part),
    "number": lambda need, name: int(name),
}
