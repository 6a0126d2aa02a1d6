"""Actions played many times and counted: for what is too large to enumerate, and always labelled as sampled.

simulate(system, state, request, ...)    counts with intervals: the same for the same seed, whoever does the work
"""

from __future__ import annotations

from interpreter.simulate.batches import BATCH
from interpreter.simulate.estimates import Counted, Estimate, Sampled
from interpreter.simulate.sampling import simulate

__all__ = ["BATCH", "Counted", "Estimate", "Sampled", "simulate"]
