"""Whether things in play hold what their kinds allow: numbers in their bounds, references to things that are there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from interpreter.expressions import Compiled, prepare
from interpreter.fields import constant_range
from interpreter.layout import BadValue, Layout
from interpreter.recent import Recent
from interpreter.resolve import Resolver

Bounds = tuple[int, str, Compiled | None, Compiled | None]

_BOUNDS: Recent[tuple[Bounds, ...]] = Recent(256)


def check_values(resolver: Resolver, layout: Layout, values: Sequence[object]) -> None:
    """Raises BadValue for the first value that lies outside its bounds, or that names a sheet which is not there."""
    for slot, name, low, high in _bounds_of(resolver, layout):
        value = values[slot]
        assert isinstance(value, int)
        least, most = (None if bound is None else bound(values) for bound in (low, high))
        if (least is not None and value < least) or (most is not None and value > most):
            ends = f"{'' if least is None else least}..{'' if most is None else most}"
            raise BadValue(f"`{name}` is {value}, outside {ends}.")
    for entity in layout.entities.values():
        for info in entity.kind.fields:
            named = values[layout.value_slot(entity, info)] if info.sort == "one" else None
            if named is not None and named not in layout.entities:
                raise BadValue(f"`{entity.id}.{info.dotted}` names `{named}`, and there is no such sheet.")


def _bounds_of(resolver: Resolver, layout: Layout) -> tuple[Bounds, ...]:
    return _BOUNDS.of(layout.shape(), lambda: tuple(_computed_bounds(resolver, layout)))


def _computed_bounds(resolver: Resolver, layout: Layout) -> Iterator[Bounds]:
    """The numbers whose bounds are more than the plain range that reading their data looks at."""
    for entity in layout.entities.values():
        for info in entity.kind.fields:
            if info.sort != "number" or getattr(info.spec, "keeps", False):
                continue
            ends = resolver.bounds(entity, info)
            plain = tuple(end.value if isinstance(end, ast.Constant) else end for end in ends)
            if plain == constant_range(info.spec):
                continue
            low, high = (None if end is None else prepare(end) for end in ends)
            yield layout.value_slot(entity, info), f"{entity.id}.{info.dotted}", low, high
