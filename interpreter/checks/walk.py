"""Every part of a model of one sort, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from interpreter.frozen import Frozen
from interpreter.model import Choose, Code, Move, Node, Range, Step, System

T = TypeVar("T")


def every(value: object, kind: type[T]) -> Iterator[T]:
    """Every part of a value that is of a kind, from the outside in and in the order written."""
    waiting: list[object] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, kind):
            yield item
        if isinstance(item, Mapping):
            waiting += reversed(list(item.values()))
        elif isinstance(item, tuple | list):
            waiting += reversed(item)
        elif isinstance(item, Frozen):
            waiting += [getattr(item, name) for name in reversed(item.FIELDS)]


def steps(value: object) -> Iterator[Step]:
    return every(value, Step)


def targets_of(step: Step) -> Iterator[str]:
    """The texts of what a step writes."""
    for key in ("set", "change", "pay"):
        yield from getattr(step, key, None) or ()
    if isinstance(step, Move):
        yield from (step.move.from_.text, step.move.to.text)
    for key in ("fill", "clear", "ask"):
        code = getattr(step, key, None)
        if isinstance(code, Code):
            yield code.text
    for option in step.options.values() if isinstance(step, Choose) else ():
        yield from option.pay


def ranges(system: System) -> Iterator[Range]:
    """The ranges of inputs and choices; those of sheets are looked at with their bounds."""
    for part in (system.actions, system.procedures, system.triggers):
        yield from every(part, Range)


def nodes(value: object) -> Iterator[tuple[tuple[str | int, ...], Node]]:
    """Every construct with its path."""
    return ((node.path, node) for node in every(value, Node))
