"""The names that a part of the rules can use: roles, inputs, values, and what its steps give names to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from interpreter.documentation.blocks import Inline, Term
from interpreter.documentation.senses import Lexicon, Scope, Sense, asked, is_several
from interpreter.documentation.wording import Wording
from interpreter.model import (
    Action,
    Call,
    Change,
    Choose,
    ForEach,
    Keys,
    Label,
    Let,
    Move,
    Node,
    Phases,
    Procedure,
    Roll,
    Step,
    Steps,
    System,
    Trigger,
)

# Names of things shorter than this say nothing; their kind does.
SHORTEST_NAME = 3
KNOWN_ROLES = {"self": "who_acts", "target": "the_target"}
MOVED = ("applied", "over", "under", "left")


def action_scope(lexicon: Lexicon, action: Action) -> Scope:
    """The names of an action; those of a side stand behind the side's name."""
    scope = phases_scope(lexicon, action, action.labels)
    for name, side in action.sides.items():
        inner = phases_scope(lexicon, side, action.labels, whole=False)
        words = lexicon.term(side.label, name)
        scope[name] = Sense(words, members={**inner, "self": replace(inner.get("self", Sense()), words=words)})
    if action.sides:
        scope["side"] = _any_side(lexicon, action, scope)
    scope["outcome"] = _outcome(lexicon, action)
    return scope


def side_scope(lexicon: Lexicon, action: Action, side: str) -> Scope:
    """The names that one side of an action can use."""
    return {**action_scope(lexicon, action), **phases_scope(lexicon, action.sides[side], action.labels)}


def _any_side(lexicon: Lexicon, action: Action, scope: Scope) -> Sense:
    """`side.x` in the order of sides: the same name in whichever side."""
    first = next(iter(action.sides))
    members = dict(scope[first].members or {})
    members["self"] = replace(members.get("self", Sense()), implied=True)
    return Sense(members=members, implied=True)


def _outcome(lexicon: Lexicon, action: Action) -> Sense:
    """How the action ended: one of its outcomes, or a shade of one."""
    ends = {
        **action.outcomes,
        **{name: one for outcome in action.outcomes.values() for name, one in outcome.grades.items()},
    }
    labels = {name: end.label for name, end in ends.items() if end.label is not None}
    return Sense(lexicon.say("outcome"), ids=Keys(tuple(ends)), labels=labels)


def phases_scope(lexicon: Lexicon, phases: Phases, labels: Mapping[str, Label], whole: bool = True) -> dict[str, Sense]:
    scope = roles(lexicon, phases.who, phases.several)
    for name, spec in phases.inputs.items():
        scope[name] = _input(lexicon, scope, name, spec)
    for name, value in phases.values.items():
        scope[name] = Sense(lexicon.term(value.label, name), number=True)
    steps = (*phases.before, *phases.steps, *(phases.after if isinstance(phases, Action) else ()))
    return scope | step_names(lexicon, scope, steps, labels)


def procedure_scope(lexicon: Lexicon, procedure: Procedure) -> Scope:
    scope = roles(lexicon, procedure.who, procedure.several)
    scope.setdefault("self", Sense(lexicon.say("who_acts"), implied=True))
    for name, spec in procedure.inputs.items():
        scope[name] = _input(lexicon, scope, name, spec)
    return scope | step_names(lexicon, scope, procedure.do, {})


def trigger_scope(lexicon: Lexicon, trigger: Trigger) -> Scope:
    return self_scope(lexicon, trigger_kind(lexicon.system, trigger)) | step_names(
        lexicon, self_scope(lexicon, trigger_kind(lexicon.system, trigger)), trigger.do, {}
    )


def trigger_kind(system: System, trigger: Trigger) -> str:
    """The kind of sheet that a trigger is about."""
    upon = trigger.upon
    if upon.joins:
        return system.periods[upon.joins].members or "" if upon.joins in system.periods else ""
    return (upon.gauge or upon.field or "").partition(".")[0]


def self_scope(lexicon: Lexicon, kind: str) -> dict[str, Sense]:
    """Where there is nothing but the sheet itself."""
    return {"self": Sense(lexicon.kind_label(kind) if kind else lexicon.say("who_acts"), kind=kind, implied=True)}


def record_scope(lexicon: Lexicon, record: str) -> dict[str, Sense]:
    """What a thing's modifiers can name."""
    owner = lexicon.owner_of(record)
    return {
        "item": Sense(lexicon.kind_label(record), kind=record, implied=True),
        "owner": Sense(lexicon.say("owner"), kind=owner, implied=True),
        "self": Sense(lexicon.say("owner"), kind=owner, implied=True),
    }


# ---------------------------------------------------------------------- roles and inputs


def roles(lexicon: Lexicon, who: Mapping[str, tuple[str, ...]], several: Iterable[str]) -> dict[str, Sense]:
    several = frozenset(several)
    return {
        role: Sense(role_name(lexicon, role, who), kind=kinds[0], many=role in several, implied=role == "self")
        for role, kinds in who.items()
        if kinds
    }


