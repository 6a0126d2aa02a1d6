"""Reads the expressions of rules: each is typed once in its scope, and its faults are told at their column."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache

from interpreter import expressions
from interpreter.checks.finding import Check, Related, Report
from interpreter.checks.parts import SIZE, Part, reads
from interpreter.checks.scopes import FLAG, Place, is_space
from interpreter.expressions import (
    Expression,
    Family,
    Fault,
    Key,
    Many,
    Number,
    Optional,
    Thing,
    Type,
    Typed,
    describe,
)
from interpreter.model import Code, Path

parsed = lru_cache(maxsize=8192)(expressions.parse)

UNSET = Check(
    "E0221",
    "a name that may not have a value yet",
    "A name can be read only where every way that leads there has given it a value.",
    failing="""
actions:
  search:
    inputs: {hurried: {flag: false}}
    steps:
      - if: hurried
        then: [{let: {bonus: 2}}]
      - roll: {throw: 1d6}
    outcomes:
      found: {when: throw + bonus > 5}
      nothing:
""",
    passing="""
actions:
  search:
    inputs: {hurried: {flag: false}}
    steps:
      - let: {bonus: 0}
      - if: hurried
        then: [{let: {bonus: 2}}]
      - roll: {throw: 1d6}
    outcomes:
      found: {when: throw + bonus > 5}
      nothing:
""",
)
NOT_SINGLE = Check(
    "E0329",
    "a list, a family or a roll where one value is wanted",
    "Where one value is wanted, one item, one key or one reading of a roll must be named.",
    failing="""
actions:
  search:
    steps:
      - roll: {throw: {dice: 3, die: d6, count: {six: face == 6}}}
      - say: "Result: {throw}"
""",
    passing="""
actions:
  search:
    steps:
      - roll: {throw: {dice: 3, die: d6, count: {six: face == 6}}}
      - say: "Result: {throw.six}"
""",
)
OFF_TABLE = Check(
    "E0416",
    "a number that may be off its table",
    "A table that is looked up by a number must have a row for every number that can come.",
    failing="""
tables:
  wounds:
    columns: [loss]
    rows: {1-3: [1], 4-6: [2]}
actions:
  strike:
    inputs: {bonus: {int: 0..2}}
    steps:
      - roll: {throw: 1d6}
      - let: {loss: "table.wounds[throw + bonus].loss"}
      - say: "{loss}"
""",
    passing="""
tables:
  wounds:
    columns: [loss]
    rows: {1-3: [1], 4-6: [2]}
actions:
  strike:
    inputs: {bonus: {int: 0..2}}
    steps:
      - roll: {throw: 1d6}
      - let: {loss: "table.wounds[min(6, throw + bonus)].loss"}
      - say: "{loss}"
