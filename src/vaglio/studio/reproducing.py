"""The work on a model as a Python program and as commands: both make the same model again, from the file alone."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from vaglio.learners.parameter_text import learner_from_words
from vaglio.learners.provenance import learner_source
from vaglio.quality import Policy
from vaglio.studio.jobs.training import search_space, selection_options
from vaglio.studio.pages.runs import Learned
from vaglio.studio.project.steps import TableState, program_lines, reading_keywords
from vaglio.table import Table

__all__ = ["as_commands", "as_program"]

_GROUPS = "groups=table.labelled().groups"


def as_program(model: Learned) -> str:
    """Return a Python program that reads the table, cleans it, trains and saves the model, byte for byte.

    Parameters
    ----------
    model : Learned
    """
    request, state = model.request, model.request.state
    imports = ["import vaglio"]
    body = program_lines(state)
    if state.policy:
        imports.append("from vaglio.quality import Policy")
    if "MISSING" in body[0]:
        imports.append("from vaglio.table import MISSING")
    if request.cost is not None:
        body.append(f"cost = {request.cost!r}")
    more, lines = _made(model)
    imports += more
    body += [*lines, f"model.save({f'{model.id}.vaglio'!r})", "print(model)"]
    head = f'"""Makes the model {model.id} of {state.name} again: run it in the folder with the table."""'
    return (
        "\n".join([head, "", *sorted(set(imports), key=lambda line: (line.startswith("from "), line)), "", *body])
        + "\n"
    )


def _made(model: Learned) -> tuple[list[str], list[str]]:
    """Imports and lines that make the model of a table."""
    task = model.request.task
    if model.request.way == "fixed" and task == "regression":
        return _training_of_numbers(model)
    arrays = 'X, y = table.xy(task="regression")' if task == "regression" else "X, y = table.xy()"
    imports, lines = _training(model) if model.request.way == "fixed" else ([], _selection(model))
    return imports, [arrays, *lines]


def _training_of_numbers(model: Learned) -> tuple[list[str], list[str]]:
    """Imports and lines that train a learner of numbers: its model keeps the errors of the evaluation."""
    request = model.request
    plan = ", ".join(
        f"{name}={request.data[name]!r}" for name in ("folds", "holdout") if request.data.get(name) is not None
    )
    cost = ", cost=cost" if request.cost is not None else ""
    return ["from vaglio.evaluation import EvaluationPlan, train_and_evaluate"], [
        f"learner = {_source(model.id, model)}",
        f"plan = EvaluationPlan({plan}, seed={request.seed})",
        f"training = train_and_evaluate(learner, table, {model.fitted().target!r}, plan{cost})",
        "model = training.estimator.fitted_.with_residuals(training.evaluation).with_target(table)",
    ]


def _training(model: Learned) -> tuple[list[str], list[str]]:
    """Imports and lines that train one learner with given parameters."""
    request = model.request
    imports, lines = [], []
    holdout = request.data.get("holdout")
    if holdout is not None:
        imports.append("from vaglio.evaluation import SplitRules, make_holdout")
        groups = f", {_GROUPS}" if "group" in request.state.roles.values() else ""
        lines += [
            f"train, test = make_holdout(y, {holdout!r}, SplitRules(seed={request.seed}{groups}))",
            "X, y = X[train], y[train]",
        ]
    made = _source(model.id, model)
    if request.cost is not None:
        imports.append("from vaglio.evaluation import CostSensitiveClassifier")
        made = f"CostSensitiveClassifier({made}, cost)"
    return imports, [*lines, f"model = {made}.fit(X, y).fitted_.with_target(table)"]


def _selection(model: Learned) -> list[str]:
    """Lines that search parameters, or choose among learners."""
    request = model.request
    lines = ["learners = {"]
    for name in _tried(model):
        lines.append(
            f"    {name!r}: ({_source(name, model)}, {search_space(name, request.typed[name], request.task)!r}),"
        )
    options = ", ".join(f"{key}={value!r}" for key, value in selection_options(request.data).items())
    cost = ", cost=cost" if request.cost is not None else ""
    cost += f", task={request.task!r}" if request.task == "regression" else ""
    cost += f", {_GROUPS}" if "group" in request.state.roles.values() else ""
    return [
        *lines,
        "}",
        f"selection = vaglio.select(X, y, learners=learners, {options}{cost})",
        "print(selection)",
        "model = selection.fitted.with_target(table)",
    ]


def _tried(model: Learned) -> list[str]:
    """The learners of the search that the model comes from."""
    return list(model.request.typed) if model.request.way == "choose" else [model.id]


def _source(learner_id: str, model: Learned) -> str:
    request = model.request
    return learner_source(
        learner_from_words(learner_id, request.typed[learner_id], request.seed, None, task=request.task)
    )


def as_commands(model: Learned, table: Table) -> list[str]:
    """Return shell lines that clean the table and train the model; ``vaglio inspect`` shows the same fingerprint.

    Parameters
    ----------
    model : Learned
    table : Table
        What the model was learned from.
    """
    request, state = model.request, model.request.state
    target = model.fitted().target
    lines: list[str] = []
    file, reading = state.name, _reading(state)
    if state.policy:
        choices = {**{each.name: "keep" for each in fields(Policy)}, **state.policy}
        file = "cleaned.parquet"
        lines.append(_line("audit", state.name, "--target", target, *reading, "--clean", file, *_sets(choices)))
        reading = _columns(table)
    if request.way == "choose" and any(request.typed.values()):
        return [*lines, "# vaglio select tries learners with their defaults; what was typed is in the program alone."]
    command = {"fixed": "train", "tune": "tune", "choose": "select"}[request.way]
    training = _dividing(model) if request.way == "fixed" else _searching(model)
    if request.task == "regression":
        training += ["--task", "regression"]
    if request.cost is not None and request.task == "regression":
        training += ["--cost", ",".join(f"{name}={value:g}" for name, value in request.cost.items())]
    elif request.cost is not None:
        # A shell line that writes the matrix of costs.
        cost, labels = model.request.cost, model.facts["labels"]
        rows = [",".join(["", *map(str, labels)])]
        rows += [",".join([str(true), *(f"{cost.get((true, other), 0):g}" for other in labels)]) for true in labels]
        written = " ".join(shlex.quote(row) for row in rows)
        lines.append(f"printf '%s\\n' {written} > costs.csv")
        training += ["--cost", "costs.csv"]
    lines.append(_line(command, file, "--target", target, *reading, *training, "--out", f"{model.id}.vaglio"))
    lines.append(_line("inspect", f"{model.id}.vaglio"))
    return lines


def _dividing(model: Learned) -> list[Any]:
    """The options of ``vaglio train``."""
    request = model.request
    words: list[Any] = ["--learner", model.id, *_sets(request.typed[model.id]), "--seed", request.seed]
    for name in ("folds", "holdout"):
        if request.data.get(name) is not None:
            words += [f"--{name}", request.data[name]]
    return words


def _searching(model: Learned) -> list[Any]:
    """The options of ``vaglio tune`` and ``vaglio select``."""
    options = selection_options(model.request.data)
    words = [word for name in _tried(model) for word in ("--learner", name)]
    if model.request.way == "tune":
        words += _sets(model.request.typed[model.id])
    named = {"n_iter": "trials", "test_size": "holdout"}
    given = [(named.get(key, key).replace("_", "-"), value) for key, value in options.items()]
    return [*words, *(word for name, value in given for word in (f"--{name}", value))]


def _line(command: str, *words: Any) -> str:
    return shlex.join(["vaglio", command, *map(str, words)])


def _sets(choices: dict[str, str]) -> list[str]:
    return [word for name, value in choices.items() for word in ("--set", f"{name}={value}")]


def _columns(table: Table) -> list[str]:
    """The options that say what every column of a cleaned table is: a copy in a file has lost its roles and levels."""
    words: list[str] = []
    for name in table.columns:
        column = table.column(name)
        if column.role in ("target", "ignored"):  # an ignored column is not in the copy
            continue
        if column.role != "input":
            words += ["--group" if column.role == "group" else "--ignore", name]
            continue
        level: str = "date" if column.is_date else "text" if column.kind == "text" else column.level
        if level == "ordinal":
            level = "<".join(map(str, column.categories))
        words += ["--keep", name, "--levels", f"{name}={level}"]
    return words


def _reading(state: TableState) -> list[str]:
    """The options that say how the table is read."""
    options = {"identifier": "--identifier", "ignored": "--ignore", "input": "--keep", "group": "--group"}
    given = reading_keywords(state)
    words: list[str] = []
    for name, level in given.get("levels", {}).items():
        words += ["--levels", f"{name}={level if isinstance(level, str) else '<'.join(map(str, level))}"]
    for name, role in given.get("roles", {}).items():
        if role in options:
            words += [options[role], name]
    for word in state.missing:
        words += ["--missing", word]
    return words
