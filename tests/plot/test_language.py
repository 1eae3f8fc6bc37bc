"""Figures are labelled in the language of the reader."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from vaglio.messages.locale import PSEUDO, Locale
from vaglio.messages.message import Number, join, text
from vaglio.plot import svg
from vaglio.plot.decision_region import draw_labellings
from vaglio.plot.distributions import draw_counts
from vaglio.plot.evaluation import Curve, draw_confusion, draw_curves, draw_densities, draw_mean_ranks
from vaglio.plot.style import axes_for
from vaglio.plot.tree_drawing import Box, draw_tree_svg, draw_tree_text

ITALIAN, ODD = Locale("it"), Locale(PSEUDO)


@pytest.fixture
def ax():
    made = axes_for(None)
    yield made
    plt.close("all")


def test_axes_and_legends_take_messages(ax):
    points = np.array([0.0, 0.25, 1.0])
    draw_curves(ax, [Curve(points, points, text("rows"))], xlabel=text("class"), ylabel=text("weight"), locale=ITALIAN)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("classe", "peso")
    assert ax.get_legend().get_texts()[0].get_text() == "righe"


def test_numbers_beside_the_axes_have_a_decimal_comma(ax):
    points = np.array([0.0, 0.25, 0.5])
    draw_curves(ax, [Curve(points, points)], xlabel="x", ylabel="y", locale=ITALIAN)
    ax.figure.canvas.draw()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert any("," in tick for tick in ticks)
    assert not any("." in tick for tick in ticks)


def test_english_figures_are_as_before(ax):
    draw_confusion(ax, np.array([[3, 1], [0, 2]]), ["a", "b"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")


def test_words_of_the_figures_come_from_the_catalogue(ax):
    draw_confusion(ax, np.array([[3.5, 1], [0, 2]]), ["a", "b"], locale=ITALIAN)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("prevista", "reale")
    assert "3,5" in [each.get_text() for each in ax.texts]
    groups = [("a", np.array([0.1, 0.4]), None), ("b", np.array([0.6, 0.9]), None)]
    scores = axes_for(None)
    draw_densities(scores, groups, threshold=0.5, xlabel=text("share"), locale=ITALIAN)
    assert [each.get_text() for each in scores.texts] == ["soglia 0,5"]
    assert scores.get_ylabel() == "densità"
    ranks = draw_mean_ranks(None, ["k", "l"], np.array([1.25, 1.75]), 0.5, locale=ITALIAN)
    assert {"k (1,25)", "differenza critica 0,50"} <= {each.get_text() for each in ranks.texts}
    bars = axes_for(None)
    draw_counts(bars, np.ones((1, 20)), range(20), locale=ODD)
    assert bars.get_xticklabels()[-1].get_text() == "9 möré"
    square = np.array([[0.0, 0], [1, 0]])
    figure = draw_labellings(square, np.array([[0, 0]]), np.array([True]), [None], max_panels=1, locale=ODD)
    assert figure.get_suptitle() == Locale(PSEUDO).say("{done:,} of {all:,} labellings realised", done=1, all=1)


def test_charts_of_pages_are_translated():
    bars = svg.class_bars([[1.5, 2], [0, 1]], ["a", "b"], text("rows"), ["#", "#"], locale=ITALIAN)
    assert 'aria-label="righe"' in bars
    assert 'aria-label="a: 3,5"' in bars
    assert "2 barre, impilate per classe." in bars
    curves = svg.model_curves(
        [("m", [(0.0, 0.0), (1.0, 1.0)])], "t", "d", (text("class"), text("weight")), locale=ITALIAN
    )
    assert re.findall(r"\d%", curves) == []
    assert ">classe<" in curves


def test_a_tree_is_drawn_in_the_language_of_its_messages():
    edge = join(" ", ["≤", Number("2.45")])
    root = Box("petal", (text("rows"),), children=[Box("yes", leaf=True, edge=edge)])
    for drawn in (draw_tree_svg(root, locale=ITALIAN), draw_tree_text(root, locale=ITALIAN)):
        assert "≤ 2,45" in drawn
        assert "righe" in drawn
    assert "Albero di decisione" in draw_tree_svg(root, locale=ITALIAN)
    assert (root.children[0].edge, root.lines) == ("≤ 2.45", ("rows",))
