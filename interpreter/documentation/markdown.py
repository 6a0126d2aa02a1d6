"""A page as Markdown, for a repository or a wiki."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interpreter.documentation.blocks import (
    Bars,
    Block,
    Facts,
    Grid,
    Inline,
    Items,
    Link,
    Mark,
    Page,
    Paragraph,
    Part,
    Section,
    Snippet,
    Span,
    Strong,
    Term,
)
from interpreter.documentation.numbers import percent

# What Markdown would take for marks of its own.
MARKS = re.compile(r"([\\`*_\[\]<>|])")
BAR_WIDTH = 20
STYLES: Mapping[str, str] = {"lead": "*{}*", "source": "*{}*", "note": "> {}", "quote": "> {}"}


def to_markdown(page: Page) -> str:
    return _Writer(page).text()


class _Writer:
    def __init__(self, page: Page) -> None:
        self.page = page

    def text(self) -> str:
        parts = [f"# {escaped(self.page.title)}", *self._blocks(self.page.lead)]
        parts += ["\n".join(self._contents())]
        for section in self.page.sections:
            parts += self._section(section, 2)
        return "\n\n".join(part for part in parts if part) + "\n"

    def _contents(self) -> Iterator[str]:
        for section in self.page.sections:
            yield f"- [{escaped(section.title)}](#{section.anchor})"
            for inner in section.sections:
                yield f"  - [{escaped(inner.title)}](#{inner.anchor})"

    def _section(self, section: Section, level: int) -> Iterator[str]:
        yield f'<a id="{section.anchor}"></a>\n\n{"#" * level} {escaped(section.title)}'
        yield from self._blocks(section.blocks)
        for inner in section.sections:
            yield from self._section(inner, level + 1)

    # ------------------------------------------------------------------ blocks

    def _blocks(self, blocks: tuple[Block, ...]) -> Iterator[str]:
        for block in blocks:
            yield from _BLOCKS[type(block)](self, block)

    def _paragraph(self, block: Paragraph) -> Iterator[str]:
        yield STYLES.get(block.style, "{}").format(self.inline(block.spans))

    def _items(self, block: Items) -> Iterator[str]:
        yield "\n".join(self._lines(block))

    def _lines(self, block: Items) -> Iterator[str]:
        for number, item in enumerate(block.items, 1):
            sign = f"{number}." if block.style == "steps" else "-"
            yield f"{sign} {self.inline(item.spans)}"
            for inner in self._blocks(item.blocks):
                yield from (f"{' ' * (len(sign) + 1)}{line}".rstrip() for line in inner.split("\n"))

    def _facts(self, block: Facts) -> Iterator[str]:
        lines = []
        for name, blocks in block.rows:
            told = [*self._blocks(blocks)]
            simple = len(blocks) == 1 and isinstance(blocks[0], Paragraph) and not blocks[0].style
            if simple:
                lines.append(f"- **{self.inline(name)}**: {told[0]}")
                continue
            lines.append(f"- **{self.inline(name)}**")
            lines += ["", *(f"  {line}".rstrip() for part in told for line in (*part.split("\n"), ""))]
        yield "\n".join(lines).rstrip()

    def _grid(self, block: Grid) -> Iterator[str]:
        yield "\n".join(self._rows(block))

    def _rows(self, block: Grid) -> Iterator[str]:
        yield self._row(block.head)
        yield "|" + "|".join("---:" if i in block.numbers else "---" for i in range(len(block.head))) + "|"
        for number, row in enumerate(block.rows):
            anchor = f'<a id="{block.anchors[number]}"></a>' if block.anchors else ""
            yield self._row(row, anchor)

    def _row(self, cells: tuple[Inline, ...], anchor: str = "") -> str:
        told = [self.inline(cell).replace("\n", " ") for cell in cells]
        return f"| {anchor}{' | '.join(told)} |"

    def _bars(self, block: Bars) -> Iterator[str]:
        rows = [f"**{escaped(block.title)}**\n"] if block.title else []
        rows += ["| | | |", "|---|---:|---|"]
        for bar in block.bars:
            drawn = "█" * round(bar.chance * BAR_WIDTH)
            told = percent(bar.chance, self.page.language) + (f" ({bar.exact})" if "/" in bar.exact else "")
            rows.append(f"| {escaped(bar.label)} | {told} | {drawn} |")
        yield "\n".join(rows)

    def _part(self, block: Part) -> Iterator[str]:
        yield f"**{self.inline(block.title)}**"
        yield from self._blocks(block.blocks)

    # ------------------------------------------------------------------ text

    def inline(self, spans: Inline) -> str:
        return "".join(map(self._span, spans)).strip()

    def _span(self, span: Span) -> str:
        match span:
            case str():
                return escaped(span)
            case Term(text=text):
                return escaped(text)
            case Snippet(text=text):
                return f"`{text}`"
            case Strong(spans=inner):
                return f"**{self.inline(inner)}**"
            case Link(spans=inner, target=target):
                return f"[{self.inline(inner)}](#{target})"
            case Mark(target=target, sign=sign):
                return f"[{sign}](#{target})"


def escaped(text: str) -> str:
    return MARKS.sub(r"\\\1", text)


_BLOCKS: Mapping[type[Any], Callable[[_Writer, Any], Iterator[str]]] = {
    Paragraph: _Writer._paragraph,
    Items: _Writer._items,
    Facts: _Writer._facts,
    Grid: _Writer._grid,
    Bars: _Writer._bars,
    Part: _Writer._part,
}
