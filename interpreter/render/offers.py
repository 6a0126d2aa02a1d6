"""What a rule set offers, as plain data with everything named for people: actions, sheets, characters, assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from interpreter.model import (
    Action,
    Call,
    Choose,
    Code,
    Input,
    Keys,
    Label,
    Modifier,
    Node,
    Phases,
    Range,
    Roll,
    Sheet,
    System,
    Value,
)
from interpreter.render.names import Names
from interpreter.render.words import Words
from interpreter.start import wanted_roles

Offer = dict[str, Any]
INPUT_KINDS = ("flag", "int", "key", "text", "pick", "set_of", "one")
OPERATIONS = ("add", "multiply", "set", "divide", "round")


# ---------------------------------------------------------------------- a system


def system_offer(names: Names) -> Offer:
    """The name card of a system and what it holds."""
    system = names.system
    return {
        "id": system.id,
        "title": names.title(),
        "languages": list(system.languages),
        "source": system.source,
        "version": system.version,
        "description": names.label(system.description, "") if system.description else "",
        "actions": [_action_line(names, name) for name in system.actions],
        "sheets": [_sheet(names, name, sheet) for name, sheet in system.sheets.items()],
        "characters": [
            {"id": name, "label": names.sheet(name, data), "sheet": str(data.get("sheet", ""))}
            for name, data in system.characters.items()
        ],
        "periods": [{"id": name, "label": names.node(one, name)} for name, one in system.periods.items()],
        "assumptions": assumption_offers(names),
        "examples": len(system.examples),
    }


def assumption_offers(names: Names) -> list[Offer]:
    """What the rules decide where the book is silent."""
    return [
        {
            "id": name,
            "value": one.value.text if one.value else None,
            "at": one.at,
            "reason": names.label(one.reason, "") if one.reason else "",
            "source": one.source,
        }
        for name, one in names.system.assumptions.items()
    ]


def _action_line(names: Names, name: str) -> Offer:
    action = names.system.actions[name]
    return {"id": name, "label": names.action(name), "source": action.source, "roles": _roles(names, name)}


def _roles(names: Names, action: str) -> list[Offer]:
    return [
        {"id": role, "label": names.role(action, role), "kinds": list(kinds), "several": several}
        for role, (kinds, several) in wanted_roles(names.system, action).items()
    ]


def _sheet(names: Names, name: str, sheet: Sheet) -> Offer:
    def part(of: Mapping[str, Any]) -> list[Offer]:
        return [{"id": key, "label": names.label(one.label, key), **_held(one)} for key, one in of.items()]

    sections = ("stats", "gauges", "fields", "derived")
    parts = {section: part(getattr(sheet, section)) for section in sections}
    return {"id": name, "label": names.kind(name), "only_one": sheet.only_one, "source": sheet.source, **parts}


def _held(one: Any) -> Offer:
    """What may stand there: keys and range, as declared."""
    keys: Keys | None = getattr(one, "keys", None)
    declared = getattr(one, "range", None) or getattr(one, "int", None)
    low, high = getattr(one, "min", None), getattr(one, "max", None)
    ends = range_text(declared) if isinstance(declared, Range) else _ends(low, high)
    return {"keys": list(keys.ids) if keys else [], "range": ends}


def range_text(declared: Range | None) -> str:
    return "" if declared is None else _ends(declared.low, declared.high)


def _ends(low: Code | None, high: object) -> str:
    top = high.text if isinstance(high, Code) else ""
    return f"{low.text if low else ''}..{top}" if low or top else ""


# ---------------------------------------------------------------------- an action


def action_offer(names: Names, name: str) -> Offer:
    """Everything that one action asks, counts, throws and can end with."""
    return _ActionOffer(names, name).offer()


@dataclass(frozen=True, slots=True)
class _ActionOffer:
    names: Names
    name: str

    @property
    def action(self) -> Action:
        return self.names.system.actions[self.name]

    def offer(self) -> Offer:
        action, words = self.action, self._words(self.action)
        return {
            **_action_line(self.names, self.name),
            "system": self.names.system.id,
            "description": self.names.label(action.description, "") if action.description else "",
            "by": action.by,
            "during": action.during or "",
            **self._phases(action, words),
            "sides": [
                {"id": side, "label": self.names.side(self.name, side), **self._phases(spec, self._words(spec))}
                for side, spec in action.sides.items()
            ],
            "choices": [self._choice(step, words) for step in _steps(self.names.system, action, Choose)],
            "outcomes": [self._outcome(one, action.outcomes[one], words) for one in action.outcomes],
            "report": [{"id": one, "in_words": words.code(code)} for one, code in action.report.items()],
            "flags": [{"id": one, "in_words": words.code(code)} for one, code in action.flags.items()],
        }

    def _words(self, phases: Phases) -> Words:
        asked: dict[str, Node] = {name: Node(label=label) for name, label in self.action.labels.items()}
        for spec in (self.action, phases):
            asked |= {**spec.inputs, **spec.values}
        for step in _steps(self.names.system, self.action, Roll):
            asked |= step.roll
        kinds = {role: kinds[0] for role, kinds in {**self.action.who, **phases.who}.items()}
        return Words(self.names, asked, kinds)

    def _phases(self, phases: Phases, words: Words) -> Offer:
        rolls = [self._roll(one, roll, words) for step in _in(phases.steps, Roll) for one, roll in step.roll.items()]
        return {
            "inputs": [self._input(one, spec, words) for one, spec in phases.inputs.items()],
            "require": [self._requirement(one.that, one.say, words) for one in phases.require],
            "values": [self._value(one, spec, words) for one, spec in phases.values.items()],
            "rolls": rolls,
        }

    # ------------------------------------------------------------------ what is asked

    def _input(self, name: str, spec: Input, words: Words) -> Offer:
        keys = spec.key or spec.set_of
        return {
            "id": name,
            "label": self.names.label(spec.label, name),
            "source": spec.source,
            "kind": next((kind for kind in INPUT_KINDS if getattr(spec, kind) is not None), "text"),
            "range": range_text(spec.int),
            "ids": [{"id": one, "label": self.names.key(one, keys, spec.labels)} for one in keys.ids] if keys else [],
            "from": words.code(spec.pick),
            "where": words.code(spec.where),
            "count": range_text(spec.count),
            "default": self._default(spec, words),
            "optional": spec.optional,
            "asked": spec.asked,
            "hidden_from": spec.hidden_from,
            "when": words.code(spec.when),
            "beyond": spec.beyond,
            "for_each": spec.for_each or "",
        }

    def _default(self, spec: Input, words: Words) -> str | None:
        if spec.default is not None:
            return spec.default.text
        if spec.flag is not None:
            return "true" if spec.flag else "false"
        return spec.text

    def _requirement(self, that: Code, say: Label | None, words: Words) -> Offer:
        return {"in_words": words.code(that), "say": self.names.label(say, "") if say else ""}

    # ------------------------------------------------------------------ what is counted and thrown

    def _value(self, name: str, spec: Value, words: Words) -> Offer:
        return {
            "id": name,
            "label": self.names.label(spec.label, name),
            "source": spec.source,
            "base": words.code(spec.base),
            "modifiers": [self._modifier(one, modifier, words) for one, modifier in spec.modifiers.items()],
            "min": words.code(spec.min),
            "max": words.code(spec.max),
            "hidden_from": spec.hidden_from,
        }

    def _modifier(self, name: str, spec: Modifier, words: Words) -> Offer:
        operation = next((one for one in OPERATIONS if getattr(spec, one) is not None), "add")
        amount = getattr(spec, operation)
        return {
            "id": name,
            "label": self.names.label(spec.label, name),
            "source": spec.source,
            "operation": operation,
            "amount": words.code(amount) if isinstance(amount, Code) else str(amount or ""),
            "round": spec.round or "",
            "when": words.code(spec.when),
            "best_of": spec.best_of or "",
        }

    def _roll(self, name: str, roll: Any, words: Words) -> Offer:
        groups = [(one, group.dice, group.die) for one, group in roll.groups.items()] or [("", roll.dice, roll.die)]
        dice = [{"group": one, "dice": words.code(count), "die": words.code(die)} for one, count, die in groups]
        readings = [*roll.count, *roll.sum, *roll.highest, *roll.lowest, *roll.sets]
        return {"id": name, "label": self.names.label(roll.label, name), "dice": dice, "readings": readings}

    # ------------------------------------------------------------------ how it goes on and ends

    def _choice(self, step: Choose, words: Words) -> Offer:
        options = [
            {"id": one, "label": self.names.label(option.label, one), "when": words.code(option.when)}
            for one, option in step.options.items()
        ]
        if step.key is not None:
            options = [{"id": one, "label": self.names.key(one, step.key), "when": ""} for one in step.key.ids]
        return {
            "id": step.choose,
            "label": self.names.label(step.label, step.choose),
            "who": list(step.who),
            "options": options,
            "number": range_text(step.number),
            "from": words.code(step.from_),
        }

    def _outcome(self, name: str, outcome: Any, words: Words) -> Offer:
        grades = [
            {"id": one, "label": self.names.label(grade.label, one), "when": words.code(grade.when)}
            for one, grade in outcome.grades.items()
        ]
        label = self.names.label(outcome.label, name)
        return {"id": name, "label": label, "when": words.code(outcome.when), "grades": grades}


# ---------------------------------------------------------------------- steps within steps


def _steps(system: System, action: Action, wanted: type[Any]) -> list[Any]:
    """The steps of a kind in an action and in the procedures that it calls, each once, in order."""
    found: list[Any] = []
    waiting: list[object] = [action]
    called: set[str] = set()
    while waiting:
        part = waiting.pop(0)
        found += [step for step in _in(part, wanted) if step not in found]
        for name in _calls(part):
            if name not in called and name in system.procedures:
                called.add(name)
                waiting.append(system.procedures[name])
    return found


def _in(value: object, wanted: type[Any]) -> Iterator[Any]:
    """The things of a type within a part of the rules, at any depth."""
    if isinstance(value, wanted):
        yield value
    if isinstance(value, tuple | list):
        inner = list(value)
    elif isinstance(value, Mapping):
        inner = list(value.values())
    else:
        inner = [getattr(value, name) for name in value.FIELDS] if isinstance(value, Node) else []
    for item in inner:
        yield from _in(item, wanted)


def _calls(part: object) -> Iterator[str]:
    return (step.call for step in _in(part, Call))
