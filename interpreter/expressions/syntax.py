"""Turn the text of an expression into a tree of the few nodes that the language has, or into faults in their places."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from keyword import iskeyword
from typing import Any, cast

from .faults import Fault, gathered
from .grammar import first_fault
from .lexer import FLAGS, Kind, Token, tokens

# A formula beyond these bounds is no longer one that a reader can check; it also bounds every later recursion.
LONGEST = 2000
MOST_NODES = 1000
DEEPEST = 60

ALLOWED = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.List, ast.Call),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.IfExp),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Load),
)
_WITH_PARTS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
# Functions whose second argument is looked at for each thing of their list, which it calls `item` (and `key`).
PREDICATED = frozenset(("count", "sum", "any", "all", "first"))
BOUND = frozenset(("item", "key"))


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; the columns of its nodes are offsets into `text`, in characters.

    Names and texts are in Unicode's composed form, decimals are fractions, `is` is ==, `true` is a constant.
    """

    text: str
    tree: ast.expr = field(compare=False)


def parse(text: str) -> Expression | tuple[Fault, ...]:
    """The expression that `text` is, or every fault of its spelling."""
    if len(text) > LONGEST:
        message = f"This expression is longer than {LONGEST} characters."
        return (Fault("E0302", message, LONGEST, len(text), "Give names to its parts first."),)
    words, faults = tokens(text)
    if faults:
        return gathered(faults)
    if not words:
        return (Fault("E0301", "An expression is missing here.", 0, len(text)),)
    fault = first_fault(words, len(text))
    if fault:
        return (fault,)
    tree = _tree(text, words)
    return tree if isinstance(tree, tuple) else Expression(text, tree)


def negation(expression: Expression) -> Expression:
    """The contrary of a condition, for what may be assumed where it does not hold."""
    tree = ast.UnaryOp(ast.Not(), expression.tree)
    return Expression(f"not ({expression.text})", ast.copy_location(tree, expression.tree))


def names_used(tree: ast.expr) -> tuple[str, ...]:
    """The names that stand free in a tree, in order of first use: neither functions nor the `item` of a predicate."""
    return tuple(dict.fromkeys(_free(tree, frozenset())))


def _free(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if node.id not in bound:
            yield node.id
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        inner = bound | BOUND if node.func.id in PREDICATED else bound
        for place, argument in enumerate(node.args):
            yield from _free(argument, inner if place == 1 else bound)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _free(child, bound)


def _tree(text: str, words: list[Token]) -> ast.expr | tuple[Fault, ...]:
    whole = Fault("E0302", "This expression has too many parts.", 0, len(text), "Give names to its parts first.")
    try:
        tree = ast.parse(f"({_disguised(text, words)})", mode="eval").body
    except (RecursionError, MemoryError):
        return (whole,)
    except (SyntaxError, ValueError):
        return (Fault("E0307", "This is not an expression.", 0, len(text), "Put brackets around its parts."),)
    nodes = _measured(tree)
    return (whole,) if nodes is None else _translated(tree, nodes, text, words)


def _disguised(text: str, words: list[Token]) -> str:
    """The text in plain ASCII on one line, with the same length, and without words that only Python reserves.

    Python counts columns in bytes and folds look-alike letters together; given only this it can do neither.
    """
    pieces = list(" " * len(text))
    for word in words:
        shown = text[word.start : word.end]
        if word.kind is Kind.TEXT:
            shown = f"'{'x' * (len(shown) - 2)}'"
        elif not shown.isascii() or (word.kind is Kind.NAME and iskeyword(shown)):
            shown = "_" * len(shown)
        pieces[word.start : word.end] = shown
    return "".join(pieces)


def _measured(tree: ast.expr) -> list[ast.AST] | None:
    """Every node of a tree, or None when there are too many or they nest too deeply."""
    found: list[ast.AST] = []
    layer: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        found += layer
        if not layer or len(found) > MOST_NODES:
            break
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
    return None if layer else found


def _translated(tree: ast.expr, nodes: list[ast.AST], text: str, words: list[Token]) -> ast.expr | tuple[Fault, ...]:
    begins = {word.start: word for word in words}
    ends = {word.end: word for word in words}
    faults: list[Fault] = []
    for node in nodes:
        if isinstance(node, ast.expr):
            node.col_offset -= 1
            node.end_col_offset = (node.end_col_offset or 0) - 1
        if isinstance(node, ast.Name):
            node.id = begins[node.col_offset].text
        elif isinstance(node, ast.Attribute) and node.end_col_offset:
            node.attr = ends[node.end_col_offset].text
        elif isinstance(node, ast.Constant):
            node.value = cast(Any, _literal(begins[node.col_offset]))
        elif isinstance(node, ast.Compare):
            node.ops = [_PLAIN.get(type(op), type(op))() for op in node.ops]
        faults += _strangers(node)
    flags = any(isinstance(node, ast.Name) and node.id in FLAGS for node in nodes)
    return gathered(faults) or (_Flags().visit(tree) if flags else tree)


_PLAIN: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}


def _literal(word: Token) -> int | Fraction | str:
    if word.kind is Kind.TEXT:
        return unicodedata.normalize("NFC", word.text[1:-1])
    number = Fraction(word.text)
    return number.numerator if number.denominator == 1 else number


def _strangers(node: ast.AST) -> Iterator[Fault]:
    """Nodes of Python that the language has not; most were refused as signs already."""
    if isinstance(node, (ast.Is, ast.IsNot)) or not isinstance(node, ast.expr):
        return
    start, end = node.col_offset, node.end_col_offset or node.col_offset
    if not isinstance(node, ALLOWED):
        yield Fault("E0308", f"{type(node).__name__} has no place in an expression.", start, end)
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.value, _WITH_PARTS):
        message = "Parts are taken from a name, not from the result of a formula."
        yield Fault("E0308", message, start, end, "Choose between whole paths: a.x if condition else b.x.")


class _Flags(ast.NodeTransformer):
    """Puts constants for the names `true` and `false`."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(FLAGS[node.id]), node) if node.id in FLAGS else node
