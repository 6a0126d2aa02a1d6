"""Ready characters of a rule set, as the data of a sheet."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.house_rules import joined
from interpreter.model import System


def character(system: System, name: str) -> Mapping[str, object]:
    """A ready sheet; `like` starts from another one."""
    return sheet_data(system, system.characters[name], str(system.characters[name].get("sheet", "")))


def sheet_data(system: System, given: Mapping[str, object], kind: str) -> Mapping[str, object]:
    """The data of a sheet of this kind as it is written; `like` takes over what a ready character has."""
    base: Mapping[str, object] = {"sheet": kind}
    like = given.get("like")
    if isinstance(like, str) and like in system.characters and system.characters[like] is not given:
        base = character(system, like)
    own = {key: value for key, value in given.items() if key != "like"}
    result: Mapping[str, object] = joined(base, own)
    return result
