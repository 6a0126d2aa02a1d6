"""A file or folder of rules to a checked System, with every problem in its place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interpreter import schema, source
from interpreter.build import Builder, Finding
from interpreter.model import System
from interpreter.problems import Location, Problem, nearest
from interpreter.resources import systems_folder

Keys = tuple[str | int, ...]
SECTIONS = "format", "system", "extends", "remove"
MOST_EXTENSIONS = 8


@dataclass(frozen=True, slots=True)
class Rules:
    """What was read: the files, the plain data they make together, and what is wrong with them. `system` is None when
    the files are too broken to build."""

    documents: tuple[source.Document, ...]
    data: Mapping[str, Any]
    problems: tuple[Problem, ...]
    system: System | None = None
    base: Rules | None = None

    def locate(self, path: Keys, on: str = "value", offset: int = 0, length: int | None = None) -> Location:
        """The place of a part of the rules: in the last file that says it, or else of the nearest part around it."""
        for end in range(len(path), -1, -1):
            for document in reversed(self.every_document()):
                if _has(document.data, path[:end]):
                    if end == len(path) and on == "value":
                        return document.value(path, offset, length)
                    return document.key(path[:end]) if end else document.value(())
        return Location("", 1, 1)

    def every_document(self) -> tuple[source.Document, ...]:
        return (*(self.base.every_document() if self.base else ()), *self.documents)


def load(where: str | Path) -> Rules:
    """The rules of a file, a folder, or a shipped system's id."""
    return _load(find(where), ())


def find(where: str | Path) -> Path:
    """A path as it is, or the folder of a shipped system of that id."""
    path = Path(where)
    if path.exists() or not isinstance(where, str) or "/" in where or "." in where:
        return path
    shipped = systems_folder() / where
    return shipped if shipped.exists() else path


def rule_files(path: Path) -> list[Path]:
    """The rule files of a folder, in order of their names; a file stands for itself."""
    if path.is_file():
        return [path]
    return sorted(f for f in path.glob("*") if f.suffix in (".yaml", ".yml") and f.is_file())


def _load(path: Path, chain: tuple[Path, ...]) -> Rules:
    problems: list[Problem] = []
    documents: list[source.Document] = []
    data: dict[str, Any] = {}
    if not path.exists():
        return Rules((), {}, (_missing(path),))
    for file in rule_files(path):
        document, found = source.read(file)
        problems += found
        if document is None:
            continue
        typed, wrong = schema.problems(document, "system_file")
        problems += wrong
        documents.append(document)
        problems += _merge_sections(data, typed, document, documents)
    rules = Rules(tuple(documents), data, tuple(problems))
    if not documents:
        nothing = Problem("E0002", f"There is no rule file in {path}.", Location(str(path), 1, 1))
        return Rules((), {}, tuple(problems) or (nothing,))
    if "extends" in data:
        rules = _extended(rules, path, chain)
    return _built(_translated(rules, path))


def _missing(path: Path) -> Problem:
    shipped = sorted(folder.name for folder in systems_folder().iterdir() if folder.is_dir())
    close = nearest(str(path), shipped)
    hint = f"did you mean the shipped system `{close}`?" if close else f"shipped systems: {', '.join(shipped)}"
    return Problem("E0001", f"There is no file or folder {path}.", Location(str(path), 1, 1), hint=hint)


def _merge_sections(
    data: dict[str, Any], new: Mapping[str, Any], document: source.Document, documents: list[source.Document]
) -> list[Problem]:
    """Joins the sections of the files of a folder; a part that two of them declare is a problem."""
    problems = []
    for section, parts in new.items():
        if section not in data:
            data[section] = dict(parts) if isinstance(parts, Mapping) else parts
        elif section == "format":
            continue
        elif not isinstance(parts, Mapping) or not isinstance(data[section], dict):
            problems.append(_twice((section,), document, documents))
        else:
            problems += [_twice((section, name), document, documents) for name in parts if name in data[section]]
            data[section] |= {name: part for name, part in parts.items() if name not in data[section]}
    return problems


def _twice(path: Keys, document: source.Document, documents: list[source.Document]) -> Problem:
    first = next(other for other in documents if _has(other.data, path))
    name = ".".join(map(str, path))
    return Problem(
        "E0205",
        f"`{name}` is declared in two files of these rules.",
        document.key(path),
        related=(("first declared here", first.key(path)),),
    )


# ---------------------------------------------------------------------- house rules and languages


