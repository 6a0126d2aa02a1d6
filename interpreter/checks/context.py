"""Everything that the checks of one system share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.checks.finding import Report, text_at
from interpreter.checks.kinds import Kinds, World
from interpreter.checks.reader import Reader
from interpreter.checks.values import Values
from interpreter.checks.dice import Dice
from interpreter.model import Path, System


class Context:
    """The system, its data as read, and the parts that work out types."""

    def __init__(self, system: System, data: Mapping[str, Any], report: Report) -> None:
        self.system = system
        self.data = data
        self.report = report
        self.reader = Reader(report, self.raw, lambda name: self.kinds.coverage(name))
        self.dice = Dice(self)
        self.kinds = Kinds(self)
        self.world = World(self)
        self.values = Values(self)
        self.used: set[tuple[str, str]] = set()

    def raw(self, path: Path) -> str | None:
        return text_at(self.data, path)
