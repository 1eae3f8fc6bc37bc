"""Looking at a table: box plots, histograms, pairs of attributes by class (D5).

Large tables are sampled or aggregated, and the figure says so; box plots are drawn from the exact quartiles of all
rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.distributions import Box, draw_boxes, draw_counts, draw_histogram, draw_pairs, panel_grid
from vaglio.quality.profile import profile_column, quartile_fences
from vaglio.table import Column, Table

__all__ = ["box_of", "box_plots", "histograms", "pair_plot"]

_MAX_PANELS = 24
_MAX_POINTS = 2000
_MAX_FLIERS = 200


def box_of(values: np.ndarray, name: str = "") -> Box:
    """Quartiles, whiskers that end at the last datum inside the fences, and what lies outside (D4).

    >>> box = box_of(np.array([1.0, 2, 3, 4, 100]))
    >>> box.low, box.median, box.high, box.outliers.tolist()
    (1.0, 3.0, 4.0, [100.0])
    """
    values = values[~np.isnan(values)]
    profile = profile_column(Column.numeric("x", values))
    if profile.quantiles is None or profile.whiskers is None:
        raise InputError("A box needs at least one value.")
    low, high = quartile_fences(profile.quantiles[1], profile.quantiles[3])
    outside = np.unique(values[(values < low) | (values > high)])
    if len(outside) > _MAX_FLIERS:
        outside = outside[np.linspace(0, len(outside) - 1, _MAX_FLIERS).astype(int)]
    return Box(
        name,
        profile.whiskers[0],
        profile.quantiles[1],
        profile.quantiles[2],
        profile.quantiles[3],
        profile.whiskers[1],
        outside,
        len(values),
    )


def _numbers(table: Table, columns: Sequence[str] | None, target: str | None) -> list[Column]:
    names = columns if columns is not None else table.columns
    found = [table.column(n) for n in names if n != target and (table.sparse is None or n not in table.sparse)]
    return [c for c in found if c.kind == "numeric" and c.role == "input" and not c.missing.all()]


def _class_codes(table: Table, target: str | None) -> tuple[np.ndarray, list]:
    if target is None:
        return np.zeros(len(table), dtype=np.int64), [""]
    column = table.column(target)
    present = ~column.missing
    labels, inverse = np.unique(column.values[present], return_inverse=True)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[present] = inverse
    return codes, labels.tolist()


def box_plots(table: Any, target: str | None = None, *, columns: Sequence[str] | None = None) -> Any:
    """A box plot of every column of numbers, one box a class.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The class column.
    columns : sequence of str, optional
    """
    data = Table.from_any(table)
    chosen = _numbers(data, columns, target)
    codes, labels = _class_codes(data, target)
    figure, axes = panel_grid(min(len(chosen), _MAX_PANELS), _left_out(len(chosen)))
    for ax, column in zip(axes, chosen, strict=False):
        groups = [(str(label), column.data[codes == k]) for k, label in enumerate(labels)]
        draw_boxes(ax, [box_of(v, name) for name, v in groups if (~np.isnan(v)).any()], title=column.name)
    return figure


def histograms(table: Any, target: str | None = None, *, columns: Sequence[str] | None = None) -> Any:
    """A histogram of every column, bars of categories or bins of numbers, stacked by class.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The class column.
    columns : sequence of str, optional
    """
    data = Table.from_any(table)
    names = columns if columns is not None else data.columns
    chosen = [data.column(n) for n in names if data.sparse is None or n not in data.sparse]
    chosen = [c for c in chosen if c.kind != "text" and c.role in ("input", "target") and not c.missing.all()]
    codes, labels = _class_codes(data, target)
    figure, axes = panel_grid(min(len(chosen), _MAX_PANELS), _left_out(len(chosen)), legend=labels if target else ())
    for ax, column in zip(axes, chosen, strict=False):
        if column.kind == "numeric":
            parts = [column.data[(codes == k) & ~column.missing] for k in range(len(labels))]
            draw_histogram(ax, parts, title=column.name)
        else:
            counts = np.array(
                [np.bincount(column.data[(codes == k) & (column.data >= 0)], minlength=len(column.categories))
                 for k in range(len(labels))]
            )  # fmt: skip
            draw_counts(ax, counts, column.categories, title=column.name)
    return figure


def pair_plot(
    table: Any,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    max_columns: int = 5,
    seed: int = 0,
) -> Any:
    """Every pair of columns of numbers as points coloured by class; the best-ranked columns if there are many.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The class column.
    columns : sequence of str, optional
    max_columns : int, default=5
    seed : int, default=0
        Of the rows drawn where there are many.
    """
    data = Table.from_any(table)
    chosen = _numbers(data, columns, target)
    if len(chosen) > max_columns and columns is None:
        if target is not None:
            from vaglio.quality.exploration.ranking import rank_attributes

            ranked = [score.attribute for score in rank_attributes(data, target, seed=seed)]
            chosen.sort(key=lambda column: ranked.index(column.name))
        chosen = chosen[:max_columns]
    if len(chosen) < 2:
        raise InputError("A pair plot needs two columns of numbers.")
    codes, labels = _class_codes(data, target)
    rows = np.flatnonzero(codes >= 0)
    note = ""
    if len(rows) > _MAX_POINTS:
        note = f"{_MAX_POINTS} of {len(rows)} rows"
        rows = np.sort(np.random.default_rng(seed).choice(rows, _MAX_POINTS, replace=False))
    values = np.column_stack([column.data[rows] for column in chosen])
    return draw_pairs(values, [column.name for column in chosen], codes[rows], labels if target else [], note=note)


def _left_out(n: int) -> str:
    return f"the first {_MAX_PANELS} of {n} columns" if n > _MAX_PANELS else ""
