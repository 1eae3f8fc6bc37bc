"""Learn from the Parquet file with vaglio, in passes."""

# mypy: ignore-errors
# The libraries have few types.
from __future__ import annotations

import json
import sys
import time

import vaglio
from vaglio.learners.registry import find

said = json.loads(sys.argv[1])
model = find(said["learner"]).make().set_params(**said["params"])
if "n_jobs" in model.get_params():
    model.set_params(n_jobs=said["threads"])
data = vaglio.scan(said["path"])
start = time.perf_counter()
with vaglio.streaming("8GB"):
    model.fit(*data.xy(said["target"]))
seconds = time.perf_counter() - start
X, y = data.head(said["judged"]).xy(said["target"])
print(json.dumps({"seconds": seconds, "accuracy": model.score(X, y)}))
