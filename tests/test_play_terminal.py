"""`osselet play` in a real terminal: a hero of DF46 from the first question to the end of a fight."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")

ROOT = Path(__file__).parent.parent
QUESTION = r"> $|\] ?: $"


class Terminal:
    """A person before a terminal: reads up to a question, types an answer."""

    def __init__(self, folder: Path, cache: Path, *words: str, **variables: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OSSELET_CACHE": str(cache)}
        environment |= {"LC_ALL": "", "LANG": "fr_FR.UTF-8", "TERM": "xterm", "NO_COLOR": "1", **variables}
        command = ["-m", "interpreter", "play", "df46", "--save", str(folder / "game.json"), *words]
        self.child = pexpect.spawn(
            sys.executable, command, env=environment, encoding="utf-8", dimensions=(40, 120), timeout=20
        )
        self.child.delaybeforesend = None
        self.told = ""

    def read(self, wanted: str = QUESTION) -> str:
        """What is told up to the next question."""
        self.child.expect(wanted)
        self.told += self.child.before + str(self.child.after)
        return str(self.child.before)

    def type(self, *answers: str) -> str:
        """Types each answer at the next question; gives what was told before the last."""
        before = ""
        for answer in answers:
            before = self.read()
            self.child.sendline(answer)
        return before

    def end(self) -> str:
        """What is told until the program has ended."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        self.told += str(self.child.before)
        return str(self.child.before)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def terminal(tmp_path: Path, cache: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*words: str, **variables: str) -> Terminal:
        opened.append(Terminal(tmp_path, cache, *words, **variables))
        return opened[-1]

    yield start
    for one in opened:
        one.child.close(force=True)


HERO = ("c", "héros", "Brune", ".", "combattant, désossé, renifleur, pas de loup")


def fight(one: Terminal) -> str:
    """Takes the first answer to every question until the fight is over; gives what was told last."""
    for _ in range(60):
        before = one.read(r"\r\n→ [^\r\n]+|" + QUESTION)
        if "→" in str(one.child.after):
            return str(one.child.after).strip()
        assert "est hors de" not in before
        one.child.sendline("" if str(one.child.after).startswith("]") else "1")
    raise AssertionError(one.told[-2000:])


def test_a_hero_from_creation_to_the_end_of_a_fight(terminal: Callable[..., Terminal]) -> None:
    one = terminal("--seed", "5")
    one.type(*HERO)
    assert "Personne n’est encore à table" in one.told
    made = one.type("p")
    assert re.search(r"Habileté \(1d6\) : \[\d\] = \d+", made)
    assert re.search(r"Endurance \(2d6\) : \[\d\] \[\d\] = \d+", made)
    assert "Désossé, Combattant, Pas-de-loup, Renifleur" in made
    assert re.search(r"Habileté +█{7,12} +(\d+)/\1\r\n", made)
    one.type("coupe-jarret", "combattre")
    ended = fight(one)
    assert ended in ("→ Victoire", "→ Mort")
    assert re.search(r"Vos dés \(2d6\) : \[\d\] \[\d\] = \d+", one.told)
    assert re.search(r"Coupe-jarret, Endurance : 6 → 4", one.told)
    bars = one.type("q")
    assert re.search(r"Coupe-jarret \(Créature\)\r\n  Endurance +[█░]+ +\d/6 \(-\d\)", bars)
    assert "La partie est gardée dans" in one.end()
    assert one.child.exitstatus == 0


@pytest.mark.parametrize("how", ["ctrl-c", "ctrl-d", "q", "kill"])
def test_a_fight_that_is_left_goes_on(terminal: Callable[..., Terminal], how: str) -> None:
    one = terminal("--seed", "5")
    one.type("p", "maëlle", "p", "gargouille", "combattre")
    while "chance" not in one.read():
        one.child.sendline("" if str(one.child.after).startswith("]") else "1")
    {
        "ctrl-c": one.child.sendintr,
        "ctrl-d": one.child.sendeof,
        "q": lambda: one.child.sendline("q"),
        "kill": lambda: one.child.kill(signal.SIGKILL),
    }[how]()
    left = one.end()
    assert "Traceback" not in left
    assert ("La partie est gardée" in left) == (how != "kill")
    assert one.child.exitstatus == (None if how == "kill" else 0)
    other = terminal("--seed", "6")
    again = other.read()
    assert "La partie continue ; étapes jusqu’ici : 2." in again
    assert "▶ Combat" in again
    assert "chance" in again
    other.child.sendline("1")
    assert fight(other) in ("→ Victoire", "→ Mort")


def test_colors_in_a_terminal(terminal: Callable[..., Terminal]) -> None:
    assert "\x1b[1mDF46" in terminal(NO_COLOR="").read()
    assert "\x1b[1m" not in terminal().read()


def test_dice_typed_at_the_table(terminal: Callable[..., Terminal]) -> None:
    one = terminal("--hand")
    one.type(*HERO)
    for faces in ("6", "6 6", "6"):
        one.read(r"d6 : $")
        one.child.sendline(faces)
    assert "Endurance                     ████████████████████ 24/24" in one.read()
