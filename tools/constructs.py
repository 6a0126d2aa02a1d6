"""Tell every construct of the rule language for the reference: its keys, what each holds, where it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from interpreter.language import Entry, Language, Rules
from interpreter.scalars import SCALARS
from interpreter.source import read

# The groups of the reference, each with the constructs that it begins with; what these hold follows them.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "The file": (
        "system_file",
        "system",
        "table",
        "period",
        "effect",
        "outside_modifier",
        "assumption",
        "policy",
        "character",
        "die",
    ),
    "Sheets": ("sheet", "record", "stat", "gauge", "field", "derived"),
    "Actions": (
        "action",
        "block",
        "side",
        "procedure",
        "input",
        "requirement",
        "value",
        "modifier",
        "outcome",
        "grade",
    ),
    "Triggers": ("trigger", "event"),
    "Steps": ("step", "option", "move", "repeat"),
    "Rolls": ("roll", "group", "extremes", "empty", "operation", "ranked"),
    "Examples": ("example", "scene"),
}
MOST_SEEN = 4


def construct_tables(language: Language, recipes: Path) -> str:
    seen = uses(language, recipes)
    parts = []
    for title, names in GROUPS.items():
        parts.append(f"### {title}")
        for name in names:
            parts += _construct(language, language.entries[name], seen)
            for kind, entry in language.families.get(name, {}).items():
                parts += _construct(language, entry, seen, kind)
    missing = set(language.entries) - {name for names in GROUPS.values() for name in names}
    missing -= {entry.name for kinds in language.families.values() for entry in kinds.values()}
    if missing:
        raise SystemExit(f"tools/constructs.py leaves out: {', '.join(sorted(missing))}")
    return "\n\n".join(parts)


def _construct(language: Language, entry: Entry, seen: Mapping[str, list[str]], kind: str = "") -> Iterator[str]:
    head = entry.name.removesuffix(f"_{kind}") if kind else ""
    title = f"{head} `{kind}`" if kind else _called(entry.name)
    yield f'<a id="{entry.name}"></a>\n\n#### {title}'
    notes = [entry.about]
    if entry.short:
        notes.append(f"A bare text is its `{entry.short}`.")
    if entry.variants:
        notes.append(f"Exactly one of {_listed(entry.variants)}.")
    if entry.name in language.families:
        kinds = ", ".join(f"[`{one}`](#{entry.name}_{one})" for one in language.families[entry.name])
        notes.append(f"Its kinds: {kinds}.")
    if seen.get(entry.name):
        links = ", ".join(f"[{name}](cookbook.md#{name})" for name in seen[entry.name][:MOST_SEEN])
        notes.append(f"Seen in {links}.")
    yield " ".join(notes)
    common = language.entries[head].keys if head else {}
    rows = [_row(key, rules, key == kind) for key, rules in entry.keys.items() if key not in common]
    if rows:
        yield "\n".join(["| key | holds | what it is |", "|---|---|---|", *rows])


def _row(key: str, rules: Rules, named: bool) -> str:
    shown = f"**`{key}`**" if named or rules.get("required") else f"`{key}`"
    return f"| {shown} | {held(rules)} | {rules.get('description', '')} |"


def _called(name: str) -> str:
    return {"system_file": "rule file", "outside_modifier": "outside modifier"}.get(name, name.replace("_", " "))


# ---------------------------------------------------------------------- types in words


def held(rules: Rules, outermost: bool = True) -> str:
    """What a key holds, in words."""
    if "allowed" in rules:
        words = _listed(rules["allowed"])
    else:
        words = " or ".join(
            dict.fromkeys(_kind(kind, rules) for kind in rules["type"] if not _is_translation(kind, rules))
        )
    return f"{words}, or nothing" if rules.get("nullable") and outermost else words


def _is_translation(kind: str, rules: Rules) -> bool:
    """Whether a mapping is only that of a label in several languages."""
    keys = rules.get("keysrules")
    return kind == "dict" and keys is not None and keys["type"] == ["language"]


def _kind(kind: str, rules: Rules) -> str:
    if kind == "list":
        inner = rules.get("schema")
        return f"a list of {held(inner, outermost=False)}" if isinstance(inner, dict) else "a list"
    if kind != "dict":
        return f"[{kind}](#kind-{kind})" if kind in SCALARS else kind
    name = rules.get("variants") or rules.get("schema")
    if isinstance(name, str):
        return f"[{_called(name)}](#{name})"
    if "valuesrules" in rules:
        key = rules.get("keysrules", {"type": ["text"]})["type"][0]
        return f"for each {'id' if key == 'identifier' else key.replace('_', ' ')}: {held(rules['valuesrules'])}"
    return "a mapping"


def _listed(words: Iterable[str]) -> str:
    marked = [f"`{word}`" for word in words]
    return f"{', '.join(marked[:-1])} or {marked[-1]}" if len(marked) > 1 else "".join(marked)


# ---------------------------------------------------------------------- where each is used


def uses(language: Language, recipes: Path) -> Mapping[str, list[str]]:
    """The recipes that use each construct, those that use the fewest constructs first."""
    found = {
        path.stem: set(_used(language, language.entries["system_file"], _data(path))) for path in recipes.glob("*.yaml")
    }
    seen: dict[str, list[str]] = {}
    for name in sorted(found, key=lambda one: (len(found[one]), one)):
        for construct in found[name]:
            seen.setdefault(construct, []).append(name)
    common = {name for name, where in seen.items() if len(where) > len(found) / 2}
    return {name: where for name, where in seen.items() if name not in common}


def _data(path: Path) -> Any:
    document, problems = read(path)
    if document is None or problems:
        raise SystemExit(f"{path} cannot be read: {problems[0].message}")
    return document.data


def _used(language: Language, entry: Entry, data: Mapping[str, Any]) -> Iterator[str]:
    yield entry.name
    for key, value in data.items():
        if key in entry.keys:
            yield from _within(language, entry.keys[key], value)


def _within(language: Language, rules: Rules, value: Any) -> Iterator[str]:
    if isinstance(value, list):
        inner = rules.get("schema")
        for item in value if isinstance(inner, dict) else ():
            yield from _within(language, inner, item)  # type: ignore[arg-type]
    if not isinstance(value, Mapping):
        return
    if "variants" in rules:
        head = rules["variants"]
        for kind in language.kinds(head, value)[:1]:
            yield from _used(language, language.families[head][kind], value)
    elif isinstance(rules.get("schema"), str):
        yield from _used(language, language.entries[str(rules["schema"])], value)
    elif "valuesrules" in rules:
        for item in value.values():
            yield from _within(language, rules["valuesrules"], item)
