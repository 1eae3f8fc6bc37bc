"""A cluster that has lost all its workers: the training waits, says so, goes on when one comes, and ends in time."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from tests.engines.conftest import sha

from vaglio import NaiveBayesClassifier, Perceptron, RandomForestClassifier, streaming
from vaglio.engines.dask import DaskEngine
from vaglio.errors import ClusterError, InputError

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes by signals"),
]
NONE_LEFT = r"has had no workers for 0\.5 seconds\. Start workers and resume from the checkpoint"
FOREST = RandomForestClassifier(2, max_bins=32, random_state=1)


@pytest.fixture(autouse=True)
def in_levels(monkeypatch):
    monkeypatch.setattr(DaskEngine, "room", 40_000)  # rows do not fit as bins


@pytest.fixture
def cluster():
    quiet = {"protocol": "tcp://", "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **quiet) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as made:
        yield made


def losing(cluster, moment):
    """Return a report of progress that stops all workers when a pass begins, and the list of all that it was told."""
    told: list[str] = []

    def report(done, total, what):
        if what == moment and what not in told:
            cluster.scale(0)
            gone(cluster)
        told.append(what)

    return report, told


def gone(cluster):
    until = time.monotonic() + 60
    while cluster.scheduler.workers:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow
def test_no_workers_left_is_an_error_and_the_checkpoint_is_gone_on_from(cluster, client, lazy, tmp_path):
    X, y = lazy.xy("target")
    report, told = losing(cluster, "bins")
    settings = {"client": client, "checkpoint": tmp_path, "worker_timeout": 0.5}
    with streaming(**settings, progress=report), pytest.raises(ClusterError, match=NONE_LEFT):
        FOREST.fit(X, y)
    assert "bins: waiting for workers" in told
    assert list(tmp_path.glob("pass-*"))
    cluster.scale(1)
    with streaming(**settings | {"worker_timeout": 60}, resume=True):
        resumed = sha(FOREST.fit(X, y))
    assert resumed == sha(FOREST.fit(X, y))


@pytest.mark.slow
def test_a_training_goes_on_when_a_worker_comes(cluster, client, lazy):
    X, y = lazy.xy("target")
    lose, told = losing(cluster, "bins")

    def report(done, total, what):
        lose(done, total, what)
        if what.endswith("waiting for workers"):
            cluster.scale(1)

    with streaming(client=client, progress=report):
        trained = sha(FOREST.fit(X, y))
    assert "bins: waiting for workers" in told
    assert trained == sha(FOREST.fit(X, y))


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [pytest.param(Perceptron(max_iter=2), marks=pytest.mark.nightly), NaiveBayesClassifier(likelihood="mdl")],
)
def test_a_cluster_that_never_had_a_worker(learner, cluster, client, lazy, frame):
    import dask.dataframe as dd

    cluster.scale(0)
    gone(cluster)
    rows = dd.from_pandas(frame.drop(columns="weight"), npartitions=2)
    with streaming(client=client, worker_timeout=0.5):
        with pytest.raises(ClusterError, match=NONE_LEFT):
            learner.fit(*lazy.xy("target"))
        with pytest.raises(ClusterError, match=NONE_LEFT):
            learner.fit(rows.drop(columns="target"), rows["target"])


@pytest.mark.slow
def test_a_walk_and_a_result_to_be_fetched_are_not_waited_for_without_end(cluster, client, lazy):
    X, y = lazy.xy("target")
    first: list[str] = []
    with streaming(client=client, progress=lambda done, total, what: first.append(what)):
        Perceptron(max_iter=2).fit(X, y)
    walk = first[-1]

    def after_the_work(done, total, what):
        if what == walk and done == total:  # finished, but not fetched
            cluster.scale(0)
            gone(cluster)

    settings = {"client": client, "worker_timeout": 0.5}
    with streaming(**settings, progress=after_the_work), pytest.raises(ClusterError, match=NONE_LEFT):
        Perceptron(max_iter=2).fit(X, y)


@pytest.mark.slow
def test_interrupted_while_waiting_for_workers(cluster, client, lazy):
    lose, told = losing(cluster, "bins")

    def report(done, total, what):
        lose(done, total, what)
        if what.endswith("waiting for workers") and told.count(what) == 1:
            threading.Timer(0.1, _thread.interrupt_main).start()

    began = time.monotonic()
    with streaming(client=client, worker_timeout=600, progress=report), pytest.raises(KeyboardInterrupt):
        FOREST.fit(*lazy.xy("target"))
    assert time.monotonic() - began < 300


@pytest.mark.slow
def test_workers_without_a_nanny_killed_one_after_the_other(cluster, client, lazy):
    X, y = lazy.xy("target")
    cluster.scale(0)
    gone(cluster)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
    options = ["--no-nanny", "--no-dashboard", "--nthreads", "1"]
    workers = [subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL) for _ in range(2)]
    moments = ["bins", "sums of level 2"]
    try:
        client.wait_for_workers(2, timeout=60)

        def report(done, total, what):
            if moments and what == moments[0]:
                os.kill(workers[len(moments) - 1].pid, signal.SIGKILL)
                moments.pop(0)

        settings = {"client": client, "worker_timeout": 0.5}
        with streaming(**settings, progress=report), pytest.raises(ClusterError, match=NONE_LEFT):
            FOREST.fit(X, y)
        assert not moments
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def test_parts_of_a_table_without_workers(cluster, client, lazy):
    model = NaiveBayesClassifier(likelihood="mdl").fit(*lazy.xy("target"))
    cluster.scale(0)
    gone(cluster)
    with streaming(client=client, worker_timeout=0.5), pytest.raises(ClusterError, match=NONE_LEFT):
        model.score(*lazy.xy("target"))


def test_a_time_to_wait_is_above_zero():
    with pytest.raises(InputError, match="positive number of seconds, not 0"), streaming(worker_timeout=0):
        pass
