"""A sheet for people: gauges as bars between their bounds, then everything else that says something."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from interpreter.bound import Family, ResolutionError, Scalar, tree_of
from interpreter.defaults import NoDefault
from interpreter.expressions import EvaluationError, prepare
from interpreter.fields import NAMES, FieldInfo
from interpreter.layout import BadValue, Entity, Layout, State, from_register, value_name
from interpreter.machine import Run
from interpreter.program import Write
from interpreter.registers import initial
from interpreter.render.names import NOTHING, Names
from interpreter.render.style import Paint, in_rows, pad, plain
from interpreter.resolve import Resolver

BAR_WIDTH = 20
LABEL_WIDTH = 28


class Shown:
    """Sheets in play with every value that they have now."""

    def __init__(self, names: Names, layout: Layout, values: Sequence[Any], state: State, paint: Paint = plain) -> None:
        self.names = names
        self.layout = layout
        self.values = values
        self.state = state
        self.paint = paint

    # ------------------------------------------------------------------ whole sheets

    def sheet(self, sheet_id: str) -> Iterator[str]:
        """Everything that a sheet holds, but for what is nothing."""
        entity = self.layout.entities[sheet_id]
        yield self.paint(self.title(sheet_id), "title")
        yield from self.gauges(sheet_id)
        for name in dict.fromkeys(info.name for info in entity.kind.fields if info.section != "gauges"):
            if name not in NAMES:
                yield from self._values(entity, entity.kind.find(name))
        yield from self._derived(entity)
        for listed in entity.kind.lists:
            label = self.names.label(listed.spec.label, listed.name)
            for item in self.layout.items[sheet_id, listed.name]:
                yield from self._row(label, [self._item(item)])
                label = ""

    def _values(self, entity: Entity, infos: Sequence[FieldInfo]) -> Iterator[str]:
        """What stands under one name: a value, or those of a family that are something."""
        held = [(info, self.now(entity, info)) for info in infos]
        parts = [
            self._field(info, now) if info.key is None else self._keyed(info, now)
            for info, now in held
            if now not in NOTHING and not getattr(info.spec, "temporary", False)
        ]
        if parts:
            yield from self._row(self.names.label(infos[0].spec.label, infos[0].name), parts)

    def _keyed(self, info: FieldInfo, now: Any) -> str:
        """One of a family: a yes by its name, anything else after its name."""
        name = self.names.key(info.key, info.spec.keys, info.spec.labels)
        return name if info.sort == "flag" else f"{name} {self._field(info, now)}"

    def title(self, sheet_id: str) -> str:
        data = self.state.sheets[sheet_id]
        name, kind = self.names.sheet(sheet_id, data), self.names.kind(str(data["sheet"]))
        return name if name == kind else f"{name} ({kind})"

    def now(self, entity: Entity, info: FieldInfo) -> Any:
        return self.values[self.layout.value_slot(entity, info)]

    def _row(self, label: str, parts: Sequence[str]) -> Iterator[str]:
        """A name and what stands under it, on as many rows as it takes."""
        indent = " " * (LABEL_WIDTH + 4)
        for number, row in enumerate(in_rows(parts, ", ", indent)):
            yield row if number else f"  {pad(label, LABEL_WIDTH)}  {row.strip()}"

    def _field(self, info: FieldInfo, now: Any) -> str:
        if info.sort == "one":
            return self.names.thing(str(now), self.state.sheets)
        return self.names.field_value(info, now)

    def _item(self, item_id: str) -> str:
        entity = self.layout.entities.get(item_id)
        if entity is None or entity.owner is None:
            return self.names.thing(item_id, self.state.sheets)
        held = [(info, self.now(entity, info)) for info in entity.kind.fields]
        return self.names.held(held, self.state.sheets) or "–"

    def _derived(self, entity: Entity) -> Iterator[str]:
        resolver = Resolver(self.names.system, self.layout)
        for name, spec in entity.kind.sheet.derived.items():
            label = self.names.label(spec.label, name)
            try:
                bound = resolver.member(entity, name)
                if isinstance(bound, Family):
                    named = [(self.names.key(key, spec.keys), one) for key, one in bound.items.items()]
                    parts = [f"{key} {self._derived_value(one)}" for key, one in named]
                else:
                    parts = [self._derived_value(bound)] if self._compute(bound) is not False else []
            except (ResolutionError, EvaluationError):
                parts = ["–"]
            if parts:
                yield from self._row(label, parts)

    def _derived_value(self, bound: Any) -> str:
        return self.names.value(self._compute(bound), bound.keys if isinstance(bound, Scalar) else None)

    def _compute(self, bound: Any) -> object:
        tree = tree_of(bound)
        return prepare(tree)(filled(self.layout, self.values, self.state))

    def ends(self, entity: Entity, info: FieldInfo) -> tuple[int | None, int | None]:
        """The lowest and the highest number that a value may be now; None where there is no end, or no number."""
        if info.sort != "number":
            return None, None
        values = filled(self.layout, self.values, self.state)
        trees = Resolver(self.names.system, self.layout).bounds(entity, info)
        low, high = (None if tree is None else prepare(tree)(values) for tree in trees)
        return low if isinstance(low, int) else None, high if isinstance(high, int) else None

    # ------------------------------------------------------------------ gauges

    def gauges(self, sheet_id: str, before: Mapping[str, Any] | None = None) -> Iterator[str]:
        """One bar a gauge; with the values before, how much it went up or down."""
        entity = self.layout.entities[sheet_id]
        resolver = Resolver(self.names.system, self.layout)
        values = filled(self.layout, self.values, self.state)
        for info in entity.kind.fields:
            if info.section != "gauges":
                continue
            now = self.now(entity, info)
            low, high = (None if tree is None else prepare(tree)(values) for tree in resolver.bounds(entity, info))
            shown = self.names.field_value(info, from_register(info, now))
            amount = shown if high is None or info.ids else f"{shown}/{high}"
            old = (before or {}).get(self.layout.registers[self.layout.value_slot(entity, info)].name, now)
            moved = "" if old == now or info.ids else f" ({now - old:+d})"
            yield from self._row(self.names.field(info), [f"{self.paint(bar(now, low, high), 'bar')} {amount}{moved}"])

    def brief(self, sheet_id: str, wanted: Container[str]) -> str:
        """Some gauges of a sheet on one line, by the names of their registers; empty when there is none."""
        entity = self.layout.entities[sheet_id]
        parts = []
        for info in entity.kind.fields:
            if info.section == "gauges" and value_name(sheet_id, info) in wanted:
                now = self.names.field_value(info, from_register(info, self.now(entity, info)))
                high = self.ends(entity, info)[1]
                parts.append(f"{self.names.field(info)} {now}{'' if high is None else f'/{high}'}")
        name = self.names.sheet(sheet_id, self.state.sheets[sheet_id])
        return self.names.colon(name, ", ".join(parts)) if parts else ""


def bar(now: int, low: object, high: object, columns: int = BAR_WIDTH) -> str:
    """A gauge between its bounds: one column a point where there is room, else to scale."""
    least = low if isinstance(low, int) else 0
    if not isinstance(high, int) or high <= least:
        return " " * columns
    size = min(columns, high - least)
    part = min(max(now - least, 0), high - least)
    full = round(part * size / (high - least))
    if 0 < part < high - least:
        full = min(max(full, 1), size - 1) if size > 1 else full
    return "█" * full + "░" * (size - full) + " " * (columns - size)


def filled(layout: Layout, values: Sequence[Any], state: State) -> list[Any]:
    """The values with those of registers that were made since: flags of the table as they stand."""
    more = layout.registers[len(values) :]
    return [*values, *(r.name[1:] in state.flags if r.name.startswith("#") else None for r in more)]


# ---------------------------------------------------------------------- where the values come from


def shown_table(names: Names, state: State, sheet_ids: Sequence[str], paint: Paint = plain) -> Shown | None:
    """Sheets as they lie on the table; None where one has a value still to be thrown or that the rules refuse."""
    system = names.system
    layout = Layout(system)
    layout.include(tuple(sheet_ids), state)
    if any(sheet_id not in layout.entities for sheet_id in sheet_ids):  # of a kind that the rules no longer have
        return None
    try:
        values = initial(system, layout, state)
    except (NoDefault, BadValue, EvaluationError):
        return None
    return Shown(names, layout, values, state, paint)


def shown_run(names: Names, run: Run, paint: Paint = plain) -> Shown:
    """The sheets of a run as it stands."""
    return Shown(names, run.program.layout, run.registers, run.state, paint)


def movable(run: Run) -> set[str]:
    """The registers that the action can write."""
    writes = [item for item in run.program.instructions if isinstance(item, Write)]
    slots = [slot for write in writes for slot, _ in write.items]
    slots += [clamp.slot for write in writes for clamp in write.clamps]
    return {run.program.registers[slot].name for slot in slots}


def values_before(run: Run) -> dict[str, Any]:
    """Each register that the run has changed, with what it held when the run began."""
    found: dict[str, Any] = {}
    for entry in run.trace:
        if entry.kind == "change":
            found.setdefault(entry.name, entry.detail[0])
    return found


def sheets_of(run: Run) -> list[str]:
    """The sheets that a run is about: those that play a role, then others that it changed."""
    roles: Mapping[str, Any] = run.request.get("roles", {})  # type: ignore[assignment]
    played = [str(i) for ids in roles.values() for i in ids]
    made = [str(run.request["create"])] if "create" in run.request else []
    layout = run.program.layout
    changed = [layout.registers[layout.slots[e.name]].entity.partition("/")[0] for e in run.trace if e.kind == "change"]
    return [i for i in dict.fromkeys([*played, *made, *changed]) if i in layout.entities]
