"""An exploration as one HTML page: the table at a glance, its columns, what is missing, associations, rows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio._version import __version__
from vaglio.messages.figures import figure, percent
from vaglio.messages.message import Message, join, text
from vaglio.messages.sentences import clip, listed
from vaglio.plot.style import PALETTE
from vaglio.quality.association import TargetScore
from vaglio.quality.checks.context import SEVERITY_WORDS
from vaglio.quality.exploration import Exploration, target_groups
from vaglio.quality.profile import sample_rows
from vaglio.report.data import ROLES, column_summary, value_text
from vaglio.report.limits import Limits
from vaglio.table import Column

__all__ = ["exploration_summary"]

# Rows that a picture counts, and in which the patterns of missing values are looked for.
_MOST_ROWS = 200_000
# Columns with a card of about 2 kB.
_MOST_CARDS = 1000
# A heat map of more columns is not read; the strongest pairs are listed beside it.
_MOST_ASSOCIATED, _MOST_PAIRS = 20, 20
_MOST_MISSING, _MOST_PATTERNS, _NAMED = 24, 8, 6
# A table of rows: so many columns, and rows from each end.
_MOST_CELLS, _END_ROWS, _MOST_REPEATED = 24, 5, 5
# Statistics of a card; its line of facts has the others.
_STATISTICS = {
    "mean": text("mean"),
    "deviation": text("deviation"),
    "min": text("minimum"),
    "max": text("maximum"),
    "variation": text("coefficient of variation"),
    "entropy": text("entropy"),
    "present": text("present"),
}
_KINDS: dict[str, Callable[[int], Message]] = {
    "numeric": lambda n: text("{n:,} numeric", n=n),
    "nominal": lambda n: text("{n:,} nominal", n=n),
    "date": lambda n: text("{n:,} {n:date|dates}", n=n),
    "text": lambda n: text("{n:,} of text", n=n),
}
_PERCENTILE = re.compile(r"p\d+(\.\d+)?")


def exploration_summary(seen: Exploration, name: str, limits: Limits | None = None) -> dict[str, Any]:
    """Return everything that the page says, as plain data.

    Parameters
    ----------
    seen : Exploration
    name : str
        The name of the table.
    limits : Limits, optional
    """
    limits = limits or Limits()
    columns, profiles = seen.audit.context.columns, seen.audit.context.profiles
    rows = sample_rows(np.arange(len(seen.table)), _MOST_ROWS, seen.seed)
    codes, labels = _coloured(seen, rows)
    gains = {score.attribute: score for score in seen.ranking}
    order = [*([seen.target] if seen.target is not None else []), *gains]
    ranked = set(order)
    order += [each for each in columns if each not in ranked]
    shown = [each for each in order if each in columns][:_MOST_CARDS]
    return {
        "name": clip(os.path.basename(name), 60),
        "target": None if seen.target is None else clip(seen.target, 60),
        "of_numbers": seen.predicts_numbers,
        "version": __version__,
        "overview": _overview(seen),
        "findings": _findings(seen, limits),
        "left_out_findings": max(0, len(seen.audit) - limits.findings),
        "labels": labels,
        "sampled": text("{n:,} of {total:,} rows", n=len(rows), total=len(seen.table))
        if len(rows) < len(seen.table)
        else "",
        "cards": [
            _card(
                seen,
                columns[each],
                gains.get(each),
                column_summary(columns[each], profiles[each], rows, codes, max(len(labels), 1)),
            )
            for each in shown
        ],
        "others": len(columns) - len(shown),
        "n_sparse": len(seen.table.sparse.names) if seen.table.sparse is not None else 0,
        "missing": _missing(columns, rows),
        "associations": _associations(seen),
        "duplicates": _repeated(seen, columns),
        "rows": _ends(seen, columns),
    }


def _coloured(seen: Exploration, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The colour of each row and the names of the colours: classes, or thirds of numbers; all 0 without a target."""
    codes, labels = target_groups(seen.table, seen.target, seen.task)
    if seen.target is None or not 2 <= len(labels) <= len(PALETTE):
        return np.zeros(len(rows), dtype=np.int64), []
    return codes[rows], [label if isinstance(label, Message) else clip(label, 40) for label in labels]


def _overview(seen: Exploration) -> dict[str, Any]:
    columns, profiles = seen.audit.context.columns, seen.audit.context.profiles
    n, p = seen.table.shape
    kinds = [("date" if column.is_date else column.kind) for column in columns.values()]
    counted = [say(kinds.count(kind)) for kind, say in _KINDS.items() if kind in kinds]
    cells = sum(profile.n for profile in profiles.values())
    gone = sum(profile.n_missing for profile in profiles.values())
    repeated = next(iter(seen.audit.of_kind("duplicates")), None)
    serious = sum(finding.severity == "high" for finding in seen.audit)
    return {
        "rows": n,
        "columns": p,
        "kinds": join(", ", counted),
        "missing": percent(gone / cells, cells) if cells else "",
        "missing_columns": sum(profile.n_missing > 0 for profile in profiles.values()),
        "duplicates": 0 if repeated is None else repeated.n_rows,
        "duplicate_share": percent(0 if repeated is None or not n else repeated.n_rows / n, n),
        "warnings": len(seen.audit),
        "serious": serious,
        "identifiers": [clip(name, 40) for name, column in columns.items() if column.role == "identifier"],
    }


