"""`osselet play`: a game in the terminal, saved after every step."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from interpreter import dice
from interpreter.cli.common import (
    FINE,
    Parser,
    UsageError,
    add_language,
    add_system,
    make_parser,
    names_of,
    playable,
    use_color,
)
from interpreter.cli.console import Console
from interpreter.cli.desk import Desk
from interpreter.cli.game import play
from interpreter.cli.hand import SeededTable, TypedDice
from interpreter.cli.saves import Keeper, default_place
from interpreter.render.style import painter

EPILOG = """examples:
  osselet play my_game                         what `osselet new my_game` made, or a shipped game
  osselet play my_game --seed 4                the same dice every time
  osselet play my_game --hand                  type the faces of your own dice
  osselet play my_game --save my_hero.json     a game of its own

At any question a number or the beginning of a name will do; `<` gives up what was begun, `q`
leaves. The game is saved after every step, also in the middle of a fight: `q`, Ctrl-C and Ctrl-D
lose nothing, and the next `osselet play` goes on from there. `u` undoes, as far back as you like."""


def parser() -> Parser:
    new = make_parser("play", "Plays a game in the terminal: sheets, actions, dice, undo.", EPILOG)
    add_system(new)
    new.add_argument("--save", metavar="FILE", help="where the game is kept; one file for each system unless said")
    new.add_argument("--new", action="store_true", help="begin a new game; the old file is kept beside it")
    new.add_argument("--seed", metavar="TEXT", help="the same faces on every machine")
    new.add_argument("--hand", action="store_true", help="faces are typed, as they fall on the table")
    add_language(new)
    return new


def run(options: argparse.Namespace) -> int:
    if options.hand and options.seed is not None:
        raise UsageError("--hand and --seed exclude each other: dice are thrown by you or by the program.")
    system = playable(options.system)
    names = names_of(system, options.lang)
    path = Path(options.save) if options.save else default_place(options.system, system)
    console = Console(names, painter(use_color()), echo=not sys.stdin.isatty())
    if sys.stdin.isatty():
        _line_editing()
    source = dice.system() if options.seed is None else SeededTable(options.seed)
    desk = Desk(system, names, console, Keeper(system, path), TypedDice(console) if options.hand else source)
    loaded = desk.keeper.load(options.new)
    desk.session = loaded.session
    play(desk, loaded)
    desk.keep(desk.session)
    console.say("kept_in", path=path)
    return FINE


def _line_editing() -> None:
    """Arrow keys and history, where Python has them."""
    try:
        import_module("readline")
    except ImportError:
        return
