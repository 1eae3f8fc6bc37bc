"""What all tests share: the profile of Hypothesis, the seed, the browser."""

from __future__ import annotations

import gc
import os
import random
import secrets
import shutil
import signal
from collections.abc import Generator

# Many tests compare with scikit-learn, whose threads wait for work in a busy loop. Where other tests run beside, that
# takes more processor time than the work. OpenMP reads this when it is loaded, here and in every process of a test.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_iris

import vaglio

# In continuous integration the examples are the same in every run, so that a failure can be repeated. On a developer's
# machine every run tries new ones. No example has a time limit: how long it takes says more about the machine.
settings.register_profile("vaglio", derandomize=bool(os.environ.get("CI")), deadline=None)
settings.load_profile("vaglio")

# Estimators without a ``random_state`` draw their seed from NumPy's generator. It starts anew with every test, so that
# no test depends on those before it: from 0 in continuous integration, elsewhere from a number that the first line of
# a run shows and VAGLIO_TEST_SEED repeats. Workers of one run inherit the variable.
os.environ.setdefault("VAGLIO_TEST_SEED", "0" if os.environ.get("CI") else str(secrets.randbelow(2**32)))

# A job in the background inherits that Ctrl-C is ignored; tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_WHY = "no Chromium on this machine (apt install chromium)"


# Every test that was found, before some are left out: tests/test_selection.py asks what a fast run has.
COLLECTED = pytest.StashKey[list[pytest.Item]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run files, and the tests of each file, in random order"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # What is imported and collected stays until the end. Looking for garbage in it takes as long as collecting it.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = list(items)
    if config.option.shuffle is not None:
        # The tests of a file stay together, for the sake of its fixtures. All workers draw the same order.
        drawn = random.Random(config.option.shuffle)
        places = {path: drawn.random() for path in dict.fromkeys(item.path for item in items)}
        items.sort(key=lambda item: (places[item.path], drawn.random()))
    if shutil.which("chromium") is None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=_WHY))


def pytest_report_header() -> str:
    return f"VAGLIO_TEST_SEED={os.environ['VAGLIO_TEST_SEED']}"


def pytest_runtest_setup() -> None:
    np.random.seed(int(os.environ["VAGLIO_TEST_SEED"]))  # noqa: NPY002 (the generator that random_state=None takes)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a browser; tests that use it are marked ``browser``."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip(_WHY)
    return found


@pytest.fixture(scope="module")
def play() -> tuple[vaglio.Table, np.ndarray]:
    """The fourteen days of the play table: X and y."""
    return vaglio.datasets.load("play").xy("play")


@pytest.fixture(scope="module")
def iris() -> tuple[np.ndarray, np.ndarray]:
    """Anderson's irises as arrays: X and class codes."""
    X, y = load_iris(return_X_y=True)
    return X, y
