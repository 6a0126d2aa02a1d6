"""The structure of rule files: every pair of files under tests/schema is a test."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from interpreter import expressions, schema
from interpreter import language as language_module
from interpreter.editor_schema import editor_schema
from interpreter.language import Entry, Rules, language
from interpreter.resources import schemas_folder
from interpreter.scalars import RESERVED, SCALARS
from interpreter.source import Document, parse

HERE = Path(__file__).parent / "schema"
GOOD = sorted((HERE / "good").glob("*.yaml"))
BAD = sorted((HERE / "bad").glob("*.yaml"))
SAMPLE = HERE / "good" / "lanternes.yaml"
ENTRIES = [entry for name, entry in language().entries.items() if name not in language().families]

Place = tuple[str | int, ...]


def document(text: str | bytes) -> Document:
    raw = text if isinstance(text, bytes) else text.encode()
    found, problems = parse(raw, "rules.yaml")
    assert found is not None, problems
    return found


def plain(path: Path) -> dict[str, Any]:
    return document(path.read_bytes()).data


def shown(text: bytes) -> str:
    """The problems of a file as the expectations are written: place, code and message, then the hint.

    A hint that only quotes the schemas is left out, so that a new key or a better description breaks no expectation.
    """
    lines = []
    for problem in schema.problems(document(text))[1]:
        place = problem.location
        lines.append(f"{place.line}:{place.column} {problem.code} {problem.message}")
        quotes = problem.code in (schema.UNKNOWN_KEY, schema.MISSING_KEY, schema.NO_KIND)
        lines += [f"    {problem.hint}"] if problem.hint and not quotes else []
    return "\n".join(lines) + "\n"


def untyped(value: Any) -> Any:
    """Typed data as YAML would give it: text."""
    if isinstance(value, dict):
        return {key: untyped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [untyped(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else value if value is None else str(value)


def as_editor(value: Any) -> Any:
    """What an editor's YAML reader hands to JSON Schema: names are text."""
    if isinstance(value, dict):
        return {str(key): as_editor(item) for key, item in value.items()}
    return [as_editor(item) for item in value] if isinstance(value, list) else value


def nodes(value: Any, path: Place = ()) -> Iterator[Place]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from nodes(child, (*path, step))


def at(value: Any, path: Place) -> Any:
    for step in path:
        value = value[step]
    return value


EDITOR = jsonschema.Draft7Validator(editor_schema())


# ---------------------------------------------------------------------- whole files


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_file_has_no_problem(path: Path) -> None:
    found = document(path.read_bytes())
    before = copy.deepcopy(found.data)
    typed, problems = schema.problems(found)
    assert problems == []
    assert found.data == before, "the input was changed"
    assert nodes_of(typed) == nodes_of(found.data), "something was lost"
    expected = path.with_suffix(".json")
    if expected.exists():
        assert typed == json.loads(expected.read_text(encoding="utf-8"))


def nodes_of(value: Any) -> list[Place]:
    return list(nodes(value))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_file_has_the_problems_written_beside_it(path: Path) -> None:
    assert shown(path.read_bytes()) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_what_is_left_of_a_bad_file_conforms(path: Path) -> None:
    typed, findings = schema.validate(plain(path))
    assert findings
    assert schema.validate(untyped(typed))[1] == ()


def test_the_sample_uses_nearly_every_key_of_the_language() -> None:
    data = plain(SAMPLE)
    written = {step for path in nodes(data) for step in path if isinstance(step, str)}
    known = {key for entry in ENTRIES for key in entry.keys}
    assert known - written <= {"extends", "remove", "each"}


