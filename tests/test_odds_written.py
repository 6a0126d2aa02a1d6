"""Odds as examples write them: what is meant exactly, and what as rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest

from interpreter.odds.checked import agrees


@pytest.mark.parametrize(
    ("value", "wanted", "holds"),
    [
        ("1/3", "1/3", True),
        ("1/3", "2/6", True),
        ("1/3", "0.33", False),
        ("1/3", "33%", True),
        ("1/3", "33,33 %", True),
        ("1/3", "33.34%", False),
        ("1/3", "~0.33", True),
        ("1/3", "~ 0.333", True),
        ("1/3", "~0.334", False),
        ("1/3", "~33%", True),
        ("7/2", "3.5", True),
        ("7/2", "~4", True),
        ("7/2", "~3", False),
        ("-7/3", "~-2.33", True),
        ("1/2000", "0.1%", True),
        ("1/2000", "0%", True),
    ],
)
def test_exact_or_rounded(value: str, wanted: str, holds: bool) -> None:
    assert agrees(Fraction(value), wanted) is holds


def test_what_was_cut_off_may_belong_to_it() -> None:
    assert agrees(Fraction("0.4999"), "1/2", Fraction("0.0001"))
    assert not agrees(Fraction("0.4999"), "1/2", Fraction("0.00009"))
    assert agrees(Fraction("0.4949"), "~0.50", Fraction("0.0002"))


@pytest.mark.parametrize("wanted", ["many", "", "%", "~", "1/0"])
def test_what_is_no_number(wanted: str) -> None:
    with pytest.raises((ValueError, ZeroDivisionError)):
        agrees(Fraction(1, 2), wanted)
