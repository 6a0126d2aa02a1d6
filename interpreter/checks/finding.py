"""What a check is, what it finds by path, and how a finding gets its place in the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from interpreter.model import Path
from interpreter.problems import Location, Problem, Severity

ABSENT = object()
Related = tuple[tuple[str, Path], ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that can be wrong: its code, what it is called, the rule in a sentence, and a rule file that breaks it
    beside one that keeps it. Both files are its tests and its page of the manual."""

    code: str
    title: str
    rule: str
    failing: str = ""
    passing: str = ""

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.startswith("W") else Severity.ERROR


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault by path; `offset` and `length` count characters of the text there, or of the key with `on`."""

    code: str
    path: Path
    message: str
    hint: str = ""
    on: Literal["key", "value"] = "value"
    offset: int = 0
    length: int | None = None
    related: Related = ()

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.startswith("W") else Severity.ERROR


class Report:
    """Collects findings, each once; nothing while it is muted."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Finding] = {}
        self._muted = 0

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._found.values())

    def add(
        self,
        check: Check | str,
        path: Path,
        message: str,
        hint: str = "",
        *,
        on: Literal["key", "value"] = "value",
        offset: int = 0,
        length: int | None = None,
        related: Related = (),
    ) -> None:
        if self._muted:
            return
        code = check if isinstance(check, str) else check.code
        finding = Finding(code, path, message, hint, on, offset, length, related)
        self._found.setdefault((code, path, on, offset, message), finding)

    @contextmanager
    def muted(self) -> Iterator[None]:
        """While something is only tried, or looked at a second time."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    @contextmanager
    def loud(self) -> Iterator[None]:
        """For what is told even while muted."""
        muted, self._muted = self._muted, 0
        try:
            yield
        finally:
            self._muted = muted


# ---------------------------------------------------------------------- places


class Placed(Protocol):
    """What is asked of rules that were read: their data, and where its parts are written."""

    @property
    def data(self) -> Mapping[str, Any]: ...

    def locate(self, path: Path, on: str = "value", offset: int = 0, length: int | None = None) -> Location: ...


def problem_of(rules: Placed, finding: Finding) -> Problem:
    """The finding in its place."""
    path = written_path(rules.data, finding.path)
    location = _on_key(rules, path, finding) if finding.on == "key" else _on_value(rules, path, finding)
    related = tuple((words, rules.locate(written_path(rules.data, other), "key")) for words, other in finding.related)
    return Problem(finding.code, finding.message, location, finding.severity, finding.hint, finding.path, related)


def _on_value(rules: Placed, path: Path, finding: Finding) -> Location:
    if finding.offset or finding.length is not None:
        return rules.locate(path, "value", finding.offset, finding.length)
    return rules.locate(path)


def _on_key(rules: Placed, path: Path, finding: Finding) -> Location:
    place = rules.locate(path, "key")
    if not finding.offset and finding.length is None:
        return place
    return Location(place.file, place.line, place.column + finding.offset, finding.length or 1)


def part_of(data: object, part: str | int) -> object:
    """What stands under a key or number; ABSENT when nothing does."""
    if isinstance(data, Mapping):
        return data.get(part, ABSENT)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return ABSENT


def says(data: object, path: Path) -> bool:
    """Whether data says what stands at a path, be it in a short form."""
    for part in path:
        if not isinstance(data, Mapping | list) or (isinstance(data, list) and isinstance(part, str)):
            return True
        data = part_of(data, part)
        if data is ABSENT:
            return False
    return True


def written_path(data: object, path: Path) -> Path:
    """A path without the names of keys that a short form leaves out: `roll.jet.dice` where only `jet: 2d6` stands."""
    for end, part in enumerate(path):
        inner = part_of(data, part)
        if inner is ABSENT:
            return path[:end] if isinstance(data, str | int) else path
        data = inner
    return path


def text_at(data: object, path: Path) -> str | None:
    """The text that stands at a path, which a short form may have shortened."""
    for part in written_path(data, path):
        data = part_of(data, part)
    return data if isinstance(data, str) else None
