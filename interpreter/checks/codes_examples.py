"""The codes of what can be wrong with worked examples, each with a file that has the problem and one that has not."""

from __future__ import annotations

from interpreter.checks.finding import Check

_RULES = """
sheets: {hero: {stats: {body: 1..6}}}
actions:
  jump:
    who: {self: hero}
    inputs: {speed: {int: 0..3, default: 0}}
    steps:
      - roll: {throw: 2d6}
      - choose: gait
        options: {run: , walk: }
    outcomes:
      high: {when: throw + speed + self.body >= 12}
      low:
examples:
"""


def _pair(wrong: str, right: str) -> tuple[str, str]:
    return _RULES + wrong + "\n", _RULES + right + "\n"


LIKE = Check(
    "E0501",
    "an example like one that does not exist",
    "`like` names another example, and no example is in the end like itself.",
    *_pair(
        """  quick: {action: jump, sheets: {self: {body: 2}}, dice: {throw: [6, 6]}, choices: [{gait: run}]}
  slow: {like: quik, dice: {throw: [1, 1]}}""",
        """  quick: {action: jump, sheets: {self: {body: 2}}, dice: {throw: [6, 6]}, choices: [{gait: run}]}
  slow: {like: quick, dice: {throw: [1, 1]}}""",
    ),
)
SUBJECT = Check(
    "E0502",
    "an example of something that does not exist",
    "An example plays an action, makes a sheet of some kind, runs a script, or looks at sheets.",
    *_pair("  quick: {action: jumpp, sheets: {self: {}}}", "  quick: {action: jump, sheets: {self: {}}}"),
)
SHEETS = Check(
    "E0503",
    "sheets that do not suit an example",
    "The sheets of an example stand under the roles of its action, are ready sheets or say what they hold, and are of "
    "the kind that the role wants.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {boddy: 2}}}",
        "  quick: {action: jump, sheets: {self: {body: 2}}}",
    ),
)
ANSWER = Check(
    "E0504",
    "an answer to an input that does not exist, or that cannot be given",
    "The inputs of an example are those of its action, each with an answer that it takes.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {}}, inputs: {sped: 2}}",
        "  quick: {action: jump, sheets: {self: {}}, inputs: {speed: 2}}",
    ),
)
ROLL = Check(
    "E0505",
    "dice of a roll that does not exist",
    "The dice of an example stand under the name of a roll; where a roll has groups, under `roll.group`.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {}}, dice: {throww: [6, 6]}}",
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 6]}}",
    ),
)
FACES = Check(
    "E0506",
    "dice that cannot have fallen so",
    "Each die of an example shows a face that it has, and there are as many as are thrown.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 7]}}",
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 6]}}",
    ),
)
CHOICE = Check(
    "E0507",
    "a choice or an option that does not exist",
    "The choices of an example are those of its action, each with one of its options.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 6]}, choices: [{gait: runn}]}",
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 6]}, choices: [{gait: run}]}",
    ),
)
EXPECTED = Check(
    "E0508",
    "something expected that does not exist",
    "What an example expects, and the odds that it states, name outcomes, values, rolls and parts of sheets.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 6]}, choices: [{gait: run}], expect: "
        "{outcome: highh}}",
        "  quick: {action: jump, sheets: {self: {}}, dice: {throw: [6, 6]}, choices: [{gait: run}], expect: "
        "{outcome: high}}",
    ),
)
POLICY = Check(
    "E0509",
    "an example's policy that does not exist, or for other choices",
    "The policy of an example is `best`, `worst`, `first` or one of `policies`, or answers choices of its action.",
    *_pair(
        "  quick: {action: jump, sheets: {self: {}}, policy: {gaitt: run}, odds: {low: 5/12}}",
        "  quick: {action: jump, sheets: {self: {}}, policy: {gait: run}, odds: {low: 5/12}}",
    ),
)
CHECKS = (LIKE, SUBJECT, SHEETS, ANSWER, ROLL, FACES, CHOICE, EXPECTED, POLICY)
