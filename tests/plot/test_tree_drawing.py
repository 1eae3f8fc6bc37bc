"""Drawings of decision trees."""

from __future__ import annotations

from vaglio.plot.style import PALETTE
from vaglio.plot.tree_drawing import Box, draw_tree_svg, draw_tree_text

TREE = Box(
    "x ≤ 1", children=[Box("a", edge="yes", leaf=True, shares=(1, 0)), Box("b", edge="no", leaf=True, shares=(0, 1))]
)


def test_text_has_one_line_per_node():
    assert draw_tree_text(TREE).splitlines() == ["x ≤ 1", "├─ yes: → a", "└─ no: → b"]


def test_classes_have_the_colours_of_the_other_figures():
    svg = draw_tree_svg(TREE, ["a", "b"])
    assert PALETTE[0] in svg
    assert PALETTE[1] in svg


def test_names_are_escaped():
    assert "<b>" not in draw_tree_svg(Box("<b>"), ["<b>"], title="<b>")


def test_a_chain_deeper_than_the_recursion_limit_is_drawn():
    root = box = Box("top")
    for _ in range(3000):
        box.children = [Box("next")]
        box = box.children[0]
    assert len(draw_tree_text(root).splitlines()) == 3001
    assert draw_tree_svg(root).count(">next</text>") == 3000
