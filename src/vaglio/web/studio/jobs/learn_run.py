"""Train learners and evaluate each by the same plan; results are written as they come in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vaglio.errors import VaglioError
from vaglio.evaluation import Evaluation
from vaglio.evaluation.training import EvaluationPlan, Training, learning_rows, train_and_evaluate
from vaglio.model.base import size_in_words
from vaglio.web.studio.jobs.request import Request
from vaglio.web.studio.jobs.run_progress import Progress, Task

__all__ = ["plan_of", "read_evaluation", "work"]


def plan_of(data: Any, seed: int) -> EvaluationPlan:
    """Return the plan that a request names: so many folds, or a share held out."""
    return EvaluationPlan(folds=data.get("folds"), holdout=data.get("holdout"), seed=seed)


def work(request: Request) -> None:
    """Train and evaluate the learners of a request, one after the other."""
    learners, guesses = request.learners(), request.data.get("guesses", {})
    plan = plan_of(request.data, request.seed)
    steps = (plan.folds or 0) + 1
    progress = Progress(request.folder, [Task(name, steps, guess=guesses.get(name)) for name in learners])
    table = request.load().table
    X, y = learning_rows(table, plan.folds)
    results: list[dict[str, Any]] = []
    for number, (name, estimator) in enumerate(learners.items()):
        progress.begin(number)
        try:
            training = train_and_evaluate(
                estimator, X, y, plan, cost=request.cost, progress=_Steps(progress, number, steps)
            )
        except (VaglioError, ValueError, ArithmeticError) as error:
            # A learner that fails is listed and does not stop the others.
            sentence = " ".join(str(error).split())
            results.append({"id": name, "error": sentence})
            progress.end(number, sentence)
        else:
            progress.end(number)
            results.append(_kept(request, name, training, str(table.target), progress.tasks[number].seconds))
        request.write_result({"learners": results, "plan": str(plan)})


class _Steps:
    """Folds and the last training of one learner as one count."""

    def __init__(self, progress: Progress, number: int, steps: int) -> None:
        self.progress, self.number, self.steps = progress, number, steps

    def __call__(self, done: int, total: int, what: str) -> None:
        last = total == 1 and self.steps > 1
        self.progress.step(self.number, self.steps - 1 if last else done, self.steps, "last" if last else "fold")


def _kept(request: Request, name: str, training: Training, target: str, seconds: float) -> dict[str, Any]:
    """Write the model and the predictions of a learner; return what is said about it."""
    evaluation = training.evaluation
    assert evaluation is not None
    fitted = training.estimator.fitted_.noting(target=target)
    fitted.save(request.folder / f"{name}.vaglio")
    _write_evaluation(request.folder / f"{name}.npz", evaluation)
    accuracy = evaluation.accuracy
    support = evaluation.rates.support
    return {
        "id": name,
        "error": "",
        "accuracy": [accuracy.value, accuracy.low, accuracy.high],
        "scores": evaluation.scores_in_brief(),
        "mean_cost": evaluation.mean_cost,
        "baseline": float(support.max() / support.sum()),
        "labels": list(evaluation.labels),
        "rows": evaluation.n_rows,
        "trained_on": training.n_rows,
        "size": size_in_words(fitted.model),
        "seconds": seconds,
        "digest": fitted.digest,
    }


def _write_evaluation(path: Path, evaluation: Evaluation) -> None:
    arrays: dict[str, Any] = {"true": evaluation.true, "predicted": evaluation.predicted}
    if evaluation.scores is not None:
        arrays["scores"] = evaluation.scores
    with path.open("wb") as file:
        np.savez(file, probability=np.array(evaluation.probability), **arrays)


def read_evaluation(path: Path, labels: list[Any], cost: Any = None) -> Evaluation:
    """Return the evaluation that a run left behind.

    Parameters
    ----------
    path : Path
    labels : list
        The classes, in the order of the arrays.
    cost : mapping, optional
        Costs of (true, predicted) pairs.
    """
    with np.load(path, allow_pickle=False) as kept:
        scores = kept.get("scores")
        known = Evaluation(
            tuple(labels), kept["true"], kept["predicted"], scores, probability=bool(kept["probability"])
        )
    if cost is None:
        return known
    from vaglio.model.costs import CostMatrix

    return known.with_cost(CostMatrix.from_any(cost, labels=labels))
