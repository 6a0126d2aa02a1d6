"""Saves outlive rule files: renames once, gauges brought within their bounds, what is unknown kept and told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from interpreter.layout import State
from interpreter.loader import load
from interpreter.machine import Done, NeedRoll
from interpreter.migration import Note, migrate, renames
from interpreter.model import System
from interpreter.replaying import replay
from interpreter.session import Loaded, Session, load_session, session_to_json
from interpreter.start import Request

OLD = """
format: 1
system: {id: camp, title: Camp, languages: [en], version: "1"}
records:
  weapon:
    fields:
      name: {text: ""}
      harm: {int: 0..9, default: 1}
sheets:
  hero:
    stats:
      body: 0..9
      arts: {keys: [song, craft], range: 0..9}
    gauges:
      life: {range: 0..20, start: 20}
      mana: {max: 2 * self.body, start: max}
    fields:
      mood: {text: ""}
      bag: {many: weapon}
actions:
  hit:
    who: {self: hero}
    inputs: {n: {int: 0..20}}
    steps:
      - change: {self.life: -n}
    outcomes: {done: }
  roll:
    who: {self: hero}
    steps:
      - roll: {r: {dice: 2, die: d6}}
    outcomes: {done: }
"""
HERO = {
    "sheet": "hero",
    "body": 4,
    "arts": {"song": 8, "craft": 2},
    "mood": "glad",
    "bag": [{"name": "Axe", "harm": 7}],
    "mana": {"start": 8, "now": 8},
}


def rules(folder: Path, *changes: tuple[str, str]) -> System:
    text = OLD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    folder.mkdir(exist_ok=True)
    path = folder / "camp.yaml"
    path.write_text(text, encoding="utf-8")
    found = load(path)
    assert [problem for problem in found.problems if problem.severity == "error"] == []
    assert found.system is not None
    return found.system


def saved(folder: Path) -> dict[str, Any]:
    """A campaign under the old rules: one hit, and one undone."""
    session = Session(rules(folder / "old"), State({"ann": HERO}))
    for _ in range(2):
        session, need = session.begin(Request("hit", {}, {"n": 3}))
        assert isinstance(need, Done)
    back = session.undo()
    assert back is not None
    data: dict[str, Any] = json.loads(json.dumps(session_to_json(back)))
    return data


def told(loaded: Loaded) -> list[tuple[str, str]]:
    return [(note.kind, ".".join(map(str, note.path))) for note in loaded.notes]


def test_the_same_rules_have_nothing_to_tell(tmp_path: Path) -> None:
    data = saved(tmp_path)
    loaded = load_session(rules(tmp_path / "again"), data)
    assert loaded.notes == ()
    assert session_to_json(loaded.session) == data


RENAMED = (
    ("      arts: {keys", "      crafts: {was: arts, keys"),
    ("      life: {range", "      health: {was: life, range"),
    ("      mood: {text", "      humour: {was: mood, text"),
    ("      bag: {many", "      pack: {was: bag, many"),
    ("      harm: {int", "      damage: {was: harm, int"),
    ("self.life", "self.health"),
)


def test_renames_are_applied_once_everywhere(tmp_path: Path) -> None:
    """Stats by key, gauges, fields, lists, and fields of records; also in what undo and redo bring back."""
    new = rules(tmp_path / "new", *RENAMED)
    loaded = load_session(new, saved(tmp_path))
    hero = loaded.session.state.sheets["ann"]
    assert hero["crafts"] == {"song": 8, "craft": 2}
    assert hero["health"] == {"start": 20, "now": 17}
    assert hero["humour"] == "glad"
    assert hero["pack"] == [{"name": "Axe", "damage": 7}]
    assert set(hero) & {"arts", "life", "mood", "bag"} == set()
    assert {kind for kind, _ in told(loaded)} == {"renamed"}
    assert {path for _, path in told(loaded)} == {"crafts", "health", "humour", "pack", "pack.0.damage"}
    session = loaded.session
    undone, redone = session.undo(), session.redo()
    assert undone is not None
    assert redone is not None
    assert "crafts" in undone.state.sheets["ann"]
    assert redone.state.sheets["ann"]["health"] == {"start": 20, "now": 14}
    assert replay(session) is None
    again = load_session(new, json.loads(json.dumps(session_to_json(session))))
    assert again.notes == ()
    assert again.session == session


def test_a_rename_is_not_applied_again_when_the_old_name_means_something_new(tmp_path: Path) -> None:
    """`was: life` stays in the file, and later there is a new `life` of another kind."""
    renamed = rules(
        tmp_path / "a", ("      life: {range", "      health: {was: life, range"), ("self.life", "self.health")
    )
    first = load_session(renamed, saved(tmp_path)).session
    data = json.loads(json.dumps(session_to_json(first)))
    data["state"]["sheets"]["ann"]["life"] = 3  # written under the newest rules
    data["log"] = data["undone"] = []
    del data["state"]["sheets"]["ann"]["health"]
    newest = rules(
        tmp_path / "b",
        (
            "      life: {range: 0..20, start: 20}",
            "      health: {was: life, range: 0..20, start: 20}\n      life: 0..5",
        ),
        ("self.life", "self.health"),
    )
    loaded = load_session(newest, data)
    assert loaded.session.state.sheets["ann"]["life"] == 3
    assert told(loaded) == []


def test_two_names_change_places(tmp_path: Path) -> None:
    swapped = rules(
        tmp_path / "new",
        ("      body: 0..9\n", "      life: {was: body, range: 0..9}\n"),
        ("      life: {range: 0..20, start: 20}", "      body: {was: life, range: 0..20, start: 20}"),
        ("2 * self.body", "2 * self.life"),
        ("self.life: -n", "self.body: -n"),
    )
    hero = load_session(swapped, saved(tmp_path)).session.state.sheets["ann"]
    assert (hero["life"], hero["body"]) == (4, {"start": 20, "now": 17})


def test_gauges_whose_bounds_shrank_are_brought_within_them(tmp_path: Path) -> None:
    """Plain bounds, computed ones, stats by key, and numbers of records."""
    new = rules(
        tmp_path / "new",
        ("range: 0..20, start: 20", "range: 0..15, start: 15"),
        ("max: 2 * self.body", "max: self.body + 1"),
        ("[song, craft], range: 0..9", "[song, craft], range: 0..6"),
        ("harm: {int: 0..9", "harm: {int: 0..5"),
    )
    loaded = load_session(new, saved(tmp_path))
    hero = loaded.session.state.sheets["ann"]
    assert hero["life"] == {"start": 15, "now": 15}
    assert hero["mana"] == {"start": 8, "now": 5}
    assert hero["arts"] == {"song": 6, "craft": 2}
    assert hero["bag"] == [{"name": "Axe", "harm": 5}]
    assert {kind for kind, _ in told(loaded)} == {"clamped"}
    assert {path for _, path in told(loaded)} >= {"life.now", "mana", "arts.song", "bag.0.harm"}
    assert "was 17; its bounds make it 15" in next(
        note.message for note in loaded.notes if note.path == ("life", "now")
    )
    assert isinstance(loaded.session.begin(Request("hit", {}, {"n": 1}))[1], Done)


def test_a_gauge_that_keeps_what_is_above_its_maximum_is_left_alone(tmp_path: Path) -> None:
    new = rules(tmp_path / "new", ("mana: {max: 2 * self.body,", "mana: {keeps: true, max: self.body + 1,"))
    loaded = load_session(new, saved(tmp_path))
    assert loaded.session.state.sheets["ann"]["mana"] == 8
    assert told(loaded) == []


def test_what_the_rules_no_longer_know_is_kept_and_told(tmp_path: Path) -> None:
    new = rules(tmp_path / "new", ('      mood: {text: ""}\n', ""), ("[song, craft]", "[song, dance]"))
    loaded = load_session(new, saved(tmp_path))
    hero = loaded.session.state.sheets["ann"]
    assert (hero["mood"], hero["arts"]) == ("glad", {"song": 8, "craft": 2})
    assert told(loaded) == [("unknown", "arts.craft"), ("unknown", "mood")]
    session, need = loaded.session.begin(Request("hit", {}, {"n": 1}))
    assert isinstance(need, Done)
    assert session.state.sheets["ann"]["mood"] == "glad"
    assert session.state.sheets["ann"]["arts"] == {"song": 8, "craft": 2, "dance": 0}


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    state = State({"ann": {**HERO, "body": "many"}, "x": {"sheet": "monster"}}, frozenset({"war.open"}))
    system = rules(tmp_path / "old")
    moved, notes = migrate(system, state)
    assert moved == state
    found = [(note.kind, note.path) for note in notes]
    assert found == [("misfit", ("body",)), ("misfit", ("sheet",)), ("unknown", ("war.open",))]


def test_doing_it_twice_changes_nothing(tmp_path: Path) -> None:
    new = rules(tmp_path / "new", *RENAMED, ("max: 2 * self.body", "max: self.body"))
    once, notes = migrate(new, State({"ann": HERO}))
    assert notes
    twice, again = migrate(new, once, renames(new))
    assert twice is once
    assert again == ()
    assert all(isinstance(note, Note) for note in notes)


def test_an_action_under_way_is_refused_under_other_rules(tmp_path: Path) -> None:
    session = Session(rules(tmp_path / "old"), State({"ann": HERO}))
    session, need = session.begin(Request("roll"))
    assert isinstance(need, NeedRoll)
    data = json.loads(json.dumps(session_to_json(session)))
    assert load_session(rules(tmp_path / "same"), data).session.run is not None
    loaded = load_session(rules(tmp_path / "new", ("dice: 2", "dice: 3")), data)
    assert loaded.session.run is None
    assert loaded.refused is not None
    assert loaded.refused.code == "stale"
    assert loaded.session.state == session.state
