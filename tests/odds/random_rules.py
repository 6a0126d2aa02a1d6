"""Small random systems, as text; a few of them hold a condition that is always or never true, which the
loader refuses.
"""

from __future__ import annotations

from hypothesis import strategies as st

HEAD = """format: 1
system: {id: random, title: Random, languages: [en]}
sheets:
  one:
    gauges:
      a: {range: 0..4, start: 3}
      b: {range: 0..3, start: 1}
    fields:
      flag: {flag: false}
      dice: {int: 0..2, default: 1}
      need: {int: 1..3, default: 2}
"""
TRIGGER = """triggers:
  low:
    upon: {gauge: one.a, falls_below: 2}
    do:
      - change: {self.b: 1}
"""


class Names:
    """Numbers that expressions may use, and fresh names."""

    def __init__(self) -> None:
        self.known = ["self.a", "self.b"]
        self.lets: list[str] = []
        self.lying: list[str] = []
        self.asked: list[str] = []
        self.serial = 0

    def fresh(self, kind: str) -> str:
        self.serial += 1
        return f"{kind}{self.serial}"


def number(draw: st.DrawFn, names: Names, depth: int = 2) -> str:
    kind = draw(st.integers(0, 6)) if depth else draw(st.integers(0, 1))
    if kind == 0:
        return str(draw(st.integers(0, 3)))
    if kind in (1, 2):
        return draw(st.sampled_from(names.known))
    one, other = number(draw, names, depth - 1), number(draw, names, depth - 1)
    if kind == 3:
        return f"({one} {draw(st.sampled_from('+-'))} {other})"
    if kind in (4, 5):
        return f"{draw(st.sampled_from(['min', 'max']))}({one}, {other})"
    return f"({one} if {condition(draw, names, depth - 1)} else {other})"


def condition(draw: st.DrawFn, names: Names, depth: int = 1) -> str:
    kind = draw(st.integers(0, 4)) if depth else 0
    if kind == 4:
        return f"(not {condition(draw, names, depth - 1)})"
    if kind == 3:
        return "self.flag"
    if kind == 2:
        joint = draw(st.sampled_from(["and", "or"]))
        return f"({condition(draw, names, depth - 1)} {joint} {condition(draw, names, depth - 1)})"
    relation = draw(st.sampled_from([">=", "==", "<", "!="]))
    return f"{draw(st.sampled_from(names.known))} {relation} {number(draw, names, 1)}"


def step(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    """A step as lines; within branches no new names are made."""
    kinds = ["change", "set", "flag", "relet"] + ["again"] * bool(names.lying)
    if not inside:
        kinds += ["let", "roll", "roll"]
    if depth:
        kinds += ["if", "choose", "repeat"]
    kind = draw(st.sampled_from(kinds))
    return _STEPS[kind](draw, names, depth, inside)


def _let(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    text = number(draw, names)
    name = names.fresh("n")
    names.known.append(name)
    names.lets.append(name)
    return [f'- let: {{{name}: "{text}"}}']


def _relet(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    if not names.lets:
        return _change(draw, names, depth, inside)
    return [f'- let: {{{draw(st.sampled_from(names.lets))}: "{number(draw, names)}"}}']


def _roll(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    name, die = names.fresh("r"), draw(st.sampled_from(["d2", "d3"]))
    if draw(st.booleans()):
        names.known.append(name)
        return [f"- roll: {{{name}: {draw(st.integers(1, 2))}{die}}}"]
    count = draw(st.sampled_from(["1", "2", "min(2, self.a)", "self.dice", "self.dice"]))
    least = draw(st.sampled_from(["2", "self.need"]))
    doing = draw(
        st.sampled_from(
            [
                "",
                "do: [{keep: {highest: 1}}], ",
                "do: [{explode: face == 2, into: new_die, at_most: 1}], ",
                "do: [{reroll: face == 1}], ",
            ]
        )
    )
    names.known += [f"{name}.hits", f"{name}.total"]
    names.lying.append(name)
    reading = draw(st.sampled_from(["sum: {total: face}", 'highest: {total: {dice: "min(self.b, 2)", of: face}}']))
    return [f'- roll: {{{name}: {{dice: "{count}", die: {die}, {doing}count: {{hits: face >= {least}}}, {reading}}}}}']


def _again(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    where = draw(st.sampled_from(["face == 1", "face < self.need"]))
    return [f'- {{reroll: {draw(st.sampled_from(names.lying))}, where: "{where}"}}']


def _change(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    gauge = draw(st.sampled_from("ab"))
    return [f'- change: {{self.{gauge}: "{number(draw, names)} - 1"}}']


def _set(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    return [f'- set: {{self.a: "{number(draw, names, 1)}", self.b: "{number(draw, names, 1)}"}}']


def _flag(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    return [f'- set: {{self.flag: "{condition(draw, names)}"}}']


def _block(draw: st.DrawFn, names: Names, depth: int) -> list[str]:
    found: list[str] = []
    for _ in range(draw(st.integers(1, 2))):
        found += step(draw, names, depth - 1, True)
    return found


def _indented(lines: list[str], by: int) -> list[str]:
    return [" " * by + line for line in lines]


def _if(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    again = names.asked and draw(st.booleans())
    names.asked.append(draw(st.sampled_from(names.asked)) if again else condition(draw, names))
    found = [f'- if: "{names.asked[-1]}"', "  then:", *_indented(_block(draw, names, depth), 4)]
    if draw(st.booleans()):
        found += ["  else:", *_indented(_block(draw, names, depth), 4)]
    return found


def _choose(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    name = names.fresh("c")
    found = [f"- choose: {name}", "  options:", "    keep:"]
    for option in ("act", "more")[: draw(st.integers(1, 2))]:
        found += [f"    {option}:"]
        if draw(st.booleans()):
            found += [f'      when: "{condition(draw, names)}"']
        found += ["      do:", *_indented(_block(draw, names, depth), 8)]
    return found


def _repeat(draw: st.DrawFn, names: Names, depth: int, inside: bool) -> list[str]:
    return [
        "- repeat:",
        f"    at_most: {draw(st.integers(1, 2))}",
        f'    until: "{condition(draw, names)}"',
        "    do:",
        *_indented(_block(draw, names, depth), 6),
    ]


_STEPS = {
    "let": _let,
    "relet": _relet,
    "roll": _roll,
    "again": _again,
    "change": _change,
    "set": _set,
    "flag": _flag,
    "if": _if,
    "choose": _choose,
    "repeat": _repeat,
}


@st.composite
def systems(draw: st.DrawFn) -> str:
    """The text of a system with one action, `play`, for a sheet `one`."""
    names, lines = Names(), list[str]()
    for _ in range(draw(st.integers(2, 5))):
        lines += step(draw, names, 2, False)
    text = HEAD + (TRIGGER if draw(st.booleans()) else "") + "actions:\n  play:\n    who: {self: one}\n    steps:\n"
    text += "\n".join(_indented(lines, 6))
    text += f'\n    outcomes:\n      good: {{when: "{condition(draw, names)}"}}\n      bad:\n'
    return text
