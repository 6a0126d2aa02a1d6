"""What is declared and never used: most often a slip, never an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.walk import steps
from interpreter.model import Action, Apply, Call, Emit, Input, Phases, Procedure

if TYPE_CHECKING:
    from interpreter.checks.context import Context

INPUT = Check(
    "W0401",
    "an input that nothing reads",
    "What is asked is used, unless it is a text for people only.",
    failing="""
actions:
  aim:
    inputs: {distance: {int: 0..5}}
    steps: [{say: We aim.}]
""",
    passing="""
actions:
  aim:
    inputs: {distance: {int: 0..5}}
    steps: [{say: "We aim at {distance} paces."}]
""",
)
TABLE = Check(
    "W0402",
    "a table that nothing reads",
    "A table is used as a set of keys or looked up.",
    failing="""
tables: {places: {columns: [label], rows: {pond: [The pond]}}}
actions: {run: {steps: [{say: We run.}]}}
""",
    passing="""
tables: {places: {columns: [label], rows: {pond: [The pond]}}}
actions:
  run:
    inputs: {goal: {key: table.places}}
    steps: [{say: "Goal: {goal.label}."}]
""",
)
VALUE = Check(
    "W0403",
    "a value that nothing reads",
    "A value counted for an action is used in it.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  run:
    who: {self: hero}
    values: {speed: self.body}
    steps: [{say: We run.}]
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  run:
    who: {self: hero}
    values: {speed: self.body}
    steps: [{say: "We run {speed} paces."}]
""",
)
ASSUMPTION = Check(
    "W0404",
    "an assumption's value that nothing reads",
    "The value of an assumption is read as `assume.name`.",
    failing="""
assumptions: {paces: {value: 3, reason: The book does not say.}}
actions: {run: {steps: [{say: We run.}]}}
""",
    passing="""
assumptions: {paces: {value: 3, reason: The book does not say.}}
actions: {run: {steps: [{say: "We run {assume.paces} paces."}]}}
""",
)
PROCEDURE = Check(
    "W0405",
    "a procedure or a block that nothing uses",
    "A procedure is called, and an action begins with a block.",
    failing="""
procedures: {breathe: {do: [{say: Phew.}]}}
actions: {run: {steps: [{say: We run.}]}}
""",
    passing="""
procedures: {breathe: {do: [{say: Phew.}]}}
actions: {run: {steps: [{call: breathe}]}}
""",
)
EFFECT = Check(
    "W0406",
    "an effect that nothing applies, or an event that nothing tells of",
    "An effect is applied by some step, and the event that a trigger waits for is emitted by some step.",
    failing="""
triggers: {echo: {upon: {event: cry}, do: [{say: An echo answers.}]}}
actions: {shout: {steps: [{say: We shout.}]}}
""",
    passing="""
triggers: {echo: {upon: {event: cry}, do: [{say: An echo answers.}]}}
actions: {shout: {steps: [{emit: cry}]}}
""",
)
CHECKS = (INPUT, TABLE, VALUE, ASSUMPTION, PROCEDURE, EFFECT)


def check_unused(context: Context) -> None:
    _reads(context)
    _words(context)
    _procedures(context)
    _effects(context)


def _reads(context: Context) -> None:
    """Inputs and values that no action in which they stand reads."""
    owners: list[Phases | Procedure] = [*context.system.procedures.values()]
    for action in context.system.actions.values():
        owners += [action, *action.sides.values()]
    for owner in owners:
        for name, spec in owner.inputs.items():
            if spec.path not in context.read_paths and not _for_people(spec):
                context.report.add(INPUT, spec.path, f"Nothing reads the input `{name}`.", on="key")
        for name, value in owner.values.items() if isinstance(owner, Phases) else ():
            if value.path not in context.read_paths:
                context.report.add(VALUE, value.path, f"Nothing reads the value `{name}`.", on="key")


def _for_people(spec: Input) -> bool:
    return spec.text is not None


def _words(context: Context) -> None:
    for name, table in context.system.tables.items():
        if f"table.{name}" not in context.words:
            context.report.add(TABLE, table.path, f"Nothing reads the table `{name}`.", on="key")
    for name, assumption in context.system.assumptions.items():
        if assumption.value is not None and not assumption.at and f"assume.{name}" not in context.words:
            context.report.add(ASSUMPTION, assumption.path, f"Nothing reads `assume.{name}`.", on="key")


def _procedures(context: Context) -> None:
    system = context.system
    parts = (system.actions, system.procedures, system.triggers)
    called = {step.call for part in parts for step in steps(part) if isinstance(step, Call)}
    for name, procedure in system.procedures.items():
        if name not in called:
            context.report.add(PROCEDURE, procedure.path, f"Nothing calls `{name}`.", on="key")
    begun = {block for action in system.actions.values() for phases in _phases(action) for block in phases.begins_with}
    blocks = context.data.get("blocks")
    for name in blocks if isinstance(blocks, Mapping) else ():
        if name not in begun:
            context.report.add(PROCEDURE, ("blocks", name), f"No action begins with the block `{name}`.", on="key")


def _phases(action: Action) -> list[Phases]:
    return [action, *action.sides.values()]


def _effects(context: Context) -> None:
    system = context.system
    every = [step for part in (system.actions, system.procedures, system.triggers) for step in steps(part)]
    applied = {step.apply for step in every if isinstance(step, Apply)}
    emitted = {step.emit for step in every if isinstance(step, Emit)}
    for name, effect in system.effects.items():
        if name not in applied:
            context.report.add(EFFECT, effect.path, f"No step applies the effect `{name}`.", on="key")
    for name, trigger in system.triggers.items():
        event = trigger.upon.event
        if event is not None and event not in emitted:
            message = f"No step emits the event `{event}`, for which `{name}` waits."
            context.report.add(EFFECT, (*trigger.upon.path, "event"), message)
