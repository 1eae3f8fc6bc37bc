from __future__ import annotations

import json

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.comparison.requirements import growth_exponent, model_size, scaling
from vaglio.evaluation.rows import Rows, with_label_noise, with_missing_values

LEARNERS = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "guess": DummyClassifier(),
}


@pytest.fixture(scope="module")
def result(iris):
    return vaglio.compare(*iris, learners=LEARNERS, folds=5)


def test_the_five_requirements_are_there(result):
    rows = {row["learner"]: row for row in result.to_rows()}
    assert list(rows)[-1] == "guess"
    tree = rows["tree"]
    assert tree["low"] < tree["accuracy"] < tree["high"]
    assert tree["fit s"] > 0
    assert tree["predict s"] > 0
    assert tree["noise 20%"] < tree["accuracy"]
    assert tree["missing 20%"] is not None
    assert "nodes" in tree["size"]
    assert "time ~ rows^" in tree
    assert {"rows^ low", "rows^ high"} <= set(tree)


class _Clock:
    """Seconds that grow with the square of the rows; the first call is slow."""

    def __init__(self, sizes):
        self.sizes, self.calls = sizes, []

    def __call__(self, candidate, part, quiet):
        self.calls.append(len(part))
        slow = 50.0 if len(self.calls) == 1 else 1.0
        return len(part) ** 2 * 1e-5 * slow * (1 + 0.1 * (len(self.calls) % 3)), 0.001, None


def test_times_are_warm_medians_of_repeated_fits_and_the_exponent_has_an_interval(iris, monkeypatch):
    clock = _Clock((0.25, 0.5, 1.0))
    monkeypatch.setattr("vaglio.evaluation.comparison.requirements._seconds", clock)
    points = [point for point, _, _ in scaling(None, Rows.of(*iris), clock.sizes, seed=0)]
    assert [point["rows"] for point in points] == [38, 75, 150]
    assert len(clock.calls) == 1 + sum(len(point["fits"]) for point in points)
    assert all(len(point["fits"]) > 1 for point in points)
    for point in points:
        assert point["fit"] == np.median(point["fits"])
        assert max(point["fits"]) < 2 * point["fit"], "the first, cold fit counts"
    growth = growth_exponent(points)
    assert growth.low < 2 < growth.high
    assert growth.high - growth.low < 0.5


def test_only_a_significant_difference_counts(result):
    assert result.differ("bayes", "guess")
    assert not result.differ("bayes", "tree")
    assert any("do not differ significantly" in note for note in result.notes())
    with pytest.raises(InputError, match="not compared"):
        result.differ("bayes", "svm")


def test_a_learner_that_does_not_take_missing_values_says_so_by_a_gap(result):
    rows = {row["learner"]: row for row in result.to_rows()}
    assert rows["bayes"]["missing 20%"] is None


def test_forms(result):
    assert "3 learners on 150 rows" in repr(result)
    assert "<table" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["learners"]
    assert len(result.plot().get_yticklabels()) == 3
    plt.close("all")


def test_over_several_tables(iris):
    wine = load_wine(return_X_y=True)
    tables = {"iris": iris, "wine": wine, "half": (iris[0][::2], iris[1][::2]), "thin": (wine[0][:, :2], wine[1])}
    found = vaglio.compare(tables, learners=LEARNERS, folds=3)
    assert found.ranks is not None
    assert set(found.by_table) == set(tables)
    assert found.to_rows()[-1]["mean rank"] == 3
    assert "4 tables" in repr(found)
    assert not found.differ("bayes", "tree")
    found.plot()
    plt.close("all")


def test_a_failure_does_not_stop_the_others(iris):
    class Failing(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no")

    found = vaglio.compare(*iris, learners={"bad": Failing(), "bayes": GaussianNB()}, folds=3, noise=(), missing=())
    assert [row["learner"] for row in found.to_rows()] == ["bayes"]
    assert any("bad: Failed" in note for note in found.notes())


def test_our_own_learners_on_a_table():
    found = vaglio.compare(vaglio.datasets.load("play"), "play", learners=["c45", "naive-bayes"], folds=3, sizes=())
    rows = {row["learner"]: row for row in found.to_rows()}
    assert set(rows) == {"c45", "naive-bayes"}
    assert rows["c45"]["missing 20%"] is not None


def test_a_file_on_disk(tmp_path):
    path = tmp_path / "play.csv"
    vaglio.datasets.load("play").to_frame().to_csv(path, index=False)
    found = vaglio.compare(path, "play", learners=["naive-bayes"], folds=2, noise=(), missing=(), sizes=())
    assert found.read_seconds > 0
    assert any("Reading the file" in note for note in found.notes())


def test_noise_and_holes():
    rng = np.random.default_rng(0)
    y = np.tile(["a", "b", "c"], 200)
    noisy = with_label_noise(y, 0.3, rng)
    assert 0.2 < (noisy != y).mean() < 0.4
    assert set(noisy) == {"a", "b", "c"}
    holed = with_missing_values(np.ones((100, 5)), 0.5, rng)
    assert 0.35 < np.isnan(holed).mean() < 0.65
    table = with_missing_values(vaglio.datasets.load("play"), 0.5, rng)
    assert sum(table.column(name).n_missing for name in table.columns) > 10
    words = with_missing_values(np.array([["a", "b"]] * 50, dtype=object), 0.5, rng)
    assert words.column(words.columns[0]).n_missing > 5
    compressed = sp.csr_array(np.eye(4))
    assert with_missing_values(compressed, 0.5, rng) is compressed
    assert with_missing_values(vaglio.Table.from_any(compressed), 0.5, rng).shape == (4, 4)


@pytest.mark.slow
def test_sizes(iris):
    X, y = iris
    assert model_size(DecisionTreeClassifier().fit(X, y))["nodes"] > 3
    assert model_size(LogisticRegression(max_iter=500).fit(X, y)) == {"weights": 12}
    assert model_size(KNeighborsClassifier().fit(X, y)) == {"stored rows": 150}
    bag = BaggingClassifier(RandomForestClassifier(3, random_state=0), n_estimators=4, random_state=0).fit(X, y)
    assert model_size(bag)["nodes"] == sum(tree.tree_.node_count for forest in bag.estimators_ for tree in forest)
    assert model_size(GaussianNB().fit(X, y)) == {}
