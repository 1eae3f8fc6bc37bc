"""The plane as SVG: regions cover the frame, lines are cut at it, names are never markup."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaglio.plot.plane import Marks, Plane, draw_plane

LINE = np.linspace(0.0, 1.0, 11)


def plane(classes=("a", "b"), row=None):
    points = np.array([[0.2, 0.3], [0.8, 0.7]])
    return Plane(("x", "y"), points, np.array([0, 1]), list(classes), LINE, LINE, row)


def paths(svg, css):
    return re.findall(rf'<path class="{css}" d="([^"]*)"', svg)


def area(path):
    found = re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)", path)
    return sum((float(right) - float(left)) * (float(bottom) - float(top)) for left, top, right, bottom in found)


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(0, 1), min_size=11, max_size=11), min_size=11, max_size=11))
def test_the_regions_of_all_classes_fill_the_frame(codes):
    svg = draw_plane(plane(), Marks(np.array(codes)), "title")
    total = sum(area(path) for k in (0, 1) for path in paths(svg, f"c{k} region"))
    assert total == pytest.approx((620 - 64 - 18) * (480 - 10 - 40), rel=0.01)


def test_a_line_is_cut_at_the_frame():
    svg = draw_plane(plane(), Marks(lines=(("boundary", np.array([[-9.0, -9.0], [9.0, 9.0]])),)), "title")
    numbers = [float(n) for n in re.findall(r"[\d.]+", paths(svg, "boundary")[0])]
    assert numbers == [64, 440, 602, 10]


def test_a_line_outside_the_frame_is_not_drawn():
    svg = draw_plane(plane(), Marks(lines=(("boundary", np.array([[2.0, -9.0], [2.0, 9.0]])),)), "title")
    assert paths(svg, "boundary") == [""]


def test_heavy_rows_are_larger_and_marked_rows_have_a_ring():
    svg = draw_plane(plane(), Marks(weights=np.array([0.9, 0.1]), rings=(1,)), "title")
    sizes = [float(re.search(r"[ah](-?[\d.]+)", path)[1]) for path in paths(svg, "c0 mark") + paths(svg, "c1 mark")]
    assert sizes[0] > sizes[1] / 2
    assert svg.count('class="ring"') == 1


def test_a_row_to_classify_is_shown():
    assert 'class="asked"' in draw_plane(plane(row=(0.5, 0.5)), Marks(), "title")


def test_names_are_text():
    hostile = "<script>alert(1)</script>"
    svg = draw_plane(plane(classes=(hostile, "b")), Marks(), hostile)
    assert "<script>" not in svg
    ElementTree.fromstring(svg)
