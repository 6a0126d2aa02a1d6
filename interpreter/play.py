"""The play driver: where faces come from, and a run driven to its end by someone who answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interpreter import dice
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run, advance

Chooser = Callable[[NeedChoice], object]


class RealDice:
    """The faces of dice thrown by hand, in the order in which they are asked for."""

    def __init__(self, faces: Iterable[str]) -> None:
        self.left = list(faces)

    def __call__(self, die: dice.Die, group: str, index: int, /) -> dice.Face:
        if not self.left:
            raise dice.DiceError(dice.Fault("too_few", f"one more {die.name} is thrown than faces were given"))
        written = self.left.pop(0).strip()
        for face in die.faces:
            if str(face) == written or (isinstance(face, dice.Symbols) and shown_face(face) == written):
                return face
        raise dice.DiceError(dice.Fault("face", f"`{written}` is no face of {die.name}"))


def shown_face(face: dice.Face) -> str:
    """A face as people write it: its number, or its symbols, `_` for none."""
    if isinstance(face, int):
        return str(face)
    return " ".join(symbol for symbol, count in face.bag for _ in range(count)) or "_"


def drive(run: Run, source: dice.Source, choose: Chooser) -> tuple[Run, Need]:
    """Runs until it is done or refused: dice from the source, choices from `choose`."""
    run, need = advance(run)
    while not isinstance(need, Done | Refused):
        answer = throw(need, source) if isinstance(need, NeedRoll) else choose(need)
        if isinstance(answer, Refused):
            return run, answer
        run, need = advance(run, answer)
    return run, need


def throw(need: NeedRoll, source: dice.Source) -> dice.Result | Refused:
    """The dice that a run waits for, or why they cannot be thrown."""
    try:
        return need.throw(source)
    except dice.DiceError as error:
        return Refused("dice", f"{need.name}: {error}.", need.label)
