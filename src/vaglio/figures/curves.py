"""Curves: measures of impurity and means, thresholds, accuracy against a parameter, rankings step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.document.impurity import entropy
from vaglio.errors import InputError
from vaglio.evaluation import BiasVarianceCurve, EvaluationPlan, bias_variance, evaluate, evaluate_learner
from vaglio.evaluation.displays import (
    GainCurveDisplay,
    LearningCurveDisplay,
    LiftCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    ScoreDensityDisplay,
    ValidationCurveDisplay,
)
from vaglio.figures.planes import Subject
from vaglio.messages.figures import figure
from vaglio.messages.message import text
from vaglio.plot.evaluation import Curve, draw_curves, draw_reference
from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, axes_grid, panel_grid, quiet, translate_ticks
from vaglio.quality.profile import value_codes
from vaglio.table import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rows that are written beside the steps of a curve.
_MOST_WRITTEN = 40
# Ranges of predicted numbers.
_RANGES = 6
# Models behind each point of bias and variance.
_ROUNDS = 20


# -- formulas --------------------------------------------------------------------------------------------------------
def draw_impurity(subject: Subject) -> Any:
    """Draw entropy, Gini index and error of two classes, and the entropy of a flat and of a peaked distribution."""
    locale, p = subject.locale, np.linspace(0, 1, 201)
    figure, axes = panel_grid(3, size=(3.6, 3.2))
    two = np.column_stack([p, 1 - p])
    curves = [
        Curve(p, entropy(two), text("entropy")),
        Curve(p, 1 - (two**2).sum(axis=1), text("Gini index")),
        Curve(p, 1 - two.max(axis=1), text("error")),
    ]
    draw_curves(axes[0], curves, xlabel=text("share p of one class"), ylabel=text("impurity"), locale=locale)
    flat, peaked = np.full(8, 1 / 8), np.array([0.01, 0.02, 0.05, 0.12, 0.6, 0.12, 0.06, 0.02])
    for ax, shares, name in ((axes[1], flat, text("flat")), (axes[2], peaked, text("peaked"))):
        ax.bar(np.arange(1, 9), shares, color=PALETTE[0], alpha=0.8)
        ax.set(ylim=(0, 0.7), xlabel=locale.say("value"), ylabel=locale.say("probability"))
        ax.set_title(
            locale.say("{name}: H = {bits:.2f} bits", name=locale.text(name), bits=float(entropy(shares))), fontsize=10
        )
        quiet(ax, grid="y", locale=locale)
    return figure


def draw_means(subject: Subject) -> Any:
    """Draw the arithmetic and the harmonic mean of precision and recall over the square of both."""
    locale, p = subject.locale, np.linspace(0, 1, 201)
    total = p[None, :] + p[:, None]
    harmonic = np.divide(2 * p[None, :] * p[:, None], total, out=np.zeros_like(total), where=total > 0)
    figure, axes = axes_grid(1, 2, (8.4, 3.9))
    titles = (text("Arithmetic mean (P + R)/2"), text("Harmonic mean 2PR/(P + R) = F1"))
    for ax, mean, title in zip(axes[0], (total / 2, harmonic), titles):
        image = ax.pcolormesh(p, p, mean, cmap="viridis", vmin=0, vmax=1, rasterized=True)
        lines = ax.contour(p, p, mean, levels=np.arange(0.1, 1, 0.1), colors="white", linewidths=0.8)
        ax.clabel(lines, fontsize=7, fmt=lambda value: locale.number(value, ".1f"))
        ax.set(xlabel=locale.say("precision"), ylabel=locale.say("recall"), aspect="equal")
        ax.set_title(locale.text(title), fontsize=10)
        quiet(ax, grid=None, locale=locale)
    bar = figure.colorbar(image, ax=axes[0].tolist(), shrink=0.8, label=locale.say("mean"))
    translate_ticks(bar.ax, locale)
    return figure


def draw_threshold(subject: Subject) -> Any:
    """Draw two normal densities of a score, a threshold between them, and what it gets right and wrong."""
    from scipy.stats import norm

    from vaglio.tracing import trace_densities

    locale = subject.locale
    given = {"mean": (0.0, 2.0), "sd": (1.0, 1.0), "prior": ("1/2", "1/2"), "threshold": None, **subject.options}
    facts = trace_densities(**given).facts
    means, deviations = ([float(v) for v in given[name]] for name in ("mean", "sd"))
    x = np.linspace(min(means) - 3.5 * max(deviations), max(means) + 3.5 * max(deviations), 601)
    ax, at = axes_for(None, size=(6.4, 3.8)), facts["threshold"]
    for k, name in enumerate((text("negative"), text("positive"))):
        density = norm.pdf(x, means[k], deviations[k])
        ax.plot(x, density, color=PALETTE[k], linewidth=1.8, label=locale.text(name))
        wrong = x > at if k == 0 else x <= at
        ax.fill_between(x, density, where=wrong, color=PALETTE[k], alpha=0.3, linewidth=0)
    ax.axvline(at, color=INK, linewidth=1.2)
    said = locale.say(
        "threshold {at:.3g}: TPR {tpr:.1%}, FPR {fpr:.1%}, error {error:.1%}",
        **{"at": at, **{name: facts[name] for name in ("tpr", "fpr", "error")}},
    )
    ax.set_title(said, fontsize=10)
    ax.set(xlabel=locale.say("score"), ylabel=locale.say("density"), ylim=(0, None))
    ax.legend(frameon=False, fontsize=9)
    quiet(ax, grid="y", locale=locale)
    return ax.figure


# -- a parameter -----------------------------------------------------------------------------------------------------
def draw_parameter(subject: Subject) -> Any:
    """Draw training and validation accuracy against a parameter, by default the K of the nearest neighbours."""
    learner = subject.learner()
    folds = _folds(subject, 5)
    most = max(2, len(subject.y) * (folds - 1) // folds)
    default = [k for k in (1, 3, 5, 7, 9, 11, 15, 21, 31, 51, 75, 101) if k <= most]
    name, values = _one_parameter(subject, "n_neighbors", default)
    display = ValidationCurveDisplay.from_estimator(
        learner, subject.X, subject.y, param_name=name, param_range=values, cv=folds, ax=axes_for(None)
    )
    figure = display.figure_
    display.ax_.clear()
    display.plot(display.ax_, lang=subject.locale)
    return figure


def draw_learning(subject: Subject) -> Any:
    """Draw training and validation accuracy, or R², against the number of training rows."""
    display = LearningCurveDisplay.from_estimator(
        subject.set_learner(), subject.X, subject.y, cv=_folds(subject, 5), ax=axes_for(None)
    )
    figure = display.figure_
    display.ax_.clear()
    display.plot(display.ax_, lang=subject.locale)
    return figure


def _folds(subject: Subject, most: int) -> int:
    """Return so many folds, or as many as the smallest class has rows."""
    if subject.task == "regression":
        return max(2, min(most, len(subject.y) // 2))
    return max(2, min(most, int(np.unique(subject.y.astype(str), return_counts=True)[1].min())))


# -- numbers ---------------------------------------------------------------------------------------------------------
def draw_predicted(subject: Subject) -> Any:
    """Draw the true numbers against those predicted for rows outside of the training."""
    return PredictionErrorDisplay.from_evaluation(
        _evaluated(subject), kind="actual_vs_predicted", ax=axes_for(None), lang=subject.locale
    ).figure_


def draw_residuals(subject: Subject) -> Any:
    """Draw the residuals against the predicted numbers."""
    return PredictionErrorDisplay.from_evaluation(_evaluated(subject), ax=axes_for(None), lang=subject.locale).figure_


def draw_errors(subject: Subject) -> Any:
    """Draw RMSE and mean error by range of the predicted number, which is what a user of a prediction knows."""
    locale, evaluation = subject.locale, _evaluated(subject)
    predicted, residuals = evaluation.predicted, evaluation.residuals
    codes = value_codes(Column.numeric("predicted", predicted), _RANGES)
    groups = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    rmse = [float(np.sqrt(np.mean(residuals[rows] ** 2))) for rows in groups]
    bias = [-float(np.mean(residuals[rows])) for rows in groups]
    ax, at = axes_for(None, size=(6.4, 4.2)), np.arange(len(groups))
    ax.bar(at, rmse, color=PALETTE[0], alpha=0.8, label=locale.say("RMSE"))
    ax.plot(at, bias, "o", color=PALETTE[1], label=locale.say("mean error (predicted minus true)"))
    draw_reference(ax, (-0.5, len(groups) - 0.5), (0.0, 0.0), text("no error"), locale=locale)
    quiet(ax, grid="y", locale=locale)
    ends = [locale.text(figure(float(predicted[rows].max()))) for rows in groups]
    ax.set_xticks(at, [locale.say("up to {number}", number=end) for end in ends], rotation=30, ha="right")
    ax.set(xlabel=locale.say("Predicted number"), ylabel=locale.say("Error"))
    ax.legend(frameon=False, fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return ax.figure


def draw_bias_variance(subject: Subject) -> Any:
    """Draw error, bias², variance and noise against a parameter, by default the depth of a tree."""
    name, values = _one_parameter(subject, "max_depth", [1, 2, 3, 4, 6, 8, 12])
    found = bias_variance(
        subject.learner(),
        subject.X,
        subject.y,
        n_rounds=_ROUNDS,
        param_name=name,
        param_range=values,
        random_state=subject.seed,
    )
    assert isinstance(found, BiasVarianceCurve)
    return found.plot(axes_for(None, size=(6.4, 4.2)), lang=subject.locale).figure


def _one_parameter(subject: Subject, name: str, values: list[Any]) -> tuple[str, list[Any]]:
    """Return the parameter that was set, with its values; by default this one."""
    if len(subject.settings) > 1:
        raise InputError("one-parameter", "This figure shows one parameter. Set one, with several values.")
    name, values = next(iter(subject.settings.items()), (name, values))
    if len(values) < 2:
        raise InputError("parameter-needs-values", "Give the parameter {name!r} at least two values.", name=name)
    return name, values


# -- rankings --------------------------------------------------------------------------------------------------------
def draw_roc(subject: Subject) -> Any:
    """Draw the ROC curve, with the rows that make each step."""
    return _ranking(subject, RocCurveDisplay)


def draw_precision_recall(subject: Subject) -> Any:
    """Draw precision against recall, with the rows that make each step."""
    return _ranking(subject, PrecisionRecallDisplay)


def draw_gains(subject: Subject) -> Any:
    """Draw the share, or the number, of the positives found, with the rows that make each step."""
    return _ranking(subject, GainCurveDisplay, counts=subject.options.get("counts", False))


def draw_lift(subject: Subject) -> Any:
    """Draw the lift, with the rows that make each step."""
    return _ranking(subject, LiftCurveDisplay)


def draw_scores(subject: Subject) -> Any:
    """Draw how the scores of each class are distributed, and the threshold."""
    ax = axes_for(None, size=(6.4, 3.8))
    threshold = subject.options.get("threshold")
    return ScoreDensityDisplay.from_evaluation(
        _evaluated(subject), threshold=threshold, ax=ax, lang=subject.locale
    ).figure_


def _evaluated(subject: Subject) -> Any:
    """Evaluate a model on these rows, a learner by cross-validation."""
    positive = subject.options.get("positive")
    if subject.is_fitted:
        return evaluate(subject.whole_model(), subject.X, subject.y, pos_label=positive)
    plan = EvaluationPlan(folds=_folds(subject, 10), seed=subject.seed)
    return evaluate_learner(subject.set_learner(), subject.X, subject.y, plan, pos_label=positive)


def _ranking(subject: Subject, display: Any, **how: Any) -> Any:
    """Draw one of the curves of a ranking."""
    evaluation = _evaluated(subject)
    ax = axes_for(None, size=(5.6, 5.0))
    shown = display.from_evaluation(evaluation, ax=ax, lang=subject.locale, **how)
    if len(shown.line_) == 1 and len(subject.y) <= _MOST_WRITTEN:
        truth, score = (np.asarray(values) for values in evaluation.one_class())
        _write_rows(ax, shown.line_[0].get_xydata(), score, truth.astype(bool), subject)
    return ax.figure


def _write_rows(ax: Axes, points: Any, score: np.ndarray, truth: np.ndarray, subject: Subject) -> None:
    """Write the numbers of the rows at the point that each threshold reaches; positives in colour."""
    from matplotlib.patheffects import withStroke

    # Rows with the same score make one step; before the first point of a curve no row is taken.
    steps = [np.flatnonzero(score == value) for value in np.unique(score)[::-1]]
    points = np.asarray(points)[1:]
    if len(points) != len(steps):
        return
    for (x, y), rows in zip(points, steps, strict=True):
        colour = PALETTE[0] if truth[rows].all() else PALETTE[1] if not truth[rows].any() else INK
        ax.plot([x], [y], "o", color=colour, markersize=3.5, zorder=4, clip_on=False)
        ax.annotate(
            ", ".join(str(i + 1) for i in rows),
            (x, y),
            xytext=(4, -9),
            textcoords="offset points",
            fontsize=6.5,
            color=colour,
            zorder=5,
            path_effects=[withStroke(linewidth=2, foreground="white")],  # readable where the curve runs through it
        )
    for name, colour in ((text("positive row"), PALETTE[0]), (text("negative row"), PALETTE[1])):
        ax.plot([], [], "o", color=colour, markersize=3.5, label=subject.locale.text(name))
    ax.legend(frameon=False, fontsize=8, labelcolor=INK)
    ax.set_title(subject.locale.say("The rows that each step adds"), fontsize=9, color=MUTED)
