"""Train learners, search their parameters or choose among them, and evaluate each by the same plan.

Results are written as they come in. Rows that evaluate a choice take no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.errors import VaglioError
from vaglio.evaluation import Evaluation, RegressionEvaluation, select
from vaglio.evaluation.rows import MemoryRows, Rows
from vaglio.evaluation.selection.selection_result import Selection
from vaglio.evaluation.training import EvaluationPlan, learning_rows, train_and_evaluate
from vaglio.fitted import Fitted
from vaglio.learners.registry import learners_of
from vaglio.messages.figures import figure
from vaglio.model.base import size_in_words
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task as TargetTask
from vaglio.studio.jobs.run_files import Progress, Request, Task
from vaglio.table import Table
from vaglio.typing import CostLike

__all__ = [
    "INNER_FOLDS",
    "found_params",
    "judged_rows",
    "plan_of",
    "read_evaluation",
    "search",
    "search_space",
    "selection_options",
    "train_learners",
    "trainings",
]

# Folds in which settings are compared: half the time of ten, and the choice is rarely another.
INNER_FOLDS = 5
# Settings of a search that are listed.
_MOST_TRIALS = 12
# Advice that says more about a model of numbers than its figures do.
_NO_BETTER = ("worse-than-mean", "no-better-than-mean")


def search_space(
    learner_id: str, typed: Mapping[str, str], task: TargetTask = "classification"
) -> dict[str, list[Any]]:
    """Return what is tried: the space of the learner without what was typed, which stays as it is.

    >>> search_space("knn", {"p": "1"})
    {'weights': ['uniform', 'distance', 'squared_distance']}
    """
    settled = {name.replace("-", "_") for name in typed}
    space = learners_of(task)[learner_id].search_space
    return {name: values for name, values in space.items() if name not in settled}


def selection_options(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return how :func:`vaglio.select` is called for a request: nested in folds, or with rows kept apart."""
    way = data["way"]
    options: dict[str, Any] = {
        "strategy": way["strategy"],
        "search": "random",
        "n_iter": int(way["n_iter"]),
        "folds": INNER_FOLDS,
        "seed": int(data.get("seed", 0)),
    }
    if data.get("folds"):
        return options | {"outer_folds": int(data["folds"])}
    return options | {"test_size": float(data["holdout"])}


def trainings(data: Mapping[str, Any]) -> int:
    """Return how often a learner is trained: its settings in every inner fold, and all of that in every outer one."""
    inner = INNER_FOLDS if data["way"]["strategy"] == "cross-validation" else 1
    return (int(data["way"]["n_iter"]) + 1) * inner * (int(data.get("folds") or 0) + 1)


def search(
    learners: Mapping[str, Any],
    typed: Mapping[str, Mapping[str, str]],
    rows: Rows,
    data: Mapping[str, Any],
    cost: CostLike,
    progress: Callable[[int, int, str], None],
) -> Selection:
    """Try the learners with their settings, and choose one.

    Parameters
    ----------
    learners : mapping
        Id -> estimator.
    typed : mapping
        Id -> parameters as typed, which are not searched.
    rows : Rows
        Inputs and targets.
    data : mapping
        The request.
    cost : mapping or None
    progress : callable
    """
    candidates = {name: (estimator, search_space(name, typed[name], rows.task)) for name, estimator in learners.items()}
    # One process: the learners themselves use all processors, and cancelling ends them all.
    return select(rows, learners=candidates, cost=cost, n_jobs=1, progress=progress, **selection_options(data))


def found_params(selection: Selection) -> dict[str, str]:
    """Return the parameters that were found, as a form has them."""
    return {name.removeprefix("estimator__"): repr(value) for name, value in selection.best.params.items()}


def plan_of(data: Any, seed: int) -> EvaluationPlan:
    """Return the plan that a request names: so many folds, or a share held out."""
    return EvaluationPlan(folds=data.get("folds"), holdout=data.get("holdout"), seed=seed)


