"""Figures of the columns and rows of a table."""

from __future__ import annotations

from typing import Any

from vaglio.evaluation.displays import ForestDistanceDisplay
from vaglio.figures.planes import Subject
from vaglio.quality.exploration import box_plots, pair_plot


def draw_boxes(subject: Subject) -> Any:
    """Draw a box plot per numeric column with its fences."""
    return box_plots(subject.data, subject.target, columns=subject.columns, fences=True, lang=subject.locale)


def draw_pairs(subject: Subject) -> Any:
    """Draw every pair of columns, with the densities of the classes on the diagonal."""
    diag = subject.options.get("diag", "kde")
    return pair_plot(
        subject.data, subject.target, columns=subject.columns, diag=diag, seed=subject.seed, lang=subject.locale
    )


def draw_similarity(subject: Subject) -> Any:
    """Draw the rows by the distance of a forest beside the Euclidean distance."""
    if subject.model is None:
        assert subject.target is not None
        display = ForestDistanceDisplay.from_table(subject.data, subject.target, seed=subject.seed)
    else:
        display = ForestDistanceDisplay.from_estimator(subject.whole_model(), subject.X, subject.y, seed=subject.seed)
    return display.plot(lang=subject.locale)


__all__ = ["draw_boxes", "draw_pairs", "draw_similarity"]
