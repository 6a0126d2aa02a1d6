"""What of an action is hidden from whom: what its rules mark, and what would give that away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from interpreter.bound import Scalar
from interpreter.expressions import Register, reads
from interpreter.model import Phases
from interpreter.program import Count, Let, Note, Pick, Program, Rethrow, Throw, Tree

# Of a choice that stays secret: nobody else sees it until the action is over.
UNTIL_OVER = "others until the end"


def hides(hidden_from: str, whom: str, over: bool) -> bool:
    """Whether what is hidden from these is hidden from someone; several have commas between them."""
    names = _names(hidden_from)
    return whom in names or (not over and UNTIL_OVER in names)


def _names(who: str) -> list[str]:
    return [name.strip() for name in who.split(",")] if who else []


def _all(who: Iterable[str]) -> str:
    """Everyone from whom something is hidden, each once."""
    return ", ".join(dict.fromkeys(name for one in who for name in _names(one)))


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
    """Who must not see what: inputs, values, rolls and choices that are marked, values and reports worked out from
    them, and parts of other values, as `value.part`, that show one of them."""
    secret, found = _secret_slots(program), dict(hidden_inputs(program))
    for item in program.instructions:
        if isinstance(item, Throw | Rethrow):
            found |= _marked_as(*((item.name, item) if isinstance(item, Throw) else (item.throw.name, item.throw)))
        elif isinstance(item, Pick) and item.hidden:
            found[item.name] = UNTIL_OVER
        elif isinstance(item, Count) and (who := _of_count(item, secret)):
            found[item.name] = _all((found.get(item.name, ""), who))
        elif isinstance(item, Count):
            found |= _parts(item, secret)
    return found | {name: secret[slot] for name, slot in reported(program) if slot in secret}


def _marked_as(name: str, throw: Throw) -> dict[str, str]:
    return {name: throw.hidden_from} if throw.hidden_from else {}


def hidden_inputs(program: Program) -> Iterator[tuple[str, str]]:
    """The inputs that are marked; a side's is called `side.input`."""
    yield from _marked(program.rules, "")
    for name, side in program.rules.sides.items():
        yield from _marked(side, f"{name}.")


def note_hidden_from(program: Program, item: Note) -> str:
    """Who must not hear what is said: those whom the rules name, and those from whom a number in it is hidden."""
    trees = [piece for pieces in item.pieces.values() for piece in pieces if not isinstance(piece, str)]
    return _all((item.hidden_from, _secret_of(_secret_slots(program), *trees)))


def _marked(phases: Phases, prefix: str) -> Iterator[tuple[str, str]]:
    return ((f"{prefix}{name}", spec.hidden_from) for name, spec in phases.inputs.items() if spec.hidden_from)


# ---------------------------------------------------------------------- registers


@lru_cache(maxsize=512)
def _secret_slots(program: Program) -> Mapping[int, str]:
    """The registers of what is hidden, with who; loops may bring a secret back to where the program began."""
    secret: dict[int, str] = {}
    for marked, who in hidden_inputs(program):
        secret |= {slot: who for name, slot in program.inputs.items() if f"{name}.".startswith(f"{marked}.")}
    before = None
    while before != secret:
        before = dict(secret)
        for item in program.instructions:
            for slot, who in _written(item, secret):
                secret[slot] = _all((secret.get(slot, ""), who))
    return secret


def _written(item: object, secret: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """What an instruction makes secret."""
    if (isinstance(item, Let) and (who := _secret_of(secret, item.tree))) or (
        isinstance(item, Count) and (who := _of_count(item, secret))
    ):
        yield item.slot, who
    elif isinstance(item, Throw) and item.hidden_from:
        yield item.dice_slot, item.hidden_from
        yield from ((reading.slot, item.hidden_from) for reading in item.readings)
    elif isinstance(item, Pick) and item.hidden:
        yield item.slot, UNTIL_OVER


def _secret_of(secret: Mapping[int, str], *trees: Tree | None) -> str:
    slots = sorted(slot for tree in trees if tree is not None for slot in reads(tree))
    return _all(secret[slot] for slot in slots if slot in secret)


def _of_count(item: Count, secret: Mapping[int, str]) -> str:
    """A value is secret where it is marked or where its base is; one that a secret merely modifies shows its total."""
    bases = (part.amount for part in item.parts if part.operation == "base")
    return _all((item.hidden_from, _secret_of(secret, *bases)))


def _parts(item: Count, secret: Mapping[int, str]) -> dict[str, str]:
    told = {f"{item.name}.{part.id}": _secret_of(secret, part.amount, part.guard) for part in item.parts}
    return {name: who for name, who in told.items() if who}
