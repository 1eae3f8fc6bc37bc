from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import f_classif
from tests.tables import PLAY

from vaglio.errors import InputError
from vaglio.quality import associate, associations, box_plots, histograms, pair_plot, rank_attributes
from vaglio.quality.exploration.figures import box_of
from vaglio.quality.statistics import entropy_bits
from vaglio.table import Column, Table


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def iris_table(iris):
    X, y = iris
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    return Table.from_any(
        {**dict(zip(names, X.T, strict=True)), "kind": np.array(["setosa", "versicolor", "virginica"])[y]}
    )


def test_the_play_table_is_ranked_as_in_the_notes():
    ranked = rank_attributes(Table.from_any(PLAY), "class")
    assert [(s.attribute, round(s.gain, 4)) for s in ranked] == [
        ("outlook", 0.2467),
        ("humidity", 0.1518),
        ("windy", 0.0481),
        ("temperature", 0.0292),
    ]
    ratios = {s.attribute: round(s.gain_ratio, 4) for s in ranked}
    assert ratios == {"outlook": 0.1564, "humidity": 0.1518, "windy": 0.0488, "temperature": 0.0188}


def test_an_identifier_has_the_largest_gain():
    table = Table.from_any({**PLAY.to_dict("list"), "day": [f"d{i}" for i in range(14)]})
    first = rank_attributes(table, "class")[0]
    assert first.attribute == "day"
    assert first.gain == pytest.approx(0.9403, abs=1e-4)
    assert round(first.gain_ratio, 4) == 0.2470


def test_numbers_are_cut_where_the_gain_is_largest():
    values, classes = np.array([1.0, 2, 3, 10, 11, 12]), list("aaabbb")
    score = rank_attributes(Table.from_any({"v": values, "y": classes}), "y")[0]
    assert (score.gain, score.gain_ratio, score.threshold) == (1, 1, 6.5)


def test_all_thresholds_against_brute_force():
    rng = np.random.default_rng(2)
    values, y = rng.integers(0, 12, 60).astype(float), rng.integers(0, 3, 60)
    score = rank_attributes(Table.from_any({"v": values, "y": [f"c{k}" for k in y]}), "y")[0]
    gains = []
    for cut in np.unique(values)[:-1]:
        low = values <= cut
        inside = sum(part.sum() * entropy_bits(np.bincount(y[part], minlength=3)) for part in (low, ~low)) / 60
        gains.append(entropy_bits(np.bincount(y)) - inside)
    assert score.gain == pytest.approx(max(gains))


def test_associations_of_every_kind():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    group = (x > 0).astype(int)
    a, b = Column.numeric("a", x), Column.numeric("b", 2 * x + rng.normal(size=200))
    assert associate(a, b).strength == pytest.approx(stats.pearsonr(a.data, b.data).statistic)
    c = Column.nominal("c", group, ("u", "v"))
    ratio = associate(c, a)
    assert ratio.measure == "correlation ratio"
    f = f_classif(x[:, None], group)[0][0]
    assert ratio.strength**2 == pytest.approx(f / (f + 198))
    assert associate(c, c).strength == pytest.approx(1)
    rank = Column.nominal("r", np.digitize(x, [-1, 0, 1]), tuple("1234"), level="ordinal")
    assert associate(rank, a).measure == "Spearman"
    assert associate(Column.text("t", ["x"] * 200), a).measure == "none"


def test_a_matrix_of_associations(iris_table):
    found = associations(iris_table)
    assert found.matrix.shape == (5, 5)
    assert found.strongest(1)[0]["strength"] > 0.95
    assert "petal" in repr(found)
    assert "<table" in found._repr_html_()
    found.plot()
    few = associations(iris_table, max_columns=2)
    assert "first 2 of 5 columns" in few.note


def test_a_box_by_hand():
    box = box_of(np.array([2.0, 4, 4, 5, 6, 7, 8, 30, np.nan]))
    assert (box.q1, box.median, box.q3) == (4, 5.5, 7.25)
    assert (box.low, box.high) == (2, 8)
    assert box.outliers.tolist() == [30]
    with pytest.raises(InputError, match="at least one"):
        box_of(np.array([np.nan]))


def test_figures_have_a_panel_for_each_column(iris_table):
    assert len(box_plots(iris_table, "kind").axes) == 4
    assert sum(ax.get_visible() for ax in histograms(iris_table, "kind").axes) == 5
    assert len(pair_plot(iris_table, "kind").axes) == 16
    assert len(box_plots(Table.from_any({"v": [1.0, 2, 3]})).axes) == 1
    with pytest.raises(InputError, match="two columns"):
        pair_plot(Table.from_any({"v": [1.0, 2, 3]}))
    with pytest.raises(InputError, match="no column to draw"):
        box_plots(Table.from_any({"c": ["x", "y"]}))


def test_large_tables_are_sampled_and_say_so():
    rng = np.random.default_rng(0)
    big = Table.from_any(
        {"a": rng.normal(size=60_000), "b": rng.normal(size=60_000), "c": rng.integers(0, 40, 60_000).astype(str)}
    )
    assert "2000 of 60000 rows" in pair_plot(big).get_supxlabel()
    assert "50000 of 60000" in associations(big).note
    histograms(big)
