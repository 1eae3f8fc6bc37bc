"""Compare: the learners of a run side by side: requirements, differences, curves, and costs under one threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation import Evaluation, ThresholdTable
from vaglio.messages.locale import Locale
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.plot.svg import model_curves
from vaglio.report.numbers import predicted_against_true
from vaglio.runtime.seeds import dealt_by_class
from vaglio.studio.forms import Form
from vaglio.studio.pages.page import Action, Page, Panels
from vaglio.studio.pages.runs import Learned, choose_run, is_of, job_view, learned_models, rank
from vaglio.studio.project.workbench import OpenTable

__all__ = ["ComparePage"]

# Thresholds of the slider.
_STEPS = 101
# Folds in which a threshold is chosen again.
_FOLDS = 10
# Kind of curve -> its title, its caption and its axes.
_PANELS = {
    "roc": (
        text("ROC curve"),
        text("Recall against the false positive rate."),
        text("false positive rate"),
        text("recall"),
    ),
    "pr": (
        text("Precision–recall curve"),
        text("Precision: the share of true positives among the rows predicted positive."),
        text("recall"),
        text("precision"),
    ),
    "gain": (
        text("Cumulative gains"),
        text("Recall when this share of the rows is selected, highest scores first."),
        text("selected rows"),
        text("recall"),
    ),
    "lift": (
        text("Lift"),
        text("How many times more positives than in a random selection."),
        text("selected rows"),
        text("lift"),
    ),
}
# What the page shows without curves.
_NO_CURVES: dict[str, Any] = {"panels": [], "without": [], "data": None, "names": []}
# Models whose curves have a colour each.
_MOST_CURVES = 8


class ComparePage(Page):
    """The page Compare."""

    title = text("Compare")
    lead = text("Compare the learners: scores, curves and costs.")

    def actions(self) -> list[tuple[str, Action]]:
        """Measure the five requirements, or stop that."""
        return [("measure", self._measure), ("cancel", self._cancel)]

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return everything about the models of one run."""
        opened = self.bench.need_table()
        models = choose_run(self.jobs, opened, query.get("run", ""))
        ranked = sorted(models, key=lambda each: rank(each.facts))
        panels = Panels()
        of_task = self._of_numbers if opened.task == "regression" else self._of_classes
        return {
            "task": opened.task,
            "run": models[0].run.name,
            "runs": list(dict.fromkeys(each.run.name for each in learned_models(self.jobs, opened))),
            "models": [each.facts for each in ranked],
            **of_task(models, query, locale, panels),
            "requirements": panels.show(
                text("Five requirements"), lambda: self._requirements(models, opened), {"state": "none"}
            ),
            "problems": panels.problems,
            "costs": any(each.run.request.get("cost") for each in models),
        }

    def _of_classes(
        self, models: list[Learned], query: dict[str, str], locale: Locale, panels: Panels
    ) -> dict[str, Any]:
        """The range of the accuracies, the positive class, and the curves of its scores."""
        labels = [str(label) for label in models[0].facts["labels"]]
        chosen = (
            query.get("class", "")
            if query.get("class", "") in labels
            else labels[_costlier(models[0])]
            if len(labels) == 2
            else labels[0]
        )
        # The range of the accuracies that is drawn: round tenths around them.
        lows = [each.facts["accuracy"][1] for each in models] + [each.facts["baseline"] for each in models]
        low = np.floor(10 * min(lows)) / 10
        return {
            "scale": (float(min(low, 0.9)), 1.0),
            "labels": labels,
            "label": chosen,
            "curves": panels.show(text("Curves and costs"), lambda: self._curves(models, chosen, locale), _NO_CURVES),
        }

    def _of_numbers(
        self, models: list[Learned], query: dict[str, str], locale: Locale, panels: Panels
    ) -> dict[str, Any]:
        """The range of R² that is drawn, with the mean at 0, and a picture of the predictions of each learner."""
        lows = [each.facts["r2"][1] for each in models if each.facts["r2"]]
        low = min([0.0, *(end for end in lows if end is not None)])
        key = ("dots", *(each.key for each in models))
        none: list[dict[str, Any]] = []

        def dots() -> list[dict[str, Any]]:
            return self.results.get(key, lambda: [_dots(each) for each in models[:_MOST_CURVES]])

        return {
            "scale": (max(float(np.floor(10 * low)) / 10, -1.0), 1.0),
            "dots": panels.show(text("Predicted and true numbers"), dots, none),
        }

    def _curves(self, models: list[Learned], label: str, locale: Locale) -> dict[str, Any]:
        key = ("curves", *(each.key for each in models), label, locale.lang)
        return self.results.get(key, lambda: _curves(models[:_MOST_CURVES], label, locale))

    # -- the five requirements -----------------------------------------------------------------------------------------
    def _requirements(self, models: list[Learned], opened: OpenTable) -> dict[str, Any]:
        name = models[0].run.name
        for run in self.jobs.all("compare"):
            if run.request.get("of") == name and is_of(run, opened):
                return {**job_view(run), **run.result}
        return {"state": "none"}

    def _measure(self, form: Form) -> str:
        opened = self.bench.need_table()
        models = choose_run(self.jobs, opened, form.get("run"))
        if len(models) < 2:
            raise InputError(
                "run-of-one-learner",
                "A comparison needs at least two learners. Train another one on the page Learn.",
            )
        asked = models[0].run.request
        self.jobs.start(
            {
                "kind": "compare",
                "of": models[0].run.name,
                "table": opened.state.to_dict(),
                "task": opened.task,
                "learners": [{"id": each.id, "params": each.params} for each in models],
                "folds": asked.get("folds"),
                "seed": asked["seed"],
            }
        )
        return f"{self.path}?run={models[0].run.name}#requirements"

    def _cancel(self, form: Form) -> str:
        self.jobs.cancel(form.get("job"))
        return f"{self.path}#requirements"


