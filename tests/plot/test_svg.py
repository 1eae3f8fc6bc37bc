"""Small charts: what they count, what they link to, and that names are text."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from vaglio.plot import svg
from vaglio.plot.tree_drawing import Box, draw_tree_svg

NASTY = '<b onclick="x">&'


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


@pytest.mark.parametrize("linked", [False, True])
def test_bars_are_as_tall_as_their_counts(linked: bool):
    addresses = [f"/x?bin={i}&y={NASTY}" for i in range(2)] if linked else None
    root = parsed(svg.class_bars([[3, 1], [0, 2]], [NASTY, "b"], NASTY, addresses))
    assert root.get("role") == ("group" if linked else "img")
    heights = [float(bar.get("height")) for bar in root.iter("rect") if bar.get("class") in ("c0", "c1")]
    assert heights[0] == pytest.approx(3 * heights[1], abs=0.3)
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.3)
    assert len(list(root.iter("a"))) == (2 if linked else 0)


def test_points_boxes_counts_and_curves_are_sound():
    assert len(list(parsed(svg.scatter([(0, 0, 0), (1, 1, -1)], (NASTY, "y"), NASTY)).iter("circle"))) == 2
    assert parsed(svg.scatter([], ("x", "y"), "none")) is not None
    boxes = parsed(svg.class_boxes([(NASTY, (0, 1, 2, 3, 4)), ("b", (2, 2, 2, 2, 2))], NASTY, NASTY))
    assert len(list(boxes.iter("rect"))) == 2
    assert len(list(parsed(svg.count_grid([[1, 0]], [NASTY, "b"], ["c"], NASTY)).iter("rect"))) == 2
    curves = [("a", [(0.0, 0.0), (1.0, 1.0)]), ("b", [])]
    drawn = parsed(svg.model_curves(curves, NASTY, NASTY, ("x", "y"), chance=[(0, 0), (1, 1)]))
    assert len(list(drawn.iter("circle"))) == 2


@pytest.mark.parametrize("leaves", [2, 14])
def test_nodes_of_a_tree_are_links_where_they_have_an_address(leaves: int):
    children = [Box(NASTY, edge="=", leaf=True, address=f"/n?x={i}&y=1") for i in range(leaves)]
    text = draw_tree_svg(Box("root", children=children, address="/n"))
    assert text.count("<a ") == leaves + 1
    assert 'role="group"' in text
    assert parsed(text) is not None
    assert "<a " not in draw_tree_svg(Box("root", children=[Box("x", leaf=True)]))
