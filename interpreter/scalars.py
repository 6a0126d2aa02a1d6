"""Know the kinds of single values that rule files hold: how each is written, and its usual slips."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from interpreter.characters import describe, lookalikes


@dataclass(frozen=True, slots=True)
class Repair:
    """A usual slip: where it shows, what was meant, and why it is refused."""

    slip: re.Pattern[str]
    meant: str | Callable[[re.Match[str]], str]
    reason: str


@dataclass(frozen=True, slots=True)
class Advice:
    """Help with a refused text: a sentence, and the characters that it is about."""

    hint: str = ""
    offset: int = 0
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """One kind of single value; `about` is what it is in words, the groups of `pattern` are its parts."""

    about: str
    pattern: re.Pattern[str]
    good: tuple[str, ...]
    bad: tuple[str, ...]
    convert: Callable[[str], int | bool | str] = str
    repairs: tuple[Repair, ...] = ()

    def accepts(self, text: str) -> bool:
        return self.pattern.fullmatch(text) is not None

    def parts(self, text: str) -> tuple[str | None, ...]:
        """What the groups of the pattern hold in `text`, which must be accepted."""
        match = self.pattern.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not {self.about}")
        return match.groups()

    def advise(self, text: str) -> Advice:
        """What is wrong with a refused text, and how it is written if that can be guessed."""
        repaired, first = self._repaired(text)
        if first is None:
            return Advice()
        hint = f"{first.hint}; write `{repaired}`" if self.accepts(repaired) else first.hint
        return Advice(hint, first.offset, first.length)

    def mended(self, text: str) -> str | None:
        """The text as it is written here, if that can be guessed."""
        repaired, _ = self._repaired(text)
        return repaired if self.accepts(repaired) else None

    def _repaired(self, text: str) -> tuple[str, Advice | None]:
        """With the usual slips mended, and the first of them."""
        repaired, first = _without_lookalikes(text)
        for repair in self.repairs:
            match = repair.slip.search(repaired)
            if match is None or self.accepts(repaired):
                continue
            first = first or Advice(repair.reason, match.start(), max(1, match.end() - match.start()))
            repaired = repair.slip.sub(repair.meant, repaired)
        return repaired, first

    def editor(self) -> dict[str, Any]:
        """The JSON Schema of what an editor's YAML reader makes of it, which knows numbers and booleans."""
        forms = [form for form, sample in _EDITOR_FORMS.items() if self.accepts(sample)]
        fragment: dict[str, Any] = {"type": ["string", *forms] if forms else "string"}
        if self.pattern is not _ANYTHING:
            fragment["pattern"] = f"^(?:{self.pattern.pattern})$"
        return fragment


# What an editor's YAML reader may make of an unquoted text beside a text, and one of which it makes that.
_EDITOR_FORMS = {"integer": "5", "number": "1.5", "boolean": "true"}


def _without_lookalikes(text: str) -> tuple[str, Advice | None]:
    """`text` with plain characters for those that look like them, and a word on the first of them."""
    found = lookalikes(text)
    if not found:
        return text, None
    letters = list(text)
    for offset, _, meant in found:
        letters[offset] = meant
    offset, char, _ = found[0]
    shown = f"`{char}` is " if char.isprintable() and not char.isspace() else "there is a "
    return "".join(letters).strip(), Advice(f"{shown}{describe(char)}", offset, 1)


def _repair(slip: str, meant: str | Callable[[re.Match[str]], str], reason: str) -> Repair:
    return Repair(re.compile(slip), meant, reason)


def _written_out(match: re.Match[str]) -> str:
    return str(int(match[1]) * 10 ** int(match[2]))


def _plain_letters(match: re.Match[str]) -> str:
    """ASCII letters for accented ones and for ligatures; anything else goes."""
    letters = unicodedata.normalize("NFKD", match[0].translate(_LIGATURES))
    return "".join(letter for letter in letters if letter.isascii())


