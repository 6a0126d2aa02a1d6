"""Text for people: names in their language, runs, sheets, problems."""

from interpreter.render.names import Names
from interpreter.render.problems import FORMATS, render_problems
from interpreter.render.runs import render_entry, render_refusal, render_sheet, render_trace

__all__ = ["FORMATS", "Names", "render_entry", "render_problems", "render_refusal", "render_sheet", "render_trace"]
