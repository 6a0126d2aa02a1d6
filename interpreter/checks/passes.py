"""The order in which a system is looked at: declarations first, then everything that reads them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from interpreter.checks import choices as _choices  # noqa: F401 - its steps enter the table of handlers
from interpreter.checks import lists as _lists  # noqa: F401 - likewise
from interpreter.checks import ways as _ways  # noqa: F401 - likewise
from interpreter.checks.actions import Actions
from interpreter.checks.calls import Procedures
from interpreter.checks.cascades import check_cascades
from interpreter.checks.characters import check_characters, check_complete
from interpreter.checks.context import Context
from interpreter.checks.cycles import check_cycles
from interpreter.checks.dependencies import Dependencies
from interpreter.checks.examples import check_examples
from interpreter.checks.finding import Report
from interpreter.checks.gauges import check_gauges
from interpreter.checks.graph import in_order
from interpreter.checks.labels import check_labels
from interpreter.checks.persons import check_persons
from interpreter.checks.reader import parsed
from interpreter.checks.references import check_references
from interpreter.checks.tables import check_tables
from interpreter.checks.triggers import Triggers
from interpreter.checks.unused import check_unused
from interpreter.checks.walk import steps
from interpreter.expressions import Expression
from interpreter.model import Call, Code, Path, Value
from interpreter.problems import Severity


def check_system(
    system: Any,
    data: object,
    report: Report,
    *,
    sound: bool = True,
    translated: Callable[[Path], bool] | None = None,
) -> None:
    context = Context(system, cast(Mapping[str, Any], data), report)
    context.procedures = Procedures(context)
    context.dice.check()
    check_tables(context)
    derived_values(context)
    for name in in_order(system.procedures, lambda name: called_by(context, name)):
        context.procedures.check(name)
    check_gauges(context)
    check_cycles(context)
    dependencies = Dependencies(context)
    dependencies.check()
    dependencies.check_sizes()
    actions, triggers = Actions(context), Triggers(context)
    for name in system.actions:
        actions.check(name)
    for name in system.triggers:
        triggers.check(name)
    check_cascades(context, triggers.deeds, dependencies)
    check_references(context)
    context.policies.check()
    check_persons(context)
    check_characters(context)
    check_examples(context)
    check_labels(context, translated or (lambda path: True))
    if sound and not any(finding.severity == Severity.ERROR for finding in report.findings):
        check_unused(context)
        check_complete(context)


def called_by(context: Context, name: str) -> list[str]:
    """The procedures that a procedure calls."""
    every = steps(context.system.procedures[name].do)
    return [step.call for step in every if isinstance(step, Call) and step.call in context.system.procedures]


def derived_values(context: Context) -> None:
    """Every part of every kind, each after those that its name suggests it reads, so that long chains stay shallow."""
    kinds = {**context.system.sheets, **context.system.records}
    nodes = [(kind, name) for kind, sheet in kinds.items() for name in sheet.derived]
    by_name: dict[str, list[tuple[str, str]]] = {}
    for node in nodes:
        by_name.setdefault(node[1], []).append(node)

    def edges(node: tuple[str, str]) -> Iterable[tuple[str, str]]:
        spec = kinds[node[0]].derived[node[1]]
        words = {word for code in codes_of(spec) for word in attributes(code)}
        return [other for word in by_name if word in words for other in by_name[word]]

    for kind, name in in_order(nodes, edges):
        context.kinds.member(kind, name)
    for kind in kinds:
        for name in context.kinds.names(kind):
            context.kinds.member(kind, name)


def codes_of(spec: Value) -> list[Code]:
    """The expressions of a number with modifiers."""
    found = [spec.base, spec.min, spec.max, spec.each]
    for modifier in spec.modifiers.values():
        found += [modifier.add, modifier.multiply, modifier.set, modifier.divide, modifier.when]
    return [code for code in found if code is not None]


def attributes(code: Code) -> set[str]:
    expression = parsed(code.text)
    if not isinstance(expression, Expression):
        return set()
    return {node.attr for node in ast.walk(expression.tree) if isinstance(node, ast.Attribute)}
