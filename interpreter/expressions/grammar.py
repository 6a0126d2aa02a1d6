"""Check that values and operators follow one another as they must, and say plainly where they do not.

    expression  = value { operator value }
    value       = { "-" | "+" | "not" } ( number | text | "true" | "false" | path | call | "(" expression ")" )
    path        = name { "." name | "[" expression "]" }
    call        = function "(" [ expression { "," expression } ] ")"
    operator    = "+" | "-" | "*" | "/" | "//" | "%" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "is" | "is not"
                | "in" | "not in" | "and" | "or" | "if" expression "else"
    after in    = value | "[" expression { "," expression } "]"

Python's own parser builds the tree afterwards; its messages are for programmers, so it is never given a faulty text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .faults import Fault, listed, quoted
from .lexer import Kind, Token

# How many brackets may stand open at once, and how many signs such as - may stand before one value.
DEEPEST_BRACKETS = 40
MOST_PREFIXES = 10

_OPERATORS = frozenset(("+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "is", "in", "and", "or"))
# After these, and at the beginning of anything, `not` needs no brackets.
_BEFORE_NOT = frozenset(("(", "[", ",", "and", "or", "not", "if", "else", ""))
_CLOSERS = {"(": ")", "[": "]"}
# How the words of the language are also written: in capitals, in French, as elsewhere.
_WORD_SLIPS = {
    slip: word
    for word, slips in (
        ("and", ("AND", "ET")),
        ("or", ("OR", "OU")),
        ("not", ("NOT", "NON")),
        ("if", ("IF", "SI", "THEN", "ALORS")),
        ("else", ("ELSE", "SINON")),
        ("is", ("IS", "EST")),
        ("in", ("IN", "DANS")),
        ("%", ("MOD", "MODULO")),
        ("*", ("FOIS", "TIMES")),
        ("+", ("PLUS",)),
        ("-", ("MOINS", "MINUS")),
    )
    for slip in slips
}
_CONDITIONAL = "Write: value if condition else other."


@dataclass(slots=True)
class Bracket:
    """An open bracket: what it does (group, call, index or list), and the ifs in it that wait for their else."""

    token: Token | None
    role: str
    ifs: list[Token] = field(default_factory=list)


class Reader:
    """Reads the tokens in order; each handler takes one and leaves the reader before a value or after one."""

    def __init__(self, tokens: list[Token], length: int) -> None:
        self.tokens = tokens
        self.end = Token(Kind.SIGN, "", length, length)
        self.place = 0
        self.open = [Bracket(None, "whole")]
        self.prefixes = 0

    def fault(self) -> Fault | None:
        """The first fault, since what follows one is seldom one of its own."""
        handler: Callable[[Token], Fault | bool] = self.value
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            result = handler(token)
            if isinstance(result, Fault):
                return result
            self.place += 1
            handler = self.operator if result else self.value
        return self.missing(self.end) if handler == self.value else self.unfinished()

    def before(self, back: int = 1) -> str:
        return self.tokens[self.place - back].text if self.place >= back else ""

    def ahead(self, by: int = 1) -> Token:
        return self.tokens[self.place + by] if self.place + by < len(self.tokens) else self.end

    # Each of these says whether a value is now complete.

    def value(self, token: Token) -> Fault | bool:
        if token.kind in (Kind.NUMBER, Kind.TEXT, Kind.NAME):
            self.prefixes = 0
            return True
        if token.text in ("+", "-", "not"):
            return self.prefix(token)
        if token.text in _CLOSERS:
            return self.bracket(token, "group" if token.text == "(" else "list")
        if token.text == ")" and self.before() == "(" and self.open[-1].role == "call":
            return self.close(token)
        return self.missing(token)

    def prefix(self, token: Token) -> Fault | bool:
        self.prefixes += 1
        if self.prefixes > MOST_PREFIXES:
            return _at(token, "E0302", f"There are more than {MOST_PREFIXES} signs before one value.")
        if token.text == "not" and (self.before() not in _BEFORE_NOT or self.before(2) == "is"):
            return _at(token, "E0307", "`not` after an operator needs brackets.", "Write (not …).")
        return False

    def bracket(self, token: Token, role: str) -> Fault | bool:
        if len(self.open) > DEEPEST_BRACKETS:
            return _at(token, "E0302", f"More than {DEEPEST_BRACKETS} brackets are open here.", "Name some parts.")
        if role == "list" and self.before() != "in":
            return _at(token, "E0308", "A list [a, b] stands only after `in`.", "For instance: x in [a, b].")
        self.open.append(Bracket(token, role))
        self.prefixes = 0
        return False

    def missing(self, token: Token) -> Fault:
        """No value where one must stand."""
        before = self.before()
        if token.text in _CLOSERS.values() and self.open[-1].token is None:
            return _at(token, "E0306", f"This {quoted(token.text)} closes nothing.")
        if token.text == "if" and before in _BEFORE_NOT:
            return _at(token, "E0307", "A condition stands after its first value, not before it.", _CONDITIONAL)
        if token.text == "." and self.ahead().kind is Kind.NUMBER:
            return _at(token, "E0304", "A number begins with a digit.", f"Write 0.{self.ahead().text}.")
        if before == "%" and token is self.end:
            return _at(token, "E0307", "A value is missing after `%`.", "For a percentage, write 5 / 100.")
        if token is self.end and before in ("+", "-") and before == self.before(2):
            return _at(self.tokens[-1], "E0310", "An expression gives nothing a new value.", "A `change` step does.")
        after = f" after {quoted(before)}" if before else ""
        until = f", before {quoted(token.text)}" if token.text else ""
        return _at(token, "E0307", f"A value is missing{after}{until}.")

    def operator(self, token: Token) -> Fault | bool:
        handler = _AFTER_VALUE.get(token.text) if token.kind in (Kind.WORD, Kind.SIGN) else None
        if handler:
            return handler(self, token)
        if token.text in _OPERATORS and token.kind is not Kind.NAME:
            return False
        return self.beside(token)

    def beside(self, token: Token) -> Fault:
        """Two values with nothing between them."""
        before = self.tokens[self.place - 1]
        if before.kind is token.kind is Kind.NUMBER:
            return Fault("E0304", "Two numbers stand side by side.", before.start, token.end, "Write an operator.")
        for slip in (token, before):
            word = _WORD_SLIPS.get(slip.text.upper())
            if word and slip.kind is Kind.NAME:
                small = ", in small letters" if word == slip.text.lower() else ""
                hint = _CONDITIONAL if word in ("if", "else") else f"Write {quoted(word)}{small}."
                return _at(slip, "E0307", f"{quoted(slip.text)} is no operator.", hint)
        message = f"An operator is missing between {quoted(before.text)} and {quoted(token.text)}."
        hint = "A product is written with *." if Kind.NUMBER in (before.kind, token.kind) or token.text == "(" else ""
        if any(word.text == "//" for word in self.tokens[: self.place]):
            hint = "`//` divides; a comment begins with `#`, outside the expression."
        return _at(token, "E0307", message, hint)

    def negation(self, token: Token) -> Fault | bool:
        """`not in`; the second word of `is not` is the prefix of what follows."""
        if self.ahead().text != "in":
            return self.beside(token)
        self.place += 1
        return False

    def equality(self, token: Token) -> Fault | bool:
        if self.ahead().text == "not":
            self.place += 1
        return False

    def dot(self, token: Token) -> Fault | bool:
        before, after = self.tokens[self.place - 1], self.ahead()
        if before.kind is Kind.NUMBER:
            return _at(token, "E0304", "A number does not end with a point.", "Write 5 or 5.0.")
        if before.kind is Kind.TEXT:
            return _at(token, "E0308", "A text has no parts.")
        if after.kind is not Kind.NAME:
            shown = f", not {quoted(after.text)}" if after.text else ""
            return _at(after, "E0307", f"After a dot comes the name of a part{shown}.")
        self.place += 1
        return True

    def parenthesis(self, token: Token) -> Fault | bool:
        before = self.tokens[self.place - 1]
        if before.kind is not Kind.NAME:
            return self.beside(token)
        if self.before(2) == ".":
            message = f"Things have no functions of their own, such as {quoted(before.text)}."
            return _at(before, "E0308", message, "Write the function first: count(list), not list.count().")
        return self.bracket(token, "call")

    def index(self, token: Token) -> Fault | bool:
        if self.tokens[self.place - 1].kind in (Kind.NUMBER, Kind.TEXT):
            return self.beside(token)
        return self.bracket(token, "index")

    def comma(self, token: Token) -> Fault | bool:
        if self.open[-1].role in ("call", "list"):
            return self.unfinished() or False
        before, after = self.tokens[self.place - 1], self.ahead()
        hint = f"Write {before.text}.{after.text}." if before.kind is after.kind is Kind.NUMBER else ""
        return _at(token, "E0307", "A comma stands only between the values of a function or of a list.", hint)

    def condition(self, token: Token) -> Fault | bool:
        self.open[-1].ifs.append(token)
        return False

    def otherwise(self, token: Token) -> Fault | bool:
        if not self.open[-1].ifs:
            return _at(token, "E0307", "This `else` has no `if`.", _CONDITIONAL)
        self.open[-1].ifs.pop()
        return False

    def close(self, token: Token) -> Fault | bool:
        opener = self.open[-1].token
        if opener is None:
            return _at(token, "E0306", f"This {quoted(token.text)} closes nothing.")
        if _CLOSERS[opener.text] != token.text:
            message = f"{quoted(opener.text)} is closed by {quoted(token.text)}."
            return _at(token, "E0306", message, f"Write {quoted(_CLOSERS[opener.text])}.")
        waiting = self.waiting()
        self.open.pop()
        return waiting or True

    def waiting(self) -> Fault | None:
        """An `if` without its `else`."""
        ifs = self.open[-1].ifs
        return _at(ifs[-1], "E0307", "This `if` has no `else`.", _CONDITIONAL) if ifs else None

    def unfinished(self) -> Fault | None:
        """What is still open where an expression, or a value of a function or list, ends."""
        opener = self.open[-1].token
        if self.place >= len(self.tokens) and opener:
            closer = listed([_CLOSERS[opener.text]])
            return _at(opener, "E0306", f"This {quoted(opener.text)} is never closed.", f"Add {closer}.")
        return self.waiting()


_AFTER_VALUE: dict[str, Callable[[Reader, Token], Fault | bool]] = {
    "not": Reader.negation,
    "is": Reader.equality,
    ".": Reader.dot,
    "(": Reader.parenthesis,
    "[": Reader.index,
    ",": Reader.comma,
    "if": Reader.condition,
    "else": Reader.otherwise,
    ")": Reader.close,
    "]": Reader.close,
}


def first_fault(tokens: list[Token], length: int) -> Fault | None:
    """The first place where the tokens of a text `length` characters long are out of order."""
    return Reader(tokens, length).fault()


def _at(token: Token, code: str, message: str, hint: str = "") -> Fault:
    return Fault(code, message, token.start, token.end, hint)
