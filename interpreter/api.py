"""What an app calls: rules, sheets, actions and their inputs, runs, results; values in, new values out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from interpreter import dice, loader
from interpreter.fields import FieldInfo, constant_range, kind_of
from interpreter.hidden import hidden_names, hides
from interpreter.inputs import Domain
from interpreter.layout import State, sheet_faults
from interpreter.machine import Done, Need, NeedRoll, Refused, Run, advance
from interpreter.model import Label, System
from interpreter.ready import character
from interpreter.replaying import answer_of
from interpreter.results import result_json
from interpreter.rules import Rules
from interpreter.runs import run_from_json, run_to_json
from interpreter.start import Request, after, answers_now, wanted_roles, whole_sheet
from interpreter.start import begin as begin_run
from interpreter.start import create as create_run
from interpreter.views import inside, view
from interpreter.written import result_text

if TYPE_CHECKING:
    from interpreter.odds import NoOdds, Odds


class Step(NamedTuple):
    """A run, and what it needs: NeedRoll, NeedChoice, Done or Refused. There is no run when it could not begin."""

    run: Run | None
    need: Need


@dataclass(frozen=True, slots=True)
class SheetFault:
    """Something wrong with a sheet's data, at the path of its keys."""

    path: tuple[str | int, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Blank:
    """A value that a sheet of some kind holds, for a form; `key` is there for one of a family.

    `sort` is number, flag, key, set, text, one (a reference to a sheet) or die; `ids` what it can be; `low` and `high`
    its plain bounds."""

    name: str
    key: str | None
    section: str
    sort: str
    label: Label | None
    ids: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Role:
    """Who takes part in an action: sheets of one of these kinds, one or several."""

    name: str
    kinds: tuple[str, ...]
    several: bool


@dataclass(frozen=True, slots=True)
class ActionInfo:
    """An action as the rules declare it. `best`: the outcomes that whoever acts wants."""

    id: str
    label: Label | None
    roles: tuple[Role, ...]
    inputs: tuple[str, ...]
    outcomes: Mapping[str, Label | None]
    best: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """An action as it stands now: what its inputs can be, which of them still want an answer, which answers are wrong,
    and why it cannot begin, if it cannot."""

    action: str
    inputs: tuple[Domain, ...]
    missing: tuple[str, ...]
    faults: tuple[tuple[str, Label], ...]
    refused: Refused | None

    @property
    def ready(self) -> bool:
        """Whether it can begin as asked."""
        return not (self.missing or self.faults or self.refused)


# ---------------------------------------------------------------------- rules and sheets


def load(where: str | Path) -> Rules:
    """The rules of a file, a folder or a shipped id. `problems` holds everything wrong with them, warnings too;
    `system` is None when there is an error among it."""
    rules = loader.load(where)
    if all(problem.severity != "error" for problem in rules.problems):
        return rules
    return replace(rules, system=None)


def new_table(system: System, *ready: str) -> State:
    """A table with the sheets shared by all, and with ready sheets of these names."""
    sheets: dict[str, Mapping[str, object]] = {}
    for kind in (kind for kind, spec in system.sheets.items() if spec.only_one):
        name = next((name for name, data in system.characters.items() if data.get("sheet") == kind), None)
        sheets[name or kind] = {"sheet": kind} if name is None else character(system, name)
    return State({**sheets, **{name: character(system, name) for name in ready}})


def with_sheet(state: State, sheet_id: str, data: Mapping[str, Any]) -> State:
    """The table with a sheet more, or with another one in its place."""
    return State({**state.sheets, sheet_id: data}, state.flags)


def check_sheet(system: System, data: Mapping[str, Any]) -> tuple[SheetFault, ...]:
    """What is wrong with a sheet's data; `data["sheet"]` says its kind."""
    return tuple(SheetFault(path, message) for path, message in sheet_faults(system, data))


def sheet_form(system: System, kind: str) -> tuple[Blank, ...]:
    """Every single value of a kind of sheet, for a form; the lists that it holds are not among them."""
    return tuple(_blank(info) for info in kind_of(system, kind).fields)


def _blank(info: FieldInfo) -> Blank:
    low, high = constant_range(info.spec)
    ids = info.ids.ids if info.ids is not None else ()
    return Blank(info.name, info.key, info.section, info.sort, info.spec.label, ids, low, high)


# ---------------------------------------------------------------------- actions


def actions(system: System) -> tuple[ActionInfo, ...]:
    """Every action of the rules, in their order."""
    return tuple(_action(system, name) for name in system.actions)


def _action(system: System, name: str) -> ActionInfo:
    action = system.actions[name]
    roles = tuple(Role(role, kinds, several) for role, (kinds, several) in wanted_roles(system, name).items())
    inputs = [*action.inputs, *(f"{side}.{one}" for side, phases in action.sides.items() for one in phases.inputs)]
    outcomes = {outcome: spec.label for outcome, spec in action.outcomes.items()}
    return ActionInfo(name, action.label, roles, tuple(inputs), outcomes, action.best)


def offer(system: System, state: State, request: Request) -> Offer:
    """What an action asks as things stand, with the answers so far, and whether it may begin. Nothing is thrown."""
    answers = answers_now(system, state, request)
    if isinstance(answers, Refused):
        return Offer(request.action, (), (), (), answers)
    given = set(_dotted(request.inputs))
    missing = tuple(fault.name for fault in answers.faults if fault.name not in given)
    faults = tuple((fault.name, fault.label) for fault in answers.faults if fault.name in given)
    refused = None
    if not answers.faults:
        need = begin(system, state, request).need
        refused = need if isinstance(need, Refused) else None
    return Offer(request.action, tuple(answers.domains.values()), missing, faults, refused)


def offers(system: System, state: State, who: str | None = None) -> tuple[Offer, ...]:
    """Every action as it stands now, for one sheet that acts where it can."""
    return tuple(offer(system, state, Request(name, _acting(system, state, name, who))) for name in system.actions)


def _acting(system: System, state: State, action: str, who: str | None) -> dict[str, tuple[str, ...]]:
    kinds, _ = wanted_roles(system, action).get("self", ((), False))
    can = who is not None and who in state.sheets and state.sheets[who].get("sheet") in kinds
    return {"self": (who,)} if can and who is not None else {}


def _dotted(inputs: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in inputs.items():
        yield f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{name}.")


# ---------------------------------------------------------------------- runs


def begin(system: System, state: State, request: Request) -> Step:
    """An action begun: what it needs first. Refused says why it cannot begin."""
    return _first(begin_run(system, state, request))


def create(system: System, state: State, sheet_id: str, data: Mapping[str, Any]) -> Step:
    """A sheet made, with the dice that it starts with: what is given is not thrown. `data["sheet"]` says its kind."""
    return _first(create_run(system, with_sheet(state, sheet_id, data), sheet_id))


def _first(run: Run | Refused) -> Step:
    if isinstance(run, Refused):
        return Step(None, run)
    return Step(*advance(run))


def needs(run: Run) -> Need:
    """What a run waits for, or how it ended."""
    return advance(run)[1]


def answer(run: Run, given: Any) -> Step:
    """A run after an answer: faces thrown (a list, by group where there are several), a dice.Result, or a choice.

    A wrong answer gives Refused with the run as it was, to be answered again.
    """
    need = needs(run)
    if isinstance(need, Done | Refused):
        return Step(run, Refused("over", "This action waits for no answer."))
    return Step(*advance(run, answer_of(need, given)))


def throw(run: Run, source: dice.Source) -> Step:
    """A run after the roll that it waits for, with faces from a source."""
    need = needs(run)
    if not isinstance(need, NeedRoll):
        return Step(run, Refused("over", "This action waits for no roll."))
    try:
        return Step(*advance(run, need.throw(source)))
    except dice.DiceError as error:
        return Step(run, Refused("dice", str(error), need.label))


def result(run: Run, whom: str = "") -> dict[str, Any]:
    """What came of a run, or of its part so far: outcome, values, rolls, events, sheets, trace. With `whom`, as someone
    sees it from whom something may be hidden, such as `players`."""
    found = result_json(run.program.layout.system, run, needs(run))
    return view(found, whom) if whom else found


def to_text(run: Run) -> str:
    """`result(run)` as JSON text, made faster."""
    return result_text(run.program.layout.system, run, needs(run))


def odds_for(system: System, state: State, request: Request, whom: str, **how: Any) -> Odds | NoOdds:
    """Exact odds as `whom` may know them: without values that are hidden from them, and none at all where an input is.
    `how` is what `exact_odds` takes."""
    from interpreter.odds import NoOdds, odds

    run = begin(system, state, request).run
    program = None if run is None else run.program
    secret = {name for name, who in hidden_names(program).items() if hides(who, whom, True)} if program else set()
    if program and any(inside(name, secret) for name in program.inputs):
        return NoOdds("hidden", f"These odds would tell what is hidden from {whom}.")
    found = odds(system, state, request, **how)
    if isinstance(found, NoOdds):
        return found
    values = {name: spread for name, spread in found.values.items() if not inside(name, secret)}
    joints = {names: spread for names, spread in found.joints.items() if not any(inside(n, secret) for n in names)}
    return replace(found, values=values, joints=joints)


def freeze(run: Run) -> dict[str, Any]:
    """A suspended run as plain data for `json.dumps`."""
    return run_to_json(run.program.layout.system, run)


def thaw(system: System, data: Any) -> Step:
    """The run of `freeze`, in this process or another; Refused when the rules have changed since, or for other data."""
    return _first(run_from_json(system, data))


__all__ = [
    "ActionInfo",
    "Blank",
    "Offer",
    "Role",
    "SheetFault",
    "Step",
    "actions",
    "after",
    "answer",
    "begin",
    "check_sheet",
    "create",
    "freeze",
    "load",
    "needs",
    "new_table",
    "odds_for",
    "offer",
    "offers",
    "result",
    "sheet_form",
    "thaw",
    "throw",
    "to_text",
    "view",
    "whole_sheet",
    "with_sheet",
]
