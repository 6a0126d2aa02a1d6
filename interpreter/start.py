"""An action begun: roles and inputs read, the program compiled for the things in play, its registers filled."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

from interpreter.acts import writes_of
from interpreter.bound import Bound, Many, Space
from interpreter.compiler import ProgramTooLarge, compile_action
from interpreter.compiler.actions import Casting, compile_creation
from interpreter.defaults import NoDefault
from interpreter.expressions import EvaluationError
from interpreter.inputs import Answers, Domain, InputReader, Known
from interpreter.layout import BadValue, Layout, State, given_value, save, sheet_faults
from interpreter.list_changes import changed, closed_up
from interpreter.machine import Origin, Refused, Run
from interpreter.model import Phases, System
from interpreter.program import ListChange, Program
from interpreter.recent import Recent
from interpreter.registers import grow, initial
from interpreter.resolve import Resolver
from interpreter.sayings import joined, listed, refusal, refused_as, said, with_nearest
from interpreter.snapshot import FixedDict, fixed

MOST_REMEMBERED = 256


@dataclass(frozen=True, slots=True, init=False)
class Request:
    """What is asked: an action, the sheets by role, the inputs.

    A side's inputs stand under the side's name, or are called `side.input`; so are those with an answer for each thing.
    What is handed in is copied, so that a request never changes.
    """

    action: str
    roles: Mapping[str, tuple[str, ...]]
    inputs: Mapping[str, object]
    key: tuple[object, ...] = field(init=False, compare=False, repr=False)

    def __init__(
        self,
        action: str,
        roles: Mapping[str, str | Sequence[str]] = FixedDict(),
        inputs: Mapping[str, object] = FixedDict(),
    ) -> None:
        played = {role: (ids,) if isinstance(ids, str) else tuple(ids) for role, ids in roles.items()}
        object.__setattr__(self, "action", action)
        object.__setattr__(self, "roles", FixedDict(played))
        object.__setattr__(self, "inputs", fixed(_nested(inputs)))
        object.__setattr__(self, "key", (action, tuple(played.items()), _key_of(self.inputs)))


def _nested(inputs: Mapping[str, object]) -> Mapping[str, object]:
    """Answers called `side.input` under the name of their side."""
    if not any("." in name for name in inputs):
        return inputs
    found: dict[str, object] = {}
    for name, value in inputs.items():
        first, _, rest = name.partition(".")
        inner = found.get(first)
        if rest:
            found[first] = {**(inner if isinstance(inner, Mapping) else {}), rest: value}
        else:
            found[name] = {**inner, **value} if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return {name: _nested(value) if isinstance(value, Mapping) else value for name, value in found.items()}


def _key_of(value: object) -> object:
    """The same for the same answers, each with its class, since 1 and True are equal."""
    if isinstance(value, Mapping):
        return tuple((name, _key_of(item)) for name, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(_key_of(item) for item in value)
    return type(value), value if isinstance(value, Hashable) else repr(value)


def begin(system: System, state: State, request: Request) -> Run | Refused:
    """The run of an action at its first instruction, or why it cannot begin. It is worked out once for each state."""
    key = system, request.key
    known: Run | Refused | None = state.memo.get(key)
    if known is None:
        known = _begin(system, state, request)
        if len(state.memo) >= MOST_REMEMBERED:
            state.memo.clear()
        state.memo[key] = known
    return known


def _begin(system: System, state: State, request: Request) -> Run | Refused:
    prepared = _prepare(system, state, request)
    if isinstance(prepared, Refused):
        return prepared
    layout, values, reader, roles = prepared
    faults = reader.answers.faults
    if faults:
        return refused_as("input", joined((fault.label for fault in faults), "\n"))
    casting = Casting(roles, reader.answers.picks)
    try:
        program = _program(request.action, layout, casting)
    except ProgramTooLarge:
        return refusal("limit", "too_large")
    registers = list(values)
    grow(program.layout, state, registers)
    for name, slot in program.inputs.items():
        registers[slot] = reader.answers.values.get(name)
    asked = {"action": request.action, "roles": {k: list(v) for k, v in roles.items()}, "inputs": request.inputs}
    return _new_run(program, state, registers, asked)


def _new_run(program: Program, state: State, registers: list[object], asked: Mapping[str, object]) -> Run:
    values = tuple(registers)
    return Run(program, state, values, request=fixed(asked), origin=Origin(values))


_PROGRAMS: Recent[Program] = Recent(256)
_MEANINGS: Recent[Known] = Recent(256)


def _program(action: str, layout: Layout, casting: Casting) -> Program:
    """The program for things of this shape, compiled once."""
    key = (action, layout.shape(), tuple(casting.roles.items()), tuple(casting.picks.items()))
    return _PROGRAMS.of(key, lambda: compile_action(layout.system, action, layout, casting))


def domains(system: System, state: State, request: Request) -> tuple[dict[str, Domain], list[str]] | Refused:
    """The inputs of an action with what may be answered now, and what is wrong with the answers so far."""
    answers = answers_now(system, state, request)
    if isinstance(answers, Refused):
        return answers
    return answers.domains, [fault.message for fault in answers.faults]


def answers_now(system: System, state: State, request: Request) -> Answers | Refused:
    """The answers of a request read against what may be answered now."""
    prepared = _prepare(system, state, request)
    return prepared if isinstance(prepared, Refused) else prepared[2].answers


def create(system: System, state: State, sheet_id: str) -> Run | Refused:
    """The run that throws the dice with which a sheet, there already in the state, starts."""
    data = state.sheets[sheet_id]
    faults = [message for _, message in sheet_faults(system, data)]
    if faults:
        return Refused("sheet", " ".join(faults))
    layout = Layout(system)
    try:
        layout.include((sheet_id,), state)
        entity = layout.entities[sheet_id]
        given = frozenset(i.dotted for i in entity.kind.fields if given_value(data, i, "now")[1])
        program = compile_creation(system, layout, sheet_id, given)
        values = initial(system, layout, state, thrown=True)
    except (NoDefault, BadValue, EvaluationError) as error:
        return Refused("sheet", str(error))
    grow(layout, state, values)
    return _new_run(program, state, values, {"create": sheet_id})


def after(run: Run) -> State:
    """The state of the table once the run is done; the very same one when nothing that it keeps has changed."""
    origin = run.origin
    if origin is None or len(origin.registers) != len(run.registers) or _changes_lists(run.program):
        return _after(run)
    written = written_slots(run.program)
    if written is not None and written(run.registers) != written(origin.registers):
        return _after(run)
    if origin.settled is None:
        origin.settled = _after(run)
    return origin.settled


@lru_cache(maxsize=512)
def written_slots(program: Program) -> Callable[[tuple[object, ...]], object] | None:
    """Takes the kept registers that a program can write; None when there are none."""
    slots = {slot for item in program.instructions for slot in writes_of(item)}
    kept = sorted(slot for slot in slots if program.registers[slot].kept)
    return itemgetter(*kept) if kept else None


@lru_cache(maxsize=512)
def _changes_lists(program: Program) -> bool:
    return any(isinstance(item, ListChange) for item in program.instructions)


def _after(run: Run) -> State:
    state = run.state
    layout, values = changed(run.program.layout, run.registers, state, run.trace)
    flags = {name for name in state.flags if f"#{name}" not in layout.slots}
    flags |= {
        r.name[1:] for r, value in zip(layout.registers, values, strict=False) if r.name[0] == "#" and value is True
    }
    saved = State(save(layout, values, state), frozenset(flags))
    if layout is not run.program.layout:
        saved = closed_up(layout, saved)
    return state if saved == state else saved


def whole_sheet(system: System, state: State, sheet_id: str) -> Mapping[str, Any] | Refused:
    """A sheet with every value that its kind holds, those by default too, as an action would find it."""
    if sheet_id not in state.sheets:
        return refusal("sheet", "no_such_sheet", sheet=sheet_id)
    layout = Layout(system)
    try:
        layout.include((sheet_id,), state)
        values: list[Any] = initial(system, layout, state)
    except (NoDefault, BadValue, EvaluationError) as error:
        return Refused("sheet", str(error))
    return save(layout, values, state)[sheet_id]


# ---------------------------------------------------------------------- pieces

Prepared = tuple[Layout, list[object], InputReader, dict[str, tuple[str, ...]]]


def _prepare(system: System, state: State, request: Request) -> Prepared | Refused:
    action = system.actions.get(request.action)
    if action is None:
        return refused_as(
            "action", with_nearest(said("no_action", name=request.action), request.action, system.actions)
        )
    roles = _roles(system, state, request)
    if isinstance(roles, Refused):
        return roles
    layout = Layout(system)
    try:
        layout.include((*(i for ids in roles.values() for i in ids), *_in_periods(system, state)), state)
        values = initial(system, layout, state)
    except (NoDefault, BadValue, EvaluationError) as error:
        return Refused("sheet", str(error))
    grow(layout, state, values)
    shape = action, layout.shape()
    known = _MEANINGS.of(shape, dict)
    reader = InputReader(Resolver(system, layout), values, lambda: grow(layout, state, values), known)
    _read_inputs(reader, layout, action, roles, request.inputs)
    return layout, values, reader, roles


def _in_periods(system: System, state: State) -> list[str]:
    """The sheets that the end of an open period would touch: its members, and those under an effect that ends with
    it."""
    found = []
    for flag in sorted(state.flags):
        head, _, rest = flag.partition(".")
        name, _, sheet_id = rest.partition(".")
        effect = system.effects.get(name) if head == "effect" else None
        period = effect.ends if effect is not None else head if name == "member" else None
        if f"{period}.open" in state.flags:
            found.append(sheet_id)
    return found


def _roles(system: System, state: State, request: Request) -> dict[str, tuple[str, ...]] | Refused:
    roles: dict[str, tuple[str, ...]] = {}
    wanted = wanted_roles(system, request.action)
    for unknown in request.roles:
        if unknown not in wanted:
            return refusal(
                "role", "no_role", action=request.action, role=unknown, known=", ".join(wanted) or said("nothing")
            )
    for role, (kinds, several) in wanted.items():
        ids = request.roles.get(role)
        if ids is None:
            ids = tuple(i for i, data in state.sheets.items() if data.get("sheet") in kinds)
            if not several and len(ids) > 1 and role in ids:
                ids = (role,)
            if not several and len(ids) != 1:
                return refusal("role", "which", role=role, kinds=listed(kinds), number=len(ids))
        for one in ids:
            if one not in state.sheets:
                return refusal("role", "no_sheet", sheet=one, role=role)
            if state.sheets[one].get("sheet") not in kinds:
                kind = state.sheets[one].get("sheet")
                return refusal("role", "wrong_kind", sheet=one, kind=kind, role=role, kinds=listed(kinds))
        if several and not ids:
            return refusal("role", "nobody", role=role, kinds=listed(kinds))
        if not several and len(ids) != 1:
            return refusal("role", "too_many", role=role, number=len(ids))
        if len(set(ids)) < len(ids):
            return refusal("role", "twice", role=role, sheet=next(one for one in ids if ids.count(one) > 1))
        roles[role] = tuple(ids)
    return roles


def wanted_roles(system: System, action_id: str) -> dict[str, tuple[tuple[str, ...], bool]]:
    """Every role of an action, with its kinds and whether it is several sheets."""
    action = system.actions[action_id]
    wanted = {role: (kinds, role in action.several) for role, kinds in action.who.items()}
    for name, side in action.sides.items():
        for role, kinds in side.who.items():
            wanted[name if role == "self" else f"{name}.{role}"] = (kinds, role in side.several)
    return wanted


def _read_inputs(
    reader: InputReader,
    layout: Layout,
    action: Phases,
    roles: Mapping[str, tuple[str, ...]],
    given: Mapping[str, object],
) -> None:
    names: dict[str, Bound] = {}
    _name_roles(names, layout, action, roles, "")
    sides = getattr(action, "sides", {})
    inner: dict[str, dict[str, Bound]] = {}
    for side_name, side in sides.items():
        inner[side_name] = {}
        _name_roles(inner[side_name], layout, side, roles, f"{side_name}.")
        names[side_name] = Space(side_name, inner[side_name].get)
    for side_name, side in sides.items():
        answers = given.get(side_name)
        full = {**names, **inner[side_name]}
        reader.read(side.inputs, f"{side_name}.", full, answers if isinstance(answers, Mapping) else {})
        inner[side_name].update(full)
    reader.read(action.inputs, "", names, {name: value for name, value in given.items() if name not in sides})


def _name_roles(
    names: dict[str, Bound], layout: Layout, phases: Phases, roles: Mapping[str, tuple[str, ...]], prefix: str
) -> None:
    for role in phases.who:
        full = prefix[:-1] if prefix and role == "self" else f"{prefix}{role}"
        found = [layout.entities[i] for i in roles[full]]
        if role in phases.several:
            names[role] = Many(tuple((None, entity) for entity in found))
        else:
            names[role] = found[0]
