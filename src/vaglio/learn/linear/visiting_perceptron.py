"""The perceptron with scikit-learn's visits: its order of the rows, its rule at zero and its end of training."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.learn._parameters import estimator
from vaglio.learn.linear.perceptron import Perceptron, Walk
from vaglio.model.linear.linear import LinearModel

_LARGEST_SEED = np.iinfo(np.int32).max
# The bias learns more slowly from sparse rows, most of which leave most weights unchanged.
_SPARSE_BIAS_RATE = 0.01


@estimator
class VisitingPerceptron(Perceptron):
    """A perceptron whose outputs each visit the rows in their own order, and end when their loss stops falling.

    Parameters
    ----------
    n_iter_no_change : int
        Passes without a fall of the mean loss by ``tol`` after which an output has learned.
    tol : float or None
        None goes on to the last pass.
    """

    _scales_weights = False
    _parameter_constraints = {"tol": [object], "n_iter_no_change": [int]}

    tol: Any = 1e-3
    n_iter_no_change: int = 5

    # Where the learning starts, if not at zero, and the weight of each class.
    start_: Any = field(init=False)
    factors_: np.ndarray = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = DenseEncoder.learn(matrix, weight, None)
        walk = Walk.over(encoder, matrix, y, weight)
        k = self._outputs()
        weights = np.zeros((k, encoder.width + 1))
        if self.__dict__.get("start_") is not None:
            weights[:] = self.start_
        seeds: Any = [self.random_state]
        if k > 1:
            seeds = check_random_state(self.random_state).randint(_LARGEST_SEED, size=k)
        passes = []
        for output, seed in enumerate(seeds):
            mine = walk.labels == (1 if k == 1 else output)
            # Against the rest only the class itself is weighed.
            factors = self.factors_ if k == 1 else np.array([1.0, self.factors_[output]])
            labels = mine.astype(np.int32)
            own = factors[labels] * (1.0 if weight is None else weight)
            one = walk._replace(labels=labels, weight=own)
            weights[output], steps = self._visit(one, weights[output : output + 1], seed)
            passes.append(steps)
        self.n_iter_ = max(passes)
        return self._publish(self._as_model(encoder, weights))

    def _visit(self, walk: Walk, weights: np.ndarray, seed: Any) -> tuple[np.ndarray, int]:
        """Pass over the rows until the loss stops falling; return the weights and the number of passes."""
        n, best, waited = len(walk.labels), np.inf, 0
        random = check_random_state(seed)
        random.randint(1, _LARGEST_SEED)  # scikit-learn draws a number that it does not use before that of the order
        shuffle = _core.visiting_order(n, int(random.randint(_LARGEST_SEED)))
        order = np.arange(n)
        bias_rate = 1.0 if walk.matrix.sparse is None else _SPARSE_BIAS_RATE
        for step in range(1, self.max_iter + 1):
            order = order[shuffle] if self.shuffle else order
            rates = (float(self.eta0), bool(self.fit_intercept), walk.weight)
            passed, _, sound, loss = walk.kernel(
                *walk.rows, walk.labels, weights, order, *rates, at_zero=True, bias_rate=bias_rate
            )
            weights = passed[-1]
            if not sound:
                raise ValueError(
                    f"Floating-point under-/overflow occurred at epoch #{step}: scale the columns, for example with "
                    "StandardScaler."
                )
            mean = float(loss[0]) / n
            waited = waited + 1 if self.tol is not None and mean > best - self.tol else 0
            best = min(best, mean)
            if waited >= self.n_iter_no_change:
                return weights[0], step
        return weights[0], self.max_iter
