"""What the formulas of sheets read, and the circles that come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interpreter.checks.cycles import chain
from interpreter.checks.finding import Check
from interpreter.checks.graph import cycles, in_order
from interpreter.checks.kinds import bound_codes
from interpreter.checks.parts import SIZE, Part, reads
from interpreter.defaults import start_code, start_dice
from interpreter.fields import FieldInfo, Kind, kind_of
from interpreter.model import Code, Field, Gauge, Path, Stat

if TYPE_CHECKING:
    from interpreter.checks.context import Context

_DOUBLED = "\n".join(
    f"      {name}: self.{last} + self.{last}" for last, name in zip("abcdefghijklmn", "bcdefghijklmno", strict=True)
)
DERIVED = Check(
    "E0404",
    "derived values that depend on themselves",
    "A derived value, or the bound of a gauge that it reads, never depends on itself, directly or through others.",
    failing="""
sheets:
  hero:
    stats: {body: 1..6}
    derived:
      strength: self.speed + 1
      speed: self.strength + self.body
actions:
  push:
    who: {self: hero}
    steps: [{say: "{self.strength}"}]
""",
    passing="""
sheets:
  hero:
    stats: {body: 1..6}
    derived:
      strength: self.speed + 1
      speed: self.body
actions:
  push:
    who: {self: hero}
    steps: [{say: "{self.strength}"}]
""",
)
FIRST_VALUES = Check(
    "E0405",
    "first values that depend on one another",
    "What a sheet starts with is worked out one after another, so that no start or default depends on itself.",
    failing="""
sheets:
  hero:
    gauges:
      life: {range: 0..20, start: self.breath + 2}
      breath: {range: 0..20, start: self.life - 2}
""",
    passing="""
sheets:
  hero:
    gauges:
      life: {range: 0..20, start: 12}
      breath: {range: 0..20, start: self.life - 2}
""",
)
TOO_LARGE = Check(
    "E0409",
    "a derived value that is too large when written out",
    "A derived value stands for the whole formula behind it; with all those that it reads written out it has a limit.",
    failing=f"""
sheets:
  hero:
    stats: {{body: 1..6}}
    derived:
      a: self.body + 1
{_DOUBLED}
actions:
  push:
    who: {{self: hero}}
    steps: [{{say: "{{self.o}}"}}]
""",
    passing="""
sheets:
  hero:
    stats: {body: 1..6}
    derived:
      a: self.body + 1
      b: 2 * self.a
      c: 2 * self.b
actions:
  push:
    who: {self: hero}
    steps: [{say: "{self.c}"}]
""",
)
CHECKS = (DERIVED, FIRST_VALUES, TOO_LARGE)

# Parts of formulas, once every derived value is written out where it is read.
MOST_PARTS = 20_000


class Dependencies:
    """What each part of each kind reads: derived values, bounds, and first values."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.stored: dict[Part, tuple[Kind, FieldInfo]] = {}
        self.families: dict[Part, list[Part]] = {}
        self.sizes: dict[Part, int] = {}
        self._values: dict[Part, list[Part]] = {}
        self._firsts: dict[Part, list[Part]] = {}
        self.paths: dict[Part, Path] = {}
        for section in (context.system.sheets, context.system.records):
            for name in section:
                self._kind(kind_of(context.system, name))

    def _kind(self, kind: Kind) -> None:
        for name, spec in kind.sheet.derived.items():
            self._values[kind.name, name] = sorted(
                part for part in self.context.values.read_by.get((kind.name, name), ()) if part != SIZE
            )
            self.paths[kind.name, name] = spec.path
        for info in kind.fields:
            part = (kind.name, info.dotted)
            self.stored[part] = (kind, info)
            self.paths[part] = info.spec.path
            if info.key is not None:
                self.families.setdefault((kind.name, info.name), []).append(part)
            for bound, code in zip(("min", "max"), bound_codes(info), strict=True):
                node = (kind.name, f"{info.dotted}#{bound}")
                self._values[node] = self._read(kind, info, code) if code is not None and code.text != "start" else []
                self.paths[node] = code.path if code is not None else info.spec.path
            self._firsts[part] = self._first(kind, info)

    def _read(self, kind: Kind, info: FieldInfo, code: Code) -> list[Part]:
        with self.context.report.muted():
            typed = self.context.reader.read(code, self.context.kinds.own_scope(kind.name, info))
        return list(dict.fromkeys(reads(typed))) if typed is not None else []

    def _first(self, kind: Kind, info: FieldInfo) -> list[Part]:
        """What the first value of a stored part reads."""
        spec = info.spec
        if isinstance(spec, Gauge):
            code = start_code(info)
            if code is None or code.text == "max":
                return [(kind.name, f"{info.dotted}#{'min' if code is None else 'max'}")]
            return [] if start_dice(info) else self._read(kind, info, code)
        default = spec.default if isinstance(spec, Stat | Field) else None
        return self._read(kind, info, default) if default is not None and info.sort == "number" else []

    # ------------------------------------------------------------------ circles

    def value_edges(self, node: Part) -> list[Part]:
        """What must be computed to read a part now: stored values are at hand, unless they are cut at a bound."""
        if node in self.stored:
            info = self.stored[node][1]
            return [(node[0], f"{node[1]}#max")] if isinstance(info.spec, Gauge) and info.spec.keeps else []
        return self.families.get(node) or self._values.get(node, [])

    def first_edges(self, node: Part) -> list[Part]:
        """What must be known to give a part its first value."""
        if node in self.stored:
            return self._firsts[node]
        found = self.families.get(node) or self._values.get(node, [])
        kind, _, bound = node[1].partition("#")
        if bound == "max" and (node[0], kind) in self.stored:
            code = bound_codes(self.stored[node[0], kind][1])[1]
            return [(node[0], kind)] if code is not None and code.text == "start" else found
        return found

    def check(self) -> None:
        told: set[Part] = set()
        nodes = [*self._values, *self.stored]
        for cycle in cycles(nodes, self.value_edges):
            told.update(cycle)
            self._tell(DERIVED, cycle, "This depends on itself")
        for cycle in cycles([*self.stored, *self._values], self.first_edges):
            if not told & set(cycle):
                self._tell(FIRST_VALUES, cycle, "These first values depend on one another")

    def check_sizes(self) -> None:
        """Tells of derived values that would be too large with all those that they read written out."""
        read_by = self.context.values.read_by
        sizes: dict[Part, int] = {}
        for part in in_order(read_by, lambda part: [other for other in read_by[part] if other in read_by]):
            found = read_by[part]
            inner = sum(times * sizes.get(other, 0) for other, times in found.items() if other != SIZE)
            sizes[part] = found[SIZE] + inner
            if sizes[part] > MOST_PARTS and found[SIZE] <= MOST_PARTS:
                message = f"Written out, `{part[1]}` has {sizes[part]} parts; at most {MOST_PARTS} will do."
                self.context.report.add(TOO_LARGE, self.paths[part], message, "Read each of the others once.", on="key")
                sizes[part] = 1

    def _tell(self, check: Check, cycle: tuple[Part, ...], words: str) -> None:
        shown = chain(f"{kind}.{name.replace('#', '.')}" for kind, name in cycle)
        related = tuple(
            (f"{kind}.{name}", self.paths[kind, name]) for kind, name in cycle[1:-1] if (kind, name) in self.paths
        )
        path = next((self.paths[part] for part in cycle if part in self.paths), ())
        self.context.report.add(
            check, path, f"{words}: {shown}.", "Break the circle at one of them.", on="key", related=related
        )
