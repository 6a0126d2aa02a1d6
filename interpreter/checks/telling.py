"""Steps that tell and end: say, emit, finish, and those on periods and effects."""

from __future__ import annotations

import re
from collections.abc import Mapping

from interpreter import model
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Flow
from interpreter.checks.state import State
from interpreter.compiler.steps import BRACES
from interpreter.expressions import Many, Optional, Thing, describe
from interpreter.model import Code, Label, Path

UNKNOWN_PERIOD = Check(
    "E0213",
    "a period that does not exist",
    "Periods are declared in the section `periods`; one that sheets take part in says which, with `members`.",
    failing="""
periods: {watch: }
actions:
  sit_up:
    steps: [{begin: wach}]
""",
    passing="""
periods: {watch: }
actions:
  sit_up:
    steps: [{begin: watch}]
""",
)
UNKNOWN_EFFECT = Check(
    "E0214",
    "an effect that does not exist",
    "Effects are declared in the section `effects`, each on one kind of sheet.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
effects: {dazzled: {on: hero}}
actions:
  light:
    who: {self: hero}
    steps: [{apply: dazled}]
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
effects: {dazzled: {on: hero}}
actions:
  light:
    who: {self: hero}
    steps: [{apply: dazzled}]
""",
)
UNKNOWN_OUTCOME = Check(
    "E0212",
    "an outcome that does not exist",
    "`finish` and `best` name outcomes of the action; a trigger, which any action may set off, ends none.",
    failing="""
actions:
  flee:
    inputs: {fast: {flag: false}}
    steps: [{finish: fre, when: fast}]
    outcomes:
      free: {when: fast}
      caught:
""",
    passing="""
actions:
  flee:
    inputs: {fast: {flag: false}}
    steps: [{finish: free, when: fast}]
    outcomes:
      free: {when: fast}
      caught:
""",
)
CHECKS = (UNKNOWN_PERIOD, UNKNOWN_EFFECT, UNKNOWN_OUTCOME)


def finish(flow: Flow, step: model.Finish, state: State) -> None:
    construct = flow.construct
    path = (*step.path, "finish")
    construct.finishes.setdefault(step.finish, path)
    if construct.kind == "trigger":
        message = "A trigger cannot end the action that sets it off: other actions have other outcomes."
        flow.context.report.add(
            UNKNOWN_OUTCOME, path, message, "Let the trigger change a field, and the action look at it."
        )
    elif construct.outcomes is not None and step.finish not in construct.outcomes:
        flow.context.unknown(UNKNOWN_OUTCOME, path, "outcome", step.finish, construct.outcomes)
    construct.ends.append(state.copy())
    state.over = True


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
        for match in LONE.finditer(BRACES.sub(lambda pair: "." * len(pair[0]), text)):
            closing = match[0] == "}"
            said = "closes nothing" if closing else "is never closed"
            hint = f"An expression in a text stands between {{ and }}; the `{'{' if closing else '}'}` is missing."
            flow.context.report.add("E0306", where, f"This `{match[0]}` {said}.", hint, offset=match.start(), length=1)


LONE = re.compile(r"[{}]")


def things(flow: Flow, code: Code, state: State, kinds: tuple[str, ...]) -> None:
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
    things(flow, code, state, (period.members,))


def begin(flow: Flow, step: model.Begin, state: State) -> None:
    period = known_period(flow, step.begin, (*step.path, "begin"))
    _members(flow, period, step.begin, step.with_, state)
    flow.construct.deeds.events |= {
        f"begins.{step.begin}",
        *([f"joins.{step.begin}"] if step.with_ is not None else []),
    }
    flow.changed(state)


def join_(flow: Flow, step: model.Join, state: State) -> None:
    period = known_period(flow, step.join, (*step.path, "join"))
    _members(flow, period, step.join, step.with_, state)
    flow.construct.deeds.events.add(f"joins.{step.join}")
    flow.changed(state)


def end(flow: Flow, step: model.End, state: State) -> None:
    known_period(flow, step.end, (*step.path, "end"))
    flow.construct.deeds.events.add(f"ends.{step.end}")
    flow.changed(state)


def apply(flow: Flow, step: model.Apply, state: State) -> None:
    _effect(flow, step.apply, "apply", step.to, step.path, state)


def lift(flow: Flow, step: model.Lift, state: State) -> None:
    _effect(flow, step.lift, "lift", step.from_, step.path, state)


def _effect(flow: Flow, name: str, key: str, code: Code | None, path: Path, state: State) -> None:
    effect = flow.context.system.effects.get(name)
    if effect is None:
        flow.context.unknown(UNKNOWN_EFFECT, (*path, key), "effect", name, flow.context.system.effects)
    elif code is None:
        things(flow, Code("self", (*path, key)), state, (effect.on,))
    if code is not None:
        things(flow, code, state, (effect.on,)) if effect is not None else flow.read(code, state)
    flow.changed(state)


def emit(flow: Flow, step: model.Emit, state: State) -> None:
    flow.construct.deeds.events.add(f"event.{step.emit}")
    flow.changed(state)


HANDLERS.update(
    {
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
