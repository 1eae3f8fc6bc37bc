"""``vaglio inspect model.vaglio``"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vaglio.cli._options import ModelFile
from vaglio.cli._output import Answer, after_model, verbose

if TYPE_CHECKING:
    from vaglio.fitted import Fitted

# Values of a column that are listed: more than these fill the terminal.
_MOST_VALUES = 12


def run(model: ModelFile) -> Answer:
    """Show what a model file holds: learner, columns, classes, size, and how it was made."""
    from vaglio.fitted import load

    fitted = load(model)
    return replace(describe(fitted), notes=[after_model(fitted, model)])


def describe(fitted: Fitted) -> Answer:
    """What there is to say of a model."""
    return Answer(_facts(fitted), [_lines(fitted), "", _columns(fitted), *_how(fitted)])


def _facts(fitted: Fitted) -> dict[str, Any]:
    from vaglio.model.base import size_and_shape

    return {
        "learner": fitted.learner,
        "kind": fitted.model.kind,
        "params": fitted.params,
        "classes": None if fitted.classes is None else fitted.classes.tolist(),
        "size": size_and_shape(fitted.model),
        "cost": None if fitted.cost is None else {"decide": fitted.decide, "matrix": fitted.cost.matrix.tolist()},
        "columns": [feature.to_state() for feature in fitted.codebook.columns],
        "digest": fitted.digest,
        "provenance": fitted.provenance,
    }


def _lines(fitted: Fitted) -> str:
    from vaglio.fitted.learning_facts import findings_in_words
    from vaglio.model.base import size_in_words

    made, shape = fitted.provenance, fitted.training_shape
    training, scores = (_dict(made.get(what)) for what in ("training", "scores"))
    accuracy, mean_cost = scores.get("accuracy"), scores.get("mean_cost")
    before = ", before it was changed by hand" if fitted.edits else ""
    lines = {
        "learner": fitted.learner,
        "parameters": ", ".join(f"{name}={value}" for name, value in _parameters(fitted).items()) or "as by default",
        "target": made.get("target"),
        "classes": None if fitted.classes is None else ", ".join(map(str, fitted.classes)),
        "size": size_in_words(fitted.model),
        "trained on": f"{shape[0]:,} rows, {shape[1]} columns" if shape else None,
        "fingerprint": training.get("fingerprint"),
        "accuracy": f"{accuracy:.4f} {scores.get('how', '')}{before}" if isinstance(accuracy, float) else None,
        "mean cost": f"{mean_cost:.4f} per row" if isinstance(mean_cost, float) else None,
        "criterion": _criterion(_dict(made.get("acceptance"))),
        **findings_in_words(fitted),
        "decides": _decides(fitted),
        "digest": fitted.digest[:16],
        "vaglio": made.get("version"),
    }
    return "\n".join(f"{name:<12}{value}" for name, value in lines.items() if value)


def _criterion(verdict: dict[str, Any]) -> str | None:
    return f"{verdict.get('criterion', '')} ({verdict.get('text', '')})" if verdict else None


def _decides(fitted: Fitted) -> str | None:
    if fitted.cost is None:
        return None
    if fitted.deciding_cost is None:
        return "by itself; the costs were weights of the training rows"
    return "for the class of least expected cost"


def _dict(value: Any) -> dict[str, Any]:
    """What the file says may be anything: nothing is read from what is no dict."""
    return value if isinstance(value, dict) else {}


def _parameters(fitted: Fitted) -> dict[str, Any]:
    """The parameters that differ from the defaults; all of them with -v, or for a learner that is not ours."""
    from vaglio.learners.registry import LEARNERS

    if verbose() or fitted.learner not in LEARNERS:
        return fitted.params
    default = LEARNERS[fitted.learner].make().get_params()
    return {name: value for name, value in fitted.params.items() if str(default.get(name)) != str(value)}


def _how(fitted: Fitted) -> list[str]:
    """How to make the model again, by a command and in Python."""
    made = fitted.provenance
    lines = []
    if made.get("command"):
        lines += ["", "Made by", f"  {made['command']}"]
    if fitted.edits:
        lines += ["", "Then changed by hand", *(f"  {line}" for line in fitted.edits_in_words())]
    if made.get("python"):
        lines += ["", "The same in Python", *(f"  {line}".rstrip() for line in str(made["python"]).splitlines())]
    return lines


def _columns(fitted: Fitted) -> Any:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    for heading in ("column", "kind", "values"):
        grid.add_column(heading, overflow="fold")
    for feature in fitted.codebook.columns:
        values = [str(value) for value in feature.categories]
        more = f", … ({len(values)})" if len(values) > _MOST_VALUES else ""
        text = ", ".join(values[:_MOST_VALUES]) + more
        grid.add_row(feature.name, "date" if feature.is_date else feature.kind, text)
    return grid
