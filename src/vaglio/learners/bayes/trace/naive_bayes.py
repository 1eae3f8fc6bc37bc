"""Naive Bayes: the count tables, the fractions, the densities of numbers, the product, the normalisation."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from vaglio.document.document import Page
from vaglio.document.training import Training, number_text, say_days
from vaglio.learners.bayes.model.likelihood import possible
from vaglio.learners.bayes.model.posterior import values_seen
from vaglio.learners.bayes.trace.factors import (
    Factor,
    cells_of,
    count_table,
    smoothed_fraction,
    write_frequencies,
    write_priors,
    write_product,
)

# The effect of smoothing on a fraction is shown for these α: from none to so much that only 1/V remains.
_ALPHAS = (0.0, 1.0, 10.0, 100.0, 10000.0)


def _gaussian(page: Page, training: Training, j: int) -> Factor | None:
    group = training.model.gaussian
    t = int(np.flatnonzero(group.feature == j)[0])
    mean, used = _normal(page, training, _column(training, j), group.mean[t], group.variance[t])
    page.text(
        page.say(
            "A number has the normal density 1/√(2π·σ²)·exp(−(x−μ)²/(2σ²)). The variance is estimated as if "
            "{smoothing} further rows had the variance within the classes.",
            smoothing=page.say.count(training.estimator.var_smoothing),
        )
    )
    value = _asked(page, training, j)
    if np.isnan(value):
        return None
    return _factor(page, training, j, value, np.exp(-((value - mean) ** 2) / (2 * used)) / np.sqrt(2 * math.pi * used))


def _normal(
    page: Page, training: Training, x: np.ndarray, mean_else: np.ndarray, variance_else: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Write and return mean and smoothed variance of each class."""
    say = page.say
    rows, mean, variance = class_moments(x, training.y, training.weight, len(training.classes))
    extra = float(training.estimator.var_smoothing)
    within = float(rows @ variance / max(rows.sum(), 1e-300))
    used = (rows * variance + extra * within) / np.maximum(rows + extra, 1e-300)
    # A class without values, or a constant column, has no variance of its own: the model has a substitute.
    odd = (used <= 0) | (rows <= 0)
    mean, used = np.where(odd, mean_else, mean), np.where(odd, variance_else, used)
    lines = [
        [label, say.count(n), say.fixed(m), say.fixed(v), say.fixed(u)]
        for label, n, m, v, u in zip(training.classes, rows, mean, variance, used)
    ]
    page.table([say("class"), say("rows"), say("mean"), say("variance"), say("variance used")], lines)
    return mean, used


def _lognormal(page: Page, training: Training, j: int) -> Factor | None:
    group = training.model.named
    t = int(np.flatnonzero(group.feature == j)[0])
    logarithms = np.log(_column(training, j))
    mean, used = _normal(page, training, logarithms, group.mean[t], group.variance[t])
    page.text(
        page.say(
            "The logarithm of a number has a normal density: 1/(x·√(2π·σ²))·exp(−(ln x−μ)²/(2σ²)). The variance is "
            "estimated as if {smoothing} further rows had the variance within the classes.",
            smoothing=page.say.count(training.estimator.var_smoothing),
        )
    )
    value = _asked(page, training, j, "lognormal")
    if np.isnan(value):
        return None
    density = np.exp(-((math.log(value) - mean) ** 2) / (2 * used)) / (value * np.sqrt(2 * math.pi * used))
    return _factor(page, training, j, value, density)


def _poisson(page: Page, training: Training, j: int) -> Factor | None:
    mean = _smoothed_means(page, training, j)
    page.text(
        page.say(
            "A count has the Poisson probability λˣ·exp(−λ)/x!. The mean λ is estimated as if {smoothing} further rows "
            "had the mean of all rows.",
            smoothing=page.say.count(training.estimator.alpha),
        )
    )
    value = _asked(page, training, j, "poisson")
    if np.isnan(value):
        return None
    return _factor(page, training, j, value, np.exp(value * np.log(mean) - mean - math.lgamma(value + 1)))


def _exponential(page: Page, training: Training, j: int) -> Factor | None:
    mean = _smoothed_means(page, training, j)
    page.text(
        page.say(
            "A number has the exponential density exp(−x/μ)/μ. The mean μ is estimated as if {smoothing} further rows "
            "had the mean of all rows.",
            smoothing=page.say.count(training.estimator.alpha),
        )
    )
    value = _asked(page, training, j, "exponential")
    return None if np.isnan(value) else _factor(page, training, j, value, np.exp(-value / mean) / mean)


