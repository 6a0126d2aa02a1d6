"""A run for people: what happened, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from interpreter.dice import face_text
from interpreter.fields import kind_of
from interpreter.layout import RECORD_MARK, from_register
from interpreter.list_changes import ADD
from interpreter.machine import Entry, Refused, Run
from interpreter.model import Label
from interpreter.program import Pick, Program, Throw
from interpreter.render.names import Names
from interpreter.render.numbers import parts_text
from interpreter.render.style import Paint, plain

WORLD = "#"
# The write of a value thrown while its sheet is made, which its roll tells already.
MADE = "create"


def refusal_text(names: Names, refused: Refused) -> str:
    """Why something is refused, in the rules' own words if they have some."""
    return names.label(refused.label, refused.message) if refused.label is not None else refused.message


class Teller:
    """Tells the entries of one run."""

    def __init__(self, names: Names, run: Run, paint: Paint = plain) -> None:
        self.names = names
        self.program: Program = run.program
        self.sheets = run.state.sheets
        self.paint = paint

    def lines(self, entries: Iterable[Entry]) -> Iterator[str]:
        for entry in entries:
            teller = _TELLERS.get(entry.kind)
            if teller is not None:
                yield from teller(self, entry)

    def sheet(self, sheet_id: str) -> str:
        return self.names.sheet(sheet_id, self.sheets.get(sheet_id))

    # ------------------------------------------------------------------ numbers and dice

    def value(self, entry: Entry) -> Iterator[str]:
        turn = f"{self._before(entry.name)}{self._turn(entry)}"
        title = f"{turn}{self._title(entry)} {self.names.value(entry.value)}"
        parts = parts_text(self.names, entry.detail)
        says_nothing = parts == str(entry.value) or isinstance(entry.value, str | bool)
        yield title if says_nothing or not parts else f"{title} = {parts}"

    def roll(self, entry: Entry) -> Iterator[str]:
        groups: Sequence[tuple[str, Any]] = [(group, chains) for group, chains in entry.value if chains]  # type: ignore[attr-defined]
        throw = self._throw(entry)
        labels: Mapping[str, Label] = throw.labels if throw is not None else {}
        shown = "  ".join(self._group(group, chains, labels.get(group)) for group, chains in groups) or "–"
        readings = dict(entry.detail)
        total = f" = {readings.pop('total')}" if "total" in readings else ""
        told = ", ".join(f"{self.names.label(labels.get(name), name)} {number}" for name, number in readings.items())
        again = "↻ " if entry.kind == "reroll" else ""
        turn = f"{self._before(entry.name)}{self._turn(entry)}"
        title = f"{again}{turn}{self._title(entry)}{self._dice(entry, groups)}"
        yield self.names.colon(title, f"{shown}{total}") + (f"  → {told}" if told else "")

    def _group(self, group: str, chains: Sequence[Sequence[Any]], label: Label | None) -> str:
        dice = " ".join(self.paint(f"[{'→'.join(face_text(face) for face in chain)}]", "dice") for chain in chains)
        named = self.names.label(label, group) if label is not None else self.names.key(group)
        return f"{named} {dice}" if group else dice

    def _throw(self, entry: Entry) -> Throw | None:
        return next((i for i in self.program.instructions if isinstance(i, Throw) and i.name == entry.name), None)

    def _dice(self, entry: Entry, groups: Sequence[tuple[str, Any]]) -> str:
        """Which dice were thrown, where the rules leave no doubt: ` (6d12)`."""
        throw = self._throw(entry)
        known = {group.name: next(iter(group.dice)) for group in throw.groups if len(group.dice) == 1} if throw else {}
        if not groups or not all(group in known for group, _ in groups):
            return ""
        return f" ({' + '.join(f'{len(chains)}{known[group]}' for group, chains in groups)})"

    # ------------------------------------------------------------------ choices

    def choice(self, entry: Entry) -> Iterator[str]:
        chosen = entry.value if isinstance(entry.value, tuple) else (entry.value,)
        shown = ", ".join(self.option(entry.name, one) for one in chosen) or "–"
        yield self.names.colon(f"{self._turn(entry)}{self._title(entry)}", shown)

    def option(self, choice: str, option_id: object) -> str:
        """What an option of a choice is called: by its label, or by the thing that it stands for."""
        if not isinstance(option_id, str):
            return self.names.value(option_id)
        picks = (i for i in self.program.instructions if isinstance(i, Pick) and i.name == choice)
        label = next((o.label for pick in picks for o in pick.options if o.id == option_id and o.label), None)
        return self.names.label(label, option_id) if label is not None else self.names.thing(option_id, self.sheets)

    # ------------------------------------------------------------------ what changes

    def change(self, entry: Entry) -> Iterator[str]:
        layout = self.program.layout
        register = layout.registers[layout.slots[entry.name]]
        if register.info is None:
            yield from self._effect(entry)
        elif register.part != "start" and entry.detail[1] != MADE:
            info = register.info
            changed: tuple[Any, Any] = (entry.detail[0], entry.value)
            old, now = (self.names.field_value(info, from_register(info, value)) for value in changed)
            who = self.names.thing(register.entity, self.sheets)
            yield self.names.colon(f"{who}, {self.names.field(info)}", f"{old} → {now}")

    def _effect(self, entry: Entry) -> Iterator[str]:
        kind, _, rest = entry.name.removeprefix(WORLD).partition(".")
        name, _, sheet_id = rest.partition(".")
        if kind == "effect":
            label = self.names.node(self.names.system.effects.get(name), name)
            yield self.names.say("effect_on" if entry.value else "effect_off", who=self.sheet(sheet_id), what=label)

    def listed(self, entry: Entry) -> Iterator[str]:
        """What a list takes or loses."""
        owner_id, _, name = entry.name.rpartition(RECORD_MARK)
        listed = next(one for one in self.program.layout.entities[owner_id].kind.lists if one.name == name)
        what = self.names.thing(str(entry.value), self.sheets)
        if entry.value is None:
            kind, given = kind_of(self.names.system, listed.kind), dict(entry.detail)
            held = [(info, given[info.dotted]) for info in kind.fields if info.dotted in given]
            what = self.names.held(held, self.sheets) or self.names.node(kind.sheet, listed.kind)
        label = self.names.label(listed.spec.label, name)
        sign = "+" if entry.kind == ADD else "−"
        yield self.names.colon(f"{self.names.thing(owner_id, self.sheets)}, {label}", f"{sign} {what}")

    def say(self, entry: Entry) -> Iterator[str]:
        if entry.label is not None:
            yield self.names.say("quote", text=self.names.label(entry.label, ""))

    def trigger(self, entry: Entry) -> Iterator[str]:
        name, _, who = entry.name.partition(":")
        label = self.names.node(self.names.system.triggers.get(name), name)
        yield f"⚡ {label}" + (f" ({self.sheet(who)})" if who else "")

    def begins(self, entry: Entry) -> Iterator[str]:
        yield f"▶ {self.names.node(self.names.system.periods.get(entry.name), entry.name)}"

    def ends(self, entry: Entry) -> Iterator[str]:
        yield f"■ {self.names.node(self.names.system.periods.get(entry.name), entry.name)}"

    # ------------------------------------------------------------------ titles

    def _title(self, entry: Entry) -> str:
        return self.names.label(entry.label, entry.name.rpartition(".")[2])

    def _turn(self, entry: Entry) -> str:
        """Whose turn it is in a loop."""
        return "".join(f"{self.names.thing(one, self.sheets)}, " for one in entry.about)

    def _before(self, name: str) -> str:
        """The side that a number or a roll belongs to."""
        side, dot, _ = name.partition(".")
        action = self.program.action
        if not dot or action not in self.names.system.actions or side not in self.names.system.actions[action].sides:
            return ""
        return f"{self.names.side(action, side)}, "


_TELLERS: Mapping[str, Callable[[Teller, Entry], Iterator[str]]] = {
    "value": Teller.value,
    "roll": Teller.roll,
    "reroll": Teller.roll,
    "change": Teller.change,
    "add": Teller.listed,
    "remove": Teller.listed,
    "choice": Teller.choice,
    "say": Teller.say,
    "trigger": Teller.trigger,
    "begins": Teller.begins,
    "ends": Teller.ends,
}
