"""Write the pages of docs/ that are made: reference, cookbook, problems, architecture, what tutorials print.

Their prose is in docs/sources; `{{word argument}}` on a line of its own stands for something made here.
`--check` writes nothing and tells which pages are stale.
"""

from __future__ import annotations

import ast
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from constructs import construct_tables
from tutorials import followed

from interpreter.checks import Check, codes, explain
from interpreter.cli import COMMANDS
from interpreter.expressions import FUNCTIONS
from interpreter.language import language
from interpreter.scalars import RESERVED, SCALARS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SOURCES, RECIPES = DOCS / "sources", DOCS / "recipes"
TUTORIALS = ("tutorial.md", "tutoriel.md")
NOTE = "<!-- Made by tools/build_docs.py from docs/sources/{name}: change that, then run it again. -->\n\n"
# A longer sample of a problem, made to be too long, is not shown.
LONGEST_SAMPLE = 1200
MARK = re.compile(r"\{\{(\w+)(?: ([\w-]+))?\}\}")


def pages() -> dict[Path, str]:
    """Every page that is made, with its text; tutorials are made of themselves, with what their commands print now."""
    made = {DOCS / source.name: page(source) for source in sorted(SOURCES.glob("*.md"))}
    return made | {DOCS / name: followed((DOCS / name).read_text(encoding="utf-8")) for name in TUTORIALS}


def page(source: Path) -> str:
    text = source.read_text(encoding="utf-8")

    def filled(match: re.Match[str]) -> str:
        return MAKERS[match[1]](match[2] or text)

    return NOTE.format(name=source.name) + MARK.sub(filled, text)


# ---------------------------------------------------------------------- what is filled in


def recipe(name: str) -> str:
    """A recipe as it is tested, with a place to lead to."""
    text = (RECIPES / f"{name}.yaml").read_text(encoding="utf-8").rstrip()
    return f'<a id="{name}"></a>\n\n```yaml\n{text}\n```'


def contents(source: str) -> str:
    """The headings below this place, as a list of links."""
    return "\n".join(_entries(source))


def _entries(source: str) -> Iterator[str]:
    for line in source.split("\n"):
        marks, _, title = line.partition(" ")
        if marks in ("##", "###"):
            yield f"{'  ' if marks == '###' else ''}- [{title}](#{anchor(title)})"


def anchor(title: str) -> str:
    """The place that readers of Markdown give a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def functions(_: str) -> str:
    rows = [f"| `{one.signature}` | {one.about} | `{one.example}` | {one.value} |" for one in FUNCTIONS.values()]
    return "\n".join(["| function | gives | example | is |", "|---|---|---|---|", *rows])


def scalars(_: str) -> str:
    rows = []
    for name, one in SCALARS.items():
        good, bad = _samples(one.good), _samples(one.bad)
        rows.append(f'| <a id="kind-{name}"></a>{name} | {cell(one.about)} | {good} | {bad} |')
    return "\n".join(["| kind | what it is | for instance | not |", "|---|---|---|---|", *rows])


def _samples(samples: tuple[str, ...]) -> str:
    shown = [text for text in samples if text.strip() and "`" not in text and text.isprintable()]
    return ", ".join(f"`{cell(text)}`" for text in shown[:4])


def reserved(_: str) -> str:
    return ", ".join(f"`{word}`" for word in RESERVED)


def commands(_: str) -> str:
    rows = [f"| `osselet {name}` | {about} |" for name, about in COMMANDS.items()]
    return "\n".join(["| command | does |", "|---|---|", *rows])


def problems(_: str) -> str:
    found = [explain(code) for code in codes()]
    return "\n\n".join(_problem(check) for check in found if check is not None)


def _problem(check: Check) -> str:
    parts = [f'<a id="{check.code}"></a>\n\n### {check.code}: {check.title}', check.rule]
    for word, text in (("Wrong:", check.failing), ("Right:", check.passing)):
        if text and len(text) < LONGEST_SAMPLE and all(line.isprintable() for line in text.split("\n")):
            fence = text.strip("\n")
            parts.append(f"{word}\n\n```yaml\n{fence}\n```")
    return "\n\n".join(part for part in parts if part)


def constructs(_: str) -> str:
    return construct_tables(language(), RECIPES)


def rows(_: str) -> str:
    """The table of modules that tests hold, from the leaves up, each with why it exists."""
    table = runpy.run_path(str(ROOT / "tests" / "test_architecture.py"))["ROWS"]
    lines = [f"| {number} | `{name}` | {reason(name)} |" for number, row in enumerate(table) for name in sorted(row)]
    return "\n".join(["| row | module | why it exists |", "|---|---|---|", *(line for line in lines if line)])


def reason(name: str) -> str:
    """The first line of a module's docstring."""
    package = ROOT / "interpreter"
    file = next((one for one in (package / f"{name}.py", package / name / "__init__.py") if one.is_file()), None)
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file is not None else None
    return cell((text or "").partition("\n\n")[0])


def cell(text: str) -> str:
    """Text that may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


MAKERS: Mapping[str, Callable[[str], str]] = {
    "recipe": recipe,
    "contents": contents,
    "functions": functions,
    "scalars": scalars,
    "reserved": reserved,
    "commands": commands,
    "problems": problems,
    "constructs": constructs,
    "rows": rows,
}


def stale() -> dict[Path, str]:
    """The pages that are not as they would be made now, with what they should be."""
    made = pages()
    return {path: text for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text}


def main() -> int:
    old = stale()
    if "--check" in sys.argv[1:]:
        print("\n".join(f"{path.relative_to(ROOT)} is stale: run tools/build_docs.py" for path in old))
        return 1 if old else 0
    for path, text in old.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{path.relative_to(ROOT)} is written anew.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
