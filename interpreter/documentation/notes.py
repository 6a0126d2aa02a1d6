"""What the rules assume where the book is silent, told beside the part that each assumption concerns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.documentation.blocks import Block, Inline, Link, Mark, Paragraph, Strong
from interpreter.documentation.senses import Lexicon
from interpreter.model import Assumption, Node, Path

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

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
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


def part_of(dotted: str) -> Path:
    """The part of the page that a dotted path lies in."""
    parts = tuple(dotted.split("."))
    depths = [depth for depth in DEPTHS.get(parts[0], (2,)) if depth <= len(parts) and _is_told(parts, depth)]
    return parts[: max(depths, default=len(parts))]


def _is_told(parts: tuple[str, ...], depth: int) -> bool:
    """Whether the part so deep in a path has a place of its own."""
    return depth < 4 or parts[depth - 2] in TOLD


def marks(lexicon: Lexicon, path: Path) -> Iterator[Mark]:
    """Signs for the assumptions about a part."""
    for name, assumption in lexicon.system.assumptions.items():
        if assumption.at and part_of(assumption.at) == path:
            reason = lexicon.names.label(assumption.reason, "") if assumption.reason else ""
            yield Mark(lexicon.anchor("assumption", name), reason)
