"""Where rule files are: paths, folders of one rule set or of many, shipped systems."""

from __future__ import annotations

import re
from pathlib import Path

from interpreter.resources import systems_folder

SUFFIXES = (".yaml", ".yml")
# A file that names its game or the rules that it changes is the head of a rule set.
_HEAD = re.compile(rb"^(?:system|extends)[ \t]*:", re.MULTILINE)


def find(where: str | Path) -> Path:
    """A path as it is, or the shipped rule set of that id; `folder/id` names one of a folder of many."""
    path = Path(where)
    try:
        there = path.exists()
    except OSError:  # such as a name that is too long; a short one that is not there either stands for it
        return Path(f"{str(where)[:60]}…")
    if there or not isinstance(where, str) or path.is_absolute() or "." in where:
        return path
    direct = systems_folder() / where
    if direct.exists():
        return direct
    folder, _, name = where.replace("-", "_").rpartition("/")
    found = shipped().get(name, path)
    return found if folder in ("", found.parent.name) else path


def shipped() -> dict[str, Path]:
    """Every shipped rule set by its id: folders by their names, then the files of folders of many."""
    base = systems_folder()
    folders = sorted(folder for folder in base.iterdir() if folder.is_dir()) if base.is_dir() else []
    split = [(folder, rule_sets(folder)) for folder in folders]
    found = {folder.name: folder for folder, sets in split if sets == [folder]}
    return found | {file.stem.replace("-", "_"): file for _, sets in split if len(sets) > 1 for file in sets}


def rule_files(path: Path) -> list[Path]:
    """The rule files of a folder, in order of their names; a file stands for itself."""
    if path.is_file():
        return [path]
    return sorted(f for f in path.glob("*") if f.suffix in SUFFIXES and f.is_file() and f.name[0] != ".")


def rule_sets(path: Path) -> list[Path]:
    """A file or folder as one rule set; or every file of a folder, when two of them are the heads of rule sets."""
    files = rule_files(path)
    return files if sum(map(_is_head, files)) > 1 else [path]


def _is_head(file: Path) -> bool:
    try:
        return _HEAD.search(file.read_bytes()) is not None
    except OSError:
        return False
