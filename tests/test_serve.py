"""`osselet serve --stdio`, its schema, and the bot of docs/embedding.md, each as a real process."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from interpreter.protocol import COMMANDS, schema
from interpreter.serve import Server
from interpreter.store import open_store

ROOT = Path(__file__).parents[1]
POOL = str(ROOT / "tests" / "sessions" / "pool.yaml")
SECRET = str(ROOT / "tests" / "sessions" / "secret.yaml")
SERVE = "import sys; from interpreter.cli import serve; sys.exit(serve.run(serve.parser().read(sys.argv[1:])))"
LINE = Draft202012Validator(schema())


class Talk:
    """The other side of a child process: a request, and its answer."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.number = 0

    def line(self, text: str) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __call__(self, do: str, **parts: Any) -> Any:
        self.number += 1
        request = {"id": self.number, "do": do, **parts}
        LINE.validate(request)
        answer = self.line(json.dumps(request))
        LINE.validate(answer)
        assert answer["id"] == self.number
        assert "ok" in answer, answer
        return answer["ok"]


@contextmanager
def child(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def served(*options: str) -> Iterator[Talk]:
    with child("-c", SERVE, "--stdio", *options) as process:
        yield Talk(process)


# ---------------------------------------------------------------------- a conversation


def test_a_campaign_over_the_line_survives_its_server(tmp_path: Path) -> None:
    store = str(tmp_path / "games.db")
    with served("--store", store) as talk:
        assert set(talk("hello")["commands"]) == set(COMMANDS)
        loaded = talk("load", system=POOL)
        assert (loaded["id"], loaded["problems"], loaded["ready"]) == ("pool", [], {"ann": "hero", "bob": "hero"})
        assert [action["id"] for action in talk("actions", system=POOL)["actions"]][:2] == ["spend", "take"]
        assert talk("form", system=POOL, kind="hero")["values"][0]["name"] == "will"
        assert talk("check_sheet", system=POOL, data={"sheet": "hero", "will": 99})["faults"][0]["path"] == ["will"]
        for table in ("a", "b"):
            laid = talk("table", table=table, system=POOL, ready=["ann", "bob"])
            assert laid["new"]
            assert list(laid["state"]["sheets"]) == ["den", "ann", "bob"]
        offer = talk("offer", table="a", action="spend", roles={"self": "ann"})["offer"]
        assert offer["missing"] == ["n"]
        assert len(talk("offers", table="a", who="ann")["offers"]) == len(talk("actions", system=POOL)["actions"])
        begun = talk("begin", table="a", seat="ann", action="spend", roles={"self": "ann"}, inputs={"n": 2})
        assert begun["need"]["dice"] == [{"group": "", "count": 2, "die": "d6", "sides": 6}]
        choice = talk("answer", table="a", seat="ann", answer=[6, 1])["need"]
        assert [option["id"] for option in choice["options"]] == ["keep", "give_back"]
        assert talk("need", table="b", seat="ann")["need"] is None
        talk.process.kill()
    with served("--store", store) as talk:
        assert talk("tables")["tables"] == ["a", "b"]
        opened = talk("table", table="a", seat="ann", system=POOL)
        assert (opened["new"], opened["need"]["name"]) == (False, "after")
        assert talk("answer", table="a", seat="ann", answer="give_back")["need"]["outcome"] == "bright"
        assert talk("state", table="a")["state"]["sheets"]["den"]["reserve"] == {"start": 5, "now": 4}
        assert talk("state", table="a")["state"]["sheets"]["bob"] == {"sheet": "hero", "name": "Bob"}
        assert talk("state", table="a", whole=True)["state"]["sheets"]["bob"]["life"] == 80
        assert [entry["outcome"] for entry in talk("log", table="a")["log"]] == ["bright"]
        assert talk("undo", table="a")["need"]["kind"] == "done"
        assert talk("undo", table="a")["need"]["code"] == "nothing"
        assert talk("redo", table="a")["need"]["kind"] == "done"
        assert talk("replay", table="a") == {"difference": None}
        assert talk("sheet", table="a", sheet="cat", data={"sheet": "hero"})["need"]["kind"] == "done"
        assert talk("remove", table="a", sheet="cat")["need"]["kind"] == "done"
        assert talk("create", table="a", sheet="dog", kind="hero")["need"]["kind"] == "done"
        talk("begin", table="a", action="spend", roles={"self": "bob"}, inputs={"n": 1})
        assert talk("throw", table="a", seed="x")["result"]["rolls"]
        assert talk("abandon", table="a")["need"]["kind"] == "done"
        odds = talk("odds", table="a", action="spend", roles={"self": "bob"}, inputs={"n": 1}, choices="first")
        assert odds["outcomes"]["bright"]["exact"] == "1/6"
        assert talk("bye") == {}
        assert talk.process.wait(timeout=30) == 0


def test_what_is_hidden_is_left_out_of_every_answer() -> None:
    asked = {"table": "t", "action": "test", "inputs": {"level": 7, "luck": 0}, "view": "players"}
    server = Server(open_store(":memory:"))

    def say(**request: Any) -> Any:
        return json.loads(server.line(json.dumps(request)))

    say(do="table", table="t", system=SECRET)
    say(do="sheet", table="t", sheet="h", data={"sheet": "hero", "skill": 2})
    assert say(do="offer", **asked)["ok"]["offer"]["inputs"] == []
    answers = [say(do="begin", **asked), say(do="answer", table="t", answer=[5, 1], view="players")]
    answers += [say(do="answer", table="t", answer=[4], view="players"), say(do="log", table="t", view="players")]
    assert answers[2]["ok"]["need"]["outcome"] == "lost"
    assert "level" not in json.dumps(answers)
    assert "-6" not in json.dumps(answers)  # the margin
    assert say(do="odds", **asked)["error"]["code"] == "hidden"
    server.store.close()


def test_dice_that_are_hidden_are_left_out_of_needs_and_of_the_log() -> None:
    server = Server(open_store(":memory:"))

    def say(**request: Any) -> Any:
        return json.loads(server.line(json.dumps({"table": "t", "view": "players", **request})))["ok"]

    say(do="table", system=SECRET)
    server.line(json.dumps({"do": "sheet", "table": "t", "sheet": "h", "data": {"sheet": "hero", "skill": 2}}))
    need = say(do="begin", action="dice")["need"]
    assert (need["name"], need["hidden_from"], need["dice"]) == ("behind", "players", [])
    assert say(do="need")["need"] == need
    assert say(do="need", view="keeper")["need"]["dice"][0]["count"] == 1
    assert say(do="answer", answer=[3])["need"]["dice"][0]["count"] == 1
    say(do="answer", answer=[4]), say(do="answer", answer="yes")
    shown = say(do="log")["log"][-1]
    assert (shown["answers"], shown["outcome"]) == ([None, [4], "yes"], "won")
    assert say(do="log", view="keeper")["log"][-1]["answers"] == [[3], [4], "yes"]
    odds = say(do="odds", action="dice", values=["behind", "open"], choices="first")
    assert list(odds["values"]) == ["open"]
    server.store.close()


# ---------------------------------------------------------------------- whatever is sent, there is an answer

NONSENSE = [
    ("x", "json"),
    ("[]", "json"),
    ("[" * 100_000, "json"),
    ("{}", "request"),
    ('{"do": 3}', "request"),
    ('{"do": "fly"}', "request"),
    ('{"do": "load"}', "request"),
    ('{"do": "load", "system": 3}', "request"),
    ('{"do": "load", "system": "nothing"}', "rules"),
    ('{"do": "load", "system": "mir", "tabel": 1}', "request"),
    ('{"do": "state", "table": "zzz"}', "table"),
    ('{"do": "table", "table": "t", "system": "mir", "ready": ["nobody"]}', "request"),
    ('{"do": "table", "table": "t", "system": "mir", "ready": [[]]}', "request"),
    ('{"do": "form", "system": "mir", "kind": "x"}', "request"),
    ('{"do": "check_sheet", "system": "mir", "data": []}', "request"),
    ('{"do": "hello", "id": {"a": [1]}, "x": "\\ud800"}', "request"),
    ('{"do": "hello", "id": NaN}', "json"),
    ('{"do": "hello", "id": [1e999]}', "json"),
    ('{"do": "check_sheet", "system": "mir", "data": {"x": -Infinity}}', "json"),
    ('{"do": "table", "table": "\\ud800", "system": "mir"}', "request"),
    ('{"do": "table", "table": "a\\u0000", "system": "mir"}', "request"),
    ('{"do": "load", "system": "%s"}' % ("a" * 5000), "rules"),
]


def test_nonsense_is_answered() -> None:
    with served() as talk:
        for text, code in NONSENSE:
            answer = talk.line(text)
            LINE.validate(answer)
            assert answer["error"]["code"] == code, text[:60]
        assert talk.line('{"id": "\\ud800", "do": "hello"}')["id"] == "\ud800"
        misspelt = talk.line('{"do": "state", "tabel": "t"}')["error"]["message"]
        assert misspelt == "`state` takes no `tabel`. Did you mean `table`?"
        assert talk("hello")["protocol"] == 1
        assert talk.line('\ufeff{"id": 1, "do": "hello"}')["id"] == 1


def test_sheets_that_cannot_be_are_refused() -> None:
    server = Server(open_store(":memory:"))

    def code(**request: Any) -> str:
        answer = json.loads(server.line(json.dumps({"table": "t", **request})))
        return str(answer["error"]["code"] if "error" in answer else answer["ok"]["need"].get("code"))

    server.line(json.dumps({"do": "table", "table": "t", "system": POOL, "ready": ["ann"]}))
    for sheet in ("", "a.b", "a/b/1", "a#b", "\n"):
        assert code(do="sheet", sheet=sheet, data={"sheet": "hero"}) == "sheet"
        assert code(do="create", sheet=sheet, kind="hero") == "sheet"
    assert code(do="create", sheet="x", kind="nobody") == "sheet"
    assert code(do="create", sheet="x", kind="hero", data={"will": 99}) == "sheet"
    assert code(do="create", sheet="ann", kind="hero") == "sheet"
    deep = "[" * 950 + "]" * 950
    for more in (f'"do": "begin", "action": "spend", "inputs": {{"n": {deep}}}', f'"do": "answer", "answer": {deep}'):
        answer = json.loads(server.line(f'{{"table": "t", {more}}}'))
        assert answer.get("error", {"code": "json"})["code"] == "json"
    server.store.close()


VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2.5,
    "",
    "ann",
    "den",
    "spend",
    [],
    [6, 1],
    [[]],
    {},
    {"n": 1},
    {"self": "ann"},
    "\x00",
]


