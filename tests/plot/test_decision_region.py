import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from vaglio import SVC, LogisticRegression, Perceptron
from vaglio.plot.decision_region import DecisionRegionDisplay, PerceptronPathDisplay

matplotlib.use("Agg")


def blobs(classes=2):
    centres = [[-2, 0], [2, 1], [0, 4]][:classes]
    X, y = make_blobs(60, centers=centres, cluster_std=0.5, random_state=0)
    return pd.DataFrame(X, columns=["width", "height"]), y


def test_regions_margins_and_support_vectors():
    X, y = blobs()
    model = SVC(kernel="linear").fit(X, y)
    display = DecisionRegionDisplay.from_estimator(model, X, y, resolution=40)
    assert display.names == ("width", "height")
    np.testing.assert_array_equal(display.codes == 1, display.values > 0)
    ax = display.plot()
    assert "support vectors" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert ax.get_xlabel() == "width"


def test_more_classes_have_regions_but_no_hyperplane():
    X, y = blobs(3)
    display = DecisionRegionDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, resolution=30)
    assert display.values is None
    assert set(np.unique(display.codes)) == {0, 1, 2}
    display.plot()
    with pytest.raises(ValueError, match="two columns"):
        DecisionRegionDisplay.from_estimator(LogisticRegression(), np.zeros((3, 3)), y)


def test_the_path_ends_on_the_separating_line():
    X, y = blobs()
    model = Perceptron().fit(X, y)
    path = PerceptronPathDisplay.from_estimator(model, X, y)
    values = X.to_numpy() @ path.lines[-1, :2] + path.lines[-1, 2]
    np.testing.assert_array_equal(values > 0, y == 1)
    assert path.errors[-1] == 0
    ax = path.plot()
    assert len(ax.lines) == len(model.history_)
    path.plot_errors()