@pytest.mark.parametrize(
    ("data", "kind", "hint"),
    [
        ({"whenn": "x"}, "grade", "what may stand here: `label`, `source`, `when` and `say`"),
        ({"q": "x", "again": "keep", "on": "y"}, "event_begins", "what may stand here: `begins`"),
        ({}, "grade", "`when`: When it is this shade."),
        ({}, "ranked", "The highest or the lowest dice, by value."),
        (
            {"upon": {}, "do": []},
            "trigger",
            "the kinds of event: `gauge`, `field`, `begins`, `ends`, `joins` and `event`",
        ),
    ],
)
def test_a_hint_quotes_the_schemas(data: dict[str, Any], kind: str, hint: str) -> None:
    assert schema.validate(data, kind)[1][0].hint == hint


def test_typed_data_holds_numbers_and_flags_where_the_schema_says_so() -> None:
    typed, _ = schema.validate(plain(SAMPLE))
    assert typed["format"] == 1
    assert typed["tables"]["flammes"]["ordered"] is True
    assert typed["records"]["lanterne"]["fields"]["benie"]["flag"] is False
    assert typed["examples"]["creation"]["refused"] is True
    assert typed["examples"]["refusee"]["refused"] == "La trêve tient"
    assert typed["system"]["version"] == "1.2"
    assert typed["periods"]["treve"] is None


def test_three_faults_in_a_long_file_are_all_found_each_at_its_place() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    faults = {
        "        when: partage": "        wehn: partage",
        "      peur: 0..10": "      peur: \u22121..10",
        "    ends: tour": "    endss: tour",
    }
    for before, after in faults.items():
        assert text.count(before) >= 1
        text = text.replace(before, after, 1)
    lines = [text[: text.index(after)].count("\n") + 1 for after in faults.values()]
    found = schema.problems(document(text))[1]
    assert sorted(lines) == [problem.location.line for problem in found]
    assert [problem.code for problem in found] == ["E0103", "E0101", "E0101"]
    minus = found[0].location
    assert text.splitlines()[minus.line - 1][minus.column - 1] == "\u2212"


def test_deeply_nested_steps_are_checked_to_the_end() -> None:
    steps: Any = [{"say": "fin", "wehn": "x"}]
    for _ in range(25):
        steps = [{"if": "a", "then": steps}]
    findings = schema.validate({"actions": {"a": {"steps": steps}}})[1]
    assert [finding.code for finding in findings] == ["E0101"]
    assert findings[0].path[-1] == "wehn"


def test_many_faults_do_not_take_long() -> None:
    actions = {f"a{i}": {f"lable{i}": "x", "steps": [{"chnage": {}, "k": "v"}]} for i in range(1000)}
    start = time.perf_counter()
    findings = schema.validate({"actions": actions})[1]
    assert len(findings) >= 2000
    assert time.perf_counter() - start < 3


# ------------------------------------------------------------------- the schemas themselves


def rules_of(entry: Entry) -> Iterator[Rules]:
    pending = list(entry.keys.values())
    while pending:
        rules = pending.pop()
        yield rules
        inner = [rules.get("schema"), rules.get("keysrules"), rules.get("valuesrules")]
        pending += [rule for rule in inner if isinstance(rule, dict)]


def test_the_schemas_are_valid_cerberus_schemas() -> None:
    registry = schema._registry()
    for name in language().entries:
        schema._Checker(registry.get(name), schema_registry=registry, findings=[])


