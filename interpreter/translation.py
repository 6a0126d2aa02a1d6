"""Labels of other languages, from `lang/<code>.yaml` beside the rules: a mapping from dotted paths to texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.language import Rules, language

# What holds a part, under which key, and what the schemas say of it.
_Part = tuple[Any, Any, Rules]
_FILE: Rules = {"type": ["dict"], "schema": "system_file"}


def put_label(data: Any, names: list[str], text: str, code: str, first: str) -> bool:
    """Adds a language to the text for people at a path; whether there is such a text."""
    found = _cell(data, names) if names[0] == "tables" and names[2:3] == ["rows"] else _label(data, names)
    if found is None:
        return False
    holder, key = found
    known = holder[key]
    holder[key] = {**(known if isinstance(known, dict) else {first: known}), code: text}
    return True


def _label(data: Any, names: list[str]) -> tuple[Any, Any] | None:
    holder: Any = {"": data}
    key: Any = ""
    rules = _FILE
    for name in names:
        found = _part(holder[key], name, rules)
        if found is None:
            return None
        holder, key, rules = found
    return (holder, key) if "label" in rules["type"] and "keysrules" in rules else None


def _cell(data: Any, names: list[str]) -> tuple[Any, Any] | None:
    """The cell of a row, which may be written as a list, where its column holds labels."""
    table = (data.get("tables") or {}).get(names[1])
    if table is None or len(names) != 5 or names[3] not in table["rows"]:
        return None
    rows, key, column, columns = table["rows"], names[3], names[4], table["columns"]
    kind = columns.get(column) if isinstance(columns, Mapping) else column if column in columns else None
    if kind != "label":
        return None
    if isinstance(rows[key], Mapping):
        return (rows[key], column) if column in rows[key] else None
    if isinstance(rows[key], str):
        rows[key] = [rows[key]]
    place = list(columns).index(column)
    return (rows[key], place) if place < len(rows[key]) else None


def _part(data: Any, name: str, rules: Rules) -> _Part | None:
    """A part by its name; in a list by its number, or by the name of a choice or roll of its steps."""
    if isinstance(data, Mapping):
        inner = _rules_of(rules, data, name)
        return (data, name, inner) if name in data and inner is not None else None
    each = rules.get("schema")
    if not isinstance(data, list) or not isinstance(each, dict):
        return None
    if name.isdigit():
        return (data, int(name), each) if int(name) < len(data) else None
    for step in _mappings(data):
        if step.get("choose") == name:
            return {name: step}, name, each
        if isinstance(rolls := step.get("roll"), Mapping) and name in rolls:
            whole = _rules_of(each, step, "roll")
            return (rolls, name, whole["valuesrules"]) if whole else None
    return None


def _rules_of(rules: Rules, data: Mapping[str, Any], name: str) -> Rules | None:
    """What the schemas say of a part of a mapping."""
    schema = rules.get("schema")
    if "variants" in rules:
        family = language().families[rules["variants"]]
        return next((family[kind].keys.get(name) for kind in language().kinds(rules["variants"], data)), None)
    return language().entries[schema].keys.get(name) if isinstance(schema, str) else rules.get("valuesrules")


def _mappings(data: Any) -> Iterator[Mapping[str, Any]]:
    """Every mapping within, each before those that it holds."""
    if isinstance(data, Mapping):
        yield data
    for item in data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ():
        yield from _mappings(item)
