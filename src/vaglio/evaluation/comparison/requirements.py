"""Requirements on a learner besides accuracy: speed, robustness, scalability, size of the model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from joblib import delayed
from scipy.special import stdtrit

from vaglio.evaluation.metrics.intervals import Estimate
from vaglio.evaluation.metrics.scoring import Scorer
from vaglio.evaluation.rows import Part, Rows
from vaglio.evaluation.selection.candidates import Candidate
from vaglio.typing import Predictor

__all__ = [
    "Measured",
    "RequirementTrials",
    "growth_and_size",
    "growth_exponent",
    "model_size",
    "scaling",
    "score_with_missing",
    "score_with_noise",
]

# Below this many seconds a single fit measures the computer rather than the learner.
_MEASURABLE = 0.05
# Each size is trained and predicted so many times, or until this has taken so many seconds.
_REPEATS, _LONG = 5, 2.0


def _score(candidate: Candidate, train: Rows, test: Rows, scorer: Scorer) -> float | None:
    """Score on the test rows, or None if the learner does not accept such data."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = train.fit(candidate.make({}))
            return test.score(scorer, model, test.labels(model))
    except Exception:  # noqa: BLE001 - a failure is a result here: None
        return None


def score_with_noise(
    candidate: Candidate, rows: Rows, fold: tuple[Part, Part], scorer: Scorer, share: float, key: Sequence[int]
) -> float | None:
    """Score after training on targets of which a share is changed; the targets of the test rows stay correct.

    None where the learner does not accept such data.
    """
    train, test = fold
    return _score(candidate, rows.take(train).with_noise(share, key), rows.take(test), scorer)


def score_with_missing(
    candidate: Candidate, rows: Rows, fold: tuple[Part, Part], scorer: Scorer, share: float, key: Sequence[int]
) -> float | None:
    """Score where a share of the values is missing, in training and test; None if the learner takes none."""
    train, test = fold
    incomplete = rows.with_missing(share, key)
    return _score(candidate, incomplete.take(train), incomplete.take(test), scorer)


def growth_and_size(
    candidate: Candidate, rows: Rows, shares: Sequence[float], seed: int
) -> tuple[tuple[dict[str, Any], ...], dict[str, int]]:
    """How the times grow with the rows, and the size of a model of all rows."""
    points, size = [], None
    for point, part, model in scaling(candidate, rows, shares, seed=seed):
        points.append(point)
        # A part is in the order of the table: one of all rows is the table.
        if len(part) == len(rows):
            size = model_size(model)
    if size is None:
        size = model_size(rows.fit(candidate.make({})))
    return tuple(points), size


def scaling(
    candidate: Candidate, rows: Rows, shares: Sequence[float], *, seed: int
) -> Iterator[tuple[dict[str, Any], Rows, Any]]:
    """Median seconds to train and to predict against the number of rows, with all times of training.

    Each comes with the rows and their last model. The first fit and prediction are not counted: they load code and fill
    caches.
    """
    parts = rows.growing(sorted(shares), seed)
    for part in parts[:1]:
        _seconds(candidate, part, quiet=True)
    for part in parts:
        # What is to be said of the rows is said once, by the first training on the most of them.
        *seconds, model = _seconds(candidate, part, quiet=part is not parts[-1])
        times = [seconds]
        while len(times) < _REPEATS and np.sum(times) < _LONG:
            *seconds, model = _seconds(candidate, part, quiet=True)
            times.append(seconds)
        fit, predict = np.median(times, axis=0).tolist()
        fits = tuple(fit for fit, _ in times)
        yield {"rows": len(part), "fit": fit, "predict": predict, "fits": fits}, part, model


def _seconds(candidate: Candidate, part: Rows, quiet: bool) -> tuple[float, float, Any]:
    """Seconds to train on a part of the rows and to predict it, and the model."""
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        start = time.perf_counter()
        model = part.fit(candidate.make({}))
        fitted = time.perf_counter()
        part.predict_all(model)
        return fitted - start, time.perf_counter() - fitted, model


