"""The odds of an action: `odds` asks, `Odds` is the answer."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from interpreter import dice
from interpreter.bound import ResolutionError
from interpreter.examples import Questions
from interpreter.expressions import EvaluationError, Register, substitute
from interpreter.layout import State
from interpreter.machine import Refused, Run, advance
from interpreter.model import System
from interpreter.odds.advice import Advice, advise
from interpreter.odds.choosers import check_choosers
from interpreter.odds.flow import Flow, find_flow
from interpreter.odds.forward import Arrived, Chooser, Ends, joined, run_forward
from interpreter.odds.graph import Graph, Region
from interpreter.odds.kept import Hand
from interpreter.odds.limits import LIMITS, Budget, Limits, NoOdds, OddsError, refuse
from interpreter.odds.liveness import Liveness, find_liveness
from interpreter.odds.lowered import lower, lower_plain
from interpreter.odds.policies import Ruler, Written, policy_named
from interpreter.odds.regions import is_open
from interpreter.odds.segments import make_segments
from interpreter.odds.solve import Goal, Solver, at_end
from interpreter.odds.steps import Picker, picker
from interpreter.odds.throws import DiceBag
from interpreter.odds.walk import Node, Options
from interpreter.program import Program, Tree
from interpreter.start import Request, begin, grow

# All that is wanted is first tried in one pass of so many situations, then each thing alone.
MOST_TOGETHER = 20_000

Chance = Fraction | float
Distribution = Mapping[Any, Chance]


@dataclass(frozen=True, slots=True)
class Odds:
    """The answer. Everything is a probability: a fraction in exact odds, else a float.

    `values`, `gauges` and `joints` hold whole distributions; `refused` the refusals met on the way, by message. `worth`
    is the probability, or the mean, that the goal comes to. `cut_off` is the most that any of these lacks: endless
    explosions are followed until next to nothing is left. `nodes` counts the situations looked at.
    """

    outcomes: Mapping[str, Chance]
    grades: Mapping[str, Chance] = field(default_factory=dict)
    flags: Mapping[str, Chance] = field(default_factory=dict)
    values: Mapping[str, Distribution] = field(default_factory=dict)
    gauges: Mapping[str, Distribution] = field(default_factory=dict)
    joints: Mapping[tuple[str, ...], Distribution] = field(default_factory=dict)
    refused: Mapping[str, Chance] = field(default_factory=dict)
    cut_off: Chance = 0
    never_ends: Chance = 0
    goal: str = ""
    worth: Chance | None = None
    advice: tuple[Advice, ...] = ()
    exact: bool = True
    nodes: int = 0

    def mean(self, name: str) -> Chance:
        """The mean of a value or a gauge, over the runs that come to an end."""
        spread: Mapping[Any, Any] = self.values.get(name) or self.gauges[name]
        total: Chance = sum(number * chance for number, chance in spread.items()) / sum(spread.values())
        return total


@dataclass(frozen=True, slots=True)
class Asking:
    """How odds are asked for.

    `choices` (best, worst, first, or the name of a policy) answers what `policy` does not; `goal` is an outcome, a
    condition, or a number whose mean counts; without one the action's `best`.
    """

    choices: str = "best"
    policy: Written | None = None
    goal: str | Sequence[str] | None = None
    values: Sequence[str] | None = None
    gauges: bool = False
    joint: Sequence[Sequence[str]] = ()
    exact: bool = True
    limits: Limits = LIMITS
    clock: Callable[[], float] = time.monotonic


def odds(system: System, state: State, request: Request, asking: Asking | None = None, **how: Any) -> Odds | NoOdds:
    """The odds of an action. `how` are parts of an Asking."""
    run = begin(system, state, request)
    if isinstance(run, Refused):
        return NoOdds(run.code, run.message, run.label)
    return odds_of_run(system, run, asking, **how)


def odds_of_run(system: System, run: Run, asking: Asking | None = None, **how: Any) -> Odds | NoOdds:
    """The odds of a run from where it stands."""
    asking = replace(asking or Asking(), **how)
    try:
        return Inquiry(system, _at_first_stop(run), asking).answer()
    except OddsError as error:
        return error.answer
    except dice.LimitReached as error:
        return NoOdds("limit", f"{error}.", None, error.limit, error.asked)
    except dice.DiceError as error:
        return NoOdds("dice", f"{error}.")
    except EvaluationError as error:
        return NoOdds("arithmetic", error.message)


def _at_first_stop(run: Run) -> Run:
    """The run where it first waits, or is over: what comes before is for sure.

    A run that never waits stays as it is.
    """
    moved, need = advance(run)
    if not isinstance(need, Refused):
        return moved
    if need.code == "limit":
        return run
    said = next(iter(need.label.texts.values())) if need.label else need.message
    raise OddsError(NoOdds(need.code, said, need.label))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something whose distribution is asked: where it goes in the answer, its names, and their trees."""

    kind: str
    names: tuple[str, ...]
    trees: tuple[Tree, ...]


