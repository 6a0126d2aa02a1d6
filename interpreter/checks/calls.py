"""Procedures and their calls: what is handed in, what comes back, and what a call can do besides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interpreter import model
from interpreter.checks.cascades import Deeds
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Construct, Flow
from interpreter.checks.inputs import Inputs
from interpreter.checks.scopes import space
from interpreter.checks.state import State
from interpreter.checks.telling import UNKNOWN_OUTCOME
from interpreter.checks.writes import LATE
from interpreter.expressions import Many, Number, Optional, Thing, Type, describe
from interpreter.expressions.intervals import ends
from interpreter.model import Call, Code, Input, Path, Procedure
from interpreter.problems import nearest

if TYPE_CHECKING:
    from interpreter.checks.context import Context

UNKNOWN_PROCEDURE = Check(
    "E0211",
    "a procedure that does not exist",
    "`call` names a procedure of the section `procedures`.",
    failing="""
procedures:
  breathe: {do: [{say: Phew.}]}
actions:
  rest:
    steps: [{call: brethe}]
""",
    passing="""
procedures:
  breathe: {do: [{say: Phew.}]}
actions:
  rest:
    steps: [{call: breathe}]
""",
)
HANDED_IN = Check(
    "E0218",
    "a call that hands in what the procedure does not take, or not enough",
    "`with` names roles and inputs of the procedure, and everything without a default is handed in; a "
    "number lies in its range.",
    failing="""
procedures:
  wound:
    inputs: {points: {int: 0..6}}
    do: [{say: "{points}"}]
actions:
  fall:
    steps: [{call: wound, with: {point: 3}}]
""",
    passing="""
procedures:
  wound:
    inputs: {points: {int: 0..6}}
    do: [{say: "{points}"}]
actions:
  fall:
    steps: [{call: wound, with: {points: 3}}]
""",
)
NOT_GIVEN = Check(
    "E0224",
    "a procedure that gives back what it may not have",
    "Every name of `gives` has a value at the end of the procedure, on every way.",
    failing="""
procedures:
  draw:
    do: [{let: {gain: 1}}]
    gives: [gain, loss]
actions:
  play:
    steps:
      - call: draw
      - say: "{draw.gain}"
""",
    passing="""
procedures:
  draw:
    do: [{let: {gain: 1, loss: 0}}]
    gives: [gain, loss]
actions:
  play:
    steps:
      - call: draw
      - say: "{draw.gain}"
""",
)
CHECKS = (UNKNOWN_PROCEDURE, HANDED_IN, NOT_GIVEN)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a caller must know of a procedure: what it takes and gives, what it sets off, where it can refuse or end."""

    roles: dict[str, Type | None]
    inputs: dict[str, Type | None]
    gives: dict[str, Type | None]
    rolls: bool
    deeds: Deeds
    demands: tuple[Path, ...] = ()
    finishes: dict[str, Path] = field(default_factory=dict)


class Procedures:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.known: dict[str, Summary] = {}

    def check(self, name: str) -> None:
        """Walks a procedure's steps in its own names, and remembers what callers must know."""
        spec = self.context.system.procedures[name]
        construct = Construct("procedure", name, spec.path)
        flow = Flow(self.context, construct)
        state = State()
        roles = role_types(flow, spec.who, spec.several, spec.path)
        for role, type_ in roles.items():
            flow.define(state, role, type_, "role", (*spec.path, "who", role))
        reader = Inputs(flow, called=True)
        inputs: dict[str, Type | None] = {}
        for key, one in spec.inputs.items():
            reader.define(key, one, state)
            inputs[key] = state.names[key].type
        flow.run(spec.do, state)
        gives = {key: self._given(flow, spec, place, state) for place, key in enumerate(spec.gives)}
        self.known[name] = Summary(
            roles, inputs, gives, state.rolled, construct.deeds, tuple(construct.demands), construct.finishes
        )
        self.context.note_reads(spec.inputs)

    def _given(self, flow: Flow, spec: Procedure, place: int, state: State) -> Type | None:
        name, path = spec.gives[place], (*spec.path, "gives", place)
        local = state.names.get(name)
        if local is None:
            self.context.unknown(NOT_GIVEN, path, "name", name, state.names)
            return None
        if not local.sure and not state.over:
            message = f"`{name}` may have no value at the end: not every way gives it one."
            self.context.report.add(NOT_GIVEN, path, message, related=(("it gets a value here", local.path),))
            return None
        return local.type


def role_types(flow: Flow, who: object, several: frozenset[str], path: Path) -> dict[str, Type | None]:
    """The sheets by role; one of several sheets is a list of at least one."""
    found: dict[str, Type | None] = {}
    assert hasattr(who, "items")
    for role, kinds in who.items():
        for place, kind in enumerate(kinds):
            if kind not in flow.context.system.sheets and kind not in flow.context.system.records:
                where: Path = (*path, "who", role)
                flow.context.unknown_kind(
                    (*where, place) if isinstance(flow.context.value_at(where), list) else where, kind
                )
        thing = flow.context.kinds.thing(kinds)
        found[role] = Many(thing, 1) if thing is not None and role in several else thing
    return found


# ---------------------------------------------------------------------- calls


