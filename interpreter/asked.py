"""What a run tells and asks: lines of its trace, rolls, choices, its end, refusals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from interpreter import dice
from interpreter.model import Label, Path


class Entry(NamedTuple):
    """One line of the trace: what kind of thing happened, to what, and the numbers. `about`: the things whose turn it
    was."""

    kind: str
    name: str
    value: object = None
    label: Label | None = None
    detail: tuple[Any, ...] = ()
    hidden_from: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NeedRoll:
    """Dice to throw. `again` is set when only dice that lie on the table are thrown, from `table`; `hidden_from` names
    those who must not see them."""

    name: str
    label: Label | None
    pool: dice.Pool
    again: dice.Reroll | None = None
    table: dice.Table | None = None
    about: tuple[str, ...] = ()
    hidden_from: str = ""
    quick: dice.Quick | None = field(default=None, compare=False, repr=False)

    def throw(self, source: dice.Source) -> dice.Result:
        """The dice thrown by a source of faces."""
        if self.quick is not None:
            return self.quick.throw(source)
        if self.again is not None and self.table is not None:
            return dice.throw_again(self.pool, self.table, self.again, source)
        return dice.throw(self.pool, source)

    def given(self, faces: dice.Faces) -> dice.Result:
        """The dice as people threw them; a DiceError says what is missing, left over or not on the die."""
        if self.again is not None and self.table is not None:
            return dice.throw_again_given(self.pool, self.table, self.again, faces)
        return dice.throw_given(self.pool, faces)


@dataclass(frozen=True, slots=True)
class OpenOption:
    """An option as it stands now: closed ones say why, if the rules do."""

    id: str
    label: Label | None
    open: bool
    why_not: Label | None = None


@dataclass(frozen=True, slots=True)
class NeedChoice:
    """A choice to make. `kind` is options, several, number or text; `low` and `high` bound a number or how many."""

    name: str
    label: Label | None
    chooser: str
    kind: str
    options: tuple[OpenOption, ...] = ()
    low: int | None = None
    high: int | None = None
    hidden: bool = False
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The run is over."""

    outcome: str | None
    grade: str | None


@dataclass(frozen=True, slots=True)
class Refused:
    """The run cannot go on and nothing is changed by it. `code` says which kind of refusal it is."""

    code: str
    message: str
    label: Label | None = None
    path: Path = ()

    @property
    def said(self) -> str:
        """Why, in the first language that it is told in."""
        return next(iter(self.label.texts.values()), self.message) if self.label is not None else self.message


Need = NeedRoll | NeedChoice | Done | Refused
