"""``vaglio train TABLE --target NAME --learner c45 --out model.vaglio``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._command_lines import Recipe
from vaglio.cli._options import (
    REJECTED,
    Accept,
    EvaluationOptions,
    Jobs,
    Learner,
    Seed,
    Settings,
    TableFile,
    UsageError,
    criterion,
    output_option,
)
from vaglio.cli._output import Answer, after_model
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._scaling import ScaleOptions, lazy_rows, lazy_table

if TYPE_CHECKING:
    from vaglio.evaluation import Evaluation
    from vaglio.evaluation.training import EvaluationPlan
    from vaglio.fitted import Fitted

Out = Annotated[Path, output_option("--out", "-o", metavar="FILE", help="Where the model is written.")]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    learner: Learner = "c45",
    settings: Settings = None,
    evaluating: EvaluationOptions,
    accept: Accept = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    scale: ScaleOptions,
    out: Out = Path("model.vaglio"),
) -> Answer:
    """Train a learner on a table, say how good it is, and save the model.

    The accuracy printed comes from rows that were not used for training (--folds, --holdout or --test). The saved model
    is trained on all rows of the table, except with --holdout. With --cost the model decides for the class of least
    expected cost; a learner without probabilities is trained with the costs as weights of the rows.

    A table that does not fit in memory is read in parts, and so it is with --memory; TABLE may then be a folder or a
    pattern, too. The model is the same whatever the memory, the number of processes or the parts.
    """
    from vaglio.cli._learners import make_learner
    from vaglio.evaluation.training import learning_rows, train_and_evaluate
    from vaglio.runtime.files import check_writable

    check_writable(out, "model")
    wanted = criterion(accept)
    if wanted is not None and not evaluating.wanted:
        raise UsageError("--accept compares figures: add --folds 10, --holdout 0.3 or --test FILE.")
    estimator = make_learner(learner, settings, seed, jobs)
    if scale.wanted(table, reading):
        return _trained_in_passes(estimator, table, reading, evaluating, scale, out, seed, wanted)
    data = reading.read(table)
    X, y = learning_rows(data, evaluating.folds)
    plan = evaluating.plan(reading.read_test(evaluating.test, data.target, X.columns), seed)
    training = train_and_evaluate(estimator, X, y, plan, pos_label=evaluating.positive, cost=evaluating.cost)
    evaluation = training.evaluation
    cost = None if evaluating.cost is None else evaluating.cost.name
    said = {"learner": learner, "set": settings or [], "holdout": plan.holdout, "cost": cost, "seed": seed}
    said |= {} if accept is None else {"accept": accept, "folds": plan.folds}
    recipe = Recipe("train", table, data.target, reading, said)
    facts: dict[str, Any] = {"target": data.target, **recipe.facts(*_lines(estimator, plan, cost))}
    if evaluation is not None:
        facts["scores"] = {"how": str(plan), **evaluation.scores_in_brief()}
        if wanted is not None:
            facts["acceptance"] = wanted.decide(evaluation).to_dict()
    fitted = estimator.fitted_.noting(**facts)
    fitted.save(out)
    return _answer(fitted, training.n_rows, plan, evaluation, out, table)


def _trained_in_passes(
    estimator: Any,
    table: str,
    reading: ReadingOptions,
    evaluating: EvaluationOptions,
    scale: ScaleOptions,
    out: Path,
    seed: int,
    wanted: Any,
) -> Answer:
    """Train on rows that stay on disk; a test table is read in parts, too."""
    from vaglio.evaluation.training import train_and_evaluate

    if evaluating.folds is not None and scale.checkpoint is not None:
        raise UsageError("--checkpoint keeps the passes of one training: it does not go with --folds.")
    X, y = lazy_rows(table, reading)
    plan = evaluating.plan(
        None if evaluating.test is None else lazy_table(evaluating.test, reading.file, reading._levels()), seed
    )
    with scale.working():
        training = train_and_evaluate(estimator, X, y, plan, pos_label=evaluating.positive, cost=evaluating.cost)
    evaluation = training.evaluation
    how = f"{plan}, read in parts"
    facts: dict[str, Any] = {"target": y.name}
    if evaluation is not None:
        facts["scores"] = {"how": how, **evaluation.scores_in_brief()}
        if wanted is not None:
            facts["acceptance"] = wanted.decide(evaluation).to_dict()
    fitted = estimator.fitted_.noting(**facts)
    fitted.save(out)
    return _answer(fitted, training.n_rows, how, evaluation, out, table)


def _lines(estimator: Any, plan: EvaluationPlan, cost: str | None) -> list[str]:
    """The Python lines that make the same model."""
    from vaglio.learners.provenance import learner_source

    lines = ["X, y = table.xy()"]
    if plan.holdout is not None:
        lines += [
            "from vaglio.evaluation import SplitRules, make_holdout",
            f"train, test = make_holdout(y, {plan.holdout!r}, SplitRules(seed={plan.seed}))",
            "X, y = X[train], y[train]",
        ]
    made = f"{learner_source(estimator)}"
    if cost is not None:
        lines.insert(0, "from vaglio.evaluation import CostSensitiveClassifier")
        made = f"CostSensitiveClassifier({made}, {cost!r})"
    return [*lines, f"model = {made}.fit(X, y).fitted_", "model.save('model.vaglio')"]


def _answer(
    fitted: Fitted, rows: int, plan: EvaluationPlan | str, evaluation: Evaluation | None, out: Path, table: str
) -> Answer:
    from vaglio.evaluation.metrics.cost_sensitive import in_words
    from vaglio.messages.sentences import listed
    from vaglio.model.base import size_and_shape, size_in_words

    columns = len(fitted.codebook.columns)
    shown = [f"Trained {fitted.learner} on {rows:,} rows and {columns} columns: {size_in_words(fitted.model)}."]
    if fitted.left_out:
        many = listed(fitted.left_out, quoted=True)
        shown.append(f"Without {many}: many values that tell no more about the class than chance.")
    shown += [told] if (told := in_words(fitted)) else []
    notes = [f"The model is in {out}."]
    if evaluation is None:
        notes.append("How good it is was not measured: add --folds 10, --holdout 0.3 or --test FILE.")
    else:
        shown += [f"Evaluated {plan}:", "", evaluation.to_text()]
    verdict = fitted.provenance.get("acceptance")
    if verdict is not None:
        shown += ["", verdict["text"]]
    notes.append(after_model(fitted, out, table))
    data = {
        "model": str(out),
        "learner": fitted.learner,
        "params": fitted.params,
        "target": fitted.provenance["target"],
        "classes": None if fitted.classes is None else fitted.classes.tolist(),
        "rows": rows,
        "columns": columns,
        "left_out": fitted.left_out,
        "size": size_and_shape(fitted.model),
        "cost": in_words(fitted),
        "evaluation": None if evaluation is None else {"how": str(plan), **evaluation.to_dict()},
    }
    if verdict is not None:
        data["acceptance"] = verdict
    return Answer(data, shown, notes, REJECTED if verdict is not None and not verdict["accepted"] else 0)
