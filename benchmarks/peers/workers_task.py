"""Learn from the Parquet file with vaglio on a cluster of worker processes with one thread each."""

# mypy: ignore-errors
# The libraries have few types.
from __future__ import annotations

import json
import logging
import sys
import time

import vaglio
from vaglio.learners.registry import find


def main() -> None:
    from distributed import Client, LocalCluster

    said = json.loads(sys.argv[1])
    model = find(said["learner"]).make().set_params(**said["params"])
    data = vaglio.scan(said["path"])
    workers = {"n_workers": said["workers"], "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**workers, silence_logs=logging.ERROR) as cluster, Client(cluster) as client:
        for module in ("vaglio.engines.on_dask", type(model).__module__):
            client.run(__import__, module)  # importing is no part of the training
        start = time.perf_counter()
        with vaglio.streaming(client=client):
            model.fit(*data.xy(said["target"]))
        seconds = time.perf_counter() - start
    X, y = data.head(said["judged"]).xy(said["target"])
    print(json.dumps({"seconds": seconds, "accuracy": model.score(X, y)}))


if __name__ == "__main__":
    main()
