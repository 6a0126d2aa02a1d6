"""Checked plain data to the model: short forms unfolded, key sets resolved, blocks joined to their actions."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from interpreter import model
from interpreter.frozen import changed
from interpreter.model import Code, Keys, Label, Names, Path, Range
from interpreter.problems import nearest

# A die with more faces is refused by the checks, and longer numbers are texts.
MOST_FACES = 10_000
MOST_DIGITS = 12

Data = Mapping[str, Any]
N = TypeVar("N", bound=model.Node)
P = TypeVar("P", bound=model.Phases)


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """A problem found by path, before the loader gives it a place."""

    code: str
    path: Path
    message: str
    hint: str = ""


class Builder:
    """Builds one rule set; `findings` collects what cannot be resolved."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.findings: list[Finding] = []
        self.language: str = (data.get("system") or {}).get("languages", ["en"])[0]
        self.roles: Mapping[str, Names] = {}
        self.tables: Mapping[str, model.Table] = {}
        self.ordered = frozenset(_ordered_tables(data))

    # ------------------------------------------------------------------ generic

    def node(self, kind: type[N], data: object, path: Path) -> N:
        """A dataclass from a mapping whose keys are its fields, or from the text that its short form stands for."""
        if data is None:
            data = {}
        if not isinstance(data, Mapping):
            data = {getattr(kind, "short"): data}  # noqa: B009 (only kinds with a short form reach this)
        values: dict[str, Any] = {"path": path}
        for name, convert in _converters(cast(Any, kind)):
            key = name.rstrip("_")
            if key in data and key != "path":
                values[name] = convert(self, data[key], (*path, key))
        return kind(**values)

    def label(self, data: object, path: Path) -> Label:
        if isinstance(data, Mapping):
            return Label({str(language): str(text) for language, text in data.items()})
        return Label({self.language: str(data)})

    def keys(self, data: object, path: Path) -> Keys:
        """`table.x`, `role.stat`, `sheet.stat`, or a list of ids."""
        if not isinstance(data, str):
            return Keys(tuple(cast(list[str], data)))
        head, _, tail = data.partition(".")
        if head == "table":
            return self._table_keys(tail, path)
        for kind in self.roles.get(head, (head,)):
            found = self._stat_keys(kind, tail)
            if found is not None:
                return found
        hint = "write `table.x`, the keyed stat or gauge of a sheet such as `self.skills`, or a list of ids"
        if data in (self.data.get("tables") or {}):
            hint = f"write `table.{data}`"
        self.findings.append(Finding("E0201", path, f"`{data}` names no set of keys.", hint))
        return Keys()

    def _table_keys(self, name: str, path: Path) -> Keys:
        table = (self.data.get("tables") or {}).get(name)
        if table is None:
            close = nearest(name, list(self.data.get("tables") or {}))
            hint = f"Did you mean `table.{close}`?" if close else ""
            self.findings.append(Finding("E0202", path, f"There is no table `{name}`.", hint))
            return Keys()
        return Keys(tuple(table.get("rows") or ()), name, name in self.ordered)

    def _stat_keys(self, kind: str, name: str) -> Keys | None:
        sheet = (self.data.get("sheets") or {}).get(kind) or {}
        for section in ("stats", "gauges", "derived", "fields"):
            stat = (sheet.get(section) or {}).get(name)
            if isinstance(stat, Mapping) and "keys" in stat:
                return self.keys(stat["keys"], ("sheets", kind, section, name, "keys"))
        return None

    def steps(self, data: object, path: Path) -> model.Steps:
        return tuple(self._variant(model.STEP_KINDS, item, (*path, i)) for i, item in enumerate(cast(list[Data], data)))

    def operations(self, data: object, path: Path) -> tuple[model.Operation, ...]:
        items = enumerate(cast(list[Data], data))
        return tuple(self._variant(model.OPERATION_KINDS, item, (*path, i)) for i, item in items)

    def _variant(self, kinds: Mapping[str, type[N]], data: Data, path: Path) -> N:
        name = next(key for key in kinds if key in data)
        return self.node(kinds[name], data, path)

    # ------------------------------------------------------------------ sections

    def system(self, fingerprint: str) -> model.System:
        data, head = self.data, self.data.get("system") or {}
        self.tables = self.section("tables", self.table)
        return model.System(
            path=("system",),
            source=head.get("source", ""),
            id=head.get("id", ""),
            title=self.label(head.get("title", head.get("id", "")), ("system", "title")),
            languages=tuple(head.get("languages", (self.language,))),
            version=head.get("version", ""),
            description=self.label(head["description"], ("system", "description")) if "description" in head else None,
            fingerprint=fingerprint,
            symbols=self.labels("symbols"),
            dice=self.section("dice", self.die),
            ladders={k: tuple(v) for k, v in (data.get("ladders") or {}).items()},
            tables=self.tables,
            people=self.labels("people"),
            records=self.section("records", self.sheet),
            sheets=self.section("sheets", self.sheet),
            periods=self.section("periods", self.plain(model.Period)),
            effects=self.section("effects", self.effect),
            procedures=self.section("procedures", self.with_roles(model.Procedure)),
            actions=self.section("actions", self.action),
            triggers=self.section("triggers", self.trigger),
            assumptions=self.section("assumptions", self.plain(model.Assumption)),
            policies=self.section("policies", self.plain(model.Policy)),
            characters=dict(data.get("characters") or {}),
            narrative=dict(data.get("narrative") or {}),
            examples=self.section("examples", self.plain(model.Example)),
        )

    def section(self, name: str, make: Callable[[object, Path], N]) -> dict[str, N]:
        return {key: make(item, (name, key)) for key, item in (self.data.get(name) or {}).items()}

    def labels(self, section: str) -> dict[str, Label]:
        return {key: self.label(text, (section, key)) for key, text in (self.data.get(section) or {}).items()}

    def plain(self, kind: type[N]) -> Callable[[object, Path], N]:
        return lambda data, path: self.node(kind, data, path)

    def with_roles(self, kind: type[N]) -> Callable[[object, Path], N]:
        def make(data: object, path: Path) -> N:
            who, several = roles_of(cast(Data, data))
            self.roles = who
            return changed(self.node(kind, data, path), who=who, several=several)

        return make

    def die(self, data: object, path: Path) -> model.DieSpec:
        faces = data.get("faces") if isinstance(data, Mapping) else data
        label = self.label(data["label"], (*path, "label")) if isinstance(data, Mapping) and "label" in data else None
        return model.DieSpec(path=path, label=label, faces=tuple(_faces(faces)))

    def table(self, data: object, path: Path) -> model.Table:
        data = cast(Data, data)
        columns, cells = self._columns(data, path), {}
        for key, row in (data.get("rows") or {}).items():
            values = (
                row
                if isinstance(row, Mapping)
                else dict(zip(columns, row if isinstance(row, list) else [row], strict=False))
            )
            cells[key] = {name: self._cell(columns.get(name), value, path) for name, value in values.items()}
        plain = self.node(model.Table, {k: v for k, v in data.items() if k not in ("columns", "rows")}, path)
        return changed(plain, columns=columns, rows=cells)

    def _columns(self, data: Data, path: Path) -> dict[str, str | Keys]:
        declared = data["columns"]
        if isinstance(declared, Mapping):
            plain = ("text", "label", "number", "flag")
            return {k: v if v in plain else self.keys(v, (*path, "columns", k)) for k, v in declared.items()}
        rows = list((data.get("rows") or {}).values())
        return {name: _guess_column(name, [_at(row, i, name) for row in rows]) for i, name in enumerate(declared)}

    def _cell(self, column: object, value: object, path: Path) -> object:
        if column == "number":
            return int(str(value)) if _is_whole(value) else value
        if column == "flag":
            return str(value).lower() in ("true", "yes")
        return self.label(value, path) if column == "label" else value

    def sheet(self, data: object, path: Path) -> model.Sheet:
        self.roles = {"self": (str(path[-1]),)}
        return self.node(model.Sheet, data, path)

    def effect(self, data: object, path: Path) -> model.Effect:
        self.roles = {"self": (cast(Data, data).get("on", ""),)}
        return self.node(model.Effect, data, path)

    def trigger(self, data: object, path: Path) -> model.Trigger:
        upon = cast(Data, data).get("upon") or {}
        subject = str(upon.get("gauge") or upon.get("field") or "")
        joined = ((self.data.get("periods") or {}).get(upon.get("joins")) or {}).get("members", "")
        self.roles = {"self": (subject.partition(".")[0] or joined,)}
        return self.node(model.Trigger, data, path)

    def action(self, data: object, path: Path) -> model.Action:
        data = cast(Data, data)
        action = self.phases(model.Action, data, path)
        sides = {
            name: self.phases(model.Phases, side or {}, (*path, "sides", name))
            for name, side in (data.get("sides") or {}).items()
        }
        return changed(action, sides=sides, outcomes=self._outcomes(data, path), report=self._report(data, path))

    def phases(self, kind: type[P], data: Data, path: Path) -> P:
        """An action or a side, with the blocks that it begins with in front of its own parts."""
        names = data.get("begins_with") or ()
        names = (names,) if isinstance(names, str) else tuple(names)
        blocks = [b for i, name in enumerate(names) if (b := self._block(name, (*path, "begins_with")))]
        who, several = roles_of(data)
        for block in blocks:
            who, several = {**block.who, **who}, several | block.several
        self.roles = who
        skipped = ("who", "begins_with", "sides", "outcomes", "report")
        own = self.node(kind, {k: v for k, v in data.items() if k not in skipped}, path)
        joined = {
            part: _join([getattr(block, part) for block in (*blocks, own)])
            for part in ("inputs", "require", "before", "values", "steps")
        }
        return changed(own, begins_with=names, who=who, several=several, **joined)

    def _block(self, name: str, path: Path) -> model.Phases | None:
        blocks = self.data.get("blocks") or {}
        if name not in blocks:
            close = nearest(name, list(blocks))
            self.findings.append(
                Finding("E0203", path, f"There is no block `{name}`.", f"Did you mean `{close}`?" if close else "")
            )
            return None
        return self.phases(model.Phases, blocks[name], ("blocks", name))

    def _outcomes(self, data: Data, path: Path) -> Mapping[str, model.Outcome]:
        declared = data.get("outcomes") or {}
        where: Path = (*path, "outcomes")
        if isinstance(declared, str):
            sets = self.data.get("outcome_sets") or {}
            if declared not in sets:
                close = nearest(declared, list(sets))
                hint = f"Did you mean `{close}`?" if close else ""
                self.findings.append(Finding("E0204", where, f"There is no outcome set `{declared}`.", hint))
            where, declared = ("outcome_sets", declared), sets.get(declared) or {}
        return {name: self.node(model.Outcome, item, (*where, name)) for name, item in declared.items()}

    def _report(self, data: Data, path: Path) -> Mapping[str, Code]:
        declared = data.get("report") or {}
        where: Path = (*path, "report")
        if isinstance(declared, list):
            return {name: Code(name, (*where, i)) for i, name in enumerate(declared)}
        return {name: Code(str(text), (*where, name)) for name, text in declared.items()}


