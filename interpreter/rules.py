"""What was read of a rule set: its data, its problems, and the place of every part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interpreter.build import Finding
from interpreter.model import System
from interpreter.problems import Location, Problem, Severity

if TYPE_CHECKING:
    from interpreter.source import Document

Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The files, the plain data they make together, and what is wrong with them.

    `system` is None when the files are too broken to build. `reread` brings the files back when the rules came from
    the cache."""

    documents: tuple[Document, ...]
    data: Mapping[str, Any]
    problems: tuple[Problem, ...]
    system: System | None = None
    base: Rules | None = None
    reread: Callable[[], Rules] | None = field(default=None, compare=False, repr=False)
    cached_files: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The names of every file read, those of the rules that these extend first."""
        if self.reread is not None:
            return self.cached_files
        return tuple(document.file for document in self.every_document())

    def locate(self, path: Keys, on: str = "value", offset: int = 0, length: int | None = None) -> Location:
        """The place of a part of the rules: in the last file that says it, or else of the nearest part around it."""
        documents = self.every_document()
        for end in range(len(path), -1, -1):
            for document in reversed(documents):
                if has_path(document.data, path[:end]):
                    if end == len(path) and on == "value":
                        return document.value(path, offset, length)
                    return document.key(path[:end]) if end else document.value(())
        return Location("", 1, 1)

    def every_document(self) -> tuple[Document, ...]:
        """The files, those of the rules that these extend first."""
        if self.reread is not None:
            return self.reread().every_document()
        return (*(self.base.every_document() if self.base else ()), *self.documents)

    @property
    def has_errors(self) -> bool:
        return any(problem.severity == Severity.ERROR for problem in self.problems)

    def with_problems(self, problems: Iterable[Problem]) -> Rules:
        return Rules(self.documents, self.data, (*self.problems, *problems), self.system, self.base)


def placed(rules: Rules, finding: Finding) -> Problem:
    """A finding in its place."""
    return Problem(finding.code, finding.message, rules.locate(finding.path), hint=finding.hint, path=finding.path)


def fingerprint(data: Mapping[str, Any]) -> str:
    """A digest of what is played: examples, ready characters and notes do not count."""
    played = {key: part for key, part in data.items() if key not in ("examples", "narrative", "characters")}
    text = json.dumps(played, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def has_path(data: Any, path: Keys) -> bool:
    for part in path:
        known = data if isinstance(data, Mapping) else dict(enumerate(data)) if isinstance(data, list) else {}
        if part not in known:
            return False
        data = known[part]
    return True
