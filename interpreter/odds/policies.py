"""Policies as data: which answer to give to which choice, by its name, and when."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence

from interpreter.bound import Literal, ResolutionError, tree_of
from interpreter.examples import Questions
from interpreter.expressions import parse
from interpreter.model import Code, System
from interpreter.odds.limits import refuse
from interpreter.odds.lowered import Rule
from interpreter.program import Pick, Program, Tree

Written = Mapping[str, str | int | Sequence[str]]
ALWAYS = ast.Constant(True)
WHEN = " when "


def policy_named(system: System, name: str) -> Written:
    """The choices of a policy of the rules."""
    policy = system.policies.get(name)
    if policy is None:
        known = ", ".join(system.policies) or "none"
        raise refuse("policy", f"There is no policy `{name}`; there are: {known}.")
    return policy.choices


class Ruler:
    """Gives the rules for the choices of a program: those of the policy, then for the others the first
    option, or none.
    """

    def __init__(
        self, program: Program, questions: Callable[[], Questions], written: Written, others_first: bool
    ) -> None:
        self.program = program
        self.questions = questions
        self.written = written
        self.others_first = others_first
        self.used: set[str] = set()

    def __call__(self, pick: Pick) -> tuple[Rule, ...] | None:
        name = self._entry(pick.name)
        if name is None:
            return () if self.others_first else None
        self.used.add(name)
        lines = self.written[name]
        return tuple(self._rule(pick, str(line)) for line in ([lines] if isinstance(lines, str | int) else lines))

    def _entry(self, full: str) -> str | None:
        """The policy's name for a choice: all of it, or its end after a dot."""
        names = [name for name in self.written if full == name or full.endswith(f".{name}")]
        return max(names, key=len) if names else None

    def check(self, written: Written) -> None:
        """Refuses names that are no choice of the program; a policy of the rules may be for several actions."""
        unknown = [name for name in written if name not in self.used]
        if unknown:
            picks = dict.fromkeys(item.name for item in self.program.instructions if isinstance(item, Pick))
            raise refuse(
                "policy", f"`{unknown[0]}` is no choice of this action; its choices are: {', '.join(picks) or 'none'}."
            )

    def _rule(self, pick: Pick, line: str) -> Rule:
        answer, found, condition = line.partition(WHEN)
        test = self._tree(pick, condition) if found else None
        answer = answer.strip()
        if pick.kind == "number":
            return self._tree(pick, answer), test
        ids = tuple(part.strip() for part in answer.split(",") if part.strip() and part.strip() != "none")
        known = [option.id for option in pick.options]
        wrong = [one for one in ids if one not in known]
        if wrong or (pick.kind == "options" and len(ids) != 1):
            raise refuse("policy", f"`{answer}` is no answer to `{pick.name}`; it has: {', '.join(known)}.")
        return ids, test

    def _tree(self, pick: Pick, text: str) -> Tree:
        """A condition may name what is known where the choice stands, and what the action names."""
        expression = parse(text.strip())
        if isinstance(expression, tuple):
            raise refuse("policy", f"`{text.strip()}`: {expression[0].message}")
        resolver, scope = self.questions().resolver, ChainMap(dict(pick.scope), self.questions().scope)
        try:
            for node in ast.walk(expression.tree):
                base = node.value if isinstance(node, ast.Attribute) else None
                if isinstance(base, ast.Name) and isinstance(resolver.visit(base, scope), Literal):
                    raise ResolutionError(f"there is no `{base.id}` here")
            return tree_of(resolver.bound(Code(text.strip(), ()), scope))
        except ResolutionError as error:
            raise refuse("policy", f"`{text.strip()}` cannot be looked at: {error}.") from error


Rules = Callable[[Pick], tuple[Rule, ...] | None]
