"""Spoil rule files in thousands of small ways, and count: each is refused in the right place, or plays without a fault.

python tools/mutate.py --count 2000 --seed 7                  of the shipped systems
python tools/mutate.py --pages --count 5000                   of the sound file on each page of `osselet explain`
python tools/mutate.py my_game --count 500 --keep mutants     of one's own
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mutations import Mutant, mutate
from playing import faults_of

from interpreter import checks
from interpreter.checks.table import CHECKS
from interpreter.problems import Problem, Severity
from interpreter.reading import read

ROOT = Path(__file__).resolve().parent.parent
# A mutant that takes longer than this many seconds counts as a crash.
LONGEST = 60
CHUNK = 20
# Files that are left out where another file is spoilt: they would only be read again each time.
ASIDE = ("examples.yaml",)


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one mutant. `placed`: on or beside a spoilt line, at a use of what was spoilt, or elsewhere."""

    number: int
    system: str
    file: str
    kind: str
    status: str
    lines: tuple[int, ...] = ()
    placed: str = ""
    told: tuple[str, ...] = ()
    seconds: float = 0


@dataclass(slots=True)
class Figures:
    mutants: int = 0
    refused: int = 0
    placed: Counter[str] = field(default_factory=Counter)
    survived: int = 0
    crashed: int = 0
    kinds: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, one: Judged) -> None:
        self.mutants += 1
        self.refused += one.status == "refused"
        self.survived += one.status == "survived"
        self.crashed += one.status in ("crashed", "hung")
        if one.placed:
            self.placed[one.placed] += 1
        self.kinds.setdefault(one.kind, Counter()).update([one.status, *([one.placed] if one.placed else [])])


# ---------------------------------------------------------------------- one mutant


def sources() -> list[Path]:
    """The shipped systems, each game twice as often as a page of the gallery."""
    folder = ROOT / "systems"
    games = [path for path in sorted(folder.iterdir()) if (path / "system.yaml").exists()]
    return [*games * 6, *sorted((folder / "gallery").glob("*.yaml")), ROOT / "tests" / "checks" / "cases.yaml"]


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pages(folder: Path) -> list[Path]:
    """The sound file on each page about a problem: small, and together they show every construct."""
    found = []
    for check in CHECKS:
        if check.passing:
            found.append(folder / f"{check.code}.yaml")
            found[-1].write_text(check.passing.lstrip("\n"), encoding="utf-8")
    return found


def files_of(system: Path) -> list[Path]:
    return [system] if system.is_file() else sorted(system.rglob("*.yaml"))


def spoilt(system: Path, rng: random.Random, folder: Path) -> tuple[Path, Path, Mutant]:
    """A copy of a system with one file spoilt: where it is, the spoilt file, and what was done."""
    files = files_of(system)
    file = rng.choices(files, [path.stat().st_size ** 0.5 for path in files])[0]
    mutant = mutate(file.read_text(encoding="utf-8"), rng)
    if system.is_file():
        copy = folder / system.name
        copy.write_text(mutant.text, encoding="utf-8")
        return copy, copy, mutant
    copy, own = folder / system.name, file.relative_to(system)
    light = own.name not in ASIDE and own.parts[0] != "lang"
    for path in files:
        there = path.relative_to(system)
        if light and path != file and (there.name in ASIDE or there.parts[0] == "lang"):
            continue
        (copy / there).parent.mkdir(parents=True, exist_ok=True)
        (copy / there).write_text(mutant.text if path == file else path.read_text(encoding="utf-8"), encoding="utf-8")
    return copy, copy / own, mutant


def judge(number: int, seed: int, system: Path, keep: Path | None = None) -> Judged:
    """One mutant checked, and played where nothing is found."""
    rng = random.Random(f"{seed}/{number}")
    with tempfile.TemporaryDirectory() as name:
        copy, file, mutant = spoilt(system, rng, Path(name))
        started = time.process_time()
        status, placed = "crashed", ""
        told: tuple[str, ...] = ()
        try:
            with limited(LONGEST):
                status, placed, told = _judged(copy, file, mutant, f"{seed}/{number}")
        except TimeoutError as error:
            status, told = "hung", (str(error),)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted as a crash
            status, told = "crashed", (f"{type(error).__name__}: {error}",)
        seconds = time.process_time() - started
        if keep is not None and (status in ("crashed", "hung") or placed == "elsewhere"):
            where = keep / f"{number}"
            shutil.rmtree(where, ignore_errors=True)
            shutil.copytree(name, where)
        inside = file.relative_to(Path(name)).as_posix()
    return Judged(number, system.stem, inside, mutant.kind, status, mutant.lines, placed, told, seconds)


