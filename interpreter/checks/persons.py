"""The names of people: roles, and persons without a sheet, as `people` declares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.checks.finding import Check
from interpreter.checks.walk import every, nodes
from interpreter.model import Ask, Choose, Path, Phases, Procedure

if TYPE_CHECKING:
    from interpreter.checks.context import Context

UNDECLARED = Check(
    "E0236",
    "a person that is not declared",
    "Once `people` names somebody, everyone in `by`, `asked` and `hidden_from` is a role, one of them, or `players`.",
    failing="""
people: {storyteller: Storyteller}
actions:
  watch:
    inputs: {alert: {flag: false, asked: storyteller}}
    steps: [{say: "{alert}"}]
  surprise:
    by: storyteler
    steps: [{say: Boo.}]
""",
    passing="""
people: {storyteller: Storyteller}
actions:
  watch:
    inputs: {alert: {flag: false, asked: storyteller}}
    steps: [{say: "{alert}"}]
  surprise:
    by: storyteller
    steps: [{say: Boo.}]
""",
)
UNUSED = Check(
    "W0409",
    "a person who does nothing",
    "Whoever `people` names is a role or is named in `by`, `asked`, `who` or `hidden_from`.",
    failing="""
people: {storyteller: Storyteller, referee: Referee}
actions:
  surprise:
    by: storyteller
    steps: [{say: Boo.}]
""",
    passing="""
people: {storyteller: Storyteller}
actions:
  surprise:
    by: storyteller
    steps: [{say: Boo.}]
""",
)
CHECKS = (UNDECLARED, UNUSED)
NAMED_IN = ("by", "asked", "hidden_from")
PLAYERS = "players"


def check_persons(context: Context) -> None:
    people = context.system.people
    if not people:
        return
    roles = set(_roles(context))
    named = list(_named(context))
    known = roles.union(people, (PLAYERS,))
    strangers = [(path, name) for path, name in named if name not in known and "." not in name]
    for path, name in strangers:
        context.unknown(UNDECLARED, path, "person", name, people)
    if strangers:
        return
    used = roles.union(name for _, name in named)
    used.update(*(step.who for step in every(context.system, Choose)))
    used.update(step.who for step in every(context.system, Ask))
    for name in people:
        if name not in used:
            context.report.add(UNUSED, ("people", name), f"No role and no person is called `{name}`.", on="key")


def _named(context: Context) -> Iterator[tuple[Path, str]]:
    """Everyone who is named beside a role, and where."""
    for path, node in nodes(context.system):
        for key in NAMED_IN:
            said = getattr(node, key, "")
            if isinstance(said, str) and said:
                yield (*path, key), said


def _roles(context: Context) -> Iterator[str]:
    for _, node in nodes(context.system):
        if isinstance(node, Phases | Procedure):
            yield from node.who
