"""Figures of a table."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.errors import InputError
from vaglio.quality import (
    associations,
    box_plots,
    histograms,
    pair_plot,
)
from vaglio.quality.exploration import box_statistics
from vaglio.table import Table


def test_a_box_has_the_quartiles_computed_by_hand():
    box = box_statistics(np.array([2.0, 4, 4, 5, 6, 7, 8, 30, np.nan]))
    assert (box.q1, box.median, box.q3) == (4, 5.5, 7.25)
    assert (box.low, box.high) == (2, 8)
    assert box.outliers.tolist() == [30]
    with pytest.raises(InputError, match="at least one"):
        box_statistics(np.array([np.nan]))


def test_figures_have_a_panel_for_each_column(iris_table):
    assert len(box_plots(iris_table, "species").axes) == 4
    assert sum(ax.get_visible() for ax in histograms(iris_table, "species").axes) == 5
    assert len(pair_plot(iris_table, "species").axes) == 16
    assert len(box_plots(Table.from_any({"v": [1.0, 2, 3]})).axes) == 1
    with pytest.raises(InputError, match="two numeric columns"):
        pair_plot(Table.from_any({"v": [1.0, 2, 3]}))
    with pytest.raises(InputError, match="no column to draw"):
        box_plots(Table.from_any({"c": ["x", "y"]}))


def test_figures_of_large_tables_name_their_sample():
    rng = np.random.default_rng(0)
    big = Table.from_any(
        {"a": rng.normal(size=60_000), "b": rng.normal(size=60_000), "c": rng.integers(0, 40, 60_000).astype(str)}
    )
    assert "2,000 of 60,000 rows" in pair_plot(big).get_supxlabel()
    assert "50,000 of 60,000" in associations(big).note
    histograms(big)
