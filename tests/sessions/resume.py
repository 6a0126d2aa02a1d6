"""Resumes frozen runs in a process of its own: rules, runs and their answers to come in, their ends out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from interpreter import api, dice
from interpreter.examples import play_examples
from interpreter.loader import load
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run
from interpreter.model import System
from interpreter.runs import plain
from interpreter.start import Request

MOST_STOPS = 40


def played(system: System) -> Iterator[tuple[api.Step, list[Any]]]:
    """Every run of every example at its beginning, with what the example answers, and once more with other dice and the
    last open option."""
    for report in play_examples(system):
        if report.run is None or "action" not in report.run.request:
            continue
        asked: Any = report.run.request
        begun = api.begin(system, report.run.state, Request(asked["action"], asked["roles"], asked["inputs"]))
        assert begun.run is not None
        yield begun, answers_of(report.run)
        yield begun, answers_of(to_the_end(begun))


def answers_of(run: Run) -> list[Any]:
    """What was answered on the way, as plain data."""
    faces = {"roll", "reroll"}
    return [_written(e.value) if e.kind in faces else plain(e.value) for e in run.trace if e.kind in {*faces, "choice"}]


def _written(log: Any) -> dict[str, Any]:
    return {
        group: [
            [dice.face_text(face) if isinstance(face, dice.Symbols) else face for face in chain] for chain in chains
        ]
        for group, chains in log
    }


def to_the_end(step: api.Step) -> Run:
    run, need = step
    for _ in range(MOST_STOPS):
        assert run is not None
        if isinstance(need, Done | Refused):
            break
        run, need = api.answer(run, _any(need))
    assert run is not None
    return run


def _any(need: Need) -> Any:
    if isinstance(need, NeedRoll):
        return need.throw(dice.Seeded(need.name))
    assert isinstance(need, NeedChoice)
    opened = [option.id for option in need.options if option.open]
    found = {"number": need.high, "text": "x", "several": tuple(opened[: need.high or 0])}
    return found[need.kind] if need.kind in found else opened[-1] if opened else None


def stops(step: api.Step, answers: Sequence[Any]) -> Iterator[Run]:
    """A run before each of the answers, and after the last."""
    for answer in answers:
        assert step.run is not None
        yield step.run
        step = api.answer(step.run, answer)
    assert step.run is not None
    yield step.run


def end_of(run: Run, answers: Sequence[Any]) -> Any:
    """What a run comes to with these answers: everything that can be told of it, and what it waits for then."""
    for answer in answers:
        step = api.answer(run, answer)
        assert step.run is not None
        run = step.run
    return [api.result(run), type(api.needs(run)).__name__]


def main() -> None:
    for line in sys.stdin:
        where, waiting = json.loads(line)
        system = load(where).system
        assert system is not None
        runs = [(api.thaw(system, frozen).run, answers) for frozen, answers in waiting]
        print(json.dumps([None if run is None else end_of(run, answers) for run, answers in runs]), flush=True)


if __name__ == "__main__":
    main()
