"""The public API: its names and signatures, its purity, many threads at once, and its documentation as it stands."""

from __future__ import annotations

import copy
import doctest
import inspect
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sessions import typed

import interpreter
from interpreter import dice
from interpreter.examples import table_of, whole_example
from interpreter.layout import State
from interpreter.loader import load
from interpreter.machine import Done, NeedChoice, NeedRoll, Refused, Run, advance
from interpreter.model import System
from interpreter.odds import NoOdds, Odds
from interpreter.results import result_json
from interpreter.start import Request, wanted_roles
from interpreter.written import result_text

ROOT = Path(__file__).parents[1]
CONTRACT = Path(__file__).parent / "sessions" / "api.json"
SHIPPED = ("df46", "meute", "mir", "vermine")
AGENT = {"sheet": "agent", "competences": {"instinct": 4}, "voies": {"secret": 2}}


@pytest.fixture(scope="module")
def mir() -> System:
    return system_of("mir")


def system_of(where: str | Path) -> System:
    system = load(where).system
    assert system is not None
    return system


# ---------------------------------------------------------------------- the contract


def surface() -> dict[str, Any]:
    """Every public name with its signature or its fields."""
    return {name: _shape(getattr(interpreter, name)) for name in interpreter.__all__ if name != "__version__"}


def _shape(thing: Any) -> Any:
    if not inspect.isclass(thing):
        return str(inspect.signature(thing)) if callable(thing) else type(thing).__name__
    own = {
        name: str(inspect.signature(value))
        for name, value in vars(thing).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
    fields = list(getattr(thing, "__dataclass_fields__", getattr(thing, "_fields", ())))
    return {"fields": fields, "methods": own}


def test_names_and_signatures_are_pinned() -> None:
    """A change here is a change of what apps call: write it into the contract with the next version."""
    assert json.loads(json.dumps(surface())) == json.loads(CONTRACT.read_text(encoding="utf-8"))


def test_everything_public_says_what_it_is() -> None:
    for name in interpreter.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(interpreter, name)), name
    assert set(dir(interpreter)) == set(interpreter.__all__)
    with pytest.raises(AttributeError):
        interpreter.nothing_of_that_name  # noqa: B018


