"""What a run does beside training: compare learners, predict another file, write the report, estimate times."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.errors import VaglioError
from vaglio.evaluation import compare
from vaglio.evaluation.overlap import overlap_of
from vaglio.evaluation.predictions import seen_rows
from vaglio.evaluation.training import learning_rows
from vaglio.fitted import Fitted, load
from vaglio.fitted.predictions import prediction_columns
from vaglio.learners.parameter_text import learner_from_words
from vaglio.learners.registry import learners_of
from vaglio.messages.message import text
from vaglio.messages.sentences import listed
from vaglio.model.families import Task as TargetTask
from vaglio.quality import audit
from vaglio.quality.cleaning import ValueChange, repeat_changes, value_changes
from vaglio.studio.jobs.run_files import Progress, Request, Task
from vaglio.studio.jobs.training import INNER_FOLDS, plan_of, search_space, selection_options
from vaglio.studio.project.folder import read_json
from vaglio.studio.project.steps import policy_of, read_table
from vaglio.table import MISSING, Table, TableWriter, read_chunks

__all__ = ["compare_learners", "predict_file", "report_study", "time_learners"]

# Rows of the two measurements, from whose ratio the growth with the rows is read.
_FEW_ROWS, _MORE_ROWS = 150, 450
# No learner grows slower than with the rows, and none of ours faster than with their square.
_GROWTH = (1.0, 2.0)


def compare_learners(request: Request) -> None:
    """Measure the learners of a run on the five requirements, and test which differences are larger than chance."""
    learners = request.learners()
    progress = Progress(request.folder, [Task("compare", len(learners))])
    table = request.load().table
    progress.begin(0)

    def report(done: int, total: int, what: str) -> None:
        progress.step(0, done, total, what)

    folds = int(request.data.get("folds") or 10)
    found: dict[str, Any] = compare(
        table,
        table.target,
        learners=learners,
        folds=folds,
        seed=request.seed,
        n_jobs=1,
        progress=report,
        task=request.task,
    ).to_dict()
    progress.end(0)
    request.write_result(found)


def predict_file(request: Request) -> None:
    """Predict another file in parts, so that it may be larger than memory.

    The rows are first treated as those of the table were: the same kinds and words for missing values, the same changes
    of values by cleaning. What was changed is said. The file with the predictions shows the rows as they came.
    """
    progress = Progress(request.folder, [Task("predict", 1)])
    root = request.folder.parent.parent
    fitted = load(root / "runs" / str(request.data["model_run"]) / f"{request.data['model']}.vaglio")
    progress.begin(0)
    changes = _changes(request)
    counts: Counter[Any] = Counter()
    together = 0.0
    cells: Counter[str] = Counter()
    total, known = 0, _Known()
    with TableWriter(str(request.folder / "predictions.csv"), "csv", for_spreadsheet=True) as sink:
        source = root / "tables" / str(request.data["file"])
        missing = (*MISSING, *request.state.missing)
        rename = {str(old): str(new) for old, new in (request.data.get("rename") or {}).items()}
        like = fitted.cell_formats
        for chunk in read_chunks(source, like=like, missing=missing, rename=rename, as_written=True):
            rows, changed = repeat_changes(chunk, changes)
            cells.update(changed)
            new = prediction_columns(fitted, rows)
            known.look(fitted, rows, new["predicted"])
            if fitted.classes is None:
                together += float(new["predicted"].sum())
            else:
                counts.update(str(label) for label in new["predicted"].tolist())
            sink.write(chunk, new)
            total += len(chunk)
            progress.step(0, 0, 1, text("{n:,} {n:row|rows}", n=total))
    progress.end(0)
    # What was done to the rows as it had been done to the table.
    state = request.state
    told: list[str] = [
        text("Column {given!r} of the file is {name!r}.", given=old, name=new)
        for old, new in rename.items()
        if new in fitted.codebook.names
    ]
    told += [change.in_words(cells[change.column]) for change in changes if cells[change.column]]
    if state.missing:
        told.append(text("Also read as missing values: {markers}.", markers=listed(state.missing, quoted=True)))
    if state.levels:
        told.append(text("Levels of measurement as in the table: {columns}.", columns=listed(state.levels)))
    request.write_result(
        {
            "rows": total,
            "counts": counts.most_common(20),
            "mean": together / total if fitted.classes is None and total else None,
            "file": request.data["file"],
            "repeated": told,
            **known.to_dict(fitted.with_provenance(scores=_measured(request, root))),
        }
    )


def _measured(request: Request, root: Path) -> dict[str, Any]:
    """How good the model was found to be by its run, and how."""
    run, model = root / "runs" / str(request.data["model_run"]), str(request.data["model"])
    result = read_json(run / "result.json")
    for one in result.get("learners", []) if isinstance(result, dict) else []:
        if isinstance(one, dict) and one.get("id") == model and one.get("accuracy"):
            trained = Request.of(run)
            how = plan_of(trained.data, trained.seed).in_words()
            return {"how": how, "accuracy": float(one["accuracy"][0])}
    return {}


@dataclass
class _Known:
    """Rows of a file whose class stands in it: how many are predicted right, and how many the model was trained on."""

    rows: int = 0
    right: int = 0
    seen: int = 0
    looked: int = 0

    def look(self, fitted: Fitted, rows: Table, predicted: np.ndarray) -> None:
        """Look at the rows of a chunk."""
        if fitted.classes is None or fitted.target not in rows.columns:
            return
        column = rows.column(fitted.target)
        told = ~column.missing
        found = seen_rows(fitted, fitted.codebook.encode(rows[told])) if told.any() else None
        self.rows += int(told.sum())
        self.right += int((column.values[told].astype(str) == predicted[told].astype(str)).sum())
        if found is not None:
            self.seen, self.looked = self.seen + found[0], self.looked + found[1]

    def to_dict(self, fitted: Fitted) -> dict[str, Any]:
        """Return what the page says: first whether the rows were used for training."""
        overlap = overlap_of(fitted, (self.seen, self.looked), self.rows) if self.looked else None
        return {
            "known": self.rows,
            "right": self.right,
            "overlap": None if overlap is None else overlap.in_words(),
        }


def _changes(request: Request) -> list[ValueChange]:
    """What cleaning did to the values of the table that the model was learned from."""
    if not request.state.policy:
        return []
    table = read_table(request.state, request.folder.parent.parent / "tables")
    return value_changes(audit(table, n_jobs=-1), policy_of(request.state))


def report_study(request: Request) -> None:
    """Train and evaluate the chosen model again, as its run did, and write report.html into the folder of the run."""
    # The other kinds of run need no templates and start faster without them.
    from vaglio.report import write_report
    from vaglio.study import Study

    learners = request.learners()
    progress = Progress(request.folder, [Task("report", 1)])
    table = request.load().table
    learning_rows(table, task=request.task)
    progress.begin(0)
    study = Study(
        table,
        table.target,
        cost=request.cost,
        seed=request.seed,
        task=request.task,
        **_as_in_the_run(request, learners),
    )

    def report(done: int, total: int, what: str) -> None:
        progress.step(0, done, total, what)

    study.run(progress=report)
    write_report(
        study,
        request.folder / "report.html",
        name=request.state.name,
        source=str(request.data.get("source", "")),
        lang=str(request.data.get("lang", "en")),
    )
    progress.end(0)
    request.write_result(
        {"report": "report.html", "learner": study.selection.best.learner, "digest": study.fitted.digest}
    )


def _as_in_the_run(request: Request, learners: dict[str, Any]) -> dict[str, Any]:
    """How a study finds the model of a run, and the rows that evaluate it."""
    if request.way != "fixed":
        options = selection_options(request.data)
        spaces = {
            name: (learner, search_space(name, request.typed[name], request.task)) for name, learner in learners.items()
        }
        return {
            "learners": spaces,
            "strategy": options.pop("strategy"),
            "selection_options": {name: value for name, value in options.items() if name != "seed"},
        }
    folds, holdout = request.data.get("folds"), request.data.get("holdout")
    division = {"outer_folds": int(folds)} if folds else {"test_size": float(holdout or 0)}
    return {"learners": learners, "selection_options": {"search": "none", "folds": INNER_FOLDS, **division}}


def time_learners(request: Request) -> None:
    """Estimate how long each learner takes on this table: measured on a few of its rows, and extended to all of them.

    Those that cannot learn from the table are named with the reason.
    """
    X, y = learning_rows(request.load().table, task=request.task)
    learners = learners_of(request.task)
    progress = Progress(request.folder, [Task(name) for name in learners])
    order = np.random.default_rng(0).permutation(len(y))
    found: dict[str, Any] = {}
    for number, name in enumerate(learners):
        progress.begin(number)
        try:
            found[name] = {"seconds": _seconds(name, request.task, X, y, order), "error": ""}
        except (VaglioError, ValueError, ArithmeticError) as error:
            reason = error.message if isinstance(error, VaglioError) else str(error)
            found[name] = {"seconds": None, "error": reason}
        progress.end(number)
    request.write_result({"learners": found})


def _seconds(name: str, task: TargetTask, X: Any, y: np.ndarray, order: np.ndarray) -> float:
    """Return the seconds that one training on all rows may take."""
    times = []
    for size in (_FEW_ROWS, _MORE_ROWS):
        rows = np.sort(order[: min(size, len(order))])
        began = time.perf_counter()
        learner_from_words(name, {}, 0, -1, task=task).fit(X[rows], y[rows])
        times.append(time.perf_counter() - began)
        if len(order) <= size:
            return times[-1]
    growth = np.clip(np.log(times[1] / times[0]) / np.log(_MORE_ROWS / _FEW_ROWS), *_GROWTH)
    return float(times[1] * (len(order) / _MORE_ROWS) ** growth)
