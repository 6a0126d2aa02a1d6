"""Where the faces of a throw come from: a seed, the system, a generator for simulations, or people's own dice."""

from __future__ import annotations

import hashlib
import os
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from .faults import DiceError, Fault
from .model import Die, Face, Symbols

Chain: TypeAlias = Face | Sequence[Face]
Faces: TypeAlias = Mapping[str, Sequence[Chain]] | Sequence[Chain]


class Source(Protocol):
    """Gives the next face of a die: that of the die number `index` (from 0) of the group asked for, extra dice being
    counted with the die that they come from."""

    def __call__(self, die: Die, group: str, index: int, /) -> Face: ...


class Seeded:
    """The same faces for the same seed on every platform and with every version of Python.

    The algorithm is a promise. Key: SHA-256 of the text `osselet dice 1:` and the seed written as text, in UTF-8.
    Word number i (from 0): the eight bytes at (i mod 4) * 8 of SHA-256(key + (i // 4) as eight bytes), big-endian, as
    all numbers here. For a die of n faces take the next word w; if w >= 2**64 - 2**64 mod n, drop it and take the
    next; the face is the one at place w mod n, from 0, in the die's list. `position`, the number of words taken, can
    be saved and handed in again.
    """

    def __init__(self, seed: int | str, position: int = 0) -> None:
        self._key = hashlib.sha256(f"osselet dice 1:{seed}".encode()).digest()
        self._block = -1
        self._digest = b""
        self.position = position

    def _word(self) -> int:
        block, place = divmod(self.position, 4)
        if block != self._block:
            self._digest = hashlib.sha256(self._key + block.to_bytes(8, "big")).digest()
            self._block = block
        self.position += 1
        return int.from_bytes(self._digest[place * 8 : place * 8 + 8], "big")

    def below(self, bound: int) -> int:
        """A number from 0 to before `bound`, all equally likely."""
        fair = 2**64 - 2**64 % bound
        while (word := self._word()) >= fair:
            pass
        return word % bound

    def __call__(self, die: Die, group: str, index: int, /) -> Face:
        return die.faces[self.below(len(die.faces))]


def seeded(seed: int | str, position: int = 0) -> Seeded:
    """A source that gives the same faces everywhere; its position can be saved."""
    return Seeded(seed, position)


class System:
    """Faces that nobody can foresee, from the operating system."""

    def __call__(self, die: Die, group: str, index: int, /) -> Face:
        return die.faces[secrets.randbelow(len(die.faces))]

    def several(self, die: Die, count: int) -> list[Face]:
        """The faces of that many dice, asked for together: a byte each, and another where one would favour a face."""
        faces, bound = die.faces, len(die.faces)
        if bound > 256:
            return [self(die, "", index) for index in range(count)]
        fair = 256 - 256 % bound
        found = [faces[byte % bound] for byte in os.urandom(count) if byte < fair]
        return found if len(found) == count else found + self.several(die, count - len(found))


def system() -> Source:
    """A source that nobody can foresee."""
    return System()


class Generated:
    """A fast source for simulations. Only `getrandbits` is used, so that a seed keeps its faces."""

    def __init__(self, generator: random.Random) -> None:
        self._bits = generator.getrandbits

    def __call__(self, die: Die, group: str, index: int, /) -> Face:
        bound = len(die.faces)
        bits = bound.bit_length()
        while (number := self._bits(bits)) >= bound:
            pass
        return die.faces[number]

    def several(self, die: Die, count: int) -> list[Face]:
        """The next faces of that many dice, the same as one by one."""
        faces, draw = die.faces, self._bits
        bound = len(faces)
        bits = bound.bit_length()
        found: list[Face] = []
        while len(found) < count:
            number = draw(bits)
            if number < bound:
                found.append(faces[number])
        return found


def from_random(generator: random.Random) -> Source:
    """A fast source for simulations."""
    return Generated(generator)


class Given:
    """Faces of real dice, written per die: `10`, or `[10, 3]` for a die and what it brought, in the order thrown.

    What is wrong with them is gathered: faces that are not on the die at once, faces missing or left over as the
    throw goes.
    """

    def __init__(self, faces: Faces, counts: Mapping[str, int]) -> None:
        self._chains = {name: [_chain(chain) for chain in chains] for name, chains in by_group(faces, counts).items()}
        self._used = {name: [0] * len(chains) for name, chains in self._chains.items()}

    def check(self, dice: Mapping[str, Die]) -> None:
        """Refuse faces that do not exist, all together."""
        faults = [
            Fault("unknown_group", f"faces are given for the group {name}, which the pool lacks", name)
            for name in self._chains
            if name not in dice
        ]
        for name, chains in self._chains.items():
            if name in dice:
                on_die = set(dice[name].faces)
                faults += [
                    Fault("no_such_face", f"{face_text(face)} is not on the die {dice[name].name}", name, number)
                    for number, chain in enumerate(chains, 1)
                    for face in chain
                    if face not in on_die or isinstance(face, bool)
                ]
        if faults:
            raise DiceError(*faults)

    def __call__(self, die: Die, group: str, index: int, /) -> Face:
        chains, used = self._chains.get(group, []), self._used.get(group, [])
        if index >= len(chains) or used[index] >= len(chains[index]):
            what = f"die {index + 1}" if index >= len(chains) else f"the next throw of die {index + 1}"
            raise DiceError(
                Fault("faces_missing", f"no face is given for {what} of the group {group}", group, index + 1)
            )
        used[index] += 1
        return chains[index][used[index] - 1]

    def finish(self) -> None:
        """Refuse faces that nobody asked for, all together."""
        faults = [
            Fault(
                "faces_left", f"{_listed(chain[used:])} of die {number} of the group {name} is left over", name, number
            )
            for name, chains in self._chains.items()
            for number, (chain, used) in enumerate(zip(chains, self._used[name], strict=True), 1)
            if used < len(chain)
        ]
        if faults:
            raise DiceError(*faults)


def by_group(faces: Faces, counts: Mapping[str, int]) -> dict[str, list[Chain]]:
    """A plain list is dealt to the groups in order; what is over goes to the last."""
    if isinstance(faces, Mapping):
        return {name: _dice(chains) for name, chains in faces.items()}
    dealt: dict[str, list[Chain]] = {}
    rest = _dice(faces)
    for place, (name, count) in enumerate(counts.items(), 1):
        cut = len(rest) if place == len(counts) else count
        dealt[name], rest = rest[:cut], rest[cut:]
    return dealt


def _dice(chains: Sequence[Chain]) -> list[Chain]:
    """The dice of a group; a face that stands alone, without its list, is one die."""
    return list(chains) if isinstance(chains, Iterable) else [chains]


def _chain(chain: Chain) -> tuple[Face, ...]:
    return tuple(chain) if isinstance(chain, Sequence) else (chain,)


def face_text(face: Face) -> str:
    """A face as written: a number, or its symbols, `_` for the blank."""
    if not isinstance(face, Symbols):
        return str(face)
    return " ".join(name for name, count in face.bag for _ in range(count)) or "_"


def _listed(faces: Sequence[Face]) -> str:
    return ", ".join(face_text(face) for face in faces)
