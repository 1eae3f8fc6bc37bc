"""Options of gradient boosting that scikit-learn has no word for, each against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, log_loss, make_scorer
from threadpoolctl import threadpool_limits

import vaglio
from vaglio import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from vaglio.errors import InputError
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.boosting.estimators.columns import ORDERS, OrderedCategories
from vaglio.learners.boosting.estimators.rounds import BoostingTask
from vaglio.model.calibration import best_factor

PLAIN = {
    "subsample": 1.0,
    "max_features": 1.0,
    "early_stopping": False,
    "learning_rate": 0.5,
    "max_bins": 255,
    "random_state": 0,
}


def words(n=1500, values=300, effect=1.5, classes=2, seed=0):
    """Four numbers and a word of many values, with an effect of its own or none."""
    random = np.random.default_rng(seed)
    codes, numbers = random.integers(0, values, n), random.normal(size=(n, 4))
    score = random.normal(size=values)[codes] * effect + numbers[:, 0]
    y = np.digitize(score + random.logistic(size=n) / 2, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    frame = pd.DataFrame(numbers, columns=list("abcd")).assign(word=pd.Categorical([f"w{i}" for i in codes]))
    return frame, y


def arrays_of(model):
    arrays, _ = model.fitted_.model.state()
    return b"".join(arrays[name].tobytes() for name in sorted(arrays))


# -- one tree for all classes ------------------------------------------------------------------------------------------
def test_a_shared_tree_takes_the_split_that_gains_most_for_all_classes():
    X, y = make_classification(
        60, 4, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )
    model = HistGradientBoostingClassifier(
        **PLAIN, multi_class="shared_tree", max_iter=1, max_leaf_nodes=2, min_samples_leaf=5
    ).fit(X, y)
    share = np.bincount(y) / len(y)
    gradient, hessian = share - np.eye(3)[y], np.tile(share * (1 - share), (len(y), 1))

    def gain(rows):
        return (gradient[rows].sum(axis=0) ** 2 / (hessian[rows].sum(axis=0) + 1)).sum()

    best = max(
        (gain(X[:, j] <= t) + gain(X[:, j] > t), j)
        for j in range(4)
        for t in np.unique(X[:, j])
        if min((X[:, j] <= t).sum(), (X[:, j] > t).sum()) >= 5
    )
    trees = model.estimators_[0]
    assert {int(tree.feature[0]) for tree in trees} == {best[1]}
    left = X[:, best[1]] <= trees[0].threshold[0]
    assert gain(left) + gain(~left) == pytest.approx(best[0])
    for k, tree in enumerate(trees):
        for side, rows in ((1, left), (2, ~left)):
            value = -gradient[rows, k].sum() / (hessian[rows, k].sum() + 1) * 0.5
            assert tree.value[side, 0] == pytest.approx(value, abs=1e-7)


@pytest.mark.slow
def test_shared_trees_take_categories_and_missing_values_and_are_the_same_on_any_threads():
    X, y = words(600, values=30, classes=4)
    X.loc[::7, "word"] = None
    X.loc[::5, "a"] = np.nan
    options = {"multi_class": "shared_tree", "random_state": 0}
    model = HistGradientBoostingClassifier(**options, n_jobs=1).fit(X, y)
    assert model.score(X, y) > 0.6
    for round_trees in model.estimators_[:5]:
        assert len(round_trees) == 4 * model.n_models_
        for i, tree in enumerate(round_trees):
            assert np.array_equal(tree.feature, round_trees[i // 4 * 4].feature)
    others = [HistGradientBoostingClassifier(**options, n_jobs=jobs).fit(X, y) for jobs in (2, 7)]
    assert {arrays_of(other) for other in others} == {arrays_of(model)}


def test_two_classes_need_no_shared_tree():
    X, y = words(300)
    one, other = (
        HistGradientBoostingClassifier(multi_class=how, random_state=0).fit(X, y)
        for how in ("tree_per_class", "shared_tree")
    )
    assert arrays_of(one) == arrays_of(other)


# -- categories in random orders ---------------------------------------------------------------------------------------
def ordered(X, y, training, weight=None):
    from vaglio.encode import Codebook
    from vaglio.table import Table

    table = Table.from_any(X)
    matrix = Codebook.learn(table).encode(table)
    column = np.array([j for j, f in enumerate(matrix.features) if f.name == "word"])
    codes = matrix.codes[:, matrix.position[column[0]]]
    return OrderedCategories.of(matrix, column, (y == 1).astype(float)[:, None], weight, training, 5), codes


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), row=st.integers(0, 39))
def test_no_row_is_told_its_own_target(seed, row):
    X, y = words(40, values=5, seed=seed)
    found, _ = ordered(X, y, np.arange(40))
    flipped = y.copy()
    flipped[row] = 1 - y[row]
    prior = (y == 1).mean(), (flipped == 1).mean()
    again, _ = ordered(X, flipped, np.arange(40))
    # The mean of all rows, which every category begins with, is all that a row's own target changes for it.
    for before, after in zip(found.numbers[row], again.numbers[row]):
        counted = np.arange(41) + 1
        assert np.isclose(np.abs(after - before), np.abs(prior[1] - prior[0]) / counted).any()


def test_numbers_of_categories_are_means_of_the_rows_before():
    X, y = words(60, values=6)
    weight = np.random.default_rng(1).uniform(0.5, 2, 60)
    training = np.arange(0, 60, 2)
    found, codes = ordered(X, y, training, weight)
    assert found.numbers.shape == (60, ORDERS)
    assert found.turns.tolist() == list(range(ORDERS))
    prior = weight[training] @ (y[training] == 1) / weight[training].sum()
    for order in range(ORDERS):
        place = np.random.default_rng([5, order]).permutation(len(training))
        for i, row in enumerate(training):
            before = training[(place < place[i]) & (codes[training] == codes[row])]
            mean = (weight[before] @ (y[before] == 1) + prior) / (weight[before].sum() + 1)
            assert found.numbers[row, order] == pytest.approx(mean)
        for row in np.setdiff1d(np.arange(60), training):
            same = training[codes[training] == codes[row]]
            mean = (weight[same] @ (y[same] == 1) + prior) / (weight[same].sum() + 1)
            assert found.numbers[row, order] == pytest.approx(mean)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_words_of_many_values_are_learned_from_where_sets_of_them_are_not(classes):
    X, y = words(2000, classes=classes)
    known, unseen = slice(0, 1000), slice(1000, None)
    with_numbers, without = (
        HistGradientBoostingClassifier(ordered_categories=how, random_state=0).fit(X[known], y[known])
        for how in ("auto", False)
    )
    assert with_numbers.score(X[unseen], y[unseen]) > without.score(X[unseen], y[unseen]) + 0.03
    assert with_numbers.feature_importances_[4] > 0
    assert without.feature_importances_[4] == 0
    rows = X[unseen].assign(word=X[unseen]["word"].where(np.arange(1000) % 3 > 0, None).astype(object))
    rows.loc[rows.index[::10], "word"] = "never seen"
    copy = from_bytes(to_bytes(with_numbers.fitted_))
    np.testing.assert_array_equal(copy.predict_proba(rows), with_numbers.predict_proba(rows))


def test_words_that_tell_nothing_cost_little():
    X, y = words(2000, effect=0.0)
    known, unseen = slice(0, 1000), slice(1000, None)
    with_word = HistGradientBoostingClassifier(random_state=0).fit(X[known], y[known]).score(X[unseen], y[unseen])
    plain = X.drop(columns="word")
    without = HistGradientBoostingClassifier(random_state=0).fit(plain[known], y[known]).score(plain[unseen], y[unseen])
    assert with_word > without - 0.03


@pytest.mark.slow
def test_ordered_categories_are_the_same_on_any_threads_and_heed_constraints():
    X, y = words(800)
    options = {
        "ordered_categories": True,
        "random_state": 0,
        "max_iter": 30,
        "early_stopping": "folds",
        "interaction_cst": [{"a", "b"}, {"c", "word"}],
        "monotonic_cst": {"a": 1},
    }
    models = [HistGradientBoostingClassifier(n_jobs=jobs, **options).fit(X, y) for jobs in (1, 2, 7)]
    assert len({arrays_of(model) for model in models}) == 1
    names = [feature.name for feature in models[0].fitted_.codebook.features]
    met = set()
    for tree in itertools.chain(*models[0].estimators_):
        met.add(frozenset(names[j] for j in set(tree.feature[~tree.is_leaf].tolist())))
    assert all(group <= {"a", "b"} or group <= {"c", "d", "word"} for group in met)
    assert any("word" in group for group in met)


@pytest.mark.slow
def test_numbers_are_predicted_from_ordered_words():
    X, _ = words(1500)
    effect = X["word"].cat.codes.to_numpy() % 7
    model = HistGradientBoostingRegressor(ordered_categories=50, random_state=0).fit(X[:1000], effect[:1000])
    assert model.score(X[1000:], effect[1000:]) > 0.5


# -- leaves, growth, bins ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("weighted", [False, True])
def test_refitted_leaves_take_their_step_from_all_rows(weighted):
    X, y = make_classification(400, 5, random_state=1)
    weight = np.random.default_rng(0).uniform(0.5, 2, 400) if weighted else np.ones(400)
    weight *= 400 / weight.sum()
    model = HistGradientBoostingClassifier(
        subsample=0.5, refit_leaves=True, early_stopping=False, max_iter=1, learning_rate=0.5, random_state=0
    ).fit(X, y, weight)
    (tree,) = model.estimators_[0]
    leaf = tree.apply(model._encode(X))
    p = expit(model.fitted_.model.baseline[0])
    for node in np.unique(leaf):
        rows = leaf == node
        gradient, hessian = weight[rows] @ (p - y[rows]), (weight[rows] * p * (1 - p)).sum()
        assert tree.value[node, 0] == pytest.approx(-gradient / (hessian + 1) * 0.5, rel=1e-6)
        assert tree.weight[node] == pytest.approx(weight[rows].sum())


def test_refitted_leaves_of_absolute_errors_are_medians_of_all_rows():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 3)), random.normal(size=300)
    model = HistGradientBoostingRegressor(
        loss="absolute_error", subsample=0.5, refit_leaves=True, early_stopping=False, max_iter=1, learning_rate=1.0
    ).fit(X, y)
    (tree,) = model.estimators_[0]
    leaf = tree.apply(model._encode(X))
    for node in np.unique(leaf):
        residuals = y[leaf == node] - model.fitted_.model.baseline[0]
        assert tree.value[node, 0] == pytest.approx(np.median(residuals))


def test_levels_are_filled_one_after_the_other():
    X, y = make_classification(2000, 8, random_state=0)
    options = {**PLAIN, "max_iter": 5, "max_leaf_nodes": 8, "min_samples_leaf": 5}
    by_level, by_leaf = (HistGradientBoostingClassifier(growth=how, **options).fit(X, y) for how in ("level", "leaf"))

    def depths(model):
        return [int(model.fitted_.model.forest.node_depths[a:b].max()) for a, b in pairs(model)]

    def pairs(model):
        starts = model.fitted_.model.forest.starts
        return list(itertools.pairwise(starts))

    assert max(depths(by_level)) <= 4 < max(depths(by_leaf))
    assert by_level.score(X, y) > 0.9


@pytest.mark.slow
def test_more_bins_than_a_byte_can_number():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    y = (np.floor(X[:, 0] * 200) % 2 == 0).astype(int)
    few, many = (
        HistGradientBoostingClassifier(
            **{**PLAIN, "max_bins": bins}, max_iter=40, max_leaf_nodes=60, min_samples_leaf=1
        )
        for bins in (255, 3000)
    )
    assert many.fit(X, y).score(X, y) > few.fit(X, y).score(X, y)
    # With fewer values than either allows, both are the same.
    X = X.round(1)
    assert arrays_of(few.fit(X, y)) == arrays_of(many.fit(X, y))


# -- scores and temperature --------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("how", ["folds", True])
def test_rounds_are_those_of_the_best_score(how):
    X, y = make_classification(400, 8, flip_y=0.2, random_state=0)
    model = HistGradientBoostingClassifier(
        early_stopping=how, scoring="accuracy", max_iter=60, random_state=0, temperature=1.0
    ).fit(np.asarray(X), np.where(y, "yes", "no"))
    assert model.n_iter_ == max(1, int(np.argmax(model.validation_score_)))
    assert 0.5 < model.validation_score_.max() <= 1
    other = HistGradientBoostingClassifier(
        early_stopping=how, scoring=make_scorer(accuracy_score), max_iter=60, random_state=0, temperature=1.0
    ).fit(np.asarray(X), np.where(y, "yes", "no"))
    assert arrays_of(other) == arrays_of(model)


@pytest.mark.slow
def test_numbers_are_scored_too_and_a_wrong_name_is_refused():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = HistGradientBoostingRegressor(scoring="neg_mean_absolute_error", random_state=0).fit(X, X[:, 0])
    assert -0.5 < model.validation_score_.max() < 0
    assert HistGradientBoostingRegressor(scoring=None, random_state=0).fit(X, X[:, 0]).validation_score_.max() > 0.8
    with pytest.raises(InputError, match="is not a score"):
        HistGradientBoostingClassifier(scoring="acuracy").fit(X, X[:, 0] > 0)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), classes=st.integers(2, 4), true=st.floats(0.3, 3.0))
def test_the_temperature_is_the_one_of_least_loss(seed, classes, true):
    random = np.random.default_rng(seed)
    raw = random.normal(size=(20000, 1 if classes == 2 else classes)) * 2
    scores = np.column_stack([np.zeros(20000), raw[:, 0]]) if classes == 2 else raw
    y = np.argmax(scores * true + random.gumbel(size=(20000, classes)), axis=1)
    found = best_factor(raw, y, None, 0.25)
    assert found == pytest.approx(true, rel=0.2)

    def loss(factor):
        return log_loss(
            y, np.exp(factor * scores) / np.exp(factor * scores).sum(axis=1, keepdims=True), labels=range(classes)
        )

    assert loss(found) <= min(loss(found * 0.97), loss(found * 1.03))


@pytest.mark.slow
def test_a_few_rows_change_the_temperature_little():
    random = np.random.default_rng(0)
    raw = random.normal(size=(100_000, 3)) * 3
    y = np.argmax(raw * 0.5 + random.gumbel(size=raw.shape), axis=1)
    found = [abs(np.log(best_factor(raw[:n], y[:n], None, 0.25))) for n in (1, 30, 300, 100_000)]
    assert found == sorted(found)
    assert found[0] < 0.3
    assert found[3] == pytest.approx(np.log(2), rel=0.05)
    heavy = best_factor(raw[:30], y[:30], np.full(30, 1e4), 0.25)
    assert abs(np.log(heavy)) > found[1]  # weights are repetitions


@pytest.mark.slow
def test_the_temperature_of_many_rows_does_not_depend_on_threads():
    random = np.random.default_rng(0)
    raw = random.normal(size=(200_000, 1))
    y = (random.random(200_000) < 0.4).astype(np.int64)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            found.append(best_factor(raw, y, None, 0.25))
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_temperature_changes_probabilities_and_no_class():
    X, y = make_classification(300, 6, flip_y=0.3, n_classes=3, n_informative=4, random_state=0)
    plain, cooled, chosen = (
        HistGradientBoostingClassifier(temperature=t, random_state=0).fit(X, y) for t in (1.0, 2.0, "auto")
    )
    np.testing.assert_allclose(plain.decision_function(X), 2 * cooled.decision_function(X))
    np.testing.assert_allclose(plain.decision_function(X), chosen.temperature_ * chosen.decision_function(X))
    assert (plain.predict(X) == chosen.predict(X)).all()
    assert chosen.temperature_ != 1.0
    assert HistGradientBoostingClassifier(early_stopping=False, max_iter=3).fit(X, y).temperature_ == 1.0


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=10, max_size=60), st.integers(0, 99))
def test_a_fold_judges_no_class_that_it_does_not_learn(codes, seed):
    y = np.unique(codes, return_inverse=True)[1].astype(np.float64)
    task = BoostingTask(lambda rows: None, "multinomial", y, int(y.max()) + 1, None, {})
    folds = task.folds(5, seed)
    assert np.bincount(np.concatenate([held for _, held in folds]), minlength=len(y)).max() == 1
    for training, held in [*folds, task.held_out(0.2, seed)]:
        assert not set(training) & set(held)
        assert sorted([*training, *held]) == list(range(len(y)))
        known = np.isin(y[held], y[training])
        assert known.all() or not known.any()  # none: where no row that is held out could be judged at all


@pytest.mark.slow
def test_classes_of_one_row_make_no_model_unsure():
    X, y = make_classification(300, 6, n_classes=3, n_informative=4, class_sep=2.0, random_state=0)
    X, y = np.vstack([X, X[:9] + 0.01]), np.append(y, np.arange(3, 12))
    found = HistGradientBoostingClassifier(random_state=0).fit(X, y)
    assert 0.8 < found.temperature_ < 1.25


def test_going_on_from_a_model_with_a_temperature_is_the_same_as_not_stopping():
    X, y = make_classification(300, 5, random_state=0)
    options = {"temperature": 1.7, "random_state": 0, "early_stopping": False}
    whole = HistGradientBoostingClassifier(max_iter=20, **options).fit(X, y)
    parts = HistGradientBoostingClassifier(max_iter=8, warm_start=True, **options).fit(X, y)
    parts.set_params(max_iter=20).fit(X, y)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-9)


# -- few columns -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_of_a_few_columns_every_split_sees_all():
    random = np.random.default_rng(0)
    X = random.uniform(0, 4, (900, 3))
    y = (np.floor(X[:, 0]) + np.floor(X[:, 1])).astype(int) % 2
    model = HistGradientBoostingClassifier(random_state=0).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.85


def test_the_trace_of_the_textbook_can_be_worked_out_by_hand():
    X, y = vaglio.datasets.load("play").xy("play")
    work = vaglio.trace("gradient-boosting", X, y, row=["sunny", "cool", "high", "true"])
    for one in work.facts["rounds"]:
        steps = -np.array(one["gradient"]) / (np.array(one["hessian"]) + 1) * 0.3
        np.testing.assert_allclose(one["values"], steps, atol=1e-6)
    for lang, word in (("en", "learning rate is 0.3"), ("it", "tasso di apprendimento è 0,3")):
        assert word in str(vaglio.trace("gradient-boosting", X, y, lang=lang))
