"""What came of a run, as plain data for programs."""

from __future__ import annotations

from typing import Any

from interpreter.bound import Scalar
from interpreter.expressions import Register
from interpreter.layout import State
from interpreter.machine import Done, Need, Run
from interpreter.model import System
from interpreter.play import shown_face
from interpreter.runs import entry_to_json, state_to_json
from interpreter.start import after


def result_json(system: System, run: Run, need: Need) -> dict[str, Any]:
    """`outcome`, `grade`, `values`, `rolls`, `choices`, `sheets` after, `trace`, `messages`, `events`."""
    state: State = after(run)
    played = [i for ids in run.request.get("roles", {}).values() for i in ids]  # type: ignore[attr-defined]
    shared = [i for i, data in state.sheets.items() if system.sheets[str(data["sheet"])].only_one]
    return {
        "system": system.id,
        "action": run.program.action,
        "outcome": need.outcome if isinstance(need, Done) else None,
        "grade": need.grade if isinstance(need, Done) else None,
        "values": values(run),
        "rolls": [_roll(entry) for entry in run.trace if entry.kind in ("roll", "reroll")],
        "choices": [{"name": entry.name, "value": _plain(entry.value)} for entry in run.trace if entry.kind == "choice"],
        "roles": {role: list(ids) for role, ids in run.request.get("roles", {}).items()},  # type: ignore[attr-defined]
        "sheets": {i: state_to_json(state)["sheets"][i] for i in dict.fromkeys([*played, *shared])},
        "flags": sorted(state.flags),
        "messages": [dict(entry.label.texts) for entry in run.trace if entry.kind == "say" and entry.label],
        "events": [entry.name for entry in run.trace if entry.kind in ("event", "begins", "ends", "trigger")],
        "trace": [entry_to_json(entry) for entry in run.trace],
    }


def values(run: Run) -> dict[str, Any]:
    """The named values, reports and readings of a run by name, such as `jet.succes`."""
    found: dict[str, Any] = {}
    for entry in run.trace:
        if entry.kind == "value":
            found[entry.name] = entry.value
        elif entry.kind in ("roll", "reroll"):
            for name, value in entry.detail:
                found[entry.name if name == "total" else f"{entry.name}.{name}"] = value
    for name in (*run.program.rules.report, *run.program.rules.flags):
        bound = run.program.scope.get(name)
        if isinstance(bound, Scalar) and isinstance(bound.tree, Register):
            found[name] = _plain(run.registers[bound.tree.slot])
    return found


def _roll(entry: Any) -> dict[str, Any]:
    groups = {group: [[shown(face) for face in chain] for chain in chains] for group, chains in entry.value}
    only = groups.get("") if list(groups) == [""] else None
    faces: Any = [chain[0] if len(chain) == 1 else chain for chain in only] if only is not None else {
        name: [chain[0] if len(chain) == 1 else chain for chain in chains] for name, chains in groups.items()
    }
    return {"name": entry.name, "kind": entry.kind, "faces": faces, "readings": dict(entry.detail)}


def shown(face: Any) -> Any:
    return face if isinstance(face, int) else shown_face(face)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
