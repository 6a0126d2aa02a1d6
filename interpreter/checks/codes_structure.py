"""The codes of what can be wrong with the structure of rules and with what they are built from, for `explain`."""

from __future__ import annotations

from interpreter.checks.finding import Check

_RUN = """
actions:
  courir:
    steps: [{say: Il court.}]
"""

CHECKS = (
    Check(
        "E0101",
        "a key that means nothing",
        "Only the keys of the language may be written, so that a misspelt one never goes unnoticed.",
        """
actions:
  courir:
    inputs: {vite: {flag: false}}
    steps: [{say: Il court., wehn: vite}]
""",
        """
actions:
  courir:
    inputs: {vite: {flag: false}}
    steps: [{say: Il court., when: vite}]
""",
    ),
    Check(
        "E0102",
        "a key that is missing",
        "Some parts cannot do without some keys.",
        """
procedures:
  souffler: {label: Souffler}
actions: {courir: {steps: [{call: souffler}]}}
""",
        """
procedures:
  souffler: {label: Souffler, do: [{say: Pfff.}]}
actions: {courir: {steps: [{call: souffler}]}}
""",
    ),
    Check(
        "E0103",
        "a value of another sort",
        "Each key says what stands behind it: a number, a range, a list, a mapping.",
        """
sheets: {heros: {stats: {corps: 1-6}}}
actions: {courir: {who: {self: heros}, steps: [{say: Il court.}]}}
""",
        """
sheets: {heros: {stats: {corps: 1..6}}}
actions: {courir: {who: {self: heros}, steps: [{say: Il court.}]}}
""",
    ),
    Check(
        "E0104",
        "a part that does not say what kind it is",
        "A step, an input or a field says by one of its keys which kind it is.",
        """
actions: {courir: {steps: [{when: 1 > 0}]}}
""",
        _RUN,
    ),
    Check(
        "E0105",
        "a part that is of two kinds",
        "Of the keys that say which kind something is, one stands there.",
        """
actions: {courir: {inputs: {vite: {flag: false, int: 0..3}}, steps: [{say: "{vite}"}]}}
""",
        """
actions: {courir: {inputs: {vite: {flag: false}}, steps: [{say: "{vite}"}]}}
""",
    ),
    Check(
        "E0106",
        "a key without a value",
        "What is written has a value; an empty text is written ''.",
        """
actions: {courir: {label: , steps: [{say: Il court.}]}}
""",
        """
actions: {courir: {label: Courir, steps: [{say: Il court.}]}}
""",
    ),
    Check(
        "E0107",
        "a word that is none of those possible",
        "Where only a few words are possible, one of them is written.",
        """
actions: {courir: {inputs: {pas: {int: 0..3, beyond: cut}}, steps: [{say: "{pas}"}]}}
""",
        """
actions: {courir: {inputs: {pas: {int: 0..3, beyond: clamp}}, steps: [{say: "{pas}"}]}}
""",
    ),
    Check(
        "E0108",
        "an id that is none",
        "An id has small letters, digits and `_`, begins with a letter, and is no word of the language; the "
        "label has the accents.",
        """
actions: {Courir-Vite: {steps: [{say: Il court.}]}}
""",
        """
actions: {courir_vite: {steps: [{say: Il court.}]}}
""",
    ),
    Check(
        "E0109",
        "a list or mapping with too few entries",
        "What must have entries has them.",
        """
actions: {courir: {steps: [{let: {}}]}}
""",
        """
actions: {courir: {steps: [{let: {pas: 3}}, {say: "{pas}"}]}}
""",
    ),
    Check(
        "E0201",
        "a set of keys that does not exist",
        "Keys come from `table.x`, from the keys of a stat, gauge or field such as `self.skills`, or from a "
        "list of ids.",
        """
sheets: {heros: {stats: {talents: {keys: [ruse, force], range: 0..3}}}}
actions:
  courir:
    who: {self: heros}
    inputs: {talent: {key: self.talent}}
    steps: [{say: "{talent}"}]
""",
        """
sheets: {heros: {stats: {talents: {keys: [ruse, force], range: 0..3}}}}
actions:
  courir:
    who: {self: heros}
    inputs: {talent: {key: self.talents}}
    steps: [{say: "{talent}"}]
""",
    ),
    Check(
        "E0202",
        "a table that does not exist",
        "`table.x` names a table of the section `tables`.",
        """
tables: {lieux: {columns: [label], rows: {mare: [La mare]}}}
actions:
  courir:
    inputs: {vers: {key: table.lieu}}
    steps: [{say: "{vers}"}]
""",
        """
tables: {lieux: {columns: [label], rows: {mare: [La mare]}}}
actions:
  courir:
    inputs: {vers: {key: table.lieux}}
    steps: [{say: "{vers}"}]
""",
    ),
    Check(
        "E0203",
        "a block that does not exist",
        "`begins_with` names blocks of the section `blocks`.",
        """
blocks: {depart: {steps: [{say: On part.}]}}
actions: {courir: {begins_with: depar, steps: [{say: Il court.}]}}
""",
        """
blocks: {depart: {steps: [{say: On part.}]}}
actions: {courir: {begins_with: depart, steps: [{say: Il court.}]}}
""",
    ),
    Check(
        "E0204",
        "an outcome set that does not exist",
        "`outcomes` holds outcomes, or names a set of the section `outcome_sets`.",
        """
outcome_sets: {fins: {gagne: }}
actions: {courir: {steps: [{say: Il court.}], outcomes: fin}}
""",
        """
outcome_sets: {fins: {gagne: }}
actions: {courir: {steps: [{say: Il court.}], outcomes: fins}}
""",
    ),
    Check(
        "E0110",
        "a part that stands in the wrong section",
        "The parts of a section have the keys of that section.",
        """
sheets:
  heros: {stats: {corps: 1..6}}
  courir:
    who: {self: heros}
    steps: [{say: Il court.}]
""",
        """
sheets:
  heros: {stats: {corps: 1..6}}
actions:
  courir:
    who: {self: heros}
    steps: [{say: Il court.}]
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
        "extends: nulle_part\n" + _RUN.lstrip(),
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
