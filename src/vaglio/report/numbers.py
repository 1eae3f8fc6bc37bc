"""Chapter 3 for numbers: how far predictions are off, where, and for whom."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from vaglio.evaluation import Estimate, RegressionEvaluation
from vaglio.messages.figures import count, figure, percent, rate
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.quality.association import NumberScore, rank_correlation, score_of_numbers
from vaglio.quality.profile import sample_rows, value_codes
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import evaluated_rows
from vaglio.report.performance import ends_text, judged_rows, shared_parts
from vaglio.study import Study
from vaglio.table import Column

__all__ = ["numbers_chapter", "numbers_headline", "numbers_sentences", "predicted_against_true"]

# Dots of a picture: more cover each other. Four pictures of 600 dots have 120 kB.
_MOST_DOTS = 600
# Groups of rows of about equal size by the predicted number, and bins of a column of numbers.
_RANGES = 5
# Columns whose groups are told, columns drawn, and groups of one column.
_COLUMNS, _DRAWN, _GROUPS = 6, 2, 6
# A column is named where it explains this share of the variance of the errors, or of their size.
_LEAST_EXPLAINED = 0.02
# With fewer rows the mean error of a group says nothing.
_FEWEST_ROWS = 5
# Figures that are shares and need no unit.
_SHARES = ("r2", "explained_variance", "mape")
_MEANINGS = {
    "rmse": (text("RMSE"), text("root of the mean squared error, in the unit of the target; large errors weigh most")),
    "mae": (text("MAE"), text("mean absolute error, in the unit of the target")),
    "median_ae": (text("median absolute error"), text("half of the errors are smaller")),
    "r2": (
        text("R²"),
        text("share of the variance of the target that is explained: 1 is best, 0 is no better than the mean"),
    ),
    "explained_variance": (text("explained variance"), text("the same without the mean error")),
    "mape": (text("MAPE"), text("mean absolute error as a share of the true number")),
    "bias": (
        text("bias (mean error)"),
        text("predicted minus true number on average: above 0, predictions are too high"),
    ),
    "cost": (text("mean cost per row"), text("by the costs of a unit of error that you gave")),
}


def numbers_chapter(study: Study, evaluation: RegressionEvaluation, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data.

    Parameters
    ----------
    study : Study
    evaluation : RegressionEvaluation
    limits : Limits
    """
    inputs = evaluated_rows(study).inputs()
    scored = _by_errors(study, evaluation, inputs)
    return {
        **shared_parts(study, evaluation),
        "lead": numbers_sentences(study, evaluation),
        "headline": numbers_headline(study, evaluation),
        "figures": _figures(evaluation),
        "cost": _cost(evaluation),
        "curves": {"why_none": text("Numbers have no threshold.")},
        "numbers": {
            "dots": _dots(study, evaluation),
            "ranges": _ranges(evaluation),
            "drawn": [_against(study, evaluation, column) for column, _ in scored if column.kind == "numeric"][:_DRAWN],
            "groups": [_groups(evaluation, column, score) for column, score in scored],
        },
    }


def numbers_sentences(study: Study, evaluation: RegressionEvaluation) -> list[str]:
    """How far the predictions are off, compared with always predicting the mean, in sentences.

    Parameters
    ----------
    study : Study
    evaluation : RegressionEvaluation
    """
    rmse = evaluation.estimate("rmse")
    assert rmse is not None
    told = {
        "learner": clip(study.selection.best.learner, 40),
        "n": evaluation.n_rows,
        "rmse": figure(rmse.value),
        "median": figure(evaluation.median_ae),
        "confidence": evaluation.confidence,
        "interval": ends_text(rmse, figure) or text("not known"),
    }
    said: list[str] = [] if evaluation.overlap is None else [evaluation.overlap.in_words()]
    if study.selection.outer:
        said.append(
            text(
                "Models chosen and trained in this way predict {n:,} {n:row|rows} with a root mean squared error of "
                "{rmse} ({confidence:.0%} interval {interval}); half of the errors are below {median}. Each row was "
                "predicted by a model that was not trained on it. The model shown here, {learner}, was trained on all "
                "rows.",
                **told,
            )
        )
    elif study.selection.strategy.name == "zero":
        said.append(
            text(
                "The chosen model, {learner}, predicts {n:,} training {n:row|rows} with a root mean squared error of "
                "{rmse}; half of the errors are below {median}.",
                **told,
            )
        )
    else:
        said.append(
            text(
                "The chosen model, {learner}, predicts {n:,} test {n:row|rows} with a root mean squared error of "
                "{rmse} ({confidence:.0%} interval {interval}); half of the errors are below {median}.",
                **told,
            )
        )
    said.append(_against_mean(evaluation))
    if evaluation.cost is not None and evaluation.mean_cost is not None:
        said.append(text("The errors cost {cost} per row on average.", cost=figure(evaluation.mean_cost)))
    return said


