"""An expression in words: « Habileté + 2 if Arbalète », with the names that people know instead of ids."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from interpreter.expressions import parse
from interpreter.model import Code, Keys, Label, Node
from interpreter.render.names import Names, readable

SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "×",
    ast.Div: "÷",
    ast.FloorDiv: "÷",
    ast.Mod: "mod",
    ast.Eq: "=",
    ast.NotEq: "≠",
    ast.Lt: "<",
    ast.LtE: "≤",
    ast.Gt: ">",
    ast.GtE: "≥",
}
# What the set of ids of a field or an input stands under.
SETS = ("key", "steps", "set_of")
# Whose values are told without saying whose.
IMPLIED = ("self", "item")
# How tightly parts hold together; looser parts within tighter ones are put in brackets.
Meant = tuple[Keys | None, Mapping[str, Label] | None]

CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, PART = range(9)


class Words:
    """Puts expressions into words. `asked` are the inputs, values and rolls of the action at hand, `kinds` its roles'.

    `meant` is the set that a bare id beside a comparison belongs to.
    """

    def __init__(self, names: Names, asked: Mapping[str, Node], kinds: Mapping[str, str]) -> None:
        self.names = names
        self.asked = asked
        self.kinds = kinds
        self.meant: Meant = (None, None)

    def code(self, code: Code | None) -> str:
        """The expression in words; as it is written where it is none."""
        if code is None:
            return ""
        parsed = parse(code.text)
        return code.text if isinstance(parsed, tuple) else self.tell(parsed.tree)

    def tell(self, node: ast.expr, inside: int = CHOICE) -> str:
        teller = _TELLERS.get(type(node))
        if teller is None:
            return ast.unparse(node)
        tightness, text = teller(self, node)
        return f"({text})" if tightness < inside else text

    # ------------------------------------------------------------------ names

    def name(self, node: ast.Name) -> tuple[int, str]:
        if node.id in self.asked:
            return PART, self.names.node(self.asked[node.id], node.id)
        if node.id in IMPLIED:
            return PART, self.names.say(f"word_{node.id}")
        return PART, self.names.key(node.id, *self.meant)

    def part(self, node: ast.Attribute) -> tuple[int, str]:
        """`self.gauge` is the gauge, `other.gauge` the gauge of someone, `roll.reading` the reading of a roll."""
        base = node.value
        if isinstance(base, ast.Name):
            if base.id in ("assume", "table"):
                return PART, readable(node.attr)
            if base.id == "during":
                return PART, self.names.say("during", what=self._period(node.attr))
            kind = self.kinds.get(base.id)
            label = self.names.dotted(f"{kind}.{node.attr}") if kind else self.names.some_field(node.attr)
            return PART, label if base.id in IMPLIED else self._of(label, self.tell(base, PART))
        return PART, self._of(readable(node.attr), self.tell(base, PART))

    def _period(self, name: str) -> str:
        return self.names.node(self.names.system.periods.get(name), name)

    def _of(self, what: str, whose: str) -> str:
        return self.names.say("of", what=what, whose=whose)

    def item(self, node: ast.Subscript) -> tuple[int, str]:
        return PART, f"{self.tell(node.value, PART)} [{self.tell(node.slice)}]"

    # ------------------------------------------------------------------ numbers and conditions

    def constant(self, node: ast.Constant) -> tuple[int, str]:
        value = node.value
        if isinstance(value, str):
            return PART, self.names.key(value, *self.meant)
        return PART, self.names.value(value) if isinstance(value, bool | int | Fraction) else str(value)

    def binary(self, node: ast.BinOp) -> tuple[int, str]:
        own = SUM if isinstance(node.op, ast.Add | ast.Sub) else PRODUCT
        text = f"{self.tell(node.left, own)} {SIGNS[type(node.op)]} {self.tell(node.right, own + 1)}"
        return own, text + (self.names.say("rounded") if isinstance(node.op, ast.FloorDiv) else "")

    def unary(self, node: ast.UnaryOp) -> tuple[int, str]:
        if isinstance(node.op, ast.Not):
            return NOT, self.names.say("not", what=self.tell(node.operand, NOT))
        return SIGN, f"{'-' if isinstance(node.op, ast.USub) else ''}{self.tell(node.operand, SIGN)}"

    def compare(self, node: ast.Compare) -> tuple[int, str]:
        text = self.tell(node.left, SUM)
        self.meant = self._set_of(node.left)
        for operator, right in zip(node.ops, node.comparators, strict=True):
            word = self.names.say("among") if isinstance(operator, ast.In) else SIGNS.get(type(operator))
            text += f" {word or self.names.say('not_among')} {self.tell(right, SUM)}"
        self.meant = (None, None)
        return COMPARE, text

    def _set_of(self, node: ast.expr) -> Meant:
        """The ids that a field or an input can be, and their names."""
        found: Any = self.asked.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Attribute):
            kind = self.kinds.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
            found = self.names.declared(kind, node.attr)
        keys = next((one for name in SETS if isinstance(one := getattr(found, name, None), Keys)), None)
        return keys, getattr(found, "labels", None)

    def boolean(self, node: ast.BoolOp) -> tuple[int, str]:
        own, word = (AND, "and") if isinstance(node.op, ast.And) else (OR, "or")
        return own, self.names.say(word).join(self.tell(value, own) for value in node.values)

    def choice(self, node: ast.IfExp) -> tuple[int, str]:
        body, test, otherwise = self.tell(node.body, OR), self.tell(node.test, OR), self.tell(node.orelse)
        return CHOICE, self.names.say("if_else", body=body, test=test, otherwise=otherwise)

    def call(self, node: ast.Call) -> tuple[int, str]:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        told = [self.tell(argument) for argument in node.args]
        if name == "given" and len(told) == 1:
            return COMPARE, self.names.say("is_given", what=told[0])
        return PART, f"{name}({', '.join(told)})"

    def several(self, node: ast.List) -> tuple[int, str]:
        return PART, ", ".join(self.tell(item) for item in node.elts)


_TELLERS: Mapping[type[ast.expr], Callable[..., tuple[int, str]]] = {
    ast.Name: Words.name,
    ast.Attribute: Words.part,
    ast.Subscript: Words.item,
    ast.Constant: Words.constant,
    ast.BinOp: Words.binary,
    ast.UnaryOp: Words.unary,
    ast.Compare: Words.compare,
    ast.BoolOp: Words.boolean,
    ast.IfExp: Words.choice,
    ast.Call: Words.call,
    ast.List: Words.several,
}
