"""A check made again whenever one of its files is saved."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from interpreter.cli.common import FINE, UsageError, use_color
from interpreter.cli.targets import TRANSLATIONS, targets
from interpreter.files import rule_files

PAUSE = 0.3  # seconds between two looks; short enough to seem at once
CLEAR = "\x1b[2J\x1b[H"

Stamps = frozenset[tuple[str, int, int]]


def watch(
    paths: Sequence[str], check: Callable[[], tuple[int, list[str]]], sleep: Callable[[float], None] = time.sleep
) -> int:
    """Checks, and again after each change, until Ctrl-C; the exit status is that of the last check."""
    status, read, seen = FINE, list[str](), None
    try:
        while True:
            now = stamps(paths, read)
            if now != seen:
                if use_color():
                    print(CLEAR, end="")
                status, read = _once(check)
                seen = stamps(paths, read)
                print("Watching; Ctrl-C ends.", flush=True)
            sleep(PAUSE)
    except KeyboardInterrupt:
        print()
        return status


def _once(check: Callable[[], tuple[int, list[str]]]) -> tuple[int, list[str]]:
    """What cannot be checked now may be there at the next look."""
    try:
        return check()
    except UsageError as error:
        print(f"osselet: {error}", file=sys.stderr)
        return FINE, []


def stamps(paths: Iterable[str], read: Iterable[str]) -> Stamps:
    """When each file was changed last: those that the paths hold now, and those that were read, such as of a base."""
    files = {str(file) for file in _files(paths)} | set(read)
    return frozenset(stamp for file in files if (stamp := _stamp(Path(file))) is not None)


def _files(paths: Iterable[str]) -> Iterator[Path]:
    try:
        found = targets(paths)
    except UsageError:
        return
    for target in map(Path, found):
        if target.exists():
            yield from rule_files(target)
            if (target / TRANSLATIONS).is_dir():
                yield from rule_files(target / TRANSLATIONS)


def _stamp(file: Path) -> tuple[str, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return str(file), found.st_mtime_ns, found.st_size
