"""Osselet: run tabletop rules that are written as data. `docs/embedding.md` shows how an app uses this package.

Everything here is loaded when it is first used. States, requests and runs never change: a call takes one and gives
another.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, which takes long to load
if TYPE_CHECKING:
    from typing import Any

    from interpreter.api import ActionInfo as ActionInfo
    from interpreter.api import Blank as Blank
    from interpreter.api import Offer as Offer
    from interpreter.api import Role as Role
    from interpreter.api import SheetFault as SheetFault
    from interpreter.api import Step as Step
    from interpreter.api import actions as actions
    from interpreter.api import after as after
    from interpreter.api import answer as answer
    from interpreter.api import begin as begin
    from interpreter.api import check_sheet as check_sheet
    from interpreter.api import create as create
    from interpreter.api import freeze as freeze
    from interpreter.api import load as load
    from interpreter.api import needs as needs
    from interpreter.api import new_table as new_table
    from interpreter.api import odds_for as odds_for
    from interpreter.api import offer as offer
    from interpreter.api import offers as offers
    from interpreter.api import result as result
    from interpreter.api import sheet_form as sheet_form
    from interpreter.api import thaw as thaw
    from interpreter.api import throw as throw
    from interpreter.api import to_text as to_text
    from interpreter.api import view as view
    from interpreter.api import whole_sheet as whole_sheet
    from interpreter.api import with_sheet as with_sheet
    from interpreter.dice import seeded as seeded
    from interpreter.dice import system as _random_dice
    from interpreter.inputs import Domain as Domain
    from interpreter.layout import State as State
    from interpreter.machine import Done as Done
    from interpreter.machine import NeedChoice as NeedChoice
    from interpreter.machine import NeedRoll as NeedRoll
    from interpreter.machine import Refused as Refused
    from interpreter.machine import Run as Run
    from interpreter.migration import Note as Note
    from interpreter.migration import migrate as migrate
    from interpreter.model import Label as Label
    from interpreter.model import System as System
    from interpreter.odds import NoOdds as NoOdds
    from interpreter.odds import Odds as Odds
    from interpreter.odds import odds as _exact_odds
    from interpreter.problems import Location as Location
    from interpreter.problems import Problem as Problem
    from interpreter.replaying import Difference as Difference
    from interpreter.replaying import replay as replay
    from interpreter.rules import Rules as Rules
    from interpreter.runs import state_from_json as state_from_json
    from interpreter.runs import state_to_json as state_to_json
    from interpreter.session import Loaded as Loaded
    from interpreter.session import Record as Record
    from interpreter.session import SaveError as SaveError
    from interpreter.session import Session as Session
    from interpreter.session import load_session as load_session
    from interpreter.session import session_to_json as session_to_json
    from interpreter.simulate import Sampled as Sampled
    from interpreter.simulate import simulate as _sampled_odds
    from interpreter.start import Request as Request
    from interpreter.store import Held as Held
    from interpreter.store import Seat as Seat
    from interpreter.store import Store as Store
    from interpreter.store import StoreError as StoreError
    from interpreter.store import open_store as open_store

    exact_odds, random_dice, sampled_odds = _exact_odds, _random_dice, _sampled_odds

__version__ = "0.1.0"

# Every public name: the module that has it, and what it is called there when that is something else.
_WHERE: dict[str, tuple[str, ...]] = {
    "api": (
        "ActionInfo", "Blank", "Offer", "Role", "SheetFault", "Step", "actions", "after", "answer", "begin",
        "check_sheet", "create", "freeze", "load", "needs", "new_table", "odds_for", "offer", "offers", "result",
        "sheet_form", "thaw", "throw", "to_text", "view", "whole_sheet", "with_sheet",
    ),
    "dice": ("seeded", "random_dice=system"),
    "inputs": ("Domain",),
    "layout": ("State",),
    "machine": ("Done", "NeedChoice", "NeedRoll", "Refused", "Run"),
    "migration": ("Note", "migrate"),
    "model": ("Label", "System"),
    "odds": ("NoOdds", "Odds", "exact_odds=odds"),
    "problems": ("Location", "Problem"),
    "replaying": ("Difference", "replay"),
    "rules": ("Rules",),
    "runs": ("state_from_json", "state_to_json"),
    "session": ("Loaded", "Record", "SaveError", "Session", "load_session", "session_to_json"),
    "simulate": ("Sampled", "sampled_odds=simulate"),
    "start": ("Request",),
    "store": ("Held", "Seat", "Store", "StoreError", "open_store"),
}  # fmt: skip
_NAMES = {
    name.partition("=")[0]: (module, name.rpartition("=")[2]) for module, names in _WHERE.items() for name in names
}
__all__ = ["__version__", *sorted(_NAMES)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, inner = _NAMES[name]
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), inner)
    return found


def __dir__() -> list[str]:
    return __all__
