"""Columns of very many values that tell nothing: they should cost no learner anything."""

from __future__ import annotations

import numpy as np
import pandas as pd


def with_noise(X: pd.DataFrame, columns: int, seed: int) -> pd.DataFrame:
    """Add nominal columns of noise, each with a quarter as many values as there are rows."""
    random = np.random.default_rng([seed, 97])
    values = max(2, len(X) // 4)
    noise = {f"noise{j}": [f"v{code}" for code in random.integers(0, values, len(X))] for j in range(columns)}
    return X.assign(**noise)
