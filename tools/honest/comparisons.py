"""How often do tests of a difference find one that is not there, and one that is?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tools.honest.simulation import Simulation

__all__ = ["SIMULATIONS"]


def _learners(columns: int) -> dict[str, Any]:
    """Two learners that are equally good: each sees one half of columns that tell equally much."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    import vaglio

    halves = {"first": list(range(columns // 2)), "second": list(range(columns // 2, columns))}
    return {
        name: make_pipeline(ColumnTransformer([("kept", "passthrough", kept)]), vaglio.C45Classifier())
        for name, kept in halves.items()
    }


def _equal(n: int, repeats: int, seed: int) -> float:
    from vaglio.evaluation import compare

    rng = np.random.default_rng((seed, n))
    X = rng.normal(size=(n, 4))
    y = np.where(X.sum(axis=1) + rng.normal(size=n) > 0, "yes", "no")
    plain: dict[str, Any] = {"noise": (), "missing": (), "sizes": ()}
    return float(compare(X, y, learners=_learners(4), repeats=repeats, **plain).differ("first", "second"))


def _three_points(n: int, repeats: int, seed: int) -> float:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    import vaglio
    from vaglio.evaluation import compare

    rng = np.random.default_rng((seed, n, 3))
    true = rng.random(n) < 0.5
    # Each column repeats the class, wrongly for 15 and for 18 rows in a hundred.
    X = np.column_stack([(true ^ (rng.random(n) < wrong)).astype(float) for wrong in (0.15, 0.18)])
    y = np.where(true, "yes", "no")
    learners = {
        name: make_pipeline(ColumnTransformer([("kept", "passthrough", [k])]), vaglio.C45Classifier())
        for k, name in enumerate(("better", "worse"))
    }
    plain: dict[str, Any] = {"noise": (), "missing": (), "sizes": ()}
    return float(compare(X, y, learners=learners, repeats=repeats, **plain).differ("better", "worse"))


SIMULATIONS = (
    *(
        Simulation(
            f"compare equal learners, {n} rows, {repeats} x 10 folds",
            "type I error",
            partial(_equal, n, repeats),
            short=0,
            long=600,
        )
        for n in (60, 200)
        for repeats in (1, 5)
    ),
    *(
        Simulation(
            f"compare learners 3 points apart, {n:,} rows, {repeats} x 10 folds",
            "power",
            partial(_three_points, n, repeats),
            short=0,
            long=300,
        )
        for n in (300, 1000, 3000)
        for repeats in (1, 5)
    ),
)
