"""An Evaluation as text, HTML and plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.messages.listing import bullet_html, cell_text, html_table, plain_data, text_table

if TYPE_CHECKING:
    from vaglio.evaluation.evaluation import Evaluation

# Nobody reads a matrix of more classes than this: the text shows the most frequent confusions instead.
_MAX_MATRIX = 15


def headline(evaluation: Evaluation) -> list[dict[str, Any]]:
    """The measures that come first."""
    rows: list[dict[str, Any]] = []

    def add(measure: str, value: float | None, low: float | None = None, high: float | None = None) -> None:
        if value is not None:
            rows.append({"measure": measure, "value": value, "low": low, "high": high})

    accuracy, error = evaluation.accuracy, evaluation.error
    add("accuracy", accuracy.value, accuracy.low, accuracy.high)
    add("error rate", error.value, error.low, error.high)
    add("Cohen's kappa", evaluation.kappa)
    add("Matthews coefficient", evaluation.matthews)
    if evaluation.scores is not None:
        if evaluation.binary:
            roc, precision = next(iter(evaluation.areas.values()))
            add("ROC area", roc.value, roc.low, roc.high)
            add("average precision", precision.value, precision.low, precision.high)
        elif len(evaluation.labels) > 2:
            add("ROC area (mean, one against the rest)", evaluation.roc_auc)
            add("average precision (mean)", evaluation.average_precision)
    add("Brier score", evaluation.brier)
    add("log loss", evaluation.log_loss)
    add("mean cost per row", evaluation.mean_cost)
    return rows


def matrix_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    matrix = evaluation.confusion
    names = [str(label) for label in evaluation.labels]
    return [
        {"true \\ predicted": name, **dict(zip(names, matrix[k].tolist(), strict=True))} for k, name in enumerate(names)
    ]


def _matrix(evaluation: Evaluation) -> tuple[str, list[dict[str, Any]]]:
    if len(evaluation.labels) <= _MAX_MATRIX:
        return "Confusion matrix (rows true, columns predicted)", matrix_rows(evaluation)
    return f"The most frequent confusions of {len(evaluation.labels)} classes", evaluation.worst_confusions()


def evaluation_text(evaluation: Evaluation) -> str:
    title, matrix = _matrix(evaluation)
    scores = [
        {**row, "value": cell_text(row["value"]), "low": cell_text(row["low"]), "high": cell_text(row["high"])}
        for row in headline(evaluation)
    ]
    parts = [
        f"Evaluation on {evaluation.n_rows} rows, {len(evaluation.labels)} classes"
        f" (intervals at {evaluation.confidence:.0%})",
        text_table(scores),
        f"{title}\n{text_table(matrix)}",
        text_table(evaluation.per_class()),
        text_table(evaluation.averages()),
        "\n".join(f"- {line}" for line in evaluation.advice),
    ]
    return "\n\n".join(part for part in parts if part)


def evaluation_html(evaluation: Evaluation) -> str:
    title, matrix = _matrix(evaluation)
    return "".join(
        (
            html_table(headline(evaluation), caption=f"Evaluation on {evaluation.n_rows} rows"),
            html_table(matrix, caption=title),
            html_table(evaluation.per_class(), caption="Per class"),
            html_table(evaluation.averages(), caption="Averages"),
            bullet_html(evaluation.advice),
        )
    )


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    data: dict[str, Any] = {
        "rows": evaluation.n_rows,
        "labels": list(evaluation.labels),
        "confidence": evaluation.confidence,
        "measures": headline(evaluation),
        "confusion": evaluation.confusion.tolist(),
        "per_class": evaluation.per_class(),
        "averages": evaluation.averages(),
        "advice": list(evaluation.advice),
    }
    if evaluation.scores is not None and len(evaluation.labels) > 1:
        data["areas"] = [
            {"class": label, "roc": roc.to_dict(), "average_precision": precision.to_dict()}
            for label, (roc, precision) in evaluation.areas.items()
        ]
    plain: dict[str, Any] = plain_data(data)
    return plain
