"""Ways of spoiling one line of a rule file, as people do: each gives the new text and the lines that it touched."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
KEY = re.compile(r"(?:^|(?<=[{,\s]))([A-Za-z_][\w.]*):(?=\s|$)")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w])")
ENTRY = re.compile(r"[{,]\s*[\w.]+:\s*(?:[^{}\[\],\"']+|\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\")(?=\s*[,}])")
ITEM = re.compile(r"(?<=[\[,])\s*[^\[\],{}]+(?=[\],])")
OPERATOR = re.compile(r" (\+|-|\*|/|//|<=|>=|<|>|==|!=|and|or|in|is|not in) ")
DICE = re.compile(r"\b\d*d\d+\b")
SCALAR = re.compile(r"(?<=: )[^\s{}\[\],#][^{}\[\],#]*(?=[,}\]]|$)")
QUOTE = re.compile(r"[\"']")
BRACKET = re.compile(r"[\[\]{}()]")

OPERATORS = ("+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or", "in", "is", "=", "**")
VALUES = ("true", "12", "-3", "abc", "[1, 2]", "{a: 1}", "''", "~", "1.5", "2d6", "0..6", "é", "x + 1", "9" * 20)
DICES = ("0d6", "2d0", "d", "2d", "9999999d6", "1d2147483648", "2d6d6", "-2d6", "d1", "6d2")
FOREIGN = ("−", "\u00a0", "“", "，", "\t", "：")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A spoilt text: what was done, the lines of the new text that it touched, and the words that came or went."""

    kind: str
    text: str
    lines: tuple[int, ...]
    words: frozenset[str] = frozenset()


Change = Callable[[random.Random, list[str], int], "list[str] | None"]


def mutate(text: str, rng: random.Random) -> Mutant:
    """One mutant of a text; kinds that find nothing to do on a line make way for others."""
    lines = text.split("\n")
    while True:
        kind = rng.choice(tuple(KINDS))
        place = rng.randrange(len(lines))
        if not lines[place].strip() or lines[place].lstrip().startswith("#"):
            continue
        changed = KINDS[kind](rng, list(lines), place)
        if changed is not None and changed != lines:
            return Mutant(kind, "\n".join(changed), _touched(lines, changed, place), _words(lines, changed))


def _touched(before: list[str], after: list[str], place: int) -> tuple[int, ...]:
    """The lines of the new text where it differs, counted from 1."""
    found = {number for number, line in enumerate(after, 1) if number > len(before) or before[number - 1] != line}
    if len(before) != len(after):
        return (place + 1, place + 2)
    return tuple(sorted(found)) or (place + 1,)


def _words(before: list[str], after: list[str]) -> frozenset[str]:
    """Every word of the lines that differ."""
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    return frozenset(word for line in (*gone, *come) for word in re.findall(r"[A-Za-z_]\w*", line))


def _put(lines: list[str], place: int, start: int, end: int, text: str) -> list[str]:
    lines[place] = lines[place][:start] + text + lines[place][end:]
    return lines


def _one(pattern: re.Pattern[str], rng: random.Random, line: str) -> re.Match[str] | None:
    found = list(pattern.finditer(line))
    return rng.choice(found) if found else None


def _misspelt(rng: random.Random, word: str) -> str:
    place = rng.randrange(len(word) - 1)
    return rng.choice(
        (
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word + rng.choice("sexz"),
        )
    )


# ---------------------------------------------------------------------- lines