def test_a_typed_app_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The same file is checked by the type checker, strictly, so that apps find types on every name."""
    typed.main()
    assert capsys.readouterr().out == "True True Done(outcome=None, grade=None)\n"


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, interpreter; print(*[m for m in sys.modules if m.split('.')[0] in sys.argv[1:]])"
    heavy = ["ruamel", "cerberus", "simpleeval", "sqlite3", "fractions", "dataclasses", "ast", "typing", "json"]
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, *heavy], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


def test_the_documentation_holds() -> None:
    failed, run = doctest.testfile(str(ROOT / "docs" / "embedding.md"), module_relative=False)
    assert not failed
    assert run > 30


# ---------------------------------------------------------------------- offers


def test_an_offer_tells_what_is_missing_and_what_is_wrong(mir: System) -> None:
    table = State({"mia": AGENT})
    assert interpreter.offer(mir, table, Request("test")).missing == ("competence",)
    wrong = interpreter.offer(mir, table, Request("test", {}, {"competence": "instinkt"}))
    assert wrong.faults[0][0] == "competence"
    assert "Did you mean `instinct`" in wrong.faults[0][1].texts["en"]
    assert "Vouliez-vous dire `instinct`" in wrong.faults[0][1].texts["fr"]
    assert not wrong.ready
    assert interpreter.offer(mir, table, Request("test", {}, {"competence": "instinct"})).ready
    unknown = interpreter.offer(mir, table, Request("tset"))
    assert unknown.refused is not None
    assert "Did you mean `test`?" in unknown.refused.message


def test_an_offer_says_why_not_before_anything_is_thrown() -> None:
    pool = system_of(ROOT / "tests" / "sessions" / "pool.yaml")
    table = interpreter.with_sheet(interpreter.new_table(pool, "ann"), "den", {"sheet": "den", "reserve": 1})
    offer = interpreter.offer(pool, table, Request("take", {"self": "ann"}, {"n": 2}))
    assert offer.refused is not None
    assert offer.refused.code == "pay"
    found = {one.action: one for one in interpreter.offers(pool, table, "ann")}
    assert found["spend"].missing == ("n",)
    assert found["forever"].refused is not None


def test_the_answers_of_sides_are_called_as_they_are_offered(mir: System) -> None:
    table = State({"a": AGENT, "b": AGENT})
    roles = {"initiateur": "a", "adversaire": "b"}
    asked = interpreter.offer(mir, table, Request("oppose", roles))
    given = dict.fromkeys(asked.missing, "instinct")
    assert list(given) == ["initiateur.competence", "adversaire.competence"]
    assert interpreter.offer(mir, table, Request("oppose", roles, given)).ready
    nested = {side: {"competence": "instinct"} for side in roles}
    assert Request("oppose", roles, given) == Request("oppose", roles, nested)
    mixed = Request("x", {}, {"a.b": 1, "a": {"c": 2}, "a.d.e": 3, "f": 4})
    assert mixed.inputs == {"a": {"b": 1, "c": 2, "d": {"e": 3}}, "f": 4}


def test_a_whole_sheet_has_every_value(mir: System) -> None:
    table = interpreter.new_table(mir, "alexis")
    whole = interpreter.whole_sheet(mir, table, "alexis")
    assert not isinstance(whole, Refused)
    assert (whole["voies"]["peur"], whole["blessures"], whole["competences"]["tir"]) == (3, 0, 0)
    ended = interpreter.begin(mir, table, Request("test", {}, {"competence": "tir"})).run
    assert ended is not None
    run = interpreter.throw(ended, interpreter.seeded(1)).run
    assert run is not None
    assert interpreter.after(run).sheets["alexis"] == whole
    for state, sheet_id in ((table, "nobody"), (State({"x": {"sheet": "agent", "voies": {"peur": 99}}}), "x")):
        assert isinstance(interpreter.whole_sheet(mir, state, sheet_id), Refused)


def test_forms_and_sheets(mir: System) -> None:
    values = {(blank.name, blank.key): blank for blank in interpreter.sheet_form(mir, "agent")}
    assert (values["voies", "secret"].low, values["voies", "secret"].high) == (1, 6)
    assert values["systerin", None].sort == "flag"
    assert interpreter.check_sheet(mir, {"sheet": "agnet"})[0].path == ("sheet",)
    made = interpreter.create(mir, State(), "x", {"sheet": "agent", "voies": 3})
    assert isinstance(made.need, Refused)


# ---------------------------------------------------------------------- wrong answers never raise

WRONG: tuple[Any, ...] = (
    None,
    [],
    {},
    "",
    0,
    -1,
    True,
    [13],
    [[[]]],
    {"x": [1]},
    [{"a": 1}],
    "no_such_option",
    3.5,
    [None],
    object(),
)


def to_the_end(run: Run, seed: str = "x") -> Iterator[Run]:
    """A run at each of its stops and at its end, with dice from a seed and the last open option."""
    run, need = advance(run)
    source = dice.seeded(seed)
    yield run
    for _ in range(40):
        if isinstance(need, Done | Refused):
            return
        run, need = advance(run, need.throw(source) if isinstance(need, NeedRoll) else last_option(need))
        yield run


def last_option(need: NeedChoice) -> object:
    opened = [option.id for option in need.options if option.open]
    return {"number": need.high, "text": "x", "several": tuple(opened[: need.high or 0])}.get(
        need.kind, opened[-1] if opened else None
    )


def started(system: System) -> Iterator[Run]:
    """The action of every example that begins."""
    for name in system.examples:
        example = whole_example(system, name)
        if example.action is not None:
            state, played = table_of(system, example, wanted_roles(system, example.action))
            run = interpreter.begin(system, state, Request(example.action, played, example.inputs)).run
            if run is not None:
                yield run


@pytest.mark.parametrize("shipped", ["df46", "vermine"])
def test_wrong_answers_are_refused_and_change_nothing(shipped: str) -> None:
    for begun in list(started(system_of(shipped)))[:6]:
        for run in to_the_end(begun):
            for wrong in WRONG:
                step = interpreter.answer(run, wrong)
                if isinstance(step.need, Refused):
                    assert step.run is run


def test_data_that_is_no_run_is_refused(mir: System) -> None:
    run = interpreter.begin(mir, State({"a": AGENT}), Request("test", {}, {"competence": "tir"})).run
    assert run is not None
    saved = interpreter.freeze(run)
    broken: list[Any] = [
        {},
        [],
        None,
        7,
        "x",
        {**saved, "position": 999},
        {**saved, "position": 1},
        {**saved, "registers": 3},
    ]
    broken += [{**saved, "system": "x"}, {**saved, "format": 99}, {**saved, "request": {}}, {**saved, "state": {}}]
    others: tuple[Any, ...] = (None, 5, "x", [], {}, [1])
    for name in saved:
        broken += [{**saved, name: wrong} for wrong in others if wrong != saved[name]]
        broken += [{part: value for part, value in saved.items() if part != name}]
    changed = json.loads(json.dumps(saved))
    changed["state"]["sheets"]["a"]["voies"]["secret"] = 6
    for data in [*broken, changed]:
        step = interpreter.thaw(mir, data)
        assert isinstance(step.need, Refused), data
        assert step.need.code in ("stale", "action", "role")


def test_what_cannot_play_is_refused(mir: System) -> None:
    """One sheet twice in a role, a second sheet of a kind that all share, an id that means something else."""
    pool = system_of(ROOT / "tests" / "sessions" / "pool.yaml")
    table = interpreter.new_table(pool, "ann", "bob")
    twice = interpreter.begin(pool, table, Request("open", {"heroes": ("ann", "bob", "ann")})).need
    second = interpreter.begin(
        pool, interpreter.with_sheet(table, "den2", {"sheet": "den"}), Request("take", {"self": "ann"}, {"n": 1})
    ).need
    odd = interpreter.begin(mir, State({"a/b": AGENT}), Request("test", {}, {"competence": "instinct"})).need
    told = [need.message for need in (twice, second, odd) if isinstance(need, Refused)]
    assert [text.partition(":")[0] for text in told] == [
        "`heroes`",
        "There is one `den` for all, and these are several",
        "`a/b` cannot be the id of a sheet",
    ]
    assert interpreter.load("a" * 5000).problems[0].code == "E0001"


# ---------------------------------------------------------------------- purity


def test_nothing_handed_in_is_changed_or_shared(mir: System) -> None:
    sheet = copy.deepcopy(AGENT)
    inputs = {"competence": "instinct", "aides": ["b"]}
    sheets = {"a": {**sheet, "equipiers": ["b"]}, "b": copy.deepcopy(AGENT)}
    before = copy.deepcopy((sheets, inputs))
    state, request = State(sheets), Request("test", {"self": ("a",)}, inputs)
    run, need = interpreter.begin(mir, state, request)
    while isinstance(need, NeedRoll | NeedChoice):
        assert run is not None
        run, need = interpreter.throw(run, interpreter.seeded(1))
    assert run is not None
    assert (sheets, inputs) == before
    told = interpreter.result(run)
    sheets["a"]["voies"]["secret"] = 6  # type: ignore[index]
    inputs["competence"] = "tir"
    assert state.sheets["a"]["voies"] == {"secret": 2}
    assert request.inputs["competence"] == "instinct"
    assert interpreter.result(run) == told
    told["values"].clear()
    assert interpreter.result(run)["values"]
    with pytest.raises(TypeError):
        state.sheets["a"]["voies"]["secret"] = 6
    with pytest.raises(TypeError):
        state.sheets["a"]["equipiers"].append("c")  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(state)) == copy.deepcopy(state) == state


@pytest.mark.parametrize("shipped", SHIPPED)
def test_text_is_the_result(shipped: str) -> None:
    """The fast JSON text and the plain data say the same, for finished and for suspended runs."""
    system = system_of(shipped)
    for begun in started(system):
        for run in to_the_end(begun):
            need = interpreter.needs(run)
            assert json.loads(result_text(system, run, need)) == json.loads(json.dumps(result_json(system, run, need)))


def test_text_of_the_same_test_again_and_again(mir: System) -> None:
    """Texts that are put together from what an earlier run of the same origin said."""
    state, request = State({"a": AGENT}), Request("test", {}, {"competence": "instinct", "difficulte": "facile"})
    for seed in range(120):
        run = interpreter.begin(mir, state, request).run
        assert run is not None
        run, need = interpreter.throw(run, interpreter.seeded(seed))
        assert run is not None
        assert json.loads(interpreter.to_text(run)) == json.loads(json.dumps(result_json(mir, run, need)))


@pytest.mark.parametrize(
    ("where", "action", "sheets", "inputs"),
    [
        ("mir", "test", {"a": AGENT}, {"competence": "instinct"}),
        ("tests/sessions/pool.yaml", "spend", {"a": {"sheet": "hero"}, "den": {"sheet": "den"}}, {"n": 2}),
        ("systems/gallery/push.yaml", "", {}, {}),
    ],
)
def test_what_is_remembered_of_a_table_changes_nothing(
    where: str, action: str, sheets: dict[str, Any], inputs: dict[str, Any]
) -> None:
    """The same table again and again, and a table of its own each time, with the same dice."""
    system = system_of(ROOT / where if "/" in where else where)
    if not action:
        begun = next(started(system))
        action, sheets = begun.program.action, dict(begun.state.sheets)
        inputs = dict(begun.request["inputs"])  # type: ignore[call-overload]
    state, request = State(sheets), Request(action, {}, inputs)
    for seed in range(60):
        ends = []
        for table in (state, State(sheets)):
            run = interpreter.begin(system, table, request).run
            assert run is not None
            *_, last = to_the_end(run, str(seed))
            ends.append((interpreter.result(last), interpreter.after(last), interpreter.freeze(last)))
        assert ends[0] == ends[1]


def test_the_benchmark_of_play_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours throws the six dice that the peer is asked for, and each line runs."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    pytest.importorskip("d20")
    import bench_play

    table = bench_play.Table()
    assert {table.outcome() for _ in range(200)} == {"reussite", "echec"}
    told = json.loads(table.text())
    assert (len(told["rolls"][0]["faces"]), bool(told["trace"])) == (6, True)
    monkeypatch.setattr(bench_play, "TIMES", 2)
    for line in bench_play.lines():
        assert line.peer is not None
        line.ours(), line.peer()


# ---------------------------------------------------------------------- quick dice


def test_dice_that_nobody_foresees_show_every_face() -> None:
    source = interpreter.random_dice()
    for sides in (1, 2, 6, 12, 100, 256, 257, 1000):
        die = dice.standard(sides)
        many = dice.Pool(
            (dice.Group("", 30 * sides if sides < 300 else 200, die),), (), (dice.Sum("sum", lambda d: d.face),)
        )
        quick = dice.quick(many)
        assert quick is not None
        faces = [face for _, chains in quick.throw(source).log for (face,) in chains]
        assert len(faces) == many.dice
        assert set(faces) <= set(die.faces)
        assert len(set(faces)) > 0.9 * sides or sides > 256


def test_the_quick_way_to_throw_gives_what_throwing_gives() -> None:
    d6, d10 = dice.standard(6), dice.standard(10)
    readings = (
        dice.Count("five", lambda die: die.face >= 5),
        dice.Sum("sum", lambda die: die.face * 2),
        dice.Highest("best", lambda die: die.face),
        dice.Lowest("worst", lambda die: die.face, 7),
        dice.Sets("set", "largest"),
    )
    for counts in ((3, 2), (0, 4), (0, 0), (1, 0)):
        pool = dice.Pool((dice.Group("a", counts[0], d6), dice.Group("b", counts[1], d10)), (), readings)
        quick = dice.quick(pool)
        assert quick is not None
        for seed in range(30):
            slow, fast = dice.throw(pool, dice.seeded(seed)), quick.throw(dice.seeded(seed))
            assert dict(slow.readings) == dict(fast.readings)
            assert (slow.log, slow.dice, slow.table) == (fast.log, fast.dice, fast.table)
    exploding = dice.Pool((dice.Group("", 2, d6),), (dice.Explode(lambda die: die.face == 6, "new_die"),), ())
    assert dice.quick(exploding) is None


# ---------------------------------------------------------------------- threads


def play_all(system: System, job: int) -> list[str]:
    """Every example of a system to its end, from tables of its own, in an order of its own."""
    names = list(system.examples)
    told = {}
    for name in names[job % len(names) :] + names[: job % len(names)]:
        example = whole_example(system, name)
        if example.action is None:
            continue
        state, played = table_of(system, example, wanted_roles(system, example.action))
        run = interpreter.begin(system, state, Request(example.action, played, example.inputs)).run
        if run is not None:
            *_, last = to_the_end(run, name)
            told[name] = interpreter.to_text(last)
    return [told[name] for name in sorted(told)]


@pytest.mark.parametrize("shipped", ["df46", "vermine"])
def test_threads_get_what_one_alone_gets(shipped: str) -> None:
    """One system that no thread has used before, and many threads at once; every text is the same."""
    alone = play_all(system_of(shipped), 0)
    fresh = system_of(shipped)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(play_all, [fresh] * 12, range(12)):
                assert found == alone
    finally:
        sys.setswitchinterval(interval)


def test_a_state_is_shared_by_threads(mir: System) -> None:
    """The same state and request from many threads: what is remembered of them stays right."""
    state, request = State({"a": AGENT}), Request("test", {}, {"competence": "instinct", "difficulte": "facile"})

    def act(seed: int) -> str:
        run, need = interpreter.begin(mir, state, request)
        assert run is not None
        run, need = interpreter.throw(run, interpreter.seeded(seed))
        assert isinstance(need, Done)
        assert run is not None
        return interpreter.to_text(run)

    alone = [act(seed) for seed in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(act, range(200))) == alone


# ---------------------------------------------------------------------- who may see what


def test_what_is_hidden_is_left_out(mir: System) -> None:
    request = Request("test_cache", {}, {"competence": "instinct", "difficulte": "difficile"})
    found = interpreter.offer(mir, State({"a": AGENT}), request)
    assert next(one for one in found.inputs if one.name == "difficulte").hidden_from == "players"
    run, _ = interpreter.begin(mir, State({"a": AGENT}), request)
    assert run is not None
    run, need = interpreter.answer(run, [12, 12, 12, 1, 1, 1])
    assert isinstance(need, Done)
    assert run is not None
    whole, seen = interpreter.result(run), interpreter.result(run, "players")
    assert whole["inputs"]["difficulte"] == "difficile"
    assert "difficulte" not in seen["inputs"]
    assert seen["values"]["succes"] == 6
    assert "difficile" not in json.dumps(seen)
    assert interpreter.view(whole, "players") == seen
    assert interpreter.view(whole, "nobody") == whole


def test_what_would_give_it_away_is_left_out_too() -> None:
    secret = system_of(ROOT / "tests" / "sessions" / "secret.yaml")
    request = Request("test", {}, {"level": 2, "luck": 1})
    run = interpreter.begin(secret, State({"h": {"sheet": "hero", "skill": 3}}), request).run
    assert run is not None
    for faces in ([5, 5, 6, 1], [4]):
        run, need = interpreter.answer(run, faces)
        assert run is not None
    assert need == Done("won", None)
    whole, seen = interpreter.result(run), interpreter.result(run, "players")
    assert (whole["values"]["margin"], whole["values"]["reserve"], whole["inputs"]) == (1, 3, {"level": 2, "luck": 1})
    assert seen["inputs"] == {}
    assert seen["values"] == {"pool": 4, "jet.hits": 3, "half": 3}
    assert [roll["name"] for roll in seen["rolls"]] == ["jet"]
    assert [message["en"] for message in seen["messages"]] == ["You have 3."]
    pool = next(entry for entry in seen["trace"] if entry["name"] == "pool")
    assert [part[0] for part in pool["detail"]] == ["base"]
    assert seen["hidden_from"] == {}
    assert json.loads(interpreter.to_text(run)) == json.loads(json.dumps(whole))


def test_what_is_worked_out_from_it_is_left_out_wherever_it_comes_up() -> None:
    """In messages that are not marked, over loops and lists, dice that are counted; hidden from each that it would be
    hidden from, where there are several."""
    secret = system_of(ROOT / "tests" / "sessions" / "secret.yaml")
    table = State({one: {"sheet": "hero", "skill": 2} for one in ("h", "f", "g")})
    inputs = {"level": 37, "omen": 11, "fear": {"f": 53, "g": 61}}
    run, need = interpreter.begin(secret, table, Request("leak", {"self": "h", "foes": ("f", "g")}, inputs))
    assert isinstance(need, NeedRoll)
    assert need.hidden_from == "players"
    assert run is not None
    run, _ = interpreter.answer(run, [1] * 37)
    assert run is not None
    run, _ = interpreter.answer(run, "high")
    assert run is not None
    seen = {whom: interpreter.result(run, whom) for whom in ("", "players", "keeper")}
    assert [one["value"] for one in seen[""]["choices"]] == ["high"]
    assert (seen["players"]["choices"], seen["keeper"]["choices"]) == ([], [])  # secret until the end
    run, _ = interpreter.answer(run, [6])
    assert run is not None
    players, keeper = interpreter.result(run, "players"), interpreter.result(run, "keeper")
    assert [one["value"] for one in players["choices"]] == ["high"]
    assert players["values"] == {"open": 6, "open.total": 6}
    assert (players["messages"], players["inputs"]) == ([], {"omen": 11})
    assert not re.search(r"37|38|48|53|61", json.dumps(players))
    assert keeper["inputs"] == {"level": 37, "fear.f": 53, "fear.g": 61}
    assert "both" in interpreter.result(run)["values"]
    assert "both" not in keeper["values"]
    assert not re.search(r"\b(11|48)\b", json.dumps(keeper))
    assert "It was 37." in [message["en"] for message in keeper["messages"]]


def test_odds_tell_nothing_that_is_hidden(mir: System) -> None:
    asked = Request("test_cache", {}, {"competence": "instinct", "difficulte": "facile"})
    refused = interpreter.odds_for(mir, State({"a": AGENT}), asked, "players")
    assert isinstance(refused, NoOdds)
    assert refused.code == "hidden"
    assert interpreter.odds_for(mir, State({"a": AGENT}), asked, "nobody") == interpreter.exact_odds(
        mir, State({"a": AGENT}), asked
    )
    secret = system_of(ROOT / "tests" / "sessions" / "secret.yaml")
    table, asked = State({"h": {"sheet": "hero", "skill": 2}}), Request("dice")
    how: dict[str, Any] = {"values": ["behind", "reserve", "open"], "joint": [["open", "behind"]], "choices": "first"}
    whole = interpreter.exact_odds(secret, table, asked, **how)
    seen = interpreter.odds_for(secret, table, asked, "players", **how)
    assert isinstance(whole, Odds)
    assert isinstance(seen, Odds)
    assert set(whole.values) == {"behind", "reserve", "open"}
    assert (set(seen.values), seen.joints) == ({"open"}, {})
    assert seen.outcomes == whole.outcomes
