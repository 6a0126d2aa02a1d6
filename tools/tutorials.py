"""Follow a tutorial to the letter: write its files, run its commands, and put in what they print.

In a tutorial, a fence ```yaml title="PATH" is a file, a fence ```sh holds `osselet` commands, and a fence ```text after
it is what they print.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from interpreter.cli import main

FENCE = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^```$', re.MULTILINE | re.DOTALL)
# What would make the output depend on the machine.
VARIABLES = {"OSSELET_CACHE": "off", "NO_COLOR": "1", "LC_ALL": "C", "COLUMNS": "100"}


def followed(text: str) -> str:
    """The tutorial with what its commands print now."""
    with TemporaryDirectory() as folder, _working_in(Path(folder)):
        printed = ""

        def fence(match: re.Match[str]) -> str:
            nonlocal printed
            if match["kind"] == "yaml" and match["title"]:
                path = Path(match["title"])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(match["body"], encoding="utf-8", newline="\n")
            elif match["kind"] == "sh":
                printed = "".join(_run(line) for line in match["body"].splitlines() if line.strip())
            elif match["kind"] == "text":
                return f"```text\n{printed}```"
            return match[0]

        return FENCE.sub(fence, text)


def _run(line: str) -> str:
    """What one command prints; its exit status too, when all is not well."""
    command, *arguments = shlex.split(line, comments=True)
    if command != "osselet":
        raise ValueError(f"a tutorial runs osselet only, not `{command}`")
    stream = io.StringIO()
    with redirect_stdout(stream), redirect_stderr(stream):
        main(arguments)
    return "".join(f"{one.rstrip()}\n" for one in stream.getvalue().splitlines())


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before, variables = Path.cwd(), {name: os.environ.get(name) for name in VARIABLES}
    os.chdir(folder)
    os.environ.update(VARIABLES)
    try:
        yield
    finally:
        os.chdir(before)
        for name, value in variables.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
