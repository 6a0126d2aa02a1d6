"""The growing list of instructions, its jump marks, and the names that are visible while it grows."""

from __future__ import annotations

import ast
import dataclasses
from collections import ChainMap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from interpreter.bound import Bound, Scope
from interpreter.expressions import Register, reads, substitute
from interpreter.layout import Layout
from interpreter.model import Code, Path, System
from interpreter.program import Branch, Instruction, Jump, Let, OptionPlan, Pick, Tree, Write
from interpreter.resolve import Resolver

MOST_INSTRUCTIONS = 200_000


class ProgramTooLarge(Exception):
    """The action, written out for the things in play, has more instructions than `MOST_INSTRUCTIONS`."""


@dataclass(slots=True)
class Frame:
    """The names of an action, a side or a called procedure; `prefix` sets its registers and rolls apart from
    others'."""

    prefix: str
    names: ChainMap[str, Bound]
    blocks: tuple[str, ...] = ()
    title: str = ""

    @property
    def scope(self) -> Scope:
        return self.names


@dataclass(slots=True)
class Emitter:
    """What every part of the compiler writes to."""

    system: System
    layout: Layout
    resolver: Resolver
    instructions: list[Instruction] = field(default_factory=list)
    marks: list[int | None] = field(default_factory=list)
    clears: dict[int, str] = field(default_factory=dict)
    turns: list[str] = field(default_factory=list)

    def emit(self, instruction: Instruction) -> None:
        if len(self.instructions) >= MOST_INSTRUCTIONS:
            raise ProgramTooLarge
        self.instructions.append(instruction)

    # ------------------------------------------------------------------ jumps: a mark is a negative number until
    # `finished`

    def mark(self) -> int:
        self.marks.append(None)
        return -len(self.marks)

    def place(self, mark: int) -> None:
        self.marks[-mark - 1] = len(self.instructions)

    def branch(self, tree: Tree, otherwise: int, path: Path) -> bool:
        """Goes on when the tree holds; False when it is known never to, so that nothing need follow."""
        tree = substitute(tree, {})
        if isinstance(tree, ast.Constant):
            if not tree.value:
                self.jump(otherwise, path)
            return bool(tree.value)
        self.emit(Branch(path, tree, otherwise))
        return True

    def jump(self, mark: int, path: Path) -> None:
        self.emit(Jump(path, mark))

    @contextmanager
    def only_when(self, guard: Tree | None, path: Path) -> Iterator[None]:
        """What is emitted within runs only when the guard holds."""
        if guard is None:
            yield
            return
        end = self.mark()
        self.branch(guard, end, path)
        yield
        self.place(end)

    def finished(self) -> tuple[Instruction, ...]:
        def target(mark: int) -> int:
            place = self.marks[-mark - 1] if mark < 0 else mark
            assert place is not None
            return place

        def patched(instruction: Instruction) -> Instruction:
            match instruction:
                case Branch():
                    return dataclasses.replace(instruction, otherwise=target(instruction.otherwise))
                case Jump():
                    return Jump(instruction.path, target(instruction.to))
                case Pick():
                    options = tuple(dataclasses.replace(o, target=target(o.target)) for o in instruction.options)
                    return dataclasses.replace(instruction, options=options)
            return instruction

        for place, period in self.clears.items():
            self._clear_uses(place, period)
        return tuple(map(patched, self.instructions))

    def _clear_uses(self, place: int, period: str) -> None:
        """A period that begins gives back every use that `once_per` spent in it; all are known only at the end."""
        write = self.instructions[place]
        assert isinstance(write, Write)
        spent = [slot for name, slot in self.layout.slots.items() if name.startswith(f"#spent.{period}.")]
        items = (*write.items, *((slot, ast.Constant(False)) for slot in spent))
        self.instructions[place] = dataclasses.replace(write, items=items)

    @contextmanager
    def turn_of(self, thing: str | None) -> Iterator[None]:
        """What is emitted within is about this thing of a loop."""
        if thing is not None:
            self.turns.append(thing)
        yield
        if thing is not None:
            self.turns.pop()

    # ------------------------------------------------------------------ values

    def let(self, name: str, tree: Tree, path: Path) -> Register:
        """Writes a local register and gives its tree."""
        slot = self.layout.local(name)
        self.emit(Let(path, slot, substitute(tree, {})))
        return Register(slot)

    def tree(self, code: Code, frame: Frame) -> Tree:
        return self.resolver.tree(code, frame.scope)

    def guard(self, code: Code | None, frame: Frame) -> Tree | None:
        return self.resolver.condition(code, frame.scope)


def option(name: str, guard: Tree | None, value: object, target: int, **labels: object) -> OptionPlan:
    return OptionPlan(name, labels.get("label"), guard, value, target, labels.get("or_say"))  # type: ignore[arg-type]


__all__ = ["Emitter", "Frame", "ProgramTooLarge", "option", "reads"]
