"""One handler for each kind of step but rolls, choices and calls: what it reads, writes and names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from interpreter import model
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Flow
from interpreter.checks.reader import parsed
from interpreter.checks.scopes import FLAG, WHOLE, Place, is_space, space
from interpreter.checks.state import State, met
from interpreter.checks.targets import WRONG_TARGET, Target
from interpreter.checks.walk import steps as every_step
from interpreter.compiler.steps import BRACES
from interpreter.expressions import (
    Expression,
    Family,
    Flag,
    Key,
    Many,
    Number,
    Optional,
    Text,
    Thing,
    Type,
    describe,
    intervals,
    names_used,
    negation,
)
from interpreter.fields import FieldInfo, count_range
from interpreter.model import Code, Field, Label, Path

LATE = Check(
    "E0419",
    "a condition or a price after dice have fallen",
    "`require` and `pay` refuse the whole action, so they stand before the first roll or choice on every way.",
    failing="""
sheets:
  heros: {gauges: {souffle: {range: 0..6, start: 3}}}
actions:
  crier:
    who: {self: heros}
    steps:
      - roll: {jet: 1d6}
      - pay: {self.souffle: 1}
      - say: "{jet}"
""",
    passing="""
sheets:
  heros: {gauges: {souffle: {range: 0..6, start: 3}}}
actions:
  crier:
    who: {self: heros}
    before:
      - pay: {self.souffle: 1}
    steps:
      - roll: {jet: 1d6}
      - say: "{jet}"
""",
)
ENDLESS_LOOP = Check(
    "E0420",
    "a loop that cannot end",
    "A loop has an end: a number of passes, or a condition on something that its own steps change.",
    failing="""
actions:
  attendre:
    inputs: {pluie: {flag: false}}
    steps:
      - repeat:
          while: pluie
          do: [{say: Il pleut.}]
""",
    passing="""
actions:
  attendre:
    inputs: {pluie: {flag: false}}
    steps:
      - repeat:
          while: pluie
          at_most: 3
          do: [{say: Il pleut.}]
""",
)
UNKNOWN_PERIOD = Check(
    "E0213",
    "a period that does not exist",
    "Periods are declared in the section `periods`; one that sheets take part in says which, with `members`.",
    failing="""
periods: {veillee: }
actions:
  conter:
    steps: [{begin: veile}]
""",
    passing="""
periods: {veillee: }
actions:
  conter:
    steps: [{begin: veillee}]
""",
)
UNKNOWN_EFFECT = Check(
    "E0214",
    "an effect that does not exist",
    "Effects are declared in the section `effects`, each on one kind of sheet.",
    failing="""
sheets: {heros: {stats: {corps: 1..6}}}
effects: {ebloui: {on: heros}}
actions:
  allumer:
    who: {self: heros}
    steps: [{apply: eblouis}]
""",
    passing="""
sheets: {heros: {stats: {corps: 1..6}}}
effects: {ebloui: {on: heros}}
actions:
  allumer:
    who: {self: heros}
    steps: [{apply: ebloui}]
""",
)
UNKNOWN_OUTCOME = Check(
    "E0212",
    "an outcome that does not exist",
    "`finish` and `best` name outcomes of the action; a trigger, which any action may set off, ends none.",
    failing="""
actions:
  fuir:
    inputs: {vite: {flag: false}}
    steps: [{finish: libr, when: vite}]
    outcomes:
      libre: {when: vite}
      pris:
""",
    passing="""
actions:
  fuir:
    inputs: {vite: {flag: false}}
    steps: [{finish: libre, when: vite}]
    outcomes:
      libre: {when: vite}
      pris:
""",
)
NO_FIRST_VALUE = Check(
    "E0235",
    "a field that has no first value to come back to",
    "`clear` brings a field back to its `default`, so it must have one.",
    failing="""
sheets:
  heros: {fields: {humeur: {key: [gai, triste]}}}
