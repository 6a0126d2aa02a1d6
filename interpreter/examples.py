"""Plays the worked examples of a rule set and compares what they expect."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from interpreter import dice
from interpreter.bound import Bound, Literal, ResolutionError, Scalar, tree_of
from interpreter.build import Finding
from interpreter.expressions import EvaluationError, prepare
from interpreter.inputs import texts_of
from interpreter.layout import State, sheet_faults
from interpreter.list_changes import changed
from interpreter.loader import joined
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run, advance
from interpreter.model import Code, Example, Path, System
from interpreter.ready import character, sheet_data
from interpreter.registers import grow
from interpreter.resolve import Resolver
from interpreter.start import Request, after, begin, create, wanted_roles

OWN_PARTS = ("label", "source", "rules", "like")


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one example: its findings (none: it holds), and the run where it stopped, if it ran."""

    name: str
    example: Example
    findings: tuple[Finding, ...]
    run: Run | None = None
    need: Need | None = None
    odds: tuple[tuple[str, object], ...] = ()


def play_examples(system: System) -> Iterator[Report]:
    """Every example of the system, played."""
    for name in system.examples:
        yield play_example(system, name)


def play_example(system: System, name: str) -> Report:
    return _Player(system, name).play()


# ---------------------------------------------------------------------- sheets


def whole_example(system: System, name: str) -> Example:
    """An example with everything that it takes over from the one that it is like."""
    example = system.examples[name]
    seen = {name}
    while example.like is not None and example.like in system.examples and example.like not in seen:
        seen.add(example.like)
        example = _over(system.examples[example.like], example)
    return example


def _over(base: Example, change: Example) -> Example:
    own, values = vars(change), dict(vars(base))
    for name in ("path", "label", "source", "rules", "like"):
        values.pop(name, None)
    for name, new in own.items():
        old = values.get(name)
        joins = name in ("sheets", "inputs", "policy") and isinstance(old, Mapping) and isinstance(new, Mapping)
        values[name] = joined(old, new) if joins else new
    values["like"] = base.like
    if change.expect or change.refused or change.odds:
        values |= {part: getattr(change, part) for part in ("expect", "refused", "odds")}
    return Example(**values)


def table_of(
    system: System, example: Example, roles: Mapping[str, tuple[tuple[str, ...], bool]]
) -> tuple[State, dict[str, tuple[str, ...]]]:
    """The state that an example begins with, and which sheets play which role."""
    sheets: dict[str, Mapping[str, object]] = {name: character(system, name) for name in system.characters}
    for kind, spec in system.sheets.items():
        if spec.only_one and all(data.get("sheet") != kind for data in sheets.values()):
            sheets[kind] = {"sheet": kind}
    played: dict[str, tuple[str, ...]] = {}
    for role, given in example.sheets.items():
        kinds, several = roles.get(role, ((role,), False))
        named = _named_sheets(system, role, given, kinds[0], several)
        sheets |= {name: data for name, data in named.items() if data is not None}
        if role in roles:
            played[role] = tuple(named)
    flags = {f"{period}.open" for period in example.during}
    for period in example.during:
        member = system.periods[period].members if period in system.periods else None
        flags |= {f"{period}.member.{i}" for ids in played.values() for i in ids if sheets[i].get("sheet") == member}
    return State(sheets, frozenset(flags)), played


def _named_sheets(
    system: System, role: str, given: object, kind: str, several: bool
) -> dict[str, Mapping[str, object] | None]:
    """Sheet data by id; None for a character that is there already."""
    if isinstance(given, str):
        return {given: None}
    if isinstance(given, list):
        found: dict[str, Mapping[str, object] | None] = {}
        for number, item in enumerate(given, 1):
            found |= {item: None} if isinstance(item, str) else {f"{role}{number}": sheet_data(system, item, kind)}
        return found
    assert isinstance(given, Mapping)
    if several:
        return {
            name: None
            if isinstance(item, str) and item == name
            else sheet_data(system, {"like": item} if isinstance(item, str) else item or {}, kind)
            for name, item in given.items()
        }
    return {role: sheet_data(system, given, kind)}


# ---------------------------------------------------------------------- dice


