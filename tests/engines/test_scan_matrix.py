"""Every learner predicts rows of every kind of source outside memory, and gives back the same kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest

import vaglio
from vaglio import Table, scan
from vaglio.learners.registry import LEARNERS
from vaglio.table import ScannedResult

SOURCES = ("parquet", "csv", "jsonl", "dataset")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 240)
    return pd.DataFrame(
        {
            "count": random.integers(0, 5, 240) + y,
            "half": np.round(random.random(240) + y) + 0.5,
            "word": np.array(["a", "b", "c"])[(random.integers(0, 2, 240) + y)],
            "target": np.array(["no", "yes"])[y],
        }
    )


@pytest.fixture(scope="module")
def sources(rows, tmp_path_factory) -> dict[str, vaglio.ScannedTable]:
    place = tmp_path_factory.mktemp("matrix")
    for suffix in ("parquet", "csv", "jsonl"):
        vaglio.table.write(Table.from_any(rows), place / f"rows.{suffix}")
    folder = place / "folder"
    folder.mkdir()
    rows[:100].to_parquet(folder / "a.parquet", row_group_size=30)
    rows[100:].to_parquet(folder / "b.parquet")
    return {
        "parquet": scan(place / "rows.parquet"),
        "csv": scan(place / "rows.csv"),
        "jsonl": scan(place / "rows.jsonl"),
        "dataset": scan(pyarrow.dataset.dataset(folder)),
    }


@pytest.fixture(scope="module")
def fitted(rows) -> dict[str, object]:
    X, y = Table.from_any(rows).xy("target")
    found = {}
    for name in LEARNERS:
        model = LEARNERS[name].make()
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        for limit in ("n_estimators", "max_iter", "max_rounds"):
            if limit in model.get_params() and name in ("random-forest", "bagging", "adaboost", "additive", "mlp"):
                model.set_params(**{limit: 5})
        found[name] = model.fit(X, y)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_predictions_of_a_scanned_table_are_those_in_memory(fitted, sources, rows, learner, source):
    model, (X, y) = fitted[learner], sources[source].xy("target")
    inputs, true = rows.drop(columns="target"), rows["target"].to_numpy(str)
    predicted = model.predict(X)
    assert isinstance(predicted, ScannedResult)
    assert np.array_equal(np.asarray(predicted), model.predict(inputs))
    assert model.score(X, y) == model.score(inputs, true)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        assert isinstance(probabilities, ScannedResult)
        assert np.array_equal(np.asarray(probabilities), model.predict_proba(inputs))


@pytest.mark.slow
def test_predictions_of_a_dask_frame_are_dasks(fitted, rows):
    dask = pytest.importorskip("dask")
    import dask.dataframe as dd

    frame = dd.from_pandas(rows, npartitions=2, sort=False)
    X, y = frame.drop(columns="target"), frame["target"]
    inputs, true = rows.drop(columns="target"), rows["target"].to_numpy(str)
    with dask.config.set(scheduler="synchronous"):
        for name, model in fitted.items():
            predicted = model.predict(X)
            assert hasattr(predicted, "__dask_graph__"), name
            assert np.array_equal(np.asarray(predicted.compute(), dtype=str), model.predict(inputs)), name
            assert model.score(X, y) == model.score(inputs, true), name
            if hasattr(model, "predict_proba"):
                probabilities = model.predict_proba(X)
                assert hasattr(probabilities, "__dask_graph__"), name
                assert np.array_equal(np.asarray(probabilities.compute()), model.predict_proba(inputs)), name
