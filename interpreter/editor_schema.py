"""Write the schemas as one JSON Schema, by which editors complete and check rule files while they are typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from interpreter.language import Entry, Rules, language
from interpreter.scalars import SCALARS

Fragment = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"


def editor_schema(kind: str = "system_file") -> Fragment:
    """The JSON Schema (draft 7) of a rule file, with a definition for each construct and each kind of single value.

    An editor's YAML reader makes numbers and booleans of unquoted texts, so they are accepted where their text is.
    """
    entries, families = language().entries, language().families
    return {
        "$schema": DRAFT,
        "title": "Osselet rule file",
        "allOf": [_reference(kind)],
        "definitions": {
            **{_scalar_name(name): {"description": s.about, **s.editor()} for name, s in SCALARS.items()},
            **{name: _definition(entry) for name, entry in entries.items()},
            **{head: _family(entries[head], kinds) for head, kinds in families.items()},
            **{
                entry.name: _definition(entry, needed=(kind,))
                for kinds in families.values()
                for kind, entry in kinds.items()
            },
        },
    }


def _reference(name: str) -> Fragment:
    return {"$ref": f"#/definitions/{name}"}


def _scalar_name(kind: str) -> str:
    return f"type_{kind}"


def _family(head: Entry, kinds: Mapping[str, Entry]) -> Fragment:
    return {"description": head.about, "anyOf": [_reference(entry.name) for entry in kinds.values()]}


def _definition(entry: Entry, needed: Iterable[str] = (), free: bool = False) -> Fragment:
    """An entry as an object; `needed` are keys that it must have beside those that the schema requires."""
    fragment: Fragment = {
        "type": "object",
        "description": entry.about,
        "properties": {key: _value(rules) for key, rules in entry.keys.items()},
        "additionalProperties": free,
    }
    required = [*needed, *(key for key in entry.required if key not in needed)]
    if required:
        fragment["required"] = required
    if entry.variants:
        fragment["oneOf"] = [{"required": [variant]} for variant in entry.variants]
    return fragment


def _value(rules: Rules) -> Fragment:
    """What one value may be: a single shape, or any of several."""
    shapes = [_SHAPES.get(kind, _scalar)(kind, rules) for kind in rules["type"]]
    if rules.get("nullable"):
        shapes.append({"type": "null"})
    fragment: Fragment = (
        {"anyOf": shapes} if len(shapes) > 1 else {"allOf": shapes} if "$ref" in shapes[0] else shapes[0]
    )
    return {"description": rules["description"], **fragment} if "description" in rules else fragment


def _scalar(kind: str, rules: Rules) -> Fragment:
    if "allowed" not in rules:
        return _reference(_scalar_name(kind))
    numbers = [int(text) for text in rules["allowed"] if SCALARS["integer"].accepts(text)]
    return {"enum": [*rules["allowed"], *numbers]}


def _list(kind: str, rules: Rules) -> Fragment:
    fragment: Fragment = {"type": "array"}
    items = rules.get("schema")
    if isinstance(items, dict):
        fragment["items"] = _value(items)
    if "minlength" in rules:
        fragment["minItems"] = rules["minlength"]
    return fragment


def _mapping(kind: str, rules: Rules) -> Fragment:
    schema = rules.get("variants", rules.get("schema"))
    if isinstance(schema, str):
        free = rules.get("allow_unknown", False)
        return _definition(language().entries[schema], free=True) if free else _reference(schema)
    fragment: Fragment = {"type": "object"}
    if "keysrules" in rules:
        fragment["propertyNames"] = _value(rules["keysrules"])
    if "valuesrules" in rules:
        fragment["additionalProperties"] = _value(rules["valuesrules"])
    if "minlength" in rules:
        fragment["minProperties"] = rules["minlength"]
    return fragment


_SHAPES: Mapping[str, Callable[[str, Rules], Fragment]] = {"list": _list, "dict": _mapping}