def train_learners(request: Request) -> None:
    """Train and evaluate the learners of a request, one after the other."""
    learners, guesses = request.learners(), request.data.get("guesses", {})
    plan = plan_of(request.data, request.seed)
    steps = (plan.folds or 0) + 1
    # To choose among learners is one task; else each learner is one.
    tasks = [learners] if request.way == "choose" else [{name: learners[name]} for name in learners]
    names = ["select"] if request.way == "choose" else list(learners)
    progress = Progress(request.folder, [Task(name, steps, guess=guesses.get(name)) for name in names])
    table = request.load().table
    X, y = learning_rows(table, plan.folds, request.task)
    rows = replace(MemoryRows.of_arrays(X, y, task=request.task), groups=table.labelled().groups)
    results: list[dict[str, Any]] = []
    for number, some in enumerate(tasks):
        progress.begin(number)
        try:
            training = _trained(request, some, rows, plan, _Steps(progress, number, steps))
        except (VaglioError, ValueError, ArithmeticError) as error:
            # A learner that fails is listed and does not stop the others.
            reason = error.message if isinstance(error, VaglioError) else str(error)
            results.append({"id": names[number], "error": reason})
            progress.end(number, reason)
        else:
            progress.end(number)
            results.append(_kept(request, training, table, progress.tasks[number].seconds))
        request.write_result({"learners": results, "plan": str(plan)})


@dataclass(frozen=True)
class _Trained:
    """A model, how good it is, and what was tried before."""

    learner: str
    fitted: Fitted
    evaluation: Evaluation | RegressionEvaluation
    n_rows: int
    found: dict[str, Any]
    judged: np.ndarray | None = None


def _trained(request: Request, learners: dict[str, Any], rows: Rows, plan: EvaluationPlan, report: _Steps) -> _Trained:
    if request.way == "fixed":
        ((name, estimator),) = learners.items()
        training = train_and_evaluate(estimator, rows, None, plan, cost=request.cost, progress=report)
        assert training.evaluation is not None
        fitted = training.estimator.fitted_
        if rows.task == "regression":
            fitted = fitted.with_residuals(training.evaluation)
        return _Trained(name, fitted, training.evaluation, training.n_rows, {})
    selection = search(learners, request.typed, rows, request.data, request.cost, report.searching)
    found = {"found": found_params(selection), "trials": _trials(selection)}
    return _Trained(
        selection.best.learner, selection.fitted, selection.evaluation, selection.n_train, found, selection.judged
    )


def _trials(selection: Selection) -> list[dict[str, Any]]:
    """The settings that were tried, the best first; as many as a page shows."""
    working = sorted(
        (trial for trial in selection.trials if not trial.error), key=lambda trial: trial.rank, reverse=True
    )
    return [
        {"learner": trial.learner, "setting": trial.setting, "score": trial.score} for trial in working[:_MOST_TRIALS]
    ]


class _Steps:
    """Folds and the last training of one learner as one count."""

    def __init__(self, progress: Progress, number: int, steps: int) -> None:
        self.progress, self.number, self.steps = progress, number, steps

    def __call__(self, done: int, total: int, what: str) -> None:
        last = total == 1 and self.steps > 1
        self.progress.step(self.number, self.steps - 1 if last else done, self.steps, "last" if last else "fold")

    def searching(self, done: int, total: int, what: str) -> None:
        """Count settings instead of folds."""
        self.progress.step(self.number, done, total, "search")


def _kept(request: Request, training: _Trained, table: Table, seconds: float) -> dict[str, Any]:
    """Write the model and the predictions of a learner; return what is said about it."""
    name, evaluation = training.learner, training.evaluation
    fitted = training.fitted.with_target(table)
    fitted.save(request.folder / f"{name}.vaglio")
    path = request.folder / f"{name}.npz"
    arrays: dict[str, Any] = {"true": evaluation.true, "predicted": evaluation.predicted}
    if isinstance(evaluation, Evaluation):
        arrays["probability"] = np.array(evaluation.probability)
        if evaluation.scores is not None:
            arrays["scores"] = evaluation.scores
    if evaluation.folds is not None:
        arrays["folds"] = evaluation.folds
    if training.judged is not None:
        arrays["judged"] = training.judged
    with path.open("wb") as file:
        np.savez(file, about=np.array(evaluation.about), **arrays)
    return {
        "id": name,
        "error": "",
        **(_of_classes(evaluation) if isinstance(evaluation, Evaluation) else _of_numbers(evaluation)),
        "scores": evaluation.scores_in_brief(),
        "mean_cost": evaluation.mean_cost,
        "about": evaluation.about,
        "rows": evaluation.n_rows,
        "trained_on": training.n_rows,
        "size": size_in_words(fitted.model),
        "seconds": seconds,
        "digest": fitted.digest,
        **training.found,
    }


