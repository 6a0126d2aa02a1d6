"""The same question for many inputs and sheets: one graph, whose situations all cells share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from interpreter import dice
from interpreter.bound import ResolutionError, Scalar
from interpreter.expressions import EvaluationError, Register
from interpreter.fields import constant_range
from interpreter.layout import State
from interpreter.machine import Refused, Run
from interpreter.model import System
from interpreter.odds.answer import Chance
from interpreter.odds.constants import writes
from interpreter.odds.graph import Graph
from interpreter.odds.limits import NoOdds, OddsError, beyond, refuse
from interpreter.odds.question import Asking, Inquiry
from interpreter.odds.solve import Goal, Solver
from interpreter.odds.steps import Picker, picker
from interpreter.odds.throws import Key
from interpreter.odds.walk import Node
from interpreter.start import Request, begin

Cell = tuple[Any, ...]


class Row(NamedTuple):
    """One cell: the values varied, and the probability of each outcome, or the mean of each number, that was asked; or
    why not.
    """

    cell: Cell
    chances: tuple[Chance, ...]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """`names` says what the cells hold, `asked` what the chances are of. `nodes` counts the situations looked at."""

    names: tuple[str, ...]
    asked: tuple[str, ...]
    rows: tuple[Row, ...]
    nodes: int = 0


def grid(
    system: System,
    state: State,
    request: Request,
    vary: Mapping[str, Sequence[Any]],
    wanted: Sequence[str] | None = None,
    asking: Asking | None = None,
    progress: Callable[[int, int], None] | None = None,
    **how: Any,
) -> Grid | NoOdds:
    """The odds of an action for every combination of `vary`: inputs by name (`side.input` for a side's), and values of
    sheets as rules write them (`self.luck`). A gauge that is varied moves from its start, which is raised to the
    highest value if it is lower.

    `wanted` are outcomes, conditions, or numbers whose means count: all outcomes unless said. `progress(done, all)` is
    told how far it is. Wide grids want `exact=False`.
    """
    asking = replace(asking or Asking(), **how)
    try:
        return _Grid(system, state, request, vary, wanted, asking).answer(progress)
    except OddsError as error:
        return error.answer
    except dice.LimitReached as error:
        return beyond(error)
    except dice.DiceError as error:
        return NoOdds("dice", f"{error}.")
    except EvaluationError as error:
        return NoOdds("arithmetic", error.message)


class _Grid:
    def __init__(
        self,
        system: System,
        state: State,
        request: Request,
        vary: Mapping[str, Sequence[Any]],
        wanted: Sequence[str] | None,
        asking: Asking,
    ) -> None:
        self.names = tuple(vary)
        self.columns = [list(values) for values in vary.values()]
        inputs = [place for place, name in enumerate(self.names) if self._is_input(system, request, name)]
        self.inputs = inputs
        self.fields = [place for place in range(len(self.names)) if place not in inputs]
        self.runs = dict(self._runs(system, state, request))
        first = next((run for run in self.runs.values() if isinstance(run, Run)), None)
        if first is None:
            refused = next(iter(self.runs.values()))
            assert isinstance(refused, Refused)
            raise OddsError(NoOdds(refused.code, refused.message, refused.label))
        self.inquiry = Inquiry(system, first, asking)
        self.slots = [self._slot(place) for place in self.fields]
        rules = first.program.rules
        self.wanted = tuple(rules.outcomes if wanted is None else wanted)

    # ------------------------------------------------------------------ what varies

    @staticmethod
    def _is_input(system: System, request: Request, name: str) -> bool:
        action = system.actions.get(request.action)
        if action is None:
            return True
        side, _, inner = name.partition(".")
        return name in action.inputs or (side in action.sides and inner in action.sides[side].inputs)

    def _runs(self, system: System, state: State, request: Request) -> Iterator[tuple[Cell, Run | Refused]]:
        """The run of each combination of inputs; all are of one program if they can be."""
        first: Run | None = None
        for values in product(*(self.columns[place] for place in self.inputs)):
            inputs: dict[str, Any] = dict(request.inputs)
            for place, value in zip(self.inputs, values, strict=True):
                side, found, inner = self.names[place].partition(".")
                inner_inputs = inputs.get(side)
                if found:
                    inputs[side] = {**(inner_inputs if isinstance(inner_inputs, Mapping) else {}), inner: value}
                else:
                    inputs[side] = value
            run = begin(system, state, replace(request, inputs=inputs))
            if first is not None and isinstance(run, Run) and run.program is not first.program:
                raise refuse("vary", "What varies changes which things are in play: ask for each by itself.")
            first = first or (run if isinstance(run, Run) else None)
            yield values, run

    def _slot(self, place: int) -> int:
        """The register of a value of a sheet."""
        name = self.names[place]
        try:
            bound = self.inquiry.questions.bound(name)
        except (ResolutionError, EvaluationError) as error:
            raise refuse("vary", f"`{name}` cannot be varied: {error}.") from error
        tree = bound.tree if isinstance(bound, Scalar) else None
        if not isinstance(tree, Register) or self.inquiry.program.registers[tree.slot].info is None:
            raise refuse("vary", f"`{name}` is no input and no value of a sheet that can be varied.")
        return self._check(tree.slot, self.columns[place], name)

    def _check(self, slot: int, values: Sequence[Any], name: str) -> int:
        program, registers = self.inquiry.program, self.inquiry.registers
        register = program.registers[slot]
        assert register.info is not None
        low, high = constant_range(register.info.spec)
        for value in values:
            number = isinstance(value, int) and not isinstance(value, bool)
            if number and ((low is not None and value < low) or (high is not None and value > high)):
                raise refuse("vary", f"`{name}` cannot be {value}.")
        start = program.layout.slots.get(f"{register.name}#start")
        if start is not None and all(isinstance(value, int) for value in values):
            found: list[Any] = [registers[start], *values]
            registers[start] = max(found)
        return slot

    def _free(self) -> frozenset[int]:
        """The registers in which cells begin differently."""
        free = set(self.slots)
        found = [run.registers for run in self.runs.values() if isinstance(run, Run)]
        for slot, values in enumerate(zip(*found, strict=False)):
            if any(type(v) is not type(values[0]) or v != values[0] for v in values):
                free.add(slot)
        return frozenset(free)

    # ------------------------------------------------------------------ the answer

    def answer(self, progress: Callable[[int, int], None] | None) -> Grid:
        inquiry = self.inquiry
        goals = [Goal(text, inquiry.tree(text)) for text in self.wanted]
        asked = [goal.tree for goal in (*inquiry.goals, *goals)]
        flow = inquiry.flow(asked, self._free())
        graph = inquiry.graph(flow, asked)
        judges = Judges(
            graph,
            inquiry.solver(flow, graph),
            goals,
            set(self.wanted) == set(inquiry.program.rules.outcomes),
        )
        region = graph.region(flow.start)
        changing = {slot for point in flow.points for slot in writes(point.op)}
        fixed = [index for index, slot in enumerate(self.slots) if slot not in changing]
        total, rows = len(list(product(*self.columns))), list[Row]()
        for values, run in self.runs.items():
            take, base = self._start(region.layout, run)
            for fields in self._grouped(fixed):
                graph.forget()
                cells = [self._cell(values, each) for each in fields]
                if isinstance(run, Refused):
                    rows += [Row(cell, (), run.message) for cell in cells]
                else:
                    starts = [graph.landed(region, take(base + each)) for each in fields]
                    rows += judges.rows(cells, starts)
                if progress is not None:
                    progress(len(rows), total)
        places = [{value: place for place, value in enumerate(column)} for column in self.columns]
        rows.sort(key=lambda row: [found[value] for found, value in zip(places, row.cell, strict=True)])
        return Grid(self.names, self.wanted, tuple(rows), inquiry.budget.nodes)

    def _start(self, layout: Sequence[int], run: Run | Refused) -> tuple[Picker, Key]:
        """The situation at the start of a run, to be made of its registers with the values of a cell behind them."""
        if isinstance(run, Refused):
            return picker(()), ()
        registers = [*run.registers, *self.inquiry.registers[len(run.registers) :]]
        behind = {slot: len(layout) + index for index, slot in enumerate(self.slots)}
        return picker([behind.get(slot, index) for index, slot in enumerate(layout)]), tuple(
            [registers[s] for s in layout]
        )

    def _grouped(self, fixed: Sequence[int]) -> Iterator[list[Cell]]:
        """The values of sheets in every combination; in a group all that differ only in what a run can change, as other
        graphs have no situation in common.
        """
        columns = [self.columns[place] for place in self.fields]
        others = [index for index in range(len(columns)) if index not in fixed]
        back = {index: place for place, index in enumerate([*fixed, *others])}
        take = picker([back[index] for index in range(len(columns))])
        for first in product(*(columns[index] for index in fixed)):
            yield [take(first + rest) for rest in product(*(columns[index] for index in others))]

    def _cell(self, inputs: Cell, fields: Cell) -> Cell:
        if not inputs:
            return fields
        whole: list[Any] = [None] * len(self.names)
        for place, value in zip(self.inputs, inputs, strict=True):
            whole[place] = value
        for place, value in zip(self.fields, fields, strict=True):
            whole[place] = value
        return tuple(whole)


class Judges:
    """Tells what a cell comes to for each goal; the last of all outcomes is what the others leave, where nothing else
    can be.
    """

    def __init__(self, graph: Graph, guide: Solver | None, goals: Sequence[Goal], all_outcomes: bool) -> None:
        self.graph = graph
        self.all_outcomes = all_outcomes
        self.solvers: list[Solver] = []
        for goal in goals:
            own = guide is not None and guide.before is None and guide.goal.text == goal.text
            self.solvers.append(guide if own and guide is not None else Solver(graph, goal, guide=guide))
        first = [place for place, solver in enumerate(self.solvers) if solver is guide]
        others = [place for place in range(len(self.solvers)) if place not in first]
        self.order = first + others

    def rows(self, cells: Sequence[Cell], starts: Sequence[Node]) -> list[Row]:
        """The rows of cells that start in these situations."""
        *most, last = self.order
        chances: dict[int, list[Any]] = {place: self._worths(place, starts) for place in most}
        if most and self.all_outcomes and not self.graph.lossy and all(self.solvers[place].sure for place in most):
            chances[last] = [1 - sum(given) for given in zip(*chances.values(), strict=True)]
        else:
            chances[last] = self._worths(last, starts)
        columns = [chances[place] for place in range(len(self.solvers))]
        refusals = self.graph.refusals
        return [
            Row(cell, given) if start[0] is not refusals else Row(cell, (), start[1][1])
            for cell, start, given in zip(cells, starts, zip(*columns, strict=True), strict=True)
        ]

    def _worths(self, place: int, starts: Sequence[Node]) -> list[Any]:
        solver = self.solvers[place]
        solver.fill(starts)
        return [solver.tables[region.number][key] for region, key in starts]
