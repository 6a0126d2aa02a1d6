"""Actions: their phases in order, for one or several sides, then outcomes, grades, report and what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from interpreter.checks.calls import role_types
from interpreter.checks.finding import Check
from interpreter.checks.flow import Construct, Flow
from interpreter.checks.inputs import Inputs
from interpreter.checks.reader import parsed
from interpreter.checks.scopes import FLAG, Lazy
from interpreter.checks.state import Local, State, met
from interpreter.checks.telling import UNKNOWN_OUTCOME, known_period, told
from interpreter.checks.ways import order
from interpreter.expressions import Expression, Key, Number, Optional, Thing, Type, decided, negation
from interpreter.expressions.nodes import constant
from interpreter.model import Action, Code, Path, Phases, Value

if TYPE_CHECKING:
    from interpreter.checks.context import Context

NO_LAST = Check(
    "E0401",
    "outcomes that do not cover everything",
    "The last outcome has no `when`, so that one of them always happens.",
    failing="""
actions:
  jump:
    steps: [{roll: {throw: 1d6}}]
    outcomes:
      high: {when: throw >= 5}
      low: {when: throw <= 4}
""",
    passing="""
actions:
  jump:
    steps: [{roll: {throw: 1d6}}]
    outcomes:
      high: {when: throw >= 5}
      low:
""",
)
SHADOWED = Check(
    "E0402",
    "an outcome that can never happen",
    "Outcomes are looked at in order: none stands after one without `when`, and no condition is always false.",
    failing="""
actions:
  jump:
    steps: [{roll: {throw: 1d6}}]
    outcomes:
      low:
      high: {when: throw >= 5}
""",
    passing="""
actions:
  jump:
    steps: [{roll: {throw: 1d6}}]
    outcomes:
      high: {when: throw >= 5}
      low:
""",
)
NEVER = Check(
    "W0410",
    "an outcome that the numbers leave no room for",
    "Every outcome can happen: its condition is not beyond what the numbers in it can be, nor taken by one before it.",
    failing="""
actions:
  jump:
    steps: [{roll: {throw: 1d6}}]
    outcomes:
      high: {when: throw >= 3}
      very_high: {when: throw == 6}
      low:
""",
    passing="""
actions:
  jump:
    steps: [{roll: {throw: 1d6}}]
    outcomes:
      very_high: {when: throw == 6}
      high: {when: throw >= 3}
      low:
