"""What came of a run as JSON text: what results.py gives as data, put together from pieces that stay the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from interpreter.hidden import hidden_names, reported
from interpreter.layout import State
from interpreter.machine import Done, Entry, Need, Origin, Refused, Run
from interpreter.model import Label, System
from interpreter.program import Program
from interpreter.results import EVENTS, inputs, refusal_json, roles_of, roll_json, sheets_after
from interpreter.runs import entry_to_json
from interpreter.start import after

MOST_REMEMBERED = 4096
encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def result_text(system: System, run: Run, need: Need) -> str:
    """`json.loads` of it is what `result_json` gives."""
    entry, faces = _only_roll(run)
    if entry is None or faces is None:
        return _whole(system, run, need)
    # Runs of one origin that went the same way from the same readings differ in nothing but faces.
    key = id(run.origin), id(run.told), entry.detail
    known = _TEMPLATES.get(key)
    if known is None or known[0] is not run.origin or known[1] is not run.told:
        known = _template(system, run, need, entry, faces)
        if len(_TEMPLATES) >= MOST_REMEMBERED:
            _TEMPLATES.clear()
        _TEMPLATES[key] = known
    return f"{known[2]}{','.join(faces)}{known[3]}{'],['.join(faces)}{known[4]}"


_Template = tuple[Origin | None, tuple[Entry, ...] | None, str, str, str]
_TEMPLATES: dict[Any, _Template] = {}


def _only_roll(run: Run) -> tuple[Entry | None, list[str] | None]:
    """The roll of a run that has made no other, and its faces, if it is a plain one; nothing for any other run."""
    origin, told = run.origin, run.told
    if origin is None or origin.first is None or told is None:
        return None, None
    before, trace = len(origin.first[0].trace), run.trace
    if len(trace) != before + 1 + len(told) or trace[before].kind != "roll" or not _is_plain(trace[before]):
        return None, None
    return trace[before], _single(trace[before].value)


def _template(system: System, run: Run, need: Need, entry: Entry, faces: list[str]) -> _Template:
    """The text of such a run, cut where its faces stand."""
    line, _, roll, _ = _roll(entry)
    before, _, rest = _whole(system, run, need).partition(roll)
    between, _, after_ = rest.partition(line)
    in_roll, in_line = f'"faces":[{",".join(faces)}]', f"[[{'],['.join(faces)}]]"
    roll_start, _, roll_end = roll.partition(in_roll)
    line_start, _, line_end = line.partition(in_line)
    middle = f"]{roll_end}{between}{line_start}[["
    return run.origin, run.told, f'{before}{roll_start}"faces":[', middle, f"]]{line_end}{after_}"


def _whole(system: System, run: Run, need: Need) -> str:
    origin = run.origin or Origin(run.registers)
    head, told = _BEGINNINGS.of(origin, system, run)
    trace, rolls, choices, messages, events, values = told.copied()
    lists = {"rolls": rolls, "choices": choices, "messages": messages, "events": events}
    for entry in run.trace[told.entries :]:
        pieces = _roll(entry) if entry.kind in ("roll", "reroll") else _ENTRIES.of(entry)
        trace.append(pieces[0])
        if pieces[1]:
            lists[pieces[1]].append(pieces[2])
        if pieces[3]:
            values.update(pieces[3])
    registers = run.registers
    for name, slot, start in _reported(run.program):
        values[name] = start + _value(registers[slot])
    outcome, grade = (_value(need.outcome), _value(need.grade)) if isinstance(need, Done) else ("null", "null")
    return (
        f'{head}"over":{_PLAIN[isinstance(need, Done)]},"outcome":{outcome},"grade":{grade},'
        f'"values":{{{",".join(values.values())}}},'
        f'"rolls":[{",".join(rolls)}],"choices":[{",".join(choices)}],"messages":[{",".join(messages)}],"events":[{",".join(events)}],'
        f'"trace":[{",".join(trace)}],{_table(system, after(run), run)}'
        f'"hidden_from":{told.hidden},'
        f'"refused":{encode(refusal_json(need)) if isinstance(need, Refused) else "null"}}}'
    )


class _Told(NamedTuple):
    """What was told before the first roll or choice, the same for all runs of one origin."""

    entries: int
    trace: list[str]
    rolls: list[str]
    choices: list[str]
    messages: list[str]
    events: list[str]
    values: dict[str, str]
    hidden: str

    def copied(self) -> tuple[list[str], list[str], list[str], list[str], list[str], dict[str, str]]:
        return (
            self.trace.copy(),
            self.rolls.copy(),
            self.choices.copy(),
            self.messages.copy(),
            self.events.copy(),
            self.values.copy(),
        )


def _beginning(origin: Origin, system: System, run: Run) -> tuple[str, _Told]:
    said = {"system": system.id, "action": run.program.action, "roles": roles_of(run), "inputs": inputs(run)}
    entries = origin.first[0].trace if origin.first is not None else ()
    told = _Told(len(entries), [], [], [], [], [], {}, encode(dict(hidden_names(run.program))))
    for entry in entries:
        line, where, text, values = _pieces(entry)
        told.trace.append(line)
        told.values.update(values)
        if where:
            getattr(told, where).append(text)
    return f"{encode(said)[:-1]},", told


@lru_cache(maxsize=512)
def _reported(program: Program) -> tuple[tuple[str, int, str], ...]:
    return tuple((name, slot, f"{_text(name)}:") for name, slot in reported(program))


class _Remembered:
    """What was written of things that never change, by their identity; they are kept, so that none takes another's
    place."""

    def __init__(self, write: Callable[..., Any], most: int = MOST_REMEMBERED) -> None:
        self._write, self._most = write, most
        self._known: dict[int, tuple[Any, Any]] = {}

    def of(self, thing: Any, *more: Any) -> Any:
        found = self._known.get(id(thing))
        if found is not None and found[0] is thing:
            return found[1]
        written = self._write(thing, *more)
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[id(thing)] = thing, written
        return written


# ---------------------------------------------------------------------- pieces

Pieces = tuple[str, str, str, dict[str, str]]


def _pieces(entry: Entry) -> Pieces:
    """An entry's line of the trace, the list in which it stands besides and as what, and the values that it gives."""
    line, text = encode(entry_to_json(entry)), ""
    name = _text(entry.name)
    if entry.kind == "value":
        return line, "", "", {entry.name: f"{name}:{_plain_text(entry.value)}"}
    if entry.kind == "choice":
        return line, "choices", f'{{"name":{name},"value":{_plain_text(entry.value)}}}', {}
    if entry.kind == "say" and entry.label is not None:
        return line, "messages", encode(dict(entry.label.texts)), {}
    if entry.kind in EVENTS:
        text = f'{{"kind":{_text(entry.kind)},"name":{name}}}'
    return line, "events" if text else "", text, {}


