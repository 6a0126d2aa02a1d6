"""Where a best answer would be no answer: several people choose, or something is hidden from those who do."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.odds.flow import Flow
from interpreter.odds.graph import Graph
from interpreter.odds.limits import refuse
from interpreter.program import Count, Pick, Program, Rethrow, Throw

ASK = "Say with a policy how it is answered."


def check_choosers(program: Program, flow: Flow, graph: Graph) -> None:
    """Refuses choices that cannot be answered best by looking ahead."""
    places = [place for place, point in enumerate(flow.points) if point.is_open]
    picks = [pick for place in places if isinstance(pick := flow.points[place].op.source, Pick)]
    for pick in picks:
        if pick.hidden:
            raise refuse(
                "policy",
                f"`{pick.name}` is answered by several at once, each without knowing the others' answers. {ASK}",
            )
    choosers = list(dict.fromkeys(pick.chooser for pick in picks))
    if len(choosers) > 1:
        names = " and ".join(
            f"`{pick.name}` by `{pick.chooser}`"
            for pick in picks[:1] + [p for p in picks if p.chooser != picks[0].chooser][:1]
        )
        raise refuse(
            "policy", f"More than one chooses ({names}), and what is best for one may not be for the other. {ASK}"
        )
    hidden = dict(_hidden(program))
    for place in places:
        for slot in graph.liveness.looks.slots(graph.liveness.before[place]):
            if slot in hidden:
                raise refuse(
                    "policy",
                    f"`{hidden[slot]}` is hidden from whoever chooses, and the best answer would know it. {ASK}",
                )
    for slot in _read_fixed(flow):
        if slot in hidden:
            raise refuse(
                "policy", f"`{hidden[slot]}` is hidden from whoever chooses, and the best answer would know it. {ASK}"
            )


def _hidden(program: Program) -> Iterator[tuple[int, str]]:
    """The registers of what is hidden from somebody."""
    yield from ((program.inputs[name], name) for name in hidden_inputs(program) if name in program.inputs)
    for item in program.instructions:
        if isinstance(item, Count) and item.hidden_from:
            yield item.slot, item.name
        elif isinstance(item, Throw) and item.hidden_from:
            yield from ((reading.slot, f"{item.name}.{reading.name}".rstrip(".")) for reading in item.readings)
        elif isinstance(item, Rethrow) and item.throw.hidden_from:
            yield from ((reading.slot, item.throw.name) for reading in item.throw.readings)


def hidden_inputs(program: Program) -> Iterator[str]:
    rules = program.rules
    for prefix, phases in [("", rules), *((f"{name}.", side) for name, side in rules.sides.items())]:
        for name, spec in phases.inputs.items():
            if spec.hidden_from:
                yield f"{prefix}{name}"


def _read_fixed(flow: Flow) -> Iterator[int]:
    """Registers that never change and that the run looks at."""
    yield from flow.looked_at
