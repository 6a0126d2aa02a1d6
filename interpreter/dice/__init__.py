"""A dice pool, thrown with given faces or as an exact distribution."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .faults import LIMITS as LIMITS
from .faults import DiceError as DiceError
from .faults import Fault as Fault
from .faults import LimitReached as LimitReached
from .faults import Limits as Limits
from .model import BUILT_IN as BUILT_IN
from .model import Asked as Asked
from .model import Count as Count
from .model import Die as Die
from .model import Drop as Drop
from .model import Explode as Explode
from .model import Extremes as Extremes
from .model import Face as Face
from .model import Group as Group
from .model import Highest as Highest
from .model import Keep as Keep
from .model import Lowest as Lowest
from .model import Number as Number
from .model import Operation as Operation
from .model import Pool as Pool
from .model import Reading as Reading
from .model import Replace as Replace
from .model import Reroll as Reroll
from .model import Sets as Sets
from .model import Sum as Sum
from .model import Symbols as Symbols
from .model import Test as Test
from .model import Thrown as Thrown
from .model import Throws as Throws
from .model import lying as lying
from .model import standard as standard
from .quick import Quick as Quick
from .quick import quick as quick
from .sources import Faces as Faces
from .sources import Seeded as Seeded
from .sources import Source as Source
from .sources import face_text as face_text
from .sources import from_random as from_random
from .sources import seeded as seeded
from .sources import system as system
from .throw import Result as Result
from .throw import Table as Table
from .throw import sample as sample
from .throw import throw as throw
from .throw import throw_again as throw_again
from .throw import throw_again_given as throw_again_given
from .throw import throw_given as throw_given

if TYPE_CHECKING:
    from .chains import endless as endless
    from .chance import Distribution as Distribution
    from .kept import Rerolls as Rerolls
    from .kept import kept_distribution as kept_distribution
    from .kept import read as read
    from .kept import reroll_distribution as reroll_distribution
    from .odds import distribution as distribution
    from .odds import folded as folded

# What computes distributions is loaded when it is first asked for: throwing dice does without.
_WHERE = {
    "Distribution": "chance",
    "Rerolls": "kept",
    "distribution": "odds",
    "folded": "odds",
    "endless": "chains",
    "kept_distribution": "kept",
    "read": "kept",
    "reroll_distribution": "kept",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"{__name__} has no {name}")
    found = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = found
    return found
