"""The codes of what can be wrong with a rule file as YAML, for `explain`; the reader itself finds them."""

from __future__ import annotations

from interpreter.checks.finding import Check

_SAID = """
actions:
  run:
    steps: [{say: %s}]
"""


def _check(code: str, title: str, rule: str, failing: str = "", passing: str = "") -> Check:
    return Check(code, title, rule, failing, passing)


CHECKS = (
    _check(
        "E0001",
        "a file or folder that is not there",
        "A command is given a file, a folder, or the id of a shipped system.",
    ),
    _check(
        "E0002",
        "a folder without rules",
        "A folder of rules holds at least one file that ends in .yaml.",
    ),
    _check(
        "E0003",
        "a file in another encoding",
        "Rule files are UTF-8 text, with or without a byte order mark, on every system.",
    ),
    _check(
        "E0004",
        "a character that no rule file may hold",
        "Control characters and halves of characters have no place in a rule file, not even as an escape.",
        _SAID % '"He \\x07 runs."',
        _SAID % '"He runs."',
    ),
    _check(
        "E0005",
        "an empty file",
        "A rule file holds rules: one with nothing but comments checks nothing, and says so.",
        "# nothing\n",
        _SAID % "He runs.",
    ),
    _check(
        "E0006",
        "a file that is no list of names with values",
        "A rule file is made of lines `name: value`, not of a list or a single text.",
        "- run\n- shout\n",
        _SAID % "He runs.",
    ),
    _check(
        "E0007",
        "a second document in a file",
        "One file holds one YAML document, so that nothing below a line `---` is forgotten.",
        _SAID % "He runs." + "---\nactions: {}\n",
        _SAID % "He runs.",
    ),
    _check(
        "E0008",
        "an order to YAML",
        "A line that begins with % is an order to YAML itself; only `%YAML 1.2` may stand, before a `---`.",
        "%YAML 1.1\n---" + _SAID % "He runs.",
        "%YAML 1.2\n---" + _SAID % "He runs.",
    ),
    _check(
        "E0009",
        "values nested too deeply",
        "Mappings and lists lie within one another up to a limit far above any rule written by hand.",
        "actions: " + "[" * 80 + "]" * 80 + "\n",
        _SAID % "He runs.",
    ),
    _check(
        "E0010",
        "a file with too many values",
        "A file holds values up to a limit far above any rule file written by hand.",
    ),
    _check(
        "E0011",
        "a tag of YAML",
        "A value that begins with `!` is a tag for YAML: a text that begins so stands in quotes.",
        _SAID % "!flee He runs.",
        _SAID % "'!flee He runs.'",
    ),
    _check(
        "E0012",
        "an alias or anchor of YAML",
        "A value that begins with `*` or `&` means an alias or anchor: a text that begins so stands in quotes.",
        _SAID % "*2",
        _SAID % "'*2'",
    ),
    _check(
        "E0013",
        "a merge of YAML",
        "`<<` brings nothing in: what several actions share stands in `blocks`.",
        "actions:\n  run:\n    <<: {label: Run}\n    steps: [{say: He runs.}]\n",
        "actions:\n  run:\n    label: Run\n    steps: [{say: He runs.}]\n",
    ),
    _check(
        "E0014",
        "a name that stands twice",
        "In one mapping each name stands once; names that only differ in how their accents are stored are the same.",
        "actions:\n  run: {steps: [{say: He runs.}]}\n  run: {steps: [{say: He shouts.}]}\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n  shout: {steps: [{say: He shouts.}]}\n",
    ),
    _check(
        "E0015",
        "a name that is none",
        "What stands before a colon is a text.",
        "actions:\n  [run]: {steps: [{say: He runs.}]}\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n",
    ),
    _check(
        "E0016",
        "a condition that YAML reads as a block of text",
        "A value that begins with `>` or `|` starts a block of text on the lines below: a text that begins "
        "so stands in quotes.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % ">5",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "'>5'",
    ),
    _check(
        "E0017",
        "an expression cut at its comma",
        "Inside braces and brackets a comma ends the value: an expression with a comma stands in quotes there.",
        "actions:\n  run:\n    steps: [{let: {paces: min(2, 3)}}, {say: '{paces}'}]\n",
        "actions:\n  run:\n    steps: [{let: {paces: 'min(2, 3)'}}, {say: '{paces}'}]\n",
    ),
    _check(
        "E0018",
        "a text in braces that YAML reads as a mapping",
        "A value in braces is a mapping: a text that begins with a brace stands in quotes.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "{paces}",
        "actions:\n  run:\n    steps:\n      - let: {paces: 3}\n      - say: '{paces}'\n",
    ),
    _check(
        "E0019",
        "an invisible character in a name",
        "A name holds no character that shows as nothing, or as a space.",
        "actions:\n  ru\u200bn: {steps: [{say: He runs.}]}\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n",
    ),
    _check(
        "E0020",
        "a file that is not valid YAML",
        "A rule file is YAML 1.2.",
        _SAID % '"\\UFFFFFFFF"',
        _SAID % '"He runs."',
    ),
    _check(
        "E0021",
        "a text with a colon",
        "A colon and a space make a name of what stands before them: a text that holds them stands in quotes.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "Hit: lose two points.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "'Hit: lose two points.'",
    ),
    _check(
        "E0022",
        "a sign with which no text can begin",
        "A text that begins with a sign of YAML stands in quotes.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "@ana runs.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "'@ana runs.'",
    ),
    _check(
        "E0023",
        "a tab where YAML wants spaces",
        "Lines are indented with spaces.",
        "actions:\n\trun: {steps: [{say: He runs.}]}\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n",
    ),
    _check(
        "E0024",
        "a quote that is not closed, or closes too early",
        "A text in quotes ends with its quote; an apostrophe inside single quotes is written twice.",
        _SAID % "'The hero's running.'",
        _SAID % "'The hero''s running.'",
    ),
    _check(
        "E0025",
        "a bracket without its partner",
        "Every bracket and brace is closed, and a text that holds one stands in quotes inside others.",
        "actions:\n  run: {steps: [{say: He runs.}]\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n",
    ),
    _check(
        "E0026",
        "a line that is out of line",
        "The names of one group have the same indentation.",
        "actions:\n  run: {steps: [{say: He runs.}]}\n shout: {steps: [{say: He shouts.}]}\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n  shout: {steps: [{say: He shouts.}]}\n",
    ),
    _check(
        "E0027",
        "a backslash that begins nothing",
        "In double quotes a backslash begins an escape; a plain one is written twice.",
        _SAID % '"He \\climbs."',
        _SAID % '"He \\\\climbs."',
    ),
    _check(
        "E0028",
        "a line without a colon",
        "A line is `name: value` or `- value`, with a space after the colon or the dash.",
        "actions:\n  run: {steps: [{say: He runs.}]}\nshout\n",
        "actions:\n  run: {steps: [{say: He runs.}]}\n",
    ),
    _check(
        "E0029",
        "a file that is too large",
        "A rule file has a size limit far above any written by hand; rules can be split into several files "
        "of a folder.",
    ),
    _check(
        "W0001",
        "a text that loses its tail",
        "Behind a space, `#` starts a comment: a text that holds it stands in quotes.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "Number #3 runs.",
        _SAID.replace("[{say: %s}]", "\n      - say: %s") % "'Number #3 runs.'",
    ),
)
