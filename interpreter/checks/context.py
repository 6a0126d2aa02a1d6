"""Everything that the checks of one system share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from interpreter.checks.dice import Dice, Faces
from interpreter.checks.finding import ABSENT, Check, Related, Report, part_of, text_at
from interpreter.checks.kinds import Kinds, World
from interpreter.checks.policies import Policies
from interpreter.checks.reader import MOST_GUESSES, Coverage, Reader
from interpreter.checks.values import Values
from interpreter.checks.walk import steps, targets_of
from interpreter.expressions import Number
from interpreter.expressions.faults import listed
from interpreter.fields import kind_of, whole
from interpreter.model import Input, Node, Path, RollSpec, System
from interpreter.problems import nearest

if TYPE_CHECKING:
    from interpreter.checks.calls import Procedures
    from interpreter.checks.state import State

UNKNOWN_KIND = Check(
    "E0215",
    "a kind of sheet or record that does not exist",
    "Kinds are declared in the sections `sheets` and `records`.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  run:
    who: {self: heroes}
    steps: [{say: He runs.}]
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
actions:
  run:
    who: {self: hero}
    steps: [{say: He runs.}]
""",
)
CHECKS = (UNKNOWN_KIND,)
# So many names are shown where none is near.
MOST_SHOWN = 8


class Context:
    """The system, its data as read, and the parts that work out types."""

    def __init__(self, system: System, data: Mapping[str, Any], report: Report) -> None:
        self.system = system
        self.data = data
        self.report = report
        self.bad_tables: set[str] = set()
        self.reader = Reader(report, self.raw, self._rows, self._cells)
        self.dice = Dice(self)
        self.kinds = Kinds(self)
        self.world = World(self)
        self.values = Values(self)
        self.policies = Policies(self)
        self.roll_specs: dict[Path, RollSpec] = {}
        self.roll_faces: dict[Path, Mapping[str, Faces]] = {}
        self.roll_counts: dict[Path, Mapping[str, Number]] = {}
        self.endings: dict[str, State] = {}
        self.read_paths: set[Path] = set()
        self.procedures: Procedures

    def _rows(self, table: str) -> Coverage | None:
        """What the rows of a table stand for, unless their fault is told already."""
        return None if table in self.bad_tables else self.kinds.coverage(table)

    def _cells(self, code: str, set_of_keys: str, column: str) -> Related:
        """A row of `table.x` because of which a column may be absent, or is a text where most of its cells are
        numbers."""
        table = self.system.tables.get(set_of_keys.removeprefix("table."))
        if table is None:
            return ()
        cells = {key: row.get(column) for key, row in table.rows.items()}
        if code == "E0326":
            odd, words = [key for key, cell in cells.items() if cell is None], "this row has none"
        else:
            odd, words = [key for key, cell in cells.items() if whole(cell) is None], "this cell is no number"
            odd = odd if len(odd) * 2 < len(cells) else []
        return ((words, (*table.path, "rows", odd[0])),) if odd else ()

    # ------------------------------------------------------------------ data

    def raw(self, path: Path) -> str | None:
        return text_at(self.data, path)

    def value_at(self, path: Path) -> object:
        """What stands at a path, or None."""
        data: object = self.data
        for part in path:
            data = part_of(data, part)
        return None if data is ABSENT else data

    @cached_property
    def persons(self) -> tuple[str, ...]:
        """The people without a sheet: those declared, or else those named in `by` and in `asked`."""
        if self.system.people:
            return tuple(self.system.people)
        found = [action.by for action in self.system.actions.values() if action.by]
        every: list[Mapping[str, Input]] = [action.inputs for action in self.system.actions.values()]
        every += [side.inputs for action in self.system.actions.values() for side in action.sides.values()]
        every += [procedure.inputs for procedure in self.system.procedures.values()]
        found += [spec.asked for inputs in every for spec in inputs.values() if spec.asked]
        return tuple(dict.fromkeys(found))

    # ------------------------------------------------------------------ reports

    def unknown(
        self,
        check: Check,
        path: Path,
        what: str,
        name: str,
        known: Iterable[str],
        *,
        on: Literal["key", "value"] = "value",
        offset: int = 0,
    ) -> None:
        """Tells that a name means nothing, with the nearest one that does."""
        names = tuple(dict.fromkeys(known))
        self.reader.guesses += 1
        near = nearest(name, names) if self.reader.guesses < MOST_GUESSES else None
        hint = f"Did you mean `{near}`?" if near else ""
        if not near and 0 < len(names) <= MOST_SHOWN:
            hint = f"There is {listed(names, 'and')}."
        length = len(name) if offset else None
        self.report.add(check, path, f"There is no {what} `{name}`.", hint, on=on, offset=offset, length=length)

    def unknown_kind(self, path: Path, name: str) -> None:
        self.unknown(UNKNOWN_KIND, path, "kind of sheet or record", name, [*self.system.sheets, *self.system.records])

    def note_reads(self, *named: Mapping[str, Node]) -> None:
        """Remembers which of some inputs and values were read since the last time."""
        for nodes in named:
            self.read_paths |= {node.path for name, node in nodes.items() if name in self.reader.words}
        self.reader.words.clear()

    # ------------------------------------------------------------------ what can change

    @cached_property
    def steady(self) -> frozenset[str]:
        """The names of parts that no trigger and no procedure writes, and that nothing is computed for."""
        system = self.system
        kinds = [kind_of(system, name) for section in (system.sheets, system.records) for name in section]
        stored = {"owner", *(info.name for kind in kinds for info in kind.fields)}
        stored |= {listed.name for kind in kinds for listed in kind.lists}
        computed = {name for kind in kinds for name in kind.sheet.derived} | set(system.effects)
        kept = {info.name for kind in kinds for info in kind.fields if getattr(info.spec, "keeps", False)}
        written: set[str] = set()
        for part in (system.triggers, system.procedures):
            for step in steps(part):
                written |= {word for target in targets_of(step) for word in _WORD.findall(target)}
        return frozenset(stored - computed - kept - written - {"max", "min"})

    # ------------------------------------------------------------------ words of the whole text

    @cached_property
    def words(self) -> frozenset[str]:
        """Every dotted pair of words such as `table.x` and `assume.x` that stands somewhere in the rules."""
        found: set[str] = set()
        waiting: list[object] = [self.data]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Mapping):
                waiting += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                waiting += item
            elif isinstance(item, str) and "." in item:
                found.update(_DOTTED.findall(item))
        return frozenset(found)


_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_DOTTED = re.compile(r"\b(?:table|assume)\.[a-z_][a-z0-9_]*")
