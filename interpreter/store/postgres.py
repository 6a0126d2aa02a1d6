"""Campaigns in PostgreSQL, for an app that has outgrown one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from interpreter.store.base import StoreError
from interpreter.store.sql import SCHEMA, Row, SqlStore

# Only one process at a time makes the tables: PostgreSQL itself does not see to that.
MAKING_TABLES = 7_340_251


class PostgresStore(SqlStore):
    """One connection, which threads of the process use one after another."""

    lock = " FOR UPDATE"

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise StoreError("PostgreSQL needs the package psycopg: pip install 'osselet[postgres]'") from error
        super().__init__()
        self._lock, self._url, self._error = RLock(), url, psycopg.Error
        self._connect: Callable[[], psycopg.Connection] = lambda: psycopg.connect(url, autocommit=True)
        with self._told():
            self._connection = self._connect()
        with self.transaction(write=True):
            self.execute("SELECT pg_advisory_xact_lock(?)", (MAKING_TABLES,))
            for statement in SCHEMA:
                self.execute(statement)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._told():
            cursor = self._connection.execute(sql.replace("?", "%s").encode(), tuple(values))
            return list(cursor) if cursor.description is not None else []

    @contextmanager
    def transaction(self, write: bool) -> Iterator[None]:
        """A reader sees the campaign as it was at one moment; a writer waits for the row and then sees the newest.

        A connection that was lost, with a server that was started anew, is made again by the next step.
        """
        with self._lock, self._told():
            if self._connection.closed:
                self._connection = self._connect()
            with self._connection.transaction():
                if not write:
                    self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (self._error, UnicodeError) as error:
            raise StoreError(f"PostgreSQL cannot be used: {str(error).strip()}") from error

    def close(self) -> None:
        self._connection.close()
