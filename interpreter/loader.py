"""A file, a folder or a shipped id to a checked System, with every problem in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from interpreter import cache
from interpreter.build import Builder
from interpreter.files import find, rule_files
from interpreter.house_rules import joined
from interpreter.rules import Rules, fingerprint, placed


def load(where: str | Path) -> Rules:
    """The rules of a file, a folder, or a shipped system's id; rules without any problem are kept for the next time."""
    path = find(where)
    known = cache.recall(path) if path.exists() else None
    if known is not None:
        system = Builder(known).system(fingerprint(known))
        return Rules((), known, (), system, reread=lambda: _read(path))
    rules = _read(path)
    if rules.system is not None and not rules.problems:
        cache.keep(path, _files(rules, path), rules.data)
    return rules


def _read(path: Path) -> Rules:
    # Reading needs the YAML and schema libraries, which take longer to import than the cache to answer.
    from interpreter.reading import read

    return read(path)


def _files(rules: Rules, path: Path) -> Iterator[Path]:
    """Every file that the rules came from, and the folders in which a new file would count."""
    folders = {path if path.is_dir() else path.parent}
    for document in rules.every_document():
        yield Path(document.file)
        folders.add(Path(document.file).parent)
    yield from sorted(folders)


__all__ = ["Rules", "find", "joined", "load", "placed", "rule_files"]
