"""The worked examples that have odds, as bars: every outcome with its exact probability, and what is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from interpreter.bound import ResolutionError
from interpreter.documentation.blocks import Bar, Bars, Block, Inline, Paragraph, Part, joined, merged, plain
from interpreter.documentation.people import PeopleWording
from interpreter.documentation.scopes import action_scope
from interpreter.documentation.senses import Lexicon
from interpreter.documentation.wording import Wording
from interpreter.examples import table_of, whole_example
from interpreter.expressions import EvaluationError
from interpreter.model import Code, Example, Input
from interpreter.odds import LIMITS, NoOdds, Odds, odds
from interpreter.render.chances import gathered
from interpreter.start import Request, wanted_roles

# A distribution with more bars than this is cut at its ends, where next to nothing is, and else gathered.
MOST_BARS = 24
LEAST_SHOWN = Fraction(1, 1000)
LONGEST_FRACTION = 18


@dataclass(frozen=True, slots=True)
class Chances:
    """What came of asking for the odds of one example."""

    name: str
    example: Example
    odds: Odds


def every_chance(lexicon: Lexicon, action: str) -> Iterator[Chances]:
    """The examples of an action that expect odds, with all its odds."""
    for name in lexicon.system.examples:
        example = whole_example(lexicon.system, name)
        if example.action == action and example.odds:
            found = _ask(lexicon, example)
            if found is not None:
                yield Chances(name, example, found)


def _ask(lexicon: Lexicon, example: Example) -> Odds | None:
    system, action = lexicon.system, str(example.action)
    try:
        state, played = table_of(system, example, wanted_roles(system, action))
        asked = Request(action, played, example.inputs)
        wanted = [*system.actions[action].report, *_conditions(lexicon, example)]
        found = odds(system, state, asked, values=wanted, limits=LIMITS, **_how(example))
    except (ResolutionError, EvaluationError, KeyError):
        return None
    return None if isinstance(found, NoOdds) else found


def _conditions(lexicon: Lexicon, example: Example) -> list[str]:
    """What an example asks the odds of, beside outcomes, their shades and what is reported."""
    action = lexicon.system.actions[str(example.action)]
    grades = {name for outcome in action.outcomes.values() for name in outcome.grades}
    known = {*action.outcomes, *grades, *action.report, *action.flags}
    return [str(text) for text in example.odds if str(text) not in known]


def _how(example: Example) -> dict[str, Any]:
    if isinstance(example.policy, str):
        return {"choices": example.policy}
    return {"policy": example.policy} if example.policy else {}


class ChanceSections:
    """Writes the bars of an action's examples."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.say = lexicon.say
        self.people = PeopleWording(lexicon)

    def of(self, action: str) -> tuple[Block, ...]:
        return tuple(self._card(chances) for chances in every_chance(self.lexicon, action))

    def _card(self, chances: Chances) -> Part:
        title = self.lexicon.names.node(chances.example, chances.name)
        setup = self.setup(chances.example)
        blocks: list[Block] = [Paragraph(setup)] if setup else []
        how = self._choices(chances.example)
        blocks += [Paragraph(how)] if how else []
        blocks += [*self._bars(chances)]
        return Part((title,), tuple(blocks))

    def _choices(self, example: Example) -> Inline:
        if not isinstance(example.policy, str):
            return ()
        if example.policy == "best":
            return self.say("chosen_best")
        policy = self.lexicon.system.policies.get(example.policy)
        return self.say("chosen_by", what=self.lexicon.names.node(policy, example.policy))

    # ------------------------------------------------------------------ who and what

    def setup(self, example: Example) -> Inline:
        """Who takes part and what was answered."""
        action = self.lexicon.system.actions[str(example.action)]
        parts = [*self._people(example)]
        inputs = {**action.inputs}
        for name, value in example.inputs.items():
            if name in action.sides and isinstance(value, Mapping):
                side = action.sides[name]
                told = [self._answer(one, side.inputs.get(one), given) for one, given in value.items()]
                parts.append(self.say("given_as", name=self.lexicon.term(side.label, name), what=joined(told, (", ",))))
            else:
                parts.append(self._answer(name, inputs.get(name), value))
        return (*joined(parts, self.say("semicolon")), ".") if parts else ()

    def _people(self, example: Example) -> Iterator[Inline]:
        for role, given in example.sheets.items():
            told = self._person(role, given)
            if told:
                yield told

    def _person(self, role: str, given: object) -> Inline:
        named = role != "self" and role not in self.lexicon.system.characters
        words = (self.lexicon.names.role("", role),) if named else ()
        if isinstance(given, str):
            told: Inline = (self._name(given),)
        elif isinstance(given, Mapping):
            told = self._described(role, given)
        else:
            told = ()
        return self.say("given_as", name=words, what=told) if words and told else told

    def _name(self, sheet: str) -> str:
        return self.lexicon.names.sheet(sheet, self.lexicon.system.characters.get(sheet))

    def _described(self, role: str, given: Mapping[str, Any]) -> Inline:
        """A sheet that an example makes up: the ready one that it starts from, and what it says besides."""
        like = given.get("like")
        kind = given.get("sheet") or self.lexicon.system.characters.get(str(like), {}).get("sheet")
        if all(isinstance(one, Mapping) for one in given.values()) and not like and not self._is_sheet(role):
            return ()
        data = {"sheet": kind or self._kind(role), **{k: v for k, v in given.items() if k not in ("like", "sheet")}}
        held = joined([*self.people.held(data)], (", ",))
        if not like:
            return held
        return merged((self._name(str(like)), *((" (", *held, ")") if held else ())))

    def _is_sheet(self, role: str) -> bool:
        return role == "self"

    def _kind(self, role: str) -> str:
        for action in self.lexicon.system.actions.values():
            if action.who.get(role):
                return action.who[role][0]
        return role

    def _answer(self, name: str, spec: Input | None, value: object) -> Inline:
        label = self.lexicon.term(spec.label if spec else None, name)
        shown = tuple(value) if isinstance(value, list) else value
        told = self.lexicon.names.answer(spec, _typed(shown))
        return self.say("given_as", name=label, what=told)

    # ------------------------------------------------------------------ bars

    def _bars(self, chances: Chances) -> Iterator[Bars]:
        found, action = chances.odds, str(chances.example.action)
        bars = [bar for name, c in found.outcomes.items() for bar in self._outcome(action, name, c, found)]
        bars += [self._bar(plain(self.say("refused_chance")), sum(found.refused.values()))] if found.refused else []
        if bars:
            yield Bars("", tuple(bars))
        bars = []
        for name, spread in found.values.items():
            if spread.keys() <= {True, False} and all(isinstance(value, bool) for value in spread):
                bars.append(self._bar(self._named(action, name), spread.get(True, Fraction(0))))
                continue
            numbers = {value: chance for value, chance in spread.items() if isinstance(value, int | Fraction)}
            if len(numbers) > 2:
                yield self._distribution(self._named(action, name), numbers)
        if bars:
            yield Bars("", tuple(bars))

    def _outcome(self, action: str, name: str, chance: Any, found: Odds) -> Iterator[Bar]:
        """An outcome, and those of its shades that can happen."""
        yield self._bar(self.lexicon.names.outcome(action, name), chance)
        for grade in self.lexicon.system.actions[action].outcomes[name].grades:
            if found.grades.get(grade):
                yield self._bar(self.lexicon.names.outcome(action, name, grade), found.grades[grade])

    def _named(self, action: str, name: str) -> str:
        """A reported number by its name, a condition in words."""
        declared = self.lexicon.system.actions[action]
        if name in declared.report:
            return self.lexicon.names.reported(action, name)
        words = Wording(self.lexicon, action_scope(self.lexicon, declared)).code(Code(name))
        return plain(words)

    def _bar(self, label: str, chance: Any) -> Bar:
        return Bar(label, float(chance), exactly(chance))

    def _distribution(self, title: str, spread: Mapping[Any, Any]) -> Bars:
        shown = {v: c for v, c in spread.items() if len(spread) <= MOST_BARS or c >= LEAST_SHOWN}
        if len(shown) > MOST_BARS:
            rows = gathered(spread, MOST_BARS)
            return Bars(title, tuple(self._bar(_between(*ends), chance) for ends, chance in rows), "numbers")
        if all(isinstance(value, int) for value in shown) and max(shown) - min(shown) < MOST_BARS:
            shown = dict.fromkeys(range(min(shown), max(shown) + 1), Fraction(0)) | shown
        return Bars(title, tuple(self._bar(str(v), c) for v, c in sorted(shown.items())), "numbers")


def _typed(value: object) -> object:
    return {"true": True, "false": False}.get(str(value), value)


def _between(first: Any, last: Any) -> str:
    """The numbers that one bar stands for."""
    if first is None or last is None:
        return f"≤ {last}" if first is None else f"≥ {first}"
    return str(first) if first == last else f"{first}–{last}"


def exactly(chance: Any) -> str:
    """The fraction, where it is short enough to be read."""
    text = str(chance) if isinstance(chance, Fraction | int) else ""
    return text if len(text) <= LONGEST_FRACTION else ""
