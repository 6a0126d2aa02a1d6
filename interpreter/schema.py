"""Check the structure of rule files against the schemas, and give their values the types that the schemas state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Literal, cast

from cerberus import TypeDefinition, Validator, errors
from cerberus.schema import SchemaRegistry, UnvalidatedSchema

from interpreter.advice import advice, below, fits
from interpreter.language import Entry, Rules, language
from interpreter.problems import Problem, nearest
from interpreter.scalars import SCALARS
from interpreter.source import Document

Path = tuple[str | int, ...]

UNKNOWN_KEY, MISSING_KEY, WRONG_TYPE, NO_KIND, SEVERAL_KINDS = "E0101", "E0102", "E0103", "E0104", "E0105"
EMPTY_VALUE, NOT_ALLOWED, BAD_NAME, TOO_FEW, STRAY = "E0106", "E0107", "E0108", "E0109", "E0110"

# What rules say for people, and not for cerberus.
FOR_PEOPLE = ("description", "likely", "slips")
# A written value is shown in messages up to this many characters.
LONGEST_SHOWN = 40
# After this many findings in a file the meaning of unknown keys is no longer guessed: guessing is slow.
MOST_GUESSES = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of structure by its path; `offset` and `length` count in the text at the path."""

    code: str
    path: Path
    message: str
    hint: str = ""
    on: Literal["key", "value"] = "value"
    offset: int = 0
    length: int | None = None


def problems(document: Document, kind: str = "system_file") -> tuple[dict[str, Any], list[Problem]]:
    """What `validate` says of a document, with the places of its findings."""
    typed, findings = validate(document.data, kind)
    found = [_problem(document, finding) for finding in findings]
    return typed, sorted(found, key=lambda problem: (problem.location, problem.code, problem.message))


def validate(data: Mapping[str, Any], kind: str = "system_file") -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """The part of `data` that conforms to the schemas, typed, and every fault of the rest in the order written.

    What a finding's path names is left out, and so is a mapping that would lack a key that it must have.
    """
    entry = language().entries[kind]
    findings = _findings(entry, data)
    faults = _tree(finding.path for finding in findings)
    typed = _FAULTY if faults is _FAULTY else _typed_entry(entry, data, faults)
    rank = _ranking(data)
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: (rank(finding.path), finding.code, finding.message))
    return {} if typed is _FAULTY else typed, tuple(ordered)


def _problem(document: Document, finding: Finding) -> Problem:
    if finding.on == "key" or (finding.code == WRONG_TYPE and _is_below_its_key(document, finding.path)):
        place = document.key(finding.path)
    else:
        place = document.value(finding.path, finding.offset, finding.length)
    return Problem(finding.code, finding.message, place, hint=finding.hint, path=finding.path)


def _is_below_its_key(document: Document, path: Path) -> bool:
    """Whether a value of several lines begins on a line after its key."""
    key, value = document.key(path), document.value(path)
    return key.line < value.line and key.column <= value.column


def _ranking(data: Any) -> Callable[[Path], tuple[int, ...]]:
    """Where a path stands in the order in which `data` is written."""
    orders: dict[int, dict[Any, int]] = {}

    def order(node: dict[str, Any]) -> dict[Any, int]:
        if id(node) not in orders:
            orders[id(node)] = {key: place for place, key in enumerate(node)}
        return orders[id(node)]

    def rank(path: Path) -> tuple[int, ...]:
        node, places = data, []
        for step in path:
            places.append(order(node)[step] if isinstance(node, dict) else int(step))
            node = node[step]
        return tuple(places)

    return rank


# ------------------------------------------------------------------- what cerberus checks


def _cerberus_rules(rules: Rules) -> dict[str, Any]:
    """Rules as cerberus takes them: it passes over `meta`, where others would cost a call for each value."""
    translated: dict[str, Any] = {rule: value for rule, value in rules.items() if rule not in FOR_PEOPLE}
    translated["meta"] = rules
    for rule in ("schema", "keysrules", "valuesrules"):
        if isinstance(translated.get(rule), dict):
            translated[rule] = _cerberus_rules(translated[rule])
    return translated


def _cerberus_schema(entry: Entry) -> dict[str, Any]:
    return {key: _cerberus_rules(rules) for key, rules in entry.keys.items()}


def _findings(entry: Entry, data: Mapping[str, Any]) -> list[Finding]:
    findings: list[Finding] = []
    schema = UnvalidatedSchema(_registry().get(entry.name))
    checker = _Checker(schema, schema_registry=_registry(), findings=findings)
    checker.validate(data, normalize=False)
    checker.check_kinds(entry, (), data)
    return findings


@cache
def _registry() -> SchemaRegistry:
    return SchemaRegistry({name: _cerberus_schema(entry) for name, entry in language().entries.items()})


