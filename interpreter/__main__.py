"""Let `python -m interpreter` do what the `osselet` command does."""

from __future__ import annotations

import sys

from interpreter.cli import main

if __name__ == "__main__":
    sys.exit(main())