""",
)
# Faults of names; after so many of them, what was meant is no longer guessed: guessing is slow.
NAMES = ("E0311", "E0312", "E0314")
MOST_GUESSES = 200
# So many conditions, the latest that say anything of it, help to type an expression.
MOST_FACTS = 40
EQUAL = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
CHECKS = (UNSET, NOT_SINGLE, OFF_TABLE)


class Reader:
    """`raw` gives the text that stands at a path, of which an expression may be a part; `rows` what the rows of a table
    stand for, `cells` the cells because of which a column is not what is wanted; `broken` are parts of things whose
    fault is already told."""

    def __init__(
        self,
        report: Report,
        raw: Callable[[Path], str | None],
        rows: Callable[[str], Coverage | None],
        cells: Callable[[str, str, str], Related],
    ) -> None:
        self.report = report
        self.raw = raw
        self.rows = rows
        self.cells = cells
        self.broken: set[str] = set()
        self.words: set[str] = set()
        self.guesses = 0
        self._listeners: list[Counter[Part]] = []

    @contextmanager
    def listening(self) -> Iterator[Counter[Part]]:
        """Gathers the (kind, part) pairs that the expressions within read, how often, and under SIZE their size."""
        self._listeners.append(Counter())
        try:
            yield self._listeners[-1]
        finally:
            self._listeners.pop()

    def read(
        self,
        code: Code,
        scope: Place,
        want: Type | None = None,
        knowing: Sequence[Expression] = (),
        *,
        base: int | None = None,
        on_key: bool = False,
    ) -> Typed | None:
        """The expression typed, or None when it cannot be read; its type is None when it has none."""
        expression = parsed(code.text)
        start = self.offset(code) if base is None else base
        if isinstance(expression, tuple):
            for fault in expression:
                self._tell(code, fault, start, on_key)
            return None
        guess = self.guesses < MOST_GUESSES
        typed = expressions.analyse(expression, scope, want, relevant(code.text, knowing), guess=guess)
        self.guesses += sum(fault.code in NAMES for fault in typed.faults)
        faults = tuple(fault for fault in typed.faults if not (fault.code == "E0326" and may_be_absent(typed, fault)))
        for fault in faults:
            if not _is_key_of_unknown(code.text, fault, faults):
                cells = self._cells_in(typed, fault.code, fault.start, fault.end)
                self._tell_in(code, fault, start, on_key, scope, cells)
        self._look_up(code, typed, start, on_key)
        self.words.update(names_and_parts(typed.tree))
        if self._listeners:
            self._listeners[-1].update(reads(typed))
            self._listeners[-1][SIZE] += sum(1 for _ in ast.walk(typed.tree))
        return typed if len(faults) == len(typed.faults) else replace(typed, faults=faults)

    def type_of(
        self, code: Code, scope: Place, want: Type | None = None, knowing: Sequence[Expression] = ()
    ) -> Type | None:
        typed = self.read(code, scope, want, knowing)
        return typed.type if typed is not None and not typed.faults else None

    def single(
        self, code: Code, scope: Place, knowing: Sequence[Expression] = (), base: int | None = None
    ) -> Type | None:
        """The type of one value, which must be there: no list, no family, no bare roll."""
        typed = self.read(code, scope, None, knowing, base=base)
        if typed is None or typed.faults or typed.type is None:
            return None
        start = self.offset(code) if base is None else base
        related = self._cells_in(typed, "E0326", 0, len(code.text))
        return typed.type if self.is_single(code, typed.type, start, related) else None

    def is_single(self, code: Code, type_: Type, start: int = 0, related: Related = ()) -> bool:
        """Whether it is one value; tells it when not."""
        if isinstance(type_, Optional):
            hint = f"Ask first: given({code.text}) and …, or: … if given({code.text}) else …"
            self.report.add(
                "E0326",
                code.path,
                f"`{code.text}` may be absent.",
                hint,
                offset=start,
                length=len(code.text),
                related=related,
            )
            return False
        if isinstance(type_, Many | Family) or is_space(type_):
            message = f"One value is wanted here, and `{code.text}` is {describe(type_)}."
            self.report.add(NOT_SINGLE, code.path, message, offset=start, length=len(code.text))
            return False
        return True

    def condition(self, code: Code, scope: Place, knowing: Sequence[Expression] = ()) -> Expression | None:
        """A condition, for what it teaches where it holds; None when it cannot be read."""
        typed = self.read(code, scope, FLAG, knowing)
        expression = parsed(code.text)
        return expression if typed is not None and not typed.faults and isinstance(expression, Expression) else None

    def divisor(self, code: Code, scope: Place, knowing: Sequence[Expression] = ()) -> None:
        """Tells when what something is divided by may be zero."""
        opening = "1 / ("
        expression = parsed(f"{opening}{code.text})")
        if isinstance(expression, tuple):
            return
        start = self.offset(code)
        for fault in expressions.analyse(expression, scope, None, relevant(code.text, knowing)).faults:
            if fault.code == "E0325":
                hint = "Let it count only when that is not zero: `when: … != 0`."
                self.report.add("E0325", code.path, fault.message, hint, offset=start, length=len(code.text))

    # ------------------------------------------------------------------ places

    def offset(self, code: Code) -> int:
        """Where the expression begins in the text that holds it: `self.x` in `0..self.x`."""
        written = self.raw(code.path)
        if written is None or written == code.text:
            return 0
        return max(0, written.rfind(code.text))

    def _cells_in(self, typed: Typed, code: str, start: int, end: int) -> Related:
        """The cell because of which a column that is read there may be absent, or is a text."""
        for node in ast.walk(typed.tree) if code in ("E0321", "E0326") else ():
            if isinstance(node, ast.Attribute) and start <= node.col_offset and (node.end_col_offset or 0) <= end:
                key = typed.types.get(node.value)
                cells = self.cells(code, key.name, node.attr) if isinstance(key, Key) else ()
                if cells:
                    return cells
        return ()

    def _tell_in(self, code: Code, fault: Fault, start: int, on_key: bool, scope: Place, related: Related = ()) -> None:
        word = code.text[fault.start : fault.end]
        if fault.code == "E0312" and word in self.broken:
            return
        if fault.code == "E0311" and word in scope.broken:
            return
        if fault.code == "E0311" and word in scope.unset:
            where = scope.unset[word]
            message = f"`{word}` may not have a value yet: not every way that leads here gives it one."
            self.report.add(
                UNSET,
                code.path,
                message,
                "Give it a first value before, or read it only where it is set.",
                on="key" if on_key else "value",
                offset=start + fault.start,
                length=len(word),
                related=(("it gets a value here", where),),
            )
            return
        self._tell(code, fault, start, on_key, related)

    def _tell(self, code: Code, fault: Fault, start: int, on_key: bool, related: Related = ()) -> None:
        self.report.add(
            fault.code,
            code.path,
            fault.message,
            fault.hint,
            on="key" if on_key else "value",
            offset=start + fault.start,
            length=max(1, fault.end - fault.start),
            related=related,
        )

    # ------------------------------------------------------------------ tables by number

    def _look_up(self, code: Code, typed: Typed, start: int, on_key: bool) -> None:
        """Tells of numbers that a table has no row for."""
        for node in ast.walk(typed.tree):
            if not isinstance(node, ast.Subscript):
                continue
            family, index = typed.types.get(node.value), typed.types.get(node.slice)
            if not isinstance(family, Family) or not isinstance(family.keys, Number) or not isinstance(index, Number):
                continue
            name = node.value.attr if isinstance(node.value, ast.Attribute) else ""
            coverage = self.rows(name)
            missing = coverage.missing(index) if coverage is not None else ""
            if missing:
                shown = code.text[node.slice.col_offset : node.slice.end_col_offset]
                self.report.add(
                    OFF_TABLE,
                    code.path,
                    f"`{shown}` may be {missing}, and `table.{name}` has no row for that.",
                    "Keep it within the rows with clamp(x, low, high), or give the table an open row such as `10+`.",
                    on="key" if on_key else "value",
                    offset=start + node.slice.col_offset,
                    length=len(shown),
                )


def relevant(text: str, knowing: Sequence[Expression]) -> Sequence[Expression]:
    """Those of some conditions that can say anything of what an expression reads, be it through one another."""
    if not knowing:
        return knowing
    wanted = set(subjects(text))
    found: list[Expression] = []
    for condition in reversed(knowing):
        own = subjects(condition.text)
        if len(found) == MOST_FACTS:
            break
        if not wanted.isdisjoint(own):
            wanted |= own
            found.append(condition)
    return found[::-1]


@lru_cache(maxsize=8192)
def subjects(text: str) -> frozenset[str]:
    """The names that an expression reads; of the sheet at hand, its parts."""
    expression = parsed(text)
    if not isinstance(expression, Expression):
        return frozenset()
    found = set()
    for node in ast.walk(expression.tree):
        if isinstance(node, ast.Name) and node.id != "self":
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            found.add(f"self.{node.attr}")
    return frozenset(found)


def names_and_parts(tree: ast.expr) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _is_key_of_unknown(text: str, fault: Fault, faults: Iterable[Fault]) -> bool:
    """Whether a name may be a key of something that is unknown itself: `mare` of `table.liex[mare]`."""
    before = text[: fault.start].rstrip()
    return fault.code == "E0311" and before.endswith("[") and any(other.end == len(before) - 1 for other in faults)


def may_be_absent(typed: Typed, fault: Fault) -> bool:
    """Whether something that may be absent is only compared: a thing or an id that is not there equals nothing."""
    for node in ast.walk(typed.tree):
        if not isinstance(node, ast.Compare) or not all(isinstance(op, EQUAL) for op in node.ops):
            continue
        for operand in (node.left, *node.comparators):
            if (operand.col_offset, operand.end_col_offset) == (fault.start, fault.end):
                type_ = typed.types.get(operand)
                return isinstance(type_, Thing) or (isinstance(type_, Key) and not type_.ordered)
    return False


class Coverage:
    """The numbers that the rows of a table stand for."""

    def __init__(self, ranges: Iterable[tuple[int | None, int | None]]) -> None:
        self.ranges = sorted(ranges, key=lambda pair: (pair[0] is not None, pair[0] or 0))

    def missing(self, number: Number) -> str:
        """Some of the numbers in a range that no row stands for, in words; empty when there are none."""
        gaps = self.gaps(
            None if number.low is None else int(number.low), None if number.high is None else int(number.high)
        )
        return " or ".join(map(_shown, gaps[:3]))

    def gaps(self, low: int | None, high: int | None) -> list[tuple[int | None, int | None]]:
        """The stretches between `low` and `high` without a row."""
        found: list[tuple[int | None, int | None]] = []
        place = low
        open_below = low is None
        for first, last in self.ranges:
            if first is not None and (open_below or (place is not None and first > place)):
                end = first - 1 if high is None else min(first - 1, high)
                if open_below or place is None or place <= end:
                    found.append((None if open_below else place, end))
            if last is None:
                return found
            place = last + 1 if open_below or place is None else max(place, last + 1)
            open_below = False
            if high is not None and place > high:
                return found
        if high is None or place is None or place <= high:
            found.append((place, high))
        return found


def _shown(gap: tuple[int | None, int | None]) -> str:
    low, high = gap
    if low == high:
        return str(low)
    if low is None:
        return f"{high} or less"
    return f"{low} or more" if high is None else f"{low} to {high}"
