"""Permutation importance: how much the accuracy, or R² of numbers, falls when the values of one column are shuffled.

It works for every kind of model, because it only asks for predictions. scikit-learn's function of the same name takes
arrays; this one takes tables, and predicts all shuffles of a column in one call, because a call has a cost of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.labels import encode_labels
from vaglio.evaluation.predictions import task_of_model
from vaglio.evaluation.rows import Rows
from vaglio.messages.listing import html_table, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.model.costs import CostMatrix
from vaglio.model.families import KINDS, Task
from vaglio.runtime.arguments import checked
from vaglio.table import Table
from vaglio.typing import ColumnLike, CostLike, Predictor, TableLike

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
    """The loss of accuracy per column, of numbers the loss of R²; with costs, what a row costs more.

    Attributes
    ----------
    losses : dict of str to float
        Accuracy (R²) minus its mean with the column shuffled, largest loss first. With costs: the mean cost per row
        with the column shuffled minus that without.
    accuracy : float
        With no column shuffled; of numbers R².
    n_rows : int
        Rows used.
    n_repeats : int
        Shuffles per column.
    mean_cost : float, optional
        Cost per row with no column shuffled, if costs were given.
    task : {"classification", "regression"}
        Whether the losses are of accuracy or of R².
    """

    losses: dict[str, float]
    accuracy: float
    n_rows: int
    n_repeats: int
    mean_cost: float | None = None
    task: Task = "classification"

    @property
    def _measured(self) -> Message:
        if self.mean_cost is not None:
            return text("further cost per row")
        return text("loss of R²") if self.task == "regression" else text("loss of accuracy")

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per column, largest loss first."""
        return [{text("column"): name, self._measured: loss} for name, loss in self.losses.items()]

    def _title(self) -> Message:
        if self.mean_cost is not None:
            return text(
                "Cost per row (beyond {cost:.4g}) when a column is shuffled, on {n:,} {n:row|rows}",
                cost=self.mean_cost,
                n=self.n_rows,
            )
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

    @checked
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
            xlabel=self._measured,
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


@checked
def permutation_importance(
    model: Predictor,
    X: TableLike,
    y: ColumnLike,
    *,
    columns: Sequence[str] | None = None,
    n_repeats: int = 3,
    max_columns: int | None = None,
    cost: CostLike | None = None,
    seed: int = 0,
) -> PermutationImportance:
    """Measure how much the accuracy of a model (or its R²) falls, or its cost rises, when one column is shuffled.

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
    cost : CostMatrix, array, dict, path or str, optional
        Costs of errors: the loss is then what a row costs more. By default those of the model, if it decides by them.
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
    costs = _costs(model, cost, labels) if task == "classification" else None
    score = _Score(np.asarray(model.predict(table)), labels, task)
    shuffled = {name: _shuffled(model, table, score, name, n_repeats, rng) for name in tried}
    losses = {name: score.loss(found, costs) for name, found in shuffled.items()}
    # The sort is stable: columns of equal loss stay in the order of preference.
    ranked = dict(sorted(losses.items(), key=lambda item: -item[1]))
    mean_cost = None if costs is None else score.cost(costs)
    return PermutationImportance(ranked, score.value, len(labels), n_repeats, mean_cost, task)


def _affordable(n_columns: int, n_rows: int) -> int:
    """How many columns can be tried when a try copies so many columns and rows."""
    by_cells = _MOST_CELLS // max(1, n_rows * n_columns)
    by_columns = _MOST_COPIED_COLUMNS // max(1, n_columns)
    return max(_LEAST_COLUMNS, min(by_cells, by_columns))


def _most_rows(model: Predictor) -> int:
    fitted = getattr(model, "fitted_", model)
    kind = KINDS.get(getattr(getattr(fitted, "model", None), "kind", ""))
    return _MOST_ROWS_OF_SLOW if kind is not None and kind.cost >= _SLOW else _MOST_ROWS


@dataclass(frozen=True)
class _Score:
    """Predictions beside the true classes or numbers."""

    predicted: np.ndarray
    true: np.ndarray
    task: Task

    @property
    def value(self) -> float:
        """Accuracy, or R² of numbers."""
        if self.task == "classification":
            return float(np.mean(self.predicted == self.true))
        spread = float(np.ptp(self.true)) or 1.0  # squares of very large or small numbers have no double
        errors, deviations = (self.predicted - self.true) / spread, (self.true - self.true.mean()) / spread
        return 1 - float(np.mean(np.square(errors))) / (float(np.mean(np.square(deviations))) or 1.0)

    def cost(self, costs: CostMatrix) -> float:
        codes = (encode_labels(np.asarray(labels), costs.labels) for labels in (self.true, self.predicted))
        return costs.mean_cost(*codes)

    def loss(self, shuffled: _Score, costs: CostMatrix | None) -> float:
        if costs is None:
            return self.value - shuffled.value
        return shuffled.cost(costs) - self.cost(costs)


def _costs(model: Predictor, cost: CostLike | None, true: np.ndarray) -> CostMatrix | None:
    """The costs by which columns are ranked: those given, or those the model decides by."""
    fitted: Any = getattr(model, "fitted_", model)
    known = getattr(fitted, "classes", None)
    known = getattr(model, "classes_", None) if known is None else known
    labels = list(dict.fromkeys([*np.asarray(true if known is None else known).tolist(), *np.unique(true).tolist()]))
    if cost is not None:
        return CostMatrix.from_any(cost, labels=labels)
    own = getattr(fitted, "decision_cost", None)
    # A threshold is no price: its costs only say where the model decides.
    return own if isinstance(own, CostMatrix) and own.limit is None and set(own.labels) == set(labels) else None


def _shuffled(model: Predictor, X: Table, score: _Score, name: str, n_repeats: int, rng: np.random.Generator) -> _Score:
    n = len(score.true)
    rows = np.tile(np.arange(n), n_repeats)
    shuffled = np.concatenate([rng.permutation(n) for _ in range(n_repeats)])
    predicted = model.predict(X.take(rows).with_column(X.column(name).take(shuffled)))
    return _Score(np.asarray(predicted), score.true[rows], score.task)
