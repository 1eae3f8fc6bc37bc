"""The table that every reader must give back."""

from __future__ import annotations

import numpy as np
import pandas as pd

from vaglio.table import Table

FRAME = pd.DataFrame(
    {
        "n": [1.5, 2.5, None],
        "k": [3, 4, 3],
        "w": ["x", "y", None],
        "c": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True),
    }
)


def check(table: Table) -> None:
    assert table.shape == (3, 4)
    assert np.array_equal(table["n"], [1.5, 2.5, np.nan], equal_nan=True)
    assert table["k"].tolist() == [3, 4, 3]
    assert table["w"].tolist() == ["x", "y", None]
    assert table["c"].tolist() == ["lo", "hi", "lo"]