def test_random_requests_are_answered() -> None:
    """Commands with parts of any kind: always an answer, and never the program's own failure."""
    server = Server(open_store(":memory:"))
    server.line(json.dumps({"do": "table", "table": "t", "system": POOL, "ready": ["ann"]}))
    rng = random.Random(7)
    for number in range(400):
        do = rng.choice([name for name in COMMANDS if name not in ("load", "bye")])
        parts = {name: rng.choice(VALUES) for name in COMMANDS[do].parts if rng.random() < 0.8}
        parts |= {"table": "t"} if "table" in parts and rng.random() < 0.9 else {}
        parts |= {"system": POOL} if "system" in parts else {}
        answer = json.loads(server.line(json.dumps({"id": number, "do": do, **parts})))
        LINE.validate(answer)
        assert answer["id"] == number
        assert answer.get("error", {}).get("code") != "internal", (do, parts, answer)
    server.store.close()


def test_the_schema_is_the_one_that_is_shipped() -> None:
    shipped = json.loads((ROOT / "schemas" / "protocol.json").read_text(encoding="utf-8"))
    assert shipped == json.loads(json.dumps(schema())), "write it anew: osselet serve --schema > schemas/protocol.json"
    Draft202012Validator.check_schema(shipped)
    table = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8").partition("| `do` | what |")[2]
    assert set(re.findall(r"`(\w+)`", table.partition("\n\n")[0])) == set(COMMANDS)


