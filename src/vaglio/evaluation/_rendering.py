"""An Evaluation as text, HTML and plain data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from vaglio.evaluation.alarms import alarms_html
from vaglio.messages.listing import bullet_html, cell_text, html_table, plain_data, text_table
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text

if TYPE_CHECKING:
    from vaglio.evaluation._evaluated_rows import EvaluatedRows
    from vaglio.evaluation.evaluation import Evaluation

# Nobody reads a matrix of more classes than this: the text shows the most frequent confusions instead.
_MAX_MATRIX = 15
# Nor the figures of more folds than this: the text shows their mean and spread.
MAX_FOLDS = 30


def headline(evaluation: Evaluation) -> list[dict[str, Any]]:
    """The measures that come first."""
    several = len(evaluation.labels) > 2
    money = {"cost": text("mean cost per row")} if evaluation.cost is not None else {}
    measures = money | {
        "accuracy": text("accuracy"),
        "error": text("error rate"),
        "kappa": text("Cohen's kappa"),
        "matthews": text("Matthews coefficient"),
        "roc_auc": text("ROC area (mean, one against the rest)") if several else text("ROC area"),
        "average_precision": text("average precision (mean)") if several else text("average precision"),
        "brier": text("Brier score"),
        "log_loss": text("log loss"),
    }
    found = ((heading, evaluation.estimate(name)) for name, heading in measures.items())
    return [
        {
            text("measure"): heading,
            text("value"): each.value,
            text("low"): _end(each.low),
            text("high"): _end(each.high),
        }
        for heading, each in found
        if each is not None
    ]


def _end(value: float) -> float | None:
    return value if math.isfinite(value) else None


def matrix_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    matrix = evaluation.confusion
    names = [str(label) for label in evaluation.labels]
    return [
        {text("true \\ predicted"): name, **dict(zip(names, matrix[k].tolist(), strict=True))}
        for k, name in enumerate(names)
    ]


def _matrix(evaluation: Evaluation) -> tuple[Message, list[dict[str, Any]]]:
    if len(evaluation.labels) <= _MAX_MATRIX:
        return text("Confusion matrix (rows true, columns predicted)"), matrix_rows(evaluation)
    title = text("Most frequent confusions of {n:,} classes", n=len(evaluation.labels))
    return title, evaluation.worst_confusions()


def fold_tables(evaluation: EvaluatedRows, locale: Locale) -> list[str]:
    folds, spread = evaluation.per_fold(), evaluation.spread()
    shown = [] if len(folds) > MAX_FOLDS else [text_table(folds, locale=locale)]
    return [*shown, text_table(spread, locale=locale)] if spread else []


def evaluation_text(evaluation: Evaluation, locale: Locale) -> str:
    title, matrix = _matrix(evaluation)
    # As text, so that numbers of different length stand on the left.
    scores = [
        {name: value if name == "measure" else cell_text(value, locale=locale) for name, value in row.items()}
        for row in headline(evaluation)
    ]
    parts = [
        *(locale.text(alarm.in_words()) for alarm in evaluation.alarms),
        locale.say(
            "Evaluation on {rows:,} {rows:row|rows}, {classes:,} {classes:class|classes} (intervals at "
            "{confidence:.0%})",
            rows=evaluation.n_rows,
            classes=len(evaluation.labels),
            confidence=evaluation.confidence,
        ),
        "" if evaluation.savings is None else locale.text(evaluation.savings.in_words()),
        text_table(scores, locale=locale),
        locale.text(evaluation.meaning),
        *fold_tables(evaluation, locale),
        f"{locale.text(title)}\n{text_table(matrix, locale=locale)}",
        text_table(evaluation.per_class(), locale=locale),
        text_table(evaluation.averages(), locale=locale),
        "\n".join(f"- {locale.text(line)}" for line in evaluation.advice),
    ]
    return "\n\n".join(part for part in parts if part)


def evaluation_html(evaluation: Evaluation, locale: Locale) -> str:
    title, matrix = _matrix(evaluation)
    head = text("Evaluation on {n:,} {n:row|rows}", n=evaluation.n_rows)
    return "".join(
        (
            alarms_html(evaluation.alarms, locale=locale),
            "" if evaluation.savings is None else bullet_html([evaluation.savings.in_words()], locale=locale),
            html_table(headline(evaluation), caption=head, locale=locale),
            bullet_html([evaluation.meaning], locale=locale),
            html_table(evaluation.per_fold()[:MAX_FOLDS], caption=text("Per fold"), locale=locale),
            html_table(evaluation.spread(), caption=text("Over the folds"), locale=locale),
            html_table(matrix, caption=title, locale=locale),
            html_table(evaluation.per_class(), caption=text("Per class"), locale=locale),
            html_table(evaluation.averages(), caption=text("Averages"), locale=locale),
            bullet_html(evaluation.advice, locale=locale),
        )
    )


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    overlap = {} if evaluation.overlap is None else {"overlap": evaluation.overlap.to_dict()}
    data: dict[str, Any] = {
        "alarms": [alarm.to_dict() for alarm in evaluation.alarms],
        **overlap,
        "rows": evaluation.n_rows,
        "labels": list(evaluation.labels),
        "confidence": evaluation.confidence,
        "about": evaluation.about,
        "measures": headline(evaluation),
        "confusion": evaluation.confusion.tolist(),
        "per_class": evaluation.per_class(),
        "averages": evaluation.averages(),
        "advice": [line.as_data() for line in evaluation.advice],
    }
    if evaluation.savings is not None:
        data["savings"] = evaluation.savings.to_dict()
    if evaluation.folds is not None:
        data |= {"folds": evaluation.per_fold(), "spread": evaluation.spread()}
    if evaluation.scores is not None and len(evaluation.labels) > 1:
        data["areas"] = [
            {"class": label, "roc": roc.to_dict(), "average_precision": precision.to_dict()}
            for label, (roc, precision) in evaluation.areas.items()
        ]
    plain: dict[str, Any] = plain_data(data)
    return plain
