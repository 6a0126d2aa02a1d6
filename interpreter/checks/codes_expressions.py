"""The codes of what can be wrong inside an expression, for `explain`; typing the expression finds them."""

from __future__ import annotations

from interpreter.checks.finding import Check

_SHEET = """
tables: {voies: {columns: [label, rang], rows: {ruse: [Ruse, 1], force: [Force, 2]}}}
sheets:
  heros:
    stats: {corps: 0..6, talents: {keys: table.voies, range: 0..3}}
    fields: {humeur: {key: [gai, triste], default: gai}, ami: {one: heros}}
actions:
  courir:
    who: {self: heros}
    steps:
      - let: {resultat: "%s"}
      - say: "{resultat}"
"""


def _check(code: str, title: str, rule: str, failing: str = "", passing: str = "") -> Check:
    return Check(code, title, rule, _SHEET % failing if failing else "", _SHEET % passing if passing else "")


CHECKS = (
    Check(
        "E0301",
        "an expression that is empty",
        "Where an expression is wanted, something is computed; so also between the braces of a text.",
        'actions: {courir: {steps: [{say: "On court {} pas."}]}}\n',
        'actions: {courir: {steps: [{say: "On court {1 + 2} pas."}]}}\n',
    ),
    _check(
        "E0302",
        "an expression that is too long",
        "An expression has a length and a depth that a reader can follow; longer ones are made of named parts.",
        "1 + " * 500 + "1",
        "self.corps + 1",
    ),
    _check(
        "E0303",
        "a sign that is not of the language",
        "Expressions use the signs of the manual; others are written in their place.",
        "self.corps × 2",
        "self.corps * 2",
    ),
    _check(
        "E0304",
        "a number written in another way",
        "A number is written 12 or 0.5: no leading zeros, separators or exponents.",
        "self.corps + 010",
        "self.corps + 10",
    ),
    _check(
        "E0305",
        "a text that is not closed",
        "A text inside an expression stands in quotes on both sides.",
        "self.humeur == 'gai",
        "self.humeur == 'gai'",
    ),
    _check(
        "E0306",
        "a bracket without its partner",
        "Every bracket is closed.",
        "(self.corps + 1",
        "(self.corps + 1)",
    ),
    _check(
        "E0307",
        "a value or an operator that is missing",
        "Between two values stands an operator, and on both sides of an operator a value.",
        "self.corps +",
        "self.corps + 1",
    ),
    _check(
        "E0308",
        "something that this language has not",
        "Expressions have no powers, no methods, no assignments: what they have is small enough to be checked.",
        "self.corps ** 2",
        "self.corps * self.corps",
    ),
    _check(
        "E0309",
        "dice inside an expression",
        "Dice are thrown by a `roll` step, and expressions read what fell.",
        "2d6 + self.corps",
        "7 + self.corps",
    ),
    _check(
        "E0310",
        "one `=` where a comparison is meant",
        "To compare, write ==; a `let` step gives a name a value.",
        "self.corps = 3",
        "self.corps == 3",
    ),
    _check(
        "E0311",
        "a name that is unknown here",
        "An expression reads roles, inputs, values, rolls and names that stand before it, and the shared "
        "names of the system.",
        "slef.corps + 1",
        "self.corps + 1",
    ),
    _check(
        "E0312",
        "a part that is not there",
        "After a dot stands a part of what is before it: a stat, a gauge, a column, a reading.",
        "self.crops + 1",
        "self.corps + 1",
    ),
    Check(
        "E0313",
        "an id that is also a name",
        "An id beside a value of its set means that id, so it is not the name of something else there.",
        """
sheets: {heros: {fields: {humeur: {key: [gai, triste], default: gai}}}}
actions:
  courir:
    who: {self: heros}
    inputs: {gai: {flag: false}}
    steps: [{say: Il rit., when: self.humeur == gai and gai}]
""",
        """
sheets: {heros: {fields: {humeur: {key: [gai, triste], default: gai}}}}
actions:
  courir:
    who: {self: heros}
    inputs: {rieur: {flag: false}}
    steps: [{say: Il rit., when: self.humeur == gai and rieur}]
""",
    ),
    _check(
        "E0314",
        "an id that its set does not have",
        "A text beside a value of a set of ids is one of them.",
        "self.humeur == 'gaie'",
        "self.humeur == 'gai'",
    ),
    Check(
        "E0320",
        "a value of another sort than the place wants",
        "Each place wants a number, a yes or no, an id or a thing, and gets one.",
        """
sheets: {heros: {stats: {corps: 0..6}}}
actions:
  courir:
    who: {self: heros}
    require: [self.corps + 1]
    steps: [{say: Il court.}]
""",
        """
sheets: {heros: {stats: {corps: 0..6}}}
actions:
  courir:
    who: {self: heros}
    require: [self.corps > 1]
    steps: [{say: Il court.}]
""",
    ),
    _check(
        "E0321",
        "an operator on values that it does not work on",
        "One counts with numbers, and combines conditions with and, or, not.",
        "self.humeur + 1",
        "self.corps + 1",
    ),
    _check(
        "E0322",
        "a comparison of two different sorts of things",
        "Numbers are compared with numbers, ids with ids of the same set.",
        "self.corps > self.humeur",
        "self.corps > 2",
    ),
    Check(
        "E0323",
        "a fraction where a whole number is wanted",
        "Dice, points and ranges are whole: what is divided is rounded.",
        """
sheets: {heros: {gauges: {vie: {range: 0..9, start: 9}}}}
actions:
  tomber:
    who: {self: heros}
    steps: [{change: {self.vie: -self.vie / 2}}]
""",
        """
sheets: {heros: {gauges: {vie: {range: 0..9, start: 9}}}}
actions:
  tomber:
    who: {self: heros}
    steps: [{change: {self.vie: -ceil(self.vie / 2)}}]
""",
    ),
    Check(
        "E0324",
        "a number that is always out of range",
        "A number can be what its place wants.",
        """
actions:
  courir:
    inputs: {pas: {int: 1..3}}
    steps: [{let: {loin: pas * 1000000000000 * 10}}, {say: "{loin}"}]
""",
        """
actions:
  courir:
    inputs: {pas: {int: 1..3}}
    steps: [{let: {loin: pas * 1000}}, {say: "{loin}"}]
""",
    ),
    _check(
        "E0325",
        "a division by what may be zero",
        "A divisor is never zero, or a condition guards it.",
        "floor(6 / self.corps)",
        "floor(6 / self.corps) if self.corps > 0 else 0",
    ),
    _check(
        "E0326",
        "something that may be absent is read without a guard",
        "What may be absent is read where `given` has been asked.",
        "self.ami.corps",
        "self.ami.corps if given(self.ami) else 0",
    ),
    _check(
        "E0327",
        "a function that does not exist",
        "Expressions call the functions of the manual.",
        "maxi(self.corps, 1)",
        "max(self.corps, 1)",
    ),
    _check(
        "E0328",
        "arguments that do not suit their function",
        "Each function takes what its signature says.",
        "max(self.corps)",
        "max(self.corps, 1)",
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
