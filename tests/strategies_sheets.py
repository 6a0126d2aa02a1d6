"""Tables, sheets, records and effects made at random; `strategies` makes whole rule sets of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.strategies_steps import Scope

Data = dict[str, Any]
# What every generated game has: the parts that expressions and steps can be sure of.
TABLES: Data = {
    "lieux": {
        "label": "Lieux",
        "columns": {
            "label": "label",
            "loin": "number",
            "sur": "flag",
            "art": "heros.arts",
            "climat": ["sec", "humide"],
            "sec": "number",
            "humide": "number",
        },
        "rows": {
            "mare": ["La mare", "2", "true", "chant", "humide", "1", "4"],
            "bois": {
                "label": "Le bois",
                "loin": "5",
                "sur": "false",
                "art": "danse",
                "climat": "sec",
                "sec": "3",
                "humide": "0",
            },
        },
    },
    "etats": {
        "columns": ["label", "malus"],
        "ordered": "true",
        "rows": {"frais": ["Frais", "0"], "las": ["Las", "1"], "vide": ["Vidé", "3"]},
    },
    "sorts": {"columns": ["quoi"], "dice": "1d6", "rows": {"1-2": ["Rien"], "3-5": ["Peu"], "6": ["Tout"]}},
}
DICE: Data = {
    "ombre": "0..3",
    "destin": {"faces": ["S", "S S", "E", "_"], "label": "Dé du destin"},
    "neuf": {"faces": ["1", "3", "5"]},
}
SYMBOLS: Data = {"S": "Succès", "E": "Échec"}
LADDERS: Data = {"souffle": ["d4", "d6", "d8"]}


@dataclass(slots=True)
class Sheets:
    """Makes the declarations of one rule set; every decision comes from `rng`."""

    rng: random.Random
    data: Data = field(default_factory=dict)
    serial: list[int] = field(default_factory=lambda: [0])

    def chance(self, one_in: int = 2) -> bool:
        return self.rng.randrange(one_in) == 0

    # ------------------------------------------------------------------ sheets

    def record(self) -> Data:
        found: Data = {
            "label": "Arme",
            "fields": {
                "tranchant": {"int": "0..4", "default": "1"},
                "lourde": {"flag": "false"},
                "marque": {"text": ""},
                "usure": {"int": "0..self.tranchant + 1"},
                "donneur": {"one": "heros"},
                "entailles": {"keys": ["lame", "manche"], "int": "0..3"},
                "sorte": {"key": ["courte", "longue"], **self.rng.choice(({}, {"default": "longue"}))},
            },
        }
        if self.chance():
            found["modifiers"] = {
                "poids": {"to": "*.elan", "add": "-item.tranchant", "when": "item.lourde", "label": "Poids"}
            }
        return found

    def hero(self) -> Data:
        low = self.rng.randrange(2)
        found: Data = {
            "label": "Héros",
            "stats": {
                "corps": f"{low}..{low + self.rng.randint(1, 5)}",
                "arts": {
                    "keys": ["chant", "danse"],
                    "range": "0..3",
                    "default": "1",
                    "labels": {"chant": "Chant", "danse": "Danse"},
                },
                "main": {"die": self.rng.choice(("souffle", ["d6", "d10"]))},
            },
            "gauges": {
                "vie": self.rng.choice(
                    (
                        "0..10",
                        {"range": "0..10", "start": "10"},
                        {"min": "0", "max": "self.corps + 5", "start": "max"},
                        {"range": "0..20", "start": "2d6 + 3"},
                    )
                ),
                "reserves": {
                    "keys": ["pain", "eau"],
                    "min": "0",
                    "max": self.rng.choice(({"pain": "3", "eau": "self.corps + 1"}, "6")),
                    "start": "2",
                },
                "humeur": {"steps": "table.etats", "start": "frais"},
            },
            "fields": {
                "blesse": {"flag": "false", "temporary": "true"},
                "nom": {"text": ""},
                "pas": {"int": "0..9", "default": "2"},
                "chez": {"key": "table.lieux", "default": "mare"},
                "dons": {"set_of": ["vif", "fort", "doux"], "count": "0..2"},
                "armes": {"many": "arme"},
                "amis": {"many": "heros"},
                "prise": {"one": "arme"},
                "ceinture": {"many": "arme", "count": "0..2"},
                "guide": {"one": ["heros", "bete"]},
                "marques": {"keys": ["front", "bras"], "int": "0..3", "default": "0"},
            },
            "derived": {},
        }
        self.derived(found["derived"])
        return found

    def derived(self, derived: Data) -> None:
        """Derived values, each of which may read those before it."""
        scope = Scope.of_sheet(self.rng, "self", self.serial)
        derived["force"] = {"base": scope.number(2), **self.changes(scope), "min": "-20", "max": "40"}
        scope.numbers.append("self.force")
        derived["pouvoirs"] = {"keys": "self.arts", "each": "self.arts[each] * 2 + self.corps"}
        scope.numbers.append("self.pouvoirs.chant")
        derived["fier"] = scope.flag(2)

    def changes(self, scope: Scope, *always: str) -> Data:
        """Modifiers, some of which are `always` there, and now and then an order of their own."""
        found = {name: {"add": scope.small()} for name in always} | self.modifiers(scope)
        stages = self.rng.sample([*found, "multiply", "add"], self.rng.randrange(3)) if self.chance(3) else []
        return {"modifiers": found, "stages": list(dict.fromkeys(stages))} if stages else {"modifiers": found}

    def modifiers(self, scope: Scope) -> Data:
        """Named changes to a number, of every kind."""
        found: Data = {}
        for name in ("age", "peur", "art")[: self.rng.randrange(4)]:
            kind = self.rng.randrange(6)
            if kind == 0:
                found[name] = {"add": scope.small(), "best_of": "humeur"}
            elif kind == 1:
                found[name] = {
                    "multiply": "1 / 2",
                    "round": self.rng.choice(("down", "up", "half_up", "half_down", "half_even")),
                }
            elif kind == 2:
                found[name] = {"divide": "max(1, " + scope.small() + ")", "round": "down"}
            elif kind == 3:
                found[name] = {"set": scope.small(), "when": scope.flag(1)}
            elif kind == 4:
                found[name] = {"multiply": "2", "when": scope.flag(1)}
            else:
                found[name] = {"add": scope.number(1), "when": scope.flag(1), "label": "Peur"}
        return found

    def beast(self) -> Data:
        return {
            "stats": {"crocs": "1..3", "peau": {"range": "0..4", "default": "2"}},
            "gauges": {
                "vie": {"range": "0..9", "start": "9", "keeps": "true"},
                "rage": {"range": "0..3", "start": "0"},
            },
            "fields": {"proie": {"one": "heros"}},
        }

    def hearth(self) -> Data:
        return {
            "only_one": "true",
            "gauges": {"bois": "0..12", "feu": {"min": "0", "max": "foyer.bois + 1", "start": "1"}},
        }

    def effect(self, ends: str | None) -> Data:
        found: Data = {"on": "heros", "again": self.rng.choice(("refresh", "keep", "refuse"))}
        found |= {"ends": ends} if ends else {}
        if self.chance():
            change = self.rng.choice(({"add": "-1", "best_of": "etat"}, {"multiply": "2"}, {"set": "3"}))
            target = self.rng.choice(("force", "*.elan", "depart.elan"))
            found["modifiers"] = {"trouble": {"to": target, **change, "when": "self.corps > 1"}}
            if self.chance():
                found["modifiers"]["oubli"] = {"to": "*.cible", "cancel": "age"}
        return found
