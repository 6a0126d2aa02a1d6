"""The manual is right: pages that are made are up to date, tutorials come out, recipes hold, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from interpreter.examples import play_examples
from interpreter.language import language
from interpreter.loader import load
from interpreter.odds import example_odds

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
RECIPES = sorted((DOCS / "recipes").glob("*.yaml"))
PAGES = sorted(DOCS.glob("*.md"))
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LONGEST_RECIPE = 70


def test_pages_are_up_to_date() -> None:
    """Reference, cookbook, problems and architecture are as they would be made; tutorials print what they say."""
    command = [sys.executable, str(ROOT / "tools" / "build_docs.py"), "--check"]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_is_sound_and_its_examples_hold(path: Path) -> None:
    rules = load(path)
    assert [problem.message for problem in rules.problems] == []
    assert rules.system is not None
    assert [finding.message for report in play_examples(rules.system) for finding in report.findings] == []
    wrong = [finding.message for name in rules.system.examples for finding in example_odds(rules.system, name)]
    assert wrong == []
    assert rules.system.examples


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_is_short_and_says_what_it_shows(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert len(lines) <= LONGEST_RECIPE


def test_the_cookbook_has_every_recipe() -> None:
    written = set(
        re.findall(r"\{\{recipe ([\w-]+)\}\}", (DOCS / "sources" / "cookbook.md").read_text(encoding="utf-8"))
    )
    assert written == {path.stem for path in RECIPES}


def test_the_recipes_use_the_whole_language() -> None:
    """Whatever a key may hold is shown somewhere, so that the reference can lead there."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in RECIPES)
    kinds = [kind for family in language().families.values() for kind in family]
    assert [kind for kind in kinds if not re.search(rf"\b{kind}:", text)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    broken = [target for target in LINK.findall(text) if not _leads(path, target)]
    assert broken == []


def _leads(page: Path, target: str) -> bool:
    if "://" in target:
        return True
    file, _, place = target.partition("#")
    other = (page.parent / file).resolve() if file else page
    return other.exists() and (not place or place in _places(other))


@cache
def _places(page: Path) -> set[str]:
    """The places that links can lead to: headings, and anchors as written."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {*re.findall(r'<a id="([^"]+)"', text), *(_anchor(heading) for heading in headings)}


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_hooks_run_commands_that_there_are() -> None:
    from interpreter.cli import COMMANDS
    from interpreter.source import parse

    # The hooks are a list, which no rule file is: below a key they can be read like one.
    written = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    body = "".join(f"  {line}\n" for line in written.splitlines() if not line.startswith("#"))
    document, problems = parse(f"hooks:\n{body}".encode(), "hooks.yaml")
    assert document is not None
    assert problems == []
    for hook in document.data["hooks"]:
        program, command = hook["entry"].split()
        assert program == "osselet"
        assert command in COMMANDS
        assert f"id: {hook['id']}" in (DOCS / "ci.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "systems" / "gallery").glob("*.yaml")))
def test_a_mechanic_is_a_place_to_start(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`osselet new FOLDER --like MECHANIC` gives a rule set of its own name, sound and tested."""
    from interpreter.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["new", "our_own", "--like", name]) == 0
    system = load(tmp_path / "our_own").system
    assert system is not None
    assert (system.id, system.title and system.title.texts) == ("our_own", {"en": "Our own"})
    assert main(["check", "our_own"]) == 0
    assert [finding.message for report in play_examples(system) for finding in report.findings] == []
    assert "no problems" in capsys.readouterr().out


def test_the_gallery_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    from interpreter.cli import main

    assert main(["show", "--gallery"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for path in (ROOT / "systems" / "gallery").glob("*.yaml"):
        assert any(re.match(rf"{path.stem} +\S", line) for line in lines)
    assert main(["new", "x", "--like", "progres-clock"]) == 2
    assert "Did you mean `progress-clock`?" in capsys.readouterr().err
