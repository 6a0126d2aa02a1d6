"""Actions done again from their log, on the same table or on one that has changed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interpreter import dice
from interpreter.layout import State
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.results import EVENTS
from interpreter.runs import state_to_json
from interpreter.start import Request, after, begin, create

if TYPE_CHECKING:
    from interpreter.session import Record, Session


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a log and its replay part: the entry by its number from 1, what of it, and both values."""

    number: int
    where: str
    logged: object
    replayed: object


# ---------------------------------------------------------------------- answers as the log keeps them


def log_of(answer: Any) -> Any:
    """An answer as the log keeps it: the faces of a throw by group, or the choice."""
    if isinstance(answer, dice.Result):
        return {group: [[_written(face) for face in chain] for chain in chains] for group, chains in answer.log}
    if isinstance(answer, Mapping):
        return {str(group): [_chain(chain) for chain in chains] for group, chains in answer.items()}
    return [_chain(one) for one in answer] if isinstance(answer, tuple | list) else answer


def _chain(chain: Any) -> Any:
    return [_written(face) for face in chain] if isinstance(chain, list | tuple) else _written(chain)


def _written(face: Any) -> Any:
    return dice.face_text(face) if isinstance(face, dice.Symbols) else face


def answer_of(need: Need, written: Any) -> Any:
    """An answer from data: the faces of a throw as numbers or as texts of symbols, or a choice."""
    if not isinstance(need, NeedRoll) or isinstance(written, dice.Result):
        return tuple(written) if isinstance(written, list) else written
    known = {dice.face_text(face): face for group in need.pool.groups for face in group.die.faces}
    if isinstance(written, Mapping):
        return {str(group): [_faces(known, one) for one in _list(chains)] for group, chains in written.items()}
    return [_faces(known, one) for one in _list(written)]


def _list(written: Any) -> list[Any]:
    return list(written) if isinstance(written, list | tuple) else [written]


def _faces(known: Mapping[str, dice.Face], written: Any) -> Any:
    """A face, or the chain of one die."""
    return [_face(known, one) for one in written] if isinstance(written, list | tuple) else _face(known, written)


def _face(known: Mapping[str, dice.Face], written: Any) -> dice.Face:
    """What is no face becomes symbols that no die has, so that the dice can say what is wrong."""
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    return known.get(" ".join(sorted(str(written).split()))) or known.get(str(written).strip()) or _no_face(written)


def _no_face(written: object) -> dice.Symbols:
    return dice.Symbols.of(*(str(written).split() or ["?"]))


def events_of(run: Run) -> tuple[Mapping[str, Any], ...]:
    """What happened in a run, for its log."""
    return tuple({"kind": entry.kind, "name": entry.name} for entry in run.trace if entry.kind in EVENTS)


# ---------------------------------------------------------------------- changes by hand


def edited(state: State, request: Mapping[str, Any]) -> State:
    """The table once a sheet is brought, changed or taken away."""
    if "removed" in request:
        gone = request["removed"]
        sheets = {name: data for name, data in state.sheets.items() if name != gone}
        return State(sheets, frozenset(flag for flag in state.flags if flag.rpartition(".")[2] != gone))
    return State({**state.sheets, request["sheet"]: request["data"]}, state.flags)


# ---------------------------------------------------------------------- on a table that has changed


def merged(state: State, record: Record, run: Run | None) -> State | None:
    """The table with what the action changed; None when something that took part is not as it was."""
    before, then = record.before, record.after
    if state is before:
        return then
    if before.flags != state.flags:
        return None
    involved = _involved(record, run)
    involved |= {i for i, data in before.sheets.items() if then.sheets.get(i, data) != data}
    made = record.request.get("create")
    if any(state.sheets.get(i) != (None if i == made else before.sheets.get(i)) for i in involved):
        return None
    changed = {i: then.sheets[i] for i in involved if i in then.sheets}
    kept = {i: data for i, data in state.sheets.items() if i in then.sheets or i not in involved}
    return State({**kept, **changed}, then.flags)


def _involved(record: Record, run: Run | None) -> set[str]:
    """The sheets that an action could look at or change."""
    if run is not None:
        return {entity.id for entity in run.program.layout.entities.values() if entity.owner is None}
    named = [record.request[name] for name in ("sheet", "removed", "create") if name in record.request]
    return {*named} if named else {*record.before.sheets, *record.after.sheets}


# ---------------------------------------------------------------------- again


