"""An overview of a table in each of its forms, and its figures."""

from __future__ import annotations

import json

import numpy as np
import pytest

from vaglio import datasets
from vaglio.errors import InputError
from vaglio.quality import (
    associations,
    box_plots,
    explore,
    histograms,
    pair_plot,
)
from vaglio.quality.exploration import FIGURES, box_statistics
from vaglio.table import Table


def test_columns_come_ranked_with_the_statistics_they_permit():
    rows = explore(datasets.load("penguins")).columns()
    assert [row["column"] for row in rows[:2]] == ["flipper_length_mm", "island"]
    island = next(row for row in rows if row["column"] == "island")
    assert "mean" not in island
    assert island["mode"] == "Biscoe"


def test_classes_are_listed_most_frequent_first():
    classes = explore(datasets.load("penguins")).classes()
    assert [row["class"] for row in classes] == ["Adelie", "Gentoo", "Chinstrap"]
    assert sum(row["share"] for row in classes) == pytest.approx(1)


def test_without_a_target_nothing_is_ranked():
    table = datasets.load("play").with_roles({"play": "input"})
    seen = explore(table)
    assert seen.classes() == []
    assert all("gain" not in row for row in seen.columns())
    assert "class" not in seen.to_text().splitlines()[0]


def test_an_exploration_is_given_as_data_and_as_text():
    seen = explore(datasets.load("play"))
    assert json.loads(json.dumps(seen.to_dict(), allow_nan=False))["target"] == "play"
    assert "outlook" in seen.to_text()


@pytest.mark.slow
def test_unknown_and_impossible_figures_are_refused():
    seen = explore(datasets.load("play"))
    assert "<table" in seen.to_html()
    with pytest.raises(InputError, match="no figure 'cake'"):
        seen.draw("cake")
    with pytest.raises(InputError, match="two numeric columns"):
        seen.draw("pairs")
    assert set(FIGURES) == {"histograms", "boxes", "pairs", "associations"}


def test_a_box_has_the_quartiles_computed_by_hand():
    box = box_statistics(np.array([2.0, 4, 4, 5, 6, 7, 8, 30, np.nan]))
    assert (box.q1, box.median, box.q3) == (4, 5.5, 7.25)
    assert (box.low, box.high) == (2, 8)
    assert box.outliers.tolist() == [30]
    with pytest.raises(InputError, match="at least one"):
        box_statistics(np.array([np.nan]))


@pytest.mark.slow
def test_figures_have_a_panel_for_each_column(iris_table):
    assert len(box_plots(iris_table, "species").axes) == 4
    assert sum(ax.get_visible() for ax in histograms(iris_table, "species").axes) == 5
    assert len(pair_plot(iris_table, "species").axes) == 16
    assert len(box_plots(Table.from_any({"v": [1.0, 2, 3]})).axes) == 1
    with pytest.raises(InputError, match="two numeric columns"):
        pair_plot(Table.from_any({"v": [1.0, 2, 3]}))
    with pytest.raises(InputError, match="no column to draw"):
        box_plots(Table.from_any({"c": ["x", "y"]}))


@pytest.mark.slow
def test_figures_of_large_tables_name_their_sample():
    rng = np.random.default_rng(0)
    big = Table.from_any(
        {"a": rng.normal(size=60_000), "b": rng.normal(size=60_000), "c": rng.integers(0, 40, 60_000).astype(str)}
    )
    assert "2,000 of 60,000 rows" in pair_plot(big).get_supxlabel()
    assert "50,000 of 60,000" in associations(big).note
    histograms(big)


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["histograms", "boxes", "pairs"])
def test_no_words_of_a_figure_overlap(figure):
    """Long names, large numbers and many categories."""
    rng, n = np.random.default_rng(0), 200
    columns = {f"a_rather_long_name_of_column_{k}": rng.normal(size=n) * 10.0 ** (k + 2) for k in range(5)}
    columns |= {"town": [f"a long name of town {k}" for k in rng.integers(0, 14, n)]}
    columns |= {"kind": [f"a class with a long name {k}" for k in rng.integers(0, 3, n)]}
    drawn = explore(Table.from_any(columns), "kind").draw(figure)
    drawn.canvas.draw()
    axes = [axis for ax in drawn.axes if ax.get_visible() for axis in (ax.xaxis, ax.yaxis)]
    shown = [word for axis in axes for word in (axis.label, axis.offsetText)]
    for axis in axes:
        low, high = sorted(axis.get_view_interval())
        shown += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    words = [
        (word.get_text(), word.get_window_extent())
        for word in shown
        if word.get_visible() and word.get_text() and word.get_rotation() in (0, 90)
    ]
    assert len(words) > 12
    for i, (first, box) in enumerate(words):
        for second, other in words[i + 1 :]:
            assert not box.overlaps(other), f"{first!r} over {second!r}"
