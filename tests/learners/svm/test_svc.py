import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse as sp
from scipy.optimize import LinearConstraint, minimize
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC as LIBSVM

import vaglio
from vaglio import SVC
from vaglio.errors import InputError, NotSupportedError

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 3, "coef0": 1.0, "gamma": 0.2},
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.02, "coef0": 0.1},
}


def table(n=120, d=5, classes=2, seed=0):
    X, y = make_classification(n, d, n_informative=d, n_redundant=0, n_classes=classes, random_state=seed)
    return (X - X.mean(0)) / X.std(0), y


def gram(X, Z, kernel, gamma=1.0, coef0=0.0, degree=3):
    dot = X @ Z.T
    if kernel == "linear":
        return dot
    if kernel == "poly":
        return (gamma * dot + coef0) ** degree
    if kernel == "sigmoid":
        return np.tanh(gamma * dot + coef0)
    return np.exp(-gamma * ((X[:, None] - Z[None]) ** 2).sum(2))


def dual_by_quadratic_programming(K, y, C):
    """The dual by SciPy's general solver."""
    signed = K * np.outer(y, y)
    found = minimize(
        lambda a: 0.5 * a @ signed @ a - a.sum(),
        np.full(len(y), min(C, 1.0) / 2) * np.where(y > 0, (y < 0).sum() / (y > 0).sum(), 1.0).clip(max=1),
        jac=lambda a: signed @ a - 1,
        method="trust-constr",
        bounds=[(0, C)] * len(y),
        constraints=LinearConstraint(y[None, :].astype(float), 0, 0),
        options={"gtol": 1e-9, "xtol": 1e-12, "maxiter": 3000},
    )
    return -found.fun


def kkt_gap(K, y, beta, C):
    """The largest violation over all pairs, from scratch."""
    slope = y - K @ beta
    high, low = np.where(y > 0, C, 0), np.where(y > 0, 0, -C)
    return max(0.0, slope[beta < high].max() - slope[beta > low].min())


def beta_of(model, n):
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
def test_dual_optimum_against_a_quadratic_solver(name):
    X, y = table(40, 3)
    signs = np.where(y == 1, 1, -1)
    model = SVC(C=0.7, preprocess=None, **KERNELS[name]).fit(X, y)
    expected = dual_by_quadratic_programming(gram(X, X, **KERNELS[name]), signs, 0.7)
    assert model.dual_objective_ == pytest.approx(expected, rel=1e-4)


# tanh is not positive here: with a large C the dual has several optima, and solvers may end in different ones.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "C"), [(k, C) for k in KERNELS for C in (0.1, 1.0, 30.0) if (k, C) != ("sigmoid", 30)]
)
def test_against_libsvm_and_the_optimality_conditions(name, C):
    X, y = table(900, 6, seed=2)
    signs = np.where(y == 1, 1, -1)
    ours = SVC(C=C, preprocess=None, **KERNELS[name]).fit(X, y)
    peer = LIBSVM(C=C, tol=1e-4, **KERNELS[name]).fit(X, y)
    K = gram(X, X, **KERNELS[name])
    beta, peer_beta = beta_of(ours, len(y)), beta_of(peer, len(y))
    value, peer_value = (b @ signs - 0.5 * b @ K @ b for b in (beta, peer_beta))
    assert value == pytest.approx(peer_value, rel=1e-4)
    assert ours.dual_objective_ == pytest.approx(value, rel=1e-6)
    assert kkt_gap(K, signs, beta, C) <= 1e-3 * (1 + 1e-6)
    assert ours.kkt_gap_ <= 1e-3
    assert abs(beta.sum()) < 1e-9 * C * len(y)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-3, atol=1e-2)


@pytest.mark.slow
def test_single_precision_kernels_stay_within_the_tolerance():
    X, y = table(2500, 10, seed=3)
    signs = np.where(y == 1, 1, -1)
    model = SVC(gamma=0.1, preprocess=None).fit(X, y)
    assert model.fitted_.model.single_precision
    K = np.exp(-0.1 * cdist(X, X, "sqeuclidean"))
    assert kkt_gap(K, signs, beta_of(model, len(y)), 1.0) <= 1.05e-3
    np.testing.assert_allclose(model.decision_function(X), K @ beta_of(model, len(y)) + model.intercept_, atol=1e-4)


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_more_classes_as_libsvm(name, shape):
    X, y = table(300, 6, classes=4, seed=1)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    common = {"decision_function_shape": shape, **KERNELS[name]}
    ours = SVC(preprocess=None, tol=1e-5, class_weight="balanced", **common).fit(X, y, weight)
    # LIBSVM's own balancing ignores the weights of the rows; ours counts them.
    per_class = weight.sum() / (4 * np.bincount(y, weights=weight))
    peer = LIBSVM(tol=1e-5, **common).fit(X, y, weight * per_class[y])
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-2)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    assert ours.dual_coef_.shape[0] == peer.dual_coef_.shape[0] == 3
    if name == "linear":
        np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-2)


