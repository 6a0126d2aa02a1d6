"""Triggers: what sets each off, its own few names, and its steps; chains of them that may never end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interpreter.checks.cascades import Deeds
from interpreter.checks.finding import Check
from interpreter.checks.flow import Construct, Flow
from interpreter.checks.scopes import WHOLE
from interpreter.checks.state import Local, State
from interpreter.checks.telling import known_period
from interpreter.expressions import Type
from interpreter.fields import FieldInfo, Kind, kind_of
from interpreter.model import Code, Path, Trigger, Upon

if TYPE_CHECKING:
    from interpreter.checks.context import Context

NO_SUBJECT = Check(
    "E0216",
    "a trigger on something that does not exist",
    "A trigger waits for `sheet.gauge` or `sheet.gauge.key`, for `sheet.field`, for a period, or for an "
    "event that a step emits.",
    failing="""
sheets: {hero: {gauges: {breath: {range: 0..6, start: 3}}}}
triggers:
  exhausted:
    upon: {gauge: hero.breth, falls_below: 1}
    do: [{say: Out of breath.}]
""",
    passing="""
sheets: {hero: {gauges: {breath: {range: 0..6, start: 3}}}}
triggers:
  exhausted:
    upon: {gauge: hero.breath, falls_below: 1}
    do: [{say: Out of breath.}]
""",
)
NO_CROSSING = Check(
    "E0437",
    "a trigger on a gauge that waits for nothing, or for two things",
    "A trigger on a gauge has one of falls_below, drops_to, rises_to, rises_above and changes.",
    failing="""
sheets: {hero: {gauges: {breath: {range: 0..6, start: 3}}}}
triggers:
  exhausted:
    upon: {gauge: hero.breath}
    do: [{say: Out of breath.}]
""",
    passing="""
sheets: {hero: {gauges: {breath: {range: 0..6, start: 3}}}}
triggers:
  exhausted:
    upon: {gauge: hero.breath, changes: down}
    do: [{say: Out of breath.}]
""",
)
CHECKS = (NO_SUBJECT, NO_CROSSING)
CROSSINGS = ("falls_below", "rises_to", "drops_to", "rises_above", "changes")


class Triggers:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.deeds: dict[str, Deeds] = {}

    def check(self, name: str) -> None:
        spec = self.context.system.triggers[name]
        construct = Construct("trigger", name, spec.path)
        flow = Flow(self.context, construct)
        state = State()
        self._subject(flow, spec, state)
        if spec.once_per is not None:
            known_period(flow, spec.once_per, (*spec.path, "once_per"))
        if spec.when is not None:
            state.learn(self.context.reader.condition(spec.when, flow.place(state), state.facts))
        flow.run(spec.do, state)
        self.deeds[name] = construct.deeds

    # ------------------------------------------------------------------ what sets it off

    def _subject(self, flow: Flow, spec: Trigger, state: State) -> None:
        upon, path = spec.upon, spec.upon.path
        if upon.gauge is not None:
            self._gauge(flow, upon, upon.gauge, (*path, "gauge"), state)
        elif upon.field is not None:
            found = self._part(upon.field, (*path, "field"), "fields")
            if found is not None:
                self._names(*found, state, path)
                self._wanted(flow, upon.becomes, *found, state)
        for key in ("begins", "ends", "joins"):
            period = getattr(upon, key)
            known = known_period(flow, period, (*path, key)) if period is not None else None
            if key == "joins" and known is not None:
                self._joins(flow, upon, known.members, (*path, key), state)

    def _gauge(self, flow: Flow, upon: Upon, text: str, path: Path, state: State) -> None:
        given = [key for key in CROSSINGS if getattr(upon, key) is not None]
        if len(given) != 1:
            message = (
                f"This waits for {' and '.join(f'`{key}`' for key in given)} at once."
                if given
                else f"What must happen to `{text}`?"
            )
            self.context.report.add(NO_CROSSING, upon.path, message, f"Write one of {', '.join(CROSSINGS)}.", on="key")
        found = self._part(text, path, "gauges")
        if found is None:
            return
        kind, info = found
        self._names(kind, info, state, upon.path)
        for key in given:
            code = getattr(upon, key)
            if isinstance(code, Code):
                self._wanted(flow, code, kind, info, state)

    def _names(self, kind: Kind, info: FieldInfo, state: State, path: Path) -> None:
        """Every trigger on a part of a sheet knows whose it is, what it was before, and for a family which key."""
        thing = self.context.kinds.thing((kind.name,))
        value = self.context.kinds.value_of(kind, info)
        before: Type | None = WHOLE if info.section == "gauges" else value
        state.names["self"] = Local(thing, "trigger", path)
        state.names["before"] = Local(before, "trigger", path)
        keys = getattr(info.spec, "keys", None)
        if info.key is not None and keys is not None:
            state.names["key"] = Local(self.context.kinds.key(keys), "trigger", path)

    def _wanted(self, flow: Flow, code: Code | None, kind: Kind, info: FieldInfo, state: State) -> None:
        want = self.context.kinds.value_of(kind, info)
        if code is not None and want is not None:
            flow.read(code, state, WHOLE if info.sort == "number" else want)

    def _joins(self, flow: Flow, upon: Upon, members: str | None, path: Path, state: State) -> None:
        thing = self.context.kinds.thing((members,)) if members else None
        if thing is None:
            message = f"No sheets take part in `{upon.joins}`, so that none can join."
            self.context.report.add(NO_SUBJECT, path, message, "Say which, with `members` in the period.")
            return
        state.names["self"] = Local(thing, "trigger", upon.path)

    def _part(self, text: str, path: Path, section: str) -> tuple[Kind, FieldInfo] | None:
        """`sheet.part` or `sheet.part.key` as a place of a sheet or record."""
        system = self.context.system
        kind_name, _, rest = text.partition(".")
        name, _, key = rest.partition(".")
        if kind_name not in system.sheets and kind_name not in system.records:
            self.context.unknown(NO_SUBJECT, path, "kind of sheet", kind_name, [*system.sheets, *system.records])
            return None
        kind = kind_of(system, kind_name)
        infos = [info for info in kind.find(name) if not key or info.key == key]
        infos = [info for info in infos if section != "gauges" or info.section == "gauges"]
        if not infos:
            known = dict.fromkeys(info.name for info in kind.fields if info.section == "gauges" or section == "fields")
            if any(info.name == name for info in kind.fields) and name in known:
                known = dict.fromkeys(str(info.key) for info in kind.find(name))
                self.context.unknown(NO_SUBJECT, path, f"key of `{name}`", key, known, offset=len(text) - len(key))
            else:
                what = "gauge" if section == "gauges" else "field"
                self.context.unknown(
                    NO_SUBJECT, path, f"{what} of `{kind_name}`", name, known, offset=len(kind_name) + 1
                )
            return None
        return kind, infos[0]
