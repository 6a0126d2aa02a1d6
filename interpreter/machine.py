"""The step machine: `advance(run)` runs instructions until the run needs a roll or a choice, is done, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from interpreter import dice
from interpreter.acts import Refusal, Trace, Values
from interpreter.asked import Done, Entry, Need, NeedChoice, NeedRoll, OpenOption, Refused
from interpreter.expressions import EvaluationError, prepare
from interpreter.layout import State
from interpreter.pools import dice_slots, pool_of, prepared, reroll_of
from interpreter.program import Instruction, Pick, Program, Rethrow, Stop, Throw, Tree
from interpreter.sayings import refusal
from interpreter.snapshot import FixedDict
from interpreter.stretch import MOST_STEPS, Told, way_of

NOTHING: Mapping[str, object] = FixedDict()
MOST_ROLLED = 512


@dataclass(slots=True, eq=False)
class Origin:
    """What all runs have in common that begin in one state with one request; worked out once, and then left alone.

    `first` is the run at what it needs first; where that is a roll, `rolled` has what follows by what the dice read.
    `settled` is the state after a run that changed nothing that is kept.
    """

    registers: tuple[Any, ...]
    first: tuple[Run, Need] | None = None
    rolled: dict[object, tuple[Run, Need]] = field(default_factory=dict)
    settled: State | None = None


class Run(NamedTuple):
    """A suspended action: where it is, its registers, the table as it was when it began, and its trace so far."""

    program: Program
    state: State
    registers: tuple[Any, ...]
    position: int = 0
    trace: tuple[Entry, ...] = ()
    request: Mapping[str, object] = NOTHING
    origin: Origin | None = None
    # The end of the trace, where runs that go the same way share it.
    told: Told = None
    # What it waits for, where that has been worked out.
    need: Need | None = None


def advance(run: Run, answer: object = None) -> tuple[Run, Need]:
    """Runs on from where the run stands; `answer` settles what it waited for: a dice.Result or faces, or a choice.

    A wrong answer gives Refused with the run as it was, to be answered again.
    """
    if answer is not None:
        return _rolled(run, answer) if type(answer) is dice.Result else _advance(run, answer)
    if run.need is not None:
        return run, run.need
    origin = run.origin
    if origin is None or run.position:
        return _advance(run, None)
    if origin.first is None:
        origin.first = _advance(run, None)
    return origin.first


def _rolled(run: Run, result: dice.Result) -> tuple[Run, Need]:
    """The run after a roll. After a first one that reads the same as another, only the faces in the trace differ."""
    origin = run.origin
    if origin is None or origin.first is None or run is not origin.first[0]:
        return _advance(run, result)
    known = origin.rolled.get(result.asked)
    if known is None:
        known, item = _advance(run, result), run.program.instructions[run.position]
        if isinstance(item, Throw) and item.faces is None and known[0] is not run:
            if len(origin.rolled) >= MOST_ROLLED:
                origin.rolled.clear()
            origin.rolled[result.asked] = known
        return known
    moved, need = known
    before = len(run.trace)
    kind, name, _, label, detail, hidden_from, about = moved.trace[before]
    entry = Entry(kind, name, result.log, label, detail, hidden_from, about)
    trace = (*run.trace, entry, *moved.trace[before + 1 :])
    _, state, registers, position, _, request, _, told, _ = moved
    return Run(run.program, state, registers, position, trace, request, origin, told, need), need


def _advance(run: Run, answer: object) -> tuple[Run, Need]:
    program, values, position = run.program, list(run.registers), run.position
    instructions, way = program.instructions, way_of(program)
    trace: Trace = []
    told: Told = None
    try:
        if answer is not None:
            position = _answered(instructions[position], values, trace, answer, position)
        for _ in range(MOST_STEPS):
            position, told = way.go(values, trace, position)
            need = _needed(program, instructions[position], values)
            if not isinstance(need, _Taken):
                whole = (*run.trace, *trace)
                moved = Run(program, run.state, tuple(values), position, whole, run.request, run.origin, told, need)
                return moved, need
            position = _answered(instructions[position], values, trace, need.answer, position)
    except Refusal as error:
        return run, error.refused
    return run, refusal("limit", "endless_choices", instructions[position].path, number=MOST_STEPS)


def _needed(program: Program, item: Instruction, values: Values) -> Need | _Taken:
    try:
        return _NEEDS[type(item)](program, item, values)
    except (EvaluationError, dice.DiceError) as error:
        raise _refusal(item, error) from error


def _answered(item: Instruction, values: Values, trace: Trace, answer: object, position: int) -> int:
    act = _ANSWERS.get(type(item))
    if act is None:
        raise Refusal(refusal("over", "not_waiting", item.path))
    try:
        return act(item, values, trace, answer, position)
    except (EvaluationError, dice.DiceError) as error:
        raise _refusal(item, error) from error


def _refusal(item: Instruction, error: EvaluationError | dice.DiceError) -> Refusal:
    code = "arithmetic" if isinstance(error, EvaluationError) else "dice"
    return Refusal(Refused(code, str(error), None, item.path))


# ---------------------------------------------------------------------- what a run waits for


@dataclass(frozen=True, slots=True)
class _Taken:
    """A choice that is none: the only open option is taken at once."""

    answer: object


def _need_roll(program: Program, item: Throw, values: Values) -> Need:
    pool, quick = prepared(item, values)
    return NeedRoll(item.name, item.label, pool, None, None, item.about, item.hidden_from, quick)


def _need_reroll(program: Program, item: Rethrow, values: Values) -> Need:
    plan, again = item.throw, reroll_of(item, values)
    assert plan.faces is not None
    pool, table = pool_of(plan, values), values[plan.faces]
    return NeedRoll(plan.name, plan.label, pool, again, table, plan.about, plan.hidden_from)


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
    return _done(values[program.outcome], values[program.grade])


@lru_cache(maxsize=1024)
def _done(outcome: str | None, grade: str | None) -> Done:
    return Done(outcome, grade)


# ---------------------------------------------------------------------- answers


def _answer_roll(item: Throw | Rethrow, values: Values, trace: Trace, answer: Any, position: int) -> int:
    plan = item if isinstance(item, Throw) else item.throw
    result = answer if isinstance(answer, dice.Result) else _thrown(item, values, answer)
    readings, flat = [], plan.flat
    for (name, slot), (thrown, number) in zip(dice_slots(plan), result.asked, strict=False):
        if name != thrown:
            raise Refusal(refusal("dice", "other_dice", item.path))
        values[slot] = value = number + flat
        readings.append((name, value))
    if item is plan:
        values[plan.dice_slot] = result["dice"]
    if plan.faces is not None:
        values[plan.faces] = result.table
    kind = "roll" if isinstance(item, Throw) else "reroll"
    trace.append(Entry(kind, plan.name, result.log, plan.label, tuple(readings), plan.hidden_from, plan.about))
    return position + 1


def _thrown(item: Throw | Rethrow, values: Values, faces: Any) -> dice.Result:
    need = _need_roll(None, item, values) if isinstance(item, Throw) else _need_reroll(None, item, values)  # type: ignore[arg-type]
    assert isinstance(need, NeedRoll)
    return need.given(faces)


def _answer_choice(item: Pick, values: Values, trace: Trace, answer: Any, position: int) -> int:
    if answer is _Taken:
        values[item.slot] = None
        return position + 1
    value, following = _CHOICES[item.kind](item, values, answer, position)
    values[item.slot] = value
    trace.append(Entry("choice", item.name, value, item.label, (item.chooser,), "", item.about))
    return following


def _refuse_answer(item: Pick, what: str, **values: object) -> Refusal:
    return Refusal(refusal("choice", what, item.path, choice=item.name, **values))


def _one_option(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    for one, plan in zip(open_options(item, values), item.options, strict=True):
        if one.id == answer:
            if not one.open:
                raise _refuse_answer(item, "closed_option", option=answer)
            return plan.value, plan.target
    ids = ", ".join(one.id for one in item.options)
    raise _refuse_answer(item, "no_option", option=answer, known=ids)


def _several_options(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    chosen = list(answer) if isinstance(answer, list | tuple) else [answer]
    for one in chosen:
        _one_option(item, values, one, position)
    need = _need_choice(None, item, values)  # type: ignore[arg-type]
    if isinstance(need, NeedChoice) and not (need.low or 0) <= len(set(chosen)) == len(chosen) <= (
        need.high or len(chosen)
    ):
        raise _refuse_answer(item, "options_wanted", low=need.low, high=need.high)
    following = item.options[0].target if item.options else position + 1
    return tuple(one.id for one in item.options if one.id in chosen), following


def _a_number(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    assert item.low is not None
    assert item.high is not None
    low, high = prepare(item.low)(values), prepare(item.high)(values)
    if isinstance(answer, bool) or not isinstance(answer, int) or not (low <= answer <= max(low, high)):
        raise _refuse_answer(item, "number_wanted", low=low, high=high)
    return answer, position + 1


def _a_text(item: Pick, values: Values, answer: Any, position: int) -> tuple[object, int]:
    if not isinstance(answer, str):
        raise _refuse_answer(item, "text_wanted")
    return answer, position + 1


_CHOICES: Mapping[str, Callable[[Pick, Values, Any, int], tuple[object, int]]] = {
    "options": _one_option,
    "several": _several_options,
    "number": _a_number,
    "text": _a_text,
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


__all__ = [
    "Done",
    "Entry",
    "Need",
    "NeedChoice",
    "NeedRoll",
    "OpenOption",
    "Origin",
    "Refused",
    "Run",
    "advance",
    "evaluate",
]
