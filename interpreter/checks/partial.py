"""What can be checked of rules whose structure is broken: everything but the faulty parts and what hangs on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.build import Builder
from interpreter.checks.finding import Finding, text_at
from interpreter.model import Path as Keys
from interpreter.model import System
from interpreter.problems import Location, Severity

if TYPE_CHECKING:
    from interpreter.rules import Rules
    from interpreter.source import Document

_WORD = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"`([^`]*)`")
# The folder of translations, which no check needs.
TRANSLATIONS = "lang"
# Words of the language stand everywhere and are nothing that a broken part could have declared.
COMMON = frozenset(
    ("self", "item", "true", "false", "max", "min", "start", "and", "or", "not", "if", "else", "in", "is", "dice")
)


@dataclass(slots=True)
class Loss:
    """What the typed data lacks of the written: where, which names went with it, and where the items of a list that
    lost some were written. `lines` hold what YAML reads otherwise than it was meant."""

    roots: list[Keys] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    lists: dict[Keys, list[int]] = field(default_factory=dict)
    lines: set[tuple[str, int]] = field(default_factory=set)

    def written(self, path: Keys) -> Keys:
        """A path of the typed data as a path of the written data."""
        found: list[str | int] = []
        for end, part in enumerate(path):
            places = self.lists.get(path[:end])
            shifted = places is not None and isinstance(part, int) and part < len(places)
            found.append(places[part] if shifted else part)  # type: ignore[index]
        return tuple(found)

    def hangs_on(self, finding: Finding, text: str | None) -> bool:
        """Whether a fault may only follow from what is lost."""
        named = {word for quoted in _QUOTED.findall(finding.message) for word in _WORD.findall(quoted)}
        named |= set(_WORD.findall(text or ""))
        if named & self.words:
            return True
        path = self.written(finding.path)
        for root in self.roots:
            around = root[: len(path)] == path and len(root) - len(path) <= 2
            beside = finding.code.startswith("E04") and len(root) > 3 and path[: len(root) - 1] == root[:-1]
            if around or beside:
                return True
        return False


@dataclass(frozen=True, slots=True)
class Part:
    """The sound part of broken rules: what was built of it, and how its findings get their places."""

    rules: Rules
    system: System
    loss: Loss
    built: tuple[Finding, ...]

    @property
    def data(self) -> Mapping[str, Any]:
        return self.rules.data

    def locate(self, path: Keys, on: str = "value", offset: int = 0, length: int | None = None) -> Location:
        return self.rules.locate(self.loss.written(path), on, offset, length)

    def own(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that do not merely follow from what is lost."""
        for finding in findings:
            if finding.severity == Severity.ERROR and not self.loss.hangs_on(finding, text_at(self.data, finding.path)):
                yield finding


def sound_part(rules: Rules) -> Part | None:
    """What can be built of rules with errors; None where whole files or the rules that they change are missing."""
    files = {document.file for document in rules.every_document()}
    failed = {problem.location.file for problem in rules.problems if problem.code.startswith("E00")} - files
    unread = any(Path(file).parent.name != TRANSLATIONS for file in failed)
    if unread or not rules.data or (rules.base is not None and rules.base.system is None):
        return None
    loss = Loss(lines={(one.location.file, one.location.line) for one in rules.problems if one.code.startswith("E00")})
    for document in rules.documents if loss.lines else ():
        for path in _on_lines(document, loss.lines, (), document.data):
            _lose(path, loss)
    faults = [problem.path for problem in rules.problems if problem.code.startswith("E01")]
    if rules.base is None:
        for document in rules.documents:
            _compare(document.data, rules.data, (), faults, loss)
    elif any(isinstance(part, int) for path in faults for part in path):
        return None
    for path in faults:
        _lose(path, loss)
    builder = Builder(rules.data)
    system = builder.system("")
    built = tuple(Finding(one.code, one.path, one.message, one.hint) for one in builder.findings)
    return Part(rules, system, loss, built)


def _compare(written: object, typed: object, path: Keys, faults: list[Keys], loss: Loss) -> None:
    """Finds what is written and not in the typed data; `path` is one of the typed data."""
    if isinstance(written, Mapping) and isinstance(typed, Mapping):
        for key, item in written.items():
            if key in typed:
                _compare(item, typed[key], (*path, key), faults, loss)
            else:
                _lose((*loss.written(path), key), loss, item)
    elif isinstance(written, list) and isinstance(typed, list):
        kept = list(range(len(written)))
        if len(typed) < len(written):
            kept = _kept(len(written), len(written) - len(typed), loss.written(path), faults)
            for place in sorted(set(range(len(written))) - set(kept)):
                _lose((*loss.written(path), place), loss, written[place])
            loss.lists[path] = kept
        for place, origin in enumerate(kept[: len(typed)]):
            _compare(written[origin], typed[place], (*path, place), faults, loss)


def _on_lines(document: Document, lines: set[tuple[str, int]], path: Keys, data: object) -> Iterator[Keys]:
    """The parts of a file that begin on one of these lines."""
    parts = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    for key, item in parts:
        inner: Keys = (*path, key)
        if any((place.file, place.line) in lines for place in (document.key(inner), document.value(inner))):
            yield inner
        yield from _on_lines(document, lines, inner, item)


def _kept(count: int, lost: int, path: Keys, faults: list[Keys]) -> list[int]:
    """The items of a list that are left: those with a fault of their own went first, then those with one within."""

    def rank(place: int) -> int:
        own = (*path, place)
        return 0 if own in faults else 1 if any(fault[: len(own)] == own for fault in faults) else 2

    gone = set(sorted(range(count), key=lambda place: (rank(place), place))[:lost])
    return [place for place in range(count) if place not in gone]


def _lose(path: Keys, loss: Loss, item: object = None) -> None:
    loss.roots.append(path)
    names = [part for part in path[-2:] if isinstance(part, str)]
    loss.words.update(word for word in (*names, *_declared(item)) if word not in COMMON)


def _declared(item: object) -> Iterator[str]:
    """Every name that a lost part may have declared: its keys, and texts that are a single word."""
    if isinstance(item, Mapping):
        for key, inner in item.items():
            yield str(key)
            yield from _declared(inner)
    elif isinstance(item, list):
        for inner in item:
            yield from _declared(inner)
    elif isinstance(item, str):
        head = item.partition(" in ")[0].strip()
        if head.isidentifier():
            yield head


__all__ = ["Loss", "Part", "sound_part"]
