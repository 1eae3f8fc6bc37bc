"""Chapter 1: the table, what was found in it, its columns and its classes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np

from vaglio.evaluation.labels import encode_labels
from vaglio.messages.figures import figure, percent
from vaglio.messages.message import Message, join, text
from vaglio.messages.sentences import clip, listed
from vaglio.plot.style import PALETTE
from vaglio.quality import Audit
from vaglio.quality.checks.context import SEVERITIES, SEVERITY_WORDS, severity_count
from vaglio.quality.exploration import target_groups
from vaglio.quality.profile import Profile, sample_rows
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.table import Column

__all__ = ["ROLES", "class_codes", "column_summary", "data_chapter", "value_text"]

# A histogram is 240 pixels wide: bins of ten pixels each.
_BINS = 24
# Categories with a bar of their own; more would make the card taller than its neighbours.
_MOST_BARS = 6
# Pictures of columns are counted on so many rows, more than a pixel can show; facts always on all rows.
_MOST_ROWS = 200_000
_LEVELS = {
    "nominal": text("nominal"),
    "ordinal": text("ordinal"),
    "interval": text("interval"),
    "ratio": text("ratio"),
}
_ASYMMETRIC = {
    "nominal": text("nominal, asymmetric"),
    "ordinal": text("ordinal, asymmetric"),
    "interval": text("interval, asymmetric"),
    "ratio": text("ratio, asymmetric"),
}
# Columns that are no inputs, as a reader meets them.
ROLES = {
    "identifier": text("identifier"),
    "ignored": text("ignored"),
    "weight": text("weight"),
    "group": text("group"),
}


def column_summary(
    column: Column, profile: Profile, rows: np.ndarray, codes: np.ndarray, n_classes: int
) -> dict[str, Any]:
    """Facts and counts of a column.

    Parameters
    ----------
    column : Column
    profile : Profile
        What the audit measured about the column.
    rows : ndarray
        Positions of the rows that are counted for the picture.
    codes : ndarray
        Their classes, -1 where the class is missing; all 0 when the picture does not separate the classes.
    n_classes : int
    """
    summary: dict[str, Any] = {
        "name": clip(column.name, 48),
        "kind": text("date") if column.is_date else text("free text") if column.kind == "text" else _level(column),
        "missing": percent(profile.n_missing / profile.n, profile.n) if profile.n_missing else "",
        "facts": _facts(column, profile),
        "statistics": [],
        "histogram": None,
        "bars": None,
    }
    if not profile.n_present or column.kind == "text":
        return summary
    if column.kind == "nominal":
        return summary | {"bars": _bars(column, rows, codes, n_classes)}
    return summary | {"histogram": _histogram(column, profile, rows, codes, n_classes)}


def _level(column: Column) -> str:
    words = _ASYMMETRIC if column.asymmetric else _LEVELS
    return words.get(column.level, column.level)


def _facts(column: Column, profile: Profile) -> str:
    if not profile.n_present:
        return text("all values are missing")
    if column.kind == "text":
        return text("{n:,} different {n:text|texts}", n=profile.n_distinct)
    if column.kind == "nominal":
        share = percent(profile.mode_count / profile.n_present, profile.n)
        return text(
            "{n:,} {n:value|values}; most frequent: {mode} ({share})",
            n=profile.n_distinct,
            mode=clip(profile.mode, 24),
            share=share,
        )
    assert profile.quantiles is not None
    low, q1, median, q3, high = (value_text(column, q) for q in profile.quantiles)
    if low == high:
        return text("always {value}", value=low)
    return text("median {median}, middle half from {low} to {high}", median=median, low=q1, high=q3)


def value_text(column: Column, value: float) -> str:
    """Return a value of a column of numbers or dates."""
    if column.is_date:
        day = np.datetime64(int(np.floor(value)), "D").item()
        # Beyond the calendar of the standard library a day stays a number.
        return text("{day}", day=day) if isinstance(day, date) else figure(value)
    return figure(value)


def _bars(column: Column, rows: np.ndarray, codes: np.ndarray, n_classes: int) -> dict[str, Any]:
    """The most frequent categories, each counted by class; ordered ones keep their order."""
    values = column.data[rows]
    known = (values >= 0) & (codes >= 0)
    cells = np.bincount(values[known] * n_classes + codes[known], minlength=len(column.categories) * n_classes)
    cells = cells.reshape(-1, n_classes)
    totals = cells.sum(axis=1)
    shown = np.argsort(-totals, kind="stable")[:_MOST_BARS]
    if column.level == "ordinal":
        shown = np.sort(shown)
    shown = shown[totals[shown] > 0]
    return {
        "values": [clip(column.categories[i], 22) for i in shown],
        "counts": cells[shown].tolist(),
        "more": int(np.count_nonzero(totals)) - len(shown),
    }


def _histogram(column: Column, profile: Profile, rows: np.ndarray, codes: np.ndarray, n_classes: int) -> dict[str, Any]:
    values = column.data[rows]
    known = ~np.isnan(values) & (codes >= 0)
    edges, cut = _edges(profile)
    inside = np.clip(values[known], edges[0], edges[-1])
    # The last edge belongs to the last bin, as in every histogram.
    bins = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, len(edges) - 2)
    cells = np.bincount(codes[known] * (len(edges) - 1) + bins, minlength=n_classes * (len(edges) - 1))
    assert profile.quantiles is not None
    ends = (profile.quantiles[0], profile.quantiles[4]) if not cut else (edges[0], edges[-1])
    return {
        "counts": cells.reshape(n_classes, -1).tolist(),
        "low": value_text(column, ends[0]),
        "high": value_text(column, ends[1]),
        "cut": cut,
    }


def _edges(profile: Profile) -> tuple[np.ndarray, bool]:
    """Edges of the bins, and whether far values are counted in the first and last bin."""
    assert profile.quantiles is not None
    assert profile.whiskers is not None
    low, high = profile.quantiles[0], profile.quantiles[4]
    inner = profile.whiskers[1] - profile.whiskers[0]
    # Without this, one value far away would put all others into one bin.
    cut = inner > 0 and high - low > 4 * inner
    if cut:
        low, high = max(low, profile.whiskers[0] - inner / 2), min(high, profile.whiskers[1] + inner / 2)
    if profile.whole and high - low < _BINS:
        return np.arange(np.floor(low), np.floor(high) + 2) - 0.5, cut
    if not high > low or not np.isfinite(high - low):
        return np.array([low - 0.5, low + 0.5]), False
    return np.linspace(low, high, _BINS + 1), cut


def data_chapter(study: Study, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    classes = _classes(study, limits)
    return {
        "lead": _lead(study, classes),
        "classes": classes,
        "findings": _findings(study.audit, limits),
        "left_out_findings": max(0, len(study.audit) - limits.findings),
        "columns": _columns(study, limits),
        "cleaning": [clip(line, 300) for line in study.cleaning_log[: limits.findings]],
        "remarks": [clip(line, 300) for line in study.table.remarks[: limits.findings]],
    }


def _lead(study: Study, classes: dict[str, Any]) -> list[str]:
    n, p = study.table.shape
    roles = [column.role for column in study.audit.context.columns.values()]
    sparse = len(study.table.sparse.names) if study.table.sparse is not None else 0
    inputs = len(study.audit.context.inputs) + sparse
    told = {"rows": n, "columns": p, "target": clip(study.target, 60), "inputs": inputs}
    said: list[str] = [
        text(
            "The table has {rows:,} {rows:row|rows} and {columns:,} {columns:column|columns}. The numbers to predict "
            "are in {target}; {inputs:,} {inputs:column|columns} can be used for learning.",
            **told,
        )
        if study.selection.task == "regression"
        else text(
            "The table has {rows:,} {rows:row|rows} and {columns:,} {columns:column|columns}. The class is {target}; "
            "{inputs:,} {inputs:column|columns} can be used for learning.",
            **told,
        )
    ]
    for role, sentence in _ASIDE.items():
        names = [name for name, own in zip(study.audit.context.columns, roles) if own == role]
        if names:
            said.append(sentence(listed(names)))
    if classes["unknown"]:
        said.append(
            text(
                "{n:,} {n:row without a target was|rows without a target were} left out: they cannot be used for "
                "learning.",
                n=classes["unknown"],
            )
        )
    tally = {level: sum(f.severity == level for f in study.audit) for level in SEVERITIES}
    found = [severity_count(level, k) for level, k in tally.items() if k]
    said.append(
        text("The audit has {n:,} {n:finding|findings}: {found}.", n=len(study.audit), found=join(", ", found))
        if found
        else text("The audit has no findings.")
    )
    return said


# Columns that are not used for learning, by their role.
_ASIDE: dict[str, Callable[[str], Message]] = {
    "identifier": lambda names: text("Not used for learning because they identify the row: {names}.", names=names),
    "ignored": lambda names: text("Not used for learning because you excluded them: {names}.", names=names),
    "weight": lambda names: text("Not used for learning because it is the weight of the row: {names}.", names=names),
    "group": lambda names: text(
        "Not used for learning, but kept in one fold where it is the same: {names}.", names=names
    ),
}


def _classes(study: Study, limits: Limits) -> dict[str, Any]:
    """Rows of each class, the largest first; of numbers what they are like."""
    if study.selection.task == "regression":
        return _numbers(study)
    codes = class_codes(study)
    labels = [clip(label, 40) for label in study.evaluation.labels]
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    total = int(counts.sum())
    shown = order[: limits.classes]
    return {
        "total": len(order),
        "unknown": int(np.count_nonzero(codes < 0)),
        "rows": [
            {"label": labels[i], "count": int(counts[i]), "share": float(counts[i] / total), "colour": int(i)}
            | {"text": percent(float(counts[i] / total), total)}
            for i in shown
        ],
        "coloured": len(labels) <= len(PALETTE),
        "more": len(order) - len(shown),
        "more_rows": int(total - counts[shown].sum()),
        "sentence": _balance([labels[i] for i in order], counts[order], total),
        "card": None,
    }


def _numbers(study: Study) -> dict[str, Any]:
    """What the numbers to predict are like: a card as of other columns, coloured by their thirds."""
    context, name = study.audit.context, str(study.target)
    rows = sample_rows(np.arange(len(study.table)), _MOST_ROWS, study.seed)
    codes, labels = _coloured_classes(study, rows)
    column = context.columns[name]
    card = column_summary(column, context.profiles[name], rows, codes, max(len(labels), 1))
    findings = [clip(finding.message, 160) for finding in study.audit.about(name) if len(finding.columns) < 4][:3]
    return {
        "total": 0,
        "unknown": int(np.count_nonzero(column.missing)),
        "rows": [],
        "coloured": bool(labels),
        "more": 0,
        "more_rows": 0,
        "sentence": "",
        "card": card | {"role": "", "gain": "", "findings": findings},
    }


def class_codes(study: Study) -> np.ndarray:
    """Position of every row's class among the labels of the evaluation; -1 where the class is missing."""
    known = ~study.table.column(study.target).missing
    codes = np.full(len(known), -1, dtype=np.int64)
    codes[known] = encode_labels(study.table.select([study.target]).xy(study.target)[1], study.evaluation.labels)
    return codes


