"""`osselet new`: a small, whole, commented rule set to start from."""

from __future__ import annotations

import argparse
import json
import keyword
import re
import shlex
from pathlib import Path

from interpreter.cli.common import FINE, Parser, UsageError, make_parser
from interpreter.cli.console import fold
from interpreter.cli.schema import schema_text
from interpreter.render.names import readable

EPILOG = """examples:
  osselet new my_game
  osselet check my_game && osselet test my_game
  osselet play my_game

The folder gets system.yaml, examples.yaml, and osselet.schema.json, by which editors complete and
check rule files while they are typed. Nothing that is there already is overwritten."""

TEMPLATE = Path(__file__).parent.parent / "templates" / "new"
SCHEMA = "osselet.schema.json"
# What the template calls itself.
ID, TITLE = "my_game", "My game"

NEXT = """{folder} holds a small game, whole and commented: system.yaml and examples.yaml.

Next:
  osselet check {folder}     are the rules sound?
  osselet test {folder}      do the examples come out?
  osselet play {folder}      play it
  osselet show {folder}      what it offers

Then change system.yaml: a number, a new trait, another outcome; the comments tell what is what."""


def parser() -> Parser:
    new = make_parser("new", "Makes a small rule set that passes `check` and `test`, to start from.", EPILOG)
    new.add_argument("folder", metavar="FOLDER", help="where it is made; the game is named after it")
    return new


def run(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    files = contents(folder)
    there = [name for name in files if (folder / name).exists()]
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; choose the name of a new folder.")
    if there or (folder.is_dir() and any(folder.glob("*.y*ml"))):
        raise UsageError(f"{folder} holds rule files already; nothing was written. Choose the name of a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    print(NEXT.format(folder=shown(folder)))
    return FINE


def contents(folder: Path) -> dict[str, str]:
    """The files to write, by name."""
    files = {path.name: _filled(path.read_text(encoding="utf-8"), folder) for path in sorted(TEMPLATE.glob("*.yaml"))}
    return files | {SCHEMA: schema_text()}


def _filled(text: str, folder: Path) -> str:
    """The template with the new game's names: in comments those of commands to type, else its id and its title."""
    name = folder.resolve().name
    title = json.dumps(readable(name).strip() or TITLE, ensure_ascii=False)
    lines = text.replace(f"title: {TITLE}", f"title: {title}").split("\n")
    return "\n".join(line.replace(ID, shown(folder) if line.startswith("#") else game_id(name)) for line in lines)


def shown(folder: Path) -> str:
    """The folder as one types it."""
    text = shlex.quote(folder.as_posix())
    return text if text.isprintable() else ID


def game_id(name: str) -> str:
    """An id made of a folder's name: one that rules can use, whatever the name is."""
    plain = re.sub(r"[^a-z0-9]+", "_", fold(name)).strip("_")
    if not plain or not plain[0].isalpha() or keyword.iskeyword(plain):
        plain = f"game_{plain}".rstrip("_")
    return plain
