"""The promise of `check`: rules are refused in a place near what is wrong, or play and weigh without a fault."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tools.mutate import Judged, judged, pages, sources
from tools.mutations import KINDS, mutate


def told(found: list[Judged]) -> str:
    return "\n".join(f"{one.number} {one.file} [{one.kind}] {one.lines}: {one.told}" for one in found)


def check_promise(found: list[Judged], most_elsewhere: float) -> None:
    """Nothing crashes, and few problems stand elsewhere than at what was spoilt or where it is used."""
    statuses = Counter(one.status for one in found)
    assert statuses.keys() <= {"refused", "survived"}, told([one for one in found if one.status in ("crashed", "hung")])
    elsewhere = [one for one in found if one.placed == "elsewhere"]
    assert len(elsewhere) <= most_elsewhere * statuses["refused"], told(elsewhere)
    assert statuses["survived"] > 0


def test_mutants_of_the_shipped_systems_are_refused_or_play() -> None:
    check_promise(list(judged(12, 11, sources())), 0.1)


def test_mutants_of_every_page_are_refused_or_play(tmp_path: Path) -> None:
    check_promise(list(judged(200, 12, pages(tmp_path))), 0.03)


@pytest.mark.slow
def test_many_mutants_of_the_shipped_systems_are_refused_or_play() -> None:
    check_promise(list(judged(400, 13, sources())), 0.02)


@pytest.mark.slow
def test_many_mutants_of_every_page_are_refused_or_play(tmp_path: Path) -> None:
    check_promise(list(judged(4000, 14, pages(tmp_path))), 0.02)


def test_mutants_are_the_same_for_a_seed_and_of_every_kind() -> None:
    from random import Random

    text = sources()[0].joinpath("system.yaml").read_text(encoding="utf-8")
    mutants = [mutate(text, Random(f"{number}")) for number in range(400)]
    assert mutants == [mutate(text, Random(f"{number}")) for number in range(400)]
    assert {one.kind for one in mutants} >= KINDS.keys() - {"other dice", "drop quote"}
    assert all(one.text != text and one.lines for one in mutants)
