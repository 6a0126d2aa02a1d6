"""Cut an expression into words and signs, and refuse, with what to write instead, every sign that is not ours.

After this only plain tokens are left, so that nothing surprising in Python's own grammar is ever reached.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from .faults import Fault, character, quoted

# Literals stay below this, like every value while the rules run.
LARGEST = 10**12
MOST_DIGITS = 12


class Kind(StrEnum):
    NUMBER = "number"
    TEXT = "text"
    NAME = "name"
    WORD = "word"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    start: int
    end: int


WORDS = frozenset(("and", "or", "not", "if", "else", "is", "in"))
FLAGS = {"true": True, "false": False}

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BLANK = re.compile(r"[ \t\r\n]+")
_NUMBER = re.compile(r"[0-9]{1,3}(?:[ \u00A0\u202F][0-9]{3})+(?![\w.])|[0-9]\w*(?:\.[0-9]\w*)*")
_TEXT = re.compile(r"'[^'\r\n]*'|\"[^\"\r\n]*\"")
_SIGN = re.compile(r"==|!=|<=|>=|//|[-+*/%<>()\[\],.]")
_TEXT_PREFIXES = frozenset(("f", "r", "b", "u", "fr", "rf", "br", "rb"))

# What people write for one of our signs or words, longest first within the same beginning: code, message, hint.
_POWER = ("E0308", "There are no powers.", "Write the product out: x * x.")
_SHIFT = ("E0308", "There are no shifts of bits.", "Write a product or a division: x * 2, x // 2.")
_BITS = ("E0308", "There are no operations on bits.", "")
_ASSIGN = ("E0310", "An expression gives nothing a new value.", "A `let` or `set` step does; to compare, write ==.")
_COLON = ("E0308", "A colon has no place in an expression.", "A range is two comparisons: 1 <= x <= 6.")
_RANGE = ("E0308", "A range has no place in an expression.", "Write two comparisons: 1 <= x <= 6.")
_SLIPS: dict[str, tuple[str, str, str]] = {
    "===": ("E0303", "`===` is written `==`.", ""),
    "!==": ("E0303", "`!==` is written `!=`.", ""),
    "**": _POWER,
    "<<": _SHIFT,
    ">>": _SHIFT,
    "&&": ("E0303", "`&&` is written `and`.", ""),
    "||": ("E0303", "`||` is written `or`.", ""),
    "<>": ("E0303", "`<>` is written `!=`.", ""),
    "=<": ("E0303", "`=<` is written `<=`.", ""),
    "=>": ("E0303", "`=>` is written `>=`.", ""),
    ":=": _ASSIGN,
    "+=": _ASSIGN,
    "-=": _ASSIGN,
    "*=": _ASSIGN,
    "/=": _ASSIGN,
    "...": _RANGE,
    "..": _RANGE,
    "->": ("E0308", "An arrow has no place in an expression.", ""),
    "=": ("E0310", "A single = compares nothing.", "Write == to compare."),
    "!": ("E0303", "`!` is written `not`.", ""),
    "&": ("E0308", _BITS[1], "For two conditions, write `and`."),
    "|": ("E0308", _BITS[1], "For two conditions, write `or`."),
    "^": ("E0308", "There are no powers.", "Write the product out: x * x."),
    "~": ("E0308", _BITS[1], "For the contrary of a condition, write `not`."),
    "?": ("E0308", "A question mark has no place in an expression.", "A choice is written: a if condition else b."),
    ":": _COLON,
    ";": ("E0308", "A semicolon has no place in an expression.", "One expression is one value."),
    "#": ("E0308", "A comment has no place in an expression.", "Put it on a line of its own, outside the expression."),
    "@": ("E0308", "`@` has no place in an expression.", ""),
    "{": ("E0308", "Braces have no place in an expression.", "A list of alternatives is written [a, b]."),
    "}": ("E0308", "Braces have no place in an expression.", "A list of alternatives is written [a, b]."),
    "\\": ("E0308", "A backslash has no place in an expression.", "A line may simply be broken."),
    "`": ("E0303", "A text stands between ' or \".", ""),
    "'": ("E0305", "This text is not closed.", "Close it with the same quotation mark, on the same line."),
    '"': ("E0305", "This text is not closed.", "Close it with the same quotation mark, on the same line."),
}
_SLIP = re.compile("|".join(re.escape(slip) for slip in sorted(_SLIPS, key=len, reverse=True)))

_TYPOGRAPHY = (
    {"≥": ">=", "⩾": ">=", "≤": "<=", "⩽": "<=", "≠": "!=", "×": "*", "·": "*", "÷": "/", "∕": "/", "⁄": "/"}
    | dict.fromkeys("−–—‐‑‒", "-")
    | dict.fromkeys("‘’‚‛′", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | {"…": "..", "½": "1/2", "¼": "1/4", "¾": "3/4", "∧": "and", "∨": "or", "¬": "not", "∈": "in"}
    | dict(zip("(),+=<>", "(),+=<>", strict=True))
)

_SAID_OF_WORDS = {
    "lambda": ("There are no lambda functions.", "The functions of the language are in its manual."),
    "for": ("A list needs no `for` here.", "Write count(list, condition on item), and so sum, any, all, first."),
    "None": ("There is no `None`.", "Ask given(x) whether x is there."),
    "True": ("`True` is written `true`.", ""),
    "False": ("`False` is written `false`.", ""),
}
# No id, input or value can have one of these names; other words of Python, such as `raise`, are names like any.
RESERVED = WORDS | FLAGS.keys() | _SAID_OF_WORDS.keys()


def tokens(text: str) -> tuple[list[Token], list[Fault]]:
    """Every token of `text` with its place; what is no token becomes a fault."""
    found: list[Token] = []
    faults: list[Fault] = []
    place = 0
    while place < len(text):
        blank = _BLANK.match(text, place)
        if blank:
            place = blank.end()
            continue
        token = _plain(text, place)
        if token:
            found.append(token)
            fault = _objection(text, token)
            place = token.end
        else:
            fault = _slip(text, place)
            # After a text that is not closed, nothing is what it seems.
            place = fault.end if fault.code != "E0305" else len(text)
        if fault:
            faults.append(fault)
    return found, faults


def _plain(text: str, place: int) -> Token | None:
    """The token that begins at `place`, if one does."""
    end = _name_end(text, place)
    if end > place:
        word = unicodedata.normalize("NFC", text[place:end])
        return Token(Kind.WORD if word in WORDS else Kind.NAME, word, place, end)
    for kind, pattern in ((Kind.NUMBER, _NUMBER), (Kind.TEXT, _TEXT), (Kind.SIGN, _SIGN)):
        match = pattern.match(text, place)
        if match:
            # A sign such as < is ours only when it does not begin a longer one that is not, such as <<.
            slip = _SLIP.match(text, place) if kind is Kind.SIGN else None
            return None if slip and slip.end() > match.end() else Token(kind, match.group(), place, match.end())
    return None


def _name_end(text: str, place: int) -> int:
    """Where the name that begins at `place` ends; combining accents belong to it."""
    plain = _PLAIN_NAME.match(text, place)
    end = plain.end() if plain else place
    while end < len(text) and ("a" + text[end] if end > place else text[end]).isidentifier():
        if text[end] in _TYPOGRAPHY:
            break
        end += 1
    return end


def _slip(text: str, place: int) -> Fault:
    """What to say of a sign that is not ours."""
    match = _SLIP.match(text, place)
    if match:
        code, message, hint = _SLIPS[match.group()]
        end = match.end() if code != "E0305" else place + len(text[place:].splitlines()[0])
        return Fault(code, message, place, end, hint)
    letter = text[place]
    if letter in _TYPOGRAPHY:
        return Fault("E0303", f"{character(letter)} is written `{_TYPOGRAPHY[letter]}`.", place, place + 1)
    if letter.isspace() or unicodedata.category(letter) == "Cf":
        message = f"This is not a plain space but {character(letter)}."
        return Fault("E0303", message, place, place + 1, "Type a plain space.")
    return Fault("E0303", f"{character(letter)} has no place in an expression.", place, place + 1)


def _objection(text: str, token: Token) -> Fault | None:
    """What is wrong with a token that is otherwise in its place."""
    if token.kind is Kind.NUMBER:
        return _number_objection(token)
    if token.kind is Kind.TEXT:
        return _text_objection(token)
    if token.kind is not Kind.NAME:
        return None
    if token.text.lower() in _TEXT_PREFIXES and text[token.end : token.end + 1] in ("'", '"'):
        return Fault("E0308", "A text has no letter before its quotation mark.", token.start, token.end, "Drop it.")
    if token.text in _SAID_OF_WORDS:
        message, hint = _SAID_OF_WORDS[token.text]
        return Fault("E0308", message, token.start, token.end, hint)
    return None


def _number_objection(token: Token) -> Fault | None:
    text = token.text
    if re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", text):
        whole, _, decimals = text.partition(".")
        fits = len(whole) <= MOST_DIGITS + 1 and int(whole) <= LARGEST and len(decimals) <= MOST_DIGITS
        return None if fits else _number_fault(token, "This number is too large or too fine.", "")
    for pattern, code, message, hint in _NUMBER_SLIPS:
        if re.fullmatch(pattern, text):
            digits = re.split(r"\D+", text, maxsplit=1)[0]
            return Fault(code, message.format(text), token.start, token.end, hint.format(digits))
    return _number_fault(token, f"{quoted(text)} is neither a number nor a name.", "A name begins with a letter.")


_NUMBER_SLIPS = (
    (
        r"[0-9]+[dD]([0-9]+|[fF])",
        "E0309",
        "`{}` is dice, and dice are thrown by a roll step.",
        "Throw them there, for instance roll: {{throw: 2d6}}, and use the roll's name here.",
    ),
    (r"[0-9]+\s.*", "E0304", "A number has no spaces.", "Write its digits together: 1000."),
    (r"0[0-9]+", "E0304", "A number does not begin with 0.", "Write it without its zeros."),
    (r"[0-9_]+(\.[0-9_]+)?", "E0304", "A number has no underscores.", "Write its digits together: 1000."),
    (r"[0-9.]+[eE][0-9]*", "E0304", "A number is not written with an exponent.", "Write it out: 1000."),
    (r"0[xXoObB]\w*", "E0304", "A number is written in base ten.", ""),
    (r"[0-9.]+", "E0304", "A number has one decimal point at most.", "For instance 0.5."),
    (r"[0-9]+[^\W\d_]\w*", "E0304", "`{}` is neither a number nor a name.", "For a product, write {0} * and the name."),
)


def _number_fault(token: Token, message: str, hint: str) -> Fault:
    return Fault("E0304", message, token.start, token.end, hint)


def _text_objection(token: Token) -> Fault | None:
    for offset, letter in enumerate(token.text):
        if letter == "\\" or unicodedata.category(letter) in ("Cc", "Cs"):
            place = token.start + offset
            return Fault("E0305", f"A text cannot hold {character(letter)}.", place, place + 1, "Leave it out.")
    return None
