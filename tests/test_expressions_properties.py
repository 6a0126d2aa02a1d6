"""What holds for every expression: reading never fails, and what the checker accepts computes what it promised."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from interpreter.expressions import (
    BOUND,
    PREDICATED,
    Compiled,
    EvaluationError,
    Expression,
    Family,
    Flag,
    Key,
    Many,
    Names,
    Number,
    Optional,
    Type,
    Typed,
    analyse,
    call,
    children,
    constant,
    evaluate,
    parse,
    prepare,
    rank,
    reads,
    register,
    substitute,
)

DATA = Path(__file__).parent / "expressions"

# ------------------------------------------------------------------------------------------------- reading

WORDS = [
    *"ab.()[],+-*/%<01",
    "//",
    "<=",
    "==",
    "!=",
    "and",
    "or",
    "not",
    "if",
    "else",
    "is",
    "in",
    "2.5",
    "'a'",
    "max(",
]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_an_expression_or_faults(text: str) -> None:
    check_reading(text)


@given(st.text("0123456789.eEdD_xabf'\"()[]{}=<>!&|*/+-%:;,# \n\t\u00a0\u2212\ufb01\u0301", max_size=30))
def test_any_signs_are_an_expression_or_faults(text: str) -> None:
    check_reading(text)


def check_reading(text: str) -> None:
    result = parse(text)
    if isinstance(result, tuple):
        assert result
        for fault in result:
            assert 0 <= fault.start <= fault.end <= len(text)
            assert fault.message != "This is not an expression."
    else:
        typed = analyse(result, SCOPE)
        assert typed.faults or typed.type is not None


# --------------------------------------------------------------------------------------------------- typing

FORM = Key(("humain", "loup"))
STEPS = Key(("calme", "inquiet", "furieux"), ordered=True, name="crans")
TYPES: dict[str, Type] = {
    "x": Number(True, 0, 10),
    "y": Number(True, -5, 5),
    "z": Number(True, 1, 6),
    "r": Number(False, 0, 3),
    "f": Flag(),
    "g": Flag(),
    "form": FORM,
    "step": STEPS,
    "maybe": Optional(Number(True, 1, 5)),
    "list": Many(Number(True, 0, 4), 3, 3),
    "stats": Family(FORM, Number(True, -2, 2)),
}
SLOTS = {name: place for place, name in enumerate(TYPES) if name not in ("list", "stats")}
SCOPE = Names(TYPES)
# The registers of the lists' items follow those of the names.
LISTED = {"list": ((None, 20), (None, 21), (None, 22)), "stats": (("humain", 23), ("loup", 24))}
VALUES = st.fixed_dictionaries(
    {SLOTS["x"]: st.integers(0, 10), SLOTS["y"]: st.integers(-5, 5), SLOTS["z"]: st.integers(1, 6)}
    | {SLOTS["r"]: st.sampled_from([0, Fraction(1, 2), 1, Fraction(7, 3), 3])}
    | {SLOTS["f"]: st.booleans(), SLOTS["g"]: st.booleans()}
    | {SLOTS["form"]: st.sampled_from(FORM.ids), SLOTS["step"]: st.sampled_from(STEPS.ids)}
    | {SLOTS["maybe"]: st.none() | st.integers(1, 5)}
    | {slot: st.integers(0, 4) for slot in (20, 21, 22)}
    | {slot: st.integers(-2, 2) for slot in (23, 24)}
)


GROWN = [line.split(" :: ") for line in (DATA / "grown.txt").read_text(encoding="utf-8").splitlines() if " :: " in line]
LEAVES = {sign: [text for kind, its, text in GROWN if (kind, its) == ("leaf", sign)] for sign in "#?~$"}
SHAPES = {sign: [text for kind, its, text in GROWN if (kind, its) == ("shape", sign)] for sign in "#?~$"}


@st.composite
def texts(draw: st.DrawFn, sort: str) -> str:
    def grown(sort: str, depth: int) -> str:
        shapes = SHAPES[sort] if depth else []
        shape = draw(st.sampled_from(shapes + LEAVES[sort]))
        if shape in LEAVES[sort]:
            return shape
        again = grown("#", depth - 1) if "@" in shape else ""
        return "".join(again if sign == "@" else grown(sign, depth - 1) if sign in LEAVES else sign for sign in shape)

    return grown(sort, draw(st.integers(0, 4)))


TEXTS = texts("#") | texts("?")


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(0), st.lists(st.sampled_from(WORDS), max_size=2), st.integers(0, 2))
def test_our_grammar_accepts_what_python_does_and_nothing_else(
    text: str, place: int, inserted: list[str], dropped: int
) -> None:
    """A right expression with a few words taken out and others put in."""
    words = re.findall(r"\w+(?:\.\d+)?\(?|[-+*/%.,()\[\]]|[<>=!]=?", text)
    place %= len(words)
    text = " ".join([*words[:place], *inserted, *words[place + dropped :]])
    result = parse(text)
    try:
        theirs = ast.parse(text, mode="eval")
    except SyntaxError:
        assert isinstance(result, tuple)
        return
    if isinstance(result, Expression):
        event("accepted")
    else:
        assert list(strange(theirs.body)) or re.search(r", [)\]]|'a' 'a'", text), (text, result)


def strange(tree: ast.expr) -> Iterator[ast.AST]:
    """What Python has there and our language has not."""
    lists: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            lists += [right for op, right in pairs if isinstance(op, (ast.In, ast.NotIn))]
        list_alone = isinstance(node, ast.List) and (node not in lists or not node.elts)
        owner = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
        part_of_formula = owner and not isinstance(owner, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        method = isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)
        if list_alone or part_of_formula or method or isinstance(node, (ast.Tuple, ast.Starred)):
            yield node


class Resolver(ast.NodeVisitor):
    """What the program does with names, in small: registers, ranks of ordered ids, lists written out."""

    def __init__(self, types: Mapping[ast.AST, Type | None], bound: Mapping[str, ast.expr]) -> None:
        self.types = types
        self.bound = bound

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """A copy: a predicate is resolved once for each item of its list."""
        parts = {name: self.part(part) for name, part in ast.iter_fields(node)}
        return ast.copy_location(type(node)(**parts), node)

    def part(self, part: object) -> Any:
        if isinstance(part, list):
            return [self.part(each) for each in part]
        return self.visit(part) if isinstance(part, ast.AST) else part

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.bound[node.id] if node.id in self.bound else register(SLOTS[node.id], node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return register(dict(LISTED["stats"])[node.attr], node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        index = self.visit(node.slice)
        (loup, humain) = (register(dict(LISTED["stats"])[id_], node) for id_ in ("loup", "humain"))
        return ast.copy_location(ast.IfExp(ast.Compare(index, [ast.Eq()], [constant("loup")]), loup, humain), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operands = [node.left, *node.comparators]
        ranked = isinstance(self.types.get(node.left), Key) and isinstance(node.ops[0], (ast.Lt, ast.GtE))
        new = [rank(self.visit(each), STEPS.ids) if ranked else self.visit(each) for each in operands]
        return ast.copy_location(ast.Compare(new[0], node.ops, new[1:]), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id  # type: ignore[attr-defined]
        if name in PREDICATED or name == "highest":
            return call(name, list(self.written_out(name, node)), node)
        return call(name, [self.visit(each) for each in node.args], node)

    def written_out(self, name: str, node: ast.Call) -> list[ast.expr]:
        found: list[ast.expr] = []
        for key, slot in LISTED[node.args[0].id]:  # type: ignore[attr-defined]
            bound = {**self.bound, "item": register(slot), "key": constant(key)}
            flag = Resolver(self.types, bound).visit(node.args[1]) if len(node.args) > 1 else constant(True)
            if name == "sum":
                found.append(ast.IfExp(flag, register(slot), constant(0)))
            else:
                found += [flag, register(slot)] if name == "highest" else [flag]
        return found


def accepted(text: str, assuming: list[Expression] | None = None) -> tuple[Typed, ast.expr]:
    result = parse(text)
    assert isinstance(result, Expression), (text, result)
    typed = analyse(result, SCOPE, assuming=assuming or [])
    event("faulty" if typed.faults else "accepted")
    assume(not typed.faults)
    return typed, Resolver(typed.types, {}).visit(typed.tree)


def outcome(tree: ast.expr | Compiled, registers: list[object]) -> object:
    """The value with its sort, or the code of the refusal."""
    try:
        value = evaluate(tree, registers) if isinstance(tree, ast.expr) else tree(registers)
    except EvaluationError as refusal:
        return refusal.code
    return type(value), value


def filled(values: dict[int, object]) -> list[object]:
    return [values.get(slot) for slot in range(25)]


def promised(value: object, type_: Type | None) -> bool:
    if isinstance(type_, Optional):
        return value is None or promised(value, type_.type)
    if isinstance(type_, Number):
        right = type(value) is int or (type(value) is Fraction and not type_.whole)
        low, high = type_.low, type_.high
        return right and (low is None or low <= value) and (high is None or value <= high)  # type: ignore[operator]
    return isinstance(type_, Flag) and type(value) is bool


@settings(max_examples=100, deadline=None)
@given(TEXTS, VALUES)
def test_what_is_accepted_computes_what_was_promised(text: str, values: dict[int, object]) -> None:
    typed, tree = accepted(text)
    result = outcome(tree, filled(values))
    if result == "E0341":
        event("too large")
        return
    assert isinstance(result, tuple), (text, result)
    assert promised(result[1], typed.type), (text, result, typed.type)


@settings(max_examples=100, deadline=None)
@given(TEXTS, texts("?"), VALUES)
def test_what_is_assumed_is_only_needed_where_it_holds(text: str, condition: str, values: dict[int, object]) -> None:
    _, guard = accepted(condition)
    assumed = parse(condition)
    assert isinstance(assumed, Expression)
    typed, tree = accepted(text, [assumed])
    assume(outcome(guard, filled(values)) == (bool, True))
    result = outcome(tree, filled(values))
    assert result == "E0341" or promised(result[1], typed.type), (text, condition, result, typed.type)  # type: ignore[index]


@settings(max_examples=100, deadline=None)
@given(TEXTS, VALUES, st.sets(st.sampled_from(sorted([*SLOTS.values(), 20, 21, 22, 23, 24]))))
def test_what_is_substituted_changes_nothing(text: str, values: dict[int, object], known: set[int]) -> None:
    _, tree = accepted(text)
    registers = filled(values)
    folded = substitute(tree, {slot: registers[slot] for slot in known})
    assert not known & set(reads(folded))
    assert size(folded) <= size(tree) + 1
    assert outcome(folded, registers) == outcome(tree, registers)


def size(tree: ast.expr) -> int:
    """A constant is one thing, a fraction too."""
    return 1 + sum(map(size, children(tree)))


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(VALUES, min_size=2, max_size=4))
def test_remembering_changes_nothing(text: str, many: list[dict[int, object]]) -> None:
    _, tree = accepted(text)
    compiled = prepare(tree)
    for values in many * 2:
        registers = filled(values)
        assert outcome(compiled, registers) == outcome(tree, registers)


# ------------------------------------------------------------------------------------------- every small case

RANGES = {"x": range(11), "y": range(-5, 6), "z": range(1, 7), "r": (0, Fraction(1, 2), 1, Fraction(7, 3), 3)}
PLAIN = [shape for shape in SHAPES["#"] if not set(shape) & set("?@$")]
TIGHT = {"(# + #)", "(# - #)", "(# * #)", "(# // #)", "-#", "abs(#)", "min(#, #)", "max(#, #)", "floor(#)", "ceil(#)"}


def every(names: Iterable[str]) -> Iterator[list[object]]:
    """Registers for every combination of the values of some numbers, and of the flag f."""
    names = sorted(names)
    for values in product(*(RANGES[name] for name in names), (False, True)):
        yield filled({SLOTS[name]: value for name, value in zip([*names, "f"], values, strict=True)})


@pytest.mark.parametrize("shape", PLAIN)
def test_every_operation_on_every_pair_of_small_numbers(shape: str) -> None:
    """No value is outside the range that was promised; the plain operations reach both its ends."""
    for leaves in product([*RANGES, "3", "0.5"], repeat=shape.count("#")):
        text = shape.replace("#", "{}").format(*leaves)
        typed = analyse(cast(Expression, parse(text)), SCOPE)
        if typed.faults:
            assert {fault.code for fault in typed.faults} == {"E0325"}
            continue
        tree = Resolver(typed.types, {}).visit(typed.tree)
        values = [evaluate(tree, registers) for registers in every(set(leaves) & set(RANGES))]
        assert all(promised(value, typed.type) for value in values), text
        if shape in TIGHT and len(set(leaves)) == len(leaves) and isinstance(typed.type, Number):
            assert (min(values), max(values)) == (typed.type.low, typed.type.high), text


@pytest.mark.parametrize(
    "guard", ["{}", "not {}", "({} and f)", "({} or f)", "not ({} and f)", "not ({} or f)", "f or {}"]
)
def test_every_guard_on_every_small_number(guard: str) -> None:
    """In each branch the number is where the guard says, and dividing by it can fail just where the checker says so."""
    for name, sign, number in product("xyr", LEAVES["~"], ("-1", "0", "1", "3", "z")):
        names = {name, number} & set(RANGES)
        exact = "f" not in guard and number != "z"
        for condition in (guard.format(f"({name} {sign} {number})"), guard.format(f"({number} {sign} {name})")):
            check_guarded(f"{name} if {condition} else 1", names, exact)
            check_guarded(f"6 / {name} if {condition} else 1", names, exact)
            check_guarded(f"1 if {condition} else 6 / {name}", names, exact)


def check_guarded(text: str, names: set[str], exact: bool) -> None:
    typed = analyse(cast(Expression, parse(text)), SCOPE)
    tree = Resolver(typed.types, {}).visit(typed.tree)
    outcomes = [outcome(tree, registers) for registers in every(names)]
    if typed.faults:
        assert {fault.code for fault in typed.faults} == {"E0325"}, text
        assert "E0340" in outcomes or not exact, text
    else:
        assert all(isinstance(each, tuple) and promised(each[1], typed.type) for each in outcomes), text


def test_bound_names_are_those_of_predicates() -> None:
    assert frozenset(("item", "key")) == BOUND
