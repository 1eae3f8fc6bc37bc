"""How many threads a learner may use: its own (``n_jobs``) and those of NumPy's matrix products (BLAS)."""

from __future__ import annotations

import operator
import os
from contextlib import AbstractContextManager
from functools import cache
from threading import Lock
from typing import Any

from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from vaglio import _core
from vaglio.errors import ArgumentError, InputError


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for a kernel.

    None is one thread, or what an active ``joblib.parallel_config`` says; -1 is every CPU this process may use, -2 all
    but one, and so on. Inside a joblib worker, None and negative numbers mean one thread, because joblib has already
    spread the work over the CPUs. A kernel uses at most eight threads per CPU, whatever is asked for.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn.
    """
    # A NumPy integer is a number of threads, too; BLAS and the kernels take plain ones.
    if n_jobs is not None:
        try:
            n_jobs = operator.index(n_jobs)
        except TypeError:
            raise ArgumentError(
                "n-jobs-type", "n_jobs must be an integer or None, not {given}.", given=type(n_jobs).__name__
            ) from None
    if n_jobs is not None and n_jobs > 0:
        return min(n_jobs, _core.most_threads())
    backend, active = get_active_backend()
    if backend.nesting_level:
        return 1
    if n_jobs is None:
        n_jobs = active if active not in (None, 1) else 1
    if n_jobs < 0:
        return max(1, _core.allowed_threads() + 1 + n_jobs)
    if n_jobs == 0:
        # The words of joblib, which scikit-learn's checks expect.
        raise InputError(
            "n-jobs-is-zero", "n_jobs == 0 in Parallel has no meaning. Give the number of threads, or -1 for all CPUs."
        )
    return min(n_jobs, _core.most_threads())


@cache
def _blas_libraries() -> list[Any]:
    # Looking for the BLAS libraries of the process takes milliseconds: done once, not once per fit.
    libraries: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


class _OneBlasThread:
    """Counts who asked for one thread: the number belongs to the process, and the last to leave gives it back.

    If everyone gave back what they had found, of two trainings at once one would go on with more threads, and the other
    would leave the process with one.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            libraries = _blas_libraries()
            threads = [library.get_num_threads() for library in libraries]
            if not self._inside:
                self._before = threads
            self._inside += 1
            _set_threads(libraries, threads, [1] * len(libraries))

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside = max(0, self._inside - 1)
            if not self._inside:
                _set_threads(_blas_libraries(), [1] * len(self._before), self._before)

    def forget(self) -> None:
        """Begin anew in a forked process: those who were inside are threads of its parent."""
        self._lock, self._inside = Lock(), 0


def _set_threads(libraries: list[Any], present: list[int], wanted: list[int]) -> None:
    for library, now, then in zip(libraries, present, wanted):
        if now != then:
            library.set_num_threads(then)


_one_blas_thread = _OneBlasThread()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_one_blas_thread.forget)


def one_blas_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread, because a learner spreads matrix products over its own threads.

    With another number of threads BLAS adds in another order, and the bits of the model would depend on the machine.
    """
    return _one_blas_thread
