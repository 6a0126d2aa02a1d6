"""What the interpreter says to players: in each language the same texts, with the same values in them."""

from __future__ import annotations

from string import Formatter

import pytest

from interpreter import Request, State, load
from interpreter.api import offer
from interpreter.model import Label
from interpreter.sayings import FIRST, TEXTS, in_language, joined, refusal, said, with_nearest
from interpreter.start import begin

AGENT = {"sheet": "agent", "voies": dict.fromkeys(("heritage", "secret", "espoir", "peur", "dogme", "mensonge"), 2)}


def values_in(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", [one for one in TEXTS if one != FIRST])
def test_every_text_is_there_with_the_same_values(language: str) -> None:
    other = TEXTS[language]
    assert list(other) == list(TEXTS[FIRST])
    assert {what: values_in(text) for what, text in other.items()} == {
        what: values_in(text) for what, text in TEXTS[FIRST].items()
    }


def test_a_refusal_is_told_in_each_language() -> None:
    refused = refusal("role", "which", role="self", kinds=said("nothing"), number=2)
    assert refused.message == "Which none is `self`? There are 2."
    assert in_language(refused.label or Label({}), "fr") == "`self` : qui (aucun) ? Il y en a 2."


def test_a_name_that_is_not_known() -> None:
    assert in_language(with_nearest(said("no_action", name="tets"), "tets", ["test"]), "en").endswith("`test`?")
    assert in_language(with_nearest(said("no_action", name="x"), "x", ["a", "b"]), "en").endswith("There is `a`, `b`.")
    assert in_language(with_nearest(said("no_action", name="x"), "x", []), "en") == "There is no action `x`."


def test_texts_together_keep_what_only_one_language_has() -> None:
    both = joined((Label({"fr": "Il fait nuit."}), said("pay")))
    assert both.texts == {
        "fr": "Il fait nuit. Il n’y a pas de quoi payer.",
        "en": "Il fait nuit. There is not enough to pay with.",
    }


def test_everything_that_is_wrong_is_said() -> None:
    system = load("mir").system
    wrong = Request("test", {}, {"competence": "instinkt", "difficulte": "rude", "situation": 9})
    refused = begin(system, State({"mia": AGENT}), wrong)
    assert refused.message.count("\n") == 1  # what lies beyond `situation` is cut
    assert "Vouliez-vous dire `instinct` ?" in refused.label.texts["fr"]
    assert [name for name, _ in offer(system, State({"mia": AGENT}), wrong).faults] == ["competence", "difficulte"]
