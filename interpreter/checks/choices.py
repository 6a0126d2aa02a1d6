"""Rolls and choices as steps: where dice fall and people decide, and what is known afterwards."""

from __future__ import annotations

from dataclasses import replace

from interpreter import model
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Flow
from interpreter.checks.rolls import Rolls
from interpreter.checks.scopes import FLAG, WHOLE, space
from interpreter.checks.state import State, met
from interpreter.checks.telling import known_period
from interpreter.checks.writes import prices
from interpreter.expressions import Key, Many, Number, Optional, Thing, Type, describe
from interpreter.fields import count_range
from interpreter.model import Code, Keys, Option, Range

CLOSED = Check(
    "E0418",
    "a choice that may have no open option",
    "Every choice has an option that is always open: one without `when`, `once_per` and `pay`.",
    failing="""
sheets:
  hero: {gauges: {breath: {range: 0..6, start: 3}}}
actions:
  act:
    who: {self: hero}
    steps:
      - choose: what
        options:
          run: {pay: {self.breath: 1}}
          shout: {when: self.breath > 2}
""",
    passing="""
sheets:
  hero: {gauges: {breath: {range: 0..6, start: 3}}}
actions:
  act:
    who: {self: hero}
    steps:
      - choose: what
        options:
          run: {pay: {self.breath: 1}}
          shout: {when: self.breath > 2}
          wait:
""",
)
NO_ROLL = Check(
    "E0223",
    "dice thrown again that never fell",
    "`reroll` names a roll of the same steps that has been thrown on every way that leads there.",
    failing="""
actions:
  shoot:
    inputs: {fast: {flag: false}}
    steps:
      - roll: {throw: 2d6}
        when: fast
      - reroll: throw
""",
    passing="""
actions:
  shoot:
    inputs: {fast: {flag: false}}
    steps:
      - roll: {throw: 2d6}
      - reroll: throw
        when: fast
""",
)
WHO = Check(
    "E0217",
    "a role that does not exist",
    "Who chooses is a role of the action, or a person beside the sheets such as the one in `by` or `asked`.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  leave:
    who: {self: hero}
    steps:
      - choose: path
        who: slef
        options: {left: , right: }
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  leave:
    who: {self: hero}
    steps:
      - choose: path
        who: self
        options: {left: , right: }
""",
)
MISFIT = Check(
    "E0439",
    "a choice with a key that means nothing there",
    "`where` says which things or ids can be chosen, and `count` how many things, ids or options.",
    failing="""
actions:
  leave:
    steps:
      - choose: route
        options: {left: , right: }
        where: item is left
""",
    passing="""
actions:
  leave:
    inputs: {night: {flag: false}}
    steps:
      - choose: route
        options: {left: , right: {when: not night}}
""",
)
CHECKS = (CLOSED, NO_ROLL, WHO, MISFIT)


def roll(flow: Flow, step: model.Roll, state: State) -> None:
    rolls = Rolls(flow.context)
    for name, spec in step.roll.items():
        found = rolls.roll(name, spec, flow.place(state), list(state.facts))
        flow.define(state, name, found, "roll", spec.path)
        flow.construct.rolls.setdefault(name, []).append(spec.path)
        state.rolled = True


def reroll(flow: Flow, step: model.Reroll, state: State) -> None:
    local = state.names.get(step.reroll)
    path = (*step.path, "reroll")
    thrown = flow.construct.rolls.get(step.reroll, [])
    if local is None or local.what != "roll" or not thrown:
        rolls = [name for name, one in state.names.items() if one.what == "roll"]
        flow.context.unknown(NO_ROLL, path, "roll", step.reroll, rolls)
        return
    if not local.sure:
        message = f"`{step.reroll}` may not have been thrown yet."
        flow.context.report.add(NO_ROLL, path, message, related=(("it is thrown here", local.path),))
    places = list(dict.fromkeys(thrown))
    if len(places) > 1:
        message = f"`{step.reroll}` is thrown in two places, so that it is not clear which dice are meant."
        flow.context.report.add(
            NO_ROLL,
            path,
            message,
            "Give the two rolls different names.",
            related=tuple(("thrown here", one) for one in places),
        )
    rolls_ = Rolls(flow.context)
    spec = _spec_at(flow, places[-1])
    if spec is not None:
        rolls_.again(step, spec, flow.place(state), list(state.facts))
    state.forget((step.reroll,))
    state.rolled = True


def _spec_at(flow: Flow, path: model.Path) -> model.RollSpec | None:
    return flow.context.roll_specs.get(path)


# ---------------------------------------------------------------------- choices


def choose(flow: Flow, step: model.Choose, state: State) -> None:
    choosers = step.who or ("",)
    state.rolled = True
    answers: dict[str, Type] = {}
    for who in choosers:
        chooser = _chooser(flow, step, who, state)
        inner = state.copy()
        if chooser is not None:
            flow.define(inner, "chooser", chooser, "choice", step.path)
        answer = _one_choice(flow, step, inner)
        if answer is not None:
            answers[who] = answer
        inner.names.pop("chooser", None)
        inner.forget(("chooser",))
        if len(choosers) == 1:
            state.become(inner)
        else:
            state.facts = tuple(fact for fact in state.facts if fact in inner.facts)
    if len(choosers) == 1:
        flow.define(state, step.choose, answers.get(choosers[0]), "choice", (*step.path, "choose"))
    else:
        flow.define(state, step.choose, space(step.choose, answers, "result"), "choice", (*step.path, "choose"))


def _chooser(flow: Flow, step: model.Choose, who: str, state: State) -> Type | None:
    """The sheet whose player chooses; None for a person without a sheet."""
    if not who:
        return None
    local = state.names.get(who)
    if local is not None or flow.place(state).lookup(who) is not None:
        return local.type if local is not None else flow.place(state).lookup(who)
    if who not in flow.context.persons:
        roles = [name for name, one in state.names.items() if one.what in ("role", "loop")]
        flow.context.unknown(WHO, (*step.path, "who"), "role", who, [*roles, *flow.context.persons])
    return None


def _one_choice(flow: Flow, step: model.Choose, state: State) -> Type | None:
    _misfits(flow, step)
    flow.context.policies.look(step, flow.place(state), state.facts, flow.construct.kind == "action")
    if step.number is not None:
        return number_between(flow, step.number, state)
    many = step.count is not None
    _check_count(flow, step, state)
    if step.options:
        return _options(flow, step, state, many)
    if step.key is not None:
        return _key(flow, step, state, many)
    return _from(flow, step, state, many)


def _misfits(flow: Flow, step: model.Choose) -> None:
    """Keys that say nothing of a choice of this kind."""
    if step.where is not None and (step.options or step.number is not None):
        message = "`where` means nothing here: it says which things of a list, or ids of `key`, can be chosen."
        hint = "Each option can have its own `when`." if step.options else "Narrow the range."
        flow.context.report.add(MISFIT, (*step.path, "where"), message, hint, on="key")
    if step.count is not None and step.number is not None:
        message = "`count` means nothing here: it says how many things, ids or options are chosen."
        flow.context.report.add(MISFIT, (*step.path, "count"), message, "A number is one answer.", on="key")


def _key(flow: Flow, step: model.Choose, state: State, many: bool) -> Type | None:
    """One or several ids; nothing when none can be chosen."""
    if step.key is None or not step.key.ids:
        return None
    key = flow.context.kinds.key(step.key)
    if step.where is not None:
        flow.context.reader.read(step.where, flow.place(state, {"item": key}), FLAG, state.facts)
    if many:
        return _several(key, step)
    return key if step.where is None else Optional(key)


def number_between(flow: Flow, range_: Range, state: State) -> Number:
    """A whole number between two ends; where they cross, the lower end is taken."""
    ends = [
        flow.read(code, state, WHOLE) if code is not None else Number(True, 0, 0) for code in (range_.low, range_.high)
    ]
    low, high = (end if isinstance(end, Number) else WHOLE for end in ends)
    most = None if high.high is None or low.high is None else max(low.high, high.high)
    return Number(True, low.low, most)


def _check_count(flow: Flow, step: model.Choose, state: State) -> None:
    for code in (step.count.low, step.count.high) if step.count is not None else ():
        if code is not None:
            flow.read(code, state, Number(True, 0))


def _several(item: Type, step: model.Choose) -> Many:
    low, high = count_range(step.count, (0, None))
    return Many(item, 0 if isinstance(item, Thing) or step.where is not None else low, high)


def _options(flow: Flow, step: model.Choose, state: State, many: bool) -> Type:
    key = Key(tuple(step.options))
    answer: Type = Many(key) if many else key
    flow.define(state, step.choose, answer, "choice", (*step.path, "choose"))
    start = state.copy()
    ways: list[State] = []
    for name, spec in step.options.items():
        own = state.copy() if many else start.copy()
        _option(flow, spec, own)
        if many:
            state.become(met(state, own))
        ways.append(own)
        _check_once(flow, spec)
        _ = name
    if not many:
        result = ways[0]
        for other in ways[1:]:
            result = met(result, other)
        state.become(result)
        if all(spec.when is not None or spec.once_per is not None or spec.pay for spec in step.options.values()):
            message = f"Every option of `{step.choose}` can be closed, and then nothing can be chosen."
            hint = "Add an option without `when`, `once_per` and `pay`, if only to do nothing."
            flow.context.report.add(CLOSED, step.path, message, hint, on="key")
    return answer


def _option(flow: Flow, spec: Option, state: State) -> None:
    if spec.when is not None:
        state.learn(flow.context.reader.condition(spec.when, flow.place(state), state.facts))
    paid = prices(flow, spec.pay, state)
    if spec.pay:
        flow.changed(state, *paid)
    flow.run(spec.do, state)


def _check_once(flow: Flow, spec: Option) -> None:
    if spec.once_per is not None:
        known_period(flow, spec.once_per, (*spec.path, "once_per"))


def _from(flow: Flow, step: model.Choose, state: State, many: bool) -> Type | None:
    """One or several things of a list; nothing when none can be chosen."""
    if step.from_ is None:
        return None
    found = flow.read(step.from_, state)
    item = thing_of(flow, step.from_, found) if found is not None else None
    if step.where is not None:
        place = flow.place(state, {"item": item} if item is not None else {})
        if item is not None:
            flow.context.reader.read(step.where, place, FLAG, state.facts)
    if item is None:
        return None
    if many:
        return _several(item, step)
    certain = isinstance(found, Many) and found.low > 0 and step.where is None
    return item if certain else Optional(item)


def thing_of(flow: Flow, code: Code, list_: Type) -> Type | None:
    """The sort of things in a list of sheets or records."""
    item = list_.item if isinstance(list_, Many) else list_
    item = item.type if isinstance(item, Optional) else item
    if isinstance(item, Thing) and item.nature in ("sheet", "record"):
        return item
    message = f"A list of sheets or records is wanted here, and `{code.text}` is {describe(list_)}."
    hint = "To choose an id, write `key:`." if isinstance(item, Key) else ""
    flow.context.report.add("E0320", code.path, message, hint)
    return None


HANDLERS.update({model.Roll: roll, model.Reroll: reroll, model.Choose: choose})
__all__ = ["CHECKS", "Keys", "replace"]
