"""What a weight means, for every public classifier and regressor.

Only the proportions of the weights matter, but for learners that weigh a prior or a penalty against them. Rows are
counted whatever they weigh: by minimums, by k. A row of weight 0 is as if it were not there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.utils import compute_sample_weight

import vaglio
from vaglio.errors import InputError

from .estimators import all_estimators, classifiers, name_of, others_nightly
from .test_tables import mixed_table, output, target_for

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

_SMOOTHED = "smoothing adds counts to the weights"
_PENALISED = "a penalty is weighed against the weights"
# Learners for which the scale of the weights matters, each with its reason.
SCALE_MATTERS: dict[str, str] = {
    "GaussianMAPClassifier": _SMOOTHED,
    "GaussianMixtureClassifier": _SMOOTHED,
    "BayesianNetworkClassifier": _SMOOTHED,
    "BernoulliNB": _SMOOTHED,
    "JointBayesClassifier": _SMOOTHED,
    "MultinomialNB": _SMOOTHED,
    "NaiveBayesClassifier": _SMOOTHED,
    "LogisticRegression": _PENALISED,
    "MLPClassifier": _PENALISED,
    "MLPRegressor": _PENALISED,
    "SVC": _PENALISED,
    "SVR": _PENALISED,
}
# What is weighed against the weights: multiplied by the same factor (C: divided), it leaves the model as it is.
WITH_THE_WEIGHTS = ("alpha", "var_smoothing")
AGAINST_THE_WEIGHTS = ("C",)
_DRAWS = "draws rows"
_FOLDS = "deals rows out to folds, and counts the rows of a leaf"
_COUNTS = "a statistic takes the weights for counts of rows, scaled to their number"
# Learners for which a row of weight two is not the same as the row twice, each with its reason.
WEIGHTS_ARE_NOT_REPETITIONS: dict[str, str] = {
    "AQClassifier": "draws its seeds among rows",
    "AdaBoostClassifier": _COUNTS,
    "AdaBoostRegressor": _DRAWS,
    "BaggingClassifier": _DRAWS,
    "BaggingRegressor": _DRAWS,
    "C45Classifier": _COUNTS,
    "CN2Classifier": _COUNTS,
    "ExplainableBoostingClassifier": _FOLDS,
    "ExplainableBoostingRegressor": _FOLDS,
    "FOILClassifier": _COUNTS,
    "GaussianMixtureClassifier": _COUNTS,
    "HistGradientBoostingClassifier": _FOLDS,
    "HistGradientBoostingRegressor": _FOLDS,
    "KNeighborsClassifier": "k counts rows",
    "KNeighborsRegressor": "k counts rows",
    "LinearRegression": "deals rows out to folds",
    "ModelTreeRegressor": _COUNTS,
    "ObliqueTreeClassifier": "linear combinations are tried from a number of rows on",
    "ObliqueTreeRegressor": "linear combinations are tried from a number of rows on",
    "Perceptron": "a weight makes one step longer; a row twice makes a second step from where the first one led",
    "RIPPERClassifier": "splits the rows into growing and pruning parts",
    "RandomForestClassifier": _DRAWS,
    "RandomForestRegressor": _DRAWS,
    "VotingClassifier": _COUNTS,
    "VotingRegressor": "its tree and its neighbours deal rows out to folds",
}

# Iterative solvers: a mean that differs in its last bit is another start, and they end within this of the optimum.
SOLVED_WITHIN = {"SVR": 1e-8}

predictors = [e for e in all_estimators() if hasattr(e, "predict")]
relative = [e for e in predictors if type(e).__name__ not in SCALE_MATTERS]
repeating = [e for e in predictors if type(e).__name__ not in WEIGHTS_ARE_NOT_REPETITIONS]
with_class_weight = [e for e in classifiers() if "class_weight" in e.get_params()]


def fitted(estimator: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return clone(estimator).fit(X, target_for(estimator, np.asarray(y)), sample_weight=weight)


def whole_weights(n: int, least: int = 1) -> np.ndarray:
    return np.random.default_rng(1).integers(least, 5, n).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(relative), ids=name_of)
def test_a_power_of_two_changes_no_bit(estimator: Any) -> None:
    X, y = mixed_table()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    expected = output(fitted(estimator, X, y, weight), X)
    for power in (-1020, -9, 1, 900):
        found = output(fitted(estimator, X, y, np.ldexp(weight, power)), X)
        np.testing.assert_array_equal(found, expected, err_msg=f"weights times 2**{power}")


@pytest.mark.slow
@pytest.mark.parametrize("estimator", relative, ids=name_of)
def test_a_common_factor_changes_no_prediction(estimator: Any) -> None:
    X, y = mixed_table()
    weight = whole_weights(len(X))
    expected = output(fitted(estimator, X, y, weight), X)
    for factor in (1 / 60, 0.1, 1e5 / 3):
        found = output(fitted(estimator, X, y, weight * factor), X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=f"weights times {factor}")


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(relative), ids=name_of)
def test_equal_weights_are_no_weights(estimator: Any) -> None:
    X, y = mixed_table()
    expected = output(fitted(estimator, X, y), X)
    for weight in (1 / len(X), 7.0):
        found = output(fitted(estimator, X, y, np.full(len(X), weight)), X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [e for e in relative if is_classifier(e)], ids=name_of)
def test_weights_that_sum_to_one_keep_the_accuracy(estimator: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:300, :6], y[:300]
    weight = np.random.default_rng(0).uniform(0.9, 1.1, len(y))
    assert fitted(estimator, X, y, weight / weight.sum()).score(X, y) > fitted(estimator, X, y).score(X, y) - 0.06


@pytest.mark.parametrize("estimator", repeating, ids=name_of)
def test_weights_count_as_repetitions(estimator: Any) -> None:
    X, y = mixed_table(40)
    times = whole_weights(len(X), least=0).astype(int)
    repeated = fitted(estimator, X.loc[X.index.repeat(times)].reset_index(drop=True), np.repeat(y, times))
    weighted = output(fitted(estimator, X, y, times), X)
    np.testing.assert_allclose(weighted, output(repeated, X), rtol=1e-6, atol=1e-8)


def scaled_with_its_strengths(estimator: Any, factor: float) -> Any:
    """Return it with smoothing and penalties as strong as before, beside weights times a factor."""
    params = estimator.get_params()
    changed = {name: params[name] * factor for name in WITH_THE_WEIGHTS if isinstance(params.get(name), float)}
    changed |= {name: params[name] / factor for name in AGAINST_THE_WEIGHTS if isinstance(params.get(name), float)}
    return clone(estimator).set_params(**changed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        *(e for e in predictors if type(e).__name__ in SCALE_MATTERS),
        *(vaglio.NaiveBayesClassifier(likelihood) for likelihood in ("mdl", "kde", "gaussian", "discrete")),
        vaglio.GaussianMAPClassifier("shrunk"),
        vaglio.BayesianNetworkClassifier("k-dependence"),
    ],
    ids=name_of,
)
def test_what_counts_rows_does_not_see_the_scale_of_weights(estimator: Any) -> None:
    """Description lengths, bandwidths, minimums and criteria count rows, whatever smoothing and penalties weigh."""
    X, y = mixed_table(200)
    for weight in (np.ones(len(X)), whole_weights(len(X))):
        expected = output(fitted(estimator, X, y, weight), X)
        for factor in (8.0, 1 / 60):
            found = fitted(scaled_with_its_strengths(estimator, factor), X, y, weight * factor)
            np.testing.assert_allclose(output(found, X), expected, rtol=1e-8, atol=1e-9)


def test_lambda_makes_a_support_vector_machine_free_of_the_scale() -> None:
    X, y = mixed_table()
    weight = whole_weights(len(X))
    expected = output(fitted(vaglio.SVC(lam=0.01), X, y, weight), X)
    np.testing.assert_allclose(output(fitted(vaglio.SVC(lam=0.01), X, y, weight / 60), X), expected, rtol=1e-9)


def test_every_exception_names_a_learner() -> None:
    names = {type(estimator).__name__ for estimator in predictors}
    assert set(SCALE_MATTERS) | set(WEIGHTS_ARE_NOT_REPETITIONS) <= names


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_a_row_of_weight_zero_is_absent(estimator: Any) -> None:
    X, y = mixed_table(60)
    weight = whole_weights(len(X), least=0)
    counts = weight > 0
    absent = fitted(estimator, X[counts].reset_index(drop=True), y[counts], weight[counts])
    np.testing.assert_allclose(output(fitted(estimator, X, y, weight), X), output(absent, X), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_what_only_a_row_of_weight_zero_has_changes_no_prediction(estimator: Any) -> None:
    """An outlier, a category and a missing value of its own; its category is known, and counts as a missing value."""
    X, y = mixed_table(60)
    stranger = pd.DataFrame({name: [X[name].iloc[0]] for name in X})
    stranger["size"], stranger["colour"] = 1e6, "never counted"
    joined = pd.concat([X, stranger], ignore_index=True)
    zero = np.append(np.ones(len(X)), 0.0)
    found = fitted(estimator, joined, np.append(y, y[0]), zero)
    within = SOLVED_WITHIN.get(type(estimator).__name__, 1e-12)
    np.testing.assert_allclose(output(found, X), output(fitted(estimator, X, y), X), rtol=1e-9, atol=within)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", classifiers(), ids=name_of)
def test_a_class_without_weight_is_known_and_never_predicted(estimator: Any) -> None:
    X, y = mixed_table(60)
    weight = (y != "big").astype(float)
    try:
        found = fitted(estimator, X, y, weight)
    except InputError as error:
        assert "'big'" in str(error)  # a learner that needs rows of every class says so
        return
    assert list(found.classes_) == sorted(set(y))
    assert "big" not in set(found.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", predictors, ids=name_of)
@pytest.mark.parametrize(
    "weight",
    [[1e308] * 6, [1e-320] * 6, [1e308, 1e-320] * 3, [5e-324] * 6, [0, 0, 1e-300, 1e300, 1e300, 0]],
    ids=["huge", "tiny", "huge and tiny", "least", "few"],
)
def test_extreme_weights_give_a_result_or_a_sentence(estimator: Any, weight: list[float]) -> None:
    X = np.array([[0.0, 1], [1, 0], [0, 2], [2, 0], [3, 1], [1, 3]])
    y = np.array([0, 1, 0, 1, 0, 1])
    try:
        with np.errstate(over="raise", invalid="raise"):
            found = output(fitted(estimator, X, y, weight), X)
    except ValueError as error:
        assert "\n" not in str(error)
        assert len(str(error)) > 20
    else:
        assert np.isfinite(found).all()


@pytest.mark.slow
@pytest.mark.parametrize("estimator", predictors, ids=name_of)
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, 0.0])
def test_impossible_weights_are_refused(estimator: Any, bad: float) -> None:
    X = np.arange(12.0).reshape(6, 2)
    weight = np.zeros(6) if bad == 0 else np.array([1.0, 1, 1, 1, 1, bad])
    with pytest.raises(ValueError, match="weight"):
        fitted(estimator, X, [0, 1, 0, 1, 0, 1], weight)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator", [e for e in with_class_weight if type(e).__name__ not in SCALE_MATTERS], ids=name_of
)
def test_the_scale_of_class_weights_does_not_matter(estimator: Any) -> None:
    X, y = mixed_table()
    equal = clone(estimator).set_params(class_weight=dict.fromkeys(np.unique(y), 0.01))
    np.testing.assert_allclose(output(fitted(equal, X, y), X), output(fitted(estimator, X, y), X), rtol=1e-9)
    two, tiny = ({label: scale * (1 + (label == "big")) for label in np.unique(y)} for scale in (1.0, 2.0**-30))
    found = [output(fitted(clone(estimator).set_params(class_weight=each), X, y), X) for each in (two, tiny)]
    np.testing.assert_array_equal(*found)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(with_class_weight), ids=name_of)
@pytest.mark.parametrize("given", ["balanced", {"big": 3.0, "other": 0.5, "red one": 1.0}], ids=["balanced", "dict"])
def test_class_weights_are_sample_weights(estimator: Any, given: Any) -> None:
    X, y = mixed_table()
    by_class = fitted(clone(estimator).set_params(class_weight=given), X, y)
    by_row = fitted(estimator, X, y, compute_sample_weight(given, y))
    np.testing.assert_allclose(output(by_class, X), output(by_row, X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", with_class_weight, ids=name_of)
@pytest.mark.parametrize("given", [{0: -1.0, 1: 1.0}, {0: np.nan, 1: 1.0}, {0: 0.0, 1: 0.0}])
def test_impossible_class_weights_are_refused(estimator: Any, given: dict[int, float]) -> None:
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(InputError, match="class_weight"):
        clone(estimator).set_params(class_weight=given).fit(X, [0, 1, 0, 1, 0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("make", [AdaBoostClassifier, BaggingClassifier])
def test_scikit_learns_ensembles_over_our_trees(make: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :8]
    ours = make(vaglio.CARTClassifier(max_depth=1), n_estimators=30, random_state=0).fit(X, y)
    theirs = make(n_estimators=30, random_state=0).fit(X, y)
    least = theirs.score(X, y) - 0.02 if make is AdaBoostClassifier else 0.88
    assert ours.score(X, y) > least


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(1e-6, 1e6), min_size=20, max_size=20), st.floats(1e-200, 1e200))
def test_votes_weigh_and_k_counts_rows(weights: list[float], factor: float) -> None:
    X = np.arange(20.0)[:, None]
    y = np.arange(20) % 3
    model = vaglio.KNeighborsClassifier(5).fit(X, y, sample_weight=np.array(weights) * factor)
    rows = model.kneighbors(X, return_distance=False)
    votes = np.array(weights)[rows]
    for code in range(3):
        share = np.where(y[rows] == code, votes, 0).sum(axis=1) / votes.sum(axis=1)
        np.testing.assert_allclose(model.predict_proba(X)[:, code], share, rtol=1e-9, atol=1e-12)
