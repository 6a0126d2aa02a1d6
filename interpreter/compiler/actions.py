"""An action's phases, for one or several sides, to a program; and the making of a sheet, which is an action too."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from interpreter.bound import Bound, Entity, Family, Literal, Many, Scalar, Space
from interpreter.compiler.choices import forget
from interpreter.compiler.emitter import Emitter, Frame
from interpreter.compiler.periods import begin_period, end_period
from interpreter.compiler.steps import StepCompiler, default_input
from interpreter.defaults import start_dice
from interpreter.expressions import Register
from interpreter.layout import Layout
from interpreter.model import Action, Code, Input, Keys, Node, Phases, Reroll, Roll, RollSpec, Step, System
from interpreter.program import Count, Demand, Let, Program, Stop, Write
from interpreter.resolve import Resolver


@dataclass(frozen=True, slots=True)
class Casting:
    """Who and what an action is compiled for: sheet ids by role, and by input the things picked (None: not chosen).

    Roles and inputs of a side are named `side.role`; a side's own `self` is named by the side.
    """

    roles: Mapping[str, tuple[str, ...]]
    picks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def compile_action(system: System, action_id: str, layout: Layout, casting: Casting) -> Program:
    """The program of an action for the things laid out; raises ProgramTooLarge."""
    return _ActionCompiler(system, layout, casting, action_id).compile()


def rolls_kept(*parts: object) -> frozenset[str]:
    """The rolls that some step throws again: their dice stay on the table."""
    return frozenset(step.reroll for step in _every_step(parts) if isinstance(step, Reroll))


def _every_step(value: object) -> Iterator[Step]:
    """Every step within steps, blocks, options and loops."""
    if isinstance(value, Step):
        yield value
    if isinstance(value, tuple | list):
        for item in value:
            yield from _every_step(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _every_step(item)
    elif isinstance(value, Node):
        for name in value.FIELDS:
            yield from _every_step(getattr(value, name))


class _ActionCompiler:
    def __init__(self, system: System, layout: Layout, casting: Casting, action_id: str) -> None:
        self.casting = casting
        self.action = system.actions[action_id]
        self.id = action_id
        resolver = Resolver(system, layout)
        self.emitter = Emitter(system, layout, resolver)
        kept = rolls_kept(self.action, system.procedures, system.triggers)
        self.steps = StepCompiler(self.emitter, self.emitter.mark(), layout.local("outcome"), kept)
        self.grade = layout.local("grade")
        self.inputs: dict[str, int] = {}
        self.frame = Frame("", ChainMap({}), self.action.begins_with, action_id)
        self.sides: dict[str, Frame] = {}

    # ------------------------------------------------------------------ phases

    def compile(self) -> Program:
        action, emitter = self.action, self.emitter
        self._names()
        emitter.emit(Let(action.path, self.steps.outcome, ast.Constant(None)))
        emitter.emit(Let(action.path, self.grade, ast.Constant(None)))
        opened = self._open_period()
        self._each_side(lambda side, frame: forget(self.steps, (*side.before, *side.steps), frame))
        forget(self.steps, (*action.before, *action.steps, *action.after), self.frame)
        self._each_side(self._require)
        self._require(action, self.frame)
        if any(side.before for side in action.sides.values()):  # an order may look at values, which are still to come
            self._each_side(lambda side, frame: self.steps.run(side.before, frame), ordered=True)
        self.steps.run(action.before, self.frame)
        self._each_side(self._values)
        self._values(action, self.frame)
        self._each_side(lambda side, frame: self.steps.run(side.steps, frame), ordered=True)
        self.steps.run(action.steps, self.frame)
        self._outcomes()
        emitter.place(self.steps.finish)
        self._grades()
        self._report()
        self.steps.run(action.after, self.frame)
        self._close_period(opened)
        emitter.emit(Stop(action.path))
        return Program(
            self.id,
            action,
            emitter.finished(),
            emitter.layout,
            self.frame.scope,
            self.steps.outcome,
            self.grade,
            self.inputs,
        )

    def _each_side(self, run: Callable[[Phases, Frame], None], ordered: bool = False) -> None:
        """A phase for every side, in the order declared by `order` where the order can matter."""
        items: list[tuple[ast.expr | None, Bound]] = [(None, Literal(name)) for name in self.sides]

        def body(item: Bound) -> None:
            assert isinstance(item, Literal)
            run(self.action.sides[item.id], self.sides[item.id])

        def names(item: Bound) -> Mapping[str, Bound]:
            assert isinstance(item, Literal)
            return {"side": self.frame.names[item.id]}

        order = self.action.order if ordered else ()
        self.steps.in_order(items, order, names, body, self.frame, self.action.path)

    # ------------------------------------------------------------------ names

    def _names(self) -> None:
        self._roles(self.action, "", self.frame)
        outcomes = Keys(tuple(self.action.outcomes))
        self.frame.names["outcome"] = Scalar(Register(self.steps.outcome), outcomes)
        grades = tuple(grade for outcome in self.action.outcomes.values() for grade in outcome.grades)
        self.frame.names["grade"] = Scalar(Register(self.grade), Keys(grades))
        for name, side in self.action.sides.items():
            frame = Frame(f"{name}.", self.frame.names.new_child({}), side.begins_with, self.id)
            self.sides[name] = frame
            self._roles(side, f"{name}.", frame)
            self.frame.names[name] = _side_space(name, frame)
        for name, side in self.action.sides.items():
            self._inputs(side, f"{name}.", self.sides[name])
        self._inputs(self.action, "", self.frame)

    def _roles(self, phases: Phases, prefix: str, frame: Frame) -> None:
        for role in phases.who:
            full = prefix[:-1] if prefix and role == "self" else f"{prefix}{role}"
            found = [self.emitter.layout.entities[i] for i in self.casting.roles.get(full, ())]
            if role in phases.several:
                frame.names[role] = Many(tuple((None, entity) for entity in found))
            elif found:
                frame.names[role] = found[0]

    def _inputs(self, phases: Phases, prefix: str, frame: Frame) -> None:
        for name, spec in phases.inputs.items():
            full = f"{prefix}{name}"
            if spec.for_each is not None:
                frame.names[name] = self._input_family(full, spec, frame)
            elif spec.pick is not None:
                frame.names[name] = self._picked(full, spec)
            else:
                frame.names[name] = self._input_register(full, spec)

    def _input_family(self, full: str, spec: Input, frame: Frame) -> Family:
        role = frame.names[spec.for_each or ""]
        things = [item for _, item in role.items if isinstance(item, Entity)] if isinstance(role, Many) else []
        return Family({thing.id: self._input_register(f"{full}.{thing.id}", spec) for thing in things})

    def _input_register(self, full: str, spec: Input) -> Scalar:
        slot = self.emitter.layout.local(full)
        self.inputs[full] = slot
        return Scalar(Register(slot), spec.key or spec.set_of, None, None, spec.set_of is not None)

    def _picked(self, full: str, spec: Input) -> Bound:
        found = [self.emitter.layout.entities[i] for i in self.casting.picks.get(full, ())]
        default = default_input(spec)
        if isinstance(default, Many):
            return Many(tuple((None, entity) for entity in found))
        return found[0] if found else default

    # ------------------------------------------------------------------ parts of phases

    def _require(self, phases: Phases, frame: Frame) -> None:
        for requirement in phases.require:
            tree = self.emitter.tree(requirement.that, frame)
            self.emitter.emit(Demand(requirement.path, tree, "require", requirement.say))

    def _values(self, phases: Phases, frame: Frame) -> None:
        owner = frame.scope.get("self")
        entity = owner if isinstance(owner, Entity) else None
        for name, spec in phases.values.items():
            targets = [f"{title}.{name}" for title in ("*", self.id, *frame.blocks)]
            tree, parts = self.emitter.resolver.value(spec, frame.scope, entity, targets)
            slot = self.emitter.layout.local(f"{frame.prefix}{name}")
            full = f"{frame.prefix}{name}"
            self.emitter.emit(Count(spec.path, slot, tree, full, spec.label, parts, spec.hidden_from))
            keys = None
            if not spec.modifiers and spec.base is not None:
                plain = self.emitter.resolver.bound(spec.base, frame.scope)
                keys = plain.keys if isinstance(plain, Scalar) else None
            frame.names[name] = Scalar(Register(slot), keys)

    def _outcomes(self) -> None:
        emitter = self.emitter
        for name, outcome in self.action.outcomes.items():
            after = emitter.mark()
            if outcome.when is None or emitter.branch(emitter.tree(outcome.when, self.frame), after, outcome.path):
                emitter.emit(Let(outcome.path, self.steps.outcome, ast.Constant(name)))
                emitter.jump(self.steps.finish, outcome.path)
            emitter.place(after)

    def _grades(self) -> None:
        """Also for an outcome that `finish` gave: what is told, and the first shade that holds."""
        emitter = self.emitter
        for name, outcome in self.action.outcomes.items():
            if not outcome.grades and outcome.say is None:
                continue
            end = emitter.mark()
            is_it = ast.Compare(Register(self.steps.outcome), [ast.Eq()], [ast.Constant(name)])
            emitter.branch(is_it, end, outcome.path)
            if outcome.say is not None:
                self.steps.tell_label("say", outcome.say, outcome.path, self.frame)
            for grade_name, grade in outcome.grades.items():
                after = emitter.mark()
                if emitter.branch(emitter.tree(grade.when, self.frame), after, grade.path):
                    emitter.emit(Let(grade.path, self.grade, ast.Constant(grade_name)))
                    if grade.say is not None:
                        self.steps.tell_label("say", grade.say, grade.path, self.frame)
                    emitter.jump(end, grade.path)
                emitter.place(after)
            emitter.place(end)

    def _report(self) -> None:
        for section in (self.action.report, self.action.flags):
            for name, code in section.items():
                if name not in self.frame.names or code.text != name:
                    bound = self.emitter.resolver.bound(code, self.frame.scope)
                    keys = bound.keys if isinstance(bound, Scalar) else None
                    self.steps.name(
                        self.frame, name, self.emitter.tree(code, self.frame), code.path, Scalar(ast.Constant(0), keys)
                    )

    def _open_period(self) -> ast.expr | None:
        """Opens the action's own period unless it is open; gives the flag that says that this run did."""
        if self.action.during is None:
            return None
        slot = self.emitter.layout.world(f"{self.action.during}.open")
        mine = self.emitter.let("opened", ast.UnaryOp(ast.Not(), Register(slot)), self.action.path)
        members = [
            (None, self.emitter.layout.entities[i])
            for ids in self.casting.roles.values()
            for i in ids
            if self.emitter.layout.entities[i].kind.name == self.emitter.system.periods[self.action.during].members
        ]
        begin_period(self.steps, self.action.during, list(members), self.action.path)
        return mine

    def _close_period(self, opened: ast.expr | None) -> None:
        if opened is not None and self.action.during is not None:
            with self.emitter.only_when(opened, self.action.path):
                end_period(self.steps, self.action.during, self.action.path)


