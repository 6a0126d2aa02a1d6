"""Writing kept values: clamps after the whole step, then the triggers that it sets off, depth first."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from interpreter.bound import Bound, Entity, Family, Many, Reference, Scalar, constant, tree_of
from interpreter.compiler.emitter import Emitter, Frame, reads
from interpreter.expressions import Register, substitute
from interpreter.fields import FieldInfo
from interpreter.model import Code, Keys, Path, Steps, Trigger, Upon
from interpreter.program import Clamp, Note, Tree, Write
from interpreter.resolve import parsed
from interpreter.trees import both, call, compare

Place = tuple[Entity, FieldInfo]


@dataclass(frozen=True, slots=True)
class Target:
    """Something that a step writes: every place that it can be, each with the condition under which it is meant."""

    places: tuple[tuple[Tree | None, Place], ...]

    @property
    def infos(self) -> list[FieldInfo]:
        return [info for _, (_, info) in self.places]


@dataclass(slots=True)
class Writer:
    """Emits writes with what follows from them. `run_steps` compiles the steps of a trigger."""

    emitter: Emitter
    run_steps: Callable[[Steps, Frame], None]
    _dependents: dict[int, list[Place]] | None = None
    _active: list[tuple[str, str]] = field(default_factory=list)
    _serial: int = 0

    # ------------------------------------------------------------------ targets

    def target(self, text: str, path: Path, frame: Frame) -> Target:
        """The places that `self.gauge`, `thing.family[key]` or `sheet.gauge` stands for."""
        found = list(self._find(parsed(text), frame))
        return Target(tuple(found))

    def _find(self, node: ast.expr, frame: Frame) -> Iterable[tuple[Tree | None, Place]]:
        if isinstance(node, ast.Subscript):
            index = self.emitter.resolver.visit(node.slice, frame.scope)
            subject = tree_of(index)
            for guard, (entity, info) in self._find(node.value, frame):
                if isinstance(subject, ast.Constant):
                    if subject.value == info.key:
                        yield guard, (entity, info)
                else:
                    yield both(guard, compare(subject, ast.Eq(), ast.Constant(info.key))), (entity, info)
        elif isinstance(node, ast.Attribute):
            yield from self._members(node, frame)

    def _members(self, node: ast.Attribute, frame: Frame) -> Iterable[tuple[Tree | None, Place]]:
        base = self.emitter.resolver.visit(node.value, frame.scope)
        if isinstance(base, Family | Scalar):
            yield from ((g, p) for g, p in self._find(node.value, frame) if p[1].key == node.attr)
            return
        for guard, entity in things(base):
            for info in entity.kind.find(node.attr):
                yield guard, (entity, info)

    def read(self, target: Target) -> Tree:
        """The value that a target holds now, as a number: a named step by its rank."""
        return self.over(target, lambda place: Register(self.slot(place)))

    def over(self, target: Target, give: Callable[[Place], Tree]) -> Tree:
        """What `give` says of the place that is meant; 0 when there is none in this run."""
        if not target.places:
            return ast.Constant(0)
        tree = give(target.places[-1][1])
        for guard, place in reversed(target.places[:-1]):
            tree = give(place) if guard is None else ast.IfExp(guard, give(place), tree)
        return tree

    def slot(self, place: Place) -> int:
        return self.emitter.layout.value_slot(*place)

    def bounds(self, place: Place) -> tuple[Tree | None, Tree | None]:
        return self.emitter.resolver.bounds(*place)

    # ------------------------------------------------------------------ values to write

    def coerce(self, code: Code, info: FieldInfo, frame: Frame) -> Tree:
        """The tree of a new value of a field: a rank for named steps, ids in their declared order for sets."""
        bound = self.emitter.resolver.bound(code, frame.scope)
        if info.section == "gauges" and info.ids is not None:
            return self.emitter.resolver.rank_tree(bound, info.ids)
        if info.sort == "set" and isinstance(bound, Many):
            return ast.Constant(_set_value(bound, info.ids))  # type: ignore[arg-type]
        return tree_of(bound)

    # ------------------------------------------------------------------ the write itself

    def write(self, items: list[tuple[Target, Callable[[Place], Tree]]], kind: str, path: Path, frame: Frame) -> None:
        """Writes each target's new value, `give(place)`, all at once, then clamps, then lets triggers look."""
        pairs: list[tuple[int, Tree]] = []
        places: list[Place] = []
        for target, give in items:
            for guard, place in target.places:
                slot, tree = self.slot(place), give(place)
                pairs.append((slot, tree if guard is None else ast.IfExp(guard, tree, Register(slot))))
                places.append(place)
        self.assign(pairs, places, kind, path)

    def assign(self, pairs: list[tuple[int, Tree]], places: list[Place], kind: str, path: Path) -> None:
        """The same for registers; `places` are the fields among them."""
        touched = list(dict.fromkeys([*places, *self._cut_by(slot for slot, _ in pairs)]))
        watched = [
            (trigger_id, trigger, place) for place in touched for trigger_id, trigger in self._watching(place, kind)
        ]
        self._serial += 1
        old = {
            place: self.emitter.let(f"before.{self._serial}.{i}", Register(self.slot(place)), path)
            for i, place in enumerate(dict.fromkeys(place for _, _, place in watched))
        }
        items = tuple((slot, substitute(tree, {})) for slot, tree in pairs)
        clamps = tuple(clamp for place in touched if (clamp := self._clamp(place, path)) is not None)
        self.emitter.emit(Write(path, items, clamps, kind))
        order = {name: i for i, name in enumerate(self.emitter.system.triggers)}
        for trigger_id, trigger, place in sorted(watched, key=lambda w: self._rank_of_trigger(order, w)):
            self._fire_on(trigger_id, trigger, place, old[place])

    def _rank_of_trigger(self, order: dict[str, int], watched: tuple[str, Trigger, Place]) -> tuple[int, int]:
        """Declared order; but a jump over several named steps crosses each in turn, lowest first."""
        trigger_id, trigger, (_, info) = watched
        code = _threshold(trigger.upon)
        if info.ids is not None and code is not None and code.text in info.ids.ids:
            rank = info.ids.ids.index(code.text)
            first = min(
                order[name] for name, t in self.emitter.system.triggers.items() if t.upon.gauge == trigger.upon.gauge
            )
            return first, -rank if trigger.upon.drops_to or trigger.upon.falls_below else rank
        return order[trigger_id], 0

    def _clamp(self, place: Place, path: Path) -> Clamp | None:
        info = place[1]
        if info.sort != "number" and not (info.section == "gauges" and info.ids):
            return None
        low, high = self.bounds(place)
        if high is not None and getattr(info.spec, "keeps", False):  # what is above a fallen maximum stays, and no more
            high = call("max", high, self.emitter.let(f"kept.{self.slot(place)}", Register(self.slot(place)), path))
        return None if low is None and high is None else Clamp(self.slot(place), low, high)

    def _cut_by(self, slots: Iterable[int]) -> Iterable[Place]:
        """The gauges whose bounds read one of these registers."""
        if self._dependents is None:
            self._dependents = {}
            for entity in self.emitter.layout.entities.values():
                for info in entity.kind.fields:
                    if info.section == "gauges" and info.ids is None and not getattr(info.spec, "keeps", False):
                        for bound in self.bounds((entity, info)):
                            for slot in reads(bound) if bound is not None else ():
                                self._dependents.setdefault(slot, []).append((entity, info))
        for slot in slots:
            yield from self._dependents.get(slot, ())

    # ------------------------------------------------------------------ triggers

    def _watching(self, place: Place, kind: str) -> Iterable[tuple[str, Trigger]]:
        entity, info = place
        for name, trigger in self.emitter.system.triggers.items():
            upon = trigger.upon
            if upon.gauge is not None and kind in (*upon.by, "cut"):
                if _names(upon.gauge, entity, info) and info.section == "gauges":
                    yield name, trigger
            elif upon.field is not None and _names(upon.field, entity, info):
                yield name, trigger

    def _fire_on(self, name: str, trigger: Trigger, place: Place, old: Tree) -> None:
        entity, info = place
        frame = self._trigger_frame(name, entity)
        frame.names["before"] = Scalar(old)
        if info.key is not None:
            frame.names["key"] = constant(info.key, getattr(info.spec, "keys", None))
        now = Register(self.slot(place))
        self.fire(name, trigger, entity, frame, self._crossing(trigger.upon, info, frame, old, now))

    def _trigger_frame(self, name: str, entity: Entity | None) -> Frame:
        names: ChainMap[str, Bound] = ChainMap({} if entity is None else {"self": entity})
        return Frame(f"{name}.", names, (), name)

    def _crossing(self, upon: Upon, info: FieldInfo, frame: Frame, old: Tree, now: Tree) -> Tree:
        """True when the step just made takes the value across what the trigger waits for."""
        if upon.field is not None:
            changed = compare(old, ast.NotEq(), now)
            if upon.becomes is None:
                return changed
            return both(changed, compare(now, ast.Eq(), self.coerce(upon.becomes, info, frame)))
        if upon.changes is not None:
            operator = {"up": ast.Gt(), "down": ast.Lt(), "any": ast.NotEq()}[upon.changes]
            return compare(now, operator, old)
        code = _threshold(upon)
        assert code is not None
        limit = self.coerce(code, info, frame)
        before, after = _CROSSINGS[next(name for name in _CROSSINGS if getattr(upon, name) is not None)]
        return both(compare(old, before, limit), compare(now, after, limit))

    def fire(self, name: str, trigger: Trigger, entity: Entity | None, frame: Frame, crossed: Tree | None) -> None:
        """Writes out a trigger for one sheet. One that waits for its own end to fire again cannot: `once_per` has
        spent it."""
        place = (name, entity.id if entity else "")
        if place in self._active:
            return
        emitter = self.emitter
        end = emitter.mark()
        if crossed is not None and not emitter.branch(crossed, end, trigger.path):
            emitter.place(end)
            return
        spent = None
        if trigger.once_per is not None:
            spent = emitter.layout.world(f"spent.{trigger.once_per}.{name}.{place[1]}")
            emitter.branch(ast.UnaryOp(ast.Not(), Register(spent)), end, trigger.path)
        condition = emitter.guard(trigger.when, frame)
        if condition is not None:
            emitter.branch(condition, end, trigger.path)
        self._active.append(place)
        if spent is not None:
            self.assign([(spent, ast.Constant(True))], [], "spend", trigger.path)
        emitter.emit(Note(trigger.path, "trigger", f"{name}:{place[1]}"))
        self.run_steps(trigger.do, frame)
        self._active.pop()
        emitter.place(end)

    def tell(self, match: Callable[[Upon], bool], entity: Entity | None) -> None:
        """Lets triggers on events look: periods that begin, end or are joined, and events told of by steps."""
        for name, trigger in self.emitter.system.triggers.items():
            if match(trigger.upon):
                self.fire(name, trigger, entity, self._trigger_frame(name, entity), None)