def _dots(model: Learned) -> dict[str, Any]:
    """Predicted and true numbers of a model, as the report shows them."""
    part = predicted_against_true(model.evaluation(), model.fitted().target or "", model.request.seed)
    return {"id": model.id, "picture": part}


def _curves(models: list[Learned], label: str, locale: Locale) -> dict[str, Any]:
    evaluations = [(each.id, each.evaluation()) for each in models]
    scored = [(name, e) for name, e in evaluations if e.scores is not None and e.probability]
    without = [name for name, e in evaluations if e.scores is None or not e.probability]
    if not scored:
        return {**_NO_CURVES, "without": without}
    position = [str(one) for one in scored[0][1].labels].index(label)
    real = scored[0][1].labels[position]
    tables = [_at_thresholds(e, real) for _, e in scored]
    positives, negatives = tables[0]["positives"], tables[0]["negatives"]
    if not positives or not negatives:
        return {**_NO_CURVES, "without": without}
    names = [name for name, _ in scored]
    return {
        "names": names,
        "without": without,
        "panels": _panels(names, tables, locale),
        "data": {
            "models": [
                {"name": clip(n, 40), "tp": t["tp"], "fp": t["fp"], "folds": t["folds"]} for n, t in zip(names, tables)
            ],
            "positives": positives,
            "negatives": negatives,
            "cost": _costs(scored[0][1], position),
            "start": _start(scored[0][1], real),
        },
    }


def _at_thresholds(evaluation: Evaluation, label: object) -> dict[str, Any]:
    """Rows of the class and other rows that are predicted as the class, at evenly spaced thresholds from 1 to 0.

    Also fold by fold: a threshold that is chosen on the others is paid for on the rows of one.
    """
    table = evaluation.thresholds(label)
    positive, score = evaluation.one_class(label)
    fold = dealt_by_class(positive.astype(np.int64), _FOLDS)
    parts = []
    for number in np.unique(fold):
        rows = fold == number
        weight = None if evaluation.weight is None else evaluation.weight[rows]
        tp, fp = _counts(ThresholdTable.from_scores(positive[rows], score[rows], weight))
        parts.append({"tp": tp, "fp": fp})
    tp, fp = _counts(table)
    return {
        "tp": tp,
        "fp": fp,
        "folds": parts,
        "positives": float(table.tp[-1]),
        "negatives": float(table.fp[-1]),
        "all_tp": table.tp,
        "all_fp": table.fp,
    }


