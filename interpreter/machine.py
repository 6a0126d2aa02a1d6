"""The step machine: `advance(run)` runs instructions until the run needs a roll or a choice, is done, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from interpreter import dice
from interpreter.expressions import EvaluationError, prepare
from interpreter.layout import State
from interpreter.model import Label, Path
from interpreter.modified import Part
from interpreter.pools import dice_slots, pool_of, prepared, reroll_of
from interpreter.program import (
    Branch,
    Count,
    Demand,
    Instruction,
    Jump,
    Let,
    Note,
    Pick,
    Program,
    Rethrow,
    Stop,
    Throw,
    Tree,
    Write,
)

MOST_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the trace: what kind of thing happened, to what, and the numbers. `about`: the things whose turn it was."""

    kind: str
    name: str
    value: object = None
    label: Label | None = None
    detail: tuple[Any, ...] = ()
    hidden_from: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NeedRoll:
    """Dice to throw. `again` is set when only dice that lie on the table are thrown, from `table`."""

    name: str
    label: Label | None
    pool: dice.Pool
    again: dice.Reroll | None = None
    table: dice.Table | None = None
    about: tuple[str, ...] = ()
    quick: dice.Quick | None = field(default=None, compare=False, repr=False)

    def throw(self, source: dice.Source) -> dice.Result:
        """The dice thrown by a source of faces."""
        if self.quick is not None:
            return self.quick.throw(source)
        if self.again is not None and self.table is not None:
            return dice.throw_again(self.pool, self.table, self.again, source)
        return dice.throw(self.pool, source)

    def given(self, faces: dice.Faces) -> dice.Result:
        """The dice as people threw them; a DiceError says what is missing, left over or not on the die."""
        if self.again is not None and self.table is not None:
            return dice.throw_again_given(self.pool, self.table, self.again, faces)
        return dice.throw_given(self.pool, faces)


@dataclass(frozen=True, slots=True)
class OpenOption:
    """An option as it stands now: closed ones say why, if the rules do."""

    id: str
    label: Label | None
    open: bool
    why_not: Label | None = None


@dataclass(frozen=True, slots=True)
class NeedChoice:
    """A choice to make. `kind` is options, several, number or text; `low` and `high` bound a number or how many."""

    name: str
    label: Label | None
    chooser: str
    kind: str
    options: tuple[OpenOption, ...] = ()
    low: int | None = None
    high: int | None = None
    hidden: bool = False
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The run is over."""

    outcome: str | None
    grade: str | None


@dataclass(frozen=True, slots=True)
class Refused:
    """The run cannot go on and nothing is changed by it. `code` says which kind of refusal it is."""

    code: str
    message: str
    label: Label | None = None
    path: Path = ()


Need = NeedRoll | NeedChoice | Done | Refused


@dataclass(slots=True, eq=False)
class Origin:
    """What all runs have in common that begin in one state with one request; worked out once, and then left alone.

    `first` is the run at what it needs first. `settled` is the state after a run that changed nothing that is kept.
    """

    registers: tuple[Any, ...]
    first: tuple[Run, Need] | None = None
    settled: State | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A suspended action: where it is, its registers, the table as it was when it began, and its trace so far."""

    program: Program
    state: State
    registers: tuple[Any, ...]
    position: int = 0
    trace: tuple[Entry, ...] = ()
    request: Mapping[str, object] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False, repr=False)


class _Refusal(Exception):
    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


Values = list[Any]
Trace = list[Entry]
Act = Callable[[Values, Trace], int | None]


def advance(run: Run, answer: object = None) -> tuple[Run, Need]:
    """Runs on from where the run stands; `answer` settles what it waited for: a dice.Result or faces, or a choice.

    A wrong answer gives Refused with the run as it was, to be answered again.
    """
    origin = run.origin
    if answer is not None or run.position or origin is None:
        return _advance(run, answer)
    if origin.first is None:
        origin.first = _advance(run, None)
    return origin.first


