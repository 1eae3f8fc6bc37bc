"""``vaglio train TABLE --target NAME --learner c45 --out model.vaglio``"""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _options as options
from vaglio.cli._plan import Plan
from vaglio.cli._session import Answer

Out = Annotated[Path, typer.Option("--out", "-o", help="Where the model is written.")]


def run(
    table: options.TableFile,
    target: options.Target = None,
    learner: options.Learner = "c45",
    settings: options.Settings = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    test: options.TestFile = None,
    folds: options.Folds = None,
    holdout: options.Holdout = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: Out = Path("model.vaglio"),
) -> Answer:
    """Train a learner on a table, say how good it is, and save the model.

    The figure printed is about rows the model did not learn from (--folds, --holdout or --test). The saved model is
    trained on all rows of the table, except with --holdout.
    """
    from vaglio.cli import _scores, _settings

    plan = Plan(test, folds, holdout)
    estimator = _settings.make_learner(learner, settings, seed, jobs)
    reading = options.Reading(nominal, identifier, ignore, levels, missing)
    data = reading.read(table, target)
    X, y = data.xy()
    further = None if test is None else reading.read_for(test, data.target, X.columns)
    rows, evaluation = _scores.fit_and_evaluate(estimator, X, y, plan, seed, further)
    facts: dict[str, Any] = {
        "target": data.target,
        "dates": [name for name in X.columns if X.column(name).is_date],
        "command": _command(table, data.target, learner, settings, reading, plan, seed),
    }
    if evaluation is not None:
        facts["scores"] = {"how": str(plan), "accuracy": float(evaluation.accuracy), "kappa": float(evaluation.kappa)}
    fitted = estimator.fitted_.noting(**facts)
    fitted.save(out)
    return _answer(fitted, rows, plan, evaluation, out)


def _command(
    table: str,
    target: str,
    learner: str,
    settings: list[str] | None,
    reading: options.Reading,
    plan: Plan,
    seed: int,
) -> str:
    """The command that gives this model again; files by name alone, so that the model holds no path."""
    words = ["vaglio", "train", Path(table).name, "--target", target, "--learner", learner]
    for option, values in {"set": settings, **asdict(reading)}.items():
        for value in values or []:
            words += [f"--{option}", value]
    if plan.holdout is not None:
        words += ["--holdout", f"{plan.holdout:g}"]
    return shlex.join([*words, "--seed", str(seed)])


def _answer(fitted: Any, rows: int, plan: Plan, evaluation: Any, out: Path) -> Answer:
    size = ", ".join(f"{count:,} {what}" for what, count in fitted.model.size().items())
    columns = len(fitted.codebook.features)
    shown = [f"Trained {fitted.learner} on {rows:,} rows and {columns} columns: {size}."]
    notes = [f"The model is in {out}."]
    if evaluation is None:
        notes.append("How good it is was not measured: add --folds 10, --holdout 0.3 or --test TABLE.")
    else:
        shown += [f"Evaluated {plan}:", "", evaluation.to_text()]
    notes.append(options.next_steps(fitted, out))
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
