"""Every kind of step, one handler each: `HANDLERS` is the table."""

from __future__ import annotations

import ast
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from interpreter import model
from interpreter.bound import Bound, Entity, Family, Many, Missing, Reference, Scalar, Space, space, tree_of
from interpreter.compiler import choices, lists, periods
from interpreter.compiler.emitter import Emitter, Frame
from interpreter.compiler.throws import compile_reroll, compile_roll
from interpreter.compiler.writes import Place, Target, Writer, things
from interpreter.defaults import default_tree
from interpreter.expressions import Register
from interpreter.fields import count_range
from interpreter.model import Code, Label, Path, Steps
from interpreter.program import Demand, Let, Note, Tree
from interpreter.trees import all_of, both, call, compare

ONE, ZERO, TRUE, FALSE = ast.Constant(1), ast.Constant(0), ast.Constant(True), ast.Constant(False)
BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(slots=True)
class StepCompiler:
    """Compiles lists of steps. `finish` is the mark where an early end jumps to; `kept` the rolls that stay on the
    table; `chosen` the choices that may have been made by then."""

    emitter: Emitter
    finish: int = 0
    outcome: int = 0
    kept: frozenset[str] = frozenset()
    serial: int = 0
    chosen: set[str] = field(default_factory=set)
    writer: Writer = field(init=False)

    def __post_init__(self) -> None:
        self.writer = Writer(self.emitter, self.anew)

    def run(self, steps: Steps, frame: Frame) -> None:
        for step in steps:
            guard = self.emitter.guard(step.when, frame)
            with self.emitter.only_when(guard, step.path):
                HANDLERS[type(step)](self, step, frame)

    def anew(self, steps: Steps, frame: Frame, before: Set[str] = frozenset()) -> None:
        """Steps that may have been done before: a pass of a loop, a procedure, a trigger."""
        choices.forget(self, steps, frame, before)
        self.run(steps, frame)

    def fresh(self, name: str) -> str:
        self.serial += 1
        return f"{name}.{self.serial}"

    def name(self, frame: Frame, name: str, tree: Tree, path: Path, like: Bound | None = None) -> None:
        """Gives a name to a value: a local register, which later uses read."""
        register = self.emitter.let(f"{frame.prefix}{name}", tree, path)
        frame.names[name] = _named(register, like, self.emitter)

    # ------------------------------------------------------------------ values

    def let(self, step: model.Let, frame: Frame) -> None:
        for name, code in step.let.items():
            bound = self.emitter.resolver.bound(code, frame.scope)
            self.name(frame, name, tree_of(bound), code.path, bound)

    def set(self, step: model.Set, frame: Frame) -> None:
        items = [(self.writer.target(text, code.path, frame), code) for text, code in step.set.items()]
        kind = "change" if step.crossings else "set"
        self.writer.write([(t, self._coerced(code, frame)) for t, code in items], kind, step.path, frame)

    def _coerced(self, code: Code, frame: Frame) -> Callable[[Place], Tree]:
        return lambda place: self.writer.coerce(code, place[1], frame)

    def change(self, step: model.Change, frame: Frame) -> None:
        items = []
        for text, code in step.change.items():
            target, amount = self.writer.target(text, code.path, frame), self.emitter.tree(code, frame)
            if step.as_ is not None:
                amount = self.emitter.let(f"{frame.prefix}{step.as_}.asked", amount, step.path)
                old = self.emitter.let(f"{frame.prefix}{step.as_}.old", self.writer.read(target), step.path)
            items.append((target, self.added(amount)))
        self.writer.write(items, "change", step.path, frame)
        if step.as_ is not None:
            now, asked = self.writer.read(items[0][0]), ast.BinOp(old, ast.Add(), amount)
            self._what_happened(
                step.as_,
                frame,
                step.path,
                {
                    "applied": ast.BinOp(now, ast.Sub(), old),
                    "over": call("max", ZERO, ast.BinOp(asked, ast.Sub(), now)),
                    "under": call("max", ZERO, ast.BinOp(now, ast.Sub(), asked)),
                },
            )

    def added(self, amount: Tree) -> Callable[[Place], Tree]:
        return lambda place: ast.BinOp(Register(self.writer.slot(place)), ast.Add(), amount)

    def _what_happened(self, name: str, frame: Frame, path: Path, parts: Mapping[str, Tree]) -> None:
        members: dict[str, Bound] = {}
        for part, tree in parts.items():
            members[part] = Scalar(self.emitter.let(f"{frame.prefix}{name}.{part}", tree, path))
        frame.names[name] = space(name, members)

    def pay(self, step: model.Pay, frame: Frame) -> None:
        prices = [
            (self.writer.target(text, code.path, frame), self.emitter.tree(code, frame))
            for text, code in step.pay.items()
        ]
        self.emitter.emit(Demand(step.path, all_of([self.affordable(t, p) for t, p in prices]), "pay", step.say))
        self.writer.write([(t, self.added(ast.UnaryOp(ast.USub(), p))) for t, p in prices], "pay", step.path, frame)

    def affordable(self, target: Target, price: Tree) -> Tree:
        available = ast.BinOp(self.writer.read(target), ast.Sub(), self.writer.over(target, self._low))
        return compare(available, ast.GtE(), price)

    def _low(self, place: Place) -> Tree:
        return self.writer.bounds(place)[0] or ZERO

    def move(self, step: model.Move, frame: Frame) -> None:
        spec, prefix = step.move, f"{frame.prefix}{step.as_ or self.fresh('move')}"
        source = self.writer.target(spec.from_.text, spec.from_.path, frame)
        goal = self.writer.target(spec.to.text, spec.to.path, frame)
        asked = self.emitter.let(f"{prefix}.asked", self.emitter.tree(spec.amount, frame), step.path)
        limits: list[Tree] = [
            asked,
            ast.BinOp(self.writer.read(source), ast.Sub(), self.writer.over(source, self._low)),
        ]
        if all(self.writer.bounds(place)[1] is not None for _, place in goal.places):
            high = self.writer.over(goal, lambda place: self.writer.bounds(place)[1] or ZERO)
            limits.append(ast.BinOp(high, ast.Sub(), self.writer.read(goal)))
        moved = self.emitter.let(f"{prefix}.applied", call("max", ZERO, call("min", *limits)), step.path)
        minus = ast.UnaryOp(ast.USub(), moved)
        self.writer.write([(source, self.added(minus)), (goal, self.added(moved))], "move", step.path, frame)
        if step.as_ is not None:
            self._what_happened(
                step.as_, frame, step.path, {"applied": moved, "left": ast.BinOp(asked, ast.Sub(), moved)}
            )

    def fill(self, step: model.Fill, frame: Frame) -> None:
        target = self.writer.target(step.fill.text, step.fill.path, frame)
        self.writer.write(
            [(target, lambda place: self.writer.bounds(place)[1] or Register(self.writer.slot(place)))],
            "fill",
            step.path,
            frame,
        )

    def clear(self, step: model.Clear, frame: Frame) -> None:
        target = self.writer.target(step.clear.text, step.clear.path, frame)
        self.writer.write([(target, lambda place: first_value(self.emitter, place))], "clear", step.path, frame)

    # ------------------------------------------------------------------ dice and choices

    def roll(self, step: model.Roll, frame: Frame) -> None:
        for name, spec in step.roll.items():
            frame.names[name] = compile_roll(self.emitter, name, spec, frame, name in self.kept)

    def reroll(self, step: model.Reroll, frame: Frame) -> None:
        compile_reroll(self.emitter, step, frame)

    # ------------------------------------------------------------------ order

    def if_(self, step: model.If, frame: Frame) -> None:
        otherwise, end = self.emitter.mark(), self.emitter.mark()
        if self.emitter.branch(self.emitter.tree(step.if_, frame), otherwise, step.path):
            self.run(step.then, frame)
            self.emitter.jump(end, step.path)
        self.emitter.place(otherwise)
        self.run(step.else_, frame)
        self.emitter.place(end)

    def for_each(self, step: model.ForEach, frame: Frame) -> None:
        name, subject = self._loop(step.for_each, frame)
        items = [(guard, item) for guard, _, item in self.emitter.resolver.items(subject)]
        before = frozenset(self.chosen)

        def body(item: Bound) -> None:
            inner = Frame(frame.prefix, frame.names, frame.blocks, frame.title)
            hidden = frame.names.maps[0].pop(name, None)
            frame.names.maps[0][name] = item
            guard = self.emitter.guard(step.where, inner)
            turn = self.emitter.turn_of(item.id if isinstance(item, Entity) else None)
            with self.emitter.only_when(guard, step.path), turn:
                self.anew(step.do, inner, before)
            frame.names.maps[0].pop(name)
            if hidden is not None:
                frame.names.maps[0][name] = hidden

        self.in_order(items, step.order, lambda item: {name: item}, body, frame, step.path)

    def _loop(self, code: Code, frame: Frame) -> tuple[str, Bound]:
        """The name and the list of `name in list`."""
        loop = self.emitter.resolver.syntax(code)
        assert isinstance(loop, ast.Compare)
        assert isinstance(loop.left, ast.Name)
        return loop.left.id, self.emitter.resolver.visit(loop.comparators[0], frame.scope)

    def in_order(
        self,
        items: list[tuple[Tree | None, Bound]],
        order: tuple[Code, ...],
        names: Callable[[Bound], Mapping[str, Bound]],
        body: Callable[[Bound], None],
        frame: Frame,
        path: Path,
    ) -> None:
        """Runs the body for each item. An order is settled before the first: each item's place is the number that go
        before it."""
        if not order or len(items) < 2:
            for guard, item in items:
                with self.emitter.only_when(guard, path):
                    body(item)
            return
        keys = [self._order_keys(order, {**names(item)}, frame) for _, item in items]
        prefix = self.fresh(f"{frame.prefix}order")
        places: list[Tree] = []
        for i in range(len(items)):
            earlier = [self._goes_before(keys[j], keys[i], order, j < i) for j in range(len(items)) if j != i]
            counted = call("sum", *(ast.IfExp(tree, ONE, ZERO) for tree in earlier))
            places.append(self.emitter.let(f"{prefix}.{i}", counted, path))
        for position in range(len(items)):
            for (guard, item), place in zip(items, places, strict=True):
                with self.emitter.only_when(both(guard, compare(place, ast.Eq(), ast.Constant(position))), path):
                    body(item)

    def _order_keys(self, order: tuple[Code, ...], names: Mapping[str, Bound], frame: Frame) -> list[Tree]:
        inner = Frame(frame.prefix, frame.names.new_child(dict(names)), frame.blocks, frame.title)
        keys = []
        for code in order:
            bound = self.emitter.resolver.bound(Code(code.text.strip().split(" ", 1)[1], code.path), inner.scope)
            keys.append(_comparable(bound))
        return keys

    def _goes_before(self, one: list[Tree], other: list[Tree], order: tuple[Code, ...], declared_first: bool) -> Tree:
        result: Tree = ast.Constant(declared_first)
        for left, right, code in reversed(list(zip(one, other, order, strict=True))):
            wanted = ast.Gt() if code.text.strip().startswith("high") else ast.Lt()
            result = ast.IfExp(compare(left, ast.Eq(), right), result, compare(left, wanted, right))
        return result

    def repeat(self, step: model.Repeat, frame: Frame) -> None:
        spec, emitter = step.repeat, self.emitter
        prefix = self.fresh(f"{frame.prefix}passes")
        limits = [
            emitter.let(f"{prefix}.{i}", emitter.tree(code, frame), step.path)
            for i, code in enumerate((spec.times, spec.at_most))
            if code is not None
        ]
        count = emitter.let(prefix, ZERO, step.path) if limits else None
        start, end = emitter.mark(), emitter.mark()
        emitter.place(start)
        for limit in limits:
            assert count is not None
            emitter.branch(compare(count, ast.Lt(), limit), end, step.path)
        if spec.while_ is not None:
            emitter.branch(emitter.tree(spec.while_, frame), end, step.path)
        self.anew(spec.do, frame, frozenset(self.chosen))
        if count is not None:
            emitter.let(prefix, ast.BinOp(count, ast.Add(), ONE), step.path)
        if spec.until is not None:
            emitter.branch(ast.UnaryOp(ast.Not(), emitter.tree(spec.until, frame)), end, step.path)
        emitter.jump(start, step.path)
        emitter.place(end)

    def call(self, step: model.Call, frame: Frame) -> None:
        """Writes the procedure out here, once for each thing that its roles can be."""
        procedure = self.emitter.system.procedures[step.call]
        given = {name: self.emitter.resolver.bound(code, frame.scope) for name, code in step.with_.items()}
        for role in procedure.who:
            if role not in given and role in frame.scope:
                given[role] = frame.scope[role]
        self._call_for(step, procedure, given, list(procedure.who), frame)

    def _call_for(
        self, step: model.Call, procedure: model.Procedure, given: dict[str, Bound], roles: list[str], frame: Frame
    ) -> None:
        for role in roles:
            bound = given.get(role)
            if isinstance(bound, Reference):
                rest = roles[roles.index(role) + 1 :]
                frame.names[step.as_ or step.call] = Space(step.call, lambda name: Missing())
                for guard, thing in things(bound):
                    with self.emitter.only_when(guard, step.path):
                        self._call_for(step, procedure, {**given, role: thing}, rest, frame)
                return
        self._call_now(step, procedure, given, frame)

    def _call_now(self, step: model.Call, procedure: model.Procedure, given: dict[str, Bound], frame: Frame) -> None:
        inner = Frame(f"{frame.prefix}{step.as_ or step.call}.", ChainMap({}), (), step.call)
        inner.names.update({role: given[role] for role in procedure.who if role in given})
        for name, spec in procedure.inputs.items():
            bound = given.get(name)
            if bound is None:
                bound = self.emitter.resolver.bound(spec.default, inner.scope) if spec.default else default_input(spec)
            if isinstance(bound, Entity | Reference | Many | Missing | Family):
                inner.names[name] = bound
            else:
                self.name(inner, name, tree_of(bound), step.path, bound if _has_keys(bound) else Scalar(ZERO, spec.key))
        self.anew(procedure.do, inner)
        gives = {name: inner.names[name] for name in procedure.gives if name in inner.names}
        frame.names[step.as_ or step.call] = space(step.as_ or step.call, gives)

    def require(self, step: model.Require, frame: Frame) -> None:
        self.emitter.emit(Demand(step.path, self.emitter.tree(step.require, frame), "require", step.say))

    def finish_(self, step: model.Finish, frame: Frame) -> None:
        self.emitter.emit(Let(step.path, self.outcome, ast.Constant(step.finish)))
        self.emitter.jump(self.finish, step.path)

    # ------------------------------------------------------------------ telling, periods, effects

    def say(self, step: model.Say, frame: Frame) -> None:
        assert step.say is not None
        self.tell_label("say", step.say, step.path, frame, step.hidden_from)

    def tell_label(self, kind: str, label: Label, path: Path, frame: Frame, hidden_from: str = "") -> None:
        languages = dict.fromkeys([*label.texts, *self.emitter.system.languages])
        first = next(iter(label.texts.values()))
        pieces = {
            language: self._pieces(label.texts.get(language, first), language, path, frame) for language in languages
        }
        self.emitter.emit(Note(path, kind, "", pieces, hidden_from))

    def _pieces(self, text: str, language: str, path: Path, frame: Frame) -> tuple[str | Tree, ...]:
        """The texts and trees of a sentence in one language: a key of a table is told by its label."""
        resolver = self.emitter.resolver
        resolver.language = language
        parts: list[str | Tree] = []
        for i, piece in enumerate(BRACES.split(text)):
            if i % 2:
                bound = resolver.bound(Code(piece.strip(), path), frame.scope)
                named = resolver.column(bound, "label") if isinstance(bound, Scalar) else None
                parts.append(tree_of(named or bound))
            elif piece:
                parts.append(piece)
        resolver.language = ""
        return tuple(parts)


