"""Steps that change lists: add and remove."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter import model
from interpreter.compiler.emitter import Frame
from interpreter.compiler.writes import things
from interpreter.expressions import Register, substitute
from interpreter.fields import ListInfo, constant_range, kind_of
from interpreter.layout import RECORD_MARK, Entity, listed_name
from interpreter.model import Code
from interpreter.program import ListChange, Tree
from interpreter.resolve import parsed
from interpreter.trees import both, call

if TYPE_CHECKING:
    from interpreter.compiler.steps import StepCompiler

Guard = Tree | None


def add(steps: StepCompiler, step: model.Add, frame: Frame) -> None:
    for guard, where, listed in _lists(steps, step.to, frame):
        if isinstance(step.add, Mapping):
            fields = tuple(_fields(steps, step.add, listed, frame))
            steps.emitter.emit(ListChange(step.path, "add", where, None, both(guard, None), fields))
            continue
        for which, thing in _things(steps, step.add, frame):
            name, copied = (None, _copied(steps, thing)) if listed.owned else (thing.id, ())
            steps.emitter.emit(ListChange(step.path, "add", where, name, both(guard, which), copied))


def remove(steps: StepCompiler, step: model.Remove, frame: Frame) -> None:
    """A record is in the list that its id names, and in no other."""
    named = [(guard, where) for guard, where, _ in _lists(steps, step.from_, frame)] if step.from_ is not None else None
    for which, thing in _things(steps, step.remove, frame):
        own = thing.id.rpartition(RECORD_MARK)[0]
        for guard, where in [(None, own)] if named is None else named:
            if own in ("", where):
                steps.emitter.emit(ListChange(step.path, "remove", where, thing.id, both(guard, which)))


def _lists(steps: StepCompiler, code: Code, frame: Frame) -> Iterator[tuple[Guard, str, ListInfo]]:
    """Every list that `self.list` or `thing.list` can mean, with the condition under which it does."""
    node = parsed(code.text)
    assert isinstance(node, ast.Attribute)
    for guard, owner in things(steps.emitter.resolver.visit(node.value, frame.scope)):
        for listed in owner.kind.lists:
            if listed.name == node.attr:
                yield guard, listed_name(owner, listed), listed


def _things(steps: StepCompiler, code: Code, frame: Frame) -> tuple[tuple[Guard, Entity], ...]:
    return things(steps.emitter.resolver.bound(code, frame.scope))


def _copied(steps: StepCompiler, record: Entity) -> tuple[tuple[str, Tree], ...]:
    """The fields of a new record that holds what another one does."""
    slot = steps.emitter.layout.value_slot
    return tuple((info.dotted, Register(slot(record, info))) for info in record.kind.fields)


def _fields(
    steps: StepCompiler, given: Mapping[str, Code], listed: ListInfo, frame: Frame
) -> Iterator[tuple[str, Tree]]:
    """The values of a new record, numbers within the plain ends of their range; others are known with the record."""
    for info in kind_of(steps.emitter.system, listed.kind).fields:
        if info.dotted not in given:
            continue
        tree = steps.writer.coerce(given[info.dotted], info, frame)
        low, high = constant_range(info.spec) if info.sort == "number" else (None, None)
        tree = tree if high is None else call("min", tree, ast.Constant(high))
        tree = tree if low is None else call("max", tree, ast.Constant(low))
        yield info.dotted, substitute(tree, {})
