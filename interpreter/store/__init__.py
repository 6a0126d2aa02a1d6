"""Where campaigns are kept: a file, SQLite, or PostgreSQL, by one address."""

from __future__ import annotations

from pathlib import Path

from interpreter.store.base import Held, Seat, Store, StoreError

__all__ = ["Held", "Seat", "Store", "StoreError", "open_store"]


def open_store(where: str | Path) -> Store:
    """The store at an address: `game.json` (one campaign in a file), `games.db` or `sqlite:///games.db`, `:memory:`, or
    `postgresql://user@host/database`."""
    address = str(where)
    if address.startswith(("postgresql://", "postgres://")):
        from interpreter.store.postgres import PostgresStore

        return PostgresStore(address)
    path = address.removeprefix("sqlite:///").removeprefix("file:")
    if "://" in path:
        raise StoreError(f"`{address}` is no address of a store: a file, sqlite:///FILE or postgresql://…")
    if path.endswith(".json"):
        from interpreter.store.file import FileStore

        return FileStore(Path(path))
    from interpreter.store.sqlite import SqliteStore

    return SqliteStore(path)
