"""Sheets brought to the table: made by asking for each value, or taken ready; looked at, mended, taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.cli.console import KeepRest, fold, span, split
from interpreter.cli.desk import Desk
from interpreter.cli.running import begin
from interpreter.cli.values import Asked, ask_value, asks, constant_default, is_computed
from interpreter.defaults import start_dice
from interpreter.fields import NAMES, FieldInfo, Kind, ListInfo, count_range, kind_of, whole
from interpreter.layout import from_register, given_value
from interpreter.model import System
from interpreter.ready import character
from interpreter.request import free_id

Data = dict[str, Any]

# A family of more values than this is filled in by naming those that differ, not by asking for each.
LONGEST_FAMILY = 8


# ---------------------------------------------------------------------- making a sheet


def create(desk: Desk) -> None:
    """Asks for a new sheet, throws the dice that it starts with, and puts it on the table."""
    kinds = [kind for kind, spec in desk.system.sheets.items() if not spec.only_one]
    labels = [desk.names.kind(kind) for kind in kinds]
    kind = kinds[0 if len(kinds) == 1 else desk.console.choose_one(desk.names.say("which"), labels)]
    name = desk.console.text(desk.names.say("its_name"), desk.names.kind(kind))
    sheet_id = free_id(plain_id(name), desk.sheets)
    data = {name_field(kind_of(desk.system, kind)): name, **ask_sheet(desk, kind)}
    begin(desk, *desk.session.create(sheet_id, kind, data))


def name_field(kind: Kind) -> str:
    """Where a sheet keeps its name: in a text of its own, if the rules gave it one."""
    known = [info.name for info in kind.fields if info.name in NAMES]
    return known[0] if known else NAMES[0]


def plain_id(name: str) -> str:
    """An id made of a name: small letters, digits and underscores."""
    letters = "".join(char if char.isascii() and char.isalnum() else "_" for char in fold(name))
    return letters.strip("_") or "x"


def ask_sheet(desk: Desk, kind_name: str) -> Data:
    """Every value of a sheet of this kind, asked one by one; what is thrown with dice is only told."""
    kind = kind_of(desk.system, kind_name)
    data: Data = {}
    desk.console.say("form_help")
    desk.console.in_form = True
    try:
        for infos in _families(kind):
            _ask_family(desk, kind, infos, data)
        for listed in kind.lists:
            _ask_list(desk, listed, data)
    except KeepRest:
        pass
    finally:
        desk.console.in_form = False
    _require(desk, kind, data)
    return data


def _families(kind: Kind) -> Iterator[list[FieldInfo]]:
    """The values to ask for, those of one keyed name together."""
    for name in dict.fromkeys(info.name for info in kind.fields):
        infos = [info for info in kind.find(name) if asks(info) and not is_computed(info) and name not in NAMES]
        if infos:
            yield infos


def _ask_family(desk: Desk, kind: Kind, infos: list[FieldInfo], data: Data) -> None:
    thrown = [(info, code.text) for info in infos if (code := start_dice(info)) is not None]
    for info, text in thrown:
        desk.console.say("thrown", what=desk.names.field(info), dice=text)
    rest = [info for info in infos if info not in [one for one, _ in thrown]]
    if len(rest) > LONGEST_FAMILY:
        _fill_in(desk, rest, data)
        return
    for info in rest:
        value = ask_value(desk, Asked(info, constant_default(info)))
        if value is not None:
            put(data, info, value)


def _fill_in(desk: Desk, infos: list[FieldInfo], data: Data) -> None:
    """A long family: the person names the values to set, with their numbers if they like, until nothing is named."""
    names, console, spec = desk.names, desk.console, infos[0].spec
    labels = [names.key(info.key, spec.keys, spec.labels) for info in infos]
    title = names.label(spec.label, infos[0].name)
    while True:
        now = [get(data, info) for info in infos]
        shown = [label if one is None else f"{label}  {one}" for label, one in zip(labels, now, strict=True)]
        console.show_list(f"{title} {names.say('which_to_set')}", shown)
        typed = console.answer("> ")
        if not typed:
            return
        for word in split(typed):
            _set_one(desk, infos, labels, data, word)


def _set_one(desk: Desk, infos: list[FieldInfo], labels: list[str], data: Data, word: str) -> None:
    """`climb 3` sets one value; `climb` asks for it."""
    head, _, tail = word.rpartition(" ")
    number = whole(tail) if head else None
    found = desk.console.meant(word if number is None else head, labels)
    if found is None:
        return
    asked = Asked(infos[found], constant_default(infos[found]))
    low, high = asked.ends()
    if number is not None and ((low is not None and number < low) or (high is not None and number > high)):
        desk.console.say("outside", value=number, ends=span(low, high))
        number = None
    value = ask_value(desk, asked) if number is None else number
    if value is not None:
        put(data, infos[found], value)


def _require(desk: Desk, kind: Kind, data: Data) -> None:
    """What has no default must be answered, also when the rest was to stay as it stands."""
    for infos in _families(kind):
        for info in infos:
            if Asked(info, constant_default(info)).must_be_said and get(data, info) is None:
                value = ask_value(desk, Asked(info))
                put(data, info, value)


# ---------------------------------------------------------------------- lists


def _ask_list(desk: Desk, listed: ListInfo, data: Data) -> None:
    title = desk.names.label(listed.spec.label, listed.name)
    if listed.owned:
        data[listed.name] = []
        low, high = count_range(listed.spec.count, (0, None))
        while high is None or len(data[listed.name]) < high:
            number = len(data[listed.name]) + 1
            question = desk.names.say("one_more", what=title, kind=desk.names.kind(listed.kind), number=number)
            if number > low and not desk.console.flag(question):
                return
            data[listed.name].append(_ask_record(desk, listed.kind))
        return
    ids = [i for i, sheet in desk.sheets.items() if sheet.get("sheet") == listed.kind]
    if ids:
        chosen = desk.console.choose_several(title, [desk.sheet_name(i) for i in ids], 0, None)
        data[listed.name] = [ids[i] for i in chosen]


def _ask_record(desk: Desk, kind_name: str) -> Data:
    item: Data = {}
    for info in kind_of(desk.system, kind_name).fields:
        if asks(info):
            value = ask_value(desk, Asked(info, constant_default(info)))
            if value is not None:
                put(item, info, value)
    return item


# ---------------------------------------------------------------------- data of a sheet


def put(data: Data, info: FieldInfo, value: Any) -> None:
    if info.key is None:
        data[info.name] = value
    else:
        data[info.name] = {**data.get(info.name, {}), info.key: value}


def get(data: Mapping[str, Any], info: FieldInfo) -> Any:
    found = data.get(info.name)
    return found if info.key is None else (found or {}).get(info.key)


# ---------------------------------------------------------------------- ready sheets


def take_ready(desk: Desk) -> None:
    """A ready character comes to the table, with those whom its sheet names; taken again, it is a second sheet."""
    ids = ready_ids(desk)
    labels = [_described(desk, name) for name in ids]
    name = ids[desk.console.choose_one(desk.names.say("which"), labels)]
    others = [other for other in _named_by(desk.system, name) if other not in desk.sheets]
    copies = [_copy(desk, one) for one in (name, *others)]
    session = desk.session
    for sheet_id, data in copies:
        if not _is_thrown(desk, data):
            session = session.with_sheet(sheet_id, data)
    desk.keep(session)
    for sheet_id, data in copies:
        if sheet_id not in desk.sheets:
            begin(desk, *desk.session.create(sheet_id, str(data["sheet"]), data))
    for other in others:
        desk.console.say("comes_along", who=desk.sheet_name(other))
    if not _is_thrown(desk, copies[0][1]):
        desk.show_sheet(copies[0][0])


def ready_ids(desk: Desk) -> list[str]:
    """The ready characters; a sheet shared by all is at the table from the start."""
    shared = [kind for kind, spec in desk.system.sheets.items() if spec.only_one]
    return [name for name in desk.system.characters if character(desk.system, name).get("sheet") not in shared]


def _described(desk: Desk, name: str) -> str:
    data = character(desk.system, name)
    here = " *" if name in desk.sheets else ""
    return f"{desk.names.sheet(name, data)} ({desk.names.kind(str(data['sheet']))}){here}"


def _copy(desk: Desk, name: str) -> tuple[str, Data]:
    """A ready character's sheet for the table; the second of one character has a number."""
    data = dict(character(desk.system, name))
    sheet_id = free_id(name, desk.sheets)
    if sheet_id != name:
        number = sheet_id.rpartition("_")[2]
        data[name_field(kind_of(desk.system, str(data["sheet"])))] = f"{desk.names.sheet(name, data)} {number}"
    return sheet_id, data


