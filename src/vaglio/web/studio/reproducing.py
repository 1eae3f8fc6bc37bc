"""The work on a model as a Python program and as commands: both make the same model again, from the file alone."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from vaglio.learn.from_words import learner_from_words
from vaglio.learn.provenance import learner_source
from vaglio.quality import Policy
from vaglio.table import Table
from vaglio.web.studio.project.loading import program_lines, reading_keywords
from vaglio.web.studio.project.steps import TableState
from vaglio.web.studio.rooms.runs import Learned

__all__ = ["as_commands", "as_program"]


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
    body.append("X, y = table.xy()")
    holdout = request.data.get("holdout")
    if holdout is not None:
        imports.append("from vaglio.evaluation import SplitRules, make_holdout")
        body += [
            f"train, test = make_holdout(y, {holdout!r}, SplitRules(seed={request.seed}))",
            "X, y = X[train], y[train]",
        ]
    made = learner_source(learner_from_words(model.id, _params(model), request.seed, None))
    if request.cost is not None:
        imports.append("from vaglio.evaluation import CostSensitiveClassifier")
        body.append(f"cost = {request.cost!r}")
        made = f"CostSensitiveClassifier({made}, cost)"
    body += [
        f"model = {made}.fit(X, y).fitted_.noting(target=table.target)",
        f"model.save({f'{model.id}.vaglio'!r})",
        "print(model)",
    ]
    head = f'"""Makes the model {model.id} of {state.name} again: run it in the folder with the table."""'
    return "\n".join([head, "", *sorted(set(imports), key=_import_order), "", *body]) + "\n"


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from "), line


def _params(model: Learned) -> dict[str, str]:
    found: dict[str, str] = next(each["params"] for each in model.run.request["learners"] if each["id"] == model.id)
    return found


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
    training: list[Any] = ["--learner", model.id, *_sets(_params(model)), "--seed", request.seed]
    for name in ("folds", "holdout"):
        if request.data.get(name) is not None:
            training += [f"--{name}", request.data[name]]
    if request.cost is not None:
        lines.append(_cost_file(model))
        training += ["--cost", "costs.csv"]
    lines.append(_line("train", file, "--target", target, *reading, *training, "--out", f"{model.id}.vaglio"))
    lines.append(_line("inspect", f"{model.id}.vaglio"))
    return lines


def _line(command: str, *words: Any) -> str:
    return shlex.join(["vaglio", command, *map(str, words)])


def _sets(choices: dict[str, str]) -> list[str]:
    return [word for name, value in choices.items() for word in ("--set", f"{name}={value}")]


def _columns(table: Table) -> list[str]:
    """The options that say what every column of a cleaned table is: a copy in a file has lost its roles and levels."""
    words: list[str] = []
    for name in table.columns:
        column = table.column(name)
        if column.role == "target":
            continue
        if column.role != "input":
            words += ["--ignore", name]
            continue
        level: str = "date" if column.is_date else "text" if column.kind == "text" else column.level
        if level == "ordinal":
            level = "<".join(map(str, column.categories))
        words += ["--keep", name, "--levels", f"{name}={level}"]
    return words


def _reading(state: TableState) -> list[str]:
    """The options that say how the table is read."""
    options = {"identifier": "--identifier", "ignored": "--ignore", "input": "--keep"}
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


def _cost_file(model: Learned) -> str:
    """A shell line that writes the matrix of costs."""
    cost, labels = model.request.cost, model.facts["labels"]
    rows = [",".join(["", *map(str, labels)])]
    rows += [",".join([str(true), *(f"{cost.get((true, other), 0):g}" for other in labels)]) for true in labels]
    written = " ".join(shlex.quote(row) for row in rows)
    return f"printf '%s\\n' {written} > costs.csv"
