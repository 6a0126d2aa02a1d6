"""Roll steps: dice, operations and readings to a plan, with registers in which trees on a die find it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from interpreter.bound import Bound, Scalar, constant, space, tree_of
from interpreter.compiler.emitter import Emitter, Frame
from interpreter.dice import Die, Symbols, standard
from interpreter.expressions import Register
from interpreter.fields import whole
from interpreter.model import Code, Explode, Keep, Keys, Operation, Replace, Reroll, RerollDice, RollSpec
from interpreter.program import DieSlots, GroupPlan, OperationPlan, ReadingPlan, Rethrow, Throw, Tree
from interpreter.trees import compare

DICE = re.compile(r"\s*(\d*)d(\d+)\s*(?:([+-])\s*(\d+))?\s*\Z")
STANDARD = re.compile(r"d(\d+)\Z")
ONE, ZERO = ast.Constant(1), ast.Constant(0)


def dice_text(text: str) -> tuple[int, int, int] | None:
    """(number, sides, flat) of `2d6 + 12`, or None when the text is no dice."""
    match = DICE.match(text)
    if match is None:
        return None
    count, sides, sign, flat = match.groups()
    return int(count or 1), int(sides), int(flat or 0) * (-1 if sign == "-" else 1)


def compile_roll(emitter: Emitter, name: str, spec: RollSpec, frame: Frame, kept: bool) -> Bound:
    """Emits a throw; gives what the roll's name stands for afterwards."""
    slots = _die_slots(emitter)
    groups, flat = _groups(emitter, spec, frame, slots)
    scope_frame = _die_frame(emitter, frame, slots, tuple(group.name for group in groups))
    full = f"{frame.prefix}{name}"
    readings = tuple(_readings(emitter, spec, scope_frame, frame, slots, full))
    dice_slot = emitter.layout.local(f"{full}.dice")
    empty = None
    if spec.empty is not None:
        empty = (emitter.tree(spec.empty.dice, frame), _operations(emitter, spec.empty.do, scope_frame, frame))
    emitter.emit(
        Throw(
            spec.path,
            full,
            spec.label,
            groups,
            _operations(emitter, spec.do, scope_frame, frame),
            readings or (ReadingPlan("", "sum", Register(slots.value), "", emitter.layout.local(full)),),
            flat,
            dice_slot,
            slots,
            empty,
            emitter.layout.local(f"{full}.faces") if kept else None,
            spec.hidden_from,
            tuple(emitter.turns),
            {**{group: part.label for group, part in spec.groups.items() if part.label}, **spec.labels},
        )
    )
    if not readings:
        return Scalar(Register(emitter.layout.local(full)))
    members: dict[str, Bound] = {reading.name: Scalar(Register(reading.slot)) for reading in readings}
    members.setdefault("dice", Scalar(Register(dice_slot)))
    return space(name, members)


def compile_reroll(emitter: Emitter, step: Reroll, frame: Frame) -> None:
    full = f"{frame.prefix}{step.reroll}"
    throw = next(i for i in reversed(emitter.instructions) if isinstance(i, Throw) and i.name == full)
    inner = _die_frame(emitter, frame, throw.die_slots, tuple(group.name for group in throw.groups))
    where = emitter.tree(step.where, inner) if step.where is not None else None
    how_many = emitter.tree(step.how_many, frame) if step.how_many is not None else None
    emitter.emit(Rethrow(step.path, throw, where, how_many))


# ---------------------------------------------------------------------- pieces


def _die_slots(emitter: Emitter) -> DieSlots:
    layout = emitter.layout
    face, first, value, sides, group = (
        layout.local(f"die.{part}") for part in ("face", "first", "value", "sides", "group")
    )
    symbols = {symbol: layout.local(f"die.symbol.{symbol}") for symbol in emitter.system.symbols}
    return DieSlots(face, first, value, sides, group, symbols)


def _die_frame(emitter: Emitter, frame: Frame, slots: DieSlots, groups: tuple[str, ...]) -> Frame:
    """The names that an expression on a die may use besides those of the action."""
    names: dict[str, Bound] = {
        part: Scalar(Register(getattr(slots, part))) for part in ("face", "first", "value", "sides")
    }
    names["group"] = Scalar(Register(slots.group), Keys(groups))
    names["symbol"] = space("symbol", {symbol: Scalar(Register(slot)) for symbol, slot in slots.symbols.items()})
    return Frame(frame.prefix, frame.names.new_child(names), frame.blocks, frame.title)


