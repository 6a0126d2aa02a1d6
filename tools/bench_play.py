"""Play for tools/bench.py: actions through the public API beside d20, the dice library of Avrae, with an equal pool."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import Line, Measured, machine, measured

import interpreter as osselet

TIMES = 500
GROUP = f"{TIMES} MIR tests of 6d12 through the API"
SHEET = {"sheet": "agent", "competences": {"instinct": 4}, "voies": {"secret": 2}}
REQUEST = osselet.Request("test", {"self": "a"}, {"competence": "instinct", "difficulte": "facile"})


def lines() -> list[Line]:
    """d20 rolls and sums; ours also reads inputs, counts, compares, and has the trace that a result is told from."""
    import d20  # type: ignore[import-untyped]

    table = Table()
    roll, shown = many(lambda: d20.roll("6d12")), many(lambda: str(d20.roll("6d12")))
    return [
        Line(GROUP, "the outcome", many(table.outcome), roll, "d20.roll", 0.5),
        Line(GROUP, "everything, with the whole trace, as JSON", many(table.text), roll, "d20.roll", 1.0),
        Line(GROUP, "the same; d20 with its trace too", many(table.text), shown, "str(d20.roll)", 1.0),
        Line(GROUP, "the outcome, from a table seen for the first time", many(table.fresh), roll, "d20.roll"),
    ]


def many(act: Callable[[], object]) -> Callable[[], None]:
    def again() -> None:
        for _ in range(TIMES):
            act()

    return again


class Table:
    """An agent who tests again and again, with dice that nobody can foresee."""

    def __init__(self) -> None:
        system = osselet.load("mir").system
        assert system is not None
        self.system = system
        self.state = osselet.State({"a": SHEET})
        self.dice = osselet.random_dice()

    def act(self, state: osselet.State) -> tuple[osselet.Run, str | None]:
        run, _ = osselet.begin(self.system, state, REQUEST)
        assert run is not None
        run, need = osselet.throw(run, self.dice)
        assert run is not None
        assert isinstance(need, osselet.Done)
        return run, need.outcome

    def outcome(self) -> str | None:
        return self.act(self.state)[1]

    def text(self) -> str:
        return osselet.to_text(self.act(self.state)[0])

    def fresh(self) -> str | None:
        return self.act(osselet.State({"a": SHEET}))[1]


def rates(line: Measured) -> str:
    """The same as actions per second."""
    assert line.peer is not None
    ours, peer = (round(TIMES / time * 1000) for time in (line.ours, line.peer))
    return f"{line.name:52} {ours:9,} {peer:9,} {ours / peer:6.2f}  {line.peer_name}"


def main() -> int:
    """Prints actions per second: ours, d20's, and how many times as fast we are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON, as tools/bench.py does")
    as_json = parser.parse_args().json
    found = [measured(line) for line in lines()]
    if as_json:
        told = [{name: getattr(one, name) for name in one.__slots__} for one in found]
        print(json.dumps({"machine": machine(), "unit": "ms", "lines": told}, indent=2))
        return 0
    print(f"{machine()}; actions per second\n\n{'':52} {'ours':>9} {'d20':>9} {'ratio':>6}")
    print("\n".join(rates(one) for one in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
