"""Gradient boosting: scikit-learn's predictions at its settings, constraints that hold, the same bytes anywhere."""

from __future__ import annotations

import math
import sqlite3

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import ensemble as peers
from sklearn.datasets import make_classification, make_friedman1
from threadpoolctl import threadpool_limits

import vaglio
from vaglio import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from vaglio.errors import InputError
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.boosting.estimators.rounds import best_round, stops

LOSSES = ["squared_error", "absolute_error", "poisson", "quantile", "gamma"]
# The settings of scikit-learn, and what it has no word for.
WHOLE = {"subsample": 1.0, "max_features": 1.0}
PEER = {
    **WHOLE,
    "min_samples_leaf": 20,
    "l2_regularization": 0.0,
    "early_stopping": False,
    "learning_rate": 0.1,
    "max_bins": 255,
}


def table(n=1200, classes=2, holes=0.0, seed=0):
    X, y = make_classification(n, 8, n_informative=5, n_classes=classes, random_state=seed)
    X[np.random.default_rng(seed).random(X.shape) < holes] = np.nan
    return X, y


def weights(n):
    drawn = np.random.default_rng(0).uniform(0.5, 2.0, n)
    return drawn * n / drawn.sum()


def arrays_of(model):
    arrays, _ = model.fitted_.model.state()
    return b"".join(arrays[name].tobytes() for name in sorted(arrays))


@pytest.fixture(autouse=True)
def one_thread_of_the_peer():
    """Threads of OpenMP wait in loops: on a busy machine they take most of the time."""
    with threadpool_limits(1, "openmp"):
        yield


# -- the peer ----------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("options", [{}, {"max_depth": 3}, {"max_leaf_nodes": 5}])
def test_the_scores_of_the_peer_at_its_settings(classes, holes, options):
    # In the first round all rows of a class have one gradient, so that splits tie; the peer's sums of floats break the
    # tie by their rounding, ours by the order of columns and thresholds. Weights leave no ties. The peer's quantiles
    # depend on the weights: with few distinct values there are none.
    X, y = table(classes=classes, holes=holes)
    X = X.round(1)
    weight = weights(len(y))
    theirs = peers.HistGradientBoostingClassifier(max_iter=6, early_stopping=False, **options).fit(X, y, weight)
    ours = HistGradientBoostingClassifier(**{"max_iter": 6, "max_leaf_nodes": 31, **PEER, **options})
    ours._middle_of_gaps = False
    np.testing.assert_allclose(ours.fit(X, y, weight).decision_function(X), theirs.decision_function(X), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_numbers_of_the_peer_for_every_loss(loss, weighted):
    X, y = make_friedman1(800, random_state=0)
    y = np.abs(y) + 0.1
    X = X.round(2)
    weight = weights(len(y)) if weighted else None
    shared = {"loss": loss, "quantile": 0.3 if loss == "quantile" else None, "max_iter": 6}
    # Gradients that are signs make pure nodes, where every split gains nothing but the rounding of the peer's sums.
    shared |= {"max_leaf_nodes": 4, "max_iter": 3} if loss in ("absolute_error", "quantile") else {}
    theirs = peers.HistGradientBoostingRegressor(early_stopping=False, **shared).fit(X, y, weight)
    ours = HistGradientBoostingRegressor(**{"max_leaf_nodes": 31, **PEER, **shared})
    ours._middle_of_gaps = False
    np.testing.assert_allclose(ours.fit(X, y, weight).predict(X), theirs.predict(X), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_as_accurate_as_the_peer_on_rows_it_has_not_seen():
    X, y = table(1600, classes=3)
    ours = HistGradientBoostingClassifier(random_state=0).fit(X[:800], y[:800]).score(X[800:], y[800:])
    theirs = peers.HistGradientBoostingClassifier(random_state=0).fit(X[:800], y[:800]).score(X[800:], y[800:])
    assert ours > theirs - 0.03


# -- order and threads -------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, WHOLE])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_same_bytes_for_any_number_of_threads(options, classes):
    X, y = table(5000, classes=classes, holes=0.1)
    frame = pd.DataFrame(X).add_prefix("x").assign(kind=pd.Series(np.digitize(X[:, 0], [-1, 0, 1])).map(str))
    made = [
        HistGradientBoostingClassifier(max_iter=4, early_stopping=False, random_state=3, n_jobs=n_jobs, **options)
        for n_jobs in (1, 2, 7)
    ]
    one, *others = [arrays_of(model.fit(frame, y)) for model in made]
    assert others == [one, one]


def test_sums_have_no_order():
    X, y = table(4000)
    order = np.random.default_rng(0).permutation(len(y))
    options = {"max_iter": 5, "early_stopping": False, "random_state": 0, **WHOLE}
    first = HistGradientBoostingClassifier(**options).fit(X, y)
    second = HistGradientBoostingClassifier(**options).fit(X[order], y[order])
    assert arrays_of(first) == arrays_of(second)


# -- constraints -------------------------------------------------------------------------------------------------------
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, -1]), st.sampled_from(LOSSES[:3]))
def test_monotonic_constraints_hold_against_the_data(seed, direction, loss):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (150, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(-direction * X[:, 0] + 3 * np.sin(X[:, 1]) * X[:, 0]) + rng.normal(0, 2, len(X))
    y = np.abs(y) if loss == "poisson" else y
    model = HistGradientBoostingRegressor(
        loss=loss, max_iter=8, early_stopping=False, learning_rate=0.5, min_samples_leaf=2, l2_regularization=0.1,
        monotonic_cst=[direction, 0, 0],
    ).fit(X, y)  # fmt: skip
    grid = np.repeat(X[:20], 13, axis=0)
    grid[:, 0] = np.tile(np.arange(13.0), 20)
    steps = np.diff(model.predict(grid).reshape(20, 13), axis=1) * direction
    assert steps.min() >= -1e-9


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_columns_that_may_not_meet_share_no_path(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 0] * X[:, 3]
    model = HistGradientBoostingRegressor(
        max_iter=6, early_stopping=False, min_samples_leaf=2, interaction_cst=[{0, 1}, {1, 2}]
    ).fit(X, y)
    allowed = [{0, 1}, {1, 2}, {3}]
    for (tree,) in model.estimators_:
        for leaf in np.flatnonzero(tree.is_leaf).tolist():
            path = set()
            while (leaf := int(tree.parent[leaf])) >= 0:
                path.add(int(tree.feature[leaf]))
            assert any(path <= group for group in allowed)


def test_no_interactions_make_the_score_a_sum_of_columns():
    X, y = table(600)
    model = HistGradientBoostingClassifier(max_iter=20, early_stopping=False, interaction_cst="no_interactions").fit(
        X, y
    )
    base, both = X[:1].repeat(4, axis=0), X[1]
    base[1, 0] = base[3, 0] = both[0]
    base[2, 1] = base[3, 1] = both[1]
    plain, first, second, together = model.decision_function(base)
    assert together - first == pytest.approx(second - plain, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"monotonic_cst": [1]}, "shape"),
        ({"monotonic_cst": {"nothing": 1}}, "nothing"),
        ({"monotonic_cst": {"kind": 1}}, "nominal"),
        ({"interaction_cst": [{"size", "kin"}]}, "kind"),
        ({"interaction_cst": [{9}]}, "below 2"),
        ({"interaction_cst": [0, 1]}, "sequence of tuples or lists"),
    ],
)
def test_constraints_that_make_no_sense_are_refused(options, message):
    X = pd.DataFrame({"size": np.arange(40.0), "kind": list("ab") * 20})
    with pytest.raises(InputError, match=message):
        HistGradientBoostingClassifier(**options).fit(X, np.arange(40) % 2)


