"""Steps that write gauges and fields: set, change, pay, move, fill, clear, ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from interpreter import model
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Flow
from interpreter.checks.scopes import WHOLE, space
from interpreter.checks.state import State
from interpreter.checks.targets import WRONG_TARGET, Target
from interpreter.expressions import Many, Number, Text, Type, describe
from interpreter.fields import count_range
from interpreter.model import Code, Field, Path

LATE = Check(
    "E0419",
    "a condition or a price after dice have fallen",
    "`require` and `pay` refuse the whole action, so they stand before the first roll or choice on every way.",
    failing="""
sheets:
  hero: {gauges: {breath: {range: 0..6, start: 3}}}
actions:
  shout:
    who: {self: hero}
    steps:
      - roll: {throw: 1d6}
      - pay: {self.breath: 1}
      - say: "{throw}"
""",
    passing="""
sheets:
  hero: {gauges: {breath: {range: 0..6, start: 3}}}
actions:
  shout:
    who: {self: hero}
    before:
      - pay: {self.breath: 1}
    steps:
      - roll: {throw: 1d6}
      - say: "{throw}"
""",
)
NO_FIRST_VALUE = Check(
    "E0235",
    "a field that has no first value to come back to",
    "`clear` brings a field back to its `default`, so it must have one.",
    failing="""
sheets:
  hero: {fields: {mood: {key: [happy, sad]}}}
actions:
  forget:
    who: {self: hero}
    steps: [{clear: self.mood}]
""",
    passing="""
sheets:
  hero: {fields: {mood: {key: [happy, sad], default: happy}}}
actions:
  forget:
    who: {self: hero}
    steps: [{clear: self.mood}]
