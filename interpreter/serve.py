"""The line protocol: a request a line, an answer a line, several tables at once. The transport is someone else's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

from interpreter import __version__, api, dice, wire
from interpreter.files import shipped
from interpreter.layout import State
from interpreter.machine import Done, Need, Refused, Run
from interpreter.model import System
from interpreter.protocol import COMMANDS, VERSION, fault_of
from interpreter.replaying import replay
from interpreter.results import refusal_json, result_json
from interpreter.runs import plain, state_to_json
from interpreter.session import Record, SaveError, Session
from interpreter.snapshot import json_text
from interpreter.start import Request
from interpreter.store import Held, Seat, Store, StoreError
from interpreter.views import view

LONGEST_LINE = 4_000_000
Answer = dict[str, Any]


class Wrong(Exception):
    """A request that cannot be answered: a code and a sentence."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **more}


@dataclass(slots=True)
class Server:
    """Answers requests; tables are kept in a store. `over` says that the other side has taken leave."""

    store: Store
    systems: dict[str, System] = field(default_factory=dict)
    tables: dict[str, System] = field(default_factory=dict)
    over: bool = False

    def line(self, text: str) -> str:
        """The answer to a line, as a line."""
        id_: object = None
        try:
            request = _read(text)
            id_ = request.get("id")
            fault = fault_of(request)
            if fault is not None:
                raise Wrong("request", fault)
            answer = {"id": id_, "ok": _HANDLERS[request["do"]](self, request)}
        except Wrong as wrong:
            answer = {"id": id_, "error": wrong.error}
        except (SaveError, StoreError) as error:
            answer = {"id": id_, "error": {"code": "store", "message": f"{error}"}}
        except RecursionError:
            answer = {"id": id_, "error": {"code": "json", "message": "This request has too many levels."}}
        except Exception as error:  # noqa: BLE001  whoever embeds us gets an answer to every line, whatever happens
            message = f"The program failed: {type(error).__name__}: {error}"
            answer = {"id": id_, "error": {"code": "internal", "message": message}}
        return json_text(answer)

    # ------------------------------------------------------------------ what requests name

    def system(self, where: str) -> System:
        known = self.systems.get(where)
        if known is None:
            rules = api.load(where)
            if rules.system is None:
                problems = [wire.problem_json(problem) for problem in rules.problems]
                raise Wrong("rules", f"The rules of `{where}` cannot be used.", problems=problems)
            known = self.systems[where] = rules.system
        return known

    def seat(self, request: Mapping[str, Any]) -> Seat:
        table = request["table"]
        if table not in self.tables:
            raise Wrong("table", f"The table `{table}` is not open: open it with `table`.")
        return Seat(self.store, table, self.tables[table], request.get("seat", ""))


