"""The number of threads of a learner."""

from __future__ import annotations

import pytest
from joblib import parallel_config

from vaglio import _core
from vaglio.runtime.threads import resolve_threads


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
