"""A throw's plan and the registers of the moment to a pool of dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from interpreter import dice
from interpreter.expressions import prepare, reads
from interpreter.program import DieSlots, GroupPlan, OperationPlan, ReadingPlan, Rethrow, Throw, Tree

SETS: dict[str, tuple[str, int]] = {
    "largest": ("largest", 2),
    "height": ("height", 2),
    "pairs": ("parts", 2),
    "repeated": ("count", 2),
    "distinct": ("count", 1),
}
MOST_REMEMBERED = 1024
MOST_LOOKS = 20_000
Values = Sequence[object]


def pool_of(plan: Throw, values: Values) -> dice.Pool:
    """The pool to throw now; its readings are those of the plan, in order. A DiceError says what cannot be thrown."""
    return prepared(plan, values)[0]


def prepared(plan: Throw, values: Values) -> tuple[dice.Pool, dice.Quick | None]:
    """The pool and a quick way to throw it, if there is one; made once for the values that the plan reads."""
    slots, known = _remembered(plan)
    read = [values[slot] for slot in slots]
    key = (*read, *map(type, read))
    found = known.get(key)
    if found is None:
        pool = _pool(plan, values)
        found = pool, dice.quick(pool)
        if len(known) >= MOST_REMEMBERED:
            known.clear()
        known[key] = found
    return found


@lru_cache(maxsize=1024)
def _remembered(plan: Throw) -> tuple[tuple[int, ...], dict[object, tuple[dice.Pool, dice.Quick | None]]]:
    """The registers that a plan reads before dice are thrown or while they are looked at, and the pools made so far."""
    trees = [tree for group in plan.groups for tree in (group.count, group.die)]
    operations = [*plan.operations, *(one for group in plan.groups for one in group.operations)]
    if plan.empty is not None:
        trees.append(plan.empty[0])
        operations += plan.empty[1]
    trees += [tree for one in operations for tree in (one.test, *one.numbers.values()) if tree is not None]
    trees += [tree for reading in plan.readings for tree in reading.trees]
    return tuple(sorted({slot for tree in trees for slot in reads(tree)} - _die_registers(plan.die_slots))), {}


def _die_registers(slots: DieSlots) -> set[int]:
    return {slots.face, slots.first, slots.value, slots.sides, slots.group, *slots.symbols.values()}


def _pool(plan: Throw, values: Values) -> dice.Pool:
    on_die = _OnDie(plan.die_slots, values)
    groups = tuple(_group(group, values) for group in plan.groups)
    operations = [item for group in plan.groups for item in _operations(group.operations, on_die, (group.name,))]
    operations += _operations(plan.operations, on_die, None)
    if plan.empty is not None and sum(count for _, count, _ in groups) <= 0:
        tree, instead = plan.empty
        name, _, die = groups[0]
        groups = ((name, _whole(prepare(tree)(values)), die),)
        operations = _operations(instead, on_die, None)
    pool = tuple(dice.Group(name, count, die) for name, count, die in groups)
    return dice.Pool(pool, tuple(operations), tuple(_reading(reading, on_die) for reading in plan.readings))


def reroll_of(step: Rethrow, values: Values) -> dice.Reroll:
    """Which dice are thrown again."""
    on_die = _OnDie(step.throw.die_slots, values)
    where = on_die.test(step.where) if step.where is not None else _always
    return dice.Reroll(where, None if step.how_many is None else _whole(prepare(step.how_many)(values)))


class _OnDie:
    """Makes functions of a die from trees, which find it in registers of their own: its face and the rest."""

    def __init__(self, slots: DieSlots, values: Values) -> None:
        self.values = list(values)
        self.names = {getattr(slots, name): name for name in ("face", "first", "value", "sides", "group")}
        self.symbols = {slot: symbol for symbol, slot in slots.symbols.items()}

    def test(self, tree: Tree) -> Callable[[dice.Thrown], bool]:
        return self._read(tree, bool)

    def number(self, tree: Tree) -> Callable[[dice.Thrown], int]:
        return self._read(tree, _whole)

    def _read(self, tree: Tree, plain: Callable[[object], Any]) -> Callable[[dice.Thrown], Any]:
        """What a tree says of a die, remembered by what it asks of the die."""
        compiled = prepare(tree)
        named = [slot for slot in reads(tree) if slot in self.names]
        symbols = [slot for slot in reads(tree) if slot in self.symbols]
        take = _taker([self.names[slot] for slot in named], [self.symbols[slot] for slot in symbols])
        remembered: dict[object, Any] = {}

        def compute(key: object, thrown: dice.Thrown) -> Any:
            values = self.values.copy()  # a copy, since threads may share a pool
            for slot in named:
                values[slot] = getattr(thrown, self.names[slot])
            for slot in symbols:
                values[slot] = thrown.symbol(self.symbols[slot])
            if len(remembered) >= MOST_LOOKS:
                remembered.clear()
            found = remembered[key] = plain(compiled(values))
            return found

        def read(thrown: dice.Thrown) -> Any:
            key = take(thrown)
            try:
                return remembered[key]
            except KeyError:
                return compute(key, thrown)

        return read


def _taker(names: Sequence[str], symbols: Sequence[str]) -> Callable[[dice.Thrown], object]:
    """What is asked of a die, together."""
    if names and not symbols:
        return attrgetter(*names)
    take = attrgetter("symbols", *names)
    return take if symbols else lambda thrown: None


def readings_of(plan: Throw, wanted: Sequence[ReadingPlan], values: Values) -> tuple[dice.Reading, ...]:
    """Some readings of a throw, of any dice."""
    on_die = _OnDie(plan.die_slots, values)
    return tuple(_reading(reading, on_die) for reading in wanted)


def _always(thrown: dice.Thrown) -> bool:
    return True


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return int(value)


def _group(plan: GroupPlan, values: Values) -> tuple[str, int, dice.Die]:
    name = str(prepare(plan.die)(values))
    return plan.name, _whole(prepare(plan.count)(values)), plan.dice[name]


def _operations(
    plans: tuple[OperationPlan, ...], on_die: _OnDie, groups: tuple[str, ...] | None
) -> list[dice.Operation]:
    return [_MAKERS[plan.kind](plan, on_die, groups) for plan in plans]


def _number(plan: OperationPlan, name: str, on_die: _OnDie) -> int | None:
    tree = plan.numbers.get(name)
    return None if tree is None else _whole(prepare(tree)(on_die.values))


def _explode(plan: OperationPlan, on_die: _OnDie, groups: tuple[str, ...] | None) -> dice.Operation:
    assert plan.test is not None
    most = _number(plan, "at_most", on_die)
    into = "new_die" if plan.option == "new_die" else "same_die"
    return dice.Explode(on_die.test(plan.test), into, most, groups)  # type: ignore[arg-type]


def _reroll(plan: OperationPlan, on_die: _OnDie, groups: tuple[str, ...] | None) -> dice.Operation:
    assert plan.test is not None
    often = None if plan.option == "until" else _number(plan, "how_often", on_die) or 1
    return dice.Reroll(on_die.test(plan.test), _number(plan, "how_many", on_die), often, groups)


def _replace(plan: OperationPlan, on_die: _OnDie, groups: tuple[str, ...] | None) -> dice.Operation:
    assert plan.test is not None
    return dice.Replace(on_die.test(plan.test), _number(plan, "by", on_die) or 0, groups)


def _keep(plan: OperationPlan, on_die: _OnDie, groups: tuple[str, ...] | None) -> dice.Operation:
    which = "highest" if plan.option == "highest" else "lowest"
    return dice.Keep(which, max(0, _number(plan, "dice", on_die) or 0), groups)  # type: ignore[arg-type]


def _drop(plan: OperationPlan, on_die: _OnDie, groups: tuple[str, ...] | None) -> dice.Operation:
    which = "highest" if plan.option == "highest" else "lowest"
    return dice.Drop(which, max(0, _number(plan, "dice", on_die) or 0), groups)  # type: ignore[arg-type]


_MAKERS: dict[str, Callable[[OperationPlan, _OnDie, tuple[str, ...] | None], dice.Operation]] = {
    "explode": _explode,
    "reroll": _reroll,
    "replace": _replace,
    "keep": _keep,
    "drop": _drop,
}


def _reading(plan: ReadingPlan, on_die: _OnDie) -> dice.Reading:
    name = plan.name or "total"
    if plan.kind == "sets":
        measure, at_least = SETS[plan.option]
        return dice.Sets(name, measure, at_least)  # type: ignore[arg-type]
    assert plan.tree is not None
    if plan.kind == "count":
        return dice.Count(name, on_die.test(plan.tree))
    if plan.dice is not None:
        dice_read = max(0, _whole(prepare(plan.dice)(on_die.values)))
        which = "highest" if plan.kind == "highest" else "lowest"
        return dice.Extremes(name, which, dice_read, on_die.number(plan.tree))  # type: ignore[arg-type]
    return _NUMBERS[plan.kind](name, on_die.number(plan.tree))


_NUMBERS: dict[str, Callable[[str, Callable[[dice.Thrown], int]], dice.Reading]] = {
    "sum": dice.Sum,
    "highest": dice.Highest,
    "lowest": dice.Lowest,
}


@lru_cache(maxsize=1024)
def dice_slots(plan: Throw) -> tuple[tuple[str, int], ...]:
    """The names of the readings of a throw and the registers that they go to."""
    return tuple((reading.name or "total", reading.slot) for reading in plan.readings)
