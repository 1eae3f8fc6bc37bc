"""Naive Bayes: the count tables, the fractions, the product, the normalisation."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import count, fixed
from vaglio.document.training import Training
from vaglio.learners.bayes.model.posterior import values_seen
from vaglio.learners.bayes.trace.frequencies import cells_of, count_table, smoothed_fraction, write_frequencies
from vaglio.learners.bayes.trace.number_densities import DENSITIES
from vaglio.learners.bayes.trace.product import Factor, write_priors, write_product

# The effect of smoothing on a fraction is shown for these α: from none to so much that only 1/V remains.
_ALPHAS = (0.0, 1.0, 10.0, 100.0, 10000.0)


def trace_naive_bayes(page: Page, training: Training) -> None:
    """Write priors, one table per attribute and, for a row, the product and its normalisation."""
    say = page.say
    page.section(say("priors"))
    page.text(say("nb_rule"))
    prior, written = write_priors(page, training, training.estimator.priors is not None)
    page.section(say("likelihoods"))
    alpha = float(training.estimator.alpha)
    page.text(say("nb_smoothing", alpha=count(alpha)))
    factors = [factor for j in range(len(training.features)) if (factor := _attribute(page, training, j, alpha))]
    _duplicates(page, training)
    if training.row is None:
        page.text(say("no_row"))
        return
    write_product(page, training, factors, prior, written)
    _growing_alpha(page, training)


# -- one attribute -----------------------------------------------------------------------------------------------------
def _attribute(page: Page, training: Training, j: int, alpha: float) -> Factor | None:
    """Write the table of an attribute; return its factor if there is a row with a value."""
    how = training.estimator.likelihoods_.get(training.features[j].name)
    if how is None:
        return None
    page.section(training.features[j].name, level=2)
    if how in DENSITIES:
        return DENSITIES[how](page, training, j)
    return write_frequencies(page, training, j, alpha, training.model.table)


def _growing_alpha(page: Page, training: Training) -> None:
    """As α grows, each frequency tends to 1/V: shown for the first nominal attribute."""
    believed = training.model.table.reliabilities
    nominal = [j for j, feature in enumerate(training.features) if feature.is_nominal and believed[j] == 1]
    if not nominal or training.row is None:
        return
    j = nominal[0]
    code = int(training.row.codes[0, training.matrix.position[j]])
    if code < 0:
        return
    names, cells, _ = cells_of(training, j, training.model.table)
    table = count_table(training, cells, len(names))
    seen = values_seen(table)
    page.section(page.say("growing_alpha"), level=2)
    page.text(page.say("growing_alpha_is", name=training.features[j].name, value=names[code], limit=f"1/{seen}"))
    rows = [
        [
            count(a),
            *(fixed(smoothed_fraction(table[c, code], table[c].sum(), a, seen)[1]) for c in range(len(table))),
        ]
        for a in _ALPHAS
    ]
    page.table(["α", *training.classes], rows)


def _duplicates(page: Page, training: Training) -> None:
    """Say which pairs of columns carry the same information, since naive Bayes counts it twice."""
    columns = {
        j: cells_of(training, j, training.model.table)[1]
        for j, feature in enumerate(training.features)
        if feature.is_nominal
    }
    for a, b in combinations(columns, 2):
        first, second = columns[a], columns[b]
        same = (
            len(np.unique(np.column_stack([first, second]), axis=0)) == len(np.unique(first)) == len(np.unique(second))
        )
        if same and len(np.unique(first)) > 1:
            page.text(page.say("duplicate", a=training.features[a].name, b=training.features[b].name))
