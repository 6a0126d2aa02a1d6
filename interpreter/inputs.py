"""What an action asks before it begins: each input's domain as things stand, and the answers read against it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from interpreter.bound import Bound, Entity, Family, Many, Missing, Scalar, Scope, constant, tree_of
from interpreter.compiler.steps import default_input
from interpreter.compiler.writes import things
from interpreter.expressions import names_used, prepare
from interpreter.fields import count_range, show_count, whole
from interpreter.layout import Layout
from interpreter.model import Code, Input, Label
from interpreter.resolve import Resolver, parsed
from interpreter.sayings import FIRST, in_language, said, with_nearest


@dataclass(frozen=True, slots=True)
class Domain:
    """What may be answered now. `kind` is number, flag, key, things, set or text; ids are keys, or things that can be
    picked.

    `open` is false when the input's `when` does not hold; `why_not` then says why, if the rules do.
    """

    name: str
    kind: str
    label: Label | None
    ids: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    least: int = 1
    most: int | None = 1
    default: object = None
    required: bool = False
    open: bool = True
    why_not: Label | None = None
    asked: str = ""
    hidden_from: str = ""


Known = dict[tuple[object, ...], Bound]
MOST_KNOWN = 4096
UNMARKED = object()
# What an answer says, and what is wrong with it.
Reading = tuple[object, Label | None]


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that cannot be taken."""

    name: str
    label: Label

    @property
    def message(self) -> str:
        return in_language(self.label, FIRST)


@dataclass(slots=True)
class Answers:
    """The answers read so far: values by input, picked things by input, faults, and the domains that they were read
    against."""

    values: dict[str, object] = field(default_factory=dict)
    picks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    domains: dict[str, Domain] = field(default_factory=dict)


