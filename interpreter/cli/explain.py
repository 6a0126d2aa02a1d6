"""`osselet explain`: what a problem's code means, with a file that has the problem beside one that has not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from interpreter.checks import Check
from interpreter.checks.table import CHECKS
from interpreter.cli.common import FINE, Parser, UsageError, add_format, make_parser, use_color
from interpreter.problems import nearest
from interpreter.render.style import painter

EPILOG = """examples:
  osselet explain            every code with its name
  osselet explain E0203      one of them, with a file that has the problem and one that has not

Codes of errors begin with E, of warnings with W."""


def parser() -> Parser:
    new = make_parser("explain", "Says what a problem's code means and how to mend it.", EPILOG)
    new.add_argument("codes", nargs="*", metavar="CODE", help="codes as `osselet check` gives them; all unless said")
    add_format(new)
    return new


def run(options: argparse.Namespace) -> int:
    known = {check.code: check for check in CHECKS}
    wanted = [_known(code.strip().upper(), known) for code in options.codes]
    if options.format == "json":
        print(json.dumps([_as_json(page) for page in wanted or known.values()], ensure_ascii=False, indent=2))
    elif wanted:
        print("\n\n".join(map(_page, wanted)))
    else:
        print("\n".join(f"{page.code}  {page.title}" for page in known.values()))
    return FINE


def _known(code: str, known: Mapping[str, Check]) -> Check:
    if code in known:
        return known[code]
    close = nearest(code, list(known))
    hint = f" Did you mean {close}?" if close else ""
    raise UsageError(f"there is no page for the code {code}.{hint} `osselet explain` lists them.")


def _page(page: Check) -> str:
    paint = painter(use_color())
    parts = [paint(f"{page.code}: {page.title}", "title"), *([page.rule] if page.rule else [])]
    for title, kind, text in (("Wrong", "bad", page.failing), ("Right", "good", page.passing)):
        if text:
            parts += [paint(f"{title}:", kind), "\n".join(f"    {line}" for line in text.strip("\n").split("\n"))]
    return "\n\n".join(parts)


def _as_json(page: Check) -> dict[str, str]:
    names = ("code", "title", "rule", "failing", "passing")
    return {name: getattr(page, name) for name in names} | {"severity": page.severity.value}
