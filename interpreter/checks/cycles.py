"""Things that depend on themselves: derived values, first values and bounds, calls, periods, triggers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.graph import cycles
from interpreter.checks.walk import steps
from interpreter.model import Call
from interpreter.problems import some_of

if TYPE_CHECKING:
    from interpreter.checks.context import Context

CALLS = Check(
    "E0406",
    "procedures that call themselves",
    "A procedure never calls itself, directly or through others: repeating is for `repeat`.",
    failing="""
procedures:
  fall: {do: [{call: tumble}]}
  tumble: {do: [{call: fall}]}
actions:
  slip:
    steps: [{call: fall}]
""",
    passing="""
procedures:
  fall: {do: [{call: tumble}]}
  tumble: {do: [{say: We tumble.}]}
actions:
  slip:
    steps: [{call: fall}]
""",
)
PERIODS = Check(
    "E0408",
    "a period within itself",
    "A period within another ends with it, so that none is within itself.",
    failing="""
periods:
  night: {within: watch}
  watch: {within: night}
actions:
  sleep:
    steps: [{begin: night}]
""",
    passing="""
periods:
  night:
  watch: {within: night}
actions:
  sleep:
    steps: [{begin: night}]
""",
)
CHECKS = (CALLS, PERIODS)


def check_cycles(context: Context) -> None:
    _calls(context)
    _periods(context)


def chain(names: Iterable[str]) -> str:
    """Things that lead to one another in a circle."""
    return " → ".join(some_of(names))


def _calls(context: Context) -> None:
    procedures = context.system.procedures
    calls = {
        name: [step for step in steps(spec.do) if isinstance(step, Call) and step.call in procedures]
        for name, spec in procedures.items()
    }
    for cycle in cycles(calls, lambda name: [step.call for step in calls[name]]):
        links = [
            (name, following, next(step.path for step in calls[name] if step.call == following))
            for name, following in pairwise(cycle)
        ]
        related = tuple((f"`{name}` calls `{other}`", (*path, "call")) for name, other, path in links[1:])
        message = f"This never ends: {chain(cycle)}."
        context.report.add(
            CALLS, (*links[0][2], "call"), message, "Write a `repeat` for what happens several times.", related=related
        )


def _periods(context: Context) -> None:
    periods = context.system.periods
    within = {name: [spec.within] if spec.within in periods else [] for name, spec in periods.items()}
    for cycle in cycles(periods, lambda name: [str(other) for other in within[name]]):
        message = f"A period cannot be within itself: {chain(cycle)}."
        context.report.add(PERIODS, (*periods[cycle[0]].path, "within"), message)
