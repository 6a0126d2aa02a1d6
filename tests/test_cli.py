"""The command as a whole: help that teaches, plain words for every mistake, clean output, a quick start."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from cli.helpers import ARENA, CACHE, HERE, Shell
from ruamel.yaml import YAML

from interpreter import __version__
from interpreter.cli import COMMANDS
from interpreter.cli import new as new_command
from interpreter.cli.common import use_color

ROOT = HERE.parent.parent


@pytest.fixture
def osselet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    monkeypatch.setenv("OSSELET_CACHE", CACHE)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.chdir(tmp_path)
    return Shell(capsys)


def process(*words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OSSELET_CACHE": CACHE, **variables}
    return subprocess.run(
        [sys.executable, "-m", "interpreter", *words], cwd=HERE, env=environment, capture_output=True, check=False
    )


# ---------------------------------------------------------------------- help


def test_help_lists_every_command_and_the_shipped_games(osselet: Shell) -> None:
    answer = osselet("--help")
    assert answer.status == 0
    for command in COMMANDS:
        assert f"\n  {command} " in answer.out
    assert re.search(r"osselet play \w+\n", answer.out)
    assert osselet("help").out == answer.out


def test_no_command_at_all(osselet: Shell) -> None:
    answer = osselet()
    assert (answer.status, "usage: osselet" in answer.out) == (2, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_teaches_by_examples(osselet: Shell, command: str) -> None:
    answer = osselet(command, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert re.search(r"examples[^\n]*:\n  osselet ", answer.out)
    assert max(map(len, answer.out.splitlines())) <= 120
    assert osselet("help", command).out == answer.out


@pytest.mark.parametrize("command", ["roll", "show", "check", "test", "explain", "schema"])
def test_the_examples_of_the_help_work(osselet: Shell, command: str) -> None:
    osselet("new", "my_game")
    shutil.copytree("my_game", "systems/my_game")
    lines = [line for line in osselet(command, "--help").out.splitlines() if line.startswith("  osselet ")]
    assert len(lines) > 1
    for line in lines:
        words = re.split(r"  +| > ", line.strip())[0].split()[1:]
        if "--watch" not in words:
            assert osselet(*words).status in ((0,) if command != "check" else (0, 1)), line


def test_version(osselet: Shell) -> None:
    assert osselet("--version").out == f"osselet {__version__}\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("chek",), "there is no command `chek`. Did you mean `check`?"),
        (("frobnicate",), "there is no command `frobnicate`. `osselet --help` lists them."),
        (("check",), "the following arguments are required: PATH. `osselet check --help` tells more."),
        (("roll", "mir"), "the following arguments are required: ACTION"),
        (("check", "--frmat", "json", "."), "unrecognized arguments: --frmat"),
        (("schema", "--output", "no/such/folder/x.json"), "no/such/folder/x.json: no such file or directory"),
    ],
)
def test_wrong_usage_is_one_sentence(osselet: Shell, words: tuple[str, ...], sentence: str) -> None:
    answer = osselet(*words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("osselet: ")
    assert sentence in answer.err
    assert len(answer.err.splitlines()) == 1


# ---------------------------------------------------------------------- output


def test_output_is_utf8_in_a_plain_locale() -> None:
    done = process("roll", "arena.yaml", "test", "skill=climb", "--seed", "1", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "→ Success" in done.stdout.decode("utf-8")


def test_no_color_in_a_pipe() -> None:
    assert b"\x1b" not in process("roll", "arena.yaml", "test", "skill=climb", "--seed", "1").stdout


@pytest.mark.parametrize(
    ("terminal", "variables", "colors"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colors(monkeypatch: pytest.MonkeyPatch, terminal: bool, variables: dict[str, str], colors: bool) -> None:
    class Stream:
        def isatty(self) -> bool:
            return terminal

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert use_color(Stream()) is colors


def test_a_reader_that_goes_away_early() -> None:
    """As in `osselet schema | head -1`: no traceback, no complaint."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "interpreter", "schema"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


