"""Osselet: run tabletop rules that are written as data."""

from __future__ import annotations

__version__ = "0.1.0"
