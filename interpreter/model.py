"""The rule set as frozen data: one dataclass for each construct of `schemas/`, no behaviour.

A field has the name of the schema's key (with a trailing `_` where Python reserves the word). An expression is a `Code`:
its text, and the path in the rule files where it stands, for messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

Path = tuple[str | int, ...]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """An expression as written, and where."""

    text: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A text for people, in one or more languages; `texts` keeps the declared order."""

    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Range:
    """The ends of `a..b`; an open end is None."""

    low: Code | None
    high: Code | None


@dataclass(frozen=True, slots=True)
class Keys:
    """A set of ids to choose from; `table` names the table whose rows they are, `ordered` that they rank from low to high."""

    ids: Names = ()
    table: str | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """What every construct has: its path, its name for people, its place in the book."""

    path: Path = ()
    label: Label | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Step(Node):
    when: Code | None = None


Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Let(Step):
    let: Mapping[str, Code] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Set(Step):
    set: Mapping[str, Code] = field(default_factory=dict)
    crossings: bool = False


@dataclass(frozen=True, slots=True)
class Change(Step):
    change: Mapping[str, Code] = field(default_factory=dict)
    as_: str | None = None


@dataclass(frozen=True, slots=True)
class Pay(Step):
    pay: Mapping[str, Code] = field(default_factory=dict)
    say: Label | None = None


@dataclass(frozen=True, slots=True)
class Transfer(Node):
    from_: Code = Code("")
    to: Code = Code("")
    amount: Code = Code("")


@dataclass(frozen=True, slots=True)
class Move(Step):
    move: Transfer = Transfer()
    as_: str | None = None


@dataclass(frozen=True, slots=True)
class Fill(Step):
    fill: Code = Code("")


@dataclass(frozen=True, slots=True)
class Clear(Step):
    clear: Code = Code("")


@dataclass(frozen=True, slots=True)
class Operation(Node):
    pass


@dataclass(frozen=True, slots=True)
class Explode(Operation):
    explode: Code = Code("")
    into: str = "new_die"
    at_most: Code | None = None


@dataclass(frozen=True, slots=True)
class RerollDice(Operation):
    reroll: Code = Code("")
    how_many: Code | None = None
    how_often: Code | None = None


@dataclass(frozen=True, slots=True)
class Ranked(Node):
    highest: Code | None = None
    lowest: Code | None = None


@dataclass(frozen=True, slots=True)
class Keep(Operation):
    keep: Ranked = Ranked()


@dataclass(frozen=True, slots=True)
class Drop(Operation):
    drop: Ranked = Ranked()


@dataclass(frozen=True, slots=True)
class Replace(Operation):
    replace: Code = Code("")
    by: Code = Code("")


@dataclass(frozen=True, slots=True)
class Group(Node):
    dice: Code = Code("1")
    die: Code | None = None
    do: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class Empty(Node):
    dice: Code = Code("0")
    do: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class RollSpec(Node):
    short: ClassVar[str] = "dice"
    dice: Code | None = None
    die: Code | None = None
    groups: Mapping[str, Group] = field(default_factory=dict)
    do: tuple[Operation, ...] = ()
    count: Mapping[str, Code] = field(default_factory=dict)
    sum: Mapping[str, Code | Mapping[str, Code]] = field(default_factory=dict)
    highest: Mapping[str, Code] = field(default_factory=dict)
    lowest: Mapping[str, Code] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    empty: Empty | None = None
    hidden_from: str = ""


@dataclass(frozen=True, slots=True)
class Roll(Step):
    roll: Mapping[str, RollSpec] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reroll(Step):
    reroll: str = ""
    where: Code | None = None
    how_many: Code | None = None


@dataclass(frozen=True, slots=True)
class Option(Node):
    when: Code | None = None
    or_say: Label | None = None
    once_per: str | None = None
    pay: Mapping[str, Code] = field(default_factory=dict)
    do: Steps = ()


@dataclass(frozen=True, slots=True)
class Choose(Step):
    choose: str = ""
    who: Names = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    number: Range | None = None
    from_: Code | None = None
    where: Code | None = None
    key: Keys | None = None
    count: Range | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Ask(Step):
    ask: Code = Code("")
    who: str = ""


@dataclass(frozen=True, slots=True)
class If(Step):
    if_: Code = Code("")
    then: Steps = ()
    else_: Steps = ()


@dataclass(frozen=True, slots=True)
class ForEach(Step):
    for_each: Code = Code("")
    where: Code | None = None
    order: tuple[Code, ...] = ()
    do: Steps = ()


@dataclass(frozen=True, slots=True)
class Loop(Node):
    until: Code | None = None
    while_: Code | None = None
    times: Code | None = None
    at_most: Code | None = None
    do: Steps = ()


