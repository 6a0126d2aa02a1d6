"""Odds for people: what can come of an action and how likely, what becomes of gauges, what to choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interpreter.layout import Register
from interpreter.render.chances import Chance, Row, decimal, fraction, gathered, mean, percent, rows_text
from interpreter.render.charts import Bar, Group, bar_chart
from interpreter.render.odds_names import OddsNames
from interpreter.render.plots import Drawing
from interpreter.render.style import Paint, pad, plain, width

if TYPE_CHECKING:
    from interpreter.odds import Advice, Odds

MOST_LINES, FEW_LINES = 16, 6
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a heading; their bars are parts of `most`, or of the longest. Without rows the heading says all."""

    heading: str
    rows: tuple[Row, ...] = ()
    most: float | None = None


def sections(told: OddsNames, odds: Odds) -> Iterator[Section]:
    """Everything that odds say but the advice."""
    yield Section("", tuple(_outcomes(told, odds)), 1)
    for name, spread in odds.values.items():
        yield value_section(told, told.asked(name), name, spread)
    for name, average in odds.endless.items():
        exactly = fraction(average) if average != int(average) else ""
        shown = told.tell("endless", mean=decimal(average, told.language) + (f" ({exactly})" if exactly else ""))
        yield Section(f"{told.asked(name)}{told.tell('colon')}{shown}")
    for names, joint in odds.joints.items():
        yield _joint(told, names, joint)
    if odds.gauges:
        yield Section(f"{told.tell('gauges')}{told.tell('colon').rstrip()}")
    for name, spread in odds.gauges.items():
        register = told.register(name)
        label = name if register is None else told.of_register(register)
        yield value_section(told, label, name, spread, register)


def _outcomes(told: OddsNames, odds: Odds) -> Iterator[Row]:
    """Outcomes with their shades, yes and no beside them, then whatever else can become of the action."""
    action, rules = told.action, told.program.rules
    for name, chance in odds.outcomes.items():
        yield Row(told.names.outcome(action, name), chance)
        grades = rules.outcomes[name].grades if name in rules.outcomes else {}
        yield from (Row(told.grade(name, grade), odds.grades.get(grade, 0), 1) for grade in grades)
    yield from (Row(told.names.reported(action, name), chance) for name, chance in odds.flags.items())
    for message, chance in odds.refused.items():
        yield Row(f"{told.tell('refused')}{told.tell('colon')}{message}", chance)
    if odds.never_ends:
        yield Row(told.tell("never_ends"), odds.never_ends)
    if odds.cut_off and not _is_whole(odds):
        yield Row(told.tell("cut_off"), odds.cut_off)


def _is_whole(odds: Odds) -> bool:
    """Whether the ends were followed to the last, so that only some distribution without an end was cut."""
    total: Any = sum([*odds.outcomes.values(), *odds.refused.values(), odds.never_ends])
    return total == 1 or (not odds.exact and abs(total - 1) < TOLERANCE)


def value_section(
    told: OddsNames, label: str, name: str, spread: Mapping[Any, Chance], register: Register | None = None
) -> Section:
    """The distribution of one value, with its mean if it is a number."""
    colon = told.tell("colon")
    if set(spread) <= {True, False} and all(isinstance(value, bool) for value in spread):
        return Section("", (Row(label, spread.get(True, 0)),), 1)
    rows = tuple(Row(told.span(name, ends, register), chance) for ends, chance in gathered(spread))
    if len(rows) == 1:
        return Section(f"{label}{colon}{told.tell('always', value=rows[0].label)}")
    average = None if _has_names(register) else mean(spread)
    shown = "" if average is None else f"{colon}{told.tell('mean', mean=decimal(average, told.language))}"
    return Section(f"{label}{shown}", rows)


def _has_names(register: Register | None) -> bool:
    """Whether numbers stand for named steps, which have no mean."""
    return register is not None and register.info is not None and register.info.ids is not None


def _joint(told: OddsNames, names: Sequence[str], joint: Mapping[Any, Chance]) -> Section:
    """The likeliest combinations first."""
    label = told.tell("together", names=", ".join(map(told.asked, names)))
    ordered = sorted(joint.items(), key=lambda item: -item[1])
    shown = [(told.together(names, values), chance) for values, chance in ordered[:MOST_LINES]]
    rows = [Row(text, chance) for text, chance in shown]
    if len(ordered) > MOST_LINES:
        rows.append(Row("…", sum(chance for _, chance in ordered[MOST_LINES:])))
    return Section(label, tuple(rows))