def _judged(copy: Path, file: Path, mutant: Mutant, seed: str) -> tuple[str, str, tuple[str, ...]]:
    rules = read(copy)
    found = sorted({*rules.problems, *checks.problems(rules)}, key=lambda one: (one.location, one.code))
    errors = [problem for problem in found if problem.severity == Severity.ERROR]
    if errors:
        return "refused", _placed(errors, file, mutant), tuple(map(_shown, errors[:5]))
    if rules.system is None:
        return "crashed", "", ("nothing was found, and there is no system",)
    played = faults_of(rules.system, seed)
    return ("crashed" if played.faults else "survived"), "", tuple(played.faults[:5])


def _placed(errors: Sequence[Problem], file: Path, mutant: Mutant) -> str:
    """Where the best placed problem stands."""
    near = {line + by for line in mutant.lines for by in (-1, 0, 1)}
    places = [problem.location for problem in errors]
    if any(place.file == str(file) and place.line in near for place in places):
        return "at the line"
    related = [place for problem in errors for _, place in problem.related]
    if any(place.file == str(file) and place.line in near for place in related):
        return "related"
    told = " ".join(f"{problem.message} {problem.hint}" for problem in errors)
    if any(f"`{word}`" in told or f".{word}`" in told or f"`{word}." in told for word in mutant.words):
        return "at a use"
    return "elsewhere"


def _shown(problem: Problem) -> str:
    place = problem.location
    return f"{Path(place.file).name}:{place.line}:{place.column} {problem.code} {problem.message}"


# ---------------------------------------------------------------------- thousands


def numbered(count: int, seed: int, systems: Sequence[Path]) -> list[tuple[int, Path]]:
    rng = random.Random(f"{seed}")
    return [(number, rng.choice(systems)) for number in range(count)]


def judged(count: int, seed: int, systems: Sequence[Path], jobs: int = 1, keep: Path | None = None) -> Iterator[Judged]:
    """So many mutants of some systems, always the same for a seed."""
    wanted = numbered(count, seed, systems)
    if jobs < 2:
        yield from (judge(number, seed, system, keep) for number, system in wanted)
        return
    chunks = [wanted[start : start + CHUNK] for start in range(0, count, CHUNK)]
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for found in pool.map(_chunk, chunks, [seed] * len(chunks), [keep] * len(chunks)):
            yield from found


def _chunk(wanted: Iterable[tuple[int, Path]], seed: int, keep: Path | None) -> list[Judged]:
    return [judge(number, seed, system, keep) for number, system in wanted]


def rendered(figures: Figures) -> str:
    lines = [f"{'kind':<20}{'mutants':>9}{'refused':>9}{'survived':>9}{'elsewhere':>10}{'crashed':>9}"]
    for kind, counts in sorted(figures.kinds.items()):
        total = sum(counts[status] for status in ("refused", "survived", "crashed", "hung"))
        bad = counts["crashed"] + counts["hung"]
        lines.append(
            f"{kind:<20}{total:>9}{counts['refused']:>9}{counts['survived']:>9}{counts['elsewhere']:>10}{bad:>9}"
        )
    placed = figures.placed
    lines += [
        f"{'all':<20}{figures.mutants:>9}{figures.refused:>9}{figures.survived:>9}{placed['elsewhere']:>10}"
        f"{figures.crashed:>9}",
        "",
        f"placed: {placed['at the line']} on or beside the spoilt line, {placed['related']} with that line as a second "
        f"place, {placed['at a use']} at a use of what was spoilt, {placed['elsewhere']} elsewhere",
    ]
    return "\n".join(lines)


def as_json(figures: Figures) -> dict[str, object]:
    kinds = {kind: dict(counts) for kind, counts in sorted(figures.kinds.items())}
    plain = {name: getattr(figures, name) for name in ("mutants", "refused", "survived", "crashed")}
    return plain | {"placed": dict(figures.placed), "kinds": kinds}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("systems", nargs="*", type=Path, help="files or folders of rules; all shipped ones unless said")
    parser.add_argument("--pages", action="store_true", help="the sound files on the pages of `osselet explain`")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where mutants that crash or are misplaced are kept")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        systems = pages(Path(folder)) if options.pages else options.systems or sources()
        figures, slowest = _counted(judged(options.count, options.seed, systems, options.jobs, options.keep))
    print(json.dumps(as_json(figures) | {"slowest": round(slowest, 2)}) if options.json else rendered(figures))
    return 1 if figures.crashed else 0


def _counted(found: Iterable[Judged]) -> tuple[Figures, float]:
    """The figures, and the time that the slowest mutant took; tells at once of those that should not be."""
    figures, slowest = Figures(), 0.0
    for one in found:
        figures.add(one)
        slowest = max(slowest, one.seconds)
        if one.status in ("crashed", "hung") or one.placed == "elsewhere":
            lines = ", ".join(map(str, one.lines))
            print(f"{one.number} {one.status} {one.placed} [{one.kind}] {one.file} {lines}", file=sys.stderr)
            print(*(f"    {told}" for told in one.told), sep="\n", file=sys.stderr, flush=True)
    return figures, slowest


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