def _is_thrown(desk: Desk, data: Data) -> bool:
    """Whether the sheet starts with dice of which it does not say what they showed."""
    infos = kind_of(desk.system, str(data["sheet"])).fields
    return any(start_dice(info) and not given_value(data, info, "now")[1] for info in infos)


def _named_by(system: System, name: str) -> list[str]:
    """Every ready character that a character's sheet refers to, and so on from those."""
    found: list[str] = []
    waiting = [name]
    while waiting:
        data = character(system, waiting.pop())
        for other in _references(system, str(data["sheet"]), data):
            if other in system.characters and other != name and other not in found:
                found.append(other)
                waiting.append(other)
    return found


def _references(system: System, kind_name: str, data: Mapping[str, Any]) -> Iterator[str]:
    kind = kind_of(system, kind_name)
    yield from (str(data[info.name]) for info in kind.fields if info.sort == "one" and data.get(info.name))
    for listed in kind.lists:
        for item in data.get(listed.name) or ():
            if listed.owned:
                yield from _references(system, listed.kind, item)
            else:
                yield str(item)


# ---------------------------------------------------------------------- sheets at the table


def _which_sheet(desk: Desk) -> str:
    ids = list(desk.sheets)
    labels = [desk.sheet_name(i) for i in ids]
    return ids[0 if len(ids) == 1 else desk.console.choose_one(desk.names.say("which"), labels)]


