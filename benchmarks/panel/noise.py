"""Columns of very many values: what columns of pure noise cost each learner, and whether a planted signal is found."""

from __future__ import annotations

import numpy as np
import pandas as pd


def with_noise(X: pd.DataFrame, columns: int, seed: int) -> pd.DataFrame:
    """Add nominal columns of noise, each with a quarter as many values as there are rows."""
    random = np.random.default_rng([seed, 97])
    values = max(2, len(X) // 4)
    noise = {f"noise{j}": [f"v{code}" for code in random.integers(0, values, len(X))] for j in range(columns)}
    return X.assign(**noise)


def planted(values: int, rows_per_value: int, strength: float, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two classes whose odds depend on the value of one column alone; the best accuracy is 0.5 + ``strength``."""
    random = np.random.default_rng([seed, 98])
    n = values * rows_per_value
    codes = random.integers(0, values, n)
    odds = np.where(random.random(values) < 0.5, 0.5 - strength, 0.5 + strength)
    X = pd.DataFrame(
        {
            "code": [f"v{code}" for code in codes],
            "number": random.normal(size=n),
            "letter": random.choice(["a", "b", "c"], n),
        }
    )
    return X, np.where(random.random(n) < odds[codes], "yes", "no")
