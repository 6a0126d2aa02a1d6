"""Names that one section uses of another: kinds, periods, modifiers' targets, assumptions' places, policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.reader import parsed
from interpreter.checks.telling import UNKNOWN_PERIOD
from interpreter.checks.walk import every, steps
from interpreter.expressions import Expression
from interpreter.model import Choose, Modifier, Names, OutsideModifier, Path, Sheet, Value

if TYPE_CHECKING:
    from interpreter.checks.context import Context

TARGET = Check(
    "E0219",
    "a modifier of something that does not exist",
    "`to` names a derived value of the sheet, or a value as `action.value`, `block.value` or `*.value`; "
    "`cancel` one of its modifiers.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
effects:
  dazzled: {on: hero, modifiers: {sight: {to: aim.skil, add: -1}}}
actions:
  aim:
    who: {self: hero}
    values: {skill: self.body}
    steps: [{say: "{skill}"}, {apply: dazzled}]
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
effects:
  dazzled: {on: hero, modifiers: {sight: {to: aim.skill, add: -1}}}
actions:
  aim:
    who: {self: hero}
    values: {skill: self.body}
    steps: [{say: "{skill}"}, {apply: dazzled}]
""",
)
ASSUMED = Check(
    "E0227",
    "an assumption about a part of the rules that does not exist",
    "An assumption has a `value`, or says with `at` which part of the rules it is about, as a dotted path.",
    failing="""
actions:
  run:
    steps: [{say: We run.}]
assumptions:
  pace: {at: actions.runn.steps, reason: The book does not say.}
""",
    passing="""
actions:
  run:
    steps: [{say: We run.}]
assumptions:
  pace: {at: actions.run.steps, reason: The book does not say.}
""",
)
POLICY = Check(
    "E0229",
    "a policy for a choice or option that does not exist",
    "A policy answers choices of the rules by their names, each with one of its options.",
    failing="""
actions:
  act:
    steps:
      - choose: what
        options: {run: , shout: }
policies:
  careful: {choices: {what: runn}}
""",
    passing="""
actions:
  act:
    steps:
      - choose: what
        options: {run: , shout: }
policies:
  careful: {choices: {what: run}}
""",
)
CHECKS = (TARGET, ASSUMED, POLICY)


def check_references(context: Context) -> None:
    system = context.system
    for name, period in system.periods.items():
        if period.members is not None:
            _kind(context, (*period.path, "members"), period.members)
        if period.within is not None and period.within not in system.periods:
            context.unknown(UNKNOWN_PERIOD, (*period.path, "within"), "period", period.within, system.periods)
        del name
    for effect in system.effects.values():
        _kind(context, (*effect.path, "on"), effect.on)
        if effect.ends is not None and effect.ends not in system.periods:
            context.unknown(UNKNOWN_PERIOD, (*effect.path, "ends"), "period", effect.ends, system.periods)
    for sheet in (*system.sheets.values(), *system.records.values()):
        _fields(context, sheet)
    _modifiers(context)
    _assumptions(context)
    _policies(context)


def _kind(context: Context, path: Path, name: str) -> None:
    if name not in context.system.sheets and name not in context.system.records:
        context.unknown_kind(path, name)


def _fields(context: Context, sheet: Sheet) -> None:
    for field in sheet.fields.values():
        if field.many is not None:
            _kind(context, (*field.path, "many"), field.many)
        where: Path = (*field.path, "one")
        for place, kind in enumerate(field.one):
            _kind(context, (*where, place) if isinstance(context.value_at(where), list) else where, kind)


# ---------------------------------------------------------------------- modifiers from elsewhere


def _modifiers(context: Context) -> None:
    numbers: dict[str, list[Value]] = {}
    for name, value in _values(context):
        numbers.setdefault(name, []).append(value)
    for effect in context.system.effects.values():
        if effect.on in context.system.sheets or effect.on in context.system.records:
            _targets(context, effect.modifiers, (effect.on,), numbers)
    for name, record in context.system.records.items():
        _targets(context, record.modifiers, context.kinds.owners.get(name, ()), numbers)


