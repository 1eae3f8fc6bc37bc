from __future__ import annotations

import json

import pytest
from scipy.stats import chi2_contingency

from vaglio import datasets
from vaglio.errors import InputError
from vaglio.quality import explore
from vaglio.quality.exploration.exploration import FIGURES
from vaglio.quality.exploration.ranking import chi2_test


def test_columns_come_ranked_with_the_statistics_they_permit():
    rows = explore(datasets.load("penguins")).columns()
    assert [row["column"] for row in rows[:2]] == ["flipper_length_mm", "island"]
    island = next(row for row in rows if row["column"] == "island")
    assert "mean" not in island
    assert island["mode"] == "Biscoe"


def test_classes_commonest_first():
    classes = explore(datasets.load("penguins")).classes()
    assert [row["class"] for row in classes] == ["Adelie", "Gentoo", "Chinstrap"]
    assert sum(row["share"] for row in classes) == pytest.approx(1)


def test_without_a_target_nothing_is_ranked():
    table = datasets.load("play").with_roles({"play": "input"})
    seen = explore(table)
    assert seen.classes() == []
    assert all("gain" not in row for row in seen.columns())
    assert "class" not in seen.to_text().splitlines()[0]


def test_as_data_and_as_text():
    seen = explore(datasets.load("play"))
    assert json.loads(json.dumps(seen.to_dict(), allow_nan=False))["target"] == "play"
    assert "outlook" in seen.to_text()


def test_figures():
    seen = explore(datasets.load("play"))
    assert "<svg" in seen.to_html()  # a table without numbers has no boxes and no pairs
    with pytest.raises(InputError, match="no figure 'cake'"):
        seen.draw("cake")
    with pytest.raises(InputError, match="two numeric columns"):
        seen.draw("pairs")
    assert set(FIGURES) == {"histograms", "boxes", "pairs", "associations"}


@pytest.mark.parametrize("table", [[[10, 20], [20, 10]], [[1, 2, 3], [4, 5, 6], [9, 8, 7]], [[5, 1], [1, 7], [3, 3]]])
def test_chi2_is_that_of_scipy(table: list):
    import numpy as np

    counts = np.array(table)
    assert chi2_test(counts) == pytest.approx(chi2_contingency(counts, correction=False)[:2])
