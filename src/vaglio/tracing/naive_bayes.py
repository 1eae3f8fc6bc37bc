"""Naive Bayes worked out: the count tables, the fractions, the product, the normalisation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from vaglio.plot._number import short_number
from vaglio.tracing.document import Page
from vaglio.tracing.numbers import count, fixed, fraction, percent
from vaglio.tracing.training import Training, value_text

# What smoothing does to a fraction is shown for these α.
_ALPHAS = (0.0, 1.0, 10.0, 100.0, 10000.0)


@dataclass(frozen=True)
class Factor:
    """P(x|c) of one attribute for the row at hand: how it is written, and its value in each class."""

    name: str
    written: tuple[str, ...]
    values: np.ndarray


def trace_naive_bayes(page: Page, training: Training) -> None:
    say = page.say
    prior = np.asarray(training.model.prior)
    page.section(say("priors"))
    sizes = training.class_weights()
    page.text(say("nb_rule"))
    given = training.estimator.priors is not None
    for label, n, p in zip(training.classes, sizes, prior):
        page.formula(f"P({label}) = {fixed(p) if given else f'{fraction(n, sizes.sum())} = {fixed(p)}'}")
    page.section(say("likelihoods"))
    alpha = float(training.estimator.alpha)
    page.text(say("nb_smoothing", alpha=count(alpha)))
    factors = [factor for j in range(len(training.features)) if (factor := _attribute(page, training, j, alpha))]
    _duplicates(page, training)
    if training.row is None:
        page.text(say("no_row"))
        return
    written = [f"{fraction(n, sizes.sum())}" if not given else fixed(p) for n, p in zip(sizes, prior)]
    _product(page, training, factors, prior, written)
    _growing_alpha(page, training)


# -- one attribute -----------------------------------------------------------------------------------------------------
def _attribute(page: Page, training: Training, j: int, alpha: float) -> Factor | None:
    """Write an attribute's table; return its factor when there is a row that has a value."""
    how = training.estimator.likelihoods_.get(training.features[j].name)
    if how is None:
        return None
    page.section(training.features[j].name, level=2)
    if how == "gaussian":
        return _gaussian(page, training, j)
    if how == "kde":
        return _kernel(page, training, j)
    return _table(page, training, j, alpha)


def _cells(training: Training, j: int) -> tuple[list[str], np.ndarray, Callable[[float], int]]:
    """Names of an attribute's cells, the cell of every training row (-1 missing), and the function value -> cell."""
    feature, position = training.features[j], training.matrix.position[j]
    if feature.is_nominal:
        return [str(c) for c in feature.categories], training.matrix.codes[:, position], int
    group = training.model.table
    t = int(np.flatnonzero(group.feature == j)[0])
    x = training.matrix.numeric[:, position]
    cells = np.array([-1 if np.isnan(value) else group.cell(t, value) for value in x])
    if feature.kind == "ordinal":
        names = [str(c) for c in feature.categories]
    elif training.estimator.likelihoods_[feature.name] == "discrete":
        names = [short_number(value) for value in group.points(t)]
    else:
        cuts = [short_number(round(float(cut), 6)) for cut in group.cuts(t)]
        names = [f"< {cuts[0]}", *(f"{a} … {b}" for a, b in pairwise(cuts)), f"≥ {cuts[-1]}"] if cuts else ["–"]
    return names, cells, lambda value: group.cell(t, value)


def count_table(training: Training, cells: np.ndarray, size: int) -> np.ndarray:
    """Class weights (K, V) of an attribute, missing values left out."""
    table = np.zeros((len(training.classes), size))
    known = cells >= 0
    np.add.at(table, (training.y[known], cells[known]), training.weight[known])
    return table


