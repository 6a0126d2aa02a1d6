"""Whether the odds that examples write down are right."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from interpreter.bound import ResolutionError
from interpreter.build import Finding
from interpreter.examples import table_of, whole_example
from interpreter.expressions import EvaluationError
from interpreter.model import Example, Path, System
from interpreter.odds.answer import Odds
from interpreter.odds.limits import LIMITS, Limits, NoOdds
from interpreter.odds.question import Asking, odds
from interpreter.start import Request, wanted_roles

CODE = "E0511"
NEAR = Fraction(1, 10**9)
# A fraction below so much is one that people read and write.
LONG = 10**12


def example_odds(system: System, name: str, limits: Limits = LIMITS) -> list[Finding]:
    """What is wrong with the odds of an example; nothing when they hold or when it has none."""
    example, path = whole_example(system, name), ("examples", name)
    if not example.odds:
        return []
    try:
        found = _computed(system, example, limits)
    except (ResolutionError, EvaluationError, KeyError) as error:
        return [Finding(CODE, path, f"Its odds cannot be computed: {error}.")]
    if isinstance(found, NoOdds):
        return [Finding(CODE, (*path, "odds"), f"There are no odds: {found.message}")]
    return list(_compared(found, example.odds, (*path, "odds")))


def _computed(system: System, example: Example, limits: Limits) -> Odds | NoOdds:
    if example.action is None or example.action not in system.actions:
        return NoOdds("action", "It names no action.")
    state, played = table_of(system, example, wanted_roles(system, example.action))
    rules = system.actions[example.action]
    ids = {*rules.outcomes, *(grade for outcome in rules.outcomes.values() for grade in outcome.grades)}
    conditions = [str(text) for text in example.odds if str(text) not in ids]
    choices, policy = policy_of(example.policy, "best" if rules.best else "first")
    asking = Asking(choices=choices, policy=policy, values=conditions, limits=limits)
    return odds(system, state, Request(example.action, played, example.inputs), asking)


def policy_of(written: object, default: str) -> tuple[str, Mapping[str, Any] | None]:
    """A policy as written: by name, or choice by choice; choices that it leaves out are answered with the
    first option.
    """
    if isinstance(written, Mapping):
        return "first", {str(name): _lines(lines) for name, lines in written.items()}
    return (default if written is None else str(written)), None


def _lines(lines: object) -> str | Sequence[str]:
    return [str(line) for line in lines] if isinstance(lines, list | tuple) else str(lines)


def _compared(found: Odds, written: Mapping[str, object], path: Path) -> Iterator[Finding]:
    for key, wanted in written.items():
        name, place = str(key), (*path, key)
        spread = found.values.get(name, {})
        if any(not isinstance(value, int | Fraction) for value in spread):
            yield Finding(CODE, place, f"`{name}` is neither a yes or no nor a number.")
            continue
        numbers = name in found.endless or any(not isinstance(value, bool) for value in spread)
        try:
            yield from _mean(found, name, wanted, place) if numbers else _chance(found, name, wanted, place)
        except (ValueError, ZeroDivisionError):
            what, hint = (
                ("number", "Write 7/2, 3.5 or ~3.5.") if numbers else ("probability", "Write 3/4, 0.75 or 75%.")
            )
            yield Finding(CODE, place, f"`{wanted}` is no {what}.", hint)


def _chance(found: Odds, name: str, wanted: object, path: Path) -> Iterator[Finding]:
    chance = found.outcomes.get(name, found.grades.get(name))
    if chance is None:
        chance = found.values[name].get(True, 0)
    if not agrees(Fraction(chance), str(wanted), found.cut_off):
        hint = f"Rounded, it is written `{float(chance):.2%}`." if Fraction(chance).denominator >= LONG else ""
        yield Finding(CODE, path, f"`{name}` has the probability {shown(Fraction(chance))}, not {wanted}.", hint)


def _mean(found: Odds, name: str, wanted: object, path: Path) -> Iterator[Finding]:
    """What is asked of a number is its mean; dice that explode without a bound give it but for what was cut off."""
    mean, near = Fraction(found.mean(name)), NEAR if found.cut_off else Fraction(0)
    if not agrees(mean - near, str(wanted), 2 * near):
        told = str(mean) if mean.denominator == 1 else f"{float(mean):.9g}"
        told = f"{mean} ({told})" if 1 < mean.denominator < LONG else told
        yield Finding(CODE, path, f"`{name}` has the mean {told}, not {wanted}.")


def agrees(value: Fraction, wanted: str, above: Any = 0) -> bool:
    """A fraction or a decimal is meant exactly; a percentage, or what begins with `~`, as rounded to the digits that
    it has.

    `above`: how much more the value could be, where something was cut off.
    """
    text = wanted.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ").strip()
    number = text.removeprefix("~").removesuffix("%").strip()
    low, high = value, value + Fraction(above)
    if text == number:
        return low <= Fraction(number) <= high
    number = number.replace(",", ".")
    unit = Fraction(1, 10 ** len(number.partition(".")[2]))
    per_cent = 100 if text.endswith("%") else 1
    return _rounded(low * per_cent, unit) <= Fraction(number) <= _rounded(high * per_cent, unit)


def _rounded(value: Fraction, unit: Fraction) -> Fraction:
    return math.floor(value / unit + Fraction(1, 2)) * unit


def shown(chance: Fraction) -> str:
    """A fraction while it can be read, with its percentage."""
    percentage = f"{float(chance):.4%}"
    return f"{chance} ({percentage})" if chance.denominator < LONG else percentage
