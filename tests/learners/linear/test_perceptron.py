"""The perceptron: its updates by hand, and with a penalty and rows held out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse as sp
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Theirs

import vaglio
from vaglio import Perceptron
from vaglio.errors import InputError, NotSupportedError

GATES = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def by_hand(X, y, rate, epochs):
    """The rule itself, one row at a time: w <- w + r (d - y) x with the bias as w0."""
    w = np.zeros(X.shape[1] + 1)
    for _ in range(epochs):
        for x, d in zip(np.column_stack([np.ones(len(X)), X]), y):
            w += rate * (d - int(w @ x > 0)) * x
    return w


def test_the_and_gate_by_hand():
    # r = 1 from zero: only the last row is wrong in the first pass, and gives w = (1, 1, 1).
    model = Perceptron(preprocess=None).fit(GATES, [0, 0, 0, 1])
    first = model.history_[0]
    assert first.errors.tolist() == [1]
    assert (first.intercept[0], *first.coef[0]) == (1.0, 1.0, 1.0)
    assert model.converged_
    assert model.history_[-1].mean_error == 0
    assert model.predict(GATES).tolist() == [0, 0, 0, 1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 19), st.integers(1, 4))
def test_same_weights_as_the_rule(seed, width, epochs):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(23, width)), rng.integers(0, 2, 23)
    y[:2] = 0, 1
    model = Perceptron(eta0=0.5, preprocess=None, max_iter=epochs, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    expected = by_hand(X, y, 0.5, model.n_iter_)
    np.testing.assert_allclose([model.intercept_[0], *model.coef_[0]], expected, atol=1e-12)


@pytest.mark.slow
def test_outputs_at_rest_and_outputs_seldom_wrong_learn_by_the_rule():
    # Whole numbers, whose sums are exact in any order. One class stands apart and comes to rest; of the others few rows
    # are wrong, so that both are answered for several rows at once.
    rng = np.random.default_rng(4)
    X = rng.integers(-40, 41, size=(300, 5)).astype(float)
    y = np.where(X[:, 0] > 20, 2, (X[:, 1] > 0).astype(int))
    X[y == 2, 0] += 200
    y[rng.choice(np.flatnonzero(y < 2), 3, replace=False)] = 0
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(preprocess=None, max_iter=60).fit(X, y)
    errors = np.array([epoch.errors for epoch in model.history_])
    assert not errors[-1, 2]
    assert 0 < errors[-1, 0] < 300 / 8
    for k in range(3):
        expected = by_hand(X, y == k, 1.0, model.n_iter_)
        assert [model.intercept_[k], *model.coef_[k]] == expected.tolist()


def test_inseparable_data_ends_with_a_warning():
    with pytest.warns(ConvergenceWarning, match="pass 7"):
        model = Perceptron(max_iter=7, preprocess=None).fit(GATES, [0, 1, 1, 0])
    assert not model.converged_
    assert model.n_iter_ == len(model.history_) == 7


def test_online_rows_one_by_one_equal_one_pass():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    online = Perceptron(preprocess=None)
    for x, label in zip(X, y):
        online.partial_fit(x[None, :], [label], classes=[0, 1, 2])
    with pytest.warns(ConvergenceWarning):
        offline = Perceptron(preprocess=None, max_iter=1).fit(X, y)
    np.testing.assert_allclose(online.coef_, offline.coef_)
    np.testing.assert_allclose(online.intercept_, offline.intercept_)


def test_more_classes_go_one_against_the_rest():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) * 0.2 + np.array([[0, 3], [3, 0], [-3, -3]])[y]
    model = Perceptron().fit(X, y)
    assert model.coef_.shape == (3, 2)
    assert model.converged_
    assert model.score(X, y) == 1


def test_sparse_rows_give_the_dense_result():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 9)) * (rng.random((40, 9)) < 0.3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    settings_ = {"preprocess": None, "max_iter": 20, "shuffle": True, "random_state": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dense, sparse = Perceptron(**settings_).fit(X, y), Perceptron(**settings_).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_)
    assert not hasattr(sparse, "predict_proba")


def test_random_start_depends_on_the_seed_alone():
    y = [0, 0, 0, 1]
    first = Perceptron(init="random", random_state=1).fit(GATES, y)
    np.testing.assert_array_equal(first.coef_, Perceptron(init="random", random_state=1).fit(GATES, y).coef_)
    assert not np.array_equal(first.coef_, Perceptron(init="random", random_state=2).fit(GATES, y).coef_)


def test_partial_fit_wants_the_classes_and_knows_them():
    with pytest.raises(InputError, match="first call"):
        Perceptron().partial_fit(GATES, [0, 0, 0, 1])
    model = Perceptron().partial_fit(GATES, [0, 0, 0, 1], classes=[0, 1])
    with pytest.raises(InputError, match="was not declared"):
        model.partial_fit(GATES, [0, 0, 0, 2])


def test_coefficients_apply_to_the_table():
    X = GATES * 100 + 7
    model = Perceptron().fit(X, [0, 0, 0, 1])
    frame = model.coefficients()
    values = X @ frame["coefficient"].to_numpy()[1:] + frame["coefficient"][0]
    np.testing.assert_allclose(values, model.decision_function(X))


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("label", [0, 1])
def test_numbers_that_are_not_finite_are_noticed_wherever_they_are(strange, label):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.repeat([0, 1], 100)
    X[y == 1] += 10
    X[np.flatnonzero(y == label)[50], 1] = strange
    with pytest.raises(InputError, match="NaN or infinity"):
        Perceptron(preprocess=None).fit(X, y)
    with pytest.raises(InputError, match="NaN or infinity"):
        Perceptron(preprocess=None).partial_fit(X, y, classes=[0, 1])


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_finite_numbers_whose_sum_overflows_are_learned_from():
    X = np.array([[1e308], [1e308], [-1e308], [-1e308]])
    model = Perceptron(preprocess=None, max_iter=5).fit(X, [1, 1, 0, 0])
    assert model.predict(X).tolist() == [1, 1, 0, 0]


def test_history_is_a_sequence_of_passes():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_iter=5).fit(X, y)
    assert len(model.history_) == model.n_iter_ == 5
    np.testing.assert_array_equal(model.history_[-1].coef, model.coef_)
    assert [epoch.mean_error for epoch in model.history_[3:]] == [
        model.history_[3].mean_error,
        model.history_[4].mean_error,
    ]
    with pytest.raises(IndexError):
        model.history_[5]
    shuffled = Perceptron(max_iter=3, shuffle=True)
    with pytest.warns(ConvergenceWarning):
        shuffled.fit(X, y)
    assert len(list(shuffled.history_)) == 3
    model.partial_fit(X, y)
    assert len(model.history_) == 6


def test_a_warm_start_goes_on_and_no_tolerance_goes_to_the_end():
    X, y = load_iris(return_X_y=True)
    whole = Perceptron(max_iter=9, tol=None).fit(X, y)
    assert whole.n_iter_ == 9
    assert not whole.converged_
    warm = Perceptron(max_iter=3, tol=None, warm_start=True)
    for _ in range(3):
        warm.fit(X, y)
    np.testing.assert_array_equal(warm.coef_, whole.coef_)
    np.testing.assert_array_equal(warm.intercept_, whole.intercept_)
    with pytest.raises(InputError, match="Fit a new estimator"):
        warm.fit(X[:, :2], y)
    assert Perceptron(tol=None, preprocess=None).fit(GATES, [0, 0, 0, 1]).converged_


def overlapping(n=120):
    rng = np.random.default_rng(3)
    return rng.normal(size=(n, 4)), rng.integers(0, 3, n)


@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"penalty": "l2"}, {"init": "random"}])
@pytest.mark.parametrize("patience", [1, 7, 30])
def test_training_ends_where_passes_make_no_fewer_errors(options, patience):
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match=f"{patience} passes without fewer errors"):
        ended = Perceptron(n_iter_no_change=patience, **options).fit(X, y)
    errors = [int(epoch.errors.sum()) for epoch in ended.history_]
    first_of_least = int(np.argmin(errors))
    assert not ended.converged_
    assert len(errors) == ended.n_iter_ == first_of_least + patience + 1
    for at in range(first_of_least):  # and not before
        assert min(errors[at + 1 : at + 1 + patience]) < min(errors[: at + 1])
    with pytest.warns(ConvergenceWarning, match="max_iter is too small"):
        whole = Perceptron(n_iter_no_change=None, max_iter=200, **options).fit(X, y)
    assert len(whole.history_) == 200
    assert [int(epoch.errors.sum()) for epoch in whole.history_][: len(errors)] == errors
    np.testing.assert_array_equal(whole.history_[len(errors) - 1].coef, ended.coef_)


def test_automatic_patience_waits_for_rows_held_out_alone():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match="max_iter is too small"):
        assert Perceptron(max_iter=300).fit(X, y).n_iter_ == 300
    held_out = Perceptron(early_stopping=True).fit(X, y)
    assert held_out.converged_
    scores = held_out.validation_scores_
    assert len(scores) == np.argmax(scores) + 6


PENALTIES = ["l2", "l1", "elasticnet"]


def some_rows(classes, n=120, seed=0):
    return make_classification(n, 6, n_informative=4, n_classes=classes, flip_y=0.1, random_state=seed)


def fitted(X, y, sample_weight=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return Perceptron(**options).fit(X, y, sample_weight=sample_weight)


def by_hand_with_penalty(X, y, rate, kept, due, passes):
    """The rule itself: every row shrinks the weights, a wrong one moves them, then each pays what it owes."""
    w, b, owed, paid = np.zeros(X.shape[1]), 0.0, 0.0, np.zeros(X.shape[1])
    for _ in range(passes):
        for x, d in zip(X, y):
            wrong = d - int(w @ x + b > 0)
            w = kept * w + rate * wrong * x
            b += rate * wrong
            owed += due
            before = w.copy()
            w = np.where(w > 0, np.maximum(0, w - (owed + paid)), np.where(w < 0, np.minimum(0, w + owed - paid), w))
            paid += w - before
    return w, b


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(PENALTIES), st.floats(1e-5, 0.5), st.floats(0, 1), st.integers(1, 3))
def test_same_weights_as_the_rule_with_a_penalty(seed, penalty, alpha, l1_ratio, passes):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(19, 3)), rng.integers(0, 2, 19)
    y[:2] = 0, 1
    options = {"penalty": penalty, "alpha": alpha, "l1_ratio": l1_ratio, "eta0": 0.5, "tol": None}
    model = fitted(X, y, preprocess=None, max_iter=passes, **options)
    ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio}[penalty]
    w, b = by_hand_with_penalty(X, y, 0.5, 1 - (1 - ratio) * 0.5 * alpha, ratio * 0.5 * alpha, model.n_iter_)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-9)
    assert model.intercept_[0] == pytest.approx(b)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_same_bits_as_scikit_learn_where_no_value_is_zero(penalty, classes, sparse):
    # The start is not zero, and the penalty too small to make all weights zero: scikit-learn takes a value of exactly
    # zero for an error of either class. Of sparse rows its bias takes smaller steps, so that here there is none.
    X, y = some_rows(classes)
    rows = sp.csr_array(X * (np.abs(X) > 0.5)) if sparse else X
    start = np.random.default_rng(1).normal(size=(1 if classes == 2 else classes, 6))
    options = {
        "penalty": penalty,
        "alpha": 0.0005,
        "l1_ratio": 0.4,
        "max_iter": 6,
        "tol": None,
        "fit_intercept": not sparse,
    }
    theirs = Theirs(shuffle=False, **options).fit(rows, y, coef_init=start.copy())
    ours = fitted(rows, y, preprocess=None, warm_start=True, **options)
    ours.coef_, ours.intercept_ = start, np.zeros(len(start))
    ours.fit(rows, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)


def test_a_penalty_of_strength_zero_is_none():
    X, y = some_rows(3)
    free, none = fitted(X, y, max_iter=5), fitted(X, y, max_iter=5, penalty="l1", alpha=0.0)
    np.testing.assert_array_equal(free.coef_, none.coef_)


def test_an_absolute_penalty_makes_coefficients_zero_and_a_quadratic_one_smaller():
    X, y = some_rows(2)
    free = fitted(X, y, max_iter=20)
    assert np.abs(fitted(X, y, max_iter=20, penalty="l2", alpha=0.1).coef_).sum() < np.abs(free.coef_).sum()
    assert (fitted(X, y, max_iter=20, penalty="l1", alpha=0.3).coef_ == 0).any()
    assert not (free.coef_ == 0).any()


@pytest.mark.parametrize("penalty", PENALTIES)
def test_history_and_convergence_mean_what_they_say(penalty):
    X, y = some_rows(3)
    model = fitted(X, y, max_iter=7, penalty=penalty, alpha=0.01)
    assert len(model.history_) == model.n_iter_ == 7
    assert not model.converged_
    np.testing.assert_array_equal(model.history_[-1].coef, model.coef_)
    np.testing.assert_array_equal(model.history_[-1].intercept, model.intercept_)
    shorter = fitted(X, y, max_iter=4, penalty=penalty, alpha=0.01)
    np.testing.assert_array_equal(model.history_[3].coef, shorter.coef_)
    np.testing.assert_array_equal(model.history_[3].errors, shorter.history_[3].errors)
    apart = np.where(y == 0, 50.0, -50.0)[:, None] + X
    separated = Perceptron(penalty=penalty).fit(apart, y == 0)
    assert separated.converged_
    assert separated.history_[-1].mean_error == 0


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_chunk_is_one_pass_from_the_present_weights(penalty):
    X, y = some_rows(3)
    options = {"penalty": penalty, "alpha": 0.01, "preprocess": None}
    online = Perceptron(**options).partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(online.coef_, fitted(X, y, max_iter=1, **options).coef_)
    online.partial_fit(X, y)
    warm = fitted(X, y, max_iter=1, warm_start=True, **options)
    with pytest.warns(ConvergenceWarning):
        warm.fit(X, y)
    np.testing.assert_array_equal(online.coef_, warm.coef_)
    assert online.n_iter_ == len(online.history_) == 2


def test_weights_scale_steps_and_those_of_zero_are_rows_left_out():
    X, y = some_rows(2)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    for options in ({"penalty": "elasticnet", "alpha": 0.01}, {"early_stopping": True}):
        without = fitted(X[weight > 0], y[weight > 0], max_iter=6, **options)
        np.testing.assert_array_equal(fitted(X, y, weight, max_iter=6, **options).coef_, without.coef_)


@pytest.mark.parametrize("strange", [np.nan, np.inf])
@pytest.mark.parametrize("options", [{"penalty": "l2"}, {"penalty": "l1"}, {"early_stopping": True}])
def test_numbers_that_are_not_finite_are_noticed_with_a_penalty_or_rows_held_out(strange, options):
    for row in range(8):
        X, y = some_rows(2, n=40)
        X[row, 1] = strange
        with pytest.raises(InputError, match="NaN or infinity"):
            fitted(X, y, preprocess=None, **options)


def test_a_later_chunk_with_numbers_that_are_not_finite_is_refused():
    X, y = some_rows(2, n=40)
    model = Perceptron(penalty="l2", preprocess=None).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InputError, match="NaN or infinity"):
        model.partial_fit(np.where(X.max() == X, np.nan, X), y)


def test_coefficients_that_overflow_are_refused():
    X, y = some_rows(2)
    with pytest.raises(InputError, match="coefficients diverged"):
        fitted(X * 1e200, y, preprocess=None, penalty="l2", eta0=1e200)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_training_ends_when_the_rows_held_out_are_predicted_no_better(classes, sparse):
    X, y = some_rows(classes, n=300)
    X = sp.csr_array(X) if sparse else X
    options = {
        "early_stopping": True,
        "preprocess": None,
        "n_iter_no_change": 3,
        "tol": 0.01,
        "validation_fraction": 0.2,
    }
    model = Perceptron(**options).fit(X, y)
    scores = model.validation_scores_
    assert model.converged_
    assert len(scores) == model.n_iter_ == len(model.history_) < model.max_iter
    best = np.maximum.accumulate([-np.inf, *scores[:-1]])
    rose = [score >= before + model.tol for score, before in zip(scores, best)]
    assert not any(rose[-3:])
    assert all(any(rose[i - 2 : i + 1]) for i in range(2, len(rose) - 1))
    # A pass is over the other rows: four fifths of them.
    wrong = model.history_[-1]
    assert wrong.mean_error == pytest.approx(wrong.errors.max() / 240)


def test_rows_held_out_are_drawn_by_the_seed_and_move_nothing():
    X, y = some_rows(2, n=200)
    first = fitted(X, y, early_stopping=True, random_state=1)
    np.testing.assert_array_equal(first.coef_, fitted(X, y, early_stopping=True, random_state=1).coef_)
    assert not np.array_equal(first.coef_, fitted(X, y, early_stopping=True, random_state=2).coef_)
    assert fitted(X, y).validation_scores_ is None


def test_tiny_tables_hold_out_no_row():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 1]
    tiny = fitted(X, y, early_stopping=True)
    np.testing.assert_array_equal(tiny.coef_, fitted(X, y).coef_)
    assert tiny.validation_scores_ == []
    # A class of one row cannot be divided by class.
    assert fitted(np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1], early_stopping=True).n_iter_ > 0


def test_what_ends_too_early_and_what_needs_all_rows_is_told():
    X, y = some_rows(2, n=200)
    with pytest.warns(ConvergenceWarning, match="rows held out.*raise max_iter"):
        Perceptron(early_stopping=True, max_iter=2).fit(X, y)
    with pytest.raises(NotSupportedError, match="early_stopping must be"):
        Perceptron(early_stopping=True).partial_fit(X, y, classes=[0, 1])


def test_tables_with_categories_and_missing_values():
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = fitted(X, y, penalty="elasticnet", early_stopping=True)
    assert model.score(X, y) > 0.9
    assert len(model.explain(X[:1])) == 1
