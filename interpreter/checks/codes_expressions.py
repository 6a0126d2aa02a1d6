"""The codes of what can be wrong inside an expression, for `explain`; typing the expression finds them."""

from __future__ import annotations

from interpreter.checks.finding import Check

_SHEET = """
tables: {paths: {columns: [label, rank], rows: {cunning: [Cunning, 1], strength: [Strength, 2]}}}
sheets:
  hero:
    stats: {body: 0..6, skills: {keys: table.paths, range: 0..3}}
    fields: {mood: {key: [happy, sad], default: happy}, friend: {one: hero}}
actions:
  run:
    who: {self: hero}
    steps:
      - let: {result: "%s"}
      - say: "{result}"
"""


def _check(code: str, title: str, rule: str, failing: str = "", passing: str = "") -> Check:
    return Check(code, title, rule, _SHEET % failing if failing else "", _SHEET % passing if passing else "")


CHECKS = (
    Check(
        "E0301",
        "an expression that is empty",
        "Where an expression is wanted, something is computed; so also between the braces of a text.",
        'actions: {run: {steps: [{say: "We run {} paces."}]}}\n',
        'actions: {run: {steps: [{say: "We run {1 + 2} paces."}]}}\n',
    ),
    _check(
        "E0302",
        "an expression that is too long",
        "An expression has a length and a depth that a reader can follow; longer ones are made of named parts.",
        "1 + " * 500 + "1",
        "self.body + 1",
    ),
    _check(
        "E0303",
        "a sign that is not of the language",
        "Expressions use the signs of the manual; others are written in their place.",
        "self.body × 2",
        "self.body * 2",
    ),
    _check(
        "E0304",
        "a number written in another way",
        "A number is written 12 or 0.5: no leading zeros, separators or exponents.",
        "self.body + 010",
        "self.body + 10",
    ),
    _check(
        "E0305",
        "a text that is not closed",
        "A text inside an expression stands in quotes on both sides.",
        "self.mood == 'happy",
        "self.mood == 'happy'",
    ),
    _check(
        "E0306",
        "a bracket without its partner",
        "Every bracket is closed.",
        "(self.body + 1",
        "(self.body + 1)",
    ),
    _check(
        "E0307",
        "a value or an operator that is missing",
        "Between two values stands an operator, and on both sides of an operator a value.",
        "self.body +",
        "self.body + 1",
    ),
    _check(
        "E0308",
        "something that this language has not",
        "Expressions have no powers, no methods, no assignments: what they have is small enough to be checked.",
        "self.body ** 2",
        "self.body * self.body",
    ),
    _check(
        "E0309",
        "dice inside an expression",
        "Dice are thrown by a `roll` step, and expressions read what fell.",
        "2d6 + self.body",
        "7 + self.body",
    ),
    _check(
        "E0310",
        "one `=` where a comparison is meant",
        "To compare, write ==; a `let` step gives a name a value.",
        "self.body = 3",
        "self.body == 3",
    ),
    _check(
        "E0311",
        "a name that is unknown here",
        "An expression reads roles, inputs, values, rolls and names that stand before it, and the shared "
        "names of the system.",
        "slef.body + 1",
        "self.body + 1",
    ),
    _check(
        "E0312",
        "a part that is not there",
        "After a dot stands a part of what is before it: a stat, a gauge, a column, a reading; between [ ] after a row "
        "stands a key whose ids are all columns.",
        "self.bdoy + 1",
        "self.body + 1",
    ),
    Check(
        "E0313",
        "an id that is also a name",
        "An id beside a value of its set means that id, so it is not the name of something else there.",
        """
sheets: {hero: {fields: {mood: {key: [happy, sad], default: happy}}}}
actions:
  run:
    who: {self: hero}
    inputs: {happy: {flag: false}}
    steps: [{say: He laughs., when: self.mood == happy and happy}]
""",
        """
sheets: {hero: {fields: {mood: {key: [happy, sad], default: happy}}}}
actions:
  run:
    who: {self: hero}
    inputs: {laughing: {flag: false}}
    steps: [{say: He laughs., when: self.mood == happy and laughing}]
""",
    ),
    _check(
        "E0314",
        "an id that its set does not have",
        "A text beside a value of a set of ids is one of them.",
        "self.mood == 'hapy'",
        "self.mood == 'happy'",
    ),
    Check(
        "E0320",
        "a value of another sort than the place wants",
        "Each place wants a number, a yes or no, an id or a thing, and gets one.",
        """
sheets: {hero: {stats: {body: 0..6}}}
actions:
  run:
    who: {self: hero}
    require: [self.body + 1]
    steps: [{say: He runs.}]
""",
        """
sheets: {hero: {stats: {body: 0..6}}}
actions:
  run:
    who: {self: hero}
    require: [self.body > 1]
    steps: [{say: He runs.}]
""",
    ),
    _check(
        "E0321",
        "an operator on values that it does not work on",
        "One counts with numbers, and combines conditions with and, or, not.",
        "self.mood + 1",
        "self.body + 1",
    ),
    _check(
        "E0322",
        "a comparison of two different sorts of things",
        "Numbers are compared with numbers, ids with ids of the same set.",
        "self.body > self.mood",
        "self.body > 2",
    ),
    Check(
        "E0323",
        "a fraction where a whole number is wanted",
        "Dice, points and ranges are whole: what is divided is rounded.",
        """
sheets: {hero: {gauges: {life: {range: 0..9, start: 9}}}}
actions:
  fall:
    who: {self: hero}
    steps: [{change: {self.life: -self.life / 2}}]
""",
        """
sheets: {hero: {gauges: {life: {range: 0..9, start: 9}}}}
actions:
  fall:
    who: {self: hero}
    steps: [{change: {self.life: -ceil(self.life / 2)}}]
""",
    ),
    Check(
        "E0324",
        "a number that is always out of range",
        "A number can be what its place wants.",
        """
actions:
  run:
    inputs: {paces: {int: 1..3}}
    steps: [{let: {far: paces * 1000000000000 * 10}}, {say: "{far}"}]
""",
        """
actions:
  run:
    inputs: {paces: {int: 1..3}}
    steps: [{let: {far: paces * 1000}}, {say: "{far}"}]
""",
    ),
    _check(
        "E0325",
        "a division by what may be zero",
        "A divisor is never zero, or a condition guards it.",
        "floor(6 / self.body)",
        "floor(6 / self.body) if self.body > 0 else 0",
    ),
    _check(
        "E0326",
        "something that may be absent is read without a guard",
        "What may be absent is read where `given` has been asked.",
        "self.friend.body",
        "self.friend.body if given(self.friend) else 0",
    ),
    _check(
        "E0327",
        "a function that does not exist",
        "Expressions call the functions of the manual.",
        "maximum(self.body, 1)",
        "max(self.body, 1)",
    ),
    _check(
        "E0328",
        "arguments that do not suit their function",
        "Each function takes what its signature says.",
        "max(self.body)",
        "max(self.body, 1)",
    ),
    _check("E0340", "a division by zero in play", "What cannot be computed refuses the action, and changes nothing."),
    _check(
        "E0341",
        "a number too large in play",
        "Numbers have a limit; beyond it the action is refused, and changes nothing.",
    ),
    _check("E0342", "a value of the wrong sort in play", "Rules that pass the checks never come to this."),
    _check("E0343", "a value without a case in play", "Rules that pass the checks never come to this."),
)
