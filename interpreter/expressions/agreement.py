"""Say why two values cannot be compared, or why a value does not suit the place where it stands."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from .faults import listed
from .intervals import ends
from .types import (
    COMPARABLE,
    Family,
    Flag,
    Key,
    Many,
    Number,
    Optional,
    Text,
    Thing,
    Type,
    describe,
    member_names,
    same_set,
)

# More names than this are no help in a message.
MOST_NAMES = 8


class Objection(NamedTuple):
    code: str
    message: str
    hint: str = ""


def compared(op: ast.cmpop, left: Type, right: Type) -> Objection | None:
    """Why `left op right` means nothing, if it does not."""
    if isinstance(op, (ast.In, ast.NotIn)):
        if isinstance(right, Many):
            return _equated(left, right.item)
        hint = "To compare with one value, write ==; several are written [a, b]."
        return Objection("E0322", f"After `in` comes a list, not {describe(right)}.", hint)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return _equated(left, right)
    return _ordered(left, right)


def _equated(left: Type, right: Type) -> Objection | None:
    if type(left) is not type(right):
        return _different(left, right)
    return _EQUATED[type(left)](left, right)


def _different(left: Type, right: Type) -> Objection:
    hint = ""
    if isinstance(left, Many) or isinstance(right, Many):
        hint = "To look for something in a list, write: x in list."
    elif Flag in (type(left), type(right)):
        hint = "A yes or no stands alone: `x`, or `not x`."
    for side in (left, right):
        if isinstance(side, Thing) and side.nature not in COMPARABLE:
            hint = hint or _one_of_its_parts(side)
        numbers = [name for name, part in side.row.items() if isinstance(part, Number)] if isinstance(side, Key) else []
        if numbers:
            hint = f"A column of its table may be meant: {listed(numbers)}."
    return Objection("E0322", f"{_capital(describe(left))} cannot be compared with {describe(right)}.", hint)


def _equated_keys(left: Key, right: Key) -> Objection | None:
    if same_set(left, right):
        return None
    return Objection("E0322", f"{_capital(describe(left))} is never {describe(right)}: they are two sets of ids.")


def _equated_things(left: Thing, right: Thing) -> Objection | None:
    if left.nature not in COMPARABLE or right.nature not in COMPARABLE:
        thing = left if left.nature not in COMPARABLE else right
        return Objection("E0322", f"{_capital(describe(thing))} cannot be compared.", _one_of_its_parts(thing))
    if left.kinds & right.kinds:
        return None
    return Objection("E0322", f"{_capital(describe(left))} is never {describe(right)}.")


def _ordered(left: Type, right: Type) -> Objection | None:
    if isinstance(left, Number) and isinstance(right, Number):
        return None
    if isinstance(left, Key) and isinstance(right, Key):
        if left.ordered and right.ordered and left.ids == right.ids:
            return None
        if same_set(left, right):
            return Objection("E0322", "These ids have no order.", "Compare them with ==, or compare a number of each.")
        return _equated_keys(left, right)
    if type(left) is type(right):
        return Objection("E0322", f"There is no order between {describe(left)} and {describe(right)}.")
    return _different(left, right)


_EQUATED: dict[type, Callable[..., Objection | None]] = {
    Number: lambda left, right: None,
    Flag: lambda left, right: None,
    Text: lambda left, right: None,
    Key: _equated_keys,
    Thing: _equated_things,
    Family: lambda left, right: Objection("E0322", "Whole families cannot be compared.", "Choose one: x[key]."),
    Many: lambda left, right: Objection("E0322", "Lists cannot be compared.", "Compare their counts, or ask with any."),
    Optional: lambda left, right: None,
}


def unsuited(got: Type, want: Type) -> Objection | None:
    """Why a value does not suit a place that wants `want`, if it does not."""
    if isinstance(want, Optional):
        return unsuited(got.type if isinstance(got, Optional) else got, want.type)
    if type(got) is not type(want):
        return _unwanted(got, want, hint_towards(got, want))
    return _SUITED[type(want)](got, want)


def _unwanted(got: Type, want: Type, hint: str = "") -> Objection:
    return Objection("E0320", f"{_capital(describe(want))} is wanted here, not {describe(got)}.", hint)


def hint_towards(got: Type, want: Type) -> str:
    """How a value of the wrong sort is often meant."""
    if isinstance(want, Flag):
        return _TOWARDS_FLAG.get(type(got), "")
    if isinstance(want, Number):
        return _one_of_its_parts(got) or _TOWARDS_NUMBER.get(type(got), "")
    if isinstance(got, Text) and isinstance(want, Key):
        return f"Write one of {listed(want.ids)}." if len(want.ids) <= MOST_NAMES else ""
    return ""


_TOWARDS_FLAG: dict[type, str] = {
    Number: "Compare it, for instance: x > 0. A choice of values is written: a if condition else b.",
    Key: "Compare it: x == id, or x in [a, b].",
    Text: "Compare it: x == 'text'.",
    Many: "Ask with any(list, condition), or: count(list) > 0.",
    Optional: "Ask whether it is there: given(x).",
}
_TOWARDS_NUMBER: dict[type, str] = {
    Flag: "Write: (1 if condition else 0).",
    Many: "Add it up or count it: sum(list), count(list).",
    Family: "Choose one of its values: x[key].",
}


def _one_of_its_parts(thing: Type) -> str:
    """The numbers of a key's row, or the parts of a thing."""
    names = member_names(thing) if isinstance(thing, Key | Thing) else ()
    if isinstance(thing, Key):
        names = tuple(name for name in names if isinstance(thing.row.get(name), Number))
    return f"One of its parts may be meant: {listed(names)}." if 0 < len(names) <= MOST_NAMES else ""