def _groups(emitter: Emitter, spec: RollSpec, frame: Frame, slots: DieSlots) -> tuple[tuple[GroupPlan, ...], int]:
    if spec.groups:
        names = tuple(spec.groups)
        inner = _die_frame(emitter, frame, slots, names)
        plans = []
        for name, group in spec.groups.items():
            known, which = _die(emitter, group.die, frame)
            operations = _operations(emitter, group.do, inner, frame)
            plans.append(GroupPlan(name, emitter.tree(group.dice, frame), known, which, operations))
        return tuple(plans), 0
    written = dice_text(spec.dice.text) if spec.dice is not None else None
    if written is not None and spec.die is None:
        count, sides, flat = written
        die = standard(sides)
        return (GroupPlan("", ast.Constant(count), {die.name: die}, ast.Constant(die.name), ()),), flat
    known, which = _die(emitter, spec.die, frame)
    count_tree = emitter.tree(spec.dice, frame) if spec.dice is not None else ONE
    return (GroupPlan("", count_tree, known, which, ()),), 0


def _die(emitter: Emitter, code: Code | None, frame: Frame) -> tuple[Mapping[str, Die], Tree]:
    """Every die that it can be, and the tree that gives its name."""
    text = code.text.strip() if code is not None else "d6"
    if text in emitter.system.dice or STANDARD.match(text):
        die = die_named(emitter, text)
        return {text: die}, ast.Constant(text)
    assert code is not None
    bound = emitter.resolver.bound(code, frame.scope)
    ids = bound.keys.ids if isinstance(bound, Scalar) and bound.keys else ()
    return {name: die_named(emitter, name) for name in ids}, tree_of(bound)


def die_named(emitter: Emitter, name: str) -> Die:
    spec = emitter.system.dice.get(name)
    if spec is None:
        return standard(whole(name[1:]) or 0)
    return Die(name, tuple(face if isinstance(face, int) else _symbols(face) for face in spec.faces))


def _symbols(text: str) -> Symbols:
    return Symbols.of(*(word for word in text.split() if word != "_"))


def _operations(
    emitter: Emitter, operations: Iterable[Operation], on_die: Frame, frame: Frame
) -> tuple[OperationPlan, ...]:
    """Tests look at each die; numbers are known before any die is looked at."""
    return tuple(_operation(emitter, operation, on_die, frame) for operation in operations)


def _operation(emitter: Emitter, operation: Operation, on_die: Frame, frame: Frame) -> OperationPlan:
    def number(code: Code | None, name: str) -> dict[str, Tree]:
        return {} if code is None or code.text == "until" else {name: emitter.tree(code, frame)}

    match operation:
        case Explode(explode=test, into=into, at_most=most):
            return OperationPlan("explode", emitter.tree(test, on_die), number(most, "at_most"), into)
        case RerollDice(reroll=test, how_many=many, how_often=often):
            numbers = {**number(many, "how_many"), **number(often, "how_often")}
            until = "until" if often is not None and often.text == "until" else ""
            return OperationPlan("reroll", emitter.tree(test, on_die), numbers, until)
        case Replace(replace=test, by=face):
            return OperationPlan("replace", emitter.tree(test, on_die), number(face, "by"))
    kind = "keep" if isinstance(operation, Keep) else "drop"
    ranked = getattr(operation, kind)
    end = "highest" if ranked.highest is not None else "lowest"
    return OperationPlan(kind, None, number(getattr(ranked, end), "dice"), end)


def _readings(
    emitter: Emitter, spec: RollSpec, on_die: Frame, frame: Frame, slots: DieSlots, full: str
) -> Iterable[ReadingPlan]:
    def slot(name: str) -> int:
        return emitter.layout.local(f"{full}.{name}")

    for kind in ("count", "sum"):
        for name, code in getattr(spec, kind).items():
            tree = _by_face(emitter, code, on_die, slots) if isinstance(code, Mapping) else emitter.tree(code, on_die)
            yield ReadingPlan(name, kind, tree, "", slot(name))
    for kind in ("highest", "lowest"):
        for name, few in getattr(spec, kind).items():
            dice = None if few.dice is None else emitter.tree(few.dice, frame)
            yield ReadingPlan(name, kind, emitter.tree(few.of, on_die), "", slot(name), dice)
    for name, option in spec.sets.items():
        yield ReadingPlan(name, "sets", None, option, slot(name))


def _by_face(emitter: Emitter, cases: Mapping[str, Code], frame: Frame, slots: DieSlots) -> Tree:
    """`{7..11: 1, 12: 2}`: a number for each face, 0 for the others; a symbol counts for each time it stands there."""
    tree: Tree = ZERO
    face = Register(slots.face)
    for text, code in reversed(list(cases.items())):
        amount = emitter.tree(code, frame)
        if text in slots.symbols:
            tree = ast.BinOp(tree, ast.Add(), ast.BinOp(Register(slots.symbols[text]), ast.Mult(), amount))
            continue
        low, dots, high = text.partition("..")
        ends = [compare(face, ast.GtE(), constant(int(low)).tree)] if low else []
        if not dots:
            ends = [compare(face, ast.Eq(), constant(int(low)).tree)]
        elif high:
            ends.append(compare(face, ast.LtE(), constant(int(high)).tree))
        test = ends[0] if len(ends) == 1 else ast.BoolOp(ast.And(), list(ends))
        tree = ast.IfExp(test, amount, tree)
    return tree
