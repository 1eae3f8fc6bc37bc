"""The model tree M5: linear models by brute force, smoothing by hand, explanations that add up, hostile files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.hostile.model_file import reloaded

import vaglio
from vaglio.errors import ModelFileError
from vaglio.learners.trees.estimators.leaf_models import MOST_COLUMNS, NodeModel, adjusted, fit_node, smoothed
from vaglio.learners.trees.model.model_tree import cut_back


def by_brute_force(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Return the terms that M5 keeps and its fit, by a least squares solution for every step."""
    n, terms = weight.sum(), list(range(X.shape[1]))
    root = np.sqrt(weight)

    def solve(columns: list[int]) -> tuple[np.ndarray, float, float]:
        block = np.column_stack([np.ones(len(y)), X[:, columns]])
        found = np.linalg.lstsq(block * root[:, None], y * root, rcond=None)[0]
        residual = y - block @ found
        v = len(columns) + 1
        return block @ found, weight @ residual**2, weight @ np.abs(residual) / n * (n + v) / (n - v)

    fit, _, error = solve(terms)
    while terms:
        tried = [[c for c in terms if c != left_out] for left_out in terms]
        fewer = min(tried, key=lambda columns: solve(columns)[1])
        if solve(fewer)[2] > error:
            break
        terms, (fit, _, error) = fewer, solve(fewer)
    return terms, fit


@pytest.mark.parametrize("weighted", [False, True])
def test_a_node_gets_the_terms_and_the_fit_of_brute_force(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    for n in (12, 30, 200):
        X = rng.normal(size=(n, 6))
        y = X[:, 1] * 2 - X[:, 4] + rng.normal(size=n)
        weight = rng.uniform(0.5, 1.5, n) if weighted else np.ones(n)
        terms, fit = by_brute_force(X, y, weight)
        model = fit_node(X, y, weight, np.arange(6))
        assert model.columns.tolist() == terms
        np.testing.assert_allclose(X[:, model.columns] @ model.coef + model.intercept, fit, atol=1e-4)
        assert model.error == pytest.approx(np.average(np.abs(y - fit), weights=weight), rel=1e-4)


def test_a_node_of_more_columns_than_rows_or_of_equal_columns_is_fitted() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(10, 80))
    model = fit_node(X, X[:, 3], np.ones(10), np.arange(80))
    assert model.parameters < 10
    assert len(model.columns) < MOST_COLUMNS
    twice = np.repeat(X[:, :1], 2, axis=1)
    model, alone = (
        fit_node(block, 3 * X[:, 0] + X[:, 1], np.ones(10), np.arange(block.shape[1]))
        for block in (twice, twice[:, :1])
    )
    assert model.columns.tolist() == [0]
    assert (model.coef[0], model.intercept) == pytest.approx((alone.coef[0], alone.intercept))
    assert adjusted(1.0, 3, 3) == np.inf


def pruned_by_recursion(tree: Any, path: np.ndarray, X: np.ndarray, y: np.ndarray) -> set[int]:
    """Return the leaves after pruning, by the definition: the error of a node or of its subtree, and its parameters."""

    def visit(node: int) -> tuple[float, int, set[int], set[int]]:
        own = path[:, node]
        stops = tree.is_leaf[node] or y[own].std() <= 0.05 * y.std()
        parts = [] if stops else [(int(path[:, child].sum()), *visit(child)) for child in tree.children(node)]
        tested = set[int]().union(*({int(tree.feature[node])} | part[4] for part in parts))
        model = fit_node(X[own], y[own], np.ones(own.sum()), np.array(sorted(tested), dtype=np.int64))
        if not parts:
            return model.error, model.parameters, {node}, tested
        n = own.sum()
        below = sum(rows * error for rows, error, *_ in parts) / n
        counted = sum(part[2] for part in parts) + 1

        def factor(v: int) -> float:
            return (n + 2 * v) / (n - v) if n > v else np.inf

        if model.error * factor(model.parameters) <= below * factor(counted):
            return model.error, model.parameters, {node}, tested
        return below, counted, set[int]().union(*(part[3] for part in parts)), tested

    return visit(0)[2]


def test_pruning_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 4))
    y = np.where(X[:, 0] > 0, 3 * X[:, 1], -2 * X[:, 2]) + rng.normal(size=400)
    tree = vaglio.DecisionTreeRegressor(min_samples_leaf=4).fit(X, y)
    path = tree.decision_path(X).toarray().astype(bool)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    leaves = pruned_by_recursion(tree.tree_, path, Z, y)
    model = vaglio.ModelTreeRegressor().fit(X, y)
    assert 2 < len(leaves) == model.get_n_leaves() < tree.get_n_leaves()
    together = {frozenset(np.flatnonzero(path[:, leaf])) for leaf in leaves}
    found = model.apply(X)
    assert {frozenset(np.flatnonzero(found == leaf)) for leaf in np.unique(found)} == together


