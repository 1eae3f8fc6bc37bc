"""Training and validation scores against the number of training rows, or against one parameter, with a band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import learning_curve, validation_curve

from vaglio.errors import InputError, as_own_errors
from vaglio.evaluation.comparison.significance import corrected_interval
from vaglio.evaluation.labels import as_numbers
from vaglio.evaluation.metrics.intervals import Estimate, accuracy_of_folds
from vaglio.evaluation.metrics.scoring import DEFAULT_SCORE, Scorer, resolve_scorer, score_in_words
from vaglio.evaluation.predictions import task_of_model
from vaglio.evaluation.selection.selection_result import fit_diagnosis
from vaglio.evaluation.selection.splits import SplitRules, make_folds
from vaglio.messages.figures import figure
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.model.families import Task
from vaglio.plot.evaluation import Curve, draw_band, draw_curves
from vaglio.plot.style import INK, PALETTE, axes_for, draws_names
from vaglio.runtime.arguments import checked
from vaglio.runtime.scikit_learn import num_samples
from vaglio.typing import ColumnLike, CrossValidation, Estimator, SequenceNotStr, SupportsArray, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LearningCurveDisplay", "ValidationCurveDisplay"]


class _TwoScores:
    """Training and validation scores along an axis: one row per point, one column per fold."""

    def __init__(
        self, train_scores: np.ndarray, test_scores: np.ndarray, score_name: str, n_test: float | None, task: Task
    ) -> None:
        self.train_scores = train_scores
        self.test_scores = test_scores
        self.score_name = score_name
        self.n_test = n_test
        self.task = task

    @property
    def intervals(self) -> list[Estimate]:
        """The 95 % interval of each mean validation score, which allows for the rows that folds have in common."""
        others = self.test_scores.shape[1] - 1
        if self.score_name != "accuracy" or self.n_test is None:
            return [corrected_interval(scores, n_train=others, n_test=1) for scores in self.test_scores]
        n_train = others * self.n_test
        return [accuracy_of_folds(scores, n_train=n_train, n_test=self.n_test) for scores in self.test_scores]

    def _diagnosis(self, at: int) -> Message:
        train, test = (float(np.nanmean(scores[at])) for scores in (self.train_scores, self.test_scores))
        if self.task == "classification" or self.score_name == DEFAULT_SCORE[self.task]:
            return fit_diagnosis(train, test, task=self.task)
        measure, sign = score_in_words(self.score_name, self.task)
        return text(
            "{measure}: {train} on the training rows, {test} on other rows.",
            measure=measure,
            train=figure(sign * train),
            test=figure(sign * test),
        )

    @draws_names
    def _draw(self, ax: Any, x: np.ndarray, xlabel: str, lang: str | Locale) -> Any:
        locale, ax = locale_of(lang), axes_for(ax)
        measure, sign = score_in_words(self.score_name, self.task)
        curves = []
        for colour, name, scores in (
            (PALETTE[1], text("training"), self.train_scores),
            (PALETTE[0], text("validation"), self.test_scores),
        ):
            curves.append((Curve(x, sign * np.nanmean(scores, axis=1), name), colour))
        ends = [sign * np.array([getattr(each, end) for each in self.intervals]) for end in ("low", "high")]
        low, high = np.minimum(*ends), np.maximum(*ends)
        named = text("{confidence:.0%} interval of the validation score", confidence=0.95)
        draw_band(ax, x, low, high, PALETTE[0], named, locale=locale)
        self.line_ = [
            draw_curves(ax, [c], xlabel=xlabel, ylabel=measure, locale=locale, color=colour, marker="o", markersize=4)[
                0
            ]
            for c, colour in curves
        ]
        ax.legend(frameon=False, fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def _scored(
    estimator: Estimator, y: ColumnLike, cv: CrossValidation, scoring: str | Scorer | None
) -> tuple[Task, str, Scorer, Any]:
    """Return the task, the name and function of the score, and the folds: of numbers they are stratified as well."""
    task = task_of_model(estimator)
    name, scorer = resolve_scorer(scoring, None, task)
    if task == "regression" and isinstance(cv, int):
        return task, name, scorer, make_folds(as_numbers(y, "y"), cv, rules=SplitRules(), task=task)
    return task, name, scorer, cv


def _plain_values(values: Any) -> np.ndarray:
    """Return the values of a parameter as an array of one dimension, whatever they are."""
    with as_own_errors():  # lists in lists
        found = np.asarray(values)
    if found.ndim != 1:
        raise InputError("values-not-one-by-one", "param_range must be a list of single values.")
    return found


class LearningCurveDisplay(_TwoScores):
    """Training and validation scores against the number of training rows: they show whether more rows would help.

    Parameters
    ----------
    train_sizes : ndarray of shape (n_sizes,)
    train_scores, test_scores : ndarray of shape (n_sizes, n_folds)
    score_name : str
    n_test : float, optional
        Rows of a validation fold: an accuracy then has an interval with width even where all folds agree.
    task : {"classification", "regression"}
        What is predicted.
    """

    def __init__(
        self,
        *,
        train_sizes: np.ndarray,
        train_scores: np.ndarray,
        test_scores: np.ndarray,
        score_name: str = "accuracy",
        n_test: float | None = None,
        task: Task = "classification",
    ) -> None:
        self.train_sizes = train_sizes
        super().__init__(train_scores, test_scores, score_name, n_test, task)

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: ColumnLike,
        *,
        train_sizes: Sequence[float] | SupportsArray | None = None,
        cv: CrossValidation = 5,
        scoring: str | Scorer | None = None,
        n_jobs: int | None = None,
        random_state: int | None = 0,
        ax: Axes | None = None,
    ) -> LearningCurveDisplay:
        """Fit on growing parts of the rows and draw: the accuracy, or R² of numbers, unless another score is named."""
        task, name, scorer, cv = _scored(estimator, y, cv, scoring)
        sizes = np.linspace(0.1, 1.0, 8) if train_sizes is None else train_sizes
        with as_own_errors():
            n, train, test = learning_curve(
                estimator,
                X,
                y,
                train_sizes=sizes,
                cv=cv,
                scoring=scorer,
                n_jobs=n_jobs,
                shuffle=True,
                random_state=random_state,
            )
        n_test = num_samples(X) / test.shape[1]
        scores = {"train_scores": train, "test_scores": test, "score_name": name}
        return cls(train_sizes=n, **scores, n_test=n_test, task=task).plot(ax=ax)

    @property
    def diagnosis(self) -> Message:
        """Over- or underfitting at the full size, in a sentence."""
        return self._diagnosis(-1)

    @checked
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> LearningCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language."""
        self._draw(ax, self.train_sizes, text("Training rows"), lang)
        return self