def call(flow: Flow, step: Call, state: State) -> None:
    procedure = flow.context.system.procedures.get(step.call)
    path = (*step.path, "call")
    name = step.as_ or step.call
    if procedure is None:
        flow.context.unknown(UNKNOWN_PROCEDURE, path, "procedure", step.call, flow.context.system.procedures)
        for code in step.with_.values():
            flow.read(code, state)
        flow.define(state, name, None, "result", path)
        return
    summary = flow.context.procedures.known.get(step.call)
    if summary is None:  # it calls itself in the end, which is told elsewhere
        flow.define(state, name, None, "result", path)
        return
    _hand_in(flow, step, procedure, summary, state)
    _refusals(flow, step, summary, state)
    _ends(flow, step, summary, state)
    flow.construct.deeds.add(summary.deeds)
    state.rolled = state.rolled or summary.rolls
    flow.changed(state)
    gives = {key: type_ for key, type_ in summary.gives.items() if type_ is not None}
    flow.context.reader.broken.update(key for key, type_ in summary.gives.items() if type_ is None)
    flow.define(state, name, space(name, gives, "result"), "result", path)


def _refusals(flow: Flow, step: Call, summary: Summary, state: State) -> None:
    if not summary.demands:
        return
    flow.construct.demands.extend(summary.demands)
    if state.rolled or flow.construct.kind == "trigger":
        message = f"`{step.call}` can refuse the action, and on some way a roll or a choice comes before this call."
        related = (("it can refuse here", summary.demands[0]),)
        flow.context.report.add(
            LATE, (*step.path, "call"), message, "Ask for it in `require` or `before`.", related=related
        )


def _ends(flow: Flow, step: Call, summary: Summary, state: State) -> None:
    construct = flow.construct
    for outcome, where in summary.finishes.items():
        construct.finishes.setdefault(outcome, where)
        if construct.kind == "trigger" or (construct.outcomes is not None and outcome not in construct.outcomes):
            message = f"`{step.call}` can end the action with `{outcome}`, and `{construct.id}` has no such outcome."
            related = (("it ends here", where),)
            flow.context.report.add(UNKNOWN_OUTCOME, (*step.path, "call"), message, related=related)
    if summary.finishes:
        construct.ends.append(state.copy())


def _hand_in(flow: Flow, step: Call, procedure: Procedure, summary: Summary, state: State) -> None:
    for name, code in step.with_.items():
        if name in summary.roles:
            flow.read(code, state, summary.roles[name])
        elif name in summary.inputs:
            _input(flow, code, name, procedure.inputs[name], summary.inputs[name], state)
        else:
            known = [*summary.roles, *summary.inputs]
            flow.context.unknown(HANDED_IN, code.path, f"role or input of `{step.call}`", name, known, on="key")
            flow.read(code, state)
    for role, type_ in summary.roles.items():
        if role not in step.with_ and type_ is not None:
            _own_role(flow, step, role, type_, state)
    known = [*summary.roles, *summary.inputs]
    meant = {nearest(name, known) for name in step.with_ if name not in known}
    given = {*step.with_, *meant}
    missing = [name for name, spec in procedure.inputs.items() if name not in given and not _has_default(spec)]
    for name in missing:
        message = f"`{step.call}` needs `{name}`."
        flow.context.report.add(HANDED_IN, (*step.path, "call"), message, f"Write it in `with: {{{name}: …}}`.")


def _own_role(flow: Flow, step: Call, role: str, want: Type, state: State) -> None:
    """A role that is not handed in is the caller's of the same name."""
    found = flow.place(state).lookup(role)
    if found is None and state.names.get(role) is not None:
        return
    path = (*step.path, "call")
    if found is None:
        message = f"`{step.call}` needs a `{role}`, and there is none here."
        flow.context.report.add(HANDED_IN, path, message, f"Write it in `with: {{{role}: …}}`.")
        return
    fits = _kinds(found) <= _kinds(want) and isinstance(found, Many) == isinstance(want, Many) and _kinds(found)
    if not fits or isinstance(found, Optional):
        message = f"`{step.call}` works on {describe(want)}, and `{role}` here is {describe(found)}."
        flow.context.report.add(HANDED_IN, path, message, f"Write it in `with: {{{role}: …}}`.")


def _kinds(type_: Type) -> frozenset[str]:
    inner = type_.item if isinstance(type_, Many) else type_
    return inner.kinds if isinstance(inner, Thing) else frozenset()


def _has_default(spec: Input) -> bool:
    return (
        spec.default is not None
        or spec.optional
        or spec.flag is not None
        or spec.text is not None
        or spec.set_of is not None
    )


def _input(flow: Flow, code: Code, name: str, spec: Input, want: Type | None, state: State) -> None:
    if isinstance(want, Optional) or want is None or not isinstance(want, Number):
        flow.read(code, state, want)
        return
    found = flow.read(code, state, Number(True))
    if not isinstance(found, Number):
        return
    (low, high), (least, most) = ends(found), ends(want)
    if low < least or high > most:
        range_ = f"{_end(want.low)}..{_end(want.high)}"
        message = f"`{name}` is {range_}, and `{code.text}` may lie outside: {_end(found.low)}..{_end(found.high)}."
        hint = "Keep it inside, with max(…), min(…) or clamp(x, low, high), or widen the range of the input."
        flow.context.report.add(HANDED_IN, code.path, message, hint)


def _end(end: object) -> str:
    return "" if end is None else str(end)


HANDLERS.update({model.Call: call})