def _advance(run: Run, answer: object) -> tuple[Run, Need]:
    values, trace = list(run.registers), list(run.trace)
    try:
        position = run.position
        if answer is not None:
            instruction = run.program.instructions[position]
            position = _ANSWERS[type(instruction)](instruction, values, trace, answer, position)
        position, need = _go(run.program, values, trace, position)
    except _Refusal as refusal:
        return run, refusal.refused
    return Run(run.program, run.state, tuple(values), position, tuple(trace), run.request, run.origin), need


def _go(program: Program, values: Values, trace: Trace, position: int) -> tuple[int, Need]:
    acts = compiled(program)
    instructions = program.instructions
    try:
        for _ in range(MOST_STEPS):
            following = acts[position](values, trace)
            if following is None:
                instruction = instructions[position]
                need = _NEEDS[type(instruction)](program, instruction, values)
                if not isinstance(need, _Taken):
                    return position, need
                following = _ANSWERS[type(instruction)](instruction, values, trace, need.answer, position)
            position = following
    except EvaluationError as error:
        raise _Refusal(Refused("arithmetic", error.message, None, instructions[position].path)) from error
    except dice.DiceError as error:
        raise _Refusal(Refused("dice", str(error), None, instructions[position].path)) from error
    raise _Refusal(
        Refused("limit", f"The action made {MOST_STEPS} steps without an end.", None, instructions[position].path)
    )


@lru_cache(maxsize=512)
def compiled(program: Program) -> tuple[Act, ...]:
    """Each instruction as a function of the registers that gives the next position, or None to wait."""
    return tuple(_COMPILERS[type(item)](program, item, i) for i, item in enumerate(program.instructions))


# ---------------------------------------------------------------------- instructions that run by themselves


def _let(program: Program, item: Let, position: int) -> Act:
    slot, compute, following = item.slot, prepare(item.tree), position + 1

    def act(values: Values, trace: Trace) -> int:
        values[slot] = compute(values)
        return following

    return act


def _count(program: Program, item: Count, position: int) -> Act:
    slot, compute, following = item.slot, prepare(item.tree), position + 1
    parts = [_part(part) for part in item.parts]

    def act(values: Values, trace: Trace) -> int:
        total = values[slot] = compute(values)
        detail = tuple(found for part in parts if (found := part(values)) is not None)
        trace.append(Entry("value", item.name, total, item.label, detail, item.hidden_from))
        return following

    return act


def _part(part: Part) -> Callable[[Values], tuple[Any, ...] | None]:
    """A part of a number as its trace shows it: (id, label, operation, amount, terms), or None when it does not
    count."""
    amount, guard = prepare(part.amount), None if part.guard is None else prepare(part.guard)
    terms = [(term.kind, prepare(term.name), prepare(term.amount)) for term in part.terms]

    def look(values: Values) -> tuple[Any, ...] | None:
        if guard is not None and not guard(values):
            return None
        named = tuple((kind, name(values), number(values)) for kind, name, number in terms)
        return part.id, part.label, part.operation, amount(values), named

    return look


def _write(program: Program, item: Write, position: int) -> Act:
    items = [(slot, prepare(tree)) for slot, tree in item.items]
    clamps = [
        (
            clamp.slot,
            prepare(clamp.low) if clamp.low is not None else None,
            prepare(clamp.high) if clamp.high is not None else None,
        )
        for clamp in item.clamps
    ]
    slots = list(dict.fromkeys([slot for slot, _ in items] + [slot for slot, _, _ in clamps]))
    names = [program.registers[slot].name for slot in slots]
    following = position + 1

    def act(values: Values, trace: Trace) -> int:
        before = [values[slot] for slot in slots]
        new = [compute(values) for _, compute in items]
        for (slot, _), value in zip(items, new, strict=True):
            values[slot] = value
        for slot, low, high in clamps:
            if high is not None and values[slot] > (most := high(values)):
                values[slot] = most
            if low is not None and values[slot] < (least := low(values)):
                values[slot] = least
        for slot, name, old in zip(slots, names, before, strict=True):
            if values[slot] != old:
                trace.append(Entry("change", name, values[slot], None, (old, item.kind)))
        return following

    return act