def _values(context: Context) -> Iterator[tuple[str, Value]]:
    """The values of actions under every name that a modifier can use for them."""
    for name, action in context.system.actions.items():
        for phases in (*action.sides.values(), action):
            for value, spec in phases.values.items():
                for title in ("*", name, *phases.begins_with):
                    yield f"{title}.{value}", spec


def _targets(
    context: Context, modifiers: Mapping[str, OutsideModifier], owners: Names, numbers: Mapping[str, list[Value]]
) -> None:
    derived: dict[str, list[Value]] = {}
    for owner in owners:
        for name, spec in kinds_of(context, owner).derived.items():
            for full in (name, f"self.{name}", f"owner.{name}"):
                derived.setdefault(full, []).append(spec)
    for modifier in modifiers.values():
        path: Path = (*modifier.path, "to")
        meant = derived.get(modifier.to) or numbers.get(modifier.to)
        known = [name for number in meant or () for name in number.modifiers]
        if meant is None:
            context.unknown(TARGET, path, "number", modifier.to, [*derived, *numbers])
        elif modifier.cancel is not None and modifier.cancel not in known:
            what = f"modifier of `{modifier.to}`"
            context.unknown(TARGET, (*modifier.path, "cancel"), what, modifier.cancel, known)


def kinds_of(context: Context, name: str) -> Sheet:
    return context.system.sheets.get(name) or context.system.records[name]


# ---------------------------------------------------------------------- assumptions and policies


def _assumptions(context: Context) -> None:
    for name, assumption in context.system.assumptions.items():
        if assumption.value is None and not assumption.at:
            message = f"`{name}` has neither a value nor a part of the rules that it is about."
            context.report.add(ASSUMED, assumption.path, message, "Write `value:` or `at:`.", on="key")
        elif assumption.value is not None:
            context.kinds.context.world.lookup("assume")
            if not isinstance(parsed(assumption.value.text), Expression):
                context.reader.read(assumption.value, context.kinds.place({}))
        if assumption.at:
            _at(context, assumption.at, (*assumption.path, "at"))


def _at(context: Context, dotted: str, path: Path) -> None:
    data: object = context.data
    done: list[str] = []
    for part in dotted.split("."):
        known = (
            list(data)
            if isinstance(data, Mapping)
            else [str(place) for place in range(len(data))]
            if isinstance(data, list)
            else []
        )
        if part not in known:
            offset = len(".".join(done)) + 1 if done else 0
            where = f"part of `{'.'.join(done)}`" if done else "section"
            context.unknown(ASSUMED, path, where, part, map(str, known), offset=offset)
            return
        data = data[part] if isinstance(data, Mapping) else data[int(part)]  # type: ignore[index]
        done.append(part)


def choices_of(context: Context) -> dict[str, list[Choose]]:
    """Every choice of the rules by its name."""
    found: dict[str, list[Choose]] = {}
    for part in (context.system.actions, context.system.procedures, context.system.triggers):
        for step in steps(part):
            if isinstance(step, Choose):
                found.setdefault(step.choose, []).append(step)
    return found


def answers(choices: Iterable[Choose]) -> Names | None:
    """The ids that answer a choice of this name; None when it is no choice among ids."""
    ids: list[str] = []
    for step in choices:
        if step.options:
            ids += step.options
        elif step.key is not None:
            ids += step.key.ids
        else:
            return None
    return tuple(dict.fromkeys(ids))


def _policies(context: Context) -> None:
    choices = choices_of(context)
    for policy in context.system.policies.values():
        for name, written in policy.choices.items():
            path: Path = (*policy.path, "choices", name)
            found = choices.get(name.rpartition(".")[2])
            if found is None:
                context.unknown(POLICY, path, "choice", name, choices, on="key")
                continue
            known = answers(found)
            for place, text in enumerate(written):
                where = (*path, place) if isinstance(context.value_at(path), list) else path
                option = text.partition(" when ")[0].strip()
                if known is not None and not {part.strip() for part in option.split(",")} <= set(known):
                    context.unknown(POLICY, where, f"option of `{name}`", option, known)


__all__ = ["CHECKS", "Modifier", "answers", "check_references", "choices_of", "every"]
