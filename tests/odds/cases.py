"""What the tests of odds share: small systems, and a short way of asking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from interpreter import loader
from interpreter.layout import State
from interpreter.model import System
from interpreter.odds import Grid, NoOdds, Odds, grid, odds
from interpreter.start import Request

HERE = Path(__file__).parent
SYSTEMS = HERE / "systems"

Sheets = Mapping[str, Mapping[str, Any]]
Roles = Mapping[str, tuple[str, ...]]


@cache
def system(name: str) -> System:
    rules = loader.load(str(SYSTEMS / f"{name}.yaml"))
    assert rules.system is not None, [problem.message for problem in rules.problems]
    errors = [problem.message for problem in rules.problems if problem.severity == "error"]
    assert not errors, errors
    return rules.system


@cache
def data(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def ask(
    name: str,
    action: str,
    inputs: Mapping[str, Any] | None = None,
    sheets: Sheets | None = None,
    roles: Roles | None = None,
    **how: Any,
) -> Odds | NoOdds:
    return odds(system(name), State(sheets or {}), Request(action, roles or {}, inputs or {}), **how)


def told(*args: Any, **how: Any) -> Odds:
    """The odds, which there must be."""
    found = ask(*args, **how)
    assert isinstance(found, Odds), found
    return found


def duelists(difference: int = 0, stamina: int = 12, enemy: int = 12, luck: int = 7, **more: Any) -> Sheets:
    return {
        "hero": {"sheet": "heros", "habilete": 10, "endurance": stamina, "chance": luck, **more},
        "foe": {"sheet": "creature", "habilete": 10 - difference, "endurance": enemy},
    }


DUEL_ROLES: Roles = {"self": ("hero",), "ennemis": ("foe",)}
POLICIES: dict[str, dict[str, Any]] = {
    "never": {"policy": {"achever": "en_rester_la", "parer": "encaisser"}},
    "always": {"policy": {"achever": "tenter_sa_chance", "parer": "tenter_sa_chance"}},
    "always_ge2": {
        "policy": {
            "achever": ["tenter_sa_chance when self.chance >= 2", "en_rester_la"],
            "parer": ["tenter_sa_chance when self.chance >= 2", "encaisser"],
        }
    },
    "attack_only": {
        "policy": {"achever": ["tenter_sa_chance when self.chance >= 2", "en_rester_la"], "parer": "encaisser"}
    },
    "defence_only": {
        "policy": {"achever": "en_rester_la", "parer": ["tenter_sa_chance when self.chance >= 2", "encaisser"]}
    },
    "optimal": {"choices": "best"},
}


def duel(difference: int, stamina: int, enemy: int, luck: int, policy: str, **how: Any) -> Odds:
    return told("duel", "combat", {}, duelists(difference, stamina, enemy, luck), DUEL_ROLES, **POLICIES[policy], **how)


def duel_grid(vary: Mapping[str, Any], policy: str, highest: int = 24, **how: Any) -> Grid:
    found = grid(
        system("duel"),
        State(duelists(0, highest, highest, 12)),
        Request("combat", DUEL_ROLES, {}),
        vary,
        **POLICIES[policy],
        **how,
    )
    assert isinstance(found, Grid), found
    return found