# ---------------------------------------------------------------------- the bot of the documentation


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """The bot, exactly as it stands in the documentation."""
    text = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    code = text.partition("```python bot\n")[2].partition("```")[0]
    assert 0 < len(code.splitlines()) <= 60
    path = tmp_path / "bot.py"
    path.write_text(code, encoding="utf-8")
    return path


def test_the_bot_serves_two_tables_and_survives_its_end(bot: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "games.db")
    run = f"import sys; sys.path.insert(0, {str(ROOT)!r}); exec(open({str(bot)!r}, encoding='utf-8').read())"

    @contextmanager
    def talking() -> Iterator[Talk]:
        with child("-c", run, POOL, store) as process:
            yield Talk(process)

    def say(talk: Talk, table: str, player: str, text: str) -> str:
        answer = talk.line(json.dumps({"table": table, "player": player, "text": text}))
        assert (answer["table"], answer["player"]) == (table, player)
        return str(answer["say"])

    with talking() as talk:
        assert say(talk, "a", "ann", "do spend n=2") == "throw: 2 d6. Say `roll`, or `roll` and your faces."
        assert say(talk, "b", "ann", "do spend n=5") == "throw: 5 d6. Say `roll`, or `roll` and your faces."
        assert say(talk, "b", "bob", "do take n=1") == "Done: taken."
        assert say(talk, "a", "ann", "roll 7 1") == "No. 7 is not on the die d6"
        assert say(talk, "a", "ann", "roll 6 1").startswith("after: keep (keep), give_back (give_back).")
        assert say(talk, "a", "ann", "roll") == "No. No roll is waited for."
        talk.process.kill()
    with talking() as talk:
        assert say(talk, "a", "ann", "what now").startswith("after: keep")
        assert say(talk, "a", "ann", "choose give_back") == "Done: bright."
        refused = say(talk, "b", "ann", "roll 1 1 1 1 1")
        assert refused == "No. The den has too few dice left."
        assert say(talk, "b", "ann", "undo") == "Done."
        assert say(talk, "b", "ann", "do take n=5") == "Done: taken."
        assert say(talk, "a", "ann", "do open heroes=ann,bob") == "Done: begun."
        assert say(talk, "a", "ann", "do fly").startswith("No. There is no action `fly`.")
        for nonsense in ("do hit n", "do", "do hit n=x", "choose", "roll x"):
            assert say(talk, "a", "ann", nonsense).startswith(("I do not understand", "No. "))
        assert say(talk, "a", "ann", "") == "Done."
        for line in ("x", "[]", '{"table": "a"}', '{"table": [], "player": "x", "text": 5}', '"\\ud800"'):
            assert talk.line(line)["say"] == "I do not understand that."
        assert say(talk, "a", "\ud800", "do take n=1").startswith("Not now: ")
        assert say(talk, "a", "ann", "roll") == "No. No roll is waited for."