def test_one_against_the_rest():
    X, y = table(200, 6, classes=3)
    model = SVC(multi_class="ovr").fit(X, y)
    assert model.intercept_.shape == model.margin_.shape == (3,)
    for k in range(3):
        alone = SVC().fit(X, y == k)
        np.testing.assert_allclose(model.decision_function(X)[:, k], alone.decision_function(X), atol=1e-5)


def test_margin_slack_and_intercept_of_a_hand_made_case():
    # Two points at distance 2 on a line: w = 1, b = 0, margin 2, both multipliers 1/2.
    model = SVC(C=float("inf"), kernel="linear", preprocess=None).fit([[-1.0], [1.0]], ["left", "right"])
    assert model.coef_[0, 0] == pytest.approx(1)
    assert model.intercept_[0] == pytest.approx(0)
    assert model.margin_ == pytest.approx(2)
    np.testing.assert_allclose(model.multipliers_, 0.5)
    # A third point on the wrong side of its class costs C·slack with slack = 1 - y f(x).
    X, y = np.array([[-1.0], [-2.0], [1.0], [2.0], [-1.5]]), np.array([-1, -1, 1, 1, 1])
    soft = SVC(C=1.0, kernel="linear", preprocess=None).fit(X, y)
    np.testing.assert_allclose(soft.slack_, np.maximum(0, 1 - y * soft.decision_function(X)), atol=1e-9)
    assert soft.slack_[4] > 1


def test_hard_margin_needs_separable_classes():
    xor = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    y = [0, 0, 1, 1]
    with pytest.raises(InputError, match="separates"):
        SVC(C=float("inf"), kernel="linear").fit(xor, y)
    assert SVC(C=float("inf"), kernel="rbf").fit(xor, y).score(xor, y) == 1
    twice = np.vstack([xor, xor[:1]])
    with pytest.raises(InputError, match="hard margin"):
        SVC(C=float("inf"), kernel="rbf").fit(twice, [0, 0, 1, 1, 1])


def test_hard_margin_is_the_widest():
    X, y = make_blobs(60, centers=[[-2, 0], [2, 1]], cluster_std=0.6, random_state=0)
    hard = SVC(C=float("inf"), kernel="linear", preprocess=None).fit(X, y)
    soft = LIBSVM(C=1e6, kernel="linear", tol=1e-6).fit(X, y)
    assert hard.margin_ == pytest.approx(2 / np.linalg.norm(soft.coef_), rel=1e-3)
    assert hard.slack_.max() <= 2e-3


def test_lambda_and_sigma_are_other_names():
    X, y = table()
    by_notes = SVC(lam=0.01, sigma=2.0, preprocess=None).fit(X, y)
    by_peer = SVC(C=1 / (2 * len(y) * 0.01), gamma=1 / 8, preprocess=None).fit(X, y)
    np.testing.assert_array_equal(by_notes.decision_function(X), by_peer.decision_function(X))


def test_explicit_map_equals_its_kernel():
    """(x1, x2, x3, x1², x1x2, x1x3) is the map of the kernel (1 + x1·z1)·(x·z)."""
    X, y = table(80, 3)

    def phi(x):
        return np.column_stack([x, x[:, :1] * x])

    def kernel(x, z):
        return (1 + np.outer(x[:, 0], z[:, 0])) * (x @ z.T)

    np.testing.assert_allclose(phi(X) @ phi(X).T, kernel(X, X))
    settings = {"preprocess": None, "tol": 1e-6}
    mapped, function = SVC(phi=phi, **settings).fit(X, y), SVC(kernel=kernel, **settings).fit(X, y)
    matrix = SVC(kernel="precomputed", tol=1e-6).fit(kernel(X, X), y)
    np.testing.assert_allclose(mapped.decision_function(X), function.decision_function(X), atol=1e-4)
    np.testing.assert_allclose(matrix.decision_function(kernel(X, X)), function.decision_function(X), atol=1e-4)
    assert mapped.coef_.shape == (1, 6)
    for model in (mapped, function):
        with pytest.raises(NotSupportedError, match="no code"):
            model.save("nowhere.vaglio")


def test_sparse_rows_for_a_linear_kernel():
    rng = np.random.default_rng(0)
    X, y = table(200, 12, classes=3)
    X = X * (rng.random(X.shape) < 0.4)
    dense = SVC(kernel="linear", preprocess=None, tol=1e-5).fit(X, y)
    sparse = SVC(kernel="linear", tol=1e-5).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-3)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_on_request(classes):
    X, y = table(300, 5, classes=classes)
    plain, calibrated = SVC().fit(X, y), SVC(calibration="sigmoid").fit(X, y)
    assert not hasattr(plain, "predict_proba")
    proba = calibrated.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(plain.predict(X), calibrated.predict(X))
    assert (proba.argmax(1) == y).mean() > 0.75
    chosen = [e for e in calibrated.explain(X) if any("calibrated" in note for note in e.notes)]
    assert len(chosen) == (calibrated.classes_[proba.argmax(1)] != calibrated.predict(X)).sum()


