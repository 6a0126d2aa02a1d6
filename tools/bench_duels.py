"""Fights to the death for tools/bench.py: the rules of DF46 beside a programme written for that fight alone."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import bench_reference
from bench import Line
from bench_dice import asks, system

from interpreter.layout import State
from interpreter.odds import Grid, Odds, grid
from interpreter.start import Request

BY_HAND = "by hand"
GRID = "every duel as one grid"
REACH = {"difference": 10, "luck": 12, "stamina": 24}
GRID_BAR, PEER_TIMES = 12, 5
INSIDE = "--in-a-process-of-its-own"


def lines() -> Iterator[Line]:
    group = "a duel with the best luck, 12 v 12, staminas 24, luck 12"
    full = (0, 24, 24, 12)
    yield Line(group, "floats", duel(*full, exact=False), lambda: bench_reference.duel(*full), BY_HAND, 20)
    yield Line(group, "fractions", duel(*full, exact=True), lambda: bench_reference.duel_exactly(*full), BY_HAND, 5)
    group = "as staminas double, luck 12, floats"
    for stamina in (6, 12, 24, 48):
        asked = (0, stamina, stamina, 12)
        yield Line(
            group,
            f"{stamina} against {stamina}",
            duel(*asked, exact=False),
            lambda asked=asked: bench_reference.duel(*asked),  # type: ignore[misc]
            BY_HAND,
        )
    group = "as creatures double, stamina 12, creatures of 4"
    for count in (1, 2, 4):
        yield Line(group, f"{count}, without luck", fight(count, "jamais"))
    for count in (1, 2):
        yield Line(group, f"{count}, with the best luck and targets", fight(count, "best"))


def hero(stamina: int, luck: int) -> dict[str, Any]:
    return {"sheet": "heros", "habilete": 10, "endurance": stamina, "chance": luck, "talents": [], "armes": []}


def duel(difference: int, stamina: int, enemy: int, luck: int, exact: bool) -> Callable[[], Odds]:
    sheets = {
        "self": {**hero(stamina, luck), "talents": TALENTS},
        "foe": {"sheet": "creature", "habilete": 10 - difference, "endurance": enemy},
    }
    return asks("df46", "combat", {}, sheets, {"self": ("self",), "ennemis": ("foe",)}, values=[], exact=exact)


TALENTS = ["je_sais_tout", "passe_partout", "doigts_de_fee", "pas_de_loup"]


def fight(count: int, choices: str) -> Callable[[], Odds]:
    names = tuple(f"foe_{number}" for number in range(count))
    sheets: dict[str, Mapping[str, Any]] = {"self": {**hero(12, 4), "talents": TALENTS}}
    sheets |= {name: {"sheet": "creature", "habilete": 7, "endurance": 4} for name in names}
    roles = {"self": ("self",), "ennemis": names}
    return asks("df46", "combat", {}, sheets, roles, values=[], choices=choices, exact=False)


# ---------------------------------------------------------------------- the whole table


def whole_grid() -> dict[str, Any]:
    """The grid in a process of its own, so that its memory can be told."""
    import json

    command = [sys.executable, str(Path(__file__)), INSIDE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def grid_here() -> dict[str, Any]:
    """Every skill difference, luck and pair of staminas, from the rule file; then by hand."""
    rules = system("df46")
    sheets = {
        "self": {**hero(REACH["stamina"], REACH["luck"]), "talents": TALENTS},
        "foe": {"sheet": "creature", "habilete": 10, "endurance": REACH["stamina"]},
    }
    request = Request("combat", {"self": ("self",), "ennemis": ("foe",)}, {})
    staminas = range(1, REACH["stamina"] + 1)
    vary: dict[str, Any] = {
        "foe.habilete": range(2 * REACH["difference"] + 1),
        "self.chance": range(REACH["luck"] + 1),
        "self.endurance": staminas,
        "foe.endurance": staminas,
    }
    before, start = _memory(), time.process_time()
    found = grid(rules, State(sheets), request, vary, ["victoire"], exact=False)
    ours, memory = time.process_time() - start, _memory()
    assert isinstance(found, Grid), found
    times = []
    for _ in range(PEER_TIMES):
        start = time.process_time()
        tables = {d: bench_reference.duel_table(d, 24, 24, 12) for d in range(-10, 11)}
        times.append(time.process_time() - start)
    peer = statistics.median(times)
    worst = max(
        abs(float(row.chances[0]) - tables[10 - row.cell[0]][row.cell[2], row.cell[3], row.cell[1]])
        for row in found.rows
    )
    told = {"name": GRID, "states": len(found.rows), "nodes": found.nodes, "ours": ours, "peer": peer}
    more = {"ratio": ours / peer, "bar": GRID_BAR, "memory_mb": memory, "memory_before_mb": before, "difference": worst}
    return {**told, **more}


def _memory() -> float:
    """The most memory that this process has held so far, in megabytes."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage also counts what the process was forked from
        held = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(held.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    import json

    print(json.dumps(grid_here()))