class InputReader:
    """Reads answers in declared order; an input may look at the ones before it.

    `known` keeps what expressions mean for the next table of this shape.
    """

    def __init__(self, resolver: Resolver, values: Sequence[object], grow: Callable[[], None], known: Known) -> None:
        self.resolver = resolver
        self.values = values
        self.grow = grow
        self.known = known
        self.answers = Answers()

    def read(
        self, inputs: Mapping[str, Input], prefix: str, names: dict[str, Bound], given: Mapping[str, object]
    ) -> None:
        """Reads the inputs of an action or side; `names` grows by each."""
        for name, spec in inputs.items():
            full = f"{prefix}{name}"
            if spec.for_each is not None:
                names[name] = self._family(full, spec, names, given.get(name))
                continue
            names[name] = self._one(full, spec, names, given.get(name))
        for unknown in given:
            if unknown not in inputs:
                self._fault(f"{prefix}{unknown}", with_nearest(said("unknown_input", name=unknown), unknown, inputs))

    def _family(self, full: str, spec: Input, names: Scope, given: object) -> Family:
        each = given if isinstance(given, Mapping) else {}
        if given is not None and not isinstance(given, Mapping):
            self._fault(full, said("each", name=full, role=spec.for_each))
        things_of_role = [thing for _, thing in things(names.get(spec.for_each or "", Missing()))]
        return Family({t.id: self._one(f"{full}.{t.id}", spec, names, each.get(t.id)) for t in things_of_role})

    def _one(self, full: str, spec: Input, names: Scope, given: object) -> Bound:
        domain = self.domain(full, spec, names)
        self.answers.domains[full] = domain
        if given is not None and not domain.open:
            self._fault(full, spec.or_say or said("closed", name=full))
            given = None
        if domain.kind == "things":
            return self._pick(full, spec, domain, names, given)
        value, wrong = self._value(spec, domain, given)
        if wrong:
            self._fault(full, wrong)
        self.answers.values[full] = value
        if value is None:
            return default_input(spec) if spec.pick is not None else Scalar(ast.Constant(None), spec.key)
        keys = spec.key or spec.set_of
        return constant(value, keys) if spec.set_of is None else Scalar(ast.Constant(value), keys, None, None, True)  # type: ignore[arg-type]

    def _fault(self, full: str, label: Label) -> None:
        self.answers.faults.append(Fault(full, label))

    # ------------------------------------------------------------------ domains

    def domain(self, full: str, spec: Input, names: Scope) -> Domain:
        """What may be answered now."""
        is_open = spec.when is None or bool(self._evaluate(spec.when, names))
        low, high = self._ends(spec, names)
        least, most = count_range(spec.count, (1, 1) if spec.set_of is None else (0, None))
        optional = spec.optional or (spec.pick is not None and least == 0)
        ids, default = self._ids(spec, names), self._default(spec, names)
        if is_open and spec.where is not None and spec.key is not None and default not in ids:
            default = None
        return Domain(
            full,
            _kind(spec),
            spec.label,
            ids,
            low,
            high,
            least,
            most,
            default,
            default is None and not optional and is_open,
            is_open,
            spec.or_say,
            spec.asked,
            spec.hidden_from,
        )

    def _ends(self, spec: Input, names: Scope) -> tuple[int | None, int | None]:
        if spec.int is None:
            return None, None
        ends = [None if code is None else self._evaluate(code, names) for code in (spec.int.low, spec.int.high)]
        low, high = (end if isinstance(end, int) else None for end in ends)
        return low, high

    def _default(self, spec: Input, names: Scope) -> object:
        if spec.default is None:
            return _unanswered(spec)
        if spec.key is not None and spec.default.text in spec.key.ids:
            return spec.default.text
        return spec.default.text if spec.text is not None else self._evaluate(spec.default, names)

    def _ids(self, spec: Input, names: Scope) -> tuple[str, ...]:
        if spec.pick is not None:
            return tuple(thing.id for thing in self._pickable(spec, names))
        keys = spec.key or spec.set_of
        if keys is None or spec.where is None:
            return keys.ids if keys else ()
        items = ((key, {**names, "item": constant(key, keys)}) for key in keys.ids)
        return tuple(key for key, scope in items if self._evaluate(spec.where, scope))

    def _pickable(self, spec: Input, names: Scope) -> list[Entity]:
        assert spec.pick is not None
        found = []
        for guard, thing in things(self._bound(spec.pick, names)):
            if guard is not None and not self._now(guard):
                continue
            if spec.where is None or self._evaluate(spec.where, {**names, "item": thing}):
                found.append(thing)
        return found

    def _evaluate(self, code: Code, names: Scope) -> object:
        return self._now(tree_of(self._bound(code, names)))

    def _bound(self, code: Code, names: Scope) -> Bound:
        """What an expression means; the same where the names that it uses mean the same."""
        used = _names_used(code.text)
        marks = [_mark(names[name]) if name in names else None for name in used]
        if UNMARKED in marks:
            return self.resolver.bound(code, names)
        key = code.text, code.path, *marks
        found = self.known.get(key)
        if found is None:
            registers = len(self.resolver.layout.registers)
            found = self.resolver.bound(code, names)
            if len(self.resolver.layout.registers) == registers:  # else other tables of this shape lack some
                if len(self.known) >= MOST_KNOWN:
                    self.known.clear()
                self.known[key] = found
        return found

    def _now(self, tree: ast.expr) -> object:
        if len(self.values) < len(self.resolver.layout.registers):
            self.grow()
        return prepare(tree)(self.values)

    # ------------------------------------------------------------------ answers

    def _pick(self, full: str, spec: Input, domain: Domain, names: Scope, given: object) -> Bound:
        """Things are named by their id, or by a text of theirs when it says which."""
        wanted = (
            []
            if given is None
            else [given]
            if isinstance(given, str)
            else list(given)
            if isinstance(given, Iterable)
            else [given]
        )
        open_things = {thing.id: thing for thing in self._pickable(spec, names)} if domain.open else {}
        chosen: list[Entity] = []
        for one in wanted:
            found = [thing for thing in open_things.values() if thing.id == one or one in self.texts(thing)]
            if len(found) == 1:
                chosen.append(found[0])
            else:
                known = ", ".join(self.shown(thing) for thing in open_things.values()) or said("nothing")
                what = "several_fit" if found else "not_among"
                self._fault(full, said(what, name=full, answer=one, known=known))
        low, high = domain.least, domain.most
        counted = len(set(chosen))
        if domain.open and not (low <= counted and (high is None or counted <= high)) and len(chosen) == len(wanted):
            self._fault(full, said("how_many", name=full, number=counted, count=show_count(low, high)))
        self.answers.picks[full] = tuple(thing.id for thing in dict.fromkeys(chosen))
        many = isinstance(default_input(spec), Many)
        if many:
            return Many(tuple((None, thing) for thing in dict.fromkeys(chosen)))
        return chosen[0] if chosen else Missing()

    def texts(self, thing: Entity) -> list[str]:
        return texts_of(self.resolver.layout, thing, self.values)

    def shown(self, thing: Entity) -> str:
        return next(iter(self.texts(thing)), thing.id)

    def _value(self, spec: Input, domain: Domain, given: object) -> Reading:
        if given is None:
            if domain.kind == "number" and domain.default is not None:
                return _read_number(spec, domain, domain.default)
            return domain.default, said("wanted", name=domain.name) if domain.required else None
        return _READERS[domain.kind](spec, domain, given)


