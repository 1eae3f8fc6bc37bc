import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse as sp
from scipy.special import expit, logsumexp
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as ScikitLearn

from vaglio import LogisticRegression
from vaglio.errors import DataWarning
from vaglio.learners.linear.estimators import logistic_solver
from vaglio.learners.linear.estimators.logistic_solver import LogisticProblem


def table(n=300, d=8, classes=3, seed=0):
    X, y = make_classification(n, d, n_informative=5, n_classes=classes, random_state=seed)
    return X * np.exp(np.linspace(-1, 1, d)), y


def objective(model, X, y, C=1.0, l1_ratio=0.0):
    values = X @ model.coef_.T + model.intercept_
    if values.shape[1] == 1:
        values = np.column_stack([np.zeros(len(values)), values])
    loss = (logsumexp(values, axis=1) - values[np.arange(len(y)), y]).sum()
    absolute, squared = np.abs(model.coef_).sum(), (model.coef_**2).sum()
    return C * loss + l1_ratio * absolute + (1 - l1_ratio) / 2 * squared


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, pytest.param(1.0, marks=pytest.mark.nightly), 100.0])
@pytest.mark.parametrize("solver", ["newton-cholesky", "lbfgs"])
def test_loss_is_at_most_scikit_learns(classes, C, solver):
    X, y = table(classes=classes)
    ours = LogisticRegression(C=C, preprocess=None, solver=solver).fit(X, y)
    peer = ScikitLearn(C=C, tol=1e-8, max_iter=5000).fit(X, y)
    assert objective(ours, X, y, C) <= objective(peer, X, y, C) * (1 + 1e-8)
    assert ours.loss_ == pytest.approx(objective(ours, X, y, C))
    assert ours.converged_


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("classes", [2, 3])
def test_absolute_penalties_against_scikit_learn(l1_ratio, classes):
    X, y = table(classes=classes)
    X = (X - X.mean(0)) / X.std(0)
    ours = LogisticRegression(C=0.1, l1_ratio=l1_ratio, preprocess=None).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = ScikitLearn(C=0.1, l1_ratio=l1_ratio, solver="saga", tol=1e-7, max_iter=20000).fit(X, y)
    ceiling = objective(peer, X, y, 0.1, l1_ratio) * (1 + 1e-8)
    assert objective(ours, X, y, 0.1, l1_ratio) <= ceiling
    by_gradient = LogisticRegression(C=0.1, l1_ratio=l1_ratio, preprocess=None, solver="lbfgs").fit(X, y)
    assert objective(by_gradient, X, y, 0.1, l1_ratio) <= ceiling * (1 + 1e-6)
    if l1_ratio == 1:
        assert (ours.coef_ == 0).any()


def test_many_rows_use_a_sampled_curvature_and_reach_the_same_minimum(monkeypatch):
    X, y = table(3000)
    exact = LogisticRegression(preprocess=None).fit(X, y)
    lasso = LogisticRegression(preprocess=None, penalty="l1", C=0.05).fit(X, y)
    monkeypatch.setattr(logistic_solver, "_SAMPLE_ROWS", 200)
    sampled = LogisticRegression(preprocess=None).fit(X, y)
    assert objective(sampled, X, y) <= objective(exact, X, y) * (1 + 1e-9)
    sampled = LogisticRegression(preprocess=None, penalty="l1", C=0.05).fit(X, y)
    assert objective(sampled, X, y, 0.05, 1.0) <= objective(lasso, X, y, 0.05, 1.0) * (1 + 1e-8)


@pytest.mark.parametrize("outputs", [1, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_curvature_against_its_definition(outputs, weighted, fit_intercept):
    rng = np.random.default_rng(outputs)
    X, theta = rng.normal(size=(261, 11)), rng.normal(size=(outputs, 12))
    theta[:, -1] *= fit_intercept
    labels = rng.integers(0, max(outputs, 2), 261).astype(np.int32)
    weight = rng.random(261) if weighted else None
    problem = LogisticProblem(X, labels, weight, outputs, 0.0, 0.3, fit_intercept)
    values = X @ theta[:, :-1].T + theta[:, -1]
    chance = expit(values) if outputs == 1 else np.exp(values - logsumexp(values, axis=1, keepdims=True))
    share = np.ones(261) if weight is None else weight
    wide = np.column_stack([X, np.full(261, float(fit_intercept))])
    between = np.eye(outputs) * chance[:, :, None] - chance[:, :, None] * chance[:, None, :]
    expected = np.einsum("n,nkl,ni,nj->kilj", share / share.sum(), between, wide, wide)
    expected = expected.reshape(theta.size, theta.size) + np.diag(np.tile([0.3] * 11 + [0.0], outputs))
    if not fit_intercept:
        fixed = np.arange(11, theta.size, 12)
        expected[fixed, fixed] = 1.0
    value, slopes, hessian = problem.curved(theta)
    np.testing.assert_allclose(hessian, expected, atol=1e-13)
    assert (value, slopes.tobytes()) == (problem.smooth(theta)[0], problem.smooth(theta)[1].tobytes())
    sparse = LogisticProblem(sp.csr_array(X), labels, weight, outputs, 0.0, 0.3, fit_intercept)
    assert sparse.curved(theta)[2].tobytes() == hessian.tobytes()


def test_probabilities_have_the_right_sign():
    X = np.linspace(-3, 3, 40)[:, None]
    y = (X[:, 0] + np.sin(7 * X[:, 0]) > 0).astype(int)
    model = LogisticRegression(preprocess=None).fit(X, y)
    assert model.coef_[0, 0] > 0
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(X[:, 0] * model.coef_[0, 0] + model.intercept_))


def test_separable_data_without_a_penalty_is_reported():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    with pytest.warns(DataWarning, match="separate"):
        assert LogisticRegression(penalty=None).fit(X, y).separated_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not LogisticRegression().fit(X, y).separated_


def test_too_few_iterations_are_reported():
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="after 1 iteration"):
        assert not LogisticRegression(max_iter=1).fit(X, y).converged_


