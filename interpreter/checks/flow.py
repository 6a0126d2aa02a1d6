"""Walks the steps of one construct in order, and knows at each what has a value by then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from interpreter.checks.cascades import Deeds
from interpreter.checks.finding import Check
from interpreter.checks.scopes import Place
from interpreter.checks.state import Local, State, met, same
from interpreter.checks.targets import Target, Targets
from interpreter.expressions import Key, Many, Number, Optional, Scope, Thing, Type, describe, join
from interpreter.model import Code, Names, Path, Step, Steps

if TYPE_CHECKING:
    from interpreter.checks.context import Context

COLLISION = Check(
    "E0220",
    "one name for two things",
    "Roles, inputs, values, rolls, choices and every other name of an action share one namespace, and "
    "none hides another.",
    failing="""
actions:
  shoot:
    inputs: {throw: {int: 0..5}}
    steps:
      - roll: {throw: 1d6}
      - say: "{throw}"
""",
    passing="""
actions:
  shoot:
    inputs: {bonus: {int: 0..5}}
    steps:
      - roll: {throw: 1d6}
      - say: "{throw + bonus}"
""",
)
CHANGED_KIND = Check(
    "E0222",
    "a name that changes what it is",
    "A name that gets a new value keeps its sort: a number stays a number, a key stays of its set.",
    failing="""
sheets:
  hero: {stats: {body: 1..6}}
actions:
  note:
    who: {self: hero}
    steps:
      - let: {result: self.body}
      - let: {result: self}
      - say: "{result}"
""",
    passing="""
sheets:
  hero: {stats: {body: 1..6}}
actions:
  note:
    who: {self: hero}
    steps:
      - let: {result: self.body}
      - let: {person: self}
      - say: "{result}, {person}"
""",
)
UNREACHED = Check(
    "E0417",
    "steps that are never reached",
    "Nothing stands after a step that ends the action on every way.",
    failing="""
actions:
  flee:
    steps:
      - finish: free
      - say: We run on.
    outcomes: {free: }
""",
    passing="""
actions:
  flee:
    steps:
      - say: We run on.
      - finish: free
    outcomes: {free: }