# ---------------------------------------------------------------------- helpers


def roles_of(data: Data) -> tuple[dict[str, Names], frozenset[str]]:
    """The kinds that each role of `who` may be, and the roles that are several sheets."""
    said = (data.get("who") or {}).items()
    who = {role: tuple(kinds.split(" or ")) if isinstance(kinds, str) else tuple(kinds) for role, kinds in said}
    return who, frozenset(role for role, kinds in said if not isinstance(kinds, str))


def _ordered_tables(data: Data) -> Iterator[str]:
    """Tables whose rows rank: those that say so, and those that give a gauge its steps."""
    yield from (name for name, table in (data.get("tables") or {}).items() if table.get("ordered"))
    for sheet in (data.get("sheets") or {}).values():
        for gauge in (sheet.get("gauges") or {}).values():
            if isinstance(gauge, Mapping) and "steps" in gauge:
                yield str(gauge["steps"]).removeprefix("table.")


def _join(parts: list[Any]) -> Any:
    if isinstance(parts[0], Mapping):
        return {key: item for part in parts for key, item in part.items()}
    return tuple(item for part in parts for item in part)


def _faces(data: object) -> Iterator[int | str]:
    if isinstance(data, str):
        low, _, high = data.partition("..")
        first, last = (int(end[: MOST_DIGITS + 1]) for end in (low, high))
        yield from range(first, min(last, first + MOST_FACES) + 1)
        return
    for face in cast(list[object], data):
        text = "_" if face is None else str(face)
        yield int(text) if _is_whole(text) else text


