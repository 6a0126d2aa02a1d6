"""Resumes frozen runs in a process of its own: rules as argument, frozen runs on the standard input, their ends out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from interpreter import api, dice
from interpreter.examples import table_of, whole_example
from interpreter.loader import load
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run
from interpreter.model import System
from interpreter.start import Request, wanted_roles

MOST_STOPS = 40


def started(system: System) -> Iterator[api.Step]:
    """The action of every example that begins, with its sheets."""
    for name in system.examples:
        example = whole_example(system, name)
        if example.action is not None:
            state, played = table_of(system, example, wanted_roles(system, example.action))
            step = api.begin(system, state, Request(example.action, played, example.inputs))
            if step.run is not None:
                yield step


def answered(need: Need) -> Any:
    """An answer that only depends on what is asked, so that every process gives the same."""
    if isinstance(need, NeedRoll):
        return need.throw(dice.Seeded(need.name))
    assert isinstance(need, NeedChoice)
    opened = [option.id for option in need.options if option.open]
    found = {"number": need.high, "text": "x", "several": tuple(opened[: need.high or 0])}
    return found[need.kind] if need.kind in found else opened[-1] if opened else None


def stops(step: api.Step) -> Iterator[Run]:
    """A run at each point where it waits; its end comes last."""
    for _ in range(MOST_STOPS):
        if isinstance(step.need, Done | Refused) or step.run is None:
            break
        yield step.run
        step = api.answer(step.run, answered(step.need))
    if step.run is not None:
        yield step.run


def end_of(step: api.Step, left: int) -> Any:
    """What a run comes to: everything that can be told of it."""
    for _ in range(left):
        if isinstance(step.need, Done | Refused) or step.run is None:
            break
        step = api.answer(step.run, answered(step.need))
    assert step.run is not None
    return api.result(step.run)


def main() -> None:
    system = load(sys.argv[1]).system
    assert system is not None
    for line in sys.stdin:
        left, frozen = json.loads(line)
        print(json.dumps(end_of(api.thaw(system, frozen), left)))


if __name__ == "__main__":
    main()
