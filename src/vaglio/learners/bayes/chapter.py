"""Bayesian models: the distribution of each column in each class, the network of dependences, the components."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import count_columns
from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.bayes.model.likelihood import CATEGORY, VALUE
from vaglio.messages.figures import figure, percent
from vaglio.messages.sentences import clip, listed, plural

# Classes, network nodes and values per column that fit the width of a page.
_MOST_CLASSES = 8
_MOST_NODES = 40
_MOST_CELLS = 3
# Columns of a combination that fit one line.
_MOST_COLUMNS = 6
# A value whose frequency differs by less between the classes does not separate them.
_LEAST_SPREAD = 0.05


def bayes_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    labels, shown = _shown_classes(fitted)
    ranks = {name: place for place, name in enumerate(about.ranking)}
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
    note += _classes_left_out(labels, shown)
    part = {
        "type": "table",
        "title": "Distribution of each column in each class",
        "head": ["column", *(labels[k] for k in shown)],
        "rows": [[clip(row["text"], 60), *row["cells"]] for row in rows[: limits.weights]],
        "note": note,
    }
    said = ["The model treats the columns as independent within a class and multiplies their probabilities."]
    return said, [part] if rows else []


def _shown_classes(fitted: Fitted) -> tuple[list[str], list[int]]:
    """Names of all classes, and the codes of those that fit the page: the most frequent ones, in their order."""
    model: Any = fitted.model
    assert fitted.classes is not None
    labels = [clip(label, 30) for label in fitted.classes.tolist()]
    return labels, np.sort(np.argsort(-model.prior, kind="stable")[:_MOST_CLASSES]).tolist()


def _classes_left_out(labels: list[str], shown: list[int]) -> str:
    if len(labels) == len(shown):
        return ""
    return f" The {len(shown)} most frequent of {plural(len(labels), 'class')}."


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
        cells: list[str] = [figure(group.mean[t, k], 3) for k in shown]
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


def network_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
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
        "target": clip(about.target, 24),
        "names": [short[name] for name in names],
        "edges": [[short[a], short[b]] for a, b in edges],
        "note": "Light lines lead from the class to every column, arrows from a column to one that depends on it.",
    }
    return said, [part]


def mixture_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    assert fitted.classes is not None
    parts = [f"{label} {n}" for label, n in zip(fitted.classes.tolist(), np.diff(model.start).tolist())]
    return [f"Gaussian components by class: {listed(parts, 12)}."], []


def multinomial_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    said = [
        "The model adds up, for every count of a row, the logarithm of its share in the counts of the class; the class "
        "with the largest sum, prior included, is predicted."
    ]
    note = "Share of a word or column in all counts of the class."
    return said, _count_part(fitted, limits, "Words and columns that tell the classes apart", note)


def bernoulli_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    said = ["The model asks of every word or column whether it is there; its absence counts as evidence, too."]
    if model.binarize is not None and any(not feature.categories for feature in model.features):
        said.append(f"A number is there if it is above {figure(float(model.binarize))}.")
    note = "Share of the rows of the class that have the word or column."
    return said, _count_part(fitted, limits, "How often each word or column is there", note)


def _count_part(fitted: Fitted, limits: ChapterLimits, title: str, note: str) -> list[dict[str, Any]]:
    """The words whose probability differs most between two classes, by the ratio."""
    model: Any = fitted.model
    labels, shown = _shown_classes(fitted)
    names, _ = count_columns(model.features)
    # α keeps every probability above 0; without it a word that a class never has is infinitely telling.
    logarithm = np.maximum(model.log_probability, np.log(np.finfo(float).tiny))
    spread = logarithm.max(axis=0) - logarithm.min(axis=0)
    told = np.argsort(-spread, kind="stable")[: limits.weights]
    if not told.size:
        return []
    note += " The largest ratios between two classes come first."
    if len(names) > len(told):
        note += f" {plural(len(names) - len(told), 'further column')} not shown."
    rows = [[clip(names[w], 60), *(percent(float(np.exp(logarithm[k, w]))) for k in shown)] for w in told.tolist()]
    head = ["word or column", *(labels[k] for k in shown)]
    return [
        {"type": "table", "title": title, "head": head, "rows": rows, "note": note + _classes_left_out(labels, shown)}
    ]


def joint_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    labels, shown = _shown_classes(fitted)
    bins = model.bins
    occurred = f"{len(model.cell):,} of {plural(model.n_cells, 'combination')} of values occurred in training"
    said = [f"The model counts whole rows: {occurred}; every other one has the smoothing alone, as in all classes."]
    told = np.argsort(-model.count.sum(axis=0), kind="stable")[: limits.weights]
    columns = [j for j, size in enumerate(bins.size.tolist()) if size > 1][:_MOST_COLUMNS]
    if not told.size or not columns:
        return said, []
    rows = [
        [
            ", ".join(
                f"{clip(bins.features[j].name, 18)} {clip(bins.condition(j, int(model.cell[at, j])), 26)}"
                for j in columns
            ),
            *(figure(float(model.count[k, at])) for k in shown),
        ]
        for at in told.tolist()
    ]
    note = "Training rows of each class with this combination, the most frequent combinations first."
    if len(model.cell) > len(told):
        note += f" {plural(len(model.cell) - len(told), 'further combination')} not shown."
    hidden = int((bins.size > 1).sum()) - len(columns)
    if hidden:
        note += f" {plural(hidden, 'further column')} of each combination not shown."
    part = {
        "type": "table",
        "title": "The most frequent combinations of values",
        "head": ["combination", *(labels[k] for k in shown)],
        "rows": rows,
        "note": note + _classes_left_out(labels, shown),
    }
    return said, [part]
