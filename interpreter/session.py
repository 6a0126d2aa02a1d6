"""A campaign: its table, the log of every action, undo and redo by state, the action under way; saved and loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from interpreter import dice
from interpreter.deltas import delta, done, undone
from interpreter.layout import Fault, State, id_fault, sheet_faults
from interpreter.machine import Done, Need, NeedRoll, Refused, Run, advance
from interpreter.migration import Note, migrate, renames
from interpreter.model import System
from interpreter.replaying import answer_of, edited, events_of, log_of, merged, replayed
from interpreter.runs import run_from_json, run_to_json, state_from_json, state_to_json
from interpreter.snapshot import fixed
from interpreter.start import Request, after, begin, create

FORMAT = 1


class SaveError(ValueError):
    """Data that is no campaign of these rules, or one that only a newer program can read; says which."""


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of the log: what was asked, every answer in order (faces or choices), how it ended, what happened, the
    table before and after. `id` names the message that asked for it, `end` the one whose answer ended it, where there
    are such."""

    request: Mapping[str, Any]
    answers: tuple[Any, ...]
    outcome: str | None
    grade: str | None
    before: State
    after: State
    events: tuple[Mapping[str, Any], ...] = ()
    id: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A campaign as it stands. Every method gives a new one; none changes this one.

    `run` is the action under way, `asked` what it was asked for with. `last` is the run of the action that the latest
    step ended, with its whole trace; no save keeps it. `seen` holds the ids of all messages that were taken.
    """

    system: System
    state: State = field(default_factory=State)
    log: tuple[Record, ...] = ()
    undone: tuple[Record, ...] = ()
    run: Run | None = None
    answers: tuple[Any, ...] = ()
    last: Run | None = field(default=None, compare=False)
    asked: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    seen: frozenset[str] = frozenset()

    # ------------------------------------------------------------------ sheets

    def with_sheet(self, sheet_id: str, data: Mapping[str, Any], id: str = "") -> Session:
        """A sheet brought to the table, or changed by hand, as one entry of the log."""
        if id and id in self.seen:
            return self
        return self._told(id).with_edit({"sheet": sheet_id, "data": dict(data)}, id)

    def without_sheet(self, sheet_id: str, id: str = "") -> Session:
        """A sheet taken from the table with all that the table kept of it, as one entry of the log."""
        if id and id in self.seen:
            return self
        return self._told(id).with_edit({"removed": sheet_id}, id)

    def sheet_faults(self, sheet_id: str, data: Mapping[str, Any]) -> tuple[Fault, ...]:
        """What is wrong with a sheet to be brought or changed, as (path, sentence). What it had before and still has is
        let be, so that a sheet of older rules can be mended bit by bit."""
        wrong, old = id_fault(sheet_id), self.state.sheets.get(sheet_id, {})
        if wrong:
            return (((), wrong),)
        same = {name for name in data if name in old and old[name] == data[name]}
        return tuple(fault for fault in sheet_faults(self.system, data) if fault[0][0] not in same)

    def with_edit(self, request: Mapping[str, Any], id: str = "") -> Session:
        """A change by hand, as its entry of the log describes it."""
        state = edited(self.state, request)
        return self._logged(Record(fixed(request), (), None, None, self.state, state, (), id))

    # ------------------------------------------------------------------ actions

    def begin(self, request: Request, id: str = "") -> tuple[Session, Need]:
        """An action begun: what it needs first, or why it is refused.

        A message whose id was seen before is taken once: what came of it then is told again.
        """
        if id and id in self.seen:
            return self, self.once_more(id)
        return self._started(begin(self.system, self.state, request), {}, id)

    def create(
        self, sheet_id: str, kind: str, given: Mapping[str, Any] | None = None, id: str = ""
    ) -> tuple[Session, Need]:
        """A sheet made with the dice that it starts with; what is given is not thrown."""
        if id and id in self.seen:
            return self, self.once_more(id)
        data = {**(given or {}), "sheet": kind}
        if sheet_id in self.state.sheets:
            return self, Refused("sheet", f"There is a sheet `{sheet_id}` already.")
        state = State({**self.state.sheets, sheet_id: data}, self.state.flags)
        return self._started(create(self.system, state, sheet_id), {"create": sheet_id, "data": data}, id)

    def _started(self, run: Run | Refused, asked: Mapping[str, Any], id: str) -> tuple[Session, Need]:
        if self.run is not None:
            return self, self.busy()
        if isinstance(run, Refused):
            return self, run
        moved, need = advance(run)
        if isinstance(need, Refused):
            return self, need
        begun = replace(self._told(id), run=moved, answers=(), last=None, asked=fixed(asked or run.request), id=id)
        return begun._settled(need)

    def busy(self) -> Refused:
        """Why nothing else can begin while an action is under way."""
        what = self.asked.get("action") or self.asked.get("create")
        return Refused("busy", f"`{what}` is under way: answer what it asks, or give it up.")

    def _told(self, id: str) -> Session:
        return replace(self, seen=self.seen | {id}) if id else self

    def once_more(self, id: str) -> Need:
        """What came of a message that is delivered again."""
        for record in self.log:
            if id in (record.id, record.end):
                return Done(record.outcome, record.grade)
        need = self.need() if self.run is not None else None
        return need or Refused("repeated", f"The message `{id}` was taken before; it is not taken again.")

    def need(self) -> Need | None:
        """What the action under way waits for."""
        return None if self.run is None else advance(self.run)[1]

    def answer(self, answer: Any, id: str = "") -> tuple[Session, Need]:
        """An answer to what the action waits for: faces thrown, a dice.Result, or a choice.

        A wrong one changes nothing.
        """
        if id and id in self.seen:
            return self, self.once_more(id)
        need = self.need()
        if self.run is None or need is None:
            return self, Refused("over", "No action is under way.")
        moved, following = advance(self.run, answer_of(need, answer))
        if isinstance(following, Refused) and following.code in ("choice", "dice"):
            return self, following
        answered = replace(self._told(id), run=moved, answers=(*self.answers, log_of(answer)))
        return answered._settled(following, id)

    def throw(self, source: dice.Source, id: str = "") -> tuple[Session, Need]:
        """Answers a roll with dice from a source."""
        if id and id in self.seen:
            return self, self.once_more(id)
        need = self.need()
        if not isinstance(need, NeedRoll):
            return self, Refused("over", "No roll is waited for.")
        try:
            return self.answer(need.throw(source), id)
        except dice.DiceError as error:
            return self, Refused("dice", str(error), need.label)

    def abandon(self) -> Session:
        """Gives up the action under way; the table stays as it was."""
        return replace(self, run=None, answers=(), asked={}, id="")

    def _settled(self, need: Need, end: str = "") -> tuple[Session, Need]:
        """The table after a step; an action that ended on a table that has changed since it began is done on the new
        one, or refused."""
        if isinstance(need, Refused):
            return self.abandon(), need
        if not isinstance(need, Done):
            return self, need
        assert self.run is not None
        record = Record(
            self.asked,
            self.answers,
            need.outcome,
            need.grade,
            self.run.state,
            after(self.run),
            events_of(self.run),
            self.id,
            end,
        )
        return self.abandon().with_record(record, self.run)

    def with_record(self, record: Record, run: Run | None = None) -> tuple[Session, Need]:
        """The same table once an action that was done on another state of it is done here too.

        What took part has not changed: its sheets are taken over. Otherwise the action is done again with the same
        answers, and refused if they do not fit any more.
        """
        state = merged(self.state, record, run)
        if state is not None:
            done = replace(self._logged(replace(record, before=self.state, after=state)), last=run)
            return done, Done(record.outcome, record.grade)
        again, need = replayed(self.system, self.state, record)
        if not isinstance(need, Done):
            assert isinstance(need, Refused)
            return self, need
        state = after(again) if again else edited(self.state, record.request)
        events = events_of(again) if again else ()
        anew = replace(record, before=self.state, after=state, outcome=need.outcome, grade=need.grade, events=events)
        return replace(self._logged(anew), last=again), need

    def _logged(self, record: Record) -> Session:
        if record.after is not self.state:
            self.state.memo.clear()  # a long log would keep whatever was worked out from each of its tables
        return replace(self, state=record.after, log=(*self.log, record), undone=())

    # ------------------------------------------------------------------ undo

    def undo(self) -> Session | None:
        """The table as it was before the last action, exactly; None when there is none. What is under way counts: it is
        given up, and nothing else changes."""
        if self.run is not None:
            return self.abandon()
        if not self.log:
            return None
        last = self.log[-1]
        back = replace(self, state=last.before, log=self.log[:-1], undone=(last, *self.undone))
        return back.abandon()

    def redo(self) -> Session | None:
        """Takes an undo back; None when there is none. What is under way is given up."""
        if not self.undone:
            return None
        first, *rest = self.undone
        again = replace(self, state=first.after, log=(*self.log, first), undone=tuple(rest))
        return again.abandon()


# ---------------------------------------------------------------------- saved and loaded


@dataclass(frozen=True, slots=True)
class Loaded:
    """A campaign brought back: why its action under way cannot go on, if it cannot, and what came of changed rules."""

    session: Session
    refused: Refused | None = None
    notes: tuple[Note, ...] = ()


def session_to_json(session: Session) -> dict[str, Any]:
    """Plain data for `json.dumps`: the table as it is, and for each entry of the log what it changed."""
    return {
        **heading(session.system),
        "state": state_to_json(session.state),
        "log": [record_to_json(record) for record in session.log],
        "undone": [record_to_json(record) for record in session.undone],
        "run": None if session.run is None else run_to_json(session.system, session.run),
        "asked": dict(session.asked),
        "answers": list(session.answers),
        "id": session.id,
        "seen": sorted(session.seen),
    }


def heading(system: System) -> dict[str, Any]:
    """What a save says of the rules that it was made under."""
    return {
        "format": FORMAT,
        "system": system.id,
        "version": system.version,
        "rules": system.fingerprint,
        "renames": list(renames(system)),
    }


def check_heading(system: System, data: Mapping[str, Any]) -> None:
    """Raises SaveError for a save that this program or these rules cannot read."""
    saved = data.get("format")
    if not isinstance(saved, int) or isinstance(saved, bool):
        raise SaveError("this is no saved campaign")
    if saved > FORMAT:
        raise SaveError(f"a newer program saved this campaign, in format {saved}; this one reads format {FORMAT}")
    if data.get("system") != system.id:
        raise SaveError(f"this campaign belongs to the system `{data.get('system')}`, not to `{system.id}`")


def load_session(system: System, data: Mapping[str, Any]) -> Loaded:
    """The campaign of `session_to_json`, under the rules as they are now; raises SaveError for any other data."""
    check_heading(system, data)
    with reading():
        state = state_from_json(data["state"])
        log = records_back(state, data["log"])
        undone_ = records_on(state, data["undone"])
        session = Session(system, state, log, undone_, seen=frozenset(data.get("seen", ())))
        moved, notes = brought_over(session, data)
        return resumed(moved, data, notes)


@contextmanager
def reading() -> Iterator[None]:
    """What cannot be read of a save is told as such."""
    try:
        yield
    except SaveError:
        raise
    except (LookupError, TypeError, AttributeError, AssertionError, ValueError) as error:
        raise SaveError("the saved campaign is damaged") from error


def resumed(session: Session, data: Mapping[str, Any], notes: tuple[Note, ...] = ()) -> Loaded:
    """The same campaign with the action that was under way, if it can go on."""
    if data.get("run") is None:
        return Loaded(session, None, notes)
    run = run_from_json(session.system, data["run"])
    if isinstance(run, Refused):
        return Loaded(session, run, notes)
    asked, answers = fixed(data.get("asked") or run.request), tuple(data["answers"])
    return Loaded(replace(session, run=run, asked=asked, answers=answers, id=data.get("id", "")), None, notes)


def brought_over(session: Session, data: Mapping[str, Any]) -> tuple[Session, tuple[Note, ...]]:
    """The campaign with every state, also those that undo brings back, as the rules have it now."""
    system, behind = session.system, frozenset(data.get("renames", ()))
    if data.get("rules") == system.fingerprint:
        return session, ()
    known: dict[int, tuple[State, State]] = {}

    def moved(state: State) -> State:
        if id(state) not in known:
            known[id(state)] = state, migrate(system, state, behind)[0]
        return known[id(state)][1]

    state, notes = migrate(system, session.state, behind)
    known[id(session.state)] = session.state, state
    log = tuple(replace(one, before=moved(one.before), after=moved(one.after)) for one in session.log)
    undone_ = tuple(replace(one, before=moved(one.before), after=moved(one.after)) for one in session.undone)
    return replace(session, state=state, log=log, undone=undone_), notes


def session_from_json(system: System, data: Mapping[str, Any]) -> tuple[Session, Refused | None]:
    """The campaign, and why its action under way cannot go on, if it cannot; raises SaveError for other data."""
    loaded = load_session(system, data)
    return loaded.session, loaded.refused


def record_to_json(record: Record) -> dict[str, Any]:
    """An entry of the log with what it changed instead of the table before and after."""
    return {
        "request": dict(record.request),
        "answers": list(record.answers),
        "outcome": record.outcome,
        "grade": record.grade,
        "events": [dict(event) for event in record.events],
        "id": record.id,
        "end": record.end,
        "change": delta(record.before, record.after),
    }


def records_back(state: State, entries: Iterable[Mapping[str, Any]]) -> tuple[Record, ...]:
    """The entries that led to a table, last one first undone."""
    found: list[Record] = []
    for data in reversed(list(entries)):
        before = undone(state, data["change"])
        found.append(_record(data, before, state))
        state = before
    return tuple(reversed(found))


def records_on(state: State, entries: Iterable[Mapping[str, Any]]) -> tuple[Record, ...]:
    """The entries that lead on from a table, the first that redo takes first."""
    found: list[Record] = []
    for data in entries:
        then = done(state, data["change"])
        found.append(_record(data, state, then))
        state = then
    return tuple(found)


def _record(data: Mapping[str, Any], before: State, then: State) -> Record:
    events = tuple(fixed(event) for event in data.get("events", ()))
    answers, outcome, grade = tuple(data["answers"]), data["outcome"], data["grade"]
    ids = data.get("id", ""), data.get("end", "")
    return Record(fixed(dict(data["request"])), answers, outcome, grade, before, then, events, *ids)
