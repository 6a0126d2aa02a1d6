"""Policies: the answers that they give and when, read where the choices stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from interpreter.checks.reader import parsed
from interpreter.checks.scopes import FLAG, WHOLE, Place
from interpreter.expressions import Expression, Thing, Type
from interpreter.model import Choose, Code, Path

if TYPE_CHECKING:
    from interpreter.checks.context import Context

Reading = tuple[Place, Type, Sequence[Expression]]


class Policies:
    """Choices of several actions may share a name, and a policy with it: what can be read at one of them is right."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.doubtful: dict[Code, Reading] = {}
        self.right: set[Code] = set()

    def look(self, step: Choose, place: Place, facts: Sequence[Expression], known: bool) -> None:
        """Looks from a choice; `known` says that all names that an answer may use are known there, as they are not in
        a procedure, whose callers have names of their own."""
        for code, want in self._expressions(step):
            if code not in self.right:
                if self._is_right(code, (place, want, facts), known):
                    self.right.add(code)
                self.doubtful.setdefault(code, (place, want, facts))

    def _is_right(self, code: Code, reading: Reading, known: bool) -> bool:
        expression = parsed(code.text)
        if isinstance(expression, tuple):
            return False
        if not known or any(_is_side(reading[0], node) for node in ast.walk(expression.tree)):
            return True
        with self.context.report.muted():
            typed = self.context.reader.read(code, *reading)
        return typed is not None and not typed.faults

    def check(self) -> None:
        """Tells of what none of its choices could make sense of."""
        for code, (place, want, facts) in self.doubtful.items():
            if code not in self.right:
                self.context.reader.read(code, place, want, facts)

    def _expressions(self, step: Choose) -> Iterator[tuple[Code, Type]]:
        for policy in self.context.system.policies.values():
            for name, written in policy.choices.items():
                path: Path = (*policy.path, "choices", name)
                listed = isinstance(self.context.value_at(path), list)
                for place, text in enumerate(written if name.rpartition(".")[2] == step.choose else ()):
                    where = (*path, place) if listed else path
                    answer, found, condition = (part.strip() for part in text.partition(" when "))
                    if found:
                        yield Code(condition, where), FLAG
                    if step.number is not None:
                        yield Code(answer, where), WHOLE


def _is_side(place: Place, node: ast.AST) -> bool:
    """Whether a name is that of a side, which is not known as a whole before the end."""
    found = place.lookup(node.id) if isinstance(node, ast.Name) else None
    return isinstance(found, Thing) and found.nature == "side"
