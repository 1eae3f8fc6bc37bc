"""Predictions for another file: its columns, the class of every row, and the probability of each class.

The rows are first treated as those of the table were: the same kinds and words for missing values, the same changes of
values by cleaning. What was changed is said. The file with the predictions shows the rows as they came.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from vaglio.fitted import load
from vaglio.fitted.prediction_columns import prediction_columns
from vaglio.messages.sentences import listed
from vaglio.quality import audit
from vaglio.quality.repeating import ValueChange, repeat_changes, value_changes
from vaglio.studio.jobs.request import Request
from vaglio.studio.jobs.run_progress import Progress, Task
from vaglio.studio.project.loading import policy_of, read_table
from vaglio.table import MISSING, TableWriter, read_chunks

__all__ = ["work"]


def work(request: Request) -> None:
    """Predict in parts, so that the file may be larger than memory."""
    progress = Progress(request.folder, [Task("predict", 1)])
    root = request.folder.parent.parent
    fitted = load(root / "runs" / str(request.data["model_run"]) / f"{request.data['model']}.vaglio")
    progress.begin(0)
    changes = _changes(request)
    counts: Counter[Any] = Counter()
    cells: Counter[str] = Counter()
    total = 0
    with TableWriter(str(request.folder / "predictions.csv"), "csv", for_spreadsheet=True) as sink:
        source = root / "tables" / str(request.data["file"])
        known, missing = list(fitted.kinds.items()), (*MISSING, *request.state.missing)
        for chunk in read_chunks(source, like=known, missing=missing, keep_words=fitted.kept_words):
            rows, changed = repeat_changes(chunk, changes)
            cells.update(changed)
            new = prediction_columns(fitted, rows)
            counts.update(str(label) for label in new["predicted"].tolist())
            sink.write(chunk, new)
            total += len(chunk)
            progress.step(0, 0, 1, f"{total:,}")
    progress.end(0)
    request.write_result(
        {
            "rows": total,
            "counts": counts.most_common(20),
            "file": request.data["file"],
            "repeated": _told(request, changes, cells),
        }
    )


def _changes(request: Request) -> list[ValueChange]:
    """What cleaning did to the values of the table that the model was learned from."""
    if not request.state.policy:
        return []
    table = read_table(request.state, request.folder.parent.parent / "tables")
    return value_changes(audit(table, n_jobs=-1), policy_of(request.state))


def _told(request: Request, changes: list[ValueChange], cells: Counter[str]) -> list[str]:
    """What was done to the rows as it had been done to the table."""
    state = request.state
    told = [change.in_words(cells[change.column]) for change in changes if cells[change.column]]
    if state.missing:
        told.append(f"taken for missing values: {listed(state.missing, quoted=True)}")
    if state.levels:
        told.append(f"read with the levels of the table: {listed(state.levels)}")
    return told
