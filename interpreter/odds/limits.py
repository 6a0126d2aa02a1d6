"""How much work odds may ask for, and what is said when that is not enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from interpreter.dice import LimitReached
from interpreter.dice import Limits as DiceLimits
from interpreter.model import Label

# The clock is looked at when these bits of the number of nodes are all zero.
BETWEEN_LOOKS = 255


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets, by name; None for `seconds` is no bound.

    `nodes`: situations of the run; `passing`: situations passed through between these; `dice`: dice of one throw;
    `faces`: faces of one die; `terms`: steps of arithmetic of one throw, or of one system of equations; `options`:
    answers to one choice; `seconds`: time by the clock that is handed in.
    """

    nodes: int = 2_000_000
    passing: int = 20_000_000
    dice: int = 10_000
    faces: int = 10_000
    terms: int = 5_000_000
    options: int = 5_000
    seconds: float | None = None

    def of_dice(self) -> DiceLimits:
        return DiceLimits(dice=self.dice, faces=self.faces, terms=self.terms)


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class NoOdds:
    """Why there are no odds. `limit` names the limit that was reached, `reached` says how far it came."""

    code: str
    message: str
    label: Label | None = None
    limit: str = ""
    reached: float = 0


class OddsError(Exception):
    """Carries a NoOdds out of the middle of the work; the package's functions return it as a value."""

    def __init__(self, answer: NoOdds) -> None:
        super().__init__(answer.message)
        self.answer = answer


def refuse(code: str, message: str) -> OddsError:
    return OddsError(NoOdds(code, message))


def beyond(error: LimitReached) -> NoOdds:
    """A limit of the dice, told like the others. Some of them are nobody's to raise."""
    ours = hasattr(LIMITS, error.limit)
    hint = f" (limit `{error.limit}`). Raise the limit, ask" if ours else ". Ask"
    return NoOdds("limit", f"{error}{hint} for less, or simulate.", None, error.limit, error.asked)


class Budget:
    """Counts nodes, and looks at the clock now and then."""

    __slots__ = ("clock", "describe", "limits", "nodes", "passed", "started")

    def __init__(self, limits: Limits, clock: Callable[[], float], started: float | None = None) -> None:
        self.limits = limits
        self.clock = clock
        self.nodes = 0
        self.passed = 0
        self.started = clock() if started is None else started
        self.describe: Callable[[], str] = str

    def node(self) -> None:
        """One more node."""
        self.nodes += 1
        if self.nodes > self.limits.nodes or not self.nodes & BETWEEN_LOOKS:
            self.check()

    def check(self) -> None:
        if self.nodes > self.limits.nodes:
            raise self.over("nodes", self.nodes, "situations")
        self.look()

    def look(self) -> None:
        if self.limits.seconds is not None:
            passed = self.clock() - self.started
            if passed > self.limits.seconds:
                raise self.over("seconds", passed, "seconds")

    def situations(self, count: int) -> None:
        """So many more situations on the way to the next node."""
        self.passed += count
        if self.passed > self.limits.passing:
            raise self.over("passing", self.passed, "situations on the way")

    def terms(self, asked: int) -> None:
        if asked > self.limits.terms:
            raise self.over("terms", asked, "steps of arithmetic")

    def options(self, asked: int, name: str) -> None:
        if asked > self.limits.options:
            raise self.over("options", asked, f"answers to `{name}`")

    def over(self, limit: str, reached: float, what: str) -> OddsError:
        allowed = getattr(self.limits, limit)
        shown = f"{reached:.1f}" if isinstance(reached, float) else str(reached)
        message = f"{shown} {what} reached, at most {allowed} allowed (limit `{limit}`)."
        more = self.describe()
        hint = " Raise the limit, ask for less, or simulate."
        return OddsError(NoOdds("limit", message + (f" {more}" if more else "") + hint, None, limit, reached))
