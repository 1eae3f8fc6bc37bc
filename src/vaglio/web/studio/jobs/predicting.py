"""Predictions for another file: its columns, the class of every row, and the probability of each class."""

from __future__ import annotations

from collections import Counter
from typing import Any

from vaglio.fitted import load
from vaglio.fitted.prediction_columns import prediction_columns
from vaglio.table import MISSING, TableWriter, read_chunks
from vaglio.web.studio.jobs.request import Request
from vaglio.web.studio.jobs.run_progress import Progress, Task

__all__ = ["work"]


def work(request: Request) -> None:
    """Predict in parts, so that the file may be larger than memory."""
    progress = Progress(request.folder, [Task("predict", 1)])
    root = request.folder.parent.parent
    fitted = load(root / "runs" / str(request.data["model_run"]) / f"{request.data['model']}.vaglio")
    progress.begin(0)
    counts: Counter[Any] = Counter()
    total = 0
    with TableWriter(str(request.folder / "predictions.csv"), "csv", for_spreadsheet=True) as sink:
        source = root / "tables" / str(request.data["file"])
        known, missing = list(fitted.kinds.items()), (*MISSING, *request.state.missing)
        for chunk in read_chunks(source, like=known, missing=missing, keep_words=fitted.kept_words):
            new = prediction_columns(fitted, chunk)
            counts.update(str(label) for label in new["predicted"].tolist())
            sink.write(chunk, new)
            total += len(chunk)
            progress.step(0, 0, 1, f"{total:,}")
    progress.end(0)
    request.write_result({"rows": total, "counts": counts.most_common(20), "file": request.data["file"]})
