"""How a value that is not what the schemas want is put right, where that can be guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interpreter.language import Entry, Rules, language
from interpreter.scalars import SCALARS, Advice

# Types of which every text is one: that a text fits them says nothing of what it was meant for.
FREE = frozenset(("text", "label", "expression"))

TEXT_TO_DICT = "write `key: value` on the lines below it"
TEXT_TO_LIST = "write it as a list: `[…]`, or `- …` on the lines below it"
LIST_TO_TEXT = "put a text that begins with a bracket or a dash in quotes"
DICT_TO_LIST = "begin each item with `- `"
DICT_TO_TEXT = "put a text that has braces or a colon in quotes"


def advice(value: object, rules: Rules) -> Advice:
    """What to write instead of a value that its rules refuse."""
    said = next((hint for pattern, hint in rules.get("slips", ()) if re.search(pattern, in_one_line(value))), "")
    if said:
        return Advice(said)
    if isinstance(value, str):
        return _of_text(value, rules)
    if isinstance(value, list):
        return Advice(_of_list(value, rules))
    if isinstance(value, Mapping) and value and all(key.startswith("-") for key in value):
        return Advice("put a space after each `-`")
    return Advice(DICT_TO_LIST if "list" in rules["type"] else DICT_TO_TEXT)


def fits(kind: str, value: object) -> bool:
    """Whether a value is of a kind."""
    if kind == "dict":
        return isinstance(value, dict)
    if kind == "list":
        return isinstance(value, list)
    return isinstance(value, str) and SCALARS[kind].accepts(value)


def in_one_line(value: object) -> str:
    """A value of rules as one writes it on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {in_one_line(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(in_one_line, value))}]"
    return " ".join(str(value).split())


def below(key: str, keys: Mapping[str, Rules]) -> str:
    """Advice for a key that is a kind of step or operation and stands beside the lists that hold such."""
    places = [name for name, rules in keys.items() if key in language().families.get(_head(rules), {})]
    if not places:
        return ""
    named = " or ".join(f"`{name}`" for name in places)
    return f"it stands in the list {named}: `{places[-1]}: [{{{key}: …}}]`"


def _head(rules: Rules) -> str:
    """The family of which a list's items are."""
    inner = rules.get("schema")
    return inner.get("variants", "") if isinstance(inner, dict) else ""


def _of_text(text: str, rules: Rules) -> Advice:
    kinds = rules["type"]
    if "dict" in kinds and (hint := _as_mapping(text, rules)):
        return Advice(hint)
    scalars = [SCALARS[kind] for kind in kinds if kind in SCALARS]
    if scalars:
        guesses = (scalar.advise(text) for scalar in scalars)
        return next((guess for guess in guesses if guess.hint), Advice())
    first, _, rest = text.partition(" ")
    if first in language().families.get(_head(rules), {}):
        return Advice(f"write `[{{{first}: {rest.strip(': ') or '…'}}}]`")
    return Advice(TEXT_TO_LIST if "list" in kinds else TEXT_TO_DICT)


def _as_mapping(text: str, rules: Rules) -> str:
    """Advice for a text where a mapping is wanted that was nearly written; empty where there is none."""
    if re.match(r"[a-z_]+:[^ ]", text):
        return "put a space after the colon"
    schema = rules.get("schema")
    if isinstance(schema, str):
        entry = language().entries[schema]
        key, _, rest = text.partition(" ")
        if key in entry.keys:
            return f"write `{{{key}: {rest.strip('=: ') or _sample(entry.keys[key])}}}`"
        if (meant := _meant(text, entry)) is not None:
            return f"write `{{{meant}: {text}}}`"
    inner, name = rules.get("valuesrules"), rules.get("likely")
    if inner and not any(fits(kind, text) for kind in inner["type"] if kind != "dict"):
        return ""
    if name:
        return f"write `{{{name}: {text}}}`"
    return f"put a name before it: `{{name: {text}}}`" if inner else ""


def _of_list(items: list[Any], rules: Rules) -> str:
    kinds, schema = rules["type"], rules.get("schema")
    if "range" in kinds and len(items) == 2 and all(fits("integer", item) for item in items):
        return f"a range is written `{items[0]}..{items[1]}`"
    if "dict" in kinds and isinstance(schema, str) and (meant := _meant(items, language().entries[schema])):
        return f"write `{{{meant}: {in_one_line(items)}}}`"
    if "dict" in kinds:
        inner = rules.get("valuesrules", {}).get("schema")
        likely = language().entries[inner].likely if isinstance(inner, str) else None
        return f"write `name: {f'{{{likely}: …}}' if likely else '…'}` for each instead of `- …`"
    return LIST_TO_TEXT if any(kind in SCALARS for kind in kinds) else ""


def _meant(value: object, entry: Entry) -> str | None:
    """The key of a construct that a bare value was probably meant for: the likely one, or the first that takes it."""
    if entry.likely and _could_be(value, entry.keys[entry.likely]):
        return entry.likely
    keys = entry.variants or tuple(entry.keys)
    return next((key for key in keys if _could_be(value, entry.keys[key], FREE)), None)


def _could_be(value: object, rules: Rules, but: Iterable[str] = ()) -> bool:
    kinds = [kind for kind in rules["type"] if kind not in but]
    if not isinstance(value, list):
        return any(fits(kind, value) for kind in kinds)
    inner = rules.get("schema")
    items = inner["type"] if isinstance(inner, dict) else []
    return "list" in kinds and bool(items) and all(any(fits(kind, item) for kind in items) for item in value)


def _sample(rules: Rules) -> str:
    """A value that rules take, where one says enough."""
    found: Iterator[str] = (SCALARS[kind].good[0] for kind in rules["type"] if kind in SCALARS and kind not in FREE)
    return next(found, "…")
