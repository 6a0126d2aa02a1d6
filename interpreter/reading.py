"""The files of a rule set read, checked for structure, joined, and built; then every static check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interpreter import schema, source
from interpreter.build import Builder
from interpreter.files import SUFFIXES, find, rule_files, rule_sets, shipped
from interpreter.house_rules import as_written, joined, name_cells, remove_parts
from interpreter.problems import Location, Problem, nearest, some_of
from interpreter.rules import Keys, Rules, fingerprint, has_path, placed
from interpreter.scalars import SCALARS
from interpreter.translation import put_label

MOST_EXTENSIONS = 8


def read(path: Path, chain: tuple[Path, ...] = ()) -> Rules:
    """The rules of a file or folder with every problem; `chain` holds the rule sets that extend them."""
    if not path.exists():
        return Rules((), {}, (_missing(path),))
    if len(rule_sets(path)) > 1:
        return Rules((), {}, (_several(path),))
    problems: list[Problem] = []
    documents: list[source.Document] = []
    for file in rule_files(path):
        document, found = source.read(file)
        problems += found
        documents += [] if document is None else [document]
    if not documents:
        nothing = Problem("E0002", f"There is no rule file in {path}.", Location(str(path), 1, 1))
        return Rules((), {}, tuple(problems) or (nothing,))
    change = any("extends" in document.data for document in documents)
    if change:
        return _built(_translated(_extended(_written(tuple(documents), tuple(problems)), path, chain), path))
    return _built(_translated(_typed(tuple(documents), tuple(problems), path), path))


def _name_card(path: Path) -> dict[str, str]:
    """What rules that do not say their name are called: like their file or folder."""
    name = path.resolve().name if path.is_dir() else path.stem
    title = name.replace("_", " ").replace("-", " ").strip()
    return {"id": SCALARS["identifier"].mended(name) or "rules", "title": title[:1].upper() + title[1:]}


def _typed(documents: tuple[source.Document, ...], problems: tuple[Problem, ...], path: Path) -> Rules:
    """Files that are a rule set of their own, each checked and typed by itself."""
    named = any("system" in document.data for document in documents)
    data: dict[str, Any] = {} if named else {"system": _name_card(path)}
    found = list(problems)
    for number, document in enumerate(documents, 1):
        typed, wrong = schema.problems(document, "system_file")
        found += [*_of_their_own(wrong, problems), *_merge_sections(data, typed, document, documents[:number])]
    return Rules(documents, data, tuple(found))


def _of_their_own(wrong: list[Problem], problems: tuple[Problem, ...]) -> list[Problem]:
    """Faults of structure without values of the wrong kind where YAML already read something else than was meant."""
    places = [place for one in problems for place in (one.location, *(place for _, place in one.related))]
    misread = {(place.file, place.line) for place in places}
    return [one for one in wrong if one.code != "E0103" or (one.location.file, one.location.line) not in misread]


def _written(documents: tuple[source.Document, ...], problems: tuple[Problem, ...]) -> Rules:
    """Files that change another rule set, as written: only what they make together with it can be checked."""
    data: dict[str, Any] = {}
    found = list(problems)
    for number, document in enumerate(documents, 1):
        found += _merge_sections(data, document.data, document, documents[:number])
    return Rules(documents, data, tuple(found))


def _missing(path: Path) -> Problem:
    known = sorted(shipped())
    close = nearest(str(path), known)
    hint = f"Did you mean the shipped system `{close}`?" if close else f"Shipped systems: {', '.join(known)}"
    return Problem("E0001", f"There is no file or folder {path}.", Location(str(path), 1, 1), hint=hint)


def _several(path: Path) -> Problem:
    names = ", ".join(some_of(file.name for file in rule_sets(path)))
    message = f"The folder {path} holds several rule sets, each with its own `system` or `extends`."
    return Problem("E0205", message, Location(str(path), 1, 1), hint=f"Name one of them: {names}")


def _merge_sections(
    data: dict[str, Any],
    new: Mapping[str, Any],
    document: source.Document,
    documents: tuple[source.Document, ...],
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


def _twice(path: Keys, document: source.Document, documents: tuple[source.Document, ...]) -> Problem:
    first = next(other for other in documents if has_path(other.data, path))
    name = ".".join(map(str, path))
    return Problem(
        "E0205",
        f"`{name}` is declared in two files of these rules.",
        document.key(path),
        related=(("first declared here", first.key(path)),),
    )


def _extended(rules: Rules, path: Path, chain: tuple[Path, ...]) -> Rules:
    """The rules that these change, with the changes: mappings are joined part by part, everything else is replaced."""
    head = {key: rules.data[key] for key in ("extends", "remove") if key in rules.data}
    typed, wrong = _checked(head, rules)
    if wrong:
        return Rules(rules.documents, {}, (*rules.problems, *wrong))
    base_path = _base_path(typed["extends"], path)
    problem = _cannot_extend(typed["extends"], base_path, rules, chain)
    if problem is not None:
        return Rules(rules.documents, {}, (*rules.problems, problem))
    base = read(base_path, (*chain, path.resolve()))
    if base.system is None:
        return Rules(rules.documents, {}, (*rules.problems, *base.problems), base=base)
    own = {key: part for key, part in rules.data.items() if key not in head}
    kept = as_written(base.data)
    removal = remove_parts(kept, typed.get("remove") or (), rules)
    name_cells(kept.get("tables"), own.get("tables"))
    whole = Rules(rules.documents, {}, (*rules.problems, *base.problems, *removal), base=base)
    data, wrong = _checked(joined(kept, own), whole)
    return Rules(rules.documents, data, (*whole.problems, *wrong), base=base)


def _checked(data: Mapping[str, Any], rules: Rules) -> tuple[dict[str, Any], list[Problem]]:
    """Data that several files make together, typed, and the faults of its structure in their places."""
    typed, findings = schema.validate(data, "system_file")
    return typed, [
        Problem(f.code, f.message, rules.locate(f.path, f.on, f.offset, f.length), hint=f.hint, path=f.path)
        for f in findings
    ]


def _base_path(wanted: str, path: Path) -> Path:
    beside = (path if path.is_dir() else path.parent) / wanted
    return beside if beside.exists() else find(wanted)


def _cannot_extend(wanted: str, base_path: Path, rules: Rules, chain: tuple[Path, ...]) -> Problem | None:
    place = rules.locate(("extends",))
    if base_path.resolve() in chain or len(chain) > MOST_EXTENSIONS:
        return Problem("E0206", f"`{wanted}` extends itself.", place)
    if not base_path.exists():
        return Problem("E0207", f"There are no rules `{wanted}` to extend.", place, hint=_missing(Path(wanted)).hint)
    if base_path.is_file() and base_path.suffix not in SUFFIXES:
        return Problem(
            "E0207", f"`{wanted}` is no rule file.", place, hint=f"Rule files end in {' or '.join(SUFFIXES)}"
        )
    return None


def _translated(rules: Rules, path: Path) -> Rules:
    """Labels of other languages, from `lang/<code>.yaml`: a mapping from dotted paths to texts."""
    folder = (path if path.is_dir() else path.parent) / "lang"
    if not path.is_dir() or not folder.is_dir():
        return rules
    first = (rules.data.get("system") or {}).get("languages", ["en"])[0]
    problems = list(rules.problems)
    broken = any(problem.severity == "error" for problem in problems)
    data = json.loads(json.dumps(rules.data))
    for file in rule_files(folder):
        document, found = source.read(file)
        problems += found
        for dotted, text in (document.data if document else {}).items():
            put = isinstance(text, str) and put_label(data, dotted.split("."), text, file.stem, first)
            if document is not None and not put and not broken:
                problems.append(_no_label(dotted, text, document))
    return Rules(rules.documents, data, tuple(problems), base=rules.base)


def _no_label(dotted: str, text: object, document: source.Document) -> Problem:
    message = f"There is no text `{dotted}` to translate."
    if not isinstance(text, str):
        message = f"`{dotted}` is not one text."
    hint = (
        "each line is a dotted path and its text, such as `actions.fight.label: Fight`; cells need a column of labels"
    )
    return Problem("E0209", message, document.key((dotted,)), hint=hint)


def _built(rules: Rules) -> Rules:
    """The model of the rules, when their structure is sound; findings by path get their places."""
    if any(problem.severity == "error" for problem in rules.problems):
        return rules
    builder = Builder(rules.data)
    system = builder.system(fingerprint(rules.data))
    found = [placed(rules, finding) for finding in builder.findings]
    return Rules(rules.documents, rules.data, (*rules.problems, *found), system, rules.base)
