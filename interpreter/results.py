"""What came of a run, as plain data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.dice import Symbols, face_text
from interpreter.hidden import hidden_names, reported
from interpreter.layout import State
from interpreter.machine import Done, Entry, Need, Refused, Run
from interpreter.model import Label, System
from interpreter.runs import entry_to_json, state_to_json
from interpreter.start import after


def result_json(system: System, run: Run, need: Need) -> dict[str, Any]:
    """Everything that a program may ask of a run; see the keys. `over` says whether it has ended.

    `hidden_from` names the inputs, values, rolls and choices that someone must not see, with who.
    """
    state = after(run)
    roles = roles_of(run)
    return {
        "system": system.id,
        "action": run.program.action,
        "roles": roles,
        "inputs": inputs(run),
        "over": isinstance(need, Done),
        "outcome": need.outcome if isinstance(need, Done) else None,
        "grade": need.grade if isinstance(need, Done) else None,
        "values": values(run),
        "rolls": [roll_json(entry) for entry in run.trace if entry.kind in ("roll", "reroll")],
        "choices": [{"name": e.name, "value": _plain(e.value)} for e in run.trace if e.kind == "choice"],
        "sheets": sheets_after(system, state, roles),
        "flags": sorted(state.flags),
        "messages": [dict(e.label.texts) for e in run.trace if e.kind == "say" and e.label],
        "events": [{"kind": e.kind, "name": e.name} for e in run.trace if e.kind in EVENTS],
        "trace": [entry_to_json(entry) for entry in run.trace],
        "hidden_from": dict(hidden_names(run.program)),
        "refused": refusal_json(need) if isinstance(need, Refused) else None,
    }


EVENTS = ("event", "trigger", "begins", "ends")


def refused_json(system: System, action: str, refused: Refused) -> dict[str, Any]:
    """The same shape for an action that was refused: nothing came of it."""
    nothing: dict[str, Any] = {"system": system.id, "action": action, "roles": {}, "inputs": {}}
    nothing |= {
        "over": False,
        "outcome": None,
        "grade": None,
        "values": {},
        "rolls": [],
        "choices": [],
        "sheets": {},
        "flags": [],
    }
    return nothing | {"messages": [], "events": [], "trace": [], "hidden_from": {}, "refused": refusal_json(refused)}


def refusal_json(refused: Refused) -> dict[str, Any]:
    """Why: a code for programs, a sentence, and the rules' own words in each of their languages."""
    label = dict(refused.label.texts) if refused.label is not None else {}
    return {"code": refused.code, "message": refused.said, "label": label}


def roles_of(run: Run) -> dict[str, list[str]]:
    """The sheets that play each role."""
    roles: Any = run.request.get("roles", {})
    return {role: [str(i) for i in ids] for role, ids in roles.items()}


def sheets_after(system: System, state: State, roles: Mapping[str, list[str]]) -> dict[str, Any]:
    """The sheets that play a role, and those shared by all."""
    shared = [i for i, data in state.sheets.items() if system.sheets[str(data["sheet"])].only_one]
    every = state_to_json(state)["sheets"]
    return {i: every[i] for i in dict.fromkeys([*(i for ids in roles.values() for i in ids), *shared])}


# ---------------------------------------------------------------------- numbers


def inputs(run: Run) -> dict[str, Any]:
    """Every input with the answer that counted, defaults included; a side's is called `side.input`."""
    asked: Any = run.request.get("inputs", {})
    found = _flat(dict(asked))
    return found | {name: _plain(run.registers[slot]) for name, slot in run.program.inputs.items()}


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in data.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": _plain(value)}
    return found


def values(run: Run) -> dict[str, Any]:
    """The named values, readings of rolls such as `throw.hits`, reports and flags of a run, as they are at its end."""
    found: dict[str, Any] = {}
    for entry in run.trace:
        if entry.kind == "value":
            found[entry.name] = _plain(entry.value)
        elif entry.kind in ("roll", "reroll"):
            for name, value in entry.detail:
                found |= {entry.name: value} if name == "total" else {}
                found[f"{entry.name}.{name}"] = value
    return found | {name: _plain(run.registers[slot]) for name, slot in reported(run.program)}


# ---------------------------------------------------------------------- dice


def roll_json(entry: Entry) -> dict[str, Any]:
    """A roll: its faces, a list in a list for a die that was thrown on; by group where there are several."""
    log: Any = entry.value
    groups = {group: [_chain(chain) for chain in chains] for group, chains in log}
    faces: Any = groups[""] if list(groups) == [""] else groups
    roll = {"name": entry.name, "kind": entry.kind, "faces": faces, "readings": dict(entry.detail)}
    more = {"about": list(entry.about), "hidden_from": entry.hidden_from}
    return roll | {name: value for name, value in more.items() if value}


def _chain(chain: tuple[Any, ...]) -> Any:
    faces = [face_text(face) if isinstance(face, Symbols) else face for face in chain]
    return faces[0] if len(faces) == 1 else faces


def _plain(value: Any) -> Any:
    if isinstance(value, Label):
        return dict(value.texts)
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
