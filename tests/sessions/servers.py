"""A PostgreSQL server of the tests' own, in a temporary folder, as a user that may run one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL server on this machine."""
    found = shutil.which("postgres")
    if found:
        return Path(found).parent
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    return max(folders, key=lambda path: int(path.parent.name), default=None) if folders else None


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a fresh server, which ends with the block; it listens on a socket only, and takes no port."""
    programs = binaries()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="osselet-pg-"))
    as_user: list[str] = []
    if os.getuid() == 0:  # PostgreSQL refuses to be run by root
        shutil.chown(folder, USER)
        as_user = ["runuser", "-u", USER, "--"]
    data = folder / "data"

    def run(*command: str | Path) -> None:
        subprocess.run([*as_user, *map(str, command)], check=True, cwd=folder, capture_output=True)

    try:
        run(programs / "initdb", "-D", data, "-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=50"
        run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://{USER}@/postgres?host={folder}"
        finally:
            run(programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