@pytest.mark.parametrize("entry", language().entries.values(), ids=lambda entry: entry.name)
def test_an_entry_is_described_and_refers_to_what_exists(entry: Entry) -> None:
    assert entry.about.endswith(".")
    assert {*entry.variants, *([entry.short] if entry.short else [])} <= set(entry.keys)
    for rules in entry.keys.values():
        assert rules["description"].endswith("."), rules
    for rules in rules_of(entry):
        assert {*rules["type"]} <= {*SCALARS, "dict", "list"}
        assert rules.get("variants", "step") in language().families
        target = rules.get("schema")
        if isinstance(target, str):
            scalars = [kind for kind in rules["type"] if kind in SCALARS]
            assert not scalars or language().entries[target].short, f"what does a bare text mean for {target}?"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_misspelt_key_is_found_in_every_construct(entry: Entry) -> None:
    for key in entry.keys:
        findings = schema.validate({key + key[-1]: "x"}, entry.name)[1]
        unknown = [finding for finding in findings if finding.code == schema.UNKNOWN_KEY]
        assert [finding.path for finding in unknown] == [(key + key[-1],)]
        assert f"did you mean `{key}`?" in unknown[0].message


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_missing_key_is_found_in_every_construct(entry: Entry) -> None:
    typed, findings = schema.validate({}, entry.name)
    missing = sorted(key for key in entry.required if any(f"`{key}`" in finding.message for finding in findings))
    assert missing == sorted(entry.required)
    assert any(finding.code == schema.NO_KIND for finding in findings) == bool(entry.variants)
    assert typed == {}


def test_the_compiled_schemas_are_current() -> None:
    folder = schemas_folder()
    compiled = (folder / language_module.COMPILED).read_text(encoding="utf-8")
    assert compiled == language_module.compile_schemas(folder), "run: python -m tools.compile_schemas"


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"digest": "old", "entries": {}}'])
def test_a_stale_or_broken_compiled_file_is_not_used(tmp_path: Path, content: str | None) -> None:
    (tmp_path / "a.yaml").write_bytes(
        b"thing:\r\n  about: A thing.\r\n  keys:\r\n    name: {type: text, required: true}\r\n"
    )
    if content is not None:
        (tmp_path / language_module.COMPILED).write_text(content, encoding="utf-8")
    assert language_module.load(tmp_path).entries["thing"].required == ("name",)


# ----------------------------------------------------------------------------- scalars


@pytest.mark.parametrize(("name", "text"), [(n, text) for n, scalar in SCALARS.items() for text in scalar.good])
def test_a_good_example_is_accepted(name: str, text: str) -> None:
    assert SCALARS[name].accepts(text)


@pytest.mark.parametrize(("name", "text"), [(n, text) for n, scalar in SCALARS.items() for text in scalar.bad])
def test_a_bad_example_is_refused(name: str, text: str) -> None:
    assert not SCALARS[name].accepts(text)


@pytest.mark.parametrize(
    ("name", "text", "hint", "offset"),
    [
        ("integer", "1_000", "a number is written without separators; write `1000`", 1),
        ("integer", "01", "a number has no leading zeros; write `1`", 0),
        ("integer", "1e3", "a number is written out in full; write `1000`", 0),
        ("integer", "\u22121", "`\u2212` is U+2212 minus sign; write `-1`", 0),
        ("integer", "1\u00a0000", "there is a U+00A0 no-break space; write `1000`", 1),
        ("integer", "12.0", "a whole number has no decimal point; write `12`", 0),
        ("range", "0..1_000", "a number is written without separators; write `0..1000`", 4),
        ("range", "1-6", "a range has two dots between its ends; write `1..6`", 1),
        ("flag", "on", "a yes or no is written in one way only; write `true`", 0),
        ("dice", "2D6", "dice are written with a small `d`; write `2d6`", 1),
        ("identifier", "Énergie", "an id is plain ASCII; its label carries the accents; write `energie`", 0),
        ("identifier", "cœur-de-loup", "an id is plain ASCII; its label carries the accents; write `coeur_de_loup`", 1),
        ("identifier", "or", "this word has a meaning of its own in expressions; write `or_value`", 0),
        ("target", "endurance", "the sheet must be named too; write `self.endurance`", 0),
        ("table_key", "41 - 60", "a range is written without spaces; write `41-60`", 2),
    ],
)
def test_a_slip_is_explained_and_put_right(name: str, text: str, hint: str, offset: int) -> None:
    advice = SCALARS[name].advise(text)
    assert (advice.hint, advice.offset) == (hint, offset)


