"""Optimal trees against every tree there is, against the greedy one, and what they promise about time and threads."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from tests.tables import many_values

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.metrics.cost_sensitive import fit_with_costs
from vaglio.fitted.file import to_bytes
from vaglio.fitted.show import findings_in_words
from vaglio.model.costs import CostMatrix


def random_table(rng: np.random.Generator, n: int, holes: float = 0.15) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "number": rng.integers(0, 5, n).astype(float),
            "few": rng.choice(["a", "b", "c"], n),
            "many": rng.choice(list("pqrstuvw"), n),
            "other": rng.normal(size=n).round(1),
        }
    )
    return frame.mask(rng.random(frame.shape) < holes)


# -- every tree there is ----------------------------------------------------------------------------------------------
def divisions_of(frame: pd.DataFrame, max_set_values: int) -> list[np.ndarray]:
    """Which rows go left, for every test: thresholds, sets of few values, single values of many; missing either way."""
    found = []
    for name in frame:
        column, missing = frame[name], frame[name].isna().to_numpy()
        ways = [missing, ~missing] if missing.any() else [np.zeros(len(frame), bool)]
        if column.dtype.kind == "f":
            for value in np.unique(column.dropna()):
                below = (column <= value).to_numpy()
                found += [below, below | missing]
            found += ways
            continue
        values = [column.eq(value).to_numpy() for value in sorted(column.dropna().unique())]
        values += [missing] if missing.any() else []
        known = vaglio.encode.Codebook.learn(frame).features[list(frame).index(name)].categories
        if len(known) + missing.any() <= max_set_values:
            for size in range(1, len(values)):
                found += [np.any(group, axis=0) for group in combinations(values, size)]
        else:
            found += values + [value | missing for value in values]
    return [test for test in found if 0 < test.sum() < len(test)]


def least_cost(tests: list[np.ndarray], costs: np.ndarray, depth: int, leaves: int, price: float) -> float:
    """The cost of the best tree; ``costs`` has what each row costs with each label."""
    everything = (1 << len(costs)) - 1
    lefts = {sum(1 << int(row) for row in test.nonzero()[0]) for test in tests}

    # The rows of a node are the bits of a number: many sequences of tests lead to the same rows.
    @cache
    def least(rows: int, depth: int, leaves: int) -> float:
        best = float(costs[[row for row in range(len(costs)) if rows >> row & 1]].sum(axis=0).min()) + price
        if depth == 0 or leaves < 2:
            return best
        most = 2 ** (depth - 1)
        leaves = min(leaves, 2 * most)
        for left in {rows & test for test in lefts} - {0, rows}:
            for share in range(max(1, leaves - most), min(most, leaves - 1) + 1):
                best = min(best, least(left, depth - 1, share) + least(rows ^ left, depth - 1, leaves - share))
        return best

    return least(everything, depth, leaves)


OPTIONS: dict[str, dict[str, Any]] = {
    "errors": {},
    "leaves": {"max_leaf_nodes": 3},
    "price": {"ccp_alpha": 0.05},
    "weights": {"class_weight": {"x": 3, "y": 1, "z": 0.5}},
    "costs": {"cost": {("x", "y"): 5, ("x", "z"): 1, ("y", "x"): 1, ("y", "z"): 2, ("z", "x"): 0.5, ("z", "y"): -1}},
}
OPTIONS["costs and class weights"] = OPTIONS["costs"] | OPTIONS["weights"]


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 4), classes=st.integers(2, 3), weighted=st.booleans())
def test_no_tree_is_better(name: str, seed: int, depth: int, classes: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12 if depth < 3 else 8))  # from a depth of four on, tests are searched below the root
    X, y = random_table(rng, n), np.array(["x", "y", "z"])[rng.integers(0, classes, n)]
    y[:classes] = ["x", "y", "z"][:classes]
    weight = rng.integers(1, 4, n).astype(float) * 0.3 if weighted else np.ones(n)
    params = dict(OPTIONS[name])
    if "cost" in params:
        params["cost"] = {pair: c for pair, c in params["cost"].items() if set(pair) <= set(y)}
    model = vaglio.OptimalTreeClassifier(max_depth=depth, max_set_values=4, high_cardinality=None, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y, sample_weight=weight)
    labels = model.classes_.tolist()
    matrix = np.array([[params["cost"].get((a, b), 0) if "cost" in params else a != b for b in labels] for a in labels])
    full = weight * [params.get("class_weight", {}).get(label, 1) for label in y]
    costs = full[:, None] * matrix[[labels.index(label) for label in y]]
    tests = divisions_of(X, 4)
    sets = model.greedy_.node_kind == 2
    if not sets.any() or not (model.greedy_.feature[sets] == 2).any():  # sets of many values come from the greedy tree
        leaves = params.get("max_leaf_nodes", 2**depth)
        expected = least_cost(tests, costs, depth, leaves, params.get("ccp_alpha", 0) * full.sum()) / full.sum()
        assert model.objective_ == pytest.approx(expected, abs=1e-9)
    assert model.proved_
    assert model.gap_ == 0
    # What the model predicts costs what it says.
    predicted = [labels.index(label) for label in model.predict(X)]
    paid = costs[np.arange(n), predicted].sum() / full.sum()
    assert paid + params.get("ccp_alpha", 0) * model.get_n_leaves() == pytest.approx(model.objective_, abs=1e-9)
    assert model.get_depth() <= depth
    assert model.get_n_leaves() <= params.get("max_leaf_nodes", 2**depth)


def squared_error_of_best(
    tests: list[np.ndarray], y: np.ndarray, w: np.ndarray, depth: int, leaves: int, price: float
) -> float:
    """The squared error of the best tree for numbers, by trying them all."""
    lefts = {sum(1 << int(row) for row in test.nonzero()[0]) for test in tests}

    @cache
    def least(rows: int, depth: int, leaves: int) -> float:
        here = [row for row in range(len(y)) if rows >> row & 1]
        best = float(w[here] @ (y[here] - np.average(y[here], weights=w[here])) ** 2) + price
        if depth == 0 or leaves < 2:
            return best
        most = 2 ** (depth - 1)
        leaves = min(leaves, 2 * most)
        for left in {rows & test for test in lefts} - {0, rows}:
            for share in range(max(1, leaves - most), min(most, leaves - 1) + 1):
                best = min(best, least(left, depth - 1, share) + least(rows ^ left, depth - 1, leaves - share))
        return best

    return least((1 << len(y)) - 1, depth, leaves)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 3}, {"ccp_alpha": 0.05}], ids=str)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    depth=st.integers(1, 4),
    values=st.sampled_from(["any", "few", "two", "large"]),
    weights=st.sampled_from(["one", "multiples", "any"]),
)
def test_no_tree_for_numbers_is_better(
    options: dict[str, Any], seed: int, depth: int, values: str, weights: str
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12 if depth < 3 else 8))
    X, few = random_table(rng, n), rng.integers(0, 4, n).astype(float)
    y = {"any": rng.normal(size=n), "few": few / 10, "two": few % 2, "large": rng.exponential(size=n) * 1e9}[values]
    w = {"one": np.ones(n), "multiples": rng.integers(1, 4, n) * 0.3, "any": rng.uniform(0.5, 2.0, n)}[weights]
    size = float(np.var(y)) or 1.0
    price = options.get("ccp_alpha", 0.0) * size
    given_options = {**options, "ccp_alpha": price}
    model = vaglio.OptimalTreeRegressor(max_depth=depth, max_set_values=4, high_cardinality=None, **given_options)
    model.fit(X, y, sample_weight=w)
    assert model.proved_
    # What is no whole multiple is rounded.
    near = size * (1e-4 if weights == "any" else 1e-6 if values in ("any", "large") else 1e-9)
    paid = w @ (model.predict(X) - y) ** 2 / w.sum() + price * model.get_n_leaves()
    assert paid == pytest.approx(model.objective_, rel=1e-9, abs=1e-12 * size)
    assert model.objective_ <= model.greedy_objective_ + near
    assert model.get_depth() <= depth
    sets = model.greedy_.node_kind == 2
    if not sets.any() or not (model.greedy_.feature[sets] == 2).any():  # sets of many values come from the greedy tree
        leaves = options.get("max_leaf_nodes", 2**depth)
        expected = squared_error_of_best(divisions_of(X, 4), y, w, depth, leaves, price * w.sum()) / w.sum()
        assert model.objective_ == pytest.approx(expected, rel=1e-9, abs=near)


@pytest.mark.slow
def test_numbers_of_any_unit_limits_and_the_trace() -> None:
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    model = vaglio.OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert model.objective_ < 0.9 * model.greedy_objective_
    for unit in (1e-12, 1e12):
        other = vaglio.OptimalTreeRegressor(max_depth=2).fit(X, y * unit)
        np.testing.assert_allclose(other.predict(X), model.predict(X) * unit)
    assert vaglio.OptimalTreeRegressor().fit(X, y * 1e-200).get_n_leaves() == 1  # their squares are 0
    constant = vaglio.OptimalTreeRegressor().fit(X, np.full(len(y), 3.5))
    assert (constant.get_n_leaves(), constant.objective_, constant.proved_) == (1, 0.0, True)
    facts = vaglio.trace(model, X, y, max_rows=400).facts
    assert facts["optimal"] / len(y) == pytest.approx(model.objective_)
    assert facts["greedy"] / len(y) == pytest.approx(model.greedy_objective_)
    assert facts["optimal_alone"] >= facts["greedy_alone"]
    with pytest.warns(ConvergenceWarning, match="work_limit"):
        early = vaglio.OptimalTreeRegressor(max_depth=4, work_limit=1e-5).fit(X, y)
    assert early.lower_bound_ < model.objective_
    assert early.objective_ <= early.greedy_objective_


# -- every tree on a grid ---------------------------------------------------------------------------------------------
def least_on_grid(costs: np.ndarray, depth: int, price: float) -> float:
    """The cost of the best tree where rows lie in the cells of a grid: the rows of every node fill a box of it.

    ``costs`` has what the rows of each cell cost with each label, (size, size, size, labels).
    """
    sums = np.pad(costs, ((1, 0), (1, 0), (1, 0), (0, 0))).cumsum(0).cumsum(1).cumsum(2)

    @cache
    def least(box: tuple[tuple[int, int], ...], depth: int) -> float:
        corners = product(*box)
        signs = ((-1) ** sum(at == low for at, (low, _) in zip(corner, box)) for corner in product(*box))
        best = float(sum(sign * sums[corner] for sign, corner in zip(signs, corners)).min()) + price
        for axis, (low, high) in enumerate(box):
            for cut in range(low + 1, high) if depth else ():
                left, right = ((*box[:axis], side, *box[axis + 1 :]) for side in ((low, cut), (cut, high)))
                best = min(best, least(left, depth - 1) + least(right, depth - 1))
        return best

    return least(tuple((0, size) for size in costs.shape[:3]), depth)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), depth=st.integers(2, 4), costly=st.booleans(), price=st.sampled_from([0, 0.004]))
def test_no_tree_of_many_rows_is_better(seed: int, depth: int, costly: bool, price: float) -> None:
    rng = np.random.default_rng(seed)
    n, size, labels = int(rng.integers(60, 400)), 5 if depth < 4 else 4, int(rng.integers(2, 4))
    X = rng.integers(0, size, (n, 3))
    clean = (X[:, 0] + X[:, 1] * X[:, 2]) % labels
    y = np.where(rng.random(n) < 0.35, rng.integers(0, labels, n), clean)
    y[:labels] = range(labels)
    matrix = rng.integers(0, 6, (labels, labels)) * 0.5 if costly else 1.0 - np.eye(labels)
    weight = rng.integers(1, 4, n) * 0.5 if costly else np.ones(n)
    costs = np.zeros((size, size, size, labels))
    np.add.at(costs, tuple(X.T), weight[:, None] * matrix[y])
    model = vaglio.OptimalTreeClassifier(max_depth=depth, ccp_alpha=price, cost=matrix if costly else None)
    model.fit(X.astype(float), y, sample_weight=weight)
    assert model.proved_
    assert model.objective_ == pytest.approx(least_on_grid(costs, depth, price * weight.sum()) / weight.sum(), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), leaves=st.sampled_from([None, 2, 5]))
def test_never_worse_than_cart(depth: int, seed: int, leaves: int | None) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 80))
    X, y = random_table(rng, n), rng.integers(0, 3, n)
    weight = rng.random(n)
    size = {"max_depth": depth, "max_leaf_nodes": leaves}
    optimal = vaglio.OptimalTreeClassifier(**size).fit(X, y, sample_weight=weight)
    greedy = vaglio.CARTClassifier(**size).fit(X, y, sample_weight=weight)
    assert optimal.proved_
    assert optimal.score(X, y, weight) >= greedy.score(X, y, weight) - 1e-12
    assert optimal.greedy_objective_ == pytest.approx(1 - greedy.score(X, y, weight))


@pytest.mark.parametrize("name", ["iris", "penguins", "play"])
def test_never_worse_than_cart_on_tables(name: str) -> None:
    table = vaglio.datasets.load(name)
    X, y = table.xy({"iris": "species", "penguins": "species", "play": "play"}[name])
    for depth in (1, 2, 3):
        optimal = vaglio.OptimalTreeClassifier(max_depth=depth).fit(X, y)
        assert optimal.proved_
        assert optimal.score(X, y) >= vaglio.CARTClassifier(max_depth=depth).fit(X, y).score(X, y)


# -- what else it promises --------------------------------------------------------------------------------------------
def exclusive_or(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, 4))
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)


def test_finds_what_no_single_test_shows() -> None:
    X, y = exclusive_or()
    optimal = vaglio.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert optimal.objective_ == 0 < optimal.greedy_objective_
    assert set(optimal.tree_.feature[~optimal.tree_.is_leaf]) == {0, 1}


@pytest.mark.parametrize("depth", [2, 3])
def test_same_bytes_for_any_number_of_threads(depth: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 5)).round(2)
    y = (X[:, 0] * X[:, 1] + rng.normal(size=150) > 0).astype(int)
    trees = [vaglio.OptimalTreeClassifier(max_depth=depth, n_jobs=jobs).fit(X, y).tree_ for jobs in (1, 2, 7)]
    for other in trees[1:]:
        for name, array in trees[0].state()[0].items():
            np.testing.assert_array_equal(array, other.state()[0][name])


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ({"work_limit": 0.01}, r"work_limit = 0\.01\..*the best tree may have .* max_depth\.$"),
        ({"time_limit": 0.05}, r"time_limit = 0\.05\..*the best tree may have .* Another run may find another tree\.$"),
    ],
    ids=["work", "time"],
)
def test_a_search_that_ends_at_a_limit_says_the_gap(limit: dict[str, float], told: str) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(3000, 12)), rng.integers(0, 2, 3000)
    model = vaglio.OptimalTreeClassifier(max_depth=4, **limit)
    with pytest.warns(ConvergenceWarning, match=told):
        model.fit(X, y)
    assert not model.proved_
    assert f"{model.stopped_by_}_limit" in limit
    assert model.gap_ == pytest.approx(model.objective_ - model.lower_bound_)
    assert model.gap_ > 0
    assert model.objective_ <= model.greedy_objective_
    assert 1 - model.score(X, y) == pytest.approx(model.objective_)
    said = findings_in_words(model.fitted_)["proof"]
    assert said.startswith("not proved")
    assert "stopped at {} = {}".format(*next(iter(limit.items()))) in said


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_limit_of_work_leaves_the_same_bytes_wherever_it_cuts() -> None:
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(2000, 5)), rng.integers(0, 3, 2000)
    proofs, before = [], 1.0
    for work in (1e-4, 0.003, 0.03, 0.1):
        models = [vaglio.OptimalTreeClassifier(work_limit=work, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 7, 1)]
        assert len({to_bytes(model.fitted_) for model in models}) == 1
        assert models[0].objective_ <= before
        before = models[0].objective_
        proofs.append(models[0].stopped_by_)
    assert proofs[0] == proofs[-1] == "work"


def test_costs_from_outside_are_what_the_search_minimises() -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    cost = CostMatrix.from_any({("Adelie", "Gentoo"): 5, ("Gentoo", "Adelie"): 1}, labels=sorted(set(y)))
    model = vaglio.OptimalTreeClassifier(max_depth=1)
    assert fit_with_costs(model, X, y, cost)
    frame, codes = X.to_frame(), np.searchsorted(model.classes_, y)
    expected = least_cost(divisions_of(frame, 6), cost.matrix[codes], 1, 2, 0.0) / len(y)
    assert model.objective_ == pytest.approx(expected)
    predicted = np.searchsorted(model.classes_, model.predict(X))
    assert cost.matrix[codes, predicted].mean() == pytest.approx(expected)
    # A tree learned without the costs that then decides by them costs more.
    plain = vaglio.OptimalTreeClassifier(max_depth=1).fit(X, y).fitted_.with_cost(cost)
    assert cost.matrix[codes, np.searchsorted(model.classes_, plain.predict(X))].mean() >= expected
    assert model.fitted_.params["cost"] == cost.matrix.tolist()


def test_missing_values_go_where_they_cost_least() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [np.nan], [5.0]])
    model = vaglio.OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 1])
    assert model.objective_ == 0
    assert model.predict([[np.nan], [0.0], [9.0]]).tolist() == [1, 0, 1]
    alone = vaglio.OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 0])
    assert alone.objective_ == 0
    assert alone.predict([[np.nan], [9.0]]).tolist() == [1, 0]


def test_a_column_of_noise_with_many_values_is_left_out() -> None:
    X, y = many_values()
    model = vaglio.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert "noise" in model.reliability_
    assert 1 not in model.tree_.feature
    names = pd.DataFrame({"name": [f"n{i}" for i in range(3000)], "x": np.arange(3000) % 7})
    tree = vaglio.OptimalTreeClassifier(high_cardinality=None).fit(names, np.arange(3000) % 7 > 3)
    assert tree.proved_
    assert tree.objective_ == 0


def test_costs_are_kept_in_the_model(tmp_path: Any) -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    cost = {("Adelie", "Gentoo"): 5, ("Gentoo", "Adelie"): 1, ("Chinstrap", "Adelie"): 3}
    model = vaglio.OptimalTreeClassifier(max_depth=1, cost=cost).fit(X, y)
    model.save(tmp_path / "tree.vaglio")
    assert vaglio.load(tmp_path / "tree.vaglio").predict(X).tolist() == model.predict(X).tolist()


def test_costs_of_unknown_classes_are_refused() -> None:
    with pytest.raises(InputError, match=r"not a .true, predicted. pair"):
        vaglio.OptimalTreeClassifier(cost={("a", "b"): 1}).fit([[1.0], [2.0]], [0, 1])


def test_the_greedy_tree_beside_it_is_cart() -> None:
    X, y = vaglio.datasets.load("iris").xy("species")
    model = vaglio.OptimalTreeClassifier(max_depth=2).fit(X, y)
    np.testing.assert_array_equal(model.greedy_.value, vaglio.CARTClassifier(max_depth=2).fit(X, y).tree_.value)


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_trace_speaks_of_errors_and_with_costs_of_costs(language):
    X, y = vaglio.datasets.load("play").xy("play")
    errors = {"en": "errors", "it": "errori"}[language]
    plain = vaglio.trace(vaglio.OptimalTreeClassifier(max_depth=2), X, y, lang=language).to_text()
    assert errors in plain
    assert "cost" not in plain
    for more in ({"cost": [[0, 2], [1, 0]]}, {"ccp_alpha": 0.01}):
        priced = vaglio.OptimalTreeClassifier(max_depth=2, **more)
        assert "cost" in vaglio.trace(priced, X, y, lang=language).to_text()