@lru_cache(maxsize=4096)
def _names_used(text: str) -> tuple[str, ...]:
    return names_used(parsed(text))


def _mark(bound: Bound) -> object:
    """The same for names that mean the same in tables of one shape."""
    match bound:
        case Entity(id=name):
            return name
        case Scalar(tree=ast.Constant(value=value)):
            return type(value), value
        case Missing():
            return Missing
        case Many(items=items):
            inner = [_mark(item) if guard is None else UNMARKED for guard, item in items]
            return UNMARKED if UNMARKED in inner else tuple(inner)
    return UNMARKED


def texts_of(layout: Layout, thing: Entity, values: Sequence[object]) -> list[str]:
    """The texts of a thing, by which people may call it."""
    infos = [info for info in thing.kind.fields if info.sort == "text"]
    return [str(text) for info in infos if (text := values[layout.value_slot(thing, info)])]


def _unanswered(spec: Input) -> object:
    """What an input without a default is when nothing is answered; None when that is no answer."""
    if spec.set_of is not None and count_range(spec.count, (0, None))[0] == 0:
        return ()
    return spec.flag if spec.flag is not None else spec.text


def _kind(spec: Input) -> str:
    for name, kind in (("flag", "flag"), ("int", "number"), ("key", "key"), ("text", "text"), ("pick", "things")):
        if getattr(spec, name) is not None:
            return kind
    return "set" if spec.set_of is not None else "text"


def _read_number(spec: Input, domain: Domain, given: object) -> Reading:
    value = whole(given)
    if value is None:
        return domain.low, said("not_whole", name=domain.name, answer=given)
    low, high = domain.low, domain.high
    inside = value if low is None else max(low, value)
    inside = inside if high is None else min(high, inside)
    if inside != value and spec.beyond == "refuse":
        span = f"{'' if low is None else low}..{'' if high is None else high}"
        return inside, said("outside", name=domain.name, answer=value, range=span)
    return inside, None


def _read_flag(spec: Input, domain: Domain, given: object) -> Reading:
    text = str(given).lower()
    if text in ("true", "yes", "1"):
        return True, None
    return False, None if text in ("false", "no", "0") else said("no_flag", name=domain.name, answer=given)


def _read_key(spec: Input, domain: Domain, given: object) -> Reading:
    if given in domain.ids:
        return given, None
    return None, _none_of(domain, given)


def _read_set(spec: Input, domain: Domain, given: object) -> Reading:
    chosen = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    unknown = [one for one in chosen if one not in domain.ids]
    if unknown:
        return (), _none_of(domain, unknown[0])
    low, high = count_range(spec.count, (0, None))
    if len(set(chosen)) != len(chosen) or not (low <= len(chosen) and (high is None or len(chosen) <= high)):
        return (), said("how_many_different", name=domain.name, count=show_count(low, high))
    return tuple(sorted((str(one) for one in chosen), key=domain.ids.index)), None


def _none_of(domain: Domain, given: object) -> Label:
    return with_nearest(said("no_answer", name=domain.name, answer=given), str(given), domain.ids)


def _read_text(spec: Input, domain: Domain, given: object) -> Reading:
    return str(given), None


_READERS = {"number": _read_number, "flag": _read_flag, "key": _read_key, "set": _read_set, "text": _read_text}
