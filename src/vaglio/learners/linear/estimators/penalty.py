"""The penalty of a perceptron."""

from __future__ import annotations

from typing import Any, NamedTuple


class Penalty(NamedTuple):
    """What draws the weights towards zero: alpha · ((1 - l1_ratio) / 2 · |w|² + l1_ratio · |w|₁)."""

    alpha: float
    l1_ratio: float

    @classmethod
    def of(cls, estimator: Any) -> Penalty | None:
        """Return the penalty that the parameters of an estimator ask for, if any."""
        if estimator.penalty is None or estimator.alpha == 0:
            return None
        ratio = {"l2": 0.0, "l1": 1.0}.get(estimator.penalty, estimator.l1_ratio)
        return cls(float(estimator.alpha), float(ratio))
