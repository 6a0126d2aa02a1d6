"""Every run of every example, frozen at every point where it waits and resumed in a new process, ends the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions.resume import end_of, played, stops

from interpreter import api
from interpreter.files import shipped
from interpreter.loader import load

RESUME = Path(__file__).parent / "sessions" / "resume.py"
LANGUAGE = sorted((Path(__file__).parent / "language").glob("*.yaml"))
RULES = [*map(str, LANGUAGE), *shipped()]


@pytest.fixture(scope="module")
def child() -> Iterator[subprocess.Popen[str]]:
    """A process that knows of each run nothing but its JSON."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(RESUME)], **pipes) as process:
        yield process
        process.stdin.close()


@pytest.mark.parametrize("where", RULES, ids=lambda where: Path(where).stem)
def test_every_stop_of_every_example_resumes_in_a_new_process(where: str, child: subprocess.Popen[str]) -> None:
    system = load(where).system
    assert system is not None
    frozen, wanted = [], []
    for begun, answers in played(system):
        points = list(stops(begun, answers))
        end = json.loads(json.dumps(end_of(points[-1], ())))
        for number, run in enumerate(points):
            frozen.append([api.freeze(run), answers[number:]])
            wanted.append(end)
    assert child.stdin is not None
    assert child.stdout is not None
    print(json.dumps([where, frozen]), file=child.stdin, flush=True)
    found = json.loads(child.stdout.readline())
    assert len(found) == len(wanted)
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        assert one == other, number
