"""What a rule set offers, as text: from the plain data of `offers`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from interpreter.render.changes import Change, short
from interpreter.render.names import Names
from interpreter.render.style import Paint, in_rows, pad, plain, width

Offer = Mapping[str, Any]

WIDEST = 28
# More ids than this are only counted.
MOST_IDS = 12
OPERATIONS = {"add": "+", "multiply": "×", "set": "=", "divide": "÷", "round": ""}


class OfferText:
    """Writes what is offered, in the language of the names; `called` is what a command line calls the rules."""

    def __init__(self, names: Names, called: str, paint: Paint = plain) -> None:
        self.names = names
        self.called = called
        self.paint = paint

    # ------------------------------------------------------------------ a system

    def system(self, offer: Offer, changed: Sequence[Change]) -> Iterator[str]:
        yield self.paint(f"{offer['title']}", "title") + f"  ({offer['id']}; {', '.join(offer['languages'])})"
        yield from in_rows(str(offer["description"]).split(), " ", "  ")
        if offer["source"]:
            yield f"  {offer['source']}"
        yield from self._table("actions", [(one["id"], self._action(one)) for one in offer["actions"]])
        yield from self._table("sheets", [self._told(one, self._held(one)) for one in offer["sheets"]])
        kinds = {one["id"]: one["label"] for one in offer["sheets"]}
        ready = [(one["id"], f"{one['label']} ({kinds.get(one['sheet'], '')})") for one in offer["characters"]]
        yield from self._table("characters", ready)
        yield from self._table("periods", [(one["id"], one["label"]) for one in offer["periods"]])
        yield from self._assumptions(offer["assumptions"])
        yield from self._changes(changed)
        yield ""
        yield self.names.say("show_more", system=self.called, action=_first(offer["actions"]))

    def _action(self, one: Offer) -> str:
        """An action's name, who takes part, its place in the book."""
        kinds = [" / ".join(map(self.names.kind, role["kinds"])) for role in one["roles"]]
        marks = ["…" if role["several"] else "" for role in one["roles"]]
        who = ", ".join(kind + mark for kind, mark in zip(kinds, marks, strict=True))
        return str(one["label"]) + (f" ({who})" if who else "") + (f" — {one['source']}" if one["source"] else "")

    def _held(self, sheet: Offer) -> str:
        return ", ".join(one["label"] for section in ("stats", "gauges", "fields", "derived") for one in sheet[section])

    def _assumptions(self, found: Iterable[Offer]) -> Iterator[str]:
        rows = []
        for one in found:
            what = f" = {one['value']}" if one["value"] else f" ({one['at']})" if one["at"] else ""
            rows.append((one["id"] + what, one["reason"] + (f" [{one['source']}]" if one["source"] else "")))
        yield from self._entries("assumptions", rows)

    def _changes(self, changed: Sequence[Change]) -> Iterator[str]:
        rows = []
        for one in changed:
            told = {
                "changed": f"{short(one.old)} → {short(one.new)}",
                "order": " < ".join(map(str, one.new or ())),
                "added": short(one.new),
                "removed": "",
            }
            rows.append((f"{self.names.say(f'change_{one.kind}')}  {one.dotted}", told[one.kind]))
        yield from self._entries("changes", rows)

    # ------------------------------------------------------------------ tables

    def _title(self, title: str) -> Iterator[str]:
        yield ""
        yield self.paint(self.names.say(f"show_{title}"), "title")

    def _table(self, title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Ids, and beside each what is to say of it, on as many lines as it takes."""
        if not rows:
            return
        yield from self._title(title)
        size = min(WIDEST, max(width(head) for head, _ in rows))
        for head, text in rows:
            yield from self._hanging(f"  {pad(head, size)}  ", text)

    def _entries(self, title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Long names, each with what is to say of it on lines below."""
        if rows:
            yield from self._title(title)
        for head, text in rows:
            yield f"  {head}"
            yield from in_rows(text.split(), " ", "      ")

    def _hanging(self, head: str, text: str) -> Iterator[str]:
        """A text on rows under its own beginning."""
        indent = " " * width(head)
        lines = list(in_rows(text.split(), " ", indent))
        yield head.rstrip() if not lines else head + lines[0].removeprefix(indent)
        yield from lines[1:]

    # ------------------------------------------------------------------ an action

    def action(self, offer: Offer) -> Iterator[str]:
        yield self.paint(offer["label"], "title") + f"  ({offer['system']} {offer['id']})"
        yield from in_rows(offer["description"].split(), " ", "  ")
        if offer["source"]:
            yield f"  {offer['source']}"
        yield from self._roles(offer)
        yield from self._phases(offer)
        for side in offer["sides"]:
            yield ""
            yield self.paint(f"— {side['label']} ({side['id']})", "title")
            yield from self._phases(side)
        yield from self._table("choices", list(dict.fromkeys(map(self._choice, offer["choices"]))))
        yield from self._table("outcomes", list(self._outcomes(offer["outcomes"])))
        yield from self._table("report", [(one["id"], one["in_words"]) for one in (*offer["report"], *offer["flags"])])
        yield ""
        yield self.names.say("show_try", words=self._words(offer))

    def _roles(self, offer: Offer) -> Iterator[str]:
        rows = []
        for role in offer["roles"]:
            kinds = self.names.say("or").join(map(self.names.kind, role["kinds"]))
            rows.append((role["id"], kinds + (self.names.say("one_or_more") if role["several"] else "")))
        yield from self._table("roles", rows)

    def _phases(self, offer: Offer) -> Iterator[str]:
        asked = [self._told(one, self._domain(one)) for one in offer["inputs"]]
        yield from self._table("inputs", asked)
        if offer["require"]:
            yield from self._title("require")
        for one in offer["require"]:
            said = " — " + self.names.say("quote", text=one["say"]) if one["say"] else ""
            yield from self._hanging("  ", one["in_words"] + said)
        yield from self._values(offer["values"])
        yield from self._table("rolls", [(one["id"], self._dice(one)) for one in offer["rolls"]])

    def _domain(self, one: Offer) -> str:
        """What may be answered, what stands when nothing is, who answers and who must not see it."""
        say = self.names.say
        what = one["range"] or (say("yes_no") if one["kind"] == "flag" else one["from"]) or one["kind"]
        if one["ids"]:
            what = self._ids(one["ids"])
        notes = [
            say("only_where", test=one["where"]) if one["where"] else "",
            say("how_many", count=one["count"]) if one["count"] else "",
            say("for_each", role=one["for_each"]) if one["for_each"] else "",
            say("by_default", value=one["default"]) if one["default"] not in (None, "") else "",
            say("optional") if one["optional"] else "",
            say("only_when", test=one["when"]) if one["when"] else "",
            say("beyond") if one["beyond"] == "clamp" else "",
            say("asked_of", who=self.names.who(one["asked"])) if one["asked"] else "",
            say("hidden_from", who=self.names.who(one["hidden_from"])) if one["hidden_from"] else "",
        ]
        return "; ".join([what, *filter(None, notes)])

    def _ids(self, ids: Sequence[Offer]) -> str:
        shown = ", ".join(one["id"] for one in ids[:MOST_IDS])
        return shown if len(ids) <= MOST_IDS else f"{shown}, … ({len(ids)})"

    def _values(self, values: Sequence[Offer]) -> Iterator[str]:
        if not values:
            return
        yield from self._title("values")
        for one in values:
            whom = one["hidden_from"]
            hidden = f"  ({self.names.say('hidden_from', who=self.names.who(whom))})" if whom else ""
            yield from self._hanging(f"  {one['id']} ({one['label']}) = ", one["base"] + hidden)
            for modifier in one["modifiers"]:
                yield from self._hanging("      ", self._modifier(modifier))
            for bound, name in (("min", "at_least"), ("max", "at_most")):
                if one[bound]:
                    yield f"      {self.names.say(name, number=one[bound]).removeprefix(', ')}"

    def _modifier(self, one: Offer) -> str:
        amount = one["amount"].removeprefix("-")
        sign = "-" if one["amount"].startswith("-") and one["operation"] == "add" else OPERATIONS[one["operation"]]
        text = f"{sign} {amount if sign == '-' else one['amount']}"
        notes = [
            self.names.say("only_when", test=one["when"]) if one["when"] else "",
            self.names.say("best_of", group=one["best_of"]) if one["best_of"] else "",
            self.names.say("rounded_how", how=one["round"]) if one["round"] else "",
        ]
        return f"{'; '.join([text, *filter(None, notes)])}  ({one['label']})"

    def _dice(self, roll: Offer) -> str:
        shown = " + ".join(
            (self.names.colon(one["group"]) if one["group"] else "")
            + one["dice"]
            + (f" × {one['die']}" if one["die"] else "")
            for one in roll["dice"]
        )
        return shown + (f"  → {', '.join(roll['readings'])}" if roll["readings"] else "")

    def _choice(self, one: Offer) -> tuple[str, str]:
        options = ", ".join(f"{o['id']} ({o['label']})" for o in one["options"]) or one["number"] or one["from"]
        return self._told(one, options)

    def _told(self, one: Offer, what: str) -> tuple[str, str]:
        """A row of a table: the name of something and what it is."""
        return one["id"], self.names.colon(one["label"], what) if what else one["label"]

    def _outcomes(self, outcomes: Sequence[Offer]) -> Iterator[tuple[str, str]]:
        for one in outcomes:
            when = self.names.say("only_when", test=one["when"]) if one["when"] else self.names.say("otherwise")
            yield one["id"], f"{one['label']}, {when}" if len(outcomes) > 1 else one["label"]
            for grade in one["grades"]:
                yield f"  {grade['id']}", f"{grade['label']}, {self.names.say('only_when', test=grade['when'])}"

    def _words(self, offer: Offer) -> str:
        """A command that would do: every input that must be said, with its first id."""
        words = []
        for phases, prefix in ((offer, ""), *((side, f"{side['id']}.") for side in offer["sides"])):
            for one in filter(_must_be_said, phases["inputs"]):
                first = one["ids"][0]["id"] if one["ids"] else one["range"].partition("..")[0] or "…"
                words.append(f"{prefix}{one['id']}={first}")
        return " ".join([f"osselet roll {self.called} {offer['id']}", *words])


def _must_be_said(one: Offer) -> bool:
    known = one["default"] is not None or one["optional"] or one["kind"] in ("pick", "flag")
    return not known and not one["for_each"]


def _first(offers: Sequence[Offer]) -> str:
    return str(offers[0]["id"]) if offers else "ACTION"
