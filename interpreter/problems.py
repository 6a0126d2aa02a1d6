"""Say what is wrong with a rule file, and where: the values every check gives back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache

# Below this likeness (0 to 1) a suggestion would puzzle more than it helps.
CLOSE_ENOUGH = 0.6
# Of more candidates than this only those that begin like the word are compared.
MOST_CANDIDATES = 400
# Of more names than this a message shows the first and the last.
MOST_NAMED = 12
# A word longer than this is no misspelt name, and comparing it would cost more than it helps.
LONGEST_WORD = 100


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file; lines and columns count from 1, columns and length in characters."""

    file: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Severity(StrEnum):
    """An error stops a system from being used; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: a stable code, what is wrong, where, and what to do about it."""

    code: str
    message: str
    location: Location
    severity: Severity = Severity.ERROR
    hint: str = ""
    path: tuple[str | int, ...] = ()
    related: tuple[tuple[str, Location], ...] = ()

    def __str__(self) -> str:
        return f"{self.location}: {self.severity} {self.code}: {self.message}"


class RulesError(Exception):
    """Rules that cannot be used, with every problem found in them."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def ended(sentence: str) -> str:
    """A sentence with a full stop, unless it ends as a question."""
    return sentence if sentence.endswith(("?", ".")) else f"{sentence}."


def some_of(names: Iterable[object]) -> list[str]:
    """Names as a message lists them: of many the first, how many more there are, and the last."""
    shown = [f"`{name}`" for name in names]
    half = MOST_NAMED // 2
    return shown if len(shown) <= MOST_NAMED else [*shown[:half], f"… {len(shown) - MOST_NAMED} more …", *shown[-half:]]


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`, or None where none is close; a tie goes to the first in alphabetical order."""
    if len(word) > LONGEST_WORD:
        return None
    plain = SequenceMatcher(None, b=_plain(word), autojunk=False)
    best: tuple[float, float, str] | None = None
    names = sorted(set(candidates))
    if len(names) > MOST_CANDIDATES:
        names = [name for name in names if name[:1] == word[:1]][:MOST_CANDIDATES]
    for candidate in names:
        least = CLOSE_ENOUGH if best is None else best[0]
        likeness = _at_least(plain, _plain(candidate), least)
        if likeness < least:
            continue
        score = (likeness, SequenceMatcher(None, candidate, word, autojunk=False).ratio())
        if best is None or score > best[:2]:
            best = (*score, candidate)
    return best[2] if best else None


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    """`word` without case and accents: the form in which people misremember names."""
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold()


def _at_least(matcher: SequenceMatcher[str], word: str, least: float) -> float:
    """How like `word` is to the matcher's own; 0 as soon as a quick look shows that it is less than `least`."""
    matcher.set_seq1(word)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0
    return matcher.ratio()
