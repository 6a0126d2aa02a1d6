"""Actions, what they have in common, procedures and triggers as sections of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from interpreter.documentation.asking import InputWording
from interpreter.documentation.blocks import (
    Block,
    Facts,
    Inline,
    Item,
    Items,
    Link,
    Paragraph,
    Part,
    Section,
    Strong,
    capital,
    joined,
    merged,
    sentence,
)
from interpreter.documentation.notes import Notes
from interpreter.documentation.scopes import (
    action_scope,
    procedure_scope,
    role_name,
    side_scope,
    trigger_scope,
)
from interpreter.documentation.senses import Lexicon, Scope
from interpreter.documentation.steps import StepWording, filled
from interpreter.documentation.values import ValueWording
from interpreter.documentation.wording import Wording
from interpreter.model import Action, Input, Label, Node, Outcome, Path, Phases, Procedure, Requirement, Steps, Value


@dataclass(frozen=True, slots=True)
class Parts:
    """Of the phases of an action, those that stand at one place in the rules."""

    inputs: Mapping[str, Input] = field(default_factory=dict)
    require: tuple[Requirement, ...] = ()
    before: Steps = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    steps: Steps = ()


def parts_at(phases: Phases, place: Path) -> Parts:
    """The parts of phases that are written at a place."""

    def here(node: Node) -> bool:
        return node.path[: len(place)] == place

    return Parts(
        {name: one for name, one in phases.inputs.items() if here(one)},
        tuple(one for one in phases.require if here(one)),
        tuple(one for one in phases.before if here(one)),
        {name: one for name, one in phases.values.items() if here(one)},
        tuple(one for one in phases.steps if here(one)),
    )


class DoingSections:
    """Writes the sections; `blocks` are the blocks as the rules write them, for their names and sources."""

    def __init__(self, lexicon: Lexicon, notes: Notes, blocks: Mapping[str, Any]) -> None:
        self.lexicon = lexicon
        self.notes = notes
        self.written = blocks
        self.say = lexicon.say

    # ------------------------------------------------------------------ what they share

    def _source(self, source: str) -> tuple[Block, ...]:
        return (Paragraph(self.say("source", what=source), "source"),) if source else ()

    def _part(self, title: str, blocks: Iterable[Block]) -> Iterator[Block]:
        blocks = tuple(blocks)
        if blocks:
            yield Part(self.say(title), blocks)

    def _phases(self, parts: Parts, scope: Scope, action: str, outcomes: Mapping[str, Outcome]) -> Iterator[Block]:
        wording = Wording(self.lexicon, scope)
        steps = StepWording(wording, outcomes)
        yield from self._part("asked", self._inputs(parts.inputs, wording))
        yield from self._part("required", self._required(parts.require, wording))
        yield from self._part("before", steps.listed(parts.before))
        yield from self._part("counted", self._values(parts.values, wording, action))
        yield from self._part("done", steps.listed(parts.steps))

    def _inputs(self, inputs: Mapping[str, Input], wording: Wording) -> Iterator[Block]:
        if inputs:
            told = InputWording(wording)
            rows = [
                (self.lexicon.term(spec.label, name), (*told.blocks(spec), *self.notes.of_node(spec)))
                for name, spec in inputs.items()
            ]
            yield Facts(tuple(rows))

    def _required(self, required: tuple[Requirement, ...], wording: Wording) -> Iterator[Block]:
        items = []
        for one in required:
            said = self.say("else_say", text=self.lexicon.names.label(one.say, "")) if one.say else ()
            items.append(Item(sentence((*wording.test(one.that), *((" — ", *said) if said else ())))))
        if items:
            yield Items(tuple(items))

    def _values(self, values: Mapping[str, Value], wording: Wording, action: str) -> Iterator[Block]:
        if values:
            told = ValueWording(wording)
            rows = []
            for name, value in values.items():
                blocks = told.blocks(value, (f"{action}.{name}", f"*.{name}"))
                hidden = tuple(self._hidden_from(value.hidden_from))
                rows.append((self.lexicon.term(value.label, name), (*blocks, *hidden, *self.notes.of_node(value))))
            yield Facts(tuple(rows))

    def _hidden_from(self, who: str) -> Iterator[Paragraph]:
        if who:
            yield Paragraph(sentence(self.say("hidden_from", who=self.lexicon.names.who(who))), "aside")

    def _who(self, who: Mapping[str, tuple[str, ...]], several: Iterable[str]) -> Iterator[Block]:
        items = []
        for role, kinds in who.items():
            told: Inline = joined([self.lexicon.kind_label(kind) for kind in kinds], self.say("or"))
            if role in several:
                told = self.say("one_or_more", kind=told)
            if role == "self":
                items.append(Item(self.say("of", what=told, whose=self.say("who_acts"))))
            else:
                items.append(Item(capital(self.say("given_as", name=role_name(self.lexicon, role, who), what=told))))
        if len(items) == 1:
            yield Paragraph(sentence(items[0].spans))
        elif items:
            yield Items(tuple(items))

    # ------------------------------------------------------------------ blocks

    def common(self) -> Iterator[Section]:
        """The beginnings that actions share, each as the first action that uses it has it."""
        for name, written in self.written.items():
            found = self._use_of(name)
            if found is None:
                continue
            action, phases, scope = found
            parts = parts_at(phases, ("blocks", name))
            blocks = [
                *self._source(str(written.get("source", ""))),
                *self.notes.of(("blocks", name)),
                *self._phases(parts, scope, action, self.lexicon.system.actions[action].outcomes),
            ]
            yield Section(self._block_label(name), self.lexicon.anchor("block", name), tuple(blocks))

    def _use_of(self, name: str) -> tuple[str, Phases, Scope] | None:
        for action_name, action in self.lexicon.system.actions.items():
            for side_name, side in action.sides.items():
                if name in side.begins_with:
                    return action_name, side, side_scope(self.lexicon, action, side_name)
            if name in action.begins_with:
                return action_name, action, action_scope(self.lexicon, action)
        return None

    def _block_label(self, name: str) -> str:
        label = self.written[name].get("label") if name in self.written else None
        texts = label if isinstance(label, Mapping) else {self.lexicon.system.languages[0]: label} if label else None
        return self.lexicon.names.label(Label(texts) if texts else None, name)

    def _begins(self, phases: Phases) -> Iterator[Block]:
        if phases.begins_with:
            links = [
                (Link((self._block_label(name),), self.lexicon.anchor("block", name)),) for name in phases.begins_with
            ]
            yield Part(self.say("begins_like"), (Paragraph(joined(links, self.say("and"))),))

    # ------------------------------------------------------------------ actions

    def action(self, name: str) -> Section:
        action = self.lexicon.system.actions[name]
        scope = action_scope(self.lexicon, action)
        wording = Wording(self.lexicon, scope)
        description = self.lexicon.names.label(action.description, "") if action.description else ""
        blocks = [
            *((Paragraph((description,), "lead"),) if description else ()),
            *self._source(action.source),
            *self.notes.of_node(action),
            *self._part("who", self._who(_own_roles(action), action.several)),
            *self._during(action),
            *self._begins(action),
            *self._sides(name, action),
            *self._phases(parts_at(action, ("actions", name)), scope, name, action.outcomes),
            *self._part("ends", self._outcomes(action, wording)),
            *self._part("after", StepWording(wording, action.outcomes).listed(action.after)),
            *self._part("reported", self._reported(action, wording)),
        ]
        return Section(self.lexicon.names.action(name), self.lexicon.anchor("action", name), tuple(blocks))

    def _during(self, action: Action) -> Iterator[Block]:
        if action.during is not None:
            period = self.lexicon.system.periods.get(action.during)
            label = self.lexicon.term(period.label if period else None, action.during)
            yield Part(self.say("during_period"), (Paragraph(label),))

    def _sides(self, name: str, action: Action) -> Iterator[Block]:
        told: dict[tuple[Block, ...], list[Inline]] = {}
        for side_name, side in action.sides.items():
            scope = side_scope(self.lexicon, action, side_name)
            blocks = (
                *self._part("who", self._who(side.who, side.several)),
                *self._begins(side),
                *self._phases(parts_at(side, ("actions", name, "sides", side_name)), scope, name, action.outcomes),
            )
            told.setdefault(blocks, []).append(self.lexicon.term(side.label, side_name))
        for blocks, labels in told.items():
            yield Part(joined(labels, (", ",)), blocks)
        if action.order:
            wording = Wording(self.lexicon, action_scope(self.lexicon, action))
            order = (Paragraph(sentence(StepWording(wording).order(action.order))),)
            yield Part(self.say("order_of_sides"), (*order, Paragraph(self.say("each_side"))))

    def _outcomes(self, action: Action, wording: Wording) -> Iterator[Block]:
        items = [self._outcome(name, one, wording, len(action.outcomes)) for name, one in action.outcomes.items()]
        if items:
            yield Items(tuple(items), "outcomes")

    def _outcome(self, name: str, outcome: Outcome, wording: Wording, count: int) -> Item:
        test = self.say("only_when", test=wording.test(outcome.when)) if outcome.when else ()
        spans = self._ending(name, outcome, test or (self.say("otherwise") if count > 1 else ()), wording)
        grades = tuple(
            Item(self._ending(one, grade, self.say("only_when", test=wording.test(grade.when)), wording))
            for one, grade in outcome.grades.items()
        )
        return Item(spans, (*((Items(grades),) if grades else ()), *self.notes.of_node(outcome)))

    def _ending(self, name: str, node: Any, test: Inline, wording: Wording) -> Inline:
        spans: Inline = (Strong((self.lexicon.names.node(node, name),)), *((" — ", *test) if test else ()))
        said = filled(wording, self.lexicon.names.label(node.say, "")) if node.say else ()
        return merged((*spans, *((". ", *self.say("tell", text=said)) if said else ())))

    def _reported(self, action: Action, wording: Wording) -> Iterator[Block]:
        items = []
        for name, code in (*action.report.items(), *action.flags.items()):
            label = action.labels.get(name) or (action.values[name].label if name in action.values else None)
            told, words = self.lexicon.term(label, name), wording.code(code)
            same = code.text == name or told == words
            items.append(Item(told if same else self.say("given_as", name=told, what=words)))
        if items:
            yield Items(tuple(items))

    # ------------------------------------------------------------------ procedures and triggers

    def procedure(self, name: str) -> Section:
        procedure: Procedure = self.lexicon.system.procedures[name]
        wording = Wording(self.lexicon, procedure_scope(self.lexicon, procedure))
        gives = [wording.scope[one].words for one in procedure.gives if one in wording.scope]
        blocks = [
            *self._source(procedure.source),
            *self.notes.of_node(procedure),
            *self._part("who", self._who(procedure.who, procedure.several)),
            *self._part("asked", self._inputs(procedure.inputs, wording)),
            *self._part("done", StepWording(wording).listed(procedure.do)),
            *self._part("gives", (Paragraph(joined(gives, (", ",))),) if gives else ()),
        ]
        title = self.lexicon.names.node(procedure, name)
        return Section(title, self.lexicon.anchor("procedure", name), tuple(blocks))

    def trigger(self, name: str) -> Section:
        trigger = self.lexicon.system.triggers[name]
        wording = Wording(self.lexicon, trigger_scope(self.lexicon, trigger))
        upon = TriggerWording(wording).upon(trigger)
        blocks = [
            *self._source(trigger.source),
            *self.notes.of_node(trigger),
            *self._part("upon", (Paragraph(sentence(upon)),)),
            *self._part("done", StepWording(wording).listed(trigger.do)),
        ]
        return Section(self.lexicon.names.node(trigger, name), self.lexicon.anchor("trigger", name), tuple(blocks))


def _own_roles(action: Action) -> Mapping[str, tuple[str, ...]]:
    """The roles of an action beside those of its sides."""
    return {role: kinds for role, kinds in action.who.items() if not action.sides or role != "self"}


CROSSINGS = ("falls_below", "rises_to", "drops_to", "rises_above")


class TriggerWording:
    """Tells what sets a trigger off."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.say = wording.say

    def upon(self, trigger: Any) -> Inline:
        spans = self._event(trigger.upon)
        notes: list[Inline] = []
        if trigger.when is not None:
            notes.append(self.say("only_when", test=self.wording.test(trigger.when)))
        if trigger.once_per is not None:
            period = self.wording.lexicon.system.periods.get(trigger.once_per)
            label = self.wording.lexicon.term(period.label if period else None, trigger.once_per)
            notes.append(self.say("only_once_per", period=label))
        return merged((*spans, *((", ", *joined(notes, (", ",))) if notes else ())))

    def _event(self, upon: Any) -> Inline:
        lexicon = self.wording.lexicon
        for kind in ("begins", "ends", "joins"):
            name = getattr(upon, kind)
            if name is not None:
                period = lexicon.system.periods.get(name)
                return self.say(f"period_{kind}", what=lexicon.term(period.label if period else None, name))
        if upon.event is not None:
            return self.say("event", what=lexicon.term(None, upon.event))
        return self._change(upon)

    def _change(self, upon: Any) -> Inline:
        kind, _, rest = (upon.gauge or upon.field).partition(".")
        base, _, key = rest.partition(".")
        sense = self.wording.lexicon.field(kind, base)
        if sense is not None and key:
            sense = self.wording.member(sense, key)
        words = sense.words if sense is not None else self.wording.lexicon.term(None, rest)
        for crossing in CROSSINGS:
            code = getattr(upon, crossing)
            if code is not None:
                return self.say(crossing, what=words, value=self.wording.code(code, sense))
        if upon.field is not None:
            if upon.becomes is None:
                return self.say("field_changes", what=words)
            return self.say("field_becomes", what=words, value=self.wording.code(upon.becomes, sense))
        return self.say(f"changes_{upon.changes or 'any'}", what=words)
