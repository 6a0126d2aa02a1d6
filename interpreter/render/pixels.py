"""A canvas of pixels; the only place that imports Pillow, which nothing else of the program needs."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

if TYPE_CHECKING:
    Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

# The built-in font knows little beyond ASCII. Marks over letters are drawn here; other signs are written with letters.
PLAIN = {
    "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ß": "ss", "ø": "o", "ł": "l", "’": "'", "‘": "'", "“": '"', "”": '"',
    "–": "-", "—": "-", "−": "-", "×": "x", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "½": "1/2", "·": ".",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ",
}  # fmt: skip
# Each mark as lines, in parts of the font's size: across from the middle of the letter, and up from its top.
MARKS: Mapping[str, Sequence[Sequence[tuple[float, float]]]] = {
    "\u0300": [[(-0.12, 0.14), (0.05, 0.04)]],
    "\u0301": [[(-0.05, 0.04), (0.12, 0.14)]],
    "\u0302": [[(-0.13, 0.04), (0, 0.14), (0.13, 0.04)]],
    "\u0303": [[(-0.14, 0.05), (-0.05, 0.11), (0.05, 0.05), (0.14, 0.11)]],
    "\u0304": [[(-0.13, 0.09), (0.13, 0.09)]],
    "\u0308": [[(-0.13, 0.09), (-0.06, 0.09)], [(0.06, 0.09), (0.13, 0.09)]],
    "\u030a": [[(-0.06, 0.04), (0.06, 0.04), (0.06, 0.14), (-0.06, 0.14), (-0.06, 0.04)]],
    "\u030c": [[(-0.13, 0.14), (0, 0.04), (0.13, 0.14)]],
}
CEDILLA = "\u0327"
DOTTED = "ij"
FALLBACKS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "arial.ttf", "Arial.ttf")


class Canvas:
    """Pixels on which shapes are drawn; lengths are in units of `scale` pixels."""

    def __init__(self, width: float, height: float, scale: float, paper: str) -> None:
        self.scale = scale
        self.image = Image.new("RGB", (max(1, round(width * scale)), max(1, round(height * scale))), paper)
        self.draw = ImageDraw.Draw(self.image)
        self.fonts: dict[tuple[bool, int], Font] = {}
        self.known: dict[str, bool] = {}

    def save(self, stream: IO[bytes], texts: Mapping[str, str]) -> None:
        info = PngInfo()
        for name, text in texts.items():
            info.add_itxt(name, text)
        self.image.save(stream, "PNG", pnginfo=info, optimize=True)

    # ------------------------------------------------------------------ shapes

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        s = self.scale
        left, top, right, bottom = round(x * s), round(y * s), round((x + width) * s), round((y + height) * s)
        if right > left and bottom > top:
            self.draw.rectangle((left, top, right - 1, bottom - 1), fill=fill)

    def line(self, places: Sequence[tuple[float, float]], stroke: str, width: float) -> None:
        points = [(x * self.scale, y * self.scale) for x, y in places]
        self.draw.line(points, fill=stroke, width=max(1, round(width * self.scale)), joint="curve")

    def words(
        self, x: float, y: float, text: str, size: float, anchor: str, fill: str, bold: bool, turned: bool
    ) -> None:
        """Text from a place on its base line; turned text is drawn upright beside and then turned."""
        pixels = max(1, round(size * self.scale))
        shown = self._shown(text)
        length = self._length(shown, pixels)
        before = {"start": 0.0, "middle": length / 2, "end": length}[anchor]
        if not turned:
            self._write(self.draw, x * self.scale - before, y * self.scale, shown, pixels, fill, bold)
            return
        box = Image.new("L", (round(length) + 4, pixels * 2), 0)
        self._write(ImageDraw.Draw(box), 2, pixels * 1.4, shown, pixels, 255, bold)
        mask = box.rotate(90, expand=True)
        place = round(x * self.scale - pixels * 1.4), round(y * self.scale - mask.height + before)
        self.image.paste(Image.new("RGB", mask.size, fill), place, mask)

    # ------------------------------------------------------------------ letters

    def _shown(self, text: str) -> str:
        """The text in letters that can be drawn: decomposed, so that marks stand behind their letters."""
        return unicodedata.normalize("NFD", "".join(PLAIN.get(letter, letter) for letter in text))

    def _font(self, letter: str, pixels: int) -> Font:
        own = self._has(letter)
        if (own, pixels) not in self.fonts:
            self.fonts[own, pixels] = ImageFont.load_default(pixels) if own else _fallback(pixels)
        return self.fonts[own, pixels]

    def _has(self, letter: str) -> bool:
        """Whether the built-in font has a letter: what it lacks looks like a letter that nobody has."""
        if letter not in self.known:
            font = ImageFont.load_default(24)
            same = _picture(font, letter) == _picture(font, "\ue123")
            self.known[letter] = letter.isascii() or not same
        return self.known[letter]

    def _length(self, shown: str, pixels: int) -> float:
        letters = (letter for letter in shown if not unicodedata.combining(letter))
        return sum(self._font(letter, pixels).getlength(letter) for letter in letters)

    def _write(self, draw: Any, x: float, y: float, shown: str, pixels: int, fill: str | int, bold: bool) -> None:
        stroke = max(1, round(pixels / 14))
        middle = top = 0.0
        for letter, following in zip(shown, f"{shown[1:]} ", strict=True):
            if unicodedata.combining(letter):
                for marked in _mark_lines(letter, middle, top, y, pixels):
                    draw.line(marked, fill=fill, width=stroke)
                continue
            font = self._font(letter, pixels)
            bodied = following in MARKS and letter in DOTTED
            for shift in (0.0, max(0.6, pixels / 30))[: 2 if bold else 1]:
                if bodied:
                    _write_body(draw, x + shift, y, letter, font, fill)
                else:
                    draw.text((x + shift, y), letter, font=font, fill=fill, anchor="ls")
            middle = x + font.getlength(letter) / 2
            top = y + font.getbbox("x" if bodied else letter, anchor="ls")[1]
            x += font.getlength(letter)


def _mark_lines(mark: str, middle: float, top: float, base: float, pixels: int) -> list[list[tuple[float, float]]]:
    if mark == CEDILLA:
        hook = [(0, 0), (0.04, -0.08), (0.03, -0.15), (-0.08, -0.17)]
        return [[(middle + across * pixels, base - up * pixels) for across, up in hook]]
    return [[(middle + across * pixels, top - up * pixels) for across, up in line] for line in MARKS.get(mark, ())]


def _write_body(draw: Any, x: float, y: float, letter: str, font: Any, fill: str | int) -> None:
    """A letter without its dot, for a mark to stand in its place."""
    left, _, right, bottom = font.getbbox(letter, anchor="ls")
    height = -font.getbbox("x", anchor="ls")[1]
    box = Image.new("L", (math.ceil(right - left) + 2, math.ceil(height + bottom)), 0)
    ImageDraw.Draw(box).text((1 - left, height), letter, font=font, fill=255, anchor="ls")
    draw.bitmap((round(x + left) - 1, round(y - height)), box, fill=fill)


def _picture(font: Any, letter: str) -> bytes:
    return bytes(font.getmask(letter))


def _fallback(pixels: int) -> Font:
    """A font of the machine for letters that the built-in one lacks; without one they are drawn as empty boxes."""
    for name in FALLBACKS:
        try:
            return ImageFont.truetype(name, pixels)
        except OSError:
            continue
    return ImageFont.load_default(pixels)
