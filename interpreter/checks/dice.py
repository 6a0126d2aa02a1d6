"""Which dice there are, and what their faces can be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interpreter import dice
from interpreter.checks.finding import Check
from interpreter.checks.scopes import Place
from interpreter.compiler.throws import STANDARD, dice_text
from interpreter.expressions import Key, Number
from interpreter.fields import dice_of
from interpreter.model import Code, Path
from interpreter.problems import some_of

if TYPE_CHECKING:
    from interpreter.checks.context import Context

UNKNOWN_DIE = Check(
    "E0228",
    "a die that does not exist",
    "A die is a standard one such as `d6`, one of the section `dice`, or a stat that is a die.",
    failing="""
dice:
  shadow: 0..9
actions:
  keep_watch:
    steps:
      - roll: {throw: {dice: 2, die: shado}}
      - say: "{throw}"
""",
    passing="""
dice:
  shadow: 0..9
actions:
  keep_watch:
    steps:
      - roll: {throw: {dice: 2, die: shadow}}
      - say: "{throw}"
""",
)
TOO_LARGE = Check(
    "E0423",
    "more dice, or a larger die, than can be thrown",
    f"A throw has at most {dice.LIMITS.dice} dice, and a die at most {dice.LIMITS.faces} faces.",
    failing="""
actions:
  deluge:
    steps:
      - roll: {throw: {dice: 9999999, die: d6}}
      - say: "{throw}"
""",
    passing="""
actions:
  deluge:
    steps:
      - roll: {throw: {dice: 99, die: d6}}
      - say: "{throw}"
""",
)
MIXED = Check(
    "E0230",
    "a symbol that is not declared",
    "The symbols on the faces of dice are declared in the section `symbols`.",
    failing="""
symbols: {S: Success, F: Failure}
dice:
  fate: {faces: [S, S S, T, _]}
actions:
  attempt:
    steps:
      - roll: {throw: {dice: 2, die: fate, sum: {successes: symbol.S}}}
      - say: "{throw.successes}"
""",
    passing="""
symbols: {S: Success, F: Failure}
dice:
  fate: {faces: [S, S S, F, _]}
actions:
  attempt:
    steps:
      - roll: {throw: {dice: 2, die: fate, sum: {successes: symbol.S}}}
      - say: "{throw.successes}"