def test_smoothing_by_hand() -> None:
    """Of 60 rows, 40 in the left leaf: p' = (40·p + 15·q) / 55 on the way up."""
    X = np.r_[np.zeros(40), np.ones(20)][:, None]
    tree = vaglio.DecisionTreeRegressor().fit(X, 7 * X[:, 0]).tree_
    root, left, right = (
        NodeModel(np.array([0]), np.array([slope]), start, 0.0) for slope, start in ((2.0, 1.0), (5.0, 0.0), (1.0, 4.0))
    )
    start, column, coef, intercept = smoothed(tree, [root, left, right], 1, 15.0)
    assert (start.tolist(), column.tolist()) == ([0, 0, 1, 2], [0, 0])
    np.testing.assert_allclose(coef, [(40 * 5 + 15 * 2) / 55, (20 * 1 + 15 * 2) / 35])
    np.testing.assert_allclose(intercept, [0, 15 / 55, (20 * 4 + 15) / 35])
    _, _, coef, intercept = smoothed(tree, [root, left, right], 1, 0.0)
    assert (coef.tolist(), intercept.tolist()) == ([5.0, 1.0], [0.0, 0.0, 4.0])


def test_a_tree_that_is_cut_back_says_what_its_nodes_said() -> None:
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    model = vaglio.DecisionTreeRegressor(max_depth=6).fit(X, y)
    tree, matrix = model.tree_, model._encode(X)
    leaf = tree.is_leaf | (tree.depth_of == 3)
    cut, old = cut_back(tree, leaf)
    assert cut.depth == 3
    path = model.decision_path(X).toarray().astype(bool)
    np.testing.assert_array_equal(path[np.arange(len(y)), old[cut.apply(matrix)]], True)
    np.testing.assert_array_equal(cut.value, tree.value[old])


def test_broken_lines_are_found() -> None:
    x = np.linspace(-3, 3, 241)
    X, y = x[:, None], np.where(x < 1, 2 * x, 5 - 3 * x)
    model = vaglio.ModelTreeRegressor(smoothing=0.0).fit(X, y)
    assert model.score(X, y) > 0.999
    assert model.get_n_leaves() < 20 < vaglio.DecisionTreeRegressor().fit(X, y).get_n_leaves()
    line = vaglio.ModelTreeRegressor().fit(X, 2 * x + 1)
    assert line.rules() == "IF ANYTHING THEN y = 1 + 2·x0  [241 rows]"
    assert line.predict([[1e9], [-1e9], [np.nan]]) == pytest.approx([7.0, -5.0, 1.0], abs=1e-4)


def rows() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "c": rng.choice(list("xyz"), 300)})
    y = np.where(X["a"] > 0, 3 * X["b"], -X["b"] + 2 * (X["c"] == "x")) + rng.normal(size=300) * 0.1
    X.loc[::9, "b"], X.loc[::11, "c"] = np.nan, None
    return X, np.asarray(y)


def test_one_row_an_explanation_and_the_table_say_the_same() -> None:
    X, y = rows()
    fitted = vaglio.ModelTreeRegressor().fit(X, y).fitted_
    new = pd.concat([X.head(60), pd.DataFrame({"a": [50.0, -1.0], "b": [900.0, -900.0], "c": ["new", "x"]})])
    told, explained = fitted.predict(new), fitted.explain(new, counterfactual=False)
    assert [fitted.predict_one(row) for row in new.to_dict("records")] == told.tolist()
    for value, explanation in zip(told, explained):
        weights = [reason.weight for reason in (*explanation.reasons, *explanation.against)]
        assert sum(weights) == pytest.approx(value, abs=1e-9) == explanation.total
        assert any("the linear model is that of" in str(note) for note in explanation.notes)
    assert told[-2:].tolist() == [y.max()] * 2
    assert "kept within" in str(explained[-1])


def test_without_pruning_or_with_a_depth_the_tree_is_that_of_cart() -> None:
    X, y = rows()
    whole = vaglio.ModelTreeRegressor(prune=False, max_depth=3).fit(X, y)
    cart = vaglio.DecisionTreeRegressor(max_depth=3, min_samples_leaf=4).fit(X, y)
    assert whole.tree_.feature.tolist() == cart.tree_.feature.tolist()
    assert vaglio.ModelTreeRegressor(max_depth=3).fit(X, y).get_n_leaves() < whole.get_n_leaves()


@pytest.mark.parametrize("unit", [1e-100, 1e-12, 1e12, 1e100])
def test_the_unit_of_the_target_changes_nothing_else(unit: float) -> None:
    X, y = rows()
    plain, other = vaglio.ModelTreeRegressor().fit(X, y), vaglio.ModelTreeRegressor().fit(X, y * unit)
    np.testing.assert_allclose(other.predict(X) / unit, plain.predict(X), rtol=1e-9, atol=1e-9)


def _start_high(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_start"][-1] += 5


def _column_high(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_column"][0] = 1000


def _column_negative(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_column"][0] = -1


def _root_with_terms(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_start"][1:] = arrays["model_start"][-1]


def _bounds_swapped(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_bounds"][:] = arrays["model_bounds"][::-1].copy()


def _coef_not_finite(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_coef"][0] = np.inf


def _starts_fall(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["model_start"][2] = -3


@pytest.mark.parametrize(
    "change",
    [
        _start_high,
        _column_high,
        _column_negative,
        _root_with_terms,
        _bounds_swapped,
        _coef_not_finite,
        _starts_fall,
    ],
)
def test_a_hostile_file_is_refused(change: Any) -> None:
    X, y = rows()
    fitted = vaglio.ModelTreeRegressor(max_depth=2).fit(X, y).fitted_
    assert fitted.model.tree.n_leaves > 1
    with pytest.raises(ModelFileError):
        reloaded(fitted, change)