def _branch(program: Program, item: Branch, position: int) -> Act:
    test, following, otherwise = prepare(item.tree), position + 1, item.otherwise
    return lambda values, trace: following if test(values) else otherwise


def _jump(program: Program, item: Jump, position: int) -> Act:
    to = item.to
    return lambda values, trace: to


def _demand(program: Program, item: Demand, position: int) -> Act:
    test, following = prepare(item.tree), position + 1

    def act(values: Values, trace: Trace) -> int:
        if not test(values):
            raise _Refusal(Refused(item.code, _DEMANDS[item.code], item.say, item.path))
        return following

    return act


_DEMANDS = {"require": "What the action requires does not hold.", "pay": "There is not enough to pay with."}


def _note(program: Program, item: Note, position: int) -> Act:
    following = position + 1
    pieces = {
        language: [piece if isinstance(piece, str) else prepare(piece) for piece in parts]
        for language, parts in item.pieces.items()
    }
    if not pieces:
        entry = Entry(item.kind, item.name, None, None, (), item.hidden_from)
        return lambda values, trace: trace.append(entry) or following  # type: ignore[func-returns-value]

    def act(values: Values, trace: Trace) -> int:
        texts = {
            language: "".join(piece if isinstance(piece, str) else str(piece(values)) for piece in parts)
            for language, parts in pieces.items()
        }
        trace.append(Entry(item.kind, item.name, None, Label(texts), (), item.hidden_from))
        return following

    return act


def _wait(program: Program, item: Instruction, position: int) -> Act:
    return lambda values, trace: None


# ---------------------------------------------------------------------- what a run waits for


@dataclass(frozen=True, slots=True)
class _Taken:
    """A choice that is none: the only open option is taken at once."""

    answer: object


def _need_roll(program: Program, item: Throw, values: Values) -> Need:
    pool, quick = prepared(item, values)
    return NeedRoll(item.name, item.label, pool, about=item.about, quick=quick)


def _need_reroll(program: Program, item: Rethrow, values: Values) -> Need:
    plan, again = item.throw, reroll_of(item, values)
    assert plan.faces is not None
    return NeedRoll(plan.name, plan.label, pool_of(plan, values), again, values[plan.faces], plan.about)


def _need_choice(program: Program, item: Pick, values: Values) -> Need | _Taken:
    low: int | None = None if item.low is None else prepare(item.low)(values)
    high: int | None = None if item.high is None else prepare(item.high)(values)
    options = open_options(item, values)
    opened = [one for one in options if one.open]
    if item.kind == "number" and low is not None and (high is None or low >= high):
        return _Taken(low)
    if item.kind == "options" and len(opened) <= 1:
        return _Taken(opened[0].id if opened else _Taken)
    if item.kind == "several":
        high = len(opened) if high is None else min(high, len(opened))
        low = min(low or 0, high)
        if low == len(opened):
            return _Taken(tuple(one.id for one in opened))
    return NeedChoice(item.name, item.label, item.chooser, item.kind, options, low, high, item.hidden, item.about)


def open_options(item: Pick, values: Values) -> tuple[OpenOption, ...]:
    """The options of a choice, each open or not as the registers stand."""
    return tuple(
        OpenOption(one.id, one.label, one.guard is None or bool(prepare(one.guard)(values)), one.or_say)
        for one in item.options
    )


def _need_nothing(program: Program, item: Stop, values: Values) -> Need:
    return Done(values[program.outcome], values[program.grade])


# ---------------------------------------------------------------------- answers


def _answer_roll(item: Throw | Rethrow, values: Values, trace: Trace, answer: Any, position: int) -> int:
    plan = item if isinstance(item, Throw) else item.throw
    result = answer if isinstance(answer, dice.Result) else _thrown(item, values, answer)
    found = dict(result.readings)
    readings = []
    for name, slot in dice_slots(plan):
        values[slot] = value = found[name] + plan.flat
        readings.append((name, value))
    if isinstance(item, Throw):
        values[item.dice_slot] = found["dice"]
    if plan.faces is not None:
        values[plan.faces] = result.table
    kind = "roll" if isinstance(item, Throw) else "reroll"
    trace.append(Entry(kind, plan.name, result.log, plan.label, tuple(readings), plan.hidden_from, plan.about))
    return position + 1


