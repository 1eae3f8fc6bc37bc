"""Columns of very many values that tell nothing: they should cost no learner anything."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.panel.pairs import PAIRS, Maker, Pair
from benchmarks.panel.peers import one_hot
from vaglio.learn.registry import LEARNERS, find

# Two count words, one is made of others, and the table of all combinations of the last would not fit in memory.
_NOT_MEASURED = {"multinomial-nb", "bernoulli-nb", "voting", "joint-bayes"}


def with_noise(X: pd.DataFrame, columns: int, seed: int) -> pd.DataFrame:
    """Add nominal columns of noise, each with a quarter as many values as there are rows."""
    random = np.random.default_rng([seed, 97])
    values = max(2, len(X) // 4)
    noise = {f"noise{j}": [f"v{code}" for code in random.integers(0, values, len(X))] for j in range(columns)}
    return X.assign(**noise)


def noise_sides(pairs: Sequence[Pair]) -> dict[str, Maker]:
    """Return whom noise is added for: the learners of the pairs and their peers.

    With all pairs these are all learners, those that correct for chance also without the correction, and LightGBM.
    """
    sides: dict[str, Maker] = {}
    whole = len(pairs) == len(PAIRS)
    for learner in LEARNERS if whole else dict.fromkeys(pair.learner for pair in pairs):
        if learner in _NOT_MEASURED:
            continue
        sides[learner] = partial(_make, learner, {})
        if find(learner).make().get_params().get("nominal_guard") is not None:
            sides[f"{learner}, no guard"] = partial(_make, learner, {"nominal_guard": None})
    if whole:
        sides["svm, linear"] = partial(_make, "svm", {"kernel": "linear"})
        sides["LightGBM"] = _lightgbm
    return sides | {f"{pair.peer} (peer)": pair.theirs for pair in pairs}


def _make(learner: str, parameters: dict[str, Any], seed: int) -> Any:
    estimator = find(learner).make(**parameters)
    return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator


def _lightgbm(seed: int) -> Any:
    import lightgbm

    return one_hot(lightgbm.LGBMClassifier(random_state=seed, verbose=-1))