_LIGATURES = str.maketrans({"œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ß": "ss", "ø": "o", "Ø": "O", "ł": "l"})

# Words that no name may be: they mean something in expressions.
RESERVED = (
    *("and", "each", "else", "false", "for", "given", "if", "in", "is", "item", "key", "lambda", "none", "not", "or"),
    "true",
)

_NUMBERS = (
    _repair(r"[,;]$", "", "no comma stands at the end of a line"),
    _repair(r"(?<=[0-9])[ _'](?=[0-9]{3}(?![0-9]))", "", "a number is written without separators"),
    _repair(r"(?<=[0-9])_(?=[0-9])", "", "a number is written without separators"),
    _repair(r"\b([0-9]{1,9})[eE]\+?([0-9]{1,2})\b", _written_out, "a number is written out in full"),
    _repair(
        r"\b0[xX][0-9a-fA-F]{1,9}\b", lambda match: str(int(match[0], 16)), "a number is written in decimal digits"
    ),
    _repair(r"\b0[oO][0-7]{1,9}\b", lambda match: str(int(match[0], 8)), "a number is written in decimal digits"),
    _repair(r"(?<![0-9.])0+(?=[0-9])|(?<=\.\.)0+(?=[0-9])", "", "a number has no leading zeros"),
    _repair(r"(?<![0-9.])([0-9]+)\.0+(?![0-9.])", r"\1", "a whole number has no decimal point"),
    _repair(r"(?<![0-9])(?<![0-9]\.)[0-9]+[.,][0-9]+(?![0-9.])", r"\g<0>", "only whole numbers are possible here"),
    _repair(r"^\+(?=[0-9])", "", "a number has no plus sign"),
)
_RANGES = (
    *_NUMBERS,
    _repair(r"\.{3,}", "..", "a range has two dots between its ends"),
    _repair(r"(?<=[0-9]) *(?:-|to|à|a|et|and|:|,|;|/) *(?=-?[0-9])", "..", "a range has two dots between its ends"),
    _repair(r"^([0-9]+)\+$", r"\1..", "a range has two dots between its ends"),
)
_NAMES = (
    _repair(r"[^\x00-\x7f]+", _plain_letters, "an id is plain ASCII; its label carries the accents"),
    _repair(r"[^A-Za-z0-9_]+", "_", "an id has only letters, digits and `_`"),
    _repair(r"[A-Z]+", lambda match: match[0].lower(), "an id is written in small letters"),
    _repair(r"^(?=[0-9])", "n", "an id begins with a letter"),
    _repair(r"^_+(?=[a-z])", "", "an id begins with a letter"),
    _repair(rf"^(?:{'|'.join(RESERVED)})$", r"\g<0>_value", "this word has a meaning of its own in expressions"),
)

_ANYTHING = re.compile(r"[\s\S]*")
_INTEGER = r"-?(?:0|[1-9][0-9]{0,17})"
_NATURAL = r"(?:0|[1-9][0-9]{0,8})"
_WORD = r"[a-z][a-z0-9_]*"
_IDENTIFIER = rf"(?!(?:{'|'.join(RESERVED)})(?![a-z0-9_])){_WORD}"
_SYMBOL = r"[A-Za-z][A-Za-z0-9_]*"
# A sum of numbers, or what no number can be: with a letter or a parenthesis, and not beginning like 1_000, 1e3, 0x1.
_NAMED = r"(?=[^.]*[A-Za-z(])(?![0-9]+[_A-Za-z])(?:(?!\.\.).)+"
_COMPUTED = rf"{_INTEGER}(?: *[-+*/%]+ *{_INTEGER})+|{_NAMED}"
_END = rf"{_INTEGER}|{_COMPUTED}"
_AMOUNT = rf"(?:{_NATURAL}|{_NAMED})"
_DICE = r"([1-9][0-9]{0,3})?d([1-9][0-9]{0,3})(?: *([-+]) *([0-9]{1,6}))?"

