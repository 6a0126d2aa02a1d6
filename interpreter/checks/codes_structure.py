"""The codes of what can be wrong with the structure of rules and with what they are built from, for `explain`."""

from __future__ import annotations

from interpreter.checks.finding import Check

_RUN = """
actions:
  run:
    steps: [{say: He runs.}]
"""

CHECKS = (
    Check(
        "E0101",
        "a key that means nothing",
        "Only the keys of the language may be written, so that a misspelt one never goes unnoticed.",
        """
actions:
  run:
    inputs: {fast: {flag: false}}
    steps: [{say: He runs., wehn: fast}]
""",
        """
actions:
  run:
    inputs: {fast: {flag: false}}
    steps: [{say: He runs., when: fast}]
""",
    ),
    Check(
        "E0102",
        "a key that is missing",
        "Some parts cannot do without some keys.",
        """
procedures:
  breathe: {label: Breathe}
actions: {run: {steps: [{call: breathe}]}}
""",
        """
procedures:
  breathe: {label: Breathe, do: [{say: Phew.}]}
actions: {run: {steps: [{call: breathe}]}}
""",
    ),
    Check(
        "E0103",
        "a value of another sort",
        "Each key says what stands behind it: a number, a range, a list, a mapping.",
        """
sheets: {hero: {stats: {body: 1-6}}}
actions: {run: {who: {self: hero}, steps: [{say: He runs.}]}}
""",
        """
sheets: {hero: {stats: {body: 1..6}}}
actions: {run: {who: {self: hero}, steps: [{say: He runs.}]}}
""",
    ),
    Check(
        "E0104",
        "a part that does not say what kind it is",
        "A step, an input or a field says by one of its keys which kind it is.",
        """
actions: {run: {steps: [{when: 1 > 0}]}}
""",
        _RUN,
    ),
    Check(
        "E0105",
        "a part that is of two kinds",
        "Of the keys that say which kind something is, one stands there.",
        """
actions: {run: {inputs: {fast: {flag: false, int: 0..3}}, steps: [{say: "{fast}"}]}}
""",
        """
actions: {run: {inputs: {fast: {flag: false}}, steps: [{say: "{fast}"}]}}
""",
    ),
    Check(
        "E0106",
        "a key without a value",
        "What is written has a value; an empty text is written ''.",
        """
actions: {run: {label: , steps: [{say: He runs.}]}}
""",
        """
actions: {run: {label: Run, steps: [{say: He runs.}]}}
""",
    ),
    Check(
        "E0107",
        "a word that is none of those possible",
        "Where only a few words are possible, one of them is written.",
        """
actions: {run: {inputs: {paces: {int: 0..3, beyond: cut}}, steps: [{say: "{paces}"}]}}
""",
        """
actions: {run: {inputs: {paces: {int: 0..3, beyond: clamp}}, steps: [{say: "{paces}"}]}}
""",
    ),
    Check(
        "E0108",
        "an id that is none",
        "An id has small letters, digits and `_`, begins with a letter, and is no word of the language; the "
        "label has the accents.",
        """
actions: {Run-Fast: {steps: [{say: He runs.}]}}
""",
        """
actions: {run_fast: {steps: [{say: He runs.}]}}
""",
    ),
    Check(
        "E0109",
        "a list or mapping with too few entries",
        "What must have entries has them.",
        """
actions: {run: {steps: [{let: {}}]}}
""",
        """
actions: {run: {steps: [{let: {paces: 3}}, {say: "{paces}"}]}}
""",
    ),
    Check(
        "E0201",
        "a set of keys that does not exist",
        "Keys come from `table.x`, from the keys of a stat, gauge or field such as `self.skills`, or from a "
        "list of ids.",
        """
sheets: {hero: {stats: {skills: {keys: [cunning, strength], range: 0..3}}}}
actions:
  run:
    who: {self: hero}
    inputs: {skill: {key: self.skill}}
    steps: [{say: "{skill}"}]
""",
        """
sheets: {hero: {stats: {skills: {keys: [cunning, strength], range: 0..3}}}}
actions:
  run:
    who: {self: hero}
    inputs: {skill: {key: self.skills}}
    steps: [{say: "{skill}"}]
""",
    ),
    Check(
        "E0202",
        "a table that does not exist",
        "`table.x` names a table of the section `tables`.",
        """
tables: {places: {columns: [label], rows: {pond: [The pond]}}}
actions:
  run:
    inputs: {goal: {key: table.place}}
    steps: [{say: "{goal}"}]
""",
        """
tables: {places: {columns: [label], rows: {pond: [The pond]}}}
actions:
  run:
    inputs: {goal: {key: table.places}}
    steps: [{say: "{goal}"}]
""",
    ),
    Check(
        "E0203",
        "a block that does not exist",
        "`begins_with` names blocks of the section `blocks`.",
        """
blocks: {start: {steps: [{say: We set off.}]}}
actions: {run: {begins_with: strat, steps: [{say: He runs.}]}}
""",
        """
blocks: {start: {steps: [{say: We set off.}]}}
actions: {run: {begins_with: start, steps: [{say: He runs.}]}}
""",
    ),
    Check(
        "E0204",
        "an outcome set that does not exist",
        "`outcomes` holds outcomes, or names a set of the section `outcome_sets`.",
        """
outcome_sets: {endings: {won: }}
actions: {run: {steps: [{say: He runs.}], outcomes: ending}}
""",
        """
outcome_sets: {endings: {won: }}
actions: {run: {steps: [{say: He runs.}], outcomes: endings}}
""",
    ),
    Check(
        "E0110",
        "a part that stands in the wrong section",
        "The parts of a section have the keys of that section.",
        """
sheets:
  hero: {stats: {body: 1..6}}
  run:
    who: {self: hero}
    steps: [{say: He runs.}]
""",
        """
sheets:
  hero: {stats: {body: 1..6}}
actions:
  run:
    who: {self: hero}
    steps: [{say: He runs.}]
""",
    ),
    Check(
        "E0205",
        "a part that two files declare",
        "All files of a folder are one rule set, and each part of it stands in one of them.",
    ),
    Check("E0206", "rules that extend themselves", "Rules extend other rules, never themselves through others."),
    Check(
        "E0207",
        "rules to extend that are not there",
        "`extends` names a shipped system, or a path beside the file.",
        "extends: nowhere\n" + _RUN.lstrip(),
        _RUN,
    ),
    Check("E0208", "a part to remove that is not there", "`remove` names parts of the extended rules by dotted paths."),
    Check("E0209", "a translation of nothing", "A file of lang/ names texts of the rules by dotted paths."),
    Check(
        "E0511",
        "odds that an example writes down wrongly",
        "The odds of an example are exact, and are those of its action.",
    ),
    Check(
        "E0510",
        "an example that does not come out",
        "What an example expects is what happens when it is played; `osselet test` plays each.",
    ),
)
