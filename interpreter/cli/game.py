"""The menu of a game: what can be done now, and doing it, until the person leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from interpreter.cli import sheets, story
from interpreter.cli.console import LEAVE, GivenUp, Leave, fold, likely
from interpreter.cli.desk import Desk
from interpreter.cli.forms import missing_kinds
from interpreter.cli.running import act, drive
from interpreter.cli.story import title_of
from interpreter.fields import whole
from interpreter.render.style import in_rows
from interpreter.session import Loaded

LEAVING = LEAVE, "leave"
# Of a word so long the beginning is enough.
SHORTEST_WORD = 3


@dataclass(frozen=True, slots=True)
class Command:
    """A letter of the menu: its phrase, when it is offered, what it does."""

    phrase: str
    offered: Callable[[Desk], object]
    do: Callable[[Desk], None]


def play(desk: Desk, loaded: Loaded) -> None:
    """Goes on with the action under way, if there is one, then shows the menu until the person leaves."""
    try:
        _welcome(desk, loaded)
        while True:
            _menu(desk)
    except (Leave, KeyboardInterrupt):
        desk.console.write("")


def _welcome(desk: Desk, loaded: Loaded) -> None:
    """What there is to know before the first question: how far the game is, and what came of changed rules."""
    console = desk.console
    console.write(console.paint(desk.names.title(), "title"))
    if desk.session.log:
        console.say("goes_on", count=len(desk.session.log))
    for note in loaded.notes:
        console.write(desk.names.colon(f"! {desk.sheet_name(note.sheet)}", note.message))
    if loaded.refused is not None:
        desk.refuse(loaded.refused)
    need = desk.session.need()
    if need is not None:
        drive(desk, need)


def _menu(desk: Desk) -> None:
    """Shows what can be done, and does what is chosen; nothing typed shows it again."""
    possible = list(_actions(desk))
    desk.tell(_menu_lines(desk, possible))
    try:
        while (do := _chosen(desk, desk.console.answer("> "), possible)) is None:
            pass
        do(desk)
    except GivenUp:
        desk.console.say("given_up")


def _chosen(desk: Desk, typed: str, possible: list[str]) -> Callable[[Desk], None] | None:
    """What a letter, a number, the beginning of a name or a word such as `undo` means; says so when it is none."""
    if not typed:
        return lambda _: None
    names = [desk.names.action(action) for action in possible]
    letter = _letter(desk, typed) if typed.casefold() in COMMANDS or not likely(typed, names) else ""
    if letter == LEAVE:
        raise Leave
    return COMMANDS[letter].do if letter else _chosen_action(desk, typed, possible)


def _letter(desk: Desk, typed: str) -> str:
    """The letter of the menu that is typed, or meant by its word or by the beginning of what the menu says."""
    word = fold(typed)
    for letter, phrase in _offered(desk):
        said = fold(desk.names.say(phrase, what=""))
        if word in (letter, phrase) or (len(word) >= SHORTEST_WORD and said.startswith(word)):
            return letter
    return ""


def _offered(desk: Desk) -> list[tuple[str, str]]:
    """The letters of the menu as things stand, each with its phrase."""
    return [(letter, command.phrase) for letter, command in COMMANDS.items() if command.offered(desk)] + [LEAVING]


def _chosen_action(desk: Desk, typed: str, possible: list[str]) -> Callable[[Desk], None] | None:
    names = [desk.names.action(action) for action in possible]
    number = whole(typed)
    found = likely(typed, names) if number is None else [number - 1] * (0 < number <= len(possible))
    if len(found) == 1:
        return lambda desk: act(desk, possible[found[0]])
    waiting = [] if number is not None else _waiting(desk, typed)
    if found:
        desk.console.say("several_meant", names=", ".join(names[i] for i in found))
    elif waiting:
        desk.tell(waiting)
    else:
        desk.console.say("no_such_entry")
    return None


def _actions(desk: Desk) -> Iterator[str]:
    """The actions for which everyone wanted is at the table."""
    return (action for action in desk.system.actions if not missing_kinds(desk, action))


def _menu_lines(desk: Desk, possible: list[str]) -> Iterator[str]:
    say, paint = desk.names.say, desk.console.paint
    yield ""
    here = desk.own_sheets()
    yield paint(say("at_the_table", who=", ".join(map(desk.sheet_name, here))) if here else say("nobody"), "title")
    for period in desk.system.periods:
        if f"{period}.open" in desk.session.state.flags:
            yield f"▶ {desk.names.node(desk.system.periods[period], period)}"
    for number, action in enumerate(possible, 1):
        yield f"  {number:>2}  {desk.names.action(action)}"
    yield from (paint(line, "dim") for line in _waiting(desk))
    words = [f"{letter} {say(phrase, what=_what(desk, letter))}" for letter, phrase in _offered(desk)]
    yield from in_rows(words, " · ", "   ")


def _waiting(desk: Desk, typed: str = "") -> list[str]:
    """The actions that cannot be done yet, by who is wanted for them; only those that a word means."""
    waiting: dict[tuple[str, ...], list[str]] = {}
    for action in desk.system.actions:
        kinds, name = tuple(missing_kinds(desk, action)), desk.names.action(action)
        if kinds and (not typed or likely(typed, [name])):
            waiting.setdefault(kinds, []).append(name)
    lines: list[str] = []
    for kinds, actions in waiting.items():
        text = desk.names.say("wanted", kinds=desk.names.say("and").join(kinds), actions=", ".join(actions))
        lines += in_rows(text.split(), " ", "   ")
    return lines


# ---------------------------------------------------------------------- undo, redo


def _what(desk: Desk, letter: str) -> str:
    """What undo or redo is about."""
    if letter == "u" and desk.session.log:
        return title_of(desk.names, desk.session.log[-1])
    return title_of(desk.names, desk.session.undone[0]) if letter == "r" and desk.session.undone else ""


def _undo(desk: Desk) -> None:
    before = desk.session.undo()
    if before is not None:
        undone = title_of(desk.names, desk.session.log[-1])
        desk.keep(before)
        desk.console.say("undone", what=undone)


def _redo(desk: Desk) -> None:
    after = desk.session.redo()
    if after is not None:
        desk.keep(after)
        desk.console.say("redone", what=title_of(desk.names, after.log[-1]))


COMMANDS: Mapping[str, Command] = {
    "c": Command("create", lambda desk: any(not s.only_one for s in desk.system.sheets.values()), sheets.create),
    "p": Command("ready", sheets.ready_ids, sheets.take_ready),
    "s": Command("look", lambda desk: desk.sheets, sheets.show_all),
    "m": Command("mend", lambda desk: desk.sheets, sheets.mend),
    "x": Command("take_away", lambda desk: desk.own_sheets(), sheets.take_away),
    "u": Command("undo", lambda desk: desk.session.log, _undo),
    "r": Command("redo", lambda desk: desk.session.undone, _redo),
    "l": Command("log", lambda desk: desk.session.log, story.show_log),
    "v": Command("replay", lambda desk: desk.session.log, story.tell_again),
    "e": Command("export", lambda desk: desk.session.log, story.export),
}
