from __future__ import annotations

import os
import shutil

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_iris

import vaglio

# Where a change is judged, chance has no say; on a developer's machine every run tries new examples.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

_WHY = "no Chromium on this machine (apt install chromium)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if shutil.which("chromium") is None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=_WHY))


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
