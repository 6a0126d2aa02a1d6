"""`osselet roll`: one action, from words to what came of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from interpreter import dice
from interpreter.cli.common import FINE, PROBLEMS, Parser, UsageError, add_format, add_language, names_of, parser as new_parser, playable
from interpreter.layout import State
from interpreter.machine import Done, NeedChoice, Refused, Run
from interpreter.model import System
from interpreter.play import RealDice, drive
from interpreter.render.names import Names
from interpreter.render.runs import render_refusal, render_sheet, render_trace
from interpreter.request import WordError, read_words
from interpreter.results import result_json
from interpreter.start import after, begin, create

EXAMPLES = """  osselet roll mir test competence=instinct difficulte=facile self.competences.instinct=4 self.voies.secret=2
  osselet roll mir test competence=instinct --dice 1,5,4,6,11,12     the faces of real dice
  osselet roll df46 combat --choose achever=en_rester_la --seed 4    the same faces every time

NAME=VALUE names an input, a role (self=a ready character), or a field of a sheet
(self.wounds=2). `osselet show SYSTEM ACTION` lists them.

exit status: 0 done, 1 refused by the rules, 2 wrong usage"""


def parser() -> Parser:
    new = new_parser("roll", "Does one action of a game and tells what came of it.", EXAMPLES)
    new.add_argument("system", metavar="SYSTEM", help="a shipped game or a path")
    new.add_argument("action", metavar="ACTION", help="the action; `osselet show SYSTEM` lists them")
    new.add_argument("words", nargs="*", metavar="NAME=VALUE", help="inputs, roles and fields of sheets")
    new.add_argument("--dice", metavar="FACES", help="faces thrown by hand, in order: 1,5,4")
    new.add_argument("--seed", help="a seed: the same faces on every machine")
    new.add_argument("--choose", action="append", default=[], metavar="CHOICE=OPTION", help="how a choice is made; repeatable; the first open option unless said")
    add_language(new)
    add_format(new)
    return new


def run(options: argparse.Namespace) -> int:
    system = playable(options.system)
    names = names_of(system, options.lang)
    source = source_of(options.dice, options.seed)
    try:
        state, request, made = read_words(system, options.action, options.words)
    except WordError as error:
        raise UsageError(str(error)) from error
    trace, done = [], []
    for sheet_id in made:
        created = made_sheet(system, state, sheet_id, source)
        if isinstance(created, Refused):
            return _refused(names, created, options.format)
        done.append(created)
        state = after(created)
    started = begin(system, state, request)
    if isinstance(started, Refused):
        return _refused(names, started, options.format)
    finished, need = drive(started, source, Chooser(options.choose))
    if isinstance(need, Refused):
        return _refused(names, need, options.format)
    _check_used(source, finished)
    if options.format == "json":
        print(json.dumps(result_json(system, finished, need), ensure_ascii=False, indent=2))
        return FINE
    for one in done:
        trace += list(render_trace(names, one, one.trace))
    trace += list(render_trace(names, finished, finished.trace))
    print("\n".join([*trace, "", *_ending(names, finished, need)]))
    return FINE


def source_of(faces: str | None, seed: str | None) -> dice.Source:
    """Real dice, seeded dice, or the system's randomness."""
    if faces is not None and seed is not None:
        raise UsageError("--dice and --seed exclude each other")
    if faces is not None:
        return RealDice([face for face in faces.split(",") if face.strip()])
    return dice.Seeded(seed) if seed is not None else dice.system()


def made_sheet(system: System, state: State, sheet_id: str, source: dice.Source) -> Run | Refused:
    """A sheet made from nothing, with the dice that it starts with."""
    started = create(system, state, sheet_id)
    if isinstance(started, Refused):
        return started
    finished, need = drive(started, source, Chooser(()))
    return need if isinstance(need, Refused) else finished


class Chooser:
    """Answers choices from `--choose`; otherwise the first open option, the lowest number, an empty text."""

    def __init__(self, said: Sequence[str]) -> None:
        self.said: dict[str, str] = {}
        for one in said:
            name, equals, option = one.partition("=")
            if not equals:
                raise UsageError(f"--choose wants CHOICE=OPTION, not `{one}`")
            self.said[name.strip()] = option.strip()

    def __call__(self, need: NeedChoice) -> Any:
        name = need.name if need.name in self.said else need.name.rpartition(".")[2]
        said = self.said.get(name)
        if said is None:
            return first_answer(need)
        opened = [option.id for option in need.options if option.open]
        if need.kind == "number":
            return int(said) if said.lstrip("-").isdigit() else said
        if need.kind == "several":
            return tuple(part.strip() for part in said.split(","))
        if said in [option.id for option in need.options] and said not in opened:
            return first_answer(need)
        return said


def first_answer(need: NeedChoice) -> Any:
    opened = [option.id for option in need.options if option.open]
    if need.kind == "several":
        return tuple(opened[: need.low or 0])
    answers: dict[str, Any] = {"number": need.low, "text": ""}
    return answers[need.kind] if need.kind in answers else opened[0]


def _check_used(source: dice.Source, finished: Run) -> None:
    if isinstance(source, RealDice) and source.left:
        raise UsageError(f"{len(source.left)} of the given faces were never thrown: {', '.join(source.left)}")


def _refused(names: Names, refused: Refused, form: str) -> int:
    text = render_refusal(names, refused)
    if form == "json":
        print(json.dumps({"refused": {"code": refused.code, "message": text}}, ensure_ascii=False, indent=2))
    else:
        print(f"✗ {text}")
    return PROBLEMS


def _ending(names: Names, run: Run, need: object) -> list[str]:
    lines = []
    if isinstance(need, Done) and need.outcome is not None:
        lines.append(f"→ {names.outcome(run.program.action, need.outcome, need.grade)}")
    for name in run.program.rules.report:
        slot = run.program.layout.slots.get(f":{name}")
        if slot is not None:
            lines.append(f"  {names.key(name)} : {names.value(run.registers[slot])}")
    for ids in run.request.get("roles", {}).values():  # type: ignore[attr-defined]
        for sheet_id in ids:
            lines.append(f"{names.sheet(sheet_id, run.state.sheets[sheet_id])}")
            lines += list(render_sheet(names, run.program.layout, run.registers, sheet_id))
    return lines
