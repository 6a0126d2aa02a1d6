"""Give every part of an expression its type, or say at once everything that is wrong with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from ..problems import nearest
from . import intervals
from .agreement import MOST_NAMES, compared, hint_towards, unsuited
from .calls import type_call
from .facts import Facts, both, canonical, learned, refined, without_items
from .faults import Fault, character, gathered, listed, quoted
from .functions import FUNCTIONS
from .lexer import LARGEST
from .syntax import Expression, names_used
from .types import (
    Flag,
    Key,
    Many,
    Number,
    Optional,
    Text,
    Thing,
    Type,
    cell,
    describe,
    element,
    in_family,
    join,
    member,
    member_names,
)

# What people write for words that are no names.
_MEANT = (
    dict.fromkeys(("vrai", "oui", "yes"), "Write `true`.")
    | dict.fromkeys(("faux", "non", "no"), "Write `false`.")
    | dict.fromkeys(("null", "nil", "rien", "nothing"), "Ask given(x) whether x is there.")
    | {"self": "Say who acts, as in who: {self: hero}."}
)


class Scope(Protocol):
    """The names that an expression can use."""

    def lookup(self, name: str) -> Type | None:
        """The type of a name, or None when there is no such name."""

    def names(self) -> Iterable[str]:
        """Every name, for a hint about a misspelt one."""


@dataclass(frozen=True, slots=True)
class Names:
    """A scope: some names, and those of a wider scope around them."""

    types: Mapping[str, Type]
    around: Scope | None = None

    def lookup(self, name: str) -> Type | None:
        found = self.types.get(name)
        return found if found is not None or self.around is None else self.around.lookup(name)

    def names(self) -> Iterable[str]:
        return [*self.types, *(self.around.names() if self.around else ())]


@dataclass(frozen=True, slots=True)
class Typed:
    """What checking an expression found.

    `tree` is the expression with every bare id as a text constant; `types` gives the type of each of its nodes;
    `members` are the (kind, part) pairs that it reads of things.
    """

    type: Type | None
    faults: tuple[Fault, ...]
    tree: ast.expr = field(compare=False)
    types: Mapping[ast.AST, Type | None] = field(compare=False, repr=False)
    members: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it reads, without ids and functions."""
        return names_used(self.tree)


def infer(
    expression: Expression, scope: Scope, want: Type | None = None, assuming: Sequence[Expression] = ()
) -> tuple[Type | None, tuple[Fault, ...]]:
    """The type of an expression, None where it has none, and every fault found in it."""
    typed = analyse(expression, scope, want, assuming)
    return typed.type, typed.faults


def analyse(
    expression: Expression,
    scope: Scope,
    want: Type | None = None,
    assuming: Sequence[Expression] = (),
    *,
    guess: bool = True,
) -> Typed:
    """Everything that checking an expression finds; `assuming` are conditions known to hold where it is read.

    `guess`: whether to look for the name that was meant, which is slow."""
    facts: Facts = {}
    for condition in assuming:
        quiet = Checker(condition.text, scope, facts)
        quiet.flag(condition.tree)
        facts = both(facts, learned(condition.tree, True, quiet.types))
    checker = Checker(expression.text, scope, facts, guess)
    type_ = checker.wanted(expression.tree, want)
    types: dict[ast.AST, Type | None] = {}
    tree = _settled(expression.tree, checker, types)
    return Typed(type_, gathered(checker.faults), tree, types, tuple(dict.fromkeys(checker.members)))


def _settled(node: ast.AST, checker: Checker, types: dict[ast.AST, Type | None]) -> ast.expr:
    """A copy of a tree where bare ids are constants; the tree itself may be read again in another scope."""
    if node in checker.ids and isinstance(node, ast.Name):
        copy: ast.AST = ast.copy_location(ast.Constant(node.id), node)
    elif isinstance(node, ast.expr):
        parts: dict[str, Any] = {name: _field(part, checker, types) for name, part in ast.iter_fields(node)}
        copy = ast.copy_location(type(node)(**parts), node)
    else:
        copy = node
    if node in checker.types:
        types[copy] = checker.types[node]
    return copy  # type: ignore[return-value]