def _balance(labels: list[str], counts: np.ndarray, total: int) -> str:
    if len(labels) < 2:
        return ""
    share = percent(float(counts[0] / total), total)
    times = figure(float(counts[0] / counts[-1]), 2)
    if counts[0] < 1.5 * counts[-1]:
        return text("The {n:,} classes are about equally frequent.", n=len(labels))
    return text(
        "The most frequent class, {most}, has {share} of the rows, {times} times as many as the least frequent, "
        "{least}.",
        most=labels[0],
        share=share,
        times=times,
        least=labels[-1],
    )


def _findings(audit: Audit, limits: Limits) -> list[dict[str, Any]]:
    return [
        {
            "severity": finding.severity,
            "severity_text": SEVERITY_WORDS[finding.severity],
            "kind": finding.kind,
            "message": clip(finding.message, 280),
            "advice": clip(finding.advice, 280),
        }
        for finding in audit.findings[: limits.findings]
    ]


def _columns(study: Study, limits: Limits) -> dict[str, Any]:
    """The columns in order of what they tell about the target, then those that tell nothing."""
    context = study.audit.context
    gains = {score.attribute: score.strength for score in study.audit.ranking}
    order = [*gains, *(name for name in context.columns if name not in gains and name != study.target)]
    shown = order[: limits.columns]
    rows = sample_rows(np.arange(len(study.table)), _MOST_ROWS, study.seed)
    codes, labels = _coloured_classes(study, rows)
    cards = []
    for place, name in enumerate(shown, start=1):
        summary = column_summary(context.columns[name], context.profiles[name], rows, codes, max(len(labels), 1))
        role = context.columns[name].role
        summary["place"] = place if gains.get(name, 0.0) > 0 else None
        summary["role"] = "" if role == "input" else ROLES.get(role, role)
        summary["gain"] = _gain(study, float(gains[name])) if name in gains else ""
        summary["findings"] = [clip(f.message, 160) for f in study.audit.about(name) if len(f.columns) < 4][:3]
        cards.append(summary)
    rest = order[limits.columns :]
    sparse = len(study.table.sparse.names) if study.table.sparse is not None else 0
    return {
        "cards": cards,
        "of_numbers": study.selection.task == "regression",
        "labels": labels,
        "sampled": text("{n:,} of {total:,} rows", n=len(rows), total=len(study.table))
        if len(rows) < len(study.table)
        else "",
        "others": [clip(name, 40) for name in rest[: limits.names]],
        "n_others": len(rest),
        "n_sparse": sparse,
    }


def _gain(study: Study, strength: float) -> Message:
    if study.selection.task == "regression":
        return text("explains {share} of the variance", share=percent(strength, len(study.table)))
    return text("information gain {gain} beyond chance", gain=text("{gain:.3f} bits", gain=max(strength, 0.0)))


def _coloured_classes(study: Study, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Classes of the rows, and their names if there are as many colours; else all rows count as one class.

    Numbers are coloured by their thirds.
    """
    if study.selection.task == "regression":
        codes, groups = target_groups(study.table, str(study.target), "regression")
        return (codes[rows], groups) if len(groups) > 1 else (np.zeros(len(rows), dtype=np.int64), [])
    labels = study.evaluation.labels
    if not 2 <= len(labels) <= len(PALETTE):
        return np.zeros(len(rows), dtype=np.int64), []
    return class_codes(study)[rows], [clip(label, 40) for label in labels]
