"""`osselet show`: what a rule set offers, or what one of its actions asks, counts and can end with."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

from interpreter.cli.common import (
    FINE,
    Parser,
    UsageError,
    add_format,
    add_language,
    add_system,
    make_parser,
    names_of,
    usable,
    use_color,
)
from interpreter.cli.gallery import told
from interpreter.files import find
from interpreter.render.changes import Change, changes
from interpreter.render.offer_text import OfferText
from interpreter.render.offers import action_offer, system_offer
from interpreter.render.style import painter
from interpreter.request import suggest
from interpreter.rules import Rules

EPILOG = """examples, with the game that `osselet new my_game` makes:
  osselet show my_game                      actions, sheets, ready characters, assumptions
  osselet show my_game risk                 what one action asks, counts and can end with
  osselet show my_game risk --format json   enough to draw a form

  osselet show --gallery                    published mechanics to start from

House rules (a file with `extends:`) are shown with what they change."""


def parser() -> Parser:
    new = make_parser("show", "Shows what a rule set offers, or everything about one of its actions.", EPILOG)
    add_system(new, optional=True)
    new.add_argument("action", metavar="ACTION", nargs="?", help="one action, with all that it asks")
    new.add_argument("--gallery", action="store_true", help="list the mechanics that come along, to start from")
    add_language(new)
    add_format(new)
    return new


def run(options: argparse.Namespace) -> int:
    if options.gallery:
        return _show_gallery(options.format)
    if options.system is None:
        raise UsageError("which rule set? `osselet show SYSTEM`, or `osselet show --gallery`.")
    rules = usable(options.system)
    assert rules.system is not None
    names = names_of(rules.system, options.lang)
    text = OfferText(names, shlex.quote(options.system), painter(use_color()))
    offer: dict[str, Any]
    if options.action is None:
        changed = house_changes(rules, find(options.system))
        offer = system_offer(names) | {"changes": [_as_json(change) for change in changed]}
        lines = text.system(offer, changed)
    else:
        if options.action not in rules.system.actions:
            known = suggest(options.action, rules.system.actions)
            raise UsageError(f"`{rules.system.id}` has no action `{options.action}`.{known}")
        offer = action_offer(names, options.action)
        lines = text.action(offer)
    print(json.dumps(offer, ensure_ascii=False, indent=2) if options.format == "json" else "\n".join(lines))
    return FINE


def _show_gallery(form: str) -> int:
    """The published mechanics that come along, one line each."""
    listed = list(told())
    if form == "json":
        print(json.dumps(listed, ensure_ascii=False, indent=2))
        return FINE
    wide = max((len(one["id"]) for one in listed), default=0)
    print("\n".join(f"{one['id']:<{wide}}  {one['description'] or one['title']}" for one in listed))
    print("\n`osselet new FOLDER --like MECHANIC` starts from one; `osselet show MECHANIC` tells what it offers.")
    return FINE


def house_changes(rules: Rules, path: Path) -> list[Change]:
    """What the rules of a path change in those that they extend; nothing when they extend none."""
    own = path.resolve()
    if all(Path(file).resolve().is_relative_to(own) for file in rules.files):
        return []
    whole = rules.reread() if rules.reread is not None else rules
    return list(changes(whole.base.data, whole.data)) if whole.base is not None else []


def _as_json(change: Change) -> dict[str, Any]:
    return {"kind": change.kind, "path": change.dotted, "old": change.old, "new": change.new}