""",
)
TOO_DEEP = Check(
    "E0438",
    "loops within loops, too many to look through",
    "Every pass of a loop is looked at, and so are the loops within it: a few levels are enough for any game.",
)
CHECKS = (COLLISION, CHANGED_KIND, UNREACHED, TOO_DEEP)
# So many steps of one action are looked at, each as often as the loops around it are.
MOST_VISITS = 30_000
# A loop teaches something new about its names only a few times; then bounds that still grow are given up.
MOST_PASSES = 6


@dataclass(slots=True)
class Construct:
    """What the steps belong to: an action, a procedure or a trigger. `ends` are the states at each early end."""

    kind: str
    id: str
    path: Path
    outcomes: Names | None = None
    ends: list[State] = field(default_factory=list)
    finishes: dict[str, Path] = field(default_factory=dict)
    demands: list[Path] = field(default_factory=list)
    rolls: dict[str, list[Path]] = field(default_factory=dict)
    deeds: Deeds = field(default_factory=Deeds)


Handler = Callable[["Flow", Any, State], None]
HANDLERS: dict[type[Step], Handler] = {}


class Flow:
    """Checks steps within a construct; `around` are the names that it sees beside its own."""

    def __init__(self, context: Context, construct: Construct, around: Scope | None = None) -> None:
        self.context = context
        self.construct = construct
        self.around = around or context.world
        self.targets = Targets(context)
        self.visits = 0

    # ------------------------------------------------------------------ reading

    def place(self, state: State, names: Mapping[str, Type] | None = None) -> Place:
        place = state.place(self.around)
        return place.within(names) if names else place

    def read(
        self, code: Code, state: State, want: Type | None = None, names: Mapping[str, Type] | None = None
    ) -> Type | None:
        return self.context.reader.type_of(code, self.place(state, names), want, state.facts)

    def single(self, code: Code, state: State, names: Mapping[str, Type] | None = None) -> Type | None:
        return self.context.reader.single(code, self.place(state, names), state.facts)

    # ------------------------------------------------------------------ names

    def define(self, state: State, name: str, type_: Type | None, what: str, path: Path) -> None:
        """Gives a name a value; tells when it is the name of something else already, or changes what it is."""
        known = state.names.get(name)
        report = self.context.report
        if known is not None and known.what != what:
            message = f"`{name}` is {_A[what]} here, and {_A[known.what]} already."
            report.add(
                COLLISION,
                path,
                message,
                "Give one of them another name.",
                on="key",
                related=(("the other", known.path),),
            )
        elif known is None and self.around.lookup(name) is not None:
            message = f"`{name}` is {_A[what]} here, and a name of the whole system already."
            report.add(COLLISION, path, message, "Give it another name.", on="key")
        elif known is not None and known.type is not None and type_ is not None and not _consistent(known.type, type_):
            message = f"`{name}` was {describe(known.type)}, and is {describe(type_)} here."
            report.add(CHANGED_KIND, path, message, "Use another name.", on="key", related=(("before", known.path),))
            type_ = None
        state.forget((name,))
        state.names[name] = Local(type_, what, path)

    def changed(self, state: State, *targets: Target | None) -> None:
        """Some fields may have new values, and so has whatever triggers and called steps can write."""
        written = {info.name for target in targets if target is not None for info in target.infos}
        every = frozenset[str]() if None in targets else self.context.steady - written
        state.forget_sheets(every)

    # ------------------------------------------------------------------ steps

    def run(self, steps: Steps, state: State) -> None:
        for step in steps:
            was_over = state.over
            if was_over:
                self.context.report.add(
                    UNREACHED, step.path, "This step is never reached: the action has ended by then.", on="key"
                )
            state.over = False
            self._step(step, state)
            state.over = state.over or was_over

    def _step(self, step: Step, state: State) -> None:
        handler = HANDLERS[type(step)]
        self.visits += 1
        if self.visits > MOST_VISITS:
            self._give_up(step)
            return
        if step.when is None:
            handler(self, step, state)
            return
        condition = self.context.reader.condition(step.when, self.place(state), state.facts)
        before = state.copy()
        state.learn(condition)
        handler(self, step, state)
        state.become(met(state, before))

    def _give_up(self, step: Step) -> None:
        """Tells once that an action is too large, even while its loops are only tried."""
        if self.visits == MOST_VISITS + 1:
            self.visits += 1
            message = f"The loops around this are too many: more than {MOST_VISITS} steps would have to be looked at."
            with self.context.report.loud():
                self.context.report.add(TOO_DEEP, step.path, message, "Put inner loops in procedures.", on="key")

    def branch(self, state: State, run: Callable[[State], None]) -> State:
        """The state after one of several ways."""
        own = state.copy()
        run(own)
        return own

    def loop(self, state: State, once: Callable[[State], None]) -> State:
        """The state after any number of passes, at least one; `state` becomes what holds before each pass."""
        entry = set(state.names)
        for number in range(MOST_PASSES):
            after = state.copy()
            with self.context.report.muted():
                once(after)
            again = met(state, after) if not after.over else state
            again.rolled = state.rolled or after.rolled
            for name in again.names.keys() - entry:
                again.names[name] = replace(again.names[name], carried=True)
            again.over = state.over
            if number > 0:
                _widen(state, again)
            if same(state, again) and state.facts == again.facts:
                break
            state.become(again)
        after = state.copy()
        once(after)
        return after

    @contextmanager
    def named(self, state: State, name: str, type_: Type | None, path: Path) -> Iterator[None]:
        """Within a loop, its name for each thing."""
        known = state.names.get(name)
        self.define(state, name, type_, "loop", path)
        yield
        state.forget((name,))
        del state.names[name]
        if known is not None:
            state.names[name] = known


def _widen(before: State, after: State) -> None:
    """Bounds that grow with each pass have no bound."""
    for name, local in after.names.items():
        old = before.names.get(name)
        if old is None or not isinstance(old.type, Number) or not isinstance(local.type, Number):
            continue
        low = local.type.low if local.type.low == old.type.low else None
        high = local.type.high if local.type.high == old.type.high else None
        after.names[name] = replace(local, type=Number(local.type.whole, low, high, local.type.parts))


def _consistent(one: Type, other: Type) -> bool:
    """Whether a name can be either: the same sort, the same set of ids, the same kinds of things."""
    one, other = (part.type if isinstance(part, Optional) else part for part in (one, other))
    if isinstance(one, Key) and isinstance(other, Key):
        return one.ids == other.ids or one.name == other.name != ""
    if isinstance(one, Thing) and isinstance(other, Thing):
        return one.kinds == other.kinds and tuple(one.members) == tuple(other.members)
    if isinstance(one, Many) and isinstance(other, Many):
        return _consistent(one.item, other.item)
    return join(one, other) is not None


_A = {
    "role": "a role",
    "input": "an input",
    "value": "a value",
    "let": "a name of a `let`",
    "roll": "a roll",
    "choice": "a choice",
    "result": "what a step gives back",
    "loop": "the name of a loop",
    "side": "a side",
    "report": "a number of the report",
    "flag": "a flag",
    "end": "how the action ended",
    "trigger": "a name of every trigger",
}


def unset_after(state: State, names: Iterable[str]) -> None:
    state.unsure(names)