class Inquiry:
    """One question about one program; a grid asks it of many starts."""

    def __init__(self, system: System, run: Run, asking: Asking) -> None:
        self.system = system
        self.run = run
        self.asking = asking
        self.program: Program = run.program
        self.questions = Questions(system, run, {})
        self.budget = Budget(asking.limits, asking.clock)
        self.hands: dict[dice.Table, Hand] = {}
        ruler = self._ruler()
        plain = lower_plain(self.program, ruler.others_first) if not ruler.written else None
        self.ops, self.landed = plain or lower(self.program, ruler)
        ruler.check(asking.policy or {})
        self.wanted = self._wanted()
        self.goals = self._goals()
        self.registers = self._registers()
        self.local = frozenset(slot for slot, one in enumerate(self.program.registers) if not one.kept)

    # ------------------------------------------------------------------ what is asked

    def _ruler(self) -> Ruler:
        asking = self.asking
        written, others_first = dict(asking.policy or {}), asking.choices == "first"
        if asking.choices not in ("best", "worst", "first"):
            written = {**policy_named(self.system, asking.choices), **written}
            others_first = True
        return Ruler(self.program, self.questions, written, others_first)

    def tree(self, text: str) -> Tree:
        """What a text asks at the end: an outcome or a grade by its id, a condition, or a value."""
        rules = self.program.rules
        if text in rules.outcomes:
            return _is(self.program.outcome, text)
        if any(text in outcome.grades for outcome in rules.outcomes.values()):
            return _is(self.program.grade, text)
        try:
            found = substitute(self.questions.tree(text), {})
        except (ResolutionError, EvaluationError) as error:
            raise refuse("name", f"`{text}` cannot be looked at: {error}.") from error
        if isinstance(found, ast.Constant) and found.value == text:
            raise refuse("name", f"Nothing is called `{text}` here.")
        return found

    def _goals(self) -> list[Goal]:
        goal = self.asking.goal
        texts = self.program.rules.best if goal is None else (goal,) if isinstance(goal, str) else goal
        sign = -1 if self.asking.choices == "worst" else 1
        return [Goal(text, self.tree(text), sign) for text in texts]

    def _wanted(self) -> list[Wanted]:
        rules = self.program.rules
        found = [Wanted("flags", (name,), (self.tree(name),)) for name in rules.flags]
        values = rules.report if self.asking.values is None else self.asking.values
        found += [Wanted("values", (name,), (self.tree(name),)) for name in values]
        found += [Wanted("joints", tuple(names), tuple(map(self.tree, names))) for names in self.asking.joint]
        return found

    def _moved_gauges(self, flow: Flow) -> list[Wanted]:
        """The values of sheets that the run can change."""
        written = {slot for point in flow.points for slot, _ in point.op.items}
        found = []
        for slot in sorted(written):
            register = self.program.registers[slot]
            if (
                register.info is not None
                and register.part == "now"
                and not getattr(register.info.spec, "temporary", False)
            ):
                found.append(Wanted("gauges", (register.name,), (Register(slot),)))
        return found

    def _registers(self) -> list[object]:
        values = list(self.run.registers)
        grow(self.program.layout, self.run.state, values)
        return [self.hands.setdefault(v, Hand(v)) if isinstance(v, dice.Table) else v for v in values]

    # ------------------------------------------------------------------ the graph

    def flow(self, free: frozenset[int] = frozenset()) -> Flow:
        names = self.program.layout.slots.items()
        inner = frozenset(slot for name, slot in names if name.startswith((":die.", ":link.")))
        return find_flow(self.ops, self.landed(self.run.position), self.registers, free, inner)

    def graph(self, flow: Flow, asked: Sequence[Tree], budget: Budget | None = None) -> Graph:
        return self.graph_of(find_liveness(flow, asked), budget)

    def graph_of(self, liveness: Liveness, budget: Budget | None = None) -> Graph:
        budget = budget or self.budget
        bag = DiceBag(self.asking.limits.of_dice(), self.hands)
        graph = Graph(liveness, self.registers, self.local, bag, budget, self.asking.exact, make_segments)
        budget.describe = lambda: describe(graph, self.program)
        return graph

    def solver(self, flow: Flow, graph: Graph) -> Solver | None:
        """Whoever gives the best answers, if there are choices to answer."""
        if not any(is_open(point) for point in flow.points):
            return None
        if not self.goals:
            raise refuse(
                "goal", "There are choices, and nothing says what to aim at: give a goal, a policy, or `first`."
            )
        check_choosers(self.program, flow, graph)
        solver: Solver | None = None
        for goal in self.goals:
            solver = Solver(graph, goal, solver)
        return solver

    @property
    def base(self) -> list[Tree]:
        return [Register(self.program.outcome), Register(self.program.grade)]

    # ------------------------------------------------------------------ the answer

    def answer(self) -> Odds | NoOdds:
        flow = self.flow()
        wanted = [*self.wanted, *(self._moved_gauges(flow) if self.asking.gauges else ())]
        goals = [goal.tree for goal in self.goals]
        choices = any(is_open(point) for point in flow.points)
        own = self._own_graph(flow, wanted) if choices or not wanted else None
        solver = self.solver(flow, own) if own is not None else None
        found = self._passed(flow, Guide(own, solver), wanted)
        told = found.told
        if told.refused and sum(told.refused.values()) == 1:
            return NoOdds(found.code, next(iter(told.refused)))
        worth = None
        if self.goals and (solver is not None or self.asking.goal is not None):
            own = own or self.graph(flow, [*goals, *self.base])
            worth = (solver or Solver(own, self.goals[-1])).value(own.start(self.registers))
        advice = advise(*found.chosen, self.program) if found.chosen is not None else ()
        goal = ", ".join(one.text for one in self.goals) if worth is not None else ""
        return replace(told, goal=goal, worth=worth, advice=advice, nodes=self.budget.nodes)

    def _own_graph(self, flow: Flow, wanted: Sequence[Wanted]) -> Graph:
        """The graph in which choices are answered: that of all that is wanted, where this asks no more on the way."""
        goals = [*(goal.tree for goal in self.goals), *self.base]
        least = find_liveness(flow, goals)
        most = find_liveness(flow, [*goals, *(tree for one in wanted for tree in one.trees)]) if wanted else least
        return self.graph_of(most if most.asks_no_more(least) else least)

    def _passed(self, flow: Flow, guide: Guide, wanted: Sequence[Wanted]) -> _Found:
        """All that is wanted, in one pass if that is small; else the outcomes first, then one thing after the other."""
        found = _Found(self.program, self.asking.exact)
        groups = [list(wanted)]
        while groups:
            group = groups.pop(0)
            trees = [tree for one in group for tree in one.trees]
            alone = len(group) < 2
            budget = (
                self.budget if alone else Budget(_fewer(self.asking.limits), self.budget.clock, self.budget.started)
            )
            graph = guide.graph
            if graph is None or not graph.liveness.looks_at(trees):
                graph = self.graph(flow, [*(goal.tree for goal in self.goals), *self.base, *trees], budget)
            try:
                ends = run_forward(graph, graph.start(self.registers), guide.of(graph))
            except OddsError as error:
                if alone or error.answer.limit not in ("nodes", "passing"):
                    raise
                groups = [[], *([one] for one in group)]
                continue
            if not alone:
                self.budget.nodes += budget.nodes
            if ends.cut_off and group and not found.told.outcomes:  # what a value lacks must not taint the outcomes
                plain = self.graph(flow, [*(goal.tree for goal in self.goals), *self.base])
                found.take(plain, run_forward(plain, plain.start(self.registers), guide.of(plain)), [], guide.graph)
            found.take(graph, ends, group, guide.graph)
        return found


