"""Logistic regression: the log-odds of a class are a linear function of the columns."""

from __future__ import annotations

from dataclasses import field
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.engines.passes import Passes, TableSummary, as_generator
from vaglio.engines.row_samples import rows_pass
from vaglio.errors import DataWarning, InputError, NotSupportedError, warn
from vaglio.learners.inputs import gathered_rows
from vaglio.learners.linear.estimators.linear_classifier import LinearClassifier, as_labels
from vaglio.learners.linear.estimators.logistic_solver import (
    LARGEST_HESSIAN,
    LogisticProblem,
    MiniBatchDescent,
    Minimum,
    Schedule,
    hessian_cost,
    minimise,
    sample_places,
)
from vaglio.learners.linear.model import LinearModel
from vaglio.learners.linear.passes import PassedProblem, encoder_passes, reach_of
from vaglio.learners.parameters import COUNT, FROM_0_TO_1, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.messages.message import Message
from vaglio.typing import ColumnLike, TableLike

# Multiplications beyond which standard errors are left out: they would take about a second or more.
_DEAREST_INFERENCE = 5e9
_SOLVERS = ("auto", "newton-cholesky", "lbfgs", "minibatch")
# Solvers of scikit-learn that are ways to the minimum which "auto" finds.
_OTHER_NAMES = ("liblinear", "newton-cg", "sag", "saga")
# Passes without improvement after which mini-batch descent stops.
_PATIENCE = 5


Solver = Literal["auto", "lbfgs", "liblinear", "minibatch", "newton-cg", "newton-cholesky", "sag", "saga"]


