"""The rows that judged the model, as the user's table has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.evaluation.inputs import as_rows
from vaglio.study import Study
from vaglio.table import Table

__all__ = ["JudgedRows", "judged_rows"]


@dataclass(frozen=True)
class JudgedRows:
    """Inputs and classes in the order of the evaluation.

    Attributes
    ----------
    X : Table
    y : ndarray
    numbers : ndarray
        Row of the table they came from, the first being 1.
    source : str
        What those numbers count in.
    """

    X: Table
    y: np.ndarray
    numbers: np.ndarray
    source: str


def judged_rows(study: Study) -> JudgedRows:
    """Find the rows again by their positions."""
    test = study.selection_options.get("test")
    table = study.learning_table if test is None else Table.from_any(test)
    rows = as_rows(table, study.target)
    at = study.selection.judged
    known = np.flatnonzero(~table.column(str(study.target)).missing)
    source = "test table" if test is not None else "cleaned table" if study.cleaning_log else "table"
    return JudgedRows(rows.X.take(at), rows.y[at], known[at] + 1, source)
