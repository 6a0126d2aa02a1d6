"""Readable rules made from a system: Markdown, or one HTML page.

page(rules, language)   the rules of a system in one language, as a tree of sections
to_markdown(page)       as Markdown
to_html(page)           as one self-contained HTML file
"""

from __future__ import annotations

from interpreter.documentation.book import page
from interpreter.documentation.html import to_html
from interpreter.documentation.markdown import to_markdown

__all__ = ["page", "to_html", "to_markdown"]
