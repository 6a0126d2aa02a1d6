"""Run every check of the project: style, types and tests. `--all` adds the slow tests; the rest goes to pytest."""

from __future__ import annotations

import sys

from environment import prepare, run

CHECKS = (
    ("style", ["ruff", "check", "."]),
    ("format", ["ruff", "format", "--check", "."]),
    ("types", ["mypy"]),
)
TESTS = ["pytest", "--numprocesses", "auto"]
ONLY_QUICK = ["-m", "not slow"]


def main(arguments: list[str]) -> int:
    """Run all checks even where one fails, so that one run tells everything."""
    python = str(prepare("dev"))
    everything = "--all" in arguments
    passed_on = [argument for argument in arguments if argument != "--all"]
    tests = [*TESTS, *([] if everything else ONLY_QUICK), *passed_on]
    failed = []
    for name, command in (*CHECKS, ("tests", tests)):
        print(f"\n== {name}: {' '.join(command)}", flush=True)
        if run([python, "-m", *command]):
            failed.append(name)
    if failed:
        print(f"\nFailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
