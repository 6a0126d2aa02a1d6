"""Steps that begin, join and end periods, put sheets under effects, and tell of events."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from interpreter import model
from interpreter.bound import Entity
from interpreter.compiler.emitter import Frame
from interpreter.compiler.writes import things
from interpreter.expressions import Register
from interpreter.model import Code, Path
from interpreter.program import Note, Tree
from interpreter.trees import both

if TYPE_CHECKING:
    from interpreter.compiler.steps import StepCompiler

TRUE, FALSE = ast.Constant(True), ast.Constant(False)


def begin(steps: StepCompiler, step: model.Begin, frame: Frame) -> None:
    members = _members(steps, step.with_, frame)
    begin_period(steps, step.begin, members, step.path)


def begin_period(steps: StepCompiler, period: str, members: list[tuple[Tree | None, Entity]], path: Path) -> None:
    """Opens the period unless it is open, then lets its members join."""
    emitter, layout = steps.emitter, steps.emitter.layout
    is_open, end = layout.world(f"{period}.open"), emitter.mark()
    emitter.branch(ast.UnaryOp(ast.Not(), Register(is_open)), end, path)
    steps.emitter.clears[len(steps.emitter.instructions)] = period
    steps.writer.assign([(is_open, TRUE)], [], "period", path)
    emitter.emit(Note(path, "begins", period))
    steps.writer.tell(lambda upon: upon.begins == period, None)
    emitter.place(end)
    join_period(steps, period, members, path)


def join_period(steps: StepCompiler, period: str, members: list[tuple[Tree | None, Entity]], path: Path) -> None:
    for guard, thing in members:
        slot = steps.emitter.layout.world(f"{period}.member.{thing.id}")
        new = ast.UnaryOp(ast.Not(), Register(slot))
        with steps.emitter.only_when(both(guard, new), path):
            steps.writer.assign([(slot, TRUE)], [], "period", path)
            steps.writer.tell(lambda upon: upon.joins == period, thing)


def join(steps: StepCompiler, step: model.Join, frame: Frame) -> None:
    join_period(steps, step.join, _members(steps, step.with_, frame), step.path)


def _members(steps: StepCompiler, code: Code | None, frame: Frame) -> list[tuple[Tree | None, Entity]]:
    return [] if code is None else list(things(steps.emitter.resolver.bound(code, frame.scope)))


def end(steps: StepCompiler, step: model.End, frame: Frame) -> None:
    end_period(steps, step.end, step.path)


def end_period(steps: StepCompiler, period: str, path: Path) -> None:
    """Closes the period, after those within it; lifts what ends with it; its members are known until its triggers
    are done."""
    emitter, layout, system = steps.emitter, steps.emitter.layout, steps.emitter.system
    is_open, end = layout.world(f"{period}.open"), emitter.mark()
    emitter.branch(Register(is_open), end, path)
    for name, spec in system.periods.items():
        if spec.within == period:
            end_period(steps, name, path)
    lifted = [
        layout.world(f"effect.{name}.{thing.id}")
        for name, effect in system.effects.items()
        if effect.ends == period
        for thing in layout.of_kind(effect.on)
    ]
    steps.writer.assign([(is_open, FALSE), *((slot, FALSE) for slot in lifted)], [], "period", path)
    emitter.emit(Note(path, "ends", period))
    steps.writer.tell(lambda upon: upon.ends == period, None)
    kind = system.periods[period].members
    members = [layout.world(f"{period}.member.{thing.id}") for thing in (layout.of_kind(kind) if kind else ())]
    if members:
        steps.writer.assign([(slot, FALSE) for slot in members], [], "period", path)
    emitter.place(end)


def apply(steps: StepCompiler, step: model.Apply, frame: Frame) -> None:
    _effect(steps, step.apply, step.to, TRUE, step.path, frame)


def lift(steps: StepCompiler, step: model.Lift, frame: Frame) -> None:
    _effect(steps, step.lift, step.from_, FALSE, step.path, frame)


def _effect(steps: StepCompiler, name: str, code: Code | None, value: Tree, path: Path, frame: Frame) -> None:
    bound = frame.scope["self"] if code is None else steps.emitter.resolver.bound(code, frame.scope)
    for guard, thing in things(bound):
        slot = steps.emitter.layout.world(f"effect.{name}.{thing.id}")
        tree = value if guard is None else ast.IfExp(guard, value, Register(slot))
        steps.writer.assign([(slot, tree)], [], "effect", path)
        steps.emitter.emit(Note(path, "effect", f"{name}:{thing.id}"))


def emit(steps: StepCompiler, step: model.Emit, frame: Frame) -> None:
    steps.emitter.emit(Note(step.path, "event", step.emit))
    steps.writer.tell(lambda upon: upon.event == step.emit, None)