def role_name(lexicon: Lexicon, role: str, who: Mapping[str, tuple[str, ...]]) -> Inline:
    """A role by its name; one of a letter or two by its kind, with the letter where there are several."""
    if role in KNOWN_ROLES and role not in lexicon.system.people:
        return lexicon.say(KNOWN_ROLES[role])
    kind = who[role][0] if who[role] else ""
    words = thing_name(lexicon, role, kind)
    alike = [other for other in who if thing_name(lexicon, other, who[other][0] if who[other] else "") == words]
    return (Term(f"{lexicon.names.kind(kind)} {role.upper()}"),) if len(alike) > 1 else words


def thing_name(lexicon: Lexicon, name: str, kind: str) -> Inline:
    """Something by its name in the rules; by its kind where that name is a letter or two."""
    if len(name) < SHORTEST_NAME and kind and name not in lexicon.system.people:
        return lexicon.kind_label(kind)
    return (Term(lexicon.names.who(name)),)


def _input(lexicon: Lexicon, scope: Scope, name: str, spec: Any) -> Sense:
    sense = asked(lexicon, name, spec)
    if spec.pick is None:
        return sense
    things = Wording(lexicon, scope).sense(spec.pick)
    return replace(things, words=sense.words, tight=sense.tight, many=is_several(spec))


# ---------------------------------------------------------------------- steps


def step_names(lexicon: Lexicon, scope: Scope, steps: Steps, labels: Mapping[str, Label]) -> dict[str, Sense]:
    """What steps give names to, at any depth."""
    found: dict[str, Sense] = {}
    for step in every_step(steps):
        namer = _NAMERS.get(type(step))
        if namer is not None:
            for name, sense in namer(lexicon, {**scope, **found}, step):
                label = labels.get(name)
                found[name] = replace(sense, words=lexicon.term(label, name)) if label else sense
    return found


def every_step(steps: Steps) -> Iterator[Step]:
    """Steps with those within them, in order."""
    for step in steps:
        yield step
        yield from every_step(inner_steps(step))


def inner_steps(step: Node) -> Steps:
    found: list[Step] = []
    for name in step.FIELDS:
        found += _steps_in(getattr(step, name))
    return tuple(found)


def _steps_in(value: object) -> Iterator[Step]:
    if isinstance(value, Step):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _steps_in(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _steps_in(item)
    elif isinstance(value, Node):
        yield from inner_steps(value)


def _let(lexicon: Lexicon, scope: Scope, step: Let) -> Iterator[tuple[str, Sense]]:
    for name, code in step.let.items():
        told = Wording(lexicon, scope).sense(code)
        words = scope[name].words if name in scope else lexicon.term(None, name)
        kept = replace(told, words=words, tight=8, implied=False)
        yield name, kept


def _roll(lexicon: Lexicon, scope: Scope, step: Roll) -> Iterator[tuple[str, Sense]]:
    for name, roll in step.roll.items():
        yield name, Sense(lexicon.term(roll.label, name), roll=roll, number=True, implied=True)


def _choose(lexicon: Lexicon, scope: Scope, step: Choose) -> Iterator[tuple[str, Sense]]:
    words = lexicon.term(None, step.choose)
    if step.from_ is not None:
        things = Wording(lexicon, scope).sense(step.from_)
        yield step.choose, replace(things, words=words, tight=8, many=False)
        return
    labels = {name: option.label for name, option in step.options.items() if option.label is not None}
    yield step.choose, Sense(words, ids=step.key, labels=labels, number=step.number is not None)


def _for_each(lexicon: Lexicon, scope: Scope, step: ForEach) -> Iterator[tuple[str, Sense]]:
    name, _, rest = step.for_each.text.partition(" in ")
    things = Wording(lexicon, scope).sense(replace(step.for_each, text=rest.strip()))
    yield name.strip(), loop_sense(lexicon, name.strip(), things)


def loop_sense(lexicon: Lexicon, name: str, things: Sense) -> Sense:
    return replace(things, words=thing_name(lexicon, name, things.kind), tight=8, many=False)


def _call(lexicon: Lexicon, scope: Scope, step: Call) -> Iterator[tuple[str, Sense]]:
    procedure = lexicon.system.procedures.get(step.call)
    if step.as_ is None or procedure is None:
        return
    inner = procedure_scope(lexicon, procedure)
    members = {name: inner.get(name, Sense(lexicon.term(None, name))) for name in procedure.gives}
    yield step.as_, Sense(lexicon.term(procedure.label, step.as_), members=members, implied=True)


def _moved(lexicon: Lexicon, scope: Scope, step: Change | Move) -> Iterator[tuple[str, Sense]]:
    if step.as_ is not None:
        members = {name: Sense(lexicon.say(name), number=True) for name in MOVED}
        yield step.as_, Sense(lexicon.term(None, step.as_), members=members, implied=True)


_NAMERS: Mapping[type[Step], Any] = {
    Let: _let,
    Roll: _roll,
    Choose: _choose,
    ForEach: _for_each,
    Call: _call,
    Change: _moved,
    Move: _moved,
}
