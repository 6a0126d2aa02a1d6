"""`osselet serve`: the interpreter as a child process that speaks JSON, a line at a time."""

from __future__ import annotations

import argparse
import json
import sys

from interpreter.cli.common import FINE, Parser, UsageError, make_parser
from interpreter.protocol import schema
from interpreter.serve import LONGEST_LINE, Server
from interpreter.store import StoreError, open_store

EPILOG = """Each line of the standard input is a request, each line of the standard output its answer:

  {"id": 1, "do": "table", "table": "friday", "system": "mir", "ready": ["alexis"]}
  {"id": 2, "do": "begin", "table": "friday", "action": "test", "inputs": {"competence": "instinct"}}
  {"id": 3, "do": "throw", "table": "friday"}

docs/embedding.md tells more; --schema prints the JSON Schema of a line.

examples:
  osselet serve --stdio                              tables are forgotten at the end
  osselet serve --stdio --store games.db             tables are kept in a file
  osselet serve --stdio --store postgresql://host/db"""


def parser() -> Parser:
    new = make_parser(
        "serve", "Lets an app in any language run rules: JSON requests and answers, line by line.", EPILOG
    )
    new.add_argument("--stdio", action="store_true", help="speak on the standard input and output")
    new.add_argument("--store", metavar="WHERE", default=":memory:", help="a file, or the address of a database")
    new.add_argument("--schema", action="store_true", help="print the JSON Schema of a line and end")
    return new


def run(options: argparse.Namespace) -> int:
    if options.schema:
        print(json.dumps(schema(), ensure_ascii=False, indent=2))
        return FINE
    if not options.stdio:
        raise UsageError("--stdio is the only way to speak so far; say it.")
    try:
        store = open_store(options.store)
    except StoreError as error:
        raise UsageError(f"{error}.") from error
    try:
        talk(Server(store))
    finally:
        store.close()
    return FINE


def talk(server: Server) -> None:
    """Answers line after line until the input ends or the other side takes leave. A line too long is refused whole."""
    while not server.over:
        line = sys.stdin.readline(LONGEST_LINE + 2)
        if not line:
            return
        rest = line
        while not rest.endswith("\n") and (rest := sys.stdin.readline(LONGEST_LINE)):
            line = line[: LONGEST_LINE + 1] + "…"
        if line.strip():
            print(server.line(line.rstrip("\n")), flush=True)
