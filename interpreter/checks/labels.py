"""Labels: one in every language offered, and none that two things beside one another share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.walk import nodes
from interpreter.model import Choose, Label, Names, Path

if TYPE_CHECKING:
    from interpreter.checks.context import Context

MISSING = Check(
    "W0407",
    "labels that lack a language",
    "Every text for people stands in every language that the system offers; one that lacks it falls back on the first.",
    failing="""
system: {id: pond, title: {fr: La mare, en: The pond}, languages: [fr, en]}
actions:
  run:
    label: Courir
    steps: [{say: {fr: On court., en: We run.}}]
""",
    passing="""
system: {id: pond, title: {fr: La mare, en: The pond}, languages: [fr, en]}
actions:
  run:
    label: {fr: Courir, en: Run}
    steps: [{say: {fr: On court., en: We run.}}]
""",
)
EQUAL = Check(
    "W0408",
    "two things with one label",
    "Things among which people choose have different labels.",
    failing="""
actions:
  act:
    steps:
      - choose: what
        options:
          run: {label: Go on}
          walk: {label: Go on}
""",
    passing="""
actions:
  act:
    steps:
      - choose: what
        options:
          run: {label: Run}
          walk: {label: Walk}
""",
)
STRANGER = Check(
    "E0234",
    "a label in a language that is not offered",
    "`languages` lists every language that labels are written in.",
    failing="""
system: {id: pond, title: {fr: La mare, en: The pond}, languages: [fr]}
""",
    passing="""
system: {id: pond, title: {fr: La mare, en: The pond}, languages: [fr, en]}
""",
)
CHECKS = (MISSING, EQUAL, STRANGER)
# What only authors read need not be in every language.
AUTHORS_OWN = (("examples",), ("assumptions",), ("narrative",))
# So many labels that lack a language are named; the others are only counted.
MOST_NAMED = 5


def check_labels(context: Context, translated: Callable[[Path], bool]) -> None:
    """`translated`: whether the text at a path is wanted in every language."""
    languages = context.system.languages
    found = list(labels(context))
    for language in languages:
        missing = [path for path, label in found if language not in label.texts and translated(path)]
        if missing:
            shown = ", ".join(".".join(map(str, path)) for path in missing[:MOST_NAMED])
            more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
            few = "1 text for people lacks" if len(missing) == 1 else f"{len(missing)} texts for people lack"
            message = f"{few} `{language}`: {shown}{more}."
            context.report.add(
                MISSING, missing[0], message, f"Write them in lang/{language}.yaml, or in the labels.", on="key"
            )
    for path, label in found:
        for language in label.texts:
            if language not in languages and isinstance(context.value_at(path), Mapping):
                context.unknown(STRANGER, (*path, language), "language", language, languages, on="key")
    _equal(context, languages)


def labels(context: Context) -> Iterator[tuple[Path, Label]]:
    """Every text for people, with its path."""
    system = context.system
    for path, node in nodes(system):
        for name in node.FIELDS if path[:1] not in AUTHORS_OWN else ():
            value = getattr(node, name)
            if isinstance(value, Label):
                yield (*path, name.rstrip("_")), value
            elif isinstance(value, Mapping):
                holder = () if node is system else path
                yield from (((*holder, name, str(key)), item) for key, item in value.items() if isinstance(item, Label))
    for name, table in system.tables.items():
        for key, row in table.rows.items():
            for column, cell in row.items():
                if isinstance(cell, Label):
                    yield _cell_path(context, name, key, column), cell


def _cell_path(context: Context, table: str, key: str, column: str) -> Path:
    path: Path = ("tables", table, "rows", key)
    row = context.value_at(path)
    place = list(context.system.tables[table].columns).index(column)
    return (*path, column) if isinstance(row, Mapping) else (*path, place) if isinstance(row, list) else path


def _equal(context: Context, languages: Names) -> None:
    """Options, actions, inputs and rows among which one chooses by what is shown."""
    system = context.system
    groups: list[list[tuple[Path, Label | None]]] = [
        [(action.path, action.label) for action in system.actions.values()]
    ]
    for _, node in nodes(system):
        if isinstance(node, Choose):
            groups.append([(option.path, option.label) for option in node.options.values()])
    for name, table in system.tables.items():
        for column, kind in table.columns.items():
            if kind == "label" and column == "label":
                cells = [(_cell_path(context, name, key, column), row.get(column)) for key, row in table.rows.items()]
                groups.append([(path, cell) for path, cell in cells if isinstance(cell, Label)])
    for group in groups:
        for language in languages:
            _equal_in(context, group, language)


def _equal_in(context: Context, group: list[tuple[Path, Label | None]], language: str) -> None:
    seen: dict[str, Path] = {}
    for path, label in group:
        text = label.texts.get(language) if label is not None else None
        if text is None:
            continue
        if text in seen:
            message = f"Two things here are called “{text}”."
            related = (("the other", seen[text]),)
            context.report.add(EQUAL, path, message, "People cannot tell them apart.", on="key", related=related)
        seen.setdefault(text, path)
