"""Every learner predicts rows of every kind of source outside memory, and gives back the same kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest

import vaglio
from vaglio import Table, scan
from vaglio.learners.registry import LEARNERS, REGRESSORS, learners_of
from vaglio.table import ScannedResult

SOURCES = ("parquet", "csv", "jsonl", "dataset")
# Each learner with its target: words, or numbers.
CASES = [(name, "target") for name in sorted(LEARNERS)] + [(name, "number") for name in sorted(REGRESSORS)]
INPUTS = ["count", "half", "word"]
_FEW = ("random-forest", "bagging", "adaboost", "additive", "mlp")


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
            "number": np.round(3 * y + random.normal(size=240), 3),
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
def fitted(rows) -> dict[tuple[str, str], object]:
    found = {}
    for name, target in CASES:
        table = Table.from_any(rows[[*INPUTS, target]])
        task = "classification" if target == "target" else "regression"
        model = learners_of(task)[name].make()
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        for limit in ("n_estimators", "max_iter", "max_rounds"):
            if limit in model.get_params() and name in _FEW:
                model.set_params(**{limit: 5})
        found[name, target] = model.fit(*table.xy(target, task=task))
    return found


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Classes are the same; numbers to the last bits, as a product of matrices is rounded by how many rows it has."""
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("learner", "target"), CASES)
def test_predictions_of_a_scanned_table_are_those_in_memory(fitted, sources, rows, learner, target, source):
    model, (X, y) = fitted[learner, target], sources[source].select([*INPUTS, target]).xy(target)
    inputs, true = rows[INPUTS], rows[target].to_numpy(str if target == "target" else float)
    predicted = model.predict(X)
    assert isinstance(predicted, ScannedResult)
    assert_same(np.asarray(predicted), model.predict(inputs))
    assert model.score(X, y) == pytest.approx(model.score(inputs, true), rel=1e-12)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        assert isinstance(probabilities, ScannedResult)
        assert_same(np.asarray(probabilities), model.predict_proba(inputs))


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in (1, 2))])
def test_predictions_of_a_dask_frame_are_dasks(fitted, rows, part):
    dask = pytest.importorskip("dask")
    import dask.dataframe as dd

    frame = dd.from_pandas(rows, npartitions=2, sort=False)
    with dask.config.set(scheduler="synchronous"):
        for (name, target), model in list(fitted.items())[part::3]:
            kind = str if target == "target" else float
            X, y = frame[INPUTS], frame[target]
            inputs, true = rows[INPUTS], rows[target].to_numpy(kind)
            predicted = model.predict(X)
            assert hasattr(predicted, "__dask_graph__"), name
            assert_same(np.asarray(predicted.compute(), dtype=kind), model.predict(inputs))
            assert model.score(X, y) == pytest.approx(model.score(inputs, true), rel=1e-12), name
            if hasattr(model, "predict_proba"):
                probabilities = model.predict_proba(X)
                assert hasattr(probabilities, "__dask_graph__"), name
                assert_same(np.asarray(probabilities.compute()), model.predict_proba(inputs))
