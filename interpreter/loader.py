"""A file, a folder or a shipped id to a checked System, with every problem in its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from interpreter import cache
from interpreter.build import Builder
from interpreter.files import find, rule_files
from interpreter.house_rules import joined
from interpreter.problems import Location, Problem, Severity
from interpreter.rules import Rules, fingerprint, placed


def load(where: str | Path) -> Rules:
    """The rules of a file, a folder, or a shipped system's id, checked; sound rules are kept for the next time."""
    path = find(where)
    known = cache.recall(path) if path.exists() else None
    if known is not None:
        data, warnings = known["data"], tuple(_to_problem(one) for one in known["warnings"])
        system, names = Builder(data).system(fingerprint(data)), tuple(known.get("names", ()))
        return Rules((), data, warnings, system, reread=lambda: _read(path), cached_files=names)
    rules = _read(path)
    if rules.system is not None and not rules.has_errors:
        warnings_now = [dataclasses.asdict(problem) for problem in rules.problems]
        kept = {"data": rules.data, "warnings": warnings_now, "names": list(rules.files)}
        cache.keep(path, _files(rules, path), kept)
    return rules


def _read(path: Path) -> Rules:
    # Reading needs the YAML and schema libraries, which take longer to import than the cache to answer.
    from interpreter.checks import problems
    from interpreter.reading import read

    rules = read(path)
    return rules.with_problems(problems(rules))


def _to_problem(data: Mapping[str, Any]) -> Problem:
    related = tuple((said, Location(**place)) for said, place in data["related"])
    severity, path = Severity(data["severity"]), tuple(data["path"])
    place = Location(**data["location"])
    return Problem(data["code"], data["message"], place, severity, data["hint"], path, related)


def _files(rules: Rules, path: Path) -> Iterator[Path]:
    """Every file that the rules came from, and the folders in which a new file would count."""
    folders = {path if path.is_dir() else path.parent}
    for document in rules.every_document():
        yield Path(document.file)
        folders.add(Path(document.file).parent)
    yield from sorted(folders)


__all__ = ["Rules", "find", "joined", "load", "placed", "rule_files"]
