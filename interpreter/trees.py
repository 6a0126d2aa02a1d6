"""Small trees put together, folded where their parts are known."""

from __future__ import annotations

import ast

from interpreter.expressions import substitute

TRUE, FALSE = ast.Constant(True), ast.Constant(False)


def fold(tree: ast.expr) -> ast.expr:
    """A tree whose parts are all known becomes its value."""
    return substitute(tree, {})


def compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [operator], [right])


def call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def both(guard: ast.expr | None, tree: ast.expr | None) -> ast.expr:
    parts = [part for part in (guard, tree) if part is not None]
    if not parts:
        return TRUE
    return parts[0] if len(parts) == 1 else fold(ast.BoolOp(ast.And(), parts))


def any_of(trees: list[ast.expr]) -> ast.expr:
    trees = [tree for tree in map(fold, trees) if not (isinstance(tree, ast.Constant) and tree.value is False)]
    if not trees:
        return FALSE
    return trees[0] if len(trees) == 1 else fold(ast.BoolOp(ast.Or(), trees))


def all_of(trees: list[ast.expr]) -> ast.expr:
    trees = [tree for tree in map(fold, trees) if not (isinstance(tree, ast.Constant) and tree.value is True)]
    if not trees:
        return TRUE
    return trees[0] if len(trees) == 1 else fold(ast.BoolOp(ast.And(), trees))


def add(trees: list[ast.expr]) -> ast.expr:
    trees = [tree for tree in map(fold, trees) if not (isinstance(tree, ast.Constant) and tree.value == 0)]
    if not trees:
        return ast.Constant(0)
    return trees[0] if len(trees) == 1 else fold(call("sum", *trees))


def when(guard: ast.expr, tree: ast.expr, otherwise: ast.expr) -> ast.expr:
    if isinstance(guard, ast.Constant):
        return tree if guard.value else otherwise
    return ast.IfExp(guard, tree, otherwise)
