"""Measure play through the Python API beside d20, the dice library of Avrae, rolling a pool of the same size."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from interpreter import dice
from interpreter.layout import State
from interpreter.loader import load
from interpreter.machine import Done, Need, NeedRoll, Run, advance
from interpreter.model import System
from interpreter.start import Request, begin
from interpreter.written import result_text

SHEET = {"sheet": "agent", "competences": {"instinct": 4}, "voies": {"secret": 2}}
REQUEST = Request("test", {"self": ("a",)}, {"competence": "instinct", "difficulte": "facile"})
POOL = "6d12"
ROUNDS, TIMES = 12, 1500


def main() -> int:
    """Prints a line for each measure: ours, d20's, and how many times as fast we are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    as_json = parser.parse_args().json
    lines = measure()
    if as_json:
        print(json.dumps(lines, indent=2))
        return 0
    print(f"{'actions per second':58} {'ours':>9} {'d20':>9} {'ratio':>6}")
    for line in lines:
        print(f"{line['name']:58} {line['ours']:9,} {line['peer']:9,} {line['ratio']:6.2f}")
    return 0


def measure() -> list[dict[str, object]]:
    import d20  # type: ignore[import-untyped]

    table = Table()
    lines = [
        ("a MIR test, outcome (simple trace); d20.roll", table.outcome, lambda: d20.roll(POOL)),
        ("a MIR test, full trace as JSON; d20.roll", table.text, lambda: d20.roll(POOL)),
        ("a MIR test, full trace as JSON; str(d20.roll), its trace", table.text, lambda: str(d20.roll(POOL))),
        ("a MIR test from a state seen for the first time; d20.roll", table.fresh, lambda: d20.roll(POOL)),
    ]
    return [compare(*line) for line in lines]


class Table:
    """An agent who tests the same thing again and again."""

    def __init__(self) -> None:
        system = load("mir").system
        assert isinstance(system, System)
        self.system = system
        self.state = State({"a": SHEET})
        self.source = dice.from_random(random.Random(1))

    def act(self, state: State) -> tuple[Run, Need]:
        run = begin(self.system, state, REQUEST)
        assert isinstance(run, Run)
        run, need = advance(run)
        assert isinstance(need, NeedRoll)
        return advance(run, need.throw(self.source))

    def outcome(self) -> str | None:
        _, need = self.act(self.state)
        assert isinstance(need, Done)
        return need.outcome

    def text(self) -> str:
        return result_text(self.system, *self.act(self.state))

    def fresh(self) -> str | None:
        _, need = self.act(State({"a": SHEET}))
        assert isinstance(need, Done)
        return need.outcome


def compare(name: str, ours: Callable[[], object], peer: Callable[[], object]) -> dict[str, object]:
    """Both by turns, in processor time; the best round of each counts, since the others were disturbed."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for place, work in enumerate((ours, peer)):
            best[place] = min(best[place], timed(work))
    return {"name": name, "ours": round(1 / best[0]), "peer": round(1 / best[1]), "ratio": round(best[1] / best[0], 2)}


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    for _ in range(TIMES):
        work()
    return (time.process_time() - start) / TIMES


if __name__ == "__main__":
    sys.exit(main())
