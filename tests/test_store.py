"""Stores: what is acknowledged stays, and steps that come together are joined or refused, over processes too."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from sessions.servers import binaries, postgres

from interpreter.api import new_table
from interpreter.dice import seeded
from interpreter.loader import load
from interpreter.machine import Done, NeedChoice, NeedRoll, Refused
from interpreter.model import System
from interpreter.replaying import replay
from interpreter.session import SaveError, Session
from interpreter.start import Request
from interpreter.store import Seat, Store, StoreError, open_store

HERE = Path(__file__).parent / "sessions"
WORKER = HERE / "worker.py"
STORES = ("file", "sqlite", "postgres")


@pytest.fixture(scope="module")
def system() -> System:
    found = load(HERE / "pool.yaml")
    assert found.problems == ()
    assert found.system is not None
    return found.system


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    missing = ""
    if importlib.util.find_spec("psycopg") is None:
        missing = "psycopg is not installed: pip install 'osselet[postgres]'"
    elif binaries() is None:
        missing = "there is no PostgreSQL server on this machine"
    if missing:  # never passed over in silence where everything is to be tested
        (pytest.fail if os.environ.get("OSSELET_SKIP_NOTHING") else pytest.skip)(missing)
    with postgres() as address:
        yield address


@pytest.fixture(params=STORES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty store of each kind."""
    if request.param == "postgres":
        url = request.getfixturevalue("server")
        yield url
        _empty(url)
    else:
        yield str(tmp_path / ("game.json" if request.param == "file" else "games.db"))


