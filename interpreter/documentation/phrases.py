"""What the pages say of their own, in each language that they speak; English stands in for the others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

from interpreter.documentation import english, french
from interpreter.documentation.blocks import Inline, Span, merged

Value = Inline | str | int


def say(language: str, what: str, /, **values: Value) -> Inline:
    """A phrase with its values put in."""
    own = language.partition("-")[0]
    phrases = PHRASES.get(own, PHRASES["en"])
    spans: list[Span] = []
    for text, name, _, _ in Formatter().parse(_spaced(own, phrases[what])):
        spans.append(text)
        if name is not None:
            spans += _spans(values[name])
    return merged(_elided(own, spans))


def _spans(value: Value) -> Inline:
    return value if isinstance(value, tuple) else (str(value),)


def _spaced(language: str, text: str) -> str:
    """French puts a no-break space before high signs and within its quotation marks."""
    if language != "fr":
        return text
    return re.sub(r" (?=[:»])|(?<=«) ", "\u00a0", re.sub(r" (?=[;!?])", "\u202f", text))


def _elided(language: str, spans: list[Span]) -> list[Span]:
    """French writes « s’il » for « si il »."""
    if language != "fr":
        return spans
    found: list[Span] = []
    for span in spans:
        if isinstance(span, str) and span.startswith("il ") and found and isinstance(found[-1], str):
            found[-1] = re.sub(r"\b([Ss])i $", r"\1’", found[-1])
        found.append(span)
    return found


PHRASES: Mapping[str, Mapping[str, str]] = {"en": english.PHRASES, "fr": french.PHRASES}
