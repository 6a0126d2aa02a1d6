"""Steps that name values and lead the way: let, if, for_each, repeat, require."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from interpreter import model
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Flow
from interpreter.checks.reader import parsed
from interpreter.checks.scopes import WHOLE, is_space
from interpreter.checks.state import State, met
from interpreter.checks.walk import steps as every_step
from interpreter.checks.writes import late
from interpreter.expressions import (
    Expression,
    Family,
    Flag,
    Key,
    Many,
    Number,
    Optional,
    Thing,
    Type,
    describe,
    names_used,
    negation,
)
from interpreter.model import Code

ENDLESS_LOOP = Check(
    "E0420",
    "a loop that cannot end",
    "A loop has an end: a number of passes, or a condition on something that its own steps change.",
    failing="""
actions:
  wait:
    inputs: {rain: {flag: false}}
    steps:
      - repeat:
          while: rain
          do: [{say: It rains.}]
""",
    passing="""
actions:
  wait:
    inputs: {rain: {flag: false}}
    steps:
      - repeat:
          while: rain
          at_most: 3
          do: [{say: It rains.}]
""",
)
CHECKS = (ENDLESS_LOOP,)


def let(flow: Flow, step: model.Let, state: State) -> None:
    for name, code in step.let.items():
        flow.define(state, name, holdable(flow, code, state), "let", code.path)


def holdable(flow: Flow, code: Code, state: State) -> Type | None:
    """The type of a value that a name can hold: one value or thing, which may be absent, or a set of ids."""
    typed = flow.context.reader.read(code, flow.place(state), None, state.facts)
    if typed is None or typed.faults or typed.type is None:
        return None
    inner = typed.type.type if isinstance(typed.type, Optional) else typed.type
    if isinstance(inner, Many) and isinstance(inner.item, Key) and _is_set(typed.tree, typed.types):
        return typed.type
    if isinstance(inner, Many | Family) or is_space(inner):
        flow.context.reader.is_single(code, inner, flow.context.reader.offset(code))
        return None
    if isinstance(inner, Number):
        plain = Number(inner.whole, inner.low, inner.high)
        return Optional(plain) if isinstance(typed.type, Optional) else plain
    return typed.type


def _is_set(tree: ast.expr, types: Mapping[ast.AST, Type | None]) -> bool:
    if isinstance(tree, ast.Attribute):
        return isinstance(types.get(tree.value), Thing)
    return isinstance(tree, ast.Name)


def if_(flow: Flow, step: model.If, state: State) -> None:
    condition = flow.context.reader.condition(step.if_, flow.place(state), state.facts)

    def then(own: State) -> None:
        own.learn(condition)
        flow.run(step.then, own)

    def otherwise(own: State) -> None:
        own.learn(negation(condition) if condition is not None else None)
        flow.run(step.else_, own)

    state.become(met(flow.branch(state, then), flow.branch(state, otherwise)))


def for_each(flow: Flow, step: model.ForEach, state: State) -> None:
    name, _, text = step.for_each.text.partition(" in ")
    name, text = name.strip(), text.strip()
    code = Code(text, step.for_each.path)
    found = flow.read(code, state)
    item = item_of(flow, code, found) if found is not None else None
    order(flow, step.order, state, {name: item} if item is not None else {})

    def once(own: State) -> None:
        with flow.named(own, name, item, step.for_each.path):
            if step.where is None:
                flow.run(step.do, own)
                return
            condition = flow.context.reader.condition(step.where, flow.place(own), own.facts)
            before = own.copy()
            own.learn(condition)
            flow.run(step.do, own)
            own.become(met(own, before))

    after = flow.loop(state, once)
    certain = isinstance(found, Many) and found.low > 0 and step.where is None
    state.become(after if certain else met(state, after))


def item_of(flow: Flow, code: Code, list_: Type) -> Type | None:
    if isinstance(list_, Many):
        return list_.item
    if isinstance(list_, Family):
        return list_.value
    start = flow.context.reader.offset(code)
    message = f"A list is wanted here, and `{code.text}` is {describe(list_)}."
    flow.context.report.add("E0320", code.path, message, offset=start, length=len(code.text))
    return None


def order(flow: Flow, codes: tuple[Code, ...], state: State, names: Mapping[str, Type]) -> None:
    """`high expression` or `low expression`: a number, or an id of a set that has an order."""
    for code in codes:
        word, _, text = code.text.strip().partition(" ")
        if word not in ("high", "low") or not text.strip():
            message = f"`{code.text}` says no order."
            flow.context.report.add("E0320", code.path, message, "Write `high expression` or `low expression`.")
            continue
        inner = Code(text.strip(), code.path)
        found = flow.read(inner, state, None, names)
        if (
            found is not None
            and not isinstance(found, Number | Flag)
            and not (isinstance(found, Key) and found.ordered)
        ):
            start = flow.context.reader.offset(inner)
            message = f"`{inner.text}` is {describe(found)}, which has no order."
            flow.context.report.add("E0320", code.path, message, "Name a number.", offset=start, length=len(inner.text))


def repeat(flow: Flow, step: model.Repeat, state: State) -> None:
    spec = step.repeat
    passes = [flow.read(code, state, WHOLE) for code in (spec.times, spec.at_most) if code is not None]

    def once(own: State) -> None:
        if spec.while_ is not None:
            own.learn(flow.context.reader.condition(spec.while_, flow.place(own), own.facts))
        flow.run(spec.do, own)
        if spec.until is not None and not own.over:
            condition = flow.context.reader.condition(spec.until, flow.place(own), own.facts)
            own.learn(negation(condition) if condition is not None else None)

    first = state.copy()
    after = flow.loop(state, once)
    _check_end(flow, step, first, after)
    if spec.until is not None and not after.over:
        after.facts = tuple(fact for fact in after.facts if fact in state.facts)
    certain = spec.while_ is None and all(
        isinstance(one, Number) and one.low is not None and one.low > 0 for one in passes
    )
    result = after if certain else met(state, after)
    if certain:
        result.over = after.over
    state.become(result)


def _check_end(flow: Flow, step: model.Repeat, before: State, after: State) -> None:
    """A loop without a number of passes must change what its condition looks at, or be left on some way."""
    spec = step.repeat
    if spec.times is not None or spec.at_most is not None or after.over:
        return
    conditions = [code for code in (spec.until, spec.while_) if code is not None]
    if not conditions:
        message = "This loop never ends."
        flow.context.report.add(
            ENDLESS_LOOP, step.path, message, "Give it `times`, `until`, `while` or `at_most`.", on="key"
        )
        return
    read = {name for code in conditions for name in _names(code)}
    written = {name for name, local in after.names.items() if before.names.get(name) != local} | _written(spec.do)
    sheets = any(not before_is_plain(before, name) for name in read)
    if not (read & written) and not (sheets and _changes_sheets(spec.do)):
        message = f"`{conditions[0].text}` looks at nothing that this loop changes, so that it may never end."
        flow.context.report.add(
            ENDLESS_LOOP, conditions[0].path, message, "Bound it with `at_most`, or change in it what it looks at."
        )


def _names(code: Code) -> tuple[str, ...]:
    expression = parsed(code.text)
    return names_used(expression.tree) if isinstance(expression, Expression) else ()


def before_is_plain(state: State, name: str) -> bool:
    return name in state.names and not isinstance(state.names[name].type, Thing | Many | Optional)


def _written(steps: model.Steps) -> set[str]:
    """The names that steps give values to, at any depth."""
    found: set[str] = set()
    for step in every_step(steps):
        for attribute in ("let", "roll"):
            found |= set(getattr(step, attribute, None) or {})
        for attribute in ("choose", "reroll", "as_", "call"):
            name = getattr(step, attribute, None)
            found |= {name} if isinstance(name, str) else set()
    return found


def _changes_sheets(steps: model.Steps) -> bool:
    kinds = (
        model.Set,
        model.Change,
        model.Pay,
        model.Move,
        model.Fill,
        model.Clear,
        model.Call,
        model.Apply,
        model.Lift,
    )
    others = (model.Begin, model.End, model.Join, model.Emit, model.Ask, model.Choose)
    return any(isinstance(step, (*kinds, *others)) for step in every_step(steps))


def require(flow: Flow, step: model.Require, state: State) -> None:
    late(flow, step.path, state)
    state.learn(flow.context.reader.condition(step.require, flow.place(state), state.facts))


HANDLERS.update(
    {
        model.Let: let,
        model.If: if_,
        model.ForEach: for_each,
        model.Repeat: repeat,
        model.Require: require,
    }
)
