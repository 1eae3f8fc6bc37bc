"""Permutation importance: how much the accuracy, or R² of numbers, falls when the values of one column are shuffled.

It works for every kind of model, because it only asks for predictions. scikit-learn's function of the same name takes
arrays; this one takes tables, and predicts all shuffles of a column in one call, because a call has a cost of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.predictions import task_of_model
from vaglio.evaluation.rows import Rows
from vaglio.messages.listing import html_table, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.model.families import KINDS, Task
from vaglio.table import Table
from vaglio.typing import ColumnLike, Predictor, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PermutationImportance", "permutation_importance"]

# Rows used at most: the standard error of an accuracy is then below 1.6 points, fine enough to rank columns.
_MOST_ROWS = 1000
# The same for models that compare each row with many stored rows, and therefore predict slowly.
_MOST_ROWS_OF_SLOW = 300
# From this cost of a prediction on (in predictions of a single tree) a kind of model counts as slow.
_SLOW = 30
# Cells and columns that are copied and encoded for all tries together, about ten seconds of work. A try copies the
# whole table, so that in a very wide table fewer columns are tried.
_MOST_CELLS = 40_000_000
_MOST_COPIED_COLUMNS = 100_000
# Columns tried in any case, however wide the table is.
_LEAST_COLUMNS = 4


@dataclass(frozen=True)
class PermutationImportance:
    """The loss of accuracy per column; of numbers the loss of R².

    Attributes
    ----------
    losses : dict of str to float
        Accuracy (R²) minus its mean with the column shuffled, largest loss first.
    accuracy : float
        With no column shuffled; of numbers R².
    n_rows : int
        Rows used.
    n_repeats : int
        Shuffles per column.
    task : {"classification", "regression"}
        Whether the losses are of accuracy or of R².
    """

    losses: dict[str, float]
    accuracy: float
    n_rows: int
    n_repeats: int
    task: Task = "classification"

    @property
    def _measure(self) -> Message:
        return text("loss of R²") if self.task == "regression" else text("loss of accuracy")

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per column, largest loss first."""
        return [{text("column"): name, self._measure: loss} for name, loss in self.losses.items()]

    def _title(self) -> Message:
        if self.task == "regression":
            return text(
                "Loss of R² (from {r2:.4f}) when a column is shuffled, on {n:,} {n:row|rows}",
                r2=self.accuracy,
                n=self.n_rows,
            )
        return text(
            "Loss of accuracy (from {accuracy:.4f}) when a column is shuffled, on {n:,} {n:row|rows}",
            accuracy=self.accuracy,
            n=self.n_rows,
        )

    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Any:
        """Draw a bar per column; return the axes.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.
        """
        from vaglio.plot.bars import draw_bars

        return draw_bars(
            list(self.losses),
            [[loss] for loss in self.losses.values()],
            ax=ax,
            xlabel=self._measure,
            locale=locale_of(lang),
        )

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the losses as a table of text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        return f"{locale.text(self._title())}\n{text_table(self.to_rows(), locale=locale)}"

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return html_table(self.to_rows(), caption=self._title(), locale=locale_of("en"))


def permutation_importance(
    model: Predictor,
    X: TableLike,
    y: ColumnLike,
    *,
    columns: Sequence[str] | None = None,
    n_repeats: int = 3,
    max_columns: int | None = None,
    seed: int = 0,
) -> PermutationImportance:
    """Measure how much the accuracy of a model, or its R² if it predicts numbers, falls when one column is shuffled.

    Of two columns that carry the same information each may have a small loss, since the other one is still there.

    Parameters
    ----------
    model : Fitted, classifier or regressor
    X : table or array
        Rows whose target is known; best rows that the model was not trained on. Of many rows a random sample is used;
        of a scanned table or a Dask frame, those with the smallest hashes of their numbers. ``n_rows`` of the result
        says how many.
    y : array-like of labels or numbers
    columns : sequence of str, optional
        Columns to try, in order of preference; by default all columns of ``X``.
    n_repeats : int, default=3
        Shuffles per column.
    max_columns : int, optional
        Columns tried at most. A very wide table is limited further, so that the work stays bounded.
    seed : int, default=0
        Seed of the sample and of the shuffles.

    Returns
    -------
    PermutationImportance

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.evaluation import permutation_importance
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.C45Classifier().fit(X, y)
    >>> next(iter(permutation_importance(model, X, y).losses))
    'island'
    """
    if n_repeats < 1:
        raise InputError(
            "too-few-repeats",
            "n_repeats is {n_repeats}; it must be at least 1.",
            n_repeats=n_repeats,
        )
    rng = np.random.default_rng(seed)
    task = task_of_model(model)
    drawn = Rows.of(X, y, task=task).sample(_most_rows(model), rng)
    table, labels = Table.from_any(drawn.X), drawn.y
    affordable = _affordable(len(table.columns), n_repeats * len(labels))
    tried = list(table.columns if columns is None else columns)[: min(max_columns or affordable, affordable)]
    score = partial(_r2 if task == "regression" else _accuracy, model)
    accuracy = score(table, labels)
    losses = {name: accuracy - _shuffled(score, table, labels, name, n_repeats, rng) for name in tried}
    # The sort is stable: columns of equal loss stay in the order of preference.
    ranked = dict(sorted(losses.items(), key=lambda item: -item[1]))
    return PermutationImportance(ranked, accuracy, len(labels), n_repeats, task)


def _affordable(n_columns: int, n_rows: int) -> int:
    """How many columns can be tried when a try copies so many columns and rows."""
    by_cells = _MOST_CELLS // max(1, n_rows * n_columns)
    by_columns = _MOST_COPIED_COLUMNS // max(1, n_columns)
    return max(_LEAST_COLUMNS, min(by_cells, by_columns))


def _most_rows(model: Predictor) -> int:
    fitted = getattr(model, "fitted_", model)
    kind = KINDS.get(getattr(getattr(fitted, "model", None), "kind", ""))
    return _MOST_ROWS_OF_SLOW if kind is not None and kind.cost >= _SLOW else _MOST_ROWS


def _accuracy(model: Predictor, X: Table, y: np.ndarray) -> float:
    return float(np.mean(np.asarray(model.predict(X)) == y))


def _r2(model: Predictor, X: Table, y: np.ndarray) -> float:
    spread = float(np.ptp(y)) or 1.0  # squares of very large or small numbers have no double
    errors, deviations = (np.asarray(model.predict(X)) - y) / spread, (y - y.mean()) / spread
    return 1 - float(np.mean(np.square(errors))) / (float(np.mean(np.square(deviations))) or 1.0)


def _shuffled(
    score: Callable[[Table, np.ndarray], float],
    X: Table,
    y: np.ndarray,
    name: str,
    n_repeats: int,
    rng: np.random.Generator,
) -> float:
    rows = np.tile(np.arange(len(y)), n_repeats)
    shuffled = np.concatenate([rng.permutation(len(y)) for _ in range(n_repeats)])
    return score(X.take(rows).with_column(X.column(name).take(shuffled)), y[rows])