def _table(page: Page, training: Training, j: int, alpha: float) -> Factor | None:
    names, cells, cell_of = _cells(training, j)
    table = count_table(training, cells, len(names))
    totals, size = table.sum(axis=1), len(names)
    rows = []
    for v, name in enumerate(names):
        shown = [_smoothed(table[c, v], totals[c], alpha, size) for c in range(len(totals))]
        rows.append([name, *(f"{text} = {fixed(value)}" for text, value in shown)])
    value = _cell_of_row(training, j, cell_of)
    chosen = [value] if value >= 0 else []
    page.table([training.features[j].name, *training.classes], rows, chosen=chosen)
    if value < 0:
        if training.row is not None:
            page.text(page.say("missing_left_out", name=training.features[j].name))
        return None
    factors = [_smoothed(table[c, value], totals[c], alpha, size) for c in range(len(totals))]
    name = f"{training.features[j].name} = {names[value]}"
    return Factor(name, tuple(text for text, _ in factors), np.array([number for _, number in factors]))


def _cell_of_row(training: Training, j: int, cell_of: Callable[[float], int]) -> int:
    """The cell of the row to classify; -1 without one, or where its value is missing or new."""
    if training.row is None:
        return -1
    position = training.matrix.position[j]
    if training.features[j].is_nominal:
        return int(training.row.codes[0, position])
    number = float(training.row.numeric[0, position])
    return -1 if np.isnan(number) else int(cell_of(number))


def _smoothed(n: float, total: float, alpha: float, size: int) -> tuple[str, float]:
    if total + alpha * size <= 0:
        return f"1/{size}", 1 / size
    if alpha == 0:
        return fraction(n, total), n / total
    text = f"({count(n)}+{count(alpha)})/({count(total)}+{size}·{count(alpha)})"
    return text, (n + alpha) / (total + alpha * size)


def _gaussian(page: Page, training: Training, j: int) -> Factor | None:
    say, position = page.say, training.matrix.position[j]
    x = training.matrix.numeric[:, position]
    rows, mean, variance = class_moments(x, training.y, training.weight, len(training.classes))
    extra = float(training.estimator.var_smoothing)
    within = float(rows @ variance / max(rows.sum(), 1e-300))
    used = (rows * variance + extra * within) / np.maximum(rows + extra, 1e-300)
    # A class without values, or a column that never varies, has no variance of its own: the model stands in.
    group = training.model.gaussian
    t = int(np.flatnonzero(group.feature == j)[0])
    odd = (used <= 0) | (rows <= 0)
    mean, used = np.where(odd, group.mean[t], mean), np.where(odd, group.variance[t], used)
    lines = [
        [label, count(n), fixed(m), fixed(v), fixed(u)]
        for label, n, m, v, u in zip(training.classes, rows, mean, variance, used)
    ]
    page.table([say(column) for column in ("class", "rows", "mean", "variance", "variance_used")], lines)
    page.text(say("gaussian_density", smoothing=count(extra)))
    value = float("nan") if training.row is None else float(training.row.numeric[0, position])
    if np.isnan(value):
        if training.row is not None:
            page.text(say("missing_left_out", name=training.features[j].name))
        return None
    density = np.exp(-((value - mean) ** 2) / (2 * used)) / np.sqrt(2 * math.pi * used)
    return Factor(f"{training.features[j].name} = {short_number(value)}", tuple(map(fixed, density)), density)


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


def _kernel(page: Page, training: Training, j: int) -> Factor | None:
    say, group = page.say, training.model.kernel
    t = int(np.flatnonzero(group.feature == j)[0])
    page.table([say("class"), say("bandwidth")], zip(training.classes, map(fixed, group.bandwidth[t])))
    page.text(say("kernel_density"))
    x = training.matrix.numeric[:, training.matrix.position[j]]
    value = float("nan") if training.row is None else float(training.row.numeric[0, training.matrix.position[j]])
    if np.isnan(value):
        return None
    density = np.zeros(len(training.classes))
    for c in range(len(density)):
        here = (training.y == c) & ~np.isnan(x)
        points, w = (x[here], training.weight[here]) if here.any() else (x[~np.isnan(x)], training.weight[~np.isnan(x)])
        h = float(group.bandwidth[t, c])
        humps = np.exp(-((value - points) ** 2) / (2 * h * h)) / (h * math.sqrt(2 * math.pi))
        density[c] = float(np.average(humps, weights=w))
    return Factor(f"{training.features[j].name} = {short_number(value)}", tuple(map(fixed, density)), density)


