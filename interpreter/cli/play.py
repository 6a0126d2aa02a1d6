"""`osselet play`: a game in the terminal, saved after every step."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interpreter import dice
from interpreter.cli.common import FINE, Parser, UsageError, add_language, names_of, parser as new_parser, playable
from interpreter.cli.roll import source_of
from interpreter.examples import character
from interpreter.inputs import Domain
from interpreter.layout import Layout, State
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused
from interpreter.model import System
from interpreter.play import RealDice
from interpreter.render.names import Names
from interpreter.render.runs import option_label, render_refusal, render_sheet, render_trace
from interpreter.session import Session, session_from_json, session_to_json
from interpreter.start import Request, domains, initial, wanted_roles

EXAMPLES = """  osselet play df46
  osselet play df46 --seed 4               the same dice every time
  osselet play df46 --hand                 type the faces of your own dice
  osselet play df46 --save my_hero.json    a game of its own

The game is saved after every step; Ctrl-C or `q` leaves it where it is, and the next
`osselet play` goes on from there."""


def parser() -> Parser:
    new = new_parser("play", "Plays a game in the terminal: sheets, actions, dice, undo.", EXAMPLES)
    new.add_argument("system", metavar="SYSTEM", help="a shipped game or a path")
    new.add_argument("--save", metavar="FILE", help="where the game is kept; one file for each system unless said")
    new.add_argument("--new", action="store_true", help="begin a new game; the old file is kept beside it")
    new.add_argument("--seed", help="a seed: the same faces on every machine")
    new.add_argument("--hand", action="store_true", help="faces are typed, as they fall on the table")
    add_language(new)
    return new


def run(options: argparse.Namespace) -> int:
    system = playable(options.system)
    names = names_of(system, options.lang)
    path = Path(options.save) if options.save else default_save(system)
    source = TypedDice(names) if options.hand else source_of(None, options.seed)
    game = Game(system, names, path, source)
    game.load(fresh=options.new)
    print(names.label(system.title, system.id))
    try:
        game.menu()
    except (EOFError, KeyboardInterrupt):
        print()
    game.save()
    print(f"({path})")
    return FINE


def default_save(system: System) -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "osselet" / f"{system.id}.json"


class TypedDice:
    """Asks for each face as it falls."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __call__(self, die: dice.Die, group: str, index: int, /) -> dice.Face:
        while True:
            written = input(f"  {die.name}{' ' + self.names.key(group) if group else ''} : ")
            try:
                return RealDice([written])(die, group, index)
            except dice.DiceError as error:
                print(f"  {error}")


TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "what": "What now?",
        "create": "make a sheet",
        "ready": "take a ready character",
        "sheets": "look at the sheets",
        "undo": "undo",
        "redo": "redo",
        "quit": "leave",
        "name": "Its name",
        "which": "Which one?",
        "nobody": "There is no sheet at the table yet.",
        "undone": "Undone.",
        "nothing": "There is nothing to undo.",
        "again": "The game goes on where it was.",
        "number": "Type one of the numbers.",
        "several": "Numbers, with commas",
        "off": "given up",
    },
    "fr": {
        "what": "Que faire ?",
        "create": "créer une feuille",
        "ready": "prendre un personnage prêt",
        "sheets": "voir les feuilles",
        "undo": "annuler",
        "redo": "rétablir",
        "quit": "quitter",
        "name": "Son nom",
        "which": "Lequel ?",
        "nobody": "Il n’y a encore aucune feuille sur la table.",
        "undone": "Annulé.",
        "nothing": "Il n’y a rien à annuler.",
        "again": "La partie reprend où elle en était.",
        "number": "Tapez un des numéros.",
        "several": "Des numéros, séparés par des virgules",
        "off": "abandonné",
    },
}


