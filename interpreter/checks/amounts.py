"""What the conditions that hold say of a difference of two numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from interpreter.checks.reader import parsed
from interpreter.expressions import Expression, canonical
from interpreter.model import Code


def never_below_zero(code: Code, knowing: Iterable[Expression]) -> bool:
    """Whether `a - b` stays at zero at least because it is known that b <= a."""
    expression = parsed(code.text)
    tree = expression.tree if isinstance(expression, Expression) else None
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Sub):
        return False
    more, less = canonical(tree.left), canonical(tree.right)
    pairs = [pair for fact in knowing for pair in _compared(fact.tree)]
    return any(
        (isinstance(op, ast.LtE | ast.Lt) and (left, right) == (less, more))
        or (isinstance(op, ast.GtE | ast.Gt) and (left, right) == (more, less))
        for left, op, right in pairs
    )


def _compared(tree: ast.expr) -> Iterable[tuple[str, ast.cmpop, str]]:
    """The comparisons that a condition that holds makes certain."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        for part in tree.values:
            yield from _compared(part)
    elif isinstance(tree, ast.Compare):
        operands = [tree.left, *tree.comparators]
        for left, op, right in zip(operands, tree.ops, operands[1:], strict=False):
            yield canonical(left), op, canonical(right)
