"""Products of columns: curves by linear learners (``degree``), and saved maps before a linear kernel (``phi``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import vaglio
from vaglio.encode import Products
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted.file import from_bytes, to_bytes

RANDOM = np.random.default_rng(4)
POINTS = pd.DataFrame(RANDOM.normal(5, 2, (160, 3)).round(2), columns=["a", "b", "c"])
RING = np.where(((POINTS[["a", "b"]] - 5) ** 2).sum(axis=1) < 5, "in", "out")
MIXED = POINTS.assign(
    home=np.array(["north", "south"])[RANDOM.integers(0, 2, 160)], b=POINTS["b"].mask(POINTS["c"] > 8)
)


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("p", [1, 2, 4])
def test_products_and_their_names_are_those_of_scikit_learn(degree: int, p: int) -> None:
    rows, theirs = RANDOM.normal(size=(20, p)), PolynomialFeatures(degree, include_bias=False)
    ours = Products.up_to(degree, p)
    assert ours(rows) == pytest.approx(theirs.fit_transform(rows), rel=1e-12)
    columns = tuple(f"x{j + 1}" for j in range(p))
    assert [each.replace("·", " ") for each in ours.names(columns)] == list(theirs.get_feature_names_out(columns))
    assert (Products.parse(", ".join(ours.names(columns)), p).powers == ours.powers).all()
    assert ours.shares.sum(axis=1) == pytest.approx(1)


def test_a_polynomial_regression_is_that_of_scikit_learn() -> None:
    y = POINTS["a"] ** 2 - POINTS["a"] * POINTS["b"] + RANDOM.normal(size=160)
    theirs = make_pipeline(PolynomialFeatures(2, include_bias=False), StandardScaler(), Ridge(160 * 0.1)).fit(POINTS, y)
    ours = vaglio.LinearRegression(alpha=0.1, degree=2).fit(POINTS, y)
    assert ours.predict(POINTS) == pytest.approx(theirs.predict(POINTS), rel=1e-6)


def test_without_a_penalty_coefficients_are_those_of_the_table() -> None:
    y = 3 + POINTS["a"] ** 2 - 2 * POINTS["a"] * POINTS["b"]
    found = vaglio.LinearRegression(alpha=0.0, degree=2).fit(POINTS, y).coefficients().set_index("name")["coefficient"]
    assert found["a^2"] == pytest.approx(1, abs=1e-6)
    assert found["a·b"] == pytest.approx(-2, abs=1e-6)
    assert found.drop(["a^2", "a·b", "(intercept)"]).abs().max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("learner", [vaglio.Perceptron(max_iter=200), vaglio.LogisticRegression()])
@pytest.mark.parametrize("table", [POINTS, MIXED], ids=["numbers", "mixed and missing"])
@pytest.mark.filterwarnings("ignore")
def test_degree_two_bends_the_boundary_on_every_surface(learner: Any, table: pd.DataFrame) -> None:
    line = learner.set_params(degree=1).fit(table, RING).score(table, RING)
    curve = learner.set_params(degree=2).fit(table, RING)
    assert curve.score(table, RING) > max(line + 0.1, 0.85)
    assert {"a^2", "a·b", "c^2"} <= set(curve.encoded_names_)
    assert "a^2" in set(curve.coefficients()["name"])
    loaded = from_bytes(to_bytes(curve.fitted_))
    values = curve.decision_function(table)
    assert loaded.decision_function(table) == pytest.approx(values)
    # What the columns add up to is the decision value.
    for row, told in enumerate(curve.explain(table.iloc[:5])):
        assert told.total == pytest.approx(abs(values[row]), abs=1e-9)
        assert told.total == pytest.approx(sum(each.weight for each in (*told.reasons, *told.against)), abs=1e-9)
    assert "a^2" in vaglio.trace(curve, table, RING, max_rows=200, lang="it").to_text()
    assert [loaded.predict_one(row) for row in table.to_dict("records")] == loaded.predict(table).tolist()


def test_degree_is_for_rows_in_memory_that_are_dense_and_narrow() -> None:
    learner = vaglio.LogisticRegression(degree=2)
    with pytest.raises(NotSupportedError, match="dense rows"):
        learner.fit(csr_array(POINTS.to_numpy()), RING)
    with pytest.raises(InputError, match="products"):
        vaglio.Perceptron(degree=9).fit(np.zeros((4, 40)), [0, 1, 0, 1])


MAPS = {"2": 2, "chosen": "x1, x2, x1^2, x2^2, x1*x2", "spaced": "x1 ,x2, x1 ^ 2, x2*x2,x1·x2"}


@pytest.mark.parametrize("phi", MAPS.values(), ids=MAPS)
def test_a_map_of_products_is_saved_and_a_function_refused_by_name(phi: Any, tmp_path: Path) -> None:
    X, options = POINTS[["a", "b"]], {"C": 10.0, "random_state": 0}
    machine = vaglio.SVC(phi=phi, **options).fit(X, RING)
    assert machine.score(X, RING) > 0.95
    machine.save(tmp_path / "m.vaglio")
    loaded = vaglio.load(tmp_path / "m.vaglio")
    assert loaded.decision_function(X) == pytest.approx(machine.decision_function(X))
    assert set(vaglio.load(tmp_path / "m.vaglio").predict(X)) == {"in", "out"}

    def squares(rows: np.ndarray) -> np.ndarray:
        return np.column_stack([rows, rows**2, rows[:, :1] * rows[:, 1:]])

    other = vaglio.SVC(phi=squares, **options).fit(X, RING)
    assert other.decision_function(X) == pytest.approx(machine.decision_function(X), abs=1e-2)
    with pytest.raises(NotSupportedError, match="squares"):
        other.save(tmp_path / "n.vaglio")


def test_the_map_of_the_kernel_of_six_columns() -> None:
    """φ(x) = (x1, x2, x3, x1², x1·x2, x1·x3) is the kernel (1 + x1·z1)(x·z)."""
    rows = POINTS.to_numpy()
    phi = Products.parse("x1, x2, x3, x1^2, x1*x2, x1*x3", 3)
    assert phi(rows) @ phi(rows).T == pytest.approx((1 + np.outer(rows[:, 0], rows[:, 0])) * (rows @ rows.T))


@pytest.mark.parametrize("phi", ["", "x0", "x3", "y", "x1**2", "x1^0", "x1^101", "x1+x2"])
def test_what_is_no_product_is_refused(phi: str) -> None:
    with pytest.raises(InputError, match="not a product"):
        vaglio.SVC(phi=phi).fit(POINTS[["a", "b"]], RING)


@pytest.mark.parametrize("key", ["encoder_powers", "phi"])
@pytest.mark.parametrize("wrong", [[[0, 0]], [[-1, 2]], [[1]], [1, 1], np.zeros((0, 2)), [[0.5, 1.0]], [[2**40, 0]]])
def test_products_of_a_damaged_file_are_refused(key: str, wrong: Any) -> None:
    from vaglio.errors import VaglioError

    X = POINTS[["a", "b"]]
    model: Any = vaglio.SVC(phi=2) if key == "phi" else vaglio.LogisticRegression(degree=2)
    model = model.fit(X, RING).fitted_.model
    arrays, meta = model.state()
    given = np.array(wrong)
    arrays = {**arrays, key: given if given.dtype == float else given.astype(np.int64)}
    with pytest.raises(VaglioError):
        type(model).from_state(arrays, meta, model.encoder.features, 2)


def test_rows_out_of_core_are_refused(tmp_path: Path) -> None:
    POINTS.assign(y=RING).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(NotSupportedError, match="degree"):
        vaglio.LogisticRegression(degree=2).fit(*vaglio.scan(tmp_path / "t.csv").xy("y"))