@dataclass(frozen=True, slots=True)
class Repeat(Step):
    repeat: Loop = Loop()


@dataclass(frozen=True, slots=True)
class Call(Step):
    call: str = ""
    with_: Mapping[str, Code] = field(default_factory=dict)
    as_: str | None = None


@dataclass(frozen=True, slots=True)
class Require(Step):
    require: Code = Code("")
    say: Label | None = None


@dataclass(frozen=True, slots=True)
class Say(Step):
    say: Label | None = None
    hidden_from: str = ""


@dataclass(frozen=True, slots=True)
class Begin(Step):
    begin: str = ""
    with_: Code | None = None


@dataclass(frozen=True, slots=True)
class Join(Step):
    join: str = ""
    with_: Code = Code("")


@dataclass(frozen=True, slots=True)
class End(Step):
    end: str = ""


@dataclass(frozen=True, slots=True)
class Apply(Step):
    apply: str = ""
    to: Code | None = None


@dataclass(frozen=True, slots=True)
class Lift(Step):
    lift: str = ""
    from_: Code | None = None


@dataclass(frozen=True, slots=True)
class Emit(Step):
    emit: str = ""


@dataclass(frozen=True, slots=True)
class Finish(Step):
    finish: str = ""


STEP_KINDS: Mapping[str, type[Step]] = {
    "let": Let,
    "set": Set,
    "change": Change,
    "pay": Pay,
    "move": Move,
    "fill": Fill,
    "clear": Clear,
    "roll": Roll,
    "reroll": Reroll,
    "choose": Choose,
    "ask": Ask,
    "if": If,
    "for_each": ForEach,
    "repeat": Repeat,
    "call": Call,
    "require": Require,
    "say": Say,
    "begin": Begin,
    "join": Join,
    "end": End,
    "apply": Apply,
    "lift": Lift,
    "emit": Emit,
    "finish": Finish,
}
OPERATION_KINDS: Mapping[str, type[Operation]] = {
    "explode": Explode,
    "reroll": RerollDice,
    "keep": Keep,
    "drop": Drop,
    "replace": Replace,
}


@dataclass(frozen=True, slots=True)
class Modifier(Node):
    add: Code | None = None
    multiply: Code | None = None
    set: Code | None = None
    divide: Code | None = None
    round: str | None = None
    when: Code | None = None
    best_of: str | None = None


@dataclass(frozen=True, slots=True)
class OutsideModifier(Modifier):
    to: str = ""
    cancel: str | None = None


@dataclass(frozen=True, slots=True)
class Value(Node):
    """A number with named modifiers; also what a derived value is. `each` is the formula for one of `keys`."""

    short: ClassVar[str] = "base"
    base: Code | None = None
    modifiers: Mapping[str, Modifier] = field(default_factory=dict)
    min: Code | None = None
    max: Code | None = None
    stages: Names = ()
    keys: Keys | None = None
    each: Code | None = None
    hidden_from: str = ""


@dataclass(frozen=True, slots=True)
class Input(Node):
    flag: bool | None = None
    int: Range | None = None
    key: Keys | None = None
    text: str | None = None
    pick: Code | None = None
    set_of: Keys | None = None
    one: str | None = None
    where: Code | None = None
    count: Range | None = None
    default: Code | None = None
    optional: bool = False
    asked: str = ""
    hidden_from: str = ""
    when: Code | None = None
    or_say: Label | None = None
    beyond: str = "refuse"
    for_each: str | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Requirement(Node):
    short: ClassVar[str] = "that"
    that: Code = Code("")
    say: Label | None = None


@dataclass(frozen=True, slots=True)
class Grade(Node):
    when: Code = Code("")
    say: Label | None = None


@dataclass(frozen=True, slots=True)
class Outcome(Node):
    when: Code | None = None
    say: Label | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Phases(Node):
    """What actions, blocks and sides share."""

    begins_with: Names = ()
    who: Mapping[str, Names] = field(default_factory=dict)
    several: frozenset[str] = frozenset()
    inputs: Mapping[str, Input] = field(default_factory=dict)
    require: tuple[Requirement, ...] = ()
    before: Steps = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    steps: Steps = ()


@dataclass(frozen=True, slots=True)
class Action(Phases):
    description: Label | None = None
    by: str = ""
    during: str | None = None
    sides: Mapping[str, Phases] = field(default_factory=dict)
    order: tuple[Code, ...] = ()
    report: Mapping[str, Code] = field(default_factory=dict)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    flags: Mapping[str, Code] = field(default_factory=dict)
    after: Steps = ()
    best: Names = ()


@dataclass(frozen=True, slots=True)
class Procedure(Node):
    who: Mapping[str, Names] = field(default_factory=dict)
    several: frozenset[str] = frozenset()
    inputs: Mapping[str, Input] = field(default_factory=dict)
    do: Steps = ()
    gives: Names = ()


