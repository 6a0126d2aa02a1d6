"""Give a checkout its own virtual environment with Osselet in it; needs nothing but Python itself.

The scripts beside this file call `prepare`. The file is read by whatever Python a machine has, so it keeps to
what Python 3.7 understands, and says what to do where that is too old to run Osselet.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 11)
NEWER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")

NO_PYTHON = """Osselet needs Python {0}.{1} or later, and this is Python {2}.{3}.
Install a newer Python (https://www.python.org/downloads), then run the same command with it."""
NO_VENV = """This Python cannot make a virtual environment (its venv or ensurepip module is missing).
On Debian or Ubuntu:  sudo apt install python3-venv
Elsewhere: install Python from https://www.python.org/downloads, then run the same command with it."""
NO_INSTALL = """The packages that Osselet needs could not be installed; what pip said stands above.
Without a network, set PIP_NO_INDEX and PIP_FIND_LINKS to a folder that has them."""


def prepare(extra: str = "") -> Path:
    """The Python of a virtual environment in which this checkout and its `extra` packages are installed."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _is_ready(python):
        _make_environment(_suitable_python(), python)
    stamp = ENVIRONMENT / f"osselet-{extra or 'run'}.stamp"
    wanted = _fingerprint(python)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        _install(python, f".[{extra}]" if extra else ".")
        stamp.write_text(wanted, encoding="utf-8")
    return python


def run(command: list[str]) -> int:
    """Run a command in the checkout, as a person would with the environment active; its exit code."""
    sys.stdout.flush()
    variables = dict(os.environ)
    variables["VIRTUAL_ENV"] = str(ENVIRONMENT)
    variables["PATH"] = str(Path(command[0]).parent) + os.pathsep + variables.get("PATH", "")
    # Nothing here asks questions; a command that would wait for an answer gets none.
    return subprocess.run(command, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, check=False).returncode


def _suitable_python() -> str:
    """A Python that can run Osselet: this one, or a newer one on the same machine."""
    if sys.version_info >= OLDEST:
        return sys.executable
    for found in filter(None, map(shutil.which, NEWER_PYTHONS)):
        if _is_new_enough(found):
            return found
    raise SystemExit(NO_PYTHON.format(*OLDEST, *sys.version_info[:2]))


def _is_new_enough(python: str) -> bool:
    return _quietly([python, "-c", f"import sys; sys.exit(sys.version_info < {OLDEST})"])


def _is_ready(python: Path) -> bool:
    return python.is_file() and _is_new_enough(str(python)) and _quietly([str(python), "-c", "import pip"])


def _make_environment(creator: str, python: Path) -> None:
    print(f"Making a virtual environment in {ENVIRONMENT.name} ...", flush=True)
    for command in (["-m", "venv", "--clear"], ["-m", "virtualenv", "--clear"]):
        if _quietly([creator, *command, str(ENVIRONMENT)]) and _is_ready(python):
            return
    raise SystemExit(NO_VENV)


def _install(python: Path, what: str) -> None:
    print("Installing Osselet and what it needs ...", flush=True)
    variables = {name: value for name, value in os.environ.items() if name not in ("PIP_USER", "PIP_TARGET")}
    variables.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1")
    command = [str(python), "-m", "pip", "install", "--quiet", "--editable", what]
    if subprocess.run(command, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, check=False).returncode:
        raise SystemExit(NO_INSTALL)


def _fingerprint(python: Path) -> str:
    """What an installation depends on: the project's requirements, where it lies, and which Python it is for."""
    parts = ((ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode(), str(python.resolve()).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _quietly(command: list[str]) -> bool:
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return result.returncode == 0
