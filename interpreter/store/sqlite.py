"""Campaigns in one SQLite file; nothing to set up."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from interpreter.store.base import StoreError
from interpreter.store.sql import SCHEMA, Row, SqlStore

SECONDS_TO_WAIT = 60


class SqliteStore(SqlStore):
    """One connection, which threads of the process use one after another; other processes wait for their turn."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._lock, self._path = RLock(), path
        with self._told():
            if path != ":memory:":
                Path(path).resolve().parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
            )
            # What is acknowledged is on the disk; readers do not wait for writers.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
        with self.transaction(write=True):
            for statement in SCHEMA:
                self.execute(statement)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._told():
            return list(self._connection.execute(sql, tuple(values)))

    @contextmanager
    def transaction(self, write: bool) -> Iterator[None]:
        with self._lock, self._told():
            self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # some faults, such as a full disk, have ended it already
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeError) as error:
            raise StoreError(f"{self._path}: {error}") from error

    def close(self) -> None:
        self._connection.close()