@dataclass(slots=True)
class _Found:
    """What the passes have found so far: `told` is an answer without advice, `chosen` the answers given to choices."""

    program: Program
    exact: bool
    told: Odds = Odds({})
    code: str = ""
    chosen: tuple[Graph, Ends] | None = None

    def take(self, graph: Graph, ends: Ends, group: Sequence[Wanted], own: Graph | None) -> None:
        if not self.told.outcomes:
            self.told = self._outcomes(graph, ends)
        if ends.chosen and (self.chosen is None or graph is own):
            self.chosen = graph, ends
        spreads: dict[str, dict[Any, Any]] = {
            kind: dict(getattr(self.told, kind)) for kind in ("flags", "values", "gauges", "joints")
        }
        for one in group:
            _enter(spreads, one, spread(graph, ends, one.trees))
        values, gauges, joints, flags = (spreads[kind] for kind in ("values", "gauges", "joints", "flags"))
        cut_off = max(self.told.cut_off, ends.cut_off)
        self.told = replace(self.told, values=values, gauges=gauges, joints=joints, flags=flags, cut_off=cut_off)

    def _outcomes(self, graph: Graph, ends: Ends) -> Odds:
        rules, zero = self.program.rules, Fraction(0) if self.exact else 0.0
        outcomes: dict[str, Any] = dict.fromkeys(rules.outcomes, zero)
        grades: dict[str, Any] = {name: zero for outcome in rules.outcomes.values() for name in outcome.grades}
        refused: dict[str, Any] = {}
        base = [Register(self.program.outcome), Register(self.program.grade)]
        for (outcome, grade), chance in spread(graph, ends, base).items():
            if outcome is not None:
                outcomes[outcome] += chance
            if grade is not None:
                grades[grade] += chance
        for (region, key), arrived in ends.arrived.items():
            if region is graph.refusals:
                self.code = key[0]
                refused[key[1]] = refused.get(key[1], zero) + joined([arrived])
        return Odds(
            outcomes, grades, refused=refused, cut_off=ends.cut_off, never_ends=ends.never_ends, exact=self.exact
        )


