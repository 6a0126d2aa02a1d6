"""What of an action is hidden from whom: what its rules mark, and what would give that away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from interpreter.bound import Scalar
from interpreter.expressions import Register, reads
from interpreter.model import Phases
from interpreter.program import Count, Let, Program, Throw, Tree


@lru_cache(maxsize=512)
def reported(program: Program) -> tuple[tuple[str, int], ...]:
    """The reports and flags of an action with their registers."""
    found = []
    for name in (*program.rules.report, *program.rules.flags):
        bound = program.scope.get(name)
        if isinstance(bound, Scalar) and isinstance(bound.tree, Register):
            found.append((name, bound.tree.slot))
    return tuple(found)


@lru_cache(maxsize=512)
def hidden_names(program: Program) -> Mapping[str, str]:
    """Who must not see what: inputs, values and rolls that are marked, reports worked out from them, and parts of other
    values, as `value.part`, that show one of them."""
    found = dict(hidden_inputs(program))
    secret = {program.inputs[name]: who for name, who in found.items() if name in program.inputs}
    for item in program.instructions:
        if isinstance(item, Let):
            _pass_on(secret, item.slot, _secret_of(secret, item.tree))
        elif isinstance(item, Count):
            _pass_on(secret, item.slot, item.hidden_from)
            if not item.hidden_from:
                found |= _parts(item, secret)
        elif isinstance(item, Throw) and item.hidden_from:
            secret |= {reading.slot: item.hidden_from for reading in item.readings}
    return found | {name: secret[slot] for name, slot in reported(program) if slot in secret}


def hidden_inputs(program: Program) -> Iterator[tuple[str, str]]:
    """The inputs that are marked; a side's is called `side.input`."""
    yield from _marked(program.rules, "")
    for name, side in program.rules.sides.items():
        yield from _marked(side, f"{name}.")


def _marked(phases: Phases, prefix: str) -> Iterator[tuple[str, str]]:
    return ((f"{prefix}{name}", spec.hidden_from) for name, spec in phases.inputs.items() if spec.hidden_from)


def _pass_on(secret: dict[int, str], slot: int, who: str) -> None:
    if who:
        secret.setdefault(slot, who)


def _secret_of(secret: Mapping[int, str], *trees: Tree | None) -> str:
    slots = [slot for tree in trees if tree is not None for slot in reads(tree)]
    return next((secret[slot] for slot in slots if slot in secret), "")


def _parts(item: Count, secret: Mapping[int, str]) -> dict[str, str]:
    told = {f"{item.name}.{part.id}": _secret_of(secret, part.amount, part.guard) for part in item.parts}
    return {name: who for name, who in told.items() if who}
