"""Dice and choices that examples write down, and the policies by which their odds are computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interpreter import dice
from interpreter.checks.codes_examples import CHOICE, FACES, POLICY, ROLL
from interpreter.checks.played import Asked, Played, Thrown
from interpreter.checks.references import answers
from interpreter.fields import whole
from interpreter.model import Example, Names, Path, Scene
from interpreter.problems import some_of

if TYPE_CHECKING:
    from interpreter.checks.context import Context

WAYS = ("best", "worst", "first")


def check_dice(context: Context, part: Example | Scene, played: Played, refused: bool) -> None:
    for name, given in part.dice.items():
        path: Path = (*part.path, "dice", name)
        thrown = played.dice(str(name))
        if not thrown:
            context.unknown(ROLL, path, "roll", str(name), _ends(one.name for one in played.thrown), on="key")
            continue
        _faces(context, given, thrown, path)
        if len(thrown) == 1 and thrown[0].once and not refused and thrown[0].name not in played.again:
            _number(context, len(given) if isinstance(given, list) else 1, thrown[0], path)


def _ends(names: object) -> list[str]:
    """Full names, and their ends after each dot: every way in which an example can name them."""
    found: list[str] = []
    for name in names:  # type: ignore[attr-defined]
        parts = name.split(".")
        found += [".".join(parts[place:]) for place in range(len(parts) - 1, -1, -1)]
    return found


def _faces(context: Context, given: object, thrown: list[Thrown], path: Path) -> None:
    """Tells of faces that none of the dice has; an exploded die is a list of its faces."""
    kinds = [context.roll_faces.get(one.path, {}).get(one.group) for one in thrown]
    if None in kinds:
        return
    every = [die for faces in kinds if faces is not None for die in faces.dice]
    shown = {face for die in every for face in map(_text, die.faces)}
    for place, one in enumerate(given if isinstance(given, list) else [given]):
        at = (*path, place) if isinstance(given, list) else path
        for inner, face in enumerate(one if isinstance(one, list) else [one]):
            if _written(str(face)) not in shown:
                where = (*at, inner) if isinstance(one, list) else at
                names = " or ".join(some_of(dict.fromkeys(die.name for die in every)))
                context.report.add(FACES, where, f"`{face}` is no face of {names}.")


def _text(face: dice.Face) -> str:
    """A face as `_written` gives it: a number, or its symbols in order."""
    if isinstance(face, int):
        return str(face)
    return " ".join(sorted(symbol for symbol, count in face.bag for _ in range(count)))


def _written(text: str) -> str:
    return " ".join(sorted(word for word in text.split() if word != "_"))


def _number(context: Context, given: int, thrown: Thrown, path: Path) -> None:
    count = context.roll_counts.get(thrown.path, {}).get(thrown.group)
    if count is None or given == 0:
        return
    if count.high is not None and given > count.high:
        message = f"{_dice(given)} {_are(given)} given for `{thrown.name}`, and at most {count.high} can be thrown."
        context.report.add(FACES, path, message, on="key")
    elif count.low is not None and given < count.low:
        message = f"{_dice(given)} {_are(given)} given for `{thrown.name}`, and at least {count.low} are thrown."
        context.report.add(FACES, path, message, on="key")


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


# ---------------------------------------------------------------------- choices


def check_choices(context: Context, part: Example | Scene, played: Played) -> None:
    for place, one in enumerate(part.choices):
        if not isinstance(one, Mapping) or len(one) != 1:
            message = "One choice stands here: `choice: option`."
            context.report.add(CHOICE, (*part.path, "choices", place), message, "Begin the next one with `- `.")
            continue
        for name, given in one.items():
            path: Path = (*part.path, "choices", place, name)
            asked = played.choices(str(name))
            if not asked:
                context.unknown(CHOICE, path, "choice", str(name), _ends(one.name for one in played.asked), on="key")
                continue
            for number, option in enumerate(given if isinstance(given, list) else [given]):
                where = (*path, number) if isinstance(given, list) else path
                _option(context, str(name), str(option), asked, where)


def _option(context: Context, name: str, option: str, asked: list[Asked], path: Path) -> None:
    steps = [one.step for one in asked if one.step is not None]
    if len(steps) < len(asked):  # a text: anything may be said
        return
    known = answers(steps)
    if known is not None:
        if option not in known:
            context.unknown(CHOICE, path, "option", option, known)
    elif all(step.number is not None for step in steps) and whole(option) is None:
        context.report.add(CHOICE, path, f"`{name}` is answered with a whole number, and `{option}` is none.")


# ---------------------------------------------------------------------- policies


def check_policy(context: Context, example: Example, played: Played) -> None:
    policy, path = example.policy, (*example.path, "policy")
    if isinstance(policy, str) and policy not in (*WAYS, *context.system.policies):
        context.unknown(POLICY, path, "policy", policy, [*WAYS, *context.system.policies])
    for name, written in policy.items() if isinstance(policy, Mapping) else ():
        asked = [one for one in played.asked if f".{one.name}".endswith(f".{name}")]
        if not asked:
            known_names = _ends(one.name for one in played.asked)
            context.unknown(POLICY, (*path, name), "choice", str(name), known_names, on="key")
            continue
        steps = [one.step for one in asked if one.step is not None]
        known = answers(steps) if steps else None
        for place, line in enumerate(written if isinstance(written, list) else [written]):
            where = (*path, name, place) if isinstance(written, list) else (*path, name)
            _line(context, str(name), str(line), known, where)


def _line(context: Context, name: str, line: str, known: Names | None, path: Path) -> None:
    option = line.partition(" when ")[0].strip()
    wanted = [part.strip() for part in option.split(",") if part.strip() not in ("", "none")]
    for one in wanted if known is not None else ():
        if known is not None and one not in known:
            context.unknown(POLICY, path, "option", one, known)
