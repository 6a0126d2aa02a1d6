"""Plain data that nobody can change any more, so that states, logs and caches may share it; its JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn


def _never(*_: object, **__: object) -> NoReturn:
    raise TypeError("the state of a table never changes; make a new one")


class FixedDict(dict[str, Any]):
    """A dict that stays as it is; `dict(fixed)` is a copy whose first level can be changed."""

    __slots__ = ()

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _never

    def __copy__(self) -> FixedDict:
        return self

    def __deepcopy__(self, memo: object) -> FixedDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return fixed, (dict(self),)


class FixedList(list[Any]):
    """A list that stays as it is."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _never
    append = clear = extend = insert = pop = remove = reverse = sort = _never

    def __copy__(self) -> FixedList:
        return self

    def __deepcopy__(self, memo: object) -> FixedList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return fixed, (list(self),)


def fixed(value: Any) -> Any:
    """The same data, fixed all through; what is fixed already is taken as it is. Tuples become lists, as in JSON."""
    kind = type(value)
    if kind is FixedDict or kind is FixedList or kind in _PLAIN:
        return value
    if isinstance(value, Mapping):
        return FixedDict({str(key): fixed(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return FixedList([fixed(item) for item in value])
    return value


def json_text(data: Any, indent: int | None = None) -> str:
    """JSON as people read it, unless there is half a character in it, which only an escape can write."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, indent=indent)
    return text


_PLAIN = frozenset((int, str, bool, type(None)))
