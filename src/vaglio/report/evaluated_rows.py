"""The test rows of a study, as the user's table has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.evaluation.rows import MemoryRows
from vaglio.study import Study
from vaglio.table import Table

__all__ = ["EvaluatedRows", "evaluated_rows"]


@dataclass(frozen=True)
class EvaluatedRows:
    """Inputs and classes of the test rows, in the order of the evaluation.

    Attributes
    ----------
    X : Table
    y : ndarray
    numbers : ndarray
        Row numbers in the table they came from; the first row is 1.
    source : str
        Which table the row numbers refer to.
    """

    X: Table
    y: np.ndarray
    numbers: np.ndarray
    source: str


def evaluated_rows(study: Study) -> EvaluatedRows:
    """Find the rows again by their positions."""
    test = study.selection_options.get("test")
    table = study.learning_table if test is None else Table.from_any(test)
    rows = MemoryRows.of_arrays(table, study.target)
    at = study.selection.judged
    known = np.flatnonzero(~table.column(str(study.target)).missing)
    source = "test table" if test is not None else "cleaned table" if study.cleaning_log else "table"
    return EvaluatedRows(rows.X.take(at), rows.y[at], known[at] + 1, source)