def _counts(table: ThresholdTable) -> tuple[list[float], list[float]]:
    steps = np.linspace(1, 0, _STEPS)
    # The last score that reaches the threshold; a little below it, because sums of shares are not exact.
    at = np.searchsorted(-table.thresholds, -(steps - 1e-12), side="right") - 1
    return table.tp[at].tolist(), table.fp[at].tolist()


def _costs(evaluation: Evaluation, k: int) -> list[float]:
    """What a false alarm, a miss and a right alarm cost; without a matrix of two classes, one for each error."""
    if evaluation.cost is None or len(evaluation.labels) != 2:
        return [1.0, 1.0, 0.0]
    matrix = evaluation.cost.matrix
    # What a row costs that is rightly left alone is paid at every threshold or saved by a false alarm.
    rest = float(matrix[1 - k, 1 - k])
    return [float(matrix[1 - k, k]) - rest, float(matrix[k, 1 - k]), float(matrix[k, k])]


def _costlier(model: Learned) -> int:
    """The class of two whose rows cost more when they are missed: the one to find. Without costs, the last."""
    cost = model.request.cost
    if cost is None:
        return 1
    no, yes = model.facts["labels"]
    return int(cost.get((yes, no), 0.0) >= cost.get((no, yes), 0.0))


def _start(evaluation: Evaluation, label: object) -> int:
    """Where the slider starts, in hundredths: at the threshold that follows from the costs."""
    if evaluation.cost is None or len(evaluation.labels) != 2:
        return 50
    try:
        return round(100 * evaluation.cost.threshold(label))
    except InputError:  # errors cost nothing
        return 50


def _panels(names: list[str], tables: list[dict[str, Any]], locale: Locale) -> list[dict[str, Any]]:
    p, n = tables[0]["positives"], tables[0]["negatives"]
    found: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[str, list[tuple[float, float]]]]] = {"roc": [], "pr": [], "gain": [], "lift": []}
    for name, table in zip(names, tables):
        tp, fp = _thinned(table["all_tp"]), _thinned(table["all_fp"])
        taken = (tp + fp) / (p + n)
        precision = np.where(tp + fp > 0, tp / np.maximum(tp + fp, 1e-12), 1.0)
        some = tp + fp > 0
        curves["roc"].append((name, _pairs(fp / n, tp / p)))
        curves["pr"].append((name, _pairs(tp / p, precision)))
        curves["gain"].append((name, _pairs(taken, tp / p)))
        curves["lift"].append((name, _pairs(taken[some], precision[some] / (p / (p + n)))))
    top = 1.1 * max(y for _, points in curves["lift"] for _, y in points)
    share = p / (p + n)
    chances: dict[str, list[tuple[float, float]]] = {
        "roc": [(0, 0), (1, 1)], "pr": [(0, share), (1, share)], "gain": [(0, 0), (1, 1)], "lift": [(0, 1), (1, 1)],
    }  # fmt: skip
    for kind, lines in curves.items():
        title, caption, across, up = map(locale.text, _PANELS[kind])
        svg = model_curves(
            lines,
            title,
            caption,
            (across, up),
            top=top if kind == "lift" else 1.0,
            chance=chances[kind],
            percent=True,
            marks=kind != "lift",
        )
        found.append({"kind": kind, "title": title, "text": caption, "svg": svg})
    return found


def _pairs(xs: np.ndarray, ys: np.ndarray) -> list[tuple[float, float]]:
    return list(zip(xs.tolist(), ys.tolist()))


def _thinned(values: np.ndarray) -> np.ndarray:
    """At most two hundred points of a curve, both ends included."""
    at = np.unique(np.linspace(0, len(values) - 1, min(len(values), 200)).astype(np.int64))
    thin: np.ndarray = values[at]
    return thin