def default_input(spec: model.Input) -> Bound:
    """What an input without a default is when nothing is answered."""
    if spec.flag is not None:
        return Scalar(ast.Constant(spec.flag))
    if spec.pick is not None:
        return Missing() if count_range(spec.count, (1, 1))[1] == 1 else Many(())
    if spec.int is not None and spec.int.low is not None and not spec.optional:
        return Scalar(ast.Constant(int(spec.int.low.text))) if spec.int.low.text.lstrip("-").isdigit() else Missing()
    return Scalar(ast.Constant(()), spec.set_of, None, None, True) if spec.set_of else Missing()  # type: ignore[arg-type]


def first_value(emitter: Emitter, place: Place) -> Tree:
    """The value that a field has at first: a gauge's remembered start, else the declared default."""
    entity, info = place
    if info.section == "gauges":
        return Register(emitter.layout.start_slot(entity, info))
    return default_tree(emitter.resolver, entity, info)


def _named(register: Register, like: Bound | None, emitter: Emitter) -> Bound:
    if isinstance(like, Entity | Reference):
        kinds = {thing.kind.name for _, thing in things(like)}
        every = [thing for kind in sorted(kinds) for thing in emitter.layout.of_kind(kind)]
        return Reference(register, tuple(every))
    return Scalar(register, like.keys, None, None, like.many) if isinstance(like, Scalar) else Scalar(register)


