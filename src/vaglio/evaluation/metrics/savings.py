"""What a model saves against the policies that need none: the same class for every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.evaluation.metrics.cells import DRAWN_CLASSES
from vaglio.evaluation.metrics.intervals import Estimate, percentile_interval
from vaglio.messages.figures import figure
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import clip

if TYPE_CHECKING:
    from vaglio.evaluation.evaluation import Evaluation

__all__ = ["Savings", "savings_of"]


@dataclass(frozen=True)
class Savings:
    """Costs per row of a model and of giving every row the same class.

    Attributes
    ----------
    cost : float
        Of the predictions.
    policies : tuple of (class, float)
        What each class costs if every row is given it, the cheapest first.
    saved : Estimate
        By the model against the cheapest of them; negative if the model costs more.
    """

    cost: float
    policies: tuple[tuple[Any, float], ...]
    saved: Estimate

    def in_words(self) -> Message:
        """Return the costs and what is saved, in a sentence."""
        label, constant = self.policies[0]
        told = {"cost": figure(self.cost), "label": clip(label, 40), "constant": figure(constant)}
        if not self.saved.value > 0:
            return text(
                "The predictions cost {cost} per row and save nothing: always predicting {label} costs {constant}.",
                **told,
            )
        told |= {"saved": figure(self.saved.value)}
        if np.isnan(self.saved.low):
            return text(
                "The predictions cost {cost} per row and save {saved} against always predicting {label}, which costs "
                "{constant}.",
                **told,
            )
        return text(
            "The predictions cost {cost} per row and save {saved} against always predicting {label}, which costs "
            "{constant} ({confidence:.0%} interval of the saving: {low} to {high}).",
            **told,
            confidence=self.saved.confidence,
            low=figure(self.saved.low),
            high=figure(self.saved.high),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the costs as plain data, ready for JSON."""
        return {
            "cost": self.cost,
            "policies": [{"label": label, "cost": cost} for label, cost in self.policies],
            "saved": self.saved.to_dict(),
            "text": self.in_words(),
        }


def savings_of(evaluation: Evaluation) -> Savings | None:
    """Return the savings of an evaluation; None without costs.

    Parameters
    ----------
    evaluation : Evaluation

    Examples
    --------
    >>> from vaglio.evaluation import Evaluation
    >>> e = Evaluation.from_predictions(["no", "no", "yes"], ["no", "yes", "yes"], cost="missed=500,alarm=20")
    >>> found = savings_of(e)
    >>> round(found.cost, 2), found.policies[0][0], round(found.saved.value, 2)
    (6.67, 'yes', 6.67)
    """
    if evaluation.cost is None or evaluation.mean_cost is None:
        return None
    matrix = evaluation.cost.matrix
    support = np.asarray(evaluation.rates.support, dtype=np.float64)
    costs = support @ matrix / support.sum()
    best, cost = int(np.argmin(costs)), float(evaluation.mean_cost)
    policies = sorted(zip(evaluation.labels, costs.tolist(), strict=True), key=lambda pair: pair[1])
    value = float(costs[best]) - cost
    saved = Estimate(value, float("nan"), float("nan"), evaluation.confidence)
    if len(evaluation.labels) <= DRAWN_CLASSES:
        # The same draws for the model and the policy: both are paid for the same rows.
        drawn = np.einsum("dij,ij->d", evaluation.drawn_cells, matrix[:, [best]] - matrix)
        saved = percentile_interval(value, drawn, evaluation.confidence)
    return Savings(cost, tuple(policies), saved)
