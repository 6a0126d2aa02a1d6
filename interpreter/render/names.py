"""What things are called in a language: ids stand for themselves where the rules give no name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from interpreter.fields import NAMES, FieldInfo, SheetData, sheet_name
from interpreter.layout import RECORD_MARK
from interpreter.model import Field, Gauge, Input, Keys, Label, Node, Sheet, Stat, System
from interpreter.render.phrases import phrase

# What is not worth telling of a sheet or record.
NOTHING: tuple[object, ...] = (0, False, None, "", ())


def preferred(system: System, asked: str | None, environment: Mapping[str, str] | None = None) -> str:
    """The language asked for, else the locale's, else the system's first; always one that the system offers."""
    environment = os.environ if environment is None else environment
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or ""
    for wanted in (asked or "", locale.partition(".")[0].replace("_", "-")):
        for language in system.languages:
            if wanted and (language == wanted or language.split("-")[0] == wanted.split("-")[0]):
                return language
    return system.languages[0]


def readable(name: str) -> str:
    """An id without its underscores."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


# Those whom rules name without declaring them.
_EVERYONE = {"owner": "word_owner", "players": "word_players"}


class Names:
    """The names of one system in one language; a missing name falls back to the system's first language."""

    def __init__(self, system: System, language: str) -> None:
        self.system = system
        self.language = language

    def say(self, what: str, /, **values: object) -> str:
        """One of the program's own phrases."""
        return phrase(self.language, what, **values)

    def colon(self, what: str, told: object = "") -> str:
        """`what: told`, with the spaces that the language has around a colon; none stands behind a question mark."""
        return f"{what} {told}" if what.endswith("?") else f"{what}{self.say('colon')}{told}"

    def label(self, label: Label | None, otherwise: str) -> str:
        if label is None:
            return readable(otherwise)
        texts = label.texts
        known = (texts[one] for one in self.system.languages if one in texts)
        return texts.get(self.language) or next(known, otherwise)

    def node(self, node: Node | None, name: str) -> str:
        return self.label(node.label if node is not None else None, name)

    def title(self) -> str:
        return self.label(self.system.title, self.system.id)

    def kind(self, name: str) -> str:
        """A kind of sheet or record."""
        return self.node(self.system.sheets.get(name) or self.system.records.get(name), name)

    # ------------------------------------------------------------------ actions

    def action(self, name: str) -> str:
        return self.node(self.system.actions.get(name), name)

    def side(self, action: str, name: str) -> str:
        declared = self.system.actions[action].sides.get(name) if action in self.system.actions else None
        return self.node(declared, name)

    def role(self, action: str, role: str) -> str:
        """A role: the one who acts, a side, or the role's own name, with its side's."""
        if role == "self":
            return self.say("who_acts")
        side, dot, rest = role.rpartition(".")
        name = self.label(self.system.people.get(rest), rest)
        if dot:
            return f"{self.side(action, side)}, {name}"
        return name if rest in self.system.people else self.side(action, role)

    def reported(self, action: str, name: str) -> str:
        """A number or yes and no told at the end: its own label, else that of the value of its name."""
        declared = self.system.actions.get(action)
        if declared is None:
            return self.key(name)
        label = declared.labels.get(name) or (declared.values[name].label if name in declared.values else None)
        return self.label(label, name)

    def outcome(self, action: str, outcome: str | None, grade: str | None = None) -> str:
        if outcome is None:
            return ""
        declared = self.system.actions[action].outcomes.get(outcome) if action in self.system.actions else None
        name = self.node(declared, outcome)
        if grade is None or declared is None or grade not in declared.grades:
            return name
        return f"{name} ({self.node(declared.grades[grade], grade)})"

    def who(self, name: str) -> str:
        """Who answers or must not see something: a role, the players, or someone else without a sheet."""
        last = name.rpartition(".")[2]
        if last in self.system.people or last not in _EVERYONE:
            return self.label(self.system.people.get(last), last)
        return self.say(_EVERYONE[last])

    # ------------------------------------------------------------------ ids and values

    def key(self, name: object, keys: Keys | None = None, labels: Mapping[str, Label] | None = None) -> str:
        """An id: the label declared beside it, its row's label, or itself."""
        if labels and str(name) in labels:
            return self.label(labels[str(name)], str(name))
        table = self.system.tables.get(keys.table or "") if keys else None
        if table is not None:
            cell = table.rows.get(str(name), {}).get("label")
            return self.label(cell, str(name)) if isinstance(cell, Label) else readable(str(name))
        return self._ids.get(str(name)) or readable(str(name))

    @cached_property
    def _ids(self) -> dict[str, str]:
        """Every id with a label, for places that do not know its set: the first that is declared."""
        found: dict[str, str] = {}
        for name, label in self._declared_ids():
            found.setdefault(name, self.label(label, name))
        return found

    def _declared_ids(self) -> Iterator[tuple[str, Label]]:
        for sheet in self.system.sheets.values():
            specs: tuple[Stat | Gauge | Field, ...] = (
                *sheet.stats.values(),
                *sheet.gauges.values(),
                *sheet.fields.values(),
            )
            for spec in specs:
                yield from spec.labels.items()
        for action in self.system.actions.values():
            for asked in action.inputs.values():
                yield from asked.labels.items()
        for table in self.system.tables.values():
            for name, row in table.rows.items():
                cell = row.get("label")
                if isinstance(cell, Label):
                    yield name, cell

    def answer(self, spec: Input | None, value: object) -> str:
        """The answer to an input."""
        if spec is None:
            return self.value(value)
        return self.value(value, spec.key or spec.set_of, spec.labels)

    def value(self, value: object, keys: Keys | None = None, labels: Mapping[str, Label] | None = None) -> str:
        if isinstance(value, bool):
            return self.say("yes" if value else "no")
        if value is None:
            return "–"
        if isinstance(value, tuple | list):
            return ", ".join(self.value(item, keys, labels) for item in value) or "–"
        return self.key(value, keys, labels) if isinstance(value, str) else str(value)

    # ------------------------------------------------------------------ sheets

    def field(self, info: FieldInfo) -> str:
        """A value of a sheet: the name of its stat, and of its key when it has one."""
        name = self.label(info.spec.label, info.name)
        if info.key is None:
            return name
        key = self.key(info.key, info.spec.keys, info.spec.labels)
        return key if info.spec.label is None else f"{name} ({key})"

    def field_value(self, info: FieldInfo, value: object) -> str:
        """What stands in a value of a sheet; free text as it is written."""
        if info.sort == "text":
            return str(value or "–")
        return self.value(value, info.ids, info.spec.labels if info.key is None else None)

    def held(self, values: Iterable[tuple[FieldInfo, Any]], sheets: Mapping[str, SheetData]) -> str:
        """What a record holds, but for what is nothing: free text by itself, a yes by its name, the rest after its
        name."""
        return ", ".join(self._held(info, value, sheets) for info, value in values if value not in NOTHING)

    def _held(self, info: FieldInfo, value: Any, sheets: Mapping[str, SheetData]) -> str:
        if info.sort == "text":
            return str(value)
        if info.sort == "flag":
            return self.field(info)
        shown = self.thing(str(value), sheets) if info.sort == "one" else self.field_value(info, value)
        return f"{self.field(info)} {shown}"

    def sheet(self, sheet_id: str, data: SheetData | None = None) -> str:
        """A sheet by the name that it bears, if it does; one without a name that only plays a part, by its kind."""
        if sheet_id == "self" and data and not any(data.get(name) for name in NAMES):
            return self.kind(str(data.get("sheet")))
        return sheet_name(sheet_id, data or {})

    def thing(self, thing_id: str, sheets: Mapping[str, SheetData]) -> str:
        """A sheet, or a record of one, by its first text."""
        sheet_id, *rest = thing_id.split(RECORD_MARK)
        if sheet_id not in sheets:
            return self.key(thing_id)
        if not rest:
            return self.sheet(sheet_id, sheets[sheet_id])
        data: Any = sheets[sheet_id]
        for name, number in zip(rest[::2], rest[1::2], strict=True):
            data = data[name][int(number)]
        kind = self._list_kind(sheets[sheet_id], rest[0])
        texts = [name for name, spec in kind.fields.items() if spec.text is not None] if kind else []
        named = next((str(data[name]) for name in texts if data.get(name)), None)
        return named or f"{self.node(kind, rest[0])} {int(rest[1]) + 1}"

    def _list_kind(self, data: SheetData, name: str) -> Any:
        sheet = self.system.sheets.get(str(data.get("sheet")))
        declared = sheet.fields.get(name) if sheet else None
        return self.system.records.get(declared.many) if declared is not None and declared.many else None

    def dotted(self, path: str) -> str:
        """`sheet.field` or `sheet.field.key` by the names of kinds."""
        kind, _, rest = path.partition(".")
        name, _, _ = rest.partition(".")
        declared = self.declared(kind, name)
        return readable(rest) if declared is None else self.node(declared, name)

    def some_field(self, name: str) -> str:
        """A value of a sheet or record of which the kind is not known."""
        return self.node(self.declared("", name), name)

    def declared(self, kind: str, name: str) -> Node | None:
        """What a kind of sheet or record declares under a name; without a kind, the first that declares it."""
        known: dict[str, Sheet] = {**self.system.records, **self.system.sheets}
        kinds = [known[kind]] if kind in known else [] if kind else list(known.values())
        for one in kinds:
            for section in (one.stats, one.gauges, one.fields, one.derived):
                if name in section:
                    return section[name]
        return None
