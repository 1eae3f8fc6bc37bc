"""Naive Bayes: a sum of logarithms over the columns for each class."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.export_node import EXPONENTIAL, KERNEL, LOGNORMAL, POISSON, Exporter, ExportNode
from vaglio.fitted import Fitted
from vaglio.fitted.show import PAPER
from vaglio.learners.bayes.model.gaussian_mixture import GaussianMixtureModel
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.messages.message import text


def node_of_naive_bayes(model: NaiveBayesModel, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
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
    return ExportNode("bayes", n_classes, fields)


def _kernel(group: Any, t: int, n_classes: int) -> np.ndarray:
    """For each class: number of values, bandwidth, what the density is divided by (as a logarithm), values, weights."""
    found = []
    for label in range(n_classes):
        part = group.part(t, label)
        values, weight, width = group.value[part], group.weight[part], float(group.bandwidth[t, label])
        scale = math.log(weight.sum()) + math.log(width) + 0.5 * math.log(2 * math.pi)
        found += [np.array([len(values), width, scale]), values, weight]
    return np.concatenate(found)


def node_of_gaussians(model: GaussianMixtureModel, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    """Normal densities over several columns together; the member is naive Bayes over the others."""
    fields = {
        "feature": model.feature,
        "start": model.start,
        "log_weight": np.log(model.weight),
        "mean": model.mean,
        "covariance": model.covariance,
    }
    return ExportNode("gaussian", n_classes, fields, (node_of_naive_bayes(model.naive, features, n_classes),))


def compile_naive_bayes(model: NaiveBayesModel, features: tuple[Feature, ...]) -> Any:
    """Return the sums of logarithms compiled for single rows; None where a density has no compiled form."""
    if len(model.kernel) or len(model.named) or len(model.words):
        return None
    terms = model.terms
    nominal = np.array([feature.is_nominal for feature in features], dtype=bool)
    place = np.where(nominal, np.cumsum(nominal), np.cumsum(~nominal)) - 1
    return _core.bayes_scorer(
        model.log_prior,
        terms.kind.astype(np.int32),
        place[terms.feature].astype(np.int32),
        terms.size.astype(np.int64),
        terms.start,
        terms.flat,
        int((~nominal).sum()),
        int(nominal.sum()),
    )


def network_formats(fitted: Fitted) -> dict[str, Callable[[], Any]]:
    """Return the forms of a network's own."""

    def svg() -> str:
        from vaglio.plot.network import draw_network

        network: Any = fitted.model
        names = fitted.codebook.names
        edges = [(names[above], names[child]) for child, group in enumerate(network.parents) for above in group]
        return draw_network(str(fitted.provenance.get("target", "class")), names, edges)

    return {"svg": svg}


def show_network(fitted: Fitted) -> str:
    """Return the network as HTML."""
    return PAPER.format(fitted.export("svg"))


def _counted_words(model: NaiveBayesModel, features: tuple[Feature, ...]) -> str | None:
    words = getattr(model, "naive", model).words
    if not len(words):
        return None
    return text("it counts the words of column {column!r}", column=features[int(words.feature[0])].name)


EXPORTERS = {
    "naive-bayes": Exporter("bayes", node_of_naive_bayes, _counted_words),
    "gaussian-mixture": Exporter("gaussian", node_of_gaussians, _counted_words),
}