def _read(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_LINE:
        raise Wrong("json", f"A line has at most {LONGEST_LINE} characters.")
    try:
        request = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise Wrong("json", f"This line is no JSON: {error}.") from error
    if not isinstance(request, dict):
        raise Wrong("json", "A request is a JSON object.")
    return request


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _number(text: str) -> float:
    return number if isfinite(number := float(text)) else _no_number(text)


# ---------------------------------------------------------------------- rules


def _hello(server: Server, request: Mapping[str, Any]) -> Answer:
    return {"protocol": VERSION, "version": __version__, "systems": list(shipped()), "commands": list(COMMANDS)}


def _load(server: Server, request: Mapping[str, Any]) -> Answer:
    rules = api.load(request["system"])
    problems = [wire.problem_json(problem) for problem in rules.problems]
    system = rules.system
    if system is None:
        raise Wrong("rules", f"The rules of `{request['system']}` cannot be used.", problems=problems)
    server.systems[request["system"]] = system
    sheets = {
        name: {"label": wire.label_json(spec.label), "only_one": spec.only_one} for name, spec in system.sheets.items()
    }
    ready = {name: str(data.get("sheet")) for name, data in system.characters.items()}
    found: Answer = {"id": system.id, "title": wire.label_json(system.title), "languages": list(system.languages)}
    found |= {"version": system.version, "rules": system.fingerprint, "sheets": sheets}
    return found | {"ready": ready, "problems": problems}


def _actions(server: Server, request: Mapping[str, Any]) -> Answer:
    return {"actions": [wire.action_json(action) for action in api.actions(server.system(request["system"]))]}


def _form(server: Server, request: Mapping[str, Any]) -> Answer:
    system, kind = server.system(request["system"]), request["kind"]
    if kind not in system.sheets:
        raise Wrong("request", f"There is no kind of sheet `{kind}`: {', '.join(system.sheets)}.")
    return {"values": [wire.blank_json(blank) for blank in api.sheet_form(system, kind)]}


def _check_sheet(server: Server, request: Mapping[str, Any]) -> Answer:
    found = api.check_sheet(server.system(request["system"]), request["data"])
    return {"faults": [wire.fault_json(fault) for fault in found]}


# ---------------------------------------------------------------------- tables


def _table(server: Server, request: Mapping[str, Any]) -> Answer:
    name, system = request["table"], server.system(request["system"])
    held = server.store.load(name, system, request.get("seat", ""))
    new = held is None
    if held is None:
        held = server.store.new(name, Session(system, _laid(system, request.get("ready", []))))
    server.tables[name] = system
    need: Need | None = held.refused or held.session.need()
    found: Answer = {"table": name, "new": new, "state": state_to_json(held.session.state)}
    notes = [wire.note_json(note) for note in held.notes]
    return found | {"need": None if need is None else wire.need_json(need, request.get("view", "")), "notes": notes}


def _laid(system: System, ready: list[Any]) -> State:
    unknown = [name for name in ready if not isinstance(name, str) or name not in system.characters]
    if unknown:
        raise Wrong("request", f"There is no ready sheet `{unknown[0]}`: {', '.join(system.characters) or 'none'}.")
    return api.new_table(system, *ready)


def _tables(server: Server, request: Mapping[str, Any]) -> Answer:
    return {"tables": list(server.store.tables())}


def _state(server: Server, request: Mapping[str, Any]) -> Answer:
    session = server.seat(request).session
    found = state_to_json(session.state)
    for sheet_id in session.state.sheets if request.get("whole") else ():
        whole = api.whole_sheet(session.system, session.state, sheet_id)
        if not isinstance(whole, Refused):  # else it stays as it is
            found["sheets"][sheet_id] = plain(whole)
    return {"state": found}


def _log(server: Server, request: Mapping[str, Any]) -> Answer:
    session, whom = server.seat(request).session, request.get("view", "")

    def told(number: int, record: Record) -> Answer:
        return wire.seen_entry_json(session.system, number, record, whom) if whom else wire.entry_json(number, record)

    log = [told(number, record) for number, record in enumerate(session.log, 1)]
    return {"log": log, "undone": [told(number, record) for number, record in enumerate(session.undone, len(log) + 1)]}


def _replay(server: Server, request: Mapping[str, Any]) -> Answer:
    return {"difference": wire.difference_json(replay(server.seat(request).session))}


# ---------------------------------------------------------------------- actions


def _asked(request: Mapping[str, Any]) -> Request:
    roles = request.get("roles", {})
    for role, ids in roles.items():
        if not isinstance(ids, str) and not (isinstance(ids, list) and all(isinstance(one, str) for one in ids)):
            raise Wrong("request", f"The role `{role}` is the id of a sheet, or a list of them.")
    return Request(request["action"], roles, request.get("inputs", {}))


def _offer(server: Server, request: Mapping[str, Any]) -> Answer:
    seat = server.seat(request)
    found = api.offer(seat.system, seat.session.state, _asked(request))
    return {"offer": wire.offer_json(found, request.get("view", ""))}


def _offers(server: Server, request: Mapping[str, Any]) -> Answer:
    seat = server.seat(request)
    found = api.offers(seat.system, seat.session.state, request.get("who"))
    return {"offers": [wire.offer_json(one, request.get("view", "")) for one in found]}


def _moved(server: Server, request: Mapping[str, Any], change: Callable[[Session], tuple[Session, Need]]) -> Answer:
    """A step at a seat, and what came of it."""
    held = server.seat(request).move(change)
    assert held.need is not None
    return _told(held, held.need, request)


def _told(held: Held, need: Need | None, request: Mapping[str, Any]) -> Answer:
    run = held.session.last if isinstance(need, Done) else held.session.run
    asked = None if need is None else wire.need_json(need, request.get("view", ""))
    return {"need": asked, "result": _seen(held, run, need, request)}


def _seen(held: Held, run: Run | None, need: Need | None, request: Mapping[str, Any]) -> Answer | None:
    """What came of a run so far, as it is seen."""
    if run is None or need is None:
        return None
    found, whom = result_json(held.session.system, run, need), request.get("view", "")
    return view(found, whom) if whom else found


def _begin(server: Server, request: Mapping[str, Any]) -> Answer:
    asked, id_ = _asked(request), request.get("message", "")
    return _moved(server, request, lambda session: session.begin(asked, id_))


def _create(server: Server, request: Mapping[str, Any]) -> Answer:
    sheet, kind, data, id_ = request["sheet"], request["kind"], request.get("data", {}), request.get("message", "")
    return _moved(server, request, lambda session: session.create(sheet, kind, data, id_))


def _answer(server: Server, request: Mapping[str, Any]) -> Answer:
    return _moved(server, request, lambda session: session.answer(request["answer"], request.get("message", "")))


def _throw(server: Server, request: Mapping[str, Any]) -> Answer:
    source = dice.seeded(request["seed"]) if "seed" in request else dice.system()
    return _moved(server, request, lambda session: session.throw(source, request.get("message", "")))


def _need(server: Server, request: Mapping[str, Any]) -> Answer:
    held = server.seat(request).held()
    return _told(held, held.refused or held.session.need(), request)


def _abandon(server: Server, request: Mapping[str, Any]) -> Answer:
    return _moved(server, request, lambda session: (session.abandon(), Done(None, None)))


def _undo(server: Server, request: Mapping[str, Any]) -> Answer:
    return {"need": wire.need_json(server.seat(request).undo())}


def _redo(server: Server, request: Mapping[str, Any]) -> Answer:
    return {"need": wire.need_json(server.seat(request).redo())}


def _sheet(server: Server, request: Mapping[str, Any]) -> Answer:
    seat = server.seat(request)
    found = [api.SheetFault(*fault) for fault in seat.session.sheet_faults(request["sheet"], request["data"])]
    if found:
        raise Wrong("sheet", " ".join(f.message for f in found), faults=[wire.fault_json(f) for f in found])
    return {"need": wire.need_json(seat.with_sheet(request["sheet"], request["data"], request.get("message", "")))}


def _remove(server: Server, request: Mapping[str, Any]) -> Answer:
    seat = server.seat(request)
    if request["sheet"] not in seat.session.state.sheets:
        raise Wrong("request", f"There is no sheet `{request['sheet']}` at this table.")
    return {"need": wire.need_json(seat.without_sheet(request["sheet"], request.get("message", "")))}


def _odds(server: Server, request: Mapping[str, Any]) -> Answer:
    from interpreter.odds import NoOdds

    seat = server.seat(request)
    how: dict[str, Any] = {"choices": request.get("choices", "best")}
    if "values" in request:
        how["values"] = [str(name) for name in request["values"]]
    answer = api.odds_for(seat.system, seat.session.state, _asked(request), request.get("view", ""), **how)
    if isinstance(answer, NoOdds):
        refused = refusal_json(Refused(answer.code, answer.message, answer.label))
        raise Wrong(answer.code, refused["message"], label=refused["label"])
    values = {name: wire.chances_json(spread) for name, spread in answer.values.items()}
    return {"outcomes": wire.chances_json(answer.outcomes), "values": values, "exact": answer.exact}


def _bye(server: Server, request: Mapping[str, Any]) -> Answer:
    server.over = True
    return {}


_HANDLERS: Mapping[str, Callable[[Server, Mapping[str, Any]], Answer]] = {
    "hello": _hello,
    "load": _load,
    "actions": _actions,
    "form": _form,
    "check_sheet": _check_sheet,
    "table": _table,
    "tables": _tables,
    "sheet": _sheet,
    "remove": _remove,
    "create": _create,
    "offer": _offer,
    "offers": _offers,
    "begin": _begin,
    "answer": _answer,
    "throw": _throw,
    "need": _need,
    "abandon": _abandon,
    "undo": _undo,
    "redo": _redo,
    "state": _state,
    "log": _log,
    "replay": _replay,
    "odds": _odds,
    "bye": _bye,
}
assert _HANDLERS.keys() == COMMANDS.keys()
