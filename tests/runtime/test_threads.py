"""The number of threads of a learner."""

from __future__ import annotations

import pytest
from joblib import parallel_config
from threadpoolctl import threadpool_info, threadpool_limits

from vaglio import _core
from vaglio.runtime.threads import one_blas_thread, resolve_threads


def test_none_is_one_thread_or_the_setting_of_joblib():
    assert resolve_threads(None) == 1
    with parallel_config("threading", n_jobs=3):
        assert resolve_threads(None) == 3


def test_negative_numbers_count_from_all_cpus():
    assert resolve_threads(-1) == _core.allowed_threads()
    assert resolve_threads(-10_000) == 1


def test_zero_threads_are_refused():
    with pytest.raises(ValueError, match="n_jobs"):
        resolve_threads(0)


def _blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_has_one_thread_until_the_last_training_ends():
    with threadpool_limits(3, "blas"):
        before = _blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        assert _blas_threads() == {1}
        first.__exit__(None, None, None)
        assert _blas_threads() == {1}
        second.__exit__(None, None, None)
        assert _blas_threads() == before


def test_an_error_inside_gives_the_threads_of_blas_back():
    with threadpool_limits(3, "blas"):
        before = _blas_threads()
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            1 / 0  # noqa: B018
        assert _blas_threads() == before
