"""The `osselet` command: a table of commands, each a module that is loaded only when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from interpreter import __version__
from interpreter.cli.common import FINE, USAGE, UsageError
from interpreter.problems import nearest

COMMANDS: dict[str, str] = {
    "play": "play a game in the terminal",
    "roll": "do one action and see what comes of it",
    "show": "what a rule set offers: actions, inputs, sheets",
    "check": "validate rule files",
    "test": "play the worked examples of rule files",
    "new": "make a small rule set to start from",
    "explain": "what a problem's code means and how to mend it",
    "schema": "the JSON Schema of rule files, for editors",
}

HELP = """osselet: the rules of tabletop games as data

usage: osselet COMMAND [OPTIONS]      osselet COMMAND --help tells more

{commands}

A SYSTEM is the id of a shipped game ({shipped}) or the path of a rule file or folder.

Try:
  osselet play df46
  osselet roll mir test competence=instinct difficulte=facile self.competences.instinct=4 self.voies.secret=2
  osselet new my_game && osselet check my_game && osselet test my_game
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status is 0 when all is well, 1 for problems, 2 for wrong usage."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    _utf8_output()
    try:
        return _run(argv)
    except UsageError as error:
        print(f"osselet: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE


def _run(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(_help())
        return FINE if argv else USAGE
    if argv[0] in ("-V", "--version"):
        print(f"osselet {__version__}")
        return FINE
    command, *rest = argv
    if command not in COMMANDS:
        close = nearest(command, list(COMMANDS))
        hint = f" Did you mean `{close}`?" if close else ""
        raise UsageError(f"there is no command `{command}`.{hint} `osselet --help` lists them.")
    module = import_module(f"interpreter.cli.{command}")
    status: int = module.run(module.parser().parse_args(rest))
    return status


def _help() -> str:
    from interpreter.resources import systems_folder

    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    shipped = ", ".join(sorted(f.name for f in systems_folder().iterdir() if (f / "system.yaml").is_file()))
    return HELP.format(commands=rows, shipped=shipped).rstrip()


def _utf8_output() -> None:
    """Labels have accents; a terminal that cannot show one gets a replacement, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
