"""What the names of expressions stand for: sheets, values of sheets, ids, rolls, and how each is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from interpreter.documentation.blocks import Inline, Term
from interpreter.documentation.phrases import Value, say
from interpreter.model import Field, Gauge, Input, Keys, Label, Node, Phases, RollSpec, Sheet, Stat, System
from interpreter.model import Value as Computed
from interpreter.render.names import Names

Spec = Stat | Gauge | Field | Computed
SECTIONS = ("stats", "gauges", "fields", "derived")
# How tightly parts of an expression hold together; looser parts within tighter ones are put in brackets.
CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, PART = range(9)


@dataclass(frozen=True, slots=True)
class Sense:
    """What a part of an expression stands for, and its words.

    `kind` is that of a sheet or record, `ids` the set of which a value is one, `family` the keys of a family of values,
    `plain` a family whose values are called by their keys alone, with its owner, `whose`, where that is not the one who
    acts; what is `implied` is not named as an owner.
    """

    words: Inline = ()
    tight: int = PART
    kind: str = ""
    many: bool = False
    ids: Keys | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)
    family: Keys | None = None
    plain: bool = False
    whose: Inline = ()
    roll: RollSpec | None = None
    members: Mapping[str, Sense] | None = None
    implied: bool = False
    flag: bool = False
    gauge: bool = False
    number: bool = False


Scope = Mapping[str, Sense]


class Lexicon:
    """What the things of one system are called in one language."""

    def __init__(self, names: Names, prefix: str = "") -> None:
        self.names = names
        self.prefix = prefix

    @property
    def system(self) -> System:
        return self.names.system

    def say(self, what: str, /, **values: Value) -> Inline:
        return say(self.names.language, what, **values)

    def term(self, label: Label | None, name: str) -> Inline:
        """A name of the game; one without a label is called as the same name is elsewhere."""
        return (Term(self.names.label(label or self._elsewhere.get(name), name)),)

    @cached_property
    def _elsewhere(self) -> dict[str, Label]:
        """The labels of readings, reported numbers, columns, values and inputs: the first of each name."""
        found: dict[str, Label] = {}
        for node in every_node(self.system):
            for name, label in getattr(node, "labels", {}).items():
                found.setdefault(name, label)
            if isinstance(node, Phases):
                named = {**node.values, **node.inputs}
                for name, label in ((name, one.label) for name, one in named.items() if one.label is not None):
                    found.setdefault(name, label)
        return found

    def anchor(self, *parts: object) -> str:
        """The place of a part on the page."""
        return "-".join([*([self.prefix] if self.prefix else []), *(str(part) for part in parts)])

    def kind_label(self, kind: str) -> Inline:
        return (Term(self.names.kind(kind)),)

    def key(self, name: str, sense: Sense) -> Inline:
        """An id of the set that a value is one of."""
        return (Term(self.names.key(name, sense.ids, sense.labels)),)

    # ------------------------------------------------------------------ sheets

    def sheet(self, kind: str) -> Sheet | None:
        return self.system.sheets.get(kind) or self.system.records.get(kind)

    def declared(self, kind: str, name: str) -> Spec | None:
        """What a kind of sheet or record declares under a name."""
        sheet = self.sheet(kind)
        if sheet is None:
            return None
        return next((one[name] for section in SECTIONS if name in (one := getattr(sheet, section))), None)

    def field(self, kind: str, name: str) -> Sense | None:
        """A value of a sheet."""
        spec = self.declared(kind, name)
        if spec is None:
            return None
        sense = Sense(self.term(spec.label, name), gauge=isinstance(spec, Gauge))
        if spec.keys is not None:
            plain = self._first_family(kind, spec.keys) == name
            labels = getattr(spec, "labels", {})
            return replace(_typed(sense, spec), family=spec.keys, plain=plain, labels=labels)
        return _typed(sense, spec)

    def _first_family(self, kind: str, keys: Keys) -> str:
        """The stat or gauge that owns a set of keys, the first with that set."""
        sheet = self.sheet(kind)
        assert sheet is not None
        declared: dict[str, Stat | Gauge] = {**sheet.stats, **sheet.gauges}
        families = (name for name, spec in declared.items() if spec.keys is not None and spec.keys.ids == keys.ids)
        return next(families, "")

    def owner_of(self, record: str) -> str:
        """The kind of sheet that holds a list of such records."""
        for kind, sheet in (*self.system.sheets.items(), *self.system.records.items()):
            if any(spec.many == record for spec in sheet.fields.values()):
                return kind
        return ""

    def column(self, table: str, name: str) -> Inline:
        """The heading of a column of a table."""
        spec = self.system.tables[table]
        label = getattr(spec, "labels", {}).get(name)
        if label is not None:
            return self.term(label, name)
        held = spec.columns.get(name)
        if isinstance(held, Keys) and held.table is not None:
            label = self.system.tables[held.table].label if name == held.table else None
            return self.term(label, name)
        return self.term(spec.label if name == "label" else None, name)


def _typed(sense: Sense, spec: Spec) -> Sense:
    """A value with the ids, sheets or records that it can be."""
    if isinstance(spec, Gauge):
        return replace(sense, ids=spec.steps, number=spec.steps is None)
    if isinstance(spec, Field):
        ids = spec.key or spec.set_of
        if ids is not None:
            return replace(sense, ids=ids, labels=spec.labels, many=spec.set_of is not None)
        kind = spec.many or next(iter(spec.one), "")
        number = spec.int is not None
        return replace(sense, kind=kind, many=bool(spec.many), flag=spec.flag is not None, number=number)
    return replace(sense, number=isinstance(spec, Stat))


def asked(lexicon: Lexicon, name: str, spec: Input) -> Sense:
    """An input, as rules read it; `lexicon` knows what lists hold."""
    sense = Sense(lexicon.term(spec.label, name), flag=spec.flag is not None, number=spec.int is not None)
    ids = spec.key or spec.set_of
    if ids is not None:
        return replace(sense, ids=ids, labels=spec.labels, many=spec.set_of is not None)
    return replace(sense, kind=spec.one) if spec.one else sense


def every_node(value: object) -> Iterator[Node]:
    """A part of the rules with every part within it."""
    if isinstance(value, Node):
        yield value
        for name in value.FIELDS:
            yield from every_node(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from every_node(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from every_node(item)


def is_several(spec: Input) -> bool:
    """Whether several things are picked rather than one."""
    count = spec.count
    return count is not None and (count.high is None or count.high.text not in ("0", "1"))
