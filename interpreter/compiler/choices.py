"""Steps at which someone chooses or is asked for a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Any

from interpreter import model
from interpreter.bound import Bound, Entity, Many, Reference, Scalar, constant, space
from interpreter.compiler.emitter import Frame, option
from interpreter.compiler.writes import things
from interpreter.expressions import Register
from interpreter.program import OptionPlan, Pick, Tree
from interpreter.trees import all_of, both, compare

if TYPE_CHECKING:
    from interpreter.compiler.steps import StepCompiler

ZERO, TRUE, NOTHING = ast.Constant(0), ast.Constant(True), ast.Constant(None)
NONE_CHOSEN = ast.Constant(())  # type: ignore[arg-type]


def forget(steps: StepCompiler, within: model.Steps, frame: Frame, before: Set[str] = frozenset()) -> None:
    """What these steps choose only on some ways is not chosen yet, whatever they chose when they were last done.

    A choice among `before` was made outside them, and stands until it is made again.
    """
    for step in _occasional(within):
        full = f"{frame.prefix}{step.choose}"
        if len(step.who) < 2 and full not in before:
            steps.chosen.discard(full)
            steps.emitter.let(full, NOTHING if step.count is None else NONE_CHOSEN, step.path)


def _occasional(steps: model.Steps, always: bool = True) -> Iterator[model.Choose]:
    """The choices that some way through these steps passes by."""
    for step in steps:
        match step:
            case model.Choose():
                if not always or step.when is not None:
                    yield step
                for one in step.options.values():
                    yield from _occasional(one.do, False)
            case model.If():
                yield from _occasional((*step.then, *step.else_), False)
            case model.ForEach():
                yield from _occasional(step.do, False)
            case model.Repeat():
                yield from _occasional(step.repeat.do, False)


def choose(steps: StepCompiler, step: model.Choose, frame: Frame) -> None:
    choosers = step.who or ("",)
    answers: dict[str, Bound] = {}
    for who in choosers:
        inner = Frame(frame.prefix, frame.names.new_child(_chooser(who, frame)), frame.blocks, frame.title)
        answers[who] = _one_choice(
            steps, step, who, inner, f"{frame.prefix}{step.choose}{f'.{who}' if len(choosers) > 1 else ''}"
        )
        if len(choosers) == 1:
            frame.names.update({k: v for k, v in inner.names.maps[0].items() if k != "chooser"})
    frame.names[step.choose] = answers[choosers[0]] if len(choosers) == 1 else space(step.choose, answers)


def _one_choice(steps: StepCompiler, step: model.Choose, who: str, frame: Frame, full: str) -> Bound:
    slot, emitter = steps.emitter.layout.local(full), steps.emitter
    steps.chosen.add(full)
    many, end = step.count is not None, emitter.mark()
    chooser = _chooser_id(who, frame)
    common: dict[str, Any] = {
        "name": full,
        "label": step.label,
        "chooser": chooser,
        "slot": slot,
        "hidden": step.hidden or len(step.who) > 1,
        "about": tuple(emitter.turns),
        "scope": dict(frame.scope),
    }
    if step.number is not None:
        low, high = (steps.emitter.tree(code, frame) if code else ZERO for code in (step.number.low, step.number.high))
        emitter.emit(Pick(step.path, kind="number", low=low, high=high, **common))
        emitter.place(end)
        return Scalar(Register(slot))
    if step.options:
        answer = Scalar(Register(slot), model.Keys(tuple(step.options)), None, None, many)
        frame.names[step.choose] = answer
        _options(steps, step, frame, common, end, many)
        return answer
    plans, answer_bound = _things_to_choose(steps, step, frame, end, many, slot)
    emitter.emit(
        Pick(step.path, kind="several" if many else "options", options=plans, **_count(steps, step, frame, common))
    )
    emitter.place(end)
    return answer_bound


def _count(steps: StepCompiler, step: model.Choose, frame: Frame, common: dict[str, Any]) -> dict[str, Any]:
    if step.count is None:
        return common
    low, high = (steps.emitter.tree(code, frame) if code else None for code in (step.count.low, step.count.high))
    return {**common, "low": low, "high": high}


def _options(
    steps: StepCompiler, step: model.Choose, frame: Frame, common: dict[str, Any], end: int, many: bool
) -> None:
    emitter = steps.emitter
    marks = {name: emitter.mark() for name in step.options}
    after = emitter.mark()
    plans = []
    for name, spec in step.options.items():
        guard = both(emitter.guard(spec.when, frame), _open(steps, step, name, spec, frame))
        guard_or_none = None if isinstance(guard, ast.Constant) and guard.value is True else guard
        plans.append(
            option(name, guard_or_none, name, after if many else marks[name], label=spec.label, or_say=spec.or_say)
        )
    emitter.emit(
        Pick(
            step.path,
            kind="several" if many else "options",
            options=tuple(plans),
            **_count(steps, step, frame, common),
        )
    )
    emitter.place(after)
    for name, spec in step.options.items():
        emitter.place(marks[name])
        skip = emitter.mark()
        if many:
            emitter.branch(compare(ast.Constant(name), ast.In(), Register(common["slot"])), skip, step.path)
        _take(steps, step, name, spec, frame)
        emitter.place(skip)
        if not many:
            emitter.jump(end, step.path)
    emitter.place(end)


def _open(steps: StepCompiler, step: model.Choose, name: str, spec: model.Option, frame: Frame) -> Tree | None:
    """An option is open while its use is not spent and its price can be paid."""
    tests: list[Tree] = []
    if spec.once_per is not None:
        tests.append(ast.UnaryOp(ast.Not(), Register(_spent(steps, step, name, spec, frame))))
    for text, code in spec.pay.items():
        tests.append(steps.affordable(steps.writer.target(text, code.path, frame), steps.emitter.tree(code, frame)))
    return all_of(tests) if tests else None


def _spent(steps: StepCompiler, step: model.Choose, name: str, spec: model.Option, frame: Frame) -> int:
    owner = frame.scope.get("self")
    who = owner.id if isinstance(owner, Entity) else ""
    return steps.emitter.layout.world(f"spent.{spec.once_per}.{frame.title}.{step.choose}.{name}.{who}")


def _take(steps: StepCompiler, step: model.Choose, name: str, spec: model.Option, frame: Frame) -> None:
    if spec.once_per is not None:
        steps.writer.assign([(_spent(steps, step, name, spec, frame), TRUE)], [], "spend", spec.path)
    if spec.pay:
        prices = [(steps.writer.target(t, c.path, frame), steps.emitter.tree(c, frame)) for t, c in spec.pay.items()]
        steps.writer.write([(t, steps.added(ast.UnaryOp(ast.USub(), p))) for t, p in prices], "pay", spec.path, frame)
    steps.run(spec.do, frame)


def _things_to_choose(
    steps: StepCompiler, step: model.Choose, frame: Frame, end: int, many: bool, slot: int
) -> tuple[tuple[OptionPlan, ...], Bound]:
    plans_list: list[OptionPlan] = []

    def offer(name: str, item: Bound, guard: Tree | None = None) -> bool:
        """Whether it can ever be chosen."""
        inner = Frame(frame.prefix, frame.names.new_child({"item": item}), frame.blocks, frame.title)
        test = both(guard, steps.emitter.guard(step.where, inner))
        if isinstance(test, ast.Constant) and not test.value:
            return False
        plans_list.append(option(name, None if isinstance(test, ast.Constant) else test, name, end))
        return True

    if step.key is not None:
        for key in step.key.ids:
            offer(key, constant(key, step.key))
        return tuple(plans_list), Scalar(Register(slot), step.key, None, None, many)
    assert step.from_ is not None
    listed = things(steps.emitter.resolver.bound(step.from_, frame.scope))
    found = [thing for guard, thing in listed if offer(thing.id, thing, guard)]
    if not many:
        return tuple(plans_list), Reference(Register(slot), tuple(found))
    items = tuple((compare(ast.Constant(t.id), ast.In(), Register(slot)), t) for t in found)
    return tuple(plans_list), Many(items)


def ask(steps: StepCompiler, step: model.Ask, frame: Frame) -> None:
    target = steps.writer.target(step.ask.text, step.ask.path, frame)
    for guard, place in target.places:
        with steps.emitter.only_when(guard, step.path):
            slot = steps.writer.slot(place)
            name = f"{frame.prefix}{place[1].name}"
            steps.emitter.emit(Pick(step.path, name, step.label or place[1].spec.label, step.who, "text", slot))


def _chooser(who: str, frame: Frame) -> dict[str, Bound]:
    found = frame.scope.get(who) if who else None
    return {"chooser": found} if found is not None else {}


def _chooser_id(who: str, frame: Frame) -> str:
    found = frame.scope.get(who or "self")
    return found.id if isinstance(found, Entity) else who
