"""Choices made on the command line: `--choose CHOICE=OPTION`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from interpreter.cli.common import UsageError, counted
from interpreter.fields import whole
from interpreter.machine import NeedChoice
from interpreter.program import Pick, Program
from interpreter.request import suggest


class Chooser:
    """Answers choices as said: one after another for a choice said more than once, the last for all that follow.

    A choice of which nothing is said takes the first open option, the lowest number, the least that it can.
    """

    def __init__(self, said: Sequence[str]) -> None:
        self.said: dict[str, list[str]] = {}
        self.used: dict[str, int] = {}
        for one in said:
            name, equals, option = (part.strip() for part in one.partition("="))
            if not equals or not name:
                raise UsageError(f"--choose wants CHOICE=OPTION, not `{one}`.")
            self.said.setdefault(name, []).append(option)

    def check(self, program: Program) -> None:
        """Names that the action does not know are told before any dice are thrown. Making a sheet asks for nothing."""
        if not program.action:
            return
        picks = [item for item in program.instructions if isinstance(item, Pick)]
        for name, options in self.said.items():
            meant = [pick for pick in picks if name in _names(pick.name)]
            if not meant:
                known = dict.fromkeys(pick.name.rpartition(".")[2] for pick in picks)
                raise UsageError(f"`{program.action}` has no choice `{name}`.{suggest(name, known)}")
            for option in options:
                _check_option(name, option, meant)

    def answer(self, need: NeedChoice) -> Any:
        name = next((one for one in _names(need.name) if one in self.said), None)
        if name is None:
            return first_answer(need)
        options, used = self.said[name], self.used.get(name, 0)
        self.used[name] = used + 1
        said = options[min(used, len(options) - 1)]
        if used >= len(options) and not _is_open(need, said):
            return first_answer(need)
        return _READERS[need.kind](said)

    def finish(self, program: Program) -> None:
        """What was said of a choice that never came."""
        for name, options in self.said.items():
            used = self.used.get(name, 0)
            if used < len(options):
                came = "never came, or had one open option" if not used else f"came only {counted(used, 'time')}"
                raise UsageError(f"--choose {name}={options[used]} was not used: the choice {came}.")


def _names(full: str) -> list[str]:
    """What a choice may be called: its dotted name, or the end of it."""
    parts = full.split(".")
    return [".".join(parts[i:]) for i in range(len(parts))]


def _check_option(name: str, option: str, picks: Iterable[Pick]) -> None:
    known: dict[str, None] = {}
    for pick in picks:
        if pick.kind in ("number", "text"):
            return
        known |= dict.fromkeys(one.id for one in pick.options)
    for one in _words(option):
        if one not in known:
            raise UsageError(f"`{name}` has no option `{one}`.{suggest(one, known)}")


def _is_open(need: NeedChoice, said: str) -> bool:
    """Whether an answer that was good before can be given again."""
    opened = {option.id for option in need.options if option.open}
    if need.kind in ("options", "several"):
        return all(one in opened for one in _words(said))
    number = whole(said)
    return need.kind != "number" or (number is not None and (need.low or 0) <= number <= (need.high or number))


def first_answer(need: NeedChoice) -> Any:
    opened = [option.id for option in need.options if option.open]
    if need.kind == "several":
        return tuple(opened[: need.low or 0])
    answers: dict[str, Any] = {"number": need.low, "text": ""}
    return answers[need.kind] if need.kind in answers else opened[0]


def _words(said: str) -> list[str]:
    return [part.strip() for part in said.split(",") if part.strip()]


def _number(said: str) -> Any:
    value = whole(said)
    return said if value is None else value


_READERS: Mapping[str, Any] = {
    "options": lambda said: said,
    "several": lambda said: tuple(_words(said)),
    "number": _number,
    "text": lambda said: said,
}
