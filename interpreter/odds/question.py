"""The odds of an action: `odds` asks, `Odds` is the answer."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from interpreter import dice
from interpreter.bound import ResolutionError
from interpreter.examples import Questions
from interpreter.expressions import EvaluationError, Register, reads, substitute
from interpreter.layout import State
from interpreter.machine import Refused, Run, advance
from interpreter.model import System
from interpreter.odds.advice import advise
from interpreter.odds.answer import Chance, Odds
from interpreter.odds.choosers import check_choosers
from interpreter.odds.counted import Counted, find_counted
from interpreter.odds.flow import Flow
from interpreter.odds.forward import run_forward
from interpreter.odds.gathered import Found, Guide, Wanted, describe, mean_at_end
from interpreter.odds.graph import Graph
from interpreter.odds.kept import Hand, Numbers
from interpreter.odds.limits import LIMITS, Budget, Limits, NoOdds, OddsError, beyond, refuse
from interpreter.odds.liveness import Liveness
from interpreter.odds.lowered import lower
from interpreter.odds.policies import Ruler, Written, policy_named
from interpreter.odds.solve import Goal, Solver
from interpreter.odds.study import Study, study_of
from interpreter.odds.throws import DiceBag, Whole
from interpreter.program import Program, Tree
from interpreter.registers import grow
from interpreter.start import Request, begin

# All that is wanted is first tried in one pass of so many situations, then each thing alone.
MOST_TOGETHER = 20_000
# A number that is counted in a circle is taken to go on without end once so many situations are not enough for it.
FEW = 1_000


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
    asking = Asking(**how) if asking is None else replace(asking, **how)
    try:
        return Inquiry(system, _at_first_stop(run), asking).answer()
    except OddsError as error:
        return error.answer
    except dice.LimitReached as error:
        return beyond(error)
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
    raise OddsError(NoOdds(need.code, need.said, need.label))


class Inquiry:
    """One question about one program; a grid asks it of many starts."""

    def __init__(self, system: System, run: Run, asking: Asking) -> None:
        self.system = system
        self.run = run
        self.asking = asking
        self.program: Program = run.program
        self.budget = Budget(asking.limits, asking.clock)
        self.hands: dict[dice.Table, Hand] = {}
        self.whole: dict[Whole, dice.Distribution[Numbers]] = {}
        ruler = self._ruler()
        plain = not ruler.written
        self.study = (
            study_of(self.program, ruler.others_first) if plain else Study(self.program, lower(self.program, ruler))
        )
        ruler.check(asking.policy or {})
        self.wanted = self._wanted()
        self.goals = self._goals()
        self.registers = self._registers()
        self.graphs: list[Graph] = []

    @cached_property
    def questions(self) -> Questions:
        """Looks at lists as they were when the action began."""
        return Questions(self.system, self.run._replace(trace=()), {})

    # ------------------------------------------------------------------ what is asked

    def _ruler(self) -> Ruler:
        asking = self.asking
        written, others_first = dict(asking.policy or {}), asking.choices == "first"
        if asking.choices not in ("best", "worst", "first"):
            written = {**policy_named(self.system, asking.choices), **written}
            others_first = True
        return Ruler(self.program, lambda: self.questions, written, others_first)

    def tree(self, text: str) -> Tree:
        """What a text asks at the end: an outcome or a grade by its id, a condition, or a value."""
        return self.study.trees.of(text, lambda: self._tree(text))

    def _tree(self, text: str) -> Tree:
        slot = self._ends().get(text)
        return self._looked_at(text) if slot is None else _is(slot, text)

    def _ends(self) -> dict[str, int]:
        """The outcomes and the grades, with the register that holds which it is."""
        outcomes = self.program.rules.outcomes
        grades = {name: self.program.grade for outcome in outcomes.values() for name in outcome.grades}
        return grades | dict.fromkeys(outcomes, self.program.outcome)

    def _told(self, name: str) -> Tree:
        """What is told at the end under a name: its value, even where an outcome is called so too."""
        return self._looked_at(name) if name in self._ends() and name in self.program.scope else self.tree(name)

    def _looked_at(self, text: str) -> Tree:
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
        found = [Wanted("flags", (name,), (self._told(name),)) for name in rules.flags]
        values = rules.report if self.asking.values is None else self.asking.values
        found += [Wanted("values", (name,), (self._told(name),)) for name in values]
        found += [Wanted("joints", tuple(names), tuple(map(self._told, names))) for names in self.asking.joint]
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
                found.append(Wanted("gauges", (register.name,), (self.study.register(slot),)))
        return found

    def _registers(self) -> list[object]:
        values = list(self.run.registers)
        grow(self.program.layout, self.run.state, values)
        return [self.hands.setdefault(v, Hand(v)) if isinstance(v, dice.Table) else v for v in values]

    # ------------------------------------------------------------------ the graph

    def flow(self, trees: Sequence[Tree], free: frozenset[int] = frozenset()) -> Flow:
        """The flow from here on, for questions about these trees."""
        asked = frozenset(slot for tree in (*trees, *self.study.base) for slot in reads(tree))
        return self.study.flow(self.run.position, self.registers, asked, free)

    def graph(self, flow: Flow, asked: Sequence[Tree], budget: Budget | None = None) -> Graph:
        return self.graph_of(self.study.liveness(flow, asked), budget)

    def graph_of(self, liveness: Liveness, budget: Budget | None = None) -> Graph:
        budget = budget or self.budget
        bag = DiceBag(self.asking.limits.of_dice(), self.hands, self.whole)
        graph = self.study.graph(liveness, self.asking.exact)
        graph.begin(self.registers, bag, budget)
        self.graphs.append(graph)
        budget.describe = lambda: describe(graph, self.program)
        return graph

    def solver(self, flow: Flow, graph: Graph, goals: Sequence[Goal] | None = None) -> Solver | None:
        """Whoever gives the best answers, if there are choices to answer."""
        goals = self.goals if goals is None else goals
        if not flow.choices:
            return None
        if not goals:
            raise refuse(
                "goal",
                "There are choices, and nothing says what to aim at (as `--for success` does in the command) or how "
                "they are answered (`--choices first`, or a policy by its name).",
            )
        check_choosers(self.program, flow, graph)
        solver: Solver | None = None
        for goal in goals:
            solver = Solver(graph, goal, solver)
        return solver

    # ------------------------------------------------------------------ the answer

    def answer(self) -> Odds | NoOdds:
        flow = self.flow([*(tree for one in self.wanted for tree in one.trees), *(goal.tree for goal in self.goals)])
        wanted = [*self.wanted, *(self._moved_gauges(flow) if self.asking.gauges else ())]
        asked = flow.choices or self.asking.goal is not None
        counted = self._counted(flow, self.goals[0].tree) if len(self.goals) == 1 and asked else None
        found = self._answered(flow, wanted, counted)
        if counted is not None and isinstance(found, Odds) and not _always_ends(found):
            found = self._answered(flow, wanted, None)
        for graph in self.graphs:
            self.study.give_back(graph)
        return found

    def _counted(self, flow: Flow, tree: Tree) -> Counted | None:
        return find_counted(flow, tree, self.registers) if flow.loops else None

    def _answered(self, flow: Flow, wanted: Sequence[Wanted], counted: Counted | None) -> Odds | NoOdds:
        """The answer; with a goal that is counted on the way that is right only where every run comes to an end."""
        goals = self.goals
        if counted is not None:
            goals = [Goal(goals[0].text, counted.rest, goals[0].sign)]
        own = self._own_graph(flow, goals, wanted, counted) if flow.choices or not wanted else None
        solver = self.solver(flow, own, goals) if own is not None else None
        found = self._passed(flow, Guide(own, solver), goals, wanted)
        told = found.told
        if told.refused and sum(told.refused.values()) == 1:
            return NoOdds(found.code, next(iter(told.refused)))
        if goals and (solver is not None or self.asking.goal is not None):
            own = own or self._own_graph(flow, goals, (), counted)
            judge = solver or Solver(own, goals[-1])
            worth = judge.value(own.start(self.registers)) + (counted.start if counted is not None else 0)
            kind: Any = "mean" if judge.numbers or counted is not None else "probability"
            told = replace(told, goal=", ".join(one.text for one in goals), worth=worth, worth_is=kind)
        advice = advise(*found.chosen, self.program) if found.chosen is not None else ()
        return replace(told, advice=advice, nodes=self.budget.nodes)

    def _own_graph(self, flow: Flow, goals: Sequence[Goal], wanted: Sequence[Wanted], counted: Counted | None) -> Graph:
        """The graph in which choices are answered: that of all that is wanted, where this asks no more on the way."""
        asked = [*(goal.tree for goal in goals), *self.study.base]
        if counted is not None:
            return self.graph_of(self.study.liveness(flow, asked, counted.gains))
        least = self.study.liveness(flow, asked)
        most = self.study.liveness(flow, [*asked, *(tree for one in wanted for tree in one.trees)]) if wanted else least
        return self.graph_of(most if most.asks_no_more(least) else least)

    def _passed(self, flow: Flow, guide: Guide, goals: Sequence[Goal], wanted: Sequence[Wanted]) -> Found:
        """All that is wanted, in one pass if that is small; else the outcomes first, then one thing after the other."""
        found = Found(self.program, self.asking.exact, self.study.base)
        asked = [*(goal.tree for goal in goals), *self.study.base]
        gains = guide.graph.liveness.gains if guide.graph is not None else {}
        endless = {one.names[0]: mean for one in wanted if (mean := self._endless(flow, guide, goals, one)) is not None}
        groups = [[one for one in wanted if one.kind != "values" or one.names[0] not in endless]]
        while groups:
            group = groups.pop(0)
            trees = [tree for one in group for tree in one.trees]
            alone = len(group) < 2
            budget = self.budget if alone else self._small_budget(MOST_TOGETHER)
            graph = guide.graph
            if graph is None or not graph.liveness.looks_at(trees):
                graph = self.graph_of(self.study.liveness(flow, [*asked, *trees], gains), budget)
            try:
                ends = run_forward(graph, graph.start(self.registers), guide.of(graph))
            except OddsError as error:
                if alone or error.answer.limit not in ("nodes", "passing"):
                    raise
                groups = [[], *([one] for one in group)]
                continue
            if not alone:
                self.budget.nodes += budget.nodes
            if ends.cut_off and group and not found.begun:  # what a value lacks must not taint the outcomes
                plain = self.graph_of(self.study.liveness(flow, asked, gains))
                found.take(plain, run_forward(plain, plain.start(self.registers), guide.of(plain)), [], guide.graph)
            found.take(graph, ends, group, guide.graph)
        if endless:
            found.told = replace(found.told, endless=endless)
        return found

    def _endless(self, flow: Flow, guide: Guide, goals: Sequence[Goal], one: Wanted) -> Chance | None:
        """The mean of a value that may come to any number, as it is counted in a circle; None for any other."""
        counted = self._counted(flow, one.trees[0]) if one.kind == "values" else None
        if counted is None or (guide.graph is not None and guide.graph.counts and one.names[0] != goals[-1].text):
            return None
        asked = [*(goal.tree for goal in goals), *self.study.base] if guide.solver is not None else []
        graph = self.graph_of(self.study.liveness(flow, [*asked, counted.rest], counted.gains))
        ends = run_forward(graph, graph.start(self.registers), guide.of(graph))
        refused = any(region is graph.refusals for region, _ in ends.arrived)
        if not ends.again or ends.never_ends or ends.cut_off or refused:
            return None
        whole = self.graph_of(self.study.liveness(flow, [*asked, *one.trees]), self._small_budget(FEW))
        try:
            run_forward(whole, whole.start(self.registers), guide.of(whole))
        except OddsError:
            mean: Chance = counted.start + ends.gained + mean_at_end(graph, ends, counted.rest)
            return mean
        return None  # other things end the circle before long

    def _small_budget(self, most: int) -> Budget:
        limits = self.asking.limits
        fewer = replace(limits, nodes=min(limits.nodes, most), passing=min(limits.passing, 10 * most))
        return Budget(fewer, self.budget.clock, self.budget.started)


def _always_ends(found: Odds) -> bool:
    return not (found.never_ends or found.refused or found.cut_off)


def _is(slot: int, name: str) -> Tree:
    return ast.Compare(Register(slot), [ast.Eq()], [ast.Constant(name)])