def _against_mean(evaluation: RegressionEvaluation) -> str:
    found = evaluation.estimate("r2")
    told = {"rmse": figure(evaluation.of_mean.rmse)}
    if found is None:
        return text("The target does not vary in these rows, so there is nothing to compare with.")
    told["share"] = percent(found.value, evaluation.n_rows)
    if found.low > 0:
        return text(
            "Always predicting the mean has an error of {rmse}: the model explains {share} of the variance and is "
            "better than this baseline.",
            **told,
        )
    if found.high < 0:
        return text("Always predicting the mean has an error of {rmse}: the model is worse than this baseline.", **told)
    return text(
        "Always predicting the mean has an error of {rmse}. The interval of R² includes 0: the model is not "
        "significantly better than this baseline.",
        **told,
    )


def numbers_headline(study: Study, evaluation: RegressionEvaluation) -> dict[str, Any]:
    """The error and that of the mean, for the head of the page.

    Parameters
    ----------
    study : Study
    evaluation : RegressionEvaluation
    """
    rmse = evaluation.estimate("rmse")
    assert rmse is not None
    r2 = evaluation.r2
    return {
        "value": rmse.value,
        "text": figure(rmse.value),
        "interval": ends_text(rmse, figure) or text("not known"),
        "baseline_text": figure(evaluation.of_mean.rmse),
        "r2": "" if r2 is None else rate(r2),
        "confidence": evaluation.confidence,
        "rows": judged_rows(study, evaluation),
    }


def _figures(evaluation: RegressionEvaluation) -> list[dict[str, str]]:
    found = [(name, evaluation.estimate(name)) for name in _MEANINGS]
    return [_figure(name, each, evaluation.n_rows) for name, each in found if each is not None]


def _figure(name: str, each: Estimate, rows: int) -> dict[str, str]:
    written = partial(percent, rows=rows) if name == "mape" else rate if name in _SHARES else figure
    title, meaning = _MEANINGS[name]
    return {"name": title, "value": written(each.value), "interval": ends_text(each, written), "meaning": meaning}


def _cost(evaluation: RegressionEvaluation) -> dict[str, Any] | None:
    if evaluation.cost is None or evaluation.mean_cost is None:
        return None
    constants = {text("the mean"): evaluation.of_mean.mean_cost, text("the median"): evaluation.of_median.mean_cost}
    name, cost = min(constants.items(), key=lambda pair: float(pair[1] or 0.0))
    return {"mean": figure(evaluation.mean_cost), "constant_cost": figure(cost), "constant": name}


def _dots(study: Study, evaluation: RegressionEvaluation) -> dict[str, Any]:
    """True and predicted numbers of some rows, the largest errors among them."""
    places = _drawn(evaluation, study.seed)
    return {
        "predicted": _rounded(evaluation.predicted[places]),
        "residuals": _rounded(evaluation.residuals[places]),
        "picture": predicted_against_true(evaluation, str(study.target), study.seed),
        "shown": len(places),
        "total": evaluation.n_rows,
        "target": clip(study.target, 40),
    }


def predicted_against_true(evaluation: RegressionEvaluation, target: str, seed: int) -> dict[str, Any]:
    """Return what ``dots_picture`` draws: a dot for some rows, the largest errors among them.

    Parameters
    ----------
    evaluation : RegressionEvaluation
    target : str
    seed : int
        Of the sample.
    """
    places = _drawn(evaluation, seed)
    return {
        "x": _rounded(evaluation.true[places]),
        "y": _rounded(evaluation.predicted[places]),
        "line": "equal",
        "xlabel": text("true {target}", target=clip(target, 40)),
        "ylabel": text("predicted"),
        "dates": False,
    }


