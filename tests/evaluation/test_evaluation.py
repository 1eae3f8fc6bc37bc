from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio.evaluation import Evaluation
from vaglio.learners.registry import LEARNERS
from vaglio.table import Table


@pytest.fixture(scope="module")
def binary() -> Evaluation:
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    return vaglio.evaluate(GaussianNB().fit(X[::2], names[::2]), X[1::2], names[1::2], pos_label="malignant")


@pytest.fixture(scope="module")
def three_classes() -> Evaluation:
    X, y = load_iris(return_X_y=True)
    return vaglio.evaluate(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2])


def test_the_positive_class_may_be_the_first(binary):
    assert binary.labels == ("benign", "malignant")
    positive, score = binary.one_class()
    assert binary.roc_auc == pytest.approx(metrics.roc_auc_score(positive, score))
    flipped = vaglio.evaluation.Evaluation.from_predictions([0, 0, 1, 1], y_score=[0.9, 0.2, 0.3, 0.1], pos_label=0)
    assert flipped.predicted.tolist() == [0, 1, 1, 1]
    assert flipped.roc_auc == 0.75


def test_a_declared_class_without_a_test_row_takes_nothing_from_the_mean_areas():
    score = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.4, 0.5, 0.1], [0.3, 0.6, 0.1]])
    alone = vaglio.evaluation.Evaluation.from_predictions(list("abab"), y_score=score, labels=list("abc"))
    known = [alone.areas[label] for label in "ab"]
    assert alone.roc_auc == pytest.approx(np.mean([roc.value for roc, _ in known]))
    assert alone.average_precision == pytest.approx(np.mean([precision.value for _, precision in known]))
    assert np.isnan(alone.areas["c"][0].value)


def test_more_than_two_classes_are_measured_one_against_the_rest(three_classes):
    assert three_classes.roc_auc == pytest.approx(
        metrics.roc_auc_score(three_classes.true, three_classes.scores, multi_class="ovr")
    )
    assert len(three_classes.areas) == 3
    assert three_classes.brier == pytest.approx(
        metrics.brier_score_loss(three_classes.true, three_classes.scores, scale_by_half=True)
    )


def test_measures_of_probabilities_are_those_of_scikit_learn(binary):
    positive, score = binary.one_class()
    assert binary.brier == pytest.approx(metrics.brier_score_loss(positive, score))
    assert binary.log_loss == pytest.approx(metrics.log_loss(positive, score))
    for strategy in ("uniform", "quantile"):
        observed, predicted = calibration_curve(positive, score, n_bins=8, strategy=strategy)
        ours = binary.calibration(n_bins=8, strategy=strategy)
        np.testing.assert_allclose(ours.observed, observed)
        np.testing.assert_allclose(ours.predicted, predicted)
    assert 0 <= binary.calibration().expected_error <= 1


def test_other_predictions_from_the_same_scores(binary):
    strict, lax = binary.at_threshold(0.99), binary.at_threshold(0.01)
    assert strict.rate("tpr").value <= lax.rate("tpr").value
    assert strict.rate("fpr").value <= lax.rate("fpr").value
    top = binary.at_top(30)
    assert int(top.confusion[:, top.positive_index].sum()) == 30
    costly = binary.at_least_cost({("malignant", "benign"): 100, ("benign", "malignant"): 1})
    assert costly.rate("fnr").value <= binary.rate("fnr").value
    assert costly.mean_cost is not None


def test_decision_values_give_curves_but_no_probabilities():
    X, y = load_iris(return_X_y=True)
    evaluation = vaglio.evaluate(RidgeClassifier().fit(X, y), X, y)
    assert evaluation.scores is not None
    assert evaluation.brier is None
    assert evaluation.roc_auc > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["perceptron", "svm", "c45", "ripper"])
def test_an_estimator_and_its_fitted_model_have_the_same_evaluation(learner):
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = LEARNERS[learner].make().fit(X[::2], y[::2])
    one, two = (vaglio.evaluate(m, X[1::2], y[1::2]) for m in (model, model.fitted_))
    assert one.to_dict() == two.to_dict()
    assert one.scores is not None


