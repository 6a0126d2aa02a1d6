"""What kinds of values an expression can have, and how two kinds relate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from .faults import listed

Bound = int | Fraction | None
Members = Mapping[str, "Type"]

# Only these things have an identity that two names can share.
COMPARABLE = frozenset(("sheet", "record"))


def _nothing() -> Members:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Number:
    """A number between `low` and `high`, where None is no bound; `parts` is what stands after its dot (`jet.dice`)."""

    whole: bool = True
    low: Bound = None
    high: Bound = None
    parts: Members = field(default_factory=_nothing, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.whole:
            object.__setattr__(self, "low", None if self.low is None else math.ceil(self.low))
            object.__setattr__(self, "high", None if self.high is None else math.floor(self.high))


@dataclass(frozen=True, slots=True)
class Flag:
    """A yes or no."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text for people."""


@dataclass(frozen=True, slots=True)
class Key:
    """One id of a set; `row` holds the columns of its table, `ordered` ids rank in the order of `ids`."""

    ids: tuple[str, ...]
    row: Members = field(default_factory=_nothing, compare=False, repr=False)
    ordered: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something with parts; `others` are the further kinds that a reference may also point at.

    Sheets refer to one another, so `members` may be worked out on demand and is only ever asked for one name.
    """

    kind: str
    members: Members = field(default_factory=_nothing, compare=False, repr=False)
    nature: str = "sheet"
    others: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset((self.kind, *self.others))


@dataclass(frozen=True, slots=True)
class Family:
    """A value for each key of a set, or for each sheet of a role."""

    keys: Key | Thing
    value: Type


@dataclass(frozen=True, slots=True)
class Many:
    """A list of `low` to `high` items; None is no bound."""

    item: Type
    low: int = 0
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be absent."""

    type: Type


Type = Number | Flag | Text | Key | Thing | Family | Many | Optional


def member(type_: Type, name: str) -> Type | None:
    """What `name` after a dot gives; on a list, the list of what it gives for each item, flattened."""
    return _MEMBERS[type(type_)](type_, name)


def element(type_: Type) -> Family | None:
    """The family that an index chooses from; on a list of families, one of lists."""
    if isinstance(type_, Family):
        return type_
    if isinstance(type_, Many):
        inner = element(type_.item)
        return inner and Family(inner.keys, spread(type_, inner.value))
    return None


def cell(row: Key, columns: Sequence[str]) -> Type | None:
    """What stands in a row under one of some columns, or None where these are not of one kind."""
    found = [row.row.get(column) for column in columns]
    result = found[0] if found else None
    for other in found[1:]:
        result = join(result, other) if result is not None and other is not None else None
    return result


def member_names(type_: Type) -> tuple[str, ...]:
    """What can stand after a dot, for a message."""
    if isinstance(type_, Thing):
        return tuple(type_.members)
    if isinstance(type_, Key):
        return tuple(type_.row)
    if isinstance(type_, Number):
        return tuple(type_.parts)
    if isinstance(type_, Family):
        return type_.keys.ids if isinstance(type_.keys, Key) else ()
    if isinstance(type_, Many):
        return member_names(type_.item)
    return member_names(type_.type) if isinstance(type_, Optional) else ()


def in_family(type_: Type, key: str) -> Iterator[str]:
    """`part.key` for every part of a thing that is a family with such a key."""
    for name in member_names(type_) if isinstance(type_, Thing) else ():
        part = member(type_, name)
        if isinstance(part, Family) and isinstance(part.keys, Key) and key in part.keys.ids:
            yield f"{name}.{key}"


def spread(many: Many, inner: Type) -> Many:
    """The list that `many` becomes when each item gives an `inner`: lists are joined, what is absent is left out."""
    if isinstance(inner, Optional):
        return Many(inner.type, 0, many.high)
    if not isinstance(inner, Many):
        return Many(inner, many.low, many.high)
    high = None if many.high is None or inner.high is None else many.high * inner.high
    return Many(inner.item, many.low * inner.low, high)


def same_set(one: Key, other: Key) -> bool:
    """Whether the ids of two keys mean the same: one set, or one set and a part of it."""
    if one.name and one.name == other.name:
        return True
    return set(one.ids) <= set(other.ids) or set(other.ids) <= set(one.ids)


def join(one: Type, other: Type) -> Type | None:
    """The kind of a value that is either of the two, or None where there is none."""
    if isinstance(one, Optional) or isinstance(other, Optional):
        inner = join(_present(one), _present(other))
        return inner and Optional(inner)
    handler = _JOINS.get(type(one))
    if handler and type(one) is type(other):
        return handler(one, other)
    return one if one == other else None


def describe(type_: Type) -> str:
    """The kind in a few words, for a message."""
    return _WORDS[type(type_)](type_)


def _present(type_: Type) -> Type:
    return type_.type if isinstance(type_, Optional) else type_


def _projected(many: Many, name: str) -> Type | None:
    inner = member(many.item, name)
    return inner and spread(many, inner)


_MEMBERS: dict[type, Callable[..., Type | None]] = {
    Number: lambda number, name: number.parts.get(name),
    Flag: lambda _flag, _name: None,
    Text: lambda _text, _name: None,
    Key: lambda key, name: key.row.get(name),
    Thing: lambda thing, name: thing.members.get(name),
    Family: lambda family, name: family.value if isinstance(family.keys, Key) and name in family.keys.ids else None,
    Many: _projected,
    Optional: lambda maybe, name: member(maybe.type, name),
}


def _join_numbers(one: Number, other: Number) -> Number:
    low = None if one.low is None or other.low is None else min(one.low, other.low)
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    return Number(one.whole and other.whole, low, high)


def _join_keys(one: Key, other: Key) -> Key | None:
    wider, narrower = (one, other) if len(one.ids) >= len(other.ids) else (other, one)
    return wider if set(narrower.ids) <= set(wider.ids) and same_set(one, other) else None


def _join_things(one: Thing, other: Thing) -> Thing | None:
    if one.nature != other.nature or not (one.kinds <= other.kinds or other.kinds <= one.kinds):
        return None
    return one if other.kinds <= one.kinds else other


def _join_lists(one: Many, other: Many) -> Many | None:
    item = join(one.item, other.item)
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    return None if item is None else Many(item, min(one.low, other.low), high)


_JOINS: dict[type, Callable[..., Type | None]] = {
    Number: _join_numbers,
    Key: _join_keys,
    Thing: _join_things,
    Many: _join_lists,
}


def _key_words(key: Key) -> str:
    if key.name:
        return f"a key of {key.name}"
    return f"one of {listed(key.ids)}" if len(key.ids) <= 6 else "a key"


def _thing_words(thing: Thing) -> str:
    names = " or ".join((thing.kind, *thing.others))
    return f"the {thing.nature} {names}" if thing.nature not in COMPARABLE else f"a {names}"


_WORDS: dict[type, Callable[..., str]] = {
    Number: lambda number: "a whole number" if number.whole else "a number",
    Flag: lambda _: "a yes or no",
    Text: lambda _: "a text",
    Key: _key_words,
    Thing: _thing_words,
    Family: lambda family: f"{describe(family.value)} for each of its keys",
    Many: lambda many: f"a list ({describe(many.item)} each)",
    Optional: lambda maybe: f"{describe(maybe.type)}, if there is one",
}
