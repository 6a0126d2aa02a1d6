"""Odds as plain data for programs, and as rows for spreadsheets."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from interpreter.dice import face_text
from interpreter.machine import Refused
from interpreter.odds.advice import Advice, Line
from interpreter.odds.answer import Chance, Distribution, Odds
from interpreter.odds.grid import Grid
from interpreter.odds.limits import NoOdds


def odds_json(found: Odds) -> dict[str, Any]:
    """Everything in an answer: probabilities as fractions, in exact odds, and as the nearest floats.

    `cut_off` is the probability of all that was not followed to its end.
    """
    return {
        "outcomes": _chances(found.outcomes),
        "grades": _chances(found.grades),
        "flags": _chances(found.flags),
        "values": {
            **{name: distribution_json(spread) for name, spread in found.values.items()},
            **{name: _endless(mean) for name, mean in found.endless.items()},
        },
        "gauges": {name: distribution_json(spread) for name, spread in found.gauges.items()},
        "joint": [_joint(names, joint) for names, joint in found.joints.items()],
        "refusals": [{"message": message, **chance_json(chance)} for message, chance in found.refused.items()],
        "never_ends": chance_json(found.never_ends),
        "cut_off": float(found.cut_off) if found.cut_off else 0,
        "goal": found.goal or None,
        "worth": None if found.worth is None else number_json(found.worth),
        "worth_is": None if found.worth is None else found.worth_is,
        "choices": [_advice(one) for one in found.advice],
        "exact": found.exact,
        "sampled": False,
        "nodes": found.nodes,
        "refused": None,
    }


def no_odds_json(why: NoOdds | Refused) -> dict[str, Any]:
    """Why there are none: `limit` names the limit that was reached, if one was, and `reached` how far it came."""
    label = dict(why.label.texts) if why.label is not None else {}
    refused: dict[str, Any] = {"code": why.code, "message": next(iter(label.values()), why.message), "label": label}
    if isinstance(why, NoOdds) and why.limit:
        refused |= {"limit": why.limit, "reached": why.reached}
    return {"refused": refused}


def grid_json(found: Grid) -> dict[str, Any]:
    """A grid: for each cell the chances in the order of `asked`, or why there are none."""
    rows = [
        {
            "cell": list(map(value_json, row.cell)),
            "chances": [number_json(chance) for chance in row.chances],
            "refused": row.refused or None,
        }
        for row in found.rows
    ]
    names = {"names": list(found.names), "asked": list(found.asked)}
    return {**names, "rows": rows, "sampled": False, "nodes": found.nodes, "refused": None}


def chance_json(chance: Chance) -> dict[str, Any]:
    """A probability: the fraction, which floats do not have, and the nearest float."""
    return {"probability": _exact(chance), "float": float(chance)}


def number_json(number: Chance) -> dict[str, Any]:
    """The same for what can be a mean too."""
    return {"exact": _exact(number), "float": float(number)}


def _exact(number: Chance) -> str | None:
    return exact_text(number) if isinstance(number, int | Fraction) else None


def exact_text(number: Chance) -> str:
    """A fraction in full, however long."""
    with _any_length():
        return str(number)


@contextmanager
def _any_length() -> Iterator[None]:
    """Python refuses to write numbers of thousands of digits unless told; exact odds of a long fight have as many."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _chances(chances: Mapping[str, Chance]) -> dict[str, Any]:
    return {name: chance_json(chance) for name, chance in chances.items()}


def distribution_json(spread: Distribution) -> dict[str, Any]:
    average = mean_of(spread)
    rows = [{"value": value_json(value), **chance_json(chance)} for value, chance in spread.items()]
    return {"mean": None if average is None else number_json(average), "distribution": rows}


def _endless(mean: Chance) -> dict[str, Any]:
    """A value that may come to any number, of which the mean is all there is."""
    return {"mean": number_json(mean), "distribution": None}


def _joint(names: tuple[str, ...], joint: Distribution) -> dict[str, Any]:
    rows = [{"values": list(map(value_json, values)), **chance_json(chance)} for values, chance in joint.items()]
    return {"names": list(names), "distribution": rows}


def mean_of(spread: Distribution) -> Chance | None:
    """The mean over the runs that come to an end; None where the values are no numbers."""
    total = sum(spread.values())
    numbers = all(isinstance(value, int | Fraction) and not isinstance(value, bool) for value in spread)
    return sum(value * chance for value, chance in spread.items()) / total if total and numbers else None


def value_json(value: Any) -> Any:
    """A whole number, yes or no, text or list as it is; anything else in words."""
    if isinstance(value, tuple | list):
        return [value_json(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return face_text(value) if hasattr(value, "bag") else str(value)


def _advice(advice: Advice) -> dict[str, Any]:
    """What is best in the situations that a run can come to: in lines that cover them all, and one by one."""
    cases = [{"values": list(map(value_json, case)), "answer": answer} for case, answer in advice.situations.items()]
    lines = [_line(line) for line in advice.lines]
    return {"choice": advice.choice, "names": list(advice.names), "lines": lines, "situations": cases}


def _line(line: Line) -> dict[str, Any]:
    tests = [{"name": test.name, "relation": test.relation, "value": value_json(test.value)} for test in line.tests]
    return {"answer": line.answer, "when": tests, "situations": line.situations}


# ---------------------------------------------------------------------- spreadsheets

ODDS_COLUMNS = ("kind", "name", "value", "probability", "float")


def odds_rows(found: Odds) -> Iterator[tuple[Any, ...]]:
    """One row for each probability or mean; see ODDS_COLUMNS."""
    for kind, chances in (("outcome", found.outcomes), ("grade", found.grades), ("flag", found.flags)):
        yield from ((kind, name, "", *_cells(chance)) for name, chance in chances.items())
    for kind, spreads in (("value", found.values), ("gauge", found.gauges)):
        for name, spread in spreads.items():
            average = mean_of(spread)
            if average is not None:
                yield ("mean", name, "", *_cells(average))
            yield from ((kind, name, value_json(value), *_cells(chance)) for value, chance in spread.items())
    yield from (("mean", name, "", *_cells(average)) for name, average in found.endless.items())
    for names, joint in found.joints.items():
        yield from (("joint", _listed(names), _listed(values), *_cells(chance)) for values, chance in joint.items())
    yield from (("refused", message, "", *_cells(chance)) for message, chance in found.refused.items())
    yield from (("never_ends", "", "", *_cells(chance)) for chance in (found.never_ends,) if chance)
    yield from (("cut_off", "", "", *_cells(chance)) for chance in (found.cut_off,) if chance)


def _listed(values: Any) -> str:
    return ", ".join(str(value_json(value)) for value in values)


def _cells(chance: Chance) -> tuple[str, float]:
    return _exact(chance) or "", float(chance)


def grid_rows(found: Grid) -> Iterator[tuple[Any, ...]]:
    """One row for each cell, in floats: the values varied, what was asked (nothing where it was refused), then why."""
    for row in found.rows:
        chances: list[Any] = [float(chance) for chance in row.chances] or [""] * len(found.asked)
        yield (*map(value_json, row.cell), *chances, row.refused)
