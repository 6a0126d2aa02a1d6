"""`osselet odds --vary`: the same question over many inputs and sheets, as a table, a drawing, or for programs."""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from interpreter.bound import ResolutionError, Scalar
from interpreter.cli.asking import Question, read_question, read_table, wrong_question
from interpreter.cli.common import FINE, PROBLEMS, UsageError, playable, use_color
from interpreter.cli.odds import head_json, print_csv, refuse
from interpreter.cli.pictures import write_picture
from interpreter.cli.progress import Progress
from interpreter.examples import Questions
from interpreter.expressions import EvaluationError, Register
from interpreter.fields import read_value
from interpreter.layout import to_register
from interpreter.machine import Refused, Run
from interpreter.model import Input, System
from interpreter.odds import Asking, Grid, NoOdds, Odds, Row, grid, odds_of_run
from interpreter.odds.plain import grid_json, grid_rows, mean_of
from interpreter.program import Let, Program, Tree
from interpreter.render.grids import Asked, Cell, Column, Sheet, sheet_drawing, sheet_text
from interpreter.render.odds_names import OddsNames
from interpreter.render.style import painter
from interpreter.start import wanted_roles

MOST_VALUES = 1_000_000
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")
_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class Varied:
    """One thing that varies: as it is said, as rules write it, and its values as said and as they count."""

    said: str
    name: str
    texts: tuple[str, ...]
    values: tuple[Any, ...]
    label: str
    shown: tuple[str, ...]


def run_grid(options: argparse.Namespace, asking: Asking, progress: Progress, picture: Path | None) -> int:
    system = playable(options.system)
    wanted = [_split(word) for word in options.vary]
    _check(options, wanted, picture)
    question = read_question(_with(options, {name: texts[0] for name, texts in wanted if _is_role(system, options, name)}), system)
    run = question.run if isinstance(question.run, Run) else None
    varied = [_varied(question, run, name, texts) for name, texts in wanted]
    found = _found(question, options, asking, varied, progress)
    if isinstance(found, NoOdds):
        return refuse(found, question, options.format)
    if options.format == "json":
        head = {"system": system.id, "action": options.action, "answered": options.choices}
        head = head_json(OddsNames(question.names, run), options) if run is not None else head
        print(json.dumps({**head, **grid_json(found)}, ensure_ascii=False, indent=2))
    elif options.format == "csv":
        print_csv([*found.names, *found.asked, "refused"], grid_rows(found))
    if options.format == "text" or picture is not None:
        sheet = _sheet(question, found, varied)
        if picture is not None:
            write_picture(picture, sheet_drawing(sheet))
        if options.format == "text":
            print("\n".join(sheet_text(sheet, painter(use_color()))))
    return FINE if any(row.chances for row in found.rows) else PROBLEMS
