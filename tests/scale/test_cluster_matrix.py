"""One file for every learner: 1, 2 and 5 workers, other partitions, partitions that finish in any order, a lost worker."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from functools import partial

import pytest
from sklearn.base import clone
from tests.scale.conftest import sha
from tests.scale.learners import ALL

from vaglio import streaming
from vaglio.learn.linear import logistic_solver
from vaglio.scale.on_dask import DaskEngine
from vaglio.scale.passes import Pass

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes by signals"),
]
# SHA-256 by learner, of the rows from disk without a cluster.
expected: dict[str, str] = {}


@pytest.fixture(scope="module", params=[1, 2, 5])
def client(request):
    with (
        distributed.LocalCluster(
            n_workers=request.param, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        made.tests_workers = request.param
        yield made


@pytest.fixture(autouse=True)
def small_sample(monkeypatch):
    monkeypatch.setattr(logistic_solver, "_SAMPLE_ROWS", 600)
    monkeypatch.setattr(logistic_solver, "_ROWS_PER_COEFFICIENT", 1)


def columns_of(name, rows):
    return rows[["count", "word", "flag", "target"]] if "bernoulli" in name else rows.drop(columns="weight")


def from_disk(name, lazy):
    data = lazy.select(["count", "word", "flag", "target"]) if "bernoulli" in name else lazy
    return sha(clone(ALL[name]).fit(*data.xy("target")))


def last_first(summarize, chunk):
    """Summarize the first partitions last."""
    time.sleep(0.05 * (3000 - chunk.start) / 3000)
    return summarize(chunk)


def killing_in_a_pass(client):
    """Return a report of progress that kills a worker in the third look at the rows, and the list of what it killed."""
    killed: list[int] = []
    looks: set[str] = set()

    def report(done, total, what):
        looks.add(what)
        if len(looks) == 3 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    return report, killed


@pytest.mark.parametrize("name", ALL)
def test_one_file_however_the_cluster_works(name, client, lazy, frame, monkeypatch):
    if name not in expected:
        expected[name] = from_disk(name, lazy)
    with streaming(client=client):
        assert from_disk(name, lazy) == expected[name]
    if client.tests_workers != 2:
        return
    import dask.dataframe as dd

    rows = dd.from_pandas(columns_of(name, frame), npartitions=3)
    answer = DaskEngine.answer

    def late(self, request):
        slow = isinstance(request, Pass)
        return answer(self, replace(request, summarize=partial(last_first, request.summarize)) if slow else request)

    with monkeypatch.context() as patch:
        patch.setattr(DaskEngine, "answer", late)
        assert sha(clone(ALL[name]).fit(rows.drop(columns="target"), rows["target"])) == expected[name]
    report, killed = killing_in_a_pass(client)
    with streaming(client=client, progress=report):
        assert from_disk(name, lazy) == expected[name]
    assert killed
