"""The YAML reader: what it refuses and how it says so, what it reads, and where it says that things stand.

`yaml/refused` holds broken files, each with its problems, one a line; `yaml/read` holds sound ones with their data.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter import encoding, source
from interpreter.problems import Location, Problem, Severity
from interpreter.source import Document, lookalikes, parse, read

FOLDER = Path(__file__).parent / "yaml"
REFUSED = sorted((FOLDER / "refused").glob("*.yaml"))
READ = sorted((FOLDER / "read").glob("*.yaml"))


def told(problem: Problem) -> str:
    place, hint = problem.location, f" -> {problem.hint}" if problem.hint else ""
    return f"{place.line}:{place.column} {problem.code} {problem.message}{hint}"


def document(text: str) -> Document:
    found, problems = parse(text.encode(), "f.yaml")
    assert not problems
    assert found is not None
    return found


def test_there_are_files() -> None:
    assert len(REFUSED) > 40
    assert len(READ) > 8


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_refused(path: Path) -> None:
    _, problems = read(path, "f.yaml")
    assert [told(problem) for problem in problems] == path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    warnings = {problem.severity for problem in problems if problem.code.startswith("W")}
    assert warnings <= {Severity.WARNING}
    assert all(problem.location.file == "f.yaml" for problem in problems)


@pytest.mark.parametrize("path", READ, ids=lambda path: path.stem)
def test_read(path: Path) -> None:
    found, problems = read(path)
    assert not problems
    assert found is not None
    assert found.file == path.as_posix()
    assert found.data == json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("text: On a hit: take 2", {"text": "On a hit: take 2"}),
        ("a: {add: min(2, x), b: y}", {"a": {"add": "min(2, x)", "b": "y"}}),
        ("a: {add: s[k], b: y}", {"a": {"add": "s[k]", "b": "y"}}),
        ("a: {1d6}\nb: @x", {"a": "{1d6}", "b": "@x"}),
        ("a: 1\na: 2\nb: 3", {"a": "1", "b": "3"}),
        ("a: *2", {"a": "*2"}),
    ],
)
def test_a_document_comes_back_beside_errors_that_leave_its_structure_sure(text: str, data: object) -> None:
    found, problems = parse(text.encode(), "f.yaml")
    assert problems
    assert found is not None
    assert found.data == data
    assert found.text == text


@pytest.mark.parametrize("text", ["a: [1", "a: 1\nb\nc: 2", "a: 1\n---\nb: 2", "- a", ""])
def test_no_document_comes_back_where_the_structure_is_not_sure(text: str) -> None:
    found, problems = parse(text.encode(), "f.yaml")
    assert found is None
    assert problems


def test_duplicates_name_both_places() -> None:
    _, problems = parse("énergie: 1\nb:\n  c: 1\n  c: 2\ne\u0301nergie: 2\n".encode(), "f.yaml")
    inner, outer = problems
    assert inner.path == ("b", "c")
    assert inner.related == (("first written here", Location("f.yaml", 3, 3)),)
    assert outer.path == ("énergie",)
    assert outer.related == (("first written here", Location("f.yaml", 1, 1, 7)),)


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing.yaml", "no such file"), (".", "a folder"), ("a\0b", "null|no such file")],
)
def test_what_cannot_be_opened(tmp_path: Path, name: str, message: str) -> None:
    found, problems = read(tmp_path / name, name)
    assert found is None
    assert [problem.code for problem in problems] == ["E0001"]
    assert re.search(message, problems[0].message)


# Places


STYLES = """\
plain: un deux
  trois

  quatre
single: 'l''été
  bleu'
double: "a\\tb\\u00e9\\\\
  c \\
  d"
folded: >2
    six
   sept

  huit
literal: |-

  neuf
   dix
empty:
quoted: ''
map: {key: value, list: [x, yz]}
block:
  - first
  - {second: 2}
