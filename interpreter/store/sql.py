"""Campaigns in a SQL database: the tables, and each step as one transaction."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from secrets import token_hex
from typing import Any

from interpreter.machine import Refused
from interpreter.model import System
from interpreter.recent import Recent
from interpreter.runs import plain, run_to_json, state_from_json
from interpreter.session import (
    Record,
    SaveError,
    Session,
    brought_over,
    check_heading,
    heading,
    reading,
    record_to_json,
    records_back,
    records_on,
    resumed,
)
from interpreter.store.base import Held, Store, StoreError, joined

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS osselet_table (name TEXT PRIMARY KEY, heading TEXT NOT NULL, flags TEXT NOT NULL,"
    " sheet_order TEXT NOT NULL, done BIGINT NOT NULL, revision BIGINT NOT NULL, mark TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS osselet_sheet (name TEXT NOT NULL, id TEXT NOT NULL, version BIGINT NOT NULL,"
    " data TEXT NOT NULL, PRIMARY KEY (name, id))",
    "CREATE TABLE IF NOT EXISTS osselet_entry (name TEXT NOT NULL, number BIGINT NOT NULL, data TEXT NOT NULL,"
    " PRIMARY KEY (name, number))",
    "CREATE TABLE IF NOT EXISTS osselet_seat (name TEXT NOT NULL, seat TEXT NOT NULL, data TEXT NOT NULL,"
    " PRIMARY KEY (name, seat))",
    "CREATE TABLE IF NOT EXISTS osselet_seen (name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (name, id))",
)
MOST_KNOWN = 64
Row = Sequence[Any]


class SqlStore(Store):
    """What both databases share. SQL is written with `?`; `lock` is what makes a row wait for its turn.

    Every step leaves a mark of its own with the campaign, by which a process knows that nobody has been there since.
    """

    lock = ""

    def __init__(self) -> None:
        self._known: Recent[tuple[str, Held]] = Recent(MOST_KNOWN)

    @abstractmethod
    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Runs a statement within a transaction; its rows."""

    @abstractmethod
    def transaction(self, write: bool) -> AbstractContextManager[None]:
        """All of it or nothing; with `write`, alone among writers of the same campaign."""

    def tables(self) -> tuple[str, ...]:
        with self.transaction(write=False):
            return tuple(str(row[0]) for row in self.execute("SELECT name FROM osselet_table ORDER BY name"))

    def new(self, table: str, session: Session) -> Held:
        held = Held(table, "", session, 1)
        with self.transaction(write=True):
            values = (table, *_table_row(session), 1, token_hex(8))
            made = self.execute(
                "INSERT INTO osselet_table (name, heading, flags, sheet_order, done, revision, mark)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING name",
                values,
            )
            if not made:
                raise StoreError(f"there is a campaign `{table}` already")
            self._write_all(held)
        return held

    def load(self, table: str, system: System, seat: str = "") -> Held | None:
        with self.transaction(write=False), reading():
            return self._load(table, system, seat)

    def commit(self, held: Held, session: Session) -> Held | Refused:
        mark = token_hex(8)
        with self.transaction(write=True):
            found = self.execute(f"SELECT revision FROM osselet_table WHERE name = ?{self.lock}", (held.table,))
            if not found:
                raise StoreError(f"there is no campaign `{held.table}` any more")
            base, need, revision = held, None, int(found[0][0])
            if revision != held.revision:
                with reading():
                    latest = self._load(held.table, session.system, held.seat)
                assert latest is not None
                session, need = joined(latest.session, held.session, session)
                if session is latest.session and isinstance(need, Refused):
                    return need
                base = latest
            kept = replace(held, session=session, revision=revision + 1, need=need, notes=(), anew=False)
            self._write(base, kept, mark)
        alone = replace(session.abandon(), last=None)
        self._known.keep((held.table, session.system), (mark, replace(kept, seat="", session=alone, need=None)))
        return kept

    # ------------------------------------------------------------------ reading

    def _load(self, table: str, system: System, seat: str) -> Held | None:
        rows = self.execute("SELECT mark FROM osselet_table WHERE name = ?", (table,))
        if not rows:
            return None
        mark, known = str(rows[0][0]), self._known.get((table, system))
        if known is None or known[0] != mark:
            known = self._known.keep((table, system), (mark, self._whole(table, system)))
        mine = self.execute("SELECT data FROM osselet_seat WHERE name = ? AND seat = ?", (table, seat))
        back = resumed(known[1].session, json.loads(mine[0][0]) if mine else {})
        return replace(known[1], seat=seat, session=back.session, refused=back.refused)

    def _whole(self, table: str, system: System) -> Held:
        """The campaign without what is under way."""
        saved, flags, order, done, revision = self.execute(
            "SELECT heading, flags, sheet_order, done, revision FROM osselet_table WHERE name = ?", (table,)
        )[0]
        head = json.loads(saved)
        check_heading(system, head)
        rows = self.execute("SELECT id, data FROM osselet_sheet WHERE name = ?", (table,))
        sheets: dict[str, str] = {str(row[0]): str(row[1]) for row in rows}
        every = {sheet_id: json.loads(sheets[sheet_id]) for sheet_id in json.loads(order)}
        state = state_from_json({"sheets": every, "flags": json.loads(flags)})
        entries = self.execute("SELECT data FROM osselet_entry WHERE name = ? ORDER BY number", (table,))
        records = [json.loads(row[0]) for row in entries]
        seen = frozenset(str(row[0]) for row in self.execute("SELECT id FROM osselet_seen WHERE name = ?", (table,)))
        log, undone = records_back(state, records[:done]), records_on(state, records[done:])
        session, notes = brought_over(Session(system, state, log, undone, seen=seen), head)
        return Held(table, "", session, int(revision), None, None, notes, head != heading(system))

    # ------------------------------------------------------------------ writing

    def _write(self, before: Held, now: Held, mark: str) -> None:
        """Writes what is not there yet; `before` is what the database holds."""
        values = (*_table_row(now.session), now.revision, mark, now.table)
        self.execute(
            "UPDATE osselet_table SET heading = ?, flags = ?, sheet_order = ?, done = ?, revision = ?, mark = ?"
            " WHERE name = ?",
            values,
        )
        if before.anew:
            self._write_all(now)
            return
        old, new = before.session, now.session
        self._sheets(now, [i for i, data in new.state.sheets.items() if old.state.sheets.get(i) != data])
        self._without(now.table, "sheet", "id", [i for i in old.state.sheets if i not in new.state.sheets])
        self._entries(now, _in_common((*old.log, *old.undone), (*new.log, *new.undone)))
        self._seen(now.table, new.seen - old.seen)
        self._seat(now)

    def _write_all(self, held: Held) -> None:
        self.execute("DELETE FROM osselet_sheet WHERE name = ?", (held.table,))
        self._sheets(held, held.session.state.sheets)
        self._entries(held, 0)
        self._seen(held.table, held.session.seen)
        self._seat(held)

    def _sheets(self, held: Held, ids: Iterable[str]) -> None:
        """The version of a sheet is the revision that changed it last."""
        for sheet_id in ids:
            data = json.dumps(plain(held.session.state.sheets[sheet_id]))
            self.execute(
                "INSERT INTO osselet_sheet (name, id, version, data) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (name, id) DO UPDATE SET version = excluded.version, data = excluded.data",
                (held.table, sheet_id, held.revision, data),
            )

    def _entries(self, held: Held, common: int) -> None:
        session = held.session
        self.execute("DELETE FROM osselet_entry WHERE name = ? AND number > ?", (held.table, common))
        for number, record in enumerate((*session.log, *session.undone)[common:], common + 1):
            data = json.dumps(record_to_json(record))
            self.execute("INSERT INTO osselet_entry (name, number, data) VALUES (?, ?, ?)", (held.table, number, data))

    def _seen(self, table: str, ids: Iterable[str]) -> None:
        for one in sorted(ids):
            self.execute("INSERT INTO osselet_seen (name, id) VALUES (?, ?) ON CONFLICT DO NOTHING", (table, one))

    def _seat(self, held: Held) -> None:
        session = held.session
        if session.run is None:
            self._without(held.table, "seat", "seat", [held.seat])
            return
        under_way = {
            "run": run_to_json(session.system, session.run),
            "asked": dict(session.asked),
            "answers": list(session.answers),
            "id": session.id,
        }
        self.execute(
            "INSERT INTO osselet_seat (name, seat, data) VALUES (?, ?, ?)"
            " ON CONFLICT (name, seat) DO UPDATE SET data = excluded.data",
            (held.table, held.seat, json.dumps(under_way)),
        )

    def _without(self, table: str, what: str, column: str, ids: Iterable[str]) -> None:
        for one in ids:
            self.execute(f"DELETE FROM osselet_{what} WHERE name = ? AND {column} = ?", (table, one))


def _table_row(session: Session) -> tuple[Any, ...]:
    """What stands in a campaign's own row beside its name and revision."""
    state = session.state
    order = json.dumps(list(state.sheets))
    return json.dumps(heading(session.system)), json.dumps(sorted(state.flags)), order, len(session.log)


def _in_common(old: Sequence[Record], new: Sequence[Record]) -> int:
    """How many entries both begin with."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count


__all__ = ["SCHEMA", "SaveError", "SqlStore"]
