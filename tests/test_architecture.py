"""The layout shows the architecture: a module imports only from rows above its own; a library has one importer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "interpreter"

# Modules and sub-packages of `interpreter`, from the leaves up. Within a row nobody imports anybody.
ROWS = [
    {"characters", "dice", "frozen", "problems", "recent", "resources", "snapshot"},
    {"cache", "expressions", "faults", "files", "model", "positions", "protocol", "scalars"},
    {"asked", "build", "encoding", "fields", "trees"},
    {"layout", "rules", "sayings", "source", "table_rows"},
    {"bound", "chains", "house_rules", "language"},
    {"advice", "defaults", "editor_schema", "lists", "ready", "terms", "translation"},
    {"modified", "schema"},
    {"program", "reading", "resolve"},
    {"compiler", "hidden", "pools", "within"},
    {"acts", "registers"},
    {"checks", "inputs", "list_changes", "stretch"},
    {"loader", "machine"},
    {"play", "start"},
    {"examples", "migration", "render", "request", "runs"},
    {"deltas", "odds", "results"},
    {"documentation", "replaying", "simulate", "views", "written"},
    {"api", "session"},
    {"store", "wire"},
    {"serve"},
    {"cli"},
    {"__main__"},
]
ROW_OF = {unit: number for number, row in enumerate(ROWS) for unit in row}
SOLE_IMPORTERS = {
    "ruamel": {"source.py", "positions.py", "faults.py"},
    "cerberus": {"schema.py"},
    "simpleeval": {"expressions/evaluate.py"},
}
FILES = sorted(PACKAGE.rglob("*.py"))
GAMES = ("meute", "vermine", "df46", "neuri", "exarch")


def unit_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> tuple[str, ...]:
    """The dotted names that a file imports when it runs; imports for type checkers alone do not count."""
    return tuple(_imported(path, parsed(path)))


def _imported(path: Path, tree: ast.Module) -> Iterator[str]:
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    package = ["interpreter", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def test_imports_go_up() -> None:
    wrong = []
    for path in FILES:
        own = unit_of(path)
        for name in imported(path) if own != "__init__" else ():
            parts = name.split(".")
            inside = parts[0] == "interpreter" and len(parts) > 1 and parts[1] not in (own, "__version__")
            if inside and ROW_OF[parts[1]] >= ROW_OF[own]:
                wrong.append(f"{own} imports {parts[1]}")
    assert wrong == []


def test_a_library_has_one_importer() -> None:
    for library, allowed in SOLE_IMPORTERS.items():
        found = {
            path.relative_to(PACKAGE).as_posix()
            for path in FILES
            if any(name.split(".")[0] == library for name in imported(path))
        }
        assert found <= allowed


def test_the_interpreter_names_no_game() -> None:
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8").lower() for path in FILES}
    assert [(name, game) for name, text in texts.items() for game in GAMES if game in text] == []


def test_a_module_says_why_it_exists() -> None:
    docstrings = {path: ast.get_docstring(parsed(path)) or "" for path in FILES}
    assert [path for path, text in docstrings.items() if not text.split("\n")[0].strip()] == []


def test_every_kind_of_step_is_known_everywhere() -> None:
    """A new kind of step is one model class, one schema entry and one handler; none can be forgotten."""
    from interpreter.compiler.steps import HANDLERS
    from interpreter.language import language
    from interpreter.model import STEP_KINDS

    assert set(language().families["step"]) == set(STEP_KINDS)
    assert set(HANDLERS) == set(STEP_KINDS.values())
