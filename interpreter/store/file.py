"""One campaign in one JSON file, written so that a crash leaves the old one whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from interpreter.machine import Refused
from interpreter.model import System
from interpreter.session import Loaded, SaveError, Session, heading, load_session, reading, resumed, session_to_json
from interpreter.snapshot import json_text
from interpreter.store.base import Held, Store, StoreError, joined

UNDER_WAY = ("run", "asked", "answers", "id")
# A file's content, the same as data, and the campaign that it is under some rules.
Known = tuple[bytes | None, dict[str, Any], dict[System, Loaded]]


class FileStore(Store):
    """A file holds one campaign, whatever name it is called by."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # What was read or written last, so that it need not be read again while the file is the same.
        self._known: Known = None, {}, {}

    def tables(self) -> tuple[str, ...]:
        return (self.path.stem,) if self.path.exists() else ()

    def new(self, table: str, session: Session) -> Held:
        with _alone(self.path):
            if self.path.exists():
                raise StoreError(f"there is a campaign in {self.path} already")
            held = Held(table, "", session, 1)
            self._write({}, held)
        return held

    def load(self, table: str, system: System, seat: str = "") -> Held | None:
        _, data, known = self._read()
        if not data:
            return None
        loaded = known.get(system)
        if loaded is None:
            loaded = known[system] = load_session(system, {**data, "run": None})
        other = any(data.get(name) != value for name, value in heading(system).items())
        with reading():
            mine = dict(data.get("seats", {})).get(seat, {}) if seat else data
            back = resumed(loaded.session, mine)
            return Held(table, seat, back.session, int(data["revision"]), None, back.refused, loaded.notes, other)

    def commit(self, held: Held, session: Session) -> Held | Refused:
        with _alone(self.path):
            _, data, _ = self._read()
            if not data:
                raise StoreError(f"{self.path} is no longer there")
            need = None
            if data["revision"] != held.revision:
                latest = self.load(held.table, session.system, held.seat)
                assert latest is not None
                session, need = joined(latest.session, held.session, session)
                if session is latest.session and isinstance(need, Refused):
                    return need
            kept = replace(held, session=session, revision=data["revision"] + 1, need=need, notes=(), anew=False)
            self._write(data, kept)
        return kept

    def close(self) -> None:
        """Nothing is held open."""

    def _read(self) -> Known:
        known = self._known
        if self.path.exists() and not self.path.is_file():
            raise StoreError(f"{self.path} cannot be read: it is no file")
        try:
            content = self.path.read_bytes()
            if content == known[0]:
                return known
            data = json.loads(content.decode("utf-8"))
        except FileNotFoundError:
            return None, {}, {}
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}") from error
        except ValueError:  # no UTF-8, or no JSON
            raise SaveError("the saved campaign is damaged") from None
        if not isinstance(data, dict):
            raise SaveError("this is no saved campaign")
        known = self._known = content, data, {}
        return known

    def _write(self, before: dict[str, Any], held: Held) -> None:
        """Writes beside the file and puts it in its place at once."""
        data = {**session_to_json(held.session), "revision": held.revision, "seats": dict(before.get("seats", {}))}
        if held.seat:
            data["seats"][held.seat] = {name: data[name] for name in UNDER_WAY}
            data |= {name: before[name] for name in UNDER_WAY if name in before}
        content = json_text(data).encode()
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)
        session = replace(held.session.abandon(), last=None)
        self._known = content, data, {session.system: Loaded(session)}


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time, on systems where a folder can be locked; elsewhere a file is for one process."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent):
            yield
    except OSError as error:  # a full disk, a folder that is not ours
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
        os.fsync(folder)
    finally:
        os.close(folder)
