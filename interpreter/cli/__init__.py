"""The `osselet` command: a table of commands, each a module that is loaded only when it is asked for."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from interpreter import __version__
from interpreter.cli.common import FINE, INTERRUPTED, OWN_FAULT, USAGE, UsageError
from interpreter.problems import nearest

COMMANDS: dict[str, str] = {
    "play": "play a game in the terminal",
    "roll": "do one action and see what comes of it",
    "odds": "how likely each end of an action is, and what to choose",
    "simulate": "play an action many times and count",
    "show": "what a rule set offers: actions, inputs, sheets",
    "doc": "readable rules: Markdown, or one page for a browser",
    "check": "validate rule files",
    "test": "play the worked examples of rule files",
    "serve": "run rules for an app: JSON lines on the standard input and output",
    "new": "make a small rule set to start from",
    "explain": "what a problem's code means and how to mend it",
    "schema": "the JSON Schema of rule files, for editors",
}

DEBUG = "OSSELET_DEBUG"

HELP = """osselet: the rules of tabletop games as data

usage: osselet COMMAND [OPTIONS]      `osselet COMMAND --help` tells more

{commands}

A SYSTEM is the id of a shipped game ({shipped}) or the path of a rule file or folder.

Try:
  osselet play {game}
  osselet new my_game && osselet check my_game && osselet test my_game
  osselet roll my_game risk trait=might danger=deadly

exit status: 0 all is well, 1 problems or a refusal, 2 wrong usage
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status is 0 when all is well, 1 for problems, 2 for wrong usage."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    _utf8()
    try:
        status = _run(argv)
        sys.stdout.flush()
        return status
    except UsageError as error:
        sys.stdout.flush()
        print(f"osselet: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return FINE
    except OSError as error:
        print(f"osselet: {_about(error)}", file=sys.stderr)
        return USAGE
    except Exception as error:  # noqa: BLE001 - a fault of the program itself is told in a sentence too
        return _own_fault(error)


def _run(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        if len(argv) > 1 and argv[1] in COMMANDS:
            return _run([argv[1], "--help"])
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
    try:
        options = module.parser().read(rest)
    except SystemExit as leave:  # --help has been printed
        return int(leave.code or FINE)
    status: int = module.run(options)
    return status


def _help() -> str:
    from interpreter.resources import systems_folder

    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    folder = systems_folder()
    found = sorted(f.name for f in folder.iterdir() if (f / "system.yaml").is_file()) if folder.is_dir() else []
    return HELP.format(commands=rows, shipped=", ".join(found) or "none here", game=[*found, "my_game"][0]).rstrip()


def _utf8() -> None:
    """Labels have accents on every platform; a terminal that cannot show one gets a replacement, never a crash."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def _forget_output() -> None:
    """Whoever read the output has gone; Python must not complain about it at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = io.StringIO()


def _own_fault(error: Exception) -> int:
    """What went wrong in the program, in a sentence; the whole of it for those who look for the cause."""
    if os.environ.get(DEBUG):
        raise error
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" in {Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at is not None else ""
    what = f"{type(error).__name__}{where}: {error}".splitlines()[0]
    print(f"osselet: a fault in osselet itself ({what}); please report it. {DEBUG}=1 shows all of it.", file=sys.stderr)
    return OWN_FAULT


def _about(error: OSError) -> str:
    """What the system refused, in one line."""
    what = (error.strerror or str(error)).lower()
    return f"{error.filename}: {what}" if error.filename else what
