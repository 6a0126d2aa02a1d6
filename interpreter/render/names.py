"""What things are called in a language: ids stand for themselves where the rules give no name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property

from interpreter.fields import FieldInfo, SheetData
from interpreter.layout import Register
from interpreter.model import Keys, Label, Node, System


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
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


class Names:
    """The names of one system in one language; a missing name falls back to the system's first language."""

    def __init__(self, system: System, language: str) -> None:
        self.system = system
        self.language = language

    def label(self, label: Label | None, otherwise: str) -> str:
        if label is None:
            return readable(otherwise)
        texts = label.texts
        return texts.get(self.language) or next((texts[one] for one in self.system.languages if one in texts), otherwise)

    def node(self, node: Node | None, name: str) -> str:
        return self.label(node.label if node is not None else None, name)

    def action(self, name: str) -> str:
        return self.node(self.system.actions.get(name), name)

    def outcome(self, action: str, outcome: str | None, grade: str | None = None) -> str:
        if outcome is None:
            return ""
        declared = self.system.actions[action].outcomes.get(outcome) if action in self.system.actions else None
        if grade is not None and declared is not None and grade in declared.grades:
            return self.label(declared.grades[grade].label, grade)
        return self.node(declared, outcome)

    def key(self, name: object, keys: Keys | None = None) -> str:
        """An id: its row's label, the label declared beside it, or itself."""
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
            for spec in (*sheet.stats.values(), *sheet.gauges.values(), *sheet.fields.values()):
                yield from spec.labels.items()
        for action in self.system.actions.values():
            for asked in action.inputs.values():
                yield from asked.labels.items()
        for table in self.system.tables.values():
            for name, row in table.rows.items():
                cell = row.get("label")
                if isinstance(cell, Label):
                    yield name, cell

    def field(self, info: FieldInfo) -> str:
        """A value of a sheet: the name of its stat, and of its key when it has one."""
        name = self.label(info.spec.label, info.name)
        if info.key is None:
            return name
        labels = info.spec.labels
        key = self.label(labels[info.key], info.key) if info.key in labels else self.key(info.key, info.spec.keys)
        return key if info.spec.label is None else f"{name} ({key})"

    def sheet(self, sheet_id: str, data: SheetData | None = None) -> str:
        """A sheet by the name that it bears, if it does."""
        named = (data or {}).get("name") or (data or {}).get("nom")
        return str(named) if named else readable(sheet_id)

    def dotted(self, path: str) -> str:
        """`sheet.field` or `sheet.field.key` by the names of kinds."""
        kind, _, rest = path.partition(".")
        name, _, _ = rest.partition(".")
        sheet = self.system.sheets.get(kind) or self.system.records.get(kind)
        if sheet is not None:
            for section in (sheet.stats, sheet.gauges, sheet.fields, sheet.derived):
                if name in section:
                    return self.node(section[name], name)
        return readable(rest)

    def register(self, register: Register) -> str:
        if register.info is None:
            return readable(register.name.lstrip(":#"))
        return self.field(register.info)

    def value(self, value: object, keys: Keys | None = None) -> str:
        if isinstance(value, bool):
            return _YES_NO.get(self.language, _YES_NO["en"])[0 if value else 1]
        if value is None:
            return "–"
        if isinstance(value, tuple | list):
            return ", ".join(self.value(item, keys) for item in value) or "–"
        return self.key(value, keys) if isinstance(value, str) else str(value)


_YES_NO = {"en": ("yes", "no"), "fr": ("oui", "non")}