def growth_exponent(points: Sequence[Mapping[str, Any]], confidence: float = 0.95) -> Estimate:
    """The exponent of the growth of the training time with the rows: 1 is linear, 2 quadratic; NaN if too short.

    The interval comes from the line through the logarithms of all repeated times; it is NaN if there are fewer than
    three.

    >>> points = [{"rows": n, "fit": n**2 / 1e4, "fits": (n**2 / 1e4, n**2 / 0.9e4)} for n in (100, 200, 400)]
    >>> found = growth_exponent(points)
    >>> round(found.value, 2), found.low < 2 < found.high
    (2.0, True)
    """
    nothing = float("nan")
    if len(points) < 2 or max(p["fit"] for p in points) < _MEASURABLE:
        return Estimate(nothing, nothing, nothing)
    pairs = np.array([(p["rows"], max(t, 1e-9)) for p in points for t in p.get("fits", (p["fit"],))])
    from scipy.stats import linregress  # imports more than a comparison does

    line = linregress(*np.log(pairs).T)
    if len(pairs) < 3:
        return Estimate(float(line.slope), nothing, nothing)
    reach = float(stdtrit(len(pairs) - 2, 0.5 + confidence / 2) * line.stderr)
    return Estimate(float(line.slope), float(line.slope) - reach, float(line.slope) + reach)


def model_size(model: Predictor) -> dict[str, int]:
    """The size of a model: nodes, rules, weights."""
    # Of an ensemble, estimator_ is the prototype of its members, which is not fitted.
    inner = model if hasattr(model, "estimators_") else getattr(model, "estimator_", model)
    if hasattr(inner, "steps"):
        inner = inner.steps[-1][1]
    if hasattr(inner, "fitted_"):
        return dict(inner.fitted_.model.size())
    if hasattr(inner, "tree_"):
        return {"nodes": int(inner.tree_.node_count)}
    if hasattr(inner, "estimators_"):
        # Not an array of a list: a forest in it would be taken for a sequence of its trees.
        held = inner.estimators_
        parts = [model_size(part) for part in (held.ravel() if isinstance(held, np.ndarray) else held)]
        return {key: sum(part.get(key, 0) for part in parts) for key in dict.fromkeys(k for p in parts for k in p)}
    for attribute, name in (("coef_", "weights"), ("coefs_", "weights"), ("_fit_X", "stored rows")):
        if hasattr(inner, attribute):
            value = getattr(inner, attribute)
            if name == "stored rows":
                return {name: int(value.shape[0])}
            return {name: sum(int(np.size(w)) for w in (value if isinstance(value, list) else [value]))}
    return {}


@dataclass(frozen=True)
class Measured:
    """Robustness, growth and size of one learner; see :class:`~vaglio.evaluation.LearnerReport`."""

    noise: Mapping[float, float | None]
    missing: Mapping[float, float | None]
    scaling: tuple[Mapping[str, Any], ...]
    size: Mapping[str, int]

    def told(self, sign: int) -> Measured:
        """The same with the scores as they are told: -1 for costs, whose scores are negative."""
        noise, missing = (
            {share: None if score is None else sign * score for share, score in scores.items()}
            for scores in (self.noise, self.missing)
        )
        return replace(self, noise=noise, missing=missing)


@dataclass(frozen=True)
class RequirementTrials:
    """What is to be measured.

    Attributes
    ----------
    rows : Rows
    folds : sequence of (training rows, test rows)
        For the robustness.
    scorer : callable
    noise, missing, sizes : sequence of float
        Shares, as in :func:`vaglio.compare`.
    seed : int
    """

    rows: Rows
    folds: Sequence[tuple[Part, Part]]
    scorer: Scorer
    noise: Sequence[float]
    missing: Sequence[float]
    sizes: Sequence[float]
    seed: int

    def run(self, candidates: Sequence[Candidate], *, n_jobs: int | None, long: bool) -> Iterator[Measured]:
        """Measure the candidates, in their order.

        Parameters
        ----------
        candidates : sequence of Candidate
            The slowest first, so that no process is left with it in the end.
        n_jobs : int, optional
            Processes; rows out of core are learned from in this one.
        long : bool
            Whether the work is known to take long enough for processes.
        """
        tasks = (task for candidate in candidates for task in self._tasks(candidate))
        found = self.rows.results(tasks, n_jobs, long=long)
        for _ in candidates:
            scaling, size = next(found)
            noise, missing = (
                {share: _mean(list(islice(found, len(self.folds)))) for share in shares}
                for shares in (self.noise, self.missing)
            )
            yield Measured(noise, missing, scaling, size)

    def _tasks(self, candidate: Candidate) -> Iterator[Any]:
        # The longest task comes first.
        yield delayed(growth_and_size)(candidate, self.rows, self.sizes, self.seed)
        for number, (score, shares) in enumerate(
            ((score_with_noise, self.noise), (score_with_missing, self.missing)), start=1
        ):
            for share in shares:
                for i, fold in enumerate(self.folds):
                    yield delayed(score)(candidate, self.rows, fold, self.scorer, share, [self.seed, i, number])


def _mean(found: Sequence[float | None]) -> float | None:
    known = [value for value in found if value is not None]
    return float(np.mean(known)) if len(known) == len(found) else None
