"""How far long work is, on the terminal's error stream; silent where nobody looks on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

FIRST_WORD, BETWEEN_WORDS = 1.0, 0.25
WIPE = "\r\x1b[K"


class Progress:
    """Tells now and then how far it is, once that takes more than a moment; `with` clears the line at the end."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.shown = bool(getattr(self.stream, "isatty", lambda: False)())
        self.started = clock()
        self.next = self.started + FIRST_WORD
        self.written = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.written:
            self.stream.write(WIPE)
            self.stream.flush()

    def part(self, done: int, whole: int) -> None:
        """So many of so many are done."""
        if self.shown and self.clock() >= self.next:
            self._write(f"{done} / {whole} ({done * 100 // max(1, whole)}%)")

    def tick(self) -> float:
        """The time, for whoever looks at a clock now and then while it works."""
        now = self.clock()
        if self.shown and now >= self.next:
            self._write(f"{now - self.started:.0f} s …")
        return now

    def _write(self, text: str) -> None:
        self.stream.write(f"{WIPE}{text}")
        self.stream.flush()
        self.written = True
        self.next = self.clock() + BETWEEN_WORDS