def _findings(seen: Exploration, limits: Limits) -> list[dict[str, Any]]:
    return [
        {
            "severity": finding.severity,
            "severity_text": SEVERITY_WORDS[finding.severity],
            "message": clip(finding.message, 280),
            "advice": clip(finding.advice, 280),
        }
        for finding in seen.audit.findings[: limits.findings]
    ]


def _card(seen: Exploration, column: Column, score: TargetScore | None, summary: dict[str, Any]) -> dict[str, Any]:
    gain: str = ""
    if score is not None and seen.predicts_numbers:
        gain = text("explains {share} of the variance", share=percent(score.strength, len(seen.table)))
    elif score is not None:
        bits = text("{gain:.3f} bits", gain=max(score.strength, 0.0))
        gain = text("information gain {gain} beyond chance", gain=bits)
    role = "" if column.role == "input" else ROLES.get(column.role, column.role)
    facts = seen.statistics_of(column.name)
    # Of numbers the entropy is that of their digits.
    told = [
        *(key for key in _STATISTICS if key != "entropy" or column.kind == "nominal"),
        *(key for key in facts if _PERCENTILE.fullmatch(key)),
    ]
    statistics = [
        {"name": _STATISTICS.get(key, key), "value": _statistic(column, key, facts[key])}
        for key in told
        if _shown(facts.get(key))
    ]
    findings = [clip(f.message, 160) for f in seen.audit.about(column.name) if len(f.columns) < 4][:3]
    return summary | {"role": role, "gain": gain, "statistics": statistics, "findings": findings}


def _shown(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not np.isfinite(value))


def _statistic(column: Column, key: str, value: Any) -> Any:
    if column.is_date and (key in ("mean", "min", "max") or _PERCENTILE.fullmatch(key)):
        return value_text(column, value)
    return figure(float(value)) if isinstance(value, (int, float)) else clip(value, 24)


def _missing(columns: dict[str, Column], rows: np.ndarray) -> dict[str, Any]:
    """Columns with missing values, the most first, and which values are missing together."""
    gone = {name: column.missing for name, column in columns.items()}
    counts = {name: int(np.count_nonzero(each)) for name, each in gone.items()}
    order = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    if not order:
        return {"columns": [], "more": 0, "patterns": []}
    n = len(gone[order[0]])
    patterns, often = np.unique(
        np.packbits(np.column_stack([gone[name][rows] for name in order]), axis=1), axis=0, return_counts=True
    )
    found = []
    for at in np.argsort(-often, kind="stable")[: _MOST_PATTERNS + 1].tolist():
        bits = np.unpackbits(patterns[at], count=len(order)).astype(bool)
        names = [clip(name, 30) for name, missing in zip(order, bits) if missing]
        if len(names) > 1:
            share = percent(often[at] / len(rows), len(rows))
            found.append(text("{share} of the rows lack {columns}", share=share, columns=listed(names, _NAMED)))
    return {
        "columns": [
            {"label": clip(name, 40), "value": counts[name] / n, "count": counts[name]}
            for name in order[:_MOST_MISSING]
        ],
        "more": max(0, len(order) - _MOST_MISSING),
        "patterns": found[:_MOST_PATTERNS],
    }


def _associations(seen: Exploration) -> dict[str, Any]:
    """The strongest pairs, and a matrix of the columns that are in them."""
    found = seen.associations
    matrix = np.nan_to_num(found.matrix)
    reach = (matrix - np.eye(len(matrix))).max(axis=1) if len(matrix) > 1 else np.zeros(len(matrix))
    kept = np.sort(np.argsort(-reach, kind="stable")[:_MOST_ASSOCIATED])
    known = {frozenset((pair.a, pair.b)): pair.strength for pair in found.pairs}
    names = [found.names[i] for i in kept.tolist()]
    return {
        "names": [clip(name, 24) for name in names],
        "cells": [[_strength(known.get(frozenset((a, b))), a == b) for b in names] for a in names],
        "total": len(found.names),
        "pairs": [
            {"a": clip(row["a"], 40), "b": clip(row["b"], 40), "rest": list(row.values())[2:]}
            for row in found.strongest(_MOST_PAIRS)
            if row["strength"]
        ],
        "note": found.note,
    }


def _strength(value: float | None, same: bool) -> dict[str, Any] | None:
    if same or value is None or not np.isfinite(value):
        return None
    return {"share": round(100 * abs(value)), "text": figure(value, 2)}


def _repeated(seen: Exploration, columns: dict[str, Column]) -> dict[str, Any]:
    """Rows that equal an earlier one."""
    found = next(iter(seen.audit.of_kind("duplicates")), None)
    if found is None:
        return {"n": 0, "table": None}
    return {"n": found.n_rows, "table": _table(columns, list(found.rows[:_MOST_REPEATED]))}


def _ends(seen: Exploration, columns: dict[str, Column]) -> dict[str, Any]:
    n = len(seen.table)
    first = list(range(min(n, _END_ROWS)))
    return _table(columns, first + list(range(max(len(first), n - _END_ROWS), n)))


def _table(columns: dict[str, Column], rows: list[int]) -> dict[str, Any]:
    shown = list(columns.values())[:_MOST_CELLS]
    return {
        "names": [clip(column.name, 30) for column in shown],
        "more": max(0, len(columns) - len(shown)),
        "rows": [{"number": row + 1, "cells": [_cell(column, row) for column in shown]} for row in rows],
    }


def _cell(column: Column, row: int) -> Any:
    if column.missing[row]:
        return None
    if column.kind == "numeric":
        return value_text(column, float(column.data[row]))
    value = column.categories[column.data[row]] if column.kind == "nominal" else column.data[row]
    return clip(value, 40)
