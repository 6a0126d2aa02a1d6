"""Drawings: one geometry as SVG and as PNG, readable without colours, telling what they show in words."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from interpreter.render.charts import (
    STROKES,
    Bar,
    Group,
    Series,
    bar_chart,
    heat_map,
    line_chart,
    nice_ticks,
    shade,
)
from interpreter.render.plots import (
    Drawing,
    Line,
    Rectangle,
    Words,
    dashed,
    shortened,
    stacked,
    text_width,
    to_png,
    to_svg,
)

SVG = "{http://www.w3.org/2000/svg}"
BARS = bar_chart("Épreuve", [Group("", (Bar("Réussite", 0.75, "75 %"), Bar("Échec & <rien>", 0.25, "25 %")), 1)])
LINES = line_chart(
    "Combat", "Vie", [1, 2, 4], [Series("Victoire", (0.1, None, 0.9)), Series("Mort", (0.9, 0.5, 0.1))], True
)
MAP = heat_map("Combat", ("Vie", "Chance"), ([1, 2], ["a", "b"]), {(1, "a"): 0.0, (1, "b"): 0.4, (2, "a"): 1.0}, True)
ALL = {"bars": BARS, "lines": LINES, "map": MAP, "both": stacked("Les deux", [BARS, MAP])}


def tags(drawing: Drawing, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(to_svg(drawing)).iter(f"{SVG}{tag}"))


def picture(drawing: Drawing) -> Image.Image:
    image = Image.open(io.BytesIO(to_png(drawing)))
    image.load()
    return image


@pytest.mark.parametrize("drawing", ALL.values(), ids=ALL)
def test_svg_tells_what_it_shows(drawing: Drawing) -> None:
    root = ElementTree.fromstring(to_svg(drawing))
    assert root.get("role") == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert (title.text, bool(description.text)) == (drawing.title, True)


@pytest.mark.parametrize("drawing", ALL.values(), ids=ALL)
def test_shapes_lie_on_the_paper(drawing: Drawing) -> None:
    for shape in drawing.shapes:
        if isinstance(shape, Rectangle):
            assert -0.5 <= shape.x <= shape.x + shape.width <= drawing.width + 0.5
            assert -0.5 <= shape.y <= shape.y + shape.height <= drawing.height + 0.5
        elif isinstance(shape, Line):
            assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in shape.places)
        elif not shape.turned:
            width = text_width(shape.text, shape.size)
            left = shape.x - {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
            assert left >= -2
            assert left + width <= drawing.width + 2
            assert 0 <= shape.y <= drawing.height


@pytest.mark.parametrize("drawing", ALL.values(), ids=ALL)
def test_png_has_the_same_geometry(drawing: Drawing) -> None:
    image = picture(drawing)
    assert image.size == (round(drawing.width * 2), round(drawing.height * 2))
    for shape in drawing.shapes:
        if isinstance(shape, Rectangle) and shape.width >= 12 and shape.height >= 12:
            seen = image.getpixel((round((shape.x + 2) * 2), round((shape.y + 2) * 2)))
            assert f"#{bytes(seen).hex()}" == shape.fill  # type: ignore[arg-type]


def test_png_carries_title_and_description() -> None:
    image = Image.open(io.BytesIO(to_png(BARS)))
    assert image.text["Title"] == "Épreuve"  # type: ignore[attr-defined]
    assert "Réussite: 75 %" in image.text["Description"]  # type: ignore[attr-defined]


def test_text_that_means_something_to_xml() -> None:
    shown = [element.text for element in tags(BARS, "text")]
    assert "Échec & <rien>" in shown


def test_two_drawings_in_one_page_have_their_own_ids() -> None:
    ids = {element.get("id") for drawing in ALL.values() for tag in ("title", "desc") for element in tags(drawing, tag)}
    assert len(ids - {None}) == 2 * len(ALL)


def test_bars_are_as_long_as_their_chances() -> None:
    lengths = [shape.width for shape in BARS.shapes if isinstance(shape, Rectangle)]
    assert lengths[0] == 3 * lengths[1]


def test_lines_are_told_apart_without_colour() -> None:
    dashes = [dash for _, dash in STROKES]
    assert len(set(dashes)) == len(dashes)
    drawn = [shape for shape in LINES.shapes if isinstance(shape, Line) and shape.width == 2]
    assert len(drawn) == 1  # the other is broken where nothing is known, so that nothing is left to join
    assert {shape.text for shape in LINES.shapes if isinstance(shape, Words)} >= {"Victoire", "Mort", "Vie", "100%"}


def test_names_of_lines_that_meet_do_not_cover_each_other() -> None:
    chart = line_chart("x", "y", [1, 2], [Series(name, (0.5, 0.5)) for name in "abcdef"], True)
    heights = sorted(s.y for s in chart.shapes if isinstance(s, Words) and s.text in set("abcdef"))
    assert all(below - above >= 13.9 for above, below in pairwise(heights))


def test_shades_go_from_light_to_dark() -> None:
    assert shade(-1) == shade(0)
    sums = [sum(bytes.fromhex(shade(part / 10)[1:])) for part in range(11)]
    assert sums == sorted(sums, reverse=True)
    assert len(set(sums)) == 11


@pytest.mark.parametrize(("plain", "marked"), [("e", "é"), ("i", "î"), ("c", "ç"), ("E", "È"), ("o", "ö")])
def test_marks_over_letters_are_drawn(plain: str, marked: str) -> None:
    def pixels(text: str) -> bytes:
        return picture(Drawing(40, 40, "", "", (Words(8, 30, text, 20),))).tobytes()

    assert pixels(plain) != pixels(marked)
    assert pixels(marked) == pixels(marked)


def test_what_cannot_be_drawn_does_no_harm() -> None:
    assert picture(Drawing(60, 20, "", "", (Words(2, 15, "a\u0007\U0001f600漢é"),))).size == (120, 40)
    ElementTree.fromstring(to_svg(Drawing(60, 20, "\x00", "\ud800", (Words(2, 15, "\x07"),))))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_reach_from_end_to_end(low: float, size: float) -> None:
    ticks = nice_ticks(low, low + size)
    assert ticks[0] <= low + 1e-6 * size
    assert ticks[-1] >= (low + size) - 1e-6 * size
    assert 3 <= len(ticks) <= 9


@given(st.text(max_size=40), st.floats(20, 200))
def test_shortened_text_fits(text: str, room: float) -> None:
    assert text_width(shortened(text, 12, room), 12) <= max(room, text_width("…", 12))


@given(
    st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=2, max_size=5),
    st.lists(st.floats(0.5, 9), min_size=1, max_size=3),
)
def test_dashes_cover_about_their_part(places: list[tuple[float, float]], dash: list[float]) -> None:
    def length(line: tuple[tuple[float, float], ...]) -> float:
        return float(sum(((a - c) ** 2 + (b - d) ** 2) ** 0.5 for (a, b), (c, d) in pairwise(line)))

    pattern = dash * (2 if len(dash) % 2 else 1)
    drawn, whole = sum(map(length, dashed(places, tuple(dash)))), length(tuple(places))
    turns = whole / sum(pattern)
    assert int(turns) * sum(pattern[::2]) - 1e-6 <= drawn <= (int(turns) + 1) * sum(pattern[::2]) + 1e-6
