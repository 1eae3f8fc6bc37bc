"""How many threads a learner may use: its own (``n_jobs``) and those of NumPy's matrix products (BLAS)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from vaglio import _core


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for a kernel.

    None is one thread, or what an active ``joblib.parallel_config`` says; -1 is every CPU this process is allowed, -2
    all but one, and so on. Inside a joblib worker, None and negative numbers mean one thread: the work is spread
    already.
    """
    backend, active = get_active_backend()
    if backend.nesting_level:
        return max(1, n_jobs) if n_jobs is not None else 1
    if n_jobs is None:
        n_jobs = active if active not in (None, 1) else 1
    if n_jobs < 0:
        return max(1, _core.allowed_threads() + 1 + n_jobs)
    if n_jobs == 0:
        return effective_n_jobs(n_jobs)  # joblib's own error
    return n_jobs


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Hold BLAS to one thread: a learner spreads matrix products over its own threads.

    On another number of threads BLAS adds in another order, and the bits of the model would depend on the machine.
    """
    return _controller().limit(limits=1, user_api="blas")