def _of_classes(evaluation: Evaluation) -> dict[str, Any]:
    """What is said of predicted classes."""
    accuracy, support = evaluation.accuracy, evaluation.rates.support
    return {
        "accuracy": [accuracy.value, accuracy.low, accuracy.high],
        "trivial": _trivial_policy(evaluation),
        "constant": evaluation.labels[evaluation.predicted[0]] if len(np.unique(evaluation.predicted)) == 1 else None,
        "baseline": float(support.max() / support.sum()),
        "labels": list(evaluation.labels),
    }


def _of_numbers(evaluation: RegressionEvaluation) -> dict[str, Any]:
    """What is said of predicted numbers; the baseline is the error of always predicting the mean."""
    figures: dict[str, Any] = {}
    for name in ("rmse", "r2"):
        found = evaluation.estimate(name)
        figures[name] = None if found is None else [found.value, *(_known(end) for end in (found.low, found.high))]
    first = next(iter(evaluation.advice), None)
    return {
        **figures,
        "trivial": _trivial_number(evaluation),
        "useless": first if first is not None and first.code in _NO_BETTER else None,
        "constant": figure(evaluation.predicted[0]) if len(np.unique(evaluation.predicted)) == 1 else None,
        "baseline": evaluation.of_mean.rmse,
        "labels": [],
    }


def _known(end: float) -> float | None:
    """An end of an interval; None where too few rows tell nothing, which JSON has no number for."""
    return end if np.isfinite(end) else None


def _trivial_number(evaluation: RegressionEvaluation) -> dict[str, Any] | None:
    """The number that costs least if every row is given it, and what it costs per row; None without costs."""
    if evaluation.cost is None:
        return None
    best = float(np.quantile(evaluation.true, evaluation.cost.quantile))
    costs = replace(evaluation, predicted=np.full(evaluation.n_rows, best)).mean_cost
    return {"label": figure(best), "cost": costs}


def _trivial_policy(evaluation: Evaluation) -> dict[str, Any] | None:
    """The class that costs least if every row is given it, and what it costs per row; None without costs."""
    if evaluation.cost is None:
        return None
    support = np.asarray(evaluation.rates.support, dtype=np.float64)
    costs = support @ evaluation.cost.matrix / support.sum()
    k = int(np.argmin(costs))
    return {"label": evaluation.labels[k], "cost": float(costs[k])}


def read_evaluation(
    path: Path, labels: list[Any], cost: CostLike | None = None, task: TargetTask = "classification"
) -> Evaluation | RegressionEvaluation:
    """Return the evaluation that a run left behind.

    Parameters
    ----------
    path : Path
    labels : list
        The classes, in the order of the arrays.
    cost : mapping, optional
        Costs of (true, predicted) pairs; of numbers those of a unit of error.
    task : {"classification", "regression"}
    """
    with np.load(path, allow_pickle=False) as kept:
        if task == "regression":
            return RegressionEvaluation(
                kept["true"],
                kept["predicted"],
                cost=None if cost is None else UnitCost.from_any(cost),
                folds=kept.get("folds"),
                about=str(kept["about"]),
            )
        scores = kept.get("scores")
        known = Evaluation(
            tuple(labels),
            kept["true"],
            kept["predicted"],
            scores,
            probability=bool(kept["probability"]),
            folds=kept.get("folds"),
            about=str(kept.get("about", "model")),
        )
    if cost is None:
        return known
    return known.with_cost(CostMatrix.from_any(cost, labels=labels))


def judged_rows(path: Path) -> np.ndarray | None:
    """Return the rows that an evaluation is of, in its order, where a search has divided them; else None."""
    with np.load(path, allow_pickle=False) as kept:
        found: np.ndarray | None = kept.get("judged")
    return found