def _empty(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for name in ("table", "sheet", "entry", "seat", "seen"):
            connection.execute(f"DROP TABLE IF EXISTS osselet_{name}".encode())


def laid(address: str, system: System, reserve: int = 5) -> Store:
    """A store with a campaign of Ann and Bob, whose den has some dice."""
    store = open_store(address)
    session = Session(system, new_table(system, "ann", "bob"))
    store.new("campaign", session.with_sheet("den", {"sheet": "den", "reserve": reserve}))
    return store


def reserve(store: Store, system: System) -> object:
    found = store.load("campaign", system)
    assert found is not None
    data = found.session.state.sheets["den"]["reserve"]
    return data["now"] if isinstance(data, dict) else data


def spend(who: str, number: int) -> Request:
    return Request("spend", {"self": (who,)}, {"n": number})


def take(who: str, number: int) -> Request:
    return Request("take", {"self": (who,)}, {"n": number})


def words(refused: Refused) -> str:
    return " ".join([refused.message, *(refused.label.texts.values() if refused.label else ())])


# ---------------------------------------------------------------------- one player


def test_a_campaign_is_kept(address: str, system: System) -> None:
    store = laid(address, system)
    with pytest.raises(StoreError, match="already"):
        store.new("campaign", Session(system))
    seat = store.seat("campaign", system, "ann")
    assert isinstance(seat.begin(spend("ann", 2)), NeedRoll)
    store.close()
    again = open_store(address)
    seat = again.seat("campaign", system, "ann")
    need = seat.need()
    assert isinstance(need, NeedRoll)
    assert need.pool.dice == 2
    assert isinstance(seat.answer([6, 1]), NeedChoice)
    assert seat.answer("give_back") == Done("bright", None)
    assert reserve(again, system) == 4
    assert seat.undo() == Done(None, None)
    assert reserve(again, system) == 5
    assert seat.redo() == Done(None, None)
    held = again.load("campaign", system)
    assert held is not None
    assert reserve(again, system) == 4
    assert [record.outcome for record in held.session.log] == [None, "bright"]
    assert replay(held.session) is None
    assert [len(seat.session.log), len(again.tables())] == [2, 1]
    again.close()


def test_what_is_not_there_is_said(address: str, system: System) -> None:
    store = open_store(address)
    assert store.load("nothing", system) is None
    assert store.tables() == ()
    with pytest.raises(StoreError, match="no campaign"):
        store.seat("nothing", system)
    other = load("mir").system
    assert other is not None
    store.new("campaign", Session(system))
    with pytest.raises(SaveError, match="belongs to the system `pool`"):
        store.load("campaign", other)
    with pytest.raises(StoreError, match="no address"):
        open_store("mysql://here")
    store.close()


def test_an_action_under_way_hears_of_changed_rules(address: str, system: System, tmp_path: Path) -> None:
    """Whatever is asked of it, until another is begun; other seats and the table go on."""
    store = laid(address, system)
    assert isinstance(store.seat("campaign", system, "ann").begin(spend("ann", 2)), NeedRoll)
    text = (HERE / "pool.yaml").read_text(encoding="utf-8")
    (tmp_path / "pool.yaml").write_text(text.replace("face == 6", "face >= 5"), encoding="utf-8")
    changed = load(tmp_path / "pool.yaml").system
    assert changed is not None
    ann, bob = (store.seat("campaign", changed, who) for who in ("ann", "bob"))
    for need in (ann.need(), ann.answer([6, 1]), ann.throw(seeded(1))):
        assert isinstance(need, Refused)
        assert need.code == "stale"
    assert bob.begin(take("bob", 1)) == Done("taken", None)
    assert isinstance(ann.begin(spend("ann", 1)), NeedRoll)
    assert isinstance(ann.answer([5]), NeedChoice)
    assert ann.answer("keep") == Done("bright", None)
    assert reserve(store, changed) == 3
    store.close()


def test_each_seat_has_an_action_of_its_own(address: str, system: System) -> None:
    store = laid(address, system)
    ann, bob = (store.seat("campaign", system, who) for who in ("ann", "bob"))
    assert isinstance(ann.begin(spend("ann", 2)), NeedRoll)
    assert bob.need() is None
    assert isinstance(bob.begin(spend("bob", 3)), NeedRoll)
    refused = ann.begin(take("ann", 1))
    assert isinstance(refused, Refused)
    assert refused.code == "busy"
    assert bob.abandon() == Done(None, None)
    assert isinstance(ann.need(), NeedRoll)
    store.close()


# ---------------------------------------------------------------------- C35: two who spend from one pool


def test_c35_both_are_paid_when_there_is_enough(address: str, system: System) -> None:
    """Reserve 5: one spends 2 and the other 3 at once, and 0 is left."""
    store = laid(address, system, 5)
    ann, bob = (store.seat("campaign", system, who) for who in ("ann", "bob"))
    ann.begin(spend("ann", 2)), bob.begin(spend("bob", 3))
    ann.answer([6, 1]), bob.answer([6, 1, 1])
    assert ann.answer("keep") == Done("bright", None)
    assert bob.answer("keep") == Done("bright", None)
    assert reserve(store, system) == 0
    assert replay(bob.session) is None
    store.close()


def test_c35_the_second_is_refused_when_there_is_not(address: str, system: System) -> None:
    """Reserve 4: the second spender is refused and told why; nothing of theirs stays."""
    store = laid(address, system, 4)
    ann, bob = (store.seat("campaign", system, who) for who in ("ann", "bob"))
    ann.begin(spend("ann", 2)), bob.begin(spend("bob", 3))
    bob.answer([6, 1, 1])
    assert bob.answer("keep") == Done("bright", None)
    ann.answer([6, 1])
    refused = ann.answer("keep")
    assert isinstance(refused, Refused)
    assert refused.code == "pay"
    assert "The den has too few dice left." in words(refused)
    assert "`den` changed" in words(refused)
    assert reserve(store, system) == 1
    store.close()


def test_c35_in_any_interleaving(address: str, system: System) -> None:
    """However the steps of both are mixed, what is left is what was there less what was paid; never below zero."""
    rng = random.Random(1)
    for round_ in range(6):
        store = open_store(address) if round_ else laid(address, system, 4)
        seat = store.seat("campaign", system)
        seat.with_sheet("den", {"sheet": "den", "reserve": 4})
        steps = {who: _steps(store.seat("campaign", system, who), who, n) for who, n in (("ann", 2), ("bob", 3))}
        ends = {}
        while steps:
            who = rng.choice(sorted(steps))
            try:
                ends[who] = next(steps[who])
            except StopIteration:
                del steps[who]
        paid = sum(n for who, n in (("ann", 2), ("bob", 3)) if isinstance(ends[who], Done))
        assert sorted(type(end).__name__ for end in ends.values()) == ["Done", "Refused"]
        assert reserve(store, system) == 4 - paid
        store.close()


def _steps(seat: Seat, who: str, number: int) -> Iterator[object]:
    need = seat.begin(spend(who, number))
    yield need
    for answer in ([6] * number, "keep"):
        if not isinstance(need, Refused):
            need = seat.answer(answer)
            yield need


def test_commits_that_come_together(address: str, system: System) -> None:
    """Both loaded the same state before either was kept."""
    store = laid(address, system, 5)
    held = [store.load("campaign", system, who) for who in ("ann", "bob")]
    kept = []
    for one, who, number in zip(held, ("ann", "bob"), (2, 3), strict=True):
        assert one is not None
        kept.append(store.commit(one, one.session.begin(take(who, number))[0]))
    assert [getattr(one, "revision", one) for one in kept] == [2, 3]
    assert reserve(store, system) == 0
    late = held[0]
    assert late is not None
    refused = store.commit(late, late.session.begin(take("ann", 1))[0])
    assert isinstance(refused, Refused)
    assert refused.code == "pay"
    store.close()


def test_an_action_refused_at_its_end_by_a_step_in_between_is_over(address: str, system: System) -> None:
    """The last answer was given before the other step was kept; nothing stays under way, as without a race."""
    store = laid(address, system, 4)
    ann = store.seat("campaign", system, "ann")
    ann.begin(spend("ann", 3)), ann.answer([6, 1, 1])
    held = ann.held()
    session, need = held.session.answer("keep", id="m1")
    assert need == Done("bright", None)
    store.seat("campaign", system, "bob").begin(take("bob", 2))
    kept = store.commit(held, session)
    assert not isinstance(kept, Refused)
    assert isinstance(kept.need, Refused)
    assert kept.need.code == "pay"
    assert ann.need() is None
    repeated = ann.answer("keep", id="m1")
    assert isinstance(repeated, Refused)
    assert repeated.code == "repeated"
    assert ann.begin(take("ann", 2)) == Done("taken", None)
    assert reserve(store, system) == 0
    store.close()


def test_one_seat_in_two_processes(address: str, system: System) -> None:
    """Both loaded the seat before either was kept: one begins, the other hears why not; an edit disturbs neither."""
    store = laid(address, system, 4)
    first, second = (store.seat("campaign", system, "ann").held() for _ in "12")
    begun = store.commit(first, first.session.begin(spend("ann", 1))[0])
    assert not isinstance(begun, Refused)
    refused = store.commit(second, second.session.begin(spend("ann", 2))[0])
    assert isinstance(refused, Refused)
    assert refused.code == "busy"
    edited = store.commit(second, second.session.with_sheet("bob", {"sheet": "hero", "name": "Robert"}))
    assert not isinstance(edited, Refused)
    assert isinstance(store.seat("campaign", system, "ann").need(), NeedRoll)
    late = store.commit(begun, begun.session.with_sheet("bob", {"sheet": "hero", "name": "Bo"}))
    assert isinstance(late, Refused)
    assert late.code == "stale"
    assert isinstance(store.seat("campaign", system, "ann").need(), NeedRoll)
    answered = store.commit(begun, begun.session.answer([6])[0])
    assert not isinstance(answered, Refused)
    again = store.commit(begun, begun.session.answer([5])[0])
    assert isinstance(again, Refused)
    assert "answered already" in again.message
    store.close()


def test_an_edit_by_hand_never_overwrites_what_came_in_between(address: str, system: System) -> None:
    store = laid(address, system, 5)
    late = store.load("campaign", system)
    assert late is not None
    store.seat("campaign", system, "ann").begin(take("ann", 2))
    refused = store.commit(late, late.session.with_sheet("den", {"sheet": "den", "reserve": 9}))
    assert isinstance(refused, Refused)
    assert refused.code == "stale"
    assert reserve(store, system) == 3
    undo = late.session.undo()
    assert undo is not None
    assert isinstance(store.commit(late, undo), Refused)
    assert reserve(store, system) == 3
    store.close()


def test_c32_a_message_delivered_twice_is_taken_once(address: str, system: System) -> None:
    """Also when both deliveries loaded the campaign before either was kept."""
    store = laid(address, system, 5)
    first = store.load("campaign", system)
    assert first is not None
    session, _ = first.session.begin(take("ann", 2), id="m1")
    assert not isinstance(store.commit(first, session), Refused)
    again = store.commit(first, session)
    assert not isinstance(again, Refused)
    assert again.need == Done("taken", None)
    seat = store.seat("campaign", system)
    assert seat.begin(take("ann", 2), id="m1") == Done("taken", None)
    assert reserve(store, system) == 3
    assert isinstance(seat.begin(spend("ann", 1), id="m2"), NeedRoll)
    assert isinstance(seat.answer([6], id="m3"), NeedChoice)
    assert isinstance(seat.answer([6], id="m3"), NeedChoice)
    assert [seat.undo(), seat.undo()] == [Done(None, None)] * 2
    refused = seat.begin(take("ann", 2), id="m1")
    assert isinstance(refused, Refused)
    assert refused.code == "repeated"
    store.close()


def test_what_others_wrote_is_seen(address: str, system: System) -> None:
    """A store remembers what it read; another one, as in another process, writes meanwhile, and also undoes."""
    store, other = laid(address, system, 9), open_store(address)
    mine, theirs = store.seat("campaign", system, "ann"), other.seat("campaign", system, "bob")
    for left in (8, 6, 4, 2):
        assert theirs.begin(take("bob", 1)) == Done("taken", None)
        assert reserve(store, system) == left
        assert mine.begin(take("ann", 1)) == Done("taken", None)
        assert reserve(other, system) == left - 1
    assert theirs.undo() == Done(None, None)
    assert (reserve(store, system), len(mine.session.log), len(mine.session.undone)) == (2, 8, 1)
    assert replay(mine.session) is None
    store.close(), other.close()


def test_threads_share_a_store(address: str, system: System) -> None:
    store = laid(address, system, 20)

    def spend_some(number: int) -> int:
        seat = store.seat("campaign", system, f"seat {number}")
        return sum(seat.begin(take(("ann", "bob")[number % 2], 1)) == Done("taken", None) for _ in range(5))

    with ThreadPoolExecutor(6) as pool:
        taken = sum(pool.map(spend_some, range(6)))
    assert (taken, reserve(store, system)) == (20, 0)
    assert replay(store.seat("campaign", system).session) is None
    store.close()


def test_what_no_store_can_keep_is_refused(address: str, system: System) -> None:
    """Ids that mean something else, data that no sheet holds, half characters; a text may hold whatever it likes."""
    store = laid(address, system)
    seat = store.seat("campaign", system)
    for wrong in ("", "a.b", "a/b/0", "a#b", " a", "a\nb", "\ud800"):
        refused = seat.with_sheet(wrong, {"sheet": "hero"})
        assert isinstance(refused, Refused)
        assert "cannot be the id of a sheet" in refused.message
        assert isinstance(seat.create(wrong, "hero"), Refused)
    for data in ({"sheet": "nobody"}, {"sheet": "hero", "will": float("nan")}, {"sheet": "hero", "will": {1}}):
        assert isinstance(seat.with_sheet("x", data), Refused)
    assert seat.with_sheet("x", {"sheet": "hero", "name": "\ud800é"}) == Done(None, None)
    with open_store(address) as other:
        session = other.seat("campaign", system).session
        assert session.state.sheets["x"]["name"] == "\ud800é"
        assert replay(session) is None
    if not address.endswith(".json"):  # one file keeps seats as JSON, which can write half a character
        with pytest.raises(StoreError):
            store.seat("campaign", system, "\ud800").begin(spend("ann", 1))
    assert seat.begin(take("ann", 1)) == Done("taken", None)
    store.close()


def test_a_sheet_of_older_rules_can_be_mended_bit_by_bit(system: System) -> None:
    store = laid(":memory:", system)
    old = {"sheet": "hero", "will": 99, "unknown": 1}
    seat = Seat(store, "campaign", system)
    seat.step(lambda session: (session.with_sheet("ann", old), Done(None, None)))
    assert seat.with_sheet("ann", {**old, "name": "Ann"}) == Done(None, None)
    assert isinstance(seat.with_sheet("ann", {**old, "will": 98}), Refused)
    assert seat.with_sheet("ann", {**old, "will": 8}) == Done(None, None)
    store.close()


# ---------------------------------------------------------------------- damage

DAMAGED: dict[str, list[Any]] = {
    "log": [[{}], [5], [{"request": 5, "answers": [], "outcome": None, "grade": None, "change": {}}]],
    "state": [5, {"sheets": {"ann": 5}, "flags": []}, {"sheets": {}}],
    "seen": [5, [[1]]],
    "revision": ["x", None],
    "seats": [5],
    "renames": [5],
    "undone": [[5], None],
}


def test_a_damaged_file_is_told(system: System, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    laid(str(path), system).close()
    good = json.loads(path.read_bytes())
    for name, values in DAMAGED.items():
        for value in values:
            path.write_text(json.dumps({**good, name: value}), encoding="utf-8")
            with pytest.raises(SaveError, match="damaged"):
                open_store(path).load("campaign", system, "ann")
    for content in (b"", b"{", b"\xff", path.read_bytes()[:-9]):
        path.write_bytes(content)
        with pytest.raises(SaveError, match="damaged"):
            open_store(path).load("campaign", system)
    for run in (5, {}, {"format": 1, "system": "pool", "rules": system.fingerprint}, "x"):
        path.write_text(json.dumps({**good, "run": run}), encoding="utf-8")
        held = open_store(path).load("campaign", system)
        assert held is not None
        assert held.refused is not None  # the campaign itself is whole
        assert held.session.state.sheets["den"]["reserve"] == 5


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE osselet_entry SET data = '{'",
        "UPDATE osselet_entry SET data = '5'",
        "UPDATE osselet_table SET heading = 'x'",
        "UPDATE osselet_table SET heading = '[]'",
        "UPDATE osselet_table SET flags = '5'",
        "UPDATE osselet_table SET sheet_order = '[\"zz\"]'",
        "UPDATE osselet_sheet SET data = '5'",
    ],
)
def test_a_damaged_database_is_told(system: System, tmp_path: Path, change: str) -> None:
    path = tmp_path / "games.db"
    laid(str(path), system).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    with open_store(path) as store, pytest.raises(SaveError, match="damaged"):
        store.load("campaign", system)


