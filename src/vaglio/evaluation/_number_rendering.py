"""A RegressionEvaluation as text, HTML and plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.evaluation._rendering import MAX_FOLDS, fold_tables
from vaglio.evaluation.alarms import alarms_html
from vaglio.messages.figures import figure
from vaglio.messages.listing import bullet_html, cell_text, html_table, plain_data, text_table
from vaglio.messages.locale import Locale
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.evaluation.regression_evaluation import RegressionEvaluation

_HEADINGS = {
    "rmse": text("RMSE"),
    "mae": text("MAE"),
    "median_ae": text("median absolute error"),
    "r2": text("R²"),
    "explained_variance": text("explained variance"),
    "mape": text("MAPE"),
    "bias": text("bias (mean error)"),
    "cost": text("mean cost per row"),
}
# Shares, which need no unit; the others have that of the target, or of the costs.
_SHARES = ("r2", "explained_variance", "mape")
# Digits of a figure in units.
_DIGITS = 5


def headline(evaluation: RegressionEvaluation) -> list[dict[str, Any]]:
    """The measures, with their intervals."""
    found = ((name, evaluation.estimate(name)) for name in _HEADINGS)
    least = 1e-9 * evaluation.rmse
    return [
        {
            text("measure"): _HEADINGS[name],
            # Least squares leave no bias but that of rounding.
            text("value"): 0.0 if name == "bias" and abs(each.value) < least else each.value,
            text("low"): each.low if math.isfinite(each.low) else None,
            text("high"): each.high if math.isfinite(each.high) else None,
        }
        for name, each in found
        if each is not None
    ]


def _shown(rows: Sequence[Mapping[str, Any]], locale: Locale) -> list[dict[str, str]]:
    """Rows of measures with as many digits as a unit needs."""
    shares = {str(_HEADINGS[name]) for name in _SHARES}

    def cell(row: Mapping[str, Any], value: Any) -> str:
        in_units = isinstance(value, float) and str(row["measure"]) not in shares
        return locale.text(figure(value, _DIGITS)) if in_units else cell_text(value, locale=locale)

    return [{name: value if name == "measure" else cell(row, value) for name, value in row.items()} for row in rows]


def evaluation_text(evaluation: RegressionEvaluation, locale: Locale) -> str:
    parts = [
        *(locale.text(alarm.in_words()) for alarm in evaluation.alarms),
        locale.say(
            "Evaluation on {rows:,} {rows:row|rows}, predicted numbers (intervals at {confidence:.0%})",
            rows=evaluation.n_rows,
            confidence=evaluation.confidence,
        ),
        text_table(_shown(headline(evaluation), locale), locale=locale),
        locale.text(evaluation.meaning),
        text_table(evaluation.baselines(), locale=locale),
        *fold_tables(evaluation, locale),
        "\n".join(f"- {locale.text(line)}" for line in evaluation.advice),
    ]
    return "\n\n".join(part for part in parts if part)


def evaluation_html(evaluation: RegressionEvaluation, locale: Locale) -> str:
    head = text("Evaluation on {n:,} {n:row|rows}", n=evaluation.n_rows)
    return "".join(
        (
            alarms_html(evaluation.alarms, locale=locale),
            html_table(_shown(headline(evaluation), locale), caption=head, locale=locale),
            bullet_html([evaluation.meaning], locale=locale),
            html_table(evaluation.baselines(), caption=text("Beside a constant prediction"), locale=locale),
            html_table(evaluation.per_fold()[:MAX_FOLDS], caption=text("Per fold"), locale=locale),
            html_table(evaluation.spread(), caption=text("Over the folds"), locale=locale),
            bullet_html(evaluation.advice, locale=locale),
        )
    )


def evaluation_dict(evaluation: RegressionEvaluation) -> dict[str, Any]:
    overlap = {} if evaluation.overlap is None else {"overlap": evaluation.overlap.to_dict()}
    data: dict[str, Any] = {
        "alarms": [alarm.to_dict() for alarm in evaluation.alarms],
        **overlap,
        "task": evaluation.task,
        "rows": evaluation.n_rows,
        "confidence": evaluation.confidence,
        "about": evaluation.about,
        "measures": headline(evaluation),
        "baselines": evaluation.baselines(),
        "advice": [line.as_data() for line in evaluation.advice],
    }
    if evaluation.cost is not None:
        data["cost"] = {"over": evaluation.cost.over, "under": evaluation.cost.under}
    if evaluation.folds is not None:
        data |= {"folds": evaluation.per_fold(), "spread": evaluation.spread()}
    plain: dict[str, Any] = plain_data(data)
    return plain