# -- nominal and missing values ----------------------------------------------------------------------------------------
def test_one_split_of_a_nominal_column_is_the_best_of_all_subsets():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 6, 300)
    y = rng.normal(size=6)[codes] + rng.normal(0, 0.3, 300)
    frame = pd.DataFrame({"kind": pd.Series(codes).map("abcdef".__getitem__)})
    model = HistGradientBoostingRegressor(
        max_iter=1, early_stopping=False, max_leaf_nodes=2, min_samples_leaf=1, l2_regularization=0.0,
        learning_rate=1.0, high_cardinality=None, **WHOLE,
    ).fit(frame, y)  # fmt: skip
    error = ((model.predict(frame) - y) ** 2).sum()
    best = math.inf
    for bits in range(1, 31):
        left = (bits >> codes & 1).astype(bool)
        best = min(best, sum(((y[side] - y[side].mean()) ** 2).sum() for side in (left, ~left) if side.any()))
    assert error == pytest.approx(best, rel=1e-6)


def test_a_column_of_thousands_of_values_is_split_and_noise_does_not_win():
    rng = np.random.default_rng(0)
    n = 6000
    town = rng.integers(0, 3000, n)
    useful = rng.normal(size=n)
    y = (useful + rng.normal(0, 0.5, n) > 0).astype(int)
    frame = pd.DataFrame({"town": [f"t{code}" for code in town], "useful": useful})
    free, model = (
        HistGradientBoostingClassifier(
            max_iter=30, early_stopping=False, random_state=0, high_cardinality=guard, **WHOLE
        ).fit(frame[:4000], y[:4000])
        for guard in (None, 0.0)
    )
    assert model.feature_importances_[0] < 0.1 < free.feature_importances_[0]
    assert model.score(frame[4000:], y[4000:]) > 0.8


def test_missing_values_go_where_they_lower_the_loss():
    x = np.r_[np.zeros(50), np.ones(50), np.full(50, np.nan)]
    for wanted in (0.0, 1.0):
        y = np.r_[np.zeros(50), np.ones(50), np.full(50, wanted)]
        model = HistGradientBoostingRegressor(
            max_iter=1, early_stopping=False, learning_rate=1.0, l2_regularization=0.0, max_leaf_nodes=2, **WHOLE
        ).fit(x[:, None], y)
        np.testing.assert_allclose(model.predict([[0.0], [1.0], [np.nan]]), [0.0, 1.0, wanted], atol=1e-9)