# ---------------------------------------------------------------------- text


def odds_text(told: OddsNames, odds: Odds, choices: str, paint: Paint = plain) -> Iterator[str]:
    """Odds as lines of text."""
    yield paint(told.heading(), "title")
    yield from sections_text(told, sections(told, odds), paint)
    yield from _worth(told, odds, choices)
    if odds.advice:
        yield from _all_advice(told, odds, choices, paint)
    yield ""
    whole = _is_whole(odds)
    if odds.cut_off and whole:
        yield told.tell("beyond", chance=percent(odds.cut_off, told.language))
    how = "floats" if not odds.exact else "exact" if whole or not odds.cut_off else "nearly"
    yield paint(told.tell(how, count=odds.nodes), "dim")


def sections_text(told: OddsNames, found: Iterator[Section], paint: Paint) -> Iterator[str]:
    for number, section in enumerate(found):
        if section.heading:
            yield ""
            yield section.heading
        elif number and section.rows:
            yield ""
        yield from rows_text(section.rows, told.language, paint, section.most)


def _worth(told: OddsNames, odds: Odds, choices: str) -> Iterator[str]:
    """What the goal comes to, where the rows above do not say it."""
    said = (odds.outcomes, odds.grades, odds.values, odds.endless)
    if odds.worth is None or any(odds.goal in one for one in said):
        return
    colon = told.tell("colon")
    short = fraction(odds.worth)
    chance = odds.worth_is == "probability"
    worth = percent(odds.worth, told.language) if chance else decimal(odds.worth, told.language, 4)
    shown = f"{worth} ({short})" if short else worth
    yield ""
    what = "worst_worth" if choices == "worst" else "worth"
    goal = told.asked(odds.goal)
    yield told.tell(what, goal=goal, worth=shown, colon=colon) if odds.advice else f"{goal}{colon}{shown}"


def _all_advice(told: OddsNames, odds: Odds, choices: str, paint: Paint) -> Iterator[str]:
    yield ""
    what = "worst" if choices == "worst" else "best"
    goal = " > ".join(told.asked(one.strip()) for one in odds.goal.split(", "))
    yield paint(f"{told.tell(what, goal=goal)}{told.tell('colon').rstrip()}", "title")
    for one in odds.advice:
        yield from _advice(told, one)


def _advice(told: OddsNames, advice: Advice) -> Iterator[str]:
    """A few lines as they are; of many, those that differ from the commonest answer, the widest first."""
    lines = list(advice.lines)
    label = told.choice(advice.choice)
    if len(lines) == 1:
        yield f"  {label}  {told.answer(advice.choice, lines[0].answer)}, {told.tell('whenever')}"
        return
    yield f"  {label}"
    counts: Counter[str] = Counter()
    for line in lines:
        counts[line.answer] += line.situations
    (common, _), *_ = counts.most_common(1)
    if len(lines) <= FEW_LINES:
        common = ""
    others = [line for line in lines if line.answer != common]
    if common:
        others.sort(key=lambda line: -line.situations)
    shown = [(told.answer(advice.choice, line.answer), line) for line in others[:MOST_LINES]]
    widest = max(map(width, (answer for answer, _ in shown)))
    for answer, line in shown:
        yield f"    {pad(answer, widest)}  {told.tell('when', tests=told.tests(line.tests))}"
    left = others[MOST_LINES:]
    if left:
        covered = sum(line.situations for line in left)
        yield f"    {told.tell('more_lines', count=len(left), covered=covered, all=len(advice.situations))}"
    if common:
        yield f"    {told.answer(advice.choice, common)}, {told.tell('otherwise')}"


# ---------------------------------------------------------------------- drawings


def odds_chart(told: OddsNames, odds: Odds) -> Drawing:
    """Odds as bars."""
    return chart(told, sections(told, odds))


def chart(told: OddsNames, found: Iterator[Section]) -> Drawing:
    groups = [Group(one.heading, tuple(_bar(told, row) for row in one.rows), one.most) for one in found]
    return bar_chart(told.heading(), groups)


def _bar(told: OddsNames, row: Row) -> Bar:
    short = fraction(row.chance)
    shown = percent(row.chance, told.language)
    return Bar(row.label, float(row.chance), f"{shown} = {short}" if short else shown)
