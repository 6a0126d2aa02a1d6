"""Sessions: undo and redo by state, messages that come twice, replay to the byte, saves."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter import dice
from interpreter.api import new_table
from interpreter.loader import load
from interpreter.machine import Done, NeedChoice, NeedRoll, Refused
from interpreter.model import System
from interpreter.replaying import replay
from interpreter.runs import state_to_json
from interpreter.session import FORMAT, SaveError, Session, load_session, session_from_json, session_to_json
from interpreter.start import Request

POOL = Path(__file__).parent / "sessions" / "pool.yaml"


def pool() -> System:
    system = load(POOL).system
    assert system is not None
    return system


SYSTEM = pool()


def laid(**ann: object) -> Session:
    """Ann and Bob at the table."""
    session = Session(SYSTEM, new_table(SYSTEM, "ann", "bob"))
    return session.with_sheet("ann", {"sheet": "hero", "name": "Ann", **ann}) if ann else session


def act(session: Session, action: str, *answers: Any, id: str = "", **inputs: Any) -> Session:
    """An action of Ann to its end."""
    roles = {"heroes": ("ann", "bob")} if action == "open" else {"self": ("ann",)}
    session, need = session.begin(Request(action, roles, inputs), id=id)
    for answer in answers:
        session, need = session.answer(answer)
    assert isinstance(need, Done), need
    return session


def bytes_of(session: Session) -> str:
    return json.dumps(state_to_json(session.state))


def now(session: Session, gauge: str, sheet: str = "ann") -> object:
    data: Any = session.state.sheets[sheet][gauge]
    return data["now"] if isinstance(data, dict) else data


# ---------------------------------------------------------------------- C31: undo and redo


def test_c31_undo_gives_back_exactly_what_was() -> None:
    """30 of 80, 50 damage, and a trigger that also touches another sheet: all of it is undone and redone."""
    session = act(laid(life={"start": 80, "now": 30}), "open")
    before = session
    session = act(session, "hit", n=50)
    assert (now(session, "life"), now(session, "falls"), now(session, "reserve", "den")) == (0, 1, 4)
    assert "effect.down.ann" in session.state.flags
    assert {"kind": "trigger", "name": "fallen:ann"} in [dict(event) for event in session.log[-1].events]
    back = session.undo()
    assert back is not None
    assert bytes_of(back) == bytes_of(before)
    assert now(back, "life") == 30
    assert "effect.down.ann" not in back.state.flags
    again = back.redo()
    assert again is not None
    assert (bytes_of(again), again.log, again.undone) == (bytes_of(session), session.log, ())


def test_undo_gives_up_what_is_under_way_and_no_more() -> None:
    done = act(laid(), "hit", n=3)
    begun, _ = done.begin(Request("spend", {"self": ("ann",)}, {"n": 2}))
    back = begun.undo()
    assert back == done
    once_more = back.undo()
    assert once_more is not None
    assert once_more.state == laid().state
    begun, _ = once_more.begin(Request("spend", {"self": ("ann",)}, {"n": 2}))
    again = begun.redo()  # what was undone is still there, as long as nothing new has ended
    assert again is not None
    assert (bytes_of(again), again.run) == (bytes_of(done), None)
    assert act(once_more, "hit", n=1).redo() is None


def test_a_sheet_that_cannot_be_made_is_refused() -> None:
    session = laid()
    for sheet_id, kind, data in (
        ("x", "nobody", {}),
        ("x", "hero", {"will": 99}),
        ("x", "hero", {"nothing": 1}),
        ("ann", "hero", {}),
        ("a.b", "hero", {}),
    ):
        same, refused = session.create(sheet_id, kind, data)
        assert same is session
        assert isinstance(refused, Refused)
        assert refused.code == "sheet"
    made, need = session.create("x", "hero", {"sheet": "den", "will": 3})
    assert need == Done(None, None)
    assert made.state.sheets["x"]["sheet"] == "hero"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["hit", "shine", "open", "spend", "undo", "redo", "sheet", "remove"]), max_size=10))
def test_any_way_back_and_forth(steps: list[str]) -> None:
    """Undoing everything gives the first table, redoing everything the last, also after saving; and a replay agrees."""
    session = laid(will=2)
    for number, step in enumerate(steps):
        moved: Session | None
        if step in ("undo", "redo"):
            moved = session.undo() if step == "undo" else session.redo()
        elif step == "sheet":
            moved = session.with_sheet(f"s{number}", {"sheet": "hero"})
        elif step == "remove":
            moved = session.without_sheet("bob")
        else:
            moved = played(session, step)
        session = moved or session
    last = bytes_of(session)
    loaded = load_session(SYSTEM, json.loads(json.dumps(session_to_json(session)))).session
    assert loaded == session
    assert replay(loaded) is None
    states = [last]
    while (back := loaded.undo()) is not None:
        loaded = back
        states.append(bytes_of(loaded))
    assert states[-1] == bytes_of(Session(SYSTEM, session.log[0].before if session.log else session.state))
    for _ in range(len(states) - 1):
        again = loaded.redo()
        assert again is not None
        loaded = again
        states.pop()
        assert bytes_of(loaded) == states[-1]


def played(session: Session, action: str) -> Session:
    """An action as far as it goes; one that is refused changes nothing."""
    inputs: dict[str, Any] = {} if action == "open" else {"n": 2}
    roles = {"heroes": ("ann",)} if action == "open" else {"self": ("ann",)}
    before = session
    session, need = session.begin(Request(action, roles, inputs))
    while isinstance(need, NeedRoll | NeedChoice):
        session, need = session.throw(dice.seeded(5)) if isinstance(need, NeedRoll) else session.answer("keep")
    assert isinstance(need, Done) or session == before
    return session


# ---------------------------------------------------------------------- C32, C33, refusals


def test_c32_a_message_that_comes_twice_is_taken_once() -> None:
    once = act(laid(), "hit", n=5, id="m1")
    twice, need = once.begin(Request("hit", {"self": ("ann",)}, {"n": 5}), id="m1")
    assert twice is once
    assert need == Done("done", None)
    saved = load_session(SYSTEM, json.loads(json.dumps(session_to_json(once)))).session
    assert saved.begin(Request("hit", {"self": ("ann",)}, {"n": 5}), id="m1") == (saved, Done("done", None))
    other = act(once, "hit", n=5, id="m2")
    assert now(other, "life") == 70
    undone = other.undo()
    assert undone is not None
    same, refused = undone.begin(Request("hit", {"self": ("ann",)}, {"n": 5}), id="m2")
    assert same is undone
    assert isinstance(refused, Refused)
    assert refused.code == "repeated"


def test_c32_an_answer_that_comes_twice_is_taken_once() -> None:
    session, _ = laid().begin(Request("spend", {"self": ("ann",)}, {"n": 1}), id="m1")
    session, need = session.answer([6], id="m2")
    assert isinstance(need, NeedChoice)
    again, same = session.answer([6], id="m2")
    assert again is session
    assert same == need
    session, done = session.answer("keep", id="m3")
    for again, told in (session.answer("keep", id="m3"), session.throw(dice.seeded(1), id="m3")):
        assert again is session
        assert told == done == Done("bright", None)
    saved = load_session(SYSTEM, json.loads(json.dumps(session_to_json(session)))).session
    assert saved.answer("keep", id="m3")[1] == done
    assert session.with_sheet("x", {"sheet": "hero"}, id="m1") is session
    assert session.without_sheet("bob", id="m2") is session


def test_c33_a_loop_without_end_is_stopped_and_changes_nothing() -> None:
    session = laid()
    stopped, need = session.begin(Request("forever", {"self": ("ann",)}))
    assert isinstance(need, Refused)
    assert need.code == "limit"
    assert "without an end" in need.message
    assert need.path
    assert stopped == session
    assert bytes_of(stopped) == bytes_of(session)


def test_a_session_does_one_action_at_a_time() -> None:
    session, need = laid().begin(Request("spend", {"self": ("ann",)}, {"n": 2}))
    assert isinstance(need, NeedRoll)
    same, refused = session.begin(Request("hit", {"self": ("ann",)}, {"n": 1}))
    assert same is session
    assert isinstance(refused, Refused)
    assert refused.code == "busy"
    for wrong in ([1], [1, 1, 1], [7, 7], "x", None):
        same, refused = session.answer(wrong)
        assert same is session
        assert isinstance(refused, Refused)
    given_up = session.abandon()
    assert given_up.run is None
    assert given_up.state == laid().state
    assert given_up.answer([1, 1])[1] == Refused("over", "No action is under way.")


# ---------------------------------------------------------------------- C35: the table changed meanwhile


@pytest.mark.parametrize(("there", "left"), [(5, 2), (4, 1), (3, 0)])
def test_c35_an_action_ends_on_the_table_as_it_is(there: int, left: int) -> None:
    """Ann is in the middle of spending 2 when Bob's spending of 1 is brought to the table."""
    session = laid().with_sheet("den", {"sheet": "den", "reserve": there})
    ann, _ = session.begin(Request("spend", {"self": ("ann",)}, {"n": 2}))
    bob, need = session.begin(Request("take", {"self": ("bob",)}, {"n": 1}))
    assert need == Done("taken", None)
    ann = replace(ann, state=bob.state, log=bob.log)
    ann, need = ann.answer([1, 1])
    assert need == Done("dark", None)
    assert now(ann, "reserve", "den") == left
    assert replay(ann) is None


