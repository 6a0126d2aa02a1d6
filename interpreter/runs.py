"""A suspended run as JSON and back: registers by name, the rules' fingerprint beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

from interpreter import dice
from interpreter.layout import State
from interpreter.machine import Entry, Refused, Run
from interpreter.model import Label, System
from interpreter.program import Pick, Program, Rethrow, Stop, Throw
from interpreter.sayings import refusal
from interpreter.start import Request, begin, create

FORMAT = 1


def state_to_json(state: State) -> dict[str, Any]:
    """A table as plain data for `json.dumps`."""
    return {"sheets": {name: plain(data) for name, data in state.sheets.items()}, "flags": sorted(state.flags)}


def state_from_json(data: Mapping[str, Any]) -> State:
    """The table of `state_to_json`."""
    sheets = {str(sheet_id): dict(sheet) for sheet_id, sheet in data["sheets"].items()}
    return State(sheets, frozenset(map(str, data["flags"])))


def run_to_json(system: System, run: Run) -> dict[str, Any]:
    """Plain data for `json.dumps`: what was asked, the table as it was then, the registers that have changed since."""
    fresh = run.origin.registers if run.origin is not None else ()
    names = run.program.registers
    changed = {
        names[slot].name: _register_to_json(value)
        for slot, value in enumerate(run.registers)
        if not (slot < len(fresh) and _same(value, fresh[slot])) and not names[slot].name.startswith(":die.")
    }
    data = {
        "format": FORMAT,
        "system": system.id,
        "rules": system.fingerprint,
        "request": dict(run.request),
        "state": state_to_json(run.state),
        "position": run.position,
        "registers": changed,
        "trace": [entry_to_json(entry) for entry in run.trace],
    }
    return {**data, "mark": _mark(data)}


def _mark(data: Mapping[str, Any]) -> str:
    """By which a run is known to be as it was written."""
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:32]


def run_from_json(system: System, data: Any) -> Run | Refused:
    """The run as it was suspended, or a refusal when the rules have changed since or the data is no run of this
    system."""
    try:
        return _run_from_json(system, data)
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, StopIteration):
        return refusal("stale", "no_run")


def _run_from_json(system: System, data: Mapping[str, Any]) -> Run | Refused:
    if data.get("format") != FORMAT:
        return refusal("stale", "other_format", found=data.get("format"), known=FORMAT)
    if data.get("system") != system.id:
        return refusal("stale", "other_system", found=data.get("system"), known=system.id)
    if data.get("rules") != system.fingerprint:
        return refusal("stale", "other_rules")
    if data["mark"] != _mark({name: value for name, value in data.items() if name != "mark"}):
        return refusal("stale", "no_run")
    started = _begun(system, state_from_json(data["state"]), data["request"])
    if isinstance(started, Refused):
        return started
    if not _waits(started.program, data["position"]):
        return refusal("stale", "no_wait")
    registers, slots = list(started.registers), started.program.layout.slots
    for name, value in data["registers"].items():
        if name not in slots:
            return refusal("stale", "no_register", name=name)
        registers[slots[name]] = _register_from_json(started.program, slots[name], value)
    trace = tuple(entry_from_json(entry) for entry in data["trace"])
    return started._replace(registers=tuple(registers), position=int(data["position"]), trace=trace)


def _waits(program: Program, position: object) -> bool:
    """Whether a run of the program can be suspended there: at its beginning, or where it waits or is over."""
    if not isinstance(position, int) or not 0 <= position < len(program.instructions):
        return False
    return position == 0 or isinstance(program.instructions[position], Throw | Rethrow | Pick | Stop)


def _begun(system: System, state: State, request: Mapping[str, Any]) -> Run | Refused:
    if "create" in request:
        return create(system, state, str(request["create"]))
    roles = {role: tuple(ids) for role, ids in request["roles"].items()}
    return begin(system, state, Request(request["action"], roles, request["inputs"]))


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


# ---------------------------------------------------------------------- registers


def _register_to_json(value: object) -> object:
    if isinstance(value, tuple):
        return {"set": list(value)}
    if isinstance(value, dice.Table):
        return {"dice": [[_die_to_json(thrown) for thrown in group] for group in value.dice], "thrown": value.thrown}
    return value


def _die_to_json(thrown: dice.Thrown) -> list[Any]:
    return [thrown.die.name, thrown.face, thrown.first, thrown.value, [list(pair) for pair in thrown.symbols]]


def _register_from_json(program: Program, slot: int, value: object) -> object:
    if isinstance(value, Mapping) and "set" in value:
        return tuple(value["set"])
    if isinstance(value, Mapping) and "dice" in value:
        throw = next(i for i in program.instructions if isinstance(i, Throw) and i.faces == slot)
        groups = tuple(
            tuple(_die_from_json(plan.name, plan.dice, item) for item in items)
            for plan, items in zip(throw.groups, value["dice"], strict=True)
        )
        return dice.Table(groups, value["thrown"])
    return value


def _die_from_json(group: str, known: Mapping[str, dice.Die], item: list[Any]) -> dice.Thrown:
    name, face, first, value, symbols = item
    return dice.Thrown(group, known[name], face, first, value, tuple((str(s), int(n)) for s, n in symbols))


# ---------------------------------------------------------------------- trace


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """One line of the trace; what is empty is left out, but for a value: to choose none is a choice."""
    found = {"kind": entry.kind, "name": entry.name, "value": plain(entry.value), "detail": plain(entry.detail)}
    if entry.label is not None:
        found["label"] = dict(entry.label.texts)
    if entry.about:
        found["about"] = list(entry.about)
    if entry.hidden_from:
        found["hidden_from"] = entry.hidden_from
    return {key: value for key, value in found.items() if value is not None and (key == "value" or value)}


def entry_from_json(data: Mapping[str, Any]) -> Entry:
    label = Label(data["label"]) if "label" in data else None
    return Entry(
        data["kind"],
        data.get("name", ""),
        _frozen(data.get("value")),
        label,
        _frozen(data.get("detail", [])),
        data.get("hidden_from", ""),
        tuple(data.get("about", ())),
    )


def plain(value: Any) -> Any:
    """The same as plain data of our own, for JSON."""
    if value is None or type(value) in _SIMPLE:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Label):
        return {"label": dict(value.texts)}
    if isinstance(value, dice.Symbols):
        return {"symbols": [list(pair) for pair in value.bag]}
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


_SIMPLE = frozenset((str, int, bool))


def _frozen(value: Any) -> Any:
    if value is None or type(value) in _SIMPLE:
        return value
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, Mapping) and "label" in value:
        return Label(value["label"])
    if isinstance(value, Mapping) and "fraction" in value:
        return Fraction(*value["fraction"])
    if isinstance(value, Mapping) and "symbols" in value:
        return dice.Symbols(tuple((str(s), int(n)) for s, n in value["symbols"]))
    return value
