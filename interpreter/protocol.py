"""The commands of the line protocol: what each takes, which types, and the JSON Schema that says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from interpreter.problems import nearest

VERSION = 1
SCHEMA_ID = "https://osselet.example/schemas/protocol-1.json"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a request: the JSON types that it may have."""

    types: tuple[str, ...]
    about: str
    required: bool = False


def _part(types: str, about: str, required: bool = False) -> Part:
    return Part(tuple(types.split("|")), about, required)


ANY = "string|number|boolean|array|object|null"
SYSTEM = _part("string", "The id of a shipped game, or the path of a rule file or folder.", True)
TABLE = _part("string", "The name of the table.", True)
SEAT = _part("string", "Whose seat; each has an action under way of its own. The same one when none is said.")
VIEW = _part("string", "From whose eyes, such as `players`: what is hidden from them is left out.")
MESSAGE = _part("string", "The id of the message that asks for this; the same id is taken once.")
SHEET = _part("string", "The id of the sheet.", True)
ASKED = {
    "action": _part("string", "The id of the action.", True),
    "roles": _part("object", "Sheet ids by role: one, or a list."),
    "inputs": _part("object", "Answers by input; a side's stand under the side's name."),
}
AT_TABLE = {"table": TABLE, "seat": SEAT}
STEP = {**AT_TABLE, "message": MESSAGE, "view": VIEW}


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does, what it takes beside `id` and `do`, what its answer holds."""

    about: str
    parts: Mapping[str, Part]
    gives: tuple[str, ...]


COMMANDS: Mapping[str, Command] = {
    "hello": Command("Who is there.", {}, ("protocol", "version", "systems", "commands")),
    "load": Command(
        "Reads rules and checks them.",
        {"system": SYSTEM},
        ("id", "title", "languages", "version", "rules", "sheets", "ready", "problems"),
    ),
    "actions": Command("The actions that rules declare.", {"system": SYSTEM}, ("actions",)),
    "form": Command(
        "The values of a kind of sheet.",
        {"system": SYSTEM, "kind": _part("string", "The kind of sheet.", True)},
        ("values",),
    ),
    "check_sheet": Command(
        "What is wrong with a sheet.",
        {"system": SYSTEM, "data": _part("object", "The sheet; `sheet` says its kind.", True)},
        ("faults",),
    ),
    "table": Command(
        "Opens a table, or lays a new one with the sheets shared by all.",
        {**AT_TABLE, "system": SYSTEM, "ready": _part("array", "Ready sheets to lay on a new table."), "view": VIEW},
        ("table", "new", "state", "need", "notes"),
    ),
    "tables": Command("The names of the tables that are kept.", {}, ("tables",)),
    "sheet": Command(
        "Brings a sheet, or changes it by hand.",
        {**STEP, "sheet": SHEET, "data": _part("object", "The sheet; `sheet` says its kind.", True)},
        ("need",),
    ),
    "remove": Command("Takes a sheet away.", {**STEP, "sheet": SHEET}, ("need",)),
    "create": Command(
        "Makes a sheet with the dice that it starts with.",
        {
            **STEP,
            "sheet": SHEET,
            "kind": _part("string", "The kind of sheet.", True),
            "data": _part("object", "What is not thrown."),
        },
        ("need", "result"),
    ),
    "offer": Command("An action as it stands now.", {**AT_TABLE, **ASKED, "view": VIEW}, ("offer",)),
    "offers": Command(
        "Every action as it stands now.",
        {**AT_TABLE, "who": _part("string", "The sheet that acts."), "view": VIEW},
        ("offers",),
    ),
    "begin": Command("Begins an action.", {**STEP, **ASKED}, ("need", "result")),
    "answer": Command(
        "Answers what the action under way needs: faces by hand, or a choice.",
        {**STEP, "answer": _part(ANY, "Faces, an option, a list of options, a number or a text.", True)},
        ("need", "result"),
    ),
    "throw": Command(
        "Throws the dice that the action under way needs.",
        {**STEP, "seed": _part("string", "The same faces for the same seed; nobody foresees them without.")},
        ("need", "result"),
    ),
    "need": Command("What the action under way needs.", {**AT_TABLE, "view": VIEW}, ("need", "result")),
    "abandon": Command("Gives up the action under way.", STEP, ("need",)),
    "undo": Command("Takes the last action back.", STEP, ("need",)),
    "redo": Command("Takes an undo back.", STEP, ("need",)),
    "state": Command(
        "The sheets and what holds.",
        {**AT_TABLE, "whole": _part("boolean", "With every value of every sheet, those by default too.")},
        ("state",),
    ),
    "log": Command("Every action, in order.", {**AT_TABLE, "view": VIEW}, ("log", "undone")),
    "replay": Command("Does the whole log again and compares.", AT_TABLE, ("difference",)),
    "odds": Command(
        "How an action comes out, exactly.",
        {
            **AT_TABLE,
            **ASKED,
            "choices": _part("string", "best, worst, first, or the name of a policy."),
            "values": _part("array", "Names of values whose distribution is wanted."),
            "view": VIEW,
        },
        ("outcomes", "values", "exact"),
    ),
    "bye": Command("Ends the conversation.", {}, ()),
}

# JSON's types as Python reads them.
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def fault_of(request: Mapping[str, Any]) -> str | None:
    """What is wrong with a request, in one sentence."""
    name = request.get("do")
    if not isinstance(name, str):
        return "A request says what to `do`."
    command = COMMANDS.get(name)
    if command is None:
        return f"There is no command `{name}`.{_meant(name, COMMANDS)}"
    for part, value in request.items():
        if part in ("id", "do"):
            continue
        if part not in command.parts:
            return f"`{name}` takes no `{part}`.{_meant(part, command.parts)}"
        if not _is_one_of(value, command.parts[part].types):
            return f"`{part}` is {_or(command.parts[part].types)}."
        if isinstance(value, str) and part != "answer" and not is_name(value):
            return f"`{part}` has a character that no name has."
    missing = [part for part, spec in command.parts.items() if spec.required and part not in request]
    return f"`{name}` wants {', '.join(f'`{part}`' for part in missing)}." if missing else None


def is_name(text: str) -> bool:
    """Whether a store can keep a text as a name: without half characters and NUL."""
    return "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)


def _meant(word: str, known: Iterable[str]) -> str:
    close = nearest(word, list(known))
    return f" Did you mean `{close}`?" if close else ""


def _is_one_of(value: object, types: tuple[str, ...]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    return any(isinstance(value, TYPES[one]) for one in types)


def _or(types: tuple[str, ...]) -> str:
    return " or ".join(f"{'an' if one[0] in 'ao' else 'a'} {one}" for one in types)


# ---------------------------------------------------------------------- the schema


def schema() -> dict[str, Any]:
    """The JSON Schema of one line, a request or an answer."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "A line of the protocol of `osselet serve --stdio`",
        "description": "One JSON object a line, in UTF-8. Each request gets one answer with the same `id`, in order.",
        "anyOf": [{"$ref": "#/$defs/request"}, {"$ref": "#/$defs/answer"}, {"$ref": "#/$defs/error"}],
        "$defs": {
            "request": {"oneOf": [_request(name, command) for name, command in COMMANDS.items()]},
            "answer": {
                "type": "object",
                "required": ["id", "ok"],
                "properties": {"id": {}, "ok": {"type": "object", "properties": {"need": {"$ref": "#/$defs/need"}}}},
                "additionalProperties": False,
            },
            "error": {
                "type": "object",
                "required": ["id", "error"],
                "properties": {"id": {}, "error": _object({"code": "string", "message": "string"})},
                "additionalProperties": False,
            },
            "need": _need(),
        },
    }


