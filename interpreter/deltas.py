"""What an action changed of a table, written so that it can be taken back and done again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.layout import State
from interpreter.runs import plain

BEFORE, AFTER = 0, 1


def delta(before: State, after: State) -> dict[str, Any]:
    """The sheets that differ, each as it was and as it is (null where there is none), and the flags.

    `order` holds the ids of all sheets before and after, where they are not the same in the same order.
    """
    ids = dict.fromkeys([*before.sheets, *after.sheets])
    differing = [i for i in ids if before.sheets.get(i) != after.sheets.get(i)]
    found: dict[str, Any] = {}
    if differing:
        found["sheets"] = {i: [plain(state.sheets.get(i)) for state in (before, after)] for i in differing}
    if before.flags != after.flags:
        found["flags"] = [sorted(before.flags - after.flags), sorted(after.flags - before.flags)]
    if list(before.sheets) != list(after.sheets):
        found["order"] = [list(before.sheets), list(after.sheets)]
    return found


def undone(state: State, change: Mapping[str, Any]) -> State:
    """The table as it was before a change."""
    return _moved(state, change, BEFORE)


def done(state: State, change: Mapping[str, Any]) -> State:
    """The table as it is after a change."""
    return _moved(state, change, AFTER)


def _moved(state: State, change: Mapping[str, Any], side: int) -> State:
    if not change:
        return state
    sheets = dict(state.sheets)
    for sheet_id, both in change.get("sheets", {}).items():
        if both[side] is None:
            sheets.pop(sheet_id, None)
        else:
            sheets[sheet_id] = both[side]
    if "order" in change:
        sheets = {sheet_id: sheets[sheet_id] for sheet_id in change["order"][side]}
    gone, come = change.get("flags", ((), ()))
    flags = (state.flags | set(gone)) - set(come) if side == BEFORE else (state.flags - set(gone)) | set(come)
    return State(sheets, frozenset(flags))
