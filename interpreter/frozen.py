"""Classes of named values that never change, without the generated code that makes dozens of dataclasses slow to
import."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

F = TypeVar("F", bound="Frozen")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Frozen:
    """A base class: a subclass's annotations are its fields, its class attributes their values when nothing is said.

    Two of them are equal only when they are the same object.
    """

    FIELDS: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = [name for name, kind in inspect.get_annotations(cls).items() if "ClassVar" not in str(kind)]
        cls.FIELDS = (*cls.FIELDS, *(name for name in own if name not in cls.FIELDS))

    def __init__(self, **values: Any) -> None:
        unknown = values.keys() - set(self.FIELDS)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} never changes")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} never changes")

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({said})"


def changed(one: F, **values: Any) -> F:
    """The same with other values for some fields."""
    return type(one)(**{**one.__dict__, **values})
