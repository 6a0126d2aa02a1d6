"""Expressions in words: « Effort inférieur à 5 », « somme de Niveau (Vécus) si Aux commandes est L’Homme »."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from interpreter.documentation.blocks import Inline, Mark, Snippet, Term, joined, merged, plain
from interpreter.documentation.phrases import Value
from interpreter.documentation.senses import (
    AND,
    CHOICE,
    COMPARE,
    NOT,
    OR,
    PART,
    PRODUCT,
    SIGN,
    SUM,
    Lexicon,
    Scope,
    Sense,
)
from interpreter.expressions import parse
from interpreter.model import Code, Keys, Table
from interpreter.render.words import SIGNS

COMPARED = {ast.Lt: "less", ast.LtE: "most", ast.Gt: "more", ast.GtE: "least"}
EQUAL, DIFFERENT = (ast.Eq, ast.Is), (ast.NotEq, ast.IsNot)
OF_GAUGE = {"max": "its_max", "min": "its_min", "start": "its_start"}
ROUNDINGS = {
    "floor": "down",
    "ceil": "up",
    "round_half_up": "half_up",
    "round_half_down": "half_down",
    "round_half_even": "half_even",
}
MINUS = "−"


class Wording:
    """Tells expressions in a scope of names."""

    def __init__(self, lexicon: Lexicon, scope: Scope) -> None:
        self.lexicon = lexicon
        self.scope = scope
        self.meant = Sense()

    def within(self, **names: Sense) -> Wording:
        """The same where more names stand for something."""
        return Wording(self.lexicon, {**self.scope, **names})

    def say(self, what: str, /, **values: Value) -> Inline:
        return self.lexicon.say(what, **values)

    # ------------------------------------------------------------------ entry points

    def code(self, code: Code | None, meant: Sense | None = None) -> Inline:
        """An expression in words; `meant` is what a bare id stands for."""
        return self.sense(code, meant).words

    def test(self, code: Code | None) -> Inline:
        return self.code(code)

    def sense(self, code: Code | None, meant: Sense | None = None, inside: int = CHOICE) -> Sense:
        if code is None:
            return Sense()
        parsed = parse(code.text)
        if isinstance(parsed, tuple):
            return Sense((Snippet(code.text),))
        return self.node(parsed.tree, meant, inside)

    def node(self, node: ast.expr, meant: Sense | None = None, inside: int = CHOICE) -> Sense:
        before, self.meant = self.meant, meant or self.meant
        told = _TELLERS.get(type(node), Wording._as_written)(self, node)
        self.meant = before
        if told.tight < inside:
            return replace(told, words=merged(("(", *told.words, ")")), tight=PART)
        return told

    def _as_written(self, node: ast.expr) -> Sense:
        return Sense((Snippet(ast.unparse(node)),))

    # ------------------------------------------------------------------ names

    def name(self, node: ast.Name) -> Sense:
        known = self.scope.get(node.id) or self._world(node.id)
        if known is not None:
            return known
        ids = self.meant.ids
        if ids is not None and node.id in ids.ids:
            return Sense(self.lexicon.key(node.id, self.meant), ids=ids, labels=self.meant.labels)
        return Sense((Term(self.lexicon.names.key(node.id)),), ids=ids)

    def _world(self, name: str) -> Sense | None:
        """Names that every expression may use."""
        sheet = self.lexicon.system.sheets.get(name)
        if sheet is not None and sheet.only_one:
            return Sense(self.lexicon.term(sheet.label, name), kind=name, implied=True)
        period = self.lexicon.system.periods.get(name)
        if period is not None:
            label = self.lexicon.term(period.label, name)
            members = Sense(self.say("members_of", what=label), kind=period.members or "", many=True)
            return Sense(label, members={"members": members}, implied=True)
        return None

    def attribute(self, node: ast.Attribute) -> Sense:
        """`self.gauge`, `roll.reading`, `key.column`, `side.value` …"""
        if isinstance(node.value, ast.Name) and node.value.id not in self.scope:
            special = _SPECIAL.get(node.value.id)
            if special is not None:
                return special(self, node.attr)
        rows = self._rows(node.value)
        if rows is not None and node.attr in rows.ids:
            return Sense(self.lexicon.key(node.attr, Sense(ids=rows)), ids=rows)
        return self.member(self.node(node.value), node.attr)

    def _rows(self, node: ast.expr) -> Keys | None:
        """The rows of `table.x`, where they have names."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != "table":
            return None
        table = self.lexicon.system.tables.get(node.attr)
        named = table is not None and "table" not in self.scope and all(key[:1].isalpha() for key in table.rows)
        return Keys(tuple(table.rows), node.attr, table.ordered) if table is not None and named else None

    def member(self, base: Sense, name: str) -> Sense:
        for look in (_of_members, _of_roll, _of_family, _of_gauge, _of_sheet, _of_row):
            found = look(self, base, name)
            if found is not None:
                return found
        return self.owned(Sense(self.lexicon.term(None, name)), base)

    def owned(self, what: Sense, owner: Sense) -> Sense:
        """Something of someone: by its name alone where its owner goes without saying."""
        if what.words == owner.words or (owner.implied and not self._has_rival(what, owner)):
            return what
        if what.implied:  # a roll or what a call gave: what is read from it is told as its owner's
            return replace(what, words=owner.words, implied=False)
        return replace(what, words=self.say("of", what=what.words, whose=owner.words), whose=owner.words)

    def _has_rival(self, what: Sense, owner: Sense) -> bool:
        """Whether something else here is called as what is read of a roll or of what a call gave."""
        if owner.roll is None and owner.members is None:
            return False
        others = (one for one in self.scope.values() if one != owner)
        return any(what.words == words for one in others for words in (one.words, *self._read_of(one)))

    def _read_of(self, one: Sense) -> Iterator[Inline]:
        """What the readings of a roll, or what a call gave, are called."""
        if one.roll is not None:
            for reading in (*one.roll.count, *one.roll.sum, *one.roll.highest, *one.roll.lowest, *one.roll.sets):
                yield self.lexicon.term(one.roll.labels.get(reading), reading)
        elif one.members is not None and one.implied:
            yield from (member.words for member in one.members.values())

    def _assumed(self, name: str) -> Sense:
        found = self.lexicon.system.assumptions.get(name)
        if found is None or found.value is None:
            return Sense(self.lexicon.term(None, name))
        reason = self.lexicon.names.label(found.reason, "") if found.reason else ""
        value = Wording(self.lexicon, {}).sense(found.value, self.meant)
        return replace(value, words=(*value.words, Mark(self.lexicon.anchor("assumption", name), reason)))

    def _during(self, name: str) -> Sense:
        period = self.lexicon.system.periods.get(name)
        label = self.lexicon.term(period.label if period else None, name)
        return Sense(self.say("during", what=label), COMPARE, flag=True)

    def _table(self, name: str) -> Sense:
        table = self.lexicon.system.tables.get(name)
        return Sense(self.lexicon.term(table.label if table else None, name))

    def _symbol(self, name: str) -> Sense:
        return Sense(self.lexicon.term(self.lexicon.system.symbols.get(name), name), number=True)

    def subscript(self, node: ast.Subscript) -> Sense:
        rows = self._rows(node.value)
        if rows is not None:
            return replace(self.node(node.slice, Sense(ids=rows)), ids=rows)
        base = self.node(node.value)
        table, row = self._looked_up(node.value) or (base.ids and base.ids.table, base.words)
        if table and base.family is None:
            return self._cell(node, self.lexicon.system.tables[table], row)
        index = self.node(node.slice, replace(base, ids=base.family))
        return self.keyed(base, index)

    def _looked_up(self, node: ast.expr) -> tuple[str, Inline] | None:
        """The table of `table.x[number]`, and the number."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Attribute):
            return None
        named = isinstance(node.value.value, ast.Name) and node.value.value.id == "table" and "table" not in self.scope
        return (node.value.attr, self.node(node.slice).words) if named and self._rows(node.value) is None else None

    def _cell(self, node: ast.Subscript, table: Table, row: Inline) -> Sense:
        """`row[column]`: a column that is known is told as after a dot, another by what it is."""
        columns, column = table.columns, node.slice
        bare = isinstance(column, ast.Name) and column.id not in self.scope
        known = getattr(column, "id" if bare else "value", None)
        if known in columns:
            return self.member(self.node(node.value), str(known))
        index = self.node(column, Sense(ids=Keys(tuple(columns))), inside=PART)
        held = columns.get(next(iter(index.ids.ids), "")) if index.ids else None
        words = self.say("cell", table=self.lexicon.term(table.label, str(table.path[-1])), row=row, column=index.words)
        return Sense(words, ids=held if isinstance(held, Keys) else None, flag=held == "flag", number=held == "number")

    def keyed(self, base: Sense, index: Sense) -> Sense:
        """One of a family: a plain one by its key alone."""
        words = index.words if base.plain else self.say("of", what=base.words, whose=index.words)
        if base.plain and base.whose:
            words = self.say("of", what=words, whose=base.whose)
        return replace(base, words=words, family=None, plain=False)

    # ------------------------------------------------------------------ numbers and conditions

    def constant(self, node: ast.Constant) -> Sense:
        value = node.value
        if isinstance(value, bool):
            return Sense(self.say("yes" if value else "no"), flag=True)
        if isinstance(value, str):
            return Sense(self.lexicon.key(value, self.meant), ids=self.meant.ids)
        text = str(value) if isinstance(value, int | Fraction) else ast.unparse(node)
        return Sense((text.replace("-", MINUS),), number=True)

    def binary(self, node: ast.BinOp) -> Sense:
        own = SUM if isinstance(node.op, ast.Add | ast.Sub) else PRODUCT
        left, right = self.node(node.left, inside=own), self.node(node.right, inside=own + 1)
        sign = MINUS if isinstance(node.op, ast.Sub) else SIGNS[type(node.op)]
        words = merged((*left.words, f" {sign} ", *right.words))
        if isinstance(node.op, ast.FloorDiv):
            words = self.say("round_of", what=words, how=self.say("down"))
            own = CHOICE
        return Sense(words, own, number=True)

    def unary(self, node: ast.UnaryOp) -> Sense:
        if isinstance(node.op, ast.Not):
            return self._negated(node.operand)
        sign = MINUS if isinstance(node.op, ast.USub) else ""
        return Sense(merged((sign, *self.node(node.operand, inside=SIGN).words)), SIGN, number=True)

    def _negated(self, operand: ast.expr) -> Sense:
        if isinstance(operand, ast.Call) and isinstance(operand.func, ast.Name) and operand.func.id == "given":
            return Sense(self.say("not_chosen", what=self.node(operand.args[0]).words), COMPARE, flag=True)
        if isinstance(operand, ast.Attribute) and isinstance(operand.value, ast.Name) and operand.value.id == "during":
            period = self.lexicon.system.periods.get(operand.attr)
            label = self.lexicon.term(period.label if period else None, operand.attr)
            return Sense(self.say("not_during", what=label), COMPARE, flag=True)
        if isinstance(operand, ast.Name | ast.Attribute | ast.Subscript):
            return Sense(self.say("is_not_so", what=self.node(operand).words), NOT, flag=True)
        return Sense(self.say("neither", what=self.node(operand).words), NOT, flag=True)

    def boolean(self, node: ast.BoolOp) -> Sense:
        own, word = (AND, "and") if isinstance(node.op, ast.And) else (OR, "or")
        parts = [self.node(value, inside=own).words for value in node.values]
        return Sense(merged(joined(parts, self.say(word))), own, flag=True)

    def choice(self, node: ast.IfExp) -> Sense:
        body, otherwise = self.node(node.body, inside=OR), self.node(node.orelse)
        test = self.node(node.test, inside=OR).words
        words = self.say("if_else", body=body.words, test=test, otherwise=otherwise.words)
        return replace(body, words=words, tight=CHOICE)

    def compare(self, node: ast.Compare) -> Sense:
        left = self.node(node.left, inside=SUM)
        if len(node.ops) > 1:
            return Sense(self._chained(left, node), COMPARE, flag=True)
        operator, other = node.ops[0], node.comparators[0]
        if not _is_literal(other) and isinstance(node.left, ast.Name) and node.left.id not in self.scope:
            left = self.node(node.left, self.node(other, inside=SUM), SUM)
        right = self.node(other, left, SUM)
        return Sense(self._compared(left, operator, right, other), COMPARE, flag=True)

    def _chained(self, left: Sense, node: ast.Compare) -> Inline:
        words = left.words
        for operator, other in zip(node.ops, node.comparators, strict=True):
            words = (*words, f" {SIGNS.get(type(operator), '=')} ", *self.node(other, left, SUM).words)
        return merged(words)

    def _compared(self, left: Sense, operator: ast.cmpop, right: Sense, other: ast.expr) -> Inline:
        if isinstance(operator, ast.In | ast.NotIn):
            return self._among(left, operator, right, other)
        if isinstance(operator, EQUAL + DIFFERENT):
            return self._equal(left, isinstance(operator, EQUAL), right, other)
        simple = left.tight == PART and (isinstance(other, ast.Constant) or right.ids is not None)
        if simple:
            return self.say(COMPARED[type(operator)], left=left.words, right=right.words)
        return merged((*left.words, f" {SIGNS[type(operator)]} ", *right.words))

    def _equal(self, left: Sense, same: bool, right: Sense, other: ast.expr) -> Inline:
        if left.words == right.words:
            left = replace(left, words=self.say("its", what=left.words))
        if isinstance(other, ast.Constant) and isinstance(other.value, bool):
            return left.words if other.value is same else self.say("is_not_so", what=left.words)
        if left.ids is not None or right.ids is not None or left.kind or right.kind:
            return self.say("is" if same else "is_not", left=left.words, right=right.words)
        return merged((*left.words, " = " if same else " ≠ ", *right.words))

    def _among(self, left: Sense, operator: ast.cmpop, right: Sense, other: ast.expr) -> Inline:
        inside = isinstance(operator, ast.In)
        if isinstance(other, ast.List):
            words = joined([self.node(item, left).words for item in other.elts], self.say("or"))
            return self.say("is" if inside else "is_not", left=left.words, right=words)
        return self.say("in" if inside else "not_in", left=left.words, right=right.words)

    def several(self, node: ast.List) -> Sense:
        parts = [self.node(item) for item in node.elts]
        kind = parts[0].kind if parts else ""
        return Sense(joined([part.words for part in parts], (", ",)), kind=kind, many=True)

    # ------------------------------------------------------------------ functions

    def call(self, node: ast.Call) -> Sense:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        teller = _FUNCTIONS.get(name)
        return teller(self, name, node.args) if teller and node.args else self._as_written(node)

    def _given(self, name: str, arguments: list[ast.expr]) -> Sense:
        return Sense(self.say("is_chosen", what=self.node(arguments[0]).words), COMPARE, flag=True)

    def _rounded(self, name: str, arguments: list[ast.expr]) -> Sense:
        what, how = self.node(arguments[0]).words, self.say(ROUNDINGS[name])
        return Sense(self.say("round_of", what=what, how=how), CHOICE, number=True)

    def _unsigned(self, name: str, arguments: list[ast.expr]) -> Sense:
        what = self.node(arguments[0], inside=SUM + 1).words
        return Sense(self.say("without_sign", what=what), PRODUCT, number=True)

    def _bounded(self, name: str, arguments: list[ast.expr]) -> Sense:
        """`max(0, x)` is x, at least 0."""
        numbers = [one for one in arguments if _is_number(one)]
        others = [one for one in arguments if not _is_number(one)]
        if len(numbers) == 1 and len(others) == 1:
            word = "not_below" if name == "max" else "not_above"
            what, limit = self.node(others[0], inside=OR).words, self.node(numbers[0]).words
            return Sense(self.say(word, what=what, limit=limit), CHOICE, number=True)
        parts = [self.node(one, inside=OR).words for one in arguments]
        what = (*joined(parts[:-1], (", ",)), *self.say("and"), *parts[-1])
        return Sense(self.say("greater_of" if name == "max" else "smaller_of", what=what), SIGN, number=True)

    def _clamped(self, name: str, arguments: list[ast.expr]) -> Sense:
        what, low, high = (self.node(one, inside=OR).words for one in arguments)
        low_said = self.say("not_below", what=what, limit=low)
        return Sense(self.say("not_above", what=low_said, limit=high), CHOICE, number=True)

    def _listed(self, name: str, arguments: list[ast.expr]) -> Sense:
        """Functions over a list, with or without a condition on each item."""
        things = self.node(arguments[0])
        if len(arguments) == 1 or name in ("highest", "lowest"):
            word = _LISTED[name][0]
            return Sense(self.say(word, what=things.words), SIGN, kind=things.kind, number=name != "first")
        inner = self.within(item=self.item(things), key=self.key_of(things))
        words = self.say(_LISTED[name][1], what=things.words, test=inner.node(arguments[1]).words)
        return Sense(words, OR if name in ("any", "all") else SIGN, kind=things.kind, number=name != "first")

    def item(self, things: Sense) -> Sense:
        """One of a list, whose values are told without saying whose."""
        return replace(things, words=self.say("each_item"), many=False, family=None, implied=True)

    def key_of(self, things: Sense) -> Sense:
        return Sense(self.say("each_item"), ids=things.family, labels=things.labels)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool | str)


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.List)


# ---------------------------------------------------------------------- what stands after a dot


def _of_members(wording: Wording, base: Sense, name: str) -> Sense | None:
    found = (base.members or {}).get(name)
    return None if found is None else wording.owned(found, base)


def _of_roll(wording: Wording, base: Sense, name: str) -> Sense | None:
    if base.roll is None:
        return None
    label = getattr(base.roll, "labels", {}).get(name)
    words = wording.say("dice_thrown") if name == "dice" else wording.lexicon.term(label, name)
    return wording.owned(Sense(words, number=True), base)


def _of_family(wording: Wording, base: Sense, name: str) -> Sense | None:
    if base.family is None or name not in base.family.ids:
        return None
    keys = replace(base, ids=base.family)
    return wording.keyed(base, Sense(wording.lexicon.key(name, keys)))


def _of_gauge(wording: Wording, base: Sense, name: str) -> Sense | None:
    if not base.gauge or name not in OF_GAUGE:
        return None
    return replace(base, words=wording.say(OF_GAUGE[name], what=base.words))


def _of_sheet(wording: Wording, base: Sense, name: str) -> Sense | None:
    lexicon = wording.lexicon
    if not base.kind:
        return None
    if name == "owner" and base.kind in lexicon.system.records:
        return Sense(wording.say("owner"), kind=lexicon.owner_of(base.kind))
    found = lexicon.field(base.kind, name)
    if found is None and name in ("name", "nom"):
        return base if plain(base.words) else Sense(lexicon.term(None, name))
    if found is None:
        return None
    owned = wording.owned(found, base)
    return replace(owned, many=owned.many or base.many)


def _of_row(wording: Wording, base: Sense, name: str) -> Sense | None:
    """A column of the row that a key names."""
    if base.ids is None or base.ids.table is None:
        return None
    lexicon, table = wording.lexicon, base.ids.table
    held = lexicon.system.tables[table].columns.get(name)
    if held is None:
        return None
    ids = held if not isinstance(held, str) else None
    found = Sense(lexicon.column(table, name), ids=ids, flag=held == "flag", number=held == "number")
    if name == "label":
        return replace(base, ids=None)
    return replace(found, words=wording.say("of_row", what=found.words, whose=base.words))


_SPECIAL: Mapping[str, Callable[[Wording, str], Sense]] = {
    "assume": Wording._assumed,
    "during": Wording._during,
    "table": Wording._table,
    "symbol": Wording._symbol,
}
_LISTED: Mapping[str, tuple[str, str]] = {
    "count": ("number_of", "number_where"),
    "sum": ("sum_of", "sum_where"),
    "any": ("any_of", "any_of"),
    "all": ("all_of", "all_of"),
    "first": ("first_of", "first_where"),
    "highest": ("highest_of", "highest_of"),
    "lowest": ("lowest_of", "lowest_of"),
}
_FUNCTIONS: Mapping[str, Callable[[Wording, str, list[ast.expr]], Sense]] = {
    "given": Wording._given,
    "abs": Wording._unsigned,
    "min": Wording._bounded,
    "max": Wording._bounded,
    "clamp": Wording._clamped,
    **dict.fromkeys(ROUNDINGS, Wording._rounded),
    **dict.fromkeys(_LISTED, Wording._listed),
}
_TELLERS: Mapping[type[ast.expr], Callable[..., Sense]] = {
    ast.Name: Wording.name,
    ast.Attribute: Wording.attribute,
    ast.Subscript: Wording.subscript,
    ast.Constant: Wording.constant,
    ast.BinOp: Wording.binary,
    ast.UnaryOp: Wording.unary,
    ast.Compare: Wording.compare,
    ast.BoolOp: Wording.boolean,
    ast.IfExp: Wording.choice,
    ast.Call: Wording.call,
    ast.List: Wording.several,
}
