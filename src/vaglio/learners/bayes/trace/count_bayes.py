"""Naive Bayes on counts: how often columns and words occur, the smoothed shares, and the product for a row."""

from __future__ import annotations

import numpy as np

from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.encode import EncodedMatrix, count_block, count_columns
from vaglio.learners.bayes.model.count_bayes import binarized
from vaglio.learners.bayes.trace.factors import Factor, smoothed_fraction, write_priors, write_product


def trace_multinomial_nb(page: Page, training: Training) -> None:
    """θ(w|c) is the share of a column in all counts of a class; a row contributes θ to the power of its counts."""
    names, _ = count_columns(training.features)
    alpha = _alpha(training)
    prior, written = _begin(
        page,
        training,
        page.say(
            "θ(w|c) = (n(w, c) + α)/(N(c) + α·W) is the share of column w in all counts of class c, where α = {alpha} "
            "and W = {columns} columns. A row with counts n has P(x|c) ∝ Π θ(w|c)^n.",
            alpha=page.say.count(alpha),
            columns=len(names),
        ),
    )
    table = _by_class(training, _dense(training.matrix))
    totals, size = table.sum(axis=1), len(names)
    page.formula(page.say.series(f"N({label}) = {page.say.count(n)}" for label, n in zip(training.classes, totals)))
    shares = [
        [smoothed_fraction(page.say, table[c, w], totals[c], alpha, size) for c in range(len(totals))]
        for w in range(size)
    ]
    row = None if training.row is None else _dense(training.row)[0]
    _write_table(page, training, names, table, shares, row)
    page.facts["counts"] = dict(zip(names, table.T.tolist()))
    if row is None:
        page.text(page.say("Give a row to see how it is classified."))
        return
    factors = []
    for w in np.flatnonzero(row).tolist():
        n, theta = float(row[w]), np.array([value for _, value in shares[w]])
        power = "" if n == 1 else f"^{page.say.short(n)}" if n == int(n) else f"^({page.say.short(n)})"
        texts = tuple(text if n == 1 else f"({text}){power}" for text, _ in shares[w])
        with np.errstate(divide="ignore"):
            logarithm = n * np.log(theta)
        factors.append(Factor(f"{names[w]}{'' if n == 1 else f' × {page.say.short(n)}'}", texts, theta**n, logarithm))
    write_product(page, training, factors, prior, written)


def trace_bernoulli_nb(page: Page, training: Training) -> None:
    """p(w|c) is the share of the rows of a class that have a column; a row without it contributes 1 − p."""
    names, owner = count_columns(training.features)
    alpha = _alpha(training)
    prior, written = _begin(
        page,
        training,
        page.say(
            "p(w|c) = (n(w, c) + α)/(n(c) + 2·α) is the share of the rows of class c that have column w, where α = "
            "{alpha}; there are {columns} columns. A column that the row has contributes p, a column that it lacks "
            "contributes 1 − p.",
            alpha=page.say.count(alpha),
            columns=len(names),
        ),
    )
    threshold = training.estimator.binarize
    if threshold is not None and any(not feature.categories for feature in training.features):
        page.text(page.say("A number above {threshold} counts as present.", threshold=page.say.short(float(threshold))))
    table = _by_class(training, _present(training.matrix, threshold))
    known = _by_class(training, (~training.matrix.missing).astype(float))[:, owner]
    shares = [
        [smoothed_fraction(page.say, table[c, w], known[c, w], alpha, 2) for c in range(len(table))]
        for w in range(len(names))
    ]
    row = None if training.row is None else _present(training.row, threshold)[0]
    _write_table(page, training, names, table, shares, row)
    page.facts["counts"] = dict(zip(names, table.T.tolist()))
    if row is None:
        page.text(page.say("Give a row to see how it is classified."))
        return
    assert training.row is not None
    factors = []
    for w in np.flatnonzero(~training.row.missing[0][owner]).tolist():
        p = np.array([value for _, value in shares[w]])
        texts = tuple(text for text, _ in shares[w])
        if row[w]:
            factors.append(Factor(names[w], texts, p))
        else:
            factors.append(Factor(f"¬ {names[w]}", tuple(f"(1 − {text})" for text in texts), 1 - p))
    for j in np.flatnonzero(training.row.missing[0]).tolist():
        page.text(
            page.say("{name} is missing in the row and is left out of the product.", name=training.features[j].name)
        )
    write_product(page, training, factors, prior, written)


def _begin(page: Page, training: Training, rule: str) -> tuple[np.ndarray, list[str]]:
    page.section(page.say("Prior probabilities"))
    given = not training.estimator.fit_prior or training.estimator.class_prior is not None
    prior, written = write_priors(page, training, given)
    page.section(page.say("Counts"))
    page.text(rule)
    return prior, written


def _write_table(
    page: Page,
    training: Training,
    names: list[str],
    table: np.ndarray,
    shares: list[list[tuple[str, float]]],
    row: np.ndarray | None,
) -> None:
    """Write the counts and shares. The columns of the row come first, since a long vocabulary is cut off."""
    marked = np.zeros(len(names), bool) if row is None else row != 0
    order = np.argsort(~marked, kind="stable") if len(names) > training.most_steps else np.arange(len(names))
    lines = [
        [
            names[w],
            *(page.say.count(n) for n in table[:, w]),
            *(f"{text} = {page.say.fixed(value)}" for text, value in shares[w]),
        ]
        for w in order.tolist()
    ]
    head = [page.say("column"), *(f"n({label})" for label in training.classes)]
    head += [f"P(·|{label})" for label in training.classes]
    page.table(head, lines, chosen=np.flatnonzero(marked[order]).tolist(), most=training.most_steps)


def _alpha(training: Training) -> float:
    return float(training.estimator._alpha())


def _dense(matrix: EncodedMatrix) -> np.ndarray:
    values = count_block(matrix).values
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=float)


def _present(matrix: EncodedMatrix, threshold: float | None) -> np.ndarray:
    return np.asarray(binarized(_dense(matrix), threshold), dtype=float)


def _by_class(training: Training, values: np.ndarray) -> np.ndarray:
    """Sum of the rows of each class, (K, columns)."""
    table = np.zeros((len(training.classes), values.shape[1]))
    np.add.at(table, training.y, values * training.weight[:, None])
    return table
