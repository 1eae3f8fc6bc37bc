"""Additive models: one table of scores per column and per pair of columns, boosted a small step at a time."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from vaglio.learners.additive.estimators.additive_base import AdditiveEstimator
from vaglio.learners.boosting.estimators.summed import SummedClassifier, SummedRegressor
from vaglio.learners.parameters import estimator


@estimator
class ExplainableBoostingClassifier(SummedClassifier, AdditiveEstimator):
    """Additive model for classes: one table of log-odds per column and per pair of columns.

    Boosting goes round the columns; each takes a small step that fits the gradient of the log loss by itself. So the
    model is a sum of one function per column, which can be drawn, checked and changed (``fitted_.edit``). The mean of
    several bags is taken, and their spread is the band around each function.

    Parameters
    ----------
    objective : {"log_loss"}
        What is minimised.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.ExplainableBoostingClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.term_names_[:2]
    ['island', 'bill_length_mm']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"objective": [StrOptions({"log_loss"})]}

    objective: str = "log_loss"
    class_weight: Any = None


@estimator
class ExplainableBoostingRegressor(SummedRegressor, AdditiveEstimator):
    """Additive model for numbers: one table per column and per pair of columns.

    Boosting goes round the columns; each takes a small step that fits the gradient of the loss by itself. So the model
    is a sum of one function per column, which can be drawn, checked and changed (``fitted_.edit``).

    Parameters
    ----------
    objective : {"squared_error", "poisson", "gamma"}
        What is minimised: it gives the mean, or the mean of counts or of positive numbers by its logarithm.

    Examples
    --------
    >>> from vaglio import ExplainableBoostingRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> model = ExplainableBoostingRegressor(random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(90 < model.predict([[50.0]])[0] < 110)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "objective": [StrOptions({"squared_error", "poisson", "gamma"})]
    }

    _loss_name: ClassVar[str] = "objective"
    objective: str = "squared_error"

    def _kernel_loss(self) -> tuple[str, str, int]:
        return self.objective, "identity" if self.objective == "squared_error" else "log", 1
