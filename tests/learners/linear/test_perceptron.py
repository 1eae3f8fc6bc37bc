import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from vaglio import Perceptron
from vaglio.errors import InputError

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
    with pytest.raises(InputError, match="not among"):
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
    with pytest.raises(InputError, match="fit a new estimator"):
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
