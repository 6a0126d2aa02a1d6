"""Every run of every example, frozen at every point where it waits and resumed in a new process, ends the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sessions.resume import end_of, played, stops

from interpreter import api
from interpreter.files import shipped
from interpreter.loader import load

RESUME = Path(__file__).parent / "sessions" / "resume.py"
LANGUAGE = sorted((Path(__file__).parent / "language").glob("*.yaml"))
RULES = [*map(str, LANGUAGE), *shipped()]


@pytest.mark.parametrize("where", RULES, ids=lambda where: Path(where).stem)
def test_every_stop_of_every_example_resumes_in_a_new_process(where: str) -> None:
    """One process for a whole rule set; each run in it comes from its JSON alone."""
    system = load(where).system
    assert system is not None
    frozen, wanted = [], []
    for begun, answers in played(system):
        points = list(stops(begun, answers))
        end = json.loads(json.dumps(end_of(points[-1], ())))
        for number, run in enumerate(points):
            frozen.append(json.dumps([api.freeze(run), answers[number:]]))
            wanted.append(end)
    if not frozen:
        return
    child = subprocess.run(
        [sys.executable, str(RESUME), where], input="\n".join(frozen), capture_output=True, text=True, check=True
    )
    found = [json.loads(line) for line in child.stdout.splitlines()]
    assert len(found) == len(wanted)
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        assert one == other, number
