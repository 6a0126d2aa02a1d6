"""The gallery: published mechanics, each a short rule file of its own, to look at and to start from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from interpreter.cli.common import UsageError
from interpreter.problems import nearest
from interpreter.resources import systems_folder
from interpreter.source import read

FOLDER = "gallery"
# The name card of a rule file, in braces or on lines of its own, and the entries of it that name the game.
_CARD = re.compile(r"^system:(?:.*\n(?:[ #].*\n)*)", re.MULTILINE)
_IN_BRACES = re.compile(r"\b(id|title): *(\"[^\"\n]*\"|[^,}\n]+)")
_ON_LINES = re.compile(r"(?<=^  )(id|title): *(.*)$", re.MULTILINE)


def mechanics() -> dict[str, Path]:
    """The files of the gallery by the name of their mechanic."""
    return {path.stem: path for path in sorted((systems_folder() / FOLDER).glob("*.yaml"))}


def mechanic(name: str) -> Path:
    """The file of one mechanic, or a usage error that says which there are."""
    known = mechanics()
    wanted = name.strip().lower().replace("_", "-")
    if wanted in known:
        return known[wanted]
    close = nearest(wanted, list(known))
    hint = f" Did you mean `{close}`?" if close else ""
    raise UsageError(f"there is no mechanic `{name}` in the gallery.{hint} `osselet show --gallery` lists them.")


def told() -> Iterator[dict[str, str]]:
    """Each mechanic with its title and one line about it."""
    for name, path in mechanics().items():
        document, _ = read(path)
        card = document.data.get("system", {}) if document is not None else {}
        yield {"id": name, "title": str(card.get("title", name)), "description": str(card.get("description", ""))}


def renamed(text: str, system_id: str, title: str) -> str:
    """A rule file under another id and title; `title` is written as YAML wants it."""
    card = {"id": system_id, "title": title}

    def named(entry: re.Match[str]) -> str:
        return f"{entry[1]}: {card.pop(entry[1], entry[2])}"

    def section(written: re.Match[str]) -> str:
        entries = _IN_BRACES if "{" in written[0].partition("\n")[0] else _ON_LINES
        return entries.sub(named, written[0])

    return _CARD.sub(section, text, count=1)