def test_parts_are_the_groups_of_a_pattern() -> None:
    assert SCALARS["dice"].parts("2d6 + 12") == ("2", "6", "+", "12")
    assert SCALARS["range"].parts("1..self.force") == ("1", "self.force")
    assert SCALARS["loop"].parts("e in ennemis") == ("e", "ennemis")
    with pytest.raises(ValueError, match="dice such as"):
        SCALARS["dice"].parts("two")


def test_no_reserved_word_is_an_identifier_but_longer_words_are() -> None:
    assert {word.lower() for word in expressions.RESERVED} < set(RESERVED)
    for word in RESERVED:
        assert not SCALARS["identifier"].accepts(word)
        assert SCALARS["identifier"].accepts(f"{word}s")


@settings(max_examples=50, deadline=None)
@given(text=st.text(max_size=30) | st.from_regex(r"[-0-9a-z._ +\u2212]{1,30}", fullmatch=True))
def test_advice_points_into_the_text_and_what_it_says_to_write_is_right(text: str) -> None:
    for scalar in SCALARS.values():
        if scalar.accepts(text):
            continue
        advice = scalar.advise(text)
        assert 0 <= advice.offset <= len(text)
        if advice.hint.endswith("`") and "; write `" in advice.hint:
            assert scalar.accepts(advice.hint.rpartition("; write `")[2][:-1])


# --------------------------------------------------------------------- any file at all

JUNK = st.sampled_from(["", "1_000", "true", "x", "0..3", "é", None, [], {}, ["x"], {"x": "y"}, [None], {"when": "1"}])


@st.composite
def spoilt(draw: st.DrawFn) -> dict[str, Any]:
    """The sample with up to three parts replaced, renamed or taken out."""
    data = copy.deepcopy(DATA)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([path for path in nodes(data) if path]))
        parent, step = at(data, path[:-1]), path[-1]
        deed = draw(st.sampled_from(["replace", "rename", "remove"]))
        if deed == "replace" or isinstance(parent, list):
            parent[step] = draw(JUNK)
        elif deed == "rename":
            parent[f"{step}{str(step)[-1]}"] = parent.pop(step)
        else:
            del parent[step]
    return data


DATA = plain(SAMPLE)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=spoilt())
def test_any_file_gives_findings_that_point_into_it_and_conforming_data(data: dict[str, Any]) -> None:
    before = copy.deepcopy(data)
    typed, findings = schema.validate(data)
    assert data == before
    assert len(set(findings)) == len(findings)
    places = {path: number for number, path in enumerate(nodes(data))}
    assert [places[finding.path] for finding in findings] == sorted(places[finding.path] for finding in findings)
    assert schema.validate(untyped(typed))[1] == ()
    if not findings:
        assert untyped(typed).keys() == data.keys()


# ------------------------------------------------------------------------- the editor


def test_the_editor_schema_is_valid_json_schema() -> None:
    jsonschema.Draft7Validator.check_schema(editor_schema())


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_editor_accepts_a_good_file(path: Path) -> None:
    data = as_editor(YAML(typ="safe", pure=True).load(path))
    assert [error.message for error in EDITOR.iter_errors(data)] == []


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_the_editor_refuses_a_bad_file(path: Path) -> None:
    assert not EDITOR.is_valid(as_editor(YAML(typ="safe", pure=True).load(path)))


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=spoilt())
def test_the_editor_and_the_check_agree(data: dict[str, Any]) -> None:
    assert EDITOR.is_valid(data) == (schema.validate(data)[1] == ())


# -------------------------------------------------------------------------- the budget


def test_the_check_costs_less_than_reading_the_yaml() -> None:
    text, data = SAMPLE.read_text(encoding="utf-8"), plain(SAMPLE)

    def fastest(work: Any) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return min(times)

    schema.validate(data)
    assert fastest(lambda: schema.validate(data)) < fastest(lambda: YAML(typ="safe", pure=True).load(text))
