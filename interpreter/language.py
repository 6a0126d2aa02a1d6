"""Load the rule language: what may be written where, from the YAML schemas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Required, TypedDict, cast

from interpreter.problems import RulesError
from interpreter.resources import schemas_folder
from interpreter.source import parse

# The schemas as read, so that a start need not read YAML; it counts only while its digest is that of the YAML files.
COMPILED = "compiled.json"


class Rules(TypedDict, total=False):
    """What one value must be: a cerberus rule set, with three rules of ours.

    `variants` names a family; `likely` the name or key that a bare value was probably meant for; `slips` are patterns
    of what people write instead, each with what to say of it."""

    type: Required[list[str]]
    description: str
    required: bool
    nullable: bool
    allowed: list[str]
    minlength: int
    schema: str | Rules
    keysrules: Rules
    valuesrules: Rules
    variants: str
    allow_unknown: bool
    likely: str
    slips: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One construct of the language.

    `short` is the key that a bare text stands for, `likely` the one that it was probably meant for where none does;
    `variants` are keys of which exactly one must be present; `slips` as in rules, of keys.
    """

    name: str
    about: str
    keys: Mapping[str, Rules]
    short: str | None = None
    variants: tuple[str, ...] = ()
    likely: str | None = None
    slips: tuple[tuple[str, str], ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(key for key, rules in self.keys.items() if rules.get("required"))


@dataclass(frozen=True, slots=True)
class Language:
    """Every construct by name; `families` gives, for a head such as `step`, the construct that each kind is."""

    entries: Mapping[str, Entry]
    families: Mapping[str, Mapping[str, Entry]]

    def kinds(self, head: str, data: Mapping[str, object]) -> list[str]:
        """The kinds that a mapping can be, in the order written; a key of another kind present is none of its own."""
        family = self.families[head]
        present = [key for key in data if key in family]
        whole = [kind for kind in present if all(key == kind or key in family[kind].keys for key in present)]
        return whole[:1] if len(whole) == 1 else present

    def section_of(self, keys: Iterable[str]) -> str | None:
        """The section whose parts can have all of these keys; of several, the one whose parts can have most others."""
        wanted = list(keys)
        found = [(len(entry.keys), name) for name, entry in self._parts() if all(key in entry.keys for key in wanted)]
        return max(found)[1] if found else None

    def _parts(self) -> Iterator[tuple[str, Entry]]:
        """Each section that holds named parts, with what such a part is."""
        for name, rules in self.entries["system_file"].keys.items():
            inner = rules.get("valuesrules", {}).get("schema")
            if isinstance(inner, str):
                yield name, self.entries[inner]


@cache
def language() -> Language:
    """The language that the schemas beside this package describe."""
    return load(schemas_folder())


def load(folder: Path) -> Language:
    """The language that the schemas of a folder describe; a RulesError where they cannot be read."""
    files = _files(folder)
    return _build(_compiled(folder / COMPILED, _digest(files)) or _read(files))


def compile_schemas(folder: Path) -> str:
    """The content of the compiled file for the schemas of a folder."""
    files = _files(folder)
    stored = {"digest": _digest(files), "entries": _read(files)}
    return json.dumps(stored, ensure_ascii=False, indent=1) + "\n"


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.yaml"))}


def _digest(files: Mapping[str, bytes]) -> str:
    """A fingerprint of files by name, the same whatever their line ends."""
    contents = (f"{name}\n".encode() + content.replace(b"\r\n", b"\n") for name, content in files.items())
    return hashlib.sha256(b"\0".join(contents)).hexdigest()


def _compiled(path: Path, wanted: str) -> Any:
    """The entries of a compiled file, or None where it is missing, stale or broken."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return stored["entries"] if stored["digest"] == wanted else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _read(files: Mapping[str, bytes]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for name, content in files.items():
        document, problems = parse(content, name)
        if document is None or problems:
            raise RulesError(problems)
        entries |= document.data
    return entries


def _build(raw: Mapping[str, Any]) -> Language:
    entries = {name: _entry(name, data) for name, data in raw.items()}
    families: dict[str, dict[str, Entry]] = {}
    for head in sorted({head for entry in entries.values() for head in _heads(entry.keys.values())}):
        common = entries[head].keys
        for name in [name for name in entries if name.startswith(f"{head}_")]:
            entries[name] = replace(entries[name], keys={**entries[name].keys, **common})
            families.setdefault(head, {})[name.removeprefix(f"{head}_")] = entries[name]
    return Language(entries, families)


def _heads(rules: Iterable[Rules]) -> set[str]:
    """The heads of the families that rules ask for, at any depth."""
    heads: set[str] = set()
    for one in rules:
        heads |= {one["variants"]} if "variants" in one else set()
        inner = [one.get("schema"), one.get("valuesrules")]
        heads |= _heads(rule for rule in inner if isinstance(rule, dict))
    return heads


def _entry(name: str, data: Mapping[str, Any]) -> Entry:
    keys = {key: _rules(rules) for key, rules in (data["keys"] or {}).items()}
    variants, likely, slips = tuple(data.get("variants", ())), data.get("likely"), _slips(data.get("slips", {}))
    return Entry(name, data["about"], keys, data.get("short"), variants, likely, tuple(slips))


def _rules(data: Mapping[str, Any]) -> Rules:
    rules = cast(Rules, {rule: _RULES[rule](value) for rule, value in data.items()})
    if "label" in rules["type"] and "dict" not in rules["type"]:
        # A label is a text, or one text for each language.
        rules["type"] = [*rules["type"], "dict"]
        rules["keysrules"], rules["valuesrules"] = {"type": ["language"]}, {"type": ["label"]}
        rules["minlength"] = 1
    return rules


def _slips(data: Mapping[str, str]) -> list[tuple[str, str]]:
    return list(data.items())


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _flag(value: str) -> bool:
    return value == "true"


_RULES: Mapping[str, Callable[[Any], Any]] = {
    "type": _list,
    "description": str,
    "required": _flag,
    "nullable": _flag,
    "allowed": _list,
    "minlength": int,
    "schema": lambda value: value if isinstance(value, str) else _rules(value),
    "keysrules": _rules,
    "valuesrules": _rules,
    "variants": str,
    "allow_unknown": _flag,
    "likely": str,
    "slips": _slips,
}