def _suited_number(got: Number, want: Number) -> Objection | None:
    if want.whole and not got.whole:
        hint = "Round it: floor(x), ceil(x), round_half_up(x) …"
        return Objection("E0323", "A whole number is wanted here, and this one may have a fraction.", hint)
    (low, high), (least, most) = ends(got), ends(want)
    if low > most or high < least:
        return Objection("E0324", f"This is {_range(got)}, and here only {_range(want)} will do.")
    return None


def _range(number: Number) -> str:
    low, high = number.low, number.high
    if low is not None and low == high:
        return str(low)
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}" if high is not None else "any number"


def _suited_key(got: Key, want: Key) -> Objection | None:
    strangers = [id_ for id_ in got.ids if id_ not in want.ids]
    if not strangers:
        return None
    if len(strangers) < len(got.ids) <= MOST_NAMES:
        return Objection("E0320", f"{_capital(describe(want))} is wanted here, and this may be {listed(strangers)}.")
    return _unwanted(got, want)


def _suited_thing(got: Thing, want: Thing) -> Objection | None:
    if got.nature == want.nature and got.kinds <= want.kinds:
        return None
    return _unwanted(got, want)


def _suited_family(got: Family, want: Family) -> Objection | None:
    same = got.keys == want.keys
    return unsuited(got.value, want.value) if same else Objection("E0320", "Another family of values is wanted here.")


def _suited_list(got: Many, want: Many) -> Objection | None:
    most = want.high
    if most is not None and got.low > most:
        return Objection("E0324", f"This list has at least {got.low} items, and at most {most} will do.")
    objection = unsuited(got.item, want.item)
    return objection and Objection(objection.code, f"In this list: {objection.message}", objection.hint)


_SUITED: dict[type, Callable[..., Objection | None]] = {
    Number: _suited_number,
    Flag: lambda got, want: None,
    Text: lambda got, want: None,
    Key: _suited_key,
    Thing: _suited_thing,
    Family: _suited_family,
    Many: _suited_list,
}


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
