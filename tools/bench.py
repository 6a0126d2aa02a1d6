"""Measure exact odds beside icepool, a library of dice odds, and beside programmes written by hand for one game.

Ours is the whole way: a question about an action of a rule file (a shipped one where it reaches). The rules are
compiled and the table is read once; dice, and all that comes of them, are worked out each time. Peers get dice that
they have not seen, and do the dice alone. Times are medians, taken by turns, of processor time.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# What a line is measured for: its time for ours and for the peer, again and again.
LEAST_TIMES, MOST_TIMES, LONGEST = 5, 101, 2.0
# Slow lines are measured but so often.
SLOW, SLOW_TIMES = 0.7, 3


@dataclass(frozen=True, slots=True)
class Line:
    """Something that both can do; `bar` is what ours may take at most of the peer's time."""

    group: str
    name: str
    ours: Callable[[], object]
    peer: Callable[[], object] | None = None
    peer_name: str = "icepool"
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds, and how they compare."""

    group: str
    name: str
    ours: float
    peer: float | None
    peer_name: str
    ratio: float | None
    bar: float | None


def measured(line: Line) -> Measured:
    """The medians of one line, both by turns."""
    works = [line.ours, *([line.peer] if line.peer is not None else [])]
    times: list[list[float]] = [[] for _ in works]
    for work in works:  # what is worked out once is not counted
        work()
    begun = time.process_time()
    while len(times[0]) < LEAST_TIMES or (len(times[0]) < MOST_TIMES and time.process_time() - begun < LONGEST):
        for work, found in zip(works, times, strict=True):
            start = time.process_time()
            work()
            found.append((time.process_time() - start) * 1000)
        if sum(map(sum, times)) > SLOW * 1000 * SLOW_TIMES * len(works) and len(times[0]) >= SLOW_TIMES:
            break
    ours, peer = statistics.median(times[0]), statistics.median(times[1]) if line.peer is not None else None
    ratio = None if peer is None else round(ours / peer, 3)
    shown = None if peer is None else round(peer, 3)
    return Measured(line.group, line.name, round(ours, 3), shown, line.peer_name if peer else "", ratio, line.bar)


def machine() -> str:
    import os

    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--only", metavar="TEXT", default="", help="only lines whose group or name holds the text")
    options = parser.parse_args(arguments)

    import bench_dice
    import bench_duels
    import bench_play

    lines = [*bench_dice.lines(), *bench_duels.lines(), *bench_play.lines()]
    wanted = [line for line in lines if options.only in line.group or options.only in line.name]
    found: list[Measured] = []
    if not options.json:
        print(f"{machine()}; milliseconds\n")
    for line in wanted:
        found.append(measured(line))
        if not options.json:
            show(found[-1], found[-2] if len(found) > 1 else None)
    grid = bench_duels.whole_grid() if options.only in bench_duels.GRID else None
    if options.json:
        told: dict[str, Any] = {"machine": machine(), "unit": "ms", "lines": [asdict(one) for one in found]}
        print(json.dumps({**told, "grid": grid}, indent=2))
    elif grid is not None:
        show_grid(grid)
    return 0


def show(line: Measured, before: Measured | None) -> None:
    if before is None or before.group != line.group:
        print(f"{line.group:56} {'ours':>10} {'peer':>10} {'ratio':>7} {'bar':>6}")
    peer = "" if line.peer is None else f"{line.peer:10.2f}"
    ratio = "" if line.ratio is None else f"{line.ratio:7.3f}"
    bar = "" if line.bar is None else f"{line.bar:6.2f}"
    print(f"  {line.name:54} {line.ours:10.2f} {peer:>10} {ratio:>7} {bar:>6}  {line.peer_name}".rstrip(), flush=True)


def show_grid(grid: dict[str, Any]) -> None:
    print(f"\n{grid['name']}: {grid['states']:,} states, {grid['nodes']:,} situations")
    print(f"  ours {grid['ours']:.2f} s, by hand {grid['peer']:.2f} s, ratio {grid['ratio']:.2f}, bar {grid['bar']}")
    print(f"  most memory {grid['memory_mb']:.0f} MB, of which {grid['memory_before_mb']:.0f} MB before it began")
    print(f"  largest difference {grid['difference']:.1e}")


if __name__ == "__main__":
    sys.exit(main())