def test_a_fault_of_the_program_is_told_in_a_sentence(osselet: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("lost\nkey")

    monkeypatch.setattr("interpreter.cli.schema.schema_text", broken)
    with pytest.raises(KeyError):
        osselet("schema")
    monkeypatch.delenv("OSSELET_DEBUG")
    answer = osselet("schema")
    assert (answer.status, answer.out) == (70, "")
    assert answer.err.startswith("osselet: a fault in osselet itself (KeyError in test_cli.py:")
    assert len(answer.err.splitlines()) == 1


def test_ctrl_c_is_no_traceback(osselet: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("interpreter.cli.schema.schema_text", interrupted)
    answer = osselet("schema")
    assert (answer.status, answer.err.strip()) == (130, "")


# ---------------------------------------------------------------------- a quick start

# Reading YAML and checking are needed only for rules that the cache does not know; the rest is for other commands.
HEAVY = ("ruamel", "cerberus", "concurrent.futures", "multiprocessing", "xml")


def test_roll_loads_nothing_heavy_once_the_rules_are_known(tmp_path: Path) -> None:
    code = (
        "import sys; from interpreter.cli import main; status = main(sys.argv[1:]); "
        "print(*sorted({name.split('.')[0] if name.split('.')[0] in ('ruamel', 'cerberus', 'xml') else name "
        "for name in sys.modules}), sep='\\n', file=sys.stderr); sys.exit(status)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OSSELET_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", code, "roll", ARENA, "test", "skill=climb", "--seed", "1"]
    runs = [subprocess.run(command, env=environment, capture_output=True, check=True) for _ in range(2)]
    loaded = [set(run.stderr.decode().split()) for run in runs]
    assert "ruamel" in loaded[0]
    assert not loaded[1] & set(HEAVY)
    assert not {name for name in loaded[1] if name.startswith(("interpreter.checks", "interpreter.odds"))}


def test_the_command_table_loads_nothing() -> None:
    code = "import sys, interpreter.cli; print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    loaded = {name for name in done.stdout.decode().split() if name.startswith("interpreter")}
    assert loaded == {"interpreter", "interpreter.cli", "interpreter.cli.common", "interpreter.problems"}


# ---------------------------------------------------------------------- new, schema, explain


@pytest.mark.parametrize("folder", ["my_game", "games/L'été indien", "42", "class", "with space"])
def test_a_new_game_passes_check_and_test(osselet: Shell, folder: str) -> None:
    answer = osselet("new", folder)
    assert (answer.status, answer.err) == (0, "")
    assert "osselet check " in answer.out
    checked = osselet("check", "--strict", folder)
    assert (checked.status, checked.out) == (0, "1 rule set, 2 files: no problems\n")
    tested = osselet("test", folder)
    assert tested.status == 0
    assert "5 of 5 examples hold" in tested.out


def test_a_new_game_is_played_at_once(osselet: Shell) -> None:
    osselet("new", "my_game")
    answer = osselet("roll", "my_game", "risk", "trait=might", "--dice", "3,2", "--choose", "lantern=turn_up")
    assert answer.out.splitlines()[:3] == ["Take a risk: Ash", "  Bonus 2 = Might 2", "  Throw (2d6): [3] [2] = 5"]
    assert "Light                         ███░░░               3/6 (-3)" in answer.out


def test_a_new_game_comes_with_its_schema_for_editors(osselet: Shell) -> None:
    osselet("new", "my_game")
    for name in ("system.yaml", "examples.yaml"):
        text = Path("my_game", name).read_text(encoding="utf-8")
        assert text.startswith("# yaml-language-server: $schema=osselet.schema.json\n")
        schema = json.loads(Path("my_game/osselet.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft7Validator(schema).validate(YAML(typ="safe").load(text))
    assert osselet("schema").out == Path("my_game/osselet.schema.json").read_text(encoding="utf-8")


def test_new_overwrites_nothing(osselet: Shell) -> None:
    Path("game").mkdir()
    Path("game/mine.yaml").write_text("precious", encoding="utf-8")
    Path("file").write_text("precious", encoding="utf-8")
    for name in ("game", "file"):
        answer = osselet("new", name)
        assert (answer.status, answer.out) == (2, "")
    assert [path.name for path in Path("game").iterdir()] == ["mine.yaml"]
    osselet("new", "once")
    assert osselet("new", "once").status == 2


@pytest.mark.parametrize(
    ("name", "game"),
    [("My Game", "my_game"), ("Été", "ete"), ("", "game"), ("3d6", "game_3d6"), ("for", "game_for"), ("广", "game")],
)
def test_ids_of_new_games(name: str, game: str) -> None:
    assert new_command.game_id(name) == game


def test_schema_to_a_file(osselet: Shell) -> None:
    assert osselet("schema", "--output", "x.json").out == "x.json is written.\n"
    schema = json.loads(Path("x.json").read_text(encoding="utf-8"))
    assert schema["$schema"].startswith("http://json-schema.org/draft-07/")


def test_explain(osselet: Shell) -> None:
    every = osselet("explain").out.splitlines()
    assert len(every) > 50
    assert sorted(every) == every
    page = osselet("explain", "e0321").out
    assert page.startswith("E0321: ")
    found = osselet("explain", "E0218", "--format", "json").json
    assert found[0]["code"] == "E0218"
    assert found[0]["failing"] != found[0]["passing"]


def test_explain_a_code_that_is_none(osselet: Shell) -> None:
    answer = osselet("explain", "E9999")
    assert (answer.status, answer.out) == (2, "")
    assert "there is no page for the code E9999." in answer.err
