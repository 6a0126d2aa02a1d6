"""Whole rule sets made at random from the constructs of the language, with names, types and bounds that fit."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from tests.strategies_sheets import DICE, LADDERS, SYMBOLS, TABLES, Sheets
from tests.strategies_steps import Scope, Steps

Data = dict[str, Any]
LONGEST_SHORT = 90
PLAIN = re.compile(r"[A-Za-z][\w. ]*\w|\d+|\w|-?\d+\.\.\d+")


class Maker(Sheets):
    """Makes one rule set; every decision comes from `rng`."""

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
            "people": {"meneur": "Meneur", "joueurs": "Joueurs"},
            "assumptions": {"pas": {"value": str(self.rng.randrange(1, 5)), "reason": "Le livre n’en dit rien."}},
        }
        self.data["procedures"] = {"blesser": self.hurting(), "tirer": self.drawing()}
        self.data["blocks"] = {"depart": self.block()}
        self.data["outcome_sets"] = {"fins": {"reussite": {"when": "elan > 3", "say": "Gagné."}, "echec": {}}}
        self.data["actions"] = {f"action_{n}": self.action() for n in range(self.rng.randint(1, 3))}
        if self.chance():
            self.data["actions"]["duel"] = self.duel()
        self.data["triggers"] = {f"quand_{n}": self.trigger() for n in range(self.rng.randrange(3))}
        asked = re.findall(r'"choose": "(\w+)", "options"', json.dumps(self.data))
        self.data["policies"] = {"sage": {"choices": {name: ["payer when self.vie > 2", "rester"] for name in asked}}}
        self.data["characters"] = self.characters()
        self.data["examples"] = self.examples() if self.chance() else {}
        return self.data

    # ------------------------------------------------------------------ procedures, blocks, actions

    def steps(self, scope: Scope, most: int = 4, *, rolled: bool = False, kind: str = "action") -> list[Data]:
        return Steps(self.rng, scope, rolled, kind).some(most)

    def hurting(self) -> Data:
        scope = Scope.of_sheet(self.rng, "self", self.serial)
        scope.numbers += ["points"]
        steps = self.steps(scope, 2, rolled=True, kind="procedure")
        return {
            "who": {"self": "heros"},
            "inputs": {"points": {"int": "0..9"}, "fort": {"flag": "false"}, "avec": {"one": "heros"}},
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
        before = self.steps(scope.copy(), 1, kind="block") if self.chance() else []
        more: Data = {"before": before} if before else {}
        more |= {"require": ["self.corps < 20"]} if self.chance() else {}
        more |= {"steps": [{"let": {"premier": "elan + 1"}}]} if self.chance() else {}
        return {
            **more,
            "who": {"self": "heros"},
            "inputs": {"effort": {"int": "0..3", "default": "1", "hidden_from": "joueurs"}},
            "values": {
                "elan": {
                    "base": "self.corps + effort",
                    **self.changes(scope),
                    "min": "0",
                    "max": "12",
                    "hidden_from": "joueurs",
                }
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
            "values": {"cible": {"base": scope.number(2), **self.changes(scope, "age"), "min": "-10", "max": "30"}},
        }
        found["before"] = before
        scope.numbers.append("cible")
        found["steps"] = [{"let": {"fin": scope.number(1)}}, *self.steps(scope, 5)]
        ended = scope.copy()
        ended.rolls = []  # some way may have finished before
        found["after"] = self.steps(ended, 1, rolled=True) if self.chance() else []
        found["report"] = {"reste": "self.vie", "fin": "fin"} if self.chance() else ["elan"]
        found["flags"] = {"haut": "fin > 2"} if self.chance() else {}
        if self.chance(3):
            found["outcomes"] = "fins"
        else:
            grades = {"grades": {"net": {"when": "fin > 4", "say": "Net."}}} if self.chance() else {}
            when = f"(fin + {scope.small()} > 1 if self.blesse else {scope.flag(1)})"
            found["outcomes"] = {"reussite": {"when": when, **grades}, "echec": {}}
            found["best"] = "reussite"
        if self.chance(3):
            found["during"] = "nuit"
        found |= {"by": "meneur"} if self.chance(4) else {}
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
        ordered = self.chance()

        def side(title: str) -> Data:
            scope = Scope.of_sheet(self.rng, "self", self.serial)
            before = [{"pay": {"self.vie": "mise"}}] if title == "a" and not ordered else []
            return {
                "who": {"self": "heros"},
                "require": [f"self.corps > {self.rng.randrange(2)} or mise == 0"],
                "before": [*before, {"say": "Prêt."}] if not ordered else [],
                "inputs": {"mise": {"int": "0..2", "default": "0"}},
                "values": {"poignee": {"base": f"self.corps + mise + {scope.small()}", "min": "1", "max": "6"}},
                "steps": [{"roll": {"jet": {"dice": "poignee", "die": "d6", "count": {"succes": "face >= 5"}}}}],
            }

        shared = {"begins_with": "depart"} if self.chance() and not ordered else {}
        return {
            "label": "Se battre",
            "sides": {"a": {**side("a"), **shared}, "b": {**side("b"), **shared}},
            "order": "high side.poignee" if ordered else "low side.self.corps",
            "outcomes": {
                "gagne_a": {"when": "a.jet.succes > b.jet.succes"},
                "gagne_b": {"when": "b.jet.succes > a.jet.succes"},
                "egalite": {},
            },
            "best": ["gagne_a", "egalite"],
        }

    def trigger(self) -> Data:
        kind = self.rng.randrange(11)
        upon: Data = [
            {"gauge": "heros.vie", "falls_below": "3"},
            {"gauge": "heros.reserves.pain", "changes": "down", "by": ["pay", "change"]},
            {"gauge": "heros.humeur", "rises_to": "las"},
            {"gauge": "heros.vie", "drops_to": "1"},
            {"gauge": "bete.rage", "rises_above": "self.crocs", "by": ["change"]},
            {"field": "heros.blesse", "becomes": "true"},
            {"begins": "combat"},
            {"ends": "nuit"},
            {"joins": "combat"},
            {"event": "cri"},
            {"field": "arme.lourde"},
        ][kind]
        do: list[Data] = [{"say": "Quelque chose arrive."}]
        if kind < 6 and self.chance():
            do.append({"emit": "bruit"} if self.chance() else {"change": {"foyer.bois": "-1"}})
        found = {"upon": upon, "do": do}
        found |= {"when": "foyer.bois > 1 or during.combat"} if self.chance() else {}
        return found | ({"once_per": "combat"} if self.chance() else {})

    # ------------------------------------------------------------------ characters and examples

    def characters(self) -> Data:
        hero: Data = {
            "sheet": "heros",
            "vie": "4",
            "arts": {"chant": "2"},
            "dons": ["vif"],
            "armes": [{"tranchant": "3", "sorte": "longue"}, {"lourde": "true", "sorte": "courte"}],
        }
        return {
            "ana": hero,
            "bob": {"sheet": "heros", "vie": "5", "amis": ["ana"], "guide": "ana"},
            "loup": {"sheet": "bete", "rage": "1", "proie": "bob"},
        }

    def examples(self) -> Data:
        """Examples that look at sheets, make them, play an action, or several after one another."""
        hero: Data = {"like": "ana", "corps": "1", "vie": "3"}
        found: Data = {
            "fiche": {"sheets": {"self": "ana"}, "expect": {"self.arts.chant": "2", "ana.dons": ["vif"]}},
            "cree": {
                "create": "bete",
                "sheets": {"self": {"crocs": "2"}},
                "expect": {"self.crocs": "2"},
                "rules": ["R1"],
            },
        }
        for name in [name for name in self.data["actions"] if name != "duel"]:
            scene = {"action": name, "inputs": {"effort": "1"}}
            case: Data = {
                **scene,
                "sheets": {"self": self.rng.choice(("ana", hero)), "betes": ["loup"]},
                "label": "Un cas",
            }
            found[f"{name}_joue"] = {**case, "during": "combat"}
            found[f"{name}_tenu"] = {
                "like": f"{name}_joue",
                "odds": {"elan": "1"},
                "policy": self.rng.choice(("first", "sage")),
            }
            sheets = {"self": "ana", "betes": ["loup"]}
            found[f"{name}_suite"] = {
                "sheets": {"self": "ana"},
                "script": [
                    {**scene, "sheets": sheets, "expect": {"ana.corps": "1"}},
                    {**scene, "sheets": sheets, "refused": "true"},
                ],
            }
        return found


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
