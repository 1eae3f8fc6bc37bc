"""Learn a logistic regression from the Parquet file with dask-ml; one-hot columns are part of the time."""

# mypy: ignore-errors
# The libraries have few types.
from __future__ import annotations

import json
import sys
import time

import dask
import dask.dataframe as dd
import numpy as np
from dask_ml.linear_model import LogisticRegression

said = json.loads(sys.argv[1])
dask.config.set(scheduler="threads", num_workers=said["threads"])
start = time.perf_counter()
frame = dd.read_parquet(said["path"], split_row_groups=True)
target = said["target"]
words = [name for name, kind in frame.dtypes.items() if str(kind) in ("object", "string") and name != target]
hot = dd.get_dummies(frame.drop(columns=target).categorize(words), columns=words).fillna(0).astype("float64")
X = hot.to_dask_array(lengths=True)
y = (frame[target] == "yes").astype("int64").to_dask_array(lengths=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
model = LogisticRegression(solver="lbfgs").fit(X, y)
seconds = time.perf_counter() - start
hits = np.asarray(model.predict(X[: said["judged"]])) == np.asarray(y[: said["judged"]])
print(json.dumps({"seconds": seconds, "accuracy": float(np.mean(hits))}))