# -- the row -----------------------------------------------------------------------------------------------------------
def _product(page: Page, training: Training, factors: list[Factor], prior: np.ndarray, written: list[str]) -> None:
    say, classes = page.say, training.classes
    assert training.row is not None
    page.section(say("the_row"))
    row = ", ".join(f"{f.name} = {value_text(training.row, j, 0)}" for j, f in enumerate(training.features))
    page.text(say("row_is", row=row))
    joint = prior.copy()
    for factor in factors:
        joint = joint * factor.values
    for c, label in enumerate(classes):
        terms = [*(factor.written[c] for factor in factors), written[c]]
        page.formula(f"P(x|{label})·P({label}) = {' · '.join(terms)} = {fixed(joint[c]) if joint[c] else '0'}")
    total = joint.sum()
    if total <= 0:
        page.text(say("all_ruled_out"))
        posterior = prior
    else:
        posterior = joint / total
        sum_text = " + ".join(fixed(value) for value in joint)
        for label, value, share in zip(classes, joint, posterior):
            page.formula(f"P({label}|x) = {fixed(value)} / ({sum_text}) = {percent(share)}")
    best = int(np.argmax(posterior))
    page.text(say("decision_is", label=classes[best], share=percent(posterior[best])))
    _logarithms(page, training, factors, prior)
    page.facts |= {
        "joint": dict(zip(classes, joint.tolist())),
        "posterior": dict(zip(classes, posterior.tolist())),
        "decision": classes[best],
        "factors": [{"name": f.name, "written": list(f.written), "values": f.values.tolist()} for f in factors],
    }


def _logarithms(page: Page, training: Training, factors: list[Factor], prior: np.ndarray) -> None:
    page.section(page.say("logarithms"), level=2)
    page.text(page.say("log_rule"))
    with np.errstate(divide="ignore"):
        rows = [["P(c)", *map(fixed, np.log(prior))]]
        rows += [[factor.name, *map(fixed, np.log(factor.values))] for factor in factors]
        total = np.log(prior) + sum((np.log(factor.values) for factor in factors), np.zeros(len(prior)))
    rows.append(["Σ", *map(fixed, total)])
    page.table([page.say("col_term"), *training.classes], rows, chosen=[len(rows) - 1])


def _growing_alpha(page: Page, training: Training) -> None:
    """As α grows each frequency tends to 1/V: shown on the first attribute with a table."""
    nominal = [j for j, feature in enumerate(training.features) if feature.is_nominal]
    if not nominal or training.row is None:
        return
    j = nominal[0]
    code = int(training.row.codes[0, training.matrix.position[j]])
    if code < 0:
        return
    names, cells, _ = _cells(training, j)
    table = count_table(training, cells, len(names))
    page.section(page.say("growing_alpha"), level=2)
    page.text(page.say("growing_alpha_is", name=training.features[j].name, value=names[code], limit=f"1/{len(names)}"))
    rows = [
        [count(a), *(fixed(_smoothed(table[c, code], table[c].sum(), a, len(names))[1]) for c in range(len(table)))]
        for a in _ALPHAS
    ]
    page.table(["α", *training.classes], rows)


def _duplicates(page: Page, training: Training) -> None:
    """Two columns with the same content speak twice: say so."""
    columns = {j: _cells(training, j)[1] for j, feature in enumerate(training.features) if feature.is_nominal}
    for a, b in combinations(columns, 2):
        first, second = columns[a], columns[b]
        same = (
            len(np.unique(np.column_stack([first, second]), axis=0)) == len(np.unique(first)) == len(np.unique(second))
        )
        if same and len(np.unique(first)) > 1:
            page.text(page.say("duplicate", a=training.features[a].name, b=training.features[b].name))
