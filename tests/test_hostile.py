"""Files that mean harm: each is told of in its place, in bounded time and memory, and nothing ever raises."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interpreter import checks
from interpreter.problems import Problem, Severity
from interpreter.reading import read
from tests.hostile import BYTES, SLOW, SOUND, garbled

ROOT = Path(__file__).parent.parent
SAMPLES = [*sorted((ROOT / "tests" / "bad").glob("*.yaml")), *sorted((ROOT / "systems" / "gallery").glob("*.yaml"))]
LONGEST_TIME = 5.0  # seconds of the processor's time, of which most files take a hundredth
LONGEST_TIME_OF_SLOW = 60.0
LONGEST_MESSAGE = 1_000
MOST_MEMORY = 1_500_000_000


def problems_in(file: Path) -> list[Problem]:
    rules = read(file)
    return [*rules.problems, *checks.problems(rules)]


def check_told(name: str, raw: bytes, folder: Path, longest: float) -> None:
    file = folder / "rules.yaml"
    file.write_bytes(raw)
    started = time.process_time()
    found = problems_in(file)
    assert time.process_time() - started < longest
    errors = [problem for problem in found if problem.severity == Severity.ERROR]
    assert bool(errors) != (name in SOUND), errors
    lines = raw.count(b"\n") + raw.count(b"\r") + 1
    for problem in found:
        assert 1 <= problem.location.line <= lines, problem
        assert problem.location.column >= 1
        assert 0 < len(problem.message) + len(problem.hint) < LONGEST_MESSAGE, problem.message[:200]


@pytest.mark.parametrize("name", BYTES)
def test_a_hostile_file_is_told_of(name: str, tmp_path: Path) -> None:
    check_told(name, BYTES[name], tmp_path, LONGEST_TIME)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_a_slow_hostile_file_is_told_of(name: str, tmp_path: Path) -> None:
    check_told(name, SLOW[name], tmp_path, LONGEST_TIME_OF_SLOW)


def check_garbled(numbers: range, folder: Path) -> None:
    """Files that people or programs have garbled are told of, or are sound still; nothing raises."""
    for number in numbers:
        rng = random.Random(number)
        text = garbled(rng.choice(SAMPLES).read_text(encoding="utf-8"), rng)
        file = folder / "rules.yaml"
        file.write_text(text, encoding="utf-8")
        rules = read(file)
        found = [*rules.problems, *checks.problems(rules)]
        assert rules.system is not None or any(one.severity == Severity.ERROR for one in found), text
        lines = text.count("\n") + text.count("\r") + 1
        assert all(1 <= one.location.line <= lines and one.location.column >= 1 for one in found), text


def test_garbled_files_are_told_of(tmp_path: Path) -> None:
    check_garbled(range(120), tmp_path)


@pytest.mark.slow
def test_many_garbled_files_are_told_of(tmp_path: Path) -> None:
    check_garbled(range(120, 1_000), tmp_path)


def test_links_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "jeu").mkdir()
    (tmp_path / "jeu" / "rules.yaml").write_text("actions: {agir: {steps: [{say: Oui}]}}\n")
    for place in ("jeu/encore", "jeu/lang"):
        (tmp_path / place).symlink_to(tmp_path / "jeu", target_is_directory=True)
    (tmp_path / "jeu" / "soi.yaml").symlink_to(tmp_path / "jeu" / "soi.yaml")
    done = run_check([tmp_path / "jeu"])
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr


def test_all_hostile_files_at_once_in_little_memory(tmp_path: Path) -> None:
    names = [name for name in BYTES if name not in SOUND]
    files = []
    for number, name in enumerate(names):
        files.append(tmp_path / f"f{number}" / "rules.yaml")
        files[-1].parent.mkdir()
        files[-1].write_bytes(BYTES[name])
    done = run_check(files)
    assert done.returncode == 1, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    told = {problem["file"] for problem in json.loads(done.stdout)}
    assert {names[number] for number, file in enumerate(files) if str(file) not in told} == set()


def run_check(files: list[Path]) -> subprocess.CompletedProcess[str]:
    """`osselet check` in a process of its own that may take so much memory and no more."""
    command = [sys.executable, "-m", "interpreter", "check", "--format", "json", *map(str, files)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OSSELET_NO_CACHE": "1"}
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY)),
    )