def _drawn(evaluation: RegressionEvaluation, seed: int) -> np.ndarray:
    """Places of the rows that are drawn: of many a sample, and the largest errors, which a sample would lose."""
    order = np.argsort(-np.abs(evaluation.residuals), kind="stable")
    worst = order[: _MOST_DOTS // 10]
    sampled = sample_rows(np.arange(evaluation.n_rows), _MOST_DOTS - len(worst), seed)
    return np.union1d(worst, sampled)


def _rounded(values: np.ndarray) -> list[float]:
    """Five digits, more than a pixel shows."""
    return [float(f"{value:.5g}") for value in values.tolist()]


def _ranges(evaluation: RegressionEvaluation) -> list[dict[str, Any]]:
    """Errors by the range of the predicted number: what a user of a prediction knows."""
    predicted = evaluation.predicted
    codes = value_codes(Column.numeric("predicted", predicted), _RANGES)
    return [
        _group(evaluation, codes == code, _between(predicted[codes == code]))
        for code in range(int(codes.max()) + 1)
        if np.any(codes == code)
    ]


def _between(values: np.ndarray) -> str:
    low, high = float(values.min()), float(values.max())
    return figure(low) if low == high else text("{low} to {high}", low=figure(low), high=figure(high))


def _group(evaluation: RegressionEvaluation, at: np.ndarray, label: Any) -> dict[str, Any]:
    residuals = evaluation.residuals[at]
    return {
        "label": label,
        "rows": count(int(at.sum())),
        "true": figure(float(evaluation.true[at].mean())),
        "predicted": figure(float(evaluation.predicted[at].mean())),
        "bias": figure(-float(residuals.mean())),
        "mae": figure(float(np.abs(residuals).mean())),
        "rmse": figure(float(np.sqrt(np.mean(np.square(residuals))))),
        "size": float(np.sqrt(np.mean(np.square(residuals)))),
    }


def _by_errors(study: Study, evaluation: RegressionEvaluation, inputs: Any) -> list[tuple[Column, NumberScore]]:
    """The columns by what they tell about the errors or their size, the most telling first."""
    residuals = evaluation.residuals
    found = []
    known = {score.attribute for score in study.audit.ranking}
    for name in (name for name in inputs.columns if name in known):
        column = inputs.column(name)
        if column.kind == "text":
            continue
        scores = [score_of_numbers(column, values) for values in (residuals, np.abs(residuals))]
        best = max(scores, key=lambda score: score.explained)
        if best.explained >= _LEAST_EXPLAINED:
            found.append((column, best))
    return sorted(found, key=lambda pair: (-pair[1].explained, pair[0].name))[:_COLUMNS]


def _against(study: Study, evaluation: RegressionEvaluation, column: Column) -> dict[str, Any]:
    """Residuals of some rows against a column of numbers."""
    places = _drawn(evaluation, study.seed)
    places = places[~column.missing[places]]
    same = rank_correlation(column.take(places), evaluation.residuals[places])
    return {
        "name": clip(column.name, 40),
        "dates": column.is_date,
        "x": _rounded(column.data[places]),
        "residuals": _rounded(evaluation.residuals[places]),
        "rank_correlation": "" if same is None else figure(same, 2),
    }


def _groups(evaluation: RegressionEvaluation, column: Column, score: NumberScore) -> dict[str, Any]:
    """Errors in the groups of a column, the largest first."""
    codes = value_codes(column, _RANGES)
    rows = []
    for code in np.unique(codes).tolist():
        at = codes == code
        if at.sum() < _FEWEST_ROWS:
            continue
        label = text("missing") if code < 0 else _label(column, code, at)
        rows.append(_group(evaluation, at, label))
    worst = sorted(rows, key=lambda row: -row["size"])[:_GROUPS]
    return {
        "name": clip(column.name, 40),
        "explained": percent(score.explained, evaluation.n_rows),
        "rows": worst,
        "more": len(rows) - len(worst),
    }


def _label(column: Column, code: int, at: np.ndarray) -> Any:
    return clip(column.categories[code], 30) if column.kind == "nominal" else _between(column.data[at])
