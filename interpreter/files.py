"""Where rule files are: paths, folders, shipped systems."""

from __future__ import annotations

from pathlib import Path

from interpreter.resources import systems_folder


def find(where: str | Path) -> Path:
    """A path as it is, or the folder of a shipped system of that id."""
    path = Path(where)
    if path.exists() or not isinstance(where, str) or "/" in where or "." in where:
        return path
    shipped = systems_folder() / where
    return shipped if shipped.exists() else path


def rule_files(path: Path) -> list[Path]:
    """The rule files of a folder, in order of their names; a file stands for itself."""
    if path.is_file():
        return [path]
    return sorted(f for f in path.glob("*") if f.suffix in (".yaml", ".yml") and f.is_file() and f.name[0] != ".")
