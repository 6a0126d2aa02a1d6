"""What tells hands of dice apart in words: what the rules read of them, and how many dice show each face."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from interpreter import dice
from interpreter.expressions import reads
from interpreter.odds.constants import die_registers
from interpreter.odds.graph import Graph
from interpreter.odds.kept import Hand, shown_face
from interpreter.pools import readings_of
from interpreter.program import Program, Rethrow, Throw


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that each hand in a register has."""

    name: str
    slot: int
    of: Callable[[Hand], int]


def name_of(program: Program, slot: int) -> str:
    """What a register is called, without the mark of its sort."""
    return program.registers[slot].name.lstrip(":#")


def features(graph: Graph, program: Program, slot: int, hands: Sequence[Hand]) -> Iterator[Feature]:
    """What is declared to be read first: it is what people look at."""
    throw = _throw_of(graph, slot)
    yield from _read(graph, program, throw, slot)
    yield from _shown(program, throw, slot, hands)


def _throw_of(graph: Graph, slot: int) -> Throw:
    sources = (point.op.source for point in graph.liveness.flow.points)
    throws = (one.throw if isinstance(one, Rethrow) else one for one in sources if isinstance(one, Throw | Rethrow))
    return next(throw for throw in throws if throw.faces == slot)


def _read(graph: Graph, program: Program, throw: Throw, slot: int) -> Iterator[Feature]:
    """Readings that look at nothing but the dice and what never changes."""
    flow = graph.liveness.flow
    known = {*flow.fixed, *flow.thrown, *die_registers(throw)}
    plans = [plan for plan in throw.readings if all(known.issuperset(reads(tree)) for tree in plan.trees)]
    for plan, reading in zip(plans, readings_of(throw, plans, graph.registers), strict=True):
        name = name_of(program, plan.slot)
        yield Feature(name, slot, partial(_number, dice.Pool((), (), (reading,)), throw.flat))


def _number(pool: dice.Pool, flat: int, hand: Hand) -> int:
    return dice.read(pool, hand.table, [pool.readings[0].name])[0] + flat


def _shown(program: Program, throw: Throw, slot: int, hands: Sequence[Hand]) -> Iterator[Feature]:
    """Where some face never shows it is alike to another that stands for both: then no face is counted."""
    name = name_of(program, slot)
    for place, group in enumerate(throw.groups):
        lying = {thrown for hand in hands for thrown in hand.table.dice[place]}
        faces = {shown_face(thrown): None for thrown in sorted(lying, key=lambda one: (one.face, one.symbols))}
        every = {face for thrown in lying for face, _ in thrown.die.weights}
        if len(faces) == len(every):
            own = f"{name}.{group.name}" if len(throw.groups) > 1 else name
            yield from (Feature(f"{own}.{face}", slot, partial(_count, place, face)) for face in faces)


def _count(place: int, face: str, hand: Hand) -> int:
    return sum(shown_face(thrown) == face for thrown in hand.table.dice[place])
