"""Numbers with modifiers: what they can come to, their own modifiers and those that effects and records bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.parts import Part
from interpreter.checks.reader import parsed
from interpreter.checks.scopes import NUMBER, Place
from interpreter.expressions import Expression, Family, Number, Type, intervals
from interpreter.fields import Kind
from interpreter.model import Code, Modifier, Names, OutsideModifier, Path, Value
from interpreter.modified import DEFAULT_STAGES

if TYPE_CHECKING:
    from interpreter.checks.context import Context

FRACTION = Check(
    "E0427",
    "a number that may come out with a fraction",
    "A value with modifiers is a whole number in the end: what is divided or multiplied by a fraction is rounded.",
    failing="""
actions:
  run:
    inputs: {speed: {int: 1..9}}
    values:
      distance:
        base: speed
        modifiers:
          mud: {multiply: 1 / 2}
    steps: [{say: "{distance} paces"}]
""",
    passing="""
actions:
  run:
    inputs: {speed: {int: 1..9}}
    values:
      distance:
        base: speed
        modifiers:
          mud: {multiply: 1 / 2, round: down}
    steps: [{say: "{distance} paces"}]
""",
)
STAGE = Check(
    "E0225",
    "a stage that is no kind and no id of a modifier",
    "`stages` lists kinds of modifiers (set, add, multiply) and ids of the value's own modifiers.",
    failing="""
actions:
  strike:
    inputs: {strength: {int: 1..9}}
    values:
      damage:
        base: strength
        modifiers:
          armour: {add: -1}
        stages: [armuor, multiply]
    steps: [{say: "{damage}"}]
""",
    passing="""
actions:
  strike:
    inputs: {strength: {int: 1..9}}
    values:
      damage:
        base: strength
        modifiers:
          armour: {add: -1}
        stages: [armour, multiply]
    steps: [{say: "{damage}"}]
""",
)
EMPTY_MODIFIER = Check(
    "E0433",
    "a modifier that says nothing, or two things at once",
    "A modifier has one of add, multiply, divide and set, or only `round`; `cancel` stands alone.",
    failing="""
actions:
  strike:
    inputs: {strength: {int: 1..9}}
    values:
      damage:
        base: strength
        modifiers:
          rage: {add: 1, multiply: 2}
    steps: [{say: "{damage}"}]
""",
    passing="""
actions:
  strike:
    inputs: {strength: {int: 1..9}}
    values:
      damage:
        base: strength
        modifiers:
          rage: {add: 1}
          fury: {multiply: 2}
    steps: [{say: "{damage}"}]
