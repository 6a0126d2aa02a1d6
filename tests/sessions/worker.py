"""One player's process, for the tests of stores: does what its arguments say, a line of output for each thing done."""

from __future__ import annotations

import os
import resource
import signal
import sys
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from interpreter.loader import load
from interpreter.machine import Done, Need, Refused
from interpreter.start import Request
from interpreter.store import Seat, StoreError, open_store

RULES = Path(__file__).parent / "pool.yaml"
FULL = 1000  # bytes: no file is that small


def told(need: Need) -> str:
    if isinstance(need, Refused):
        return f"refused {need.code} {next(iter(need.label.texts.values())) if need.label else need.message}"
    return f"done {need.outcome}" if isinstance(need, Done) else need.name


def seat_of(address: str, name: str) -> Seat:
    system = load(RULES).system
    assert system is not None
    return Seat(open_store(address), "campaign", system, name)


def spend(seat: Seat, who: str, number: int) -> str:
    """The whole action, suspended at its roll and at its choice."""
    need = seat.begin(Request("spend", {"self": (who,)}, {"n": number}))
    if isinstance(need, Refused):
        return told(need)
    need = seat.answer([6] * number)
    return told(seat.answer("keep")) if not isinstance(need, Refused) else told(need)


def main(address: str, what: str, who: str, *numbers: str) -> None:
    seat = seat_of(address, who if what == "turns" else f"{who} of {os.getpid()}")
    print("ready", flush=True)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file that is too large is an error, not the end
    if what == "spend":
        sys.stdin.readline()  # all start together
        for number in numbers:
            print(spend(seat, who, int(number)), flush=True)
    elif what == "full":  # the disk fills up with the first step
        try:
            for _ in range(20):
                print(told(seat.begin(Request("take", {"self": (who,)}, {"n": 1}))), flush=True)
                resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))
        except StoreError as error:
            print(f"store {error}", flush=True)
    else:  # endless players: each line is something that the store has acknowledged
        for done in count(int(numbers[0])):
            need = turn(seat, who, done) if what == "turns" else hit(seat, who, done)
            print(f"{done + 1} {told(need)}", flush=True)


def hit(seat: Seat, who: str, done: int) -> Need:
    return seat.begin(Request("hit", {"self": (who,)}, {"n": 1}), id=f"hit-{done + 1}")


def turn(seat: Seat, who: str, done: int) -> Need:
    """One step of the endless action after `done` of them; it ends with every third."""
    step = f"step-{done + 1}"
    if done % 3 == 0:
        return seat.begin(Request("spend", {"self": (who,)}, {"n": 1}), step)
    return seat.answer([6] if done % 3 == 1 else "give_back", step)


if __name__ == "__main__":
    main(*sys.argv[1:])