@estimator
class LogisticRegression(LinearClassifier):
    """Logistic regression: P(y=1|x) = 1/(1 + exp(−(b + w·x))); with more classes, a softmax of linear functions.

    Minimises C·Σ loss + penalty, as scikit-learn does: by Newton's method where the Hessian is affordable (estimated
    from a part of the rows when there are very many), else by limited-memory BFGS; absolute penalties by proximal
    steps; ``solver="minibatch"`` goes through the rows batch by batch, and so does :meth:`partial_fit`.

    Parameters
    ----------
    penalty : {"auto", "l2", "l1", "elasticnet"} or None
        "auto" follows ``l1_ratio``: 0 is l2, 1 is l1, in between both; None is no penalty.
    C : float
        Inverse strength of the penalty; infinity is none.
    l1_ratio : float
        Share of the absolute penalty, for "auto" and "elasticnet".
    tol : float
        How near the minimum is near enough.
    solver : {"auto", "newton-cholesky", "lbfgs", "minibatch", "newton-cg", "sag", "saga", "liblinear"}
        How the loss is minimised. "auto" takes Newton's method where its Hessian is affordable, else limited-memory
        BFGS. There is one minimum, whoever finds it: scikit-learn's other names are taken and mean "auto", but that
        "liblinear" also penalises the intercept.
    intercept_scaling : float
        With ``solver="liblinear"`` the intercept is penalised as the coefficient of a column of this value.
    max_iter : int
        Largest number of iterations, or of passes over the rows for "minibatch".
    batch_size : int
        Rows per step of "minibatch".
    learning_rate : {"invscaling", "constant"}
        Schedule of "minibatch": the rate of step t is ``eta0 / t ** power_t``, or always ``eta0``.
    eta0 : float
        Learning rate of the first step of "minibatch".
    power_t : float
        How fast the learning rate of "invscaling" falls.
    preprocess : {"auto"} or None
        "auto" encodes nominal columns one-hot, standardises numbers and imputes missing values; None takes X as it is.
        Without a penalty the first category of a nominal column is the reference that the others are compared with.
    random_state : int, RandomState or None
        Seed of the order of the rows in "minibatch".

    Attributes
    ----------
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the solver reached ``tol`` within ``max_iter`` iterations.
    separated_ : bool
        Whether, without a penalty, hyperplanes separate the classes, so that no finite optimum exists.
    loss_ : float
        C·Σ loss + penalty at the end (mean loss where there is no penalty).

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("iris").xy("species")
    >>> vaglio.LogisticRegression().fit(X, y).score(X, y) > 0.95
    True
    """

    _learner_id = "logistic"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [StrOptions({"auto", "l2", "l1", "elasticnet"}), None],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": FROM_0_TO_1,
        "tol": POSITIVE,
        "solver": [StrOptions({*_SOLVERS, *_OTHER_NAMES})],
        "intercept_scaling": POSITIVE,
        "max_iter": COUNT,
        "batch_size": COUNT,
        "learning_rate": [StrOptions({"invscaling", "constant"})],
        "eta0": POSITIVE,
        "power_t": NOT_NEGATIVE,
    }

    penalty: Literal["auto", "l1", "l2", "elasticnet"] | None = field(default="auto", kw_only=False)
    C: float = 1.0
    l1_ratio: float = 0.0
    tol: float = 1e-4
    solver: Solver = "auto"
    intercept_scaling: float = 1.0
    max_iter: int = 1000
    batch_size: int = 256
    learning_rate: Literal["constant", "invscaling"] = "invscaling"
    eta0: float = 0.5
    power_t: float = 0.25
    n_jobs: int | None = None

    n_iter_: int = field(init=False)
    converged_: bool = field(init=False)
    separated_: bool = field(init=False)
    loss_: float = field(init=False)
    _curvature: np.ndarray | None = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = self._encoder(matrix, y, weight)
        return self._solved(encoder, self._problem(encoder.transform(matrix), y, weight))

    def _encoding(self) -> dict[str, bool]:
        return {"drop_first": self._strength() == 0}

    def _solved(self, encoder: DenseEncoder, problem: LogisticProblem) -> LinearModel:
        found = self._minimise(problem)
        theta = _centred(problem, found.theta)
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        value, self._curvature = _measured(problem, theta)
        self.loss_ = (value + problem.absolute(theta)) * problem.total * (self.C if self._strength() else 1.0)
        model = LinearModel(encoder, theta[:, :-1].copy(), theta[:, -1].copy())
        self.separated_ = self._strength() == 0 and problem.all_right(theta)
        self._report()
        return self._publish(model)

    def _refuse_passes(self) -> None:
        super()._refuse_passes()
        if self.solver == "minibatch":
            raise NotSupportedError(
                "minibatch-in-memory",
                "solver='minibatch' visits the rows in random order, which needs all of them in memory. "
                "Use solver='auto' for a scanned table.",
            )

    def _passes(self, facts: TableSummary) -> Passes:
        coefficients = self._outputs() * (sum(len(f.categories) or 1 for f in facts.codebook.features) + 1)
        places = sample_places(facts.n_rows, coefficients)
        if places is None:  # so few rows that the Hessian of the solver takes them all
            rows = yield from gathered_rows(facts)
            return self._learn(rows.matrix, rows.y, rows.weight)
        encoder = yield from encoder_passes(self, facts, **self._encoding())
        places = sample_places(facts.n_rows, self._outputs() * (encoder.width + 1))
        assert places is not None
        held = (yield rows_pass(places, "rows for the curvature")).joined(facts.threads)
        few, total = encoder.transform(held.matrix), float(facts.class_weight.sum())
        more = {
            "encoder": encoder,
            "places": held.index,
            "reach": reach_of(encoder, facts.low, facts.high),
            "whole": (facts.n_rows, total, facts.largest_weight),
        }

        def solve(ask: Any) -> LinearModel:
            fixed = self._setting(few, held.y, held.weight, total)
            return self._solved(encoder, PassedProblem(**fixed, **more, ask=ask))

        model: LinearModel = yield from as_generator(solve)
        return model

    def _minimise(self, problem: LogisticProblem) -> Minimum:
        start = self._held_start(problem.shape)
        start = np.zeros(problem.shape) if start is None else start
        if self.solver != "minibatch":
            solver = "auto" if self.solver in _OTHER_NAMES else self.solver
            return minimise(problem, start, solver, self.tol, self.max_iter)
        descent = MiniBatchDescent(start, self._schedule(), self.batch_size)
        random = check_random_state(self.random_state)
        best, waited = np.inf, 0
        for epoch in range(1, self.max_iter + 1):
            loss = descent.epoch(problem, random.permutation(problem.n_rows))
            waited = 0 if loss < best - self.tol * abs(loss) else waited + 1
            best = min(best, loss)
            if waited == _PATIENCE:
                return Minimum(descent.theta, epoch, True)
        return Minimum(descent.theta, self.max_iter, False)

    def partial_fit(
        self, X: TableLike, y: ColumnLike, classes: Any = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn from a chunk of a larger table: one pass of mini-batch descent from the present coefficients.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            The first chunk also fixes the encoding: let it be typical.
        y : array-like of shape (n_samples,)
        classes : array-like
            All classes; needed on the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        chunk = self._take_chunk(X, y, classes, sample_weight)
        if chunk.first:
            start, self._steps = np.zeros((self._outputs(), chunk.encoder.width + 1)), 0
            self.n_iter_, self.converged_, self.separated_ = 0, False, False
        else:
            start = self._present_weights()
        descent = MiniBatchDescent(start, self._schedule(), self.batch_size, getattr(self, "_steps", 0))
        problem = self._problem(chunk.encoder.transform(chunk.matrix), chunk.codes, chunk.weight)
        self.loss_ = descent.epoch(problem, np.arange(chunk.matrix.n_rows))
        self._steps, self._curvature = descent.steps, None
        self.n_iter_ += 1
        model = LinearModel(chunk.encoder, descent.theta[:, :-1].copy(), descent.theta[:, -1].copy())
        return self._keep_chunk(chunk, self._publish(model))

    def coefficients(self, confidence: float = 0.95) -> Any:
        """Return the coefficients in the units of the table, with odds ratios and how sure they are.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the interval for the odds ratio.

        Returns
        -------
        DataFrame
            ``class``, ``name``, ``coefficient``, ``odds_ratio`` (what one unit more multiplies the odds by); and for
            fits without an absolute penalty ``std_error``, ``odds_ratio_low``, ``odds_ratio_high``, ``z`` and
            ``p_value``. Errors come from the curvature of the penalised loss, of very many rows measured on 40 000
            evenly spaced ones; with a penalty they describe the spread around the shrunken value.
        """
        if not 0 < confidence < 1:
            raise InputError(
                "invalid-confidence",
                "confidence must be between 0 and 1, not {confidence}.",
                confidence=confidence,
            )
        frame = super().coefficients()
        with np.errstate(over="ignore"):
            frame["odds_ratio"] = np.exp(frame["coefficient"])
        if self._curvature is None:
            return frame
        error = np.sqrt(np.maximum(np.diag(self._covariance()), 0.0))
        margin = ndtri(0.5 + confidence / 2) * error
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            z = frame["coefficient"] / error
            return frame.assign(
                std_error=error,
                odds_ratio_low=np.exp(frame["coefficient"] - margin),
                odds_ratio_high=np.exp(frame["coefficient"] + margin),
                z=z,
                p_value=2 * ndtr(-np.abs(z)),
            )

    def _covariance(self) -> np.ndarray:
        """Invert the curvature and carry it over the change of units, in the order of :meth:`coefficients`."""
        encoder, outputs = self._model().encoder, self._outputs()
        width = encoder.width
        # More classes than two have one linear function too many: the pseudo-inverse fixes their sum.
        curvature: Any = self._curvature
        covariance = np.linalg.pinv(curvature, hermitian=True)
        if not self.fit_intercept:
            fixed = np.arange(width, outputs * (width + 1), width + 1)
            covariance[fixed, :] = covariance[:, fixed] = 0.0
        change = np.zeros((width + 1, width + 1))
        coef, intercept = encoder.to_original_units(np.eye(width), np.zeros(width))
        change[1:, :-1] = coef.T
        change[0, :-1], change[0, -1] = intercept, 1.0
        full = np.kron(np.eye(outputs), change)
        return full @ covariance @ full.T

    def _problem(self, rows: Any, codes: np.ndarray, weight: np.ndarray | None) -> LogisticProblem:
        total = float(len(codes) if weight is None else weight.sum())
        return LogisticProblem(**self._setting(rows, codes, weight, total))

    def _setting(self, rows: Any, codes: np.ndarray, weight: np.ndarray | None, total: float) -> dict[str, Any]:
        """Return the fields of the problem on rows that stand for a weight of ``total``."""
        strength, ratio = self._strength() / max(total, 1e-300), self._absolute_share()
        return {
            "rows": rows,
            "labels": as_labels(codes),
            "weight": weight,
            "outputs": self._outputs(),
            "l1": strength * ratio,
            "l2": strength * (1 - ratio),
            "fit_intercept": self.fit_intercept,
            "threads": self._threads(),
            "intercept_penalty": 1 / self.intercept_scaling if self.solver == "liblinear" else 0.0,
        }

    def _strength(self) -> float:
        """Return 1/C, or 0 without a penalty."""
        return 0.0 if self.penalty is None or np.isinf(self.C) else 1.0 / self.C

    def _absolute_share(self) -> float:
        return {"l1": 1.0, "l2": 0.0}.get(str(self.penalty), float(self.l1_ratio))

    def _schedule(self) -> Schedule:
        return Schedule(self.learning_rate, self.eta0, self.power_t)

    def _report(self) -> None:
        if self.separated_:
            warn(
                DataWarning(
                    "separable-classes",
                    "Hyperplanes separate the classes, so without a penalty the coefficients grow without "
                    "bound and their size is meaningless. Use a penalty.",
                )
            )
        elif not self.converged_:
            warn(
                Message(
                    "solver-not-converged",
                    "The solver {solver!r} did not converge: the loss was still falling after {n_iter:,} "
                    "{n_iter:iteration|iterations}. Raise max_iter or loosen tol.",
                    solver=self.solver,
                    n_iter=int(self.n_iter_),
                ),
                ConvergenceWarning,
            )


def _measured(problem: LogisticProblem, theta: np.ndarray) -> tuple[float, np.ndarray | None]:
    """Return the mean loss and the curvature of the sum at the end; None where that is too dear or means nothing."""
    if problem.l1 > 0 or theta.size > LARGEST_HESSIAN or hessian_cost(problem) > _DEAREST_INFERENCE:
        return problem.smooth(theta)[0], None
    places = sample_places(problem.n_rows, theta.size)
    if places is None:
        value, _, hessian = problem.curved(theta)
    else:
        value, hessian = problem.smooth(theta)[0], problem.hessian(theta, places)
    return value, problem.total * hessian


def _centred(problem: LogisticProblem, theta: np.ndarray) -> np.ndarray:
    """Fix what the loss leaves open: a softmax does not change when all its linear functions move together."""
    if problem.outputs == 1:
        return theta
    theta = theta.copy()
    if problem.intercept_penalty:
        return theta
    free = slice(None) if problem.l1 == problem.l2 == 0 else slice(-1, None)
    theta[:, free] -= theta[:, free].mean(axis=0)
    return theta