"""


@pytest.mark.parametrize(
    ("path", "offset", "place"),
    [
        (("plain",), 0, (1, 8, 7)),
        (("plain",), 3, (1, 11, 1)),
        (("plain",), 8, (2, 3, 1)),
        (("plain",), 14, (4, 3, 1)),
        (("plain",), 20, (4, 9, 1)),
        (("plain",), 99, (4, 9, 1)),
        (("single",), 0, (5, 10, 6)),
        (("single",), 2, (5, 13, 1)),
        (("single",), 6, (6, 3, 1)),
        (("single",), 10, (6, 7, 1)),
        (("double",), 1, (7, 11, 2)),
        (("double",), 3, (7, 14, 6)),
        (("double",), 4, (7, 20, 2)),
        (("double",), 6, (8, 3, 1)),
        (("double",), 8, (9, 3, 1)),
        (("folded",), 0, (11, 3, 5)),
        (("folded",), 2, (11, 5, 1)),
        (("folded",), 7, (12, 4, 1)),
        (("folded",), 13, (14, 3, 1)),
        (("literal",), 1, (17, 3, 1)),
        (("literal",), 7, (18, 4, 1)),
        (("empty",), 0, (19, 7, 1)),
        (("empty",), 5, (19, 7, 1)),
        (("quoted",), 0, (20, 9, 2)),
        (("map",), 0, (21, 6, 1)),
        (("map", "list"), 0, (21, 25, 1)),
        (("map", "list", 1), 1, (21, 30, 1)),
        (("block",), 0, (23, 3, 1)),
        (("block", 1, "second"), 0, (24, 14, 1)),
        ((), 0, (1, 1, 5)),
        (("missing",), 0, (1, 1, 5)),
        (("map", "missing", "x"), 0, (21, 1, 3)),
        (("block", 7), 0, (22, 1, 5)),
        (("plain", 0), 0, (1, 1, 5)),
    ],
)
def test_places_of_values(path: tuple[str | int, ...], offset: int, place: tuple[int, int, int]) -> None:
    assert document(STYLES).value(path, offset) == Location("f.yaml", *place)


def test_places_of_keys() -> None:
    found = document(STYLES)
    assert found.key(("single",)) == Location("f.yaml", 5, 1, 6)
    assert found.key(("map", "list")) == Location("f.yaml", 21, 19, 4)
    assert found.key(("block", 1)) == Location("f.yaml", 24, 5, 1)
    assert found.key(("block", 1, "missing")) == found.key(("block", 1))
    assert found.key(()) == Location("f.yaml", 1, 1, 5)


def test_a_length_stays_in_its_line() -> None:
    found = document(STYLES)
    assert found.value(("plain",), 3, 4) == Location("f.yaml", 1, 11, 4)
    assert found.value(("plain",), 3, 9) == Location("f.yaml", 1, 11, 4)
    assert found.value(("single",), 1, 2) == Location("f.yaml", 5, 11, 3)
    assert found.value(("double",), 0, 4) == Location("f.yaml", 7, 10, 10)


def test_places_in_composed_text() -> None:
    found = document("a: e\u0301te\u0301 + 1\n")
    assert found.data == {"a": "été + 1"}
    assert found.value(("a",), 2).column == 7
    assert found.value(("a",), 4).column == 10


def test_lines() -> None:
    found = document("a: 1\r\nb: 2\n")
    assert [found.line(number) for number in range(5)] == ["", "a: 1", "b: 2", "", ""]


# Limits


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "- - ", "? "])
def test_deep_nesting(opener: str) -> None:
    _, problems = parse(("a:\n  " + opener * 20_000).encode(), "f.yaml")
    assert [problem.code for problem in problems] == ["E0009"]


def test_depth_up_to_the_limit() -> None:
    inner = source.DEEPEST_NESTING - 1
    assert document("a: " + "[" * inner + "]" * inner).data
    _, problems = parse(("a: " + "[" * (inner + 1) + "]" * (inner + 1)).encode(), "f.yaml")
    assert [problem.code for problem in problems] == ["E0009"]


def test_large_file() -> None:
    _, problems = parse(b"#" * (encoding.LARGEST_FILE + 1), "f.yaml")
    assert [problem.code for problem in problems] == ["E0029"]


def test_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_NODES", 10)
    assert document("a: [1, 2, 3, 4, 5, 6, 7]").data
    _, problems = parse(b"a: [1, 2, 3, 4, 5, 6, 7, 8]", "f.yaml")
    assert [problem.code for problem in problems] == ["E0010"]


def test_many_problems_of_one_kind_leave_room_for_others() -> None:
    text = "".join(f"a{number}: 1 #x\n" for number in range(300)) + "a0: 2\n"
    _, problems = parse(text.encode(), "f.yaml")
    codes = [problem.code for problem in problems]
    assert codes == ["W0001"] * encoding.MOST_PROBLEMS + ["E0014"]


# Whatever it is given, the reader answers


PIECES = st.sampled_from(
    [
        *"\n\n\n  :-?{}[],#&*!|>'\"%@`\\\t<=~.0123abé\u00a0\u0301\ue03a\r\u2028\0\ufeff",
        *(": ", "- ", "? ", "\n  ", "\n    ", "a: ", "--- ", "\n---\n", "...\n", "%YAML 1.1\n", "<<: *a", " #x"),
        *("|2\n", ">-\n", "!!str ", "!<", "\\x4", "\\U0011FFFF", "\\ud800", '"\n', "{a: ", "min(1, 2)", "(", ")", "''"),
    ]
)
GARBAGE = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(PIECES, max_size=40).map(lambda pieces: "".join(pieces).encode()),
)


@given(GARBAGE)
@settings(max_examples=300, deadline=None)
def test_any_bytes(raw: bytes) -> None:
    found, problems = parse(raw, "f.yaml")
    errors = [problem for problem in problems if problem.severity == Severity.ERROR]
    assert found is not None or errors
    lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in problems:
        assert 1 <= problem.location.line <= len(lines)
        assert 1 <= problem.location.column <= len(lines[problem.location.line - 1]) + 1
        assert problem.message
    if found is not None:
        check_places(found, found.data, ())


@pytest.mark.parametrize("path", REFUSED + READ, ids=lambda path: path.stem)
def test_any_cut_of_a_file(path: Path) -> None:
    raw = path.read_bytes()[:400]
    for end in range(0, len(raw), 3):
        found, problems = parse(raw[:end], "f.yaml")
        assert found is not None or problems


def check_places(found: Document, value: object, path: tuple[str | int, ...]) -> None:
    """Every key and every character of every text stands where the document says."""
    assert found.value(path)
    assert found.key(path)
    if isinstance(value, dict):
        for key, inner in value.items():
            check_places(found, inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            check_places(found, inner, (*path, number))
    elif isinstance(value, str):
        check_characters(found, value, path)


def check_characters(found: Document, value: str, path: tuple[str | int, ...]) -> None:
    before = (0, 0)
    for offset, char in enumerate(value):
        place = found.value(path, offset, 1)
        assert (place.line, place.column) >= before
        before = (place.line, place.column)
        line = unicodedata.normalize("NFC", found.line(place.line)[place.column - 1 :])
        if not char.isspace() and not line.startswith("\\"):
            assert line[:1] == char or line[:1] in unicodedata.normalize("NFC", unicodedata.normalize("NFD", char))


INSIDE = st.lists(st.sampled_from(["a", "b", "é", "e\u0301", " ", "  ", "\n  ", "\n\n  ", "\n   "]), max_size=12).map(
    "".join
)
QUOTED = st.lists(
    st.sampled_from(
        ["a", "b", "é", " ", "  ", "\n  ", "\n\n ", "\\n", "\\x41", "\\u00e9", "\\U0001F3B2", '\\"', "\\\n  "]
    ),
    max_size=12,
).map("".join)


@given(
    st.one_of(
        INSIDE.map(lambda text: "x" + text),
        INSIDE.map(lambda text: "'" + text.replace("b", "''") + "'"),
        QUOTED.map(lambda text: '"' + text + '"'),
        st.tuples(st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", ">2", "|2-"]), INSIDE).map(
            lambda parts: f"{parts[0]}\n    x{parts[1]}"
        ),
        st.tuples(st.sampled_from(["|", ">", ">1", "|+"]), INSIDE).map(lambda parts: f"{parts[0]}\n\n  x{parts[1]}"),
    )
)
@settings(max_examples=300, deadline=None)
def test_every_character_has_its_place(written: str) -> None:
    found, _ = parse(f"k: {written}\nend: 1\n".encode(), "f.yaml")
    if found is not None:
        places = {}
        for offset, char in enumerate(found.data["k"] or ""):
            place = found.value(("k",), offset, 1)
            places[(place.line, place.column)] = char
            check_characters(found, found.data["k"], ("k",))
        assert len(places) >= len((found.data["k"] or "").strip()) * 0.5


# Characters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1", []),
        ("été", []),
        ("\u22121", [(0, "\u2212", "-")]),
        ("1\u00a0000", [(1, "\u00a0", " ")]),
        ("0\u20266", [(1, "\u2026", "..")]),
        ("a \u2264 b", [(2, "\u2264", "<=")]),
        ("\uff13d\uff16", [(0, "\uff13", "3"), (2, "\uff16", "6")]),
        ("\u0663", [(0, "\u0663", "3")]),
        ("f\u043erce\u200b", [(1, "\u043e", "o"), (5, "\u200b", "")]),
        ("\u201ca\u201d", [(0, "\u201c", '"'), (2, "\u201d", '"')]),
    ],
)
def test_lookalikes(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert lookalikes(text) == expected
