"""Measure what checking rules costs beside ruamel.yaml's own parse of the same files, and whether it uses both cores.

python tools/bench_check.py              each shipped system, and a folder of 200
python tools/bench_check.py --json
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ruamel.yaml import YAML

from interpreter import checks
from interpreter.files import rule_files
from interpreter.reading import read

ROOT = Path(__file__).resolve().parent.parent
# ruamel.yaml's ways of reading: data with the place of everything, as rules need it, and bare data.
KINDS = {"ruamel, places": "rt", "ruamel, bare": "safe"}
ROUNDS = 9
MANY = 200


def main() -> int:
    """Prints a line for each shipped game, and one for a folder of many."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    games = [path for path in sorted((ROOT / "systems").iterdir()) if (path / "system.yaml").exists()]
    found: dict[str, Any] = {"systems": [compare(game) for game in games], "folder": folder()}
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{'milliseconds':12}{'check':>8}" + "".join(f"{kind:>18}{'ratio':>7}" for kind in KINDS))
    for line in found["systems"]:
        peers = "".join(f"{line[kind]:18.0f}{line['check'] / line[kind]:7.2f}" for kind in KINDS)
        print(f"{line['name']:12}{line['check']:8.0f}{peers}")
    print(f"\n{MANY} systems in a folder, nothing known beforehand: {found['folder']}")
    return 0


def compare(game: Path) -> dict[str, object]:
    """Both by turns, in processor time, once each was done; the best round of each counts."""
    files = [*rule_files(game), *rule_files(game / "lang")]
    works: dict[str, Callable[[], object]] = {"check": lambda: checks.problems(read(game))}
    works |= {kind: partial(parse, files, typ) for kind, typ in KINDS.items()}
    best = dict.fromkeys(works, float("inf"))
    for number in range(ROUNDS + 1):
        for name, work in works.items():
            taken = timed(work)
            best[name] = min(best[name], taken) if number else best[name]
    return {"name": game.name, **{name: seconds * 1000 for name, seconds in best.items()}}


def parse(files: Sequence[Path], typ: str) -> list[object]:
    return [YAML(typ=typ, pure=True).load(file.read_bytes()) for file in files]


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def folder() -> dict[str, float]:
    """Seconds that `osselet check` of many systems takes by the clock, and of the processors."""
    with tempfile.TemporaryDirectory() as name:
        source = (ROOT / "systems" / "gallery" / "push.yaml").read_text(encoding="utf-8")
        for number in range(MANY):
            place = Path(name) / f"game_{number}" / "system.yaml"
            place.parent.mkdir()
            place.write_text(source.replace("id: push", f"id: push_{number}"), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        command = [sys.executable, "-m", "interpreter", "check", name]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OSSELET_NO_CACHE": "1"}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"clock": round(wall, 2), "processors": round(used, 2), "cores": round(used / wall, 2)}


if __name__ == "__main__":
    sys.exit(main())
