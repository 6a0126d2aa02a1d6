"""Write schemas/compiled.json anew after a change of the schemas, so that a start need not read them as YAML."""

from __future__ import annotations

from interpreter.language import COMPILED, compile_schemas
from interpreter.resources import schemas_folder


def main() -> None:
    folder = schemas_folder()
    (folder / COMPILED).write_text(compile_schemas(folder), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