""",
)
CHECKS = (LATE, NO_FIRST_VALUE)
WORDS = re.compile(r"[^\W\d][\w ’-]*")


def set_(flow: Flow, step: model.Set, state: State) -> None:
    targets = []
    for text, code in step.set.items():
        target = flow.targets.find(text, code.path, flow.place(state), list(state.facts))
        targets.append(target)
        if target is None:
            flow.read(code, state)
            continue
        flow.construct.deeds.wrote(target, "change" if step.crossings else "set")
        new_value(flow, code, state, target.type)
    flow.changed(state, *targets)


def new_value(flow: Flow, code: Code, state: State, type_: Type) -> None:
    """Reads what is written to a field of a type. Words that mean nothing, where a text is wanted, are one."""
    if isinstance(type_, Text) and WORDS.fullmatch(code.text):
        with flow.context.report.muted():
            typed = flow.context.reader.read(code, flow.place(state), type_, state.facts)
        if typed is None or any(fault.code == "E0311" for fault in typed.faults):
            hint = f"A text stands in quotes within the YAML text: \"'{code.text}'\"."
            flow.context.report.add("E0311", code.path, f"`{code.text}` is no name here.", hint)
            return
    flow.read(code, state, _wanted(type_))


def _wanted(type_: Type) -> Type:
    if isinstance(type_, Number):
        return WHOLE
    return Many(type_.item) if isinstance(type_, Many) else type_


def change(flow: Flow, step: model.Change, state: State) -> None:
    targets = []
    for text, code in step.change.items():
        target = number_target(flow, text, code.path, state, single=step.as_ is not None)
        targets.append(target)
        amount = flow.read(code, state, WHOLE)
        flow.construct.deeds.wrote(target, "change", amount if isinstance(amount, Number) else None)
        if step.as_ is not None and target is not None:
            _several(flow, step.change, step.path)
    flow.changed(state, *targets)
    if step.as_ is not None:
        parts = {"applied": WHOLE, "over": Number(True, 0), "under": Number(True, 0)}
        flow.define(state, step.as_, space(step.as_, parts, "result"), "result", (*step.path, "as"))


def _several(flow: Flow, targets: Mapping[str, Code], path: Path) -> None:
    if len(targets) > 1:
        message = "`as` tells what happened to one gauge, and this step changes several."
        flow.context.report.add(WRONG_TARGET, (*path, "as"), message, "Write one step for each gauge.", on="key")


def number_target(
    flow: Flow, text: str, path: Path, state: State, *, single: bool = False, on_key: bool = True
) -> Target | None:
    """A target that is a number, or a gauge of named steps; only one at a time where `single`."""
    target = flow.targets.find(text, path, flow.place(state), list(state.facts), on_key=on_key)
    if target is None:
        return None
    info = target.infos[0]
    where: Any = "key" if on_key else "value"
    if info.sort != "number" and not (info.section == "gauges" and info.ids is not None):
        message = f"`{text}` is {describe(target.type)}, and only a number can be changed by an amount."
        flow.context.report.add(
            WRONG_TARGET, path, message, "Give it a new value with `set`.", on=where, length=len(text)
        )
        return None
    if target.several and single:
        message = f"`{text}` is several values at once, and one is wanted here."
        flow.context.report.add(
            WRONG_TARGET, path, message, "Name the key, or write a `for_each`.", on=where, length=len(text)
        )
        return None
    return target


def pay(flow: Flow, step: model.Pay, state: State) -> None:
    late(flow, step.path, state)
    flow.changed(state, *prices(flow, step.pay, state))


def prices(flow: Flow, pay: Mapping[str, Code], state: State) -> list[Target | None]:
    """What is paid from; each is one number, and so is its price."""
    targets = []
    for text, code in pay.items():
        target = number_target(flow, text, code.path, state, single=True)
        price = flow.read(code, state, WHOLE)
        flow.construct.deeds.wrote(target, "pay", price if isinstance(price, Number) else None, sign=-1)
        targets.append(target)
    return targets


def late(flow: Flow, path: Path, state: State) -> None:
    """Tells of a demand where dice may have fallen already."""
    flow.construct.demands.append(path)
    if flow.construct.kind == "trigger":
        message = "A trigger goes off in the middle of an action, too late to refuse it."
        flow.context.report.add(LATE, path, message, "Use `if`, or change the gauge.", on="key")
    elif state.rolled:
        message = "This can refuse the action, and on some way a roll or a choice comes before it."
        flow.context.report.add(LATE, path, message, "Move it to `require` or `before`.", on="key")


def move(flow: Flow, step: model.Move, state: State) -> None:
    targets = []
    for code, sign in ((step.move.from_, -1), (step.move.to, 1)):
        target = number_target(flow, code.text, code.path, state, single=True, on_key=False)
        flow.construct.deeds.wrote(target, "move", Number(True, 0), sign=sign)
        targets.append(target)
    flow.read(step.move.amount, state, WHOLE)
    flow.changed(state, *targets)
    if step.as_ is not None:
        parts = {"applied": Number(True, 0), "left": WHOLE}
        flow.define(state, step.as_, space(step.as_, parts, "result"), "result", (*step.path, "as"))


def fill(flow: Flow, step: model.Fill, state: State) -> None:
    target = number_target(flow, step.fill.text, step.fill.path, state, on_key=False)
    if target is not None and isinstance(target.type, Number) and "max" not in target.type.parts:
        message = f"`{step.fill.text}` has no most to be filled to."
        flow.context.report.add(WRONG_TARGET, step.fill.path, message, "Give the gauge a `range` or a `max`.")
    flow.construct.deeds.wrote(target, "fill", Number(True, 0))
    flow.changed(state, target)


def clear(flow: Flow, step: model.Clear, state: State) -> None:
    target = flow.targets.find(step.clear.text, step.clear.path, flow.place(state), list(state.facts), on_key=False)
    flow.construct.deeds.wrote(target, "clear")
    for info in target.infos if target is not None else ():
        spec = info.spec
        if isinstance(spec, Field) and spec.default is None and not has_first_value(spec):
            message = f"`{info.name}` has no first value that it could come back to."
            flow.context.report.add(NO_FIRST_VALUE, step.clear.path, message, f"Give `{info.name}` a `default`.")
    flow.changed(state, target)


def has_first_value(spec: Field) -> bool:
    """Whether a field without a `default` is something at first."""
    if spec.key is not None:
        return False
    return spec.set_of is None or count_range(spec.count, (0, None))[0] == 0


def ask(flow: Flow, step: model.Ask, state: State) -> None:
    target = flow.targets.find(step.ask.text, step.ask.path, flow.place(state), list(state.facts), on_key=False)
    flow.construct.deeds.wrote(target, "ask")
    if target is not None and not isinstance(target.type, Text):
        message = f"`{step.ask.text}` is {describe(target.type)}, and `ask` writes a text."
        flow.context.report.add(WRONG_TARGET, step.ask.path, message, "Use `choose` for anything but free text.")
    state.rolled = True


HANDLERS.update(
    {
        model.Set: set_,
        model.Change: change,
        model.Pay: pay,
        model.Move: move,
        model.Fill: fill,
        model.Clear: clear,
        model.Ask: ask,
    }
)