def test_a_file_and_the_weights_in_it(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("v,class\n" + "".join(f"{i // 3 * 1.5},{'ab'[i > 20]}\n" for i in range(40)))
    table = vaglio.read(path, "class")
    model = GaussianNB().fit(np.asarray(table.select(["v"])), table["class"])
    assert vaglio.evaluate(model, path, "class").n_rows == 40
    weighted = Table.from_any(
        {"v": np.arange(40.0), "w": np.arange(40.0), "class": table["class"]}, roles={"w": "weight"}
    )
    assert vaglio.evaluate(model, weighted, "class").weight is not None


def test_a_class_that_is_not_in_the_training_rows():
    X, y = load_iris(return_X_y=True)
    seen = y != 2
    evaluation = vaglio.evaluate(GaussianNB().fit(X[seen], y[seen]), X, y)
    assert evaluation.labels == (0, 1, 2)
    assert evaluation.rate("recall", 2).value == 0
    assert evaluation.scores.shape == (150, 3)


def test_a_table_and_the_name_of_its_class():
    X, y = load_iris(return_X_y=True)
    table = vaglio.Table.from_any({"a": X[:, 2], "b": X[:, 3], "kind": np.array(list("xyz"))[y]})
    inputs, labels = table.xy("kind")
    model = GaussianNB().fit(np.asarray(inputs), labels)
    evaluation = vaglio.evaluate(model, table, "kind")
    assert evaluation.n_rows == 150
    assert set(evaluation.labels) == set("xyz")


def test_advice_mentions_imbalance_and_classes_that_are_never_predicted():
    lopsided = Evaluation.from_predictions(["no"] * 95 + ["yes"] * 5, ["no"] * 100)
    text = " ".join(lopsided.advice)
    assert "always predicting no would be correct for 95%" in text
    assert "No row was predicted as yes" in text
    assert "precision-recall" in text
    balanced = Evaluation.from_predictions(["a", "b"] * 500, ["a", "b"] * 500)
    assert "balanced" in balanced.advice[0]
    alone = Evaluation.from_predictions(["a"], ["a"])
    assert any("Only one class" in line for line in alone.advice)


def test_text_html_and_data_show_the_same(binary, three_classes):
    for evaluation in (binary, three_classes, Evaluation.from_predictions(["a", "b"], ["a", "a"])):
        text, page = repr(evaluation), evaluation._repr_html_()
        accuracy = f"{evaluation.accuracy.value:.4f}"
        assert accuracy in text
        assert accuracy in page
        data = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
        assert data["confusion"] == evaluation.confusion.tolist()
    many = np.arange(60) % 20
    assert "Most frequent confusions" in repr(Evaluation.from_predictions(many, (many + (many == 3)) % 20))


def test_labels_of_any_type():
    mixed = Evaluation.from_predictions(np.array(["a", 1, True], dtype=object), np.array(["a", 1, "a"], dtype=object))
    assert mixed.accuracy.value == pytest.approx(2 / 3)
    html = Evaluation.from_predictions(["<b>", "x"], ["<b>", "x"])._repr_html_()
    assert "<b>" not in html


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [], "y_pred": []}, "no rows"),
        ({"y_true": ["a"]}, "Pass predictions"),
        ({"y_true": ["a", None], "y_pred": ["a", "a"]}, "first in row 2"),
        ({"y_true": ["a", "b"], "y_pred": ["a"]}, "2 in y_true, 1 in y_pred"),
        ({"y_true": ["a", "b", "c"], "y_score": [0.1, 0.2, 0.3]}, "column per class"),
        ({"y_true": ["a", "b"], "y_score": [[1, 0, 0], [0, 1, 0]]}, "3 columns for 2"),
        ({"y_true": ["a", "b"], "y_pred": ["a", "b"], "sample_weight": [1, -1]}, "non-negative"),
        ({"y_true": [["a"], ["b"]], "y_pred": [["a", "b"], ["a", "b"]]}, "shape"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments, message):
    with pytest.raises(vaglio.errors.InputError, match=message):
        Evaluation.from_predictions(**arguments)


def test_bare_labels_have_no_curves():
    bare = Evaluation.from_predictions(["a", "b"], ["a", "b"])
    with pytest.raises(ValueError, match="labels only"):
        bare.roc()
    three = Evaluation.from_predictions(list("abc"), y_score=np.eye(3))
    with pytest.raises(ValueError, match="needs two classes"):
        three.at_threshold(0.5)
