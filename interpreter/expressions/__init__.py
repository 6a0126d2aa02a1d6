"""Expressions: parse them, type them, evaluate them.

parse(text)                          an Expression, or its Faults
analyse(expression, scope, want)     its type, its faults, and the tree that the program resolves
prepare(tree)                        a function from registers to the value of a resolved tree
substitute(tree, values)             the same tree once some registers are known
"""

from __future__ import annotations

from .evaluate import Compiled, EvaluationError, Evaluator, evaluate, prepare
from .facts import canonical, decided
from .faults import CODES, Fault
from .folding import may_fail, substitute
from .functions import FUNCTIONS, Function
from .infer import Names, Scope, Typed, analyse, infer
from .lexer import LARGEST, RESERVED
from .nodes import Chain, Register, Select, at, call, children, constant, depth, rank, reads, register, select
from .syntax import BOUND, PREDICATED, Expression, names_used, negation, parse
from .types import (
    Family,
    Flag,
    Key,
    Many,
    Number,
    Optional,
    Text,
    Thing,
    Type,
    describe,
    element,
    join,
    member,
    same_set,
)

__all__ = [
    "BOUND",
    "CODES",
    "FUNCTIONS",
    "LARGEST",
    "PREDICATED",
    "RESERVED",
    "Chain",
    "Compiled",
    "EvaluationError",
    "Evaluator",
    "Expression",
    "Family",
    "Fault",
    "Flag",
    "Function",
    "Key",
    "Many",
    "Names",
    "Number",
    "Optional",
    "Register",
    "Scope",
    "Select",
    "Text",
    "Thing",
    "Type",
    "Typed",
    "analyse",
    "at",
    "call",
    "canonical",
    "children",
    "constant",
    "decided",
    "depth",
    "describe",
    "element",
    "evaluate",
    "infer",
    "join",
    "may_fail",
    "member",
    "names_used",
    "negation",
    "parse",
    "prepare",
    "rank",
    "reads",
    "register",
    "same_set",
    "select",
    "substitute",
]
