"""`osselet odds`: how likely each end of an action is, what becomes of its numbers, what to choose."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from interpreter.cli.asking import (
    Question,
    add_asking,
    add_limits,
    picture_path,
    plain_refusal,
    read_limits,
    read_policy,
    read_question,
    wrong_question,
)
from interpreter.cli.common import FINE, PROBLEMS, Parser, UsageError, add_format, make_parser, use_color
from interpreter.cli.progress import Progress
from interpreter.machine import Refused
from interpreter.odds import Asking, NoOdds, Odds, odds_of_run
from interpreter.odds.plain import ODDS_COLUMNS, no_odds_json, odds_json, odds_rows
from interpreter.render.odds import odds_chart, odds_text
from interpreter.render.odds_names import OddsNames
from interpreter.render.style import painter
from interpreter.results import inputs, roles_of

EPILOG = """NAME=VALUE is as for `osselet roll`; who is not named is a ready character of the game. Odds are exact
fractions, of the whole action to its end, unless --float is said.

examples:
  osselet odds mir test competence=instinct difficulte=facile self.competences.instinct=4 self.voies.secret=2
  osselet odds mir test competence=instinct --for "jet.douze >= 2"          how likely is it that …
  osselet odds mir test competence=instinct --joint jet.succes,jet.douze    two readings together
  osselet odds mir etendu competence=guerison sd=8 limite=3 --gauges        and what becomes of the sheets
  osselet odds my_game fight --choices best --for victory                   what to choose for victory
  osselet odds my_game fight --policy "luck=use when self.luck >= 4"        choices by a rule of one's own
  osselet odds mir test competence=instinct --vary self.competences.instinct=0..6 --vary difficulte=facile,moyenne
  osselet odds mir test competence=instinct --vary self.voies.secret=1..6 --plot secret.svg

exit status: 0 done, 1 refused by the rules or beyond a limit, 2 wrong usage"""


def parser() -> Parser:
    new = make_parser("odds", "Tells how likely each end of an action is, exactly, and what to choose.", EPILOG)
    add_asking(new, "best")
    new.add_argument(
        "--for",
        dest="goals",
        action="append",
        default=[],
        metavar="GOAL",
        help="what counts: an outcome, a condition, or a number whose mean counts; said again, what counts next."
        " The action's own best outcome unless said",
    )
    new.add_argument(
        "--joint",
        action="append",
        default=[],
        metavar="NAMES",
        help="the distribution of a value, or of several together: jet.succes,jet.douze",
    )
    new.add_argument("--gauges", action="store_true", help="what becomes of the gauges and fields of sheets")
    new.add_argument("--float", action="store_true", help="floats instead of fractions: faster, to twelve digits")
    new.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="a table over many values: 1..20, or a,b,c; said again, over all combinations",
    )
    new.add_argument("--plot", metavar="FILE", help="a drawing too, .svg or .png")
    add_limits(new)
    add_format(new, ("text", "json", "csv"))
    return new


def run(options: argparse.Namespace) -> int:
    picture = picture_path(options.plot)
    policy, limits = read_policy(options.policy), read_limits(options)
    asking = Asking(choices=options.choices, policy=policy, goal=options.goals or None, exact=not options.float)
    with Progress() as progress:
        if progress.shown:  # a limit, though none, makes the clock be looked at
            limits = replace(limits, seconds=math.inf if limits.seconds is None else limits.seconds)
            asking = replace(asking, clock=progress.tick)
        asking = replace(asking, limits=limits)
        if options.vary:
            from interpreter.cli.varying import run_grid

            return run_grid(options, asking, progress, picture)
        question = read_question(options)
        found = _answer(question, options, asking)
    if isinstance(found, NoOdds | Refused):
        return refuse(found, question, options.format)
    assert not isinstance(question.run, Refused)
    told = OddsNames(question.names, question.run)
    if picture is not None:
        from interpreter.cli.pictures import write_picture

        write_picture(picture, odds_chart(told, found))
    _FORMS[options.format](told, found, options)
    return FINE


def _answer(question: Question, options: argparse.Namespace, asking: Asking) -> Odds | NoOdds | Refused:
    if isinstance(question.run, Refused):
        return question.run
    rules = question.run.program.rules
    shades = [grade for outcome in rules.outcomes.values() for grade in outcome.grades]
    joint = [joint_names(text) for text in options.joint]
    values = [*rules.report, *(names[0] for names in joint if len(names) == 1)]
    values += [goal for goal in options.goals if goal not in rules.outcomes and goal not in shades]
    return odds_of_run(
        question.system,
        question.run,
        asking,
        values=list(dict.fromkeys(values)),
        joint=[names for names in joint if len(names) > 1],
        gauges=options.gauges,
    )


def joint_names(text: str) -> list[str]:
    """Names parted by commas that stand outside of brackets."""
    found, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    names = [name.strip() for name in found]
    if not all(names):
        raise UsageError(f"--joint wants names with commas between them, not `{text}`.")
    return names


def refuse(why: NoOdds | Refused, question: Question, form: str) -> int:
    """Says why there is no answer; a question that makes no sense is wrong usage."""
    wrong = wrong_question(why) if isinstance(why, NoOdds) else None
    if wrong is not None:
        raise wrong
    if form == "json":
        head = {"system": question.system.id, "action": question.request.action}
        print(json.dumps({**head, **no_odds_json(why)}, ensure_ascii=False, indent=2))
    else:
        stream = sys.stdout if form == "text" else sys.stderr
        print("\n".join(plain_refusal(why, question.names)), file=stream)
    return PROBLEMS


# ---------------------------------------------------------------------- forms


def _as_text(told: OddsNames, found: Odds, options: argparse.Namespace) -> None:
    print("\n".join(odds_text(told, found, options.choices, painter(use_color()))))


def _as_json(told: OddsNames, found: Odds, options: argparse.Namespace) -> None:
    print(json.dumps({**head_json(told, options), **odds_json(found)}, ensure_ascii=False, indent=2))


def head_json(told: OddsNames, options: argparse.Namespace) -> dict[str, Any]:
    """What was asked."""
    return {
        "system": told.names.system.id,
        "action": told.action,
        "roles": roles_of(told.run),
        "inputs": inputs(told.run),
        "answered": options.choices,
        "policy": read_policy(options.policy),
    }


def _as_csv(told: OddsNames, found: Odds, options: argparse.Namespace) -> None:
    print_csv(ODDS_COLUMNS, odds_rows(found))


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


_FORMS = {"text": _as_text, "json": _as_json, "csv": _as_csv}