""",
)
CHECKS = (UNKNOWN_DIE, TOO_LARGE, MIXED)


@dataclass(frozen=True, slots=True)
class Faces:
    """What a die, or one of several dice, can show; `dice` are the dice themselves."""

    dice: tuple[dice.Die, ...]

    @property
    def number(self) -> Number:
        return self._hull(face if isinstance(face, int) else 0 for die in self.dice for face in die.faces)

    @property
    def sides(self) -> Number:
        return self._hull(die.sides for die in self.dice)

    def symbol(self, name: str) -> Number:
        counts = [
            dict(face.bag).get(name, 0) if isinstance(face, dice.Symbols) else 0
            for die in self.dice
            for face in die.faces
        ]
        return self._hull(counts)

    def _hull(self, numbers: Iterable[int]) -> Number:
        found = list(numbers)
        return Number(True, min(found, default=0), max(found, default=0))


class Dice:
    def __init__(self, context: Context) -> None:
        self.context = context
        self._dice: dict[str, dice.Die | None] = {}

    def names(self) -> tuple[str, ...]:
        return (*self.context.system.dice, "d4", "d6", "d8", "d10", "d12", "d20", "d100")

    def die(self, name: str) -> dice.Die | None:
        """The die of a name, or None when there is none or it is too large."""
        if name not in self._dice:
            self._dice[name] = self._die(name)
        return self._dice[name]

    def _die(self, name: str) -> dice.Die | None:
        spec = self.context.system.dice.get(name)
        if spec is not None:
            faces = [face if isinstance(face, int) else self._symbols(face) for face in spec.faces[: dice.LIMITS.faces]]
            return dice.Die(name, tuple(faces)) if faces else None
        match = STANDARD.match(name)
        sides = int(match[1]) if match and len(match[1]) < 9 else 0
        return dice.standard(sides) if 0 < sides <= dice.LIMITS.faces else None

    def _symbols(self, text: str) -> dice.Symbols:
        return dice.Symbols.of(*(word for word in text.split() if word != "_"))

    def sides(self, name: str) -> int:
        die = self.die(name)
        return die.sides if die is not None else 0

    # ------------------------------------------------------------------ what is thrown

    def written(self, dice_code: Code | None, die_code: Code | None) -> tuple[Number, Faces] | None:
        """The number of dice and the die of a text such as `2d6 + 1`."""
        found = dice_text(dice_code.text) if dice_code is not None and die_code is None else None
        if found is None or dice_code is None:
            return None
        count, sides, _ = found
        if sides > dice.LIMITS.faces or sides < 1 or count > dice.LIMITS.dice:
            self.too_large(dice_code, count, sides)
            return Number(True, count, count), Faces(())
        return Number(True, count, count), Faces((dice.standard(sides),))

    def too_large(self, code: Code, count: int, sides: int) -> None:
        most = f"at most {dice.LIMITS.dice} dice with at most {dice.LIMITS.faces} faces"
        asked = f"{count} dice" if count > dice.LIMITS.dice else f"a die with {sides} faces"
        self.context.report.add(TOO_LARGE, code.path, f"This asks for {asked}; {most} can be thrown.")

    def of(self, code: Code, scope: Place) -> Faces | None:
        """The dice that an expression after `die:` can be."""
        text = code.text.strip()
        if text in self.context.system.dice or STANDARD.match(text):
            die = self.die(text)
            if die is None:
                self._no_die(code, text)
            return Faces((die,)) if die is not None else None
        if text.isidentifier() and scope.lookup(text) is None and text not in getattr(scope, "broken", ()):
            self.context.unknown(UNKNOWN_DIE, code.path, "die", text, self.names())
            return None
        typed = self.context.reader.read(code, scope)
        if typed is None or typed.faults or typed.type is None:
            return None
        found = [self.die(name) for name in typed.type.ids] if isinstance(typed.type, Key) else []
        known = [die for die in found if die is not None]
        if not known or len(known) < len(found):
            own = ", ".join(some_of(self.context.system.dice)) or "the section `dice`"
            hint = f"Write a die such as `d6`, one of {own}, or a stat that is a die."
            self.context.report.add(UNKNOWN_DIE, code.path, f"`{text}` is no die.", hint)
            return None
        return Faces(tuple(known))

    def _no_die(self, code: Code, text: str) -> None:
        if text in self.context.system.dice:
            return
        sides = int(text[1:]) if len(text) < 20 else 10**18
        if sides < 1:
            self.context.report.add(UNKNOWN_DIE, code.path, f"A die has one face at least, and `{text}` has none.")
        else:
            self.too_large(code, 1, sides)

    # ------------------------------------------------------------------ declarations

    def check(self) -> None:
        """The dice, ladders and dice stats that the system declares."""
        symbols = self.context.system.symbols
        for name, spec in self.context.system.dice.items():
            for face in spec.faces:
                for word in face.split() if isinstance(face, str) else ():
                    if word != "_" and word not in symbols:
                        self.context.unknown(MIXED, self._faces_path(spec.path), "symbol", word, symbols)
            if len(spec.faces) > dice.LIMITS.faces:
                self.too_large(Code("", self._faces_path(spec.path)), 1, len(spec.faces))
            if not spec.faces:
                self.context.report.add(
                    UNKNOWN_DIE, spec.path, f"The die `{name}` has no face.", "Write the lower face first."
                )
        for name, rungs in self.context.system.ladders.items():
            for place, rung in enumerate(rungs):
                self._known(rung, ("ladders", name, place))
        for kind, sheet in self.context.system.sheets.items():
            for name, stat in sheet.stats.items():
                for die in dice_of(stat, self.context.system).ids if stat.die else ():
                    self._known(die, ("sheets", kind, "stats", name, "die"))

    def _faces_path(self, path: Path) -> Path:
        return (*path, "faces")

    def _known(self, name: str, path: Path) -> None:
        if self.die(name) is None:
            self.context.unknown(UNKNOWN_DIE, path, "die", name, self.names())