def show_all(desk: Desk) -> None:
    for sheet_id in desk.sheets:
        desk.show_sheet(sheet_id)


def mend(desk: Desk) -> None:
    """One value of a sheet is set to another, as a game master may say; it can be undone like any action."""
    sheet_id = _which_sheet(desk)
    shown = desk.look(sheet_id)
    if shown is None:
        desk.show_sheet(sheet_id)
        return
    entity = shown.layout.entities[sheet_id]
    infos = [info for info in entity.kind.fields if asks(info)]
    held = [from_register(info, shown.now(entity, info)) for info in infos]
    labels = [f"{desk.names.field(i)}  {desk.names.field_value(i, now)}" for i, now in zip(infos, held, strict=True)]
    place = desk.console.choose_one(desk.sheet_name(sheet_id), labels)
    info, now = infos[place], held[place]
    value = ask_value(desk, Asked(info, now, *shown.ends(entity, info)))
    data = dict(desk.sheets[sheet_id])
    if info.section == "gauges":
        start = from_register(info, shown.values[shown.layout.start_slot(entity, info)])
        value = {"start": start, "now": value}
    put(data, info, value)
    desk.keep(desk.session.with_sheet(sheet_id, data))
    desk.show_sheet(sheet_id)


def take_away(desk: Desk) -> None:
    """A sheet leaves the table; undo brings it back."""
    ids = desk.own_sheets()
    sheet_id = ids[desk.console.choose_one(desk.names.say("which"), [desk.sheet_name(i) for i in ids])]
    name = desk.sheet_name(sheet_id)
    desk.keep(desk.session.without_sheet(sheet_id))
    desk.console.say("taken_away", who=name)
