"""Exact odds, best choices and distributions, from the same rules that are played.

odds(system, state, request, ...)    how an action comes out, what it does to values and gauges, what to choose
odds_of_run(system, run, ...)        the same for a run from where it stands
grid(system, state, request, ...)    the same question for many inputs and sheets at once
example_odds(system, name)           whether the odds written in an example are right
"""

from __future__ import annotations

from interpreter.odds.advice import Advice, Line, Test
from interpreter.odds.answer import Odds
from interpreter.odds.checked import example_odds
from interpreter.odds.grid import Grid, Row, grid
from interpreter.odds.limits import LIMITS, Limits, NoOdds
from interpreter.odds.question import Asking, odds, odds_of_run

__all__ = [
    "LIMITS",
    "Advice",
    "Asking",
    "Grid",
    "Limits",
    "Line",
    "NoOdds",
    "Odds",
    "Row",
    "Test",
    "example_odds",
    "grid",
    "odds",
    "odds_of_run",
]
