"""One setting of one learner on the folds: fit it, score it, and keep the result or the error."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import delayed

from vaglio.errors import VaglioError
from vaglio.evaluation.metrics.scoring import Scorer, is_accuracy, row_scores
from vaglio.evaluation.rows import Part, Predicted, Rows
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.messages.message import text
from vaglio.model.families import Task
from vaglio.typing import Estimator

__all__ = ["Trial", "run_trials"]

# Training rows scored: enough to see overfitting; scoring all would double the work of nearest neighbours.
_TRAIN_SAMPLE = 2000


@dataclass(frozen=True)
class Trial:
    """Scores of one setting, fold by fold; ``error`` says why there are none.

    In a race, ``row_scores`` has what every row contributed, and ``behind`` is the p of the test by which the setting
    was stopped before the last fold. ``found`` has the predictions of each fold if they were asked for.
    """

    learner: str
    params: Mapping[str, Any]
    scores: np.ndarray
    train_scores: np.ndarray
    fit_seconds: float
    score_seconds: float
    error: str = ""
    row_scores: np.ndarray | None = field(default=None, repr=False, compare=False)
    behind: float | None = None
    task: Task = "classification"
    found: tuple[Predicted, ...] = field(default=(), repr=False, compare=False)

    @property
    def rank(self) -> tuple[int, float]:
        """What settings are ordered by: one that was stopped is behind all that went further, whatever its score."""
        return len(self.scores), self.score

    @property
    def score(self) -> float:
        """Mean over the folds."""
        return float(np.mean(self.scores)) if len(self.scores) else float("nan")

    @property
    def train_score(self) -> float:
        """Mean score on the training rows."""
        return float(np.mean(self.train_scores)) if len(self.train_scores) else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation over the folds."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else float("nan")

    @property
    def setting(self) -> str:
        """The parameters as text, without the prefix that the cost-sensitive wrapper adds."""
        return ", ".join(f"{name.removeprefix('estimator__')}={value}" for name, value in self.params.items())

    def to_row(self, sign: int = 1) -> dict[str, Any]:
        """Return the trial as one row of a table.

        Parameters
        ----------
        sign : {1, -1}
            -1 shows scores that are negative losses as the losses.
        """
        return {
            text("learner"): self.learner,
            text("parameters"): self.setting or text("defaults"),
            text("score"): sign * self.score,
            text("spread"): self.spread,
            text("training"): sign * self.train_score,
            text("fit s"): self.fit_seconds,
            text("score s"): self.score_seconds,
            text("error"): self.error,
        }


def _one_fold(
    estimator: Estimator,
    rows: Rows,
    fold: tuple[Part, Part],
    scorer: Scorer,
    by_row: bool = False,
    keep: bool = False,
) -> dict[str, Any]:
    """Fit and score in one fold; the estimator sees nothing but the training rows before it is scored."""
    with warnings.catch_warnings():
        # Hundreds of fits would repeat the same warning; the final fit of the chosen model shows it once.
        warnings.simplefilter("ignore")
        return _fit_and_score(estimator, rows, fold, scorer, by_row, keep)


def _fit_and_score(
    estimator: Estimator, rows: Rows, fold: tuple[Part, Part], scorer: Scorer, by_row: bool, keep: bool
) -> dict[str, Any]:
    train, test = fold
    try:
        training = rows.take(train)
        start = time.perf_counter()
        training.fit(estimator)
        fitted = time.perf_counter()
        score, of_rows, found = _scores(rows.take(test), scorer, estimator, by_row or keep)
        scored = time.perf_counter()
        train_score = training.sample(_TRAIN_SAMPLE).score(scorer, estimator)
    except Exception as error:  # noqa: BLE001 - a learner may fail in any way; the error is kept and the others go on
        # An error of vaglio is a sentence; any other needs the name of its class to be understood.
        if isinstance(error, VaglioError):
            return {"error": error.message}
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
    times = {"fit": fitted - start, "score_time": scored - fitted}
    kept = {"found": found} if keep else {}
    return {"score": score, "train": train_score, **times, **kept, **({} if of_rows is None else {"rows": of_rows})}


def _scores(
    rows: Rows, scorer: Scorer, estimator: Estimator, by_row: bool
) -> tuple[float, np.ndarray | None, Predicted | None]:
    """The score, and if that is asked what every row contributes to it, and its prediction."""
    if not by_row:
        return rows.score(scorer, estimator), None, None
    found = rows.labels(estimator)
    of_rows = row_scores(scorer, found.true, found.predictions.labels, found.weight)
    return rows.score(scorer, estimator, found), of_rows, found


def run_trials(
    rows: Rows,
    folds: Sequence[Any],
    settings: Iterable[tuple[Candidate, Mapping[str, Any]]],
    scorer: Scorer,
    *,
    n_jobs: int | None = None,
    by_row: bool = False,
    keep: bool = False,
) -> Iterator[Trial]:
    """Try each setting on every fold; trials are yielded as they finish, in the order of the settings.

    ``settings`` is read while the work goes on, so that its source can stop it (time budget).

    Parameters
    ----------
    rows : Rows or OutsideRows
    folds : sequence of (training rows, test rows), as ``rows.part`` takes them
    settings : iterable of (Candidate, parameters)
    scorer : callable
    n_jobs : int, optional
        Processes. Rows out of core are learned from one training after the other, each with all threads; on a
        cluster a few at a time, as tasks beside each other.
    by_row, keep : bool
        Keep what every row contributes to the score, and its prediction.
    """
    asked: list[tuple[Candidate, Mapping[str, Any]]] = []
    options = {name: True for name, wanted in (("by_row", by_row), ("keep", keep)) if wanted}
    only_classes = is_accuracy(scorer)

    def tasks() -> Iterator[Any]:
        for candidate, params in settings:
            asked.append((candidate, params))
            trained = candidate.for_classes() if only_classes else candidate
            for fold in folds:
                yield delayed(_one_fold)(trained.make(params), rows, fold, scorer, **options)

    done: list[dict[str, Any]] = []
    finished = 0
    for result in rows.results(tasks(), n_jobs):
        done.append(result)
        if len(done) == len(folds):
            candidate, params = asked[finished]
            finished += 1
            yield _gather(candidate.name, params, done, rows.task)
            done = []


def _gather(name: str, params: Mapping[str, Any], folds: list[dict[str, Any]], task: Task) -> Trial:
    errors = [fold["error"] for fold in folds if "error" in fold]
    good = [] if errors else folds
    return Trial(
        learner=name,
        params=dict(params),
        scores=np.array([fold["score"] for fold in good]),
        train_scores=np.array([fold["train"] for fold in good]),
        fit_seconds=float(np.median([fold["fit"] for fold in good])) if good else float("nan"),
        score_seconds=float(np.median([fold["score_time"] for fold in good])) if good else float("nan"),
        error=errors[0] if errors else "",
        row_scores=np.concatenate([fold["rows"] for fold in good]) if good and "rows" in good[0] else None,
        task=task,
        found=tuple(fold["found"] for fold in good if "found" in fold),
    )