def _is_whole(value: object) -> bool:
    text = str(value)
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS


def _at(row: object, index: int, name: str) -> object:
    if isinstance(row, Mapping):
        return row.get(name)
    cells = row if isinstance(row, list) else [row]
    return cells[index] if index < len(cells) else None


def _guess_column(name: str, cells: list[object]) -> str | Keys:
    """What a column without a declared type holds: it follows from its cells."""
    if name == "label":
        return "label"
    if cells and all(_is_whole(cell) for cell in cells):
        return "number"
    if cells and all(str(cell).lower() in ("true", "false", "yes", "no") for cell in cells):
        return "flag"
    return "text"


def _code(builder: Builder, data: object, path: Path) -> Code:
    return Code(("true" if data else "false") if isinstance(data, bool) else str(data), path)


def _range(builder: Builder, data: object, path: Path) -> Range:
    low, dots, high = str(data).partition("..")
    if not dots:
        return Range(Code(low, path), Code(low, path))
    return Range(
        Code(low.strip(), path) if low.strip() else None,
        Code(high.strip(), path) if high.strip() else None,
    )


def _names(builder: Builder, data: object, path: Path) -> Names:
    return (data,) if isinstance(data, str) else tuple(cast(list[str], data))


Converter = Callable[[Builder, Any, Path], Any]
_SCALARS: dict[Any, Converter] = {
    Code: _code,
    Label: Builder.label,
    Keys: Builder.keys,
    Range: _range,
    Names: _names,
    model.Steps: Builder.steps,
    tuple[model.Operation, ...]: Builder.operations,
}


