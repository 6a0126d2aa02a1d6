"""What an action can throw and ask, with the full names that examples and policies use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interpreter import model
from interpreter.defaults import start_dice
from interpreter.fields import kind_of
from interpreter.model import Code, Path, RollSpec, Step, Steps

if TYPE_CHECKING:
    from interpreter.checks.context import Context


@dataclass(frozen=True, slots=True)
class Thrown:
    """Dice of one kind: `name` is the roll's and the group's, `path` that of the roll, `once` that
    they fall at most one time."""

    name: str
    path: Path
    group: str
    once: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A choice; without a step it is a text that someone is asked for."""

    name: str
    step: model.Choose | None


# Procedures that call one another several times can make more steps than anyone can look through.
MOST_STEPS = 20_000


@dataclass(slots=True)
class Played:
    """Everything that one action, or the making of a sheet, can throw and ask; `steps` are those looked at."""

    thrown: list[Thrown] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    steps: int = 0

    @property
    def is_known(self) -> bool:
        return self.steps <= MOST_STEPS

    def dice(self, name: str) -> list[Thrown]:
        """The dice that a name in an example stands for: all of a full name, or its end after a dot."""
        return [one for one in self.thrown if f".{one.name}".endswith(f".{name}")]

    def choices(self, name: str) -> list[Asked]:
        """The choices that a name in an example stands for: any stretch of a full name between dots."""
        return [one for one in self.asked if f".{name}." in f".{one.name}."]


class Plays:
    """Works out what each action can throw and ask, once."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._known: dict[str, Played] = {}

    def action(self, name: str) -> Played:
        if name not in self._known:
            self._known[name] = self._action(name)
        return self._known[name]

    def _action(self, name: str) -> Played:
        system = self.context.system
        action, found = system.actions[name], Played()
        for title, side in action.sides.items():
            for steps in (side.before, side.steps):
                self._steps(steps, f"{title}.", True, found, ())
        for steps in (action.before, action.steps, action.after):
            self._steps(steps, "", True, found, ())
        for title, trigger in system.triggers.items():
            self._steps(trigger.do, f"{title}.", False, found, ())
        return found

    def creation(self, kind: str) -> Played:
        """The dice with which a sheet of a kind starts."""
        found = Played()
        for info in kind_of(self.context.system, kind).fields:
            if code := start_dice(info):
                found.thrown.append(Thrown(info.dotted, code.path, "", True))
                self._remember(code)
        return found

    def _remember(self, code: Code) -> None:
        written = self.context.dice.written(code, None)
        if written is not None:
            self.context.roll_faces[code.path] = {"": written[1]}
            self.context.roll_counts[code.path] = {"": written[0]}

    # ------------------------------------------------------------------ steps

    def _steps(self, steps: Steps, prefix: str, once: bool, found: Played, within: tuple[str, ...]) -> None:
        for step in steps:
            found.steps += 1
            if not found.is_known:
                return
            self._step(step, prefix, once, found, within)

    def _step(self, step: Step, prefix: str, once: bool, found: Played, within: tuple[str, ...]) -> None:
        match step:
            case model.Roll():
                for name, spec in step.roll.items():
                    found.thrown += _thrown(f"{prefix}{name}", spec, once)
            case model.Reroll():
                found.again.add(f"{prefix}{step.reroll}")
            case model.Choose():
                several = [f"{prefix}{step.choose}.{who}" for who in step.who] if len(step.who) > 1 else []
                found.asked += [Asked(name, step) for name in several or [f"{prefix}{step.choose}"]]
            case model.Ask():
                found.asked.append(Asked(f"{prefix}{step.ask.text.rpartition('.')[2]}", None))
            case model.Call() if step.call in self.context.system.procedures and step.call not in within:
                inner = f"{prefix}{step.as_ or step.call}."
                do = self.context.system.procedures[step.call].do
                self._steps(do, inner, once, found, (*within, step.call))
            case _:
                pass
        for inner_steps, again in parts(step):
            self._steps(inner_steps, prefix, once and not again, found, within)


def parts(step: Step) -> Iterator[tuple[Steps, bool]]:
    """The steps within a step, and whether they can run more than once."""
    match step:
        case model.If():
            yield from ((step.then, False), (step.else_, False))
        case model.ForEach():
            yield step.do, True
        case model.Repeat():
            yield step.repeat.do, True
        case model.Choose():
            yield from ((option.do, len(step.who) > 1) for option in step.options.values())
        case _:
            pass


def _thrown(full: str, spec: RollSpec, once: bool) -> Iterator[Thrown]:
    operations = [*spec.do, *(operation for group in spec.groups.values() for operation in group.do)]
    more = any(isinstance(operation, model.Explode | model.RerollDice) for operation in operations)
    once = once and not more and spec.empty is None
    if not spec.groups:
        yield Thrown(full, spec.path, "", once)
    for group in spec.groups:
        yield Thrown(f"{full}.{group}", spec.path, group, once)
