"""Inputs of actions and procedures: what each gives, and whether it can be absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interpreter.checks.choices import thing_of
from interpreter.checks.finding import Check
from interpreter.checks.flow import Flow
from interpreter.checks.scopes import FLAG, TEXT, WHOLE
from interpreter.checks.state import State
from interpreter.expressions import Family, Key, Many, Number, Optional, Text, Thing, Type, intervals
from interpreter.fields import count_range, whole
from interpreter.model import Input, Keys

if TYPE_CHECKING:
    from interpreter.checks.context import Context

MISUSED = Check(
    "E0429",
    "an input that cannot work as written",
    "`one` is for procedures, `for_each` for a role of several sheets, and only one answer of its own "
    "kind is a default.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  aim:
    who: {self: hero}
    inputs: {target: {one: hero}}
    steps: [{say: "{target.body}"}]
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  aim:
    who: {self: hero, target: hero}
    steps: [{say: "{target.body}"}]
""",
)
DEFAULT_OUTSIDE = Check(
    "E0436",
    "a default that is no possible answer",
    "The default of an input lies within its range, or is one of its ids.",
    failing="""
actions:
  aim:
    inputs: {distance: {int: 0..5, default: 8}}
    steps: [{say: "{distance}"}]
""",
    passing="""
actions:
  aim:
    inputs: {distance: {int: 0..5, default: 2}}
    steps: [{say: "{distance}"}]
""",
)
CHECKS = (MISUSED, DEFAULT_OUTSIDE)


