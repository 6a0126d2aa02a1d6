"""Whole rule sets made at random from the constructs of the language, with names, types and bounds that fit."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.strategies_steps import Scope, Steps

Data = dict[str, Any]
LONGEST_SHORT = 90
PLAIN = re.compile(r"[A-Za-z][\w. ]*\w|\d+|\w|-?\d+\.\.\d+")
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
        },
        "rows": {
            "mare": ["La mare", "2", "true", "chant", "humide"],
            "bois": {"label": "Le bois", "loin": "5", "sur": "false", "art": "danse", "climat": "sec"},
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
class Maker:
    """Makes one rule set; every decision comes from `rng`."""

    rng: random.Random
    data: Data = field(default_factory=dict)
    serial: list[int] = field(default_factory=lambda: [0])

    def chance(self, one_in: int = 2) -> bool:
        return self.rng.randrange(one_in) == 0

    def system(self) -> Data:
        self.data = {
            "format": "1",
            "system": {
                "id": "essai",
                "title": "Essai",
                "languages": ["fr"],
                "version": "1",
                "description": "Un essai.",
            },
            "symbols": SYMBOLS,
            "dice": DICE,
            "ladders": LADDERS,
            "tables": TABLES,
            "records": {"arme": self.record()},
            "sheets": {"heros": self.hero(), "bete": self.beast(), "foyer": self.hearth()},
            "periods": {
                "combat": {"label": "Combat", "members": "heros"},
                "tour": {"within": "combat", "members": "bete"},
                "nuit": {},
            },
            "effects": {"ebloui": self.effect("combat"), "beni": self.effect(None)},
            "assumptions": {"pas": {"value": str(self.rng.randrange(1, 5)), "reason": "Le livre n’en dit rien."}},
        }
        self.data["procedures"] = {"blesser": self.hurting(), "tirer": self.drawing()}
        self.data["blocks"] = {"depart": self.block()}
        self.data["outcome_sets"] = {"fins": {"gagne": {"when": "elan > 3", "say": "Gagné."}, "perd": {}}}
        self.data["actions"] = {f"action_{n}": self.action() for n in range(self.rng.randint(1, 3))}
        if self.chance():
            self.data["actions"]["duel"] = self.duel()
        self.data["triggers"] = {f"quand_{n}": self.trigger() for n in range(self.rng.randrange(3))}
        asked = re.findall(r'"choose": "(\w+)", "options"', json.dumps(self.data))
        self.data["policies"] = {"sage": {"choices": {name: ["payer when self.vie > 2", "rester"] for name in asked}}}
        self.data["characters"] = self.characters()
        self.data["examples"] = {
            name: self.example(name) for name in self.data["actions"] if name != "duel" and self.chance()
        }
        return self.data

    # ------------------------------------------------------------------ sheets

    def record(self) -> Data:
        found: Data = {
            "label": "Arme",
            "fields": {
                "tranchant": {"int": "0..4", "default": "1"},
                "lourde": {"flag": "false"},
                "marque": {"text": ""},
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
                "guide": {"one": ["heros", "bete"]},
            },
            "derived": {},
        }
        self.derived(found["derived"])
        return found

    def derived(self, derived: Data) -> None:
        """Derived values, each of which may read those before it."""
        scope = Scope.of_sheet(self.rng, "self", self.serial)
        derived["force"] = {"base": scope.number(2), "modifiers": self.modifiers(scope), "min": "-20", "max": "40"}
        scope.numbers.append("self.force")
        derived["pouvoirs"] = {"keys": "self.arts", "each": "self.arts[each] * 2 + self.corps"}
        scope.numbers.append("self.pouvoirs.chant")
        derived["fier"] = scope.flag(2)

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
            found["modifiers"] = {
                "trouble": {"to": self.rng.choice(("force", "*.elan")), "add": "-1", "when": "self.corps > 1"}
            }
        return found

    # ------------------------------------------------------------------ procedures, blocks, actions

    def steps(self, scope: Scope, most: int = 4, *, rolled: bool = False, kind: str = "action") -> list[Data]:
        return Steps(self.rng, scope, rolled, kind).some(most)

    def hurting(self) -> Data:
        scope = Scope.of_sheet(self.rng, "self", self.serial)
        scope.numbers += ["points"]
        steps = self.steps(scope, 2, rolled=True, kind="procedure")
        return {
            "who": {"self": "heros"},
            "inputs": {"points": {"int": "0..9"}, "fort": {"flag": "false"}},
            "do": [
                {"change": {"self.vie": "-points"}, "as": "coup"},
                {"let": {"perte": "coup.applied + (1 if fort else 0)"}},
                *steps,
            ],
            "gives": ["perte"],
        }

    def drawing(self) -> Data:
        return {
            "do": [
                {"roll": {"de": {"dice": "2", "die": "ombre", "sum": {"total": "face"}}}},
                {"let": {"gain": "de.total"}},
            ],
            "gives": ["gain"],
        }

    def block(self) -> Data:
        scope = Scope.of_sheet(self.rng, "self", self.serial)
        return {
            "who": {"self": "heros"},
            "inputs": {"effort": {"int": "0..3", "default": "1"}},
            "values": {
                "elan": {"base": "self.corps + effort", "modifiers": self.modifiers(scope), "min": "0", "max": "12"}
            },
        }

    def action(self) -> Data:
        scope = Scope.of_sheet(self.rng, "self", self.serial)
        scope.loops["betes"] = "bete"
        inputs = self.inputs(scope)
        scope.numbers.append("effort")
        required = [{"that": "self.vie >= 0", "say": "Trop faible."}, scope.flag(1)] if self.chance() else []
        before = self.steps(scope.copy(), 1, kind="before") if self.chance() else []
        scope.numbers.append("elan")
        found: Data = {
            "label": f"Agir {self.rng.randrange(10**6)}",
            "begins_with": "depart",
            "who": {"self": "heros", "betes": ["bete"]},
            "inputs": inputs,
            "require": required,
            "values": {
                "cible": {"base": scope.number(2), "modifiers": self.modifiers(scope), "min": "-10", "max": "30"}
            },
        }
        found["before"] = before
        scope.numbers.append("cible")
        found["steps"] = [*self.steps(scope, 5), {"let": {"fin": scope.number(1)}}]
        found["after"] = self.steps(scope.copy(), 1, rolled=True) if self.chance() else []
        found["report"] = {"reste": "self.vie", "fin": "fin"} if self.chance() else ["elan"]
        found["flags"] = {"haut": "fin > 2"} if self.chance() else {}
        if self.chance(3):
            found["outcomes"] = "fins"
        else:
            grades = {"grades": {"net": {"when": "fin > 4", "say": "Net."}}} if self.chance() else {}
            found["outcomes"] = {"reussite": {"when": f"fin + {scope.small()} > 1", **grades}, "echec": {}}
            found["best"] = "reussite"
        if self.chance(3):
            found["during"] = "nuit"
        return {key: item for key, item in found.items() if item not in ([], {})}

    def inputs(self, scope: Scope) -> Data:
        """Inputs of every kind, with what each lets expressions read."""
        found: Data = {}
        if self.chance():
            found["vers"] = {"key": "table.lieux", "default": "bois"}
            scope.numbers += ["vers.loin", "self.arts[vers.art]"]
            scope.flags += ["vers.sur", "vers is mare", "vers == self.chez"]
        if self.chance():
            found["vite"] = {"flag": "false", "asked": "meneur"}
            scope.flags.append("vite")
        if self.chance():
            found["art"] = {
                "key": "self.arts",
                "default": "chant",
                "when": "self.corps > 0",
                "or_say": "Sans corps, pas d’art.",
            }
            scope.numbers += ["self.arts[art]", "self.pouvoirs[art]"]
        if self.chance():
            found["arme"] = {"pick": "self.armes", "count": "0..1", "where": "item.tranchant < 4"}
            scope.numbers.append("(arme.tranchant if given(arme) else 0)")
            scope.flags.append("given(arme) and arme.lourde")
        if self.chance():
            found["outils"] = {"set_of": ["corde", "clou"], "count": "0..2"}
            scope.numbers.append("count(outils)")
            scope.flags.append("corde in outils")
        if self.chance():
            found["voulus"] = {"set_of": ["vif", "fort", "doux"], "count": "0..2"}
            scope.sets.append("voulus")
        if self.chance():
            found["limite"] = {"int": "1..self.corps + 3", "optional": "true"}
            scope.numbers.append("(limite if given(limite) else 1)")
        if self.chance(3):
            found["peine"] = {"int": "0..4", "default": "0", "for_each": "betes", "beyond": "clamp"}
        if self.chance(3):
            found["mot"] = {"text": ""}
        return found

    def duel(self) -> Data:
        def side(title: str) -> Data:
            scope = Scope.of_sheet(self.rng, "self", self.serial)
            return {
                "who": {"self": "heros"},
                "inputs": {"mise": {"int": "0..2", "default": "0"}},
                "values": {"poignee": {"base": f"self.corps + mise + {scope.small()}", "min": "1", "max": "6"}},
                "steps": [{"roll": {"jet": {"dice": "poignee", "die": "d6", "count": {"succes": "face >= 5"}}}}],
            }

        return {
            "label": "Se battre",
            "sides": {"a": side("a"), "b": side("b")},
            "order": "high side.poignee",
            "outcomes": {
                "gagne_a": {"when": "a.jet.succes > b.jet.succes"},
                "gagne_b": {"when": "b.jet.succes > a.jet.succes"},
                "egalite": {},
            },
            "best": ["gagne_a", "egalite"],
        }

    def trigger(self) -> Data:
        kind = self.rng.randrange(6)
        upon: Data = [
            {"gauge": "heros.vie", "falls_below": "3"},
            {"gauge": "heros.reserves.pain", "changes": "down", "by": ["pay", "change"]},
            {"gauge": "heros.humeur", "rises_to": "las"},
            {"field": "heros.blesse", "becomes": "true"},
            {"begins": "combat"},
            {"event": "cri"},
        ][kind]
        do: list[Data] = [{"say": "Quelque chose arrive."}]
        if kind < 4 and self.chance():
            do.append({"set": {"self.nom": "'atteint'"}} if self.chance() else {"change": {"foyer.bois": "-1"}})
        found = {"upon": upon, "do": do}
        return found | ({"once_per": "combat"} if self.chance() else {})

    # ------------------------------------------------------------------ characters and examples

    def characters(self) -> Data:
        hero: Data = {
            "sheet": "heros",
            "vie": "4",
            "arts": {"chant": "2"},
            "dons": ["vif"],
            "armes": [{"tranchant": "3"}, {"lourde": "true"}],
        }
        return {
            "ana": hero,
            "bob": {"sheet": "heros", "vie": "5", "amis": ["ana"], "guide": "ana"},
            "loup": {"sheet": "bete", "rage": "1", "proie": "bob"},
        }

    def example(self, name: str) -> Data:
        return {
            "action": name,
            "sheets": {"self": "ana", "betes": ["loup"]},
            "inputs": {"effort": "1"},
            "during": "combat",
            "label": "Un cas",
        }


def make(rng: random.Random) -> str:
    """The text of one rule set."""
    return "\n".join(block(Maker(rng).system())) + "\n"


# ---------------------------------------------------------------------- as people write it


def block(value: Data) -> Iterator[str]:
    """The lines of a mapping, its short parts in brackets."""
    for key, item in value.items():
        name, short = flow(key), flow(item)
        if isinstance(item, str) or len(short) <= LONGEST_SHORT:
            yield f"{name}: {short}"
            continue
        yield f"{name}:"
        yield from (f"  {line}" for line in (block(item) if isinstance(item, dict) else entries(item)))


def entries(value: list[Any]) -> Iterator[str]:
    for item in value:
        short = flow(item)
        lines = [short] if isinstance(item, str) or len(short) <= LONGEST_SHORT else list(block(item))
        yield from (f"{'  ' if number else '- '}{line}" for number, line in enumerate(lines))


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return value if PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def systems() -> st.SearchStrategy[str]:
    """Texts of whole rule sets, as rule files hold them."""
    return st.randoms(note_method_calls=False, use_true_random=False).map(make)
