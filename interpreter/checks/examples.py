"""Worked examples: everything that they name exists, and their dice and answers can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interpreter.checks.answers import check_inputs
from interpreter.checks.codes_examples import LIKE, SHEETS, SUBJECT
from interpreter.checks.cycles import chain
from interpreter.checks.expectations import Expectations
from interpreter.checks.fallen import check_choices, check_dice, check_policy
from interpreter.checks.graph import cycles
from interpreter.checks.played import Played, Plays
from interpreter.checks.telling import UNKNOWN_PERIOD
from interpreter.house_rules import joined
from interpreter.layout import sheet_faults
from interpreter.model import Action, Example, Names, Path, Scene

if TYPE_CHECKING:
    from interpreter.checks.context import Context

# What an example can only have when it plays an action; dice also fall when a sheet is made.
OF_ACTIONS = ("inputs", "choices", "policy", "odds", "during")
Roles = dict[str, tuple[Names, bool]]
Sheets = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Whole:
    """An example with what it takes over from those that it is like: what is played, on which sheets, and whether it
    is refused. `idle` is a part of it that only something played can have."""

    action: str | None = None
    create: str | None = None
    script: tuple[Scene, ...] = ()
    sheets: Sheets = field(default_factory=dict)
    refused: bool = False
    idle: str = ""


def check_examples(context: Context) -> None:
    """Looks at each example, with the names that it has at its end."""
    _likes(context)
    examples = _Examples(context)
    for name in context.system.examples:
        examples.check(name)
    context.reader.words.clear()


def _likes(context: Context) -> None:
    examples = context.system.examples
    for example in examples.values():
        if example.like is not None and example.like not in examples:
            context.unknown(LIKE, (*example.path, "like"), "example", example.like, examples)
    known = {name: [one.like] for name, one in examples.items() if one.like in examples and one.like is not None}
    for cycle in cycles(known, lambda name: known.get(name, [])):
        context.report.add(LIKE, ("examples", cycle[0], "like"), f"No example can be like itself: {chain(cycle)}.")


class _Examples:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.plays = Plays(context)
        self._wholes: dict[str, Whole] = {}
        self.expectations = Expectations(context)

    def whole(self, name: str) -> Whole | None:
        """The example with what it takes over; None where that is not known."""
        examples, chain = self.context.system.examples, {name: None}
        last = name
        while last not in self._wholes and (like := examples[last].like) is not None:
            if like not in examples or like in chain:
                return None
            chain[like], last = None, like
        found = self._wholes.get(last) or Whole()
        for one in reversed([one for one in chain if one not in self._wholes]):
            example = examples[one]
            stated = bool(example.expect or example.refused or example.odds)
            found = Whole(
                example.action or found.action,
                example.create or found.create,
                example.script or found.script,
                joined(found.sheets, example.sheets),
                is_refused(example.refused) if stated else found.refused,
                next((part for part in OF_ACTIONS if getattr(example, part)), found.idle),
            )
            self._wholes[one] = found
        return found

    def check(self, name: str) -> None:
        system, example, whole = self.context.system, self.context.system.examples[name], self.whole(name)
        if whole is None:
            return
        if not self._subject(example, whole):
            return
        for place, period in enumerate(example.during):
            if period not in system.periods:
                path = self._item((*example.path, "during"), place)
                self.context.unknown(UNKNOWN_PERIOD, path, "period", period, system.periods)
        roles = self._roles(whole)
        known = self._sheets_in(whole.sheets, roles)
        if roles is not None:
            self._sheets(example.sheets, roles, whole, (*example.path, "sheets"))
        if whole.script:
            for scene in example.script:
                self._scene(scene, known)
            return
        action = system.actions.get(whole.action or "")
        played = self._played(whole)
        if whole.action is None:  # the roles themselves are names
            known |= {role: known[one] for role, one in whole.sheets.items() if isinstance(one, str) and one in known}
        names = self.expectations.names(whole.action, whole.create, known)
        if played is not None:
            self._run(example, action, played, whole.refused)
            if played.is_known:
                check_policy(self.context, example, played)
        if names is not None and (whole.action is None or action is not None):
            self.expectations.check(example, action, names)

    def _subject(self, example: Example, whole: Whole) -> bool:
        """Whether it is known what is played or looked at; tells why not, once for all that are like it."""
        system, path = self.context.system, example.path
        if example.action is not None and example.action not in system.actions:
            self.context.unknown(SUBJECT, (*path, "action"), "action", example.action, system.actions)
        if example.create is not None and example.create not in system.sheets:
            self.context.unknown(SUBJECT, (*path, "create"), "kind of sheet", example.create, system.sheets)
        if not (whole.action or whole.create or whole.script or whole.sheets):
            message = "This example plays nothing and looks at nothing."
            hint = "Give it an `action`, or a `script`, or `sheets` to look at."
            if example.like is None:
                self.context.report.add(SUBJECT, path, message, hint, on="key")
        elif whole.idle and not (whole.action or whole.create or whole.script):
            part = next((part for part in OF_ACTIONS if getattr(example, part)), None)
            base = self.whole(example.like) if example.like is not None else None
            if part is not None and (base is None or not base.idle):
                message = f"This example has `{part}`, and plays nothing."
                self.context.report.add(SUBJECT, (*path, part), message, "Name its `action`.", on="key")
            return False
        return True

    def _played(self, whole: Whole) -> Played | None:
        """What can be thrown and asked; None where that is not known."""
        if whole.action is not None:
            return self.plays.action(whole.action) if whole.action in self.context.system.actions else None
        kind = whole.create
        if kind is None:
            kind = next((str(kind) for kind in self._sheets_in(whole.sheets, {}).values()), None)
        return self.plays.creation(kind) if kind in self.context.system.sheets and kind is not None else None

    def _run(self, part: Example | Scene, action: Action | None, played: Played, refused: bool) -> None:
        if played.is_known:
            check_dice(self.context, part, played, refused)
            check_choices(self.context, part, played)
        if action is not None:
            check_inputs(self.context, part, action, refused)

    def _scene(self, scene: Scene, known: Mapping[str, str]) -> None:
        action = self.context.system.actions.get(scene.action)
        if action is None:
            self.context.unknown(SUBJECT, (*scene.path, "action"), "action", scene.action, self.context.system.actions)
            return
        path: Path = (*scene.path, "sheets")
        roles = roles_of(action)
        for role, given in scene.sheets.items():
            if role not in roles:
                self.context.unknown(SHEETS, (*path, role), "role", role, roles, on="key")
                continue
            for place, one in enumerate(given if isinstance(given, list) else [given]):
                where = (*path, role, place) if isinstance(given, list) else (*path, role)
                self._named(str(one), where, roles[role][0], known)
        self._run(scene, action, self.plays.action(scene.action), is_refused(scene.refused))
        names = self.expectations.names(scene.action, None, known)
        if names is not None:
            self.expectations.check(scene, action, names)

    # ------------------------------------------------------------------ sheets

    def _roles(self, whole: Whole) -> Roles | None:
        """The roles that the sheets can play; None when that is not known."""
        system = self.context.system
        if whole.action is not None:
            return roles_of(system.actions[whole.action]) if whole.action in system.actions else None
        if whole.create is not None:
            return {"self": ((whole.create,), False)} if whole.create in system.sheets else None
        roles: Roles = {}
        for scene in whole.script:
            if scene.action in system.actions:
                for role, wanted in roles_of(system.actions[scene.action]).items():
                    given = whole.sheets.get(role)
                    roles.setdefault(role, wanted if given is None or is_family(given) else (wanted[0], False))
        return roles

    def _sheets_in(self, sheets: Sheets, roles: Roles | None) -> dict[str, str]:
        """The kind of every sheet at the table, by id; those named by the example come first."""
        system = self.context.system
        found: dict[str, str] = {}
        for role, given in sheets.items():
            kinds, several = (roles or {}).get(role, ((role,), False))
            for name, one in members(role, given, several):
                found[name] = self._kind(name, one, kinds)
        for name, data in system.characters.items():
            found.setdefault(name, str(data.get("sheet")))
        return found | {name: name for name, kind in system.sheets.items() if kind.only_one and name not in found}

    def _kind(self, name: str, given: object, kinds: Names) -> str:
        like = given.get("like") if isinstance(given, Mapping) else given if isinstance(given, str) else None
        own = given.get("sheet") if isinstance(given, Mapping) else None
        character = self.context.system.characters.get(str(like if like is not None else name), {})
        named = character.get("sheet") if like is not None else None
        return str(own or named or (kinds[0] if kinds else ""))

    def _sheets(self, sheets: Sheets, roles: Roles, whole: Whole, path: Path) -> None:
        system = self.context.system
        there = {*system.characters, *(name for name, sheet in system.sheets.items() if sheet.only_one)}
        for role, given in sheets.items():
            kinds, several = roles.get(role, ((role,), False))
            at: Path = (*path, role)
            if role not in roles and not self._extra(role, given):
                what = "role" if whole.action else "kind of sheet"
                known = roles if whole.action else [*roles, *system.sheets]
                self.context.unknown(SHEETS, at, what, role, known, on="key")
                continue
            for (name, one), inner in zip(members(role, given, several), places(given, several), strict=True):
                if isinstance(one, str):
                    known_kinds = {name: self._kind(name, name, ()) for name in there}
                    self._named(one, (*at, *inner), kinds if role in roles else (), known_kinds)
                elif isinstance(one, Mapping):
                    self._data(name, one, kinds, (*at, *inner), whole)

    def _extra(self, role: str, given: object) -> bool:
        """Whether it is no role, but says of what kind it is."""
        system = self.context.system
        if isinstance(given, Mapping):
            return role in system.sheets or "sheet" in given or "like" in given
        return isinstance(given, str) and (role in system.sheets or given in system.characters)

    def _named(self, name: str, path: Path, kinds: Names, known: Mapping[str, str]) -> None:
        if name not in known:
            fitting = [one for one, kind in known.items() if not kinds or kind in kinds]
            self.context.unknown(SHEETS, path, "sheet", name, fitting)
        elif kinds and known[name] not in kinds and known[name]:
            message = f"`{name}` is a {known[name]}, and a {' or '.join(kinds)} is wanted here."
            self.context.report.add(SHEETS, path, message)

    def _data(self, name: str, given: Sheets, kinds: Names, path: Path, whole: Whole) -> None:
        """A sheet that the example writes down: its kind, the ready sheet that it starts from, and its values."""
        characters = self.context.system.characters
        like = given.get("like")
        if like is not None and like not in characters:
            self.context.unknown(SHEETS, (*path, "like"), "ready sheet", str(like), characters)
        kind = self._kind(name, given, kinds)
        if kind not in self.context.system.sheets:
            if "sheet" in given:
                self.context.unknown(SHEETS, (*path, "sheet"), "kind of sheet", kind, self.context.system.sheets)
            return
        if whole.refused:
            return
        own = {key: value for key, value in given.items() if key != "like"}
        for place, message in sheet_faults(self.context.system, {**own, "sheet": kind}):
            self.context.report.add(SHEETS, (*path, *place), message, on="key" if is_of_name(message) else "value")

    def _item(self, path: Path, place: int) -> Path:
        return (*path, place) if isinstance(self.context.value_at(path), list) else path


# ---------------------------------------------------------------------- helpers


def roles_of(action: Action) -> Roles:
    """Every role of an action and its sides, as an example names them."""
    roles: Roles = {role: (kinds, role in action.several) for role, kinds in action.who.items()}
    for name, side in action.sides.items():
        for role, kinds in side.who.items():
            roles[name if role == "self" else f"{name}.{role}"] = (kinds, role in side.several)
    return roles


def members(role: str, given: object, several: bool) -> Iterator[tuple[str, object]]:
    """Each sheet that an example writes for a role: its id, and what it holds or the id of a ready sheet."""
    if isinstance(given, list):
        yield from ((one if isinstance(one, str) else f"{role}{n}", one) for n, one in enumerate(given, 1))
    elif isinstance(given, Mapping) and several:
        for name, one in given.items():
            same = isinstance(one, str) and one == name
            yield str(name), one if same or not isinstance(one, str) else {"like": one}
    else:
        yield given if isinstance(given, str) else role, given


def places(given: object, several: bool) -> Iterable[Path]:
    """Where each of these sheets stands, below its role."""
    if isinstance(given, list):
        return [(number,) for number in range(len(given))]
    if isinstance(given, Mapping) and several:
        return [(str(name),) for name in given]
    return [()]


def is_family(given: object) -> bool:
    """Whether a mapping names several sheets rather than the fields of one."""
    if isinstance(given, Mapping):
        named = all(isinstance(one, Mapping) and ("sheet" in one or "like" in one) for one in given.values())
        return bool(given) and named
    return isinstance(given, list)


def is_refused(written: object) -> bool:
    return written is not None and written is not False


def is_of_name(message: str) -> bool:
    """Whether a fault of a sheet's data is about a name that is written there, not about its value."""
    return " has no `" in message


__all__ = ["check_examples"]