def _thrown(item: Throw | Rethrow, values: Values, faces: Any) -> dice.Result:
    need = _need_roll(None, item, values) if isinstance(item, Throw) else _need_reroll(None, item, values)  # type: ignore[arg-type]
    assert isinstance(need, NeedRoll)
    try:
        return need.given(faces)
    except dice.DiceError as error:
        raise _Refusal(Refused("dice", str(error), None, item.path)) from error


def _answer_choice(item: Pick, values: Values, trace: Trace, answer: Any, position: int) -> int:
    if answer is _Taken:
        values[item.slot] = None
        return position + 1
    value, following = _CHOICES[item.kind](item, values, answer, position)
    values[item.slot] = value
    trace.append(Entry("choice", item.name, value, item.label, (item.chooser,), "", item.about))
    return following


def _refuse_answer(item: Pick, message: str) -> _Refusal:
    return _Refusal(Refused("choice", message, None, item.path))


def _one_option(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    for one, plan in zip(open_options(item, values), item.options, strict=True):
        if one.id == answer:
            if not one.open:
                raise _refuse_answer(item, f"`{answer}` cannot be chosen now.")
            return plan.value, plan.target
    ids = ", ".join(one.id for one in item.options)
    raise _refuse_answer(item, f"`{answer}` is no option of `{item.name}`: {ids}.")


def _several_options(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    chosen = [answer] if isinstance(answer, str) else list(answer)
    for one in chosen:
        _one_option(item, values, one, position)
    need = _need_choice(None, item, values)  # type: ignore[arg-type]
    if isinstance(need, NeedChoice) and not (need.low or 0) <= len(set(chosen)) == len(chosen) <= (
        need.high or len(chosen)
    ):
        raise _refuse_answer(item, f"`{item.name}` takes {need.low} to {need.high} different options.")
    following = item.options[0].target if item.options else position + 1
    return tuple(one.id for one in item.options if one.id in chosen), following


def _a_number(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    assert item.low is not None
    assert item.high is not None
    low, high = prepare(item.low)(values), prepare(item.high)(values)
    if isinstance(answer, bool) or not isinstance(answer, int) or not (low <= answer <= max(low, high)):
        raise _refuse_answer(item, f"`{item.name}` is a whole number from {low} to {high}.")
    return answer, position + 1


def _a_text(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    if not isinstance(answer, str):
        raise _refuse_answer(item, f"`{item.name}` is a text.")
    return answer, position + 1


_CHOICES: Mapping[str, Callable[[Pick, Values, Any, int], tuple[object, int]]] = {
    "options": _one_option,
    "several": _several_options,
    "number": _a_number,
    "text": _a_text,
}
_COMPILERS: Mapping[type[Instruction], Callable[[Program, Any, int], Act]] = {
    Let: _let,
    Count: _count,
    Write: _write,
    Branch: _branch,
    Jump: _jump,
    Demand: _demand,
    Note: _note,
    Throw: _wait,
    Rethrow: _wait,
    Pick: _wait,
    Stop: _wait,
}
_NEEDS: Mapping[type[Instruction], Callable[[Program, Any, Values], Need | _Taken]] = {
    Throw: _need_roll,
    Rethrow: _need_reroll,
    Pick: _need_choice,
    Stop: _need_nothing,
}
_ANSWERS: Mapping[type[Instruction], Callable[[Any, Values, Trace, Any, int], int]] = {
    Throw: _answer_roll,
    Rethrow: _answer_roll,
    Pick: _answer_choice,
}


def evaluate(tree: Tree, values: Iterable[Any]) -> object:
    """A tree's value with the registers of a run."""
    return prepare(tree)(list(values))