actions:
  oublier:
    who: {self: heros}
    steps: [{clear: self.humeur}]
""",
    passing="""
sheets:
  heros: {fields: {humeur: {key: [gai, triste], default: gai}}}
actions:
  oublier:
    who: {self: heros}
    steps: [{clear: self.humeur}]
""",
)
CHECKS = (LATE, ENDLESS_LOOP, UNKNOWN_PERIOD, UNKNOWN_EFFECT, UNKNOWN_OUTCOME, NO_FIRST_VALUE)


# ---------------------------------------------------------------------- values


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


def set_(flow: Flow, step: model.Set, state: State) -> None:
    for text, code in step.set.items():
        target = flow.targets.find(text, code.path, flow.place(state), list(state.facts))
        if target is None:
            flow.read(code, state)
            continue
        flow.construct.deeds.wrote(target, "change" if step.crossings else "set")
        want = _wanted(target.type)
        typed = flow.context.reader.read(code, flow.place(state), want, state.facts)
        if target.infos[0].sort == "set" and typed is not None and isinstance(typed.tree, ast.List):
            _set_literal(flow, code, typed.tree, target.infos[0])
    state.forget_sheets()


def _wanted(type_: Type) -> Type:
    if isinstance(type_, Number):
        return WHOLE
    return Many(type_.item) if isinstance(type_, Many) else type_


def _set_literal(flow: Flow, code: Code, tree: ast.List, info: FieldInfo) -> None:
    """A list written out is of plain ids, as many as the field can hold."""
    report = flow.context.report
    if not all(isinstance(item, ast.Constant) for item in tree.elts):
        report.add(WRONG_TARGET, code.path, "A set is given as a list of plain ids, or as another set.")
    low, high = count_range(info.spec.count if isinstance(info.spec, Field) else None, (0, None))
    if len(tree.elts) < low or (high is not None and len(tree.elts) > high):
        most = "" if high is None else f" and at most {high}"
        report.add(WRONG_TARGET, code.path, f"`{info.name}` holds at least {low}{most}, not {len(tree.elts)}.")


def change(flow: Flow, step: model.Change, state: State) -> None:
    for text, code in step.change.items():
        target = number_target(flow, text, code.path, state, single=step.as_ is not None)
        amount = flow.read(code, state, WHOLE)
        flow.construct.deeds.wrote(target, "change", amount if isinstance(amount, Number) else None)
        if step.as_ is not None and target is not None:
            _several(flow, step.change, step.path)
    state.forget_sheets()
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
        flow.context.report.add(WRONG_TARGET, path, message, "Give it a new value with `set`.", on=where, length=len(text))
        return None
    if target.several and single:
        message = f"`{text}` is several values at once, and one is wanted here."
        flow.context.report.add(WRONG_TARGET, path, message, "Name the key, or write a `for_each`.", on=where, length=len(text))
        return None
    return target


def pay(flow: Flow, step: model.Pay, state: State) -> None:
    late(flow, step.path, state)
    prices(flow, step.pay, state)
    state.forget_sheets()


def prices(flow: Flow, pay: Mapping[str, Code], state: State) -> None:
    for text, code in pay.items():
        target = number_target(flow, text, code.path, state, single=True)
        price = flow.read(code, state, WHOLE)
        flow.construct.deeds.wrote(target, "pay", price if isinstance(price, Number) else None, sign=-1)


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
    for code, sign in ((step.move.from_, -1), (step.move.to, 1)):
        target = number_target(flow, code.text, code.path, state, single=True, on_key=False)
        flow.construct.deeds.wrote(target, "move", Number(True, 0), sign=sign)
    flow.read(step.move.amount, state, WHOLE)
    state.forget_sheets()
    if step.as_ is not None:
        parts = {"applied": Number(True, 0), "left": WHOLE}
        flow.define(state, step.as_, space(step.as_, parts, "result"), "result", (*step.path, "as"))


def fill(flow: Flow, step: model.Fill, state: State) -> None:
    target = number_target(flow, step.fill.text, step.fill.path, state, on_key=False)
    if target is not None and isinstance(target.type, Number) and "max" not in target.type.parts:
        message = f"`{step.fill.text}` has no most to be filled to."
        flow.context.report.add(WRONG_TARGET, step.fill.path, message, "Give the gauge a `range` or a `max`.")
    flow.construct.deeds.wrote(target, "fill", Number(True, 0))
    state.forget_sheets()


def clear(flow: Flow, step: model.Clear, state: State) -> None:
    target = flow.targets.find(step.clear.text, step.clear.path, flow.place(state), list(state.facts), on_key=False)
    flow.construct.deeds.wrote(target, "clear")
    for info in target.infos if target is not None else ():
        spec = info.spec
        if isinstance(spec, Field) and spec.default is None and not _has_first_value(spec):
            message = f"`{info.name}` has no first value that it could come back to."
            flow.context.report.add(NO_FIRST_VALUE, step.clear.path, message, f"Give `{info.name}` a `default`.")
    state.forget_sheets()


def _has_first_value(spec: Field) -> bool:
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


# ---------------------------------------------------------------------- ways


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
        if found is not None and not isinstance(found, Number | Flag) and not (isinstance(found, Key) and found.ordered):
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
    certain = spec.while_ is None and all(isinstance(one, Number) and one.low is not None and one.low > 0 for one in passes)
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
        flow.context.report.add(ENDLESS_LOOP, step.path, message, "Give it `times`, `until`, `while` or `at_most`.", on="key")
        return
    read = {name for code in conditions for name in _names(code)}
    written = {name for name, local in after.names.items() if before.names.get(name) != local} | _written(spec.do)
    sheets = any(not before_is_plain(before, name) for name in read)
    if not (read & written) and not (sheets and _changes_sheets(spec.do)):
        message = f"`{conditions[0].text}` looks at nothing that this loop changes, so that it may never end."
        flow.context.report.add(ENDLESS_LOOP, conditions[0].path, message, "Bound it with `at_most`, or change in it what it looks at.")


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
    kinds = (model.Set, model.Change, model.Pay, model.Move, model.Fill, model.Clear, model.Call, model.Apply, model.Lift)
    others = (model.Begin, model.End, model.Join, model.Emit, model.Ask, model.Choose)
    return any(isinstance(step, (*kinds, *others)) for step in every_step(steps))


def require(flow: Flow, step: model.Require, state: State) -> None:
    late(flow, step.path, state)
    state.learn(flow.context.reader.condition(step.require, flow.place(state), state.facts))


def finish(flow: Flow, step: model.Finish, state: State) -> None:
    construct = flow.construct
    path = (*step.path, "finish")
    construct.finishes.setdefault(step.finish, path)
    if construct.kind == "trigger":
        message = "A trigger cannot end the action that sets it off: other actions have other outcomes."
        flow.context.report.add(UNKNOWN_OUTCOME, path, message, "Let the trigger change a field, and the action look at it.")
    elif construct.outcomes is not None and step.finish not in construct.outcomes:
        flow.context.unknown(UNKNOWN_OUTCOME, path, "outcome", step.finish, construct.outcomes)
    construct.ends.append(state.copy())
    state.over = True


# ---------------------------------------------------------------------- telling, periods, effects


def say(flow: Flow, step: model.Say, state: State) -> None:
    told(flow, step.say, (*step.path, "say"), state)


def told(flow: Flow, label: Label | None, path: Path, state: State) -> None:
    """The expressions in braces of a text."""
    place = flow.place(state)
    for language, text in label.texts.items() if label is not None else ():
        where = (*path, language) if isinstance(flow.context.value_at(path), Mapping) else path
        for match in BRACES.finditer(text):
            inner = match[1].strip()
            base = match.start(1) + len(match[1]) - len(match[1].lstrip())
            flow.context.reader.single(Code(inner, where), place, state.facts, base)


def _things(flow: Flow, code: Code, state: State, kinds: tuple[str, ...]) -> None:
    """A sheet, or several, of these kinds."""
    found = flow.read(code, state)
    wanted = flow.context.kinds.thing(kinds)
    if found is None or wanted is None:
        return
    item = found.item if isinstance(found, Many) else found
    if isinstance(item, Optional):
        flow.context.reader.is_single(code, item)
    elif not isinstance(item, Thing) or not item.kinds <= wanted.kinds:
        message = f"{describe(wanted).capitalize()} is wanted here, not {describe(found)}."
        flow.context.report.add("E0320", code.path, message)


def known_period(flow: Flow, name: str, path: Path) -> model.Period | None:
    found = flow.context.system.periods.get(name)
    if found is None:
        flow.context.unknown(UNKNOWN_PERIOD, path, "period", name, flow.context.system.periods)
    return found


def _members(flow: Flow, period: model.Period | None, name: str, code: Code | None, state: State) -> None:
    if code is None or period is None:
        if code is not None:
            flow.read(code, state)
        return
    if period.members is None:
        message = f"No sheets take part in `{name}`."
        flow.context.report.add(UNKNOWN_PERIOD, code.path, message, "Say which, with `members` in the period.")
        return
    _things(flow, code, state, (period.members,))


def begin(flow: Flow, step: model.Begin, state: State) -> None:
    period = known_period(flow, step.begin, (*step.path, "begin"))
    _members(flow, period, step.begin, step.with_, state)
    flow.construct.deeds.events |= {f"begins.{step.begin}", *([f"joins.{step.begin}"] if step.with_ is not None else [])}
    state.forget_sheets()


def join_(flow: Flow, step: model.Join, state: State) -> None:
    period = known_period(flow, step.join, (*step.path, "join"))
    _members(flow, period, step.join, step.with_, state)
    flow.construct.deeds.events.add(f"joins.{step.join}")
    state.forget_sheets()


def end(flow: Flow, step: model.End, state: State) -> None:
    known_period(flow, step.end, (*step.path, "end"))
    flow.construct.deeds.events.add(f"ends.{step.end}")
    state.forget_sheets()


def apply(flow: Flow, step: model.Apply, state: State) -> None:
    _effect(flow, step.apply, "apply", step.to, step.path, state)


def lift(flow: Flow, step: model.Lift, state: State) -> None:
    _effect(flow, step.lift, "lift", step.from_, step.path, state)


def _effect(flow: Flow, name: str, key: str, code: Code | None, path: Path, state: State) -> None:
    effect = flow.context.system.effects.get(name)
    if effect is None:
        flow.context.unknown(UNKNOWN_EFFECT, (*path, key), "effect", name, flow.context.system.effects)
    elif code is None:
        _things(flow, Code("self", (*path, key)), state, (effect.on,))
    if code is not None:
        _things(flow, code, state, (effect.on,)) if effect is not None else flow.read(code, state)
    state.forget_sheets()


def emit(flow: Flow, step: model.Emit, state: State) -> None:
    flow.construct.deeds.events.add(f"event.{step.emit}")
    state.forget_sheets()


HANDLERS.update(
    {
        model.Let: let,
        model.Set: set_,
        model.Change: change,
        model.Pay: pay,
        model.Move: move,
        model.Fill: fill,
        model.Clear: clear,
        model.Ask: ask,
        model.If: if_,
        model.ForEach: for_each,
        model.Repeat: repeat,
        model.Require: require,
        model.Finish: finish,
        model.Say: say,
        model.Begin: begin,
        model.Join: join_,
        model.End: end,
        model.Apply: apply,
        model.Lift: lift,
        model.Emit: emit,
    }
)
__all__ = ["CHECKS", "FLAG", "Place", "intervals", "known_period", "late", "prices", "told"]
