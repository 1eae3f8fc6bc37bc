"""Selection: honest, reproducible, and not stopped by a learner that fails."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import STRATEGIES, make_holdout

KNN = (KNeighborsClassifier(), {"n_neighbors": [1, 3, 9, 27]})
TREE = (DecisionTreeClassifier(), {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 5]})
LEARNERS = {"bayes": GaussianNB(), "knn": KNN, "tree": TREE}


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_every_strategy_says_how_far_it_can_be_trusted(iris, strategy):
    selection = vaglio.select(*iris, learners=LEARNERS, strategy=strategy, folds=3, n_iter=3)
    assert selection.strategy.reliability in repr(selection)
    assert selection.score > 0.85
    n_settings = len(selection.trials)
    assert n_settings == 3 if not selection.strategy.tuned else n_settings > 3
    n_rows = selection.evaluation.n_rows
    assert n_rows == 150 if strategy == "zero" else n_rows == 30
    assert selection.n_train == (150 if strategy == "zero" else 120)
    data = json.loads(json.dumps(selection.to_dict()))
    assert data["learner"] == selection.best.learner
    assert "<table" in selection._repr_html_()


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps the sum of everything it was ever fitted on."""

    seen: list = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Recorder.seen.append(set(X[:, 0].tolist()))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("strategy", ["quick", "standard", "validation", "cross-validation"])
def test_no_fit_ever_sees_a_row_that_judges(strategy):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 3
    Recorder.seen.clear()
    selection = vaglio.select(X, y, learners=[Recorder()], strategy=strategy, folds=3)
    judged = selection.evaluation.n_rows
    ever = set().union(*Recorder.seen)
    assert len(ever) == 60 - judged
    Recorder.seen.clear()


@pytest.mark.parametrize("strategy", ["quick", "validation", "cross-validation"])
def test_groups_and_time_go_through_to_every_split(strategy):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    Recorder.seen.clear()
    vaglio.select(X, y, learners=[Recorder()], strategy=strategy, folds=3, groups=np.arange(60) // 5)
    for fitted_on in Recorder.seen:
        assert all({5.0 * (v // 5) + k for k in range(5)} <= fitted_on for v in fitted_on)
    Recorder.seen.clear()
    vaglio.select(X, y, learners=[Recorder()], strategy=strategy, folds=3, time_ordered=True)
    assert max(set().union(*Recorder.seen)) == 47
    Recorder.seen.clear()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["quick", "validation", "cross-validation"])
def test_a_poisoned_test_fold_changes_nothing_in_the_model(strategy):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.copy()
    X[::7, 3] = np.nan
    _, test = make_holdout(y, 0.2)
    poisoned = X.copy()
    poisoned[test] = np.random.default_rng(0).normal(1e6, 1e6, size=poisoned[test].shape)
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), SelectKBest(k=5), KNeighborsClassifier())
    learners = {"knn": (pipeline, {"kneighborsclassifier__n_neighbors": [3, 15], "selectkbest__k": [3, 8]})}
    a, b = (vaglio.select(data, y, learners=learners, strategy=strategy, folds=3, n_iter=4) for data in (X, poisoned))
    assert a.best.params == b.best.params
    np.testing.assert_array_equal(
        a.best.scores if strategy != "quick" else 0, b.best.scores if strategy != "quick" else 0
    )
    for step in ("simpleimputer", "standardscaler", "selectkbest"):
        for name, value in vars(a.best_estimator.named_steps[step]).items():
            if name.endswith("_") and isinstance(value, np.ndarray):
                np.testing.assert_array_equal(value, getattr(b.best_estimator.named_steps[step], name))
    assert a.score != b.score


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["knn", "c45", "naive-bayes", "logistic"])
def test_a_poisoned_test_fold_changes_no_byte_of_our_models(learner, tmp_path):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    _, test = make_holdout(labels, 0.2)
    clean = {f"v{j}": X[:, j] for j in range(4)}
    clean["colour"] = np.where(X[:, 0] > 5.8, "dark", "light").astype(object)
    poisoned = {name: values.copy() for name, values in clean.items()}
    for j in range(4):
        poisoned[f"v{j}"][test] = 1e7
    poisoned["colour"][test] = "never seen before"
    content = []
    for name, data in (("clean", clean), ("poisoned", poisoned)):
        table = vaglio.Table.from_any({**data, "y": labels})
        path = tmp_path / name
        vaglio.select(table, "y", learners=[learner], folds=3, n_iter=2).best_estimator.save(path)
        content.append(path.read_bytes())
    assert content[0] == content[1]