def _field(part: object, checker: Checker, types: dict[ast.AST, Type | None]) -> object:
    if isinstance(part, list):
        return [_field(each, checker, types) for each in part]
    return _settled(part, checker, types) if isinstance(part, ast.AST) else part


class Checker:
    """Walks one expression; `facts` is what the conditions around the present place teach."""

    def __init__(self, text: str, scope: Scope, facts: Facts, guess: bool = True) -> None:
        self.text = text
        self.guess = guess
        self.scope = scope
        self.facts = facts
        self.faults: list[Fault] = []
        self.types: dict[ast.AST, Type | None] = {}
        self.ids: set[ast.AST] = set()
        self.members: list[tuple[str, str]] = []

    def source(self, node: ast.expr) -> str:
        return self.text[node.col_offset : node.end_col_offset]

    def suggestion(self, word: str, candidates: Iterable[str], few: bool = True) -> str:
        """The nearest name, or all of them when they are few."""
        if not self.guess:
            return ""
        names = tuple(dict.fromkeys(candidates))
        near = nearest(word, names)
        if near:
            return f"Did you mean {quoted(near)}?"
        return f"There is {listed(names, 'and')}." if few and 0 < len(names) <= MOST_NAMES else ""

    def fault(self, node: ast.expr, code: str, message: str, hint: str = "") -> None:
        end = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        self.faults.append(Fault(code, message, node.col_offset, end, hint))

    @contextmanager
    def knowing(self, facts: Facts) -> Iterator[None]:
        """Within a place that a condition guards."""
        before, self.facts = self.facts, both(self.facts, facts)
        yield
        self.facts = before

    @contextmanager
    def within(self, names: Mapping[str, Type]) -> Iterator[None]:
        """Within a predicate, where `item` and `key` mean each thing of its list."""
        scope, facts = self.scope, self.facts
        self.scope, self.facts = Names(names, scope), without_items(facts)
        yield
        self.scope, self.facts = scope, facts

    # Questions about a node: its type, and its type as something that is there, a number, a yes or no, what is wanted.

    def type_of(self, node: ast.expr, expected: Key | None = None) -> Type | None:
        """The type of a node; a bare id of the set `expected` is such a key."""
        type_ = HANDLERS[type(node)](self, node, expected)
        fact = self.facts.get(canonical(node)) if self.facts and type_ is not None else None
        if fact and type_ is not None:
            type_ = refined(type_, fact)
        self.types[node] = type_
        return type_

    def value_of(self, node: ast.expr, expected: Key | None = None) -> Type | None:
        type_ = self.type_of(node, expected)
        if not isinstance(type_, Optional):
            return type_
        shown = self.source(node)
        hint = f"Ask first: given({shown}) and …, or: … if given({shown}) else …"
        self.fault(node, "E0326", f"{quoted(shown)} may be absent.", hint)
        self.types[node] = type_.type
        return type_.type

    def number(self, node: ast.expr) -> Number | None:
        type_ = self.value_of(node)
        if type_ is None or isinstance(type_, Number):
            return type_
        message = f"{quoted(self.source(node))} is {describe(type_)}, not a number."
        self.fault(node, "E0321", message, hint_towards(type_, Number()))
        return None

    def flag(self, node: ast.expr) -> None:
        type_ = self.value_of(node)
        if type_ is not None and not isinstance(type_, Flag):
            message = f"{quoted(self.source(node))} is {describe(type_)}, not a condition."
            self.fault(node, "E0321", message, hint_towards(type_, Flag()))

    def wanted(self, node: ast.expr, want: Type | None) -> Type | None:
        inner = want.type if isinstance(want, Optional) else want
        read = self.type_of if want is None or isinstance(want, Optional) else self.value_of
        type_ = read(node, inner if isinstance(inner, Key) else None)
        objection = unsuited(type_, want) if type_ is not None and want is not None else None
        if objection:
            self.fault(node, *objection)
        return type_

    def hint(self, node: ast.expr) -> Key | None:
        """The set of ids that a node plainly belongs to, without looking into its conditions."""
        if isinstance(node, ast.IfExp):
            return self.hint(node.body) or self.hint(node.orelse)
        if isinstance(node, ast.List):
            return next((key for each in node.elts if (key := self.hint(each))), None)
        type_ = self.plain(node)
        while isinstance(type_, Optional | Many):
            type_ = type_.type if isinstance(type_, Optional) else type_.item
        return type_ if isinstance(type_, Key) else None

    def plain(self, node: ast.expr) -> Type | None:
        """The type of a path, without faults."""
        if isinstance(node, ast.Name):
            return self.scope.lookup(node.id)
        if isinstance(node, ast.Attribute):
            inner = self.plain(node.value)
            return inner and member(inner, node.attr)
        if isinstance(node, ast.Subscript):
            inner = self.plain(node.value)
            if isinstance(inner, Key) and inner.row and inner.name:
                return cell(inner, self.ids_of(node.slice, self.plain(node.slice)))
            family = inner and element(inner)
            return family.value if family else None
        if isinstance(node, ast.Call) and canonical(node.func) == "first" and node.args:
            return self.plain(node.args[0])
        return None

    # One handler for each kind of node.

    def constant(self, node: ast.Constant, expected: Key | None) -> Type | None:
        value = node.value
        if isinstance(value, bool):
            return Flag()
        if isinstance(value, int | Fraction):
            return intervals.constant(value)
        if expected and value not in expected.ids:
            self.stranger(node, str(value), expected)
        return expected or Text()

    def stranger(self, node: ast.expr, word: str, key: Key) -> None:
        """An id that its set does not have."""
        self.fault(node, "E0314", f"{quoted(word)} is not {describe(key)}.", self.suggestion(word, key.ids))

    def name(self, node: ast.Name, expected: Key | None) -> Type | None:
        found = self.scope.lookup(node.id)
        if expected and node.id in expected.ids:
            if found is not None:
                message = f"{quoted(node.id)} is {describe(expected)}, and also the name of something else here."
                self.fault(node, "E0313", message, f"Write '{node.id}' for the id, or rename the other.")
            self.ids.add(node)
            return expected
        if found is None:
            self.unknown(node, expected)
        return found

    def unknown(self, node: ast.Name, expected: Key | None) -> None:
        word = node.id
        if word in FUNCTIONS:
            self.fault(node, "E0311", f"{quoted(word)} is a function.", f"Write {FUNCTIONS[word].signature}.")
            return
        ids = expected.ids if expected else ()
        parts = list(self.reached(word)) if self.guess else []
        names = parts or [*self.scope.names(), *ids]
        hint = self.suggestion(parts[0] if parts else word, names, few=bool(parts))
        if hint and not word.isascii():
            hint += f" This name holds {character(next(letter for letter in word if not letter.isascii()))}."
        elif not hint and expected and expected.name:
            hint = self.suggestion(word, ids)
        what = f", and not {describe(expected)}" if expected else ""
        hint = hint or self.roles_of_kind(word) or _MEANT.get(word.lower(), "")
        self.fault(node, "E0311", f"{quoted(word)} is no name here{what}.", hint)

    def reached(self, word: str) -> Iterator[str]:
        """What a bare word is behind another name: a part of `self` or a roll, a key of a family, a row of a table."""
        rolls = (name for name in self.scope.names() if getattr(self.scope.lookup(name), "nature", "") == "roll")
        owners = [(name, self.scope.lookup(name)) for name in dict.fromkeys(("item", "self", *rolls, "table"))]
        yield from (f"{name}.{word}" for name, owner in owners if owner is not None and member(owner, word) is not None)
        yield from (f"{name}.{part}" for name, owner in owners if owner is not None for part in in_family(owner, word))

    def roles_of_kind(self, word: str) -> str:
        """Advice for someone who names a kind of sheet where its sheet is meant."""
        known = ((name, self.scope.lookup(name)) for name in self.scope.names())
        names = [name for name, type_ in known if isinstance(type_, Thing) and word in (type_.kind, *type_.others)]
        return f"Did you mean `{names[0]}`, {describe(Thing(word))}?" if names else ""

    def attribute(self, node: ast.Attribute, expected: Key | None) -> Type | None:
        owner = self.value_of(node.value)
        found = member(owner, node.attr) if owner is not None else None
        thing = owner.item if isinstance(owner, Many) else owner
        if isinstance(thing, Thing) and found is not None:
            self.members.extend((kind, node.attr) for kind in (thing.kind, *thing.others))
        if owner is not None and found is None:
            end = node.end_col_offset or 0
            dot = self.text.rindex(".", node.value.end_col_offset, end)
            start = end - len(self.text[dot + 1 : end].lstrip())
            names = member_names(owner)
            has = f"has no {quoted(node.attr)}" if names else f"has no parts, and so no {quoted(node.attr)}"
            message = f"{quoted(self.source(node.value))}, {describe(owner)}, {has}."
            keyed = next(in_family(owner, node.attr), "") if self.guess else ""
            hint = f"Did you mean {quoted(f'{self.source(node.value)}.{keyed}')}?" if keyed else ""
            self.faults.append(Fault("E0312", message, start, end, hint or self.suggestion(node.attr, names)))
        return found

    def subscript(self, node: ast.Subscript, expected: Key | None) -> Type | None:
        owner = self.value_of(node.value)
        if isinstance(owner, Key) and owner.row and owner.name:
            return self.cell(node, owner)
        family = element(owner) if owner is not None else None
        if owner is not None and not family:
            hint = "To find one thing of a list, write first(list, condition)." if isinstance(owner, Many) else ""
            self.fault(node, "E0321", f"{quoted(self.source(node.value))}, {describe(owner)}, has no [ ].", hint)
        keys = family.keys if family else None
        index = self.value_of(node.slice, keys if isinstance(keys, Key) else None)
        objection = unsuited(index, keys) if index is not None and keys is not None else None
        if objection:
            self.fault(node.slice, *objection)
        return family.value if family else None

    def cell(self, node: ast.Subscript, row: Key) -> Type | None:
        """`row[column]`: every id that the column can be is a column of the row's table, all of one kind."""
        columns, told = Key(tuple(row.row)), len(self.faults)
        index = self.value_of(node.slice, columns)
        if index is None or len(self.faults) > told:
            return None
        if not isinstance(index, Key):
            message = f"Between [ ] after {describe(row)} stands a column, and this is {describe(index)}."
            self.fault(node.slice, "E0321", message, f"Its columns: {listed(columns.ids, 'and')}.")
            return None
        ids = self.ids_of(node.slice, index)
        missing = [name for name in ids if name not in row.row]
        if missing:
            message = f"{quoted(self.source(node.slice))} may be {listed(missing)}, and {row.name} has no such column."
            self.fault(node.slice, "E0312", message, f"Its columns: {listed(columns.ids, 'and')}.")
            return None
        found = cell(row, ids)
        if found is None:
            kinds = " or ".join(dict.fromkeys(describe(row.row[name]) for name in ids))
            message = f"The columns that {quoted(self.source(node.slice))} may be are not of one sort: {kinds}."
            self.fault(node.slice, "E0321", message)
        return found

    def ids_of(self, node: ast.expr, type_: Type | None) -> tuple[str, ...]:
        """The ids that a key can be: of bare ones only those that stand there."""
        if isinstance(node, ast.IfExp):
            parts = [self.ids_of(part, self.types.get(part)) for part in (node.body, node.orelse)]
            return tuple(dict.fromkeys(name for part in parts for name in part))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return (node.value,)
        if isinstance(node, ast.Name) and (node in self.ids or self.scope.lookup(node.id) is None):
            return (node.id,)
        return type_.ids if isinstance(type_, Key) else ()

    def list(self, node: ast.List, expected: Key | None) -> Type | None:
        found = [self.value_of(each, expected) for each in node.elts]
        item = found[0]
        for each, type_ in zip(node.elts[1:], found[1:], strict=True):
            joined = join(item, type_) if item is not None and type_ is not None else item
            if item is not None and joined is None:
                self.fault(each, "E0322", f"This is {describe(type_)}, and the list began with {describe(item)}.")  # type: ignore[arg-type]
            item = joined or item
        return item and Many(item, len(found), len(found))

    def compare(self, node: ast.Compare, expected: Key | None) -> Type:
        operands = [node.left, *node.comparators]
        hints = [None, *(self.hint(operand) for operand in operands), None]
        found = [self.value_of(each, hints[place] or hints[place + 2]) for place, each in enumerate(operands)]
        for place, op in enumerate(node.ops):
            left, right = found[place], found[place + 1]
            objection = compared(op, left, right) if left is not None and right is not None else None
            if objection:
                self.fault(operands[place + 1], *objection)
        return Flag()

    def bool_op(self, node: ast.BoolOp, expected: Key | None) -> Type:
        """Each part is read knowing that those before it did not decide."""
        facts = self.facts
        for before, value in zip([None, *node.values], node.values, strict=False):
            if before is None or not self.leftover(before, value):
                self.flag(value)
            self.facts = both(self.facts, learned(value, isinstance(node.op, ast.And), self.types))
        self.facts = facts
        return Flag()

    def leftover(self, before: ast.expr, value: ast.expr) -> bool:
        """`x == a or b`: an id alone after a comparison with its set."""
        key = self.hint(before.left) if isinstance(before, ast.Compare) else None
        if not (isinstance(before, ast.Compare) and key and isinstance(value, ast.Name) and value.id in key.ids):
            return False
        if self.scope.lookup(value.id) is not None:
            return False
        first = self.source(before.comparators[-1])
        hint = f"Write: {self.source(before.left)} in [{first}, {value.id}]."
        self.fault(value, "E0321", f"{quoted(value.id)} alone is no condition.", hint)
        return True

    def unary(self, node: ast.UnaryOp, expected: Key | None) -> Type | None:
        if isinstance(node.op, ast.Not):
            self.flag(node.operand)
            return Flag()
        number = self.number(node.operand)
        return intervals.negate(number) if number and isinstance(node.op, ast.USub) else number

    def binary(self, node: ast.BinOp, expected: Key | None) -> Type | None:
        left, right = self.number(node.left), self.number(node.right)
        if right and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) and self.maybe_zero(node.right, right):
            return None
        if not left or not right:
            return None
        result = ARITHMETIC[type(node.op)](left, right)
        low, high = intervals.ends(result)
        if low > LARGEST or high < -LARGEST:
            self.fault(node, "E0324", f"This is always beyond {LARGEST}, the largest number that rules can reach.")
        return result

    def maybe_zero(self, node: ast.expr, number: Number) -> bool:
        low, high = intervals.ends(number)
        fact = self.facts.get(canonical(node))
        if not low <= 0 <= high or (fact and fact.nonzero):
            return False
        shown = self.source(node)
        if low == high:
            self.fault(node, "E0325", "This divides by zero.")
        else:
            hint = f"Guard it, for instance: (… if {shown} != 0 else 0), or: {shown} != 0 and …"
            self.fault(node, "E0325", f"{quoted(shown)} may be zero, and nothing can be divided by zero.", hint)
        return True

    def conditional(self, node: ast.IfExp, expected: Key | None) -> Type | None:
        self.flag(node.test)
        expected = expected or self.hint(node.body) or self.hint(node.orelse)
        with self.knowing(learned(node.test, True, self.types)):
            body = self.type_of(node.body, expected)
        with self.knowing(learned(node.test, False, self.types)):
            orelse = self.type_of(node.orelse, expected)
        if body is None or orelse is None:
            return body or orelse
        joined = join(body, orelse)
        if joined is None:
            message = f"Before `if` this is {describe(body)}, and after `else` {describe(orelse)}."
            self.fault(node.orelse, "E0321", message, "Both must be of one sort.")
        return joined

    def call(self, node: ast.Call, expected: Key | None) -> Type | None:
        return type_call(self, node)


Handler = Callable[..., Type | None]
HANDLERS: Mapping[type[ast.expr], Handler] = {
    ast.Constant: Checker.constant,
    ast.Name: Checker.name,
    ast.Attribute: Checker.attribute,
    ast.Subscript: Checker.subscript,
    ast.List: Checker.list,
    ast.Compare: Checker.compare,
    ast.BoolOp: Checker.bool_op,
    ast.UnaryOp: Checker.unary,
    ast.BinOp: Checker.binary,
    ast.IfExp: Checker.conditional,
    ast.Call: Checker.call,
}
ARITHMETIC: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: intervals.add,
    ast.Sub: intervals.subtract,
    ast.Mult: intervals.multiply,
    ast.Div: intervals.divide,
    ast.FloorDiv: intervals.floor_divide,
    ast.Mod: intervals.modulo,
}