def _comparable(bound: Bound) -> Tree:
    """A number by which things can be put in order: an id by its rank, yes above no."""
    if isinstance(bound, Scalar) and bound.rank is not None:
        return bound.rank
    tree = tree_of(bound)
    is_flag = isinstance(tree, ast.Compare | ast.BoolOp) or (
        isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)
    )
    return ast.IfExp(tree, ONE, ZERO) if is_flag or (isinstance(bound, Scalar) and bound.flag) else tree


def _has_keys(bound: Bound) -> bool:
    return isinstance(bound, Scalar) and bound.keys is not None


Handler = Callable[[StepCompiler, Any, Frame], None]
HANDLERS: Mapping[type[model.Step], Handler] = {
    model.Let: StepCompiler.let,
    model.Set: StepCompiler.set,
    model.Change: StepCompiler.change,
    model.Pay: StepCompiler.pay,
    model.Move: StepCompiler.move,
    model.Fill: StepCompiler.fill,
    model.Clear: StepCompiler.clear,
    model.Add: lists.add,
    model.Remove: lists.remove,
    model.Roll: StepCompiler.roll,
    model.Reroll: StepCompiler.reroll,
    model.Choose: choices.choose,
    model.Ask: choices.ask,
    model.If: StepCompiler.if_,
    model.ForEach: StepCompiler.for_each,
    model.Repeat: StepCompiler.repeat,
    model.Call: StepCompiler.call,
    model.Require: StepCompiler.require,
    model.Say: StepCompiler.say,
    model.Begin: periods.begin,
    model.Join: periods.join,
    model.End: periods.end,
    model.Apply: periods.apply,
    model.Lift: periods.lift,
    model.Emit: periods.emit,
    model.Finish: StepCompiler.finish_,
}