@pytest.mark.slow
def test_on_noise_the_nested_figure_is_at_chance_and_the_best_of_many_is_not():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 8)), np.tile([0, 1], 60)
    learners = {
        "knn": (KNeighborsClassifier(), {"n_neighbors": list(range(1, 30, 2))}),
        "tree": (DecisionTreeClassifier(), {"max_depth": [1, 2, 3, 5, 8], "min_samples_leaf": [1, 3, 9]}),
    }
    nested = vaglio.select(X, y, learners=learners, outer_folds=5, folds=4, n_iter=12, seed=1)
    assert 0.5 in nested.evaluation.accuracy
    naive = vaglio.select(X, y, learners=learners, strategy="standard", n_iter=12, test_size=0.2, seed=1)
    assert naive.score > 0.5 + 0.08
    assert naive.score > nested.score
    assert nested.optimism > 0
    assert naive.strategy.reliability == "poor"
    assert len(nested.choices()) == 5
    assert "Nested" in repr(nested)


@pytest.mark.slow
@pytest.mark.parametrize("search", ["none", "grid", "random", "halving"])
def test_every_search(iris, search):
    selection = vaglio.select(*iris, learners=LEARNERS, search=search, n_iter=3, folds=3)
    names = {trial.learner for trial in selection.trials}
    assert names == set(LEARNERS)
    settings = {"none": 3, "grid": 3 + 4 + 8, "random": 3 + 3 + 3, "halving": 5}[search]
    assert len(selection.trials) <= settings
    assert not selection.failures


@pytest.mark.slow
def test_same_seed_same_choice_for_any_n_jobs(iris):
    learners = {"forest": (RandomForestClassifier(5), {"max_depth": [1, 2, None]})}
    runs = []
    for n_jobs in (None, 2):
        with parallel_config(backend="threading"):  # processes do the same and take long to start
            runs.append(vaglio.select(*iris, learners=learners, folds=3, n_iter=3, n_jobs=n_jobs, seed=4))
    assert runs[0].best.params == runs[1].best.params
    for a, b in zip(runs[0].trials, runs[1].trials, strict=True):
        np.testing.assert_array_equal(a.scores, b.scores)
    np.testing.assert_array_equal(runs[0].evaluation.predicted, runs[1].evaluation.predicted)


class Failing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("out of luck")


def test_a_learner_that_fails_is_reported_and_the_rest_goes_on(iris):
    selection = vaglio.select(*iris, learners={"bad": Failing(), "bayes": GaussianNB()}, folds=3)
    assert selection.best.learner == "bayes"
    assert [trial.learner for trial in selection.failures] == ["bad"]
    assert "bad: RuntimeError: out of luck" in repr(selection)
    with pytest.raises(InputError, match="out of luck"):
        vaglio.select(*iris, learners={"bad": Failing()}, folds=3)


