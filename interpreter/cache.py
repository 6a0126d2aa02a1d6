"""Checked rules kept as JSON in the user's own cache folder, found again by the content of every file that they came
from."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from interpreter import __version__
from interpreter.resources import schemas_folder

OFF = ("", "0", "off", "no")


def folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """`$OSSELET_CACHE` (`off` for none), else a folder of the user's cache."""
    environment = os.environ if environment is None else environment
    asked = environment.get("OSSELET_CACHE")
    if asked is not None:
        return None if asked.lower() in OFF else Path(asked)
    base = environment.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "osselet"
    try:
        return Path.home() / ".cache" / "osselet"
    except RuntimeError:
        return None


def recall(path: Path) -> Any | None:
    """What was kept for a rule set whose files have not changed since, or None; a damaged entry counts as none."""
    place = _entry(path)
    if place is None:
        return None
    try:
        text = place.read_text(encoding="utf-8")
        digest, _, body = text.partition("\n")
        if digest != _digest(body.encode()):
            return None
        kept = json.loads(body)
        same = all(_file_digest(Path(name)) == known for name, known in kept["files"].items())
        return kept["data"] if same and kept["code"] == _code() else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def keep(path: Path, files: Iterable[Path], data: Any) -> None:
    """Keeps checked data; written beside and put in place at once, so that readers see all or nothing."""
    place = _entry(path)
    if place is None:
        return
    try:
        kept = {"code": _code(), "files": {str(f.resolve()): _file_digest(f) for f in files}, "data": data}
        body = json.dumps(kept, ensure_ascii=False)
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_suffix(f".{os.getpid()}.tmp")
        beside.write_text(f"{_digest(body.encode())}\n{body}", encoding="utf-8")
        beside.replace(place)
    except (OSError, ValueError, TypeError):
        return


def _entry(path: Path) -> Path | None:
    base = folder()
    return None if base is None else base / f"{_digest(str(path.resolve()).encode())}.json"


@lru_cache(maxsize=1)
def _code() -> str:
    """A digest of the program, so that an entry never outlives the checks that it passed."""
    package = Path(__file__).parent
    files = sorted([*package.rglob("*.py"), *schemas_folder().glob("*.yaml")])
    stamps = [
        (str(f.relative_to(package.parent)) if f.is_relative_to(package.parent) else f.name, *_stamp(f)) for f in files
    ]
    return _digest(json.dumps([__version__, stamps]).encode())


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _file_digest(path: Path) -> str:
    """A digest of a file; of a folder, of the names of its files, so that a new one is seen."""
    if path.is_dir():
        return _digest("\n".join(sorted(f.name for f in path.iterdir())).encode())
    return _digest(path.read_bytes())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