def _request(name: str, command: Command) -> dict[str, Any]:
    parts = {part: {"type": list(spec.types), "description": spec.about} for part, spec in command.parts.items()}
    return {
        "type": "object",
        "title": name,
        "description": f"{command.about} Gives {', '.join(command.gives) or 'nothing'}.",
        "required": ["do", *(part for part, spec in command.parts.items() if spec.required)],
        "properties": {"id": {}, "do": {"const": name}, **parts},
        "additionalProperties": False,
    }


def _object(parts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(parts),
        "properties": {name: {"type": types.split("|")} for name, types in parts.items()},
    }


def _need() -> dict[str, Any]:
    """What a run waits for, or how it ended."""
    group = _object({"group": "string", "count": "integer", "die": "string", "sides": "integer"})
    option = _object({"id": "string", "label": "object|null", "open": "boolean", "why_not": "object|null"})
    shapes = {
        "roll": {"name": "string", "label": "object|null", "dice": "array", "again": "boolean"},
        "choice": {
            "name": "string",
            "label": "object|null",
            "chooser": "string",
            "sort": "string",
            "options": "array",
            "low": "integer|null",
            "high": "integer|null",
        },
        "done": {"outcome": "string|null", "grade": "string|null"},
        "refused": {"code": "string", "message": "string", "label": "object"},
    }
    needs = []
    for kind, parts in shapes.items():
        need = _object({"kind": "string", **parts})
        need["properties"]["kind"] = {"const": kind}
        needs.append(need)
    needs[0]["properties"]["dice"]["items"] = group
    needs[1]["properties"]["options"]["items"] = option
    return {"oneOf": [{"type": "null"}, *needs]}