def test_a_place_that_cannot_be_used_is_told(system: System, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but a longish text of a person" * 9)
    (tmp_path / "folder.json").mkdir()
    for where in (tmp_path / "text", tmp_path / "text" / "games.db", tmp_path):
        with pytest.raises(StoreError):
            open_store(where)
    store = open_store(tmp_path / "folder.json")
    with pytest.raises(StoreError, match="cannot be read"):
        store.load("x", system)


def test_a_full_disk_loses_nothing(system: System, tmp_path: Path) -> None:
    """In a process of its own, whose files may grow no further after a while; later there is room again."""
    for name in ("game.json", "games.db"):
        path = str(tmp_path / name)
        laid(path, system, 20).close()
        with _start(path, "full", "ann") as process:
            lines = process.communicate(timeout=60)[0].split("\n")
        done = lines.count("done taken")
        assert 0 < done < 20
        assert lines[done + 1].startswith("store ")
        with open_store(path) as store:
            assert reserve(store, system) in (20 - done, 20 - done - 1)
            assert store.seat("campaign", system).begin(take("bob", 1)) == Done("taken", None)


def test_a_lost_connection_is_made_again(server: str, system: System) -> None:
    import psycopg

    try:
        store = laid(server, system)
        with psycopg.connect(server, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        with pytest.raises(StoreError):
            store.tables()
        assert store.tables() == ("campaign",)
        assert store.seat("campaign", system).begin(take("ann", 1)) == Done("taken", None)
        store.close()
    finally:
        _empty(server)


# ---------------------------------------------------------------------- processes


def _start(address: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), address, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def test_processes_that_spend_at_once(address: str, system: System) -> None:
    """Three processes spend from one pool of 9 at once; what they were told adds up to what is left."""
    store = laid(address, system, 9)
    with ExitStack() as running:
        players = [running.enter_context(_start(address, "spend", who, *["1"] * 4)) for who in ("ann", "bob", "ann")]
        for process in players:
            _said(process, "ready")
        for process in players:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        lines = [line for process in players for line in process.communicate(timeout=60)[0].splitlines()]
    assert len(lines) == 12
    assert {line for line in lines if line != "done bright"} == {"refused pay The den has too few dice left."}
    assert lines.count("done bright") == 9
    assert reserve(store, system) == 0
    held = store.load("campaign", system)
    assert held is not None
    assert replay(held.session) is None
    store.close()


def _said(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == f"{line}\n"


def _until_killed(address: str, what: str, before: int, lines: int) -> int:
    """A player who is killed after some lines more than `before`; the last number that the store acknowledged."""
    with _start(address, what, "ann", str(before)) as process:
        _said(process, "ready")
        assert process.stdout is not None
        heard = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        heard += process.stdout.read().split("\n")[:-1]
    return max([before, *(int(line.split()[0]) for line in heard)])


@pytest.mark.parametrize("seed", [1, 2])
def test_kill_9_loses_nothing_acknowledged(address: str, system: System, seed: int) -> None:
    """A player is killed again and again; each acknowledged action is there, and no half one."""
    store, count, rng = laid(address, system), 0, random.Random(seed)
    for _ in range(4):
        acknowledged = _until_killed(address, "hits", count, rng.randrange(1, 8))
        session = store.seat("campaign", system).session
        hits = [record for record in session.log if record.request.get("action") == "hit"]
        assert acknowledged <= len(hits) <= acknowledged + 1
        assert session.state.sheets["ann"]["life"] == {"start": 80, "now": 80 - len(hits)}
        assert [record.id for record in hits] == [f"hit-{n}" for n in range(1, len(hits) + 1)]
        count = len(hits)
    store.close()


def test_kill_9_in_the_midst_of_an_action(address: str, system: System) -> None:
    """Each step of an action is kept by itself: begun, thrown, chosen. The next process goes on where it stands."""
    store, count, rng = laid(address, system), 0, random.Random(5)
    for _ in range(6):
        acknowledged = _until_killed(address, "turns", count, rng.randrange(1, 6))
        seat = store.seat("campaign", system, "ann")
        session, need = seat.session, seat.need()
        under_way = 0 if need is None else 1 if isinstance(need, NeedRoll) else 2
        turns = [record for record in session.log if record.request.get("action") == "spend"]
        count = 3 * len(turns) + under_way
        assert acknowledged <= count <= acknowledged + 1
        assert all(record.answers == ([6], "give_back") for record in turns)
        assert reserve(store, system) == 5
        assert replay(session) is None
    assert count > 6
    store.close()