class Inputs:
    """Types inputs in declared order; an input may look at those before it. `called`: they are handed in by a call."""

    def __init__(self, flow: Flow, *, called: bool = False) -> None:
        self.flow = flow
        self.context: Context = flow.context
        self.called = called

    def define(self, name: str, spec: Input, state: State) -> None:
        self.flow.define(state, name, self.type_of(spec, state), "input", spec.path)

    def type_of(self, spec: Input, state: State) -> Type | None:
        self._misfits(spec)
        if spec.when is not None:
            self.context.reader.condition(spec.when, self.flow.place(state), state.facts)
        if spec.for_each is not None:
            return self._for_each(spec, state)
        if spec.pick is not None:
            return self._pick(spec, state)
        plain = self._plain(spec, state)
        if plain is None:
            return None
        default = self._default(spec, plain, state)
        if self._can_be_absent(spec):
            return Optional(plain)
        if isinstance(plain, Number) and isinstance(default, Number):
            return intervals.hull([plain, default])
        return plain

    def _misfits(self, spec: Input) -> None:
        """Keys that say nothing of an input of this kind."""
        is_list = spec.pick is not None or spec.set_of is not None
        misfits = (
            ("where", spec.where is not None and not is_list and spec.key is None, "which things or ids can be chosen"),
            ("where", spec.where is not None and self.called, "what can be chosen, and a caller hands it in"),
            ("count", spec.count is not None and not is_list, "how many are picked, or taken of a set"),
            ("beyond", spec.beyond == "clamp" and spec.int is None, "what a number out of its range does"),
        )
        for key, is_wrong, what in misfits:
            if is_wrong:
                message = f"`{key}` means nothing here: it says {what}."
                self.context.report.add(MISUSED, (*spec.path, key), message, "Take it out.", on="key")

    def _can_be_absent(self, spec: Input) -> bool:
        """Without a default, an input that is optional or not always open may have no value."""
        if spec.default is not None or spec.flag is not None or spec.text is not None:
            return False
        return spec.optional or (spec.when is not None and not self.called)

    # ------------------------------------------------------------------ kinds

    def _plain(self, spec: Input, state: State) -> Type | None:
        if spec.flag is not None:
            return FLAG
        if spec.int is not None:
            return self._int(spec, state)
        for keys in (spec.key, spec.set_of):
            if keys is not None:
                return self._ids(keys, spec, state)
        if spec.one is not None:
            return self._one(spec)
        return TEXT

    def _int(self, spec: Input, state: State) -> Number:
        assert spec.int is not None
        ends = [
            self.flow.read(code, state, WHOLE) if code is not None else None for code in (spec.int.low, spec.int.high)
        ]
        low, high = (end if isinstance(end, Number) else WHOLE for end in ends)
        least, most = low.low, high.high
        if spec.beyond == "clamp" and least is not None and high.low is not None:
            least = min(least, high.low)
        return Number(True, least, most if most is None or least is None else max(least, most))

    def _ids(self, keys: Keys, spec: Input, state: State) -> Type | None:
        if not keys.ids:
            return None
        key = self.context.kinds.key(keys)
        if spec.where is not None:
            self.context.reader.read(spec.where, self.flow.place(state, {"item": key}), FLAG, state.facts)
        if spec.set_of is None:
            return key
        low, high = count_range(spec.count, (0, None))
        return Many(key, low, high if high is not None else len(keys.ids))

    def _one(self, spec: Input) -> Type | None:
        if not self.called:
            message = "An input of kind `one` is handed in by a call; an action takes sheets as roles."
            self.context.report.add(
                MISUSED, (*spec.path, "one"), message, "Put it in `who`, or `pick` it from a list.", on="key"
            )
        found = self.context.kinds.thing((spec.one or "",))
        if found is None:
            self.context.unknown_kind((*spec.path, "one"), spec.one or "")
        return found

    def _pick(self, spec: Input, state: State) -> Type | None:
        assert spec.pick is not None
        if spec.default is not None:
            message = "What is picked has no default: nothing, or one thing, must be picked by someone."
            self.context.report.add(
                MISUSED, (*spec.path, "default"), message, "Write `count: 0..1` if nothing is an answer.", on="key"
            )
        if self.called:
            message = "A procedure picks nothing; its caller hands things in."
            self.context.report.add(
                MISUSED, (*spec.path, "pick"), message, "Write `one:`, and `with` in the call.", on="key"
            )
        found = self.flow.read(spec.pick, state)
        item = thing_of(self.flow, spec.pick, found) if found is not None else None
        if item is None:
            return None
        if spec.where is not None:
            self.context.reader.read(spec.where, self.flow.place(state, {"item": item}), FLAG, state.facts)
        low, high = count_range(spec.count, (1, 1))
        low = 0 if spec.when is not None or spec.optional else low
        if high == 1:
            return item if low == 1 else Optional(item)
        return Many(item, low, high)

    def _for_each(self, spec: Input, state: State) -> Type | None:
        role = state.names.get(spec.for_each or "")
        path = (*spec.path, "for_each")
        if role is None or role.what != "role" or not isinstance(role.type, Many | None):
            several = [name for name, one in state.names.items() if isinstance(one.type, Many)]
            self.context.unknown(MISUSED, path, "role of several sheets", spec.for_each or "", several)
            return None
        if spec.pick is not None or self.called:
            what = "picked" if spec.pick is not None else "handed in"
            self.context.report.add(MISUSED, path, f"What is {what} cannot be asked for each sheet.", on="key")
            return None
        plain = self._plain(spec, state)
        if plain is None or role.type is None or not isinstance(role.type.item, Thing):
            return None
        self._default(spec, plain, state)
        return Family(role.type.item, Optional(plain) if self._can_be_absent(spec) else plain)

    # ------------------------------------------------------------------ defaults

    def _default(self, spec: Input, plain: Type, state: State) -> Type | None:
        """The type of the default; tells when it is no possible answer."""
        code = spec.default
        if code is None or isinstance(plain, Text):
            return None
        report = self.context.report
        if isinstance(plain, Many):
            report.add(MISUSED, code.path, "A set of ids has no default: nothing said is nothing chosen.", on="key")
            return None
        if isinstance(plain, Key) and code.text in plain.ids:
            return plain
        found = self.flow.read(code, state, Number(True) if isinstance(plain, Number) else plain)
        if isinstance(found, Number) and isinstance(plain, Number):
            self._within(spec, found)
        return found

    def _within(self, spec: Input, found: Number) -> None:
        assert spec.int is not None
        assert spec.default is not None
        low = whole(spec.int.low.text) if spec.int.low is not None else None
        high = whole(spec.int.high.text) if spec.int.high is not None else None
        below = low is not None and found.low is not None and found.low < low
        above = high is not None and found.high is not None and found.high > high
        if below or above:
            ends = f"{'' if low is None else low}..{'' if high is None else high}"
            message = f"`{spec.default.text}` is outside {ends}."
            self.context.report.add(DEFAULT_OUTSIDE, spec.default.path, message)
