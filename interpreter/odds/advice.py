"""The answers that were found best, by situation, in as few lines as they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interpreter.odds.features import features, name_of
from interpreter.odds.forward import Ends
from interpreter.odds.graph import Graph
from interpreter.odds.kept import Hand, hand_text
from interpreter.program import Pick, Program

Situation = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """One condition: a name, a relation (<=, >, is, is not) and a value."""

    name: str
    relation: str
    value: Any

    def __str__(self) -> str:
        return f"{self.name} {self.relation} {self.value}"


@dataclass(frozen=True, slots=True)
class Line:
    """An answer and when it is best; `situations` counts those that it covers."""

    answer: str
    tests: tuple[Test, ...]
    situations: int

    def __str__(self) -> str:
        return f"{self.answer} when {' and '.join(map(str, self.tests))}" if self.tests else self.answer


@dataclass(frozen=True, slots=True)
class Advice:
    """What to answer to one choice; `names` says what `situations` hold.

    Of dice that lie there they also hold what is read of them, and how many show each face (`hand.faces.6`).
    """

    choice: str
    names: tuple[str, ...]
    situations: Mapping[Situation, str]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The situations summed up: these lines cover every one of them."""
        return tuple(_lines(self.names, list(self.situations.items())))


def advise(graph: Graph, ends: Ends, program: Program) -> tuple[Advice, ...]:
    """The advice for each choice that the best run comes to."""
    by_place: dict[int, dict[Situation, str]] = {}
    for (region, key), place in ends.chosen.items():
        by_place.setdefault(region.place, {})[key] = graph.answers(region, key)[place]
    return tuple(_advice(graph, program, place, answers) for place, answers in sorted(by_place.items()))


def _advice(graph: Graph, program: Program, place: int, answers: Mapping[Situation, str]) -> Advice:
    pick, layout = graph.liveness.flow.points[place].op.source, graph.region(place).layout
    assert isinstance(pick, Pick)
    names = [name_of(program, slot) for slot in layout]
    more = [
        feature
        for slot, column in zip(layout, zip(*answers, strict=True), strict=True)
        if isinstance(column[0], Hand)
        for feature in features(graph, program, slot, column)
        if feature.name not in names
    ]
    situations = {
        (*map(_shown, key), *(feature.of(key[layout.index(feature.slot)]) for feature in more)): answer
        for key, answer in answers.items()
    }
    ordered = dict(sorted(situations.items(), key=lambda item: tuple(map(_order, item[0]))))
    return Advice(pick.name, (*names, *(feature.name for feature in more)), ordered)


def _shown(value: object) -> object:
    return hand_text(value) if isinstance(value, Hand) else value


def _order(value: object) -> tuple[int, Any]:
    return (0, value) if isinstance(value, int) else (1, str(value))


Cases = Sequence[tuple[Situation, str]]


def _lines(names: Sequence[str], cases: Cases) -> list[Line]:
    """A tree of tests, each the one that parts the answers best, read off as lines."""
    lines: list[Line] = []
    waiting: list[tuple[tuple[Test, ...], Cases]] = [((), cases)]
    while waiting:
        tests, here = waiting.pop()
        answers = {answer for _, answer in here}
        if len(answers) == 1:
            lines.append(Line(answers.pop(), _tidy(tests), len(here)))
            continue
        column, test = _best_test(names, here)
        yes = [case for case in here if _holds(test, case[0][column])]
        no = [case for case in here if not _holds(test, case[0][column])]
        waiting.append(((*tests, _contrary(test)), no))
        waiting.append(((*tests, test), yes))
    return lines


def _holds(test: Test, value: Any) -> bool:
    if test.relation == "<=":
        return bool(value <= test.value)
    if test.relation == ">":
        return bool(value > test.value)
    return (value == test.value) is (test.relation == "is")


def _contrary(test: Test) -> Test:
    return Test(test.name, {"<=": ">", "is": "is not"}[test.relation], test.value)


def _best_test(names: Sequence[str], cases: Cases) -> tuple[int, Test]:
    """The test after which the fewest cases have another answer than most beside them. Bounds of numbers say more than
    single values, which are looked at where no number differs."""
    best: tuple[bool, int, int, Test] | None = None
    for column, name in enumerate(names):
        for test, wrong in _tests(name, column, cases):
            single = test.relation == "is"
            if best is None or (single, wrong) < best[:2]:
                best = single, wrong, column, test
    assert best is not None
    return best[2], best[3]


def _tests(name: str, column: int, cases: Cases) -> list[tuple[Test, int]]:
    """The tests on one column, with the cases that each leaves wrong."""
    counts: dict[Any, dict[str, int]] = {}
    for situation, answer in cases:
        counts.setdefault(situation[column], {}).setdefault(answer, 0)
        counts[situation[column]][answer] += 1
    if len(counts) < 2:
        return []
    whole = _added(counts.values())
    found = []
    if all(isinstance(value, int) and not isinstance(value, bool) for value in counts):
        below: dict[str, int] = {}
        for value in sorted(counts)[:-1]:
            below = _added([below, counts[value]])
            found.append((Test(name, "<=", value), _wrong(below) + _wrong(_less(whole, below))))
        return found
    return [
        (Test(name, "is", value), _wrong(counts[value]) + _wrong(_less(whole, counts[value])))
        for value in sorted(counts, key=_order)
    ]


def _added(counts: Any) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for answer, number in one.items():
            total[answer] = total.get(answer, 0) + number
    return total


def _less(whole: Mapping[str, int], part: Mapping[str, int]) -> dict[str, int]:
    return {answer: number - part.get(answer, 0) for answer, number in whole.items()}


def _wrong(counts: Mapping[str, int]) -> int:
    return sum(counts.values()) - max(counts.values(), default=0)


def _tidy(tests: tuple[Test, ...]) -> tuple[Test, ...]:
    """Of several bounds of one name on one side the last is the tightest."""
    last = {(test.name, test.relation): test for test in tests if test.relation in ("<=", ">")}
    kept = [test for test in tests if test.relation not in ("<=", ">") or last[test.name, test.relation] is test]
    return tuple(kept)