class Interrupting(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


def test_an_interrupt_keeps_what_was_finished(iris):
    learners = {"bayes": GaussianNB(), "stop": Interrupting(), "knn": KNN}
    selection = vaglio.select(*iris, learners=learners, folds=3)
    assert selection.interrupted
    assert selection.best.learner == "bayes"
    assert "interrupted" in repr(selection)
    with pytest.raises(KeyboardInterrupt):
        vaglio.select(*iris, learners={"stop": Interrupting()}, folds=3)


class Swallowing(GaussianNB):
    """Is interrupted, says nothing, and returns half-trained."""

    def fit(self, X, y, sample_weight=None):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return super().fit(X, y)
        raise AssertionError("the interrupt was not raised")


def test_an_interrupt_that_a_learner_swallows_is_noticed(iris):
    before = signal.getsignal(signal.SIGINT)
    selection = vaglio.select(*iris, learners={"bayes": GaussianNB(), "stop": Swallowing(), "knn": KNN}, folds=3)
    assert selection.interrupted
    assert {trial.learner for trial in selection.trials} == {"bayes"}
    assert signal.getsignal(signal.SIGINT) is before


def test_a_spent_budget_has_tried_each_learner_once(iris):
    selection = vaglio.select(*iris, learners=LEARNERS, folds=3, n_iter=5, time_budget=0)
    assert len(selection.trials) == 3
    assert selection.out_of_time
    assert "time budget" in repr(selection)


def test_progress_is_told(iris):
    told = []
    vaglio.select(*iris, learners=LEARNERS, folds=3, n_iter=2, progress=lambda *step: told.append(step))
    done, total, what = told[-1]
    assert done == total == len(told)
    assert "trying" in what


@pytest.mark.slow
def test_costs_move_the_decision_and_the_choice():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:, :3], np.array(["ill", "well"])[y]
    cost = {("ill", "well"): 50, ("well", "ill"): 1}
    plain = vaglio.select(X, y, learners=LEARNERS, folds=3, n_iter=2)
    careful = vaglio.select(X, y, learners=LEARNERS, folds=3, n_iter=2, cost=cost)
    assert careful.evaluation.rate("fnr", "ill").value < plain.evaluation.rate("fnr", "ill").value
    assert careful.scoring == "minus mean cost"
    assert careful.score <= 0
    by_row = np.where(y == "ill", 50.0, 1.0)
    weighted = vaglio.select(X, y, learners={"tree": TREE}, strategy="quick", cost=by_row)
    assert weighted.evaluation.weight is not None


def test_a_table_with_its_target(iris):
    X, y = iris
    table = vaglio.Table.from_any({"length": X[:, 2], "width": X[:, 3], "kind": np.array(list("abc"))[y]})
    selection = vaglio.select(table, "kind", learners={"bayes": GaussianNB()}, folds=3)
    assert selection.evaluation.labels == ("a", "b", "c")
    assert selection.score > 0.8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strategy": "best"}, "no strategy"),
        ({"search": "bayesian"}, "no search"),
        ({"scoring": "brilliance"}, "no score"),
        ({"learners": ["no-such-learner"]}, "no learner 'no-such-learner'"),
        ({"learners": [3]}, "neither a learner id"),
        ({"learners": []}, "no learner to try"),
        ({"outer_folds": 3, "strategy": "quick"}, "outer_folds"),
        ({"n_iter": 0}, "n_iter"),
    ],
)
def test_what_cannot_be_done_is_refused(iris, arguments, message):
    with pytest.raises(InputError, match=message):
        vaglio.select(*iris, **{"learners": {"bayes": GaussianNB()}, **arguments})
    with pytest.raises(InputError, match="needs at least two classes"):
        vaglio.select(iris[0], np.zeros(150), learners={"bayes": GaussianNB()})


def test_with_a_test_table_every_row_of_the_table_is_a_training_row():
    table = vaglio.datasets.load("penguins")
    rows = np.arange(len(table))
    training, test = table.take(rows % 3 > 0), table.take(rows % 3 == 0)
    chosen = vaglio.select(training, "species", learners=["c45", "naive-bayes"], folds=3, search="none", test=test)
    assert chosen.n_train == len(training)
    assert chosen.evaluation.n_rows == len(test)
    assert chosen.judged.tolist() == list(range(len(test)))
    with pytest.raises(InputError, match="test table"):
        vaglio.select(training, "species", learners=["c45"], strategy="quick", test=test)


def test_a_selection_says_which_rows_judged():
    X, y = vaglio.datasets.load("penguins").xy("species")
    chosen = vaglio.select(X, y, learners=["c45"], folds=3, search="none")
    assert chosen.evaluation.true.tolist() == [list(chosen.evaluation.labels).index(y[i]) for i in chosen.judged]
    nested = vaglio.select(X, y, learners=["c45"], folds=3, outer_folds=3, search="none")
    assert sorted(nested.judged.tolist()) == list(range(len(y)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("optimism", "said"),
    [(0.00001, "is the same on"), (0.02, "0.0200 higher than on"), (-0.02, "0.0200 lower than on")],
)
def test_a_nested_score_says_how_it_differs(optimism: float, said: str):
    X, y = vaglio.datasets.load("play").xy("play")
    found = vaglio.select(X, y, learners=["naive-bayes"], folds=3, outer_folds=3, search="none", progress=False)
    found = replace(found, score=found.best.score - optimism)
    assert any(f"{said} rows that played no part in it" in note for note in found.notes())
