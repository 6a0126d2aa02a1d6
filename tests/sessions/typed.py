"""An app that is typed strictly and calls what `interpreter` exports, for the type checker; tests run it too."""

from __future__ import annotations

from fractions import Fraction

import interpreter as osselet


def asked(who: str) -> osselet.Request:
    return osselet.Request("test", {"self": who}, {"competence": "instinct", "difficulte": "facile"})


def chance(system: osselet.System, table: osselet.State, who: str) -> float:
    """Exactly, and as a check from many samples."""
    exact = osselet.exact_odds(system, table, asked(who))
    sampled = osselet.sampled_odds(system, table, asked(who), runs=200, seed="x")
    assert isinstance(exact, osselet.Odds)
    assert isinstance(sampled, osselet.Sampled)
    return float(Fraction(exact.outcomes["reussite"]))


def play(system: osselet.System, table: osselet.State, who: str) -> tuple[str | None, osselet.State]:
    """An action to its end."""
    run, need = osselet.begin(system, table, asked(who))
    while run is not None:
        if isinstance(need, osselet.NeedRoll):
            run, need = osselet.throw(run, osselet.random_dice())
        elif isinstance(need, osselet.NeedChoice):
            run, need = osselet.answer(run, next(option.id for option in need.options if option.open))
        elif isinstance(need, osselet.Done):
            return need.outcome, osselet.after(run)
        else:
            raise ValueError(need.message)
    raise ValueError(f"{who} cannot begin")


def main() -> None:
    system = osselet.load("mir").system
    assert system is not None
    table = osselet.new_table(system, "alexis")
    outcome, table = play(system, table, "alexis")
    store: osselet.Store = osselet.open_store(":memory:")
    held = store.new("t", osselet.Session(system, table))
    seat: osselet.Seat = store.seat("t", system)
    need = seat.begin(asked("alexis"))
    assert isinstance(need, osselet.NeedRoll), held.table
    print(outcome in ("reussite", "echec"), 0 < chance(system, table, "alexis") < 1, seat.abandon())


if __name__ == "__main__":
    main()
