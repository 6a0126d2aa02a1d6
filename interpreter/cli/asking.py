"""What `odds` and `simulate` ask for alike: an action with definite sheets, how choices are answered, limits."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from interpreter.cli.common import UsageError, add_language, add_system, names_of, playable, seconds
from interpreter.defaults import start_dice
from interpreter.fields import kind_of
from interpreter.layout import State, given_value
from interpreter.machine import Refused, Run
from interpreter.model import System
from interpreter.odds import LIMITS, Limits, NoOdds
from interpreter.render.names import Names
from interpreter.request import WordError, read_words, suggest
from interpreter.start import Request, begin, wanted_roles

# What is said of a question that makes no sense, as against one that has no answer.
WRONG_QUESTIONS = ("name", "policy", "goal", "vary")
PICTURES = (".svg", ".png")
_LIMIT = re.compile(r"[\d_]+")


def add_asking(parser: argparse.ArgumentParser, best: str) -> None:
    """The words that name the action, and how its choices are answered."""
    add_system(parser)
    parser.add_argument("action", metavar="ACTION", help="what is done; `osselet show SYSTEM` lists the actions")
    parser.add_argument("words", nargs="*", metavar="NAME=VALUE", help="inputs, roles and fields of sheets")
    told = f"best, worst, first (open option), or a policy of the rules; {best} unless said"
    parser.add_argument("--choices", metavar="HOW", default=best, help=f"how choices are made: {told}")
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="CHOICE=ANSWER",
        help="how one choice is made: an option, or `option when expression`; said again for the same choice, the next"
        " thing to try. --choices answers the others",
    )
    add_language(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(f"{one.name} {getattr(LIMITS, one.name)}" for one in fields(Limits) if one.name != "seconds")
    told = f"how much work may be done, by name: {names}"
    parser.add_argument("--limit", action="append", default=[], metavar="NAME=NUMBER", help=told)
    parser.add_argument("--seconds", type=seconds, metavar="N", help="stop with a message after so many seconds")


# ---------------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class Question:
    """An action about to begin: the table, what is asked, and the run at its start or why it is refused."""

    system: System
    names: Names
    state: State
    request: Request
    run: Run | Refused


def read_question(options: argparse.Namespace, system: System | None = None) -> Question:
    """The action that the words of a command name."""
    system = system or playable(options.system)
    names = names_of(system, options.lang)
    state, request = read_table(system, options.action, options.words)
    return Question(system, names, state, request, begin(system, state, request))


def read_table(system: System, action: str, words: Iterable[str]) -> tuple[State, Request]:
    """The sheets and the request; sheets that would first have to be thrown are refused."""
    try:
        state, request, made = read_words(system, action, words)
    except WordError as error:
        raise UsageError(str(error)) from error
    if made:
        raise UsageError(_unmade(system, state, request, made[0]))
    return state, request


def _unmade(system: System, state: State, request: Request, sheet_id: str) -> str:
    """Which values of a sheet are thrown when it is made, and how to say them."""
    data = state.sheets[sheet_id]
    kind = str(data["sheet"])
    several = {role for role, (_, many) in wanted_roles(system, request.action).items() if many}
    role = next((role for role, ids in request.roles.items() if sheet_id in ids), sheet_id)
    name = f"{role}.{sheet_id}" if role in several else role
    thrown = [i.dotted for i in kind_of(system, kind).fields if start_dice(i) and not given_value(data, i, "now")[1]]
    wanted = " ".join(f"{name}.{one}=…" for one in thrown)
    ready = [one for one, sheet in system.characters.items() if sheet.get("sheet") == kind]
    hint = f", or take a ready character, as in {role}={ready[0]}" if ready else ""
    return f"`{name}` begins with dice, and odds need definite values: say {wanted}{hint}."


def read_policy(words: Sequence[str]) -> Mapping[str, Sequence[str]] | None:
    """Answers by choice, in the order in which they are tried."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, equals, answer = (part.strip() for part in word.partition("="))
        if not equals or not name or not answer:
            raise UsageError(f"--policy wants CHOICE=OPTION, or CHOICE=`option when expression`, not `{word}`.")
        found.setdefault(name, []).append(answer)
    return found or None


def read_limits(options: argparse.Namespace) -> Limits:
    """The limits with those that are said instead."""
    known = [one.name for one in fields(Limits) if one.name != "seconds"]
    said: dict[str, Any] = {} if options.seconds is None else {"seconds": options.seconds}
    for word in options.limit:
        name, _, number = (part.strip() for part in word.partition("="))
        if name not in known:
            raise UsageError(f"there is no limit `{name}`.{suggest(name, known)}")
        if not _LIMIT.fullmatch(number):
            raise UsageError(f"--limit {name} wants a whole number, not `{number}`.")
        said[name] = int(number)
    return replace(LIMITS, **said)


def picture_path(text: str | None) -> Path | None:
    """Where a drawing goes; its ending says what it is."""
    if text is None:
        return None
    path = Path(text)
    if path.suffix.lower() not in PICTURES:
        raise UsageError(f"--plot writes {' or '.join(PICTURES)} files, not `{path.name}`.")
    return path


def wrong_question(why: NoOdds) -> UsageError | None:
    """The usage error that a refusal is, when what was asked makes no sense."""
    return UsageError(why.message) if why.code in WRONG_QUESTIONS else None


def plain_refusal(why: NoOdds | Refused, names: Names) -> Iterator[str]:
    """Why there is no answer, in the rules' own words if they have some."""
    yield f"✗ {names.label(why.label, why.message) if why.label is not None else why.message}"
