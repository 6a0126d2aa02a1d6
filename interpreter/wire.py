"""Answers of the API as plain data for JSON: needs, offers, actions, forms, problems, odds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from interpreter import dice
from interpreter.api import ActionInfo, Blank, Offer, SheetFault
from interpreter.hidden import hides
from interpreter.inputs import Domain
from interpreter.machine import Done, Need, NeedChoice, NeedRoll
from interpreter.migration import Note
from interpreter.model import Label, System
from interpreter.problems import Problem
from interpreter.replaying import Difference, steps_again
from interpreter.results import refusal_json, result_json
from interpreter.sayings import FIRST, in_language
from interpreter.session import Record
from interpreter.views import view


def label_json(label: Label | None) -> dict[str, str] | None:
    """A text in each language."""
    return None if label is None else dict(label.texts)


# ---------------------------------------------------------------------- what a run needs


def need_json(need: Need, whom: str = "") -> dict[str, Any]:
    """What a run waits for, or how it ended; `kind` is roll, choice, done or refused. With `whom`, a roll that is
    hidden from them is only said to be waited for."""
    if isinstance(need, NeedRoll):
        return _roll(need, bool(whom) and hides(need.hidden_from, whom, False))
    if isinstance(need, NeedChoice):
        return _choice(need)
    if isinstance(need, Done):
        return {"kind": "done", "outcome": need.outcome, "grade": need.grade}
    return {"kind": "refused", **refusal_json(need)}


def _roll(need: NeedRoll, hidden: bool) -> dict[str, Any]:
    groups = [] if hidden else [_group(group) for group in need.pool.groups]
    found = {"kind": "roll", "name": need.name, "label": None if hidden else label_json(need.label), "dice": groups}
    return found | {"again": need.again is not None, "about": list(need.about), "hidden_from": need.hidden_from}


def _group(group: dice.Group) -> dict[str, Any]:
    """Faces are numbers, or texts of symbols; those of plain dice go without saying."""
    faces = [dice.face_text(face) if isinstance(face, dice.Symbols) else face for face in group.die.faces]
    plain = faces == list(range(1, len(faces) + 1))
    found = {"group": group.name, "count": group.count, "die": group.die.name, "sides": group.die.sides}
    return found | ({} if plain else {"faces": faces})


def _choice(need: NeedChoice) -> dict[str, Any]:
    options = [
        {"id": one.id, "label": label_json(one.label), "open": one.open, "why_not": label_json(one.why_not)}
        for one in need.options
    ]
    found: dict[str, Any] = {
        "kind": "choice",
        "name": need.name,
        "label": label_json(need.label),
        "chooser": need.chooser,
    }
    found |= {"sort": need.kind, "options": options, "low": need.low, "high": need.high}
    return found | {"hidden": need.hidden, "about": list(need.about)}


# ---------------------------------------------------------------------- actions and forms


def domain_json(domain: Domain) -> dict[str, Any]:
    """An input with what may be answered now."""
    default = list(domain.default) if isinstance(domain.default, tuple) else domain.default
    return {
        "name": domain.name,
        "sort": domain.kind,
        "label": label_json(domain.label),
        "ids": list(domain.ids),
        "low": domain.low,
        "high": domain.high,
        "least": domain.least,
        "most": domain.most,
        "default": default,
        "required": domain.required,
        "open": domain.open,
        "why_not": label_json(domain.why_not),
        "asked": domain.asked,
        "hidden_from": domain.hidden_from,
    }


def offer_json(offer: Offer, whom: str = "") -> dict[str, Any]:
    """An action as it stands now, without the inputs that are hidden from `whom`."""
    secret = {domain.name for domain in offer.inputs if whom and hides(domain.hidden_from, whom, True)}
    return {
        "action": offer.action,
        "inputs": [domain_json(domain) for domain in offer.inputs if domain.name not in secret],
        "missing": [name for name in offer.missing if name not in secret],
        "faults": [
            {"input": name, "message": in_language(text, FIRST), "label": dict(text.texts)}
            for name, text in offer.faults
            if name not in secret
        ],
        "refused": None if offer.refused is None else refusal_json(offer.refused),
        "ready": offer.ready,
    }


def action_json(action: ActionInfo) -> dict[str, Any]:
    """An action as the rules declare it."""
    roles = [{"name": role.name, "kinds": list(role.kinds), "several": role.several} for role in action.roles]
    outcomes = [{"id": name, "label": label_json(label)} for name, label in action.outcomes.items()]
    found = {"id": action.id, "label": label_json(action.label), "roles": roles, "inputs": list(action.inputs)}
    return found | {"outcomes": outcomes, "best": list(action.best)}


def blank_json(blank: Blank) -> dict[str, Any]:
    """A value of a sheet, for a form."""
    found: dict[str, Any] = {"name": blank.name, "key": blank.key, "section": blank.section, "sort": blank.sort}
    found |= {"label": label_json(blank.label), "ids": list(blank.ids)}
    return found | {"low": blank.low, "high": blank.high}


def fault_json(fault: SheetFault) -> dict[str, Any]:
    return {"path": list(fault.path), "message": fault.message}


def problem_json(problem: Problem) -> dict[str, Any]:
    """A problem of a rule file in its place."""
    place = problem.location
    found = {"code": problem.code, "severity": str(problem.severity.value), "message": problem.message}
    return found | {"hint": problem.hint, "file": place.file, "line": place.line, "column": place.column}


# ---------------------------------------------------------------------- campaigns


def entry_json(number: int, record: Record) -> dict[str, Any]:
    """An entry of a log."""
    found: dict[str, Any] = {"number": number, "request": dict(record.request), "answers": list(record.answers)}
    found |= {"outcome": record.outcome, "grade": record.grade, "events": [dict(event) for event in record.events]}
    return found | {"message": record.id}


def seen_entry_json(system: System, number: int, record: Record, whom: str) -> dict[str, Any]:
    """The same as `whom` sees it, done again to know what that is; null stands for an answer that is hidden."""
    found = entry_json(number, record)
    if "action" not in record.request and "create" not in record.request:
        return found
    *steps, (run, end) = steps_again(system, record.before, record)
    if run is None or not isinstance(end, Done) or len(steps) != len(record.answers):
        # The rules have changed: what is hidden cannot be told from what is not.
        asked = {name: value for name, value in record.request.items() if name not in ("inputs", "data")}
        return found | {"request": asked, "answers": [None for _ in record.answers], "events": []}
    shown = view(result_json(system, run, end), whom)
    hidden = [isinstance(need, NeedRoll) and hides(need.hidden_from, whom, True) for _, need in steps]
    answers = [None if out else answer for out, answer in zip(hidden, record.answers, strict=True)]
    request = {
        name: _only(value, shown["inputs"]) if name == "inputs" else value for name, value in record.request.items()
    }
    return found | {"request": request, "answers": answers, "events": shown["events"]}


def _only(given: Mapping[str, Any], shown: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The answers of a request that are among those shown, whose names are dotted."""
    kept = {}
    for name, value in given.items():
        if isinstance(value, Mapping):
            kept[name] = _only(value, shown, f"{prefix}{name}.")
        elif f"{prefix}{name}" in shown:
            kept[name] = value
    return kept


def note_json(note: Note) -> dict[str, Any]:
    return {"kind": note.kind, "sheet": note.sheet, "path": list(note.path), "message": note.message}


def difference_json(found: Difference | None) -> dict[str, Any] | None:
    """Where a log and its replay part."""
    if found is None:
        return None
    return {"number": found.number, "where": found.where, "logged": found.logged, "replayed": found.replayed}


# ---------------------------------------------------------------------- odds


def chances_json(chances: Mapping[Any, Any]) -> dict[str, Any]:
    """Probabilities: an exact one as a text such as `29/32`, with its value."""
    return {str(name): _chance(chance) for name, chance in chances.items()}


def _chance(chance: Any) -> dict[str, Any]:
    exact = Fraction(chance) if isinstance(chance, int | Fraction) else None
    return {"value": float(chance), "exact": None if exact is None else str(exact)}
