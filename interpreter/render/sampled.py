"""Sampled odds for people: never without saying that they are sampled, and how far they may be off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from interpreter.layout import Register
from interpreter.render.chances import Row, decimal, gathered
from interpreter.render.odds import Section, sections_text
from interpreter.render.odds_names import OddsNames
from interpreter.render.style import Paint, plain

if TYPE_CHECKING:
    from interpreter.simulate import Counted, Estimate, Sampled

MOST_TOGETHER = 16
SOLVED = ("best", "worst", "first")


def sampled_text(told: OddsNames, found: Sampled, paint: Paint = plain) -> Iterator[str]:
    yield paint(told.heading(), "title")
    yield paint(told.tell("sampled", count=found.runs, seed=found.seed), "bad")
    if told.has_choices:
        known = found.choices in SOLVED
        yield told.tell(f"answers_{found.choices}") if known else told.tell("answers_policy", name=found.choices)
    yield from sections_text(told, _sections(told, found), paint)


def _sections(told: OddsNames, found: Sampled) -> Iterator[Section]:
    yield Section("", tuple(_outcomes(told, found)), 1)
    for name, counted in found.values.items():
        yield _value(told, told.asked(name), name, counted)
    for names, counted in found.joints.items():
        yield _joint(told, names, counted)
    if found.gauges:
        yield Section(f"{told.tell('gauges')}{told.tell('colon').rstrip()}")
    for name, counted in found.gauges.items():
        register = told.register(name)
        yield _value(told, name if register is None else told.of_register(register), name, counted, register)


def _outcomes(told: OddsNames, found: Sampled) -> Iterator[Row]:
    action, rules = told.action, told.program.rules
    for name, estimate in found.outcomes.items():
        yield _row(told.names.outcome(action, name), estimate)
        grades = rules.outcomes[name].grades if name in rules.outcomes else {}
        yield from (_row(told.grade(name, grade), found.grades[grade], 1) for grade in grades)
    yield from (_row(told.names.reported(action, name), estimate) for name, estimate in found.flags.items())
    for message, estimate in found.refused.items():
        yield _row(f"{told.tell('refused')}{told.tell('colon')}{message}", estimate)
    if found.unfinished is not None:
        yield _row(told.tell("unfinished"), found.unfinished)


def _row(label: str, estimate: Estimate, depth: int = 0) -> Row:
    return Row(label, estimate.value, depth, (estimate.low, estimate.high))


def _value(told: OddsNames, label: str, name: str, counted: Counted, register: Register | None = None) -> Section:
    if counted.counts and all(isinstance(value, bool) for value in counted.counts):
        yes = counted.chances.get(True)
        return Section("", (Row(label, 0.0) if yes is None else _row(label, yes),), 1)
    chances = {value: estimate.value for value, estimate in counted.chances.items()}
    rows = tuple(_gathered(told, name, chances, counted.chances, register))
    steps = register is not None and register.info is not None and register.info.ids is not None
    if counted.mean is None or steps:
        return Section(label, rows)
    mean, low, high = (decimal(one, told.language) for one in (counted.mean.value, counted.mean.low, counted.mean.high))
    return Section(f"{label}{told.tell('colon')}{told.tell('mean_between', mean=mean, low=low, high=high)}", rows)


def _gathered(
    told: OddsNames,
    name: str,
    chances: Mapping[Any, float],
    estimates: Mapping[Any, Estimate],
    register: Register | None,
) -> Iterator[Row]:
    """Rows of values; those that stand for a single value with its interval."""
    for ends, chance in gathered(chances):
        one = estimates.get(ends[0]) if ends[0] == ends[1] else None
        yield Row(told.span(name, ends, register), chance, ends=None if one is None else (one.low, one.high))


def _joint(told: OddsNames, names: Sequence[str], counted: Counted) -> Section:
    """The likeliest combinations first."""
    label = told.tell("together", names=", ".join(map(told.asked, names)))
    ordered = sorted(counted.chances.items(), key=lambda item: -item[1].value)
    rows = [_row(told.together(names, values), estimate) for values, estimate in ordered[:MOST_TOGETHER]]
    return Section(label, tuple(rows))
