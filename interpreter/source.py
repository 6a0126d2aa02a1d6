"""Read a YAML file into plain text values, each with its place in the file."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from interpreter.characters import FORBIDDEN, describe, lookalikes, without_invisible
from interpreter.encoding import LARGEST_FILE, MOST_PROBLEMS, at_start, decode
from interpreter.faults import QUOTE, Complaint, Fault, explain, indicators, quote_hint, sentence
from interpreter.positions import Document, Lines, Node
from interpreter.problems import Location, Problem, Severity

__all__ = ["Document", "lookalikes", "parse", "read"]

# Limits of the engine, far above any rule file written by hand, each checked before the work that it bounds.
DEEPEST_NESTING = 60
MOST_NODES = 100_000
MOST_READINGS = 12  # of one file with faults
MOST_READ = 1_000_000  # characters, in all readings of one file
LONGEST_CALL = 1_000  # characters looked through for the end of a parenthesis

# A character that broke the syntax is read again as one of these private ones, and put back in the values.
_STAND_INS = {code: chr(0xE000 + code) for code in range(128)} | {ord("\t"): " "}
_ORIGINALS = {0xE000 + code: chr(code) for code in range(128)}
_ANY_STAND_IN = re.compile("[\ue000-\ue07f]")

_LOST_TAIL = re.compile(r"(?<! ) +(?=#[^\s#])")
_PARENTHESIS = re.compile(r"[()]")
_TOO_HIGH = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")


def read(path: Path, shown: str | None = None) -> tuple[Document | None, list[Problem]]:
    """Read the file at `path`, which problems call `shown`; see `parse`."""
    file = path.as_posix() if shown is None else shown
    try:
        if path.is_dir():
            return None, [at_start(file, "E0001", "This is a folder, not a file.")]
        if not path.is_file():
            return None, [at_start(file, "E0001", "There is no such file.")]
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return None, [at_start(file, "E0001", f"The file cannot be read: {reason}.")]
    return parse(raw, file)


def parse(raw: bytes, file: str) -> tuple[Document | None, list[Problem]]:
    """The document in `raw`, and all its problems together.

    Beside errors a document still comes back where its structure is sure enough for later checks to go on:
    a text that had to be quoted is read as if it were, the first of two equal keys stands, an alias is text.
    """
    text, problems = decode(raw, file)
    return (None, problems) if text is None else _read_all(Lines(file, text))


def _read_all(lines: Lines) -> tuple[Document | None, list[Problem]]:
    """Read a text, and again with each fault made harmless, so that all its faults come together."""
    kept: dict[int, Problem] = {}  # by line, since one fault often brings others in the same line
    readings = 1 if _ANY_STAND_IN.search(lines.text) else min(MOST_READINGS, MOST_READ // (len(lines.text) + 1))
    build = _Build(lines, lines.text)
    skipped: set[int] = set()
    sure = True
    while True:
        build.run()
        readings -= 1
        for fault in build.faults:
            line = lines.location(fault.index).line
            if fault.code != "E0026" or line - 1 not in skipped:  # else its parent is the line that was left out
                kept.setdefault(line, _problem_of(fault, lines))
            skipped |= {line} if fault.skipped else set()
        if readings <= 0 or not all(fault.letters or fault.skipped for fault in build.faults) or not build.faults:
            break
        sure = sure and not any(fault.skipped for fault in build.faults)
        build = _Build(lines, _patch(build.text, build.faults))
    problems = sorted([*kept.values(), *build.problems], key=lambda problem: problem.location)
    if build.faults or build.stopped or not sure or build.root is None or not isinstance(build.data, dict):
        return None, problems
    return Document(lines.file, lines.text, build.data, build.root), problems


def _problem_of(fault: Fault, lines: Lines) -> Problem:
    opened = () if fault.opened is None else (("it begins here", lines.location(fault.opened)),)
    return Problem(
        fault.code, sentence(fault.message), lines.location(fault.index), hint=sentence(fault.hint), related=opened
    )


def _patch(text: str, faults: list[Fault]) -> str:
    """`text` with its faults made harmless, each character in its place still."""
    characters = list(text)
    for fault in faults:
        for index in fault.letters:
            characters[index] = characters[index].translate(_STAND_INS)
        for index in fault.skipped:
            characters[index] = "#"
    return "".join(characters)


@dataclass(slots=True)
class _Frame:
    """A mapping or list whose end has not been seen."""

    node: Node
    data: Any
    flow: bool
    key: str | None = None
    key_node: Node | None = None
    open_parentheses: int = 0
    cut: bool = False
    bare: bool = False


class _Build:
    """Builds plain data and the tree of its places from the parser's events, in one pass without recursion."""

    def __init__(self, lines: Lines, text: str) -> None:
        self.lines = lines
        self.text = text
        self.patched = text != lines.text
        self.data: Any = None
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.seen: Counter[str] = Counter()  # problems by code
        self.faults: list[Fault] = []
        self.stopped = False
        self.stack: list[_Frame] = []
        self.nodes = 0
        self.documents = 0
        self.tails = {match.start(): match.end() for match in _LOST_TAIL.finditer(text)}

    def run(self) -> None:
        """Read the whole text, as far as its faults allow."""
        end = 0
        try:
            for event in YAML(typ="safe", pure=True).parse(self.text):
                handler = _HANDLERS.get(type(event))
                if handler is not None:
                    handler(self, event)
                if self.stopped:
                    return
                end = event.end_mark.index
        except MarkedYAMLError as error:
            self.faults.append(explain(self.text, _complaint(error)))
        except Exception:  # noqa: BLE001 - ruamel lets errors of its own workings out, as for the escape \UFFFFFFFF
            match = _TOO_HIGH.search(self.text, end)
            message = "what follows here is not valid YAML" if match is None else "there is no such character"
            self.faults.append(Fault("E0020", message, match.start() if match else end, QUOTE))
        if not self.faults and not self.patched:
            self._check_root()

    def document_start(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            start = event.start_mark.index
            self._problem("E0007", "a second YAML document begins here", start, start + 3, "use one file for each")
            self.stopped = True

    def scalar(self, event: Any) -> None:
        node = Node(event.start_mark.index, event.end_mark.index, event.style, event.value)
        self._enter(event, node)
        value: str | None = node.text
        if node.style is None:
            value = self._plain(node)
        elif node.style in "|>":
            self._check_block(node)
        elif node.style == '"':
            value = self._check_escapes(node)
        self._attach(value if value is None or value.isascii() else self._composed(value), node)

    def alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        written = self.text[start:end]
        if not (self.stack and self.stack[-1].key_node and self.stack[-1].key_node.text == "<<"):
            message = f"`{written}` is an alias of YAML, which rule files do not use"
            hint = f"write the value itself; for a text, {quote_hint(self._meant(start, end))}"
            self._problem("E0012", message, start, end, hint)
        self._attach(self._composed(written), Node(start, end, None, written))

    def mapping_start(self, event: Any) -> None:
        self._open(event, {}, {})

    def sequence_start(self, event: Any) -> None:
        self._open(event, [], [])

    def end(self, event: Any) -> None:
        frame = self.stack.pop()
        node = frame.node
        node.end = event.end_mark.index
        bare = frame.bare and not frame.cut and self.text.startswith("{", node.start)
        if bare and not self._is_cut_by_comma(frame):
            written = self._meant(node.start, node.end)
            message = f"`{_shown(written)}` is read as a mapping of names without values"
            hint = f"for a text, {quote_hint(written)}; for a list, use `[ ]`"
            self.faults.append(Fault("E0018", message, node.start, hint, indicators(self.text, node.start, node.end)))
        self._attach(frame.data, node)

    def _is_cut_by_comma(self, frame: _Frame) -> bool:
        """Whether a comma ended a value in its middle, as in `{add: 2,5}`, and the rest became a name."""
        children = frame.node.children
        for value, rest in pairwise(children.values() if isinstance(children, dict) else ()):
            if value.text and rest.key is not None and not rest.text and self._tell_cut(value.start, rest.key.end):
                return True
        return False

    def _tell_cut(self, start: int, end: int) -> bool:
        """Tells of a value with a comma in brackets, if it has one."""
        letters = indicators(self.text, start, end)
        if letters:
            written = self.text[start:end]
            message = f"inside brackets a comma ends the value, so `{_shown(written)}` is cut here"
            self.faults.append(Fault("E0017", message, letters[0], quote_hint(written), letters))
        return bool(letters)

    def _open(self, event: Any, data: Any, children: Any) -> None:
        node = Node(event.start_mark.index, event.end_mark.index, children=children)
        self._enter(event, node)
        if len(self.stack) >= DEEPEST_NESTING:
            self._problem("E0009", f"values are nested more than {DEEPEST_NESTING} deep", node.start)
            self.stopped = True
        self.stack.append(_Frame(node, data, bool(event.flow_style)))

    def _enter(self, event: Any, node: Node) -> None:
        """Count a value, and refuse what YAML can hang on it."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            self._problem("E0010", f"the file holds more than {MOST_NODES} values", node.start)
            self.stopped = True
        if event.ctag is not None:
            if node.style is None and node.text is not None:
                node.text = self.text[node.start : node.end]
            self._refuse_mark("E0011", "a tag", node)
        elif event.anchor is not None:
            self._refuse_mark("E0012", "an anchor", node)

    def _refuse_mark(self, code: str, kind: str, node: Node) -> None:
        mark = self._rest(node.start).split()[0]
        hint = f"take it out; for a text, {quote_hint(self._meant(node.start, node.end))}"
        message = f"`{_shown(mark)}` is {kind} of YAML, which rule files do not use"
        self._problem(code, message, node.start, node.start + len(mark), hint)

    def _plain(self, node: Node) -> str | None:
        """The value of a scalar without quotes, where most traps are."""
        value = node.text or ""
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.flow:
            self._check_parentheses(frame, node, value)
            if not value and frame.key_node and ":" not in self.text[frame.key_node.end : node.start]:
                frame.bare = True
        elif not value and frame is not None and frame.key_node:
            # The parser puts a missing value behind whatever comes next; it belongs behind the colon.
            colon = self.text.find(":", frame.key_node.end, node.start)
            node.start = node.end = colon + 1 if colon >= 0 else frame.key_node.end
        if value.endswith(("]", "}")) and not (frame is not None and frame.flow):
            self._check_closer(node, value[-1])
        if node.end in self.tails:
            self._warn_of_tail(node)
        return value or None

    def _check_parentheses(self, frame: _Frame, node: Node, value: str) -> None:
        """A comma in braces ends a value, even in the middle of `min(2, x)`."""
        opened = value.count("(") - value.count(")")
        if frame.open_parentheses:
            frame.open_parentheses = max(0, frame.open_parentheses + opened)
        elif (
            opened > 0
            and len(self.faults) < MOST_PROBLEMS
            and self._tell_cut(node.start, _closing(self.text, node.start))
        ):
            frame.open_parentheses, frame.cut = opened, True

    def _check_closer(self, node: Node, closer: str) -> None:
        """A bracket at the end of a text that none opens in its line: the one at its beginning is missing."""
        opener = "[" if closer == "]" else "{"
        line = self.text[self.text.rfind("\n", 0, node.end) + 1 : node.end]
        if line.count(opener) < line.count(closer) and len(self.faults) < MOST_PROBLEMS:
            hint = f"write `{opener}` before it, or take it out; for a text, {QUOTE}"
            self.faults.append(Fault("E0025", f"this `{closer}` closes nothing", node.end - 1, hint, (node.end - 1,)))

    def _warn_of_tail(self, node: Node) -> None:
        start = self.tails[node.end]
        tail = self._rest(start)
        message = f"`{_shown(tail)}` is read as a comment and is lost"
        hint = f"for a text, {quote_hint(self.text[node.start : start] + tail)}; for a comment, leave a space after `#`"
        self._problem("W0001", message, start, start + len(tail), hint)

    def _check_block(self, node: Node) -> None:
        """A bare `>5` is no condition: YAML reads it as an empty block of text."""
        if not (node.text or "").strip():
            written = self._rest(node.start)
            message = f"`{_shown(written)}` is read as an empty block of text"
            hint = quote_hint(written) if written[1:].strip("+-") else "indent the lines of the block below it"
            self.faults.append(Fault("E0016", message, node.start, hint, (node.start,)))

    def _check_escapes(self, node: Node) -> str:
        value = node.text or ""
        match = FORBIDDEN.search(value)
        if match is None:
            return value
        message = f"this text holds the character {describe(match.group())}, which no rule text may"
        self._problem("E0004", message, node.start, node.end, "remove its escape")
        return FORBIDDEN.sub("", value)

    def _composed(self, value: str) -> str:
        """`value` after NFC, with the characters in it that had a stand-in."""
        return unicodedata.normalize("NFC", value.translate(_ORIGINALS) if self.patched else value)

    def _attach(self, value: Any, node: Node) -> None:
        """Put a finished value where it belongs."""
        if not self.stack:
            self.data, self.root = value, node
            return
        frame = self.stack[-1]
        children = frame.node.children
        if isinstance(children, list):
            frame.data.append(value)
            children.append(node)
        elif frame.key_node is None:
            frame.key = self._key(frame, value, node, children or {})
            frame.key_node = node
        else:
            if frame.key is not None and children is not None:
                node.key = frame.key_node
                frame.data[frame.key] = value
                children[frame.key] = node
            frame.key = frame.key_node = None

    def _key(self, frame: _Frame, value: Any, node: Node, others: dict[str, Node]) -> str | None:
        """The key that `value` is, or None where its entry has to be left out."""
        if value is None:
            self._problem("E0015", "a name is missing before this colon", node.start)
            return None
        if not isinstance(value, str):
            hint = f"for a text, {quote_hint(self.text[node.start : node.end])}"
            self._problem("E0015", "a name must be a text, not a mapping or a list", node.start, hint=hint)
            return None
        if value == "<<" and node.style is None:
            message = "`<<` is a merge of YAML, which rule files do not use"
            self._problem("E0013", message, node.start, node.end, "write out what it would bring in")
            return None
        frame.key = key = value if value.isascii() else without_invisible(value).strip()
        if key != value:
            odd = next(describe(char) for _, char, meant in lookalikes(value) if meant in ("", " "))
            hint = "type the name again with plain letters and spaces"
            self._problem("E0019", f"this name holds the invisible character {odd}", node.start, node.end, hint)
        if key in others:
            first = others[key].key or others[key]
            message = f"`{_shown(key)}` stands twice in this mapping"
            where = (("first written here", self.lines.location(first.start, first.end)),)
            alike = (
                "keep only one" if node.text == first.text else "they look alike: accents can be written in two ways"
            )
            self._problem("E0014", message, node.start, node.end, alike, where)
            return None
        return key

    def _check_root(self) -> None:
        root = self.root
        if root is None or not (self.data or self.problems):
            self.problems.append(at_start(self.lines.file, "E0005", "The file is empty: it holds no rules."))
        elif not isinstance(self.data, dict):
            kind = "a list" if isinstance(self.data, list) else "a single text"
            self._problem("E0006", f"a rule file holds lines `name: value`; this is {kind}", root.start)

    def _rest(self, start: int) -> str:
        """What is written from `start` to the end of the line."""
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip()

    def _meant(self, start: int, end: int) -> str:
        """The text that someone meant who wrote what YAML reads as something else from `start` to `end`."""
        meant = self.text[start:end]
        if not self.stack or not self.stack[-1].flow:
            meant = self._rest(start).partition(" #")[0]
        return meant.translate(_ORIGINALS) if self.patched else meant

    def _problem(
        self,
        code: str,
        message: str,
        start: int,
        end: int | None = None,
        hint: str = "",
        related: tuple[tuple[str, Location], ...] = (),
    ) -> None:
        self.seen[code] += 1
        if self.seen[code] > MOST_PROBLEMS:
            return
        steps = (len(frame.data) if isinstance(frame.data, list) else frame.key for frame in self.stack)
        path = tuple(step for step in steps if step is not None)
        severity = Severity.WARNING if code.startswith("W") else Severity.ERROR
        place = self.lines.location(start, end)
        self.problems.append(Problem(code, sentence(message), place, severity, sentence(hint), path, related))


def _complaint(error: MarkedYAMLError) -> Complaint:
    place = error.problem_mark or error.context_mark
    start = error.context_mark or place
    index = place.index if place else 0
    return Complaint(error.context or "", error.problem or "", start.index if start else index, index)


def _closing(text: str, start: int) -> int:
    """The index behind the parenthesis that closes the first one after `start`; `start` where none does."""
    depth = 0
    for match in _PARENTHESIS.finditer(text, start, start + LONGEST_CALL):
        depth += 1 if match.group() == "(" else -1
        if depth <= 0:
            return match.end()
    return start


def _shown(written: str) -> str:
    """A piece of the file as a message quotes it: one line, not too long."""
    line = " ".join(written.split())
    return line if len(line) <= 40 else line[:39] + "…"


_HANDLERS: dict[type, Callable[[_Build, Any], None]] = {
    DocumentStartEvent: _Build.document_start,
    ScalarEvent: _Build.scalar,
    AliasEvent: _Build.alias,
    MappingStartEvent: _Build.mapping_start,
    MappingEndEvent: _Build.end,
    SequenceStartEvent: _Build.sequence_start,
    SequenceEndEvent: _Build.end,
}
