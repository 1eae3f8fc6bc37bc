"""Tables on disk for the tests of learning in passes."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from vaglio import scan
from vaglio.fitted._file import to_bytes


def make_frame(n: int, seed: int = 0) -> pd.DataFrame:
    """Numbers, whole numbers, words and truth values, some missing, three classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "tenths": np.round(random.normal(y, 1), 1),
            "real": random.normal(0, 1, n) + 0.3 * y,
            "word": np.array(["x", "y", "zz", "w"])[(random.integers(0, 4, n) + y) % 4],
            "flag": random.integers(0, 2, n).astype(bool) ^ (y == 1),
            "count": random.integers(0, 9, n) + y,
            "many": np.array([f"v{i:02d}" for i in range(30)])[random.integers(0, 30, n)],
        }
    )
    frame.loc[random.random(n) < 0.05, "tenths"] = np.nan
    frame.loc[random.random(n) < 0.05, "word"] = None
    frame["weight"] = random.integers(1, 4, n)
    frame["target"] = np.array(["no", "yes", "maybe"])[y]
    return frame


def sha(model) -> str:
    """SHA-256 of the model file."""
    return hashlib.sha256(to_bytes(model.fitted_)).hexdigest()


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    return make_frame(3000)


@pytest.fixture(scope="session")
def path(frame, tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("scale") / "rows.parquet"
    frame.to_parquet(place, row_group_size=700)
    return str(place)


@pytest.fixture
def lazy(path):
    return scan(path, part_rows=800).drop(["weight"])
