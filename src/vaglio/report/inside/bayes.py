"""Bayesian models: the distribution of each column in each class, the network of dependences, the components."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.fitted import Fitted
from vaglio.model.bayes.likelihood import CATEGORY, VALUE
from vaglio.report.format import figure, percent
from vaglio.report.inside._chapter import chapters
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import clip, listed, plural

# Classes, network nodes and values per column that fit the width of a page.
_MOST_CLASSES = 8
_MOST_NODES = 40
_MOST_CELLS = 3
# A value whose frequency differs by less between the classes does not separate them.
_LEAST_SPREAD = 0.05


@chapters.register("naive-bayes")
def bayes_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    assert fitted.classes is not None
    labels = [clip(label, 30) for label in fitted.classes.tolist()]
    shown = np.sort(np.argsort(-model.prior, kind="stable")[:_MOST_CLASSES]).tolist()
    ranks = {score.attribute: place for place, score in enumerate(study.audit.ranking)}
    features = fitted.codebook.features
    rows = _gaussian_rows(model.gaussian, features, shown) + _table_rows(model.table, features, shown)
    rows += _named_rows(model.named, features, shown) + _kernel_rows(model.kernel, features, shown)
    rows.sort(key=lambda row: ranks.get(row["name"], len(ranks)))  # stable: cells of a column stay in order
    left_out = len({row["name"] for row in rows[limits.weights :]} - {row["name"] for row in rows[: limits.weights]})
    note = (
        "How frequent a value is in each class, for the values that differ most between classes; for numbers, mean ± "
        "standard deviation."
    )
    if left_out:
        note += f" Columns of the largest information gain; {plural(left_out, 'further column')} not shown."
    if len(labels) > len(shown):
        note += f" The {len(shown)} most frequent of {plural(len(labels), 'class')}."
    part = {
        "type": "table",
        "title": "Distribution of each column in each class",
        "head": ["column", *(labels[k] for k in shown)],
        "rows": [[clip(row["text"], 60), *row["cells"]] for row in rows[: limits.weights]],
        "note": note,
    }
    said = ["The model treats the columns as independent within a class and multiplies their probabilities."]
    return said, [part] if rows else []


def _gaussian_rows(group: Any, features: Any, shown: list[int]) -> list[dict[str, Any]]:
    rows = []
    for t, j in enumerate(group.feature.tolist()):
        cells = [f"{figure(group.mean[t, k], 3)} ± {figure(float(np.sqrt(group.variance[t, k])), 2)}" for k in shown]
        rows.append({"name": features[j].name, "text": features[j].name, "cells": cells})
    return rows


def _named_rows(group: Any, features: Any, shown: list[int]) -> list[dict[str, Any]]:
    """Mean of a Poisson or exponential distribution; median of a log-normal one and the factor of its spread."""
    rows = []
    for t, j in enumerate(group.feature.tolist()):
        kind = group.distribution_of(t)
        cells = [figure(group.mean[t, k], 3) for k in shown]
        if kind == "lognormal":
            middle, factor = np.exp(group.mean[t]), np.exp(np.sqrt(group.variance[t]))
            cells = [f"{figure(float(middle[k]), 3)} ×/÷ {figure(float(factor[k]), 2)}" for k in shown]
        said = {"poisson": "Poisson mean", "exponential": "exponential mean", "lognormal": "log-normal median"}[kind]
        rows.append({"name": features[j].name, "text": f"{clip(features[j].name, 36)} ({said})", "cells": cells})
    return rows


def _kernel_rows(group: Any, features: Any, shown: list[int]) -> list[dict[str, Any]]:
    """Range of the training values under a kernel density."""
    rows = []
    for t, j in enumerate(group.feature.tolist()):
        values = [group.values(t, k) for k in shown]
        cells = [f"{figure(float(seen[0]), 3)} to {figure(float(seen[-1]), 3)}" for seen in values]
        name = features[j].name
        rows.append({"name": name, "text": f"{clip(name, 36)} (kernel density)", "cells": cells})
    return rows


def _table_rows(group: Any, features: Any, shown: list[int]) -> list[dict[str, Any]]:
    """For each column of categories or intervals, the values whose frequency differs most between the classes."""
    rows = []
    for t, j in enumerate(group.feature.tolist()):
        frequency = group.probability(t)
        spread = frequency.max(axis=0) - frequency.min(axis=0)
        for cell in np.sort(np.argsort(-spread, kind="stable")[:_MOST_CELLS]).tolist():
            if spread[cell] < _LEAST_SPREAD:
                continue
            cells = [percent(float(frequency[k, cell])) for k in shown]
            name = features[j].name
            rows.append(
                {"name": name, "text": f"{clip(name, 36)} {_cell(group, t, cell, features[j])}", "cells": cells}
            )
    return rows


def _cell(group: Any, t: int, cell: int, feature: Any) -> str:
    """A value or an interval of a column, as text."""
    if group.table_kind[t] == CATEGORY:
        return f"= {clip(feature.categories[cell], 24)}" if cell < len(feature.categories) else "= another value"
    if group.table_kind[t] == VALUE:
        return f"= {figure(float(group.points(t)[cell]))}"
    cuts = group.cuts(t)
    if cell == 0:
        return f"≤ {figure(float(cuts[0]))}" if len(cuts) else "at any value"
    if cell == len(cuts):
        return f"> {figure(float(cuts[-1]))}"
    return f"{figure(float(cuts[cell - 1]))} to {figure(float(cuts[cell]))}"


@chapters.register("bayes-net")
def network_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    names = [feature.name for feature in fitted.codebook.features]
    edges = [(names[parent], names[j]) for j, above in enumerate(model.parents) for parent in above]
    said = [f"Every column depends on the class; {plural(len(edges), 'arrow')} between columns were learned."]
    if len(names) > _MOST_NODES:
        said.append(f"With {plural(len(names), 'column')} the network is too large to draw.")
        return said, []
    short = {name: clip(name, 24) for name in names}
    if len(set(short.values())) < len(short):
        short = {name: f"{i}: {clip(name, 20)}" for i, name in enumerate(names, start=1)}
    part = {
        "type": "network",
        "title": "The network",
        "target": clip(study.target, 24),
        "names": [short[name] for name in names],
        "edges": [[short[a], short[b]] for a, b in edges],
        "note": "Light lines lead from the class to every column, arrows from a column to one that depends on it.",
    }
    return said, [part]


@chapters.register("gaussian-mixture")
def mixture_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    assert fitted.classes is not None
    parts = [f"{label} {n}" for label, n in zip(fitted.classes.tolist(), np.diff(model.start).tolist())]
    return [f"Gaussian components by class: {listed(parts, 12)}."], []
