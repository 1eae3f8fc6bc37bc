"""The mean of boosted models: outputs are means, losses are not above the mean loss, one model is its first part."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

import vaglio
from vaglio import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from vaglio.errors import InputError, ModelFileError
from vaglio.learners.boosting.model import Boosted, mean_of

ALONE = {"n_models": 1, "average_folds": False}
SHORT = {"early_stopping": False, "max_iter": 12, "learning_rate": 0.1}


def table(n=400, classes=3, seed=0):
    values, y = make_classification(n, 6, n_informative=4, n_classes=classes, random_state=seed)
    X = pd.DataFrame(values).add_prefix("x").assign(word=pd.Series(np.digitize(values[:, 0], [-1, 0, 1])).map(str))
    X.loc[::9, "x1"] = np.nan
    return X, y


def arrays_of(model):
    arrays, _ = model.fitted_.model.state()
    return b"".join(arrays[name].tobytes() for name in sorted(arrays))


@pytest.mark.parametrize("classes", [2, 3])
def test_outputs_are_means_and_their_loss_is_not_above_the_mean_loss(classes):
    X, y = table(600, classes)
    known, unseen = X[:400], X[400:]
    members = [
        HistGradientBoostingClassifier(random_state=seed, temperature=1.0, **ALONE, **SHORT).fit(known, y[:400])
        for seed in range(4)
    ]
    features, matrix = members[0].fitted_.codebook.features, members[0]._encode(unseen)
    mean = mean_of([member.fitted_.model for member in members], features)
    raws = [member.fitted_.model.raw(matrix) for member in members]
    np.testing.assert_allclose(mean.raw(matrix), np.mean(raws, axis=0), atol=1e-12)
    assert mean.rounds == 4 * 12
    losses = [log_loss(y[400:], member.predict_proba(unseen)) for member in members]
    assert log_loss(y[400:], mean.predict_proba(matrix)) <= np.mean(losses)
    # A part of its rounds is the mean of a part of theirs.
    halves = [member.fitted_.model.raw(matrix, 0, 6) for member in members]
    np.testing.assert_allclose(mean.raw(matrix, 0, 4 * 6), np.mean(halves, axis=0), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "models"),
    [
        ({}, 3 + 5),
        ({"average_folds": False}, 3),
        ({"n_models": 1}, 1 + 5),
        (ALONE, 1),
        ({"early_stopping": True}, 1),
        ({"early_stopping": True, "n_models": 2}, 2),
        ({"early_stopping": False}, 1),
        ({"early_stopping": False, "n_models": 4}, 4),
        ({"early_stopping": "folds", "warm_start": True}, 1),
    ],
)
def test_as_many_models_as_are_asked_for(options, models):
    X, y = table()
    model = HistGradientBoostingClassifier(max_iter=15, random_state=0, **options).fit(X, y)
    assert model.n_models_ == models
    assert model.fitted_.model.rounds == models * model.n_iter_
    assert [len(trees) for trees in model.estimators_] == [3 * models] * model.n_iter_
    size = model.fitted_.model.size()
    assert (size.get("averaged_models", 1), size["rounds"], size["trees"]) == (
        models,
        model.n_iter_,
        3 * models * model.n_iter_,
    )
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_iter_
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"early_stopping": True, "n_models": 3}])
def test_the_same_bytes_for_any_number_of_threads(options):
    X, y = table()
    models = [
        HistGradientBoostingClassifier(max_iter=15, random_state=0, n_jobs=jobs, **options).fit(X, y)
        for jobs in (1, 2, 7)
    ]
    assert len({arrays_of(model) for model in models}) == 1


def test_the_rules_of_a_mean_are_the_first_trees_of_its_first_model():
    X, y = table(classes=2)
    options = {"random_state": 0, "temperature": 1.0, **SHORT}
    alone = HistGradientBoostingClassifier(**ALONE, **options).fit(X, y).fitted_.export("text")
    three = HistGradientBoostingClassifier(n_models=3, **options).fit(X, y).fitted_.export("text")
    assert "The model is the mean of 3 models" in three
    assert "mean of" not in alone

    def rules_in(text):
        return re.findall(r"IF (.*) THEN ([-+.\de]+)", text)

    assert [rule for rule, _ in rules_in(three)] == [rule for rule, _ in rules_in(alone)]
    values = [[float(value) for _, value in rules_in(text)] for text in (three, alone)]
    np.testing.assert_allclose(3 * np.array(values[0]), values[1], rtol=2e-3)


def test_a_file_whose_models_do_not_divide_its_trees_is_refused():
    X, y = table(classes=2)
    model = HistGradientBoostingClassifier(random_state=0, n_models=3, **SHORT).fit(X, y).fitted_
    arrays, meta = model.model.state()
    for wrong in (0, -3, 5, True, "3"):
        with pytest.raises(ModelFileError):
            Boosted.from_state(arrays, {**meta, "models": wrong}, model.codebook.features, 2)
    assert Boosted.from_state(arrays, meta, model.codebook.features, 2).size() == model.model.size()


def test_the_first_model_is_the_one_without_others_and_each_draws_rows_of_its_own():
    X, y = table(classes=2)
    alone = HistGradientBoostingClassifier(random_state=0, **ALONE, **SHORT).fit(X, y)
    three = HistGradientBoostingClassifier(random_state=0, n_models=3, **SHORT).fit(X, y)
    for (tree,), trees in zip(alone.estimators_, three.estimators_):
        np.testing.assert_array_equal(trees[0].feature, tree.feature)
        np.testing.assert_allclose(3 * trees[0].value, tree.value, rtol=1e-12)
        assert len({one.value.tobytes() for one in trees}) == 3


def test_folds_are_averaged_where_categories_have_numbers_of_their_own():
    random = np.random.default_rng(0)
    words = random.integers(0, 60, 800)
    X = pd.DataFrame({"word": [f"w{i}" for i in words], "x": random.normal(size=800)})
    y = random.random(800) < 1 / (1 + np.exp(-2 * random.normal(size=60)[words]))
    model = HistGradientBoostingClassifier(random_state=0, max_iter=30, ordered_categories=True).fit(X, y)
    assert model.n_models_ == 8
    assert model.score(X, y) > 0.7


def test_numbers_are_averaged_too():
    X, _ = table()
    y = 3 * X["x0"].to_numpy() + 1
    model = HistGradientBoostingRegressor(random_state=0).fit(X, y)
    assert model.n_models_ == 8
    assert model.score(X, y) > 0.9


def test_one_model_is_gone_on_with():
    X, y = table()
    with pytest.raises(InputError, match="Set n_models=1"):
        HistGradientBoostingClassifier(warm_start=True, n_models=3).fit(X, y)


def test_a_trace_follows_one_model_and_says_so():
    X, y = table()
    options = {**SHORT, "random_state": 0, "subsample": 1.0}
    alone = vaglio.trace(HistGradientBoostingClassifier(**options), X[:40], y[:40], max_rows=40, max_steps=2)
    mean = vaglio.trace(HistGradientBoostingClassifier(n_models=2, **options), X[:40], y[:40], max_rows=40, max_steps=2)
    assert mean.facts["rounds"] == alone.facts["rounds"]
    assert "the mean of 2 models" in " ".join(mean.to_text().split())
    assert "the mean of" not in " ".join(alone.to_text().split())
