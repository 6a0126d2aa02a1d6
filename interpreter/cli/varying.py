"""`osselet odds --vary`: the same question over many inputs and sheets, as a table, a drawing, or for programs."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from interpreter.bound import ResolutionError
from interpreter.cli.asking import Question, read_question, read_table, wrong_question
from interpreter.cli.columns import Varied, read_column, read_values
from interpreter.cli.common import FINE, PROBLEMS, UsageError, playable, use_color
from interpreter.cli.odds import head_json, print_csv, refuse
from interpreter.cli.pictures import write_picture
from interpreter.cli.progress import Progress
from interpreter.examples import Questions
from interpreter.expressions import EvaluationError, Register
from interpreter.machine import Refused, Run
from interpreter.model import System
from interpreter.odds import Asking, Grid, NoOdds, Odds, Row, grid, odds_of_run
from interpreter.odds.plain import grid_json, grid_rows, mean_of
from interpreter.program import Let, Program, Tree
from interpreter.render.grids import Asked, Cell, Column, Sheet, sheet_drawing, sheet_text
from interpreter.render.odds_names import OddsNames
from interpreter.render.style import painter
from interpreter.start import begin

MOST_CELLS = 1_000_000
MOST_TRIED = 200
LEAST = 1e-12


def run_grid(options: argparse.Namespace, asking: Asking, progress: Progress, picture: Path | None) -> int:
    system = playable(options.system)
    wanted = [read_values(word) for word in options.vary]
    _check(options, wanted, picture)
    question = _first_question(options, system, wanted)
    if isinstance(question.run, Refused):
        return refuse(question.run, question, options.format)
    told = OddsNames(question.names, question.run)
    work = _Work(options, asking, question, question.run, [read_column(told, name, texts) for name, texts in wanted])
    found = work.found(progress)
    if isinstance(found, NoOdds):
        return refuse(found, question, options.format)
    if options.format == "json":
        print(json.dumps({**_head(told, options, found), **grid_json(found)}, ensure_ascii=False, indent=2))
    elif options.format == "csv":
        print_csv([*found.names, *found.asked, "refused"], grid_rows(found))
    sheet = work.sheet(found, told)
    if picture is not None:
        write_picture(picture, sheet_drawing(sheet))
    if options.format == "text":
        print("\n".join(sheet_text(sheet, painter(use_color()))))
    return FINE if any(row.chances for row in found.rows) else PROBLEMS


def _head(told: OddsNames, options: argparse.Namespace, found: Grid) -> dict[str, Any]:
    """What was asked of every cell alike."""
    head = head_json(told, options)
    for part in ("roles", "inputs"):
        head[part] = {name: value for name, value in head[part].items() if name not in found.names}
    return head


def _check(options: argparse.Namespace, wanted: Sequence[tuple[str, Sequence[str]]], picture: Path | None) -> None:
    """What makes no sense is told before any work."""
    names = [name for name, _ in wanted]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"`{twice}` varies twice.")
    said = next((name for name in names if any(word.partition("=")[0].strip() == name for word in options.words)), None)
    if said is not None:
        raise UsageError(f"`{said}` is said and varies; leave one of them out.")
    cells = 1
    for _, values in wanted:
        cells *= len(values)
    if cells > MOST_CELLS:
        raise UsageError(f"{cells} combinations are too many; at most {MOST_CELLS}.")
    if picture is not None and len(wanted) > 2:
        raise UsageError("--plot draws one or two things that vary, not more.")
    if options.joint or options.gauges:
        raise UsageError("--vary tells outcomes and what --for names; --joint and --gauges go without it.")


def _words(options: argparse.Namespace, names: Sequence[str], texts: Sequence[str]) -> list[str]:
    return [*options.words, *(f"{name}={text}" for name, text in zip(names, texts, strict=True))]


def _first_question(
    options: argparse.Namespace, system: System, wanted: Sequence[tuple[str, Sequence[str]]]
) -> Question:
    """The question for the first combination that the rules take; the very first, if there is none."""
    names, columns = [name for name, _ in wanted], [texts for _, texts in wanted]
    first: Question | None = None
    for _, texts in zip(range(MOST_TRIED), product(*columns), strict=False):
        said = argparse.Namespace(**{**vars(options), "words": _words(options, names, texts)})
        question = read_question(said, system)
        if isinstance(question.run, Run):
            return question
        first = first or question
    assert first is not None
    return first


# ---------------------------------------------------------------------- the grid


@dataclass(frozen=True, slots=True)
class _Work:
    """A grid to be worked out: all at once where its cells can share their situations, else cell by cell."""

    options: argparse.Namespace
    asking: Asking
    question: Question
    run: Run
    columns: Sequence[Varied]

    def found(self, progress: Progress) -> Grid | NoOdds:
        if all(column.name and self._is_alone(column) for column in self.columns):
            vary = {column.name: column.values for column in self.columns}
            question, goals = self.question, self.options.goals or None
            whole = grid(
                question.system, question.state, question.request, vary, goals, self.asking, progress.part, gauges=False
            )
            if isinstance(whole, Grid):
                return self._said(whole)
            if whole.code != "vary":
                return whole
        return self._by_cells(progress)

    def _is_alone(self, column: Varied) -> bool:
        """Whether nothing else of the sheets hangs on a value, so that it can vary without new sheets."""
        if column.slot is None:
            return True
        program = self.run.program
        own = {column.slot, program.layout.slots.get(f"{program.registers[column.slot].name}#start")}
        names = [one.said for one in self.columns]
        for text in (column.texts[0], column.texts[-1]):
            texts = [text if one is column else one.texts[0] for one in self.columns]
            state, request = read_table(self.question.system, self.options.action, _words(self.options, names, texts))
            other = begin(self.question.system, state, request)
            if isinstance(other, Refused):
                continue
            pairs = enumerate(zip(self.run.registers, other.registers, strict=False))
            if other.program is not program or any(a != b and slot not in own for slot, (a, b) in pairs):
                return False
        return True

    def _said(self, found: Grid) -> Grid:
        """The grid with names and values as they were said."""
        texts = [dict(zip(column.values, column.told, strict=True)) for column in self.columns]
        rows = [
            row._replace(cell=tuple(known[value] for known, value in zip(texts, row.cell, strict=True)))
            for row in found.rows
        ]
        return replace(found, names=tuple(column.said for column in self.columns), rows=tuple(rows))

    def _by_cells(self, progress: Progress) -> Grid | NoOdds:
        """Each cell as a question of its own."""
        names = [column.said for column in self.columns]
        asked = tuple(self.options.goals or self.run.program.rules.outcomes)
        rows: list[Row] = []
        nodes, combinations = 0, list(product(*(column.texts for column in self.columns)))
        cells = list(product(*(column.told for column in self.columns)))
        for cell, texts in zip(cells, combinations, strict=True):
            found = self._cell(_words(self.options, names, texts), asked)
            if isinstance(found, NoOdds) and (found.limit or wrong_question(found) is not None):
                return found
            if isinstance(found, Odds):
                nodes += found.nodes
                rows.append(Row(cell, tuple(_chance(found, name) for name in asked)))
            else:
                rows.append(Row(cell, (), found.message))
            progress.part(len(rows), len(cells))
        return Grid(tuple(names), asked, tuple(rows), nodes)

    def _cell(self, words: Sequence[str], asked: Sequence[str]) -> Odds | NoOdds | Refused:
        state, request = read_table(self.question.system, self.options.action, words)
        run = begin(self.question.system, state, request)
        if isinstance(run, Refused):
            return run
        values = [name for name in asked if not _is_ending(run.program, name)]
        return odds_of_run(self.question.system, run, self.asking, values=values)

    # ------------------------------------------------------------------ for people

    def sheet(self, found: Grid, told: OddsNames) -> Sheet:
        """The grid as people read it; of outcomes only what can happen, and over two columns only the best."""
        columns = tuple(Column(one.label, one.told, one.shown) for one in self.columns)
        best = [name for name in self.run.program.rules.best if name in found.asked]
        kept = [place for place, name in enumerate(found.asked) if self.options.goals or _happens(found, place)]
        if len(columns) == 2 and best and not self.options.goals:
            kept = [place for place, name in enumerate(found.asked) if name in best]
        asked = tuple(Asked(told.asked(found.asked[i]), self._is_probability(found.asked[i])) for i in kept)
        drawn = next((n for n, i in enumerate(kept) if found.asked[i] in best and asked[n].probability), 0)
        places = [{value: place for place, value in enumerate(column.values)} for column in columns]
        cells = tuple(
            Cell(
                tuple(known[v] for known, v in zip(places, row.cell, strict=True)),
                tuple(row.chances[i] for i in kept) if row.chances else (),
                row.refused,
            )
            for row in found.rows
        )
        title = told.heading() if all(column.name for column in self.columns) else told.names.action(told.action)
        return Sheet(title, columns, asked, cells, told.language, drawn)

    def _is_probability(self, name: str) -> bool:
        if _is_ending(self.run.program, name):
            return True
        try:
            tree = Questions(self.question.system, self.run, {}).tree(name)
        except (ResolutionError, EvaluationError):
            return False
        return is_condition(self.run.program, tree)


def _happens(found: Grid, place: int) -> bool:
    """Whether something asked is more than nothing somewhere; floats leave a trace where it is none."""
    return any(row.chances and abs(float(row.chances[place])) > LEAST for row in found.rows)


def _is_ending(program: Program, name: str) -> bool:
    outcomes = program.rules.outcomes
    return name in outcomes or any(name in outcome.grades for outcome in outcomes.values())


def _chance(found: Odds, name: str) -> Any:
    """The probability of an ending or of a condition, the mean of anything else."""
    ending = found.outcomes.get(name, found.grades.get(name))
    if ending is not None:
        return ending
    spread = found.values[name]
    if all(isinstance(value, bool) for value in spread):
        return spread.get(True, 0)
    return mean_of(spread) or 0


def is_condition(program: Program, tree: Tree) -> bool:
    """Whether a tree gives yes or no rather than a number."""
    if isinstance(tree, Register):
        register = program.registers[tree.slot]
        if register.info is not None:
            return register.info.sort == "flag"
        return register.name.startswith("#") or any(is_condition(program, made) for made in _made(program, tree.slot))
    if isinstance(tree, ast.IfExp):
        return is_condition(program, tree.body)
    if isinstance(tree, ast.Constant):
        return isinstance(tree.value, bool)
    return isinstance(tree, ast.Compare | ast.BoolOp) or (
        isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)
    )


def _made(program: Program, slot: int) -> Iterator[Tree]:
    """What is written into a register that does not hang on itself."""
    for item in program.instructions:
        if isinstance(item, Let) and item.slot == slot and not isinstance(item.tree, Register):
            yield item.tree
