"""Know the characters that look like others, or like nothing, in a hand-written file."""

from __future__ import annotations

import re
import unicodedata

# Control characters, lone surrogates, line separators that editors do not count as lines, a BOM inside a text.
FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NOTHING = "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069"
_INVISIBLE = re.compile(f"[{_SPACES}{_NOTHING}]")

# What a word processor, a keyboard layout or a copied page writes, and what was most likely meant.
_MEANT = {
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys(_NOTHING, ""),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u00d7\u2217\u22c5\u00b7", "*"),
    "\u00f7": "//",
    "\u2026": "..",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
    # Greek and Cyrillic letters drawn like Latin ones.
    **dict(zip("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u03bf", "aeopcyxijso", strict=True)),
    **dict(
        zip("\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u039f", "ABEKMHOPCTXO", strict=True)
    ),
}


def lookalikes(text: str) -> list[tuple[int, str, str]]:
    """Each character of `text` that is easily taken for another: its offset, itself, what was likely meant."""
    if text.isascii():
        return []
    found = ((offset, char, _meant(char)) for offset, char in enumerate(text))
    return [(offset, char, meant) for offset, char, meant in found if meant is not None]


def without_invisible(text: str) -> str:
    """`text` with plain spaces for odd ones, and without characters that show as nothing."""
    return _INVISIBLE.sub(lambda match: _MEANT[match.group()], text)


def describe(char: str) -> str:
    """A character by number and name, for people who cannot see it."""
    kind = "half of a character" if unicodedata.category(char) == "Cs" else "control character"
    return f"U+{ord(char):04X} {unicodedata.name(char, kind).lower()}"


def _meant(char: str) -> str | None:
    if char.isascii():
        return None
    if char in _MEANT:
        return _MEANT[char]
    if "\uff01" <= char <= "\uff5e":  # the full-width forms of ASCII
        return chr(ord(char) - 0xFEE0)
    digit = unicodedata.decimal(char, None)
    return None if digit is None else str(digit)
