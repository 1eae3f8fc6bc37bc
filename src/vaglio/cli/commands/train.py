"""``vaglio train TABLE --target NAME --learner c45 --out model.vaglio``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _next
from vaglio.cli import _options as options
from vaglio.cli._plan import check_plan
from vaglio.cli._recipe import Recipe, learner_source
from vaglio.cli._session import Answer

Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FILE", help="Where the model is written.", rich_help_panel=options.OUTPUT),
]


def run(
    table: options.TableFile,
    target: options.Target = None,
    learner: options.Learner = "c45",
    settings: options.Settings = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    test: options.TestFile = None,
    folds: options.Folds = None,
    holdout: options.Holdout = None,
    cost: options.Cost = None,
    positive: options.Positive = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: Out = Path("model.vaglio"),
) -> Answer:
    """Train a learner on a table, say how good it is, and save the model.

    The figure printed is about rows the model did not learn from (--folds, --holdout or --test). The saved model is
    trained on all rows of the table, except with --holdout.
    """
    from vaglio.cli import _settings
    from vaglio.evaluation.training import EvaluationPlan, learning_rows, train_and_evaluate
    from vaglio.runtime.files import check_writable

    check_plan(test, folds, holdout)
    check_writable(out)
    estimator = _settings.make_learner(learner, settings, seed, jobs)
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    data = reading.read(table, target)
    X, y = learning_rows(data, folds)
    further = None if test is None else reading.read_for(test, data.target, X.columns)
    plan = EvaluationPlan(folds, holdout, further, seed)
    training = train_and_evaluate(estimator, X, y, plan, pos_label=positive, cost=cost)
    rows, evaluation = training.n_rows, training.evaluation
    said = {"learner": learner, "set": settings or [], "holdout": holdout, "seed": seed}
    recipe = Recipe("train", table, data.target, reading, said)
    facts: dict[str, Any] = {"target": data.target, **recipe.facts(*_lines(estimator, holdout, seed))}
    if evaluation is not None:
        facts["scores"] = {"how": str(plan), "accuracy": float(evaluation.accuracy), "kappa": float(evaluation.kappa)}
    fitted = estimator.fitted_.noting(**facts)
    fitted.save(out)
    return _answer(fitted, rows, plan, evaluation, out, table)


def _lines(estimator: Any, holdout: float | None, seed: int) -> list[str]:
    """The Python lines that make the same model."""
    lines = ["X, y = table.xy()"]
    if holdout is not None:
        lines += [
            "from vaglio.evaluation import SplitRules, make_holdout",
            f"train, test = make_holdout(y, {holdout!r}, SplitRules(seed={seed}))",
            "X, y = X[train], y[train]",
        ]
    return [*lines, f"model = {learner_source(estimator)}.fit(X, y).fitted_", "model.save('model.vaglio')"]


def _answer(fitted: Any, rows: int, plan: Any, evaluation: Any, out: Path, table: str) -> Answer:
    size = ", ".join(f"{count:,} {what}" for what, count in fitted.model.size().items())
    columns = len(fitted.codebook.features)
    shown = [f"Trained {fitted.learner} on {rows:,} rows and {columns} columns: {size}."]
    notes = [f"The model is in {out}."]
    if evaluation is None:
        notes.append("How good it is was not measured: add --folds 10, --holdout 0.3 or --test FILE.")
    else:
        shown += [f"Evaluated {plan}:", "", evaluation.to_text()]
    notes.append(_next.after_model(fitted, out, table))
    data = {
        "model": str(out),
        "learner": fitted.learner,
        "params": fitted.params,
        "target": fitted.provenance["target"],
        "classes": fitted.classes.tolist(),
        "rows": rows,
        "columns": columns,
        "size": fitted.model.size(),
        "evaluation": None if evaluation is None else {"how": str(plan), **evaluation.to_dict()},
    }
    return Answer(data, shown, notes)
