"""Probabilities as people read them: « 37,5 % »."""

from __future__ import annotations

# Below this nothing is rounded to zero.
SMALL = 0.01


def percent(chance: float, language: str) -> str:
    """A percentage of one decimal, or of two figures where it is small; never 0 or 100 for what is not."""
    french = language.partition("-")[0] == "fr"
    text = _figures(chance)
    return f"{text.replace('.', ',')}\u202f%" if french else f"{text}%"


def _figures(chance: float) -> str:
    if chance in (0, 1):
        return str(int(chance * 100))
    if chance > 1 - SMALL / 10:
        return "> 99.9"
    if chance < SMALL / 10_000:
        return "< 0.0001"
    return f"{chance * 100:.2g}" if chance < SMALL else f"{chance * 100:.1f}"
