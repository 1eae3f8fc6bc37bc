"""Chapter 6: how the results were obtained, and the command and the program that repeat them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

from vaglio import datasets
from vaglio._version import __version__
from vaglio.learners.parameters import declaring_class, parameters_of
from vaglio.learners.registry import LEARNERS
from vaglio.messages.figures import count
from vaglio.messages.message import Message, join, text
from vaglio.messages.sentences import clip
from vaglio.report.learners import params_text
from vaglio.study import Study
from vaglio.typing import CostLike

__all__ = ["method_chapter"]

# Parameters of the chosen model that are listed; no learner of ours has so many.
_MOST_PARAMETERS = 60
# Characters of the command and of each argument of the program; longer ones would fill the page.
_MOST_COMMAND = 4000
_MOST_ARGUMENT = 2000
# Without effect on the result, or given once for the whole study.
_SILENT = ("n_jobs", "random_state", "verbose")


def method_chapter(study: Study, name: str, command: str, source: str) -> dict[str, Any]:
    """Everything the chapter says, as plain data; ``source`` is how the table is made in Python."""
    # Every parameter of the chosen model, with its value.
    model = study.selection.best_estimator
    params = model.fitted_.params if hasattr(model, "fitted_") else model.get_params()
    names = ("numpy", "scipy", "scikit-learn", "pyarrow")
    rows = [("vaglio", __version__), ("Python", platform.python_version())]
    rows += [(name, metadata.version(name)) for name in names]
    return {
        "lead": [
            _sentence(study),
            text("The seed is {seed}: the same table and the same seed give the same models.", seed=study.seed),
        ],
        "command": clip(command, _MOST_COMMAND),
        "python": python_lines(study, _short(source or _table_code(study, name))),
        "facts": _facts(study, name),
        "parameters": [{"name": str(k), "value": clip(v, 80)} for k, v in list(params.items())[:_MOST_PARAMETERS]],
        "versions": [{"name": name, "value": version} for name, version in rows],
        "made": text("{day}", day=date.today()),
    }


def _sentence(study: Study) -> Message:
    selection = study.selection
    n_learners = len({trial.learner for trial in selection.trials})
    if len(selection.trials) == 1:
        trained = text(
            "{learner} was trained on {n:,} {n:row|rows}.", learner=selection.best.learner, n=selection.n_train
        )
        return join(" ", [trained, _evaluating(study)])
    if len(selection.trials) > n_learners:
        compared = text(
            "{settings:,} settings of {n:,} {n:learner|learners} were compared {how}.",
            settings=len(selection.trials),
            n=n_learners,
            how=_choosing(study),
        )
    else:
        compared = text("{n:,} {n:learner was|learners were} compared {how}.", n=n_learners, how=_choosing(study))
    trained = text("The best was then trained on {n:,} {n:row|rows}.", n=selection.n_train)
    return join(" ", [compared, trained, _evaluating(study)])


def _evaluating(study: Study) -> Message:
    selection = study.selection
    n = selection.evaluation.n_rows
    if selection.outer:
        return text(
            "To evaluate it, the whole selection was repeated {n} times, each time without a part of the rows, and the "
            "chosen model was tested on that part.",
            n=len(selection.outer),
        )
    if selection.strategy.name == "zero":
        return text("It was evaluated on the same rows.")
    if study.selection_options.get("test") is not None:
        return text("It was evaluated on the {n:,} {n:row|rows} of the test table.", n=n)
    return text("It was evaluated on a hold-out set of {n:,} {n:row|rows}.", n=n)


def _choosing(study: Study) -> Message:
    k = len(study.selection.best.scores)
    if k > 1:
        if study.selection.stopped:
            return text(
                "by {k}-fold cross-validation; those clearly behind after a fold were not tried on the others", k=k
            )
        return text("by {k}-fold cross-validation", k=k)
    return {
        "zero": text("on their training rows"),
        "quick": text("on the test rows"),
        "standard": text("on the test rows"),
        "validation": text("on a validation set"),
    }.get(study.selection.strategy.name, text("on one split"))


def _facts(study: Study, name: str) -> list[dict[str, str]]:
    selection = study.selection
    shape = {"rows": study.table.shape[0], "columns": study.table.shape[1]}
    rows: list[tuple[str, str]] = [
        (text("table"), text("{name}: {rows:,} rows, {columns:,} columns", name=clip(name, 80), **shape)),
        (text("target") if selection.task == "regression" else text("class"), clip(study.target, 80)),
        (
            text("strategy"),
            text(
                "{strategy} (reliability: {reliability})",
                strategy=selection.strategy.name,
                reliability=selection.strategy.reliability,
            ),
        ),
        (
            text("selection criterion"),
            text("mean cost") if selection.cost is not None else selection.measure,
        ),
        (text("learners"), clip(", ".join(dict.fromkeys(trial.learner for trial in selection.trials)), 300)),
        (
            text("chosen learner"),
            text(
                "{learner} ({settings})", learner=clip(selection.best.learner, 40), settings=params_text(selection.best)
            ),
        ),
        (text("training rows"), count(selection.n_train)),
        (text("test rows"), count(selection.evaluation.n_rows)),
        (text("seed"), str(study.seed)),
    ]
    held = selection.rows.get("held", "in memory")
    if held != "in memory":
        divided = selection.rows["divided"]
        told = text("{held}, assigned to folds and to the test set {divided}", held=held, divided=divided)
        rows.insert(1, (text("rows"), told))
    if hasattr(selection.best_estimator, "fitted_"):
        fingerprint = study.fitted.provenance.get("training", {}).get("fingerprint")
        if fingerprint:
            rows.append((text("fingerprint of the training rows"), str(fingerprint)))
    return [{"name": key, "value": value} for key, value in rows]


def python_lines(study: Study, source: str) -> str:
    """A program that makes the same study and report.

    Parameters
    ----------
    study : Study
    source : str
        A Python expression that makes the table.
    """
    options = {key: value for key, value in study.selection_options.items() if key not in ("n_jobs", "progress")}
    given = [f"table, {str(study.target)!r}"]
    if study.learners is not None:
        given.append(f"learners={_short(_learners_code(study.learners))}")
    given.append(f"strategy={study.strategy!r}")
    if study.cost is not None:
        given.append(f"cost={_short(_cost_code(study.cost))}")
    given.append(f"seed={study.seed}")
    if study.clean is not None:
        given.append(f"clean={study.clean!r}")
    if options:
        pairs = ", ".join(
            f"{key!r}: {_short('vaglio.read(test_file)' if key == 'test' else repr(value))}"
            for key, value in options.items()
        )
        given.append(f"selection_options={{{pairs}}}")
    lines = [
        "import vaglio",
        "from vaglio.report import write_report",
        "",
        f"table = {source}",
        "study = vaglio.Study(",
    ]
    lines += [f"    {text}," for text in given]
    lines += [")", "study.run()", 'write_report(study, "report.html")', 'study.fitted.save("model.vaglio")']
    if any("..." in line for line in lines):
        lines.insert(0, "# Replace ... by what was given to the study: it is not known here, or too long to print.")
    return "\n".join(lines)


def _short(code: str) -> str:
    """The code of an argument, or "..." where it is too long to print (the costs of hundreds of classes)."""
    return code if len(code) <= _MOST_ARGUMENT else "..."


def _table_code(study: Study, name: str) -> str:
    if Path(name).suffix:
        return f"vaglio.read({name!r}, {str(study.target)!r})"
    return f"vaglio.datasets.load({name!r})" if name in datasets.names() else "..."


def _cost_code(cost: CostLike) -> str:
    return repr(str(cost)) if isinstance(cost, (str, Path)) else repr(cost) if isinstance(cost, dict) else "cost"


def _learners_code(learners: Any) -> str:
    if isinstance(learners, str):
        return repr([learners])
    if isinstance(learners, Mapping) and any(isinstance(each, tuple) for each in learners.values()):
        searched = [f"{name!r}: {_searched_code(each)}" for name, each in learners.items()]
        return "{" + ", ".join(searched) + "}"
    items = learners.values() if isinstance(learners, Mapping) else [learners] if hasattr(learners, "fit") else learners
    return "[" + ", ".join(_learner_code(item) for item in items) + "]"


def _searched_code(learner: Any) -> str:
    """A learner, or one with the parameters to try."""
    if not isinstance(learner, tuple):
        return _learner_code(learner)
    made, space = learner
    return f"({_learner_code(made)}, {space!r})"


def _learner_code(learner: Any) -> str:
    """The id if every parameter has its default, else the class with the parameters that differ."""
    if isinstance(learner, str):
        return repr(learner)
    own = getattr(learner, "_learner_id", None)
    if own not in LEARNERS:
        return repr(learner)
    kind = declaring_class(type(learner))
    by_id, by_class = LEARNERS[own].make().get_params(), kind().get_params()
    given = {name: value for name, value in parameters_of(learner).items() if name not in _SILENT}
    if all(value == by_id.get(name) for name, value in given.items()):
        return repr(own)
    changed = {name: value for name, value in given.items() if value != by_class.get(name)}
    return f"vaglio.{kind.__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"