_CROSSINGS: dict[str, tuple[ast.cmpop, ast.cmpop]] = {
    "falls_below": (ast.GtE(), ast.Lt()),
    "rises_to": (ast.Lt(), ast.GtE()),
    "drops_to": (ast.Gt(), ast.LtE()),
    "rises_above": (ast.LtE(), ast.Gt()),
}


def _threshold(upon: Upon) -> Code | None:
    return upon.falls_below or upon.rises_to or upon.drops_to or upon.rises_above


def _names(text: str, entity: Entity, info: FieldInfo) -> bool:
    """Whether `sheet.field` or `sheet.field.key` names this place."""
    return text in (f"{entity.kind.name}.{info.name}", f"{entity.kind.name}.{info.dotted}")


def things(bound: Bound) -> tuple[tuple[Tree | None, Entity], ...]:
    """Every thing that a name can stand for, with the condition under which it does."""
    match bound:
        case Entity():
            return ((None, bound),)
        case Reference(tree=tree, candidates=candidates):
            return tuple((compare(tree, ast.Eq(), ast.Constant(thing.id)), thing) for thing in candidates)
        case Many(items=items):
            return tuple(
                (both(g, h) if g is not None and h is not None else g or h, t) for g, b in items for h, t in things(b)
            )
    return ()


def _set_value(bound: Many, keys: Keys | None) -> tuple[str, ...]:
    ids = [str(tree.value) for _, item in bound.items if isinstance(tree := tree_of(item), ast.Constant)]
    order = keys.ids if keys else ()
    return tuple(sorted(set(ids), key=order.index))