def _smoothed_means(page: Page, training: Training, j: int) -> np.ndarray:
    """Write and return the mean of each class, with that of all rows mixed in."""
    say, alpha = page.say, float(training.estimator.alpha)
    rows, mean, _ = class_moments(_column(training, j), training.y, training.weight, len(training.classes))
    overall = float(rows @ mean / max(rows.sum(), 1e-300))
    used: np.ndarray = (rows * mean + alpha * overall) / np.maximum(rows + alpha, 1e-300)
    group = training.model.named
    used = np.where(used <= 0, group.mean[int(np.flatnonzero(group.feature == j)[0])], used)
    lines = [
        [label, say.count(n), say.fixed(m), say.fixed(u)] for label, n, m, u in zip(training.classes, rows, mean, used)
    ]
    page.table([say("class"), say("rows"), say("mean"), say("mean used")], lines)
    return used


def _kernel(page: Page, training: Training, j: int) -> Factor | None:
    say, group = page.say, training.model.kernel
    t = int(np.flatnonzero(group.feature == j)[0])
    page.table([say("class"), say("bandwidth")], zip(training.classes, map(say.fixed, group.bandwidth[t])))
    page.text(say("The density of a number is the mean of normal densities around the values of the class."))
    x, value = _column(training, j), _asked(page, training, j)
    if np.isnan(value):
        return None
    density = np.zeros(len(training.classes))
    for c in range(len(density)):
        here = (training.y == c) & ~np.isnan(x)
        points, w = (x[here], training.weight[here]) if here.any() else (x[~np.isnan(x)], training.weight[~np.isnan(x)])
        h = float(group.bandwidth[t, c])
        bumps = np.exp(-((value - points) ** 2) / (2 * h * h)) / (h * math.sqrt(2 * math.pi))
        density[c] = float(np.average(bumps, weights=w))
    return _factor(page, training, j, value, density)


def _column(training: Training, j: int) -> np.ndarray:
    values: np.ndarray = training.matrix.numeric[:, training.matrix.position[j]]
    return values


def _asked(page: Page, training: Training, j: int, kind: str | None = None) -> float:
    """Return the value of the row to classify; NaN if there is none that counts, which is said."""
    if training.row is None:
        return math.nan
    value = float(training.row.numeric[0, training.matrix.position[j]])
    name = training.features[j].name
    if math.isnan(value):
        page.text(page.say("{name} is missing in the row and is left out of the product.", name=name))
    elif kind is not None and not possible(kind, np.array([value]))[0]:
        page.text(
            page.say(
                "{name}: this value has probability 0 in every class, so the column is left out of the product.",
                name=name,
            )
        )
        return math.nan
    say_days(page, [training.features[j]], [value])
    return value


def _factor(page: Page, training: Training, j: int, value: float, density: np.ndarray) -> Factor:
    feature = training.features[j]
    given = number_text(page.say, feature, value)
    return Factor(f"{feature.name} = {given}", tuple(map(page.say.fixed, density)), density)


