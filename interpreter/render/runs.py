"""A run for people: its trace line by line, sheets with gauges as bars, refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from interpreter.dice import Symbols
from interpreter.layout import Layout, from_register
from interpreter.machine import Entry, Refused, Run
from interpreter.model import Label
from interpreter.play import shown_face
from interpreter.program import Count, Program, Throw
from interpreter.render.names import Names, readable
from interpreter.resolve import Resolver

BAR_WIDTH = 20


def render_trace(names: Names, run: Run, entries: Sequence[Entry]) -> Iterator[str]:
    """The lines of what happened, in order."""
    for entry in entries:
        yield from render_entry(names, run.program, entry)


def render_entry(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    shower = _SHOWERS.get(entry.kind)
    return shower(names, program, entry) if shower is not None else ()


def render_refusal(names: Names, refused: Refused) -> str:
    return names.label(refused.label, refused.message) if refused.label is not None else refused.message


def _value(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    """« Poignée 6 = Corps 4 + Grand sportif 2 »: every part that counts, with its sign."""
    spec = _count_of(program, entry.name)
    label = names.label(entry.label, entry.name.rpartition(".")[2])
    who = _side(entry.name)
    parts = "".join(_part(names, part, spec) for part in entry.detail)
    shown = parts.strip().removeprefix("+ ")
    same = len(entry.detail) == 1 and not entry.detail[0][4]
    yield f"{who}{label} {names.value(entry.value)}" + ("" if same or not shown else f" = {shown}")


def _part(names: Names, part: Sequence[Any], spec: Count | None) -> str:
    name, label, operation, amount, terms = part
    if operation in ("base", "add") and terms:
        return "".join(_signed(_term_name(names, term), term[2]) for term in terms if term[2] or operation == "base")
    if operation in ("base", "add", "best_of"):
        if not amount and operation != "base":
            return ""
        return _signed("" if operation == "base" else names.label(label, name.rpartition(".")[2]), amount)
    text = names.label(label, name.rpartition(".")[2]) if label else ""
    return _CHANGES[operation](text, amount)


def _signed(name: str, amount: Any) -> str:
    sign = "-" if isinstance(amount, int) and amount < 0 else "+"
    size = abs(amount) if isinstance(amount, int) and not isinstance(amount, bool) else amount
    return f" {sign} {name} {size}".replace("  ", " ")


_CHANGES: Mapping[str, Callable[[str, Any], str]] = {
    "multiply": lambda name, amount: f" × {amount}{f' ({name})' if name else ''}",
    "divide": lambda name, amount: f" ÷ {amount}{f' ({name})' if name else ''}",
    "set": lambda name, amount: f" → {amount}{f' ({name})' if name else ''}",
    "round": lambda name, amount: " (rounded)",
    "min": lambda name, amount: f", min {amount}",
    "max": lambda name, amount: f", max {amount}",
}


def _term_name(names: Names, term: Sequence[Any]) -> str:
    kind, name, _ = term
    if kind == "field":
        return names.dotted(str(name))
    return names.key(name) if kind == "key" else str(name)


def _count_of(program: Program, name: str) -> Count | None:
    return next((item for item in program.instructions if isinstance(item, Count) and item.name == name), None)


def _side(name: str) -> str:
    side, dot, _ = name.rpartition(".")
    return f"{readable(side.rpartition('.')[2])} : " if dot else ""


def _roll(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    label = names.label(entry.label, entry.name.rpartition(".")[2])
    groups = [(group, chains) for group, chains in entry.value if chains]
    dice = _dice_names(program, entry.name)
    shown = "  ".join(
        f"{readable(group) + ' ' if group else ''}{' '.join(_chain(chain) for chain in chains)}"
        for group, chains in groups
    )
    readings = ", ".join(f"{readable(name)} {value}" for name, value in entry.detail if name != "total")
    total = next((f" = {value}" for name, value in entry.detail if name == "total"), "")
    again = "↻ " if entry.kind == "reroll" else ""
    yield f"{again}{_side(entry.name)}{label} {dice}: {shown or '–'}{total}" + (f"  →  {readings}" if readings else "")


def _chain(chain: Sequence[Any]) -> str:
    faces = [shown_face(face) if isinstance(face, int | Symbols) else str(face) for face in chain]
    return f"[{']['.join(faces)}]" if len(faces) == 1 else f"[{'→'.join(faces)}]"


def _dice_names(program: Program, name: str) -> str:
    for item in program.instructions:
        if isinstance(item, Throw) and item.name == name:
            return (
                f"({', '.join(dict.fromkeys(die for group in item.groups for die in group.dice))})"
                if len(item.groups) > 0 and all(len(g.dice) == 1 for g in item.groups)
                else ""
            )
    return ""


def _change(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    layout = program.layout
    register = layout.registers[layout.slots[entry.name]]
    if register.info is None or register.part == "start":
        return
    old, kind = entry.detail
    info = register.info
    before, now = (names.value(from_register(info, value), info.ids) for value in (old, entry.value))
    who = register.entity.partition("/")[0]
    yield f"{names.sheet(who)}, {names.field(info)} {before} → {now}"


def _choice(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    label = names.label(entry.label, entry.name.rpartition(".")[2])
    yield f"{label} : {names.value(option_label(names, program, entry.name, entry.value))}"


def option_label(names: Names, program: Program, choice: str, value: object) -> object:
    """What a chosen option is called."""
    from interpreter.program import Pick

    for item in program.instructions:
        if isinstance(item, Pick) and item.name == choice:
            for option in item.options:
                if option.id == value:
                    return (
                        names.label(option.label, option.id)
                        if option.label
                        else thing_name(names, program.layout, option.id)
                    )
    return value


def thing_name(names: Names, layout: Layout, thing_id: str) -> str:
    """A sheet or record by its text, if it has one."""
    return names.sheet(thing_id) if thing_id in layout.entities else names.key(thing_id)


def _say(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    if entry.label is not None:
        yield names.label(entry.label, "")


def _trigger(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    name, _, who = entry.name.partition(":")
    label = names.node(names.system.triggers.get(name), name)
    yield f"⚡ {label}" + (f" ({names.sheet(who)})" if who else "")


def _period(names: Names, program: Program, entry: Entry) -> Iterable[str]:
    label = names.node(names.system.periods.get(entry.name), entry.name)
    yield f"{'▶' if entry.kind == 'begins' else '■'} {label}"


_SHOWERS: Mapping[str, Callable[[Names, Program, Entry], Iterable[str]]] = {
    "value": _value,
    "roll": _roll,
    "reroll": _roll,
    "change": _change,
    "choice": _choice,
    "say": _say,
    "trigger": _trigger,
    "begins": _period,
    "ends": _period,
}


# ---------------------------------------------------------------------- sheets


def render_sheet(names: Names, layout: Layout, values: Sequence[Any], sheet_id: str) -> Iterator[str]:
    """A sheet: gauges as bars, then stats, fields and lists that say something."""
    entity = layout.entities[sheet_id]
    resolver = Resolver(names.system, layout)
    for info in entity.kind.fields:
        now = values[layout.value_slot(entity, info)]
        label = names.field(info)
        if info.section == "gauges":
            low, high = (None if tree is None else _now(tree, values) for tree in resolver.bounds(entity, info))
            shown = names.value(from_register(info, now), info.ids)
            yield f"  {label:<28.28} {bar(now, low or 0, high)} {shown}" + (
                "" if high is None or info.ids else f"/{high}"
            )
        elif now not in (0, False, None, "", ()):
            yield f"  {label:<28.28} {names.value(now, info.ids) if info.sort != 'text' else now}"
    for listed in entity.kind.lists:
        for item in layout.items[sheet_id, listed.name]:
            yield f"  {names.label(listed.spec.label, listed.name):<28.28} {_item(names, layout, values, item)}"


def _now(tree: Any, values: Sequence[Any]) -> Any:
    from interpreter.expressions import prepare

    return prepare(tree)(values)


def _item(names: Names, layout: Layout, values: Sequence[Any], item_id: str) -> str:
    entity = layout.entities.get(item_id)
    if entity is None or entity.owner is None:
        return names.sheet(item_id)
    parts = []
    for info in entity.kind.fields:
        now = values[layout.value_slot(entity, info)]
        if now not in (0, False, None, "", ()):
            parts.append(str(now) if info.sort == "text" else f"{names.field(info)} {names.value(now, info.ids)}")
    return ", ".join(parts)


def bar(now: int, low: int, high: int | None, width: int = BAR_WIDTH) -> str:
    """A gauge between its bounds."""
    if high is None or high <= low:
        return " " * width
    full = round((now - low) * width / (high - low))
    return "█" * full + "░" * (width - full)


def texts(labels: Iterable[Label | None]) -> list[Mapping[str, str]]:
    return [label.texts for label in labels if label is not None]