@dataclass(slots=True)
class WrittenDice:
    """The faces that an example gives: each die of a throw takes the next one of its roll, an exploded die the next
    of its list."""

    faces: Mapping[str, Any]
    taken: dict[str, int] = field(default_factory=dict)

    def key(self, roll: str, group: str) -> str | None:
        """The name in the example: the roll's, or its end after a dot, with the group's when there are several."""
        full = f"{roll}.{group}" if group else roll
        names = [name for name in self.faces if full == name or full.endswith(f".{name}")]
        return max(names, key=len) if names else None

    def has(self, need: NeedRoll) -> bool:
        """Whether anything is left for this throw; one that throws no die needs nothing."""
        keys = (self.key(need.name, group.name) for group in need.pool.groups if group.count)
        return _throws_none(need) or any(key and self.taken.get(key, 0) < len(as_list(self.faces[key])) for key in keys)

    def source(self, roll: str) -> dice.Source:
        chains: dict[tuple[str, int], list[int]] = {}

        def give(die: dice.Die, group: str, index: int, /) -> dice.Face:
            left = chains.get((group, index))
            if not left:
                left = chains[group, index] = self._next(roll, group)
            return face_on(die, left.pop(0))

        return give

    def _next(self, roll: str, group: str) -> list[int]:
        key = self.key(roll, group)
        place = self.taken.get(key or "", 0)
        written = as_list(self.faces[key]) if key is not None else []
        if key is None or place >= len(written):
            raise dice.DiceError(
                dice.Fault("too_few", f"`{roll}{'.' + group if group else ''}` needs more dice than are given")
            )
        self.taken[key] = place + 1
        return list(as_list(written[place]))

    def left_over(self) -> Iterator[str]:
        for name, faces in self.faces.items():
            left = len(as_list(faces)) - self.taken.get(name, 0)
            if left > 0:
                yield f"{left} of the dice of `{name}` are never thrown"


def _throws_none(need: NeedRoll) -> bool:
    """Whether nothing is thrown at all: a pool of no dice, or a look at dice of which none is thrown again."""
    try:
        need.throw(_no_die)
    except dice.DiceError:
        return False
    return True


def _no_die(die: dice.Die, group: str, index: int, /) -> dice.Face:
    raise dice.DiceError(dice.Fault("too_few", "no die is there"))


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def face_on(die: dice.Die, written: object) -> dice.Face:
    """A face as written: a number that the die has, or the symbols of a face."""
    for face in die.faces:
        if str(face) == str(written) or (
            not isinstance(face, int) and symbols_text(face) == sorted_symbols(str(written))
        ):
            return face
    raise dice.DiceError(dice.Fault("face", f"`{written}` is no face of {die.name}"))


def symbols_text(face: dice.Symbols) -> str:
    return sorted_symbols(" ".join(symbol for symbol, count in face.bag for _ in range(count)))


def sorted_symbols(text: str) -> str:
    return " ".join(sorted(word for word in text.split() if word != "_"))


# ---------------------------------------------------------------------- playing


