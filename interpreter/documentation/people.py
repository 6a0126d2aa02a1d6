"""Ready sheets as the page tells them: what each one holds beside the values that a new sheet has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.documentation.blocks import Block, Facts, Inline, Paragraph, Term, joined, merged
from interpreter.documentation.senses import Lexicon
from interpreter.fields import NAMES
from interpreter.model import Field, Keys, Label
from interpreter.ready import character

SKIPPED = ("sheet", "like", *NAMES)


class PeopleWording:
    """Tells ready sheets and the sheets of examples."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.say = lexicon.say

    def ready(self) -> Iterator[Block]:
        """Every ready sheet: its kind, then what it holds."""
        rows = []
        for name in self.lexicon.system.characters:
            data = character(self.lexicon.system, name)
            kind = self.lexicon.kind_label(str(data.get("sheet", "")))
            blocks = [Paragraph(told) for told in (kind, *self.held(data)) if told]
            rows.append(((Term(self.lexicon.names.sheet(name, data)),), tuple(blocks)))
        if rows:
            yield Facts(tuple(rows))

    def held(self, data: Mapping[str, Any]) -> Iterator[Inline]:
        """What is written on a sheet, one line for each name."""
        kind = str(data.get("sheet", ""))
        for name, value in data.items():
            if name in SKIPPED:
                continue
            spec = self.lexicon.declared(kind, name)
            label = self.lexicon.term(spec.label if spec else None, name)
            yield self.say("given_as", name=label, what=self.value(spec, value))

    def value(self, spec: Any, value: object) -> Inline:
        if isinstance(spec, Field) and spec.many:
            return self._list(spec.many, value)
        keys: Keys | None = getattr(spec, "keys", None)
        labels: Mapping[str, Label] = getattr(spec, "labels", {})
        if isinstance(value, Mapping) and keys is not None:
            parts: list[Inline] = [
                merged(((self.lexicon.names.key(key, keys, labels)), " ", *self.value(None, one)))
                for key, one in value.items()
            ]
            return joined(parts, (", ",))
        if isinstance(value, Mapping):
            return self._gauge(value)
        ids = next((one for name in ("key", "set_of", "steps") if (one := getattr(spec, name, None))), None)
        return (self.lexicon.names.value(_plain(value), ids, labels if keys is None else None),)

    def _gauge(self, value: Mapping[str, Any]) -> Inline:
        """Where a gauge started and where it is."""
        now = value.get("now", value.get("start"))
        return (f"{now} / {value['start']}",) if "start" in value else (str(now),)

    def _list(self, kind: str, value: object) -> Inline:
        """Sheets by their names, records by what they hold."""
        items = value if isinstance(value, list | tuple) else [value]
        return joined([self._item(kind, item) for item in items], self.say("semicolon")) or ("–",)

    def _item(self, kind: str, item: object) -> Inline:
        if not isinstance(item, Mapping):
            data = self.lexicon.system.characters.get(str(item))
            return (self.lexicon.names.sheet(str(item), data),)
        name = next((str(item[one]) for one in NAMES if item.get(one)), "")
        rest = []
        for key, value in item.items():
            if key in NAMES:
                continue
            spec = self.lexicon.declared(kind, key)
            label = self.lexicon.names.label(spec.label if spec else None, key)
            told = self.value(spec, value)
            rest.append(merged((label, " ", *told)))
        return merged((name, *((" (", *joined(rest, (", ",)), ")") if rest and name else joined(rest, (", ",)))))


def _plain(value: object) -> object:
    """A value as data has it: a yes or no may be a text."""
    if isinstance(value, list):
        return tuple(value)
    return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).lower(), value)
