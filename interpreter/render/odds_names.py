"""What is asked about a run, in people's words: values, gauges, choices and the situations that they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from interpreter.bound import Scalar
from interpreter.layout import Register, from_register
from interpreter.machine import Run
from interpreter.model import Keys
from interpreter.program import Count, Pick, Throw
from interpreter.render.names import Names, readable
from interpreter.render.odds_phrases import tell
from interpreter.render.trace import Teller


class OddsNames:
    """Names for what odds say of one run."""

    def __init__(self, names: Names, run: Run) -> None:
        self.names = names
        self.run = run
        self.program = run.program
        self.language = names.language
        self.action = run.program.action
        self.teller = Teller(names, run)

    def tell(self, what: str, /, **values: object) -> str:
        return tell(self.language, what, **values)

    def heading(self) -> str:
        """The action and those who take part."""
        roles: Any = self.run.request.get("roles", {})
        who = [self.names.sheet(str(i), self.run.state.sheets[str(i)]) for ids in roles.values() for i in ids]
        title = self.names.action(self.action)
        return f"{title}{self.tell('colon')}{', '.join(who)}" if who else title

    # ------------------------------------------------------------------ outcomes and values

    def asked(self, text: str) -> str:
        """An outcome, a grade or a value by its name; a longer expression as it is written."""
        rules = self.program.rules
        if text in rules.outcomes:
            return self.names.outcome(self.action, text)
        for name, outcome in rules.outcomes.items():
            if text in outcome.grades:
                return self.grade(name, text)
        if text in rules.report or text in rules.flags:
            return self.names.reported(self.action, text)
        register = self.register(text)
        return self.of_register(register) if register is not None else text

    def grade(self, outcome: str, grade: str) -> str:
        return self.names.node(self.program.rules.outcomes[outcome].grades[grade], grade)

    def value(self, text: str, value: Any) -> str:
        """One of the values that something can come to."""
        bound = self.program.scope.get(text)
        keys: Keys | None = bound.keys if isinstance(bound, Scalar) else None
        return self._plain(value, keys)

    def _plain(self, value: Any, keys: Keys | None = None) -> str:
        if isinstance(value, Fraction) and not isinstance(value, int):
            return str(value)
        if isinstance(value, str) and value in self.program.layout.entities:
            return self.names.thing(value, self.run.state.sheets)
        return self.names.value(value, keys)

    def together(self, names: Sequence[str], values: Sequence[Any]) -> str:
        return ", ".join(self.value(name, value) for name, value in zip(names, values, strict=True))

    def span(self, text: str, ends: tuple[Any, Any], register: Register | None = None) -> str:
        """The values from one to another."""
        low, high = (None if end is None else self._of(text, end, register) for end in ends)
        if low is None or high is None:
            return self.tell("at_least", value=low) if high is None else self.tell("at_most", value=high)
        return low if low == high else self.tell("span", low=low, high=high)

    def _of(self, text: str, value: Any, register: Register | None) -> str:
        return self.value(text, value) if register is None else self.of_value(register, value)

    # ------------------------------------------------------------------ registers

    def register(self, name: str) -> Register | None:
        """The register that odds call by this name: a value of a sheet, a local, or something that the table keeps."""
        layout = self.program.layout
        for full in (name, f":{name}", f"#{name}"):
            if full in layout.slots:
                return layout.registers[layout.slots[full]]
        return None

    def of_register(self, register: Register) -> str:
        if register.info is not None:
            who = self.names.thing(register.entity, self.run.state.sheets)
            told = f"{who}, {self.names.field(register.info)}"
            return told if register.part == "now" else self.tell("start", what=told)
        if register.name.startswith("#"):
            return self._of_table(register.name[1:])
        return self._local(register.name[1:])

    def of_value(self, register: Register, value: Any) -> str:
        """A value as its register holds it."""
        if register.info is not None and not isinstance(value, Fraction):
            return self.names.field_value(register.info, from_register(register.info, value))
        return self._plain(value)

    def _of_table(self, name: str) -> str:
        """An open period, an effect, a use that is spent."""
        head, _, rest = name.partition(".")
        system = self.names.system
        if head in system.periods:
            return self.names.node(system.periods[head], head)
        effect, _, who = rest.partition(".")
        label = self.names.node(system.effects.get(effect), effect)
        sheet = self.run.state.sheets.get(who)
        return f"{label} ({self.names.sheet(who, sheet)})" if sheet is not None else label

    def _local(self, name: str) -> str:
        """A reading of a roll, an input, a counted value, or whatever else a rule has named."""
        for throw in self._throws():
            if name == throw.name:
                return self._title(throw)
            if name == f"{throw.name}.faces":
                return self.tell("dice_of", what=self._title(throw))
            if name.startswith(f"{throw.name}.faces."):
                return self._showing(throw, name.removeprefix(f"{throw.name}.faces."))
            if name.startswith(f"{throw.name}."):
                return self._reading(throw, name.removeprefix(f"{throw.name}."))
        rules = self.program.rules
        if name in rules.inputs:
            return self.names.label(rules.inputs[name].label, name)
        for item in self.program.instructions:
            if isinstance(item, Count) and item.name == name:
                return self.names.label(item.label, name.rpartition(".")[2])
        return readable(name.rpartition(".")[2]) if "." in name else readable(name)

    def _showing(self, throw: Throw, name: str) -> str:
        """How many dice show a face, of all or of one group; with their roll where the dice of several lie there."""
        group, _, face = name.rpartition(".")
        label = self.tell("showing" if face.isdecimal() else "showing_symbols", face=face)
        several = sum(other.faces is not None for other in self._throws()) > 1
        of = [self._title(throw)] if several else []
        of += [self.names.label(throw.labels.get(group), group)] if group else []
        return f"{label} ({', '.join(of)})" if of else label

    def _title(self, throw: Throw) -> str:
        return self.names.label(throw.label, throw.name.rpartition(".")[2])

    def _reading(self, throw: Throw, reading: str) -> str:
        """A reading by its label, with its roll where a roll of another name has one that is called alike."""
        label = self.names.label(throw.labels.get(reading), reading)
        alike = (
            self._title(other)
            for other in self._throws()
            if any(self.names.label(other.labels.get(one.name), one.name) == label for one in other.readings)
        )
        title = self._title(throw)
        return label if all(other == title for other in alike) else f"{label} ({title})"

    def _throws(self) -> Iterator[Throw]:
        return (item for item in self.program.instructions if isinstance(item, Throw))

    # ------------------------------------------------------------------ choices

    @property
    def has_choices(self) -> bool:
        return any(isinstance(item, Pick) for item in self.program.instructions)

    def choice(self, name: str) -> str:
        pick = self._pick(name)
        return self.names.label(pick.label if pick else None, name.rpartition(".")[2])

    def _pick(self, name: str) -> Pick | None:
        picks = (item for item in self.program.instructions if isinstance(item, Pick) and item.name == name)
        return next(picks, None)

    def answer(self, choice: str, answer: str) -> str:
        """An answer: an option, several with commas, or a number."""
        pick = self._pick(choice)
        if pick is None or pick.kind == "number":
            return answer
        parts = [part.strip() for part in answer.split(",")] if pick.kind == "several" else [answer]
        return ", ".join(self.teller.option(choice, part) for part in parts if part) or self.tell("answer_none")

    # ------------------------------------------------------------------ situations

    def tests(self, tests: Sequence[Any]) -> str:
        """The conditions of a line of advice; the bounds of one number are told together."""
        told: dict[str, list[Any]] = {}
        for test in tests:
            told.setdefault(test.name, []).append(test)
        return self.tell("and").join(filter(None, (self._tests(name, group) for name, group in told.items())))

    def _tests(self, name: str, tests: Sequence[Any]) -> str:
        register = self.register(name)
        label = self._local(name) if register is None else self.of_register(register)
        ends: dict[str, Any] = {test.relation: test.value for test in tests if test.relation in ("<=", ">")}
        parts = []
        if ends:
            low, high = (ends[">"] + 1 if ">" in ends else None), ends.get("<=")
            shown = self.span(name, (low, high), register)
            parts.append(f"{label} {shown}" if None in (low, high) or low != high else f"{label} = {shown}")
        parts += [self._relation(test, label, register) for test in tests if test.relation in _RELATIONS]
        return self.tell("and").join(parts)

    def _relation(self, test: Any, label: str, register: Register | None) -> str:
        value = str(test.value) if register is None else self.of_value(register, test.value)
        return self.tell(_RELATIONS[test.relation], name=label, value=value)


_RELATIONS: Mapping[str, str] = {"is": "is", "is not": "is_not"}
