"""How many threads a learner may use: its own (``n_jobs``) and those of NumPy's matrix products (BLAS)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from vaglio import _core
from vaglio.errors import InputError


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
    n_jobs = None if n_jobs is None else int(n_jobs)
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
        raise InputError("n_jobs == 0 in Parallel has no meaning: give the number of threads, or -1 for all CPUs.")
    return min(n_jobs, _core.most_threads())


@cache
def _controller() -> ThreadpoolController:
    # Looking for the BLAS libraries of the process takes milliseconds: done once, not once per fit.
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread, because a learner spreads matrix products over its own threads.

    With another number of threads BLAS adds in another order, and the bits of the model would depend on the machine.
    """
    limiter: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limiter
