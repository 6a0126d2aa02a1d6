"""The rule set as frozen data: one dataclass for each construct of `schemas/`, no behaviour.

A field has the name of the schema's key (with a trailing `_` where Python reserves it). An expression is a `Code`:
its text, and the path in the rule files where it stands, for messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from interpreter.frozen import Frozen

Path = tuple[str | int, ...]
Names = tuple[str, ...]
EMPTY: Mapping[str, Any] = {}


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
    """A set of ids to choose from; `table` names the table whose rows they are, `ordered` that they rank from low to
    high."""

    ids: Names = ()
    table: str | None = None
    ordered: bool = False


class Node(Frozen):
    """What every construct has: its path, its name for people, its place in the book."""

    path: Path = ()
    label: Label | None = None
    source: str = ""


class Step(Node):
    when: Code | None = None


Steps = tuple[Step, ...]


class Let(Step):
    let: Mapping[str, Code] = EMPTY


class Set(Step):
    set: Mapping[str, Code] = EMPTY
    crossings: bool = False


class Change(Step):
    change: Mapping[str, Code] = EMPTY
    as_: str | None = None


class Pay(Step):
    pay: Mapping[str, Code] = EMPTY
    say: Label | None = None


class Transfer(Node):
    from_: Code = Code("")
    to: Code = Code("")
    amount: Code = Code("")


class Move(Step):
    move: Transfer = Transfer()
    as_: str | None = None


class Fill(Step):
    fill: Code = Code("")


class Clear(Step):
    clear: Code = Code("")


class Add(Step):
    add: Code | Mapping[str, Code] = EMPTY
    to: Code = Code("")


class Remove(Step):
    remove: Code = Code("")
    from_: Code | None = None


class Operation(Node):
    pass


class Explode(Operation):
    explode: Code = Code("")
    into: str = "new_die"
    at_most: Code | None = None


class RerollDice(Operation):
    reroll: Code = Code("")
    how_many: Code | None = None
    how_often: Code | None = None


class Ranked(Node):
    highest: Code | None = None
    lowest: Code | None = None


class Keep(Operation):
    keep: Ranked = Ranked()


class Drop(Operation):
    drop: Ranked = Ranked()


class Replace(Operation):
    replace: Code = Code("")
    by: Code = Code("")


class Group(Node):
    dice: Code = Code("1")
    die: Code | None = None
    do: tuple[Operation, ...] = ()


class Empty(Node):
    dice: Code = Code("0")
    do: tuple[Operation, ...] = ()


class Extremes(Node):
    short: ClassVar[str] = "of"
    dice: Code | None = None
    of: Code = Code("")


class RollSpec(Node):
    short: ClassVar[str] = "dice"
    dice: Code | None = None
    die: Code | None = None
    groups: Mapping[str, Group] = EMPTY
    do: tuple[Operation, ...] = ()
    count: Mapping[str, Code] = EMPTY
    sum: Mapping[str, Code | Mapping[str, Code]] = EMPTY
    highest: Mapping[str, Extremes] = EMPTY
    lowest: Mapping[str, Extremes] = EMPTY
    sets: Mapping[str, str] = EMPTY
    labels: Mapping[str, Label] = EMPTY
    empty: Empty | None = None
    hidden_from: str = ""


class Roll(Step):
    roll: Mapping[str, RollSpec] = EMPTY


class Reroll(Step):
    reroll: str = ""
    where: Code | None = None
    how_many: Code | None = None


class Option(Node):
    when: Code | None = None
    or_say: Label | None = None
    once_per: str | None = None
    pay: Mapping[str, Code] = EMPTY
    do: Steps = ()


class Choose(Step):
    choose: str = ""
    who: Names = ()
    options: Mapping[str, Option] = EMPTY
    number: Range | None = None
    from_: Code | None = None
    where: Code | None = None
    key: Keys | None = None
    count: Range | None = None
    hidden: bool = False


class Ask(Step):
    ask: Code = Code("")
    who: str = ""


class If(Step):
    if_: Code = Code("")
    then: Steps = ()
    else_: Steps = ()


class ForEach(Step):
    for_each: Code = Code("")
    where: Code | None = None
    order: tuple[Code, ...] = ()
    do: Steps = ()


class Loop(Node):
    until: Code | None = None
    while_: Code | None = None
    times: Code | None = None
    at_most: Code | None = None
    do: Steps = ()


class Repeat(Step):
    repeat: Loop = Loop()


class Call(Step):
    call: str = ""
    with_: Mapping[str, Code] = EMPTY
    as_: str | None = None


class Require(Step):
    require: Code = Code("")
    say: Label | None = None


class Say(Step):
    say: Label | None = None
    hidden_from: str = ""


class Begin(Step):
    begin: str = ""
    with_: Code | None = None


class Join(Step):
    join: str = ""
    with_: Code = Code("")


class End(Step):
    end: str = ""


class Apply(Step):
    apply: str = ""
    to: Code | None = None


class Lift(Step):
    lift: str = ""
    from_: Code | None = None


class Emit(Step):
    emit: str = ""


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
    "add": Add,
    "remove": Remove,
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


class Modifier(Node):
    add: Code | None = None
    multiply: Code | None = None
    set: Code | None = None
    divide: Code | None = None
    round: str | None = None
    when: Code | None = None
    best_of: str | None = None


class OutsideModifier(Modifier):
    to: str = ""
    cancel: str | None = None


class Value(Node):
    """A number with named modifiers; also what a derived value is. `each` is the formula for one of `keys`."""

    short: ClassVar[str] = "base"
    base: Code | None = None
    modifiers: Mapping[str, Modifier] = EMPTY
    min: Code | None = None
    max: Code | None = None
    stages: Names = ()
    keys: Keys | None = None
    each: Code | None = None
    hidden_from: str = ""


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
    labels: Mapping[str, Label] = EMPTY


class Requirement(Node):
    short: ClassVar[str] = "that"
    that: Code = Code("")
    say: Label | None = None


class Grade(Node):
    when: Code = Code("")
    say: Label | None = None


class Outcome(Node):
    when: Code | None = None
    say: Label | None = None
    grades: Mapping[str, Grade] = EMPTY


class Phases(Node):
    """What actions, blocks and sides share."""

    begins_with: Names = ()
    who: Mapping[str, Names] = EMPTY
    several: frozenset[str] = frozenset()
    inputs: Mapping[str, Input] = EMPTY
    require: tuple[Requirement, ...] = ()
    before: Steps = ()
    values: Mapping[str, Value] = EMPTY
    steps: Steps = ()


class Action(Phases):
    description: Label | None = None
    by: str = ""
    during: str | None = None
    sides: Mapping[str, Phases] = EMPTY
    order: tuple[Code, ...] = ()
    report: Mapping[str, Code] = EMPTY
    outcomes: Mapping[str, Outcome] = EMPTY
    flags: Mapping[str, Code] = EMPTY
    labels: Mapping[str, Label] = EMPTY
    after: Steps = ()
    best: Names = ()


class Procedure(Node):
    who: Mapping[str, Names] = EMPTY
    several: frozenset[str] = frozenset()
    inputs: Mapping[str, Input] = EMPTY
    do: Steps = ()
    gives: Names = ()


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


class Trigger(Node):
    upon: Upon = Upon()
    when: Code | None = None
    once_per: str | None = None
    do: Steps = ()


class Stat(Node):
    short: ClassVar[str] = "range"
    keys: Keys | None = None
    labels: Mapping[str, Label] = EMPTY
    range: Range | None = None
    default: Code | None = None
    die: Names = ()
    was: str | None = None


class Gauge(Node):
    short: ClassVar[str] = "range"
    keys: Keys | None = None
    labels: Mapping[str, Label] = EMPTY
    range: Range | None = None
    min: Code | None = None
    max: Code | Mapping[str, Code] | None = None
    start: Code | Mapping[str, Code] | None = None
    steps: Keys | None = None
    keeps: bool = False
    was: str | None = None


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
    labels: Mapping[str, Label] = EMPTY
    keys: Keys | None = None
    temporary: bool = False
    was: str | None = None


class Sheet(Node):
    only_one: bool = False
    stats: Mapping[str, Stat] = EMPTY
    gauges: Mapping[str, Gauge] = EMPTY
    fields: Mapping[str, Field] = EMPTY
    derived: Mapping[str, Value] = EMPTY
    modifiers: Mapping[str, OutsideModifier] = EMPTY


class Table(Node):
    """`columns` says what each column holds: "text", "label", "number", "flag", or the ids it may hold."""

    columns: Mapping[str, str | Keys] = EMPTY
    rows: Mapping[str, Mapping[str, object]] = EMPTY
    dice: str = ""
    labels: Mapping[str, Label] = EMPTY
    ordered: bool = False


class DieSpec(Node):
    """Faces are whole numbers, or texts of symbols separated by spaces (`_` is blank)."""

    faces: tuple[int | str, ...] = ()


class Period(Node):
    members: str | None = None
    within: str | None = None


class Effect(Node):
    on: str = ""
    ends: str | None = None
    again: str = "refresh"
    modifiers: Mapping[str, OutsideModifier] = EMPTY


class Assumption(Node):
    value: Code | None = None
    at: str = ""
    reason: Label | None = None


class Policy(Node):
    choices: Mapping[str, Names] = EMPTY


class Scene(Node):
    action: str = ""
    sheets: Mapping[str, object] = EMPTY
    inputs: Mapping[str, object] = EMPTY
    dice: Mapping[str, object] = EMPTY
    choices: tuple[Mapping[str, object], ...] = ()
    expect: Mapping[str, object] = EMPTY
    refused: object = None


class Example(Node):
    rules: Names = ()
    like: str | None = None
    action: str | None = None
    create: str | None = None
    sheets: Mapping[str, object] = EMPTY
    inputs: Mapping[str, object] = EMPTY
    during: Names = ()
    dice: Mapping[str, object] = EMPTY
    choices: tuple[Mapping[str, object], ...] = ()
    policy: object = None
    expect: Mapping[str, object] = EMPTY
    refused: object = None
    odds: Mapping[str, object] = EMPTY
    script: tuple[Scene, ...] = ()


class System(Node):
    """A whole rule set. `fingerprint` is a digest of the rules as loaded: a suspended run resumes only under the
    same one."""

    id: str = ""
    title: Label | None = None
    languages: Names = ("en",)
    version: str = ""
    description: Label | None = None
    fingerprint: str = ""
    symbols: Mapping[str, Label] = EMPTY
    dice: Mapping[str, DieSpec] = EMPTY
    ladders: Mapping[str, Names] = EMPTY
    tables: Mapping[str, Table] = EMPTY
    people: Mapping[str, Label] = EMPTY
    records: Mapping[str, Sheet] = EMPTY
    sheets: Mapping[str, Sheet] = EMPTY
    periods: Mapping[str, Period] = EMPTY
    effects: Mapping[str, Effect] = EMPTY
    procedures: Mapping[str, Procedure] = EMPTY
    actions: Mapping[str, Action] = EMPTY
    triggers: Mapping[str, Trigger] = EMPTY
    assumptions: Mapping[str, Assumption] = EMPTY
    policies: Mapping[str, Policy] = EMPTY
    characters: Mapping[str, Mapping[str, object]] = EMPTY
    narrative: Mapping[str, str] = EMPTY
    examples: Mapping[str, Example] = EMPTY
