"""Ready sheets: what they hold suits their kind, and whom they refer to exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter.checks.cycles import chain
from interpreter.checks.finding import Check
from interpreter.checks.graph import cycles
from interpreter.defaults import NoDefault, default_tree, start_dice
from interpreter.fields import Kind, kind_of
from interpreter.layout import Layout, State, given_value, sheet_faults
from interpreter.model import Field, Path
from interpreter.ready import character
from interpreter.resolve import Resolver

if TYPE_CHECKING:
    from interpreter.checks.context import Context

DATA = Check(
    "E0231",
    "a ready sheet that does not suit its kind",
    "A ready sheet holds values of what its kind declares, each within its bounds.",
    failing="""
sheets: {hero: {stats: {body: 1..6}}}
characters:
  ana: {sheet: hero, body: 9}
""",
    passing="""
sheets: {hero: {stats: {body: 1..6}}}
characters:
  ana: {sheet: hero, body: 5}
""",
)
WHOM = Check(
    "E0232",
    "a ready sheet that refers to nobody",
    "A reference to a sheet, and `like`, name a ready sheet of the right kind.",
    failing="""
sheets: {hero: {fields: {friend: {one: hero}}}}
characters:
  ana: {sheet: hero, friend: bob}
  rob: {sheet: hero}
""",
    passing="""
sheets: {hero: {fields: {friend: {one: hero}}}}
characters:
  ana: {sheet: hero, friend: rob}
  rob: {sheet: hero}
""",
)
LACKING = Check(
    "W0411",
    "a ready sheet that lacks a value",
    "A ready sheet says every value that has no default; dice that it starts with are thrown when it is made.",
    failing="""
sheets: {hero: {fields: {creed: {key: [war, peace]}}}}
characters:
  ana: {sheet: hero}
actions:
  pray: {who: {self: hero}, steps: [{say: "{self.creed}"}]}
""",
    passing="""
sheets: {hero: {fields: {creed: {key: [war, peace]}}}}
characters:
  ana: {sheet: hero, creed: peace}
actions:
  pray: {who: {self: hero}, steps: [{say: "{self.creed}"}]}
""",
)
CHECKS = (DATA, WHOM, LACKING)


def check_characters(context: Context) -> None:
    system = context.system
    _likes(context)
    for name, data in system.characters.items():
        path: Path = ("characters", name)
        kind = str(data.get("sheet"))
        if kind not in system.sheets:
            context.unknown(DATA, (*path, "sheet"), "kind of sheet", kind, system.sheets)
            continue
        for place, message in sheet_faults(system, data):
            context.report.add(
                DATA, (*path, *place), message, on="key" if len(place) == 1 and place[0] not in data else "value"
            )
        for place, target, kinds in references(kind_of(system, kind), data, context):
            _whom(context, (*path, *place), target, kinds)


def check_complete(context: Context) -> None:
    """What ready sheets of sound rules do not say, and nothing else says."""
    for name in context.system.characters:
        for message in _lacking(context, name):
            context.report.add(LACKING, ("characters", name), f"{message} No action can begin with it.", on="key")


def _lacking(context: Context, name: str) -> Iterator[str]:
    layout = Layout(context.system)
    data = character(context.system, name)
    layout.include((name,), State({name: data}))
    entity = layout.entities[name]
    for info in entity.kind.fields:
        if not given_value(data, info, "now")[1] and not start_dice(info):
            try:
                default_tree(Resolver(context.system, layout), entity, info)
            except NoDefault as error:
                yield str(error)


def _likes(context: Context) -> None:
    characters = context.system.characters
    like = {name: str(data["like"]) for name, data in characters.items() if data.get("like") is not None}
    for name, other in like.items():
        if other not in characters:
            context.unknown(WHOM, ("characters", name, "like"), "ready sheet", other, characters)
    for cycle in cycles(like, lambda name: [like[name]] if like.get(name) in characters else []):
        context.report.add(
            WHOM, ("characters", cycle[0], "like"), f"A ready sheet cannot be like itself: {chain(cycle)}."
        )


def references(kind: Kind, data: Mapping[str, object], context: Context) -> Iterator[tuple[Path, str, tuple[str, ...]]]:
    """Every reference to another sheet in the data of one: where, to whom, and of which kinds it can be."""
    for info in kind.fields:
        given = data.get(info.name)
        if info.sort == "one" and isinstance(given, str) and isinstance(info.spec, Field):
            yield (info.name,), given, info.spec.one
    for listed in kind.lists:
        items = data.get(listed.name)
        for place, item in enumerate(items if isinstance(items, list) else ()):
            if listed.owned and isinstance(item, Mapping):
                inner = references(kind_of(context.system, listed.kind), item, context)
                yield from (((listed.name, place, *path), target, kinds) for path, target, kinds in inner)
            elif not listed.owned and isinstance(item, str):
                yield (listed.name, place), item, (listed.kind,)


def _whom(context: Context, path: Path, target: str, kinds: tuple[str, ...]) -> None:
    system = context.system
    shared = {name: name for name, sheet in system.sheets.items() if sheet.only_one}
    known = {**shared, **{name: str(data.get("sheet")) for name, data in system.characters.items()}}
    if target not in known:
        context.unknown(WHOM, path, "ready sheet", target, [name for name, kind in known.items() if kind in kinds])
    elif known[target] not in kinds and any(kind in system.sheets for kind in kinds):
        context.report.add(WHOM, path, f"`{target}` is a {known[target]}, and a {' or '.join(kinds)} is wanted here.")