""",
)
CHECKS = (NO_LAST, SHADOWED, NEVER)


class Actions:
    def __init__(self, context: Context) -> None:
        self.context = context

    def check(self, name: str) -> None:
        action = self.context.system.actions[name]
        construct = Construct("action", name, action.path, tuple(action.outcomes))
        walk = _Walk(self.context, action, construct)
        walk.run()
        self.context.endings[name] = walk.state
        self._unknown_outcomes(action)
        every = (action, *action.sides.values())
        self.context.note_reads(*(one.inputs for one in every), *(one.values for one in every))

    def _unknown_outcomes(self, action: Action) -> None:
        known = {**action.outcomes, **action.report}
        for place, name in enumerate(action.best):
            if name not in known:
                where = (*action.path, "best")
                path = (*where, place) if isinstance(self.context.value_at(where), list) else where
                self.context.unknown(UNKNOWN_OUTCOME, path, "outcome or reported number", name, known)


class _Walk:
    """One action, phase by phase; `sides` holds the names of each side apart."""

    def __init__(self, context: Context, action: Action, construct: Construct) -> None:
        self.context = context
        self.action = action
        self.flow = Flow(context, construct)
        self.state = State()
        self.sides: dict[str, dict[str, Local]] = {name: {} for name in action.sides}

    def run(self) -> None:
        action, state = self.action, self.state
        if action.during is not None:
            known_period(self.flow, action.during, (*action.path, "during"))
        self._roles(action, state, action.path)
        for name, side in action.sides.items():
            with self._in_side(name) as own:
                self._roles(side, own, (*action.path, "sides", name), name)
        for name, side in action.sides.items():
            with self._in_side(name) as own:
                self._inputs(side, own)
        self._with_spaces(lambda own: self._inputs(action, own))
        self._phase(self._require)
        if any(side.before for side in action.sides.values()):
            self._order()
        self._phase(lambda phases, own: self.flow.run(phases.before, own))
        self._phase(self._values)
        self._order()
        self._phase(lambda phases, own: self.flow.run(phases.steps, own))
        self._outcomes()
        self._ended()

    # ------------------------------------------------------------------ phases

    def _phase(self, run: Callable[[Phases, State], None]) -> None:
        """A phase for every side, each seeing the others as they were before it, then for the action."""
        before = {name: dict(own) for name, own in self.sides.items()}
        for name, side in self.action.sides.items():
            with self._in_side(name, before) as own:
                run(side, own)
        self._with_spaces(lambda own: run(self.action, own))

    def _in_side(self, name: str, before: Mapping[str, Mapping[str, Local]] | None = None) -> _Side:
        return _Side(self, name, before if before is not None else self.sides)

    def _with_spaces(self, run: Callable[[State], None]) -> None:
        """For the action itself, the names of a side are parts of it."""
        self.put_spaces(self.state, self.sides)
        run(self.state)
        if self.action.sides:
            self.put_spaces(self.state, self.sides)

    def put_spaces(self, state: State, sides: Mapping[str, Mapping[str, Local]]) -> None:
        for name, own in sides.items():
            self.context.reader.broken.update(key for key, local in own.items() if local.type is None)
            state.names[name] = Local(side_space(name, own), "side", (*self.action.path, "sides", name))

    def _roles(self, phases: Phases, state: State, path: Path, side: str = "") -> None:
        for role, type_ in role_types(self.flow, phases.who, phases.several, path).items():
            self.flow.define(state, role, type_, "role", (*path, "who", role))

    def _inputs(self, phases: Phases, state: State) -> None:
        inputs = Inputs(self.flow)
        for name, spec in phases.inputs.items():
            inputs.define(name, spec, state)

    def _require(self, phases: Phases, state: State) -> None:
        for requirement in phases.require:
            state.learn(self.context.reader.condition(requirement.that, self.flow.place(state), state.facts))

    def _values(self, phases: Phases, state: State) -> None:
        local = state.names.get("self")
        owners = tuple(sorted(local.type.kinds)) if local is not None and isinstance(local.type, Thing) else ()
        for name, spec in phases.values.items():
            titles = ("*", self.flow.construct.id, *phases.begins_with)
            outside = list(self.context.values.outside(owners, {f"{title}.{name}" for title in titles}))
            type_ = self.context.values.composed(spec, self.flow.place(state), outside, state.facts)
            plain = Number(type_.whole, type_.low, type_.high) if isinstance(type_, Number) else type_
            self.flow.define(state, name, plain, "value", spec.path)
            state.learn(*limits(name, spec))

    def _order(self) -> None:
        if not self.action.order or not self.action.sides:
            return
        shared = _shared([side_space("side", own) for own in self.sides.values()])
        self.put_spaces(self.state, self.sides)
        order(self.flow, self.action.order, self.state, {"side": shared})

    # ------------------------------------------------------------------ the end

    def _outcomes(self) -> None:
        outcomes = self.action.outcomes
        state = self.state.copy()
        last = list(outcomes)[-1] if outcomes else ""
        for name, outcome in outcomes.items():
            if outcome.when is None and name != last:
                following = list(outcomes)[list(outcomes).index(name) + 1]
                message = f"`{following}` can never happen: `{name}`, before it, has no `when`."
                self.context.report.add(
                    SHADOWED, outcomes[following].path, message, "Put the one without `when` last.", on="key"
                )
                return
            if outcome.when is not None:
                typed = self.context.reader.read(outcome.when, self.flow.place(state), FLAG, state.facts)
                if typed is None or typed.faults:
                    continue
                holds = decided(typed.tree, typed.types)
                if holds is not None:
                    self._decided(name, outcome.when, holds, NEVER if typed.names else SHADOWED)
                if holds and name != last:
                    return
                condition = parsed(outcome.when.text)
                state.learn(negation(condition) if isinstance(condition, Expression) else None)
        if outcomes and outcomes[last].when is not None:
            message = f"`{last}` has a `when`, so that it may be that nothing happens."
            self.context.report.add(
                NO_LAST,
                outcomes[last].path,
                message,
                "Take the last `when` out, or add an outcome without one.",
                on="key",
            )

    def _decided(self, name: str, when: Code, holds: bool, check: Check) -> None:
        """Tells which outcome can never happen, since this condition always holds or never does."""
        names = list(self.action.outcomes)
        later = names[names.index(name) + 1 :]
        if not holds:
            self.context.report.add(check, when.path, f"`{name}` can never happen: this is never true here.")
        elif later:
            message = f"`{later[0]}` can never happen: this, before it, is always true."
            self.context.report.add(check, when.path, message, "Put the narrower condition first.")

    def _ended(self) -> None:
        """Grades, report and `after`, which also follow an early end."""
        state = self.state
        for early in self.flow.construct.ends:
            state.become(met(state, early))
        state.over = False
        outcomes = self.action.outcomes
        if outcomes:
            self.flow.define(state, "outcome", Key(tuple(outcomes)), "end", self.action.path)
        for outcome in outcomes.values():
            told(self.flow, outcome.say, (*outcome.path, "say"), state)
            for grade in outcome.grades.values():
                self.context.reader.condition(grade.when, self.flow.place(state), state.facts)
                told(self.flow, grade.say, (*grade.path, "say"), state)
        grades = tuple(dict.fromkeys(grade for outcome in outcomes.values() for grade in outcome.grades))
        if grades:
            self.flow.define(state, "grade", Optional(Key(grades)), "end", self.action.path)
        for name, code in self.action.report.items():
            type_ = self.flow.single(code, state)
            if code.text != name or name not in state.names:
                self.flow.define(state, name, type_, "report", code.path)
        for name, code in self.action.flags.items():
            self.context.reader.read(code, self.flow.place(state), FLAG, state.facts)
            if code.text != name or name not in state.names:
                self.flow.define(state, name, FLAG, "flag", code.path)
        self.flow.run(self.action.after, state)


class _Side:
    """The names of the action with those of one side on top, while that side's part of a phase is looked at."""

    def __init__(self, walk: _Walk, name: str, others: Mapping[str, Mapping[str, Local]]) -> None:
        self.walk = walk
        self.name = name
        self.others = others
        self.state = State()

    def __enter__(self) -> State:
        walk, state = self.walk, self.walk.state.copy()
        for name in walk.sides:
            state.names.pop(name, None)
        walk.put_spaces(state, self.others)
        self.base = set(state.names)
        state.names |= walk.sides[self.name]
        self.state = state
        return state

    def __exit__(self, *_: object) -> None:
        own = {
            name: local
            for name, local in self.state.names.items()
            if name not in self.base or name in self.walk.sides[self.name]
        }
        self.walk.sides[self.name].update(own)
        self.walk.state.rolled = self.walk.state.rolled or self.state.rolled
        self.walk.state.facts = tuple(fact for fact in self.walk.state.facts if fact in self.state.facts)


def limits(name: str, spec: Value) -> Iterator[Expression]:
    """What the bounds of a value say of it from then on."""
    sign, code = (">=", spec.min) if spec.max is None else ("<=", spec.max)  # the most goes last, and wins
    expression = parsed(f"{name} {sign} ({code.text})") if code is not None else ()
    if isinstance(expression, Expression):
        yield expression


def side_space(name: str, own: Mapping[str, Local]) -> Thing:
    known = {key: local.type for key, local in own.items() if local.type is not None and local.sure}
    return Thing(name, known, "side")


def _shared(spaces: list[Thing]) -> Thing:
    """What every side has."""
    from interpreter.checks.kinds import joined

    names = [name for name in spaces[0].members if all(name in one.members for one in spaces)]

    def find(name: str) -> Type | None:
        result: Type | None = spaces[0].members[name]
        for other in spaces[1:]:
            result = joined(result, other.members[name]) if result is not None else None
        return result

    return Thing("side", Lazy(names, find), "side")


__all__ = ["CHECKS", "Actions", "Iterator", "constant", "replace"]
