"""The file of a game played in the terminal: found, read, and written so that a crash leaves the old one whole."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interpreter.cli.common import UsageError
from interpreter.fields import SheetData
from interpreter.files import find
from interpreter.layout import State
from interpreter.model import System
from interpreter.ready import character
from interpreter.resources import systems_folder
from interpreter.session import Loaded, SaveError, Session, load_session, session_to_json
from interpreter.snapshot import json_text


def default_place(where: str, system: System) -> Path:
    """One file for each rule set: a shipped one by its id, others by id and path, so that two never mix."""
    path = find(where).resolve()
    shipped = path.parent == systems_folder().resolve()
    own = "" if shipped else f"-{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    return _state_folder() / "osselet" / f"{system.id}{own}.json"


def _state_folder() -> Path:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        base = os.environ.get(name)
        if base:
            return Path(base)
    try:
        return Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise UsageError("there is no home folder to keep the game in; --save FILE says where") from error


def new_table(system: System) -> State:
    """The table of a new game: the sheets shared by all, ready ones where there are some."""
    sheets: dict[str, SheetData] = {}
    for kind in (kind for kind, spec in system.sheets.items() if spec.only_one):
        ready = next((name for name, data in system.characters.items() if data.get("sheet") == kind), None)
        sheets[ready or kind] = {"sheet": kind} if ready is None else character(system, ready)
    return State(sheets)


@dataclass(slots=True)
class Keeper:
    """Keeps a game in one file."""

    system: System
    path: Path
    written: bytes | None = None

    def load(self, fresh: bool) -> Loaded:
        """The game as it was left, with what came of changed rules; a new game where there is none."""
        if self.path.exists() and not self.path.is_file():
            raise UsageError(f"{self.path} is no file that a game can be kept in")
        if fresh or not self.path.exists():
            self.set_aside()
            return Loaded(Session(self.system, new_table(self.system)))
        self.written = self.path.read_bytes()
        try:
            loaded = load_session(self.system, self._data())
        except SaveError as error:
            raise UsageError(f"{self.path} cannot be read as a saved game: {error}. {KEEP_OLD}") from error
        if loaded.notes or loaded.refused is not None:
            shutil.copyfile(self.path, self._aside())
        return loaded

    def _data(self) -> dict[str, Any]:
        try:
            data = json.loads((self.written or b"").decode("utf-8"))
        except ValueError as error:  # no UTF-8, or no JSON
            raise SaveError("it is damaged") from error
        if not isinstance(data, dict):
            raise SaveError("it is damaged")
        return data

    def set_aside(self) -> None:
        """An older game stays beside the new one."""
        if self.path.exists():
            self.path.rename(self._aside())

    def _aside(self) -> Path:
        """The first name beside the game's that is free."""
        number = 1
        while (old := self.path.with_name(f"{self.path.stem}.old{number}{self.path.suffix}")).exists():
            number += 1
        return old

    def save(self, session: Session) -> None:
        """Writes beside the file and puts it in its place. A file that someone else wrote meanwhile is left alone."""
        content = json_text(session_to_json(session)).encode()
        if content == self.written:
            return
        found = self.path.read_bytes() if self.path.exists() else None
        if found not in (self.written, content):
            raise UsageError(
                f"{self.path} was changed by another game meanwhile; this one stops, lest that one be lost."
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)
        self.written = content


KEEP_OLD = "Mend it, or begin another game with --new; the old file is kept beside it."