def class_moments(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, mean and variance of a column's known values in each class."""
    known = ~np.isnan(x)
    x, y, weight = x[known], y[known], weight[known]
    rows = np.bincount(y, weight, minlength=k)
    safe = np.maximum(rows, 1e-300)
    mean = np.bincount(y, weight * x, minlength=k) / safe
    return rows, mean, np.bincount(y, weight * (x - mean[y]) ** 2, minlength=k) / safe


# Likelihood -> what writes its table and returns the factor of the row.
DENSITIES = {
    "gaussian": _gaussian,
    "kde": _kernel,
    "poisson": _poisson,
    "exponential": _exponential,
    "lognormal": _lognormal,
}


def trace_naive_bayes(page: Page, training: Training) -> None:
    """Write priors, one table per attribute and, for a row, the product and its normalisation."""
    say = page.say
    page.section(say("Prior probabilities"))
    page.text(
        say(
            "P(c|x) is proportional to P(c) times the product of P(xⱼ|c): the attributes are assumed to be "
            "independent given the class."
        )
    )
    prior, written = write_priors(page, training, training.estimator.priors is not None)
    page.section(say("Likelihoods"))
    alpha = float(training.estimator.alpha)
    page.text(
        say(
            "A frequency is (n(v,c) + α)/(n(c) + α·V), where α = {alpha} and V is the number of values of the"
            " attribute.",
            alpha=say.count(alpha),
        )
    )
    factors = []
    for j, feature in enumerate(training.features):
        how = training.estimator.likelihoods_.get(feature.name)
        if how is None:
            continue
        page.section(feature.name, level=2)
        if training.row is not None and feature.is_nominal:
            at = training.matrix.position[j]
            page.about_rows(np.flatnonzero(training.matrix.codes[:, at] == training.row.codes[0, at]))
        if how in DENSITIES:
            factor = DENSITIES[how](page, training, j)
        else:
            factor = write_frequencies(page, training, j, alpha, training.model.table)
        factors += [] if factor is None else [factor]
    _duplicates(page, training)
    _linear(page, training)
    if training.row is None:
        page.text(say("Give a row to see how it is classified."))
        return
    write_product(page, training, factors, prior, written)
    _growing_alpha(page, training)


def _linear(page: Page, training: Training) -> None:
    """Write the weights of the linear model that naive Bayes of nominal columns is, w0 first."""
    if not all(feature.is_nominal for feature in training.features):
        return
    say, weights = page.say, training.estimator.linear_model()
    two = len(training.classes) == 2
    page.section(say("As a linear model"))
    if two:
        page.text(
            say(
                "The logarithm of P({label}|x)/P({other}|x) is a sum: w0 from the priors, and one weight for the value "
                "of each attribute. Above 0 the class is {label}.",
                label=training.classes[1],
                other=training.classes[0],
            )
        )
        page.formula(f"w0 = ln(P({training.classes[1]})/P({training.classes[0]}))")
        page.formula(f"w(v) = ln(P(v|{training.classes[1]})/P(v|{training.classes[0]}))")
    else:
        page.text(
            say(
                "The logarithm of P(c)·Π P(v|c) is a sum: w0 = ln P(c), and w(v) = ln P(v|c) for the value of each "
                "attribute. The class with the largest sum is predicted."
            )
        )
    heads = [say("weight")] if two else training.classes
    chosen, lines = [0], list[list[str]]()
    for at, (name, value, *w) in enumerate(weights.itertuples(index=False)):
        lines.append([name or "w0", value, *(say.fixed(float(each)) for each in w)])
        if training.row is not None and name:
            j = next(j for j, feature in enumerate(training.features) if feature.name == name)
            chosen += [at] if training.value(say, j, 0, training.row) == value else []
    page.table([say("attribute"), say("value"), *heads], lines, chosen=chosen if training.row is not None else ())
    page.facts["linear"] = {"w0": weights.iloc[0, 2:].to_numpy(dtype=float).tolist()}
    if training.row is None:
        return
    of_row = weights.iloc[chosen, 2:].to_numpy(dtype=float)
    for head, column in zip(heads, of_row.T):
        name = "w0 + Σ w" if two else f"w0 + Σ w ({head})"
        page.formula(f"{name} = {' + '.join(map(say.fixed, column))} = {say.fixed(column.sum())}".replace("+ −", "− "))
    page.facts["linear"]["sum"] = of_row.sum(axis=0).tolist()


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
    names, cells, _ = cells_of(page.say, training, j, training.model.table)
    table = count_table(training, cells, len(names))
    seen = values_seen(table)
    page.section(page.say("The effect of α"), level=2)
    page.text(
        page.say(
            "As α grows, the frequency of {name} = {value} tends to {limit} in every class.",
            name=training.features[j].name,
            value=names[code],
            limit=f"1/{seen}",
        )
    )
    rows = [
        [
            page.say.count(a),
            *(
                page.say.fixed(smoothed_fraction(page.say, table[c, code], table[c].sum(), a, seen)[1])
                for c in range(len(table))
            ),
        ]
        for a in _ALPHAS
    ]
    page.table(["α", *training.classes], rows)


def _duplicates(page: Page, training: Training) -> None:
    """Say which pairs of columns carry the same information, since naive Bayes counts it twice."""
    columns = {
        j: cells_of(page.say, training, j, training.model.table)[1]
        for j, feature in enumerate(training.features)
        if feature.is_nominal
    }
    for a, b in combinations(columns, 2):
        first, second = columns[a], columns[b]
        same = (
            len(np.unique(np.column_stack([first, second]), axis=0)) == len(np.unique(first)) == len(np.unique(second))
        )
        if same and len(np.unique(first)) > 1:
            page.text(
                page.say(
                    "{a} and {b} carry the same information, which is counted twice.",
                    a=training.features[a].name,
                    b=training.features[b].name,
                )
            )
