"""`osselet roll`: one action, from words to what came of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from interpreter import dice
from interpreter.cli.choices import Chooser
from interpreter.cli.common import (
    FINE,
    PROBLEMS,
    Parser,
    UsageError,
    add_format,
    add_language,
    add_system,
    make_parser,
    names_of,
    playable,
    use_color,
)
from interpreter.cli.ending import ending
from interpreter.cli.hand import GivenDice, source_of
from interpreter.layout import State
from interpreter.machine import Done, Need, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.play import throw
from interpreter.render.names import Names
from interpreter.render.style import Paint, painter
from interpreter.render.trace import Teller, refusal_text
from interpreter.request import WordError, read_words
from interpreter.results import refused_json, result_json
from interpreter.start import after, begin, create

EPILOG = """NAME=VALUE names an input (skill=climb), who plays a role (self=jo, foes=rat,rat), a field of a
sheet (self.wounds=2, foes.big.strength=9, self.weapons.1.name=Axe), or an open period
(during=combat). Who is not named is a ready character of the game, else a new sheet made with
its dice. `osselet show SYSTEM ACTION` lists all that can be said.

examples, with the game that `osselet new my_game` makes:
  osselet roll my_game risk trait=might danger=deadly
  osselet roll my_game risk self=bryn trait=wits
  osselet roll my_game risk trait=might self.traits.might=3 self.light=1    a sheet made for it
  osselet roll my_game risk trait=might --dice 4,2                          the faces of real dice
  osselet roll my_game risk trait=wits --choose lantern=turn_up --seed 5    the same faces every time
  osselet roll my_game risk trait=wits --format json                        for programs

exit status: 0 done, 1 refused by the rules, 2 wrong usage"""


def parser() -> Parser:
    new = make_parser("roll", "Does one action of a game and tells what came of it.", EPILOG)
    new.dashed = ("--dice",)
    add_system(new)
    new.add_argument("action", metavar="ACTION", help="what is done; `osselet show SYSTEM` lists the actions")
    new.add_argument("words", nargs="*", metavar="NAME=VALUE", help="inputs, roles and fields of sheets")
    new.add_argument("--dice", metavar="FACES", help="faces thrown by hand, all in the order thrown: 1,5,4")
    new.add_argument("--seed", metavar="TEXT", help="the same faces on every machine")
    new.add_argument(
        "--choose",
        action="append",
        default=[],
        metavar="CHOICE=OPTION",
        help="how a choice is made; said again, the next time that it comes; the last one stands for all that follow."
        " A choice of which nothing is said takes its first open option",
    )
    add_language(new)
    add_format(new)
    return new


def run(options: argparse.Namespace) -> int:
    if options.dice is not None and options.seed is not None:
        raise UsageError("--dice and --seed exclude each other: faces are given or thrown.")
    system = playable(options.system)
    names = names_of(system, options.lang)
    given = None if options.dice is None else GivenDice(options.dice)
    roller = _Roller(system, names, source_of(options.seed) if given is None else given, Chooser(options.choose))
    try:
        state, request, made = read_words(system, options.action, options.words)
    except WordError as error:
        raise UsageError(str(error)) from error
    runs: list[Run] = []
    for sheet_id in made:
        created, need = roller.drive(create(system, state, sheet_id))
        if created is None or isinstance(need, Refused):
            return _refused(names, options, need)
        runs.append(created)
        state = after(created)
    finished, need = roller.drive(begin(system, state, request))
    if finished is None or isinstance(need, Refused):
        return _refused(names, options, need)
    roller.finish(finished)
    if options.format == "json":
        print(json.dumps(_as_json(system, names, finished, need), ensure_ascii=False, indent=2))
    else:
        print("\n".join(_as_text(names, [*runs, finished], need, painter(use_color()))))
    return FINE


class _Roller:
    """Drives runs to their end with dice from a source and choices from the command line."""

    def __init__(self, system: System, names: Names, source: dice.Source, chooser: Chooser) -> None:
        self.system = system
        self.names = names
        self.source = source
        self.chooser = chooser

    def drive(self, begun: Run | Refused) -> tuple[Run | None, Need]:
        if isinstance(begun, Refused):
            return None, begun
        run, need = advance(begun)
        if not isinstance(need, Refused):
            self.chooser.check(run.program)
        while not isinstance(need, Done | Refused):
            answer = self._throw(need) if isinstance(need, NeedRoll) else self.chooser.answer(need)
            if isinstance(answer, Refused):
                return run, answer
            run, need = advance(run, answer)
        return run, need

    def _throw(self, need: NeedRoll) -> dice.Result | Refused:
        if isinstance(self.source, GivenDice):
            self.source.begin(need, self.names.label(need.label, need.name.rpartition(".")[2]))
        return throw(need, self.source)

    def finish(self, run: Run) -> None:
        """Whatever was given and not used is a mistake of whoever gave it."""
        if isinstance(self.source, GivenDice):
            self.source.finish()
        self.chooser.finish(run.program)


# ---------------------------------------------------------------------- the answer


def _refused(names: Names, options: argparse.Namespace, need: Need) -> int:
    assert isinstance(need, Refused)
    if options.format == "json":
        print(json.dumps(refused_json(names.system, options.action, need), ensure_ascii=False, indent=2))
    else:
        print("✗ " + refusal_text(names, need).replace("\n", "\n  "))
    return PROBLEMS


def _as_json(system: System, names: Names, run: Run, need: Need) -> dict[str, Any]:
    """The result with each line of its trace told in words too."""
    data = result_json(system, run, need)
    teller = Teller(names, run)
    for line, entry in zip(data["trace"], run.trace, strict=True):
        line["text"] = "\n".join(teller.lines([entry]))
    return data


def _as_text(names: Names, runs: Sequence[Run], need: Need, paint: Paint) -> Iterator[str]:
    finished = runs[-1]
    yield paint(_heading(names, finished, finished.state), "title")
    for run in runs:
        yield from (f"  {line}" for line in Teller(names, run, paint).lines(run.trace))
    assert isinstance(need, Done)
    yield from ending(names, finished, need, paint)


def _heading(names: Names, run: Run, state: State) -> str:
    """The action and those who take part."""
    roles: Any = run.request.get("roles", {})
    who = [names.sheet(str(i), state.sheets[str(i)]) for ids in roles.values() for i in ids]
    title = names.action(run.program.action)
    return names.colon(title, ", ".join(who)) if who else title
