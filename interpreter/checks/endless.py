"""Dice that explode or are thrown again: whether some face stops them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from interpreter import dice
from interpreter.checks.dice import Faces
from interpreter.checks.finding import Check
from interpreter.dice.chains import faces_of
from interpreter.expressions import Typed, evaluate
from interpreter.expressions.nodes import register
from interpreter.model import Explode, RerollDice

if TYPE_CHECKING:
    from interpreter.checks.context import Context

ENDLESS = Check(
    "E0421",
    "dice that are thrown again for ever",
    "A die that explodes or is thrown again must have a face that stops it, or a bound: `at_most`, `how_often`.",
    failing="""
actions:
  burn:
    steps:
      - roll: {throw: {dice: 1, die: d6, do: [{explode: face >= 1, into: new_die}]}}
      - say: "{throw}"
""",
    passing="""
actions:
  burn:
    steps:
      - roll: {throw: {dice: 1, die: d6, do: [{explode: face == 6, into: new_die}]}}
      - say: "{throw}"
""",
)
CHECKS = (ENDLESS,)
# More throws of one die, on average, are no rule that a table would play.
MOST_THROWS = 1000
# Work spent on a chain whose end depends on what has added up so far.
MOST_TERMS = 20_000
PLAIN = frozenset(("face", "sides", "symbol"))
SLOTS: Mapping[str, int] = {"face": 0, "first": 1, "value": 2, "sides": 3}


def tell_endless(context: Context, operation: Explode | RerollDice, typed: Typed | None, faces: Faces) -> None:
    """Tells of a chain that no face ever stops, where only the die decides."""
    if typed is None or typed.faults or any(name not in (*SLOTS, "symbol") for name in typed.names):
        return
    symbols = {name: len(SLOTS) + place for place, name in enumerate(context.system.symbols)}
    tree = _OnDie(SLOTS, symbols).visit(typed.tree)

    def test(thrown: dice.Thrown) -> bool:
        values = [thrown.face, thrown.first, thrown.value, thrown.sides, *(thrown.symbol(name) for name in symbols)]
        return bool(evaluate(tree, values))

    code = operation.explode if isinstance(operation, Explode) else operation.reroll
    for die in dict.fromkeys(faces.dice) if _unbounded(operation) else ():
        said = _why(operation, test, die, set(typed.names) <= PLAIN)
        if said:
            hint = "Leave a face that stops it, or bound it with `at_most` or `how_often`."
            context.report.add(ENDLESS, code.path, said, hint)
            return


def _unbounded(operation: Explode | RerollDice) -> bool:
    if isinstance(operation, Explode):
        return operation.at_most is None
    return operation.how_often is not None and operation.how_often.text == "until"


def _why(operation: Explode | RerollDice, test: Callable[[dice.Thrown], bool], die: dice.Die, plain: bool) -> str:
    """Why a die may never stop, in words; empty when it does. A `plain` test looks at each throw by itself."""
    what = "explodes" if isinstance(operation, Explode) else "is thrown again"
    going_on = sum(chance for thrown, chance in faces_of("", die) if test(thrown))
    if plain or isinstance(operation, RerollDice):
        if going_on == 1:
            return f"This never ends: a {die.name} {what} whatever it shows."
        if 1 / (1 - going_on) > MOST_THROWS:
            return f"This nearly never ends: a {die.name} {what} {round(1 / (1 - going_on))} times on average."
        return ""
    made = dice.Explode(test, "new_die" if operation.into == "new_die" else "same_die")
    fault = dice.endless(dice.Pool((dice.Group("", 1, die),), (made,)), dice.Limits(terms=MOST_TERMS))
    never = fault is not None and fault.code == "endless"
    return f"This never ends: a {die.name} {what} whatever it shows." if never else ""


class _OnDie(ast.NodeTransformer):
    """Registers for the names of a die, so that the expression can be computed for each face."""

    def __init__(self, slots: Mapping[str, int], symbols: Mapping[str, int]) -> None:
        self.slots = slots
        self.symbols = symbols

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return register(self.slots[node.id], node) if node.id in self.slots else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return register(self.symbols[node.attr], node) if node.attr in self.symbols else node