def test_odds_ratios_and_errors_of_a_two_by_two_table():
    # Exposed: 30 ill, 10 well; not exposed: 20 ill, 40 well. The odds ratio is (30·40)/(10·20) = 6, and the standard
    # error of its logarithm is sqrt(1/30 + 1/10 + 1/20 + 1/40).
    exposed = np.repeat([1.0, 1.0, 0.0, 0.0], [30, 10, 20, 40])
    ill = np.repeat([1, 0, 1, 0], [30, 10, 20, 40])
    frame = pd.DataFrame({"exposed": exposed})
    line = LogisticRegression(penalty=None).fit(frame, ill).coefficients().set_index("name").loc["exposed"]
    error = np.sqrt(1 / 30 + 1 / 10 + 1 / 20 + 1 / 40)
    assert line["odds_ratio"] == pytest.approx(6)
    assert line["std_error"] == pytest.approx(error)
    assert line["odds_ratio_low"] == pytest.approx(np.exp(np.log(6) - 1.959963984540054 * error))
    intercept = LogisticRegression(penalty=None).fit(frame, ill).coefficients().set_index("name").loc["(intercept)"]
    assert intercept["coefficient"] == pytest.approx(np.log(20 / 40))
    assert intercept["std_error"] == pytest.approx(np.sqrt(1 / 20 + 1 / 40))


def test_first_category_is_the_reference_without_a_penalty():
    frame = pd.DataFrame({"colour": ["blue", "green", "red"] * 20})
    y = (np.arange(60) % 7 < 3).astype(int)
    names = LogisticRegression(penalty=None).fit(frame, y).coefficients()["name"].tolist()
    assert names == ["(intercept)", "colour=green", "colour=red"]
    assert "colour=blue" in LogisticRegression().fit(frame, y).coefficients()["name"].tolist()


def test_minibatch_comes_near_the_minimum():
    X, y = table(600, classes=3)
    full = LogisticRegression().fit(X, y)
    mini = LogisticRegression(solver="minibatch").fit(X, y)
    assert mini.loss_ <= full.loss_ * 1.02
    assert mini.converged_
    lasso = LogisticRegression(solver="minibatch", penalty="l1", C=0.02, learning_rate="constant", eta0=0.1).fit(X, y)
    assert (lasso.coef_ == 0).any()


def test_chunks_of_a_larger_table():
    X, y = table(2000, classes=2)
    model = LogisticRegression()
    for _ in range(5):
        for rows in np.array_split(np.arange(2000), 10):
            model.partial_fit(X[rows], y[rows], classes=[0, 1])
    whole = LogisticRegression().fit(X, y)
    assert model.score(X, y) > whole.score(X, y) - 0.02
    assert "std_error" not in model.coefficients()


@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_rows_give_the_dense_result(classes):
    rng = np.random.default_rng(0)
    X, y = table(classes=classes)
    X = X * (rng.random(X.shape) < 0.4)
    weight = rng.random(len(X))
    dense = LogisticRegression(preprocess=None).fit(X, y, weight)
    sparse = LogisticRegression().fit(sp.csr_array(X), y, weight)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-6)
    np.testing.assert_allclose(dense.predict_proba(X), sparse.predict_proba(sp.csr_array(X)), atol=1e-6)


def test_any_number_of_threads_gives_the_same_bits():
    X, y = table(20_000)
    results = [LogisticRegression(n_jobs=jobs).fit(X, y).coef_.tobytes() for jobs in (1, 2, 5)]
    assert len(set(results)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["newton-cg", "sag", "saga", "liblinear", "newton-cholesky", "lbfgs"])
def test_one_minimum_by_every_name(solver):
    X, y = table(classes=2)
    ours = LogisticRegression(solver=solver, preprocess=None, tol=1e-8).fit(X, y)
    theirs = ScikitLearn(solver=solver, tol=1e-10, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("scaling", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_penalised_intercept_is_the_coefficient_of_a_constant_column(scaling, l1_ratio):
    X, y = table(classes=2)
    settings = {"l1_ratio": l1_ratio, "C": 0.2, "preprocess": None, "tol": 1e-8}
    penalised = LogisticRegression(solver="liblinear", intercept_scaling=scaling, **settings).fit(X, y)
    constant = np.column_stack([X, np.full(len(X), scaling)])
    column = LogisticRegression(fit_intercept=False, **settings).fit(constant, y)
    np.testing.assert_allclose(penalised.coef_[0], column.coef_[0, :-1], atol=1e-6)
    np.testing.assert_allclose(penalised.intercept_[0], column.coef_[0, -1] * scaling, atol=1e-6)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "sag"])
def test_a_warm_start_from_no_number_is_refused(solver):
    X, y = table()
    model = LogisticRegression(warm_start=True, solver=solver).fit(X, y)
    model.coef_ = np.full_like(model.coef_, np.nan)
    with pytest.raises(ValueError, match="coef_ and intercept_, which contain NaN or infinity"):
        model.fit(X, y)


def test_a_warm_start_begins_where_the_last_fit_ended():
    X, y = table()
    model = LogisticRegression(warm_start=True, max_iter=1, solver="lbfgs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        losses = [model.fit(X, y).loss_ for _ in range(12)]
    assert (np.diff(losses) < 0).all()
    with pytest.raises(ValueError, match="warm_start continues 3 functions of 8 columns"):
        model.fit(X[:, :5], y)
