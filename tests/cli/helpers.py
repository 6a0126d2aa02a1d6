"""The command line called as a person would call it, without a process."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from interpreter.cli import main

# Rules are checked once for all tests of a process, as they are for a person.
_CACHE = TemporaryDirectory()
CACHE = _CACHE.name

HERE = Path(__file__).parent
ARENA = str(HERE / "arena.yaml")


@dataclass(frozen=True)
class Answer:
    """What a command printed and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs commands; `osselet(...)` gives what came of one."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        os.environ["OSSELET_DEBUG"] = "1"  # a fault of the program fails the test with all that there is to know

    def __call__(self, *words: str) -> Answer:
        self.capsys.readouterr()
        status = main(words)
        out, err = self.capsys.readouterr()
        return Answer(status, out, err)

    def roll(self, *words: str) -> Answer:
        return self("roll", ARENA, *words)
