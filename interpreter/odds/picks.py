"""The answers that a choice can be given in a situation, and the one that a policy gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

from interpreter.odds.flow import Point
from interpreter.odds.limits import Budget
from interpreter.odds.lowered import Rule
from interpreter.program import Pick, Tree

Key = tuple[Any, ...]
Compiled = Callable[[Key], Any]
Answer = tuple[str, int, object]
"""What it is called, which of the point's edges it takes, and the value written."""
ONE_OPTION = "options"


@dataclass(frozen=True, slots=True)
class Answers:
    """What is needed besides: the budget of answers, as it is now."""

    budget: Callable[[], Budget]


@dataclass(frozen=True, slots=True)
class PickReader:
    """`answers` gives the open answers in a situation: one, when a policy says which or when there is no other."""

    slot: int
    written: tuple[int, ...]
    answers: Callable[[Key], Sequence[Answer]]


def read_pick(point: Point, compiled: Callable[[Tree], Compiled], more: Answers) -> PickReader:
    pick = point.op.source
    assert isinstance(pick, Pick)
    every = _ALL[pick.kind](pick, point, compiled, more)
    if point.op.rules is not None:
        every = _ruled(pick, point.op.rules, every, compiled)
    return PickReader(pick.slot, () if pick.kind == ONE_OPTION else (pick.slot,), every)


Every = Callable[[Key], Sequence[Answer]]


def _options(pick: Pick, point: Point, compiled: Callable[[Tree], Compiled], more: Answers) -> Every:
    guards = _guards(pick, compiled)
    reached = [edge is not None for edge in point.edges]

    def answers(key: Key) -> Sequence[Answer]:
        found = [
            (option.id, index, option.value)
            for index, (option, guard) in enumerate(zip(pick.options, guards, strict=True))
            if reached[index] and (guard is None or guard(key))
        ]
        return found or [("", len(pick.options), None)]

    return answers


def _guards(pick: Pick, compiled: Callable[[Tree], Compiled]) -> list[Compiled | None]:
    return [None if option.guard is None else compiled(option.guard) for option in pick.options]


def _several(pick: Pick, point: Point, compiled: Callable[[Tree], Compiled], more: Answers) -> Every:
    guards = _guards(pick, compiled)
    least = None if pick.low is None else compiled(pick.low)
    most = None if pick.high is None else compiled(pick.high)
    target = 0

    def answers(key: Key) -> Sequence[Answer]:
        ids = [option.id for option, guard in zip(pick.options, guards, strict=True) if guard is None or guard(key)]
        high = len(ids) if most is None else min(most(key), len(ids))
        low = min(0 if least is None else least(key) or 0, high)
        if low == len(ids):
            return [(", ".join(ids), target, tuple(ids))]
        more.budget().options(sum(comb(len(ids), size) for size in range(low, high + 1)), pick.name)
        return [
            (", ".join(chosen), target, chosen) for size in range(low, high + 1) for chosen in combinations(ids, size)
        ]

    return answers


def _number(pick: Pick, point: Point, compiled: Callable[[Tree], Compiled], more: Answers) -> Every:
    assert pick.low is not None
    least = compiled(pick.low)
    most = least if pick.high is None else compiled(pick.high)

    def answers(key: Key) -> Sequence[Answer]:
        low, high = least(key), most(key)
        more.budget().options(high - low + 1, pick.name)
        return [(str(number), 0, number) for number in range(low, max(low, high) + 1)]

    return answers


_ALL: dict[str, Callable[[Pick, Point, Callable[[Tree], Compiled], Answers], Every]] = {
    ONE_OPTION: _options,
    "several": _several,
    "number": _number,
}


def _ruled(pick: Pick, rules: Sequence[Rule], every: Every, compiled: Callable[[Tree], Compiled]) -> Every:
    """The first rule that holds and whose answer is open; else the first open answer."""
    tests = [
        (answer if isinstance(answer, tuple) else compiled(answer), None if test is None else compiled(test))
        for answer, test in rules
    ]

    def wanted(key: Key) -> Iterator[object]:
        for answer, test in tests:
            if test is None or test(key):
                yield answer if isinstance(answer, tuple) else answer(key)

    def answers(key: Key) -> Sequence[Answer]:
        given = every(key)
        for one in wanted(key):
            for answer in given:
                if _is(answer, one, pick.kind):
                    return [answer]
        return given[:1]

    return answers


def _is(answer: Answer, wanted: object, kind: str) -> bool:
    if kind == "number":
        return answer[2] == wanted
    if kind == "several":
        return isinstance(wanted, tuple) and isinstance(answer[2], tuple) and set(answer[2]) == set(wanted)
    return (answer[0],) == wanted
