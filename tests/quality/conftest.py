"""A table of measurements, and no figure left open."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest

from vaglio import datasets
from vaglio.table import Table

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="session")
def iris_table() -> Table:
    return datasets.load("iris")
