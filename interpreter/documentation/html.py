"""A page as one HTML file that needs nothing else: styles and drawings are in it, and it asks no server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from interpreter.documentation.blocks import (
    Bar,
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

STYLE = Path(__file__).with_name("page.css")
COLUMN_HEIGHT = 64
ORDERED = ("steps", "outcomes")
FRAME = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="osselet doc">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<input type="checkbox" id="menu" aria-label="{contents}">
<nav aria-label="{contents}">
<label for="menu">{contents}</label>
<a class="home" href="#top">{title}</a>
{toc}
</nav>
<main id="top">
<header>
<h1>{title}</h1>
{lead}
</header>
{body}
</main>
</body>
</html>
"""


def to_html(page: Page) -> str:
    writer = _Writer(page)
    return FRAME.format(
        language=escape(page.language),
        title=escape(page.title),
        contents=escape(page.contents),
        style=STYLE.read_text(encoding="utf-8"),
        toc=writer.contents(),
        lead=writer.blocks(page.lead),
        body="\n".join(writer.section(section, 2) for section in page.sections),
    )


class _Writer:
    def __init__(self, page: Page) -> None:
        self.page = page

    def contents(self) -> str:
        return f"<ol>{''.join(self._entry(section) for section in self.page.sections)}</ol>"

    def _entry(self, section: Section) -> str:
        inner = "".join(self._entry(one) for one in section.sections)
        below = f"<ol>{inner}</ol>" if inner else ""
        return f'<li><a href="#{escape(section.anchor)}">{escape(section.title)}</a>{below}</li>'

    def section(self, section: Section, level: int) -> str:
        head = f'<h{level}><a href="#{escape(section.anchor)}">{escape(section.title)}</a></h{level}>'
        inner = "\n".join(self.section(one, level + 1) for one in section.sections)
        kind = f' class="{section.note}"' if section.note else ""
        told = self.blocks(section.blocks)
        return f'<section id="{escape(section.anchor)}"{kind}>\n{head}\n{told}\n{inner}</section>'

    # ------------------------------------------------------------------ blocks

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "\n".join(_BLOCKS[type(block)](self, block) for block in blocks)

    def paragraph(self, block: Paragraph) -> str:
        kind = f' class="{block.style}"' if block.style else ""
        return f"<p{kind}>{self.inline(block.spans)}</p>"

    def items(self, block: Items) -> str:
        tag = "ol" if block.style in ORDERED else "ul"
        kind = f' class="{block.style}"' if block.style else ""
        told = "".join(f"<li>{self.inline(one.spans)}{self.blocks(one.blocks)}</li>" for one in block.items)
        return f"<{tag}{kind}>{told}</{tag}>"

    def facts(self, block: Facts) -> str:
        rows = (f"<dt>{self.inline(name)}</dt><dd>{self.blocks(inner)}</dd>" for name, inner in block.rows)
        told = "".join(f"<div>{row}</div>" for row in rows)
        return f"<dl>{told}</dl>"

    def grid(self, block: Grid) -> str:
        head = "".join(self._cell("th", cell, i in block.numbers) for i, cell in enumerate(block.head))
        rows = []
        for number, row in enumerate(block.rows):
            anchor = f' id="{escape(block.anchors[number])}"' if block.anchors else ""
            cells = "".join(self._cell("td", cell, i in block.numbers) for i, cell in enumerate(row))
            rows.append(f"<tr{anchor}>{cells}</tr>")
        body = "\n".join(rows)
        return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'

    def _cell(self, tag: str, spans: Inline, number: bool) -> str:
        kind = ' class="number"' if number else ""
        return f"<{tag}{kind}>{self.inline(spans)}</{tag}>"

    def part(self, block: Part) -> str:
        return f'<div class="part"><h5>{self.inline(block.title)}</h5>\n{self.blocks(block.blocks)}</div>'

    # ------------------------------------------------------------------ bars

    def bars(self, block: Bars) -> str:
        title = f"<figcaption>{escape(block.title)}</figcaption>" if block.title else ""
        drawn = self._columns(block) if block.style == "numbers" else self._rows(block)
        return f'<figure class="{block.style}">{title}{drawn}</figure>'

    def _rows(self, block: Bars) -> str:
        return "".join(self._row(bar) for bar in block.bars)

    def _row(self, bar: Bar) -> str:
        exact = f" <small>{escape(bar.exact)}</small>" if "/" in bar.exact else ""
        svg = (
            '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="ground" width="100" height="10"/><rect width="{bar.chance * 100:.3f}" height="10"/></svg>'
        )
        told = f'<span class="chance">{escape(self._percent(bar))}{exact}</span>'
        return f'<div class="bar"><span class="name">{escape(bar.label)}</span>{told}{svg}</div>'

    def _columns(self, block: Bars) -> str:
        """One column a number, as high as the likeliest is the whole height."""
        most = max(bar.chance for bar in block.bars)
        return f'<div class="columns">{"".join(self._column(bar, most) for bar in block.bars)}</div>'

    def _column(self, bar: Bar, most: float) -> str:
        height = COLUMN_HEIGHT * bar.chance / most
        label = f"{bar.label}: {self._percent(bar)}"
        svg = (
            f'<svg viewBox="0 0 10 {COLUMN_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
            f"<title>{escape(label)}</title>"
            f'<rect class="ground" width="10" height="{COLUMN_HEIGHT}"/>'
            f'<rect y="{COLUMN_HEIGHT - height:.2f}" width="10" height="{height:.2f}"/></svg>'
        )
        return f'<span class="column">{svg}<span>{escape(bar.label)}</span></span>'

    def _percent(self, bar: Bar) -> str:
        return percent(bar.chance, self.page.language)

    # ------------------------------------------------------------------ text

    def inline(self, spans: Inline) -> str:
        return "".join(self._span(span) for span in spans)

    def _span(self, span: Span) -> str:
        match span:
            case str():
                return escape(span, quote=False)
            case Term(text=text):
                return f"<i>{escape(text, quote=False)}</i>"
            case Snippet(text=text):
                return f"<code>{escape(text, quote=False)}</code>"
            case Strong(spans=inner):
                return f"<b>{self.inline(inner)}</b>"
            case Link(spans=inner, target=target):
                return f'<a href="#{escape(target)}">{self.inline(inner)}</a>'
            case Mark(target=target, title=title, sign=sign):
                return f'<sup><a href="#{escape(target)}" title="{escape(title)}">{escape(sign)}</a></sup>'


_BLOCKS: Mapping[type[Any], Callable[[_Writer, Any], str]] = {
    Paragraph: _Writer.paragraph,
    Items: _Writer.items,
    Facts: _Writer.facts,
    Grid: _Writer.grid,
    Bars: _Writer.bars,
    Part: _Writer.part,
}
