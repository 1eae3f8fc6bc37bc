from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.table import Table


def run_study(table: Any, target: str, learners: Any = ("c45",), **more: Any) -> vaglio.Study:
    options = {"search": "none", "folds": 3, **more.pop("selection_options", {})}
    study = vaglio.Study(table, target, learners=list(learners), selection_options=options, **more)
    return study.run(progress=False)


@pytest.fixture(scope="session")
def penguins() -> vaglio.Study:
    """Three classes, missing values, judged by outer folds."""
    table = vaglio.datasets.load("penguins")
    return run_study(table, "species", ["c45", "naive-bayes", "logistic"], selection_options={"outer_folds": 3})


@pytest.fixture(scope="session")
def two_classes() -> vaglio.Study:
    """A noisy table of two classes with costs, judged by rows kept aside."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3))
    ill = x[:, 0] + rng.normal(size=400) > 0.7
    columns = {name: x[:, j] for j, name in enumerate(("age", "dose", "noise"))}
    columns["group"] = rng.choice(["a", "b", "c"], 400)
    table = Table.from_any({**columns, "state": np.where(ill, "ill", "well")})
    return run_study(table, "state", ["logistic", "c45"], cost={("ill", "well"): 5, ("well", "ill"): 1})
