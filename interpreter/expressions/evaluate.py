"""Compute the value of a resolved tree: exactly, within bounds, and never anything that the language has not.

This module alone imports simpleeval. Only its walk from node to handler is kept: its functions, operators, names and
access to attributes are all left out, since none of them is safe with values that people write.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, NoReturn

from simpleeval import SimpleEval

from .functions import FUNCTIONS
from .lexer import LARGEST
from .nodes import Chain, Register, Select, position, reads

Registers = Sequence[object]
Compiled = Callable[[Registers], Any]

# A prepared tree forgets every result once it has remembered this many.
MOST_REMEMBERED = 20_000

_NUMBERS = frozenset((int, Fraction))


class EvaluationError(Exception):
    """A value that cannot be computed; `position` is the characters of the expression's text that asked for it."""

    def __init__(self, code: str, message: str, position: tuple[int, int]) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position


def _failed(code: str, message: str, node: ast.AST) -> NoReturn:
    raise EvaluationError(code, message, position(node))


def _misfit(node: ast.AST, value: object, wanted: str) -> NoReturn:
    _failed("E0342", f"A value is {type(value).__name__} where {wanted} is needed.", node)


def _divided(left: Any, right: Any) -> Any:
    """The exact quotient; whole when it can be, since making a fraction is slow."""
    quotient, rest = divmod(left, right)
    return Fraction(left) / right if rest else quotient


_ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ANY: frozenset[type] = frozenset()
_LISTS = frozenset((tuple,))
# Each relation, and the classes that its left and right sides must have.
_RELATIONS: Mapping[type, tuple[Callable[[Any, Any], bool], frozenset[type], frozenset[type]]] = {
    ast.Eq: (operator.eq, _ANY, _ANY),
    ast.NotEq: (operator.ne, _ANY, _ANY),
    ast.Is: (operator.eq, _ANY, _ANY),
    ast.IsNot: (operator.ne, _ANY, _ANY),
    ast.In: (lambda left, right: left in right, _ANY, _LISTS),
    ast.NotIn: (lambda left, right: left not in right, _ANY, _LISTS),
    ast.Lt: (operator.lt, _NUMBERS, _NUMBERS),
    ast.LtE: (operator.le, _NUMBERS, _NUMBERS),
    ast.Gt: (operator.gt, _NUMBERS, _NUMBERS),
    ast.GtE: (operator.ge, _NUMBERS, _NUMBERS),
}