@dataclass(slots=True)
class Game:
    """The talk between a person and a session."""

    system: System
    names: Names
    path: Path
    source: dice.Source
    session: Session = field(init=False)
    shown: int = 0

    def say(self, what: str) -> str:
        return TEXTS.get(self.names.language, TEXTS["en"])[what]

    # ------------------------------------------------------------------ keeping

    def load(self, fresh: bool) -> None:
        self.session = Session(self.system, shared_sheets(self.system))
        if not self.path.exists():
            return
        if fresh:
            self.path.rename(self.path.with_suffix(f".{self.path.stat().st_mtime_ns}.json"))
            return
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            self.session, refused = session_from_json(self.system, data)
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{self.path} cannot be read as a saved game ({error}); --new begins another and keeps it") from error
        print(self.say("again"))
        if refused is not None:
            print(render_refusal(self.names, refused))

    def save(self) -> None:
        """Writes beside the file and puts it in its place, so that a crash leaves the old one whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".tmp")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(session_to_json(self.session), file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)

    def keep(self, session: Session) -> None:
        self.session = session
        self.save()

    # ------------------------------------------------------------------ the menu

    def menu(self) -> None:
        if self.session.run is not None:
            need = self.session.need()
            assert need is not None
            self.drive(need)
        while True:
            entries = self.entries()
            print(f"\n{self.say('what')}")
            for key, (text, _) in entries.items():
                print(f"  {key:>2}  {text}")
            chosen = ask("> ")
            if chosen == "q":
                return
            if chosen in entries:
                entries[chosen][1]()
            elif chosen:
                print(self.say("number"))

    def entries(self) -> dict[str, tuple[str, Callable[[], None]]]:
        found: dict[str, tuple[str, Callable[[], None]]] = {}
        if self.session.state.sheets:
            for number, action in enumerate(self.possible(), 1):
                found[str(number)] = (self.names.action(action), lambda action=action: self.act(action))  # type: ignore[misc]
        found["c"] = (self.say("create"), self.create)
        if self.system.characters:
            found["p"] = (self.say("ready"), self.ready)
        if self.session.state.sheets:
            found["s"] = (self.say("sheets"), self.sheets)
        if self.session.log:
            found["u"] = (self.say("undo"), self.undo)
        if self.session.undone:
            found["r"] = (self.say("redo"), self.redo)
        found["q"] = (self.say("quit"), lambda: None)
        return found

    def possible(self) -> list[str]:
        """The actions for which there is someone at the table."""
        kinds = {data.get("sheet") for data in self.session.state.sheets.values()}
        return [
            action
            for action in self.system.actions
            if all(set(wanted) & kinds for wanted, _ in wanted_roles(self.system, action).values())
        ]

    def undo(self) -> None:
        before = self.session.undo()
        if before is not None:
            self.keep(before)
            print(self.say("undone"))

    def redo(self) -> None:
        after = self.session.redo()
        if after is not None:
            self.keep(after)

    def sheets(self) -> None:
        for sheet_id in self.session.state.sheets:
            self.show_sheet(sheet_id)

    def show_sheet(self, sheet_id: str) -> None:
        layout = Layout(self.system)
        layout.include((sheet_id,), self.session.state)
        values = initial(self.system, layout, self.session.state)
        for register in layout.registers[len(values) :]:
            values.append(register.name[1:] in self.session.state.flags)
        data = self.session.state.sheets[sheet_id]
        print(f"\n{self.names.sheet(sheet_id, data)} ({self.names.node(self.system.sheets[str(data['sheet'])], str(data['sheet']))})")
        print("\n".join(render_sheet(self.names, layout, values, sheet_id)))

    # ------------------------------------------------------------------ sheets

    def create(self) -> None:
        kinds = [kind for kind, spec in self.system.sheets.items() if not spec.only_one]
        labels = [self.names.node(self.system.sheets[kind], kind) for kind in kinds]
        kind = kinds[pick(self, self.say("which"), labels)]
        name = ask(f"{self.say('name')} : ") or self.names.node(self.system.sheets[kind], kind)
        from interpreter.cli.sheets import ask_sheet

        given = ask_sheet(self, kind)
        sheet_id = self.free_id(name)
        session, need = self.session.create(sheet_id, kind, {"name": name, **given})
        self.shown = 0
        if isinstance(need, Refused):
            print(f"✗ {render_refusal(self.names, need)}")
            return
        self.keep(session)
        self.drive(need)
        if sheet_id in self.session.state.sheets:
            self.show_sheet(sheet_id)

    def ready(self) -> None:
        ids = [name for name in self.system.characters if name not in self.session.state.sheets]
        if not ids:
            return
        labels = [self.names.sheet(name, self.system.characters[name]) for name in ids]
        name = ids[pick(self, self.say("which"), labels)]
        self.keep(self.session.with_sheet(name, character(self.system, name)))
        self.show_sheet(name)

    def free_id(self, name: str) -> str:
        base = "".join(char if char.isalnum() else "_" for char in name.lower()) or "x"
        base = base if base[0].isalpha() else f"x{base}"
        sheet_id, number = base, 2
        while sheet_id in self.session.state.sheets:
            sheet_id, number = f"{base}_{number}", number + 1
        return sheet_id

    # ------------------------------------------------------------------ actions

    def act(self, action: str) -> None:
        roles = self.roles(action)
        inputs = self.inputs(action, roles)
        self.shown = 0
        session, need = self.session.begin(Request(action, roles, inputs))
        if isinstance(need, Refused):
            print(f"✗ {render_refusal(self.names, need)}")
            return
        self.keep(session)
        self.drive(need)

    def roles(self, action: str) -> dict[str, tuple[str, ...]]:
        chosen: dict[str, tuple[str, ...]] = {}
        for role, (kinds, several) in wanted_roles(self.system, action).items():
            taken = {i for ids in chosen.values() for i in ids}
            sheets = self.session.state.sheets
            ids = [i for i, data in sheets.items() if data.get("sheet") in kinds and i not in taken]
            labels = [self.names.sheet(i, sheets[i]) for i in ids]
            if len(ids) < 2 or not ids:
                chosen[role] = tuple(ids)
            elif several:
                chosen[role] = tuple(ids[i] for i in pick_several(self, self.names.key(role), labels, 1, None))
            else:
                chosen[role] = (ids[pick(self, self.names.key(role), labels)],)
        return chosen

    def inputs(self, action: str, roles: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
        """Asks for each input in order; what may be answered can depend on the answers before."""
        given: dict[str, Any] = {}
        asked: set[str] = set()
        while True:
            found = domains(self.system, self.session.state, Request(action, roles, given))
            if isinstance(found, Refused):
                return given
            waiting = [domain for name, domain in found[0].items() if name not in asked and domain.open]
            if not waiting:
                return given
            domain = waiting[0]
            asked.add(domain.name)
            answer = self.answer_input(domain)
            if answer is not None:
                put_input(given, domain.name, answer)

    def answer_input(self, domain: Domain) -> Any:
        label = self.names.label(domain.label, domain.name.rpartition(".")[2])
        side = domain.name.rpartition(".")[0]
        label = f"{self.names.key(side)}, {label}" if side else label
        if domain.kind in ("key", "things", "set") and not domain.ids:
            return None
        return _INPUTS[domain.kind](self, label, domain)

    # ------------------------------------------------------------------ a run

    def drive(self, need: Need) -> None:
        """Goes on until the action is over: throws dice, asks for choices, tells what happens."""
        while True:
            run = self.session.run
            if run is not None:
                self.tell(run)
            if isinstance(need, Refused):
                print(f"✗ {render_refusal(self.names, need)}")
                if self.session.run is None:
                    return
                again = self.session.need()
                assert again is not None
                need = again
                continue
            if isinstance(need, Done):
                return
            before = self.session.run
            session, following = self.step(need)
            if session.run is None and isinstance(following, Done):
                self.finish(session, following, before)
            self.keep(session)
            need = following

    def step(self, need: NeedRoll | NeedChoice) -> tuple[Session, Need]:
        if isinstance(need, NeedRoll):
            if isinstance(self.source, TypedDice):
                print(f"{self.names.label(need.label, need.name.rpartition('.')[2])} :")
            return self.session.throw(self.source)
        return self.session.answer(self.choice(need))

    def tell(self, run: Any) -> None:
        for line in render_trace(self.names, run, run.trace[self.shown :]):
            print(f"  {line}")
        self.shown = len(run.trace)

    def finish(self, session: Session, need: Done, before: Any) -> None:
        """Tells the end of a run, which the session keeps no longer: it is played again from its last answer."""
        from interpreter.machine import advance

        assert before is not None
        waiting = advance(before)[1]
        answer = session.log[-1].answers[-1] if session.log and session.log[-1].answers else None
        if isinstance(waiting, NeedRoll) and isinstance(answer, Mapping):
            finished, _ = advance(before, waiting.given(_faces(answer)))
        else:
            finished, _ = advance(before, tuple(answer) if isinstance(answer, list) else answer)
        self.tell(finished)
        if need.outcome is not None:
            print(f"\n→ {self.names.outcome(finished.program.action, need.outcome, need.grade)}")

    def choice(self, need: NeedChoice) -> Any:
        assert self.session.run is not None
        label = self.names.label(need.label, need.name.rpartition(".")[2])
        opened = [option for option in need.options if option.open]
        if need.kind == "number":
            return ask_number(self, label, need.low, need.high, need.low)
        if need.kind == "text":
            return ask(f"{label} : ")
        program = self.session.run.program
        labels = [str(option_label(self.names, program, need.name, option.id)) for option in opened]
        for option in need.options:
            if not option.open and option.why_not is not None:
                print(f"  ({self.names.label(option.label, option.id)} : {self.names.label(option.why_not, '')})")
        if need.kind == "several":
            return tuple(opened[i].id for i in pick_several(self, label, labels, need.low or 0, need.high))
        return opened[pick(self, label, labels)].id


def _faces(answer: Mapping[str, Any]) -> dict[str, list[list[dice.Face]]]:
    def face(written: Any) -> dice.Face:
        if isinstance(written, Mapping):
            return dice.Symbols(tuple((str(s), int(n)) for s, n in written["symbols"]))
        return int(written)

    return {group: [[face(one) for one in chain] for chain in chains] for group, chains in answer.items()}


def shared_sheets(system: System) -> State:
    """The table of a new game: the sheets shared by all."""
    return State({kind: {"sheet": kind} for kind, spec in system.sheets.items() if spec.only_one})


# ---------------------------------------------------------------------- asking


def ask(prompt: str) -> str:
    sys.stdout.flush()
    return input(prompt).strip()


def pick(game: Game, question: str, labels: list[str]) -> int:
    """One of a list, by its number."""
    print(f"{question}")
    for number, label in enumerate(labels, 1):
        print(f"  {number:>2}  {label}")
    while True:
        chosen = ask("> ")
        if chosen.isdigit() and 1 <= int(chosen) <= len(labels):
            return int(chosen) - 1
        print(game.say("number"))


def pick_several(game: Game, question: str, labels: list[str], low: int, high: int | None) -> list[int]:
    """Some of a list, by their numbers."""
    print(f"{question} ({game.say('several')})")
    for number, label in enumerate(labels, 1):
        print(f"  {number:>2}  {label}")
    while True:
        words = [word.strip() for word in ask("> ").split(",") if word.strip()]
        numbers = [int(word) - 1 for word in words if word.isdigit() and 1 <= int(word) <= len(labels)]
        if len(numbers) == len(words) == len(set(numbers)) and low <= len(numbers) <= (len(labels) if high is None else high):
            return numbers
        print(game.say("number"))


def ask_number(game: Game, label: str, low: int | None, high: int | None, default: object) -> int | None:
    ends = f"{'' if low is None else low}..{'' if high is None else high}"
    while True:
        written = ask(f"{label} ({ends})" + (f" [{default}]" if default is not None else "") + " : ")
        if not written and default is not None:
            return int(str(default))
        if written.lstrip("-").isdigit() and (low is None or low <= int(written)) and (high is None or int(written) <= high):
            return int(written)
        print(game.say("number"))


def put_input(given: dict[str, Any], name: str, answer: Any) -> None:
    side, dot, last = name.rpartition(".")
    if dot:
        given.setdefault(side, {})[last] = answer
    else:
        given[name] = answer


def _input_key(game: Game, label: str, domain: Domain) -> Any:
    labels = [game.names.key(one) for one in domain.ids]
    if domain.default is not None:
        label = f"{label} [{game.names.key(domain.default)}]"
    print(label)
    for number, text in enumerate(labels, 1):
        print(f"  {number:>2}  {text}")
    while True:
        chosen = ask("> ")
        if not chosen and not domain.required:
            return None
        if chosen.isdigit() and 1 <= int(chosen) <= len(labels):
            return domain.ids[int(chosen) - 1]
        print(game.say("number"))


def _input_number(game: Game, label: str, domain: Domain) -> Any:
    return ask_number(game, label, domain.low, domain.high, domain.default if domain.default is not None else domain.low)


def _input_flag(game: Game, label: str, domain: Domain) -> Any:
    yes, no = game.names.value(True), game.names.value(False)
    default = yes if domain.default else no
    while True:
        written = ask(f"{label} ({yes}/{no}) [{default}] : ").lower()
        if not written:
            return None
        if written in (yes, yes[0], "true"):
            return True
        if written in (no, no[0], "false"):
            return False


def _input_things(game: Game, label: str, domain: Domain) -> Any:
    labels = [thing_text(game, one) for one in domain.ids]
    return [domain.ids[i] for i in pick_several(game, label, labels, domain.least, domain.most)]


def thing_text(game: Game, thing_id: str) -> str:
    sheet_id, *rest = thing_id.split("/")
    data: Any = game.session.state.sheets[sheet_id]
    for name, number in zip(rest[::2], rest[1::2], strict=True):
        data = data[name][int(number)]
    if not rest:
        return game.names.sheet(sheet_id, data)
    return next((str(value) for value in data.values() if isinstance(value, str) and value), thing_id)


def _input_set(game: Game, label: str, domain: Domain) -> Any:
    labels = [game.names.key(one) for one in domain.ids]
    return [domain.ids[i] for i in pick_several(game, label, labels, domain.least, domain.most)]


def _input_text(game: Game, label: str, domain: Domain) -> Any:
    return ask(f"{label} : ") or None


_INPUTS: Mapping[str, Callable[[Game, str, Domain], Any]] = {
    "key": _input_key,
    "number": _input_number,
    "flag": _input_flag,
    "things": _input_things,
    "set": _input_set,
    "text": _input_text,
}
