"""The instructions that the machine runs, and the program that holds them with its registers and names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from interpreter.bound import Scope
from interpreter.dice import Die
from interpreter.layout import Layout, Register
from interpreter.model import Action, Label, Path
from interpreter.modified import Part

Tree = ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """`path` is where in the rules it comes from.

    Where there is `about`, it holds the ids of the things whose turn it is in the loops around.
    """

    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class Let(Instruction):
    """Writes a local value."""

    slot: int
    tree: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Count(Instruction):
    """Writes a named number and puts its parts in the trace."""

    slot: int
    tree: Tree
    name: str
    label: Label | None
    parts: tuple[Part, ...]
    hidden_from: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Clamp:
    slot: int
    low: Tree | None
    high: Tree | None


@dataclass(frozen=True, slots=True, eq=False)
class Write(Instruction):
    """Writes kept values: all are read, then all are written, then each of `clamps` is brought within its bounds."""

    items: tuple[tuple[int, Tree], ...]
    clamps: tuple[Clamp, ...]
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Instruction):
    """Goes on when the tree is true, else to `otherwise`."""

    tree: Tree
    otherwise: int


@dataclass(frozen=True, slots=True, eq=False)
class Jump(Instruction):
    to: int


@dataclass(frozen=True, slots=True, eq=False)
class Demand(Instruction):
    """Refuses the run unless the tree is true."""

    tree: Tree
    code: str
    say: Label | None


@dataclass(frozen=True, slots=True, eq=False)
class Note(Instruction):
    """Tells something: `say` with its pieces, or an event. `pieces` alternates texts and trees, by language."""

    kind: str
    name: str
    pieces: Mapping[str, tuple[str | Tree, ...]] = field(default_factory=dict)
    hidden_from: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ListChange(Instruction):
    """Tells what a list takes or loses, which is done once the run is over. `kind` is add or remove.

    `where` is the list, `thing` the id of what is added or taken; a new record has none, and `fields` instead. What is
    not meant is told by no branch, but by `guard`: nothing else in the run depends on it.
    """

    kind: str
    where: str
    thing: str | None
    guard: Tree
    fields: tuple[tuple[str, Tree], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GroupPlan:
    """Dice of one kind: how many, and which die, by the id that `die` gives when it is not always the same."""

    name: str
    count: Tree
    dice: Mapping[str, Die]
    die: Tree
    operations: tuple[OperationPlan, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OperationPlan:
    """An operation on dice: its kind, the tree on each die, and its numbers by name."""

    kind: str
    test: Tree | None
    numbers: Mapping[str, Tree]
    option: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ReadingPlan:
    """`kind` is count, sum, highest, lowest or sets; for sets, `option` says which; `dice`: how many of the highest
    or lowest are added up."""

    name: str
    kind: str
    tree: Tree | None
    option: str
    slot: int
    dice: Tree | None = None

    @property
    def trees(self) -> tuple[Tree, ...]:
        return tuple(tree for tree in (self.tree, self.dice) if tree is not None)


@dataclass(frozen=True, slots=True, eq=False)
class DieSlots:
    """The registers in which trees on a die find it."""

    face: int
    first: int
    value: int
    sides: int
    group: int
    symbols: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Throw(Instruction):
    """Throws dice and writes the readings; `faces` is the register of the dice when they stay on the table.

    `labels` names readings and groups for people.
    """

    name: str
    label: Label | None
    groups: tuple[GroupPlan, ...]
    operations: tuple[OperationPlan, ...]
    readings: tuple[ReadingPlan, ...]
    flat: int
    dice_slot: int
    die_slots: DieSlots
    empty: tuple[Tree, tuple[OperationPlan, ...]] | None
    faces: int | None = None
    hidden_from: str = ""
    about: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Rethrow(Instruction):
    """Throws again some dice that lie on the table."""

    throw: Throw
    where: Tree | None
    how_many: Tree | None


@dataclass(frozen=True, slots=True, eq=False)
class OptionPlan:
    """An option of a choice; `value` is what is written when it is taken."""

    id: str
    label: Label | None
    guard: Tree | None
    value: object
    target: int
    or_say: Label | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pick(Instruction):
    """Waits for a choice. `kind` is options, several, number or text; numbers have bounds, several has a count.

    `scope` has the names that are known where it stands, for policies."""

    name: str
    label: Label | None
    chooser: str
    kind: str
    slot: int
    options: tuple[OptionPlan, ...] = ()
    low: Tree | None = None
    high: Tree | None = None
    hidden: bool = False
    about: tuple[str, ...] = ()
    scope: Scope = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Stop(Instruction):
    """The end."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """An action compiled for the things in play. `scope` gives the names that questions about its end may use."""

    action: str
    rules: Action
    instructions: tuple[Instruction, ...]
    layout: Layout
    scope: Scope
    outcome: int
    grade: int
    inputs: Mapping[str, int]
    kept: tuple[int, ...] = ()

    @property
    def registers(self) -> list[Register]:
        return self.layout.registers
