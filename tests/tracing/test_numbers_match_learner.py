"""The numbers of a trace, computed again from the definitions, are those of the learner."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import vaglio
from vaglio.errors import ColumnError, InputError, NotSupportedError

ROW = ["sunny", "cool", "high", "true"]


@pytest.fixture(scope="module")
def flowers():
    """Every third iris: two numeric columns, three classes."""
    X, y = vaglio.datasets.load("iris").xy("species")
    rows = np.arange(0, 150, 3)
    return X.to_frame().iloc[rows, [1, 2]].reset_index(drop=True), np.asarray(y)[rows]


def random_table(seed: int, missing: float) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    y = rng.integers(0, int(rng.integers(2, 4)), n)
    frame = pd.DataFrame(
        {
            "a": rng.choice(["x", "y", "z"], n),
            "b": rng.choice(["u", "v"], n),
            "c": (rng.normal(size=n) + y).round(1),
            "d": rng.integers(0, 5, n).astype(float),
        }
    )
    return frame.mask(rng.random(frame.shape) < missing), np.array([f"k{code}" for code in y])


TREES = {
    "id3": vaglio.ID3Classifier(),
    "c45": vaglio.C45Classifier(),
    "c45 alone": vaglio.C45Classifier(subtree_raising=False, average_gain=False),
    "cart": vaglio.CARTClassifier(),
    "pessimistic": vaglio.ID3Classifier(pruning="pessimistic"),
    "error": vaglio.DecisionTreeClassifier(criterion="error", min_samples_leaf=2),
    "reduced": vaglio.ID3Classifier(pruning="reduced_error", random_state=3),
    "alpha": vaglio.CARTClassifier(ccp_alpha=0.03),
    "alpha by error": vaglio.CARTClassifier(ccp_alpha=0.02, ccp_risk="error"),
    "balanced": vaglio.C45Classifier(class_weight="balanced"),
    "balanced leaves": vaglio.CARTClassifier(class_weight="balanced", min_samples_leaf=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.15]))
def test_a_tree_chooses_and_prunes_as_worked_out(name, seed, missing):
    X, y = random_table(seed, missing)
    if len(np.unique(y)) < 2:
        return
    if name == "c45":  # columns of very many values have no part in its average gain
        X["many"] = [f"m{code}" for code in np.random.default_rng(seed).integers(0, len(y) // 2, len(y))]
    tree = vaglio.trace(TREES[name], X, y)
    differ = [
        (node["node"], node["chosen"], node["tree"]) for node in tree.facts["nodes"] if node["chosen"] != node["tree"]
    ]
    assert differ == []
    if "pruned_leaves" in tree.facts:
        assert tree.facts["pruned_leaves"] == tree.facts["leaves"]


def test_the_sequence_of_alphas_is_the_learners(flowers):
    X, y = flowers
    work = vaglio.trace(vaglio.CARTClassifier(ccp_alpha=0.01), X, y)
    path = vaglio.CARTClassifier().cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(work.facts["ccp_alphas"], np.unique(path.ccp_alphas.round(12)), atol=1e-9)


def test_foil_finds_the_rules_worked_out(play, flowers):
    for X, y in (play, flowers):
        facts = vaglio.trace("foil", X, y).facts
        assert len(facts["rules"]) == len(facts["fitted_rules"])
        assert {frozenset(rule.split("IF ")[1].split(" THEN ")[0].split(" AND ")) for rule in facts["rules"][:2]} == {
            frozenset(rule.split("IF ")[1].split(" THEN ")[0].split(" AND ")) for rule in facts["fitted_rules"][:2]
        }


@pytest.mark.parametrize("likelihood", ["auto", "gaussian", "kde", "discrete"])
def test_naive_bayes_gives_the_posterior_worked_out(flowers, likelihood):
    X, y = flowers
    model = vaglio.NaiveBayesClassifier(likelihood)
    work = vaglio.trace(model, X, y, row=X.iloc[[7]])
    expected = model.fit(X, y).predict_proba(X.iloc[[7]])[0]
    np.testing.assert_allclose(list(work.facts["posterior"].values()), expected, rtol=1e-9, atol=1e-12)


def test_a_constant_column_has_no_influence(flowers):
    X, y = flowers
    X = X.assign(constant=3.0)
    model = vaglio.NaiveBayesClassifier("gaussian").fit(X, y)
    work = vaglio.trace(model, X, y, row=X.iloc[[7]])
    np.testing.assert_allclose(list(work.facts["posterior"].values()), model.predict_proba(X.iloc[[7]])[0], rtol=1e-9)


def test_a_missing_value_is_left_out_of_the_product(play):
    X, y = play
    work = vaglio.trace(vaglio.NaiveBayesClassifier(alpha=0), X, y, row=["sunny", "?", "high", "true"])
    assert work.facts["joint"]["yes"] == pytest.approx(2 / 9 * 3 / 9 * 3 / 9 * 9 / 14)
    assert len(work.facts["factors"]) == 3


def test_joint_bayes_multiplies_likelihood_and_prior(play):
    X, y = play
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = vaglio.JointBayesClassifier().fit(X, y)
        work = vaglio.trace(model, X, y, row=ROW)
    joint = np.array(list(work.facts["joint"].values()))
    np.testing.assert_allclose(joint / joint.sum(), model.predict_proba(pd.DataFrame([ROW], columns=X.columns))[0])


PERCEPTRONS = [
    {},
    {"shuffle": True, "random_state": 3},
    {"init": "random"},
    {"penalty": "l2", "alpha": 0.05},
    {"penalty": "l1", "alpha": 0.05, "shuffle": True},
    {"penalty": "elasticnet", "alpha": 0.05, "early_stopping": True, "validation_fraction": 0.3},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", PERCEPTRONS)
def test_the_perceptron_ends_at_the_weights_worked_out(play, flowers, options):
    for X, y in (play, flowers):
        model = vaglio.Perceptron(max_iter=20, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        weights = np.array(vaglio.trace(model, X, y).facts["weights"])
        np.testing.assert_allclose(weights, np.column_stack([model.coef_, model.intercept_]), atol=1e-8)


def test_the_support_vector_machine_follows_from_its_multipliers(play, flowers):
    X, y = play
    model = vaglio.SVC(kernel="linear").fit(X, y)
    machine = vaglio.trace(model, X, y).facts["machines"][0]
    np.testing.assert_allclose(machine["w"], model.coef_[0], atol=1e-8)
    assert machine["margin"] == pytest.approx(float(model.margin_), rel=1e-6)
    for kernel in ("rbf", "poly", "sigmoid"):
        model = vaglio.SVC(kernel=kernel).fit(*flowers)
        machines = vaglio.trace(model, *flowers).facts["machines"]
        np.testing.assert_allclose([m["margin"] for m in machines], model.margin_, rtol=1e-3)


@pytest.mark.parametrize(
    "options",
    [{}, {"weights": "squared_distance"}, {"p": 1}, {"p": 3, "weights": "distance"}, {"class_weight": "balanced"}],
)
def test_neighbours_and_votes_are_those_worked_out(play, flowers, options):
    for (X, y), row in ((play, ROW), (flowers, [2.95, 4.45])):
        model = vaglio.KNeighborsClassifier(3, **options).fit(X, y)
        facts = vaglio.trace(model, X, y, row=row).facts
        frame = pd.DataFrame([row], columns=list(X.columns))
        distances, rows = model.kneighbors(frame)
        assert facts["nearest"] == (rows[0] + 1).tolist()
        np.testing.assert_allclose(facts["distances"], distances[0])
        assert facts["decision"] == model.predict(frame)[0]


def test_boosting_rounds_are_those_worked_out(play, flowers):
    for (X, y), class_weight in ((play, None), (flowers, None), (play, "balanced")):
        model = vaglio.AdaBoostClassifier(n_estimators=6, class_weight=class_weight, random_state=0).fit(X, y)
        rounds = vaglio.trace(model, X, y).facts["rounds"]
        # The learner keeps its weights on a grid, which changes the fifth digit.
        np.testing.assert_allclose([r["alpha"] for r in rounds], model.estimator_weights_, rtol=2e-3)
        np.testing.assert_allclose([r["error"] for r in rounds], model.estimator_errors_, rtol=2e-3)


def test_samples_and_votes_of_bagging_and_forest(play):
    X, y = play
    frame = pd.DataFrame([ROW], columns=X.columns)
    bag = vaglio.BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    facts = vaglio.trace(bag, X, y, row=ROW).facts
    assert facts["samples"] == [(rows + 1).tolist() for rows in bag.estimators_samples_]
    assert facts["decision"] == bag.predict(frame)[0]
    forest = vaglio.RandomForestClassifier(7, random_state=0).fit(X, y)
    facts = vaglio.trace(forest, X, y, row=ROW).facts
    assert facts["votes"]["yes"] / 7 == pytest.approx(forest.predict_proba(frame)[0, 1])
    shares = [len(rows) / 14 for rows in facts["left_out"]]
    assert 0.15 < np.mean(shares) < 0.6


# -- what is asked for -------------------------------------------------------------------------------------------------
def test_large_tables_are_refused_and_large_trees_folded(flowers):
    X, y = flowers
    with pytest.raises(InputError, match="50 rows; a trace can be followed up to 20"):
        vaglio.trace("id3", X, y, max_rows=20)
    text = str(vaglio.trace("cart", X, y, max_steps=1))
    assert "more nodes are not shown" in text


def test_a_fitted_estimator_must_have_the_same_training_rows(play, flowers):
    model = vaglio.ID3Classifier().fit(*play)
    assert vaglio.trace(model, *play).facts["leaves"] == 5
    X, y = play
    with pytest.raises(InputError, match="other rows"):
        vaglio.trace(model, X[:10], y[:10])


@pytest.mark.parametrize(
    ("row", "error", "says"),
    [
        (["sunny"], InputError, "1 value for 4 columns"),
        ({"outlook": "sunny"}, ColumnError, "has no column 'temperature'"),
        (pd.DataFrame({"a": [1, 2]}), InputError, "one row; got 2"),
    ],
)
def test_rows_that_do_not_fit(play, row, error, says):
    with pytest.raises(error, match=says):
        vaglio.trace("naive-bayes", *play, row=row)


def test_impossible_traces_are_refused(play):
    X, y = play
    with pytest.raises(InputError, match="needs a row to classify"):
        vaglio.trace("knn", X, y)
    with pytest.raises(NotSupportedError, match="no trace for 'GaussianNB'"):
        vaglio.trace(GaussianNB(), X, y)
    with pytest.raises(NotSupportedError, match="no trace for 'svm'"):
        vaglio.trace(vaglio.SVR(), X, np.arange(14.0))
    with pytest.raises(InputError, match="no translation into 'fr'"):
        vaglio.trace("id3", X, y, lang="fr")
