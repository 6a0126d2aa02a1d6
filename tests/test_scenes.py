"""Whole scenes of Meute and Vermine through the Python API, each number worked out by hand from the books."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interpreter.examples import character
from interpreter.layout import State
from interpreter.loader import Rules, load
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused
from interpreter.model import Label, System
from interpreter.problems import Problem, Severity
from interpreter.session import Session, session_from_json, session_to_json
from interpreter.start import Request

HOUSE_RULES = Path(__file__).parents[1] / "docs" / "house_rules" / "meute.yaml"


def system_of(where: str | Path) -> System:
    rules = load(where)
    assert errors(rules) == []
    assert rules.system is not None
    return rules.system


def errors(rules: Rules) -> list[Problem]:
    return [problem for problem in rules.problems if problem.severity is Severity.ERROR]


class Table:
    """People at a table: they call actions, throw dice and choose, and look at sheets."""

    def __init__(self, where: str | Path, sheets: Mapping[str, Mapping[str, Any]]) -> None:
        system = system_of(where)
        known = {name: {**character(system, name), **data} for name, data in sheets.items()}
        self.session = Session(system, State(known))
        self.outcome: str | None = None

    def play(
        self,
        action: str,
        roles: Mapping[str, str | tuple[str, ...]] | None = None,
        inputs: Mapping[str, Any] | None = None,
        answers: Iterable[Any] = (),
    ) -> Need:
        """An action to its end, each answer in turn; after every one the game is saved and loaded again."""
        given = {role: (ids,) if isinstance(ids, str) else ids for role, ids in (roles or {}).items()}
        session, need = self.session.begin(Request(action, given, inputs or {}))
        for answer in answers:
            assert isinstance(need, NeedRoll | NeedChoice), need
            session, need = reloaded(session).answer(answer)
        assert not isinstance(need, NeedRoll | NeedChoice), need
        if isinstance(need, Done):
            self.session = session
            self.outcome = need.grade or need.outcome
        return need

    def refused(self, action: str, *given: Any, **named: Any) -> str:
        """What is said when the action is refused; nothing at the table may have changed."""
        before = self.session.state
        need = self.play(action, *given, **named)
        assert isinstance(need, Refused)
        assert self.session.state == before
        said = " ".join(need.label.texts.values()) if need.label else ""
        return f"{need.message} {said}"

    def value(self, name: str) -> Any:
        """A value of the last roll, as its trace shows it."""
        assert self.session.last is not None
        return next(entry.value for entry in self.session.last.trace if entry.kind == "value" and entry.name == name)

    def parts(self, name: str) -> dict[str, int]:
        """What changed that value, by modifier."""
        assert self.session.last is not None
        entry = next(entry for entry in self.session.last.trace if entry.kind == "value" and entry.name == name)
        return {part[0]: part[3] for part in entry.detail if part[2] == "add" and part[3]}

    def sheet(self, name: str) -> Any:
        return self.session.state.sheets[name]

    def now(self, name: str, gauge: str, key: str | None = None) -> Any:
        value = self.sheet(name)[gauge]
        value = value if key is None else value[key]
        return value["now"] if isinstance(value, Mapping) else value


def reloaded(session: Session) -> Session:
    again, refused = session_from_json(session.system, json.loads(json.dumps(session_to_json(session))))
    assert refused is None
    return replace(again, last=session.last)


# ---------------------------------------------------------------------- Meute: a hunt


@pytest.fixture
def pack() -> Table:
    """Three of four are there, and five dice of nine are left in the pot."""
    return Table(
        "meute",
        {
            "jane": {"pregnance": "eveille"},
            "vernon": {"pregnance": "eveille"},
            "ysolde": {"pregnance": "attentif"},
            "paul": {"present": False},
            "meute": {"lien": {"start": 9, "now": 5}},
            "garde": {},
        },
    )


def test_a_hunt_with_three_players_at_the_pot(pack: Table) -> None:
    # Jane is the Alpha; Ysolde (3) is more dominant than Vernon (2), who asks first and comes last.
    pack.play("pioche", {"piocheurs": ("vernon", "ysolde", "jane")}, {"voulu": {"vernon": 3, "ysolde": 3, "jane": 3}})
    assert [pack.now(who, "main") for who in ("jane", "ysolde", "vernon")] == [3, 2, 0]
    assert [pack.now(who, "pregnance") for who in ("jane", "ysolde", "vernon")] == ["attentif", "vigilant", "eveille"]
    assert pack.now("meute", "lien") == 0

    # Jane: Corps 3 and the 3 dice in hand. Ysolde's Relation makes 5+ a 4+, and puts a die into the empty pot.
    pack.play(
        "test",
        {"self": "jane"},
        {"attribut": "corps", "difficulte": "difficile", "aides": ["Elle m’a recueillie"]},
        [[4, 4, 1, 2, 6, 3]],
    )
    assert (pack.value("poignee"), pack.value("seuil")) == (6, 4)
    assert pack.outcome == "reussite"
    assert (pack.now("jane", "main"), pack.now("meute", "lien")) == (0, 1)
    assert "Elle m’a recueillie" in pack.refused(
        "test", {"self": "jane"}, {"attribut": "corps", "aides": ["Elle m’a recueillie"]}
    )

    # Ysolde changes, slowly: one step. Esprit 4, Vécu 2, dice in hand 2, less 2 for concentration at Féroce;
    # Aux aguets and the wolf's nose make it a 3+.
    pack.play("changer", {"self": "ysolde"})
    assert pack.outcome == "en_quelques_minutes"
    assert (pack.now("ysolde", "pregnance"), pack.sheet("ysolde")["forme"]) == ("feroce", "loup")
    pack.play(
        "test",
        {"self": "ysolde"},
        {
            "attribut": "esprit",
            "vecus": ["Chasseur émérite"],
            "specialite": "Aux aguets",
            "capacite": "reperer",
            "concentration": True,
            "difficulte": "facile",
        },
        [[3, 3, 6, 5, 4, 1]],
    )
    assert pack.parts("poignee") == {"vecus": 2, "lien": 2, "concentration": -2}
    assert (pack.value("poignee"), pack.value("seuil"), pack.outcome) == (6, 3, "exceptionnel")

    # Vernon takes the last die: 4 + 2 + 1 against a guard (1) who is watchful (+1).
    pack.play(
        "opposition_pnj",
        {"self": "vernon", "target": "garde"},
        {"attribut": "corps", "vecus": ["Grand sportif"], "lien": 2, "ses_specialites": ["Vigilance"]},
        [[1, 1, 1, 1, 1, 1, 5]],
    )
    assert (pack.value("poignee"), pack.value("requis"), pack.outcome) == (7, 2, "echec")
    assert (pack.now("vernon", "pregnance"), pack.now("meute", "lien")) == ("attentif", 0)

    # Jane calms Ysolde, once; the pack hunts; she can again.
    calm = ({"self": "jane", "target": "ysolde"}, {"relation": "Ma petite sœur de meute"})
    pack.play("calmer", *calm)
    assert (pack.now("ysolde", "pregnance"), pack.now("meute", "lien")) == ("vigilant", 1)
    assert "prochaine Chasse" in pack.refused("calmer", *calm)
    pack.play("chasse")
    ticked = [r["cochee"] for who in ("jane", "vernon", "ysolde", "paul") for r in pack.sheet(who)["relations"]]
    assert not any(ticked)
    pack.play("calmer", *calm)
    assert (pack.now("ysolde", "pregnance"), pack.now("meute", "lien")) == ("attentif", 2)


def test_the_wolf_revealed_in_the_middle_of_a_roll(pack: Table) -> None:
    pack.play("regler_la_pregnance", {"self": "ysolde"}, {"crans": 2})
    assert pack.now("ysolde", "pregnance") == "feroce"
    # The draw brings her to Révélé: no Vécu and no penalty any more, but the wolf's name: 4 + 2 drawn + 2.
    pack.play(
        "test",
        {"self": "ysolde"},
        {"attribut": "esprit", "vecus": ["Chasseur émérite"], "concentration": True, "lien": 2},
        ["Retrouver la louve grise", [5, 6, 1, 1, 1, 1, 1, 1]],
    )
    assert pack.parts("poignee") == {"lien": 2, "nom_du_loup": 2}
    assert (pack.sheet("ysolde")["aux_commandes"], pack.outcome) == ("loup", "reussite")
    assert pack.sheet("ysolde")["objectif"] == "Retrouver la louve grise"

    calm = ({"self": "jane", "target": "ysolde"}, {"relation": "Ma petite sœur de meute"})
    assert "objectif" in pack.refused("calmer", *calm)
    assert "Vécus" in pack.refused("test", {"self": "ysolde"}, {"attribut": "esprit", "vecus": ["Chasseur émérite"]})
    pack.play("objectif_rempli", {"self": "ysolde"})
    assert pack.now("ysolde", "pregnance") == "revele"
    pack.play("calmer", *calm)
    assert pack.now("ysolde", "pregnance") == "feroce"


def test_a_challenge_between_two_who_both_draw(pack: Table) -> None:
    # The Alpha draws first: 3 of 5; Vernon wants 3 and finds 2. Jane 4 + 3 at 4+, Vernon 2 + 2 at 5+: 2 to 2, and the
    # larger handful wins.
    pack.play(
        "defi",
        {"a": "vernon", "b": "jane"},
        {"a": {"lien": 3}, "b": {"lien": 3, "specialite": "Volontaire"}},
        [[4, 4, 1, 1, 1, 1, 1], [5, 5, 1, 1]],
    )
    assert (pack.value("a.poignee"), pack.value("b.poignee"), pack.value("b.seuil")) == (4, 7, 4)
    assert pack.outcome == "de_justesse_b"
    assert pack.now("meute", "lien") == 0
    assert "Dominance" in pack.refused("defi", {"a": "vernon", "b": "jane"}, {"a": {"attribut": "corps"}})
    assert "différents" in pack.refused("defi", {"a": "jane", "b": "jane"})


def test_a_refusal_changes_nobody(pack: Table) -> None:
    assert "Éveillé" in pack.refused("pioche", {"piocheurs": ("jane", "paul")}, {"voulu": {"jane": 1, "paul": 1}})
    assert "Vigilant" in pack.refused("changer", {"self": "jane"})
    assert "Blessure" in pack.refused("soigner", {"self": "jane"})


# ---------------------------------------------------------------------- Vermine: a fight


@pytest.fixture
def survivors() -> Table:
    """Jo is tired (Effort 6 of 15) and shaken (Sang-froid 9 of 15); Mara is fresh (16 and 17)."""
    return Table(
        "vermine",
        {
            "jo": {"reserves": {"effort": {"start": 15, "now": 6}, "sang_froid": {"start": 15, "now": 9}, "combat": 0}},
            "mara": {},
        },
    )


def shot(table: Table, faces: list[Any], *choices: Any, reserve: int = 0) -> None:
    """Jo fires: Précision 3, Fusil (Confirmé: +1, 4+)."""
    inputs = {"caracteristique": "precision", "specialite": "Fusil", "reserve": reserve, "difficulte": "difficile"}
    table.play("test", {"self": "jo"}, inputs, [*choices, {"blancs": faces, "equipement": []}])


def will(table: Table, faces: list[Any]) -> int:
    """Jo holds out on Volonté 2; how many dice he threw."""
    table.play("test", {"self": "jo"}, {"caracteristique": "volonte"}, [{"blancs": faces, "equipement": []}])
    poignee = table.value("poignee")
    assert isinstance(poignee, int)
    return poignee


def test_a_fight_that_crosses_five(survivors: Table) -> None:
    table = survivors
    table.play("engager_le_combat", {"combattants": ("jo", "mara")})
    assert [table.now(who, "reserves", "combat") for who in ("jo", "mara")] == [6, 16]
    assert "déjà en cours" in table.refused("engager_le_combat", {"combattants": ("jo", "mara")})

    # 6 - 2 is 4: the moment has come. 6 of 9 dice go over: Combat 10, Sang-froid 3, and no penalty on 3 + 1 + 2.
    shot(table, [[10, 7], 4, 5, 1, 2, 3], "transferer", 6, reserve=2)
    assert table.parts("poignee") == {"specialite": 1, "reserve": 2}
    assert table.outcome == "reussite"
    assert [table.now("jo", "reserves", key) for key in ("effort", "sang_froid", "combat")] == [6, 3, 10]
    assert will(table, [1, 1]) == 2  # the strain of the transfer is not felt yet

    # Below 5 again: nothing is asked, and the Combat penalty is there.
    table.play("fatigue", {"self": "jo"}, {"des": 4, "choc": True})
    table.play("fatigue", {"self": "jo"}, {"des": 2})
    assert table.now("jo", "reserves", "combat") == 4
    shot(table, [1, 2, 3])
    assert table.parts("poignee") == {"specialite": 1, "combat": -1}

    # Mara, an Expert: 4 + 2 + 2 from Combat. Her fright costs her Sang-froid, for now.
    inputs = {"caracteristique": "connaissance", "specialite": "Chirurgie", "reserve": 2}
    table.play("test", {"self": "mara"}, inputs, [{"blancs": [4, 5, 6, 7, 8, 9, 1, 1], "equipement": []}])
    assert (table.value("poignee"), table.now("mara", "reserves", "combat"), table.outcome) == (8, 14, "reussite")
    table.play("stress", {"self": "mara"}, {"des": 3})
    assert table.now("mara", "reserves", "sang_froid") == 14
    assert "hors combat" in table.refused("test", {"self": "mara"}, {"caracteristique": "force", "objets": 1})
    assert "repose" in table.refused("se_reposer", {"self": "mara"})

    table.play("finir_le_combat")
    assert [table.now(who, "reserves", "combat") for who in ("jo", "mara")] == [0, 0]
    assert all(flag.startswith("spent.") for flag in table.session.state.flags)
    assert will(table, [1]) == 1  # the adrenaline is gone

    table.play("souffler", {"self": "jo"})
    table.play("souffler", {"self": "mara"})
    assert [table.now("jo", "reserves", key) for key in ("effort", "sang_froid")] == [6, 3]
    assert [table.now("mara", "reserves", key) for key in ("effort", "sang_froid")] == [16, 17]
    assert "affrontement" in table.refused("souffler", {"self": "jo"})

    table.play("se_reposer", {"self": "jo"})
    assert [table.now("jo", "reserves", key) for key in ("effort", "sang_froid", "combat")] == [15, 15, 0]


def test_each_fight_has_its_own_second_wind(survivors: Table) -> None:
    table = survivors
    for left in (8, 7):
        table.play("engager_le_combat", {"combattants": ("jo",)})
        shot(table, [1, 1, 1, 1, 1, 1], "transferer", 1, reserve=2)
        assert [table.now("jo", "reserves", key) for key in ("sang_froid", "combat")] == [left, 5]
        table.play("finir_le_combat")
        table.play("souffler", {"self": "jo"})
        assert table.now("jo", "reserves", "sang_froid") == left


def test_the_refused_moment_is_gone(survivors: Table) -> None:
    table = survivors
    table.play("engager_le_combat", {"combattants": ("jo",)})
    shot(table, [1, 1, 1, 1, 1], "renoncer", reserve=2)
    assert table.value("poignee") == 5  # 3 + 1 + 2 - 1
    shot(table, [1, 1, 1, 1], reserve=1)
    assert [table.now("jo", "reserves", key) for key in ("sang_froid", "combat")] == [9, 3]


def test_no_reserve_once_the_dice_are_on_the_table(survivors: Table) -> None:
    session, need = survivors.session.begin(Request("test", {"self": ("jo",)}, {"caracteristique": "force"}))
    assert isinstance(need, NeedRoll)
    again, said = session.answer({"reserve": 1})
    assert isinstance(said, Refused)
    assert again == session
    done, need = session.answer({"blancs": [7, 2], "equipement": []})
    assert need == Done("echec", None)
    jo: Any = done.state.sheets["jo"]
    assert jo["reserves"]["effort"] == {"start": 15, "now": 6}


def test_fear_takes_over_at_zero(survivors: Table) -> None:
    table = survivors
    for lost in (4, 4):
        table.play("stress", {"self": "jo"}, {"des": lost})
    assert table.sheet("jo")["controle"] == "maitre_de_soi"
    table.play("stress", {"self": "jo"}, {"des": 1})
    assert (table.now("jo", "reserves", "sang_froid"), table.sheet("jo")["controle"]) == (0, "hors_de_soi")
    table.play("se_reprendre", {"self": "jo"})
    assert table.sheet("jo")["controle"] == "maitre_de_soi"


# ---------------------------------------------------------------------- the owner of the book


def test_the_sample_house_rules_change_the_steps() -> None:
    lines = [line for line in HOUSE_RULES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) <= 5
    table = Table(HOUSE_RULES, {"meute": {}, "jane": {}, "paul": {}, "ysolde": {}, "vernon": {"pregnance": "vigilant"}})
    table.play("test", {"self": "vernon"}, {"attribut": "esprit", "concentration": True}, [[1]])
    assert table.parts("poignee") == {"concentration": -2}  # 1 in the shipped rules
    assert label(table.session.system, "feroce") == "Sauvage"


def label(system: System, step: str) -> str:
    cell = system.tables["crans"].rows[step]["label"]
    assert isinstance(cell, Label)
    return cell.texts["fr"]


def written(folder: Path, text: str) -> Path:
    file = folder / "maison.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_house_rules_restate_the_order(tmp_path: Path) -> None:
    rows = "attentif: [Attentif, 0], vigilant: [Vigilant, 1], eveille: [Éveillé, 1], feroce: [Féroce, 2]"
    text = f"extends: meute\ntables:\n  crans:\n    rows: {{endormi: [Endormi, 0], {rows}, revele: [Révélé, 0]}}\n"
    steps = list(system_of(written(tmp_path, text)).tables["crans"].rows)
    assert steps == ["endormi", "attentif", "vigilant", "eveille", "feroce", "revele"]


def test_house_rules_replace_a_step(tmp_path: Path) -> None:
    text = (
        "extends: meute\nremove: [tables.crans.rows.feroce, examples]\ntables:\n  crans:\n    rows: "
        "{vigilant: {concentration: 3}, enrage: [Enragé, 4]}\n"
    )
    system = system_of(written(tmp_path, text))
    rows = system.tables["crans"].rows
    assert list(rows) == ["endormi", "eveille", "attentif", "vigilant", "enrage", "revele"]
    assert label(system, "vigilant") == "Vigilant"
    assert [row["concentration"] for row in rows.values()] == [0, 0, 0, 3, 4, 0]


@pytest.mark.parametrize(
    ("assumption", "value", "check"),
    [
        ("nom_du_loup", 3, lambda table: table.parts("poignee")["nom_du_loup"] == 3),
        ("nom_du_loup", 0, lambda table: "nom_du_loup" not in table.parts("poignee")),
    ],
)
def test_house_rules_correct_an_assumption(
    tmp_path: Path, assumption: str, value: int, check: Callable[[Table], bool]
) -> None:
    text = f"extends: meute\nassumptions: {{{assumption}: {{value: {value}}}}}\n"
    vernon = {"pregnance": "revele", "aux_commandes": "loup"}
    table = Table(written(tmp_path, text), {"meute": {}, "jane": {}, "paul": {}, "ysolde": {}, "vernon": vernon})
    table.play("test", {"self": "vernon"}, {"attribut": "corps"}, [[1, 2, 3, 4, 5, 6, 6][: 4 + value]])
    assert check(table)


def test_a_slip_in_house_rules_is_shown_in_the_house_file(tmp_path: Path) -> None:
    file = written(tmp_path, "extends: meute\nactions:\n  changer:\n    outcomes:\n      vite: {labl: Vite}\n")
    (problem,) = errors(load(file))
    assert (problem.location.file, problem.location.line) == (str(file), 5)


def test_unknown_rules_cannot_be_extended(tmp_path: Path) -> None:
    (problem,) = errors(load(written(tmp_path, "extends: moute\n")))
    assert problem.code == "E0207"
    assert "meute" in problem.hint


def test_a_sheet_that_nobody_brought_is_said(tmp_path: Path) -> None:
    session = Session(system_of("vermine"))
    _, need = session.begin(Request("souffler", {"self": ("personne",)}, {}))
    assert isinstance(need, Refused)
    assert "personne" in need.message
