"""Clusters of this machine: Ctrl-C comes to the program alone, which ends its workers."""

from __future__ import annotations

import os
import signal

import distributed
import pytest

from vaglio.errors import ClusterError
from vaglio.runtime.cluster import _Watch, local_client, lost_named, remote_client


@pytest.mark.slow
def test_workers_do_not_take_ctrl_c_and_the_program_does():
    with local_client(2) as client:
        pids = set(client.run(os.getpid).values())
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        assert set(client.run(os.getpid).values()) == pids
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.slow
def test_two_clusters_beside_each_other_say_nothing(recwarn):
    with local_client(1) as one, local_client(1) as other:
        assert one.submit(int, 1).result() + other.submit(int, 2).result() == 3
    assert not recwarn.list


def test_an_address_without_a_scheduler_is_named():
    with pytest.raises(ClusterError, match="No scheduler answers at nowhere"), remote_client("nowhere"):
        pass


@pytest.mark.slow
def test_a_lost_scheduler_is_named_while_no_task_finishes():
    """The workers are counted when a task takes long: a client that is closed has nobody to ask."""
    quiet = {"processes": False, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **quiet) as made:
        client = distributed.Client(made, set_as_default=False)
        client.close()
        with pytest.raises(ClusterError, match="connection to the scheduler of the cluster was lost"), lost_named():
            _Watch(client, worker_timeout=0).look()
