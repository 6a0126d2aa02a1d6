"""What every store does: bring a campaign back, and take over a step of it that may come together with others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from interpreter import dice
from interpreter.machine import Done, Need, Refused
from interpreter.migration import Note
from interpreter.model import System
from interpreter.session import Record, Session
from interpreter.start import Request


class StoreError(Exception):
    """A store that cannot be used, or that holds no such campaign; says which."""


@dataclass(frozen=True, slots=True)
class Held:
    """A campaign as a store holds it, seen from one seat. `revision` counts the steps that the store took over.

    `need` is what came of the last step, `refused` why the action under way cannot go on, `notes` what came of rules
    that have changed.
    """

    table: str
    seat: str
    session: Session
    revision: int
    need: Need | None = None
    refused: Refused | None = None
    notes: tuple[Note, ...] = ()
    # Saved under other rules: the next step writes everything anew.
    anew: bool = False


class Store(ABC):
    """Keeps campaigns by name. Sheets and log are shared; every player has a seat, with an action under way of their
    own."""

    @abstractmethod
    def tables(self) -> tuple[str, ...]:
        """The names of the campaigns."""

    @abstractmethod
    def new(self, table: str, session: Session) -> Held:
        """Keeps a campaign under a name that is free; raises StoreError when it is not."""

    @abstractmethod
    def load(self, table: str, system: System, seat: str = "") -> Held | None:
        """A campaign as it is now, None when there is none; raises SaveError for one that cannot be read."""

    @abstractmethod
    def commit(self, held: Held, session: Session) -> Held | Refused:
        """Takes a step over: from `held.session` to `session`. What is acknowledged here is never lost.

        Steps of others that came in between are kept: this one is joined to them, or refused with the reason.
        """

    @abstractmethod
    def close(self) -> None:
        """Gives back what the store holds open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def seat(self, table: str, system: System, seat: str = "") -> Seat:
        """A player's place at a campaign that is there; raises StoreError when there is none."""
        if self.load(table, system, seat) is None:
            raise StoreError(f"there is no campaign `{table}`")
        return Seat(self, table, system, seat)


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place at a campaign. Each call brings it back, does one thing, and keeps what came of it."""

    store: Store
    table: str
    system: System
    name: str = ""

    def held(self) -> Held:
        found = self.store.load(self.table, self.system, self.name)
        if found is None:
            raise StoreError(f"there is no campaign `{self.table}`")
        return found

    @property
    def session(self) -> Session:
        return self.held().session

    def need(self) -> Need | None:
        """What the action under way at this seat waits for."""
        held = self.held()
        return held.refused or held.session.need()

    def begin(self, request: Request, id: str = "") -> Need:
        return self.step(lambda session: session.begin(request, id))

    def create(self, sheet_id: str, kind: str, given: Mapping[str, Any] | None = None, id: str = "") -> Need:
        return self.step(lambda session: session.create(sheet_id, kind, given, id))

    def answer(self, answer: Any, id: str = "") -> Need:
        return self.step(lambda session: session.answer(answer, id))

    def throw(self, source: dice.Source, id: str = "") -> Need:
        return self.step(lambda session: session.throw(source, id))

    def abandon(self) -> Need:
        return self.step(lambda session: (session.abandon(), Done(None, None)))

    def with_sheet(self, sheet_id: str, data: Mapping[str, Any], id: str = "") -> Need:
        def change(session: Session) -> tuple[Session, Need]:
            wrong = " ".join(message for _, message in session.sheet_faults(sheet_id, data))
            if wrong:
                return session, Refused("sheet", wrong)
            return session.with_sheet(sheet_id, data, id), Done(None, None)

        return self.step(change)

    def without_sheet(self, sheet_id: str, id: str = "") -> Need:
        return self.step(lambda session: (session.without_sheet(sheet_id, id), Done(None, None)))

    def undo(self) -> Need:
        return self.step(lambda session: _or_nothing(session, session.undo(), "There is nothing to undo."))

    def redo(self) -> Need:
        return self.step(lambda session: _or_nothing(session, session.redo(), "There is nothing to redo."))

    def step(self, change: Callable[[Session], tuple[Session, Need]]) -> Need:
        """Any change of a campaign; kept when it changes something."""
        need = self.move(change).need
        assert need is not None
        return need

    def move(self, change: Callable[[Session], tuple[Session, Need]]) -> Held:
        """The same, with the whole campaign as it is afterwards; `session.last` is the run that ended, if one did."""
        held = self.held()
        session, need = change(held.session)
        if session is held.session:
            gone = held.refused if isinstance(need, Refused) and need.code == "over" else None
            return replace(held, need=gone or need)
        kept = self.store.commit(held, session)
        if isinstance(kept, Refused):
            return replace(held, need=kept)
        return kept if kept.need is not None else replace(kept, need=need)


def _or_nothing(session: Session, moved: Session | None, message: str) -> tuple[Session, Need]:
    return (session, Refused("nothing", message)) if moved is None else (moved, Done(None, None))


# ---------------------------------------------------------------------- a step that comes together with others


def joined(latest: Session, old: Session, new: Session) -> tuple[Session, Need | None]:
    """The step from `old` to `new` made from `latest` instead; Refused with the reason when it cannot be.

    All three are the same campaign from the same seat; `latest` may be further than `old` by steps of others. What
    comes back is `latest` itself where nothing is to be kept: an action whose end is refused is over all the same.
    """
    doubled = (new.seen - old.seen) & latest.seen
    if doubled:
        return latest, latest.once_more(min(doubled))
    went_on = _under_way(latest) != _under_way(old)
    if len(new.log) < len(old.log) or _is_redo(old, new):
        return _undone(latest, old, new, went_on)
    if _under_way(new) == _under_way(old) and all(map(_by_hand, new.log[len(old.log) :])):
        return _appended(latest, old, new, latest)
    if went_on:
        return latest, latest.busy() if old.run is None else Refused("stale", ANSWERED)
    return _appended(latest, old, new, new)


ANSWERED = "This was answered already; the action went on meanwhile."


def _under_way(session: Session) -> tuple[Any, ...]:
    return dict(session.asked), list(session.answers), session.id


def _by_hand(record: Record) -> bool:
    return "sheet" in record.request or "removed" in record.request


def _is_redo(old: Session, new: Session) -> bool:
    return bool(old.undone) and len(new.log) == len(old.log) + 1 and new.log[-1] == old.undone[0]


def _undone(latest: Session, old: Session, new: Session, went_on: bool) -> tuple[Session, Need | None]:
    same = latest.log[-1:] == old.log[-1:] and len(latest.log) == len(old.log) and latest.undone == old.undone
    moved = None
    if same and not went_on:
        moved = latest.undo() if len(new.log) < len(old.log) else latest.redo()
    if moved is None:
        return latest, Refused("stale", "Another action came in between; look again at what would be undone.")
    return moved, Done(None, None)


def _appended(latest: Session, old: Session, new: Session, going: Session) -> tuple[Session, Need | None]:
    """The new entries on the latest table; `going` has the action that is under way afterwards."""
    seen = latest.seen | new.seen
    session, need = latest.abandon(), None
    for record in new.log[len(old.log) :]:
        session, need = session.with_record(record, new.last if record is new.log[-1] else None)
        if isinstance(need, Refused):
            ended = old.run is not None and going.run is None
            return replace(latest.abandon(), seen=seen) if ended else latest, need
    return replace(session, run=going.run, asked=going.asked, answers=going.answers, id=going.id, seen=seen), need
