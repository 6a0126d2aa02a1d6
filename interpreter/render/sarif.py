"""Problems as a SARIF 2.1.0 log, the exchange format of static analysis tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from interpreter import __version__
from interpreter.problems import Location, Problem, Severity

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def sarif_log(problems: Sequence[Problem], about: Mapping[str, str] | None = None) -> dict[str, Any]:
    """One run with a rule for each code that occurs; `about` gives a sentence for a code."""
    codes = sorted({problem.code for problem in problems})
    driver = {
        "name": "osselet",
        "semanticVersion": __version__,
        "rules": [_rule(code, (about or {}).get(code, "")) for code in codes],
    }
    results = [_result(problem, codes.index(problem.code)) for problem in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str, sentence: str) -> dict[str, Any]:
    return {"id": code, **({"shortDescription": {"text": sentence}} if sentence else {})}


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    hint = f" Hint: {problem.hint}" if problem.hint else ""
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": LEVELS[problem.severity],
        "message": {"text": problem.message + hint},
        "locations": [{"physicalLocation": _place(problem.location)}],
    }
    if problem.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": said}, "physicalLocation": _place(where)}
            for number, (said, where) in enumerate(problem.related, 1)
        ]
    return result


def _place(location: Location) -> dict[str, Any]:
    region = {
        "startLine": location.line,
        "startColumn": location.column,
        "endColumn": location.column + location.length,
    }
    return {"artifactLocation": {"uri": _uri(location.file)}, "region": region}


def _uri(file: str) -> str:
    """A path as SARIF wants it: relative to where the command ran, or a file URI."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
