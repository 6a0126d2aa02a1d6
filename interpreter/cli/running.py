"""An action under way in the terminal: dice, choices, what happens line by line, and how it ends."""

from __future__ import annotations

from typing import Any

from interpreter.cli.console import GivenUp
from interpreter.cli.desk import Desk
from interpreter.cli.ending import ending
from interpreter.cli.forms import ask_inputs, ask_roles
from interpreter.cli.hand import SeededTable, TypedDice
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, OpenOption, Refused
from interpreter.render.sheets import movable, sheets_of, shown_run
from interpreter.render.trace import Teller
from interpreter.session import Session
from interpreter.start import Request


def act(desk: Desk, action: str) -> None:
    """Asks what an action wants, begins it and goes on to its end."""
    roles = ask_roles(desk, action)
    inputs = ask_inputs(desk, action, roles)
    begin(desk, *desk.session.begin(Request(action, roles, inputs)))


def begin(desk: Desk, session: Session, need: Need) -> None:
    """A run that has just begun, to its end; one that is refused has changed nothing."""
    if isinstance(need, Refused):
        desk.refuse(need)
        return
    desk.shown = 0
    desk.keep(session)
    drive(desk, need)


def drive(desk: Desk, need: Need) -> None:
    """Goes on until the action is over: throws dice, asks for choices, tells what happens."""
    while True:
        run = desk.session.run or desk.session.last
        if run is not None:
            told, desk.shown = desk.shown, len(run.trace)
            desk.tell(f"  {line}" for line in Teller(desk.names, run, desk.console.paint).lines(run.trace[told:]))
        if isinstance(need, Refused):
            desk.refuse(need)
            return
        if isinstance(need, Done):
            assert run is not None
            desk.tell(ending(desk.names, run, need, desk.console.paint))
            return
        try:
            session, need = _throw(desk, need) if isinstance(need, NeedRoll) else _choose(desk, need)
        except GivenUp:
            desk.keep(desk.session.abandon())
            desk.console.say("given_up")
            return
        desk.keep(session)


def _throw(desk: Desk, need: NeedRoll) -> tuple[Session, Need]:
    """A refusal here is none of the dice's faces, so that throwing again would not help: the action is over."""
    source = desk.source
    if isinstance(source, TypedDice):
        turn = "".join(f"{desk.names.thing(one, desk.sheets)}, " for one in need.about)
        source.begin(need, turn + desk.names.label(need.label, need.name.rpartition(".")[2]))
    if isinstance(source, SeededTable):
        source.begin(len(desk.session.log), len(desk.session.answers))
    session, following = desk.session.throw(source)
    if isinstance(source, TypedDice):
        source.finish()
    return (session.abandon(), following) if isinstance(following, Refused) else (session, following)


# ---------------------------------------------------------------------- choices


def _choose(desk: Desk, need: NeedChoice) -> tuple[Session, Need]:
    """Shows how things stand, and asks until the answer is one that the rules take."""
    assert desk.session.run is not None
    shown, wanted = shown_run(desk.names, desk.session.run), movable(desk.session.run)
    lines = [shown.brief(sheet_id, wanted) for sheet_id in sheets_of(desk.session.run)]
    desk.tell(desk.console.paint(f"  {line}", "dim") for line in lines if line)
    while True:
        session, following = desk.session.answer(_answer(desk, need))
        if not isinstance(following, Refused):
            desk.shown += 1  # the line that tells the choice, which the person has just made
            return session, following
        if following.code != "choice":
            return session.abandon(), following
        desk.refuse(following)


def _answer(desk: Desk, need: NeedChoice) -> Any:
    assert desk.session.run is not None
    console, question = desk.console, _question(desk, need)
    if need.kind == "number":
        return console.number(question, need.low, need.high, need.low)
    if need.kind == "text":
        return console.text(question)
    teller = Teller(desk.names, desk.session.run)
    opened = [option for option in need.options if option.open]
    labels = [teller.option(need.name, option.id) for option in opened]
    for option in need.options:
        if not option.open:
            console.write(console.paint(_closed(desk, teller, need, option), "dim"))
    if need.kind == "several":
        return tuple(opened[i].id for i in console.choose_several(question, labels, need.low or 0, need.high))
    return opened[console.choose_one(question, labels)].id


def _question(desk: Desk, need: NeedChoice) -> str:
    """What is chosen, after who chooses."""
    label = desk.names.label(need.label, need.name.rpartition(".")[2])
    turn = [desk.names.thing(one, desk.sheets) for one in need.about if one != need.chooser]
    about = f" ({', '.join(turn)})" if turn else ""
    if not need.chooser:
        return label + about
    who = desk.sheet_name(need.chooser) if need.chooser in desk.sheets else desk.names.who(need.chooser)
    return f"{who}, {label}{about}"


def _closed(desk: Desk, teller: Teller, need: NeedChoice, option: OpenOption) -> str:
    why = desk.names.label(option.why_not, "") if option.why_not is not None else desk.names.say("not_now")
    return desk.names.say("closed", what=teller.option(need.name, option.id), why=why)
