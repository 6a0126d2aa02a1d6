"""`osselet schema`: the JSON Schema by which editors complete and check rule files while they are typed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from interpreter.cli.common import FINE, Parser, make_parser
from interpreter.editor_schema import editor_schema

EPILOG = """examples:
  osselet schema                                   to the terminal
  osselet schema --output osselet.schema.json      to a file

An editor with yaml-language-server (Visual Studio Code with its YAML extension, Neovim, Helix …)
uses it when a rule file begins with
  # yaml-language-server: $schema=osselet.schema.json"""


def parser() -> Parser:
    new = make_parser("schema", "Writes the JSON Schema (draft 7) of rule files, for editors.", EPILOG)
    new.add_argument("-o", "--output", metavar="FILE", help="where it is written; the terminal unless said")
    return new


def run(options: argparse.Namespace) -> int:
    text = schema_text()
    if options.output is None:
        print(text, end="")
        return FINE
    Path(options.output).write_text(text, encoding="utf-8", newline="\n")
    print(f"{options.output} is written.")
    return FINE


def schema_text() -> str:
    return json.dumps(editor_schema(), ensure_ascii=False, indent=1) + "\n"
