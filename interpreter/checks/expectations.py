"""What examples expect, and the odds that they state: names that exist, and results that can come out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter import expressions
from interpreter.checks.codes_examples import EXPECTED
from interpreter.checks.reader import parsed
from interpreter.checks.scopes import WHOLE, Place, is_space
from interpreter.checks.state import State
from interpreter.defaults import start_dice
from interpreter.expressions import Expression, Family, Fault, Flag, Key, Many, Number, Optional, Type, describe
from interpreter.fields import kind_of
from interpreter.model import Action, Example, Names, Path, Scene
from interpreter.problems import nearest

if TYPE_CHECKING:
    from interpreter.checks.context import Context

# What may fail in some runs is fine where one run is looked at: nothing there, and nothing to divide by.
TOLERATED = ("E0325", "E0326", "E0416")
CHANCE = re.compile(r"[+-]?\d+(?:/\d+|\.\d+)?\Z|~\s*[+-]?\d+(?:[.,]\d+)?\s*%?\Z|\d+(?:[.,]\d+)?\s*%\Z")


@dataclass(frozen=True, slots=True)
class Known:
    """The names at the end of what an example plays, and those of them that are not well typed."""

    place: Place
    ends: Names = ()


class Expectations:
    def __init__(self, context: Context) -> None:
        self.context = context

    def names(self, action: str | None, create: str | None, sheets: Mapping[str, str]) -> Known | None:
        """Every name that can be looked at; None where the action is not known."""
        kinds = self.context.kinds
        found: dict[str, Type] = {}
        for name, kind in sheets.items():
            thing = kinds.thing((kind,)) if name.isidentifier() else None
            if thing is not None:
                found[name] = thing
        if action is not None:
            state = self.context.endings.get(action)
            return None if state is None else self._at_end(state, found, action)
        if create is not None:
            if create not in self.context.system.sheets:
                return None
            thing = kinds.thing((create,))
            found |= {"self": thing} if thing is not None else {}
            found |= dict.fromkeys(self._thrown(create), WHOLE)
        return Known(Place(found, self.context.world))

    def _at_end(self, state: State, sheets: Mapping[str, Type], action: str) -> Known:
        own = {name: local.type for name, local in state.names.items() if local.type is not None}
        broken = frozenset(name for name, local in state.names.items() if local.type is None)
        outcomes = self.context.system.actions[action].outcomes
        grades = [grade for outcome in outcomes.values() for grade in outcome.grades]
        return Known(Place({**sheets, **own}, self.context.world, broken=broken), (*outcomes, *grades))

    def _thrown(self, kind: str) -> list[str]:
        if kind not in self.context.system.sheets:
            return []
        fields = kind_of(self.context.system, kind).fields
        return [info.dotted for info in fields if start_dice(info) and info.dotted.isidentifier()]

    def check(self, part: Example | Scene, action: Action | None, known: Known) -> None:
        for name, wanted in part.expect.items():
            self._expected(str(name), wanted, known, (*part.path, "expect", name))
        odds = part.odds if isinstance(part, Example) else {}
        for name, chance in odds.items():
            path: Path = (*part.path, "odds", name)
            if action is None:
                self._unknown(path, "There are odds only of an action.", "Name it with `action:`.")
                return
            if str(name) not in known.ends:
                self._look(str(name), known, path, want_any=True)
            if not CHANCE.match(str(chance).strip()):
                message = f"`{chance}` is no probability and no number."
                self.context.report.add(EXPECTED, path, message, "Write 3/4, 0.75 or 75%; ~0.7 if it is rounded.")

    def _unknown(self, path: Path, message: str, hint: str = "") -> None:
        self.context.report.add(EXPECTED, path, message, hint, on="key")

    # ------------------------------------------------------------------ one expectation

    def _expected(self, name: str, wanted: object, known: Known, path: Path) -> None:
        if name == "outcome":
            if str(wanted) not in known.ends:
                self.context.unknown(EXPECTED, path, "outcome", str(wanted), known.ends)
            return
        type_ = self._look(name, known, path)
        if type_ is None:
            return
        if isinstance(wanted, list):
            for place, one in enumerate(wanted):
                self._result(name, type_, str(one), known, (*path, place))
        elif isinstance(wanted, str):
            self._result(name, type_, wanted, known, path)

    def _look(self, name: str, known: Known, path: Path, want_any: bool = False) -> Type | None:
        """The type of what an example looks at; tells what is wrong with it."""
        expression = parsed(name)
        if isinstance(expression, tuple):
            self._tell(expression, path)
            return None
        if name.isidentifier() and known.place.lookup(name) is None and name not in ("true", "false"):
            if name not in known.place.broken:
                names = [*known.ends, *known.place.names()]
                self.context.unknown(EXPECTED, path, "outcome, value or sheet", name, names, on="key")
            return None
        typed = expressions.analyse(expression, known.place, None)
        faults = [fault for fault in typed.faults if fault.code not in TOLERATED]
        self._tell(tuple(fault for fault in faults if not self._is_told(fault, name, known)), path)
        if typed.faults or typed.type is None:
            return None
        inner = typed.type.type if isinstance(typed.type, Optional) else typed.type
        if is_space(inner) or isinstance(inner, Family) or (want_any and not isinstance(inner, Number | Flag)):
            what = "a number, or a yes or no," if want_any else "one value"
            self._unknown(path, f"`{name}` is {describe(inner)}, and {what} is wanted here.")
            return None
        return inner

    def _is_told(self, fault: Fault, text: str, known: Known) -> bool:
        """Whether the fault of this part is told where it is declared."""
        word = text[fault.start : fault.end]
        broken = {"E0311": known.place.broken, "E0312": self.context.reader.broken}
        return word in broken.get(fault.code, ())

    def _tell(self, faults: tuple[Fault, ...], path: Path) -> None:
        for fault in faults:
            length = max(1, fault.end - fault.start)
            self.context.report.add(
                fault.code, path, fault.message, fault.hint, on="key", offset=fault.start, length=length
            )

    def _result(self, name: str, type_: Type, wanted: str, known: Known, path: Path) -> None:
        """Tells of a result that is no number, no yes or no, or no id where that is looked at."""
        inner = type_.item if isinstance(type_, Many) else type_
        ids = inner.ids if isinstance(inner, Key) else ("true", "false") if isinstance(inner, Flag) else ()
        if not isinstance(inner, Key | Number | Flag) or wanted in ids or wanted.strip().startswith("["):
            return
        expression = parsed(wanted)
        plain = wanted.isidentifier() and known.place.lookup(wanted) is None and wanted not in known.place.broken
        if plain and wanted not in ("true", "false"):
            close = nearest(wanted, ids)
            hint = f"Did you mean `{close}`?" if close else f"It is {describe(inner)}."
            self.context.report.add(EXPECTED, path, f"`{name}` is never `{wanted}`.", hint)
        elif not isinstance(expression, Expression):
            self._is_none(name, inner, wanted, path)
        else:
            found = expressions.analyse(expression, known.place, inner if isinstance(inner, Key) else None)
            if not found.faults and found.type is not None and not _alike(found.type, inner):
                self._is_none(name, inner, wanted, path)

    def _is_none(self, name: str, type_: Type, wanted: str, path: Path) -> None:
        self.context.report.add(EXPECTED, path, f"`{name}` is {describe(type_)}, and `{wanted}` can never be that.")


def _alike(one: Type, other: Type) -> bool:
    pairs = ((Number, Number), (Flag, Flag), (Key, Key), (Number, Key))
    return any(isinstance(one, first) and isinstance(other, second) for first, second in pairs) or isinstance(
        one, Optional
    )
