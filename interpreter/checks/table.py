"""Every check by its code: what a program can print, and what each means."""

from __future__ import annotations

from interpreter.checks import (
    actions,
    calls,
    cascades,
    characters,
    choices,
    codes_expressions,
    codes_files,
    codes_structure,
    context,
    cycles,
    dependencies,
    dice,
    endless,
    flow,
    gauges,
    inputs,
    labels,
    reader,
    readings,
    references,
    rolls,
    tables,
    targets,
    telling,
    triggers,
    unused,
    values,
    ways,
    writes,
)
from interpreter.checks.finding import Check

CHECKS: tuple[Check, ...] = tuple(
    sorted(
        (
            *reader.CHECKS,
            *context.CHECKS,
            *values.CHECKS,
            *dice.CHECKS,
            *rolls.CHECKS,
            *endless.CHECKS,
            *readings.CHECKS,
            *targets.CHECKS,
            *flow.CHECKS,
            *ways.CHECKS,
            *writes.CHECKS,
            *telling.CHECKS,
            *choices.CHECKS,
            *inputs.CHECKS,
            *calls.CHECKS,
            *actions.CHECKS,
            *triggers.CHECKS,
            *tables.CHECKS,
            *gauges.CHECKS,
            *cycles.CHECKS,
            *dependencies.CHECKS,
            *labels.CHECKS,
            *references.CHECKS,
            *unused.CHECKS,
            *characters.CHECKS,
            *cascades.CHECKS,
            *codes_files.CHECKS,
            *codes_structure.CHECKS,
            *codes_expressions.CHECKS,
        ),
        key=lambda check: check.code,
    )
)
BY_CODE = {check.code: check for check in CHECKS}