class _Checker(Validator):  # type: ignore[misc]
    """cerberus with the types of the schemas and the rule `variants`; every fault becomes a Finding in one flat list.

    cerberus reads from the docstring of a rule what may be written as its argument.
    """

    types_mapping = {name: TypeDefinition(name, (str,), ()) for name in SCALARS} | {
        name: Validator.types_mapping[name] for name in ("dict", "list")
    }

    def report(self, code: str, path: Path, message: str, hint: str = "", **place: Any) -> None:
        self._config["findings"].append(Finding(code, (*self.document_path, *path), message, hint, **place))

    def called(self, field: str | int) -> str:
        return _called((*self.document_path, field))

    def meant(self, unknown: str, known: Iterable[str], written: Mapping[str, object]) -> str | None:
        """The known key that an unknown one was probably meant to be: one that is not there already."""
        if len(self._config["findings"]) > MOST_GUESSES:
            return None
        return nearest(unknown, [key for key in known if key not in written])

    def misspelt(self, known: Mapping[str, object], written: Mapping[str, object]) -> set[str | None]:
        """The known keys that are there under a wrong name."""
        unknown = (key for key in written if key not in known)
        return {self.meant(key, known, written) for key in islice(unknown, MOST_GUESSES)}

    def check_kinds(self, entry: Entry, path: Path, data: Mapping[str, object]) -> None:
        """Exactly one of the variants of an entry must be there."""
        present = [key for key in data if key in entry.variants]
        wanted = _listed(entry.variants, "or")
        if entry.variants and not present and self.misspelt(entry.keys, data).isdisjoint(entry.variants):
            self.report(NO_KIND, path, f"{_called((*self.document_path, *path))} needs one of {wanted}", entry.about)
        for extra in present[1:]:
            message = f"`{extra}` and `{present[0]}` exclude each other"
            self.report(SEVERAL_KINDS, (*path, extra), message, f"keep one of {wanted}", on="key")

    def is_stray(self, schema: Any, field: Any, value: object) -> bool:
        """Whether a part of a section has only keys of another section's parts; tells it where it does."""
        if len(self.document_path) != 1 or not isinstance(value, Mapping) or not isinstance(schema, str):
            return False
        own, section = language().entries[schema], self.document_path[0]
        unknown = [key for key in value if key not in own.keys]
        other = language().section_of(value) if unknown else None
        if other is None or other == section or all(self.meant(key, own.keys, value) for key in unknown):
            return False
        keys = _listed(unknown, "and")
        message = f"`{field}` stands in `{section}`, and {keys} would make it a part of `{other}`"
        self.report(STRAY, (field,), message, f"is the line `{other}:` missing above it?", on="key")
        return True

    def check_value(self, key: str, rules: object) -> None:
        """Check the value of a key as though it stood under rules of another key."""
        child = self._get_child_validator(schema={key: rules})
        child.validate({key: self.document[key]}, normalize=False)

    def _error(self, field: Any, fault: errors.ErrorDefinition, *info: Any) -> None:
        _FAULTS[fault.code](self, field, *info)

    def _validate_type(self, kinds: list[str], field: Any, value: object) -> None:
        """{'type': ['string', 'list'], 'check_with': 'type'}"""
        if not any(fits(kind, value) for kind in kinds):
            self._error(field, errors.BAD_TYPE, kinds, value)
            self._drop_remaining_rules()

    def _validate_minlength(self, least: int, field: Any, value: object) -> None:
        """{'type': 'integer'}"""
        if not isinstance(value, str):
            super()._validate_minlength(least, field, value)

    def _validate_keysrules(self, rules: Any, field: Any, value: object) -> None:
        """{'type': ['dict', 'string'], 'check_with': 'bulk_schema', 'forbidden': ['rename', 'rename_handler']}"""
        kinds = [SCALARS[name] for name in rules["type"]]
        kind = kinds[0]
        for key in value if isinstance(value, Mapping) else ():
            if not any(one.accepts(key) for one in kinds):
                message = f"{_shown(key)} is not {kind.about}"
                self.report(BAD_NAME, (field, key), message, kind.advise(key).hint, on="key")

    def _validate_schema(self, schema: Any, field: Any, value: object) -> None:
        """{'type': ['dict', 'string'], 'anyof': [{'check_with': 'schema'}, {'check_with': 'bulk_schema'}]}"""
        if isinstance(schema, str) != isinstance(value, Mapping) or self.is_stray(schema, field, value):
            return
        super()._validate_schema(schema, field, value)
        if isinstance(value, Mapping):
            self.check_kinds(language().entries[schema], (field,), value)

    def _validate_variants(self, head: str, field: Any, value: object) -> None:
        """{'type': 'string'}"""
        if not isinstance(value, Mapping):
            return
        kinds = language().kinds(head, value)
        family = language().families[head]
        if not kinds:
            self._no_kind(head, field, value)
            return
        for extra in kinds[1:]:
            message = f"`{extra}` and `{kinds[0]}` cannot stand in one {head}"
            self.report(SEVERAL_KINDS, (field, extra), message, f"begin a {head} of its own with `- `", on="key")
        others = {key for kind in kinds[1:] for key in (kind, *family[kind].keys)} - set(family[kinds[0]].keys)
        own = {key: item for key, item in value.items() if key not in others}
        self._validate_schema(family[kinds[0]].name, field, own)

    def _no_kind(self, head: str, field: Any, value: Mapping[str, object]) -> None:
        family, own = language().families[head], language().entries[head].keys
        hint = f"the kinds of {head}: {_listed(family, 'and')}"
        whole = [name for name, entry in family.items() if all(key in entry.keys and key not in own for key in value)]
        if whole and value:
            hint = f"{_listed(value, 'and')} belongs below the {head} `{whole[0]}`, without a dash of its own"
        slips = language().entries[head].slips
        hint = next((said for pattern, said in slips if any(re.search(pattern, key) for key in value)), hint)
        guesses = ((key, self.meant(key, family, {})) for key in value if key not in language().entries[head].keys)
        key, near = next((guess for guess in guesses if guess[1]), (None, None))
        if key is None or near is None:
            message = f"{self.called(field)} has no key that says what kind of {head} it is"
            self.report(NO_KIND, (field,), message, hint)
            return
        message = f"unknown {head} `{key}` — did you mean `{near}`?"
        self.report(UNKNOWN_KEY, (field, key), message, hint, on="key")
        meant = self.schema_registry.get(family[near].name)
        schema = {key if name == near else name: rules for name, rules in meant.items()}
        self._get_child_validator(document_crumb=field, schema=schema).validate(value, normalize=False)