def _fewer(limits: Limits) -> Limits:
    return replace(limits, nodes=min(limits.nodes, MOST_TOGETHER), passing=min(limits.passing, 10 * MOST_TOGETHER))


def _enter(found: dict[str, dict[Any, Any]], wanted: Wanted, chances: Mapping[tuple[Any, ...], Any]) -> None:
    if wanted.kind == "joints":
        found["joints"][wanted.names] = dict(sorted(chances.items(), key=_in_order))
    elif wanted.kind == "flags":
        found["flags"][wanted.names[0]] = chances.get((True,), 0)
    else:
        plain = {values[0]: chance for values, chance in sorted(chances.items(), key=_in_order)}
        found[wanted.kind][wanted.names[0]] = plain


def _in_order(item: tuple[tuple[Any, ...], Any]) -> tuple[Any, ...]:
    """Numbers by size, then the rest by name."""
    return tuple((0, value, "") if isinstance(value, int | Fraction) else (1, 0, str(value)) for value in item[0])


def spread(graph: Graph, ends: Ends, trees: Sequence[Tree]) -> dict[tuple[Any, ...], Any]:
    """The distribution of some trees together at the ends."""
    found: dict[tuple[Any, ...], list[Arrived]] = {}
    compiled: dict[int, list[Any]] = {}
    for (region, key), arrived in ends.arrived.items():
        if region.place < 0:
            continue
        if region.number not in compiled:
            compiled[region.number] = [at_end(graph, region, tree) for tree in trees]
        values = tuple([compute(key) for compute in compiled[region.number]])
        found.setdefault(values, []).append(arrived)
    return {values: joined(arrivals) for values, arrivals in found.items()}


def describe(graph: Graph, program: Program) -> str:
    """What the situations met so far differ in most."""
    values: dict[int, set[Any]] = {}
    for tables in graph.tables:
        for region, known in zip(graph.regions, tables, strict=True):
            for key in known:
                for slot, value in zip(region.layout, key, strict=False):
                    values.setdefault(slot, set()).add(value)
    widest = sorted(values.items(), key=lambda item: -len(item[1]))[:3]
    shown = [
        f"`{program.registers[slot].name.lstrip(':#')}` ({len(found)} values)"
        for slot, found in widest
        if len(found) > 1
    ]
    return f"They differ most in {', '.join(shown)}." if shown else ""


def _is(slot: int, name: str) -> Tree:
    return ast.Compare(Register(slot), [ast.Eq()], [ast.Constant(name)])


class Guide:
    """Answers choices as the solver does, in its own graph and in graphs where more is looked at."""

    def __init__(self, graph: Graph | None, solver: Solver | None) -> None:
        self.graph = graph
        self.solver = solver

    def of(self, other: Graph) -> Chooser | None:
        """Who chooses in a graph of the same flow: what its situations hold besides does not count."""
        solver, graph = self.solver, self.graph
        if solver is None or graph is None:
            return None
        if other is graph:
            return solver.choice
        takes: dict[Region, tuple[Region, Picker]] = {}
        chosen: dict[Node, int] = {}

        def choose(node: Node, options: Options) -> int:
            region, key = node
            if region not in takes:
                own = graph.region(region.place)
                places = {slot: index for index, slot in enumerate(region.layout)}
                takes[region] = own, picker([places[slot] for slot in own.layout])
            own, take = takes[region]
            same = own, take(key)
            if same not in chosen:
                chosen[same] = solver.choice(same)
            return chosen[same]

        return choose
