"""Learners of numbers: the same file from memory, from disk in chunks of any size, and from a Dask frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.engines.conftest import make_frame, sha

import vaglio
from vaglio import scan, streaming
from vaglio.errors import NotSupportedError
from vaglio.learners.registry import learners_of

pytestmark = pytest.mark.filterwarnings("ignore")

TREE = vaglio.DecisionTreeRegressor(max_bins=32)
PLAIN = {"high_cardinality": None, "random_state": 1}
EXACT: dict[str, Any] = {
    "linear": vaglio.LinearRegression(),
    "cart": TREE,
    "model-tree": vaglio.ModelTreeRegressor(),
    "knn": vaglio.KNeighborsRegressor(),
    "mlp": vaglio.MLPRegressor((4,), max_iter=2, random_state=1),
    "random-forest": vaglio.RandomForestRegressor(4, max_bins=32, random_state=1),
    "bagging": vaglio.BaggingRegressor(TREE, n_estimators=3, random_state=1),
    "adaboost": vaglio.AdaBoostRegressor(TREE, n_estimators=3, random_state=1),
    "gradient-boosting": vaglio.HistGradientBoostingRegressor(max_iter=4, **PLAIN),
    "additive": vaglio.ExplainableBoostingRegressor(outer_bags=2, max_rounds=20, interactions=1, **PLAIN),
    "voting": vaglio.VotingRegressor([("linear", vaglio.LinearRegression()), ("tree", TREE)]),
}
REFUSED = {
    "svm": vaglio.SVR(),
    "oblique": vaglio.ObliqueTreeRegressor(),
    "optimal-tree": vaglio.OptimalTreeRegressor(),
}


@pytest.fixture(scope="module")
def numbers() -> pd.DataFrame:
    frame = make_frame(2000).drop(columns=["target", "weight"])
    noise = np.random.default_rng(1).normal(size=len(frame))
    return frame.assign(number=frame["real"] * 3 + frame["count"] + np.where(frame["flag"], 2.5, 0.0) + noise)


@pytest.fixture(scope="module")
def on_disk(numbers: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("numbers") / "rows.parquet"
    numbers.to_parquet(path, row_group_size=700)
    return path


def test_every_learner_of_numbers_is_tried() -> None:
    assert EXACT.keys() | REFUSED.keys() == set(learners_of("regression"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_disk_and_memory_give_the_same_file(name: str, numbers: pd.DataFrame, on_disk: Path) -> None:
    made = {sha(clone(EXACT[name]).fit(numbers.drop(columns="number"), numbers["number"]))}
    for rows in (130, 512):
        with streaming("4GB", chunk_rows=rows):
            made.add(sha(clone(EXACT[name]).fit(*scan(on_disk, part_rows=800).xy("number"))))
    assert len(made) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "cart", "model-tree", "random-forest", "gradient-boosting"])
def test_a_dask_frame_gives_the_same_file(name: str, numbers: pd.DataFrame) -> None:
    dask = pytest.importorskip("dask.dataframe")
    lazy = dask.from_pandas(numbers, npartitions=3)
    with streaming("4GB"):
        far = clone(EXACT[name]).fit(lazy.drop(columns="number"), lazy["number"])
    assert sha(far) == sha(clone(EXACT[name]).fit(numbers.drop(columns="number"), numbers["number"]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_memory_says_so(name: str, on_disk: Path) -> None:
    with pytest.raises(NotSupportedError, match="needs all rows in memory"):
        clone(REFUSED[name]).fit(*scan(on_disk, part_rows=800).xy("number"))