# ------------------------------------------------------------------- what is said of a fault


def _unknown_key(checker: _Checker, key: str) -> None:
    known = [name for name in checker.schema if name not in checker.document]
    near = checker.meant(key, known, {})
    guess = f" — did you mean `{near}`?" if near else ""
    first = key.split(maxsplit=1)[0] if key.strip() else ""
    if first != key and first in checker.schema:
        checker.report(UNKNOWN_KEY, (key,), f"unknown key `{key}`", f"put a colon after `{first}`", on="key")
        return
    hint = f"what may stand here: {_listed(known, 'and')}" if known else "nothing else may stand here"
    if not near:
        hint = below(key, {name: rules["meta"] for name, rules in checker.schema.items()}) or hint
    checker.report(UNKNOWN_KEY, (key,), f"unknown key `{key}`{guess}", hint, on="key")
    if near:
        checker.check_value(key, checker.schema[near])


def _missing_key(checker: _Checker, key: str) -> None:
    if checker.allow_unknown:  # nobody else tells of a misspelt one
        unknown = (name for name in checker.document if name not in checker.schema)
        for name in islice(unknown, MOST_GUESSES):
            if checker.meant(name, [key], {}):
                checker.report(UNKNOWN_KEY, (name,), f"unknown key `{name}` — did you mean `{key}`?", on="key")
                return
    if key not in checker.misspelt(checker.schema, checker.document):
        where = _called(checker.document_path)
        rules = checker.schema[key]["meta"]
        wanted = f"{_listed(rules['allowed'], 'or')}. " if "allowed" in rules else ""
        checker.report(MISSING_KEY, (), f"{where} lacks the key `{key}`", f"`{key}`: {wanted}{rules['description']}")


def _wrong_type(checker: _Checker, field: Any, kinds: list[str], value: object) -> None:
    if isinstance(value, str) and not value.strip():
        _empty(checker, field)
        return
    meant = advice(value, checker.schema[field]["meta"])
    message = f"{checker.called(field)} must be {_kinds(kinds)}, not {_shown(value)}"
    checker.report(WRONG_TYPE, (field,), message, meant.hint, offset=meant.offset, length=meant.length)


def _empty(checker: _Checker, field: Any) -> None:
    kinds = checker.schema[field]["type"]
    wanted = "`''` if an empty text is meant" if "text" in kinds else _kinds(kinds)
    checker.report(EMPTY_VALUE, (field,), f"{checker.called(field)} is empty", f"write {wanted}, or take it out")


def _not_allowed(checker: _Checker, field: Any, value: str) -> None:
    allowed = checker.schema[field]["allowed"]
    near = nearest(value, allowed)
    message = f"{checker.called(field)} must be {_listed(allowed, 'or')}, not {_shown(value)}"
    checker.report(NOT_ALLOWED, (field,), message, f"did you mean `{near}`?" if near else "")


