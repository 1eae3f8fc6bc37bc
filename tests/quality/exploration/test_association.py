"""How strongly two columns depend on each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import f_classif

from vaglio.quality import (
    associate,
    associations,
)
from vaglio.table import Column


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


def test_the_correlation_ratio_has_the_f_test_of_scipy():
    rng = np.random.default_rng(5)
    groups, values = rng.integers(0, 40, 3000), rng.normal(size=3000) + 1e6
    values[groups == 3] += 0.4
    found = associate(Column.nominal("g", groups, tuple(map(str, range(40)))), Column.numeric("x", values))
    expected = stats.f_oneway(*(values[groups == code] for code in np.unique(groups)))
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    by_groups = Column.nominal("g", groups, tuple(map(str, range(40))))
    determined = associate(by_groups, Column.numeric("x", groups.astype(float)))
    assert (determined.strength, determined.p_value) == (pytest.approx(1.0), pytest.approx(0.0))
