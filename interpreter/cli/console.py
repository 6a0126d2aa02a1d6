"""Talk with a person, line by line: questions that take only what can be answered, and say what that is."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from interpreter.fields import whole
from interpreter.render.names import Names
from interpreter.render.style import Paint, plain

# Words that stand for an answer to any question but a free text.
LEAVE, GIVE_UP, REST = "q", "<", "."


class Leave(Exception):
    """The person leaves; what was done is kept."""


class GivenUp(Exception):
    """The person wants none of what was asked."""


class KeepRest(Exception):
    """The person takes everything that a form still asks as it stands."""


@dataclass(slots=True)
class Console:
    """Asks one person.

    `echo` repeats answers that nobody saw being typed, as those from a pipe; `in_form` lets REST be said.
    """

    names: Names
    paint: Paint = plain
    read: Callable[[str], str] = input
    write: Callable[[str], None] = print
    echo: bool = False
    in_form: bool = False

    def say(self, what: str, /, **values: object) -> None:
        """One of the program's own phrases, on a line."""
        self.write(self.names.say(what, **values))

    def ask(self, prompt: str) -> str:
        """A line as typed, without the spaces around it; the end of the input means that the person leaves."""
        try:
            typed = self.read(prompt)
        except EOFError:
            raise Leave from None
        if self.echo:
            self.write(typed)
        return unicodedata.normalize("NFC", typed).strip()

    def answer(self, prompt: str) -> str:
        """The same for an answer that is no free text: a few words of it leave or give up."""
        typed = self.ask(prompt)
        if typed.casefold() == LEAVE:
            raise Leave
        if typed == GIVE_UP:
            raise GivenUp
        if typed == REST and self.in_form:
            raise KeepRest
        return typed

    # ------------------------------------------------------------------ one of several

    def choose(
        self, question: str, labels: Sequence[str], default: int | None = None, none: bool = False
    ) -> int | None:
        """One of a list, by its number or the beginning of its name.

        Nothing typed is the default, or none where that is allowed.
        """
        self.show_list(question, labels, default)
        while True:
            typed = self.answer("> ")
            if not typed and (default is not None or none):
                return default
            found = self.meant(typed, labels)
            if found is not None:
                return found

    def choose_one(self, question: str, labels: Sequence[str], default: int | None = None) -> int:
        """One of a list, and not none."""
        while True:
            found = self.choose(question, labels, default)
            if found is not None:
                return found

    def choose_several(self, question: str, labels: Sequence[str], low: int, high: int | None) -> list[int]:
        """Some of a list, in the order of the list, as many as can be."""
        most = len(labels) if high is None else min(high, len(labels))
        wanted = self._how_many(low, most)
        hint = self.names.say("with_commas" if low else "with_commas_or_none", wanted=wanted)
        self.show_list(f"{question} {hint}", labels)
        while True:
            typed = self.answer("> ")
            found = [self.meant(word, labels) for word in split(typed)]
            chosen = sorted({one for one in found if one is not None})
            if None in found:
                continue
            if len(chosen) < len(found):
                self.say("said_twice")
            elif low <= len(chosen) <= most:
                return chosen
            else:
                self.say("wrong_count", chosen=len(chosen), wanted=wanted)

    def _how_many(self, low: int, most: int) -> str:
        if low == most:
            return str(low)
        return self.names.say("up_to" if low == 0 else "from_to", low=low, high=most)

    def show_list(self, question: str, labels: Sequence[str], default: int | None = None) -> None:
        self.write(self.paint(question, "title"))
        for number, label in enumerate(labels):
            mark = "*" if number == default else " "
            self.write(f" {mark}{number + 1:>2}  {label}")

    def meant(self, typed: str, labels: Sequence[str]) -> int | None:
        """What a number or the beginning of a name means; says so when it means nothing, or several."""
        number = whole(typed)
        if number is not None and 1 <= number <= len(labels):
            return number - 1
        found = [] if not typed or number is not None else likely(typed, labels)
        if len(found) == 1:
            return found[0]
        if found:
            self.say("several_meant", names=", ".join(labels[i] for i in found))
        else:
            self.say("type_a_number" if typed else "type_something", typed=typed, most=len(labels))
        return None

    # ------------------------------------------------------------------ numbers, yes or no, texts

    def number(
        self, question: str, low: int | None, high: int | None, default: int | None = None, none: bool = False
    ) -> int | None:
        """A whole number within its ends; nothing typed is the default, or none where that is allowed."""
        ends = span(low, high)
        shown = f" ({ends})" if ends else ""
        while True:
            typed = self.answer(self.names.colon(f"{question}{shown}{self._default(default)}"))
            if not typed and (default is not None or none):
                return default
            value = whole(typed.replace("\u2212", "-"))
            if value is None:
                self.say("a_whole_number", ends=shown)
            elif (low is not None and value < low) or (high is not None and value > high):
                self.say("outside", value=value, ends=ends)
            else:
                return value

    def flag(self, question: str, default: bool = False) -> bool:
        """Yes or no, by their first letters."""
        yes, no = self.names.say("yes"), self.names.say("no")
        asked = f"{question} ({yes}/{no}){self._default(yes if default else no)}"
        while True:
            typed = fold(self.answer(self.names.colon(asked)))
            if not typed:
                return default
            if any(word.startswith(typed) for word in (yes, "yes", "true")):
                return True
            if any(word.startswith(typed) for word in (no, "no", "false")):
                return False
            self.say("yes_or_no", yes=yes, no=no)

    def text(self, question: str, default: str = "") -> str:
        """Any text."""
        typed = self.ask(self.names.colon(f"{question}{self._default(default or None)}"))
        if typed == REST and self.in_form:
            raise KeepRest
        return typed or default

    def _default(self, default: object) -> str:
        return "" if default is None else f" [{default}]"


def split(typed: str) -> list[str]:
    """The words of a list: between commas, or between spaces when all are numbers."""
    if "," not in typed and all(whole(word) is not None for word in typed.split()):
        return typed.split()
    return [word.strip() for word in typed.split(",") if word.strip()]


def likely(typed: str, labels: Sequence[str]) -> list[int]:
    """The labels that a word means: the one that it is, else those that begin with it, else those that hold it.

    A letter or two are within too many names to mean one.
    """
    wanted, folded = fold(typed), [fold(label) for label in labels]
    whole_name = [i for i, label in enumerate(folded) if label == wanted]
    begins = [i for i, label in enumerate(folded) if label.startswith(wanted)]
    within = [i for i, label in enumerate(folded) if wanted in label and len(wanted) > 2]
    return whole_name or begins or within


def fold(text: str) -> str:
    """A text without case and accents, its apostrophes and hyphens as people type them."""
    letters = unicodedata.normalize("NFKD", text.replace("’", "'").replace("-", " "))
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold().strip()


def span(low: int | None, high: int | None) -> str:
    """`0..6`, `1..`, `..9`, or nothing."""
    return "" if low is None and high is None else f"{'' if low is None else low}..{'' if high is None else high}"
