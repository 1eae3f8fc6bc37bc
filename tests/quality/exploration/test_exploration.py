"""An overview of a table, in each of its forms."""

from __future__ import annotations

import json

import pytest

from vaglio import datasets
from vaglio.errors import InputError
from vaglio.quality import (
    explore,
)
from vaglio.quality.exploration import FIGURES


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


def test_unknown_and_impossible_figures_are_refused():
    seen = explore(datasets.load("play"))
    assert "<svg" in seen.to_html()  # a table without numbers has no boxes and no pairs
    with pytest.raises(InputError, match="no figure 'cake'"):
        seen.draw("cake")
    with pytest.raises(InputError, match="two numeric columns"):
        seen.draw("pairs")
    assert set(FIGURES) == {"histograms", "boxes", "pairs", "associations"}
