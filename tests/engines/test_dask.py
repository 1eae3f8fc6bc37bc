"""The same file on a Dask cluster: any number of workers, any partitioning, a worker killed on the way."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from tests.engines.conftest import sha
from tests.engines.learners import ALL

from vaglio import (
    ExplainableBoostingClassifier,
    HistGradientBoostingClassifier,
    KNeighborsClassifier,
    LogisticRegression,
    NaiveBayesClassifier,
    streaming,
)
from vaglio.engines.dask import DaskEngine
from vaglio.errors import InputError
from vaglio.learners.additive.estimators import additive as _additive
from vaglio.learners.additive.estimators import bags
from vaglio.learners.boosting.estimators import rounds
from vaglio.learners.boosting.estimators.boosting import BoostingEstimator
from vaglio.learners.linear.estimators import logistic_solver
from vaglio.runtime.cluster import local_client

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes by signals"),
]


def _at_night(*values):
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


# Counts, a solver in passes and a tree by day.
CROSSED = ["naive-bayes, intervals", "logistic", "c45", *_at_night("gaussian-map", "perceptron", "random-forest")]


@pytest.fixture(scope="module")
def client():
    with local_client(2) as made:
        yield made


@pytest.fixture(autouse=True)
def small_sample(monkeypatch):
    monkeypatch.setattr(logistic_solver, "_SAMPLE_ROWS", 600)
    monkeypatch.setattr(logistic_solver, "_ROWS_PER_COEFFICIENT", 1)


def killing_once(client, moment):
    """Return a report of progress that kills a worker when a pass begins, and the list of what it killed."""
    killed: list[int] = []

    def report(done, total, what):
        if what == moment and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    return report, killed


def frame_of(frame, partitions):
    import dask.dataframe as dd

    return dd.from_pandas(frame.drop(columns="weight"), npartitions=partitions)


@pytest.mark.slow
@pytest.mark.parametrize("name", CROSSED)
def test_one_file_on_disk_and_on_the_cluster(name, client, lazy, frame):
    X, y = lazy.xy("target")
    files = {sha(clone(ALL[name]).fit(X, y))}
    with streaming(client=client):
        files.add(sha(clone(ALL[name]).fit(X, y)))
    rows = frame_of(frame, 3)
    files.add(sha(clone(ALL[name]).fit(rows.drop(columns="target"), rows["target"])))
    assert len(files) == 1


@pytest.mark.slow
def test_boosting_in_passes_gives_one_file_and_loses_a_worker(client, lazy, frame, monkeypatch):
    monkeypatch.setattr(rounds, "ROWS_FOR_FOLDS", 1000)
    ours = HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=6, random_state=1, early_stopping=False)
    rows = frame.drop(columns="weight")
    held = clone(ours).fit(rows.drop(columns="target"), rows["target"].to_numpy(str))
    monkeypatch.setattr(BoostingEstimator, "_gathered_share", 0)
    kill, killed = killing_once(client, "round 2, sums 2")
    with streaming(client=client, progress=kill):
        assert sha(clone(ours).fit(*lazy.xy("target"))) == sha(held)
    assert killed


@pytest.mark.slow
def test_an_additive_model_in_passes_gives_one_file_and_loses_a_worker(client, lazy, frame, monkeypatch):
    monkeypatch.setattr(_additive, "DEALT_ROWS", 1000)
    monkeypatch.setattr(bags, "DEALT_ROWS", 1000)
    ours = ExplainableBoostingClassifier(outer_bags=2, max_rounds=5, interactions=1, random_state=1)
    rows = frame.drop(columns="weight")
    held = clone(ours).fit(rows.drop(columns="target"), rows["target"].to_numpy(str))
    monkeypatch.setattr(_additive.AdditiveEstimator, "_gathered_share", 0)
    kill, killed = killing_once(client, "sums of pairs")
    with streaming(client=client, progress=kill):
        assert sha(clone(ours).fit(*lazy.xy("target"))) == sha(held)
    assert killed
    apart = frame_of(frame, 5)
    assert sha(clone(ours).fit(apart.drop(columns="target"), apart["target"])) == sha(held)


@pytest.mark.slow
def test_many_partitions_merge_in_a_tree(client, lazy, frame):
    rows = frame_of(frame, 20)
    model = NaiveBayesClassifier(likelihood="mdl").fit(rows.drop(columns="target"), rows["target"])
    assert sha(model) == sha(clone(model).fit(*lazy.xy("target")))


@pytest.mark.slow
def test_predictions_are_dask_collections(client, frame):
    rows = frame_of(frame, 3)
    X, y = rows.drop(columns="target"), rows["target"]
    model = NaiveBayesClassifier(likelihood="mdl").fit(X, y)
    plain = frame.drop(columns=["weight", "target"])
    assert np.array_equal(model.predict(X).compute(), model.predict(plain))
    probabilities = model.predict_proba(X)
    assert list(probabilities.columns) == ["maybe", "no", "yes"]
    assert np.array_equal(probabilities.compute().to_numpy(), model.predict_proba(plain))
    assert model.score(X, y) == model.score(plain, frame["target"])


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(client, lazy):
    X, y = lazy.xy("target")
    expected = sha(LogisticRegression().fit(X, y))
    kill, killed = killing_once(client, "loss and slopes")
    with streaming(client=client, progress=kill):
        assert sha(LogisticRegression().fit(X, y)) == expected
    assert killed


@pytest.mark.slow
def test_partitions_that_differ_are_named(client, frame):
    import dask.dataframe as dd

    rows = frame.drop(columns="weight")
    words = rows.assign(count="many")
    mixed = dd.from_delayed([_later(rows), _later(words)], meta=rows.iloc[:0], verify_meta=False)
    with pytest.raises(InputError, match=r"Column 'count' is numeric in partition 0 and nominal in partition 1"):
        NaiveBayesClassifier().fit(mixed.drop(columns="target"), mixed["target"])
    with pytest.raises(InputError, match="Dask series"):
        NaiveBayesClassifier().fit(mixed.drop(columns="target"), frame["target"])


def _later(rows):
    import dask

    return dask.delayed(rows.copy)()


@pytest.mark.slow
def test_a_lost_scheduler_is_said_and_the_checkpoint_kept(lazy, tmp_path):
    from vaglio.errors import ClusterError

    X, y = lazy.xy("target")
    quiet = {"processes": False, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **quiet) as small:
        client = distributed.Client(small, set_as_default=False)

        def lose(done, total, what):
            if what == "loss and slopes":
                client.close()

        with streaming(client=client, checkpoint=tmp_path, progress=lose), pytest.raises(ClusterError, match="lost"):
            LogisticRegression().fit(X, y)
    assert list(tmp_path.glob("pass-*"))
    with streaming(checkpoint=tmp_path, resume=True):
        resumed = LogisticRegression().fit(X, y)
    assert sha(resumed) == sha(LogisticRegression().fit(X, y))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c45", *_at_night("cart, folds", "bagging", "adaboost")])
def test_trees_grow_by_levels_and_lose_a_worker(name, client, lazy, frame, monkeypatch):
    monkeypatch.setattr(DaskEngine, "room", 40_000)  # rows do not fit as bins
    X, y = lazy.xy("target")
    kill, killed = killing_once(client, "sums of level 2")
    with streaming(client=client, progress=kill):
        streamed = clone(ALL[name]).fit(X, y)
    rows = frame.drop(columns="weight")
    assert killed
    assert sha(streamed) == sha(clone(ALL[name]).fit(rows.drop(columns="target"), rows["target"].to_numpy(str)))


@pytest.mark.slow
def test_two_trainings_share_a_cluster(client, lazy):
    X, y = lazy.xy("target")
    names = ["random-forest", "naive-bayes, intervals", "random-forest"]
    expected = [sha(clone(ALL[name]).fit(X, y)) for name in names]

    def train(name):
        with streaming(client=client):
            return sha(clone(ALL[name]).fit(X, y))

    with ThreadPoolExecutor(len(names)) as pool:
        assert list(pool.map(train, names)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("workers", _at_night(5, 1))
def test_any_number_of_workers_gives_the_same_file(workers, lazy):
    X, y = lazy.xy("target")
    names = ["naive-bayes, intervals", "random-forest"]
    expected = [sha(clone(ALL[name]).fit(X, y)) for name in names]
    with local_client(workers) as client, streaming(client=client):
        assert [sha(clone(ALL[name]).fit(X, y)) for name in names] == expected


@pytest.mark.slow
def test_neighbours_of_partitions_that_do_not_fit_here(client, frame, monkeypatch):
    from vaglio.learners.neighbors import estimators

    rows, inputs = frame_of(frame, 3), frame.drop(columns=["weight", "target"])
    held = KNeighborsClassifier().fit(inputs, frame["target"].to_numpy(str))
    monkeypatch.setattr(estimators, "bytes_of_rows", lambda facts: 1 << 60)
    model = KNeighborsClassifier().fit(rows.drop(columns="target"), rows["target"])
    assert type(model.fitted_.model).__name__ == "OutOfCoreNeighbors"
    some = inputs.iloc[:300]
    for found, expected in zip(model.kneighbors(some), held.kneighbors(some), strict=True):
        np.testing.assert_array_equal(found, expected)
    partitions = frame_of(frame.head(300), 3).drop(columns="target")
    shares = model.predict_proba(partitions).compute()  # by the workers, from the same files
    np.testing.assert_array_equal(shares.to_numpy(), held.predict_proba(some))
