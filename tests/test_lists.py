"""What steps add to lists and take from them: kept by the trace alone, done once, and nothing that names it is lost."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter import dice
from interpreter.layout import State
from interpreter.loader import load
from interpreter.machine import Done, NeedChoice, NeedRoll, Run, advance
from interpreter.model import System
from interpreter.odds import Odds, odds
from interpreter.ready import character
from interpreter.render.names import Names
from interpreter.render.trace import Teller
from interpreter.replaying import replay
from interpreter.results import result_json
from interpreter.runs import run_from_json, run_to_json
from interpreter.session import Session, session_from_json, session_to_json
from interpreter.simulate import Sampled, simulate
from interpreter.start import Request, after, begin
from interpreter.written import result_text

HERE = Path(__file__).parent


def lists() -> System:
    system = load(HERE / "language" / "lists.yaml").system
    assert system is not None
    return system


SYSTEM = lists()
TABLE = State({name: character(SYSTEM, name) for name in SYSTEM.characters})
ANA = {"self": ("ana",)}


def run_of(state: State, action: str, **inputs: Any) -> Run:
    run = begin(SYSTEM, state, Request(action, ANA, inputs))
    assert isinstance(run, Run)
    return run


def bag(state: State) -> list[str]:
    held: Any = state.sheets["ana"]["bag"]
    return [item["name"] for item in held]


def test_lists_change_when_the_run_is_over_and_not_before() -> None:
    run, need = advance(run_of(TABLE, "search", which="ring"))
    assert isinstance(need, NeedRoll)
    assert bag(after(run)) == ["Knife", "Lamp", "Rope"]
    ended, done = advance(run, need.given([5, 6]))
    assert isinstance(done, Done)
    assert bag(after(ended)) == ["Knife", "Lamp", "Rope", "A ring"]
    assert after(ended) == after(ended)
    assert ended.program.layout.items["ana", "bag"] == ("ana/bag/0", "ana/bag/1", "ana/bag/2")
    given = {"name": "A ring", "kind": "ring", "worth": 6, "cursed": False, "giver": "ana"}
    held: Any = after(ended).sheets["ana"]["bag"]
    assert held[3] == {**given, "marks": {"old": 2, "deep": 0}, "pieces": []}


def test_what_was_not_there_changes_nothing() -> None:
    run, _ = advance(run_of(TABLE, "forget_all"))
    assert run.trace == ()
    run, _ = advance(run_of(TABLE, "drop_from_belt", gone="ana/bag/1"))
    assert after(run).sheets["ana"]["bag"] == after(advance(run_of(TABLE, "drop"))[0]).sheets["ana"]["bag"]


def test_it_is_told_in_words() -> None:
    run, need = advance(run_of(TABLE, "search", which="ring"))
    assert isinstance(need, NeedRoll)
    run, _ = advance(run, need.given([6, 6]))
    told = list(Teller(Names(SYSTEM, "en"), run).lines(run.trace))
    assert "Ana, Bag: + A ring, Kind A ring, Worth 6, Giver Ana, Old 3" in told
    run, _ = advance(run_of(TABLE, "drop", gone=["ana/bag/1"]))
    assert list(Teller(Names(SYSTEM, "en"), run).lines(run.trace)) == ["Ana, Bag: − Lamp", "“3”"]
    run, _ = advance(run_of(TABLE, "plain"))
    assert list(Teller(Names(SYSTEM, "en"), run).lines(run.trace)) == ["Ana, Bag: + Thing"]


def test_the_text_of_a_result_says_the_same_as_its_data() -> None:
    for faces in ([1, 2], [6, 6], [1, 2]):
        run, need = advance(run_of(TABLE, "search", which="cup"))
        assert isinstance(need, NeedRoll)
        run, need = advance(run, need.given(faces))
        assert json.loads(result_text(SYSTEM, run, need)) == result_json(SYSTEM, run, need)
        assert result_json(SYSTEM, run, need)["sheets"]["ana"]["bag"][3]["worth"] == min(6, sum(faces))


def test_who_is_not_in_play_still_names_the_same_record() -> None:
    """A reference and what the table keeps of a record follow it, on every sheet."""
    watching = {name: {"sheet": "hero", "wielded": f"ana/bag/{n}"} for n, name in enumerate(("x", "y", "z"))}
    odd: dict[str, Any] = {"sheet": "hero", "wielded": ["?"], "bag": "no list"}  # a misfit that nobody plays
    flags = {"effect.glowing.ana/bag/0", "effect.glowing.ana/bag/2", "effect.glowing.ana", "spent.day.worn.ana/bag/1"}
    state = State({**TABLE.sheets, **watching, "odd": odd}, frozenset(flags))
    run, _ = advance(run_of(state, "drop", gone=["ana/bag/0"]))
    then = after(run)
    assert [then.sheets[name]["wielded"] for name in "xyz"] == [None, "ana/bag/0", "ana/bag/1"]
    assert then.sheets["odd"] == odd
    assert then.flags == {"effect.glowing.ana/bag/1", "effect.glowing.ana", "spent.day.worn.ana/bag/0"}


def test_that_holds_on_a_table_that_has_changed_meanwhile() -> None:
    watching = {"sheet": "hero", "wielded": "ana/bag/2"}
    session = Session(SYSTEM, State({**TABLE.sheets, "x": watching}))
    session, need = session.begin(Request("choose_one", ANA))
    assert isinstance(need, NeedChoice)
    changed = session.with_sheet("guest", {"sheet": "hero"})
    ended, need = changed.answer("ana/bag/0")
    assert isinstance(need, Done)
    assert (bag(ended.state), ended.state.sheets["x"]["wielded"]) == (["Lamp", "Rope"], "ana/bag/1")
    assert "guest" in ended.state.sheets


# ---------------------------------------------------------------------- saves, undo, odds

STEPS = ["search", "plain", "choose_one", "sort_out", "drop_wielded", "wield", "light", "drop", "break_up", "mend"]


def answered(session: Session, need: object, seed: int, saved: bool) -> Session:
    """The action under way to its end; `saved`: through JSON at every stop."""
    while isinstance(need, NeedRoll | NeedChoice):
        if saved:
            assert session.run is not None
            again = run_from_json(SYSTEM, json.loads(json.dumps(run_to_json(SYSTEM, session.run))))
            assert isinstance(again, Run)
            assert (again.registers, again.trace) == (session.run.registers, session.run.trace)
            session = session_from_json(SYSTEM, json.loads(json.dumps(session_to_json(session))))[0]
        open_ = [one.id for one in need.options if one.open] if isinstance(need, NeedChoice) else []
        answer = need.throw(dice.Seeded(seed)) if isinstance(need, NeedRoll) else open_[seed % len(open_)]
        session, need = session.answer(answer)
    return session


def act(session: Session, action: str, seed: int, saved: bool) -> Session:
    held: Any = session.state.sheets["ana"].get("bag") or []
    inputs: dict[str, Any] = {"which": ("coin", "ring", "cup")[seed % 3]} if action == "search" else {}
    if action in ("wield", "light", "break_up", "mend", "drop"):
        if not held:
            return session
        one = f"ana/bag/{seed % len(held)}"
        inputs = {"gone": [one]} if action == "drop" else {"what": one}
    return answered(*session.begin(Request(action, ANA, inputs)), seed, saved)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 99)), max_size=8))
def test_any_campaign_is_the_same_when_saved_and_undone(steps: list[tuple[str, int]]) -> None:
    session = saved = Session(SYSTEM, TABLE)
    states = [TABLE]
    for action, seed in steps:
        session, saved = act(session, action, seed, False), act(saved, action, seed, True)
        assert saved.state == session.state
        assert saved.log == session.log
        states += [session.state] * (len(session.log) - len(states) + 1)
    assert replay(saved) is None
    while states:
        assert saved.state == states.pop()
        saved = saved.undo() or saved


COUNTED = """
format: 1
system: {id: counted, title: Counted}
records: {mark: {fields: {n: {int: 0..99}}}}
sheets: {hero: {fields: {marks: {many: mark}, friends: {many: hero}}}}
actions:
"""
ADD = {"add": {"n": "d + total"}, "to": "self.marks"}
CHOICE = {"choose": "who", "from": "self.friends"}
# Further steps of each pass, without additions and with them.
PAIRS: list[tuple[list[Any], list[Any]]] = [
    ([], [ADD, {"add": "self", "to": "self.friends"}]),
    ([], [{"if": "d > 2", "then": [ADD], "else": [{"remove": "self.marks"}]}]),
    ([CHOICE], [CHOICE, {**ADD, "to": "who.marks", "when": "given(who)"}]),
    ([CHOICE], [CHOICE, {"remove": "who", "from": "self.friends", "when": "given(who)"}]),
]


def counted(*more: Any) -> str:
    """An action that throws five dice; `more` are further steps of each pass."""
    passed = [{"roll": {"d": "1d6"}}, {"let": {"total": "min(9, total + (1 if d > 3 else 0))"}}, *more]
    steps = [{"let": {"total": "0"}}, {"repeat": {"times": "5", "do": passed}}]
    outcomes = {"high": {"when": "total >= 3"}, "low": {}}
    return json.dumps({"who": {"self": "hero"}, "steps": steps, "outcomes": outcomes})


@pytest.mark.parametrize(("without", "more"), PAIRS, ids=range(len(PAIRS)))
def test_what_is_added_makes_no_situation(without: list[Any], more: list[Any], tmp_path: Path) -> None:
    """The same dice and choices with and without additions: the same odds, out of as many situations."""
    file = tmp_path / "counted.yaml"
    file.write_text(f"{COUNTED}  bare: {counted(*without)}\n  adds: {counted(*more)}\n", encoding="utf-8")
    system = load(file).system
    assert system is not None
    state = State({"a": {"sheet": "hero", "friends": ["b", "c"]}, "b": {"sheet": "hero"}, "c": {"sheet": "hero"}})
    asked = {name: Request(name, {"self": ("a",)}) for name in ("bare", "adds")}
    bare, adds = (odds(system, state, one, goal="high", choices="best") for one in asked.values())
    assert isinstance(bare, Odds)
    assert isinstance(adds, Odds)
    assert adds.outcomes == bare.outcomes == {"high": Fraction(1, 2), "low": Fraction(1, 2)}
    assert adds.nodes == bare.nodes > 0
    sampled = simulate(system, state, asked["adds"], runs=50, workers=1)
    assert isinstance(sampled, Sampled)
    assert set(sampled.outcomes) == {"high", "low"}
