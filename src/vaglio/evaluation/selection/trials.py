"""One setting of one learner on the folds: fit it, score it, and keep the result or the error."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from vaglio.engines.work_settings import present_settings, streaming
from vaglio.errors import ProcessError, VaglioError
from vaglio.evaluation.metrics.scoring import Scorer, row_scores, with_known_labels
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.evaluation.selection.outside_results import outside_results

__all__ = ["LONG_WORK", "Rows", "Trial", "fit_rows", "results_of", "run_trials"]

# Training rows scored: enough to see overfitting; scoring all would double the work of nearest neighbours.
_TRAIN_SAMPLE = 2000

# Seconds of work after which further processes are started, which takes about as long.
LONG_WORK = 3.0


@dataclass(frozen=True)
class Rows:
    """Inputs, labels and weights of the same rows, in memory."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None = None
    outside: ClassVar[bool] = False

    def __len__(self) -> int:
        return len(self.y)

    def part(self, rows: np.ndarray) -> Rows:
        """Some of the rows, by position."""
        weight = None if self.weight is None else self.weight[rows]
        return Rows(_safe_indexing(self.X, rows), self.y[rows], weight)

    def sampled(self, most: int) -> Rows:
        """About so many of the rows, at equal distances."""
        return self.part(np.arange(0, len(self), max(1, len(self) // most)))

    def score(self, scorer: Scorer, estimator: Any) -> float:
        """Score a fitted estimator, with the weights if there are any."""
        if self.weight is None:
            return float(scorer(estimator, self.X, self.y))
        return float(scorer(estimator, self.X, self.y, sample_weight=self.weight))

    def predict_all(self, model: Any) -> None:
        """Predict every row and forget the predictions: to measure how long it takes."""
        model.predict(self.X)


@dataclass(frozen=True)
class Trial:
    """Scores of one setting, fold by fold; ``error`` says why there are none.

    In a race, ``row_scores`` has what every row contributed, times its weight, and ``behind`` is the p of the test by
    which the setting was stopped before the last fold.
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

    def to_row(self) -> dict[str, Any]:
        """Return the trial as one row of a table."""
        return {
            "learner": self.learner,
            "parameters": self.setting or "defaults",
            "score": self.score,
            "spread": self.spread,
            "training": self.train_score,
            "fit s": self.fit_seconds,
            "score s": self.score_seconds,
            "error": self.error,
        }


def fit_rows(estimator: Any, rows: Any) -> Any:
    """Fit, with the weights where the estimator takes them."""
    if rows.outside:
        # A checkpoint is that of the trials: a single training among them has none of its own.
        with streaming(checkpoint=None, progress=present_settings().progress):
            return estimator.fit(rows.X, rows.y)
    if rows.weight is None or not has_fit_parameter(estimator, "sample_weight"):
        return estimator.fit(rows.X, rows.y)
    return estimator.fit(rows.X, rows.y, sample_weight=rows.weight)


def _one_fold(
    estimator: Any, rows: Rows, fold: tuple[np.ndarray, np.ndarray], scorer: Scorer, by_row: bool = False
) -> dict[str, Any]:
    """Fit and score in one fold; the estimator sees nothing but the training rows before it is scored."""
    with warnings.catch_warnings():
        # Hundreds of fits would repeat the same warning; the final fit of the chosen model shows it once.
        warnings.simplefilter("ignore")
        return _fit_and_score(estimator, rows, fold, scorer, by_row)


def _fit_and_score(
    estimator: Any, rows: Rows, fold: tuple[np.ndarray, np.ndarray], scorer: Scorer, by_row: bool
) -> dict[str, Any]:
    train, test = fold
    try:
        training = rows.part(train)
        start = time.perf_counter()
        fit_rows(estimator, training)
        fitted = time.perf_counter()
        score, of_rows = _scores(rows.part(test), scorer, estimator, by_row)
        scored = time.perf_counter()
        train_score = training.sampled(_TRAIN_SAMPLE).score(scorer, estimator)
    except Exception as error:  # noqa: BLE001 - a learner may fail in any way; the error is kept and the others go on
        # An error of vaglio is a sentence; any other needs the name of its class to be understood.
        text = str(error) if isinstance(error, VaglioError) else f"{type(error).__name__}: {error}"
        return {"error": text.splitlines()[0]}
    times = {"fit": fitted - start, "score_time": scored - fitted}
    return {"score": score, "train": train_score, **times, **({} if of_rows is None else {"rows": of_rows})}


def _scores(rows: Rows, scorer: Scorer, estimator: Any, by_row: bool) -> tuple[float, np.ndarray | None]:
    """The score, and what every row contributes to it if that is asked."""
    if not by_row:
        return rows.score(scorer, estimator), None
    labels = estimator.predict(rows.X)
    of_rows = row_scores(scorer, rows.y, labels)
    known = with_known_labels(scorer, estimator, labels)
    return rows.score(scorer, known), of_rows if rows.weight is None else of_rows * rows.weight


def run_trials(
    rows: Any,
    folds: Sequence[Any],
    settings: Iterable[tuple[Candidate, Mapping[str, Any]]],
    scorer: Scorer,
    *,
    n_jobs: int | None = None,
    by_row: bool = False,
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
        Processes. Rows outside memory are learned from one training after the other, each with all threads; on a
        cluster a few at a time, as tasks beside each other.
    by_row : bool
        Keep what every row contributes to the score.
    """
    asked: list[tuple[Candidate, Mapping[str, Any]]] = []
    options = {"by_row": True} if by_row else {}

    def tasks() -> Iterator[Any]:
        for candidate, params in settings:
            asked.append((candidate, params))
            for fold in folds:
                yield delayed(_one_fold)(candidate.make(params), rows, fold, scorer, **options)

    done: list[dict[str, Any]] = []
    finished = 0
    for result in outside_results(tasks()) if rows.outside else results_of(tasks(), n_jobs):
        done.append(result)
        if len(done) == len(folds):
            candidate, params = asked[finished]
            finished += 1
            yield _gather(candidate.name, params, done)
            done = []


def results_of(tasks: Iterator[Any], n_jobs: int | None, *, long: bool = False) -> Iterator[Any]:
    """Yield results in order: first from this process, then from others if the work takes long enough to start them.

    Parameters
    ----------
    tasks : iterator of (function, arguments, keywords)
        As ``joblib.delayed`` makes them; read as the work goes on.
    n_jobs : int, optional
        Processes.
    long : bool
        Whether the work is known to take long: then all results come from processes, if there are several.
    """
    several = effective_n_jobs(n_jobs) > 1
    start = time.perf_counter() - (LONG_WORK if long else 0)
    while True:
        if several and time.perf_counter() - start >= LONG_WORK:
            yield from _in_processes(tasks, n_jobs)
            return
        task = next(tasks, None)
        if task is None:
            return
        run, arguments, keywords = task
        yield run(*arguments, **keywords)


def _in_processes(tasks: Iterator[Any], n_jobs: int | None) -> Iterator[Any]:
    try:
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    except BrokenExecutor as error:
        if error.__cause__ is not None:  # what the process said when it could not read the task
            raise ProcessError(
                "A learner could not be handed to another process: define its class in a module that can be imported, "
                "or use one process (n_jobs=1)."
            ) from error
        raise ProcessError(
            "A process that trained a learner was ended from outside, most often because memory ran out: use fewer "
            "processes (n_jobs=1), fewer rows or fewer learners."
        ) from error


def _gather(name: str, params: Mapping[str, Any], folds: list[dict[str, Any]]) -> Trial:
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
    )