def _side_space(name: str, frame: Frame) -> Bound:
    def find(member: str) -> Bound | None:
        return frame.names.maps[0].get(member)

    return Space(name, find)


# ---------------------------------------------------------------------- making a sheet


def compile_creation(system: System, layout: Layout, sheet_id: str, given: frozenset[str]) -> Program:
    """The program that throws the dice with which a sheet starts, for the gauges that are not `given`."""
    emitter = Emitter(system, layout, Resolver(system, layout))
    steps = StepCompiler(emitter, emitter.mark(), layout.local("outcome"))
    entity = layout.entities[sheet_id]
    frame = Frame("", ChainMap({"self": entity}), (), "create")
    for info in entity.kind.fields:
        code = start_dice(info)
        if code is None or info.dotted in given:
            continue
        spec = RollSpec(path=code.path, label=info.spec.label, dice=code)
        steps.run((_roll_step(info.dotted, spec, code),), frame)
        thrown = frame.names[info.dotted]
        assert isinstance(thrown, Scalar)
        slots = (layout.value_slot(entity, info), layout.start_slot(entity, info))
        emitter.emit(Write(code.path, tuple((slot, thrown.tree) for slot in slots), (), "create"))
    emitter.place(steps.finish)
    emitter.emit(Stop(entity.kind.sheet.path))
    empty = Action(label=entity.kind.sheet.label)
    grade = layout.local("grade")
    return Program("", empty, emitter.finished(), layout, frame.scope, steps.outcome, grade, {})


def _roll_step(name: str, spec: RollSpec, code: Code) -> Step:
    return Roll(path=code.path, roll={name: spec})
