"""Rule files that mean harm, or that no one can have meant: each by its name."""

from __future__ import annotations

import random
from collections.abc import Mapping

ACTION = "actions:\n  agir:\n    steps:\n"


def action(*steps: str, before: str = "") -> str:
    return before + ACTION + "".join(f"      - {step}\n" for step in steps)


def condition(expression: str) -> str:
    """An action whose one condition is an expression."""
    quoted = expression.replace("\\", "\\\\").replace('"', '\\"')
    return action(f'if: "{quoted}"\n        then: [{{say: Oui}}]', before="sheets: {heros: {stats: {x: 0..9}}}\n")


def roll(dice: str) -> str:
    return action(f"roll: {{jet: {dice}}}", 'say: "{jet}"')


def nested(opening: str, closing: str, depth: int, inner: str = "") -> str:
    return opening * depth + inner + closing * depth


def calls(depth: int) -> str:
    """Procedures of which each calls the next one twice."""
    lines = ["procedures:"]
    for number in range(depth):
        lines += [f"  p{number}:", f"    do: [{{call: p{number + 1}}}, {{call: p{number + 1}, as: q}}]"]
    lines += [f"  p{depth}:", "    do: [{roll: {jet: 1d6}}, {say: Fin.}]"]
    example = "examples: {un: {action: agir, dice: {jet: [1], jett: [1]}, choices: [{rien: rien}]}}\n"
    return "\n".join(lines) + "\n" + action("call: p0") + example


def loops(depth: int) -> str:
    """Loops within loops, each of which lets a number grow."""
    lines, indent = [], "      "
    for number in range(depth):
        lines += [f"{indent}- let: {{n{number}: 0}}", f"{indent}- repeat:", f"{indent}    times: 2", f"{indent}    do:"]
        indent += "      "
    lines.append(f"{indent}- let: {{n0: n0 + 1, n{depth - 1}: n{depth - 1} + n0}}")
    return ACTION + "\n".join(lines) + "\n"


def branches(depth: int) -> str:
    lines, indent = [], "      "
    for number in range(depth):
        lines += [f"{indent}- let: {{n{number}: {number}}}", f"{indent}- if: n{number} > 1", f"{indent}  then:"]
        indent += "    "
    return ACTION + "\n".join([*lines, f"{indent}- say: Fin."]) + "\n"


def misspelt(count: int) -> str:
    """As many names that are there as names that are not."""
    names = "".join(f"      nom_numero_{number}: {{int: 0..9}}\n" for number in range(count))
    uses = "".join(f"      - say: '{{non_numero_{number}}}'\n" for number in range(count))
    return f"actions:\n  agir:\n    inputs:\n{names}    steps:\n{uses}"


def derived(count: int) -> str:
    lines = "".join(f"      d{number}: self.d{number + 1} + self.d{number + 1}\n" for number in range(count))
    return f"sheets:\n  heros:\n    stats: {{d{count}: 0..9}}\n    derived:\n{lines}"


def triggers(count: int) -> str:
    gauges = "".join(f"      g{number}: {{range: 0..9, start: 0}}\n" for number in range(count))
    each = "".join(
        f"  t{n}: {{upon: {{gauge: heros.g{n}, changes: up}}, do: [{{change: {{self.g{(n + 1) % count}: 1}}}}]}}\n"
        for n in range(count)
    )
    return f"sheets:\n  heros:\n    gauges:\n{gauges}triggers:\n{each}"


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [lol]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


def conditions(count: int) -> str:
    """Conditions that all hold at once, and names that come after them."""
    asked = "".join(f"      - self.x + {number} > 1\n" for number in range(count))
    steps = "".join(f"      - let: {{n{number}: self.x + {number}}}\n" for number in range(count))
    head = "sheets: {heros: {gauges: {x: 0..9}}}\nactions:\n  agir:\n    who: {self: heros}\n"
    return f"{head}    require:\n{asked}    steps:\n{steps}      - change: {{self.x: n1}}\n"


