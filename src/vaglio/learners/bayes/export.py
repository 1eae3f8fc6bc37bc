"""Naive Bayes: a sum of logarithms over the columns for each class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.part import EXPONENTIAL, KERNEL, LOGNORMAL, POISSON, Part, parts


@parts.register("naive-bayes")
def _naive_bayes(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    terms = model.terms
    kinds, columns, sizes = terms.kind.tolist(), terms.feature.tolist(), terms.size.tolist()
    numbers = list(terms.numbers)
    for t, j in enumerate(model.kernel.feature.tolist()):
        kinds.append(KERNEL)
        columns.append(j)
        sizes.append(0)
        numbers.append(_kernel(model.kernel, t, n_classes))
    for t, j in enumerate(model.named.feature.tolist()):
        kinds.append((POISSON, EXPONENTIAL, LOGNORMAL)[int(model.named.distribution[t])])
        columns.append(j)
        sizes.append(0)
        numbers.append(np.concatenate([model.named.mean[t], model.named.variance[t]]))
    fields = {
        "prior": model.log_prior,
        "term": np.array(kinds, dtype=np.int64),
        "feature": np.array(columns, dtype=np.int64),
        "size": np.array(sizes, dtype=np.int64),
        "start": np.cumsum([0, *map(len, numbers)]),
        "numbers": np.concatenate([np.zeros(0), *numbers]),
    }
    return Part("bayes", n_classes, fields)


def _kernel(group: Any, t: int, n_classes: int) -> np.ndarray:
    """For each class: number of values, bandwidth, what the density is divided by (as a logarithm), values, weights."""
    found = []
    for label in range(n_classes):
        part = group.part(t, label)
        values, weight, width = group.value[part], group.weight[part], float(group.bandwidth[t, label])
        scale = math.log(weight.sum()) + math.log(width) + 0.5 * math.log(2 * math.pi)
        found += [np.array([len(values), width, scale]), values, weight]
    return np.concatenate(found)


@parts.register("gaussian-mixture")
def _gaussian(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    """Normal densities over several columns together; the member is naive Bayes over the others."""
    fields = {
        "feature": model.feature,
        "start": model.start,
        "log_weight": np.log(model.weight),
        "mean": model.mean,
        "covariance": model.covariance,
    }
    return Part("gaussian", n_classes, fields, (_naive_bayes(model.naive, features, n_classes),))
