"""Say in plain words what a YAML parser's complaint means, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from interpreter.characters import without_invisible

QUOTE = "put the whole text in quotes, as in `'…'`"
_VALUE = re.compile(r"(?P<before>\s*(?:- +)*(?:[^\s'\"\[{#][^:]*:\s+)?)(?P<value>.*)")
_LONGEST_EXAMPLE = 70
_CLOSERS = {"[": "]", "{": "}"}
_INDICATOR = re.compile(r"[\[\]{},]")
_KEY_END = re.compile(r":( |$)")
_TAB_INDENT = re.compile(r"^ *(\t)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the parser said, and the indexes in the text that it pointed at."""

    context: str
    problem: str
    start: int
    index: int


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault for a person to mend, and what lets the reading go on past it.

    `letters` are the indexes of characters to take as mere letters, `skipped` of those to take for the start of a
    comment.
    """

    code: str
    message: str
    index: int
    hint: str = ""
    letters: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    opened: int | None = None


Explain = Callable[[str, Complaint, str], Fault]


def explain(text: str, complaint: Complaint) -> Fault:
    """The fault behind a complaint about `text`."""
    said = f"{complaint.context}: {complaint.problem}"
    for pattern, handler in _MEANINGS:
        if pattern.search(said):
            fault = handler(text, complaint, text[complaint.index : complaint.index + 1])
            return replace(fault, letters=_within(text, fault.letters), skipped=_within(text, fault.skipped))
    return Fault("E0020", f"this is not valid YAML: {complaint.problem or complaint.context}", complaint.index)


def _within(text: str, indexes: tuple[int, ...]) -> tuple[int, ...]:
    """Those of the indexes at which a character can be read otherwise without moving the lines."""
    return tuple(index for index in indexes if text[index : index + 1] not in ("", "\n"))


def sentence(words: str) -> str:
    """`words` with a capital and a full stop."""
    return words and words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!")) else ".")


def quote(value: str) -> str:
    """`value` as one writes it in YAML so that it stays text."""
    return f"'{value}'" if "'" not in value else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quote_hint(value: str) -> str:
    """Advice to quote `value`, spelled out where it is short enough to be read at a glance."""
    value = value.strip()
    return f"put it in quotes: `{quote(value)}`" if 0 < len(value) <= _LONGEST_EXAMPLE else QUOTE


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line(text: str, index: int) -> str:
    start = _line_start(text, index)
    end = text.find("\n", index)
    return text[start : end if end >= 0 else len(text)]


def _line_above(text: str, index: int) -> tuple[int, str]:
    """The nearest line above that holds something: where it starts, and its text without a comment."""
    start = _line_start(text, index)
    while start > 0:
        start = _line_start(text, start - 1)
        content = _line(text, start).partition(" #")[0].rstrip()
        if content.strip() and not content.lstrip().startswith("#"):
            return start, content
    return 0, ""


def _deeper_block(text: str, index: int) -> int | None:
    """Where the lines just above `index` begin that are indented more than its own: these may be the wrong ones."""
    line, found = _line(text, index), None
    indent = len(line) - len(line.lstrip())
    start, above = _line_above(text, index)
    while above and (depth := len(above) - len(above.lstrip())) > indent:
        found = start + depth
        start, above = _line_above(text, start)
    return found


def _hint_for_value(text: str, index: int) -> str:
    """Advice to quote the value around `index`, spelled out unless brackets or quotes make its extent unsure."""
    match = _VALUE.match(_line(text, index))
    value = match["value"].partition(" #")[0] if match else ""
    if value.startswith(("{", "[")):
        first, last = _flow_value(text, index)
        value = text[first:last]
    return QUOTE if value.startswith(("'", '"')) else quote_hint(value)


def _colon(text: str, complaint: Complaint, char: str) -> Fault:
    """A second `: ` in a line, or a key where no key can be."""
    index = complaint.index
    before = text[_line_start(text, index) : index]
    if _KEY_END.search(before) or before.lstrip().startswith("- "):
        message = "this text holds a colon and a space, which YAML reads as one more key"
        return Fault("E0021", message, index, _hint_for_value(text, index), (index,))
    above, content = _line_above(text, index)
    if content and not _KEY_END.search(content):
        return _nameless(content, above + len(content) - len(content.lstrip()))
    message = "this line is indented below a line that already has a value"
    return Fault("E0026", message, index, "line it up with the other keys of the same group", (index,), opened=above)


def _no_colon(text: str, complaint: Complaint, char: str) -> Fault:
    return _nameless(_line(text, complaint.start), complaint.start)


def _nameless(line: str, start: int) -> Fault:
    """A line, from `start`, with no name that YAML can see."""
    hint = f"write it as a name with its colon (`{line.strip()}:`), or as `- value` in a list"
    if without_invisible(line) != line:
        hint = "it holds a special space (a no-break space perhaps): type it again with plain spaces"
    elif "：" in line:
        hint = "its colon is the wide one of other scripts: type a plain `:` and a space"
    elif re.match(r"\s*[^\s:]+:\S", line):
        hint = "put a space after the colon"
    return Fault("E0028", "this line is neither `name: value` nor `- value`", start, hint, skipped=(start,))


def _bad_start(text: str, complaint: Complaint, char: str) -> Fault:
    index = complaint.index
    if char != "\t":
        return Fault("E0022", f"a text cannot begin with `{char}`", index, _hint_for_value(text, index), (index,))
    hint = "use spaces instead of tabs"
    if text[_line_start(text, index) : index].strip():
        return Fault("E0023", "a tab stands where YAML wants spaces", index, hint, (index,))
    tabs = tuple(match.start(1) for match in _TAB_INDENT.finditer(text, index))
    return Fault("E0023", "a tab cannot indent a line", index, hint, skipped=tabs or (index,))


def _block_header(text: str, complaint: Complaint, char: str) -> Fault:
    start = complaint.start
    mark = text[start : start + 1]
    message = f"`{mark}` at the beginning of a value starts a block of text on the lines below"
    return Fault("E0016", message, start, _hint_for_value(text, start), (start,))


def _block_indent(text: str, complaint: Complaint, char: str) -> Fault:
    message = "the first line of this block of text is indented less than the empty line above it"
    return Fault("E0026", message, complaint.index, "take the spaces out of the empty line")


def _entry(text: str, complaint: Complaint, char: str) -> Fault:
    index = complaint.index
    hint = f"for a list, begin it on a line of its own; for a negative number, leave no space after `{char}`"
    message = f"`{char}` and a space start a list entry, which cannot stand here"
    if char == "?":
        message, hint = "`?` and a space start a key, which cannot stand here", QUOTE
    return Fault("E0022", message, index, hint, (index,))


def _directive(text: str, complaint: Complaint, char: str) -> Fault:
    return Fault(
        "E0008", "a line that begins with `%` is an order to YAML itself", complaint.start, "take the line out"
    )


def _anchor(text: str, complaint: Complaint, char: str) -> Fault:
    start = complaint.start
    message = f"`{text[start : start + 1]}` at the beginning of a value means an alias or anchor of YAML"
    return Fault("E0012", message, start, _hint_for_value(text, start), (start,))


def _tag(text: str, complaint: Complaint, char: str) -> Fault:
    start = complaint.start
    message = "`!` at the beginning of a value means a tag of YAML"
    return Fault("E0011", message, start, _hint_for_value(text, start), (start,))


def _unclosed_quote(text: str, complaint: Complaint, char: str) -> Fault:
    mark = text[complaint.start : complaint.start + 1]
    message = f"the quote `{mark}` opened here is never closed"
    return Fault("E0024", message, complaint.start, f"close it with `{mark}` at the end of the text")


def _escape(text: str, complaint: Complaint, char: str) -> Fault:
    message = "a backslash in double quotes begins an escape, and YAML does not know this one"
    return Fault("E0027", message, complaint.index, "write the backslash twice, or use single quotes")


def _after_value(text: str, complaint: Complaint) -> Fault | None:
    """Text behind a closing quote or bracket, the commonest reason for an unexpected piece of text."""
    index = complaint.index
    before = text[_line_start(text, index) : index].rstrip()
    if before.endswith(("'", '"')):
        mark = before[-1]
        match = re.search(r":\s+(['\"])(.+)\1$", _line(text, index).rstrip())
        hint = "write an apostrophe twice (`''`) inside single quotes, or use double quotes around the text"
        if match:
            hint = f"put it in quotes of the other kind: `{quote(match[2])}`"
        elif mark == '"':
            hint = 'write `\\"` for a quote inside double quotes, or quote the whole text'
        message = f"the text goes on after its closing quote `{mark}`"
        return Fault("E0024", message, index, hint, opened=_opening_quote(text, index, mark))
    if before.endswith(("}", "]")):
        match = _VALUE.match(_line(text, index))
        value = match["value"] if match else ""
        start = _line_start(text, index) + (match.start("value") if match else 0)
        letters = indicators(text, start, start + len(value)) if value.startswith(("{", "[")) else ()
        return Fault("E0025", f"the text goes on after a closing `{before[-1]}`", index, quote_hint(value), letters)
    return None


def _opening_quote(text: str, index: int, mark: str) -> int | None:
    """Where a text began that was closed just before `index`, on a line above: a quote is missing there."""
    start = text.rfind(mark, 0, text.rfind(mark, 0, index))
    return start if 0 <= start < _line_start(text, index) else None


def _block_end(text: str, complaint: Complaint, char: str) -> Fault:
    """An unexpected piece in a block: a stray bracket, text behind a value, or a line out of line."""
    if char and char in "]},":
        message = f"this `{char}` closes nothing" if char != "," else "a comma cannot stand here"
        hint = f"take it out; for a text, {QUOTE}"
        return Fault("E0025", message, complaint.index, hint, (complaint.index,))
    after = _after_value(text, complaint)
    if after:
        return after
    opened = _deeper_block(text, complaint.index)
    if opened is None and complaint.start < complaint.index:
        opened = complaint.start
    hint = "give all keys, or all entries, of one group the same indentation"
    return Fault("E0026", "this line does not line up with those above it", complaint.index, hint, opened=opened)


def _flow_end(text: str, complaint: Complaint, char: str) -> Fault:
    """A bracket that YAML could not close."""
    start, index = complaint.start, complaint.index
    opener = text[start : start + 1]
    closer = _CLOSERS.get(opener, "]")
    if index >= len(text.rstrip()):
        return Fault("E0025", f"the `{opener}` opened here is never closed", start, f"add the missing `{closer}`")
    if char in _CLOSERS:
        first, last = _flow_value(text, index)
        message = f"a text with `{char}` in it must be quoted inside `{opener} {closer}`"
        return Fault("E0025", message, index, quote_hint(text[first:last]), indicators(text, index, last))
    after = _after_value(text, complaint)
    if after:
        return after
    if char == ":" and "\n" not in text[start:index]:
        message = "this text holds a colon and a space, which YAML reads as one more key"
        return Fault("E0021", message, index, _hint_for_value(text, index), (index,))
    return Fault("E0025", f"a comma or `{closer}` is missing before this", index, f"close the `{opener}`", opened=start)


def _flow_value(text: str, index: int) -> tuple[int, int]:
    """The span of the text around the bracket at `index`, as its author meant it, inside other brackets."""
    line = _line_start(text, index)
    start = max(line, *(text.rfind(mark, line, index) + len(mark) for mark in (": ", ", ", "{", "[")))
    depth = 0
    end = line + len(_line(text, index))
    for match in _INDICATOR.finditer(text, index, end):
        depth += (match.group() in "[{") - (match.group() in "]}")
        if depth < 0 or (depth == 0 and match.group() == ","):
            return start, match.start()
    return start, end


def indicators(text: str, start: int, end: int) -> tuple[int, ...]:
    """The indexes of the characters in a span that mean something inside brackets."""
    return tuple(match.start() for match in _INDICATOR.finditer(text, start, end))


def _no_content(text: str, complaint: Complaint, char: str) -> Fault:
    index = complaint.index
    if not char.strip():
        return Fault("E0022", "a value is missing here", index, "write it, or close what is open")
    message, opened = f"a value cannot begin with `{char}`", _unclosed(text, index)
    return Fault("E0022", message, index, _hint_for_value(text, index), (index,), opened=opened)


def _unclosed(text: str, index: int) -> int | None:
    """The nearest bracket on a line above that is still open at `index`."""
    depth = 0
    for match in reversed(list(_INDICATOR.finditer(text, 0, index))):
        depth += (match.group() in "]}") - (match.group() in "[{")
        if depth < 0:
            return match.start() if match.start() < _line_start(text, index) else None
    return None


def _second_document(text: str, complaint: Complaint, char: str) -> Fault:
    return Fault("E0007", "only one YAML document may stand in a file", complaint.index, "take out the line `...`")


_MEANINGS: tuple[tuple[re.Pattern[str], Explain], ...] = tuple(
    (re.compile(pattern), handler)
    for pattern, handler in (
        (r"mapping values are not allowed|unexpected ':'", _colon),
        (r"could not find expected ':'", _no_colon),
        (r"cannot start any token", _bad_start),
        (r"more indented follow up line", _block_indent),
        (r"scanning a block scalar", _block_header),
        (r"sequence entries are not allowed|mapping keys are not allowed", _entry),
        (r"directive", _directive),
        (r"an (alias|anchor)", _anchor),
        (r"(scanning|parsing) an? tag|tag handle", _tag),
        (r"escape", _escape),
        (r"quoted scalar", _unclosed_quote),
        (r"expected <block end>|expected '<document start>'", _block_end),
        (r"expected ',' or", _flow_end),
        (r"expected the node content", _no_content),
        (r"after document end marker", _second_document),
    )
)