def test_c35_what_no_longer_fits_is_refused() -> None:
    session = laid()
    ann, _ = session.begin(Request("spend", {"self": ("ann",)}, {"n": 3}))
    bob, _ = session.begin(Request("take", {"self": ("bob",)}, {"n": 3}))
    ann, need = replace(ann, state=bob.state, log=bob.log).answer([1, 1, 1])
    assert isinstance(need, Refused)
    assert need.code == "pay"
    assert need.label is not None
    assert need.label.texts == {"en": "The den has too few dice left."}
    assert "`den` changed" in need.message
    assert ann.state == bob.state
    assert ann.run is None


def test_each_sheet_counts_for_itself() -> None:
    """What touches the shared sheet is there for all; what touches one's own is not."""
    session = act(laid(), "take", n=2)
    assert now(session, "reserve", "den") == 3
    session, need = session.begin(Request("take", {"self": ("bob",)}, {"n": 4}))
    assert isinstance(need, Refused)
    assert now(session, "reserve", "den") == 3


# ---------------------------------------------------------------------- replay


def test_a_log_that_was_tampered_with_is_found() -> None:
    session = act(act(act(laid(), "hit", n=5), "spend", [6, 1], "give_back", n=2), "hit", n=1)
    assert replay(session) is None
    record = session.log[1]
    changes = {
        "outcome": replace(record, outcome="dark"),
        "refused": replace(record, answers=([7, 1], "keep")),
        "events": replace(record, events=({"kind": "event", "name": "x"},)),
        "after.sheets.den.reserve.now": replace(record, answers=([6, 1], "keep")),
    }
    for where, changed in changes.items():
        found = replay(replace(session, log=(session.log[0], changed, session.log[2])))
        assert found is not None
        assert (found.number, found.where) == (2, where)


