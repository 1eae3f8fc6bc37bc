"""Neighbours: the training rows themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import Feature, shown_share
from vaglio.export.part import Part


def part_of_neighbors(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    """Numbers are divided by their scale; codes are numbers too, NaN where they are missing."""
    nominal = np.array([feature.is_nominal for feature in features])
    # What a difference costs in each nominal column, in the power of the metric.
    share = np.ones(model.codes.shape[1]) if model.reliability is None else shown_share(model.reliability)
    power = {"euclidean": 2.0, "minkowski": model.power}.get(model.metric, 1.0)
    fields = {
        "number": np.flatnonzero(~nominal),
        "nominal": np.flatnonzero(nominal),
        "scale": model.scale,
        "numbers": model.scaled,
        "cost": share**power,
        "codes": np.where(model.codes < 0, np.nan, model.codes.astype(np.float64)),
        "target": model.target.astype(np.float64),
        "weight": model.weight,
        "numbers_out": int(n_classes == 0),
        "k": min(model.k, model.n_rows),
        "metric": model.metric,
        "power": float(model.power),
        "vote": model.vote,
        "absent": np.zeros(0) if model.absent is None else model.absent.astype(np.float64),
    }
    return Part("neighbors", max(n_classes, 1), fields)
