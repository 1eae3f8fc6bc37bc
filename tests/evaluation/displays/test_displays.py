"""Each Display keeps its data, draws into given axes, and says the same from a model and from its scores."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.displays import ScoreDensityDisplay

CURVES = [
    vaglio.RocCurveDisplay,
    vaglio.PrecisionRecallDisplay,
    vaglio.GainCurveDisplay,
    vaglio.LiftCurveDisplay,
    vaglio.CalibrationDisplay,
]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def two():
    X, y = load_breast_cancer(return_X_y=True)
    return GaussianNB().fit(X[::2, :4], y[::2]), X[1::2, :4], y[1::2]


@pytest.fixture(scope="module")
def three():
    X, y = load_wine(return_X_y=True)
    return GaussianNB().fit(X[::2, :3], y[::2]), X[1::2, :3], y[1::2]


@pytest.mark.slow
@pytest.mark.parametrize("display", [*CURVES, vaglio.CostCurveDisplay, ScoreDensityDisplay])
def test_from_a_model_and_from_scores(two, display):
    model, X, y = two
    ax = plt.figure().subplots()
    drawn = display.from_estimator(model, X, y, ax=ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is ax.figure
    again = display.from_predictions(y, model.predict_proba(X)[:, 1])
    for name, value in vars(drawn).items():
        if name.endswith("_") or name == "groups":
            continue
        other = getattr(again, name)
        if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            for a, b in zip(value, other, strict=True):
                np.testing.assert_allclose(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("display", CURVES)
def test_a_curve_for_each_of_three_classes(three, display):
    drawn = display.from_estimator(*three)
    assert len(drawn.line_) == 3
    single = display.from_estimator(*three, pos_label=1)
    assert len(single.line_) == 1


def test_areas_in_the_legend(two):
    model, X, y = two
    drawn = vaglio.RocCurveDisplay.from_estimator(model, X, y, name="bayes")
    area = metrics.roc_auc_score(y, model.predict_proba(X)[:, 1])
    assert drawn.roc_auc == [pytest.approx(area)]
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert texts == [f"bayes (area {area:.3f})"]


def test_a_display_made_by_hand_draws():
    assert len(vaglio.RocCurveDisplay(fpr=np.array([0, 1]), tpr=np.array([0, 1])).plot().line_) == 1


@pytest.mark.slow
def test_confusion_matrix(three):
    model, X, y = three
    drawn = vaglio.ConfusionMatrixDisplay.from_estimator(model, X, y)
    np.testing.assert_array_equal(drawn.confusion_matrix, metrics.confusion_matrix(y, model.predict(X)))
    assert drawn.text_.shape == (3, 3)
    shares = vaglio.ConfusionMatrixDisplay.from_estimator(model, X, y, normalize="true")
    np.testing.assert_allclose(shares.confusion_matrix.sum(axis=1), 1)
    with pytest.raises(InputError, match="normalize"):
        vaglio.ConfusionMatrixDisplay.from_estimator(model, X, y, normalize="rows")
    with pytest.raises(InputError, match="does not fit"):
        vaglio.ConfusionMatrixDisplay(np.eye(2), display_labels="abc")


def test_the_least_cost_is_marked(two):
    model, X, y = two
    drawn = vaglio.CostCurveDisplay.from_estimator(model, X, y, cost=[[0, 1], [20, 0]])
    assert drawn.best_threshold < 0.5
    assert drawn.costs.min() == drawn.costs[drawn.thresholds == drawn.best_threshold][0]
    with pytest.raises(InputError, match="two classes"):
        vaglio.CostCurveDisplay.from_predictions(list("abc"), np.eye(3))


def test_accuracy_against_k(three):
    _, X, y = three
    drawn = vaglio.ValidationCurveDisplay.from_estimator(
        KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 5, 25], cv=3
    )
    assert drawn.best_value in (1, 5, 25)
    assert drawn.train_scores.shape == (3, 3)
    assert ":" in drawn.diagnosis
    words = vaglio.ValidationCurveDisplay.from_estimator(
        KNeighborsClassifier(), X, y, param_name="weights", param_range=["uniform", "distance"], cv=3
    )
    assert [t.get_text() for t in words.ax_.get_xticklabels()] == ["uniform", "distance"]


def test_learning_curve(three):
    _, X, y = three
    drawn = vaglio.LearningCurveDisplay.from_estimator(GaussianNB(), X, y, cv=3, train_sizes=[0.3, 1.0])
    assert len(drawn.train_sizes) == 2
    assert ":" in drawn.diagnosis
    for scores, interval in zip(drawn.test_scores, drawn.intervals, strict=True):
        assert interval.low < scores.mean() < interval.high
    # Of a score that is no accuracy nothing is known but its spread.
    drawn = vaglio.LearningCurveDisplay.from_estimator(GaussianNB(), X, y, cv=3, train_sizes=[1.0], scoring="f1_macro")
    assert drawn.intervals[0].low < drawn.test_scores.mean() < drawn.intervals[0].high


def test_bands_are_drawn_and_named(two, three):
    model, X, y = two
    curve = vaglio.CalibrationDisplay.from_estimator(model, X, y)
    learning = vaglio.LearningCurveDisplay.from_estimator(GaussianNB(), *three[1:], cv=3, train_sizes=[0.3, 1.0])
    for drawn in (curve, learning):
        assert any("95% interval" in entry.get_text() for entry in drawn.ax_.get_legend().get_texts())
        assert len(drawn.ax_.collections) == 1
    assert (curve.low[0] <= curve.prob_true[0]).all()
    assert (curve.prob_true[0] <= curve.high[0]).all()
    assert not vaglio.CalibrationDisplay([0.0, 1.0], [0.1, 0.9]).plot().ax_.collections


def _rising(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.sort(rng.random((n, 2)), axis=0)  # sorted: folds of neighbouring rows would be predicted from afar
    return X, 1e6 * (3 * X[:, 0] + X[:, 1] + 0.2 * rng.normal(size=n))


def test_curves_of_numbers_are_of_r2_on_stratified_folds():
    X, y = _rising()
    learning = vaglio.LearningCurveDisplay.from_estimator(
        vaglio.DecisionTreeRegressor(max_depth=4), X, y, train_sizes=[0.5, 1.0]
    )
    assert learning.ax_.get_ylabel() == "R²"
    assert 0.7 < learning.test_scores[-1].min() <= learning.test_scores[-1].max() < 1
    assert "R² " in learning.diagnosis
    assert learning.intervals[-1].low < learning.test_scores[-1].mean() < learning.intervals[-1].high
    depth = vaglio.ValidationCurveDisplay.from_estimator(
        vaglio.DecisionTreeRegressor(random_state=0), X, y, param_name="max_depth", param_range=[1, 4, 20], cv=4
    )
    assert depth.best_value == 4
    assert depth.train_scores[-1].min() > 0.99


def test_losses_are_drawn_as_losses_and_told_in_the_unit():
    X, y = _rising()
    drawn = vaglio.LearningCurveDisplay.from_estimator(
        vaglio.LinearRegression(), X, y, scoring="rmse", train_sizes=[1.0]
    )
    assert drawn.ax_.get_ylabel() == "RMSE"
    assert drawn.line_[1].get_ydata()[0] == pytest.approx(-drawn.test_scores.mean())
    assert drawn.diagnosis.startswith("RMSE: ")
    assert drawn.plot(lang="it").ax_.get_ylabel() == "RMSE"
    with pytest.raises(InputError, match="predicted classes"):
        vaglio.LearningCurveDisplay.from_estimator(vaglio.LinearRegression(), X, y, scoring="accuracy")


def test_a_figure_of_classes_refuses_numbers_and_the_other_way_round(two):
    X, y = _rising()
    numbers = vaglio.evaluate(vaglio.LinearRegression(), X, y, folds=3)
    classes = vaglio.evaluate(*two)
    with pytest.raises(InputError, match="evaluation must be a Evaluation"):
        vaglio.RocCurveDisplay.from_evaluation(numbers)
    with pytest.raises(InputError, match="evaluation must be a RegressionEvaluation"):
        vaglio.PredictionErrorDisplay.from_evaluation(classes)
