"""The parts of sheets and records that an expression reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from interpreter.expressions import Many, Number, Optional, Thing, Typed

Part = tuple[str, str]
BOUNDS = ("max", "min")
SIZE: Part = ("", "size")


def reads(typed: Typed) -> Iterator[Part]:
    """The (kind, part) pairs that an expression reads; a known key, `#max` and `#min` follow the name."""
    parents = {child: node for node in ast.walk(typed.tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(typed.tree):
        thing = _thing(typed, node.value) if isinstance(node, ast.Attribute) else None
        if thing is None or not isinstance(node, ast.Attribute):
            continue
        above, name = parents.get(node), node.attr
        if isinstance(above, ast.Subscript) and above.value is node and isinstance(above.slice, ast.Constant):
            name, above = f"{name}.{above.slice.value!s}", parents.get(above)
        elif isinstance(above, ast.Attribute) and not isinstance(typed.types.get(node), Number):
            name, above = f"{name}.{above.attr}", parents.get(above)
        elif isinstance(above, ast.Subscript) and above.value is node:
            above = parents.get(above)
        for kind in thing.kinds:
            yield kind, name
            if isinstance(above, ast.Attribute) and above.attr in BOUNDS:
                yield kind, f"{name}#{above.attr}"


def _thing(typed: Typed, node: ast.expr) -> Thing | None:
    type_ = typed.types.get(node)
    while isinstance(type_, Many | Optional):
        type_ = type_.item if isinstance(type_, Many) else type_.type
    return type_ if isinstance(type_, Thing) and type_.nature in ("sheet", "record") else None
