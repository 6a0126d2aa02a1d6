"""Plays, weighs, simulates and suspends all actions of a system at random, and tells of what is no declared refusal."""

from __future__ import annotations

import json
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from interpreter import dice
from interpreter.examples import play_example
from interpreter.expressions import LARGEST
from interpreter.fields import FieldInfo, Kind, constant_range, count_range, kind_of
from interpreter.inputs import Domain
from interpreter.layout import State, sheet_faults
from interpreter.machine import Done, Need, NeedChoice, NeedRoll, Refused, Run, advance
from interpreter.model import Field, System
from interpreter.odds import Limits, NoOdds, odds
from interpreter.ready import character
from interpreter.runs import run_from_json, run_to_json
from interpreter.session import Session, session_from_json, session_to_json
from interpreter.simulate import simulate
from interpreter.start import Request, after, begin, create, domains, wanted_roles, whole_sheet

T = TypeVar("T")
# So many rolls and choices are answered before a run is left alone.
MOST_NEEDS = 60
MOST_ROLES = 3
MOST_TRIES = 4
SMALL = Limits(nodes=400, passing=4_000, dice=40, faces=400, terms=40_000, options=40, seconds=0.5)
# Refusals that are part of the promise; anything else is a fault of the checks or of the core.
DECLARED = frozenset(
    ("require", "pay", "period", "effect", "input", "role", "sheet", "limit", "once_per", "over", "action")
)
NO_ODDS = frozenset((*DECLARED, "policy", "goal", "hidden", "circle", "choices", "name", "unbounded"))
TOO_LARGE = (f"beyond {LARGEST}", "has a fraction finer than")