# -- rounds ------------------------------------------------------------------------------------------------------------
def test_stages_lead_to_the_prediction():
    X, y = table(300, classes=3)
    model = HistGradientBoostingClassifier(max_iter=7, early_stopping=False).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_iter_ == 7
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    np.testing.assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("how", ["folds", True])
def test_rounds_are_those_of_least_loss_on_rows_held_out(how):
    X, y = table(400)
    y = np.where(np.random.default_rng(0).random(400) < 0.2, 1 - y, y)
    model = HistGradientBoostingClassifier(early_stopping=how, random_state=0, max_iter=200).fit(X, y)
    assert model.n_iter_ == np.argmax(model.validation_score_) < 200
    assert model.train_score_[-1] > model.train_score_[0]


def test_the_search_ends_when_nothing_gets_better():
    losses = np.array([1.0, 0.5, 0.4, 0.41, 0.42])
    assert [stops(losses, patience, 0.0) for patience in (2, 3)] == [True, False]
    assert not stops(losses[:3], 2, 0.0)
    assert [best_round(losses, tol) for tol in (0.0, 0.2)] == [2, 1]


def test_going_on_is_the_same_as_not_stopping():
    X, y = table(500, classes=3)
    frame = pd.DataFrame(X).add_prefix("x").assign(kind=pd.Series(X[:, 0] > 0).map(str))
    whole = HistGradientBoostingClassifier(max_iter=9, early_stopping=False, random_state=0).fit(frame, y)
    parts = HistGradientBoostingClassifier(max_iter=4, warm_start=True, random_state=0).fit(frame, y)
    parts.set_params(max_iter=9).fit(frame, y)
    np.testing.assert_allclose(parts.predict_proba(frame), whole.predict_proba(frame), atol=1e-9)
    with pytest.raises(InputError, match="already has 9 rounds"):
        parts.set_params(max_iter=3).fit(frame, y)


# -- the model in other rooms ------------------------------------------------------------------------------------------
def test_contributions_of_columns_add_up_to_the_margin():
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = HistGradientBoostingClassifier(max_iter=20, early_stopping=False).fit(X, y)
    raw = model.decision_function(X[:20])
    for explanation, scores in zip(model.explain(X[:20], counterfactual=False), raw):
        first, second = np.sort(scores)[::-1][:2]
        weights = sum(reason.weight for reason in (*explanation.reasons, *explanation.against))
        assert explanation.total == pytest.approx(first - second, abs=1e-9)
        assert weights == pytest.approx(first - second, abs=1e-9)


def test_programs_predict_as_the_model_does():
    X, y = vaglio.datasets.load("penguins").xy("species")
    frame = X.to_frame().head(60)
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    costs = [[0.0, 9.0, 1.0], [1.0, 0.0, 1.0], [1.0, 5.0, 0.0]]
    for cost in (None, costs):
        model = HistGradientBoostingClassifier(max_iter=6, early_stopping=False).fit(X, y).fitted_
        model = model if cost is None else model.with_cost(cost)
        names: dict = {}
        exec(model.export("python"), names)
        assert [names["classify"](row) for row in records] == model.predict(frame).tolist()
        chances = [list(names["classify"](row, probabilities=True).values()) for row in records]
        np.testing.assert_allclose(chances, model.predict_proba(frame), atol=1e-12)
        base = sqlite3.connect(":memory:")
        base.create_function("EXP", 1, math.exp)
        frame.to_sql("data", base, index=False)
        assert [row[-1] for row in base.execute(model.export("sql"))] == model.predict(frame).tolist()


def test_losses_that_need_other_numbers_say_so():
    X = np.arange(10.0)[:, None]
    with pytest.raises(InputError, match="positive"):
        HistGradientBoostingRegressor(loss="gamma").fit(X, np.zeros(10))
    with pytest.raises(InputError, match="at least 0"):
        HistGradientBoostingRegressor(loss="poisson").fit(X, -np.ones(10))
    with pytest.raises(InputError, match="quantile="):
        HistGradientBoostingRegressor(loss="quantile").fit(X, np.ones(10))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1.0, 1e150, 1e300])
@pytest.mark.parametrize("rate", [1e-300, 0.5, 1e30, 1e300])
def test_what_grows_beyond_all_numbers_is_refused(rate, size):
    rng = np.random.default_rng(0)
    X, number = rng.normal(size=(40, 2)), rng.normal(size=40)
    options = {"learning_rate": rate, "max_iter": 30, "min_samples_leaf": 2, "early_stopping": False}
    for estimator, y in (
        (HistGradientBoostingRegressor(**options), number * size),
        (HistGradientBoostingRegressor(loss="poisson", **options), np.abs(number) * size),
        (HistGradientBoostingClassifier(**options), number > 0),
        (HistGradientBoostingClassifier(**options), np.digitize(number, [-0.5, 0.5])),
    ):
        try:
            fitted = estimator.fit(X, y).fitted_
        except InputError as error:
            assert max(rate, size) > 1
            assert "smaller learning_rate" in str(error)
            continue
        again = from_bytes(to_bytes(fitted))
        assert np.array_equal(again.predict(X), fitted.predict(X))
        assert fitted.classes is not None or np.isfinite(again.predict(X)).all()
