"""A bounded memory: what was asked for longest ago is forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """Values by key, at most `most` of them; safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def of(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value; made, and kept, if it is not here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        return self.keep(key, make())  # not under the lock: making may take long, or ask for others

    def take(self, key: Hashable) -> V | None:
        """The value, which is here no longer."""
        with self._lock:
            return self._values.pop(key, None)

    def keep(self, key: Hashable, value: V) -> V:
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