@dataclass(slots=True)
class _Player:
    system: System
    name: str
    findings: list[Finding] = field(default_factory=list)

    def play(self) -> Report:
        example = whole_example(self.system, self.name)
        path: Path = ("examples", self.name)
        run: Run | None = None
        need: Need | None = None
        try:
            if example.script:
                run, need = self._script(example, path)
            else:
                roles = self._roles_of(example)
                state, played = table_of(self.system, example, roles)
                self._check_sheets(state, example, path)
                if not self.findings:
                    run, need = self._scene(example, state, played, path)
        except (ResolutionError, EvaluationError, KeyError) as error:
            self._add(path, f"It cannot be played: {error}.")
        return Report(self.name, example, tuple(self.findings), run, need)

    def _add(self, path: Path, message: str, hint: str = "") -> None:
        self.findings.append(Finding("E0510", path, message, hint))

    def _roles_of(self, example: Any) -> dict[str, tuple[tuple[str, ...], bool]]:
        if example.action and example.action in self.system.actions:
            return wanted_roles(self.system, example.action)
        create_kind = getattr(example, "create", None)
        if create_kind:
            return {"self": ((create_kind,), False)}
        kinds: dict[str, tuple[tuple[str, ...], bool]] = {}
        for role, given in example.sheets.items():
            like = given if isinstance(given, str) else given.get("like") if isinstance(given, Mapping) else None
            named = self.system.characters.get(str(like), {}).get("sheet")
            kind = (given.get("sheet") if isinstance(given, Mapping) else None) or named or role
            kinds[role] = ((str(kind),), False)
        return kinds

    def _check_sheets(self, state: State, example: Example, path: Path) -> None:
        for role in example.sheets:
            data = state.sheets.get(role)
            if data is not None:
                for place, message in sheet_faults(self.system, data):
                    if isinstance(example.refused, str | bool) and example.refused:
                        continue
                    self._add((*path, "sheets", role, *place), message)

    def _script(self, example: Example, path: Path) -> tuple[Run | None, Need | None]:
        state, _ = table_of(
            self.system, example, self._roles_of(example) if example.action else _script_roles(self.system, example)
        )
        run: Run | None = None
        need: Need | None = None
        for number, scene in enumerate(example.script):
            roles = self._roles_of(scene)
            played = {role: tuple(as_list(ids)) for role, ids in scene.sheets.items()}
            if not played and "self" in roles and "self" in example.sheets:
                who = example.sheets["self"]
                played = {"self": (who if isinstance(who, str) else "self",)}
            before = len(self.findings)
            run, need = self._scene(scene, state, played, (*path, "script", number))
            if len(self.findings) > before:
                return run, need
            if run is not None and isinstance(need, Done):
                state = after(run)
        return run, need

    def _scene(
        self, scene: Any, state: State, played: Mapping[str, tuple[str, ...]], path: Path
    ) -> tuple[Run | None, Need | None]:
        written = WrittenDice(scene.dice)
        if scene.action is None:
            return self._look(scene, state, written, path)
        started = begin(self.system, state, Request(scene.action, played, scene.inputs))
        if isinstance(started, Refused):
            self._refused(scene, started, path)
            return None, started
        run, need = self._drive(started, scene, written, path)
        if isinstance(need, Refused):
            self._refused(scene, need, path)
            return run, need
        self._finish(scene, run, written, path)
        return run, need

    def _look(self, scene: Example, state: State, written: WrittenDice, path: Path) -> tuple[Run | None, Need | None]:
        """An example without an action: sheets as they are, or as their dice make them."""
        role, given = next(iter(scene.sheets.items()), ("self", {}))
        sheet_id = given if isinstance(given, str) else role
        for _, message in sheet_faults(self.system, state.sheets[sheet_id]):
            self._refused(scene, Refused("sheet", message), path)
            return None, Refused("sheet", message)
        started = create(self.system, state, sheet_id)
        if isinstance(started, Refused):
            self._refused(scene, started, path)
            return None, started
        run, need = self._drive(started, scene, written, path)
        self._finish(
            scene, run, written, path, {role: sheet_id, **{r: g for r, g in scene.sheets.items() if isinstance(g, str)}}
        )
        return run, need

    def _drive(self, run: Run, scene: Any, written: WrittenDice, path: Path) -> tuple[Run, Need]:
        """Runs on until the end, or until the example's dice or choices are used up."""
        choices = list(getattr(scene, "choices", ()))
        run, need = advance(run)
        while True:
            if isinstance(need, NeedRoll) and written.has(need):
                try:
                    answer: object = need.throw(written.source(need.name))
                except dice.DiceError as error:
                    self._add((*path, "dice"), f"{error}.")
                    return run, need
            elif isinstance(need, NeedChoice) and choices:
                name, answer = next(iter(choices[0].items()))
                if f".{name}." not in f".{need.name}.":
                    self._add((*path, "choices"), f"The choice `{need.name}` comes, and the example has `{name}`.")
                    return run, need
                answer = _chosen(run, need, choices.pop(0)[name])
            else:
                if choices:
                    self._add((*path, "choices"), f"The choice `{next(iter(choices[0]))}` never comes.")
                return run, need
            run, need = advance(run, answer)
            if isinstance(need, Refused):
                return run, need

    # ------------------------------------------------------------------ comparing

    def _refused(self, scene: Any, refused: Refused, path: Path) -> None:
        said = [refused.message, *(refused.label.texts.values() if refused.label else ())]
        wanted = scene.refused
        if wanted is None or wanted is False:
            self._add((*path, "action"), f"It is refused: {said[-1]}")
        elif (
            isinstance(wanted, str)
            and wanted.lower() not in ("true", "yes")
            and not any(wanted in text for text in said)
        ):
            self._add((*path, "refused"), f"It is refused with other words: {said[-1]}")

    def _finish(
        self, scene: Any, run: Run, written: WrittenDice, path: Path, sheets: Mapping[str, str] | None = None
    ) -> None:
        if scene.refused is not None and scene.refused is not False:
            self._add((*path, "refused"), "It is not refused.")
        for message in written.left_over():
            self._add((*path, "dice"), f"{message}.")
        look = Questions(self.system, run, sheets or {})
        for name, wanted in scene.expect.items():
            self._compare(look, str(name), wanted, (*path, "expect", name))

    def _compare(self, look: Questions, name: str, wanted: object, path: Path) -> None:
        try:
            same, found = look.compare(
                name, "true" if wanted is True else "false" if wanted is False else str(wanted), path
            )
        except (ResolutionError, EvaluationError) as error:
            self._add(path, f"`{name}` cannot be looked at: {error}")
            return
        if not same:
            self._add(path, f"`{name}` is {show(found)}, not {wanted}.")


