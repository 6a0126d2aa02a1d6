"""A campaign: its table, the log of every action, undo and redo by state, and the action under way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from interpreter import dice
from interpreter.layout import State
from interpreter.machine import Done, Need, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.runs import run_from_json, run_to_json, state_from_json, state_to_json
from interpreter.start import Request, after, begin, create

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Record:
    """One action of the log: what was asked, every answer in order (faces or choices), how it ended, the table
    before and after."""

    request: Mapping[str, Any]
    answers: tuple[Any, ...]
    outcome: str | None
    grade: str | None
    before: State
    after: State


@dataclass(frozen=True, slots=True)
class Session:
    """A campaign as it stands. Every method gives a new one; none changes this one.

    `run` is the action under way. `last` is the run of the action that the latest step ended, with its whole trace;
    no save keeps it.
    """

    system: System
    state: State = field(default_factory=State)
    log: tuple[Record, ...] = ()
    undone: tuple[Record, ...] = ()
    run: Run | None = None
    answers: tuple[Any, ...] = ()
    last: Run | None = field(default=None, compare=False)

    def with_sheet(self, sheet_id: str, data: Mapping[str, Any]) -> Session:
        """A sheet brought to the table, as one entry of the log."""
        state = State({**self.state.sheets, sheet_id: data}, self.state.flags)
        return self._logged({"sheet": sheet_id, "data": dict(data)}, (), None, None, state)

    def without_sheet(self, sheet_id: str) -> Session:
        """A sheet taken from the table with all that the table kept of it, as one entry of the log."""
        sheets = {name: data for name, data in self.state.sheets.items() if name != sheet_id}
        flags = frozenset(flag for flag in self.state.flags if flag.rpartition(".")[2] != sheet_id)
        return self._logged({"removed": sheet_id}, (), None, None, State(sheets, flags))

    def begin(self, request: Request) -> tuple[Session, Need]:
        """An action begun: what it needs first, or why it is refused."""
        return self._started(begin(self.system, self.state, request))

    def create(self, sheet_id: str, kind: str, given: Mapping[str, Any] | None = None) -> tuple[Session, Need]:
        """A sheet made with the dice that it starts with; what is given is not thrown."""
        data = {"sheet": kind, **(given or {})}
        state = State({**self.state.sheets, sheet_id: data}, self.state.flags)
        return self._started(create(self.system, state, sheet_id))

    def _started(self, run: Run | Refused) -> tuple[Session, Need]:
        if isinstance(run, Refused):
            return self, run
        moved, need = advance(run)
        return replace(self, run=moved, answers=(), last=None)._settled(need)

    def need(self) -> Need | None:
        """What the action under way waits for."""
        return None if self.run is None else advance(self.run)[1]

    def answer(self, answer: Any) -> tuple[Session, Need]:
        """An answer to what the action waits for: faces thrown, a dice.Result, or a choice.

        A wrong one changes nothing.
        """
        assert self.run is not None
        moved, need = advance(self.run, answer)
        if isinstance(need, Refused) and need.code in ("choice", "dice"):
            return self, need
        noted = _log_of(answer)
        return replace(self, run=moved, answers=(*self.answers, noted))._settled(need)

    def throw(self, source: dice.Source) -> tuple[Session, Need]:
        """Answers a roll with dice from a source."""
        need = self.need()
        assert isinstance(need, NeedRoll)
        try:
            return self.answer(need.throw(source))
        except dice.DiceError as error:
            return self, Refused("dice", str(error), need.label)

    def _settled(self, need: Need) -> tuple[Session, Need]:
        if isinstance(need, Refused):
            return replace(self, run=None, answers=()), need
        if not isinstance(need, Done):
            return self, need
        assert self.run is not None
        done = self._logged(self.run.request, self.answers, need.outcome, need.grade, after(self.run))
        return replace(done, run=None, answers=(), last=self.run), need

    def _logged(
        self, request: Mapping[str, Any], answers: tuple[Any, ...], outcome: str | None, grade: str | None, state: State
    ) -> Session:
        record = Record(request, answers, outcome, grade, self.state, state)
        return replace(self, state=state, log=(*self.log, record), undone=())

    def abandon(self) -> Session:
        """Gives up the action under way; the table stays as it was."""
        return replace(self, run=None, answers=())

    def undo(self) -> Session | None:
        """The table as it was before the last action, exactly; None when there is none."""
        if not self.log:
            return None
        last = self.log[-1]
        return replace(self, state=last.before, log=self.log[:-1], undone=(last, *self.undone), run=None, answers=())

    def redo(self) -> Session | None:
        """Takes an undo back."""
        if not self.undone:
            return None
        first, *rest = self.undone
        return replace(self, state=first.after, log=(*self.log, first), undone=tuple(rest), run=None, answers=())


def _log_of(answer: Any) -> Any:
    """An answer as the log keeps it: the faces of a throw by group, or the choice."""
    if isinstance(answer, dice.Result):
        return {group: [[_face(face) for face in chain] for chain in chains] for group, chains in answer.log}
    return list(answer) if isinstance(answer, tuple) else answer


def _face(face: dice.Face) -> Any:
    return face if isinstance(face, int) else {"symbols": [list(pair) for pair in face.bag]}


def session_to_json(session: Session) -> dict[str, Any]:
    """Plain data for `json.dumps`."""
    return {
        "format": FORMAT,
        "system": session.system.id,
        "rules": session.system.fingerprint,
        "state": state_to_json(session.state),
        "log": [_record_to_json(record) for record in session.log],
        "undone": [_record_to_json(record) for record in session.undone],
        "run": None if session.run is None else run_to_json(session.system, session.run),
        "answers": list(session.answers),
    }


def session_from_json(system: System, data: Mapping[str, Any]) -> tuple[Session, Refused | None]:
    """The campaign, and why its action under way cannot go on, if it cannot; raises ValueError for data of another
    kind."""
    if data.get("format") != FORMAT or data.get("system") != system.id:
        raise ValueError(f"this is no saved game of `{system.id}` in format {FORMAT}")
    run: Run | Refused | None = None if data["run"] is None else run_from_json(system, data["run"])
    session = Session(
        system,
        state_from_json(data["state"]),
        tuple(_record_from_json(record) for record in data["log"]),
        tuple(_record_from_json(record) for record in data["undone"]),
        run if isinstance(run, Run) else None,
        tuple(data["answers"]) if isinstance(run, Run) else (),
    )
    return session, run if isinstance(run, Refused) else None


def _record_to_json(record: Record) -> dict[str, Any]:
    return {
        "request": dict(record.request),
        "answers": list(record.answers),
        "outcome": record.outcome,
        "grade": record.grade,
        "before": state_to_json(record.before),
        "after": state_to_json(record.after),
    }


def _record_from_json(data: Mapping[str, Any]) -> Record:
    return Record(
        data["request"],
        tuple(data["answers"]),
        data["outcome"],
        data["grade"],
        state_from_json(data["before"]),
        state_from_json(data["after"]),
    )