def effects(count: int) -> str:
    """As many effects on a number as there are numbers."""
    each = "".join(f"  e{n}: {{on: heros, modifiers: {{m: {{to: '*.v', add: self.x}}}}}}\n" for n in range(count))
    actions = "".join(
        f"  a{n}: {{who: {{self: heros}}, values: {{v: self.x}}, steps: [{{apply: e{n}}}, {{say: '{{v}}'}}]}}\n"
        for n in range(count)
    )
    return f"sheets: {{heros: {{stats: {{x: 0..9}}}}}}\neffects:\n{each}actions:\n{actions}"


def fields(count: int) -> str:
    """A sheet of many fields, all of them added up again and again."""
    stats = "".join(f"      s{number}: 0..9\n" for number in range(count))
    sums = "".join(f"      d{n}: self.s{n} + self.s{(n + 1) % count} + self.s{(n + 2) % count}\n" for n in range(count))
    return f"sheets:\n  heros:\n    stats:\n{stats}    derived:\n{sums}"


EXPRESSIONS: Mapping[str, str] = {
    "powers": "9**9**9**9 > 1",
    "power of a power": "4000000**4000000 > 1",
    "repeated text": "'a' * 10**9 == 'b'",
    "shift": "1 << 10**7 > 1",
    "padding": "'x'.ljust(10**9) == 'y'",
    "format": "'%1000000000d' % 1 == 'y'",
    "attributes": "().__class__.__bases__[0].__subclasses__() == 1",
    "method": "self.items() == 1",
    "lambda": "(lambda: 1)() == 1",
    "comprehension": "[x for x in range(10**9)] == 1",
    "generator": "sum(x for x in x) == 1",
    "formatted": "f'{1}' == 'y'",
    "walrus": "(x := 10**9) > 1",
    "assignment": "x = 5",
    "import": "__import__('os').system('true') == 0",
    "call of a call": "max(1)(2)(3) > 1",
    "star": "max(*[1, 2]) > 1",
    "slice": "'abc'[0:1] == 'a'",
    "set": "{1, 2} == 1",
    "dictionary": "{1: 2} == 1",
    "bits": "1 | 2 & 3 ^ ~4 > 1",
    "matrix": "1 @ 2 > 1",
    "await": "await 1",
    "ellipsis": "... == 1",
    "giant number": "9" * 1900 + " > 1",
    "giant fraction": "1 / " + "9" * 1900 + " > 1",
    "exponent": "1e999999999 > 1",
    "parentheses": nested("(", ")", 900, "1") + " > 1",
    "many parentheses": nested("(", ")", 10_000, "1") + " > 1",
    "many signs": "-" * 1500 + "1 > 1",
    "many nots": "not " * 450 + "true",
    "many sums": "1" + " + 1" * 480 + " > 1",
    "many comparisons": "1" + " < 2" * 480,
    "many parts": "self" + ".x" * 900 + " > 1",
    "many brackets": "self" + "[1]" * 600 + " > 1",
    "many conditions": "1 if true else " * 120 + "1 > 1",
    "nested calls": nested("max(1, ", ")", 240, "1") + " > 1",
    "nothing": "()",
    "unended": "(((((",
    "unended text": "'abc",
    "newlines": "1 +\\n\\n\\n1 > 1",
    "other digits": "١ + १ > 1",
    "minus": "−1 < 2",
    "zero width": "tr\u200bue",
    "right to left": "\u202etrue",
}
DICE: Mapping[str, str] = {
    "millions of dice": "9999999d6",
    "a giant die": "1d2147483648",
    "giant both": "99999999999999999999d99999999999999999999",
    "nested counts": "{dice: 9999 * 9999, die: d9999}",
    "a die of a text": "(9999d9999)d6",
    "no die": "5d0",
    "less than none": "-5d6",
    "less than none computed": "{dice: 5 + -10, die: d10}",
    "giant from the sheet": "{dice: 10**9, die: d6}",
    "endless": "{dice: 3, die: d6, do: [{explode: face >= 1, into: new_die}]}",
    "nearly endless": "{dice: 9999, die: d10000, do: [{reroll: face >= 1, how_often: until}]}",
}
TEXTS: Mapping[str, str] = {
    "an alias bomb": bomb(10),
    "an alias of itself": "a: &a [*a]\n",
    "a merge": "a: &a {x: 1}\nb: {<<: *a}\n",
    "deep brackets": nested("[", "]", 20_000),
    "deep braces": nested("{a: ", "}", 10_000, "1"),
    "open brackets": "[" * 50_000,
    "open braces": "{a: " * 20_000,
    "deep block": "".join("  " * depth + "a:\n" for depth in range(1_000)),
    "deep list": "- " * 5_000 + "a",
    "a huge scalar": "narrative: {R1: '" + "x" * 900_000 + "'}\n",
    "a large scalar": "narrative: {R1: '" + "x" * 400_000 + "'}\n",
    "huge names": "sheets: {"
    + "h" * 90_000
    + ": {stats: {x: 0..9}}}\nactions: {"
    + "a" * 90_000
    + ": {steps: [{call: p"
    + "p" * 90_000
    + "}, {say: '{"
    + "s" * 900
    + "}'}]}}\n",
    "a huge key": "x" * 900_000 + ": 1\n",
    "a huge folded text": "narrative:\n  R1: >\n" + "    mot mot mot\n" * 30_000,
    "a huge number": "format: " + "9" * 100_000 + "\n",
    "a huge range": "sheets: {heros: {stats: {x: 0.." + "9" * 5_000 + "}}}\n",
    "a tag": "a: !!python/object/apply:os.system ['true']\n",
    "a tag of one's own": "a: !x 1\n",
    "binary": "a: !!binary aGVsbG8=\n",
    "a directive": "%YAML 1.1\n---\na: 1\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "a thousand documents": "---\na: 1\n" * 1_000,
    "a list": "- a\n- b\n",
    "a scalar": "abc\n",
    "nothing": "",
    "only comments": "# a\n# b\n",
    "many duplicates": "actions:\n" + "  agir: {}\n" * 3_000,
    "many unknown keys": "".join(f"cle_{number}: 1\n" for number in range(3_000)),
    "many unknown keys in an action": "actions:\n  agir:\n" + "".join(f"    stepss_{n}: 1\n" for n in range(2_000)),
    "a complex key": "? [a, b]\n: 1\n",
    "a null key": "~: 1\n: 2\n",
    "many faces": "dice: {gros: 0..9999999999}\n",
    "negative faces": "dice: {gros: 5..-5}\n",
    "many symbols": "symbols: {S: S}\ndice: {gros: {faces: ['"
    + "S " * 40_000
    + "']}}\n"
    + roll("{dice: 3, die: gros}"),
    "a giant table": "tables: {t: {columns: [x], rows: {1-999999999999: [a]}}}\n",
    "a table of giant dice": "tables: {t: {columns: [x], dice: 9999999d9999999, rows: {1-5: [a]}}}\n",
    "twice as many calls": calls(40),
    "calls in a circle": "procedures: {a: {do: [{call: b}]}, b: {do: [{call: a}]}}\n" + action("call: a"),
    "loops in loops": loops(8),
    "branches in branches": branches(12),
    "many conditions": conditions(150),
    "many effects": effects(60),
    "many fields": fields(400),
    "many rows": "tables:\n  t:\n    columns: [x]\n    rows:\n" + "".join(f"      {n}: [a]\n" for n in range(2_000)),
    "many kinds": "sheets:\n" + "".join(f"  k{n}: {{fields: {{a: {{one: k{(n + 1) % 200}}}}}}}\n" for n in range(200)),
    "many actions": "actions:\n" + "".join(f"  a{n}: {{steps: [{{roll: {{j: 1d6}}}}]}}\n" for n in range(500)),
    "many examples": action("roll: {j: 1d6}")
    + "examples:\n"
    + "".join(f"  e{n}: {{action: agir, like: e{n + 1}}}\n" for n in range(1_500))
    + "  e1500: {action: agir}\n",
    "many characters": "sheets: {h: {stats: {x: 0..9}}}\ncharacters:\n"
    + "".join(f"  c{n}: {{sheet: h, x: 12}}\n" for n in range(2_000)),
    "many misspelt names": misspelt(200),
    "doubled values": derived(60),
    "triggers in a circle": triggers(120),
    "an endless loop": action("repeat: {until: 1 > 2, do: [{say: Encore}]}"),
    "extends itself": "extends: rules.yaml\n",
    "extends a path": "extends: ../../../../../../etc/passwd\n",
    "removes everything": "extends: rien\nremove: [" + ", ".join(["a.b.c"] * 3_000) + "]\n",
    "many steps": action(*(f"let: {{n{number}: {number}}}" for number in range(1_500))),
    "many options": action("choose: c\n        options: {" + ", ".join(f"o{n}: " for n in range(3_000)) + "}"),
    "many languages": "system: {id: a, title: b, languages: ["
    + ", ".join(f"a{chr(97 + n % 26)}" for n in range(500))
    + "]}\n",
    **{f"expression, {name}": condition(text) for name, text in EXPRESSIONS.items()},
    **{f"dice, {name}": roll(text) for name, text in DICE.items()},
}
BYTES: Mapping[str, bytes] = {
    "NUL": b"a: b\x00c\n",
    "only NUL": b"\x00" * 10_000,
    "lone surrogates": b"a: \xed\xa0\x80\n",
    "an escaped surrogate": b'a: "\\ud800"\n',
    "UTF-16": "a: é\n".encode("utf-16"),
    "UTF-32": "a: é\n".encode("utf-32"),
    "Latin-1": "a: é\n".encode("latin-1"),
    "another encoding in the middle": b"a: 1\nb: \xe9\xe8\xff\nc: 2\n",
    "overlong": b"a: \xc0\xaf\n",
    "control characters": b"a: \x01\x02\x1b[31m\n",
    "a BOM in the middle": "a: b\ufeffc\n".encode(),
    "old line ends": b"a: 1\rb: 2\rc: [\r",
    "noise": bytes(range(256)) * 40,
    "a huge file": b"# " + b"x" * 20_000_000,
    **{name: text.encode() for name, text in TEXTS.items()},
}
NOISE = (
    *"{}[]:,-#&*!|>'\"%@`?~ \n\t\\.0=<()/ée“—\u00a0\u2028\x00\u0085\ufeff",
    *(
        "\n  ",
        "\n- ",
        ": ",
        "..",
        "1d6",
        "self.",
        "true",
        "item",
        "{x}",
        "<<: ",
        "!!x ",
        "&a ",
        "*a ",
        "9" * 30,
        "\r\n",
    ),
)


def garbled(text: str, rng: random.Random) -> str:
    """A text with a few pieces typed into it, taken out of it, or copied to where they do not belong."""
    for _ in range(rng.randint(1, 4)):
        place, other = rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)
        text = rng.choice(
            (
                text[:place] + rng.choice(NOISE) + text[place:],
                text[:place] + text[place + rng.randint(1, 6) :],
                text[:place] + text[other : other + rng.randint(1, 30)] + text[place:],
            )
        )
    return text


# What takes a while on purpose, and is looked at by the slow tests.
SLOW: Mapping[str, bytes] = {
    "loops in many loops": loops(17).encode(),
    "twice as many misspelt names": misspelt(800).encode(),
    "as many fields as there are": fields(1_500).encode(),
}
# Odd, large or pointless, and yet rules as they should be: nothing need be found.
SOUND = {
    *("a large scalar", "a huge folded text", "many symbols", "twice as many calls", "loops in loops", "many fields"),
    *("branches in branches", "many conditions", "many effects", "many rows", "many kinds", "many actions"),
    *("many examples", "many steps", "many options", "many languages", "expression, many comparisons"),
    *("as many fields as there are",),
}
