"""What `--vary NAME=VALUES` says: an input, a value of a sheet, or whatever else the words of an action may name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interpreter.cli.common import UsageError
from interpreter.fields import read_value, whole
from interpreter.layout import to_register
from interpreter.model import Input
from interpreter.render.names import readable
from interpreter.render.odds_names import OddsNames

MOST_VALUES = 100_000
_RANGE = re.compile(r"(-?\d{1,9})\s*\.\.\s*(-?\d{1,9})")


@dataclass(frozen=True, slots=True)
class Varied:
    """One thing that varies. `name` is what rules call it, empty when only words can say it.

    Its values as they are written, as programs are told, as people are shown, and as they count; `slot` is the register
    that these go to, if it is a sheet's.
    """

    said: str
    texts: tuple[str, ...]
    told: tuple[Any, ...]
    label: str
    shown: tuple[str, ...]
    name: str = ""
    values: tuple[Any, ...] = ()
    slot: int | None = None


def read_values(word: str) -> tuple[str, tuple[str, ...]]:
    """The name and the values of `NAME=1..20` or `NAME=a,b,3..5`."""
    name, equals, said = (part.strip() for part in word.partition("="))
    texts = tuple(_texts(said))
    if not equals or not name or not texts:
        raise UsageError(f"--vary wants NAME=1..20 or NAME=a,b,c, not `{word}`.")
    counts = Counter(map(_plain, texts))
    twice = next((text for text in texts if counts[_plain(text)] > 1), None)
    if twice is not None:
        raise UsageError(f"--vary {name} says `{twice}` twice.")
    return name, texts


def _texts(said: str) -> Iterator[str]:
    for part in filter(None, (one.strip() for one in said.split(","))):
        ends = _RANGE.fullmatch(part)
        if ends is None:
            yield part
            continue
        low, high = int(ends[1]), int(ends[2])
        if low > high or high - low >= MOST_VALUES:
            raise UsageError(f"--vary: `{part}` is no range of at most {MOST_VALUES} numbers from low to high.")
        yield from map(str, range(low, high + 1))


def _plain(text: str) -> Any:
    number = whole(text)
    return text if number is None else number


def read_column(told: OddsNames, said: str, texts: tuple[str, ...]) -> Varied:
    """What a name stands for in the action at hand."""
    plain = tuple(map(_plain, texts))
    spec = _input(told, said)
    if spec is not None:
        values = tuple(_FLAGS.get(text, text) for text in texts) if spec.flag is not None else plain
        shown = tuple(told.names.answer(spec, value) for value in values)
        return Varied(said, texts, values, _input_label(told, said, spec), shown, said, values)
    if said in told.run.request.get("roles", {}):  # type: ignore[operator]
        sheets = told.run.state.sheets
        shown = tuple(told.names.sheet(text, sheets.get(text)) for text in texts)
        return Varied(said, texts, texts, told.names.role(told.action, said), shown)
    return _field(told, said, texts) or Varied(said, texts, plain, readable(said), texts)


_FLAGS: Mapping[str, Any] = {"true": True, "yes": True, "false": False, "no": False}


def _input_label(told: OddsNames, said: str, spec: Input) -> str:
    side, dot, name = said.rpartition(".")
    label = told.names.label(spec.label, name)
    return f"{told.names.side(told.action, side)}, {label}" if dot else label


def _input(told: OddsNames, said: str) -> Input | None:
    """The input of that name, which may be a side's; those that are asked for each sheet have no single answer."""
    rules = told.program.rules
    side, _, inner = said.partition(".")
    spec = rules.inputs.get(said) or (rules.sides[side].inputs.get(inner) if side in rules.sides else None)
    plain = spec is not None and spec.for_each is None and spec.pick is None and spec.set_of is None
    return spec if plain else None


def _field(told: OddsNames, said: str, texts: Sequence[str]) -> Varied | None:
    """A value of a sheet, by the role that it plays or by its id."""
    found = _register_name(told, said)
    slot = told.program.layout.slots.get(found)
    sheet = found.partition(".")[0]
    register = None if slot is None else told.program.registers[slot]
    if register is None or register.info is None or not sheet.isidentifier():
        return None
    values, plain = [], []
    for text in texts:
        value, wrong = read_value(register.info, text)
        if wrong:
            raise UsageError(f"--vary {said}: {wrong}.")
        values.append(to_register(register.info, value))
        plain.append(value)
    shown = tuple(told.of_value(register, value) for value in values)
    return Varied(said, tuple(texts), tuple(plain), told.of_register(register), shown, found, tuple(values), slot)


def _register_name(told: OddsNames, said: str) -> str:
    """`role.field` with the sheet that plays the role; a role of several names its sheets."""
    roles: Any = told.run.request.get("roles", {})
    heads = [role for role in roles if said.startswith(f"{role}.")]
    role = max(heads, key=len, default="")
    rest = said.removeprefix(f"{role}.")
    if not role:
        return said
    several = len(roles[role]) > 1 or rest.partition(".")[0] in roles[role]
    return rest if several else f"{roles[role][0]}.{rest}"