def delete_line(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    del lines[place]
    return lines


def double_line(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    lines.insert(place, lines[place])
    return lines


def swap_lines(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    if place + 1 >= len(lines):
        return None
    lines[place], lines[place + 1] = lines[place + 1], lines[place]
    return lines


def indent(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    by = rng.choice((-2, -1, 1, 2))
    if by > 0:
        lines[place] = " " * by + lines[place]
    elif lines[place].startswith(" " * -by):
        lines[place] = lines[place][-by:]
    else:
        return None
    return lines


def cut_off(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    """The rest of a line is lost."""
    if len(lines[place]) < 4:
        return None
    lines[place] = lines[place][: rng.randrange(2, len(lines[place]))]
    return lines


# ---------------------------------------------------------------------- keys


def rename_key(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(KEY, rng, lines[place])
    if found is None or len(found[1]) < 2:
        return None
    return _put(lines, place, found.start(1), found.end(1), _misspelt(rng, found[1]))


def delete_key(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    """The key goes and the value stays, or both go from a mapping in braces."""
    found = _one(ENTRY, rng, lines[place])
    if found is not None and rng.random() < 0.7:
        kept = found[0][0] if found[0][0] == "{" else ""
        new = _put(lines, place, found.start(), found.end(), kept)
        new[place] = re.sub(r"\{\s*,\s*", "{", new[place])
        return new
    key = _one(KEY, rng, lines[place])
    return None if key is None else _put(lines, place, key.start(), key.end(), "")


def double_key(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(ENTRY, rng, lines[place])
    if found is None:
        return None
    return _put(lines, place, found.end(), found.end(), ", " + found[0].lstrip("{, "))


# ---------------------------------------------------------------------- values


def rename_word(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(WORD, rng, lines[place])
    return None if found is None else _put(lines, place, found.start(), found.end(), _misspelt(rng, found[0]))


def other_word(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    """A word is put where another stood, from anywhere in the file."""
    found = _one(WORD, rng, lines[place])
    every = WORD.findall(lines[rng.randrange(len(lines))])
    if found is None or not every:
        return None
    return _put(lines, place, found.start(), found.end(), rng.choice(every))


def retype(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(SCALAR, rng, lines[place])
    return None if found is None else _put(lines, place, found.start(), found.end(), rng.choice(VALUES))


def other_number(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(NUMBER, rng, lines[place])
    if found is None:
        return None
    number = int(found[0])
    new = rng.choice((-number - 1, number + 1, number - 1, number * 1000, 0, 10**12, 10**30, 10_001))
    return _put(lines, place, found.start(), found.end(), str(new))


def swap_values(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = list(SCALAR.finditer(lines[place])) or list(ITEM.finditer(lines[place]))
    if len(found) < 2:
        return None
    one, other = sorted(rng.sample(found, 2), key=lambda match: match.start())
    line = lines[place]
    lines[place] = line[: one.start()] + other[0] + line[one.end() : other.start()] + one[0] + line[other.end() :]
    return lines


def remove_item(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(ITEM, rng, lines[place])
    if found is None:
        return None
    end = found.end() + (1 if lines[place][found.end() : found.end() + 1] == "," else 0)
    return _put(lines, place, found.start(), end, "")


def other_operator(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(OPERATOR, rng, lines[place])
    return None if found is None else _put(lines, place, found.start(1), found.end(1), rng.choice(OPERATORS))


def other_dice(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(DICE, rng, lines[place])
    return None if found is None else _put(lines, place, found.start(), found.end(), rng.choice(DICES))


# ---------------------------------------------------------------------- characters


def drop_quote(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(QUOTE, rng, lines[place])
    return None if found is None else _put(lines, place, found.start(), found.end(), "")


def drop_bracket(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    found = _one(BRACKET, rng, lines[place])
    return None if found is None else _put(lines, place, found.start(), found.end(), "")


def drop_character(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    line = lines[place]
    start = len(line) - len(line.lstrip())
    at = rng.randrange(start, len(line))
    return _put(lines, place, at, at + 1, "")


def foreign_character(rng: random.Random, lines: list[str], place: int) -> list[str] | None:
    at = rng.randrange(len(lines[place]))
    return _put(lines, place, at, at + 1, rng.choice(FOREIGN))


KINDS: Mapping[str, Change] = {
    "delete line": delete_line,
    "double line": double_line,
    "swap lines": swap_lines,
    "indentation": indent,
    "cut off": cut_off,
    "rename key": rename_key,
    "delete key": delete_key,
    "double key": double_key,
    "rename word": rename_word,
    "other word": other_word,
    "retype": retype,
    "other number": other_number,
    "swap values": swap_values,
    "remove item": remove_item,
    "other operator": other_operator,
    "other dice": other_dice,
    "drop quote": drop_quote,
    "drop bracket": drop_bracket,
    "drop character": drop_character,
    "foreign character": foreign_character,
}
