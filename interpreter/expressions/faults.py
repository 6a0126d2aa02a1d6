"""Say what is wrong inside one expression, and at which characters of its text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

# A broken text can be wrong at every character; nobody reads past the first few.
MOST_FAULTS = 10
# A quoted piece of an expression is shortened beyond this many characters.
LONGEST_QUOTE = 40

CODES = {
    "E0301": "the expression is empty",
    "E0302": "the expression is too long or too deeply nested",
    "E0303": "a sign that does not belong to the language",
    "E0304": "a number written in another way than 12 or 0.5",
    "E0305": "a text that is not closed, or holds something a text cannot",
    "E0306": "a bracket without its partner",
    "E0307": "a value or an operator is missing",
    "E0308": "something that Python has and this language has not",
    "E0309": "dice inside an expression",
    "E0310": "one = where a comparison is meant",
    "E0311": "a name that is unknown here",
    "E0312": "a part that the thing before the dot does not have",
    "E0313": "an id that is also a name",
    "E0314": "an id that its set does not have",
    "E0320": "a value of another sort than the place wants",
    "E0321": "an operator on values that it does not work on",
    "E0322": "a comparison of two different sorts of things",
    "E0323": "a number that may have a fraction where a whole one is wanted",
    "E0324": "a number that is always out of range",
    "E0325": "a division by something that may be zero",
    "E0326": "something that may be absent is read without a guard",
    "E0327": "a function that does not exist",
    "E0328": "a function with arguments that do not suit it",
    "E0340": "division by zero while the rules run",
    "E0341": "a number too large while the rules run",
    "E0342": "a value of the wrong sort while the rules run",
    "E0343": "no case for a value while the rules run",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault at characters `start` to `end` (not included) of an expression's text."""

    code: str
    message: str
    start: int
    end: int
    hint: str = ""


def gathered(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """The faults in order of place: without repeats, a run of the same one joined, and never too many."""
    kept: list[Fault] = []
    for fault in sorted(dict.fromkeys(faults), key=lambda fault: (fault.start, fault.end, fault.code, fault.message)):
        last = kept[-1] if kept else None
        if last and last.end == fault.start and (last.code, last.message) == (fault.code, fault.message):
            kept[-1] = Fault(last.code, last.message, last.start, fault.end, last.hint)
        else:
            kept.append(fault)
    return tuple(kept[:MOST_FAULTS])


def quoted(text: str) -> str:
    """A piece of an expression as shown in a message: on one line, printable and short."""
    flat = "".join(letter if letter.isprintable() else _visible(letter) for letter in " ".join(text.split()))
    return f"`{flat if len(flat) <= LONGEST_QUOTE else flat[: LONGEST_QUOTE - 1] + '…'}`"


def character(letter: str) -> str:
    """One character by its look, where it has one, and its number and name."""
    number = f"U+{ord(letter):04X} {unicodedata.name(letter, '')}".rstrip()
    return f"`{letter}` ({number})" if letter.isprintable() and not letter.isspace() else number


def listed(words: Iterable[str], joint: str = "or") -> str:
    """`a`, `b` or `c`: names in a sentence."""
    shown = [f"`{word}`" for word in words]
    return f" {joint} ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def _visible(letter: str) -> str:
    return " " if letter.isspace() else f"<U+{ord(letter):04X}>"
