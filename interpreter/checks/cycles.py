"""Things that depend on themselves: derived values, first values and bounds, calls, periods, triggers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.graph import cycles
from interpreter.checks.reader import parsed
from interpreter.checks.walk import steps
from interpreter.expressions import Expression
from interpreter.model import Call, Path

if TYPE_CHECKING:
    from interpreter.checks.context import Context

CALLS = Check(
    "E0406",
    "procedures that call themselves",
    "A procedure never calls itself, directly or through others: repeating is for `repeat`.",
    failing="""
procedures:
  tomber: {do: [{call: rouler}]}
  rouler: {do: [{call: tomber}]}
actions:
  glisser:
    steps: [{call: tomber}]
""",
    passing="""
procedures:
  tomber: {do: [{call: rouler}]}
  rouler: {do: [{say: On roule.}]}
actions:
  glisser:
    steps: [{call: tomber}]
""",
)
PERIODS = Check(
    "E0408",
    "a period within itself",
    "A period within another ends with it, so that none is within itself.",
    failing="""
periods:
  nuit: {within: veillee}
  veillee: {within: nuit}
actions:
  dormir:
    steps: [{begin: nuit}]
""",
    passing="""
periods:
  nuit:
  veillee: {within: nuit}
actions:
  dormir:
    steps: [{begin: nuit}]
""",
)
CHECKS = (CALLS, PERIODS)


def check_cycles(context: Context) -> None:
    _calls(context)
    _periods(context)


def chain(names: Iterable[str]) -> str:
    return " → ".join(f"`{name}`" for name in names)


def _calls(context: Context) -> None:
    procedures = context.system.procedures
    calls = {
        name: [step for step in steps(spec.do) if isinstance(step, Call) and step.call in procedures]
        for name, spec in procedures.items()
    }
    for cycle in cycles(calls, lambda name: [step.call for step in calls[name]]):
        paths: list[Path] = []
        for name, following in zip(cycle, cycle[1:], strict=False):
            step = next(step for step in calls[name] if step.call == following)
            paths.append((*step.path, "call"))
        related = tuple(
            (f"`{name}` calls `{after}`", path)
            for name, after, path in zip(cycle[1:], cycle[2:], paths[1:], strict=False)
        )
        message = f"This never ends: {chain(cycle)}."
        context.report.add(
            CALLS, paths[0], message, "Write a `repeat` for what happens several times.", related=related
        )


def _periods(context: Context) -> None:
    periods = context.system.periods
    within = {name: [spec.within] if spec.within in periods else [] for name, spec in periods.items()}
    for cycle in cycles(periods, lambda name: [str(other) for other in within[name]]):
        message = f"A period cannot be within itself: {chain(cycle)}."
        context.report.add(PERIODS, (*periods[cycle[0]].path, "within"), message)


def attributes_of(text: str) -> Iterator[ast.Attribute]:
    expression = parsed(text)
    if isinstance(expression, Expression):
        yield from (node for node in ast.walk(expression.tree) if isinstance(node, ast.Attribute))


__all__ = ["CHECKS", "Mapping", "attributes_of", "chain", "check_cycles"]
