"""The common style of figures."""

from __future__ import annotations

import matplotlib as mpl
import pytest

from vaglio.errors import InputError
from vaglio.plot.style import PALETTE, class_colours, class_legend, panel_grid

mpl.use("agg")


def test_unused_panels_of_a_grid_are_hidden():
    figure, panels = panel_grid(5)
    assert len(panels) == 5
    assert [ax.get_visible() for ax in figure.axes] == [True] * 5 + [False] * 3


def test_a_grid_without_panels_is_refused():
    with pytest.raises(InputError, match="no column to draw"):
        panel_grid(0)


def test_the_legend_has_the_colours_of_the_classes():
    figure, _ = panel_grid(1)
    class_legend(figure, ["a", "b"], "a note")
    shown = [mpl.colors.to_hex(patch.get_facecolor()) for patch in figure.legends[0].get_patches()]
    assert shown == [colour.lower() for colour in class_colours(["a", "b"]).values()]
    assert figure.get_supxlabel() == "a note"


def test_more_classes_than_colours_use_the_colours_again():
    colours = list(class_colours(range(len(PALETTE) + 1)).values())
    assert colours[-1] == colours[0]