class Evaluator(SimpleEval):  # type: ignore[misc]
    """Walks a resolved tree for one value; a new one for each value is cheap, so that threads never share one."""

    def __init__(self, registers: Registers) -> None:
        # simpleeval's own __init__ would bring in its functions, operators and names, none of which are wanted.
        self.registers = registers

    def value(self, tree: ast.expr) -> Any:
        return self._eval(tree)

    def _eval(self, node: ast.AST) -> Any:
        handler = _NODES.get(type(node))
        if handler is None:
            _failed("E0342", f"{type(node).__name__} has no value.", node)
        return handler(self, node)

    def _constant(self, node: ast.Constant) -> object:
        return node.value

    def _register(self, node: Register) -> object:
        return self.registers[node.slot]

    def _select(self, node: Select) -> object:
        value = self._eval(node.subject)
        case = node.cases.get(value)
        if case is None:
            _failed("E0343", f"There is no case for {value!r}.", node)
        return self._eval(case)

    def _chain(self, node: Chain) -> object:
        registers = list(self.registers)
        registers += [None] * (1 + max(slot for slot, _ in node.links) - len(registers))
        inner = Evaluator(registers)
        for slot, tree in node.links:
            registers[slot] = inner.value(tree)
        return registers[node.result]

    def _list(self, node: ast.List | ast.Tuple) -> tuple[object, ...]:
        return tuple([self._eval(each) for each in node.elts])

    def _number(self, node: ast.expr) -> Any:
        value = self._eval(node)
        if type(value) not in _NUMBERS:
            _misfit(node, value, "a number")
        return value

    def _flag(self, node: ast.expr) -> bool:
        value = self._eval(node)
        if value is not True and value is not False:
            _misfit(node, value, "a yes or no")
        return value

    def _binary(self, node: ast.BinOp) -> object:
        left, right = self._number(node.left), self._number(node.right)
        try:
            return _bounded(_ARITHMETIC[type(node.op)](left, right), node)
        except ZeroDivisionError:
            _failed("E0340", "This divides by zero.", node.right)
        except KeyError:
            _failed("E0342", f"There is no operator {type(node.op).__name__}.", node)

    def _unary(self, node: ast.UnaryOp) -> object:
        if isinstance(node.op, ast.Not):
            return not self._flag(node.operand)
        value = self._number(node.operand)
        return -value if isinstance(node.op, ast.USub) else value

    def _and_or(self, node: ast.BoolOp) -> bool:
        decisive = isinstance(node.op, ast.Or)
        for each in node.values:
            if self._flag(each) is decisive:
                return decisive
        return not decisive

    def _compare(self, node: ast.Compare) -> bool:
        left = self._eval(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self._eval(comparator)
            relation, lefts, rights = _RELATIONS[type(op)]
            if lefts and type(left) not in lefts:
                _misfit(node, left, "a number")
            if rights and type(right) not in rights:
                _misfit(comparator, right, "a list" if rights is _LISTS else "a number")
            if not relation(left, right):
                return False
            left = right
        return True

    def _conditional(self, node: ast.IfExp) -> object:
        return self._eval(node.body if self._flag(node.test) else node.orelse)

    def _call(self, node: ast.Call) -> object:
        function = FUNCTIONS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if function is None:
            _failed("E0342", "There is no such function.", node)
        values = [self._eval(each) for each in node.args]
        try:
            value = function.compute(*values)
        except (TypeError, ValueError, AttributeError):
            _failed("E0342", f"{function.name} cannot work on these values.", node)
        return _bounded(value, node) if type(value) in _NUMBERS else value


_NODES: Mapping[type, Callable[[Evaluator, Any], Any]] = {
    ast.Constant: Evaluator._constant,
    Register: Evaluator._register,
    Select: Evaluator._select,
    Chain: Evaluator._chain,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.BoolOp: Evaluator._and_or,
    ast.Compare: Evaluator._compare,
    ast.IfExp: Evaluator._conditional,
    ast.Call: Evaluator._call,
    ast.List: Evaluator._list,
    ast.Tuple: Evaluator._list,
}


def _bounded(value: Any, node: ast.AST) -> Any:
    """A number in its plainest form, if it is within the bounds of all values."""
    if type(value) is Fraction:
        if value.denominator == 1:
            value = value.numerator
        elif value.denominator > LARGEST:
            _failed("E0341", f"This number has a fraction finer than 1/{LARGEST}.", node)
    if not -LARGEST <= value <= LARGEST:
        _failed("E0341", f"This number is beyond {LARGEST}.", node)
    return value


def evaluate(tree: ast.expr, registers: Registers) -> Any:
    """The value of a resolved tree."""
    return Evaluator(registers).value(tree)


def prepare(tree: ast.expr) -> Compiled:
    """A function from registers to the tree's value, which remembers its results by the values that it reads.

    A key holds each value with its class, since True, 1 and Fraction(1) are equal. The tree keeps its function.
    """
    known: Compiled | None = tree.__dict__.get("prepared")
    if known is not None:
        return known
    slots = reads(tree)
    remembered: dict[object, Any] = {}

    def compute(key: object, registers: Registers) -> Any:
        result = Evaluator(registers).value(tree)
        if len(remembered) >= MOST_REMEMBERED:
            remembered.clear()
        remembered[key] = result
        return result

    compiled: Compiled = _PREPARED.get(len(slots), _of_many)(slots, remembered, compute)
    tree.prepared = compiled  # type: ignore[attr-defined]
    return compiled


# The commonest shapes are spelled out: this is where the exact odds spend their time. A result is looked up in one go,
# since another thread may make the tree forget between asking for it and taking it.


def _of_none(slots: tuple[int, ...], remembered: dict[object, Any], compute: Callable[..., Any]) -> Compiled:
    def compiled(registers: Registers) -> Any:
        try:
            return remembered[None]
        except KeyError:
            return compute(None, registers)

    return compiled


def _of_one(slots: tuple[int, ...], remembered: dict[object, Any], compute: Callable[..., Any]) -> Compiled:
    (first,) = slots

    def compiled(registers: Registers) -> Any:
        a = registers[first]
        key = (a, a.__class__)
        try:
            return remembered[key]
        except KeyError:
            return compute(key, registers)

    return compiled


def _of_two(slots: tuple[int, ...], remembered: dict[object, Any], compute: Callable[..., Any]) -> Compiled:
    first, second = slots

    def compiled(registers: Registers) -> Any:
        a, b = registers[first], registers[second]
        key = (a, a.__class__, b, b.__class__)
        try:
            return remembered[key]
        except KeyError:
            return compute(key, registers)

    return compiled


def _of_three(slots: tuple[int, ...], remembered: dict[object, Any], compute: Callable[..., Any]) -> Compiled:
    first, second, third = slots

    def compiled(registers: Registers) -> Any:
        a, b, c = registers[first], registers[second], registers[third]
        key = (a, a.__class__, b, b.__class__, c, c.__class__)
        try:
            return remembered[key]
        except KeyError:
            return compute(key, registers)

    return compiled


def _of_many(slots: tuple[int, ...], remembered: dict[object, Any], compute: Callable[..., Any]) -> Compiled:
    read = itemgetter(*slots)

    def compiled(registers: Registers) -> Any:
        values = read(registers)
        key = (values, *map(type, values))
        try:
            return remembered[key]
        except KeyError:
            return compute(key, registers)

    return compiled


_PREPARED = {0: _of_none, 1: _of_one, 2: _of_two, 3: _of_three}
