"""Real dice: their faces on the command line, or typed as they fall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interpreter import dice
from interpreter.cli.common import UsageError, counted
from interpreter.machine import NeedRoll

if TYPE_CHECKING:
    from interpreter.cli.console import Console


def source_of(seed: str | None) -> dice.Source:
    """Seeded dice, or dice that nobody can foresee."""
    return dice.Seeded(seed) if seed is not None else dice.system()


class SeededTable:
    """Seeded dice for a whole game: the faces of a throw depend on the seed and on where in the log it comes.

    So a game that was left and goes on sees the faces that it would have seen, and undo brings no better ones.
    """

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.dice = dice.Seeded(seed)

    def begin(self, entries: int, answers: int) -> None:
        self.dice = dice.Seeded(f"{self.seed}/{entries}/{answers}")

    def __call__(self, die: dice.Die, group: str, index: int, /) -> dice.Face:
        return self.dice(die, group, index)


def split_faces(written: str, symbols: bool = False) -> list[str]:
    """Faces with commas or spaces between them; only commas where a face may be several symbols."""
    text = written if symbols else written.replace(" ", ",")
    return [face.strip() for face in text.split(",") if face.strip()]


def face_on(die: dice.Die, written: str) -> dice.Face | None:
    """The face of a die that is written so: a number, or symbols in any order."""
    return next((face for face in die.faces if _sorted(dice.face_text(face)) == _sorted(written)), None)


def _sorted(written: str) -> list[str]:
    return sorted(word for word in written.split() if word != "_")


def faces_of(die: dice.Die) -> str:
    """Every face that a die has: `1..6`, or one by one."""
    texts = list(dict.fromkeys(dice.face_text(face) for face in die.faces))
    numbers = [face for face in die.faces if isinstance(face, int)]
    if len(numbers) == len(die.faces) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]}..{numbers[-1]}"
    return ", ".join(texts)


class GivenDice:
    """Faces from a command line, one flat list in the order in which dice are thrown."""

    def __init__(self, written: str) -> None:
        # Where commas part the faces, a face may be several symbols.
        self.written = split_faces(written, "," in written)
        self.used = 0
        self.roll = ""

    def begin(self, need: NeedRoll, title: str) -> None:
        self.roll = title

    def __call__(self, die: dice.Die, group: str, index: int, /) -> dice.Face:
        if self.used == len(self.written):
            given = counted(self.used, "face")
            raise UsageError(f"--dice gives {given}, and one more {die.name} is thrown ({self.roll}).")
        text = self.written[self.used]
        self.used += 1
        face = face_on(die, text)
        if face is None:
            place = f"face {self.used} of --dice, `{text}`,"
            raise UsageError(f"{place} is not on the {die.name} thrown ({self.roll}), which has {faces_of(die)}.")
        return face

    def finish(self) -> None:
        left = self.written[self.used :]
        if left:
            raise UsageError(f"--dice gives more faces than were thrown; left over: {', '.join(left)}.")


class TypedDice:
    """Asks for the faces as they fall on the table; several may be typed on one line."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.waiting: list[str] = []
        self.left: dict[str, int] = {}

    def begin(self, need: NeedRoll, title: str) -> None:
        """A throw begins: its dice are told, so that people take them up."""
        again = need.again is not None
        self.left = {} if again else {group.name: group.count for group in need.pool.groups}
        shown = " + ".join(f"{group.count}{group.die.name}" for group in need.pool.groups if group.count and not again)
        self.console.write(self.console.names.colon(title, shown).rstrip())

    def __call__(self, die: dice.Die, group: str, index: int, /) -> dice.Face:
        while True:
            if not self.waiting:
                self._ask(die, group)
            elif (face := face_on(die, self.waiting[0])) is not None:
                del self.waiting[0]
                self.left[group] = self.left.get(group, 0) - 1
                return face
            else:
                self.console.say("no_such_face", face=self.waiting[0], die=die.name, faces=faces_of(die))
                self.waiting.clear()

    def _ask(self, die: dice.Die, group: str) -> None:
        count = self.left.get(group, 0)
        named = f"{self.console.names.key(group)}, " if group else ""
        more = f"{count}{die.name}" if count > 1 else die.name
        again = "" if count > 0 else f" ({self.console.names.say('one_more_die')})"
        symbols = any(isinstance(face, dice.Symbols) for face in die.faces)
        self.waiting = split_faces(self.console.answer(self.console.names.colon(f"  {named}{more}{again}")), symbols)

    def finish(self) -> None:
        if self.waiting:
            self.console.say("dice_left_over", faces=", ".join(self.waiting))
            self.waiting.clear()