def _plain_text(value: Any) -> str:
    return encode(dict(value.texts) if isinstance(value, Label) else value)


def _roll(entry: Entry) -> Pieces:
    """The same for a roll, whose faces are new every time."""
    detail: Any = entry.detail
    line_end, readings, values = _readings(entry.name, detail)
    faces = _single(entry.value)
    if faces is None or not _is_plain(entry):
        return encode(entry_to_json(entry)), "rolls", encode(roll_json(entry)), values
    start = f'{{"kind":"{entry.kind}","name":{_text(entry.name)},'
    line = f'{start}"value":[["",[[{"],[".join(faces)}]]]],{line_end},"label":{_LABELS.of(entry.label)}}}'
    return line, "rolls", f'{start}"faces":[{",".join(faces)}],{readings}}}', values


def _is_plain(entry: Entry) -> bool:
    return entry.label is not None and not entry.about and not entry.hidden_from and bool(entry.detail)


def _single(log: Any) -> list[str] | None:
    """The faces of a roll of one nameless group in which every die was thrown once; None for any other roll."""
    if len(log) != 1 or log[0][0] or not log[0][1]:
        return None
    try:
        return [_DIGITS[face] for (face,) in log[0][1]]
    except (KeyError, ValueError):  # a face without digits here; more than one face on a die
        return None


_DIGITS = {face: str(face) for face in range(1001)}


@lru_cache(maxsize=MOST_REMEMBERED)
def _readings(name: str, detail: tuple[tuple[str, int], ...]) -> tuple[str, str, dict[str, str]]:
    values: dict[str, str] = {}
    for reading, number in detail:
        for full in (name, f"{name}.{reading}") if reading == "total" else (f"{name}.{reading}",):
            values[full] = f"{_text(full)}:{number}"
    return f'"detail":{encode(detail)}', f'"readings":{encode(dict(detail))}', values


@lru_cache(maxsize=MOST_REMEMBERED)
def _text(text: str) -> str:
    return encode(text)


def _value(value: Any) -> str:
    kind = type(value)
    if kind is int:
        return str(value)
    return _text(value) if kind is str else _PLAIN[value] if kind in _PLAIN_KINDS else encode(value)


_PLAIN_KINDS = frozenset((bool, type(None)))
_PLAIN = {True: "true", False: "false", None: "null"}


def _table(system: System, state: State, run: Run) -> str:
    """The sheets and flags after the run: written once for the state and those who took part."""
    who = run.request.get("roles")
    texts: dict[int, tuple[object, str]] = _TABLES.of(state)
    known = texts.get(id(who))
    if known is not None and known[0] is who:
        return known[1]
    sheets = encode(sheets_after(system, state, roles_of(run)))
    texts[id(who)] = who, f'"sheets":{sheets},"flags":{encode(sorted(state.flags))},'
    return texts[id(who)][1]


_ENTRIES = _Remembered(_pieces)
_LABELS = _Remembered(lambda label: encode(dict(label.texts)))
_BEGINNINGS = _Remembered(_beginning, 256)
_TABLES = _Remembered(lambda state: {}, 256)