@dataclass(frozen=True, slots=True)
class Upon(Node):
    """What sets a trigger off: exactly one of gauge, field, begins, ends, joins, event."""

    gauge: str | None = None
    falls_below: Code | None = None
    rises_to: Code | None = None
    drops_to: Code | None = None
    rises_above: Code | None = None
    changes: str | None = None
    by: Names = ("pay", "change", "move", "fill")
    field: str | None = None
    becomes: Code | None = None
    begins: str | None = None
    ends: str | None = None
    joins: str | None = None
    event: str | None = None


@dataclass(frozen=True, slots=True)
class Trigger(Node):
    upon: Upon = Upon()
    when: Code | None = None
    once_per: str | None = None
    do: Steps = ()


@dataclass(frozen=True, slots=True)
class Stat(Node):
    short: ClassVar[str] = "range"
    keys: Keys | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)
    range: Range | None = None
    default: Code | None = None
    die: Names = ()
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Gauge(Node):
    short: ClassVar[str] = "range"
    keys: Keys | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)
    range: Range | None = None
    min: Code | None = None
    max: Code | Mapping[str, Code] | None = None
    start: Code | Mapping[str, Code] | None = None
    steps: Keys | None = None
    keeps: bool = False
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Field(Node):
    flag: bool | None = None
    int: Range | None = None
    key: Keys | None = None
    text: str | None = None
    many: str | None = None
    one: Names = ()
    set_of: Keys | None = None
    count: Range | None = None
    default: Code | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)
    keys: Keys | None = None
    temporary: bool = False
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Sheet(Node):
    only_one: bool = False
    stats: Mapping[str, Stat] = field(default_factory=dict)
    gauges: Mapping[str, Gauge] = field(default_factory=dict)
    fields: Mapping[str, Field] = field(default_factory=dict)
    derived: Mapping[str, Value] = field(default_factory=dict)
    modifiers: Mapping[str, OutsideModifier] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table(Node):
    """`columns` says what each column holds: "text", "label", "number", "flag", or the ids it may hold."""

    columns: Mapping[str, str | Keys] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    dice: str = ""
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class DieSpec(Node):
    """Faces are whole numbers, or texts of symbols separated by spaces (`_` is blank)."""

    faces: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Period(Node):
    members: str | None = None
    within: str | None = None


@dataclass(frozen=True, slots=True)
class Effect(Node):
    on: str = ""
    ends: str | None = None
    again: str = "refresh"
    modifiers: Mapping[str, OutsideModifier] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Assumption(Node):
    value: Code | None = None
    at: str = ""
    reason: Label | None = None


@dataclass(frozen=True, slots=True)
class Policy(Node):
    choices: Mapping[str, Names] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene(Node):
    action: str = ""
    sheets: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, object] = field(default_factory=dict)
    dice: Mapping[str, object] = field(default_factory=dict)
    choices: tuple[Mapping[str, object], ...] = ()
    expect: Mapping[str, object] = field(default_factory=dict)
    refused: object = None


@dataclass(frozen=True, slots=True)
class Example(Node):
    rules: Names = ()
    like: str | None = None
    action: str | None = None
    create: str | None = None
    sheets: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, object] = field(default_factory=dict)
    during: Names = ()
    dice: Mapping[str, object] = field(default_factory=dict)
    choices: tuple[Mapping[str, object], ...] = ()
    policy: object = None
    expect: Mapping[str, object] = field(default_factory=dict)
    refused: object = None
    odds: Mapping[str, object] = field(default_factory=dict)
    script: tuple[Scene, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class System(Node):
    """A whole rule set, compared by identity. `fingerprint` is a digest of the rules as loaded: a suspended run resumes only under the same one."""

    id: str = ""
    title: Label | None = None
    languages: Names = ("en",)
    version: str = ""
    description: Label | None = None
    fingerprint: str = ""
    symbols: Mapping[str, Label] = field(default_factory=dict)
    dice: Mapping[str, DieSpec] = field(default_factory=dict)
    ladders: Mapping[str, Names] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    records: Mapping[str, Sheet] = field(default_factory=dict)
    sheets: Mapping[str, Sheet] = field(default_factory=dict)
    periods: Mapping[str, Period] = field(default_factory=dict)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    procedures: Mapping[str, Procedure] = field(default_factory=dict)
    actions: Mapping[str, Action] = field(default_factory=dict)
    triggers: Mapping[str, Trigger] = field(default_factory=dict)
    assumptions: Mapping[str, Assumption] = field(default_factory=dict)
    policies: Mapping[str, Policy] = field(default_factory=dict)
    characters: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    narrative: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, Example] = field(default_factory=dict)
