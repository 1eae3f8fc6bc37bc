"""Learn logistic regression or naive Bayes from the Parquet file with dask-ml; one-hot columns are part of the time."""

# mypy: ignore-errors
# The libraries have few types.
from __future__ import annotations

import json
import sys
import time
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from dask_ml.linear_model import LogisticRegression
from dask_ml.naive_bayes import GaussianNB


def main() -> None:
    said = json.loads(sys.argv[1])
    dask.config.set(scheduler="threads", num_workers=said["threads"])
    start = time.perf_counter()
    X, y = arrays(said["path"], said["target"])
    learned = {"logistic": logistic, "naive-bayes": naive_bayes}[said["learner"]](X, y)
    seconds = time.perf_counter() - start
    rows = slice(said["judged"])
    hits = learned(X[rows]) == np.asarray(y[rows])
    print(json.dumps({"seconds": seconds, "accuracy": float(np.mean(hits))}))


def arrays(path: str, target: str) -> tuple[da.Array, da.Array]:
    """Return one-hot columns and numbers, and the class as 0 and 1; a chunk per row group."""
    file = pq.ParquetFile(path)
    groups = range(file.metadata.num_row_groups)
    # Not read_parquet: it joins row groups when few columns are asked for, and then disagrees with its own lengths.
    frame = dd.from_map(partial(row_group, path), groups, meta=file.schema_arrow.empty_table().to_pandas())
    lengths = tuple(file.metadata.row_group(group).num_rows for group in groups)
    words = [name for name, kind in frame.dtypes.items() if not is_number(kind) and name != target]
    hot = dd.get_dummies(frame.drop(columns=target).categorize(words), columns=words).fillna(0).astype("float64")
    y = (frame[target] == "yes").astype("int64")
    return hot.to_dask_array(lengths=lengths), y.to_dask_array(lengths=lengths)


def row_group(path: str, group: int) -> pd.DataFrame:
    """Read a row group."""
    return pq.ParquetFile(path).read_row_group(group).to_pandas()


def is_number(kind: object) -> bool:
    """Return whether a column needs no one-hot columns."""
    return pd.api.types.is_numeric_dtype(kind)


def logistic(X: da.Array, y: da.Array):
    """Return what predicts."""
    mean, spread = dask.compute(X.mean(axis=0), X.std(axis=0))
    model = LogisticRegression(solver="lbfgs").fit((X - mean) / spread, y)
    return lambda rows: np.asarray(model.predict((rows - mean) / spread))


def naive_bayes(X: da.Array, y: da.Array):
    """Return what predicts; the moments of the model are lazy, and computed here."""
    model = GaussianNB(classes=np.arange(2)).fit(X, y)
    mean, variance, prior = dask.compute(model.theta_, model.sigma_, model.class_prior_)

    def predict(rows: da.Array) -> np.ndarray:
        x = np.asarray(rows)[:, None, :]
        density = -0.5 * (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance).sum(axis=2)
        return np.argmax(np.log(prior) + density, axis=1)

    return predict


if __name__ == "__main__":
    main()
