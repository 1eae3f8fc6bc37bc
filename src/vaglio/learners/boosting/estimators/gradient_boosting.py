"""Boosting by gradient: each tree is fitted to what the trees before it leave over, on binned columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.engines.row_samples import EncodedRows
from vaglio.errors import InputError
from vaglio.learners.boosting.estimators.boosting import BoostingEstimator
from vaglio.learners.boosting.estimators.columns import BoostingColumns, class_targets
from vaglio.learners.boosting.estimators.rounds import Chosen
from vaglio.learners.boosting.estimators.summed import SummedClassifier, SummedRegressor, flat
from vaglio.learners.boosting.model import Boosted
from vaglio.learners.parameters import POSITIVE, estimator
from vaglio.model.calibration import best_factor
from vaglio.typing import ClassWeight, TableLike

# What is thought of the logarithm of the temperature before any row is seen: 0, give or take this. The rounds are
# chosen by the loss of the same rows, so that scores are nearly right, and a few dozen rows cannot tell otherwise.
_USUAL_SPREAD = 0.25


@estimator
class HistGradientBoostingClassifier(SummedClassifier, BoostingEstimator):
    """Gradient boosting for classes: trees on binned columns, fitted to the gradient of the log loss.

    Nominal columns of any number of values are split into two sets of values; missing values go to the side where they
    lower the loss more. Gradients are summed as whole numbers, so that the same seed gives the same model for any
    ``n_jobs``.

    Parameters
    ----------
    loss : {"log_loss"}
        What is minimised.
    multi_class : {"tree_per_class", "shared_tree"}
        What a round has for more than two classes: one tree for each, or one for all, whose leaves hold one value per
        class. Shared trees are faster to train, and take more rounds.
    temperature : {"auto"} or float
        What the scores are divided by before they become probabilities. "auto" takes the number under which the rows
        held out, by folds or as a part, are most probable; the fewer they are, the nearer it is to 1.

    Attributes
    ----------
    temperature_ : float
        What the scores were divided by: above 1, the trees were too sure.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.HistGradientBoostingClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [StrOptions({"log_loss"})],
        "multi_class": [StrOptions({"tree_per_class", "shared_tree"})],
        "temperature": [*POSITIVE, StrOptions({"auto"})],
    }

    loss: Literal["log_loss"] = "log_loss"
    class_weight: ClassWeight = None
    multi_class: Literal["tree_per_class", "shared_tree"] = "tree_per_class"
    temperature: float | Literal["auto"] = "auto"

    temperature_: float = field(init=False)

    def _config(self, matrix: EncodedMatrix, n: int, seed: int, loss: str) -> _core.BoostingConfig:
        config = super()._config(matrix, n, seed, loss)
        config.shared = loss == "multinomial" and self.multi_class == "shared_tree"
        return config

    def _targets(self, y: np.ndarray, outputs: int) -> np.ndarray:
        return class_targets(y, outputs)

    def _tempered(
        self, model: Boosted, chosen: Chosen, columns: BoostingColumns, y: np.ndarray, weight: np.ndarray | None
    ) -> Boosted:
        """Divide the scores by the temperature."""
        self.temperature_ = 1.0 if isinstance(self.temperature, str) else float(self.temperature)
        if isinstance(self.temperature, str) and chosen.watched:
            rows = np.concatenate([one.judged for one in chosen.watched])
            raw = [
                columns.model_of(one.trainer, one.training, chosen.rounds * model.outputs, model.link).raw(
                    columns.matrix.take(one.judged)
                )
                for one in chosen.watched
            ]
            held = None if weight is None else weight[rows]
            self.temperature_ = 1 / best_factor(np.concatenate(raw), y[rows].astype(np.int64), held, _USUAL_SPREAD)
        return model.scaled(1 / self.temperature_)

    def _tempered_by(self, model: Boosted, rows: EncodedRows | None) -> Boosted:
        self.temperature_ = 1.0 if isinstance(self.temperature, str) else float(self.temperature)
        if isinstance(self.temperature, str) and rows is not None:
            self.temperature_ = 1 / best_factor(
                model.raw(rows.matrix), rows.y.astype(np.int64), rows.weight, _USUAL_SPREAD
            )
        return model.scaled(1 / self.temperature_)

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the scores after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        matrix = self._encode(X)
        for raw in self._boosted.staged_raw(matrix, self.n_models_):
            yield flat(raw)

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the probabilities after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        matrix = self._encode(X)
        for raw in self._boosted.staged_raw(matrix, self.n_models_):
            yield self._boosted.probabilities(raw)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the predicted classes after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        for probability in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(probability, axis=1)]


@estimator
class HistGradientBoostingRegressor(SummedRegressor, BoostingEstimator):
    """Gradient boosting for numbers: trees on binned columns, fitted to the gradient of a loss.

    Nominal columns of any number of values are split into two sets of values; missing values go to the side where they
    lower the loss more. Gradients are summed as whole numbers, so that the same seed gives the same model for any
    ``n_jobs``.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile", "poisson", "gamma"}
        What is minimised: it gives the mean, the median, a quantile, or the mean of counts or of positive numbers by
        its logarithm.
    quantile : float or None
        Which quantile the loss "quantile" predicts.

    Examples
    --------
    >>> from vaglio import HistGradientBoostingRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> model = HistGradientBoostingRegressor(random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(90 < model.predict([[50.0]])[0] < 110)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [StrOptions({"squared_error", "absolute_error", "quantile", "poisson", "gamma"})],
        "quantile": [Interval(Real, 0, 1, closed="neither"), None],
    }

    loss: Literal["squared_error", "absolute_error", "quantile", "poisson", "gamma"] = "squared_error"
    quantile: float | None = None

    def _kernel_loss(self) -> tuple[str, str, int]:
        if self.loss == "quantile" and self.quantile is None:
            raise InputError("missing-quantile", "The loss 'quantile' needs quantile=, a number between 0 and 1.")
        return self.loss, "log" if self.loss in ("poisson", "gamma") else "identity", 1

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the predicted numbers after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        matrix = self._encode(X)
        for raw in self._boosted.staged_raw(matrix, self.n_models_):
            yield self._boosted.numbers(raw)
