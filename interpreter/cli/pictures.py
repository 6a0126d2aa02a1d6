"""Drawings written to files."""

from __future__ import annotations

from pathlib import Path

from interpreter.cli.common import UsageError
from interpreter.render.plots import Drawing, to_png, to_svg


def write_picture(path: Path, drawing: Drawing) -> None:
    """Writes a drawing as what the file's ending says."""
    if path.suffix.lower() == ".svg":
        path.write_text(to_svg(drawing), encoding="utf-8", newline="\n")
        return
    try:
        picture = to_png(drawing)
    except ImportError as error:
        raise UsageError("PNG files need the library Pillow (`pip install pillow`); SVG files need nothing.") from error
    path.write_bytes(picture)
