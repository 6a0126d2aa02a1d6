"""Steps that change lists: add and remove."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter import model
from interpreter.checks.finding import Check
from interpreter.checks.flow import HANDLERS, Flow
from interpreter.checks.state import State
from interpreter.checks.telling import things
from interpreter.checks.writes import has_first_value, new_value
from interpreter.expressions import Many, Optional, Thing, Type, describe
from interpreter.fields import Kind, ListInfo, kind_of
from interpreter.model import Code, Field, Path
from interpreter.problems import nearest

WRONG_LIST = Check(
    "E0237",
    "a list that holds no such thing",
    "`add` and `remove` name a list of a sheet or record: of records, which are added with their fields, or of "
    "references, to which a sheet is added.",
    failing="""
records: {wound: {fields: {depth: {int: 1..3}}}}
sheets:
  hero: {fields: {wounds: {many: wound}}}
actions:
  bleed:
    who: {self: hero}
    steps: [{add: self, to: self.wounds}]
""",
    passing="""
records: {wound: {fields: {depth: {int: 1..3}}}}
sheets:
  hero: {fields: {wounds: {many: wound}}}
actions:
  bleed:
    who: {self: hero}
    steps: [{add: {depth: 2}, to: self.wounds}]
""",
)
UNKNOWN_FIELD = Check(
    "E0238",
    "a field that a new record does not have",
    "A new record is given values for fields that its kind declares.",
    failing="""
records: {wound: {fields: {depth: {int: 1..3}}}}
sheets:
  hero: {fields: {wounds: {many: wound}}}
actions:
  bleed:
    who: {self: hero}
    steps: [{add: {dept: 2}, to: self.wounds}]
""",
    passing="""
records: {wound: {fields: {depth: {int: 1..3}}}}
sheets:
  hero: {fields: {wounds: {many: wound}}}
actions:
  bleed:
    who: {self: hero}
    steps: [{add: {depth: 2}, to: self.wounds}]
""",
)
MISSING_FIELD = Check(
    "E0239",
    "a new record without a value that it needs",
    "A field without a `default`, such as one of several ids, is given a value when a record is added.",
    failing="""
records: {wound: {fields: {place: {key: [head, arm]}}}}
sheets:
  hero: {fields: {wounds: {many: wound}}}
actions:
  bleed:
    who: {self: hero}
    steps: [{add: {}, to: self.wounds}]
""",
    passing="""
records: {wound: {fields: {place: {key: [head, arm]}}}}
sheets:
  hero: {fields: {wounds: {many: wound}}}
actions:
  bleed:
    who: {self: hero}
    steps: [{add: {place: arm}, to: self.wounds}]
""",
)
CHECKS = (WRONG_LIST, UNKNOWN_FIELD, MISSING_FIELD)


def add(flow: Flow, step: model.Add, state: State) -> None:
    listed = _list(flow, step.to, state)
    if isinstance(step.add, Code):
        _thing(flow, step.add, listed, state)
        return
    if listed is not None and not listed.owned:
        message = f"`{step.to.text}` holds references: a {listed.kind} that is there is added to it, not a new one."
        flow.context.report.add(WRONG_LIST, (*step.path, "add"), message, "Name it, as in `add: other`.", on="key")
        listed = None
    _fields(flow, step.add, listed, (*step.path, "add"), state)


def remove(flow: Flow, step: model.Remove, state: State) -> None:
    if step.from_ is not None:
        listed = _list(flow, step.from_, state)
        things(flow, step.remove, state, (listed.kind,)) if listed is not None else flow.read(step.remove, state)
        return
    found = flow.read(step.remove, state)
    item = found.item if isinstance(found, Many) else found
    if isinstance(item, Optional):
        flow.context.reader.is_single(step.remove, item)
    elif isinstance(item, Thing) and item.nature == "sheet":
        message = f"`{step.remove.text}` is {describe(item)}, which may be in several lists."
        flow.context.report.add(WRONG_LIST, step.remove.path, message, "Say which list with `from`.")
    elif item is not None and not (isinstance(item, Thing) and item.nature == "record"):
        flow.context.report.add("E0320", step.remove.path, f"A record is wanted here, not {describe(item)}.")


def _list(flow: Flow, code: Code, state: State) -> ListInfo | None:
    """The list that is meant; None when its fault is told."""
    found = flow.targets.lists(code, flow.place(state), list(state.facts))
    if found == ():
        message = f"`{code.text}` is no list of a sheet or record."
        flow.context.report.add(WRONG_LIST, code.path, message, "A list is a field with `many`.")
    return found[0] if found else None


def _thing(flow: Flow, code: Code, listed: ListInfo | None, state: State) -> None:
    """What is added as it is: a sheet to references, to records one that is copied."""
    if listed is None:
        flow.read(code, state)
        return
    kind = kind_of(flow.context.system, listed.kind)
    if kind.nature == "record":
        with flow.context.report.muted():
            item = _item(flow.read(code, state))
        if item is not None and not (isinstance(item, Thing) and item.kinds == {listed.kind}):
            fields = ", ".join(f"{info.dotted}: …" for info in kind.fields[:3])
            message = f"`{listed.name}` holds records: a new {listed.kind} is added to it, with its fields."
            flow.context.report.add(WRONG_LIST, code.path, message, f"Write `add: {{{fields}}}`.")
            return
        if kind.lists:
            message = f"A {listed.kind} holds lists of its own, which a copy of it would not have."
            flow.context.report.add(WRONG_LIST, code.path, message, "Add a new one, with its fields.")
    things(flow, code, state, (listed.kind,))


def _item(found: Type | None) -> Type | None:
    """What is meant, one by one."""
    inner = found.item if isinstance(found, Many) else found
    return inner.type if isinstance(inner, Optional) else inner


def _fields(flow: Flow, given: Mapping[str, Code], listed: ListInfo | None, path: Path, state: State) -> None:
    """The values of a new record: each of a field that it has, and one for every field without a default."""
    kind = kind_of(flow.context.system, listed.kind) if listed is not None else None
    infos = {info.dotted: info for info in kind.fields} if kind is not None else {}
    for name, code in given.items():
        type_ = flow.context.kinds.value_of(kind, infos[name]) if kind is not None and name in infos else None
        if type_ is not None:
            new_value(flow, code, state, type_)
            continue
        if kind is not None and name not in infos:
            _no_field(flow, kind, name, code.path)
        with flow.context.report.muted():  # ids cannot be told from names without their field
            flow.read(code, state)
    if kind is None:
        return
    for name, info in infos.items():
        spec = info.spec
        if name not in given and isinstance(spec, Field) and spec.default is None and not has_first_value(spec):
            message = f"A new {kind.name} needs a value for `{name}`, which has no `default`."
            flow.context.report.add(MISSING_FIELD, path, message, on="key")


def _no_field(flow: Flow, kind: Kind, name: str, path: Path) -> None:
    keyed = kind.find(name)
    meant = keyed[0].dotted if keyed else nearest(name, [info.dotted for info in kind.fields])
    hint = f"Name the key, as in `{meant}`." if keyed else f"Did you mean `{meant}`?" if meant else ""
    message = f"`{name}` has a value for each key." if keyed else f"A new {kind.name} has no `{name}`."
    flow.context.report.add(UNKNOWN_FIELD, path, message, hint, on="key")


HANDLERS[model.Add] = add
HANDLERS[model.Remove] = remove
