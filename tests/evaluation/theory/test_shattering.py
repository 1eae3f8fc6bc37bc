from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import vaglio
from vaglio import shatters, vc_dimension_lower_bound
from vaglio.errors import InputError

LINE = SVC(kernel="linear", C=1e4, max_iter=5000)


def test_a_line_shatters_three_points_that_are_not_collinear():
    assert shatters(LINE, [[0, 0], [2, 1], [1, 3]])
    collinear = shatters(LINE, [[0, 0], [1, 1], [2, 2]])
    assert not collinear
    assert collinear.failed.tolist() == [[0, 1, 0], [1, 0, 1]]


@pytest.mark.slow
def test_a_line_shatters_no_four_points():
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert not shatters(LINE, rng.normal(size=(4, 2)))
    assert not shatters(LogisticRegression(C=1e6, max_iter=500), [[0, 0], [1, 0], [0, 1], [1, 1]])


@pytest.mark.slow
def test_lower_bounds():
    assert vc_dimension_lower_bound(LINE, 2, max_points=5, n_tries=4) == 3
    assert vc_dimension_lower_bound(LINE, 1, max_points=4, n_tries=4) == 2
    assert vc_dimension_lower_bound(KNeighborsClassifier(1), 2, max_points=5, n_tries=1) == 5
    with pytest.raises(InputError, match="max_points"):
        vc_dimension_lower_bound(LINE, 2, max_points=40)


def test_the_picture_has_a_panel_for_each_labelling():
    result = shatters(DecisionTreeClassifier(max_depth=1), [[0, 0], [1, 1], [2, 2]])
    figure = result.plot()
    assert sum(ax.get_visible() for ax in figure.axes) == 8
    assert "not shattered" in repr(result)
    assert "<p>" in result._repr_html_()
    plt.close(figure)
    with pytest.raises(InputError, match="these points have 1 coordinate"):
        shatters(LINE, [[0], [1]]).plot()
    with pytest.raises(InputError, match="1 to 12"):
        shatters(LINE, np.zeros((13, 2)))


@pytest.mark.slow
def test_a_hard_margin_without_a_solution_has_not_realised_the_labelling():
    line = vaglio.SVC(kernel="linear", C=np.inf)
    assert shatters(line, [[0, 0], [1, 0], [0, 1]])
    found = shatters(line, [[0, 0], [1, 0], [0, 1], [1, 1]])
    assert not found
    assert [row.tolist() for row in found.failed] == [[0, 1, 1, 0], [1, 0, 0, 1]]
    assert found.plot() is not None
