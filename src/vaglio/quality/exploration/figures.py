"""Figures of a table: box plots, histograms and scatter plots of pairs of columns, coloured by class.

Large tables are sampled or aggregated, and the figure says so. Box plots show the exact quartiles of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.distributions import BoxStatistics, draw_boxes, draw_counts, draw_histogram, draw_pairs
from vaglio.plot.style import class_legend, panel_grid
from vaglio.quality.binning import distinct_codes
from vaglio.quality.exploration.ranking import rank_attributes
from vaglio.quality.profile import profile_column, quartile_fences
from vaglio.quality.sampling import sample_rows
from vaglio.table import Column, Table

__all__ = ["box_plots", "box_statistics", "histograms", "pair_plot"]

# Panels of one figure: six lines of four fill a page.
_MAX_PANELS = 24
# Points of a scatter plot: more cover each other and make the file large.
_MAX_POINTS = 2000
# Outliers drawn beside a box, for the same reason.
_MAX_OUTLIERS = 200


def box_statistics(values: np.ndarray, name: str = "") -> BoxStatistics:
    """Return quartiles, whiskers that end at the last value inside the fences, and the values outside.

    >>> box = box_statistics(np.array([1.0, 2, 3, 4, 100]))
    >>> box.low, box.median, box.high, box.outliers.tolist()
    (1.0, 3.0, 4.0, [100.0])
    """
    values = values[~np.isnan(values)]
    profile = profile_column(Column.numeric("x", values))
    if profile.quantiles is None or profile.whiskers is None:
        raise InputError("A box plot needs at least one value.")
    low, high = quartile_fences(profile.quantiles[1], profile.quantiles[3])
    outside = np.unique(values[(values < low) | (values > high)])
    if len(outside) > _MAX_OUTLIERS:
        outside = outside[np.linspace(0, len(outside) - 1, _MAX_OUTLIERS).astype(int)]
    return BoxStatistics(
        name,
        profile.whiskers[0],
        profile.quantiles[1],
        profile.quantiles[2],
        profile.quantiles[3],
        profile.whiskers[1],
        outside,
    )


def _drawable(table: Table, columns: Sequence[str] | None) -> list[Column]:
    """Return the columns to choose from: those named, or all; without those of a sparse block and without text."""
    names = columns if columns is not None else table.columns
    found = [table.column(name) for name in names if table.sparse is None or name not in table.sparse]
    return [column for column in found if column.kind != "text" and not column.missing.all()]


def _numeric_inputs(table: Table, columns: Sequence[str] | None, target: str | None) -> list[Column]:
    found = _drawable(table, columns)
    return [column for column in found if column.kind == "numeric" and column.role == "input" and column.name != target]


def _class_codes(table: Table, target: str | None) -> tuple[np.ndarray, list[Any]]:
    """Return the class of each row as a code, and the classes; without a target all rows are of one class."""
    if target is None:
        return np.zeros(len(table), dtype=np.int64), [""]
    column = table.column(target)
    codes, labels = distinct_codes(column.values, column.missing)
    return codes, labels.tolist()


def box_plots(table: Any, target: str | None = None, *, columns: Sequence[str] | None = None) -> Any:
    """Draw a box plot per numeric column, one box per class.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The class column.
    columns : sequence of str, optional
        The columns to draw; by default all.
    """
    data = Table.from_any(table)
    chosen = _numeric_inputs(data, columns, target)
    codes, labels = _class_codes(data, target)
    figure, axes = panel_grid(min(len(chosen), _MAX_PANELS))
    class_legend(figure, (), _panel_note(len(chosen)))
    for ax, column in zip(axes, chosen, strict=False):
        groups = [(str(label), column.data[codes == k]) for k, label in enumerate(labels)]
        draw_boxes(ax, [box_statistics(v, name) for name, v in groups if (~np.isnan(v)).any()], title=column.name)
    return figure


def histograms(table: Any, target: str | None = None, *, columns: Sequence[str] | None = None) -> Any:
    """Draw a histogram per column (bars of categories or bins of numbers), stacked by class.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The class column.
    columns : sequence of str, optional
        The columns to draw; by default all.
    """
    data = Table.from_any(table)
    chosen = [column for column in _drawable(data, columns) if column.role in ("input", "target")]
    codes, labels = _class_codes(data, target)
    figure, axes = panel_grid(min(len(chosen), _MAX_PANELS))
    class_legend(figure, labels if target else (), _panel_note(len(chosen)))
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
    """Draw a scatter plot per pair of numeric columns, coloured by class.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The class column.
    columns : sequence of str, optional
        The columns to draw; by default those that tell most about the class.
    max_columns : int, default=5
        How many of them, if `columns` does not name them.
    seed : int, default=0
        Seed of the sample of rows.
    """
    data = Table.from_any(table)
    chosen = _numeric_inputs(data, columns, target)
    if len(chosen) > max_columns and columns is None:
        if target is not None:
            ranked = [score.attribute for score in rank_attributes(data, target, seed=seed)]
            chosen.sort(key=lambda column: ranked.index(column.name))
        chosen = chosen[:max_columns]
    if len(chosen) < 2:
        raise InputError("A pair plot needs at least two numeric columns.")
    codes, labels = _class_codes(data, target)
    rows = np.flatnonzero(codes >= 0)
    note = ""
    if len(rows) > _MAX_POINTS:
        note = f"{_MAX_POINTS:,} of {len(rows):,} rows"
        rows = sample_rows(rows, _MAX_POINTS, seed)
    values = np.column_stack([column.data[rows] for column in chosen])
    return draw_pairs(values, [column.name for column in chosen], codes[rows], labels if target else [], note=note)


def _panel_note(n: int) -> str:
    return f"the first {_MAX_PANELS} of {n} columns" if n > _MAX_PANELS else ""
