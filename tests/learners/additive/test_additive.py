"""Additive models: steps and pairs against brute force, constraints, bags, bytes, and what the terms add up to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio import _core
from vaglio.errors import InputError
from vaglio.learners.additive.estimators.bags import columns_together, deal_bags
from vaglio.learners.additive.estimators.pairs import group_slots, purified
from vaglio.learners.additive.model.trees import boosted_of

L2, RATE = 1.0, 0.1
SMALL = {"interactions": 2, "max_rounds": 30, "outer_bags": 2, "random_state": 0}


def mixed(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories, ordered values and gaps; the class depends on two columns together."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.normal(size=n),
            "b": random.normal(size=n),
            "shop": random.choice(["north", "south", "west"], n),
            "size": pd.Categorical(random.choice(["s", "m", "l"], n), ["s", "m", "l"], ordered=True),
        }
    )
    score = 2 * (X["a"] > 0) * (X["b"] > 0) + (X["shop"] == "west") - 0.7
    y = np.where(random.normal(size=n) * 0.5 + score > 0, "yes", "no")
    X.loc[random.random(n) < 0.1, "a"] = np.nan
    X.loc[random.random(n) < 0.1, "shop"] = None
    return X, y


def trainer_of(X: np.ndarray, y: np.ndarray, **config: object) -> tuple[object, object]:
    p = X.shape[1]
    codes = np.zeros((len(y), 0), np.int32, order="F")
    nominal, column, none = np.zeros(p, np.uint8), np.arange(p, dtype=np.uint32), np.zeros(0, np.uint32)
    table = _core.bin_table(np.asfortranarray(X, dtype=np.float64), codes, nominal, column, none, 255)
    options = {"learning_rate": RATE, "max_leaves": 2, "min_samples_leaf": 1, "min_hessian": 0.0, "l2": L2} | config
    held = np.zeros((1, len(y)), np.uint8)
    return table, _core.AdditiveTrainer(
        table, "binomial", y.astype(np.float64), 1, None, held, _core.AdditiveConfig(**options)
    )


def gain(g: np.ndarray, h: np.ndarray, parts: list[np.ndarray]) -> float:
    return sum(float(g[part].sum() ** 2 / (h[part].sum() + L2)) for part in parts if part.any())


def gradients(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p = np.full(len(y), y.mean())
    return p - y, p * (1 - p)


columns = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]), st.booleans()), min_size=6, max_size=40)


@pytest.mark.slow
@given(columns)
@settings(max_examples=60, deadline=None)
def test_a_step_is_the_best_cut_of_a_column(rows):
    x, y = np.array([value for value, _ in rows]), np.array([float(label) for _, label in rows])
    if len(np.unique(y)) < 2 or np.isnan(x).all():
        return
    table, trainer = trainer_of(x[:, None], y)
    trainer.boost(_core.AdditiveStopping(max_rounds=1, interval=1))
    step = trainer.features[0, 0][table.bins(0)]
    g, h = gradients(y)
    missing = np.isnan(x)
    cuts = [(x <= t) | (missing & left) for t in np.unique(x[~missing]) for left in (False, True)]
    best = max(gain(g, h, [cut, ~cut]) for cut in [*cuts, np.ones(len(y), bool)])
    parts = [step == value for value in np.unique(step)]
    if len(parts) == 1:  # no cut gains anything
        assert step[0] == 0
        assert best <= gain(g, h, [np.ones(len(y), bool)]) + 1e-6
        return
    assert gain(g, h, parts) == pytest.approx(best, abs=1e-6)
    for part in parts:
        assert step[part][0] == pytest.approx(-RATE * g[part].sum() / (h[part].sum() + L2), abs=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_the_screen_finds_the_best_cross_of_two_cuts(seed):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 5, (80, 4)).astype(float), random.integers(0, 2, 80)
    y[0], y[1] = 0, 1
    table, trainer = trainer_of(X, y, min_samples_leaf=3)
    trainer.set_coarse([np.arange(len(t) + 2, dtype=np.uint8) for t in table.thresholds])
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    found = trainer.screen(np.array(pairs, dtype=np.uint32), np.arange(80, dtype=np.uint32))
    g, h = gradients(y)
    for (a, b), gained in zip(pairs, found):
        best = 0.0
        for s in np.unique(X[:, a])[:-1]:
            for t in np.unique(X[:, b])[:-1]:
                low, left = X[:, a] <= s, X[:, b] <= t
                parts = [low & left, low & ~left, ~low & left, ~low & ~left]
                if min(part.sum() for part in parts) >= 3:
                    alone = max(gain(g, h, [low, ~low]), gain(g, h, [left, ~left]))
                    best = max(best, gain(g, h, parts) - alone)
        assert gained == pytest.approx(best, abs=1e-6)


def test_a_step_of_a_pair_is_the_best_cut_of_both_sides():
    random = np.random.default_rng(5)
    X = random.integers(0, 4, (200, 2)).astype(float)
    y = ((X[:, 0] > 1) ^ (X[:, 1] > 2)).astype(float)
    table, trainer = trainer_of(X, y)
    trainer.set_coarse([np.arange(len(t) + 2, dtype=np.uint8) for t in table.thresholds])
    trainer.open_pairs(np.array([[0, 1]], dtype=np.uint32))
    trainer.boost(_core.AdditiveStopping(max_rounds=1, interval=1))
    cells = trainer.pairs[0, 0].reshape(5, 5)[:4, :4]
    g, h = gradients(y)
    for i in range(4):
        for j in range(4):
            part = ((X[:, 0] > 1) == (i > 1)) & ((X[:, 1] > 2) == (j > 2))
            assert cells[i, j] == pytest.approx(-RATE * g[part].sum() / (h[part].sum() + L2), abs=1e-6)


@pytest.mark.parametrize("direction", [1, -1])
def test_a_constraint_holds_against_the_data(direction):
    random = np.random.default_rng(1)
    x, z = random.uniform(-3, 3, 400), random.normal(size=400)
    y = (np.sin(3 * x) - direction * x + z * x + 0.3 * random.normal(size=400)) > 0
    frame = pd.DataFrame({"x": np.where(random.random(400) < 0.05, np.nan, x), "z": z})
    model = vaglio.ExplainableBoostingClassifier(monotonic_cst={"x": direction}, **SMALL | {"max_leaves": 5})
    model.fit(frame, y, sample_weight=random.uniform(0.1, 3, 400))
    grid = pd.DataFrame({"x": np.linspace(-4, 4, 500), "z": 0.3})
    assert (direction * np.diff(model.decision_function(grid)) >= 0).all()
    assert all(len(columns) == 1 for columns in model.term_features_)  # a bound column has no pairs


def test_the_same_bytes_on_any_number_of_threads():
    X, y = mixed()
    found = []
    for jobs in (1, 2, 7):
        model = vaglio.ExplainableBoostingClassifier(n_jobs=jobs, **SMALL).fit(X, y)
        arrays, _ = model.fitted_.model.state()
        found.append({name: array.tobytes() for name, array in arrays.items()})
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("classes", [2, 3])
def test_terms_add_up_to_the_score_and_explanations_too(classes):
    X, y = mixed()
    if classes == 3:
        y = np.where(X["size"] == "l", "perhaps", y)
    model = vaglio.ExplainableBoostingClassifier(**SMALL).fit(X, y)
    additive, matrix = model.fitted_.model, model._encode(X)
    assert any(len(columns) == 2 for columns in model.term_features_)
    total = additive.intercept + additive.scores[additive.cells(matrix)].sum(axis=1)
    np.testing.assert_allclose(total, additive.raw(matrix), atol=1e-12)
    scores = model.decision_function(X)
    for i, told in enumerate(model.explain(X[:20], counterfactual=False)):
        if classes == 2:
            assert told.total == pytest.approx(abs(scores[i]), abs=1e-9)
        else:
            first, second = np.sort(scores[i])[::-1][:2]
            assert told.total == pytest.approx(first - second, abs=1e-9)


@pytest.mark.parametrize("flat", [False, True])
def test_the_trees_of_the_terms_say_the_same(flat):
    X, y = mixed()
    model = vaglio.ExplainableBoostingClassifier(**SMALL).fit(X, y)
    X.loc[0] = [np.nan, 0.0, "elsewhere", None]
    matrix = model.fitted_.codebook.encode(X)
    trees = boosted_of(model.fitted_.model, flat)
    np.testing.assert_allclose(trees.raw(matrix), model.fitted_.model.raw(matrix), atol=1e-12)


def test_pure_pairs_say_nothing_about_one_column_alone():
    random = np.random.default_rng(0)
    table, weight = random.normal(size=(2, 3, 5, 4)), random.integers(0, 4, (5, 4)).astype(float)
    pure, first, second = purified(table, weight)
    np.testing.assert_allclose(pure + first[..., :, None] + second[..., None, :], table, atol=1e-9)
    np.testing.assert_allclose((pure * weight).sum(axis=-1), 0, atol=1e-7)
    np.testing.assert_allclose((pure * weight).sum(axis=-2), 0, atol=1e-7)


def test_every_term_has_mean_zero_and_the_scores_of_a_cell_too():
    X, y = mixed()
    y = np.where(X["size"] == "l", "perhaps", y)
    model = vaglio.ExplainableBoostingClassifier(**SMALL).fit(X, y)
    for scores, weights in zip(model.term_scores_, model.bin_weights_):
        np.testing.assert_allclose(np.tensordot(weights, scores, axes=weights.ndim), 0, atol=1e-6)
        np.testing.assert_allclose(scores.sum(axis=-1), 0, atol=1e-9)


@pytest.mark.slow
@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(1, 20), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_bags_keep_out_every_row_equally_often(labels, bags, seed):
    y = np.array(labels)
    held = deal_bags(y, True, bags, 0.125, seed)
    kept, counts = ~held.astype(bool), np.bincount(y)
    assert kept.any(axis=1).all()
    for bag in kept:  # no class is lost
        assert set(y[bag]) == set(labels)
    often = held.sum(axis=0)[counts[y] > 1]
    assert often.size == 0 or np.ptp(often) <= 1


def test_groups_of_slots_are_neighbours_of_about_equal_weight():
    column = vaglio.encode.Feature("x")
    groups = group_slots(column, np.array([5.0] * 20 + [3.0]), 4, 10_000)
    assert groups.tolist() == [g for g in range(4) for _ in range(5)] + [4]
    assert (np.diff(groups.astype(int)) >= 0).all()
    nominal = vaglio.encode.Feature("x", "nominal", tuple("abcdef"))
    assert group_slots(nominal, np.array([9.0, 1, 8, 1, 1, 7, 0]), 4, 10_000).tolist() == [0, 3, 1, 3, 3, 2, 4]


def test_columns_that_step_together_stay_within_one_newton_step():
    rates = (1.0, 0.5, 0.2, 0.1, 0.05, 0.01)
    assert [columns_together(rate, 10_000) for rate in rates] == [1, 2, 5, 10, 20, 100]
    assert [columns_together(rate, 10_001) for rate in rates] == [1, 2, 5, 5, 4, 20]


def test_many_equal_columns_do_not_overshoot():
    x = np.linspace(-1, 1, 200)
    X = np.repeat(x[:, None], 40, axis=1)
    fast = vaglio.ExplainableBoostingClassifier(learning_rate=1.0, interactions=0, max_rounds=20, random_state=0)
    assert fast.fit(X, x > 0).score(X, x > 0) == 1.0


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 2.0]], ["a"]),  # one row
        ([[1.0], [2.0], [3.0]], ["a", "a", "a"]),  # one class
        ([[1.0], [1.0], [1.0], [1.0]], ["a", "b", "a", "b"]),  # a constant column
        ([[np.nan], [np.nan], [1.0], [1.0]], ["a", "a", "b", "b"]),
        ([["u"], ["v"], ["u"], ["v"]], ["a", "b", "a", "b"]),
        ([[float(i)] for i in range(200)], [f"c{i // 2}" for i in range(200)]),  # 100 classes
    ],
)
def test_tiny_tables_have_a_defined_result(X, y):
    model = vaglio.ExplainableBoostingClassifier(max_rounds=20, random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-9)
    assert chances.shape == (len(X), len(set(y)))


def test_a_pair_is_found_that_no_column_shows_alone():
    random = np.random.default_rng(2)
    X = random.normal(size=(600, 5))
    y = (X[:, 1] > 0) ^ (X[:, 3] > 0)
    model = vaglio.ExplainableBoostingClassifier(interactions=1, random_state=0).fit(X, y)
    assert model.term_features_[-1] == (1, 3)
    assert model.score(X, y) > 0.95
    alone = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y)
    assert alone.score(X, y) < 0.75


def test_pairs_by_name_and_terms_left_out():
    X, y = mixed()
    make = vaglio.ExplainableBoostingClassifier
    model = make(**SMALL | {"interactions": [("b", "a")], "exclude": ["size"]}).fit(X, y)
    assert model.term_names_ == ["a", "b", "shop", "a & b"]
    assert "a & b" not in make(**SMALL | {"interactions": 6, "exclude": [("a", "b")]}).fit(X, y).term_names_
    for wrong, why in (
        ({"interactions": [("a", "a")]}, "with itself"),
        ({"interactions": [("a", "q")]}, "'q'"),
        ({"interactions": "many"}, "'1x'"),
        ({"exclude": ["q"]}, "'q'"),
        ({"interactions": [("a", "b")], "monotonic_cst": {"a": 1}}, "'a', which monotonic_cst constrains"),
    ):
        with pytest.raises(InputError, match=why):
            make(**SMALL | wrong).fit(X, y)


def test_a_column_of_noise_with_many_values_has_no_term():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"x": random.normal(size=400), "job": [f"j{i}" for i in random.integers(0, 150, 400)]})
    y = X["x"] + random.normal(size=400) > 0
    model = vaglio.ExplainableBoostingClassifier(**SMALL).fit(X, y)
    assert model.term_names_ == ["x"]
    assert model.fitted_.ignored_columns == ["job"]


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["squared_error", "poisson", "gamma"])
def test_numbers_are_predicted(objective):
    random = np.random.default_rng(0)
    X = random.uniform(0, 3, (500, 3))
    mean = np.exp(np.sin(2 * X[:, 0]) + 0.5 * X[:, 1])
    y = random.poisson(mean) + (0.1 if objective == "gamma" else 0)
    model = vaglio.ExplainableBoostingRegressor(objective=objective, random_state=0).fit(X, y)
    assert np.corrcoef(model.predict(X), mean)[0, 1] > 0.9
    if objective != "squared_error":
        with pytest.raises(InputError, match=objective):
            model.fit(X, -y - 1)


@pytest.mark.parametrize("separable", [True, False])
def test_rounds_end_where_the_rows_kept_out_gain_too_little_of_the_first_loss(separable):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = X[:, 0] + (0 if separable else random.normal(size=300)) > 0
    model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y)
    losses = -model.validation_score_
    best = at = 0
    for i, loss in enumerate(losses):
        if loss < losses[best] - model.early_stopping_tolerance * losses[0]:
            best = i
        elif 5 * (i - best) >= model.early_stopping_rounds:
            at = i
            break
    assert model.n_iter_ == 5 * best
    assert at == len(losses) - 1  # and not later, also where the loss falls for ever
