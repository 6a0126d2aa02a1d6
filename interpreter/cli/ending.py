"""How a run ended, for people: its outcome, the numbers that it reports, the gauges of the sheets involved."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.bound import Scalar
from interpreter.expressions import Register
from interpreter.machine import Done, Run
from interpreter.render.names import Names
from interpreter.render.sheets import sheets_of, shown_run, values_before
from interpreter.render.style import Paint, plain


def ending(names: Names, run: Run, need: Done, paint: Paint = plain) -> Iterator[str]:
    """How it ended: the outcome, the numbers reported, the gauges of the sheets involved."""
    shown = shown_run(names, run, paint)
    if not run.program.action:
        yield from shown.sheet(str(run.request["create"]))
        return
    if need.outcome is not None:
        yield f"{paint('→', 'dim')} {paint(names.outcome(run.program.action, need.outcome, need.grade), 'title')}"
    for name, value in reports(names, run):
        yield names.colon(f"  {names.reported(run.program.action, name)}", value)
    before = values_before(run)
    for sheet_id in sheets_of(run):
        bars = list(shown.gauges(sheet_id, before))
        if bars:
            yield shown.title(sheet_id)
            yield from bars


def reports(names: Names, run: Run) -> Iterator[tuple[str, str]]:
    """The numbers worth showing, and the yes or no beside the outcome."""
    for name in (*run.program.rules.report, *run.program.rules.flags):
        bound = run.program.scope.get(name)
        if isinstance(bound, Scalar) and isinstance(bound.tree, Register):
            yield name, names.value(run.registers[bound.tree.slot], bound.keys)
