"""Show what Osselet does: a test from a book, a whole fight, and their odds, without asking anything."""

from __future__ import annotations

import shlex
import sys

from environment import prepare, run

COMMANDS = (
    "check mir",
    "roll mir test competence=instinct difficulte=facile self.competences.instinct=4 self.voies.secret=2 --seed 4",
    "roll df46 combat --seed 4 --choose achever=en_rester_la",
    "odds mir test competence=instinct difficulte=facile self.competences.instinct=4 self.voies.secret=2",
)


def main() -> int:
    """Run each command as a person would type it; the first failure ends the show."""
    python = prepare()
    for command in COMMANDS:
        print(f"\n$ osselet {command}", flush=True)
        code = run([str(python), "-m", "interpreter", *shlex.split(command)])
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
