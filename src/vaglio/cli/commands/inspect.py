"""``vaglio inspect model.vaglio``"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vaglio.cli._options import ModelFile
from vaglio.cli._output import Answer, after_model, verbose
from vaglio.messages.figures import figure
from vaglio.messages.message import join, text

if TYPE_CHECKING:
    from vaglio.fitted import Fitted
    from vaglio.messages.message import Message

# Values of a column that are listed: more than these fill the terminal.
_MOST_VALUES = 12


def run(model: ModelFile) -> Answer:
    """Show what a model file contains: learner, columns, classes, size, and how it was made."""
    from vaglio.fitted import load

    fitted = load(model)
    return replace(describe(fitted), notes=[after_model(fitted, model)])


def describe(fitted: Fitted) -> Answer:
    """What there is to say of a model."""
    return Answer(_facts(fitted), [_lines(fitted), "", _columns(fitted), *_how(fitted)])


def _facts(fitted: Fitted) -> dict[str, Any]:
    from vaglio.model.base import size_and_shape

    cost = fitted.error_cost
    return {
        "learner": fitted.learner,
        "kind": fitted.model.kind,
        "params": fitted.params,
        "classes": None if fitted.classes is None else fitted.classes.tolist(),
        "size": size_and_shape(fitted.model),
        "cost": None if cost is None else {"decide": fitted.decide, "matrix": cost.matrix.tolist()},
        "threshold": None if fitted.threshold is None else dict(zip(("class", "probability"), fitted.threshold)),
        "columns": [feature.to_state() for feature in fitted.codebook.columns],
        "digest": fitted.digest,
        "textbook": _choices(fitted),
        "provenance": fitted.provenance,
    }


def _lines(fitted: Fitted) -> str:
    from vaglio.fitted.show import findings_in_words
    from vaglio.model.base import size_in_words

    made, shape = fitted.provenance, fitted.training_shape
    training, scores = (_dict(made.get(what)) for what in ("training", "scores"))
    accuracy, mean_cost = scores.get("accuracy"), scores.get("mean_cost")
    lines = {
        text("learner"): fitted.learner,
        text("parameters"): ", ".join(f"{name}={value}" for name, value in _parameters(fitted).items())
        or text("all defaults"),
        text("target"): made.get("target"),
        text("classes"): None if fitted.classes is None else ", ".join(map(str, fitted.classes)),
        text("size"): size_in_words(fitted.model),
        text("trained on"): shape
        and text(
            "{rows:,} {rows:row|rows}, {columns:,} {columns:column|columns}", rows=int(shape[0]), columns=int(shape[1])
        ),
        text("fingerprint"): training.get("fingerprint"),
        text("accuracy"): _accuracy(fitted, accuracy, scores.get("how", "")),
        text("RMSE"): _rmse(fitted, scores),
        text("intervals"): None
        if fitted.residuals is None
        else text("by {errors}", errors=fitted.residuals.in_words()),
        text("mean cost"): text("{cost:.4f} per row", cost=mean_cost) if isinstance(mean_cost, float) else None,
        text("criterion"): _criterion(_dict(made.get("acceptance"))),
        text("textbook"): _textbook(fitted),
        **findings_in_words(fitted),
        text("decision"): _decides(fitted),
        text("digest"): fitted.digest[:16],
        text("version"): made.get("version"),
    }
    rows = [text("{name:<12}{value}", name=name, value=value) for name, value in lines.items() if value]
    return join("\n", rows)


def _accuracy(fitted: Fitted, accuracy: Any, how: str) -> str | None:
    if not isinstance(accuracy, float):
        return None
    if fitted.edits:
        return text("{accuracy:.4f} {how}, before the model was edited", accuracy=accuracy, how=how)
    return text("{accuracy:.4f} {how}", accuracy=accuracy, how=how)


def _rmse(fitted: Fitted, scores: dict[str, Any]) -> str | None:
    """The error of a model of numbers as it was measured."""
    rmse, r2 = scores.get("rmse"), scores.get("r2")
    if not isinstance(rmse, float):
        return None
    told = {"rmse": figure(rmse), "how": scores.get("how", "")}
    if fitted.edits:
        return text("{rmse} {how}, before the model was edited", **told)
    return text("{rmse} {how} (R² {r2:.4f})", **told, r2=r2) if isinstance(r2, float) else text("{rmse} {how}", **told)


def _criterion(verdict: dict[str, Any]) -> str | None:
    return f"{verdict.get('criterion', '')} ({verdict.get('text', '')})" if verdict else None


def _decides(fitted: Fitted) -> str | None:
    if fitted.threshold is not None:
        label, threshold = fitted.threshold
        return text("{label} from a probability of {threshold:g}", label=label, threshold=threshold)
    if fitted.error_cost is None:
        return None
    if fitted.decision_cost is None:
        return text("by the model; the costs were weights of the training rows")
    return text("class of least expected cost")


def _choices(fitted: Fitted) -> dict[str, Any]:
    """The parameters as the textbook has them, each with what differs from the default."""
    from vaglio.learners.registry import learners_of

    learner = learners_of(fitted.task).get(fitted.learner)
    found = {} if learner is None else learner.textbook
    return {name: {"value": choice.value, "why": choice.why} for name, choice in found.items()}


def _textbook(fitted: Fitted) -> Message | None:
    """What the textbook has otherwise; with -v only, as most models are not meant to follow it."""
    from vaglio.learners.registry import learners_of

    learner = learners_of(fitted.task).get(fitted.learner)
    if learner is None or not learner.textbook:
        return None
    choices = {name: choice for name, choice in learner.textbook.items() if name in fitted.params}
    other = {name: choice for name, choice in choices.items() if fitted.params[name] != choice.value}
    if not other:
        return text("all parameters as the textbook has them")
    if not verbose():
        return None
    told = [text("{name}={value}: {why}", name=n, value=c.value, why=c.why) for n, c in other.items()]
    return join(" ", told)


def _dict(value: Any) -> dict[str, Any]:
    """What the file says may be anything: nothing is read from what is no dict."""
    return value if isinstance(value, dict) else {}


def _parameters(fitted: Fitted) -> dict[str, Any]:
    """The parameters that differ from the defaults; all of them with -v, or for a learner that is not ours."""
    from vaglio.learners.registry import learners_of

    known = learners_of(fitted.task)
    if verbose() or fitted.learner not in known:
        return fitted.params
    default = known[fitted.learner].make().get_params()
    return {name: value for name, value in fitted.params.items() if str(default.get(name)) != str(value)}


def _how(fitted: Fitted) -> list[str]:
    """How to make the model again, by a command and in Python."""
    made = fitted.provenance
    lines = []
    if made.get("command"):
        lines += ["", text("Made by"), f"  {made['command']}"]
    if fitted.edits:
        lines += ["", text("Edited by hand"), *(join("", ["  ", line]) for line in fitted.edits_in_words())]
    if made.get("python"):
        lines += ["", text("The same in Python"), *(f"  {line}".rstrip() for line in str(made["python"]).splitlines())]
    return lines


def _columns(fitted: Fitted) -> Any:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    for heading in (text("column"), text("kind"), text("values")):
        grid.add_column(heading, overflow="fold")
    for feature in fitted.codebook.columns:
        values = [str(value) for value in feature.categories]
        more = f", … ({len(values)})" if len(values) > _MOST_VALUES else ""
        shown = ", ".join(values[:_MOST_VALUES]) + more
        grid.add_row(feature.name, "date" if feature.is_date else feature.kind, shown)
    return grid
