"""How rows become numbers for linear models and networks, learned in passes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from vaglio.encode import DenseEncoder
from vaglio.engines.moments import MomentPlan
from vaglio.engines.passes import Facts, Pass
from vaglio.errors import InputError
from vaglio.learners.belief import belief_passes
from vaglio.learners.inputs import note_belief


def encoder_passes(
    estimator: Any, facts: Facts, whole: bool = False, **how: bool
) -> Generator[Pass, Any, DenseEncoder]:
    """Ask for means, deviations and tables of nominal columns; return the encoder.

    Parameters
    ----------
    estimator : LinearClassifier or network
    facts : Facts
    whole : bool
        Whether a nominal column is believed wholly or not at all.
    **how : bool
        ``drop_first`` of the encoder.
    """
    features, p = facts.codebook.features, len(facts.low)
    if estimator.preprocess is None:
        _refuse_as_is(facts)
        note_belief(estimator, features, {})
        return DenseEncoder(features, np.zeros(p), np.ones(p), np.full(p, np.nan), as_is=True)
    believed = yield from belief_passes(estimator, facts, whole)
    plan = MomentPlan.of(facts, range(p), 1)
    weight, mean, deviation = plan.moments((yield Pass("means and deviations", plan.summarize)))
    variance = np.divide(deviation[0], weight[0], out=np.zeros(p), where=weight[0] > 0)
    spread = np.sqrt(variance)
    scale = np.where(np.isfinite(spread) & (spread > 0), spread, 1.0)
    centre = mean[0]
    shown = None if (believed == 1).all() else believed
    return DenseEncoder(features, centre, scale, centre.copy(), bool(how.get("drop_first")), reliability=shown)


def _refuse_as_is(facts: Facts) -> None:
    for feature in facts.codebook.features:
        if feature.is_nominal:
            raise InputError(
                f"Column {feature.name!r} is nominal, and preprocess=None uses X as it is: encode it as numbers first, "
                "or use preprocess='auto'."
            )
    if facts.missing.any():
        raise InputError(
            "X contains NaN, and with preprocess=None nothing is imputed: fill the missing values first, or use "
            "preprocess='auto'."
        )
