"""Where the shipped systems and the schemas are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def _folder(name: str) -> Path:
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def systems_folder() -> Path:
    """The folder that holds one folder for each shipped system."""
    return _folder("systems")


def schemas_folder() -> Path:
    """The folder of the schemas."""
    return _folder("schemas")