SCALARS: Mapping[str, Scalar] = {
    "text": Scalar(
        "a text",
        _ANYTHING,
        good=("Core rules, l. 12", "", "no", "12"),
        bad=(),
    ),
    "label": Scalar(
        "a text for people",
        re.compile(r"[\s\S]*\S[\s\S]*"),
        good=("Épée du Vent", "12"),
        bad=("", " "),
    ),
    "flag": Scalar(
        "`true` or `false`",
        re.compile(r"([Tt][Rr][Uu][Ee]|[Yy][Ee][Ss])|[Ff][Aa][Ll][Ss][Ee]|[Nn][Oo]"),
        good=("true", "False", "yes", "NO"),
        bad=("on", "off", "oui", "1", "y", ""),
        convert=lambda text: text.lower() in ("true", "yes"),
        repairs=(
            _repair(r"^(?:[Oo][Nn]|[Oo]ui|[Yy]|1|[Vv]rai)$", "true", "a yes or no is written in one way only"),
            _repair(r"^(?:[Oo][Ff][Ff]|[Nn]on|[Nn]|0|[Ff]aux)$", "false", "a yes or no is written in one way only"),
        ),
    ),
    "integer": Scalar(
        "a whole number such as `3` or `-2`",
        re.compile(_INTEGER),
        good=("0", "12", "-3"),
        bad=("1_000", "01", "1e3", "\u22121", "1\u00a0000", "1.0", "1.5", "+3", "0x1F", "three", "", "\uff19"),
        convert=int,
        repairs=_NUMBERS,
    ),
    "language": Scalar(
        "a language code such as `fr` or `pt-BR`",
        re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"),
        good=("fr", "en", "pt-BR", "zh-Hant-TW"),
        bad=("français", "FR", "fr_FR", "e", ""),
        repairs=(
            _repair(r"(?<=[A-Za-z])_(?=[A-Za-z])", "-", "the parts of a language code are joined by a hyphen"),
            _repair(r"^[A-Z]{2,3}(?![A-Za-z])", lambda match: match[0].lower(), "a language code has small letters"),
        ),
    ),
    "identifier": Scalar(
        "an id (small letters, digits and `_`, no keyword) such as `cold_blood`",
        re.compile(_IDENTIFIER),
        good=("body", "cold_blood", "d6_blue", "or_", "self"),
        bad=("énergie", "Body", "cold-blood", "2d6", "or", "lambda", "item", "none", "_x", "b\u043edy", ""),
        repairs=_NAMES,
    ),
    "symbol": Scalar(
        "a symbol of letters, digits and `_`, such as `S`",
        re.compile(_SYMBOL),
        good=("S", "success", "Triumph_2"),
        bad=("é", "_", "2S", "S A", ""),
        repairs=(_NAMES[0], _NAMES[1]),
    ),
    "expression": Scalar(
        "an expression such as `self.strength + 2`",
        re.compile(r"[\s\S]*\S[\s\S]*"),
        good=("self.strength + 2", "5", "roll.successes >= 2 and not fast"),
        bad=("", "  "),
    ),
    "range": Scalar(
        "a range such as `0..6`, `1..` or `0..self.strength`",
        re.compile(rf"(?=.*[^. ])({_END})? ?\.\. ?({_END})?"),
        good=("0..6", "-2..2", "1..", "..6", "1..self.reserves.calm", "0..max(1, self.strength)", "0..2 * 3"),
        bad=("6", "..", "0-6", "0...6", "0..1_000", "01..06", "\u22122..2", "1 to 6", "0..1.5", ""),
        repairs=(*_RANGES, _repair(r"^([0-9]+)$", r"0..\1", "a range has two ends")),
    ),
    "count": Scalar(
        "a count such as `4`, `0..2` or `1..`",
        re.compile(rf"{_NATURAL}|({_NATURAL})\.\.({_NATURAL})?"),
        good=("4", "0", "0..2", "1.."),
        bad=("-1", "2+", "0-2", "many", "..", "01", ""),
        repairs=_RANGES,
    ),
    "how_many": Scalar(
        "how many: `2`, `0..2`, `1..self.hold`, or an expression",
        re.compile(rf"(?=.*[^. ])({_AMOUNT})? ?\.\. ?({_AMOUNT})?|{_AMOUNT}"),
        good=("4", "0", "0..2", "1..", "2 if strong else 1", "1..self.hold", "..max(1, left)", "1 + extra"),
        bad=("-1", "2+", "0-2", "01", "..", "1.5", ""),
        repairs=_RANGES,
    ),
    "dice": Scalar(
        "dice such as `2d6`, `d20` or `1d6 + 6`",
        re.compile(_DICE),
        good=("2d6", "d20", "1d6 + 6", "3d6 - 2", "1d6+1"),
        bad=("2D6", "2w6", "d%", "2d6 + 1d8", "2d06", "1d6 \u2212 2", "six", "0d6", ""),
        repairs=(
            _repair(r"(?<=[0-9])[DwW](?=[0-9])|^[DwW](?=[0-9])", "d", "dice are written with a small `d`"),
            _repair(r"d%", "d100", "a die is named by its number of faces"),
            _repair(r"(?<=d)0+(?=[1-9])", "", "a number has no leading zeros"),
            _repair(r"[,;]$", "", "no comma stands at the end of a line"),
            _repair(
                r"(?<=[0-9]) *\+ *[0-9]*d[0-9]+",
                r"\g<0>",
                "give each kind of dice a name of its own: `roll: {one: 2d6, other: 1d8}`",
            ),
            _repair(
                r"(?<=[0-9]) *[-+] *[a-z_(].*",
                r"\g<0>",
                "a roll throws dice; add the rest where its sum is used: `let: {total: throw + self.skill}`",
            ),
            _repair(
                r"(?<=[0-9])(?:[kdre!]|adv|dis| *(?:keep|drop|reroll|explod|best|worst|highest|lowest))[a-z0-9<>=! ]*$",
                r"\g<0>",
                "what happens to fallen dice is written in `do`: `{dice: 4, die: d6, do: [{keep: {highest: 3}}]}`",
            ),
            _repair(
                r"^[(a-z_][^ ]* *\)?d[0-9]+",
                r"\g<0>",
                "a pool of a computed size is written `{dice: self.skill, die: d6}`",
            ),
        ),
    ),
    "start": Scalar(
        "a number, `max`, an expression, or dice such as `2d6 + 12`",
        re.compile(rf"{_INTEGER}|{_DICE}|{_COMPUTED}"),
        good=("0", "-3", "max", "2d6 + 12", "d20", "self.body + 6", "10 - 4"),
        bad=("1_000", "012", "\u22121", "1.5", "0..6", ""),
        repairs=_NUMBERS,
    ),
    "dice_faces": Scalar(
        "the faces of a die such as `0..9`",
        re.compile(rf"({_INTEGER})\.\.({_INTEGER})"),
        good=("0..9", "1..6", "-1..1"),
        bad=("6", "1-6", "1..", "d12", "1...6", ""),
        repairs=(
            *_RANGES,
            _repair(r"^d?([1-9][0-9]{0,3})$", r"1..\1", "a die is given by its lowest and its highest face"),
        ),
    ),
    "target": Scalar(
        "a gauge or field such as `self.life` or `self.reserves[which]`",
        re.compile(rf"{_WORD}(?:\[(?:[^\[\]]|\[[^\[\]]*\])+\])*(?:\.{_WORD}(?:\[(?:[^\[\]]|\[[^\[\]]*\])+\])*)+"),
        good=("self.life", "self.reserves[which]", "self.reserves[choice[e]]", "e.mood", "pack.bond", "a.self.hp"),
        bad=("life", "self.", "self..hp", "self.hp + 1", "self.énergie", "self.reserves[]", ""),
        repairs=(
            _repair(r"[^\x00-\x7f]+", _plain_letters, "an id is plain ASCII"),
            _repair(r"^[a-z][a-z0-9_]*$", r"self.\g<0>", "the sheet must be named too"),
            _repair(r"\.{2,}", ".", "one dot stands between two names"),
        ),
    ),
    "loop": Scalar(
        "`name in list`, such as `e in enemies`",
        re.compile(rf"({_IDENTIFIER}) +in +(\S.*)"),
        good=("e in enemies", "r in pack.members.relations", "x in [a, b]"),
        bad=("enemies", "e dans enemies", "for e in enemies", "e in", "É in enemies", "item in enemies", ""),
        repairs=(
            _repair(r"^for +", "", "the word `for` is not written"),
            _repair(r"^[a-z][a-z0-9_.]*$", r"x in \g<0>", "a loop names each thing that it takes"),
            _repair(r"^([a-z][a-z0-9_]*) (?:dans|of|from) ", r"\1 in ", "the word is `in`"),
        ),
    ),
    "face_range": Scalar(
        "a face or faces such as `12`, `7..11`, `7..` or the id of a face",
        re.compile(rf"({_INTEGER})|({_INTEGER})\.\.({_INTEGER})?|\.\.({_INTEGER})|({_SYMBOL})"),
        good=("12", "7..11", "7..", "..3", "-1", "S", "skull"),
        bad=("7-11", "7...11", "..", "S A", "07", "crâne", ""),
        repairs=(*_RANGES, *_NAMES[:2]),
    ),
    "table_key": Scalar(
        "an id, a number, or a range such as `01-40`, `10..` or `10+`",
        re.compile(
            rf"{_IDENTIFIER}|-?[0-9]{{1,9}}|[0-9]{{1,9}}-[0-9]{{1,9}}|[0-9]{{1,9}}\+"
            r"|-?[0-9]{1,9}\.\.(?:-?[0-9]{1,9})?|\.\.-?[0-9]{1,9}"
        ),
        good=("very_easy", "00", "7", "-2", "01-40", "10..", "..3", "10+", "2..3", "-3..-1"),
        bad=("très_facile", "01\u201340", "41 - 60", "10 and more", "Easy", "lambda", ""),
        repairs=(_repair(r"(?<=[0-9]) *- *(?=[0-9])", "-", "a range is written without spaces"), *_NAMES),
    ),
    "rule_number": Scalar(
        "a rule number such as `D01` or `A-D2`",
        re.compile(r"[A-Z]+(?:-[A-Z]+)*[0-9]+[a-z]?"),
        good=("D01", "TD17", "R05", "A-D2", "C39"),
        bad=("d01", "D 01", "17", "TM15, TM17", ""),
        repairs=(
            _repair(r"^[a-z-]+(?= ?[0-9])", lambda match: match[0].upper(), "a rule number has capital letters"),
            _repair(r"(?<=[A-Z]) +(?=[0-9])", "", "a rule number has no space"),
        ),
    ),
    "column_type": Scalar(
        "`text`, `label`, `number`, `flag`, or the keys of a table or stat such as `table.domains`",
        re.compile(rf"text|label|number|flag|{_WORD}\.{_WORD}"),
        good=("text", "label", "number", "flag", "table.domains", "hero.reserves"),
        bad=("int", "integer", "string", "bool", "tables.x.y", ""),
        repairs=(
            _repair(r"^(?:int|integer)$", "number", "a column holds one of these kinds"),
            _repair(r"^(?:bool|boolean|yes|no)$", "flag", "a column holds one of these kinds"),
            _repair(r"^(?:str|string)$", "text", "a column holds one of these kinds"),
        ),
    ),
}