def _script_roles(system: System, example: Example) -> dict[str, tuple[tuple[str, ...], bool]]:
    """A script's sheets are of the kinds that its actions want for these roles, or of the kind that they say."""
    roles: dict[str, tuple[tuple[str, ...], bool]] = {}
    for scene in example.script:
        if scene.action in system.actions:
            for role, wanted in wanted_roles(system, scene.action).items():
                roles.setdefault(
                    role,
                    (wanted[0], False)
                    if role in example.sheets and not _is_family(system, example.sheets[role])
                    else wanted,
                )
    return roles


def _is_family(system: System, given: object) -> bool:
    """Whether a mapping names several sheets rather than the fields of one."""
    return isinstance(given, list) or (
        isinstance(given, Mapping)
        and all(isinstance(item, Mapping) and ("sheet" in item or "like" in item) for item in given.values())
        and bool(given)
    )


def _chosen(run: Run, need: NeedChoice, written: object) -> object:
    if need.kind == "number":
        return int(str(written)) if str(written).lstrip("-").isdigit() else written
    if isinstance(written, list):
        return tuple(_option(run, need, str(one)) for one in written)
    return _option(run, need, str(written))


def _option(run: Run, need: NeedChoice, written: str) -> str:
    """The id of an option: as written, or of the one thing among which one chooses that has this text."""
    layout = run.program.layout
    things = [layout.entities[option.id] for option in need.options if option.id in layout.entities]
    named = [thing.id for thing in things if written in texts_of(layout, thing, run.registers)]
    return named[0] if len(named) == 1 else written


def show(value: object) -> str:
    return (
        {None: "nothing", True: "true", False: "false"}.get(value, str(value))
        if isinstance(value, bool | None)
        else str(value)
    )


class Questions:
    """Looks at a run by the names of its rules: values, rolls, sheets by role or id; lists as they are once it is
    over."""

    def __init__(self, system: System, run: Run, sheets: Mapping[str, str]) -> None:
        self.run = run
        self.layout, self.registers = changed(run.program.layout, run.registers, run.state, run.trace)
        self.resolver = Resolver(system, self.layout)
        names: dict[str, Bound] = {
            entity.id: entity
            for entity in self.layout.entities.values()
            if entity.owner is None and entity.id.isidentifier()
        }
        names |= {role: self.layout.entities[i] for role, i in sheets.items() if i in self.layout.entities}
        self.scope: ChainMap[str, Bound] = ChainMap(dict(run.program.scope), names)

    def tree(self, text: str, path: Path = ()) -> ast.expr:
        return tree_of(self.bound(text, path))

    def bound(self, text: str, path: Path = ()) -> Bound:
        return self.resolver.bound(Code(text, path), self.scope)

    def value(self, tree: ast.expr) -> object:
        values = list(self.registers)
        grow(self.layout, self.run.state, values)
        return prepare(tree)(values)

    def compare(self, name: str, wanted: str, path: Path) -> tuple[bool, object]:
        """Whether the named thing is what is wanted, and what it is.

        An outcome's shade counts as the outcome's name.
        """
        if name == "outcome":
            values = self.run.registers
            outcome, grade = values[self.run.program.outcome], values[self.run.program.grade]
            return wanted in (outcome, grade), grade or outcome
        bound = self.bound(name, path)
        if isinstance(bound, Literal):
            raise ResolutionError(f"nothing is called `{name}` here")
        found = self.value(tree_of(bound))
        if isinstance(found, tuple):
            return sorted(found) == sorted(
                part.strip(" []'") for part in wanted.split(",") if part.strip(" []'")
            ), list(found)
        if isinstance(found, str) and isinstance(bound, Scalar) and (bound.keys is None or wanted in bound.keys.ids):
            return found == wanted, found
        other = self.bound(wanted, path)
        return bool(self.value(self.resolver.pair(bound, ast.Eq(), other))), found
