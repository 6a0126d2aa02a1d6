"""Make a resolved tree smaller once some registers are known, without changing what it gives or refuses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from .evaluate import EvaluationError, evaluate
from .nodes import Chain, Register, Select, at, call, children, constant

# A function of these cannot fail on values of the right sort.
_HARMLESS_CALLS = frozenset(("any", "all", "count", "min", "max", "clamp", "given"))
_HARMLESS = (ast.Constant, Register, ast.BoolOp, ast.Compare, ast.IfExp, ast.List, ast.Tuple)


def substitute(tree: ast.expr, values: Mapping[int, object]) -> ast.expr:
    """The tree with the given registers as constants, and everything computed that this decides.

    A part that would fail stays as it is, so that it fails when, and only when, the rules reach it.
    """
    return _FOLDED.get(type(tree), _each)(tree, values)


def may_fail(tree: ast.expr) -> bool:
    """Whether computing a tree of the right types could still be refused; when in doubt, yes."""
    if isinstance(tree, ast.Call):
        harmless = isinstance(tree.func, ast.Name) and tree.func.id in _HARMLESS_CALLS
    else:
        harmless = isinstance(tree, _HARMLESS) or (isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not))
    return not harmless or any(may_fail(child) for child in children(tree))


def _register(node: Register, values: Mapping[int, object]) -> ast.expr:
    return constant(values[node.slot], node) if node.slot in values else node


def _chain(node: Chain, values: Mapping[int, object]) -> ast.expr:
    """Link by link; a chain of which every link is known is its last value."""
    known = dict(values)
    links = []
    for slot, tree in node.links:
        folded = substitute(tree, known)
        links.append((slot, folded))
        if isinstance(folded, ast.Constant):
            known[slot] = folded.value
    last = links[-1][1]
    return last if isinstance(last, ast.Constant) else at(Chain(tuple(links)), node)


def _each(node: ast.expr, values: Mapping[int, object]) -> ast.expr:
    """Fold what is below a node, then the node itself when all of that is known."""
    parts: dict[str, Any] = {name: _part(part, values) for name, part in ast.iter_fields(node)}
    if isinstance(node, ast.Call):
        parts["func"] = node.func
    return _computed(at(type(node)(**parts), node))


def _part(part: object, values: Mapping[int, object]) -> object:
    if isinstance(part, list):
        return [_part(each, values) for each in part]
    return substitute(part, values) if isinstance(part, ast.expr) else part


def _computed(node: ast.expr) -> ast.expr:
    if not all(isinstance(child, ast.Constant) for child in children(node)):
        return node
    try:
        return constant(evaluate(node, ()), node)
    except EvaluationError:
        return node


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is type(value) and node.value == value


def _binary(node: ast.BinOp, values: Mapping[int, object]) -> ast.expr:
    """Adding nothing and multiplying by one leave the other operand."""
    folded = _each(node, values)
    if isinstance(folded, ast.BinOp):
        nothing = 1 if isinstance(folded.op, ast.Mult) else 0
        if isinstance(folded.op, (ast.Add, ast.Sub, ast.Mult)) and _is(folded.right, nothing):
            return folded.left
        if isinstance(folded.op, (ast.Add, ast.Mult)) and _is(folded.left, nothing):
            return folded.right
    return folded


def _and_or(node: ast.BoolOp, values: Mapping[int, object]) -> ast.expr:
    """A part that never decides is dropped; nothing after a part that always decides is reached."""
    decisive = isinstance(node.op, ast.Or)
    kept: list[ast.expr] = []
    for each in node.values:
        part = substitute(each, values)
        if _is(part, decisive):
            kept = [*kept, part] if any(may_fail(before) for before in kept) else [part]
            break
        if not _is(part, not decisive):
            kept.append(part)
    if not kept:
        return constant(not decisive, node)
    return kept[0] if len(kept) == 1 else at(ast.BoolOp(node.op, kept), node)


def _compare(node: ast.Compare, values: Mapping[int, object]) -> ast.expr:
    """A chain is false as soon as a known pair is, if nothing before it can fail."""
    operands = [substitute(each, values) for each in (node.left, *node.comparators)]
    whole = _computed(at(ast.Compare(operands[0], node.ops, operands[1:]), node))
    if isinstance(whole, ast.Constant) or len(operands) == 2:
        return whole
    for place, op in enumerate(node.ops):
        left, right = operands[place], operands[place + 1]
        if _is(_computed(at(ast.Compare(left, [op], [right]), node)), False):
            return constant(False, node)
        if may_fail(left) or may_fail(right):
            break
    return whole


def _conditional(node: ast.IfExp, values: Mapping[int, object]) -> ast.expr:
    test = substitute(node.test, values)
    for value, branch in ((True, node.body), (False, node.orelse)):
        if _is(test, value):
            return substitute(branch, values)
    return at(ast.IfExp(test, substitute(node.body, values), substitute(node.orelse, values)), node)


def _select(node: Select, values: Mapping[int, object]) -> ast.expr:
    subject = substitute(node.subject, values)
    if isinstance(subject, ast.Constant):
        case = node.cases.get(subject.value)
        return at(Select(subject, {}), node) if case is None else substitute(case, values)
    return at(Select(subject, {value: substitute(case, values) for value, case in node.cases.items()}), node)


def _call(node: ast.Call, values: Mapping[int, object]) -> ast.expr:
    folded = _each(node, values)
    if isinstance(folded, ast.Call) and isinstance(folded.func, ast.Name):
        thinned = _THINNED.get(folded.func.id)
        return thinned(folded, folded.func.id) if thinned else folded
    return folded


def _thin_flags(node: ast.Call, name: str) -> ast.expr:
    """any, all, count: parts that change nothing are dropped, one that decides is enough."""
    idle = name == "all"
    kept = [each for each in node.args if not _is(each, idle)]
    decided = name != "count" and any(_is(each, not idle) for each in kept)
    if decided and not any(may_fail(each) for each in kept):
        return constant(not idle, node)
    return call(name, kept, node)


def _thin_sum(node: ast.Call, name: str) -> ast.expr:
    """Known numbers are added up."""
    known = [each for each in node.args if isinstance(each, ast.Constant)]
    if len(known) < 2:
        return node
    total = _computed(call("sum", known, node))
    unknown = [each for each in node.args if each not in known]
    return call("sum", [*unknown, total], node) if isinstance(total, ast.Constant) else node


def _thin_pairs(node: ast.Call, name: str) -> ast.expr:
    """first, highest, lowest: a value whose flag is no is dropped, unless computing it can fail."""
    arguments = node.args
    pairs = [arguments[place : place + 2] for place in range(0, len(arguments) - 1, 2)]
    kept = [pair for pair in pairs if not (_is(pair[0], False) and not may_fail(pair[1]))]
    rest = arguments[len(arguments) - 1 :] if len(arguments) % 2 else []
    if name == "first" and kept and _is(kept[0][0], True) and not any(may_fail(each) for pair in kept for each in pair):
        return kept[0][1]
    return call(name, [*(each for pair in kept for each in pair), *rest], node)


_THINNED: Mapping[str, Callable[[ast.Call, str], ast.expr]] = {
    "any": _thin_flags,
    "all": _thin_flags,
    "count": _thin_flags,
    "sum": _thin_sum,
    "first": _thin_pairs,
    "highest": _thin_pairs,
    "lowest": _thin_pairs,
}
_FOLDED: Mapping[type, Callable[..., ast.expr]] = {
    ast.Constant: lambda node, values: node,
    Register: _register,
    Select: _select,
    Chain: _chain,
    ast.BinOp: _binary,
    ast.BoolOp: _and_or,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Call: _call,
}
