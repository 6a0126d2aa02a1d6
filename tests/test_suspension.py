"""A run frozen at every point where it waits, written as JSON and resumed, ends as it would have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from interpreter import dice
from interpreter.examples import table_of, whole_example
from interpreter.files import shipped
from interpreter.layout import State
from interpreter.loader import load
from interpreter.machine import Done, NeedChoice, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.runs import run_from_json, run_to_json
from interpreter.start import Request, after, begin, wanted_roles

FOLDERS = [*sorted((Path(__file__).parent / "language").glob("*.yaml")), *shipped().values()]


def started(system: System) -> Iterator[Run]:
    """The action of every example that begins, with its sheets."""
    for name in system.examples:
        example = whole_example(system, name)
        if example.action is None:
            continue
        state, played = table_of(system, example, wanted_roles(system, example.action))
        run = begin(system, state, Request(example.action, played, example.inputs))
        if isinstance(run, Run):
            yield run


def first_answer(need: NeedRoll | NeedChoice) -> object:
    if isinstance(need, NeedRoll):
        return need.throw(dice.Seeded(need.name))
    opened = [option.id for option in need.options if option.open]
    return {"number": need.high, "text": "x", "several": tuple(opened[: need.high or 0])}.get(
        need.kind, opened[-1] if opened else None
    )


def to_the_end(run: Run, system: System | None) -> tuple[State, Done | Refused | str, int]:
    """Runs on; with a system, through JSON at every stop."""
    run, need = advance(run)
    stops = 0
    while not isinstance(need, Done | Refused) and stops < 40:
        stops += 1
        if system is not None:
            again = run_from_json(system, json.loads(json.dumps(run_to_json(system, run))))
            assert isinstance(again, Run)
            assert again.registers == run.registers
            assert again.trace == run.trace
            run, need = advance(again)
        assert isinstance(need, NeedRoll | NeedChoice)
        run, need = advance(run, first_answer(need))
    return after(run), need if isinstance(need, Done | Refused) else need.name, stops


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.stem)
def test_every_stop_survives_json(folder: Path) -> None:
    system = load(folder).system
    assert system is not None
    for run in started(system):
        assert to_the_end(run, system) == to_the_end(run, None)


def test_changed_rules_refuse_a_suspended_run(tmp_path: Path) -> None:
    source = Path(__file__).parent / "language" / "flow.yaml"
    system = load(source).system
    assert system is not None
    run, _ = advance(next(run for run in started(system) if run.program.action == "luck"))
    saved = run_to_json(system, run)
    changed = tmp_path / "flow.yaml"
    changed.write_text(source.read_text(encoding="utf-8").replace("d >= 4", "d >= 5"), encoding="utf-8")
    other = load(changed).system
    assert other is not None
    refused = run_from_json(other, saved)
    assert isinstance(refused, Refused)
    assert refused.code == "stale"


def test_examples_and_labels_may_change(tmp_path: Path) -> None:
    source = Path(__file__).parent / "language" / "flow.yaml"
    system = load(source).system
    assert system is not None
    run, _ = advance(next(run for run in started(system) if run.program.action == "luck"))
    changed = tmp_path / "flow.yaml"
    changed.write_text(
        source.read_text(encoding="utf-8").replace("lucky_second:", "lucky_at_second:"), encoding="utf-8"
    )
    other = load(changed).system
    assert other is not None
    assert isinstance(run_from_json(other, run_to_json(system, run)), Run)
