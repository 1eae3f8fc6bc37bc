"""Naive Bayes in passes: a sample where numbers need bins, then one look at all rows."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

import numpy as np

from vaglio.engines.passes import Chunk, Facts, Pass
from vaglio.engines.row_samples import Rows, sample_rows
from vaglio.engines.value_counts import SAMPLE_ROWS, cells_of, count_values, needs_sample
from vaglio.errors import InputError
from vaglio.learners.bayes.estimators.class_statistics import Moments, Statistics
from vaglio.learners.bayes.estimators.density_choice import MOST_COLUMNS, MOST_ROWS
from vaglio.learners.bayes.estimators.likelihoods import NumericGroups, groups_of_counts, resolve_likelihoods
from vaglio.learners.bayes.estimators.named import Strengths, named_of_moments, takes
from vaglio.learners.bayes.model.named_likelihood import DISTRIBUTIONS, possible
from vaglio.learners.bayes.passes.counting import Counted, CountingPlan


def chooses_density(likelihood: Any, facts: Facts) -> bool:
    """Return whether "auto" looks at the rows themselves: in tables so small that they are gathered."""
    asked = resolve_likelihoods(likelihood, facts.codebook.features)
    return facts.n_rows <= MOST_ROWS and 0 < sum(kind == "auto" for kind in asked.values()) <= MOST_COLUMNS


def naive_passes(
    likelihood: Any, strengths: Strengths, facts: Facts
) -> Generator[Pass, Any, tuple[Statistics, NumericGroups]]:
    """Ask for what naive Bayes needs; return the statistics and the likelihoods of the numeric columns."""
    features = facts.codebook.features
    asked = resolve_likelihoods(likelihood, features)
    block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    place = {j: at for at, j in enumerate(block)}
    position = np.array([place.get(j, -1) for j in range(len(features))], dtype=np.int64)
    yield from _refuse_impossible(asked, position, facts)
    counted = [int(position[j]) for j, kind in asked.items() if kind in ("auto", "mdl", "discrete")]
    # A frequency belongs to one number: bins would make one of many.
    exact = {int(position[j]) for j, kind in asked.items() if kind == "discrete"}
    kernels = [int(position[j]) for j, kind in asked.items() if kind == "kde"]
    sample: Rows | None = None
    if kernels or needs_sample(facts, set(counted) - exact):
        sample = yield from sample_rows(facts, SAMPLE_ROWS, 0)
    logarithms = [int(position[j]) for j, kind in asked.items() if kind == "lognormal"]
    plan = CountingPlan.of(facts, cells_of(facts, counted, sample, exact), logarithms)
    found: Counted = yield plan.counting()
    statistics = found.statistics(plan, facts)
    by_column = found.value_counts(plan) | _of_sample(kernels, sample, facts)
    counts = {j: by_column[int(position[j])] for j in asked if int(position[j]) in by_column}
    moved = None if plan.logarithms is None else Moments(*plan.logarithms.moments(found.logarithms))
    named = named_of_moments(asked, position, statistics.moments, moved, strengths)
    return statistics, groups_of_counts(asked, counts, statistics.moments, position, named, strengths)


def _of_sample(columns: list[int], sample: Rows | None, facts: Facts) -> dict[int, Any]:
    """Return the values of the columns under a kernel density, from the sampled rows."""
    if sample is None or not columns:
        return {}
    from vaglio.engines.value_counts import Cells

    cells = Cells(tuple(columns), (None,) * len(columns))
    counts = count_values(cells, facts.n_classes, Chunk(sample.matrix, sample.y, sample.weight, 0))
    return {j: each.triples() for j, each in zip(columns, counts)}


def _refuse_impossible(asked: dict[int, str], position: np.ndarray, facts: Facts) -> Generator[Pass, Any, None]:
    chosen = {j: kind for j, kind in asked.items() if kind in DISTRIBUTIONS}
    if not chosen:
        return
    columns = [(int(position[j]), kind) for j, kind in chosen.items()]
    wrong = yield Pass("checking distributions", partial(_first_impossible, columns), _earlier)
    for (j, kind), (row, value) in zip(chosen.items(), wrong):
        if row >= 0:
            raise InputError(
                f"Column {facts.codebook.features[j].name!r} has {value:g} in row {row}, but the likelihood {kind!r} "
                f"takes {takes(kind)}: correct it, or choose another likelihood for this column."
            )


def _first_impossible(columns: list[tuple[int, str]], chunk: Chunk) -> list[tuple[int, float]]:
    found = []
    for j, kind in columns:
        x = chunk.matrix.numeric[:, j]
        wrong = np.flatnonzero(~possible(kind, x) & ~np.isnan(x))
        found.append((chunk.start + int(wrong[0]), float(x[wrong[0]])) if wrong.size else (-1, 0.0))
    return found


def _earlier(a: list[tuple[int, float]], b: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return [min((each for each in pair if each[0] >= 0), default=(-1, 0.0)) for pair in zip(a, b)]
