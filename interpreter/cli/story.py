"""What has happened in a game: told again from its log, checked against what comes out now, written to a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from interpreter.cli.desk import Desk
from interpreter.cli.ending import reports
from interpreter.render.names import Names
from interpreter.render.sheets import shown_table
from interpreter.render.trace import Teller
from interpreter.replaying import replay, replayed
from interpreter.session import Record, Session, session_to_json
from interpreter.snapshot import json_text

MARKDOWN, DATA = (".md", ".markdown", ".txt"), (".json",)


def title_of(names: Names, record: Record) -> str:
    """An entry of the log in a few words."""
    request: Mapping[str, Any] = record.request
    if "action" in request:
        return names.action(str(request["action"]))
    sheet_id = str(next(iter(request.values())))
    return names.sheet(sheet_id, record.after.sheets.get(sheet_id) or record.before.sheets.get(sheet_id))


def heading_of(names: Names, record: Record) -> str:
    """The same with those who took part."""
    roles: Mapping[str, Any] = record.request.get("roles", {})
    ids = [str(i) for played in roles.values() for i in played]
    who = ", ".join(names.sheet(i, record.before.sheets.get(i)) for i in ids)
    return title_of(names, record) + (f" ({who})" if who else "")


def outcome_of(names: Names, record: Record) -> str:
    return names.outcome(str(record.request.get("action")), record.outcome, record.grade)


def story_lines(names: Names, session: Session, record: Record) -> Iterator[str]:
    """What happened in an entry of the log, done again with its answers; nothing for a change by hand."""
    run, _ = replayed(session.system, record.before, record)
    if run is not None:
        yield from Teller(names, run).lines(run.trace)
        action = run.program.action
        yield from (names.colon(names.reported(action, name), value) for name, value in reports(names, run))


# ---------------------------------------------------------------------- in the terminal


def show_log(desk: Desk) -> None:
    """Every entry on a line, with how it ended."""
    for number, record in enumerate(desk.session.log, 1):
        came = outcome_of(desk.names, record)
        desk.console.write(f"  {number:>3}  {heading_of(desk.names, record)}{f' → {came}' if came else ''}")


def tell_again(desk: Desk) -> None:
    """The whole story, and whether the log still comes out as it did."""
    for number, record in enumerate(desk.session.log, 1):
        desk.console.write(desk.console.paint(f"{number}. {heading_of(desk.names, record)}", "title"))
        desk.tell(f"  {line}" for line in story_lines(desk.names, desk.session, record))
        came = outcome_of(desk.names, record)
        if came:
            desk.console.write(f"→ {came}")
    found = replay(desk.session)
    if found is None:
        desk.console.say("comes_out_same")
    else:
        values = {"number": found.number, "where": found.where, "logged": found.logged, "replayed": found.replayed}
        desk.console.say("comes_out_otherwise", **values)


# ---------------------------------------------------------------------- in a file


def export(desk: Desk) -> None:
    """Writes the story to a new file: Markdown to read, or JSON with everything that is kept."""
    name = desk.console.text(desk.names.say("which_file"), f"{desk.system.id}.md")
    path = Path(name)
    if path.suffix not in (*MARKDOWN, *DATA):
        desk.console.say("no_such_form", path=path)
        return
    if path.suffix in DATA:
        text = json_text(session_to_json(desk.session), 2) + "\n"
    else:
        text = "\n".join(markdown(desk.names, desk.session)) + "\n"
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        desk.console.say("not_written", path=path, why=(error.strerror or str(error)).lower())
        return
    desk.console.say("written", path=path)


def markdown(names: Names, session: Session) -> Iterator[str]:
    """The story as Markdown: each entry of the log, then the sheets as they are."""
    yield f"# {names.title()}"
    for number, record in enumerate(session.log, 1):
        yield f"\n## {number}. {heading_of(names, record)}\n"
        yield from (f"- {line}" for line in story_lines(names, session, record))
        came = outcome_of(names, record)
        if came:
            yield f"\n**{came}**"
    for sheet_id in session.state.sheets:
        shown = shown_table(names, session.state, (sheet_id,))
        if shown is not None:
            title, *rows = shown.sheet(sheet_id)
            yield f"\n## {title}\n\n```text"
            yield from rows
            yield "```"
