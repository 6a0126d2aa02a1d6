"""What is worked out of a program before any dice are thrown, kept for the next question about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from interpreter.expressions import Register, reads
from interpreter.odds.constants import dice_trees, die_registers, reads_of, writes
from interpreter.odds.flow import Flow, find_flow
from interpreter.odds.graph import Graph
from interpreter.odds.liveness import Liveness, find_liveness
from interpreter.odds.lowered import Lowering, Op, lower
from interpreter.odds.regions import Stretch
from interpreter.odds.segments import make_segments
from interpreter.program import Program, Rethrow, Throw, Tree
from interpreter.recent import Recent

MOST_PROGRAMS = 32
MOST_FLOWS = 16
MOST_TREES = 256
# A graph of so many situations is not kept; nor one that came to so many in all its questions, as it remembers what
# trees say of each.
SMALL = 2_000
MOST_WORKED = 40_000
Slots = frozenset[int]
NO_GAINS: Mapping[int, Tree] = MappingProxyType({})


@lru_cache(maxsize=MOST_PROGRAMS)
def study_of(program: Program, first: bool) -> Study:
    """Of a program whose choices no policy answers one by one: all are open, or all take the first option."""
    return Study(program, lower(program, lambda pick: () if first else None))


class Study:
    """Flows by what they depend on, and what is live in them by what is looked at in the end.

    A flow depends on the values that steps compare and reckon with, not on those that only throws read, so that it is
    the same for any number of dice.
    """

    def __init__(self, program: Program, lowering: Lowering) -> None:
        self.program = program
        self.ops, self.landed = lowering
        names = program.layout.slots.items()
        self.inner = frozenset(slot for name, slot in names if name.startswith((":die.", ":link.")))
        self.written = frozenset[int]().union(*map(writes, self.ops))
        self.trees: Recent[Tree] = Recent(MOST_TREES)
        self._registers: dict[int, Register] = {}
        self.base = self.register(program.outcome), self.register(program.grade)
        self._uses: Recent[tuple[Slots, Slots]] = Recent(MOST_FLOWS)
        self._flows: Recent[Flow] = Recent(MOST_FLOWS)
        self._lives: Recent[Liveness] = Recent(MOST_FLOWS)
        self._stretches: Recent[dict[int, Stretch]] = Recent(MOST_FLOWS)
        self._graphs: Recent[Graph] = Recent(MOST_FLOWS)

    def register(self, slot: int) -> Register:
        """The tree of a register: always the same, since trees that are asked for are known by themselves."""
        return self._registers.setdefault(slot, Register(slot))

    def flow(self, position: int, values: Sequence[object], asked: Slots, free: Slots = frozenset()) -> Flow:
        """From a position of the program on. `asked` are the registers that are looked at in the end, `free` those
        whose values are not known."""
        start = self.landed(position)
        kept = start, asked, free
        told, thrown = self._uses.of(kept, lambda: self._use(start, asked, free))
        known = [values[slot] if slot < len(values) else None for slot in sorted((told | self.written) - free)]
        key = (kept, *known, *map(type, known))
        return self._flows.of(key, lambda: find_flow(self.ops, start, values, free, told - self.inner, thrown))

    def liveness(self, flow: Flow, asked: Sequence[Tree], gains: Mapping[int, Tree] = NO_GAINS) -> Liveness:
        """`asked` are the trees that are looked at in the end, `gains` those that are added up on the way."""
        if gains:
            return find_liveness(flow, asked, gains)
        return self._lives.of((flow, *asked), lambda: find_liveness(flow, asked, gains))

    def graph(self, liveness: Liveness, exact: bool) -> Graph:
        """A graph to be begun: one that was given back, or a new one.

        Of values that are alike to the rest of a run, the first one met stands for all, and a graph that is begun has
        met none: no answer hangs on what was asked before.
        """
        known = self._graphs.take((liveness, exact))
        if known is not None:
            return known
        stretches = self._stretches.of(liveness, dict)
        local = frozenset(slot for slot, one in enumerate(self.program.registers) if not one.kept)
        return Graph(liveness, local, stretches, exact, make_segments)

    def give_back(self, graph: Graph) -> None:
        """Keeps a small graph, with how its steps are taken, for the next question of the kind."""
        work = graph.budget.nodes + graph.budget.passed
        graph.worked += work
        small = work <= SMALL and graph.worked <= MOST_WORKED
        if small and not graph.counts and not graph.liveness.flow.choices:
            self._graphs.keep((graph.shared, graph.exact), graph)

    def _use(self, start: int, asked: Slots, free: Slots) -> tuple[Slots, Slots]:
        """The registers whose values steps look at, and those that only throws do and nothing changes."""
        told, thrown, changing = set(asked), set[int](), self.written | free
        for op in self._reached(start):
            if not isinstance(op.source, Throw | Rethrow):
                told |= reads_of(op)
                continue
            for tree in dice_trees(op.source):
                read = set(reads(tree)) - die_registers(op.source)
                (thrown if read.isdisjoint(changing) else told).update(read)
        return frozenset(told), frozenset(thrown - told)

    def _reached(self, start: int) -> Sequence[Op]:
        found = {start}
        waiting = [start]
        while waiting:
            new = [place for place in self.ops[waiting.pop()].targets if place not in found]
            found.update(new)
            waiting += new
        return [self.ops[place] for place in found]