def replayed(system: System, state: State, record: Record) -> tuple[Run | None, Need]:
    """The action of an entry done on a table with the answers of its log; Done, or why it is refused there."""
    request = record.request
    if "action" not in request and "create" not in request:
        return None, _edit_again(state, record)
    *_, (run, need) = steps_again(system, state, record)
    if isinstance(need, NeedRoll | NeedChoice):
        need = Refused("stale", f"`{need.name}` is asked now, and was not answered then.")
    return run, _because(state, record, need, run) if isinstance(need, Refused) else need


def steps_again(system: System, state: State, record: Record) -> Iterator[tuple[Run | None, Need]]:
    """The run of an entry at each point where an answer of the log is taken, and after the last of them."""
    started = started_again(system, state, record.request)
    run, need = (None, started) if isinstance(started, Refused) else advance(started)
    yield run, need
    for answer in record.answers:
        if run is None or isinstance(need, Done | Refused):
            return
        run, need = advance(run, answer_of(need, answer))
        yield run, need


def started_again(system: System, state: State, request: Mapping[str, Any]) -> Run | Refused:
    """The run of an entry of a log at its beginning."""
    if "create" in request:
        made = str(request["create"])
        if made in state.sheets:
            return Refused("stale", f"There is a sheet `{made}` by now.")
        return create(system, State({**state.sheets, made: request.get("data", {})}, state.flags), made)
    roles = {role: tuple(ids) for role, ids in request.get("roles", {}).items()}
    return begin(system, state, Request(str(request["action"]), roles, request.get("inputs", {})))


def _edit_again(state: State, record: Record) -> Need:
    """A change by hand was made to the sheet as it was, so it only stands while the sheet is the same."""
    sheet_id = str(record.request.get("sheet", record.request.get("removed")))
    if state.sheets.get(sheet_id) != record.before.sheets.get(sheet_id):
        return Refused("stale", f"The sheet `{sheet_id}` has changed meanwhile; look at it again.")
    return Done(None, None)


def _because(state: State, record: Record, refused: Refused, run: Run | None) -> Refused:
    """The same refusal with what has changed since the action began. The rules' own words stay as they are."""
    involved, now = _involved(record, run), state.sheets
    changed = [i for i, data in record.before.sheets.items() if i in involved and now.get(i, data) != data]
    if not changed:
        return refused
    why = f"{refused.message} Meanwhile {', '.join(f'`{i}`' for i in changed)} changed."
    code = "stale" if refused.code in ("choice", "dice", "over") else refused.code
    return Refused(code, why, refused.label, refused.path)


# ---------------------------------------------------------------------- the whole log


def replay(session: Session) -> Difference | None:
    """Does every action of the log again, and gives the first thing that comes out differently, if there is one."""
    state = session.log[0].before if session.log else session.state
    for number, record in enumerate(session.log, 1):
        found = _entry(session.system, state, number, record)
        if isinstance(found, Difference):
            return found
        state = found
    return _state_difference(len(session.log), "state", session.state, state)


def _entry(system: System, state: State, number: int, record: Record) -> State | Difference:
    """The table after one more entry."""
    before = _state_difference(number, "before", record.before, state)
    if before is not None:
        return before
    run, need = replayed(system, state, record)
    if isinstance(need, Refused):
        return Difference(number, "refused", None, need.message)
    then = edited(state, record.request) if run is None else after(run)
    if run is not None:
        events = events_of(run)
        for name, logged, now in (
            ("outcome", record.outcome, getattr(need, "outcome", None)),
            ("grade", record.grade, getattr(need, "grade", None)),
            ("events", [dict(one) for one in record.events], [dict(one) for one in events]),
        ):
            if logged != now:
                return Difference(number, name, logged, now)
    return _state_difference(number, "after", record.after, then) or then


def _state_difference(number: int, where: str, logged: State, replayed: State) -> Difference | None:
    """The first value that differs, byte for byte."""
    one, other = state_to_json(logged), state_to_json(replayed)
    if json.dumps(one) == json.dumps(other):
        return None
    path, left, right = next(_parting(one, other, where), (where, list(logged.sheets), list(replayed.sheets)))
    return Difference(number, path, left, right)


def _parting(one: Any, other: Any, path: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            if key not in one or key not in other:
                yield f"{path}.{key}", one.get(key), other.get(key)
            else:
                yield from _parting(one[key], other[key], f"{path}.{key}")
        if list(one) != list(other):
            yield path, list(one), list(other)
    elif type(one) is not type(other) or one != other:
        yield path, one, other
