"""Any number of threads, in any process: no flood of threads, no waiting for threads that are not there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.contracts.estimators import all_estimators, name_of

import vaglio
from vaglio import _core
from vaglio.errors import InputError
from vaglio.runtime.threads import resolve_threads

WITH_JOBS = [estimator for estimator in all_estimators() if "n_jobs" in estimator.get_params()]


def _rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 3)))
    return X, (X[:, 0] > 0.7).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", WITH_JOBS, ids=name_of)
def test_a_numpy_integer_is_a_number_of_threads(estimator: Any) -> None:
    X, y = _rows()
    for n_jobs in (np.int64(2), np.int32(-1)):
        fitted = clone(estimator).set_params(n_jobs=n_jobs).fit(X, y)
        (fitted.predict if hasattr(fitted, "predict") else fitted.transform)(X)


def test_the_number_of_threads_has_an_end() -> None:
    assert resolve_threads(10**6) == _core.most_threads() == 8 * _core.allowed_threads()
    assert resolve_threads(3) == 3
    with pytest.raises(InputError, match="n_jobs == 0"):
        resolve_threads(0)


# Peak of threads while a forest grows on "a million" of them, and the number some time later.
COUNT = """
import threading, time, os
import numpy as np, vaglio
from vaglio import _core
from vaglio.errors import InputError
peak, done = 0, False
def look():
    global peak
    while not done:
        peak = max(peak, len(os.listdir("/proc/self/task")))
        time.sleep(0.001)
before = len(os.listdir("/proc/self/task"))
thread = threading.Thread(target=look); thread.start()
X = np.random.default_rng(0).normal(size=(2000, 5)); y = (X[:, 0] > 0).astype(int)
vaglio.RandomForestClassifier(n_estimators=200, n_jobs=10**6).fit(X, y)
done = True; thread.join()
assert peak <= before + 8 * _core.allowed_threads() + 4, peak
for _ in range(1000):
    after = len(os.listdir("/proc/self/task"))
    if after <= before + _core.allowed_threads() + 1:
        break
    time.sleep(0.1)
assert after <= before + _core.allowed_threads() + 1, (before, peak, after)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not count threads")
def test_a_million_threads_are_not_started_and_the_pool_shrinks_again() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_child_fits_a_mixture_on_two_threads() -> None:
    X, y = _rows()
    X = np.tile(X, (5, 1)) + np.random.default_rng(1).normal(scale=0.1, size=(300, 3))
    model = vaglio.GaussianMixtureClassifier(n_jobs=2)
    model.fit(X, np.tile(y, 5))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            vaglio.GaussianMixtureClassifier(n_jobs=2).fit(X, np.tile(y, 5))
            code = 0
        finally:
            os._exit(code)
    for _ in range(3000):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.1)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child waits for threads of its parent")
