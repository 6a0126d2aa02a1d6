"""`osselet simulate`: an action played many times and counted, for what is too large for exact odds."""

from __future__ import annotations

import argparse
import json
import secrets

from interpreter.cli.asking import Question, add_asking, add_limits, read_limits, read_policy, read_question
from interpreter.cli.common import FINE, Parser, UsageError, add_format, make_parser, use_color
from interpreter.cli.odds import head_json, joint_names, refuse
from interpreter.cli.progress import Progress
from interpreter.machine import Refused
from interpreter.odds import NoOdds
from interpreter.render.odds_names import OddsNames
from interpreter.render.sampled import sampled_text
from interpreter.render.style import painter
from interpreter.simulate import Sampled, simulate
from interpreter.simulate.plain import sampled_json

RUNS = 10_000

EPILOG = """NAME=VALUE is as for `osselet roll`. Each probability comes with the interval in which it lies, 95 times of
100. The same seed counts the same, with any number of workers. Where `osselet odds` answers, it is exact
and needs no sampling.

examples:
  osselet simulate mir test competence=instinct difficulte=facile --runs 100000 --seed 4
  osselet simulate my_game fight --choices cautious --runs 1000000 --workers 4
  osselet simulate my_game fight --policy "luck=use when self.luck >= 4" --format json

exit status: 0 done, 1 refused by the rules or beyond a limit, 2 wrong usage"""


def parser() -> Parser:
    new = make_parser("simulate", "Plays an action many times and tells how often each end came.", EPILOG)
    add_asking(new, "first")
    new.add_argument(
        "--for", dest="goals", action="append", default=[], metavar="GOAL", help="what best choices aim at"
    )
    told = "the distribution of a value, or of several together: jet.succes,jet.douze"
    new.add_argument("--joint", action="append", default=[], metavar="NAMES", help=told)
    new.add_argument("--gauges", action="store_true", help="what becomes of the gauges and fields of sheets")
    new.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help=f"how many times it is played; {RUNS} unless said"
    )
    new.add_argument("--seed", metavar="TEXT", help="the same dice for the same text; told when it is not given")
    new.add_argument("--workers", type=int, metavar="N", help="processes that share the work; as many as processors")
    add_limits(new)
    add_format(new)
    return new


def run(options: argparse.Namespace) -> int:
    if options.runs < 1:
        raise UsageError(f"--runs wants a number from 1, not {options.runs}.")
    if options.workers is not None and options.workers < 1:
        raise UsageError(f"--workers wants a number from 1, not {options.workers}.")
    read_policy(options.policy)
    limits = read_limits(options)
    question = read_question(options)
    if isinstance(question.run, Refused):
        return refuse(question.run, question, options.format)
    with Progress() as progress:
        joint = [joint_names(text) for text in options.joint]
        values = [*question.run.program.rules.report, *(names[0] for names in joint if len(names) == 1)]
        found = simulate(
            question.system,
            question.state,
            question.request,
            runs=options.runs,
            seed=secrets.token_hex(4) if options.seed is None else options.seed,
            choices=options.choices,
            policy=read_policy(options.policy),
            goal=options.goals or None,
            values=list(dict.fromkeys(values)),
            joint=[names for names in joint if len(names) > 1],
            gauges=options.gauges,
            workers=options.workers,
            limits=limits,
            progress=progress.part,
        )
    if isinstance(found, NoOdds):
        return refuse(found, question, options.format)
    _show(question, found, options)
    return FINE


def _show(question: Question, found: Sampled, options: argparse.Namespace) -> None:
    assert not isinstance(question.run, Refused)
    told = OddsNames(question.names, question.run)
    if options.format == "json":
        print(json.dumps({**head_json(told, options), **sampled_json(found)}, ensure_ascii=False, indent=2))
    else:
        print("\n".join(sampled_text(told, found, painter(use_color()))))
