"""Every measure of a classifier computed from its confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page, Trace
from vaglio.document.notation import Notation
from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.messages.message import text

_NAMES = {
    "recall": text("recall (TPR)"),
    "tnr": text("specificity (TNR)"),
    "fpr": text("false positive rate (FPR)"),
    "fnr": text("false negative rate (FNR)"),
    "precision": text("precision"),
    "fdr": text("false discovery rate (FDR)"),
    "f1": "F1",
}


def trace_metrics(
    y_true: Any = None, y_pred: Any = None, *, matrix: Any = None, labels: Any = None, lang: str = "en"
) -> Trace:
    """Compute accuracy, precision, recall, F1, their averages, kappa and Matthews' coefficient from a confusion matrix.

    Parameters
    ----------
    y_true, y_pred : array-like, optional
        True and predicted classes.
    matrix : array-like of shape (K, K), optional
        The confusion matrix instead of the classes: rows are true, columns predicted.
    labels : sequence, optional
        Names of its classes; by default 1, 2, …
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    50 rows, 25 of them positive; 5 are predicted positive, all of them correctly:

    >>> from vaglio.tracing import trace_metrics
    >>> work = trace_metrics(matrix=[[25, 0], [20, 5]], labels=["N", "P"])
    >>> work.facts["classes"]["P"]["recall"], work.facts["classes"]["P"]["precision"]
    (0.2, 1.0)
    """
    counts, names = _matrix(y_true, y_pred, matrix, labels)
    page = Page(Notation(lang))
    _confusion(page, counts, names)
    for k, name in enumerate(names):
        _class(page, counts, k, name)
    _averages(page, counts, names)
    _agreement(page, counts)
    return page.finish(page.say("From the confusion matrix to the measures"))


def _matrix(y_true: Any, y_pred: Any, matrix: Any, labels: Any) -> tuple[np.ndarray, list[str]]:
    if matrix is not None:
        counts = np.asarray(matrix, dtype=float)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2 or (counts < 0).any():
            raise InputError(
                "confusion-matrix-not-square",
                "The confusion matrix must be a square of counts for at least two classes, as in [[25, 0], [20, 5]].",
            )
        names = [str(label) for label in labels] if labels is not None else [str(k + 1) for k in range(len(counts))]
        if len(names) != len(counts):
            raise InputError(
                "confusion-matrix-labels",
                "The confusion matrix has {n_classes:,} classes, but {n_labels:,} {n_labels:label was|labels were} "
                "given.",
                n_classes=len(counts),
                n_labels=len(names),
            )
        return counts, names
    if y_true is None or y_pred is None:
        raise InputError("no-confusion-matrix", "Give true and predicted classes, or a confusion matrix.")
    if any(value is None or value != value for column in (y_true, y_pred) for value in column):
        raise InputError("class-missing", "A true or predicted class is missing. Drop the row.")
    # A code may be an integer in one column and a float in the other.
    true, predicted = (np.array([spelling(value) for value in column], dtype=str) for column in (y_true, y_pred))
    if true.shape != predicted.shape or not len(true):
        raise InputError(
            "predictions-length",
            "There are {n_true:,} true and {n_predicted:,} predicted classes. Give one of each per row.",
            n_true=len(true),
            n_predicted=len(predicted),
        )
    names = np.unique(np.concatenate([true, predicted])).tolist()
    counts = np.zeros((len(names), len(names)))
    np.add.at(counts, (np.searchsorted(names, true), np.searchsorted(names, predicted)), 1)
    return counts, names


def _confusion(page: Page, counts: np.ndarray, names: list[str]) -> None:
    say, total, right = page.say, counts.sum(), float(np.trace(counts))
    page.section(say("Confusion matrix"))
    rows = [[name, *map(say.count, line), say.count(line.sum())] for name, line in zip(names, counts)]
    rows.append([say("sum"), *map(say.count, counts.sum(axis=0)), say.count(total)])
    page.table([say("true \\ predicted"), *names, say("sum")], rows)
    page.formula(f"{say('accuracy')} = {say.count(right)}/{say.count(total)} = {_percent(say, right, total)}")
    page.formula(
        f"{say('error rate')} = {say.count(total - right)}/{say.count(total)} = {_percent(say, total - right, total)}"
    )
    page.facts |= {"accuracy": right / total, "rows": float(total), "classes": {}}


def _percent(say: Notation, part: float, whole: float) -> str:
    return say.percent(part / whole, 2) if whole else "–"


def _class(page: Page, counts: np.ndarray, k: int, name: str) -> None:
    say = page.say
    tp, fn, fp = counts[k, k], counts[k].sum() - counts[k, k], counts[:, k].sum() - counts[k, k]
    tn = counts.sum() - tp - fn - fp
    page.section(say("{name} as the positive class", name=name), level=2)
    page.formula(f"TP = {say.count(tp)}, FN = {say.count(fn)}, FP = {say.count(fp)}, TN = {say.count(tn)}")
    parts = {
        "recall": (tp, fn),
        "tnr": (tn, fp),
        "fpr": (fp, tn),
        "fnr": (fn, tp),
        "precision": (tp, fp),
        "fdr": (fp, tp),
    }
    letters = {"recall": "TP FN", "tnr": "TN FP", "fpr": "FP TN", "fnr": "FN TP", "precision": "TP FP", "fdr": "FP TP"}
    facts: dict[str, float] = {}
    for measure, (top, other) in parts.items():
        a, b = letters[measure].split()
        whole = top + other
        worked = f"{say.count(top)}/({say.count(top)} + {say.count(other)})"
        page.formula(f"{say.text(_NAMES[measure])} = {a}/({a} + {b}) = {worked} = {_percent(say, top, whole)}")
        if not whole:
            page.text(say("Undefined: the denominator is zero."))
        facts[measure] = float(top / whole) if whole else float("nan")
    whole = 2 * tp + fp + fn
    facts["f1"] = float(2 * tp / whole) if whole else float("nan")
    p, r = facts["precision"], facts["recall"]
    if p + r > 0:
        page.formula(
            f"F1 = 2·P·R/(P + R) = 2·{say.fixed(p)}·{say.fixed(r)}/({say.fixed(p)} + {say.fixed(r)}) = "
            f"{say.fixed(facts['f1'])}"
        )
        page.text(
            say(
                "F1 is the harmonic mean of precision and recall. Their arithmetic mean, {mean}, hides that one of "
                "them is small.",
                mean=say.fixed((p + r) / 2),
            )
        )
    worked = f"2·{say.count(tp)}/(2·{say.count(tp)} + {say.count(fp)} + {say.count(fn)})"
    page.formula(f"F1 = 2·TP/(2·TP + FP + FN) = {worked} = {say.fixed(facts['f1'])}")
    page.facts["classes"][name] = facts


def _averages(page: Page, counts: np.ndarray, names: list[str]) -> None:
    say, classes = page.say, page.facts["classes"]
    page.section(say("Averages"))
    page.text(
        say(
            "macro: all classes count equally; weighted: each class counts by its number of rows; micro: all "
            "rows together, which equals the accuracy."
        )
    )
    size = counts.sum(axis=1)
    micro = float(np.trace(counts) / counts.sum())
    rows = []
    for measure in ("precision", "recall", "f1"):
        each = np.nan_to_num([classes[name][measure] for name in names])
        rows.append(
            [say.text(_NAMES[measure]), say.fixed(each.mean()), say.fixed(each @ size / size.sum()), say.fixed(micro)]
        )
    page.table([say("measure"), "macro", "weighted", "micro"], rows)


def _agreement(page: Page, counts: np.ndarray) -> None:
    say, n = page.say, counts.sum()
    observed = np.trace(counts) / n
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    expected = float(rows @ columns / n**2)
    page.section(say("Agreement beyond chance"))
    terms = " + ".join(f"{say.count(a)}·{say.count(b)}" for a, b in zip(rows, columns))
    page.formula(f"pₑ = ({terms})/{say.count(n)}² = {say.fixed(expected)}")
    kappa = (observed - expected) / (1 - expected) if expected < 1 else float("nan")
    o, e = say.fixed(observed), say.fixed(expected)
    page.formula(f"κ = (p₀ − pₑ)/(1 − pₑ) = ({o} − {e})/(1 − {e}) = {say.fixed(kappa)}")
    if len(counts) == 2:
        page.formula("κ = 2·(TP·TN − FN·FP)/((TP + FP)·(FP + TN) + (TP + FN)·(FN + TN))")
    spread = np.sqrt((n**2 - (columns**2).sum()) * (n**2 - (rows**2).sum()))
    matthews = (np.trace(counts) * n - rows @ columns) / spread if spread > 0 else 0.0
    if len(counts) == 2:
        page.formula("MCC = (TP·TN − FP·FN)/√((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))")
    page.formula(f"{say('Matthews')} = {say.fixed(float(matthews))}")
    page.facts |= {"kappa": float(kappa), "matthews": float(matthews)}
