"""`osselet new`: a small, whole, commented rule set to start from."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from pathlib import Path

from interpreter.cli.common import FINE, Parser, UsageError, make_parser
from interpreter.cli.console import fold
from interpreter.cli.gallery import mechanic, renamed
from interpreter.cli.schema import schema_text
from interpreter.render.names import readable
from interpreter.scalars import RESERVED

EPILOG = """examples:
  osselet new my_game
  osselet check my_game && osselet test my_game
  osselet play my_game
  osselet new my_game --like progress-clock   from a published mechanic; osselet show --gallery lists them

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


NEXT_LIKE = """{folder} holds {mechanic}, whole and commented: system.yaml, with its examples.

Next:
  osselet check {folder}     are the rules sound?
  osselet test {folder}      do the examples come out?
  osselet show {folder}      what it offers"""
MODELINE = "# yaml-language-server: $schema={schema}\n#\n"


def parser() -> Parser:
    new = make_parser("new", "Makes a small rule set that passes `check` and `test`, to start from.", EPILOG)
    new.add_argument("folder", metavar="FOLDER", help="where it is made; the game is named after it")
    new.add_argument("--like", metavar="MECHANIC", help="begin with a mechanic of the gallery instead")
    return new


def run(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    files = contents(folder) if options.like is None else contents_like(folder, mechanic(options.like))
    there = [name for name in files if (folder / name).exists()]
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; choose the name of a new folder.")
    if there or (folder.is_dir() and any(folder.glob("*.y*ml"))):
        raise UsageError(f"{folder} holds rule files already; nothing was written. Choose the name of a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    told = NEXT if options.like is None else NEXT_LIKE
    print(told.format(folder=shown(folder), mechanic=options.like))
    return FINE


def contents(folder: Path) -> dict[str, str]:
    """The files to write, by name."""
    files = {path.name: _filled(path.read_text(encoding="utf-8"), folder) for path in sorted(TEMPLATE.glob("*.yaml"))}
    return files | {SCHEMA: schema_text()}


def contents_like(folder: Path, like: Path) -> dict[str, str]:
    """A mechanic of the gallery as a rule set of its own."""
    text = renamed(like.read_text(encoding="utf-8"), game_id(folder.resolve().name), _title(folder))
    return {"system.yaml": MODELINE.format(schema=SCHEMA) + text, SCHEMA: schema_text()}


def _title(folder: Path) -> str:
    """The new game's title, as YAML wants it."""
    return json.dumps(readable(folder.resolve().name).strip() or TITLE, ensure_ascii=False)


def _filled(text: str, folder: Path) -> str:
    """The template with the new game's names: in comments those of commands to type, else its id and its title."""
    name = folder.resolve().name
    lines = text.replace(f"title: {TITLE}", f"title: {_title(folder)}").split("\n")
    return "\n".join(line.replace(ID, shown(folder) if line.startswith("#") else game_id(name)) for line in lines)


def shown(folder: Path) -> str:
    """The folder as one types it."""
    text = shlex.quote(folder.as_posix())
    return text if text.isprintable() else ID


def game_id(name: str) -> str:
    """An id made of a folder's name: one that rules can use, whatever the name is."""
    plain = re.sub(r"[^a-z0-9]+", "_", fold(name)).strip("_")
    if not plain or not plain[0].isalpha() or plain in RESERVED:
        plain = f"game_{plain}".rstrip("_")
    return plain
