"""Which rule sets a path stands for: a file, a folder of one rule set, a folder of many."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from interpreter.cli.common import UsageError
from interpreter.files import find, rule_files, rule_sets

TRANSLATIONS = "lang"
# Folders that hold other people's files, or none that anyone wrote.
SKIPPED = ("__pycache__", "node_modules", "build", "dist")


def targets(paths: Iterable[str]) -> list[str | Path]:
    """Every rule set of the paths, each once, in order; a path that is not there stands for itself."""
    found: dict[str, str | Path] = {}
    for path in paths:
        for target in _of(path):
            found.setdefault(os.path.realpath(target), target)
    return list(found.values())


def _of(path: str) -> list[str | Path]:
    place = find(path)
    if not place.exists():
        return [path]
    if place.is_file():
        return [place]
    inner = list(_rule_sets(place))
    if not inner:
        raise UsageError(f"there is no rule file in {path}.")
    return list(inner)


def _rule_sets(folder: Path) -> Iterator[Path]:
    """The rule sets in a folder and below; links to folders are not followed, as they may lead around in a circle."""
    for place, names, _ in os.walk(folder, followlinks=False):
        here = Path(place)
        files = rule_files(here)
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in SKIPPED)
        if files:
            names[:] = [name for name in names if name != TRANSLATIONS]
            yield from rule_sets(here)
