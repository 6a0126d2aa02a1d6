"""Rule sets checked one after another, or many of them on every processor."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from interpreter.cli.common import source_lines
from interpreter.loader import load
from interpreter.model import System
from interpreter.problems import Problem

# Fewer rule sets than this are done before other processes have begun.
MANY = 16


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of one rule set, small enough to be sent from one process to another.

    `lines` are the source lines that the problems stand in.
    """

    system: str
    problems: tuple[Problem, ...]
    files: tuple[str, ...]
    lines: tuple[tuple[tuple[str, int], str], ...]
    assumptions: tuple[dict[str, str], ...]


def check_all(found: Sequence[str | Path], many: int = MANY) -> list[Checked]:
    """Every rule set checked, in their order."""
    workers = min(processors(), len(found) // max(many // 2, 1))
    if len(found) < many or workers < 2:
        return [check_one(target) for target in found]
    try:
        return _in_processes(found, workers)
    except (BrokenProcessPool, OSError, NotImplementedError):  # a machine that allows no processes
        return [check_one(target) for target in found]


def _in_processes(found: Sequence[str | Path], workers: int) -> list[Checked]:
    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts) as executor:
        try:
            return list(executor.map(check_one, found, chunksize=max(1, len(found) // (workers * 4))))
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that started these."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def check_one(target: str | Path) -> Checked:
    rules = load(target)
    line = source_lines()
    places = dict.fromkeys((problem.location.file, problem.location.line) for problem in rules.problems)
    return Checked(
        rules.system.id if rules.system is not None else str(target),
        tuple(rules.problems),
        rules.files or _unread(rules.problems),
        tuple((place, line(*place)) for place in places),
        tuple(assumptions(rules.system)) if rules.system is not None else (),
    )


def _unread(problems: Sequence[Problem]) -> tuple[str, ...]:
    """Files that could not be read as YAML were checked all the same."""
    files = dict.fromkeys(problem.location.file for problem in problems if problem.code != "E0001")
    return tuple(file for file in files if Path(file).is_file())


def assumptions(system: System) -> list[dict[str, str]]:
    """What a system decides where its book is silent."""
    return [
        {
            "id": name,
            "value": each.value.text if each.value else "",
            "at": each.at,
            "reason": next(iter(each.reason.texts.values()), "") if each.reason else "",
            "source": each.source,
        }
        for name, each in system.assumptions.items()
    ]
