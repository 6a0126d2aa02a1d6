"""A game at hand: who is asked, what is played, how it stands and where it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from interpreter import dice
from interpreter.cli.console import Console
from interpreter.cli.saves import Keeper
from interpreter.layout import sheet_faults
from interpreter.machine import Refused
from interpreter.model import System
from interpreter.render.names import Names
from interpreter.render.sheets import Shown, shown_table
from interpreter.render.trace import refusal_text
from interpreter.session import Session


@dataclass(slots=True)
class Desk:
    """`shown` counts the lines of the action under way that were told already."""

    system: System
    names: Names
    console: Console
    keeper: Keeper
    source: dice.Source
    session: Session = field(init=False)
    shown: int = 0

    def keep(self, session: Session) -> None:
        """The game as it stands from now on, saved before anything else happens."""
        self.session = session
        self.keeper.save(session)

    @property
    def sheets(self) -> Mapping[str, Mapping[str, Any]]:
        return self.session.state.sheets

    def sheet_name(self, sheet_id: str) -> str:
        return self.names.sheet(sheet_id, self.sheets.get(sheet_id))

    def own_sheets(self) -> list[str]:
        """The sheets at the table that are not shared by all."""
        kinds = self.system.sheets
        shared = {kind for kind, spec in kinds.items() if spec.only_one}
        return [i for i, data in self.sheets.items() if data.get("sheet") not in shared]

    def tell(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.console.write(line)

    def refuse(self, refused: Refused) -> None:
        self.console.write(f"{self.console.paint('✗', 'bad')} {refusal_text(self.names, refused)}")

    def look(self, *sheet_ids: str) -> Shown | None:
        """Sheets as they lie on the table."""
        return shown_table(self.names, self.session.state, sheet_ids, self.console.paint)

    def show_sheet(self, sheet_id: str) -> None:
        shown = self.look(sheet_id)
        if shown is not None:
            self.tell(shown.sheet(sheet_id))
        else:
            self.tell(self.names.colon(f"! {self.sheet_name(sheet_id)}", fault) for fault in self.faults(sheet_id))

    def faults(self, sheet_id: str) -> list[str]:
        """What the rules do not allow in a sheet, as it can be after they have changed."""
        return [message for _, message in sheet_faults(self.system, self.sheets[sheet_id])]
