"""`osselet doc`: readable rules made from a system, as Markdown or as one HTML page."""

from __future__ import annotations

import argparse
from pathlib import Path

from interpreter.cli.common import FINE, Parser, UsageError, add_language, add_system, make_parser, usable
from interpreter.documentation import page, to_html, to_markdown
from interpreter.render.names import preferred

WRITERS = {"markdown": to_markdown, "html": to_html}
# The format that a file's name asks for.
ENDINGS = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}

EPILOG = """examples:
  osselet doc my_game                             Markdown, to the terminal
  osselet doc my_game --output my_game.html       one page for a browser, to read or to print
  osselet doc my_game --lang en -o my_game.md     in another of its languages

The page needs no other file and no network. It tells the rules in words, with tables, the odds of
worked examples as bars, and what is assumed where the book is silent."""


def parser() -> Parser:
    new = make_parser("doc", "Makes readable rules from a rule set.", EPILOG)
    add_system(new)
    add_language(new)
    told = "markdown or html; unless said, what the name of FILE asks for, else markdown"
    new.add_argument("--format", choices=tuple(WRITERS), metavar="FORM", help=told)
    new.add_argument("-o", "--output", metavar="FILE", help="where it is written; the terminal unless said")
    return new


def run(options: argparse.Namespace) -> int:
    rules = usable(options.system)
    assert rules.system is not None
    if options.lang is not None and options.lang not in rules.system.languages:
        known = ", ".join(rules.system.languages)
        raise UsageError(f"`{rules.system.id}` has no labels in `{options.lang}`; it has {known}.")
    text = WRITERS[_form(options)](page(rules, preferred(rules.system, options.lang)))
    if options.output is None:
        print(text, end="")
        return FINE
    Path(options.output).write_text(text, encoding="utf-8", newline="\n")
    print(f"{options.output} is written.")
    return FINE


def _form(options: argparse.Namespace) -> str:
    if options.format is not None:
        return str(options.format)
    return ENDINGS.get(Path(options.output or "").suffix.lower(), "markdown")
