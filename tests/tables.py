"""Tables that many tests use, written once; ``conftest.py`` has the fixtures ``play`` and ``iris``."""

from __future__ import annotations

import numpy as np
import pandas as pd

# The fourteen days of the play table, in the spelling of the literature; P is a day to play, N is none.
_DAYS = """
sunny hot high false N; sunny hot high true N; overcast hot high false P; rain mild high false P;
rain cool normal false P; rain cool normal true N; overcast cool normal true P; sunny mild high false N;
sunny cool normal false P; rain mild normal false P; sunny mild normal true P; overcast mild high true P;
overcast hot normal false P; rain mild high true N
"""
PLAY = pd.DataFrame(
    [day.split() for day in _DAYS.replace("\n", " ").split(";")],
    columns=["outlook", "temperature", "humidity", "windy", "class"],
)
PLAY_X = PLAY.drop(columns="class")
PLAY_Y = PLAY["class"].tolist()


def many_values(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of so many values that it is believed in part, and one that says nothing."""
    rng = np.random.default_rng(seed)
    value, noise, number = rng.integers(0, 40, n), rng.integers(0, 40, n), rng.normal(size=n)
    y = np.digitize(number + 3.0 * (value % 3 == 0) + rng.normal(size=n), [0, 2])
    columns = {"value": [f"v{i}" for i in value], "noise": [f"n{i}" for i in noise], "number": number + 5}
    return pd.DataFrame(columns), np.array(["a", "b", "c"])[y]