""",
)
CHECKS = (FRACTION, STAGE, EMPTY_MODIFIER)
CHANGES = ("add", "multiply", "set", "divide")


@dataclass(frozen=True, slots=True)
class Active:
    """A modifier where it counts: its id, and the names that it can read there."""

    id: str
    spec: Modifier
    scope: Place


class Values:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.read_by: dict[Part, Counter[Part]] = {}
        self.broken_at: Path | None = None

    # ------------------------------------------------------------------ derived values

    def derived(self, kind: Kind, name: str) -> Type | None:
        """The type of a derived value; its faults are told on the way, and what it reads is remembered."""
        with self.context.reader.listening() as found:
            type_ = self._derived(kind, name)
        self.read_by[kind.name, name] = found
        return type_

    def _derived(self, kind: Kind, name: str) -> Type | None:
        spec = kind.sheet.derived[name]
        scope = self.context.kinds.own_scope(kind.name, None, spec.keys)
        if spec.keys is not None and spec.each is not None:
            value = self.context.reader.single(spec.each, scope)
            return Family(self.context.kinds.key(spec.keys), value) if value is not None and spec.keys.ids else None
        outside = list(self.outside((kind.name,), {name, f"self.{name}", f"owner.{name}"}))
        return self.composed(spec, scope, outside, (), plain=True)

    # ------------------------------------------------------------------ modifiers from elsewhere

    def outside(self, owners: Names, targets: set[str]) -> Iterator[Active]:
        """Modifiers that effects and records of these kinds of sheets bring to a number of one of these names."""
        for name, effect in self.context.system.effects.items():
            for key, spec in effect.modifiers.items():
                if effect.on in owners and spec.to in targets:
                    yield Active(f"{name}.{key}", spec, self.effect_scope(effect.on))
        for record, holders in self.context.kinds.owners.items():
            for key, spec in self.context.system.records[record].modifiers.items():
                if set(holders) & set(owners) and spec.to in targets:
                    yield Active(key, spec, self.record_scope(record))

    def effect_scope(self, kind: str) -> Place:
        thing = self.context.kinds.thing((kind,))
        return self.context.kinds.place({"self": thing} if thing else {})

    def record_scope(self, record: str) -> Place:
        item = self.context.kinds.thing((record,))
        owner = self.context.kinds.thing(self.context.kinds.owners.get(record, ()))
        names: dict[str, Type] = {"item": item} if item else {}
        return self.context.kinds.place({**names, **({"self": owner, "owner": owner} if owner else {})})

    # ------------------------------------------------------------------ one number

    def composed(
        self,
        spec: Value,
        scope: Place,
        outside: Sequence[Active],
        knowing: Sequence[Expression],
        *,
        plain: bool = False,
    ) -> Type | None:
        """What a value is; a derived value without modifiers may be anything (`plain`)."""
        if spec.base is None:
            return None
        modified = bool(spec.modifiers or outside or spec.min is not None or spec.max is not None)
        if not modified:
            read = self.context.reader.type_of if plain else self.context.reader.single
            return read(spec.base, scope, knowing=knowing)
        total = self._number(spec.base, scope, knowing)
        self.broken_at = spec.base.path if total is not None and not total.whole else None
        active = [*(Active(name, one, scope) for name, one in spec.modifiers.items()), *outside]
        for one in active:
            self._one_change(one.spec)
        for stage in self._stages(spec):
            total = self._stage(total, [one for one in active if in_stage(one, stage, spec)], knowing)
        for code, limit in ((spec.min, intervals.greatest), (spec.max, intervals.least)):
            if code is not None:
                bound = self._number(code, scope, knowing)
                total = limit([total, bound]) if total is not None and bound is not None else None
        return self._whole(total, spec)

    def _whole(self, total: Number | None, spec: Value) -> Number | None:
        if total is not None and not total.whole:
            hint = (
                "Say how it is rounded, with `round: down`, `up` or `half_up` in the modifier, or floor(…) in the base."
            )
            path, on_key = (self.broken_at, False) if self.broken_at is not None else (spec.path, True)
            message = "This number may come out with a fraction."
            self.context.report.add(FRACTION, path, message, hint, on="key" if on_key else "value")
            return None
        return total

    def _number(self, code: Code, scope: Place, knowing: Sequence[Expression]) -> Number | None:
        found = self.context.reader.type_of(code, scope, NUMBER, knowing)
        return found if isinstance(found, Number) else None

    def _stages(self, spec: Value) -> Names:
        for place, stage in enumerate(spec.stages):
            if stage not in DEFAULT_STAGES and stage not in spec.modifiers:
                self.context.unknown(
                    STAGE, (*spec.path, "stages", place), "stage", stage, [*DEFAULT_STAGES, *spec.modifiers]
                )
        return (*spec.stages, *(stage for stage in DEFAULT_STAGES if stage not in spec.stages))

    def _one_change(self, spec: Modifier) -> None:
        changes = [name for name in CHANGES if getattr(spec, name) is not None]
        cancels = isinstance(spec, OutsideModifier) and spec.cancel is not None
        if len(changes) + cancels == 1 or (spec.round is not None and not changes and not cancels):
            return
        said = " and ".join(f"`{name}`" for name in [*changes, *(["cancel"] if cancels else [])])
        message = (
            f"This modifier has {said}, and only one of them can count." if said else "This modifier changes nothing."
        )
        self.context.report.add(EMPTY_MODIFIER, spec.path, message, "Write one modifier for each change.", on="key")

    def _stage(self, total: Number | None, active: list[Active], knowing: Sequence[Expression]) -> Number | None:
        grouped: list[Number] = []
        for one in active:
            spec = one.spec
            facts = self.guard(one, knowing)
            operation = operation_of(spec)
            code: Code | None = getattr(spec, operation, None) if operation != "round" else None
            amount = self._number(code, one.scope, facts) if code is not None else None
            if operation == "divide" and code is not None:
                self.context.reader.divisor(code, one.scope, facts)
            if code is not None and amount is None:
                total = None
            elif spec.best_of is not None and operation == "add" and amount is not None:
                grouped.append(amount)
            elif total is not None:
                was_whole, total = total.whole, _changed(total, operation, amount, spec)
                if was_whole and not total.whole and code is not None:
                    self.broken_at = code.path
        if total is not None and grouped:
            low, high = zip(*(intervals.ends(amount) for amount in grouped), strict=True)
            whole = all(amount.whole for amount in grouped)
            total = intervals.add(total, intervals.between(min(0, *low), max(0, *high), whole))
        return total

    def guard(self, one: Active, knowing: Sequence[Expression]) -> list[Expression]:
        """What is known where a modifier counts."""
        if one.spec.when is None:
            return list(knowing)
        condition = self.context.reader.condition(one.spec.when, one.scope, knowing)
        return [*knowing, condition] if condition is not None else list(knowing)


def operation_of(spec: Modifier) -> str:
    return next((name for name in CHANGES if getattr(spec, name) is not None), "round")


def in_stage(active: Active, stage: str, spec: Value) -> bool:
    if active.id in spec.stages:
        return stage == active.id
    operation = operation_of(active.spec)
    return stage == ("multiply" if operation in ("divide", "round") else operation)


def _changed(total: Number, operation: str, amount: Number | None, spec: Modifier) -> Number:
    changed = _OPERATIONS[operation](total, amount) if amount is not None else total
    if spec.round is not None:
        changed = Number(True, *_rounded(changed))
    return changed if spec.when is None and not isinstance(spec, OutsideModifier) else intervals.hull([total, changed])


def _rounded(number: Number) -> tuple[int | None, int | None]:
    """Every way of rounding stays between the whole numbers around."""
    import math

    return (
        None if number.low is None else math.floor(number.low),
        None if number.high is None else math.ceil(number.high),
    )


_OPERATIONS: Mapping[str, Callable[[Number, Number], Number]] = {
    "add": intervals.add,
    "multiply": intervals.multiply,
    "divide": intervals.divide,
    "set": lambda total, amount: amount,
}

__all__ = ["CHECKS", "Active", "Path", "Values", "parsed"]