def _too_few(checker: _Checker, field: Any, length: int) -> None:
    least = checker.schema[field]["minlength"]
    message = f"{checker.called(field)} needs at least {least} {'entries' if least > 1 else 'entry'}"
    checker.report(TOO_FEW, (field,), message, f"it has {length}")


_FAULTS: Mapping[int, Callable[..., None]] = {
    errors.UNKNOWN_FIELD.code: _unknown_key,
    errors.REQUIRED_FIELD.code: _missing_key,
    errors.BAD_TYPE.code: _wrong_type,
    errors.NOT_NULLABLE.code: _empty,
    errors.UNALLOWED_VALUE.code: _not_allowed,
    errors.MIN_LENGTH.code: _too_few,
}
_ABOUT = {name: scalar.about for name, scalar in SCALARS.items()} | {"dict": "a mapping", "list": "a list"}


def _called(path: Path) -> str:
    if not path:
        return "the file"
    names = [step for step in path if isinstance(step, str)]
    return f"item {path[-1] + 1} of `{names[-1]}`" if isinstance(path[-1], int) else f"`{path[-1]}`"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = " ".join(str(value).split())
    return f"`{text}`" if len(text) <= LONGEST_SHOWN else f"`{text[:LONGEST_SHOWN]}…`"


def _kinds(kinds: Iterable[str]) -> str:
    return _listed([_ABOUT[kind] for kind in kinds], "or", mark="")


def _listed(words: Iterable[str], joint: str, mark: str = "`") -> str:
    marked = [f"{mark}{word}{mark}" for word in words]
    return f"{', '.join(marked[:-1])} {joint} {marked[-1]}" if len(marked) > 1 else "".join(marked)


# ------------------------------------------------------------------- the typed data

_FAULTY: Any = object()
_CONVERTED = frozenset(name for name, scalar in SCALARS.items() if scalar.convert is not str)


def _tree(paths: Iterable[Path]) -> Any:
    """The paths of faults as nested mappings that end in _FAULTY."""
    tree: dict[str | int, Any] = {}
    for path in paths:
        if not path:
            return _FAULTY
        node = tree
        for step in path[:-1]:
            node = node.setdefault(step, {})
            if node is _FAULTY:
                break
        else:
            node[path[-1]] = _FAULTY
    return tree


def _typed(rules: Rules, value: Any, faults: Any) -> Any:
    """A value that keeps to its rules as typed data without its faulty parts, or _FAULTY when nothing is left."""
    if faults is _FAULTY:
        return _FAULTY
    if isinstance(value, str):
        return _typed_text(rules["type"], value)
    if isinstance(value, list):
        typed: Any = _typed_list(rules, value, faults)
    elif isinstance(value, dict):
        typed = _typed_dict(rules, value, faults)
    else:
        return None
    return _FAULTY if typed is _FAULTY or len(typed) < rules.get("minlength", 0) else typed


def _typed_text(kinds: list[str], text: str) -> int | bool | str:
    if _CONVERTED.isdisjoint(kinds):
        return text
    return next(SCALARS[kind].convert(text) for kind in kinds if fits(kind, text))


def _typed_list(rules: Rules, value: list[Any], faults: Mapping[Any, Any]) -> list[Any]:
    inner = rules.get("schema")
    if not isinstance(inner, dict):
        return cast(list[Any], _copy(value))
    items = (_typed(inner, item, faults.get(index, {})) for index, item in enumerate(value))
    return [item for item in items if item is not _FAULTY]


def _typed_dict(rules: Rules, value: dict[str, Any], faults: Mapping[Any, Any]) -> Any:
    if "variants" in rules:
        head = rules["variants"]
        for kind in language().kinds(head, value)[:1]:
            typed = _typed_entry(language().families[head][kind], value, faults)
            return typed if typed is not _FAULTY and kind in typed else _FAULTY
        return _FAULTY
    schema = rules.get("schema")
    if isinstance(schema, str):
        return _typed_entry(language().entries[schema], value, faults, rules.get("allow_unknown", False))
    if "valuesrules" not in rules:
        return _copy(value)
    inner = rules["valuesrules"]
    items = ((key, _typed(inner, item, faults.get(key, {}))) for key, item in value.items())
    return {key: item for key, item in items if item is not _FAULTY}


def _typed_entry(entry: Entry, data: Mapping[str, Any], faults: Mapping[Any, Any], free: bool = False) -> Any:
    typed: dict[str, Any] = {}
    for key, value in data.items():
        if key in entry.keys:
            item = _typed(entry.keys[key], value, faults.get(key, {}))
            if item is not _FAULTY:
                typed[key] = item
        elif free:
            typed[key] = _copy(value)
    whole = all(key in typed for key in entry.required)
    kind_known = not entry.variants or any(key in typed for key in entry.variants)
    return typed if whole and kind_known else _FAULTY


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
