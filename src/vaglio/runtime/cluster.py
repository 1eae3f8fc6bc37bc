"""A Dask cluster: the client in force, clusters of this machine, and waiting that ends when nobody works."""

from __future__ import annotations

import asyncio
import importlib
import logging
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from vaglio.errors import ClusterError, MissingDependencyError
from vaglio.messages.message import Option, text
from vaglio.runtime.installed import install_command
from vaglio.runtime.progress import Report

# Seconds that work waits for a cluster without any worker.
WORKER_TIMEOUT = 60.0
# How often the work is looked at for Ctrl-C and progress, in seconds.
_WAKE = 0.2
# How often the scheduler is asked for its workers while nothing is finished, in seconds.
_ASK = 1.0
# Dask's clusters of one machine give up a worker for good that is not back in 15 seconds, in which a busy machine
# starts none.
_PATIENT = {"distributed.deploy.lost-worker-timeout": "10 minutes"}


def cluster_module(wanted_for: str) -> Any:
    """Return the module ``distributed``, or say what it is needed for."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingDependencyError(
            "dask-not-installed",
            "{feature} need dask and distributed. Run {install}.",
            feature=wanted_for,
            install=install_command("dask"),
        ) from None


def active_client() -> Any:
    """Return the client in force; None without any."""
    try:
        return importlib.import_module("distributed").get_client()
    except (ImportError, ValueError):
        return None


def usual_client() -> Any:
    """Return the client in force; without any, one on a small cluster of processes on this machine."""
    distributed = cluster_module(text("Dask frames"))
    client = active_client()
    if client is None:
        importlib.import_module("dask").config.set(_PATIENT)  # as long as the cluster: to the end of the process
        client = distributed.Client(dashboard_address=None)
    return client


@contextmanager
def local_client(workers: int) -> Iterator[Any]:
    """Start a cluster of processes on this machine, and stop it."""
    distributed = cluster_module(text("Clusters"))
    # No page about the work: the scheduler then answers a few addresses on a free port of this machine only.
    no_page = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    said = {"processes": True, "dashboard_address": None, "scheduler_kwargs": no_page}
    with ExitStack() as stack:
        stack.enter_context(importlib.import_module("dask").config.set(_PATIENT))
        with _interrupts_kept_back():
            made = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, silence_logs=logging.CRITICAL, **said
            )
            client = stack.enter_context(distributed.Client(stack.enter_context(made)))
        yield client


@contextmanager
def remote_client(address: str) -> Iterator[Any]:
    """Work on a cluster that runs; what is lost of it is said by errors, and not by Dask's log."""
    distributed = cluster_module(text("Clusters"))
    quiet: Any = importlib.import_module("distributed.utils").silence_logging_cmgr
    with quiet(logging.CRITICAL):
        try:
            client = distributed.Client(address, timeout=10)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                "no-scheduler",
                "No scheduler answers at {address} ({reason}). Start it, or correct the address.",
                address=address,
                reason=str(error),
            ) from None
        with client:
            yield client


@contextmanager
def _interrupts_kept_back() -> Iterator[None]:
    """Let Ctrl-C wait while processes are started, which then never get it: it is this process that ends them.

    A terminal sends Ctrl-C to all processes. Threads and processes inherit which signals wait, also those that are
    started later in the place of lost ones.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # the first process that is spawned starts it, and would take Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Waiting:
    """Waiting for a cluster: Ctrl-C is noticed, progress is told, and a cluster without workers is an error.

    Parameters
    ----------
    client : distributed.Client
    worker_timeout : float
        Seconds without any worker after which the work ends with an error.
    report : callable, optional
        Told (futures done, futures in all, what they are for).
    """

    def __init__(self, client: Any, worker_timeout: float = WORKER_TIMEOUT, report: Report | None = None) -> None:
        self.client, self.worker_timeout, self.report = client, worker_timeout, report

    def finish(self, futures: Sequence[Any], name: str) -> None:
        """Wait until all are finished; the error of one that failed is raised."""
        watch = _Watch(self.client, self.worker_timeout)
        with lost_named():
            while True:
                pending = [each for each in futures if not each.done()]
                for failed in (each for each in futures if each.status in ("error", "cancelled")):
                    failed.result()
                self._tell(len(futures) - len(pending), len(futures), name, watch)
                if not pending:
                    return
                try:
                    # The last one, because it is finished last as a rule: one look for many.
                    pending[-1].exception(timeout=_WAKE)
                except TimeoutError:
                    watch.look()

    def fetch(self, futures: Any, name: str) -> Any:
        """Return the result of a future, or those of a list of futures."""
        watch = _Watch(self.client, self.worker_timeout)
        with lost_named():
            # Not with a timeout: a result that is large would be fetched from its start again and again.
            fetching = asyncio.run_coroutine_threadsafe(
                self.client.gather(futures, asynchronous=True), self.client.loop.asyncio_loop
            )
            try:
                while True:
                    try:
                        return fetching.result(timeout=_WAKE)
                    except TimeoutError:
                        if fetching.done():
                            raise
                        watch.look()
                        if watch.alone:
                            self._tell(0, 1, name, watch)
            finally:
                fetching.cancel()

    def _tell(self, done: int, total: int, name: str, watch: _Watch) -> None:
        if self.report is not None:
            self.report(done, total, text("{name}: waiting for workers", name=name) if watch.alone else name)


class _Watch:
    """How long a cluster has had no worker."""

    def __init__(self, client: Any, worker_timeout: float) -> None:
        self.client, self.worker_timeout = client, worker_timeout
        self._asked = time.monotonic()
        self._since: float | None = None

    @property
    def alone(self) -> bool:
        return self._since is not None

    def look(self) -> None:
        """Ask the scheduler for its workers, now and then."""
        now = time.monotonic()
        if now - self._asked < min(_ASK, self.worker_timeout):
            return
        self._asked = now
        if self.client.scheduler is None:  # a client that lost it is closed, and cannot ask
            raise ConnectionError
        if self.client.nthreads():
            self._since = None
        elif self._since is None:
            self._since = now
        elif now - self._since >= self.worker_timeout:
            raise ClusterError(
                "no-workers",
                "The cluster has had no workers for {seconds:g} seconds. Start workers and resume from the checkpoint "
                "if there is one, or wait longer for them ({option}).",
                seconds=self.worker_timeout,
                option=Option("worker_timeout"),
            )


@contextmanager
def lost_named() -> Iterator[None]:
    """Say clearly that the cluster is gone."""
    from concurrent.futures import CancelledError as Cancelled

    # Its functions have no types: a module of type Any may be called.
    cluster: Any = importlib.import_module("distributed")
    closed: Any = importlib.import_module("distributed.comm").CommClosedError
    cancelled: Any = importlib.import_module("distributed.client").FutureCancelledError
    try:
        yield
    except ClusterError:
        raise
    except cluster.KilledWorker as error:
        raise ClusterError(
            "workers-died",
            "Workers died repeatedly at the same task ({reason}). A partition probably needs more memory than a "
            "worker has. Use more partitions.",
            reason=str(error),
        ) from None
    except (cancelled, Cancelled, closed, ConnectionError) as error:
        raise ClusterError(
            "scheduler-lost",
            "The connection to the scheduler of the cluster was lost ({reason}). Start it again, and resume from the "
            "checkpoint if there is one.",
            reason=type(error).__name__,
        ) from None
