"""Every public estimator passes scikit-learn's own checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils import estimator_checks
from sklearn.utils._param_validation import Interval
from sklearn.utils.estimator_checks import parametrize_with_checks

import vaglio

from .estimators import all_estimators, classifiers, name_of, one_per_kind, others_nightly, regressors

# Estimator -> check -> why it cannot hold. An entry without a reason is no entry.
_EQUIVALENCE = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
_SAMPLES = dict.fromkeys(_EQUIVALENCE, "draws rows: one drawn twice is not one of weight two")
_COUNTS = dict.fromkeys(_EQUIVALENCE, "a statistic takes weights scaled to the number of rows")
_ROWS = dict.fromkeys(_EQUIVALENCE, "k counts rows, whatever they weigh")
_FOLDS = dict.fromkeys(_EQUIVALENCE, "deals rows out to folds, and counts the rows of a leaf")
_PURE = {"check_class_weight_classifiers": "fully grown members fit every training row, however light"}
_LIGHT = {
    "check_class_weight_classifiers": "its leaves have no least weight: a light class gets those that cost nothing"
}
_REWEIGHTED = {"check_class_weight_classifiers": "rounds raise the weights of the rows that the light classes lose"}
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "AQClassifier": _COUNTS,
    "AdaBoostClassifier": _COUNTS | _REWEIGHTED,
    "AdaBoostRegressor": _SAMPLES,
    "BaggingClassifier": _SAMPLES | _PURE,
    "BaggingRegressor": _SAMPLES,
    "C45Classifier": _COUNTS,
    "CN2Classifier": _COUNTS,
    "ExplainableBoostingClassifier": _FOLDS,
    "ExplainableBoostingRegressor": _FOLDS,
    "FOILClassifier": _COUNTS,
    "HistGradientBoostingClassifier": _FOLDS,
    "HistGradientBoostingRegressor": _FOLDS,
    "KNeighborsClassifier": _ROWS,
    "KNeighborsRegressor": _ROWS,
    "OptimalTreeClassifier": _LIGHT,
    "RIPPERClassifier": _COUNTS,
    "BayesianNetworkClassifier": _COUNTS,
    "GaussianMixtureClassifier": _COUNTS,
    "NaiveBayesClassifier": _COUNTS,
    "JointBayesClassifier": {
        "check_sample_weight_equivalence_on_dense_data": "its fifteen columns make more cells than max_cells: refused",
    },
    "ModelTreeRegressor": _COUNTS,
    "MultinomialNB": {"check_class_weight_classifiers": "it feeds negative numbers, which counts cannot be"},
    "RandomForestClassifier": _SAMPLES,
    "VotingClassifier": _COUNTS,
    "VotingRegressor": dict.fromkeys(_EQUIVALENCE, "its tree and its neighbours deal rows out to folds"),
    "RandomForestRegressor": _SAMPLES,
    "Perceptron": dict.fromkeys(
        _EQUIVALENCE,
        "rows are visited one after the other: another order, or a row twice, is another path",
    ),
}


def _expected(estimator: Any) -> dict[str, str]:
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


REPRESENTATIVES = one_per_kind()
OTHERS = [e for e in all_estimators() if type(e) not in {type(chosen) for chosen in REPRESENTATIVES}]


@pytest.mark.slow
@parametrize_with_checks(REPRESENTATIVES, expected_failed_checks=_expected)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.nightly
@parametrize_with_checks(OTHERS, expected_failed_checks=_expected)
def test_scikit_learn_check_of_further_learners(estimator: Any, check: Any) -> None:
    check(estimator)


# Checks that run a fit and a prediction, and what surrounds them: every learner takes them, in a moment.
SHORT = (
    estimator_checks.check_estimators_overwrite_params,
    estimator_checks.check_estimators_pickle,
    estimator_checks.check_n_features_in_after_fitting,
    estimator_checks.check_fit2d_predict1d,
    estimator_checks.check_methods_subset_invariance,
)


@pytest.mark.parametrize("estimator", all_estimators(), ids=name_of)
def test_the_shortest_checks_of_scikit_learn(estimator: Any) -> None:
    for check in SHORT:
        check(type(estimator).__name__, clone(estimator))


def test_every_expected_failure_has_a_reason() -> None:
    names = {type(estimator).__name__ for estimator in all_estimators()}
    assert set(EXPECTED_FAILURES) <= names
    assert all(reason for checks in EXPECTED_FAILURES.values() for reason in checks.values())


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(classifiers()), ids=name_of)
def test_scikit_learn_calibrates_it_on_a_table_with_names_and_gaps(estimator: Any) -> None:
    """CalibratedClassifierCV takes every classifier, with nominal and missing values where the learner takes them."""
    random = np.random.default_rng(0)
    y = np.tile(["no", "yes"], 30)
    X = pd.DataFrame(
        {"count": random.poisson(np.where(y == "yes", 5, 2)), "present": (y == "yes") ^ (random.random(60) < 0.2)}
    )
    if not isinstance(estimator, (vaglio.MultinomialNB, vaglio.BernoulliNB)):
        X["colour"] = pd.Series(np.where(random.random(60) < 0.7, y, "red")).mask(random.random(60) < 0.1)
    model = CalibratedClassifierCV(clone(estimator), method="sigmoid", cv=2).fit(X, y)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert set(model.predict(X)) <= {"no", "yes"}
    assert probability[y == "yes", 1].mean() > probability[y == "no", 1].mean()


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [e for e in all_estimators() if hasattr(e, "predict")], ids=name_of)
@pytest.mark.parametrize("preprocess", ["auto", None])
def test_tags_tell_whether_missing_values_and_words_are_taken(estimator: Any, preprocess: str | None):
    if preprocess is None:
        if "preprocess" not in estimator.get_params():
            pytest.skip("has no such parameter")
        estimator = clone(estimator).set_params(preprocess=None)
    rng = np.random.default_rng(0)
    missing = np.abs(rng.normal(size=(40, 3)))
    missing[0, 0] = np.nan
    words = pd.DataFrame({"a": np.abs(rng.normal(size=40)), "b": ["x", "y"] * 20})
    y = np.arange(40) % 2
    tags = estimator.__sklearn_tags__().input_tags
    for rows, taken in ((missing, tags.allow_nan), (words, tags.categorical)):
        if taken:
            clone(estimator).fit(rows, y)
        else:
            with pytest.raises(vaglio.errors.InputError, match="preprocess"):
                clone(estimator).fit(rows, y)


@pytest.mark.parametrize("estimator", all_estimators(), ids=name_of)
def test_a_number_of_something_and_a_share_of_it_are_told_apart(estimator: Any):
    # scikit-learn's own check of the limits refuses lists where 1 could be both.
    for name, limits in estimator._parameter_constraints.items():
        kinds = {limit.type.__name__ for limit in limits if isinstance(limit, Interval)}
        assert kinds != {"Integral", "Real"}, name


@pytest.mark.parametrize("estimator", classifiers() + regressors(), ids=name_of)
def test_several_targets_are_refused_with_what_to_do(estimator: Any) -> None:
    X = np.arange(24.0).reshape(12, 2)
    with pytest.raises(
        vaglio.errors.InputError, match=r"shape \(12, 2\) instead.* one target. Train one estimator per col"
    ):
        clone(estimator).fit(X, np.arange(24).reshape(12, 2) % 2)
