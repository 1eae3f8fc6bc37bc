"""A wrapper that makes a learner take the costs of errors into account."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from vaglio.errors import DataWarning, InputError, warn
from vaglio.fitted import Fitted
from vaglio.learners.bases import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, available_if
from vaglio.learners.registry import learners_of
from vaglio.messages.message import text
from vaglio.messages.sentences import listed
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.typing import ColumnLike, CostLike, Estimator, TableLike

if TYPE_CHECKING:
    from vaglio.evaluation.rows import Rows

__all__ = ["CostSensitiveClassifier", "costs_of", "fit_with_costs", "for_unit_cost", "in_words"]

_USES = ("auto", "decision", "weights")


def fit_with_costs(
    estimator: Any,
    X: TableLike,
    y: ColumnLike,
    cost: CostMatrix,
    sample_weight: ColumnLike | None = None,
    use: str = "auto",
) -> bool:
    """Fit an estimator so that it takes costs into account; return whether its decisions do, else its weights did.

    A learner of vaglio carries the costs from then on: ``predict``, the model file, explanations and exports of a model
    with probabilities decide by them. Those of another library have to be asked through
    :class:`CostSensitiveClassifier`.

    Parameters
    ----------
    estimator : classifier
    X : table or array
    y : array-like of labels
    cost : CostMatrix
        In the order of the sorted labels.
    sample_weight : array-like, optional
    use : {"auto", "decision", "weights"}
        As in :class:`CostSensitiveClassifier`.
    """
    from vaglio.evaluation.rows import Rows  # which imports predictions, and those this module

    if use not in _USES:
        raise InputError(
            "unknown-choice",
            "{name} is {value!r}; it must be {allowed}.",
            name="use",
            value=use,
            allowed=listed(("auto", "decision", "weights"), quoted=True, last="or"),
        )
    decides = use == "decision" or (use == "auto" and hasattr(estimator, "predict_proba"))
    weight = sample_weight
    if not decides:
        rows = Rows.of(X, y, sample_weight, task="classification")
        weight = rows.with_class_weights(cost.class_weight()).weight
    if decides and "cost" in estimator.get_params(deep=False):
        estimator.set_params(cost=cost)  # it learns by the costs as well
    if weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        name = type(estimator).__name__
        raise InputError(
            "costs-not-supported",
            "{name} cannot use costs: it has neither probabilities nor sample weights.",
            name=name,
        )
    estimator.fit(X, y) if weight is None else estimator.fit(X, y, sample_weight=weight)
    if isinstance(getattr(estimator, "fitted_", None), Fitted):
        fitted = estimator.fitted_
        own = cost.ordered(fitted.classes.tolist())
        noted = fitted.with_provenance(cost_use="decision" if decides else "weights")
        estimator.fitted_ = noted.with_cost(own) if decides else replace(noted, cost=own, decide="argmax")
    return decides


def costs_of(cost: CostLike | None, rows: Rows) -> CostMatrix | UnitCost | None:
    """Return the costs for these rows: a matrix for classes, those of a unit of error for numbers; None without.

    Parameters
    ----------
    cost : CostMatrix, UnitCost, array, dict, text, or path of a CSV file, optional
    rows : Rows
    """
    if cost is None:
        return None
    if rows.task == "regression":
        return UnitCost.from_any(cost)
    return CostMatrix.from_any(cost, labels=rows.classes().tolist())


def for_unit_cost(estimator: Any, cost: UnitCost, *, tell: bool = True) -> Any:
    """Set a learner to predict the quantile of least cost, where it has quantiles; return it.

    One whose loss the user has set keeps it, and others predict as always: then the costs are only reported.

    Parameters
    ----------
    estimator : regressor
    cost : UnitCost
    tell : bool, default=True
        Whether to warn of a learner without quantiles. Where learners compete by cost, the costs show it.
    """
    entry = learners_of("regression").get(getattr(estimator, "_learner_id", ""))
    if entry is None or entry.quantile is None:
        if not tell:
            return estimator
        able = [known.id for known in learners_of("regression").values() if known.quantile is not None]
        warn(
            DataWarning(
                "costs-only-reported",
                "{learner} does not predict quantiles, so its predictions do not depend on the costs. These learners "
                "predict the quantile of least cost: {able}.",
                learner=type(estimator).__name__ if entry is None else entry.id,
                able=listed(able),
            )
        )
        return estimator
    wanted, usual = entry.quantile(cost.quantile), entry.cls().get_params()
    if all(value == usual[name] for name, value in estimator.get_params().items() if name in wanted):
        estimator.set_params(**wanted)
    return estimator


def in_words(fitted: Fitted) -> str | None:
    """Say in a sentence what became of the costs of a model; None if it has none.

    Parameters
    ----------
    fitted : Fitted
    """
    if fitted.threshold is not None:
        label, threshold = fitted.threshold
        return text("The model predicts {label} from a probability of {threshold:g}.", label=label, threshold=threshold)
    if fitted.error_cost is None:
        return None
    if fitted.decision_cost is not None:
        if fitted.params.get("cost") is not None:
            return text("The model was trained with the costs and predicts the class of least expected cost.")
        return text("The costs are in the model: it predicts the class of least expected cost.")
    if fitted.provenance.get("cost_use") == "weights":
        return text(
            "{learner} was trained with the costs as weights of the rows and predicts without them.",
            learner=fitted.learner,
        )
    return text("The model has costs but does not use them: it predicts the most probable class.")


def _has_probabilities(self: CostSensitiveClassifier) -> bool:
    return hasattr(self.estimator, "predict_proba")


class CostSensitiveClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Wrap a learner so that its predictions have the least expected cost.

    Parameters
    ----------
    estimator : classifier
    cost : CostMatrix, array, dict or path
        An array has the classes in sorted order.
    use : {"auto", "decision", "weights"}
        "decision": train as usual, then predict the class with the least expected cost; needs probabilities. "weights":
        train with rows weighted by the cost of an error on them. Both at once would count the costs twice.
        "auto": "decision" if the learner has probabilities, else "weights".

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> plain = GaussianNB().fit(X, y)
    >>> careful = CostSensitiveClassifier(GaussianNB(), {(1, 0): 100, (0, 1): 1}).fit(X, y)
    >>> plain.predict([[1.2]]).tolist(), careful.predict([[1.2]]).tolist()
    ([0], [1])
    """

    def __init__(self, estimator: Estimator, cost: CostLike, *, use: str = "auto") -> None:
        self.estimator = estimator
        self.cost = cost
        self.use = use

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> CostSensitiveClassifier:
        """Fit the learner, with the costs as weights if ``use`` says so."""
        from vaglio.evaluation.rows import Rows  # as above

        self.classes_: np.ndarray = Rows.of(X, y, task="classification").classes()
        self.cost_ = CostMatrix.from_any(self.cost, labels=self.classes_.tolist())
        self.estimator_ = clone(self.estimator)
        self.decides_ = fit_with_costs(self.estimator_, X, y, self.cost_, sample_weight, self.use)
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the class with the least expected cost, or the prediction of a learner trained with weights."""
        check_is_fitted(self)
        if not self.decides_:
            return np.asarray(self.estimator_.predict(X))
        codes = self.cost_.decide(np.asarray(self.estimator_.predict_proba(X)))
        return np.asarray(self.classes_[codes])

    @available_if(_has_probabilities)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Return the probabilities of the learner, unchanged."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @property
    def fitted_(self) -> Any:
        """The trained model with its costs, if the learner is one of vaglio."""
        return self.estimator_.fitted_

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
