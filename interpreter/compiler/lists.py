"""Steps that change lists: add and remove."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter import model
from interpreter.bound import Bound, Reference, tree_of
from interpreter.compiler.emitter import Frame
from interpreter.compiler.writes import things
from interpreter.expressions import substitute
from interpreter.fields import ListInfo, constant_range, kind_of
from interpreter.layout import Entity, listed_name
from interpreter.model import Code
from interpreter.program import ListChange, Tree
from interpreter.resolve import parsed
from interpreter.trees import call

if TYPE_CHECKING:
    from interpreter.compiler.steps import StepCompiler

List = tuple[Tree | None, Entity, ListInfo]


def add(steps: StepCompiler, step: model.Add, frame: Frame) -> None:
    for guard, owner, listed in _lists(steps, step.to, frame):
        with steps.emitter.only_when(guard, step.path):
            if isinstance(step.add, Mapping):
                fields = tuple(_fields(steps, step.add, listed, frame))
                steps.emitter.emit(ListChange(step.path, "add", listed_name(owner, listed), None, fields))
            else:
                _of_things(steps, step, "add", step.add, listed_name(owner, listed), frame)


def remove(steps: StepCompiler, step: model.Remove, frame: Frame) -> None:
    if step.from_ is None:
        _of_things(steps, step, "remove", step.remove, "", frame)
        return
    for guard, owner, listed in _lists(steps, step.from_, frame):
        with steps.emitter.only_when(guard, step.path):
            _of_things(steps, step, "remove", step.remove, listed_name(owner, listed), frame)


def _lists(steps: StepCompiler, code: Code, frame: Frame) -> Iterator[List]:
    """Every list that `self.list` or `thing.list` can mean, with the condition under which it does."""
    node = parsed(code.text)
    assert isinstance(node, ast.Attribute)
    for guard, owner in things(steps.emitter.resolver.visit(node.value, frame.scope)):
        for listed in owner.kind.lists:
            if listed.name == node.attr:
                yield guard, owner, listed


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


def _of_things(steps: StepCompiler, step: model.Step, kind: str, code: Code, where: str, frame: Frame) -> None:
    """One change for each thing that is meant."""
    bound = steps.emitter.resolver.bound(code, frame.scope)
    each: list[tuple[Tree | None, Bound]] = [(None, bound)] if isinstance(bound, Reference) else [*things(bound)]
    for guard, thing in each:
        with steps.emitter.only_when(guard, step.path):
            steps.emitter.emit(ListChange(step.path, kind, where, substitute(tree_of(thing), {})))