@dataclass(slots=True)
class Played:
    """What came of playing: how runs ended, and what should never have happened."""

    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Player:
    """Plays one system; everything that it decides comes from `rng`."""

    def __init__(self, system: System, rng: random.Random) -> None:
        self.system = system
        self.rng = rng
        self.played = Played()

    def play(self, times: int = 2) -> Played:
        """Every action so many times, its odds and a simulation once, and every worked example."""
        state = self.attempt("the table", self.table) or State()
        for name in self.system.actions:
            for number in range(times):
                following = self.attempt(f"action {name}", self.action, name, state)
                if following is not None and number == 0 and self.rng.random() < 0.5:
                    state = following
            self.attempt(f"odds of {name}", self.odds, name, state)
            self.attempt(f"simulation of {name}", self.simulation, name, state)
        for name in self.system.examples:
            self.attempt(f"example {name}", play_example, self.system, name)
        return self.played

    def attempt(self, what: str, do: Callable[..., T], *given: Any) -> T | None:
        try:
            return do(*given)
        except Exception as error:  # noqa: BLE001 - whatever it is, it should not be
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.filename.rpartition('interpreter')[2]}:{place.lineno}"
            self.fault(f"{what}: {type(error).__name__}: {error} ({where})")
            return None

    def fault(self, message: str) -> None:
        self.played.faults.append(message)

    def ended(self, what: str, refused: Refused | NoOdds, declared: frozenset[str]) -> None:
        self.played.ends[f"refused: {refused.code}"] += 1
        too_large = refused.code == "arithmetic" and any(part in refused.message for part in TOO_LARGE)
        if refused.code not in declared and not too_large and "at most" not in refused.message:
            self.fault(f"{what}: refused as `{refused.code}`: {refused.message}")

    # ------------------------------------------------------------------ a table

    def table(self) -> State:
        """Every ready sheet, every shared one, and two more of each kind: one as declared, one at random."""
        sheets: dict[str, Mapping[str, Any]] = {name: character(self.system, name) for name in self.system.characters}
        for kind, spec in self.system.sheets.items():
            there = [name for name, data in sheets.items() if data.get("sheet") == kind]
            if spec.only_one:
                sheets |= {} if there else {kind: {"sheet": kind}}
                continue
            sheets[f"{kind}_1"] = {"sheet": kind}
            sheets[f"{kind}_2"] = {"sheet": kind}
        for name in [name for name in sheets if name not in self.system.characters]:
            made = self.sheet(name, str(sheets[name]["sheet"]), sheets)
            sheets.pop(name)
            sheets |= {} if made is None else {name: made}
        return State(sheets, frozenset(self.flags(sheets)))

    def flags(self, sheets: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
        """Some periods are open, with whoever can take part."""
        for name, period in self.system.periods.items():
            if self.rng.random() < 0.4:
                yield f"{name}.open"
                yield from (f"{name}.member.{one}" for one in _of_kinds(sheets, (period.members or "",)))

    def sheet(self, name: str, kind: str, sheets: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """A sheet that can be played: as declared where its name says so, else with values of its own."""
        for number in range(MOST_TRIES):
            given = {} if name.endswith("_1") and number == 0 else self.data(kind_of(self.system, kind), sheets)
            made = self.made(name, State({**sheets, name: {"sheet": kind, **given}}))
            if made is not None:
                return made
        return None

    def made(self, name: str, state: State) -> Mapping[str, Any] | None:
        """A sheet with the dice that it starts with; None when it lacks what must be said."""
        started = create(self.system, state, name)
        if isinstance(started, Refused):
            self.ended(f"making {name}", started, DECLARED)
            return None
        run, need = self.driven(f"making {name}", started)
        return after(run).sheets[name] if isinstance(need, Done) else None

    def data(self, kind: Kind, sheets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Values for what a sheet holds; some are left to their defaults."""
        found: dict[str, Any] = {}
        for info in kind.fields:
            if not _must_be_said(info) and self.rng.random() < 0.5:
                continue
            value = self.value(info, sheets)
            if value is None:
                continue
            if info.key is None:
                found[info.name] = value
            else:
                found.setdefault(info.name, {})[info.key] = value
        for listed in kind.lists:
            if listed.owned:
                inner = kind_of(self.system, listed.kind)
                found[listed.name] = [self.data(inner, sheets) for _ in range(self.rng.randrange(3))]
            else:
                found[listed.name] = self.some(_of_kinds(sheets, (listed.kind,)))
        return found

    def value(self, info: FieldInfo, sheets: Mapping[str, Mapping[str, Any]]) -> Any:
        ids = info.ids.ids if info.ids else ()
        if info.sort == "number":
            low, high = constant_range(info.spec)
            low = 0 if low is None else low
            return self.rng.randint(low, max(low, low + 1 if high is None else high))
        if info.sort == "flag":
            return self.rng.random() < 0.5
        if info.sort in ("key", "die"):
            return self.rng.choice(ids) if ids else None
        if info.sort == "set":
            least, most = count_range(info.spec.count if isinstance(info.spec, Field) else None, (0, None))
            return self.some(ids, least, most)
        if info.sort == "one":
            one = _of_kinds(sheets, info.spec.one if isinstance(info.spec, Field) else ())
            return self.rng.choice(one) if one and self.rng.random() < 0.7 else None
        return "texte"

    def some(self, items: Sequence[T], least: int = 0, most: int | None = None) -> list[T]:
        most = len(items) if most is None else min(most, len(items))
        count = self.rng.randint(min(least, most), most)
        return self.rng.sample(list(items), count)

    # ------------------------------------------------------------------ an action

    def action(self, name: str, state: State) -> State | None:
        """One run with random sheets and answers; the table after it, when it came to an end."""
        request = self.request(name, state)
        if request is None:
            return None
        started = begin(self.system, state, request)
        if isinstance(started, Refused):
            self.ended(f"action {name}", started, DECLARED)
            return None
        run, need = self.driven(f"action {name}", started)
        if isinstance(need, Done):
            self.played.ends["done"] += 1
            return self.settled(f"action {name}", after(run))
        return None

    def settled(self, what: str, state: State) -> State:
        """A table after an action, on which every sheet can still be played."""
        for sheet_id, data in state.sheets.items():
            faults = [message for _, message in sheet_faults(self.system, data)]
            whole = whole_sheet(self.system, state, sheet_id)
            if isinstance(whole, Refused) and whole.message not in faults:
                faults.append(whole.message)
            for message in faults:
                self.fault(f"{what}: it leaves `{sheet_id}` so that it cannot be played: {message}")
        return state

    def request(self, name: str, state: State) -> Request | None:
        roles: dict[str, tuple[str, ...]] = {}
        for role, (kinds, several) in wanted_roles(self.system, name).items():
            fitting = _of_kinds(state.sheets, kinds)
            if not fitting:
                self.played.ends["nobody to play"] += 1
                return None
            count = self.rng.randint(1, min(MOST_ROLES, len(fitting))) if several else 1
            roles[role] = tuple(self.rng.sample(fitting, count))
        inputs: dict[str, Any] = {}
        for _ in range(2):
            asked = domains(self.system, state, Request(name, roles, inputs))
            if isinstance(asked, Refused):
                self.ended(f"inputs of {name}", asked, DECLARED)
                return None
            inputs = {}
            for full, domain in asked[0].items():
                self.answer(name, full, domain, inputs)
        return Request(name, roles, inputs)

    def answer(self, action: str, full: str, domain: Domain, inputs: dict[str, Any]) -> None:
        if not domain.open or (not domain.required and self.rng.random() < 0.3):
            return
        parts = full.split(".")
        for part in parts[:-1]:
            inputs = inputs.setdefault(part, {})
        inputs[parts[-1]] = self.choice(domain)

    def choice(self, domain: Domain) -> Any:
        rng = self.rng
        if domain.kind == "number":
            low = 0 if domain.low is None else domain.low
            high = low + 5 if domain.high is None else max(low, domain.high)
            return rng.choice((low, high, rng.randint(low, high), rng.randint(low, high), high + rng.randrange(2)))
        if domain.kind == "flag":
            return rng.random() < 0.5
        if domain.kind == "key":
            return rng.choice(domain.ids) if domain.ids else "rien"
        if domain.kind in ("set", "things"):
            return self.some(domain.ids, domain.least, domain.most)
        return "texte"

    # ------------------------------------------------------------------ a run

    def driven(self, what: str, run: Run) -> tuple[Run, Need]:
        """The run answered at random to its end, or until it has been answered often enough."""
        run, need = advance(run)
        for _ in range(MOST_NEEDS):
            if isinstance(need, Done):
                break
            if isinstance(need, Refused):
                self.ended(what, need, DECLARED)
                break
            if self.rng.random() < 0.1:
                self.resumed(what, run)
            answer = self.thrown(what, need) if isinstance(need, NeedRoll) else self.chosen(need)
            if answer is None:
                break
            run, need = advance(run, answer)
        else:
            self.played.ends["left alone"] += 1
        return run, need

    def thrown(self, what: str, need: NeedRoll) -> dice.Result | None:
        try:
            return need.throw(lambda die, group, index, /: self.rng.choice(die.faces))
        except dice.LimitReached:
            self.played.ends["refused: dice"] += 1
        except dice.DiceError as error:
            self.fault(f"{what}: {need.name}: {error}")
        return None

    def chosen(self, need: NeedChoice) -> Any:
        opened = [option.id for option in need.options if option.open]
        if need.kind == "number":
            low = need.low or 0
            return self.rng.randint(low, low + 5 if need.high is None else max(low, need.high))
        if need.kind == "several":
            return tuple(self.some(opened, need.low or 0, need.high))
        return self.rng.choice(opened) if need.kind == "options" else "texte"

    def resumed(self, what: str, run: Run) -> None:
        """A run saved and brought back is the same run."""
        again = run_from_json(self.system, json.loads(json.dumps(run_to_json(self.system, run))))
        if isinstance(again, Refused):
            self.fault(f"{what}: cannot be resumed: {again.message}")
        elif (again.registers, again.position, again.trace) != (run.registers, run.position, run.trace):
            self.fault(f"{what}: is another run once resumed")

    # ------------------------------------------------------------------ a campaign

    def campaign(self, actions: int = 4) -> Played:
        """Several actions in a row, saved and brought back, undone and redone on the way."""
        session = Session(self.system, self.attempt("the table", self.table) or State())
        for _ in range(actions):
            name = self.rng.choice(tuple(self.system.actions))
            session = self.attempt(f"campaign, {name}", self.chapter, name, session) or session
        return self.played

    def chapter(self, name: str, session: Session) -> Session:
        """One action of a campaign, which is then undone and redone."""
        request = self.request(name, session.state)
        if request is None:
            return session
        before, (now, need) = session, session.begin(request)
        for _ in range(MOST_NEEDS):
            if isinstance(need, Done | Refused):
                break
            now = self.reloaded(name, now)
            answer = self.thrown(name, need) if isinstance(need, NeedRoll) else self.chosen(need)
            now, need = (now.abandon(), Refused("over", "")) if answer is None else now.answer(answer)
        if not isinstance(need, Done):
            if now.abandon().state != before.state:
                self.fault(f"campaign, {name}: a refused action changed the table")
            return before
        self.played.ends["done"] += 1
        self.settled(f"campaign, {name}", now.state)
        back = now.undo()
        if back is None or back.state != before.state or back.log != before.log:
            self.fault(f"campaign, {name}: undone, the table is not as it was")
            return before
        again = self.reloaded(name, back).redo()
        if again is None or again.state != now.state or again.log != now.log:
            self.fault(f"campaign, {name}: redone, the table is not as it was")
        return again or before

    def reloaded(self, name: str, session: Session) -> Session:
        """The campaign saved and brought back, which must be the same in every part."""
        text = json.dumps(session_to_json(session))
        loaded, refused = session_from_json(self.system, json.loads(text))
        if refused is not None:
            self.fault(f"campaign, {name}: cannot be resumed: {refused.message}")
        elif json.dumps(session_to_json(loaded)) != text or loaded.state != session.state:
            self.fault(f"campaign, {name}: is another one once it was saved")
        elif loaded.run is not None and session.run is not None and loaded.run.registers != session.run.registers:
            self.fault(f"campaign, {name}: the action under way is another one once it was saved")
        return loaded

    # ------------------------------------------------------------------ odds

    def odds(self, name: str, state: State) -> None:
        request = self.request(name, state)
        if request is None:
            return
        choices = self.rng.choice(("first", "first", "best", "worst"))
        found = odds(self.system, state, request, choices=choices, gauges=self.rng.random() < 0.3, limits=SMALL)
        if isinstance(found, NoOdds):
            self.ended(f"odds of {name}", found, NO_ODDS)
            return
        self.played.ends["odds"] += 1
        chances = (*found.outcomes.values(), found.cut_off, found.never_ends, *found.refused.values())
        total = sum(chances)
        if self.system.actions[name].outcomes and not 1 <= total <= 1 + found.cut_off:
            self.fault(f"odds of {name}: they add up to {total}")

    def simulation(self, name: str, state: State) -> None:
        request = self.request(name, state)
        if request is None:
            return
        found = simulate(self.system, state, request, runs=4, workers=1, limits=SMALL, answers=MOST_NEEDS)
        if isinstance(found, NoOdds):
            self.ended(f"simulation of {name}", found, NO_ODDS)
        else:
            self.played.ends["simulated"] += 1


def _must_be_said(info: FieldInfo) -> bool:
    """Whether a sheet has no value unless it says one."""
    spec = info.spec
    if not isinstance(spec, Field):
        return False
    if spec.default is not None:
        return False
    return spec.key is not None or (spec.set_of is not None and count_range(spec.count, (0, None))[0] > 0)


def _of_kinds(sheets: Mapping[str, Mapping[str, Any]], kinds: Sequence[str]) -> list[str]:
    return [name for name, data in sheets.items() if data.get("sheet") in kinds]


def faults_of(system: System, seed: str, times: int = 2) -> Played:
    """Plays a system at random; the same seed plays the same."""
    return Player(system, random.Random(seed)).play(times)


__all__ = ["Played", "Player", "faults_of"]
