"""Sampled odds as plain data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.odds.plain import value_json
from interpreter.simulate.estimates import Counted, Estimate, Sampled


def sampled_json(found: Sampled) -> dict[str, Any]:
    """Everything in a sample; each probability and mean with the ends of its interval of 95 %."""
    return {
        "sampled": True,
        "runs": found.runs,
        "seed": found.seed,
        "confidence": 0.95,
        "outcomes": _estimates(found.outcomes),
        "grades": _estimates(found.grades),
        "flags": _estimates(found.flags),
        "values": {name: _counted(one) for name, one in found.values.items()},
        "gauges": {name: _counted(one) for name, one in found.gauges.items()},
        "joint": [{"names": list(names), **_counted(one)} for names, one in found.joints.items()],
        "refusals": [{"message": message, **_estimate(one)} for message, one in found.refused.items()],
        "unfinished": None if found.unfinished is None else _estimate(found.unfinished),
        "refused": None,
    }


def _estimates(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: _estimate(one) for name, one in estimates.items()}


def _estimate(one: Estimate) -> dict[str, float]:
    return {"float": one.value, "low": one.low, "high": one.high}


def _counted(one: Counted) -> dict[str, Any]:
    rows = [{"value": value_json(v), "count": one.counts[v], **_estimate(e)} for v, e in one.chances.items()]
    return {"mean": None if one.mean is None else _estimate(one.mean), "distribution": rows}
