"""What an action asks before it begins: who takes part, then each input with what may be answered now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interpreter.cli.desk import Desk
from interpreter.inputs import Domain
from interpreter.machine import Refused
from interpreter.model import Input, System
from interpreter.start import Request, domains, wanted_roles

Roles = dict[str, tuple[str, ...]]


# ---------------------------------------------------------------------- who


def missing_kinds(desk: Desk, action: str) -> list[str]:
    """The kinds of sheet that an action wants and that are not at the table."""
    there = {data.get("sheet") for data in desk.sheets.values()}
    wanted = wanted_roles(desk.system, action).values()
    lacking = [desk.names.say("or").join(map(desk.names.kind, kinds)) for kinds, _ in wanted if not set(kinds) & there]
    return list(dict.fromkeys(lacking))


def ask_roles(desk: Desk, action: str) -> Roles:
    """Asks who plays each role where more than one could."""
    chosen: Roles = {}
    for role, (kinds, several) in wanted_roles(desk.system, action).items():
        taken = {i for ids in chosen.values() for i in ids}
        ids = [i for i, data in desk.sheets.items() if data.get("sheet") in kinds and i not in taken]
        labels = [desk.sheet_name(i) for i in ids]
        question = desk.names.role(action, role)
        if len(ids) < 2:
            chosen[role] = tuple(ids)
        elif several:
            chosen[role] = tuple(ids[i] for i in desk.console.choose_several(question, labels, 1, None))
        else:
            chosen[role] = (ids[desk.console.choose_one(question, labels, _usual(desk, role, ids))],)
    return chosen


def _usual(desk: Desk, role: str, ids: list[str]) -> int:
    """Whoever played this role last, else the first."""
    for record in reversed(desk.session.log):
        played = record.request.get("roles", {}).get(role, [])
        if len(played) == 1 and played[0] in ids:
            return ids.index(played[0])
    return 0


# ---------------------------------------------------------------------- inputs


def ask_inputs(desk: Desk, action: str, roles: Roles) -> dict[str, Any]:
    """Asks for each input in order; what may be answered can depend on the answers before."""
    given: dict[str, Any] = {}
    asked: set[str] = set()
    while True:
        found = domains(desk.system, desk.session.state, Request(action, roles, given))
        waiting = [] if isinstance(found, Refused) else [d for name, d in found[0].items() if name not in asked]
        if not waiting:
            return given
        domain = waiting[0]
        asked.add(domain.name)
        answer = _ask_domain(desk, action, domain)
        if answer is not None:
            _put(given, domain.name.split("."), answer)


def _put(given: dict[str, Any], names: list[str], answer: Any) -> None:
    for name in names[:-1]:
        given = given.setdefault(name, {})
    given[names[-1]] = answer


def _ask_domain(desk: Desk, action: str, domain: Domain) -> Any:
    """The answer, or None to leave the default; what cannot be used now says why, if the rules do."""
    question, spec = _question(desk, action, domain)
    if not domain.open:
        if domain.why_not is not None:
            desk.console.say("closed", what=question, why=desk.names.label(domain.why_not, ""))
        return None
    if domain.kind in ("key", "things", "set") and not domain.ids:
        return None
    return _ASKERS[domain.kind](desk, question, domain, spec)


def _question(desk: Desk, action: str, domain: Domain) -> tuple[str, Input | None]:
    """What is asked, after the side or the sheet that it is for and whoever else answers it."""
    names = desk.names
    head, dot, rest = domain.name.partition(".")
    side = head if dot and head in desk.system.actions[action].sides else ""
    wanted, _, sheet_id = (rest if side else domain.name).partition(".")
    spec = _spec(desk.system, action, side, wanted)
    parts = [names.side(action, side)] if side else []
    parts += [desk.sheet_name(sheet_id)] if sheet_id else []
    parts.append(names.label(domain.label, wanted))
    asked = f" [{names.who(domain.asked)}]" if domain.asked else ""
    return ", ".join(parts) + asked, spec


def _spec(system: System, action: str, side: str, name: str) -> Input | None:
    declared = system.actions[action]
    return (declared.sides[side] if side else declared).inputs.get(name)


def _key(desk: Desk, question: str, domain: Domain, spec: Input | None) -> Any:
    labels = [desk.names.answer(spec, one) for one in domain.ids]
    default = domain.ids.index(str(domain.default)) if domain.default in domain.ids else None
    if len(labels) == 1 and domain.required:
        return domain.ids[0]
    if default is None and not domain.required:
        question = f"{question} {desk.names.say('none_allowed')}"
    found = desk.console.choose(question, labels, default, none=not domain.required)
    return None if found is None or found == default else domain.ids[found]


def _number(desk: Desk, question: str, domain: Domain, spec: Input | None) -> Any:
    default = domain.default if isinstance(domain.default, int) else None if domain.required else domain.low
    if domain.low is not None and domain.low == domain.high:
        return domain.low
    clamped = spec is not None and spec.beyond == "clamp"
    low, high = (None, None) if clamped else (domain.low, domain.high)
    shown = f"{question} ({domain.low}..{domain.high})" if clamped and domain.high is not None else question
    return desk.console.number(shown, low, high, default)


def _flag(desk: Desk, question: str, domain: Domain, spec: Input | None) -> Any:
    return desk.console.flag(question, bool(domain.default))


def _things(desk: Desk, question: str, domain: Domain, spec: Input | None) -> Any:
    labels = _told_apart(desk, domain.ids)
    if domain.least == domain.most == 1:
        return [domain.ids[0 if len(labels) == 1 else desk.console.choose_one(question, labels)]]
    if domain.most == 1:
        found = desk.console.choose(f"{question} {desk.names.say('none_allowed')}", labels, none=True)
        return None if found is None else [domain.ids[found]]
    return [domain.ids[i] for i in desk.console.choose_several(question, labels, domain.least, domain.most)]


def _told_apart(desk: Desk, ids: tuple[str, ...]) -> list[str]:
    """Things by their texts; records of several sheets by their owner too."""
    labels = [desk.names.thing(one, desk.sheets) for one in ids]
    owners = [one.partition("/")[0] for one in ids]
    if len(set(owners)) == 1 or not any("/" in one for one in ids):
        return labels
    return [f"{label} ({desk.sheet_name(owner)})" for label, owner in zip(labels, owners, strict=True)]


def _set(desk: Desk, question: str, domain: Domain, spec: Input | None) -> Any:
    labels = [desk.names.answer(spec, one) for one in domain.ids]
    return [domain.ids[i] for i in desk.console.choose_several(question, labels, domain.least, domain.most)]


def _text(desk: Desk, question: str, domain: Domain, spec: Input | None) -> Any:
    return desk.console.text(question, str(domain.default or "")) or None


_ASKERS: Mapping[str, Callable[[Desk, str, Domain, Input | None], Any]] = {
    "key": _key,
    "number": _number,
    "flag": _flag,
    "things": _things,
    "set": _set,
    "text": _text,
}
