"""Expressions and steps made at random out of the names that are known where they stand."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]


@dataclass(slots=True)
class Scope:
    """What can be read: texts of numbers and of yes or no, lists by the kind of their things, rolls that lie there."""

    rng: random.Random
    numbers: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    loops: dict[str, str] = field(default_factory=dict)
    rolls: list[str] = field(default_factory=list)
    sets: list[str] = field(default_factory=lambda: ["self.dons"])
    serial: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of_sheet(cls, rng: random.Random, name: str, serial: list[int]) -> Scope:
        numbers = [
            f"{name}.{part}"
            for part in ("corps", "vie", "arts.chant", "arts.danse", "reserves.pain", "pas", "humeur.malus")
        ]
        numbers += [
            f"count({name}.armes)",
            f"sum({name}.armes.tranchant)",
            f"count({name}.armes, item.lourde)",
            f"count({name}.dons)",
            "assume.pas",
            "foyer.bois",
        ]
        numbers += [
            f"{name}.chez[{name}.chez.climat]",
            f"table.lieux.bois[{name}.chez.climat if {name}.blesse else sec]",
        ]
        numbers += [f"{name}.chez.loin", f"count({name}.amis.armes)", "table.lieux[mare].loin", f"{name}.main.sides"]
        flags = [
            f"{name}.blesse",
            f"{name}.chez.sur",
            f"{name}.chez is bois",
            f"vif in {name}.dons",
            f"{name}.humeur >= las",
        ]
        flags += [
            "during.combat",
            f"any({name}.armes, item.lourde)",
            f"all({name}.amis, item.corps > 1)",
            f"{name}.beni",
        ]
        flags += [f"given({name}.guide) and {name}.guide.vie > 1", f"{name}.chez.climat in [sec, humide]"]
        return cls(rng, numbers, flags, {f"{name}.amis": "heros"}, serial=serial)

    def copy(self) -> Scope:
        return Scope(self.rng, [*self.numbers], [*self.flags], {**self.loops}, [*self.rolls], self.sets, self.serial)

    def fresh(self, name: str) -> str:
        self.serial[0] += 1
        return f"{name}_{self.serial[0] - 1}"

    # ------------------------------------------------------------------ expressions

    def number(self, depth: int) -> str:
        """A whole number of any size that play can reach."""
        rng = self.rng
        if depth <= 0 or rng.randrange(3) == 0:
            return rng.choice([*self.numbers, str(rng.randrange(7))])
        one, other = self.number(depth - 1), self.number(depth - 1)
        return rng.choice(
            (
                f"{one} + {other}",
                f"{one} - ({other})",
                f"-({one})",
                f"({one}) * {rng.randrange(4)}",
                f"min({one}, {other})",
                f"max({one}, {other}, 1)",
                f"clamp({one}, 0, 9)",
                f"floor(({one}) / 2)",
                f"ceil(({one}) / max(1, {other}))",
                f"round_half_up(({one}) / 3)",
                f"({one}) // 2",
                f"({one}) % 3",
                f"abs({one})",
                f"({one} if {self.flag(depth - 1)} else {other})",
            )
        )

    def small(self) -> str:
        """A number from 0 to 4."""
        return f"clamp({self.number(1)}, 0, 4)"

    def flag(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0:
            return rng.choice(self.flags)
        return rng.choice(
            (
                rng.choice(self.flags),
                f"{self.number(depth - 1)} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {self.number(depth - 1)}",
                f"not ({self.flag(depth - 1)})",
                f"({self.flag(depth - 1)}) and ({self.flag(depth - 1)})",
                f"({self.flag(depth - 1)}) or {self.flag(0)}",
                f"0 <= {self.number(depth - 1)} <= 5",
            )
        )


@dataclass(slots=True)
class Steps:
    """Makes steps; `rolled`: dice may have fallen, so that nothing may refuse any more."""

    rng: random.Random
    scope: Scope
    rolled: bool
    kind: str = "action"
    depth: int = 0

    def some(self, most: int) -> list[Data]:
        found: list[Data] = []
        for _ in range(self.rng.randint(1, most)):
            known = self.scope.copy()
            step = self.rng.choice(self.kinds())()
            if self.rng.randrange(5) == 0 and "when" not in step:
                step["when"] = known.flag(1)  # what it gives a name to may then have no value
                self.scope.numbers, self.scope.flags, self.scope.rolls = known.numbers, known.flags, known.rolls
            found.append(step)
        return found

    def kinds(self) -> list[Callable[[], Data]]:
        found: list[Callable[[], Data]] = [
            self.let,
            self.set,
            self.change,
            self.move,
            self.fill,
            self.clear,
            self.add,
            self.remove,
            self.forge,
            self.say,
            self.emit,
        ]
        found += [self.apply, self.lift, self.begin, self.end, self.join]
        if not self.rolled and self.kind in ("action", "before"):
            found += [self.pay, self.require]
        if self.kind == "action":
            found += [self.roll, self.roll, self.choose, self.call, self.draw, self.ask]
            found += [self.reroll] * 4 * bool(self.scope.rolls)
            found += [self.stop] * (self.depth == 1)
        if self.depth < 2 and self.kind != "block":
            found += [self.if_, self.for_each, self.repeat]
        return found

    def inner(self, scope: Scope | None = None) -> Steps:
        return Steps(self.rng, scope or self.scope.copy(), self.rolled, self.kind, self.depth + 1)

    # ------------------------------------------------------------------ values

    def let(self) -> Data:
        name, text = self.scope.fresh("n"), self.scope.number(2)
        self.scope.numbers.append(name)
        return {"let": {name: text}}

    def set(self) -> Data:
        return self.rng.choice(
            (
                lambda: {"set": {"self.blesse": self.scope.flag(1)}},
                lambda: {"set": {"self.chez": self.rng.choice(("mare", "'bois'"))}},
                lambda: {"set": {"self.pas": self.scope.small(), "self.nom": "'Ana'"}},
                lambda: {"set": {"self.humeur": "las"}, "crossings": "true"},
                lambda: {"set": {"self.guide": "self"}},
                lambda: {"set": {"self.dons": self.rng.choice(self.scope.sets)}},
            )
        )()

    def gauge(self) -> str:
        return self.rng.choice(("self.vie", "self.reserves.eau", "self.reserves[pain]", "foyer.bois", "foyer.feu"))

    def change(self) -> Data:
        if self.rng.randrange(3):
            return {"change": {self.gauge(): self.scope.number(1)}}
        name = self.scope.fresh("effet")
        step = {"change": {"self.vie": self.scope.number(1)}, "as": name}
        self.scope.numbers += [f"{name}.applied", f"{name}.over"]
        return step

    def pay(self) -> Data:
        return {"pay": {self.gauge(): self.scope.small()}, "say": "Pas assez."}

    def move(self) -> Data:
        name, amount = self.scope.fresh("don"), self.scope.small()
        self.scope.numbers += [f"{name}.applied", f"{name}.left"]
        return {"move": {"from": "foyer.bois", "to": "self.vie", "amount": amount}, "as": name}

    def fill(self) -> Data:
        return {"fill": self.rng.choice(("self.vie", "self.reserves", "foyer.bois"))}

    def clear(self) -> Data:
        return {"clear": self.rng.choice(("self.humeur", "self.blesse", "self.chez", "self.reserves"))}

    # ------------------------------------------------------------------ lists

    def add(self) -> Data:
        given: Data = {
            "tranchant": self.scope.number(1),
            "lourde": self.scope.flag(1),
            "marque": "self.nom",
            "usure": self.scope.number(0),
            "donneur": "self",
            "entailles.lame": self.scope.number(1),
        }
        some = {key: given[key] for key in self.rng.sample([*given], self.rng.randrange(len(given) + 1))}
        return self.rng.choice(
            (
                {"add": {"sorte": "courte", **some}, "to": self.rng.choice(("self.armes", "self.ceinture"))},
                {"add": {"sorte": "longue", **some}, "to": "self.amis.armes"},
                {"add": "self", "to": "self.amis"},
                {"add": "self.armes", "to": "self.ceinture"},
                {"add": "self.prise", "to": "self.armes", "when": "given(self.prise)"},
            )
        )

    def remove(self) -> Data:
        name = self.scope.fresh("une")
        return self.rng.choice(
            (
                {"remove": "self.armes"},
                {"remove": "self.prise", "when": "given(self.prise)"},
                {"remove": "first(self.armes)", "from": "self.armes", "when": "given(first(self.armes))"},
                {"for_each": f"{name} in self.armes", "where": f"{name}.lourde", "do": [{"remove": name}]},
                {"remove": "self.amis", "from": "self.amis"},
            )
        )

    def forge(self) -> Data:
        name = self.scope.fresh("une")
        steps = [{"set": {f"{name}.lourde": self.scope.flag(1), "self.prise": name}}]
        return {"for_each": f"{name} in self.armes", "do": steps}

    def require(self) -> Data:
        return {"require": self.scope.flag(1), "say": "Impossible."}

    # ------------------------------------------------------------------ dice and choices

    def operations(self) -> list[Data]:
        every: list[Data] = [
            {"explode": "face == sides", "into": self.rng.choice(("new_die", "same_die")), "at_most": "2"},
            {"reroll": "face == 1", "how_many": self.scope.small(), "how_often": "1"},
            {"keep": {"highest": "max(1, " + self.scope.small() + ")"}},
            {"drop": {"lowest": "1"}},
            {"replace": "face < 2", "by": "2"},
        ]
        return self.rng.sample(every, self.rng.randrange(3))

    def roll(self) -> Data:
        name = self.scope.fresh("jet")
        if self.rng.randrange(4) == 0:
            spec: Any = self.rng.choice(("2d6", "d20", "1d4 + 2"))
            self.rolled = True
            self.scope.numbers.append(name)
            return {"roll": {name: spec}}
        if self.rng.randrange(3) == 0:
            group = {"dice": self.scope.small(), "die": "d6", "do": self.operations()[:1]}
            spec = {
                "groups": {"blancs": group, "noirs": {"dice": "1", "die": "ombre"}},
                "count": {"noir": "face > 1 and group is noirs"},
            }
        else:
            spec = {"dice": self.scope.small(), "die": self.rng.choice(("d6", "d10", "ombre", "neuf", "self.main"))}
        spec |= {"hidden_from": "joueurs"} if self.rng.randrange(3) == 0 else {}
        spec |= {
            "do": self.operations(),
            "sum": {
                "total": self.rng.choice(
                    (
                        "face",
                        "value",
                        {"0..3": "1", "4..10": "2"} if "groups" not in spec and spec["die"] == "d10" else "first",
                    )
                )
            },
            "highest": {"plus": self.rng.choice(("value", {"dice": self.scope.small(), "of": "value"}))},
            "lowest": {"moins": self.rng.choice(("face", {"dice": "2", "of": "face"}))},
            "sets": {"paires": self.rng.choice(("largest", "height", "pairs", "repeated", "distinct"))},
        }
        if "groups" not in spec and self.rng.randrange(4) == 0:
            spec["empty"] = {"dice": "2", "do": [{"keep": {"lowest": "1"}}]}
        self.rolled = True
        self.scope.numbers += [f"{name}.total", f"{name}.paires", f"{name}.dice", f"max(0, {name}.plus)"]
        self.scope.rolls.append(name)
        return {"roll": {name: spec}}

    def reroll(self) -> Data:
        self.rolled = True
        step = {"reroll": self.rng.choice(self.scope.rolls), "where": "face < 3", "how_many": self.scope.small()}
        return step | ({"when": self.scope.flag(1)} if self.rng.randrange(2) else {})

    def choose(self) -> Data:
        name, self.rolled = self.scope.fresh("choix"), True
        kind = self.rng.randrange(5)
        if kind == 4:
            count = self.rng.choice(("1..2", "2", "1 if self.blesse else 2"))
            self.scope.numbers.append(f"count({name})")
            self.scope.flags.append(f"mare in {name}")
            return {"choose": name, "key": "table.lieux", "count": count, "hidden": "true"}
        if kind == 0:
            step = {"choose": name, "number": f"0..{self.scope.small()} + 1", "label": "Combien ?"}
            self.scope.numbers.append(name)
            return step
        if kind == 1:
            self.scope.numbers.append(f"({name}.loin if given({name}) else 0)")
            return {"choose": name, "key": "table.lieux"}
        if kind == 2:
            self.scope.flags.append(f"given({name}) and {name}.lourde")
            return {"choose": name, "from": "self.armes", "where": "item.tranchant > 0"}
        options: Data = {
            "rester": {"label": "Rester"},
            "payer": {"label": "Payer", "pay": {"self.vie": self.scope.small()}, "do": self.inner().some(2)},
            "oser": {
                "label": "Oser",
                "when": self.scope.flag(1),
                "or_say": "Non.",
                "once_per": "combat",
                "do": self.inner().some(2),
            },
        }
        self.scope.flags.append(f"{name} is rester")
        return {"choose": name, "options": options, "who": "self"}

    def ask(self) -> Data:
        self.rolled = True
        return {"ask": "self.nom", "label": "Quel nom ?", "who": "self"}

    # ------------------------------------------------------------------ order

    def if_(self) -> Data:
        then, else_ = self.inner(), self.inner()
        step = {"if": self.scope.flag(2), "then": then.some(2), "else": else_.some(2)}
        self.rolled = self.rolled or then.rolled or else_.rolled
        return step

    def stop(self) -> Data:
        return {"finish": "echec", "when": self.scope.flag(1)}

    def for_each(self) -> Data:
        list_ = self.rng.choice([*self.scope.loops])
        name, scope = self.scope.fresh("un"), self.scope.copy()
        scope.numbers.append(f"{name}.vie")
        inner = self.inner(scope)
        inner.rolled = True  # on a later pass dice may have fallen
        steps = [{"change": {f"{name}.vie": scope.number(1)}}, *inner.some(1)]
        self.rolled = self.rolled or inner.rolled
        return {"for_each": f"{name} in {list_}", "where": f"{name}.vie > 0", "order": f"high {name}.vie", "do": steps}

    def repeat(self) -> Data:
        inner = self.inner()
        inner.rolled = True
        loop: Data = self.rng.choice(
            (
                {"times": self.scope.small()},
                {"until": self.scope.flag(1), "at_most": "3"},
                {"while": self.scope.flag(1), "at_most": self.scope.small()},
            )
        )
        self.rolled = True
        return {"repeat": {**loop, "do": inner.some(2)}}

    def call(self) -> Data:
        name, self.rolled = self.scope.fresh("appel"), True
        step = {
            "call": "blesser",
            "with": {"self": "self", "points": self.scope.small(), "fort": self.scope.flag(0), "avec": "self"},
            "as": name,
        }
        self.scope.numbers.append(f"{name}.perte")
        return step

    def draw(self) -> Data:
        name, self.rolled = self.scope.fresh("tirage"), True
        self.scope.numbers.append(f"{name}.gain")
        return {"call": "tirer", "as": name}

    # ------------------------------------------------------------------ the table

    def say(self) -> Data:
        return {"say": f"Il reste {{{self.scope.number(1)}}} à {{self.nom}}.", "hidden_from": "joueurs"}

    def emit(self) -> Data:
        return {"emit": "cri"}

    def apply(self) -> Data:
        return {"apply": self.rng.choice(("ebloui", "beni")), "to": "self"}

    def lift(self) -> Data:
        return {"lift": self.rng.choice(("ebloui", "beni")), "from": "self"}

    def begin(self) -> Data:
        return {"begin": "combat", "with": "self", "when": "not during.combat"}

    def end(self) -> Data:
        return {"end": self.rng.choice(("combat", "tour"))}

    def join(self) -> Data:
        return {"join": "combat", "with": "self", "when": "during.combat"}