def test_made_sheets_are_replayed_with_their_dice() -> None:
    df46 = load("df46").system
    assert df46 is not None
    talents = ["desosse", "combattant", "je_sais_tout", "renifleur"]
    session, need = Session(df46, new_table(df46)).create("x", "heros", {"talents": talents})
    while isinstance(need, NeedRoll):
        session, need = session.throw(dice.seeded(9))
    assert isinstance(need, Done)
    loaded = session_from_json(df46, json.loads(json.dumps(session_to_json(session))))[0]
    assert loaded.log[0].request["create"] == "x"
    assert replay(loaded) is None


# ---------------------------------------------------------------------- saves


def test_a_save_is_read_by_its_own_rules_and_program_only() -> None:
    saved = session_to_json(laid())
    with pytest.raises(SaveError, match="a newer program saved this campaign"):
        load_session(SYSTEM, {**saved, "format": FORMAT + 1})
    with pytest.raises(SaveError, match="belongs to the system `mir`"):
        load_session(SYSTEM, {**saved, "system": "mir"})
    for broken in ({}, {"format": True}, {"format": "1"}):
        with pytest.raises(SaveError, match="no saved campaign"):
            load_session(SYSTEM, broken)
    for part in ("state", "log", "undone"):
        with pytest.raises(SaveError, match="damaged"):
            load_session(SYSTEM, {**saved, part: 3})


def test_a_save_does_not_grow_with_the_table_at_each_action() -> None:
    """The log keeps what changed, not the whole table twice."""
    session = laid()
    sizes = []
    for _ in range(6):
        session = act(session, "hit", n=1)
        sizes.append(len(json.dumps(session_to_json(session)["log"])))
    steps = [later - earlier for earlier, later in pairwise(sizes[1:])]
    assert max(steps) < 1.5 * min(steps) < 1000