@cache
def _converters(kind: type[model.Node]) -> tuple[tuple[str, Converter], ...]:
    """How each field of a dataclass is made from data, read off its annotation."""
    hints = typing.get_type_hints(kind)
    return tuple((name, _converter(hints[name])) for name in kind.FIELDS if name != "path")


def _converter(hint: Any) -> Converter:
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _union([_pair(option) for option in arguments if option is not types.NoneType])
    if origin is Mapping:
        inner = _converter(arguments[1])
        return lambda b, data, path: {key: inner(b, item, (*path, key)) for key, item in (data or {}).items()}
    if origin is tuple:
        inner = _converter(arguments[0])
        return lambda b, data, path: tuple(
            inner(b, item, (*path, i)) for i, item in enumerate(data if isinstance(data, list) else [data])
        )
    if isinstance(hint, type) and issubclass(hint, model.Node):
        return lambda b, data, path: b.node(hint, data, path)
    return lambda b, data, path: data


def _pair(hint: Any) -> tuple[bool, Converter]:
    return typing.get_origin(hint) is Mapping, _converter(hint)


def _union(options: list[tuple[bool, Converter]]) -> Converter:
    """Of `X | Mapping[...]` the one that fits the data; of `X | None` the only one."""
    mappings = [convert for is_mapping, convert in options if is_mapping]
    others = [convert for is_mapping, convert in options if not is_mapping]

    def convert(builder: Builder, data: Any, path: Path) -> Any:
        fitting = mappings if isinstance(data, Mapping) and mappings else others
        return fitting[0](builder, data, path)

    return convert
