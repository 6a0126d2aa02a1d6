"""The whole page of a system: its sections in the order in which a reader wants them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from interpreter.documentation.blocks import Block, Grid, Inline, Page, Paragraph, Section, plain
from interpreter.documentation.chances import ChanceSections
from interpreter.documentation.doing import DoingSections
from interpreter.documentation.notes import Notes
from interpreter.documentation.people import PeopleWording
from interpreter.documentation.senses import Lexicon
from interpreter.documentation.things import ThingSections
from interpreter.model import Assumption, System
from interpreter.render.names import Names
from interpreter.rules import Rules


def page(rules: Rules, language: str) -> Page:
    """The rules of a system in one of its languages."""
    assert rules.system is not None
    return _Writer(rules, Lexicon(Names(rules.system, language))).page()


class _Writer:
    def __init__(self, rules: Rules, lexicon: Lexicon) -> None:
        self.system: System = rules.system  # type: ignore[assignment]
        self.lexicon = lexicon
        self.say = lexicon.say
        self.notes = Notes(lexicon, rules.data)
        self.things = ThingSections(lexicon, self.notes)
        self.doing = DoingSections(lexicon, self.notes, rules.data.get("blocks") or {})

    def page(self) -> Page:
        sections = [
            *self._group("sheets", [*map(self.things.sheet, self.system.sheets)]),
            *self._group("things", [*map(self.things.record, self.system.records)]),
            *self._group("common", [*self.doing.common()]),
            *self._actions(),
            *self._group("procedures", [*map(self.doing.procedure, self.system.procedures)]),
            *self._group("triggers", [*map(self.doing.trigger, self.system.triggers)]),
            *self._whole("periods", [*self.things.periods()]),
            *self._whole("effects", [*self.things.effects()]),
            *self._whole("dice", [*self.things.dice()]),
            *self._group("tables", [*map(self.things.table, self.system.tables)]),
            *self._whole("characters", [*PeopleWording(self.lexicon).ready()]),
            *self._chances(),
            *self._assumptions(),
            *self._narrative(),
        ]
        return Page(
            self.lexicon.names.title(),
            self.lexicon.names.language,
            plain(self.say("contents")),
            tuple(self._lead()),
            tuple(sections),
        )

    def _lead(self) -> Iterator[Block]:
        if self.system.description is not None:
            yield Paragraph((self.lexicon.names.label(self.system.description, ""),), "lead")
        version = plain(self.say("version", what=self.system.version)) if self.system.version else ""
        facts = [self.system.source, version]
        told = " · ".join(fact for fact in facts if fact)
        if told:
            yield Paragraph((told,), "source")

    def _group(self, title: str, sections: Sequence[Section], **values: Any) -> Iterator[Section]:
        if sections:
            yield Section(plain(self.say(title, **values)), self.lexicon.anchor(title), (), tuple(sections))

    def _whole(self, title: str, blocks: Sequence[Block]) -> Iterator[Section]:
        if blocks:
            yield Section(plain(self.say(title)), self.lexicon.anchor(title), tuple(blocks))

    # ------------------------------------------------------------------ actions

    def _actions(self) -> Iterator[Section]:
        """What players do, then what each other person decides."""
        groups: dict[str, list[Section]] = {"": []}
        for name, action in self.system.actions.items():
            groups.setdefault(action.by, []).append(self.doing.action(name))
        yield from self._group("by_players", groups.pop(""))
        for who, sections in groups.items():
            title = plain(self.say("by_someone", who=self.lexicon.names.who(who)))
            yield Section(title, self.lexicon.anchor("by", who), (), tuple(sections))

    def _chances(self) -> Iterator[Section]:
        bars = ChanceSections(self.lexicon)
        sections = []
        for name in self.system.actions:
            cards = bars.of(name)
            if cards:
                title = self.lexicon.names.action(name)
                sections.append(Section(title, self.lexicon.anchor("chances", name), cards, note="cards"))
        if sections:
            lead = (Paragraph(self.say("chances_lead")),)
            yield Section(plain(self.say("chances")), self.lexicon.anchor("chances"), lead, tuple(sections))

    # ------------------------------------------------------------------ what is left open

    def _assumptions(self) -> Iterator[Section]:
        if not self.system.assumptions:
            return
        valued = any(one.value is not None for one in self.system.assumptions.values())
        head = (self.say("what"), *((self.say("value"),) if valued else ()), self.say("reason"), self.say("place"))
        rows = [self._assumption(name, one, valued) for name, one in self.system.assumptions.items()]
        anchors = tuple(self.lexicon.anchor("assumption", name) for name in self.system.assumptions)
        blocks = (Paragraph(self.say("assumptions_lead")), Grid(head, tuple(rows), anchors=anchors))
        yield Section(plain(self.say("assumptions")), self.lexicon.anchor("assumptions"), blocks)

    def _assumption(self, name: str, one: Assumption, valued: bool) -> tuple[Inline, ...]:
        value: Inline = (one.value.text,) if one.value is not None else ()
        told = (value,) if valued else ()
        return (self.notes.place(name, one), *told, self.notes.reason(one), (one.source,))

    def _narrative(self) -> Iterator[Section]:
        if self.system.narrative:
            rows = tuple(((number,), (text,)) for number, text in self.system.narrative.items())
            grid = Grid(((" ",), self.say("what")), rows)
            yield Section(plain(self.say("narrative")), self.lexicon.anchor("narrative"), (grid,))