def _extended(rules: Rules, path: Path, chain: tuple[Path, ...]) -> Rules:
    """The rules that these change, with the changes: mappings are joined part by part, everything else is replaced."""
    wanted = str(rules.data["extends"])
    beside = (path if path.is_dir() else path.parent) / wanted
    base_path = beside if beside.exists() else find(wanted)
    if base_path.resolve() in chain or len(chain) > MOST_EXTENSIONS:
        return _with(rules, [Problem("E0206", f"`{wanted}` extends itself.", rules.locate(("extends",)))])
    if not base_path.exists():
        problem = _missing(Path(wanted))
        return _with(rules, [Problem("E0207", f"There are no rules `{wanted}` to extend.", rules.locate(("extends",)), hint=problem.hint)])
    base = _load(base_path, (*chain, path.resolve()))
    own = {key: part for key, part in rules.data.items() if key not in ("extends", "remove")}
    data, problems = joined(base.data, own), list(rules.problems) + list(base.problems)
    extended = Rules(rules.documents, data, tuple(problems), base=base)
    return _with(extended, _remove(data, rules.data.get("remove") or (), extended))


def joined(base: Any, change: Any) -> Any:
    """Mappings joined part by part; anything else is replaced."""
    if isinstance(base, Mapping) and isinstance(change, Mapping):
        return {**base, **{key: joined(base[key], part) if key in base else part for key, part in change.items()}}
    return change


def _remove(data: dict[str, Any], paths: Iterable[str], rules: Rules) -> list[Problem]:
    problems = []
    for number, dotted in enumerate(paths):
        *parents, last = dotted.split(".")
        holder: Any = data
        for name in parents:
            holder = holder.get(name) if isinstance(holder, Mapping) else None
        if not isinstance(holder, dict) or last not in holder:
            names = list(holder) if isinstance(holder, Mapping) else []
            close = nearest(last, names)
            hint = f"did you mean `{'.'.join([*parents, close])}`?" if close else ""
            problems.append(Problem("E0208", f"There is no `{dotted}` to remove.", rules.locate(("remove", number)), hint=hint))
        else:
            del holder[last]
    return problems


def _with(rules: Rules, problems: Iterable[Problem]) -> Rules:
    return Rules(rules.documents, rules.data, (*rules.problems, *problems), rules.system, rules.base)


def _translated(rules: Rules, path: Path) -> Rules:
    """Labels of other languages, from `lang/<code>.yaml`: a mapping from dotted paths to texts."""
    folder = (path if path.is_dir() else path.parent) / "lang"
    if not path.is_dir() or not folder.is_dir():
        return rules
    first = (rules.data.get("system") or {}).get("languages", ["en"])[0]
    documents, problems = list(rules.documents), list(rules.problems)
    data = json.loads(json.dumps(rules.data))
    for file in rule_files(folder):
        document, found = source.read(file)
        problems += found
        for dotted, text in (document.data if document else {}).items():
            if document is not None and not _put_label(data, dotted.split("."), str(text), file.stem, first):
                problems.append(Problem("E0209", f"There is no text `{dotted}` to translate.", document.key((dotted,))))
    return Rules(tuple(documents), data, tuple(problems), base=rules.base)


def _put_label(data: Any, names: list[str], text: str, language: str, first: str) -> bool:
    """Adds a language to the text at a path; a cell of a row written as a list is found by its column."""
    *parents, last = names
    holder = data
    for i, name in enumerate(parents):
        if isinstance(holder, Mapping) and name in holder:
            holder = holder[name]
            continue
        return False
    if isinstance(holder, list):
        columns = _columns_above(data, parents)
        if last not in columns or columns.index(last) >= len(holder):
            return False
        last = columns.index(last)  # type: ignore[assignment]
    elif not isinstance(holder, Mapping) or last not in holder:
        return False
    known = holder[last]  # type: ignore[call-overload]
    texts = known if isinstance(known, dict) else {first: known}
    holder[last] = {**texts, language: text}  # type: ignore[call-overload,index]
    return True


def _columns_above(data: Any, parents: list[str]) -> list[str]:
    if len(parents) >= 4 and parents[0] == "tables":
        columns = data["tables"][parents[1]]["columns"]
        return list(columns)
    return []


# ---------------------------------------------------------------------- building


def _built(rules: Rules) -> Rules:
    """The model of the rules, when their structure is sound; findings by path get their places."""
    if any(problem.severity == "error" for problem in rules.problems):
        return rules
    builder = Builder(rules.data)
    system = builder.system(fingerprint(rules.data))
    found = [placed(rules, finding) for finding in builder.findings]
    return Rules(rules.documents, rules.data, (*rules.problems, *found), system, rules.base)


def placed(rules: Rules, finding: Finding) -> Problem:
    return Problem(finding.code, finding.message, rules.locate(finding.path), hint=finding.hint, path=finding.path)


def fingerprint(data: Mapping[str, Any]) -> str:
    """A digest of what is played: labels and examples do not count."""
    played = {key: part for key, part in data.items() if key not in ("examples", "narrative", "characters")}
    text = json.dumps(played, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _has(data: Any, path: Keys) -> bool:
    for part in path:
        if isinstance(data, Mapping) and part in data:
            data = data[part]
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return False
    return True
