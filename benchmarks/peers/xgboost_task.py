"""Learn a random forest from the Parquet file with XGBoost's external memory: pages on disk, equal bins."""

# mypy: ignore-errors
# The libraries have few types.
from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import xgboost as xgb

said = json.loads(sys.argv[1])
file = pq.ParquetFile(said["path"])
target = said["target"]
words = [field.name for field in file.schema_arrow if str(field.type) == "string" and field.name != target]
# XGBoost needs the same categories in every page: one look at the columns of words.
known = {
    name: sorted({word for group in range(file.num_row_groups) for word in
                  file.read_row_group(group, [name]).column(0).unique().to_pylist() if word is not None})
    for name in words
}  # fmt: skip


def rows(group: int) -> tuple[pd.DataFrame, np.ndarray]:
    frame = file.read_row_group(group).to_pandas()
    y = (frame.pop(target) == "yes").to_numpy(np.float32)
    for name in words:
        frame[name] = pd.Categorical(frame[name], known[name])
    return frame, y


class Pages(xgb.DataIter):
    """Row groups, one after the other; the pages are kept in a folder."""

    def __init__(self, folder: str) -> None:
        self.at = 0
        super().__init__(cache_prefix=str(Path(folder) / "cache"))

    def next(self, input_data):  # type: ignore[no-untyped-def]
        if self.at == file.num_row_groups:
            return False
        X, y = rows(self.at)
        input_data(data=X, label=y)
        self.at += 1
        return True

    def reset(self) -> None:
        self.at = 0


with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter()
    matrix = xgb.ExtMemQuantileDMatrix(
        Pages(folder), max_bin=said["bins"], nthread=said["threads"], enable_categorical=True
    )
    params = {
        "objective": "binary:logistic", "tree_method": "hist", "max_depth": said["depth"], "max_bin": said["bins"],
        "num_parallel_tree": said["trees"], "subsample": 0.632, "colsample_bynode": 0.23, "learning_rate": 1.0,
        "nthread": said["threads"], "seed": 0,
    }  # fmt: skip
    model = xgb.train(params, matrix, num_boost_round=1)
    seconds = time.perf_counter() - start
    X, y = rows(0)
    judged = xgb.DMatrix(X[: said["judged"]], enable_categorical=True)
    hits = (model.predict(judged) > 0.5) == y[: said["judged"]]
print(json.dumps({"seconds": seconds, "accuracy": float(np.mean(hits))}))