class ValidationCurveDisplay(_TwoScores):
    """Training and validation scores against one parameter: they show where underfitting ends and overfitting begins.

    Parameters
    ----------
    param_name : str
    param_range : ndarray of shape (n_values,)
    train_scores, test_scores : ndarray of shape (n_values, n_folds)
    score_name : str
    n_test : float, optional
        Rows of a validation fold: an accuracy then has an interval with width even where all folds agree.
    task : {"classification", "regression"}
        What is predicted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from vaglio import ValidationCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = ValidationCurveDisplay.from_estimator(
    ...     KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 5, 15, 101])
    >>> int(display.best_value)
    5
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: np.ndarray,
        train_scores: np.ndarray,
        test_scores: np.ndarray,
        score_name: str = "accuracy",
        n_test: float | None = None,
        task: Task = "classification",
    ) -> None:
        self.param_name = param_name
        self.param_range = _plain_values(param_range)
        super().__init__(train_scores, test_scores, score_name, n_test, task)

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: ColumnLike,
        *,
        param_name: str,
        param_range: SequenceNotStr[Any] | SupportsArray,
        cv: CrossValidation = 5,
        scoring: str | Scorer | None = None,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> ValidationCurveDisplay:
        """Fit with each value of the parameter and draw: the accuracy, or R² of numbers, unless a score is named."""
        task, name, scorer, cv = _scored(estimator, y, cv, scoring)
        param_range = _plain_values(param_range)
        with as_own_errors():
            train, test = validation_curve(
                estimator, X, y, param_name=param_name, param_range=param_range, cv=cv, scoring=scorer, n_jobs=n_jobs
            )
        if np.isnan(test).all():
            raise InputError(
                "no-value-fitted", "The learner could not be trained with any value of {param}.", param=param_name
            )
        display = cls(
            param_name=param_name,
            param_range=param_range,
            train_scores=train,
            test_scores=test,
            score_name=name,
            n_test=num_samples(X) / test.shape[1],
            task=task,
        )
        return display.plot(ax=ax)

    @property
    def best_value(self) -> Any:
        """The value with the highest mean validation score, the first among equals."""
        return self.param_range[self._best()]

    def _best(self) -> int:
        return int(np.nanargmax(np.nanmean(self.test_scores, axis=1)))

    @property
    def diagnosis(self) -> Message:
        """Over- or underfitting at the best value, in a sentence."""
        return self._diagnosis(self._best())

    @checked
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> ValidationCurveDisplay:
        """Draw into ``ax`` or a new figure, in this language; a range of two decades or more has a logarithmic axis."""
        values = self.param_range
        numeric = values.dtype.kind in "iuf"
        x = values.astype(float) if numeric else np.arange(len(values), dtype=float)
        ax = self._draw(ax, x, self.param_name, lang)
        if not numeric:
            ax.set_xticks(x, [str(v) for v in values])
        elif x.min() > 0 and x.max() / x.min() >= 100:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
        ax.axvline(float(x[self._best()]), color=INK, linewidth=0.8, linestyle=":")
        return self
