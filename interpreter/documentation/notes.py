"""What the rules assume where the book is silent, told beside the part that each assumption concerns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.documentation.blocks import Block, Inline, Link, Paragraph, Strong
from interpreter.documentation.senses import Lexicon
from interpreter.model import Assumption, Label, Node, Path
from interpreter.render.names import readable

# Parts of these sections have a place of their own on the page, so deep within their path.
DEPTHS: Mapping[str, tuple[int, ...]] = {
    "tables": (2,),
    "dice": (2,),
    "records": (2, 4),
    "sheets": (2, 4),
    "periods": (2,),
    "effects": (2,),
    "procedures": (2, 4),
    "blocks": (2, 4),
    "actions": (2, 4, 6),
    "outcome_sets": (3,),
    "triggers": (2,),
}
TOLD = ("inputs", "values", "outcomes", "stats", "gauges", "fields", "derived")


class Notes:
    """The assumptions by the part beside which they are told."""

    def __init__(self, lexicon: Lexicon, data: Mapping[str, Any]) -> None:
        self.lexicon = lexicon
        self.data = data
        self._told: dict[Path, list[str]] = {}
        for name, assumption in lexicon.system.assumptions.items():
            if assumption.at:
                self._told.setdefault(part_of(assumption.at), []).append(name)

    def of(self, path: Path) -> tuple[Block, ...]:
        """The notes to a part, told once."""
        return tuple(self._note(name) for name in self._told.pop(path, ()))

    def of_node(self, node: Node) -> tuple[Block, ...]:
        return self.of(node.path)

    def _note(self, name: str) -> Paragraph:
        assumption = self.lexicon.system.assumptions[name]
        head = Link((Strong(self.lexicon.say("assumed")),), self.lexicon.anchor("assumption", name))
        return Paragraph((head, ". ", *self.reason(assumption)), "note")

    def reason(self, assumption: Assumption) -> Inline:
        return (self.lexicon.names.label(assumption.reason, "") if assumption.reason else "",)

    # ------------------------------------------------------------------ where it lies

    def place(self, name: str, assumption: Assumption) -> Inline:
        """The part that an assumption is about, by its name; a value by its own."""
        if not assumption.at:
            return (readable(name),)
        path = part_of(assumption.at)
        labels = [label for end in range(2, len(path) + 1, 2) if (label := self._label(path[:end]))]
        if path[0] == "outcome_sets":
            labels = [self._label(path)]
        return self._linked(", ".join(labels) or readable(name), path)

    def _linked(self, text: str, path: Path) -> Inline:
        anchors = {"tables": "table", "sheets": "sheet", "records": "record", "procedures": "procedure"}
        anchors |= {"blocks": "block", "actions": "action", "triggers": "trigger"}
        head = anchors.get(str(path[0]))
        return (Link((text,), self.lexicon.anchor(head, path[1])),) if head else (text,)

    def _label(self, path: Path) -> str:
        """The name of a part of the rules as they are written."""
        part: Any = self.data
        for step in path:
            part = part.get(step) if isinstance(part, Mapping) else None
        label = part.get("label") if isinstance(part, Mapping) else None
        texts = label if isinstance(label, Mapping) else {self.lexicon.system.languages[0]: label} if label else {}
        return self.lexicon.names.label(Label(texts) if texts else None, str(path[-1]))


def part_of(dotted: str) -> Path:
    """The part of the page that a dotted path lies in."""
    parts = tuple(dotted.split("."))
    depths = [depth for depth in DEPTHS.get(parts[0], (2,)) if depth <= len(parts) and _is_told(parts, depth)]
    return parts[: max(depths, default=len(parts))]


def _is_told(parts: tuple[str, ...], depth: int) -> bool:
    """Whether the part so deep in a path has a place of its own."""
    return depth < 4 or parts[depth - 2] in TOLD
