"""A result as someone sees it from whom something is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.hidden import hides
from interpreter.results import EVENTS


def view(result: Mapping[str, Any], whom: str) -> dict[str, Any]:
    """The same result without inputs, values, rolls, choices, reports, messages and lines of the trace that are hidden
    from `whom`, and without what would give them away."""
    secret = secret_names(result, whom)
    trace = list(_trace(result["trace"], secret, whom, result["over"]))
    return {
        **result,
        "inputs": {name: value for name, value in result["inputs"].items() if not inside(name, secret)},
        "values": {name: value for name, value in result["values"].items() if not inside(name, secret)},
        "rolls": [roll for roll in result["rolls"] if not inside(roll["name"], secret)],
        "choices": [one for one in result["choices"] if not inside(one["name"], secret)],
        "messages": [entry["label"] for entry in trace if entry["kind"] == "say" and "label" in entry],
        "events": [{"kind": e["kind"], "name": e.get("name", "")} for e in trace if e["kind"] in EVENTS],
        "trace": trace,
        "hidden_from": {name: who for name, who in result["hidden_from"].items() if name not in secret},
    }


def secret_names(result: Mapping[str, Any], whom: str) -> set[str]:
    """The names of what is hidden from someone in a result."""
    return {name for name, who in result["hidden_from"].items() if hides(who, whom, result["over"])}


def inside(name: str, secret: set[str]) -> bool:
    """Whether a name is a secret one or a part of one, such as `roll.reading` of `roll`."""
    parts = name.split(".")
    return any(".".join(parts[:end]) in secret for end in range(1, len(parts) + 1))


def _trace(entries: list[dict[str, Any]], secret: set[str], whom: str, over: bool) -> Iterator[dict[str, Any]]:
    for entry in entries:
        name = str(entry.get("name", ""))
        if hides(entry.get("hidden_from", ""), whom, over) or inside(name, secret):
            continue
        parts = entry.get("detail", [])
        if entry["kind"] == "value" and parts:
            parts = [part for part in parts if f"{name}.{part[0]}" not in secret]
            yield {**entry, "detail": parts}
        else:
            yield entry
