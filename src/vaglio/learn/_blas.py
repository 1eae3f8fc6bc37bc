"""How many threads NumPy's matrix products may use while a learner works."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def blas_threads(threads: int) -> AbstractContextManager[Any]:
    """Hold BLAS to the threads the learner was given: more than the machine has free only wait for each other."""
    return _controller().limit(limits=threads, user_api="blas")
