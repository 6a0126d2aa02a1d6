"""Triggers that set one another off: what each step can set off, and the circles that would never end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interpreter.checks.cycles import chain
from interpreter.checks.dependencies import Dependencies
from interpreter.checks.finding import Check
from interpreter.checks.graph import cycles, in_order
from interpreter.checks.parts import Part
from interpreter.expressions import Number
from interpreter.expressions.intervals import ends
from interpreter.model import Path, Upon

if TYPE_CHECKING:
    from interpreter.checks.context import Context
    from interpreter.checks.targets import Target

CASCADE = Check(
    "E0407",
    "triggers that set one another off for ever",
    "Where triggers set one another off in a circle, one of them goes off `once_per` period at most.",
    failing="""
sheets: {hero: {gauges: {fear: {range: 0..9, start: 0}, rage: {range: 0..9, start: 0}}}}
triggers:
  anger: {upon: {gauge: hero.fear, changes: up}, do: [{change: {self.rage: 1}}]}
  panic: {upon: {gauge: hero.rage, changes: up}, do: [{change: {self.fear: 1}}]}
""",
    passing="""
sheets: {hero: {gauges: {fear: {range: 0..9, start: 0}, rage: {range: 0..9, start: 0}}}}
periods: {night: }
triggers:
  anger: {upon: {gauge: hero.fear, changes: up}, once_per: night, do: [{change: {self.rage: 1}}]}
  panic: {upon: {gauge: hero.rage, changes: up}, do: [{change: {self.fear: 1}}]}
""",
)
CHECKS = (CASCADE,)
UP, DOWN = "up", "down"
BOTH = frozenset((UP, DOWN))
DIRECTIONS: Mapping[str, frozenset[str]] = {
    "falls_below": frozenset((DOWN,)),
    "drops_to": frozenset((DOWN,)),
    "rises_to": frozenset((UP,)),
    "rises_above": frozenset((UP,)),
}
CHANGES: Mapping[str, frozenset[str]] = {"up": frozenset((UP,)), "down": frozenset((DOWN,)), "any": BOTH}


@dataclass(frozen=True, slots=True)
class Write:
    """Something that a step writes: the part, by which kind of step, and which way it can go."""

    part: Part
    how: str
    ways: frozenset[str]


@dataclass(slots=True)
class Deeds:
    """What steps can set triggers off with: writes, and events (`event.x`, `begins.x`, `ends.x`, `joins.x`)."""

    writes: set[Write] = field(default_factory=set)
    events: set[str] = field(default_factory=set)

    def add(self, other: Deeds) -> None:
        self.writes |= other.writes
        self.events |= other.events

    def wrote(self, target: Target | None, how: str, amount: Number | None = None, *, sign: int = 1) -> None:
        """A step of a kind writes a target; `amount` says which way it can go."""
        for kind, info in target.places if target is not None else ():
            self.writes.add(Write((kind, info.dotted), how, ways(amount, sign)))


def ways(amount: Number | None, sign: int) -> frozenset[str]:
    if amount is None:
        return BOTH
    low, high = (end * sign for end in ends(amount))
    low, high = min(low, high), max(low, high)
    return frozenset(way for way, is_possible in ((UP, high > 0), (DOWN, low < 0)) if is_possible)


def check_cascades(context: Context, deeds: Mapping[str, Deeds], dependencies: Dependencies) -> None:
    """Tells of circles of triggers of which none is limited by a period."""
    triggers = context.system.triggers
    cut = _cut_by(dependencies)
    free = [name for name in deeds if triggers[name].once_per is None]
    done = {name: _closed(context, deeds[name], cut) for name in free}

    def edges(name: str) -> list[str]:
        return [other for other in free if _sets_off(done[name], triggers[other].upon)]

    known = {name: edges(name) for name in free}
    for cycle in cycles(free, lambda name: known[name]):
        related = tuple((f"`{name}` is set off by it", triggers[name].path) for name in cycle[1:-1])
        path: Path = (*triggers[cycle[0]].path, "upon")
        message = f"These triggers may set one another off for ever: {chain(cycle)}."
        if len(cycle) == 2:
            message = f"`{cycle[0]}` may set itself off for ever."
        context.report.add(CASCADE, path, message, "Give one of them `once_per` a period.", on="key", related=related)


def _cut_by(dependencies: Dependencies) -> Mapping[Part, set[Part]]:
    """The gauges whose bounds follow from each stored part."""
    found: dict[Part, set[Part]] = {}
    for gauge in dependencies.stored:
        bounds = [(gauge[0], f"{gauge[1]}#{end}") for end in ("min", "max")]
        for part in in_order(bounds, dependencies.value_edges):
            found.setdefault(part, set()).add(gauge)
    return found


def _closed(context: Context, deeds: Deeds, cut: Mapping[Part, set[Part]]) -> Deeds:
    """With the gauges that are cut when what bounds them changes, and the periods that end with a longer one."""
    writes = set(deeds.writes)
    for write in deeds.writes:
        for name in (write.part, (write.part[0], write.part[1].partition(".")[0])):
            writes |= {Write(gauge, write.how, BOTH) for gauge in cut.get(name, ()) if gauge != write.part}
    events = set(deeds.events)
    periods = context.system.periods
    ended = [event.partition(".")[2] for event in events if event.startswith("ends.")]
    inner = in_order(ended, lambda name: [key for key, spec in periods.items() if spec.within == name])
    return Deeds(writes, events | {f"ends.{name}" for name in inner})


def _sets_off(deeds: Deeds, upon: Upon) -> bool:
    for key in ("begins", "ends", "joins", "event"):
        name = getattr(upon, key)
        if name is not None:
            return f"{key}.{name}" in deeds.events
    return any(_crosses(write, upon) for write in deeds.writes)


def _crosses(write: Write, upon: Upon) -> bool:
    text = upon.gauge or upon.field or ""
    kind, dotted = write.part
    if text not in (f"{kind}.{dotted}", f"{kind}.{dotted.partition('.')[0]}"):
        return False
    if upon.gauge is None:
        return True
    wanted = next((ways_ for key, ways_ in DIRECTIONS.items() if getattr(upon, key) is not None), BOTH)
    if upon.changes is not None:
        wanted = CHANGES[upon.changes]
    return write.how in upon.by and bool(wanted & write.ways)


__all__ = ["CHECKS", "Deeds", "Iterable", "check_cascades"]
