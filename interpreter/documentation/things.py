"""Sheets, lists, tables, dice, periods and effects as sections of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interpreter.defaults import is_dice
from interpreter.documentation.asking import InputWording
from interpreter.documentation.blocks import (
    Block,
    Facts,
    Grid,
    Inline,
    Items,
    Paragraph,
    Part,
    Section,
    joined,
    sentence,
)
from interpreter.documentation.notes import Notes
from interpreter.documentation.scopes import record_scope, self_scope
from interpreter.documentation.senses import Lexicon, Sense
from interpreter.documentation.values import ValueWording, changed_by
from interpreter.documentation.wording import MINUS, Wording
from interpreter.model import Code, Effect, Field, Gauge, Input, Keys, Label, Period, Sheet, Stat, Table, Value


class ThingSections:
    """Writes what the game is made of."""

    def __init__(self, lexicon: Lexicon, notes: Notes) -> None:
        self.lexicon = lexicon
        self.notes = notes
        self.say = lexicon.say

    def _source(self, source: str) -> tuple[Block, ...]:
        return (Paragraph(self.say("source", what=source), "source"),) if source else ()

    # ------------------------------------------------------------------ sheets and records

    def sheet(self, name: str) -> Section:
        sheet = self.lexicon.system.sheets[name]
        wording = Wording(self.lexicon, self_scope(self.lexicon, name))
        blocks = [
            *((Paragraph(self.say("shared"), "lead"),) if sheet.only_one else ()),
            *self._source(sheet.source),
            *self.notes.of_node(sheet),
            *self._held(sheet, wording, name),
        ]
        return Section(self.lexicon.names.kind(name), self.lexicon.anchor("sheet", name), tuple(blocks))

    def record(self, name: str) -> Section:
        record = self.lexicon.system.records[name]
        scope = record_scope(self.lexicon, name)
        changed = changed_by(self.lexicon, scope, record.modifiers)
        blocks = [
            *self.notes.of_node(record),
            *self._rows([(one, spec) for one, spec in record.fields.items()], Wording(self.lexicon, scope), name),
            *((changed,) if changed else ()),
        ]
        return Section(self.lexicon.names.kind(name), self.lexicon.anchor("record", name), tuple(blocks))

    def _held(self, sheet: Sheet, wording: Wording, kind: str) -> Iterator[Block]:
        for section in ("stats", "gauges", "fields", "derived"):
            rows = [*self._rows(list(getattr(sheet, section).items()), wording, kind)]
            if rows:
                yield Part(self.say(section), tuple(rows))

    def _rows(self, specs: list[tuple[str, Any]], wording: Wording, kind: str) -> Iterator[Block]:
        rows = []
        for name, spec in specs:
            blocks = _TELLERS[type(spec)](self, spec, wording, f"{kind}.{name}")
            rows.append((self.lexicon.term(spec.label, name), (*blocks, *self.notes.of_node(spec))))
        if rows:
            yield Facts(tuple(rows))

    def _told(self, parts: Iterable[Inline]) -> tuple[Block, ...]:
        parts = [part for part in parts if part]
        return (Paragraph(sentence(joined(parts, self.say("semicolon")))),) if parts else ()

    def _for_each(self, keys: Keys | None, labels: Mapping[str, Label]) -> Inline:
        if keys is None:
            return ()
        return self.say("for_each_of", keys=InputWording(Wording(self.lexicon, {})).keys(keys, Input(labels=labels)))

    def _stat(self, spec: Stat, wording: Wording, name: str) -> tuple[Block, ...]:
        asking, parts = InputWording(wording), [self._for_each(spec.keys, spec.labels)]
        if spec.die:
            dice = self.lexicon.system.ladders.get(spec.die[0], spec.die)
            parts.append(self.say("ladder", dice=", ".join(dice)))
        if spec.range is not None:
            parts.append(asking.range(spec.range))
        if spec.default is not None:
            parts.append(self.say("default", value=wording.code(spec.default)))
        return self._told(parts)

    def _gauge(self, spec: Gauge, wording: Wording, name: str) -> tuple[Block, ...]:
        sense = Sense(ids=spec.steps or spec.keys, labels=spec.labels)
        parts = [self._for_each(spec.keys, spec.labels)]
        if spec.steps is not None:
            steps = ", ".join(self.lexicon.names.key(key, spec.steps) for key in spec.steps.ids)
            parts.append(self.say("steps_of", steps=steps))
        if spec.range is not None:
            parts.append(InputWording(wording).range(spec.range))
        if spec.min is not None and spec.min.text != "0":
            parts.append(self.say("min", what=wording.code(spec.min)))
        parts += self._maximum(spec, wording, sense)
        parts += self._start(spec, wording, sense)
        if spec.keeps:
            parts.append(self.say("keeps"))
        return self._told(parts)

    def _maximum(self, spec: Gauge, wording: Wording, sense: Sense) -> Iterator[Inline]:
        if isinstance(spec.max, Mapping):
            for key, code in spec.max.items():
                yield self.say("max_for", key=self.lexicon.key(key, sense), what=wording.code(code))
        elif spec.max is not None:
            full = spec.max.text == "start"
            yield self.say("max_is_start") if full else self.say("maximum", what=wording.code(spec.max))

    def _start(self, spec: Gauge, wording: Wording, sense: Sense) -> Iterator[Inline]:
        if isinstance(spec.start, Mapping):
            for key, code in spec.start.items():
                if code.text != "max":
                    yield self.say("start_for", key=self.lexicon.key(key, sense), what=wording.code(code))
                else:
                    yield self.say("given_as", name=self.lexicon.key(key, sense), what=self.say("starts_full"))
        elif spec.start is not None:
            yield self._start_of(spec.start, wording, sense, named=spec.steps is not None)

    def _start_of(self, code: Code, wording: Wording, sense: Sense, named: bool) -> Inline:
        if code.text == "max":
            return self.say("starts_full")
        if not named and is_dice(code.text):
            return self.say("thrown_at_start", dice=code.text)
        return self.say("starts_at", what=wording.code(code, sense))

    def _field(self, spec: Field, wording: Wording, name: str) -> tuple[Block, ...]:
        asked = Input(
            flag=spec.flag,
            int=spec.int,
            key=spec.key,
            set_of=spec.set_of,
            count=spec.count,
            text=spec.text,
            labels=spec.labels if spec.keys is None else {},
        )
        parts = [self._things(spec) if spec.many or spec.one else InputWording(wording).domain(asked)]
        parts.insert(0, self._for_each(spec.keys, spec.labels))
        if spec.default is not None:
            value = wording.code(spec.default, Sense(ids=spec.key, labels=spec.labels))
            parts.append(self.say("at_first", what=value))
        elif spec.flag:
            parts.append(self.say("at_first", what=self.say("yes")))
        if spec.temporary:
            parts.append(self.say("temporary"))
        return self._told(parts)

    def _things(self, spec: Field) -> Inline:
        kinds = [self.lexicon.kind_label(kind) for kind in ((spec.many,) if spec.many else spec.one)]
        return self.say("list_of" if spec.many else "one_of_kind", kind=joined(kinds, self.say("or")))

    def _derived(self, spec: Value, wording: Wording, name: str) -> tuple[Block, ...]:
        each = Sense(self.say("each_key"), ids=spec.keys)
        inner = wording.within(each=each) if spec.each is not None else wording
        _, _, last = name.rpartition(".")
        blocks = ValueWording(inner).blocks(spec, (last, f"owner.{last}", name))
        if spec.keys is None:
            return blocks
        return (Paragraph(sentence((*self._for_each(spec.keys, {}), *self.say("colon")))), *blocks)

    # ------------------------------------------------------------------ tables and dice

    def table(self, name: str) -> Section:
        table = self.lexicon.system.tables[name]
        columns = [column for column in table.columns if column != "label" or _has_labels(table)]
        ranged = not _has_labels(table) or any(not key[:1].isalpha() for key in table.rows)
        head = [*([(table.dice or " ",)] if ranged else []), *(self.lexicon.column(name, one) for one in columns)]
        rows = [
            (
                *([(self._row_key(key, table),)] if ranged else []),
                *(self._cell(row.get(c), table.columns[c]) for c in columns),
            )
            for key, row in table.rows.items()
        ]
        numbers = frozenset(i + ranged for i, c in enumerate(columns) if table.columns[c] == "number")
        grid = Grid(tuple(head), tuple(rows), numbers)
        blocks = (*self._source(table.source), grid, *self.notes.of_node(table))
        return Section(self.lexicon.names.node(table, name), self.lexicon.anchor("table", name), blocks)

    def _row_key(self, key: str, table: Table) -> str:
        if key[:1].isalpha():
            return self.lexicon.names.key(key)
        if key.startswith("..") or key.endswith(("..", "+")):
            return f"{'≤' if key.startswith('..') else '≥'} {key.strip('.+').replace('-', MINUS)}"
        return re.sub(r"\.\.|(?<=\d)-", "–", key).replace("-", MINUS)

    def _cell(self, cell: object, column: str | Keys) -> Inline:
        names = self.lexicon.names
        if isinstance(cell, Label):
            return (names.label(cell, ""),)
        if isinstance(column, Keys):
            return (names.key(str(cell), column),) if cell not in (None, "") else ("–",)
        return ("–",) if cell is None else (names.value(cell),)

    def dice(self) -> Iterator[Block]:
        rows = []
        for name, die in self.lexicon.system.dice.items():
            faces = ", ".join(self._face(face) for face in die.faces)
            rows.append((self.lexicon.term(die.label, name), (Paragraph((faces,)),)))
        if rows:
            yield Facts(tuple(rows))

    def _face(self, face: int | str) -> str:
        if isinstance(face, int):
            return str(face)
        symbols = self.lexicon.system.symbols
        words = [self.lexicon.names.label(symbols.get(one), one) for one in face.split() if one != "_"]
        return " + ".join(words) or "–"

    # ------------------------------------------------------------------ periods and effects

    def periods(self) -> Iterator[Block]:
        rows = []
        for name, period in self.lexicon.system.periods.items():
            told = (*self._told(self._period(period)), *self.notes.of_node(period))
            rows.append((self.lexicon.term(period.label, name), (*told, *self._source(period.source))))
        if rows:
            yield Facts(tuple(rows))

    def _period(self, period: Period) -> Iterator[Inline]:
        if period.members:
            yield self.say("members", kind=self.lexicon.kind_label(period.members))
        if period.within:
            longer = self.lexicon.system.periods.get(period.within)
            yield self.say("within", what=self.lexicon.term(longer.label if longer else None, period.within))

    def effects(self) -> Iterator[Block]:
        rows = []
        for name, effect in self.lexicon.system.effects.items():
            changed = changed_by(self.lexicon, self_scope(self.lexicon, effect.on), effect.modifiers)
            told: tuple[Block, ...] = self._told(self._effect(effect))
            more: tuple[Items, ...] = (changed,) if changed else ()
            rows.append(
                (
                    self.lexicon.term(effect.label, name),
                    (*told, *more, *self.notes.of_node(effect), *self._source(effect.source)),
                )
            )
        if rows:
            yield Facts(tuple(rows))

    def _effect(self, effect: Effect) -> Iterator[Inline]:
        yield self.say("effect_on", kind=self.lexicon.kind_label(effect.on))
        if effect.ends:
            period = self.lexicon.system.periods.get(effect.ends)
            label = self.lexicon.term(period.label if period else None, effect.ends)
            yield self.say("effect_ends", what=label)
        if effect.again != "refresh":
            yield self.say(effect.again)


def _has_labels(table: Table) -> bool:
    return "label" in table.columns


_TELLERS: Mapping[type[Any], Any] = {
    Stat: ThingSections._stat,
    Gauge: ThingSections._gauge,
    Field: ThingSections._field,
    Value: ThingSections._derived,
}
