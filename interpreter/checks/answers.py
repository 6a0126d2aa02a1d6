"""Answers that examples give to the inputs of an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter.checks.codes_examples import ANSWER
from interpreter.fields import show_range, whole
from interpreter.model import Action, Example, Input, Path, Scene
from interpreter.problems import ended, nearest, some_of

if TYPE_CHECKING:
    from interpreter.checks.context import Context

YES_NO = ("true", "false", "yes", "no", "1", "0")


def check_inputs(context: Context, part: Example | Scene, action: Action, refused: bool) -> None:
    """Tells of answers to nothing, and of those that can never be taken, which only a refused example may give."""
    path: Path = (*part.path, "inputs")
    for name, given in part.inputs.items():
        side = action.sides.get(name)
        if side is None:
            _input(context, action.inputs, name, given, (*path, name), refused, [*action.inputs, *action.sides])
            continue
        for inner, answer in given.items() if isinstance(given, Mapping) else ():
            _input(context, side.inputs, inner, answer, (*path, name, inner), refused, side.inputs)


def _input(
    context: Context,
    inputs: Mapping[str, Input],
    name: str,
    given: object,
    path: Path,
    refused: bool,
    known: object,
) -> None:
    spec = inputs.get(name)
    if spec is None:
        context.unknown(ANSWER, path, "input", name, tuple(known), on="key")  # type: ignore[arg-type]
    elif not refused and given is not None:
        several = spec.for_each is not None and isinstance(given, Mapping)
        each = given.items() if several and isinstance(given, Mapping) else [(None, given)]
        for key, answer in each:
            where = path if key is None else (*path, key)
            for place, wrong in _wrong(spec, answer):
                context.report.add(ANSWER, (*where, *place), f"`{name}`: {ended(wrong)}")


def _wrong(spec: Input, given: object) -> list[tuple[Path, str]]:
    """What is wrong with an answer as far as it can be known without playing, and where in it."""
    if spec.int is not None:
        wrong = _number(spec, given)
        return [((), wrong)] if wrong else []
    if spec.flag is not None:
        return [] if str(given).lower() in YES_NO else [((), f"`{given}` is neither true nor false")]
    keys = spec.key or spec.set_of
    if keys is None or not keys.ids:
        return []
    many = given if isinstance(given, list) and spec.set_of is not None else [given]
    return [
        ((place,) if isinstance(given, list) else (), _no_id(str(one), keys.ids))
        for place, one in enumerate(many)
        if one not in keys.ids
    ]


def _no_id(given: str, ids: tuple[str, ...]) -> str:
    close = nearest(given, ids)
    return f"`{given}` is none of {', '.join(some_of(ids))}" + (f"; did you mean `{close}`?" if close else "")


def _number(spec: Input, given: object) -> str:
    value = whole(given)
    if value is None:
        return f"`{given}` is not a whole number"
    assert spec.int is not None
    low, high = (None if code is None else whole(code.text) for code in (spec.int.low, spec.int.high))
    outside = (low is not None and value < low) or (high is not None and value > high)
    return f"{value} is outside {show_range(low, high)}" if outside and spec.beyond != "clamp" else ""