def test_kernels_tried_side_by_side():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    ring = (np.hypot(*X.T) > 1.1).astype(int)
    model = SVC(kernel="auto").fit(X, ring)
    assert list(model.kernel_table_["kernel"]) == ["linear", "poly", "poly", "rbf", "sigmoid"]
    assert model.fitted_.model.kernel.name in ("poly", "rbf")
    assert model.kernel_table_["chosen"].sum() == 1
    assert model.score(X, ring) > 0.9


def test_a_hard_margin_leaves_kernels_out_that_have_none():
    xor = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]] * 5) + np.arange(20)[:, None] * 1e-3
    model = SVC(kernel="auto", C=float("inf")).fit(xor, [0, 0, 1, 1] * 5)
    table_ = model.kernel_table_.set_index("kernel")
    assert np.isnan(table_.loc["linear", "mean_accuracy"])
    assert model.score(xor, [0, 0, 1, 1] * 5) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "auto", lambda a, b: a @ b.T])
def test_sparse_rows_for_any_kernel(kernel, tmp_path):
    X, y = load_iris(return_X_y=True)
    X = np.where(X > 1, X, 0.0)
    dense, sparse = (SVC(kernel=kernel, preprocess=None).fit(rows, y) for rows in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X))
    assert len(sparse.explain(sp.csr_array(X[:1]), counterfactual=False)) == 1
    if isinstance(kernel, str):
        sparse.save(tmp_path / "model")
        np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict(sp.csr_array(X)), dense.predict(X))


def test_sparse_rows_can_be_calibrated():
    X, y = table(150, 6)
    settings = {"kernel": "linear", "preprocess": None, "calibration": "sigmoid", "tol": 1e-6}
    dense, sparse = SVC(**settings).fit(X, y), SVC(**settings).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.predict_proba(X), sparse.predict_proba(sp.csr_array(X)), atol=1e-3)


def test_any_number_of_threads_gives_the_same_bits():
    X, y = table(4500, 8, seed=5)
    results = [SVC(n_jobs=jobs).fit(X, y).dual_coef_.tobytes() for jobs in (1, 2, 5)]
    assert len(set(results)) == 1


def test_shrinking_changes_nothing_but_the_time():
    X, y = table(1500, 6, seed=7)
    with_it, without = SVC(tol=1e-5).fit(X, y), SVC(tol=1e-5, shrinking=False).fit(X, y)
    assert with_it.dual_objective_ == pytest.approx(without.dual_objective_, rel=1e-6)
    assert with_it.kkt_gap_ <= 1e-5


def test_out_of_steps_is_told():
    X, y = table(200)
    with pytest.warns(ConvergenceWarning, match="violation"):
        assert SVC(max_iter=3).fit(X, y).fit_status_ == 1


def test_support_names_rows_of_the_users_table():
    X, y = table(60)
    weight = np.ones(60)
    weight[::3] = 0
    model = SVC(preprocess=None).fit(X, y, weight)
    assert (weight[model.support_] > 0).all()
    np.testing.assert_array_equal(X[model.support_], model.support_vectors_)


def test_coefficients_apply_to_the_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 90), "colour": rng.choice(["red", "blue"], 90)})
    y = np.select([frame["age"] > 45, frame["colour"] == "red"], ["old", "red"], "other")
    model = SVC(kernel="linear").fit(frame, y)
    lines = model.coefficients()
    assert list(zip(lines["class"][::4], lines["against"][::4])) == list(combinations(["old", "other", "red"], 2))
    first = lines["coefficient"].to_numpy()[:4]
    onehot = np.column_stack([frame["age"], frame["colour"] == "blue", frame["colour"] == "red"]).astype(float)
    expected = model.fitted_.model.machines(model.fitted_.model.rows(model._encode(frame)))[:, 0]
    np.testing.assert_allclose(onehot @ first[1:] + first[0], expected)


def test_explanations_name_the_nearest_support_vectors(tmp_path):
    X, y = vaglio.datasets.load("iris").xy("species")
    model = SVC().fit(X, y)
    text = model.explain(X[[0, 60, 120]])[1].to_text()
    assert "support vector" in text
    assert "petal" in text
    model.save(tmp_path / "machine.vaglio")
    assert vaglio.load(tmp_path / "machine.vaglio").explain(X[[60]])[0].to_text() == text


def test_no_warning_on_ordinary_data():
    X, y = table(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC().fit(X, y).predict(X)
